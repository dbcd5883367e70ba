"""The field's part of a step: the trail takes the deposits, diffuses and decays, in place.

What bounds it is memory: a cell costs 8 bytes for its trail, read and written once, and 4 for the
plane it was counted on. Two things keep it at that. Sums of three wait in a few rows of scratch that
stay in the L2 cache, so no second trail is needed. And counts are cleared only where there are any:
agents gather on veins, and most lines of a plane are clean. All species go down the field together, so
that a row's scent is made while its trails are in the caches.
"""

from numba import prange

from kernels.contract import SLOT
from kernels.cpu_model import (
    BLOCK_BITS,
    CELLS,
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
from kernels.cpu_scene import BLEND, BOUNDARY, CROWDS, GROUND, SCENT, WRAP
from kernels.cpu_scent import mix_row
from kernels.curves import CROWDS as ENTRIES

DEPOSIT, CENTRE, RING, SLOPE = (
    SLOT[name] for name in ("deposit", "keep_centre", "keep_ring", "deposit_slope")
)

GROUP = u64(64)  # cells looked at and cleared together: four lines of the caches
MOST = i32(ENTRIES - 1)

# Rows of a band's scratch: the sums of its first and of its last row, and three that take turns.
FIRST, LAST, TURN = 0, 1, 2
ROWS = 5


@parallel
def update_field(trail, scent, ground, mask, values, crowds, shape, planes, touched, tallies, sums):
    """The planes' counts become trail; then the trail diffuses and decays, each band on a thread."""
    frame(trail, mask, values, crowds, shape, planes, touched, tallies[0], sums)
    for w in prange(len(sums)):
        sweep(
            trail, scent, ground, mask, values, crowds, shape, planes, touched, tallies, sums, i64(w)
        )  # w is unsigned in here


@jit
def frame(trail, mask, values, crowds, shape, planes, touched, counts, sums):
    """The first and last row of all bands take their deposits and are summed, before any row fades.

    Two threads need each of these sums. One thread makes them all: it takes less than to wake others.
    """
    bands, species, _, _ = sums.shape
    for band in range(bands):
        first, last = share(trail.shape[1], band, bands)
        for k in range(species):
            spread(
                trail, mask, values, crowds, shape, planes, touched, k, first, counts, sums[band, k, FIRST]
            )
            if first < last - 1:
                spread(
                    trail,
                    mask,
                    values,
                    crowds,
                    shape,
                    planes,
                    touched,
                    k,
                    last - 1,
                    counts,
                    sums[band, k, LAST],
                )
            else:
                copy(sums[band, k, FIRST], sums[band, k, LAST])


@jit
def sweep(trail, scent, ground, mask, values, crowds, shape, planes, touched, tallies, sums, band):
    """A band from its first row down: each row fades as soon as the sums of the next are known."""
    bands, species, _, _ = sums.shape
    first, last = share(trail.shape[1], band, bands)
    for k in range(species):
        turns = sums[band, k, TURN:]
        copy(above_of(sums, shape, k, band), turns[0])
        copy(sums[band, k, FIRST], turns[1])
    for y in range(first, last):
        for k in range(species):
            turns = sums[band, k, TURN:]
            above, middle, below = (
                turns[(y - first) % 3], turns[(y - first + 1) % 3], turns[(y - first + 2) % 3],
            )  # fmt: skip
            if y < last - 2:
                spread(trail, mask, values, crowds, shape, planes, touched, k, y + 1, tallies[band], below)
            else:
                copy(sums[band, k, LAST] if y < last - 1 else below_of(sums, shape, k, band), below)
            fade(trail[k, y], above, middle, below, values[k], mask[y], ground[y], shape)
        if shape[SCENT]:
            mix_row(trail, ground, values, shape, scent, y)


@jit
def above_of(sums, shape, k, band):
    """The sums of the row above a band: the last of all, or the field's first again if it does not wrap."""
    bands = len(sums)
    if band == 0 and shape[BOUNDARY] != WRAP:
        return sums[0, k, FIRST]
    return sums[(band + bands - 1) % bands, k, LAST]


@jit
def below_of(sums, shape, k, band):
    """The sums of the row below a band: the first of all, or the field's last again if it does not wrap."""
    bands = len(sums)
    if band == bands - 1 and shape[BOUNDARY] != WRAP:
        return sums[band, k, LAST]
    return sums[(band + 1) % bands, k, FIRST]


@jit
def spread(trail, mask, values, crowds, shape, planes, touched, k, y, counts, sums):
    """One row takes its deposits, with `counts` [W] as scratch; its sums of three go into `sums` [W]."""
    row = trail[k, y]
    n = u64(len(row))
    block = u32(u32(u32(y) << shape[FRACTION_BITS]) >> shape[BLOCK_BITS])
    merge(counts, planes, touched, k, block, u64(u64(k) * u64(shape[CELLS]) + u64(y) * n))
    if shape[CROWDS]:
        crowd(row, mask[y], values[k], crowds[k, 0], crowds[k, 1], shape, counts)
    else:
        amount = values[k, 0, DEPOSIT]
        for i in range(n):
            row[i] = row[i] + amount * f32(counts[i])
    end, wraps = n - ONE, shape[BOUNDARY] == WRAP
    for i in range(ONE, end):
        sums[i] = (row[i - ONE] + row[i]) + row[i + ONE]
    sums[0] = ((row[end] if wraps else row[0]) + row[0]) + row[1]
    sums[end] = (row[end - ONE] + row[end]) + (row[0] if wraps else row[end])


@jit
def crowd(row, mask, own, table, other, shape, counts):
    """One row takes what its crowds leave, by the species' table and straight on beyond it."""
    slope, more = own[0, SLOPE], own[1, SLOPE]
    if shape[BLEND]:
        for i in range(u64(len(row))):
            within = min(counts[i], MOST)
            over, blend = f32(counts[i] - within), mask[i]
            amount = table[u32(within)] + (other[u32(within)] - table[u32(within)]) * blend
            row[i] = row[i] + (amount + (slope + more * blend) * over)
    else:
        for i in range(u64(len(row))):
            within = min(counts[i], MOST)
            row[i] = row[i] + (table[u32(within)] + slope * f32(counts[i] - within))


@jit
def merge(counts, planes, touched, k, block, start):
    """Adds up one row of the planes, from cell `start` on, into `counts` [W]; leaves 0 behind."""
    n = u64(len(counts))
    for i in range(n):
        counts[i] = 0
    for worker in range(u64(len(planes))):
        if u32(touched[worker, k] >> block) & u32(1):
            plane = planes[worker]
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
def fade(row, above, middle, below, own, mask, ground, shape):
    """One row of the next trail in place, from its deposits and three rows of sums; walls have none."""
    centre, ring = own[0, CENTRE], own[0, RING]
    if shape[BLEND]:
        centre_more, ring_more = own[1, CENTRE], own[1, RING]
        for i in range(u64(len(row))):
            here, around = centre + centre_more * mask[i], ring + ring_more * mask[i]
            faded = row[i] * here + ((above[i] + middle[i]) + below[i]) * around
            row[i] = ZERO if faded < FLOOR else faded
    else:
        for i in range(u64(len(row))):
            faded = row[i] * centre + ((above[i] + middle[i]) + below[i]) * ring
            row[i] = ZERO if faded < FLOOR else faded
    if shape[GROUND]:
        for i in range(u64(len(row))):
            row[i] = ZERO if ground[i] < ZERO else row[i]


@jit
def copy(row, out):
    """A row into another; assigning slices takes seconds to compile."""
    for i in range(u64(len(out))):
        out[i] = row[i]
