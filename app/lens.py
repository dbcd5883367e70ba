"""What one agent smells and does, as a drawing: where its sensors stand and where its steps may lead.

In the drawing the agent stands at (0, 0) and heads up; x points right and y down, as on the screen.
"""

import dataclasses
import math

from kernels import curves
from kernels.contract import RESPONSES
from kernels.params import Params, of_species

SIDES = -1, 0, 1  # left, ahead, right: what is turned by, in angles
UNITS = 1, 2, 5  # and their tens, of a grid

Point = tuple[float, float]


@dataclasses.dataclass(frozen=True, slots=True)
class Agent:
    """What an agent does where the trail under it is s.

    Attributes:
        s: 0 on bare ground, 1 on the strongest trail; None where nothing follows the trail.
        sensor_distance: In field pixels; below 0 it smells behind itself.
        sensor_angle: Degrees to either side.
        rotation_angle: Degrees; below 0 it turns away from the stronger scent.
        step_size: In field pixels; below 0 it walks backwards.
        sensor_width: Of what a sensor smells, in field pixels.
    """

    s: float | None
    sensor_distance: float
    sensor_angle: float
    rotation_angle: float
    step_size: float
    sensor_width: int

    def sensor(self, side: int) -> Point:
        """Where a sensor stands, in field pixels; `side` is one of `SIDES`."""
        return way(side * self.sensor_angle, self.sensor_distance)

    def step(self, side: int) -> Point:
        """Where a step leads when the scent is strongest at that side, in field pixels."""
        return way(side * self.rotation_angle, self.step_size)

    @property
    def middle(self) -> float:
        """How far below the agent the middle of its drawing is, in field pixels; mostly above it, below 0."""
        half = self.sensor_width / 2
        ends = [y + end for _, y in map(self.sensor, SIDES) for end in (-half, half)]
        ends += [0.0, *(y for _, y in map(self.step, SIDES))]
        return (min(ends) + max(ends)) / 2

    @property
    def reach(self) -> float:
        """How far from that middle anything of the drawing is, in field pixels."""
        middle, half = self.middle, self.sensor_width / 2
        sensors = [math.hypot(x, y - middle) + half for x, y in map(self.sensor, SIDES)]
        return max(*sensors, abs(middle), *(math.hypot(x, y - middle) for x, y in map(self.step, SIDES)))


def way(angle: float, length: float) -> Point:
    """The end of a way at degrees to the right of straight ahead."""
    turn = math.radians(angle)
    return length * math.sin(turn), -length * math.cos(turn)


def agents(params: Params, species: int) -> list[Agent]:
    """An agent of a species, counted from 0; where it follows the trail, two: at s = 0 and at s = 1."""
    own = of_species(params, species)
    follows = any(getattr(own, f"{name}_amplitude") for name in RESPONSES)
    return [_agent(own, s) for s in ((0.0, 1.0) if follows else (None,))]


def _agent(own: Params, s: float | None) -> Agent:
    values = {}
    for name in RESPONSES:
        gone = curves.shape(getattr(own, f"{name}_curve"), getattr(own, f"{name}_exponent"))
        amplitude = getattr(own, f"{name}_amplitude")
        values[name] = getattr(own, name) + (amplitude * float(gone[-1 if s else 0]) if amplitude else 0.0)
    return Agent(s, **values, sensor_width=own.sensor_width)


def magnification(length: float, least: float, most: float) -> float:
    """The power of two, 1 if it will do, by which a length comes to be from `least` to `most`.

    Args:
        length: Above 0.
        least: Above 0.
        most: At least twice `least`.
    """
    if length < least:
        return 2.0 ** math.ceil(math.log2(least / length))
    if length > most:
        return 2.0 ** -math.ceil(math.log2(length / most))
    return 1.0


def grid(scale: float, least: float) -> int:
    """How many field pixels apart a grid's lines are, so that they are `least` apart on the screen.

    Args:
        scale: Points on the screen per field pixel.
        least: In points.
    """
    tens = 1
    while True:
        for unit in UNITS:
            if unit * tens * scale >= least:
                return unit * tens
        tens *= 10


def told(factor: float) -> str:
    """A magnification as a note on a drawing; nothing where it is as large as it is."""
    if factor == 1:
        return "as large as in the picture"
    return (
        f"{factor:g} x as large as in the picture"
        if factor > 1
        else f"1/{1 / factor:g} of its size in the picture"
    )
