"""The model on all cores of a CPU, by Numba; equal to `kernels.reference` bit for bit.

Agents are dealt out to workers in equal shares. Each worker counts on a plane of its own, because
threads that count on one plane lose counts; the planes are added up before the trail diffuses. Now
and then the agents are put in order of place, so that those of a worker read and count near one
another, where the caches help.
"""

import dataclasses
import functools
import shutil
import threading
import time

import numba
import numpy as np
from numba import prange
from numpy.typing import NDArray

from kernels.contract import SLOT, SLOTS, step_key
from kernels.cpu_model import (
    BLOCK_BITS,
    CACHE_FOLDER,
    CHUNK,
    FRACTION_BITS,
    LANE,
    NONE,
    SHAPE,
    TILE_COLUMN_BITS,
    TILE_ROW_BITS,
    WIDTH,
    aim,
    deposit,
    face,
    fade,
    i64,
    merge,
    parallel,
    sense,
    share,
    spread,
    steer_and_move,
    tile_of,
    u32,
)
from kernels.reference import fetch, fetch_trail, paint, set_values, wait
from kernels.world import World

# What does nothing but read and write arrays in main memory is the reference's own.
__all__ = [
    "Buffers", "advance", "allocate", "bytes_needed", "fetch", "fetch_trail", "load", "paint", "set_values",
    "wait",
]  # fmt: skip

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Words = NDArray[np.uint64]
Bits = NDArray[np.uint32]

SORT_EVERY = 64  # steps: a sort costs a third of a step, and agents stay near one another for longer
PAD = 1040  # numbers behind each plane: planes a power of two apart would evict each other from the caches
MAX_PLANES = 2**31  # bytes: where planes for all threads would take more, fewer workers move the agents

DEPOSIT, CENTRE, RING = SLOT["deposit"], SLOT["keep_centre"], SLOT["keep_ring"]

_one_at_a_time = threading.Lock()  # Numba's threads serve one caller: with a second the process aborts


@dataclasses.dataclass
class Buffers:
    """The state of a run, as `reference.Buffers` has it, and the scratch memory of its steps.

    Attributes:
        world: Size and seed.
        values: The numbers of `contract.SLOTS`.
        agents: Agent words [N], see `world.pack`; their order changes.
        trail: Scent [H, W].
        counts: How many agents stood on each cell after the last move [H, W].
        other_agents: What a sort writes [N]; then it is `agents`.
        other_trail: What a step writes [H, W]; then it is `trail`.
        shape: The numbers of `cpu_model.SHAPE`.
        planes: Counts by each worker [workers, H * W + PAD]; 0 between steps.
        touched: The blocks of rows each worker counted in, as masks [workers].
        tiles: Agents of each worker in each tile [workers, tiles].
        places: Scratch for a worker's chunk [workers, 3 * LANE + PAD].
        numbers: Scratch for a worker's chunk [workers, 5 * LANE + PAD].
        rows: Scratch for a thread's rows of the field [threads, 6, W + 2].
        step: Steps done since the start.
        step_seconds: What a step took lately.
    """

    world: World
    values: Floats
    agents: Words
    trail: Floats
    counts: Ints
    other_agents: Words
    other_trail: Floats
    shape: Bits
    planes: Ints
    touched: Bits
    tiles: NDArray[np.int64]
    places: Bits
    numbers: Floats
    rows: Floats
    step: int = 0
    step_seconds: float = 0.0


def bytes_needed(world: World) -> int:
    """Memory that `allocate` and `load` take for a world, at most.

    Agents three times (to sort them, and to start them), two trails, counts, and a plane a worker.
    """
    cells = world.width * world.height
    return 24 * world.agents + (12 + 4 * _workers(world)) * cells


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
        advance(b, 1)
    except Exception:  # whatever unpickling a damaged file raises
        if not CACHE_FOLDER:
            raise
        shutil.rmtree(CACHE_FOLDER, ignore_errors=True)
        advance(b, 1)


def _allocate(world: World) -> Buffers:
    """An empty state, for as many threads as Numba may use now.

    Planes only take up memory where their worker counts: with sorted agents, its share of the field.
    """
    height, width, bits = world.height, world.width, world.fraction_bits
    threads = numba.get_num_threads()
    workers = _workers(world)
    tiles = ((height - 1 >> TILE_ROW_BITS) + 1) * ((width - 1 >> TILE_COLUMN_BITS) + 1)
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
        other_trail=np.zeros((height, width), np.float32),
        shape=np.array([shape[name] for name in SHAPE], np.uint32),
        planes=np.zeros((workers, height * width + PAD), np.int32),
        touched=np.zeros(workers, np.uint32),
        tiles=np.zeros((workers, tiles), np.int64),
        places=np.zeros((workers, 3 * LANE + PAD), np.uint32),
        numbers=np.zeros((workers, 5 * LANE + PAD), np.float32),
        rows=np.zeros((threads, 6, width + 2), np.float32),
    )


def _workers(world: World) -> int:
    """One a thread, as far as their planes stay within `MAX_PLANES` bytes."""
    return max(1, min(numba.get_num_threads(), MAX_PLANES // (4 * world.height * world.width)))


def load(b: Buffers, world: World, agents: Words) -> None:
    """Starts over with the given agents on an empty field; only the seed of `world` may be new."""
    b.world = world
    b.agents[:] = agents
    b.trail[:] = 0
    b.counts[:] = 0
    b.step = 0


def advance(b: Buffers, steps: int) -> None:
    """Does `steps` steps. The first call in a process compiles, or loads what was compiled before."""
    started = time.perf_counter()
    for _ in range(steps):
        key = u32(step_key(b.world.seed_words, b.step))
        with _one_at_a_time:
            if b.step % SORT_EVERY == 0:
                _sort(b.agents, b.tiles, b.shape, b.other_agents)
                b.agents, b.other_agents = b.other_agents, b.agents
            halves = b.agents.view(np.uint32)  # low, high, low, high ...
            _update_agents(
                halves, b.trail.reshape(-1), b.values, b.shape, key, b.planes, b.touched, b.places, b.numbers
            )
            _update_field(b.trail, b.counts, b.values, b.shape, b.planes, b.touched, b.rows, b.other_trail)
        b.trail, b.other_trail = b.other_trail, b.trail
        b.step += 1
    if steps:
        b.step_seconds = (time.perf_counter() - started) / steps


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


@parallel
def _update_field(trail, counts, values, shape, planes, touched, rows, out):
    """The planes are added up; then the trail takes the deposits, diffuses and decays.

    Three rows of sums are kept while a thread goes down its band, each used three times.
    """
    height, width = trail.shape
    amount, centre, ring = values[DEPOSIT], values[CENTRE], values[RING]
    bands = len(rows)
    for w in prange(bands):
        first, last = share(height, i64(w), bands)
        for y in range(first, last):
            block = u32(u32(u32(y) << shape[FRACTION_BITS]) >> shape[BLOCK_BITS])
            merge(counts[y], planes, touched, block, y * width)
    for w in prange(bands):
        first, last = share(height, i64(w), bands)
        fresh, sums = rows[w, :3], rows[w, 3:]
        for y in range(first - 1, last + 1):
            above, middle, below = (y + 1) % 3, (y + 2) % 3, (y + 3) % 3
            source = (y + height) % height
            spread(trail[source], counts[source], amount, fresh[below], sums[below])
            if y > first:
                fade(fresh[middle], sums[above], sums[middle], sums[below], centre, ring, out[y - 1])


@parallel
def _sort(agents, tiles, shape, out):
    """Agents in order of their tiles, by a counting sort: no agent passes another of its tile."""
    workers, bits = len(tiles), shape[FRACTION_BITS]
    across = u32(u32(u32(shape[WIDTH] - u32(1)) >> u32(TILE_COLUMN_BITS)) + u32(1))
    for w in prange(workers):
        first, last = share(len(agents), i64(w), workers)
        for tile in range(tiles.shape[1]):
            tiles[w, tile] = 0
        for i in range(first, last):
            tiles[w, tile_of(agents[i], across, bits)] += 1
    start = 0
    for tile in range(tiles.shape[1]):
        for w in range(workers):
            many = tiles[w, tile]
            tiles[w, tile] = start
            start += many
    for w in prange(workers):
        first, last = share(len(agents), i64(w), workers)
        for i in range(first, last):
            tile = tile_of(agents[i], across, bits)
            out[tiles[w, tile]] = agents[i]
            tiles[w, tile] += 1
