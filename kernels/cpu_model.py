"""The model as Numba compiles it: pure functions of one agent, and loops over a chunk or a row.

The functions are those of `kernels.reference` on single numbers. The loops are split so that each
does one kind of work without a branch; LLVM then turns all but the table look-ups into SIMD code,
which is several times faster than one loop that does everything.

Numba widens what is not held: float32 with a Python float becomes float64, int32 with int64
becomes int64. Hence a cast around every operation on integers, unsigned indices (a signed one may
be negative and is tested for it), and no bare number beside a float32.
"""

import hashlib
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np

from kernels.contract import COS, PCG_ADD, PCG_MULTIPLY, PCG_SCRAMBLE, ROUND, SIN, SLOT, TINY
from kernels.world import GOLDEN

f32, i32, u32, u64 = np.float32, np.int32, np.uint32, np.uint64

CHUNK = 512  # agents a phase takes at a time: few enough for its scratch to stay in the L1 cache
LANE = CHUNK + 16  # numbers from one scratch row to the next; a power of two would make them collide
ONE, TWO = u64(1), u64(2)
LANE_1, LANE_2, LANE_3, LANE_4 = (u64(k * LANE) for k in range(1, 5))

# What a step reads of the field's shape, in the order it lies in a small uint32 array.
WIDTH, END_X, END_Y, FRACTION_BITS, BLOCK_BITS = range(5)

S0, S1, S2, S3 = (f32(a) for a in SIN)
C0, C1, C2, C3 = (f32(a) for a in COS)
ROUND_F, ROUND_BITS = f32(ROUND), f32(ROUND).view(u32)
FULL, STILL = f32(1), f32(0)
LEFT, NEITHER, RIGHT = i32(-1), i32(0), i32(1)
SHARE = f32(1 / 8192)
FLOOR = f32(TINY)
LOW_24 = u32(0xFFFFFF)
MULTIPLY, ADD, SCRAMBLE, MIX = u32(PCG_MULTIPLY), u32(PCG_ADD), u32(PCG_SCRAMBLE), u32(GOLDEN)
AHEAD, SIDE_COS, SIDE_SIN = SLOT["sensor_ahead"], SLOT["sensor_cos"], SLOT["sensor_sin"]
TURN, TURN_COS, TURN_SIN, STEP = SLOT["turn"], SLOT["turn_cos"], SLOT["turn_sin"], SLOT["step"]


def _cache_folder() -> str:
    """Where compiled code is kept, or "" when no folder can be written.

    Numba renews a function's code when its own file changes, but not when a number it took from
    another file does; so the sources of the whole package name the folder.
    """
    sources = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    try:
        home = Path.home()
    except RuntimeError:
        home = Path("nowhere")
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or home / "AppData/Local"
    elif sys.platform == "darwin":
        base = home / "Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or home / ".cache"
    base = numba.config.CACHE_DIR or Path(base, "physarium")
    folder = Path(base, "numba-" + hashlib.sha256(sources).hexdigest()[:12])
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        if shutil.disk_usage(folder).free > 2**26:
            return str(folder)
        reason = "the disk is full"
    except OSError as error:
        reason = error.strerror or str(error)
    logging.getLogger(__name__).warning("Compiled code is not kept: %s: %s.", folder, reason)
    return ""


CACHE_FOLDER = _cache_folder()


def jit(parallel: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """Numba's `njit` as every function here needs it: GIL released, code cached, no fast math."""

    def decorate(function: Callable[..., Any]) -> Any:
        others = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = CACHE_FOLDER
        try:
            return numba.njit(nogil=True, cache=bool(CACHE_FOLDER), parallel=parallel, error_model="numpy")(
                function
            )
        finally:
            numba.config.CACHE_DIR = others

    return decorate


@jit()
def pcg(value):
    """The PCG hash of an unsigned 32-bit number; `contract.pcg` says whose it is."""
    state = u32(u32(value * MULTIPLY) + ADD)
    word = u32(u32(u32(state >> u32(u32(state >> u32(28)) + u32(4))) ^ state) * SCRAMBLE)
    return u32(u32(word >> u32(22)) ^ word)


@jit()
def unpack(low, high):
    """Coordinates x, y in units and heading in 65536ths of a circle, all uint32."""
    return (
        u32(low & LOW_24),
        u32(high & LOW_24),
        u32(u32(low >> u32(24)) | u32(u32(high >> u32(24)) << u32(8))),
    )


@jit()
def sincos(heading):
    """The direction (cos, sin) of a heading; see `reference.sincos`."""
    quarter = u32(u32(heading + u32(8192)) >> u32(14))
    t = f32(i32(i32(u32(heading + u32(8192)) & u32(16383)) - i32(8192))) * SHARE
    u = t * t
    sin = t * (((S3 * u + S2) * u + S1) * u + S0)
    cos = ((C3 * u + C2) * u + C1) * u + C0
    straight = u32(quarter & u32(1)) == u32(0)
    c = cos if straight else sin
    s = sin if straight else cos
    c = c if u32(u32(quarter + u32(1)) & u32(2)) == u32(0) else -c
    return c, s if u32(quarter & u32(2)) == u32(0) else -s


@jit()
def displace(place, by, end):
    """A coordinate moved by an offset in units, rounded to the nearest unit and wrapped to [0, end).

    Adding ROUND leaves the rounded offset in the low bits of the float, to be read off as they are.
    In unsigned numbers a coordinate below 0 is huge, so the least of p, p - end and p + end is the
    one inside the field.
    """
    p = u32(u32(place - ROUND_BITS) + f32(by + ROUND_F).view(u32))
    less, more = u32(p - end), u32(p + end)
    p = less if less < p else p
    return more if more < p else p


@jit()
def cell(x, y, width, bits):
    """The index of the cell that holds a point."""
    return u32(u32(u32(y >> bits) * width) + u32(x >> bits))


@jit()
def steer(heading, cos, sin, ahead, left, right, right_hand, turn, turn_cos, turn_sin):
    """New heading and direction by Jones's rule; see `reference.steer`."""
    least = left if left < right else right
    most = right if left < right else left
    side = RIGHT if right > left else (LEFT if left > right else NEITHER)
    side = right_hand if ahead < least else side
    side = NEITHER if ahead > most else side
    heading = u32(heading + u32(i32(side * turn)))
    c = FULL if side == NEITHER else turn_cos
    s = f32(side) * turn_sin
    return heading, cos * c - sin * s, sin * c + cos * s


@jit()
def move(x, y, cos, sin, step, end_x, end_y):
    """Coordinates one step along the direction, on a torus."""
    return displace(x, cos * step, end_x), displace(y, sin * step, end_y)


@jit()
def face(words, numbers):
    """First phase: each agent's direction into `numbers` 0 and 1."""
    for i in range(u64(len(words) >> 1)):
        _, _, heading = unpack(words[TWO * i], words[TWO * i + ONE])
        numbers[i], numbers[LANE_1 + i] = sincos(heading)


@jit()
def aim(words, values, shape, places, numbers):
    """Second phase: the cells of each agent's sensors into `places` 0, 1, 2."""
    reach, side_cos, side_sin = values[AHEAD], values[SIDE_COS], values[SIDE_SIN]
    width, end_x, end_y, bits = shape[WIDTH], shape[END_X], shape[END_Y], u32(shape[FRACTION_BITS] & u32(31))
    for i in range(u64(len(words) >> 1)):
        x, y, _ = unpack(words[TWO * i], words[TWO * i + ONE])
        cos, sin = numbers[i], numbers[LANE_1 + i]
        sx, sy = displace(x, cos * reach, end_x), displace(y, sin * reach, end_y)
        places[i] = cell(sx, sy, width, bits)
        sx = displace(x, cos * side_cos + sin * side_sin, end_x)
        sy = displace(y, sin * side_cos - cos * side_sin, end_y)
        places[LANE_1 + i] = cell(sx, sy, width, bits)
        sx = displace(x, cos * side_cos - sin * side_sin, end_x)
        sy = displace(y, sin * side_cos + cos * side_sin, end_y)
        places[LANE_2 + i] = cell(sx, sy, width, bits)


@jit()
def sense(trail, n, places, numbers):
    """Second phase: the trail ahead, to the left and to the right into `numbers` 2, 3, 4."""
    for i in range(u64(n)):
        numbers[LANE_2 + i] = trail[places[i]]
    for i in range(u64(n)):
        numbers[LANE_3 + i] = trail[places[LANE_1 + i]]
    for i in range(u64(n)):
        numbers[LANE_4 + i] = trail[places[LANE_2 + i]]


@jit()
def steer_and_move(words, values, shape, key, places, numbers):
    """Third phase: the agents' new words, and the cells they stand on into `places` 0.

    Returns:
        Bit b is set when an agent stands in block b of rows (1 << BLOCK_BITS units high).
    """
    turn, turn_cos, turn_sin = i32(values[TURN]), values[TURN_COS], values[TURN_SIN]
    width, end_x, end_y, bits = shape[WIDTH], shape[END_X], shape[END_Y], u32(shape[FRACTION_BITS] & u32(31))
    block_bits, step, touched = u32(shape[BLOCK_BITS] & u32(31)), values[STEP], u32(0)
    for i in range(u64(len(words) >> 1)):
        low, high = words[TWO * i], words[TWO * i + ONE]
        x, y, heading = unpack(low, high)
        coin = RIGHT if i32(pcg(u32(u32(low + u32(high * MIX)) + key))) < i32(0) else LEFT
        heading, cos, sin = steer(
            heading, numbers[i], numbers[LANE_1 + i],
            numbers[LANE_2 + i], numbers[LANE_3 + i], numbers[LANE_4 + i],
            coin, turn, turn_cos, turn_sin,
        )  # fmt: skip
        x, y = move(x, y, cos, sin, step, end_x, end_y)
        places[i] = cell(x, y, width, bits)
        touched = u32(touched | u32(u32(1) << u32(u32(y >> block_bits) & u32(31))))
        words[TWO * i] = x | u32(heading << u32(24))
        words[TWO * i + ONE] = y | u32(u32(heading >> u32(8)) << u32(24))
    return touched


@jit()
def deposit(plane, n, places):
    """Fourth phase: counts the agents where they stand now."""
    for i in range(u64(n)):
        plane[places[i]] += i32(1)


@jit()
def merge(counts, planes, touched, block, start):
    """Adds up one row of the planes, from cell `start` on, into `counts` [W], and clears it."""
    n = u64(len(counts))
    for i in range(n):
        counts[i] = 0
    for k in range(len(planes)):
        if u32(touched[k] >> block) & u32(1):
            row = planes[k, start : start + len(counts)]
            for i in range(n):
                counts[i] += row[i]
                row[i] = 0


@jit()
def spread(trail, counts, amount, fresh, sums):
    """One row: trail with deposits into `fresh` [W + 2], wrapped; its sums of three into `sums` [W]."""
    n = u64(len(trail))
    for i in range(n):
        fresh[i + ONE] = trail[i] + amount * f32(counts[i])
    fresh[0], fresh[n + ONE] = fresh[n], fresh[1]
    for i in range(n):
        sums[i] = (fresh[i] + fresh[i + ONE]) + fresh[i + TWO]


@jit()
def fade(fresh, above, middle, below, centre, ring, out):
    """One row of the next trail from a row with deposits and three rows of sums."""
    for i in range(u64(len(out))):
        faded = fresh[i + ONE] * centre + ((above[i] + middle[i]) + below[i]) * ring
        out[i] = STILL if faded < FLOOR else faded
