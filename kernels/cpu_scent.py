"""What each species smells: all trails by its attractions, and food; and that as wide sensors smell it."""

import numpy as np
from numba import prange

from kernels.contract import SLOT
from kernels.cpu_model import ZERO, f32, i64, jit, parallel, u64
from kernels.cpu_scene import BOUNDARY, GROUND, NOTHING, SENSOR_WIDTH, WRAP
from kernels.params import SPECS

ATTRACTION, FOOD = SLOT["attraction_0"], SLOT["food"]  # the attractions to all species follow one another
MEANS = np.array([1 / max(width, 1) ** 2 for width in range(int(SPECS["sensor_width"].high) + 1)], np.float32)


@parallel
def update_scent(smell, ground, values, shape, out, wide):
    """The scent [C, H, W] of a trail; or if `wide`, the means of a scent over a sensor's square.

    One loop for both is compiled in half the time.
    """
    for y in prange(smell.shape[1]):
        if wide:
            for species in range(len(smell)):
                widen_row(smell[species], shape, out[species], i64(y))
        else:
            mix_row(smell, ground, values, shape, out, i64(y))


@jit
def mix_row(trail, ground, values, shape, scent, y):
    """A row of each species' scent. Sums run in the order of the species, food comes last."""
    earth = ground[y]
    n = u64(len(earth))
    for species in range(len(trail)):
        out, first, liked = scent[species, y], trail[0, y], values[species, 0, ATTRACTION]
        for i in range(n):
            out[i] = liked * first[i]
        for k in range(1, len(trail)):
            other, liked = trail[k, y], values[species, 0, ATTRACTION + k]
            for i in range(n):
                out[i] = out[i] + liked * other[i]
        if shape[GROUND]:
            food = values[species, 0, FOOD]
            for i in range(n):
                out[i] = NOTHING if earth[i] < ZERO else out[i] + food * earth[i]


@jit
def widen_row(smell, shape, wide, y):
    """One row: sums of the square's cells, row by row, * 1 / cells."""
    height, width = smell.shape
    side, wraps = i64(shape[SENSOR_WIDTH]), shape[BOUNDARY] == WRAP
    before, after = -(side // 2), side - side // 2
    out = wide[y]
    for i in range(u64(width)):
        out[i] = ZERO
    for down in range(before, after):
        row = smell[near(y + down, height, wraps)]
        for right in range(before, after):
            first, last = max(0, -right), min(width, width - right)
            for i in range(first):
                out[i] += row[near(i + right, width, wraps)]
            for i in range(u64(first), u64(last)):
                out[i] += row[u64(i64(i) + right)]
            for i in range(last, width):
                out[i] += row[near(i + right, width, wraps)]
    mean = MEANS[side]
    for i in range(u64(width)):
        out[i] = f32(out[i] * mean)


@jit
def near(cell, side, wraps):
    """A row or column a few cells off, brought back onto the field."""
    if wraps:
        return cell + side if cell < 0 else (cell - side if cell >= side else cell)
    return min(max(cell, 0), side - 1)
