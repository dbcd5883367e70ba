"""Curves as tables: what agents answer to the trail, and what crowds leave on a cell.

A host builds them in float64 and rounds once; the kernels look them up and interpolate with float32
`+ - *` alone. So any curve gives the same bits everywhere, and any curve costs the same.
"""

import functools
import math

import numpy as np
from numpy.typing import NDArray

from kernels.handles import points_of

PIECES = 256  # straight pieces of a response over s from 0 to 1
CROWDS = 1024  # entries of a deposit over the number of agents on a cell; beyond, it goes on straight


@functools.lru_cache(maxsize=64)
def shape(curve: str, exponent: float) -> NDArray[np.float64]:
    """How far a response has gone [PIECES + 1] over s from 0 to 1: a drawn curve, or s ** exponent."""
    s = np.linspace(0.0, 1.0, PIECES + 1)
    if curve:
        x, y = np.array(points_of(curve)).T
        drawn: NDArray[np.float64] = np.interp(s, x, y)
        return drawn
    return np.array([math.pow(value, exponent) for value in s])


def response(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """A table [PIECES, 2] of where each straight piece begins and how far it rises.

    With p = s * PIECES, i = p cut off to a whole number, at most PIECES - 1, a kernel finds
    table[i, 0] + table[i, 1] * (p - i).
    """
    begin = values[:-1].astype(np.float32)
    return np.stack([begin, values[1:].astype(np.float32) - begin], 1)


@functools.lru_cache(maxsize=64)
def crowd(curve: str, bend: float) -> NDArray[np.float64]:
    """What n agents on a cell leave [CROWDS], in deposits of one, for n from 0."""
    n = range(CROWDS)
    match curve:
        case "capped":
            return np.array([bend * -math.expm1(-k / bend) for k in n])
        case "logarithmic":
            return np.array([bend * math.log1p(k / bend) for k in n])
        case "power":  # as much as one each up to the bend, then the square root
            return np.array([k if k < bend else math.sqrt(k * bend) for k in n])
    return np.arange(CROWDS, dtype=np.float64)
