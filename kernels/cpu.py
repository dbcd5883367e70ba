"""The model on all cores of a CPU, by Numba; equal to `kernels.reference` bit for bit.

Agents are dealt out to workers in equal shares. Each worker counts on a plane of its own, because
threads that count on one plane lose counts; the planes are added up as the trail takes them. Now
and then the agents are put in order of place, so that those of a worker read and count near one
another, where the caches help.
"""

import concurrent.futures
import dataclasses
import functools
import shutil
import threading
import time
from collections.abc import Callable

import numba
import numpy as np
from numba import prange
from numpy.typing import NDArray

from kernels.contract import PASSES, SLOTS, step_key
from kernels.cpu_field import update_field
from kernels.cpu_model import (
    CACHE_FOLDER,
    CHUNK,
    LANE,
    NONE,
    SHAPE,
    aim,
    deposit,
    face,
    i64,
    parallel,
    recount,
    sense,
    share,
    steer_and_move,
    u32,
)
from kernels.cpu_order import Pace, sort, tiles
from kernels.reference import fetch_trail, paint, set_values, wait
from kernels.world import World

# What does nothing but read and write arrays in main memory is the reference's own.
__all__ = [
    "Buffers", "advance", "allocate", "bandwidth", "bytes_needed", "fetch", "fetch_counts", "fetch_trail",
    "load", "paint", "sample", "set_values", "wait",
]  # fmt: skip

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Words = NDArray[np.uint64]
Bits = NDArray[np.uint32]

PAD = 1040  # numbers behind each plane: planes a power of two apart would evict each other from the caches
MAX_PLANES = 2**31  # bytes: where planes for all threads would take more, fewer workers move the agents
COPIED = 3 * 2**25  # bytes that `bandwidth` copies: more than caches hold

_one_at_a_time = threading.Lock()  # Numba's threads serve one caller: with a second the process aborts


@dataclasses.dataclass
class Buffers:
    """The state of a run, as `reference.Buffers` has it, and the scratch memory of its steps.

    Attributes:
        world: Size and seed.
        values: The numbers of `contract.SLOTS`.
        agents: Agent words [N], see `world.pack`; their order changes.
        trail: Scent [H, W].
        counts: How many agents stood on each cell after the last move [H, W], as of the last `fetch`:
            no step needs them, and agents still stand where they were counted.
        other_agents: What a sort writes [N]; then it is `agents`.
        shape: The numbers of `cpu_model.SHAPE`.
        planes: Counts by each worker [workers, H * W + PAD]; 0 between steps.
        touched: The blocks of rows each worker counted in, as masks [workers].
        starts: Where each worker's agents of each tile go in a sort [workers, tiles].
        places: Scratch for a worker's chunk [workers, 3 * LANE + PAD].
        numbers: Scratch for a worker's chunk [workers, 5 * LANE + PAD].
        tallies: Scratch for a band's row of counts [bands, W].
        sums: Scratch for a band's rows of sums [bands, 5, W].
        pace: When to sort.
        step: Steps done since the start.
        step_seconds: What a step took lately.
        sampling: Whether the next step is to be timed for `pass_seconds`.
        pass_seconds: As `reference.Buffers` has it.
    """

    world: World
    values: Floats
    agents: Words
    trail: Floats
    counts: Ints
    other_agents: Words
    shape: Bits
    planes: Ints
    touched: Bits
    starts: Bits
    places: Bits
    numbers: Floats
    tallies: Ints
    sums: Floats
    pace: Pace
    step: int = 0
    step_seconds: float = 0.0
    sampling: bool = False
    pass_seconds: dict[str, float] = dataclasses.field(default_factory=dict)


def bytes_needed(world: World) -> int:
    """Memory that `allocate` and `load` take for a world, at most.

    Agents three times (to sort them, and to start them), a trail, counts, and a plane a worker.
    """
    cells, workers = world.width * world.height, _workers(world)
    return 24 * world.agents + (8 + 4 * workers) * cells + 4 * workers * tiles(world)


def allocate(world: World) -> Buffers:
    """An empty state, its kernels compiled; `load` brings it to life.

    Raises:
        MemoryError: The world does not fit.
    """
    _compile()
    return _allocate(world)


@functools.cache
def _compile() -> None:
    """Compiles all kernels by a step of a tiny world, or loads them; a damaged cache is thrown away."""
    b = _allocate(World(16, 16, 1))
    try:
        _try_out(b)
    except Exception:  # whatever unpickling a damaged file raises
        if not CACHE_FOLDER:
            raise
        shutil.rmtree(CACHE_FOLDER, ignore_errors=True)
        _try_out(b)


def _try_out(b: Buffers) -> None:
    advance(b, 1)
    fetch(b)


def _allocate(world: World) -> Buffers:
    """An empty state, for as many threads as Numba may use now.

    Planes only take up memory where their worker counts: with sorted agents, its share of the field.
    """
    height, width, bits = world.height, world.width, world.fraction_bits
    bands = min(numba.get_num_threads(), height)
    workers = _workers(world)
    shape = {
        "width": width,
        "end_x": width << bits,
        "end_y": height << bits,
        "fraction_bits": bits,
        "block_bits": max(bits, ((height << bits) - 1).bit_length() - 5),  # a row lies in one block
    }
    return Buffers(
        world=world,
        values=np.zeros(len(SLOTS), np.float32),
        agents=np.zeros(world.agents, np.uint64),
        trail=np.zeros((height, width), np.float32),
        counts=np.zeros((height, width), np.int32),
        other_agents=np.zeros(world.agents, np.uint64),
        shape=np.array([shape[name] for name in SHAPE], np.uint32),
        planes=np.zeros((workers, height * width + PAD), np.int32),
        touched=np.zeros(workers, np.uint32),
        starts=np.zeros((workers, tiles(world)), np.uint32),
        places=np.zeros((workers, 3 * LANE + PAD), np.uint32),
        numbers=np.zeros((workers, 5 * LANE + PAD), np.float32),
        tallies=np.zeros((bands, width), np.int32),
        sums=np.zeros((bands, 5, width), np.float32),
        pace=Pace(),
    )


def _workers(world: World) -> int:
    """One a thread, as far as their planes stay within `MAX_PLANES` bytes."""
    return max(1, min(numba.get_num_threads(), MAX_PLANES // (4 * world.height * world.width)))


def load(b: Buffers, world: World, agents: Words) -> None:
    """Starts over with the given agents on an empty field; only the seed of `world` may be new."""
    b.world = world
    b.agents[:] = agents
    b.trail[:] = 0
    b.step = 0
    b.pace = Pace()


def advance(b: Buffers, steps: int) -> None:
    """Does `steps` steps. The first call in a process compiles, or loads what was compiled before."""
    started = time.perf_counter()
    for _ in range(steps):
        with _one_at_a_time:
            _step(b)
    if steps:
        b.step_seconds = (time.perf_counter() - started) / steps


def _step(b: Buffers) -> None:
    if b.pace.due:
        b.pace.sorted(_seconds(sort, b.agents, b.starts, b.shape, b.places, b.other_agents))
        b.agents, b.other_agents = b.other_agents, b.agents
    halves, trail = b.agents.view(np.uint32), b.trail.reshape(-1)  # low, high, low, high ...
    key = u32(step_key(b.world.seed_words, b.step))
    agents = _seconds(
        _update_agents, halves, trail, b.values, b.shape, key, b.planes, b.touched, b.places, b.numbers
    )
    field = _seconds(update_field, b.trail, b.values, b.shape, b.planes, b.touched, b.tallies, b.sums)
    b.pace.moved(agents)
    b.step += 1
    if b.sampling:
        b.pass_seconds = dict(zip(PASSES, (agents, field, b.pace.seconds_a_step), strict=True))
        b.sampling = False


def _seconds(function: Callable[..., object], *arguments: object) -> float:
    started = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - started


def sample(b: Buffers) -> None:
    """Asks that the next step be timed pass by pass, for `pass_seconds`."""
    b.sampling = True


def fetch(b: Buffers) -> tuple[Floats, Ints, Words]:
    """Trail [H, W], counts [H, W] and agent words [N] as arrays."""
    return b.trail, fetch_counts(b), b.agents


def fetch_counts(b: Buffers) -> Ints:
    """The counts [H, W] alone, counted now."""
    b.counts[:] = 0
    if b.step:
        recount(b.agents.view(np.uint32), b.shape, b.counts.reshape(-1))
    return b.counts


@functools.cache
def bandwidth() -> float:
    """Bytes per second, read and written, of copies by all threads: the median of five.

    The arrays are too large for the caches.
    """
    source, target = np.ones(COPIED, np.uint8), np.empty(COPIED, np.uint8)
    threads = numba.get_num_threads()
    parts = [slice(*share.py_func(COPIED, k, threads)) for k in range(threads)]
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:

        def copy() -> None:
            list(pool.map(lambda part: np.copyto(target[part], source[part]), parts))

        return 2 * COPIED / sorted(_seconds(copy) for _ in range(5))[2]


@parallel
def _update_agents(words, trail, values, shape, key, planes, touched, places, numbers):
    """All agents sense, steer, move and deposit."""
    workers = len(planes)
    for w in prange(workers):
        blocks = NONE
        first, last = share(len(words) >> 1, i64(w), workers)  # w is unsigned in here, and signed outside
        for start in range(first, last, CHUNK):
            agents = min(CHUNK, last - start)
            chunk = words[2 * start : 2 * (start + agents)]
            face(chunk, numbers[w])
            aim(chunk, values, shape, places[w], numbers[w])
            sense(trail, agents, places[w], numbers[w])
            blocks |= steer_and_move(chunk, values, shape, key, places[w], numbers[w])
            deposit(planes[w], agents, places[w])
        touched[w] = blocks
