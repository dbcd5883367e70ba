"""Cosine and sine of a whole-number heading, the same bits on every machine."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

# sin(pi/4 t) = t * (SIN[0] + SIN[1] u + ...), cos(pi/4 t) = COS[0] + COS[1] u + ..., u = t * t:
# Chebyshev fits over -1 <= t <= 1, right to 1.1e-7 when evaluated in float32 by Horner's rule.
SIN = (0.7853981852531433, -0.08074543625116348, 0.0024900068528950214, -3.5954399209003896e-05)
COS = (1.0, -0.3084242641925812, 0.01584991253912449, -0.00031887899967841804)


def sincos(heading: NDArray[np.int32]) -> tuple[Floats, Floats]:
    """The direction (cos, sin) [N] of a heading in 65536ths of a circle.

    The heading is folded to a quarter circle centred on an axis, where t = angle / (pi/4) is an exact
    float32 in [-1, 1); two short polynomials follow, then the quarter turns them back.
    """
    quarter = (heading + 8192) >> 14
    t = ((heading + 8192 & 16383) - 8192).astype(np.float32) * np.float32(1 / 8192)
    u = t * t
    s0, s1, s2, s3 = (np.float32(a) for a in SIN)
    c0, c1, c2, c3 = (np.float32(a) for a in COS)
    sin = t * (((s3 * u + s2) * u + s1) * u + s0)
    cos = ((c3 * u + c2) * u + c1) * u + c0
    swap = quarter & 1 != 0
    c = np.where(swap, sin, cos)
    s = np.where(swap, cos, sin)
    return np.where(quarter + 1 & 2 != 0, -c, c), np.where(quarter & 2 != 0, -s, s)
