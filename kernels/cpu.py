"""The model on all cores of a CPU, by Numba; equal to `kernels.reference` bit for bit.

Agents are dealt out to workers in equal shares. Each worker counts on a plane of its own, because
threads that count on one plane lose counts; the planes are added up as the trail takes them. Now
and then the agents are put in order of place, so that those of a worker read and count near one
another, where the caches help.
"""

import concurrent.futures
import functools
import shutil
import threading
import time
from collections.abc import Callable

import numba
import numpy as np

from kernels import contract, reference
from kernels.contract import PASSES, SETS, Numbers, step_key
from kernels.cpu_agents import update_by_rules, update_plainly
from kernels.cpu_crowd import crowd
from kernels.cpu_field import update_field
from kernels.cpu_memory import Bits, Buffers, Floats, Ints, Words, allocated, bytes_needed
from kernels.cpu_model import CACHE_FOLDER, SHAPE, recount, share, u32
from kernels.cpu_order import Pace, sort
from kernels.cpu_scene import rules_of, values_of
from kernels.cpu_scent import update_scent
from kernels.params import Params
from kernels.reference import fetch_trail, glimpse_trail, wait
from kernels.world import World, births

# What does nothing but read and write arrays in main memory is the reference's own.
__all__ = [
    "Buffers", "advance", "allocate", "bandwidth", "bytes_needed", "fetch", "fetch_counts", "fetch_trail",
    "glimpse", "glimpse_trail", "load", "paint", "restore", "sample", "set_maps", "set_numbers", "snapshot",
    "wait",
]  # fmt: skip

COPIED = 3 * 2**25  # bytes that `bandwidth` copies: more than caches hold

_one_at_a_time = threading.Lock()  # Numba's threads serve one caller: with a second the process aborts


def allocate(world: World) -> Buffers:
    """An empty state, its kernels compiled; `load` brings it to life.

    Raises:
        MemoryError: The world does not fit.
    """
    _compile()
    return allocated(world)


@functools.cache
def _compile() -> None:
    """Compiles what the plain rule needs by a step of a tiny world, or loads it."""

    def build() -> None:
        b = _tiny()
        advance(b, 1)
        fetch(b)

    _with_a_sound_cache(build)


@functools.cache
def prepare_rules() -> None:
    """Compiles all other rules, or loads them. Steps of another thread may go on beside it."""

    def build() -> None:
        b = _tiny()
        for function, arguments in (
            (update_by_rules, _rules_arguments(b)),
            (crowd, (True, *_crowd_arguments(b))),
            (update_scent, (b.trail, b.ground, b.values, b.shape, b.scent, False)),
        ):
            function.compile(tuple(numba.typeof(argument) for argument in arguments))

    _with_a_sound_cache(build)


def rules_are_ready() -> bool:
    """Whether this process has all rules, so that none is compiled from now on."""
    return prepare_rules.cache_info().currsize > 0


def _tiny() -> Buffers:
    b = allocated(World(16, 16, 1))
    set_numbers(b, contract.numbers(Params(), b.world))
    return b


def _with_a_sound_cache(build: Callable[[], None]) -> None:
    """Builds; where that fails, a damaged cache is thrown away and it builds again."""
    try:
        build()
    except Exception:  # whatever unpickling a damaged file raises
        if not CACHE_FOLDER:
            raise
        shutil.rmtree(CACHE_FOLDER, ignore_errors=True)
        build()


def load(b: Buffers, world: World, agents: Words) -> None:
    """Starts over with the given agents on an empty field; of `world`, size, agents and species stay."""
    b.world = world
    b.agents[:] = agents
    b.births = births(world)
    b.trail[:] = 0
    b.stale = True
    b.step = 0
    b.pace = Pace()


def snapshot(b: Buffers) -> tuple[Floats, Ints, Words]:
    """Copies of what `fetch` gives, for `restore`."""
    return b.trail.copy(), fetch_counts(b).copy(), b.agents.copy()


def restore(b: Buffers, world: World, step: int, trail: Floats, counts: Ints, agents: Words) -> None:
    """Goes on from a step of a world, with a snapshot's trail and agents; the counts are theirs."""
    load(b, world, agents)
    b.trail[:] = trail
    b.step = step


def set_numbers(b: Buffers, numbers: Numbers) -> None:
    """Takes over new numbers for the steps to come; rules that were never on are compiled first."""
    if not numbers.features.plain:
        prepare_rules()
    b.numbers, b.values = numbers, values_of(numbers)
    b.shape[len(SHAPE) :] = rules_of(numbers.features)
    b.responses = numbers.responses.transpose(1, 0, 3, 2, 4).reshape(len(b.values), SETS, -1).view(np.uint64)
    b.crowds = np.ascontiguousarray(numbers.crowds.swapaxes(0, 1))
    b.stale = True


def set_maps(b: Buffers, ground: Floats, mask: Floats) -> None:
    """Takes over food and walls, and the mask [H, W], for the steps to come."""
    b.ground[:], b.mask[:] = ground, mask
    b.stale = True


def paint(b: Buffers, species: int, rows: Ints, columns: Ints, gain: Floats, lift: Floats) -> None:
    """Paints one dab of a species' trail: trail = trail * gain + lift, on the cells rows x columns."""
    reference.paint(b, species, rows, columns, gain, lift)  # type: ignore[arg-type]
    b.stale = True


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
    smelling, agents, field = (_seconds(part, b) for part in (_smell, _move, _diffuse))
    b.pace.moved(agents)
    b.step += 1
    if b.sampling:
        b.pass_seconds = dict(zip(PASSES, (smelling + agents, field, b.pace.seconds_a_step), strict=True))
        b.sampling = False


def _smell(b: Buffers) -> None:
    """Brings the scent up to date, if something else than a step changed it, and what wide sensors smell."""
    what = b.numbers.features
    if what.scent and b.stale:
        update_scent(b.trail, b.ground, b.values, b.shape, b.scent, False)
        b.stale = False
    if what.sensor_width > 1:
        update_scent(_scent(b), b.ground, b.values, b.shape, b.wide, True)


def _scent(b: Buffers) -> Floats:
    return b.scent if b.numbers.features.scent else b.trail


def _move(b: Buffers) -> None:
    if b.numbers.features.plain:
        update_plainly(
            _halves(b.agents), _flat(b.trail), b.values, b.shape, _key(b),
            b.planes, b.touched, b.places, b.scratch,
        )  # fmt: skip
        return
    update_by_rules(*_rules_arguments(b))
    if b.numbers.features.crowded:
        for settled in False, True:
            crowd(settled, *_crowd_arguments(b))


def _rules_arguments(b: Buffers) -> tuple[object, ...]:
    smell = _scent(b)
    sensed = b.wide if b.numbers.features.sensor_width > 1 else smell
    return (
        _halves(b.agents), _flat(b.trail), _flat(smell), _flat(sensed), b.ground.reshape(-1),
        b.mask.reshape(-1), b.births, b.values, b.responses, b.shape, _key(b), b.planes, b.touched,
        b.places, b.scratch, _halves(b.other_agents), b.idle,
    )  # fmt: skip


def _crowd_arguments(b: Buffers) -> tuple[object, ...]:
    words, wishes = _halves(b.agents), _halves(b.other_agents)
    return words, _key(b), b.shape, wishes, b.idle, b.taken, b.claims, b.planes, b.touched


def _key(b: Buffers) -> object:
    return u32(step_key(b.world.seed_words, b.step))


def _flat(planes: Floats) -> Floats:
    return planes.reshape(len(planes), -1)


def _diffuse(b: Buffers) -> None:
    update_field(
        b.trail, b.scent, b.ground, b.mask, b.values, b.crowds, b.shape,
        b.planes, b.touched, b.tallies, b.sums,
    )  # fmt: skip


def _halves(agents: Words) -> Bits:
    return agents.view(np.uint32)  # low, high, low, high ...


def _seconds(function: Callable[..., object], *arguments: object) -> float:
    started = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - started


def sample(b: Buffers) -> None:
    """Asks that the next step be timed pass by pass, for `pass_seconds`."""
    b.sampling = True


def fetch(b: Buffers) -> tuple[Floats, Ints, Words]:
    """Trail [C, H, W], counts [C, H, W] and agent words [N] as arrays."""
    return b.trail, fetch_counts(b), b.agents


def fetch_counts(b: Buffers) -> Ints:
    """The counts [C, H, W] alone, counted now."""
    return _counted(b, b.counts, 0, 0)


def glimpse(b: Buffers, rows: slice, columns: slice) -> tuple[Floats, Ints]:
    """Trail and counts [C, rows, columns] of a part of the field, as copies."""
    trail = b.trail[:, rows, columns].copy()
    return trail, _counted(b, np.empty(trail.shape, np.int32), rows.start, columns.start)


def _counted(b: Buffers, counts: Ints, top: int, left: int) -> Ints:
    """The counts [C, h, w] of the part that begins at a cell."""
    counts[:] = 0
    if b.step:
        recount(_halves(b.agents), b.shape, counts, u32(top), u32(left))
    return counts


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
