"""A dab of the brush: exact, and the same on every backend because the host prepares it once."""

import dataclasses

import numpy as np
from numpy.typing import NDArray

from kernels.maps import MAX_NUMBER as MAX_NUMBER
from kernels.maps import POINT as POINT
from kernels.world import World

STRENGTH = 2**20  # and their strength in 2**-20ths, fine enough for the faintest trail


@dataclasses.dataclass(frozen=True, slots=True)
class Stroke:
    """One dab of the brush, in whole numbers so that a log gives it back exactly.

    Attributes:
        x: Centre in 256ths of a field pixel; any whole number, it wraps.
        y: The same, downwards.
        radius: In 256ths of a field pixel, above 0.
        strength: In 2**-20ths: how much trail is added at the centre, or below 0, the share of it
            that is erased there (-2**20 and beyond erases all).
    """

    x: int
    y: int
    radius: int
    strength: int
    species: int = 0


Dab = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]


def dab(stroke: Stroke, world: World) -> Dab:
    """The cells a stroke touches and what it does to them: trail = trail * gain + lift.

    The weight is 1 - (distance / radius)**2 from a cell's centre, 0 outside; adding lifts by
    strength * weight, erasing keeps 1 - min(1, -strength * weight). A radius is held to half the
    field's shorter side, so that no cell is touched twice round the torus.

    Returns:
        rows [R], columns [C], gain [R, C], lift [R, C].
    """
    radius = min(stroke.radius, (min(world.width, world.height) - 2) * POINT // 2)
    reach = radius // POINT + 1
    spans = []
    for centre, side in ((stroke.x, world.width), (stroke.y, world.height)):
        cells = np.arange(centre // POINT - reach, centre // POINT + reach + 1, dtype=np.int64)
        cells = cells[: min(len(cells), side)]
        spans.append((np.mod(cells, side).astype(np.int32), cells * POINT + POINT // 2 - centre))
    (columns, dx), (rows, dy) = spans
    distance2 = (dy**2)[:, None] + (dx**2)[None, :]  # [R, C]
    weight = np.maximum(0.0, 1.0 - distance2 / float(radius * radius))
    strength = stroke.strength / STRENGTH
    if strength >= 0:
        return rows, columns, np.ones(weight.shape, np.float32), (strength * weight).astype(np.float32)
    keep = 1 - np.minimum(1.0, -strength * weight)
    return rows, columns, keep.astype(np.float32), np.zeros(weight.shape, np.float32)
