"""The model on all cores of a CPU, by Numba; equal to `kernels.reference` bit for bit.

Agents are dealt to workers in equal shares. Each counts on a plane of its own, because counting on
one from several threads would lose deposits; the planes are added up before the trail diffuses.
"""

import dataclasses
import threading
import time

import numba
import numpy as np
from numba import prange
from numpy.typing import NDArray

from kernels.contract import SLOT, SLOTS, step_key
from kernels.cpu_model import (
    CHUNK,
    LANE,
    aim,
    face,
    deposit,
    fade,
    jit,
    merge,
    sense,
    spread,
    steer_and_move,
    u32,
)
from kernels.world import World

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Words = NDArray[np.uint64]
Bits = NDArray[np.uint32]

PAD = (
    4096 + 64
) // 4  # numbers behind each plane: planes a power of two apart share cache sets, 10 times slower
SORT_EVERY = 64  # steps; agents stay near one another for longer than that
TILE_ROWS, TILE_COLUMNS = (
    16,
    1024,
)  # cells of a tile that agents are sorted by: its trail fits in the L2 cache

DEPOSIT, CENTRE, RING = SLOT["deposit"], SLOT["keep_centre"], SLOT["keep_ring"]

_one_at_a_time = threading.Lock()  # Numba's workqueue layer aborts the process when two threads go parallel


@dataclasses.dataclass
class Buffers:
    """The state of a run, as `reference.Buffers`, and the scratch memory of its steps.

    Attributes:
        world: Size and seed.
        values: The numbers of `contract.SLOTS`.
        agents: Agent words [N], see `world.pack`; in an order that changes.
        trail: Scent [H, W].
        counts: How many agents stood on each cell after the last move [H, W].
        spare_agents: [N]; `spare_trail` [H, W]: the other halves of swaps.
        planes: Each worker's counts [workers, H * W + PAD], all 0 between steps.
        touched: Which blocks of rows a worker counted in, as bits [workers].
        places, numbers: Scratch of a chunk's phases [workers, ...].
        rows: Scratch of the diffusion [workers, 6, W + 2].
        shape: Five numbers about the field that the phases read.
        tiles: Agents of each worker in each tile [workers, tiles].
        step: Steps done since the start.
        step_seconds: What a step took lately.
    """

    world: World
    values: Floats
    agents: Words
    trail: Floats
    counts: Ints
    spare_agents: Words
    spare_trail: Floats
    planes: Ints
    touched: Bits
    places: Bits
    numbers: Floats
    rows: Floats
    shape: Bits
    tiles: NDArray[np.int64]
    step: int = 0
    step_seconds: float = 0.0


def allocate(world: World) -> Buffers:
    """An empty state for as many workers as Numba may use threads now; `load` brings it to life."""
    height, width, bits = world.height, world.width, world.fraction_bits
    workers = numba.get_num_threads()
    block_bits = max(0, ((height << bits) - 1).bit_length() - 5)
    tiles = -(-height // TILE_ROWS) * -(-width // TILE_COLUMNS)
    return Buffers(
        world=world,
        values=np.zeros(len(SLOTS), np.float32),
        agents=np.zeros(world.agents, np.uint64),
        trail=np.zeros((height, width), np.float32),
        counts=np.zeros((height, width), np.int32),
        spare_agents=np.zeros(world.agents, np.uint64),
        spare_trail=np.zeros((height, width), np.float32),
        planes=np.zeros((workers, height * width + PAD), np.int32),
        touched=np.zeros(workers, np.uint32),
        places=np.zeros((workers, 3 * LANE + PAD), np.uint32),
        numbers=np.zeros((workers, 5 * LANE + PAD), np.float32),
        rows=np.zeros((workers, 6, width + 2), np.float32),
        shape=np.array([width, width << bits, height << bits, bits, block_bits], np.uint32),
        tiles=np.zeros((workers, tiles), np.int64),
    )


def load(b: Buffers, world: World, agents: Words) -> None:
    """Starts over with the given agents on an empty field; only the seed of `world` may be new."""
    b.world = world
    b.agents[:] = agents
    b.trail[:] = 0
    b.counts[:] = 0
    b.step = 0


def set_values(b: Buffers, values: Floats) -> None:
    """Takes over new numbers for the steps to come."""
    b.values[:] = values


def advance(b: Buffers, steps: int) -> None:
    """Does `steps` steps. The first call in a process compiles, or loads what was compiled."""
    started = time.perf_counter()
    for _ in range(steps):
        key = u32(step_key(b.world.seed_words, b.step))
        with _one_at_a_time:
            if b.step % SORT_EVERY == 0:
                _sort(b.agents.view(np.uint32), b.spare_agents.view(np.uint32), b.tiles, b.shape)
                b.agents, b.spare_agents = b.spare_agents, b.agents
            _move(b.agents.view(np.uint32), b.trail.reshape(-1), b.values, b.shape, key,
                  b.planes, b.touched, b.places, b.numbers)  # fmt: skip
            _diffuse(b.trail, b.counts, b.planes, b.touched, b.shape, b.values, b.rows, b.spare_trail)
        b.trail, b.spare_trail = b.spare_trail, b.trail
        b.step += 1
    if steps:
        b.step_seconds = (time.perf_counter() - started) / steps


def wait(b: Buffers) -> None:
    """Returns when all steps asked for are done; here they always are."""


def fetch_trail(b: Buffers) -> Floats:
    """The trail [H, W] alone."""
    return b.trail


def fetch(b: Buffers) -> tuple[Floats, Ints, Words]:
    """Trail [H, W], counts [H, W] and agent words [N] as arrays."""
    return b.trail, b.counts, b.agents


def paint(b: Buffers, rows: Ints, columns: Ints, gain: Floats, lift: Floats) -> None:
    """Paints one dab: trail = trail * gain + lift, on the cells rows x columns."""
    patch = np.ix_(rows, columns)
    b.trail[patch] = b.trail[patch] * gain + lift


@jit(parallel=True)
def _move(words, trail, values, shape, key, planes, touched, places, numbers):
    """Agents sense, steer, move and deposit."""
    for w in prange(len(planes)):
        _move_share(w, words, trail, values, shape, key, planes, touched, places, numbers)


@jit()
def _move_share(w, words, trail, values, shape, key, planes, touched, places, numbers):
    workers, agents = len(planes), len(words) >> 1
    last = agents * (w + 1) // workers
    blocks = u32(0)
    for start in range(agents * w // workers, last, CHUNK):
        n = min(CHUNK, last - start)
        chunk = words[2 * start : 2 * (start + n)]
        face(chunk, numbers[w])
        aim(chunk, values, shape, places[w], numbers[w])
        sense(trail, n, places[w], numbers[w])
        blocks = u32(blocks | steer_and_move(chunk, values, shape, key, places[w], numbers[w]))
        deposit(planes[w], n, places[w])
    touched[w] = blocks


@jit(parallel=True)
def _diffuse(trail, counts, planes, touched, shape, values, rows, out):
    """The planes are added up; the trail takes the deposits, diffuses and decays."""
    for w in prange(len(rows)):
        _merge_band(w, len(rows), counts, planes, touched, shape)
    for w in prange(len(rows)):
        _diffuse_band(w, trail, counts, values, rows, out)


@jit()
def _merge_band(w, bands, counts, planes, touched, shape):
    height, width = counts.shape
    for y in range(height * w // bands, height * (w + 1) // bands):
        block = u32(u32(u32(y) << shape[3]) >> shape[4])
        merge(counts[y], planes, touched, block, y * width)


@jit()
def _diffuse_band(w, trail, counts, values, rows, out):
    height, bands = len(trail), len(rows)
    first, last = height * w // bands, height * (w + 1) // bands
    for y in range(first - 1, last + 1):
        a = (y + 3) % 3
        row = (y + height) % height
        spread(trail[row], counts[row], values[DEPOSIT], rows[w, a], rows[w, 3 + a])
        if y > first:
            above, middle = (y + 1) % 3, (y + 2) % 3
            fade(rows[w, middle], rows[w, 3 + above], rows[w, 3 + middle], rows[w, 3 + a],
                 values[CENTRE], values[RING], out[y - 1])  # fmt: skip


@jit(parallel=True)
def _sort(words, out, tiles, shape):
    """Puts agents of one tile together: a counting sort, tile after tile in rows, stable."""
    for w in prange(len(tiles)):
        _count_tiles(w, words, tiles, shape)
    _place_tiles(tiles)
    for w in prange(len(tiles)):
        _fill_tiles(w, words, out, tiles, shape)


@jit()
def _count_tiles(w, words, tiles, shape):
    workers, agents, bits = len(tiles), len(words) >> 1, shape[3]
    across = (shape[0] + u32(1023)) >> u32(10)
    for tile in range(tiles.shape[1]):
        tiles[w, tile] = 0
    for i in range(agents * w // workers, agents * (w + 1) // workers):
        tiles[w, _tile(words, i, across, bits)] += 1


@jit()
def _place_tiles(tiles):
    start = 0
    for tile in range(tiles.shape[1]):
        for w in range(len(tiles)):
            many = tiles[w, tile]
            tiles[w, tile] = start
            start += many


@jit()
def _fill_tiles(w, words, out, tiles, shape):
    workers, agents, bits = len(tiles), len(words) >> 1, shape[3]
    across = (shape[0] + u32(1023)) >> u32(10)
    for i in range(agents * w // workers, agents * (w + 1) // workers):
        tile = _tile(words, i, across, bits)
        to = tiles[w, tile]
        tiles[w, tile] = to + 1
        out[2 * to], out[2 * to + 1] = words[2 * i], words[2 * i + 1]


@jit()
def _tile(words, i, across, bits):
    x, y = words[2 * i] & u32(0xFFFFFF), words[2 * i + 1] & u32(0xFFFFFF)
    return u32(u32(y >> u32(bits + u32(4))) * across) + u32(x >> u32(bits + u32(10)))
