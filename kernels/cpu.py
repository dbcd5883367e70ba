"""The model on all CPU cores, with Numba. Equal to `kernels.reference` bit for bit."""

import dataclasses
import threading

import numba
import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from kernels.contract import COS, PCG_ADD, PCG_MULTIPLY, PCG_SCRAMBLE, ROUND, SIN, SLOT, SLOTS, TINY, step_key
from kernels.world import GOLDEN, World

f32, i32, u32, u64 = np.float32, np.int32, np.uint32, np.uint64

CHUNK = 1024
UNIT, TWO = u64(1), u64(2)
K1, K2, K3, K4 = (u64(k * (CHUNK + 80)) for k in range(1, 5))
PAD = (4096 + 64) // 4

S0, S1, S2, S3 = (f32(a) for a in SIN)
C0, C1, C2, C3 = (f32(a) for a in COS)
EIGHTH = f32(1 / 8192)
ROUND_F, ROUND_I = f32(ROUND), i32(ROUND)
TINY_F = f32(TINY)
ZERO, ONE = f32(0), f32(1)
MULTIPLY, ADD, SCRAMBLE, GOLD = u32(PCG_MULTIPLY), u32(PCG_ADD), u32(PCG_SCRAMBLE), u32(GOLDEN)
AHEAD, SIDE_COS, SIDE_SIN = SLOT["sensor_ahead"], SLOT["sensor_cos"], SLOT["sensor_sin"]
TURN, TURN_COS, TURN_SIN, STEP = SLOT["turn"], SLOT["turn_cos"], SLOT["turn_sin"], SLOT["step"]
DEPOSIT, CENTRE, RING = SLOT["deposit"], SLOT["keep_centre"], SLOT["keep_ring"]

_one_at_a_time = threading.Lock()


@dataclasses.dataclass
class Buffers:
    world: World
    values: NDArray[np.float32]
    agents: NDArray[np.uint64]
    trail: NDArray[np.float32]
    counts: NDArray[np.int32]
    spare: NDArray[np.float32]
    planes: NDArray[np.int32]
    places: NDArray[np.uint32]
    numbers: NDArray[np.float32]
    rows: NDArray[np.float32]
    step: int = 0


def allocate(world: World) -> Buffers:
    shape = world.height, world.width
    workers = numba.get_num_threads()
    return Buffers(
        world,
        np.zeros(len(SLOTS), np.float32),
        np.zeros(world.agents, np.uint64),
        np.zeros(shape, np.float32),
        np.zeros(shape, np.int32),
        np.zeros(shape, np.float32),
        np.zeros((workers, world.width * world.height + PAD), np.int32),
        np.zeros((workers, 3 * (CHUNK + 80) + PAD), np.uint32),
        np.zeros((workers, 5 * (CHUNK + 80) + PAD), np.float32),
        np.zeros((workers, 6, world.width + 2), np.float32),
    )


def load(b: Buffers, world: World, agents: NDArray[np.uint64]) -> None:
    b.world = world
    b.agents[:] = agents
    b.trail[:] = 0
    b.counts[:] = 0
    b.step = 0


def set_values(b: Buffers, values: NDArray[np.float32]) -> None:
    b.values[:] = values


def advance(b: Buffers, steps: int) -> None:
    w = b.world
    for _ in range(steps):
        with _one_at_a_time:
            key = u32(step_key(w.seed_words, b.step))
            _agents(b.agents.view(np.uint32), b.trail.reshape(-1), b.values, b.planes, b.places, b.numbers,
                    key, i32(w.width), i32(w.height), i32(w.fraction_bits))  # fmt: skip
            _counts(b.planes, b.counts.reshape(-1))
            _field(b.trail, b.counts, b.spare, b.values, b.rows)
        b.trail, b.spare = b.spare, b.trail
        b.step += 1


def fetch(b: Buffers):
    return b.trail, b.counts, b.agents


def paint(b: Buffers, rows, columns, gain, lift) -> None:
    patch = np.ix_(rows, columns)
    b.trail[patch] = b.trail[patch] * gain + lift


@njit(cache=False, nogil=True)
def sincos(heading):
    quarter = i32(i32(heading + i32(8192)) >> i32(14))
    t = f32(i32(i32(i32(heading + i32(8192)) & i32(16383)) - i32(8192))) * EIGHTH
    u = t * t
    sin = t * (((S3 * u + S2) * u + S1) * u + S0)
    cos = ((C3 * u + C2) * u + C1) * u + C0
    swap = (quarter & 1) != 0
    c = sin if swap else cos
    s = cos if swap else sin
    return -c if ((quarter + 1) & 2) != 0 else c, -s if (quarter & 2) != 0 else s


@njit(cache=False, nogil=True)
def displace(place, by, end):
    p = i32(place + i32(i32(by + ROUND_F) - ROUND_I))
    p = i32(p + end) if p < 0 else p
    return i32(p - end) if p >= end else p


@njit(cache=False, nogil=True)
def pcg(value):
    state = u32(u32(value * MULTIPLY) + ADD)
    word = u32(u32(u32(state >> u32(u32(state >> u32(28)) + u32(4))) ^ state) * SCRAMBLE)
    return u32(u32(word >> u32(22)) ^ word)


@njit(cache=False, nogil=True)
def _index(words, values, places, numbers, width, end_x, end_y, bits):
    reach, side_cos, side_sin = values[AHEAD], values[SIDE_COS], values[SIDE_SIN]
    for i in range(u64(len(words) >> 1)):
        low, high = words[TWO * i], words[TWO * i + UNIT]
        x, y = i32(low & u32(0xFFFFFF)), i32(high & u32(0xFFFFFF))
        cos, sin = sincos(i32(u32(low >> u32(24)) | u32(u32(high >> u32(24)) << u32(8))))
        numbers[i] = cos
        numbers[K1 + i] = sin
        sx, sy = displace(x, cos * reach, end_x), displace(y, sin * reach, end_y)
        places[i] = u32(i32(i32(sy >> bits) * width) + i32(sx >> bits))
        sx = displace(x, cos * side_cos + sin * side_sin, end_x)
        sy = displace(y, sin * side_cos - cos * side_sin, end_y)
        places[K1 + i] = u32(i32(i32(sy >> bits) * width) + i32(sx >> bits))
        sx = displace(x, cos * side_cos - sin * side_sin, end_x)
        sy = displace(y, sin * side_cos + cos * side_sin, end_y)
        places[K2 + i] = u32(i32(i32(sy >> bits) * width) + i32(sx >> bits))


@njit(cache=False, nogil=True)
def _gather(trail, n, places, numbers):
    for i in range(u64(n)):
        numbers[K2 + i] = trail[places[i]]
    for i in range(u64(n)):
        numbers[K3 + i] = trail[places[K1 + i]]
    for i in range(u64(n)):
        numbers[K4 + i] = trail[places[K2 + i]]


@njit(cache=False, nogil=True)
def _steer(words, values, places, numbers, key, width, end_x, end_y, bits):
    turn, turn_cos, turn_sin, step = i32(values[TURN]), values[TURN_COS], values[TURN_SIN], values[STEP]
    for i in range(u64(len(words) >> 1)):
        low, high = words[TWO * i], words[TWO * i + UNIT]
        x, y = i32(low & u32(0xFFFFFF)), i32(high & u32(0xFFFFFF))
        heading = i32(u32(low >> u32(24)) | u32(u32(high >> u32(24)) << u32(8)))
        cos, sin = numbers[i], numbers[K1 + i]
        ahead, left, right = numbers[K2 + i], numbers[K3 + i], numbers[K4 + i]
        coin = u32(pcg(u32(u32(low + u32(high * GOLD)) + key)) >> u32(31)) != 0
        best = (ahead > left) & (ahead > right)
        worst = (ahead < left) & (ahead < right)
        to_right = (coin if worst else right > left) & (not best)
        to_left = ((not coin) if worst else left > right) & (not best)
        heading = i32(i32(heading + (turn if to_right else i32(0))) - (turn if to_left else i32(0)))
        c = turn_cos if to_right | to_left else ONE
        s = turn_sin if to_right else (-turn_sin if to_left else ZERO)
        x = displace(x, (cos * c - sin * s) * step, end_x)
        y = displace(y, (sin * c + cos * s) * step, end_y)
        places[i] = u32(i32(i32(y >> bits) * width) + i32(x >> bits))
        h = u32(heading)
        words[TWO * i] = u32(x) | u32(h << u32(24))
        words[TWO * i + UNIT] = u32(y) | u32(u32(h >> u32(8)) << u32(24))


@njit(cache=False, nogil=True)
def _count(plane, n, places):
    for i in range(n):
        plane[places[i]] += i32(1)


@njit(cache=False, nogil=True, parallel=True)
def _agents(words, trail, values, planes, places, numbers, key, width, height, bits):
    workers = len(planes)
    total = len(words) >> 1
    end_x, end_y = i32(width << bits), i32(height << bits)
    for w in prange(workers):
        first, last = total * w // workers, total * (w + 1) // workers
        for start in range(first, last, CHUNK):
            n = min(CHUNK, last - start)
            _index(
                words[2 * start : 2 * (start + n)], values, places[w], numbers[w], width, end_x, end_y, bits
            )
            _gather(trail, n, places[w], numbers[w])
            _steer(
                words[2 * start : 2 * (start + n)],
                values,
                places[w],
                numbers[w],
                key,
                width,
                end_x,
                end_y,
                bits,
            )
            _count(planes[w], n, places[w])


@njit(cache=False, nogil=True)
def _merge(planes, counts, start, stop):
    for i in range(start, stop):
        counts[i] = planes[0, i]
        planes[0, i] = 0
    for k in range(1, len(planes)):
        for i in range(start, stop):
            counts[i] += planes[k, i]
            planes[k, i] = 0


@njit(cache=False, nogil=True, parallel=True)
def _counts(planes, counts):
    workers = len(planes)
    for w in prange(workers):
        first, last = len(counts) * w // workers, len(counts) * (w + 1) // workers
        for start in range(first, last, CHUNK):
            _merge(planes, counts, start, min(last, start + CHUNK))


@njit(cache=False, nogil=True)
def _row(trail, counts, deposit, d, sums):
    n = len(trail)
    for i in range(n):
        d[i + 1] = trail[i] + deposit * f32(counts[i])
    d[0], d[n + 1] = d[n], d[1]
    for i in range(n):
        sums[i] = (d[i] + d[i + 1]) + d[i + 2]


@njit(cache=False, nogil=True)
def _blur(d, above, middle, below, centre, ring, out):
    for i in range(len(out)):
        faded = d[i + 1] * centre + ((above[i] + middle[i]) + below[i]) * ring
        out[i] = ZERO if faded < TINY_F else faded


@njit(cache=False, nogil=True, parallel=True)
def _field(trail, counts, out, values, rows):
    workers = len(rows)
    height = len(trail)
    for w in prange(workers):
        first, last = height * w // workers, height * (w + 1) // workers
        for y in range(first - 1, last + 1):
            source = (y + height) % height
            a = (y + 3) % 3
            _row(trail[source], counts[source], values[DEPOSIT], rows[w, a], rows[w, 3 + a])
            if y > first:
                above, middle = (y + 1) % 3, (y + 2) % 3
                _blur(rows[w, middle], rows[w, 3 + above], rows[w, 3 + middle], rows[w, 3 + a],
                      values[CENTRE], values[RING], out[y - 1])  # fmt: skip
