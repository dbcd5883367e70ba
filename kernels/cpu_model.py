"""The agents as Numba compiles them: functions of one agent, and loops over a chunk of agents.

The functions are those of `kernels.reference` on single numbers. The loops are split so that each
does one kind of work without a branch: LLVM turns all but the look-ups into SIMD code, and the
shorter a loop, the more agents a core has in flight. One loop that does everything takes ten times
as long.

Numba widens what is not held: float32 with a Python float becomes float64, int32 with int32
becomes int64. Hence the casts around integer operations, and constants of the right type. Indices
are unsigned, because each signed one is tested for being negative.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np

from kernels.cache import cache_folder
from kernels.contract import PCG_ADD, PCG_MULTIPLY, PCG_SCRAMBLE, ROUND, SLOT, TINY
from kernels.direction import COS, SIN
from kernels.world import GOLDEN, SPECIES_BIT

f32, i32, i64, u32, u64 = np.float32, np.int32, np.int64, np.uint32, np.uint64

CHUNK = 512  # agents a loop takes at a time: few enough for their scratch to stay in the L1 cache
LANE = CHUNK + 16  # from one row of scratch to the next: rows a power of two apart would evict each other
ONE, TWO = u64(1), u64(2)
LANE_1, LANE_2, LANE_3, LANE_4 = (u64(k * LANE) for k in range(1, 5))

# The field's shape in a uint32 array: width, ends and bits of `World`; the bits of a y in units below the
# number of its block of rows (a field has at most 32 blocks, so a mask names some of them); the bits of a
# word's half that are its coordinate; the species' bits, 0 where there is one; and cells.
SHAPE = "width", "end_x", "end_y", "fraction_bits", "block_bits", "place", "kinds", "cells"
WIDTH, END_X, END_Y, FRACTION_BITS, BLOCK_BITS, PLACE, KINDS, CELLS = range(len(SHAPE))

S0, S1, S2, S3 = (f32(a) for a in SIN)
C0, C1, C2, C3 = (f32(a) for a in COS)
ROUND_UP, ROUND_BITS = f32(ROUND), f32(ROUND).view(u32)
EIGHTH_TURN = f32(1 / 8192)
FLOOR, ZERO, FULL = f32(TINY), f32(0), f32(1)
LEFT, STRAIGHT, RIGHT = i32(-1), i32(0), i32(1)
LOW_24, NONE, BIT, SPECIES_SHIFT = u32(0xFFFFFF), u32(0), u32(1), u32(SPECIES_BIT)
MULTIPLY, ADD, SCRAMBLE, MIX = u32(PCG_MULTIPLY), u32(PCG_ADD), u32(PCG_SCRAMBLE), u32(GOLDEN)
AHEAD, SIDE_COS, SIDE_SIN = SLOT["sensor_ahead"], SLOT["sensor_cos"], SLOT["sensor_sin"]
TURN, TURN_COS, TURN_SIN, STEP = SLOT["turn"], SLOT["turn_cos"], SLOT["turn_sin"], SLOT["step"]

# Numba's own pool of threads, the same on every system: OpenMP's spins while it waits, which takes
# the cores from whatever draws the picture. (Measured on 2 busy cores: a step took three times as long.)
if numba.config.THREADING_LAYER == "default":
    numba.config.THREADING_LAYER = "workqueue"


def _cache_folder() -> str:
    """Where Numba keeps compiled code, or "" when no folder can be written.

    In NUMBA_CACHE_DIR if that is set. The sources of the whole package name the folder, because Numba
    renews code when its own file changes, but not when a number or a function it took from another does.
    """
    sources = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    name = "numba-" + hashlib.sha256(sources).hexdigest()[:12]
    return str(cache_folder(name, numba.config.CACHE_DIR or "") or "")


CACHE_FOLDER = _cache_folder()


def jit(function: Callable[..., Any]) -> Any:
    """Compiles a function that other compiled ones call; Python cannot call it."""
    return _compiled(function, no_cpython_wrapper=True)


def parallel(function: Callable[..., Any]) -> Any:
    """Compiles a function whose `prange` loops run on all threads."""
    return _compiled(function, parallel=True)


def serial(function: Callable[..., Any]) -> Any:
    """Compiles a function that Python calls and that runs on one thread."""
    return _compiled(function)


def _compiled(function: Callable[..., Any], **options: bool) -> Any:
    others = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = CACHE_FOLDER
    try:
        return numba.njit(
            nogil=True, cache=bool(CACHE_FOLDER), error_model="numpy", no_cfunc_wrapper=True, **options
        )(function)
    finally:
        numba.config.CACHE_DIR = others


@jit
def pcg(value):
    """The PCG hash of an unsigned 32-bit number; `contract.pcg` says whose it is."""
    state = u32(u32(value * MULTIPLY) + ADD)
    word = u32(u32(u32(state >> u32(u32(state >> u32(28)) + u32(4))) ^ state) * SCRAMBLE)
    return u32(u32(word >> u32(22)) ^ word)


@jit
def luck(low, high, key):
    """An agent's random number of this step from the halves of its word, see `reference.luck`."""
    return pcg(u32(u32(low + u32(high * MIX)) + key))


@jit
def unpack(low, high):
    """Coordinates x, y in units and heading in 65536ths of a circle from the halves of a word."""
    heading = u32(u32(low >> u32(24)) | u32(u32(high >> u32(24)) << u32(8)))
    return u32(low & LOW_24), u32(high & LOW_24), heading


@jit
def joined(x, y, heading, species):
    """The halves of an agent's word, see `world.pack`."""
    low = u32(x | u32(u32(species & BIT) << SPECIES_SHIFT) | u32(heading << u32(24)))
    high = u32(y | u32(u32(species >> BIT) << SPECIES_SHIFT) | u32(u32(heading >> u32(8)) << u32(24)))
    return low, high


@jit
def sincos(heading):
    """The direction (cos, sin) of a heading, as `reference.sincos` makes it."""
    quarter = u32(u32(heading + u32(8192)) >> u32(14))
    t = f32(i32(i32(u32(heading + u32(8192)) & u32(16383)) - i32(8192))) * EIGHTH_TURN
    u = t * t
    sin = t * (((S3 * u + S2) * u + S1) * u + S0)
    cos = ((C3 * u + C2) * u + C1) * u + C0
    even = u32(quarter & u32(1)) == NONE
    c, s = cos if even else sin, sin if even else cos
    c = c if u32(u32(quarter + u32(1)) & u32(2)) == NONE else -c
    return c, s if u32(quarter & u32(2)) == NONE else -s


@jit
def displace(place, by, end):
    """A coordinate moved by an offset in units, rounded to the nearest unit and wrapped to [0, end).

    Adding ROUND leaves the rounded offset in the low bits of the float, which are read off as they
    are. Below 0 an unsigned coordinate is huge, so the least of p, p - end and p + end is inside.
    """
    p = u32(u32(place - ROUND_BITS) + f32(by + ROUND_UP).view(u32))
    less, more = u32(p - end), u32(p + end)
    p = less if less < p else p
    return more if more < p else p


@jit
def cell(x, y, width, bits):
    """The index of the cell that holds a point."""
    return u32(u32(u32(y >> bits) * width) + u32(x >> bits))


@jit
def choose(ahead, left, right, coin):
    """The side an agent turns to by Jones's rule, as in `reference.steer`; `coin` is LEFT or RIGHT."""
    least = left if left < right else right
    most = right if left < right else left
    side = RIGHT if right > left else (LEFT if left > right else STRAIGHT)
    side = coin if ahead < least else side
    return STRAIGHT if ahead > most else side


@jit
def block(y, block_bits):
    """The block of rows that holds a point, as a mask."""
    return u32(BIT << u32(u32(y >> block_bits) & u32(31)))


@jit
def steer(heading, cos, sin, ahead, left, right, coin, turn, turn_cos, turn_sin):
    """New heading and direction by Jones's rule, where all agents turn alike."""
    side = choose(ahead, left, right, coin)
    c = FULL if side == STRAIGHT else turn_cos
    s = f32(side) * turn_sin
    return u32(heading + u32(i32(side * turn))), cos * c - sin * s, sin * c + cos * s


@jit
def move(x, y, cos, sin, step, end_x, end_y):
    """Coordinates one step along the direction, on a torus."""
    return displace(x, cos * step, end_x), displace(y, sin * step, end_y)


@jit
def face(words, numbers):
    """First loop: each agent's direction into `numbers` 0 and 1."""
    for i in range(u64(len(words) >> 1)):
        _, _, heading = unpack(words[TWO * i], words[TWO * i + ONE])
        numbers[i], numbers[LANE_1 + i] = sincos(heading)


@jit
def aim(words, values, shape, places, numbers):
    """Second loop: the cells of its sensors, ahead, left and right, into `places` 0, 1 and 2."""
    reach, side_cos, side_sin = values[AHEAD], values[SIDE_COS], values[SIDE_SIN]
    width, end_x, end_y, bits = shape[WIDTH], shape[END_X], shape[END_Y], u32(shape[FRACTION_BITS] & u32(31))
    place = shape[PLACE]
    for i in range(u64(len(words) >> 1)):
        x, y = u32(words[TWO * i] & place), u32(words[TWO * i + ONE] & place)
        cos, sin = numbers[i], numbers[LANE_1 + i]
        sx, sy = displace(x, cos * reach, end_x), displace(y, sin * reach, end_y)
        places[i] = cell(sx, sy, width, bits)
        sx = displace(x, cos * side_cos + sin * side_sin, end_x)
        sy = displace(y, sin * side_cos - cos * side_sin, end_y)
        places[LANE_1 + i] = cell(sx, sy, width, bits)
        sx = displace(x, cos * side_cos - sin * side_sin, end_x)
        sy = displace(y, sin * side_cos + cos * side_sin, end_y)
        places[LANE_2 + i] = cell(sx, sy, width, bits)


@jit
def sense(trail, agents, places, numbers):
    """Third loop: the trail on those cells into `numbers` 2, 3 and 4."""
    for i in range(u64(agents)):
        numbers[LANE_2 + i] = trail[places[i]]
    for i in range(u64(agents)):
        numbers[LANE_3 + i] = trail[places[LANE_1 + i]]
    for i in range(u64(agents)):
        numbers[LANE_4 + i] = trail[places[LANE_2 + i]]


@jit
def steer_and_move(words, values, shape, key, species, places, numbers):
    """Fourth loop: the new words of agents of a species, and the cells they stand on into `places` 0.

    Returns:
        The blocks of rows they stand in, as a mask.
    """
    turn, turn_cos, turn_sin, step = i32(values[TURN]), values[TURN_COS], values[TURN_SIN], values[STEP]
    width, end_x, end_y, bits = shape[WIDTH], shape[END_X], shape[END_Y], u32(shape[FRACTION_BITS] & u32(31))
    place, block_bits, blocks = shape[PLACE], u32(shape[BLOCK_BITS] & u32(31)), NONE
    for i in range(u64(len(words) >> 1)):
        low, high = words[TWO * i], words[TWO * i + ONE]
        _, _, heading = unpack(low, high)
        coin = RIGHT if i32(luck(low, high, key)) < i32(0) else LEFT
        heading, cos, sin = steer(
            heading, numbers[i], numbers[LANE_1 + i],
            numbers[LANE_2 + i], numbers[LANE_3 + i], numbers[LANE_4 + i],
            coin, turn, turn_cos, turn_sin,
        )  # fmt: skip
        x, y = move(u32(low & place), u32(high & place), cos, sin, step, end_x, end_y)
        places[i] = cell(x, y, width, bits)
        blocks = u32(blocks | block(y, block_bits))
        words[TWO * i], words[TWO * i + ONE] = joined(x, y, heading, species)
    return blocks


@jit
def deposit(plane, agents, places):
    """Fifth loop: counts the agents where they stand now."""
    for i in range(u64(agents)):
        plane[places[i]] += i32(1)


@jit
def share(total, worker, workers):
    """First and last + 1 of the things that fall to a worker."""
    return total * worker // workers, total * (worker + 1) // workers


@jit
def kind(low, high, shape):
    """The species of an agent, from 0, from the halves of its word."""
    bits = u32(u32(low >> SPECIES_SHIFT) & u32(1)) | u32(u32(high >> SPECIES_SHIFT) & u32(1)) << u32(1)
    return u32(u32(bits) & shape[KINDS])


@serial
def recount(words, shape, counts, top, left):
    """Counts all agents where they stand, into `counts` [C, h, w] of the part that begins at a cell."""
    bits, place = u32(shape[FRACTION_BITS] & u32(31)), shape[PLACE]
    _, height, width = counts.shape
    for i in range(u64(len(words) >> 1)):
        low, high = words[TWO * i], words[TWO * i + ONE]
        row, column = u32(u32(u32(high & place) >> bits) - top), u32(u32(u32(low & place) >> bits) - left)
        if row < height and column < width:  # those above and to the left are huge
            counts[kind(low, high, shape), row, column] += i32(1)
