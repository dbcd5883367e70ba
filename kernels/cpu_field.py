"""The field's part of a step: the trail takes the deposits, diffuses and decays, in place.

What bounds it is memory: a cell costs 8 bytes for its trail, read and written once, and 4 for the
plane it was counted on. Two things keep it at that. Sums of three wait in a few rows of scratch that
stay in the L2 cache, so no second trail is needed. And counts are cleared only where there are any:
agents gather on veins, and most lines of a plane are clean.
"""

from numba import prange

from kernels.contract import SLOT
from kernels.cpu_model import (
    BLOCK_BITS,
    FLOOR,
    FRACTION_BITS,
    ONE,
    ZERO,
    f32,
    i32,
    i64,
    jit,
    parallel,
    share,
    u32,
    u64,
)

DEPOSIT, CENTRE, RING = SLOT["deposit"], SLOT["keep_centre"], SLOT["keep_ring"]

GROUP = u64(64)  # cells looked at and cleared together: four lines of the caches

# Rows of a band's scratch: the sums of its first and of its last row, and three that take turns.
FIRST, LAST, TURN = 0, 1, 2


@parallel
def update_field(trail, values, shape, planes, touched, tallies, sums):
    """The planes' counts become trail; then the trail diffuses and decays, each band on a thread."""
    frame(trail, values, shape, planes, touched, tallies[0], sums)
    for w in prange(len(sums)):
        sweep(trail, values, shape, planes, touched, tallies, sums, i64(w))  # w is unsigned in here


@jit
def frame(trail, values, shape, planes, touched, counts, sums):
    """The first and last row of all bands take their deposits and are summed, before any row fades.

    Two threads need each of these sums. One thread makes them all: it takes less than to wake others.
    """
    bands = len(sums)
    for band in range(bands):
        first, last = share(len(trail), band, bands)
        spread(trail, first, values, shape, planes, touched, counts, sums[band, FIRST])
        if first < last - 1:
            spread(trail, last - 1, values, shape, planes, touched, counts, sums[band, LAST])
        else:
            copy(sums[band, FIRST], sums[band, LAST])


@jit
def sweep(trail, values, shape, planes, touched, tallies, sums, band):
    """A band from its first row down: each row fades as soon as the sums of the next are known."""
    bands, turns = len(sums), sums[band, TURN:]
    first, last = share(len(trail), band, bands)
    copy(sums[(band + bands - 1) % bands, LAST], turns[0])
    copy(sums[band, FIRST], turns[1])
    for y in range(first, last):
        above, middle, below = turns[(y - first) % 3], turns[(y - first + 1) % 3], turns[(y - first + 2) % 3]
        if y < last - 2:
            spread(trail, y + 1, values, shape, planes, touched, tallies[band], below)
        else:
            copy(sums[band, LAST] if y < last - 1 else sums[(band + 1) % bands, FIRST], below)
        fade(trail[y], above, middle, below, values)


@jit
def spread(trail, y, values, shape, planes, touched, counts, sums):
    """One row takes its deposits, with `counts` [W] as scratch; its sums of three go into `sums` [W]."""
    row, amount = trail[y], values[DEPOSIT]
    block = u32(u32(u32(y) << shape[FRACTION_BITS]) >> shape[BLOCK_BITS])
    merge(counts, planes, touched, block, u64(y * len(row)))
    n = u64(len(row))
    for i in range(n):
        row[i] = row[i] + amount * f32(counts[i])
    end = n - ONE
    for i in range(ONE, end):
        sums[i] = (row[i - ONE] + row[i]) + row[i + ONE]
    sums[0] = (row[end] + row[0]) + row[1]
    sums[end] = (row[end - ONE] + row[end]) + row[0]


@jit
def merge(counts, planes, touched, block, start):
    """Adds up one row of the planes, from cell `start` on, into `counts` [W]; leaves 0 behind."""
    n = u64(len(counts))
    for i in range(n):
        counts[i] = 0
    for k in range(u64(len(planes))):
        if u32(touched[k] >> block) & u32(1):
            plane = planes[k]
            for group in range(u64(0), n, GROUP):
                end = min(n, group + GROUP)
                some = i32(0)
                for i in range(group, end):
                    some = i32(some | plane[start + i])
                if some:
                    for i in range(group, end):
                        counts[i] += plane[start + i]
                        plane[start + i] = 0


@jit
def fade(row, above, middle, below, values):
    """One row of the next trail in place, from its deposits and three rows of sums."""
    centre, ring = values[CENTRE], values[RING]
    for i in range(u64(len(row))):
        faded = row[i] * centre + ((above[i] + middle[i]) + below[i]) * ring
        row[i] = ZERO if faded < FLOOR else faded


@jit
def copy(row, out):
    """A row into another; assigning slices takes seconds to compile."""
    for i in range(u64(len(out))):
        out[i] = row[i]
