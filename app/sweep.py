"""The map of two parameters without its drawing: what a look becomes when both are turned, cell by cell."""

import dataclasses
import functools
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from app.backend import Choice
from app.session import Session
from app.worlds import SHARE, Worlds, small_world
from kernels.params import SPECS, Params, check_params
from kernels.spec import Spec, Value
from kernels.statistics import STEPS_APART, Statistics, describe
from kernels.world import World
from presets import Preset

AXES = "sensor_angle", "rotation_angle"  # to begin with: between them lie most kinds of pattern
GRIDS = (5, 3), (9, 5), (13, 9)  # columns and rows: odd, so that the present values have a cell of their own
GRID = 1  # of those, to begin with
STEPS, LEAST_STEPS, MOST_STEPS = 600, 50, 5000
A_FRAME = 64  # steps at most: a GPU would still be at them when the next frame begins
SLOTS = {"cuda": 8}  # worlds at a time; else 1, for a CPU has no threads left for a second
AS_LARGE_AS = 9  # each world is as large as one of so many of a wall
SHOWN = 320  # px: the longest side that one is looked at in
SAMPLE = 160  # cells a side that the statistics are taken of
OCTAVES, QUARTER = 4.0, 0.25  # to each side of the present value: a factor, or a share of the range
FAINTEST, STRONGEST = (
    1e-3,
    0.25,
)  # of the range, where the scale is logarithmic but the value 0
WIDE = 10.0  # from such a ratio of its ends on, a range is divided by equal factors
DIGITS = 3
PREVIEW = -1  # the place, among the pictures of cells, of a larger one of the cell under the mouse

# What a cell can be coloured by: attributes of `Statistics`, and their units.
MEASURES = {"coverage": "", "entropy": "", "motion": "", "length_scale": "px"}


@dataclasses.dataclass(frozen=True, slots=True)
class Axis:
    """A parameter and the values it takes.

    Attributes:
        name: Of a parameter that is a number.
        low: The first value.
        high: The last.
        count: How many there are, 2 or more.
    """

    name: str
    low: float
    high: float
    count: int

    @classmethod
    def around(cls, name: str, value: float, count: int) -> "Axis":
        """About the present value, in the parameter's natural scale and within its range."""
        spec = SPECS[name]
        if spec.scale == "log" and value > 0:
            low, high = value / OCTAVES, value * OCTAVES
        elif spec.scale == "log":
            low, high = FAINTEST * spec.high, STRONGEST * spec.high
        else:
            reach = QUARTER * (spec.high - spec.low)
            low, high = value - reach, value + reach
            if low < 0 < value or value < 0 < high:  # beyond 0 lies something else
                low, high = sorted((value / OCTAVES, value * OCTAVES))
        low, high = (float(f"{min(max(end, spec.low), spec.high):.{DIGITS}g}") for end in (low, high))
        return cls(name, low, high, count)

    @property
    def spec(self) -> Spec:
        """Its declaration."""
        return SPECS[self.name]

    @property
    def values(self) -> list[Value]:
        """From first to last, by equal factors where the scale is logarithmic or the range wide."""
        return _values(self)


@functools.lru_cache(maxsize=64)  # a map asks for them in each frame
def _values(axis: Axis) -> list[Value]:
    spec, ends = axis.spec, (axis.low, axis.high)
    factors = min(ends) > 0 or max(ends) < 0
    factors = factors and (spec.scale == "log" or max(ends[0] / ends[1], ends[1] / ends[0]) >= WIDE)
    spaced = np.geomspace if factors else np.linspace
    whole = isinstance(spec.default, int)
    return [spec.check(round(n) if whole else float(f"{n:.{DIGITS}g}")) for n in spaced(*ends, axis.count)]


def sweepable(species: int) -> list[str]:
    """The parameters that can be an axis where there are so many species: numbers that make a look."""
    return [
        spec.name
        for spec in SPECS.values()
        if not isinstance(spec.default, str) and spec.group != "Time" and spec.species <= species
    ]


@dataclasses.dataclass(frozen=True, eq=False)
class Result:
    """What became of a cell.

    Attributes:
        look: Its parameters, as a picture shows them.
        trail: [C, H, W].
        counts: Agents on each cell [C, H, W], where the look shows them; else None.
        statistics: Of a sample in the middle.
    """

    look: Params
    trail: NDArray[np.float32]
    counts: NDArray[np.int32] | None
    statistics: Statistics


class Sweep:
    """A grid of looks that differ in two parameters, grown one after the other, from coarse to fine.

    Args:
        look: What all have in common.
        world: The world it lives in.
        choice: What computes the small ones.
        target: Width and height of the window in framebuffer pixels.
        across: The parameter along the columns.
        down: The one along the rows; its first value is the lowest row's.
        steps: How many each world does, more than `STEPS_APART`.

    Attributes:
        results: Of the cells that are done; cells are counted row by row, from the upper left.
        stopped: Whether it rests.
        hovered: The cell under the mouse, or None.
        picture: Width and height in framebuffer pixels that each is shown in.
        preview: Those that the one under the mouse is shown in.

    Raises:
        MemoryError: The worlds do not fit.
    """

    def __init__(
        self, look: Preset, world: World, choice: Choice, target: tuple[int, int],
        across: Axis, down: Axis, steps: int = STEPS,
    ) -> None:  # fmt: skip
        self.look, self.across, self.down, self.steps = look, across, down, steps
        self.main = world
        self.picture = max(1, target[0] * 2 // (3 * across.count)), max(1, target[1] * 3 // (4 * down.count))
        scale = SHOWN / max(self.picture)
        self.preview = round(self.picture[0] * scale), round(self.picture[1] * scale)
        small = small_world(world, AS_LARGE_AS, self.preview, choice)
        self.worlds = Worlds(look, small, SLOTS.get(choice.backend, 1), choice)
        self.results: dict[int, Result] = {}
        self.waiting = coarse_to_fine(across.count, down.count)
        self.at: dict[int, int] = {}  # the cell that each world is of
        self.before: dict[int, NDArray[np.float32]] = {}  # samples, `STEPS_APART` before the end
        self.stopped = False
        self.hovered: int | None = None

    @property
    def cells(self) -> int:
        """How many there are."""
        return self.across.count * self.down.count

    @property
    def done(self) -> float:
        """How much of it is, 0 to 1."""
        steps = sum(session.steps for session in self.under_way.values())
        return min(1.0, (len(self.results) + steps / self.steps) / self.cells)

    @property
    def under_way(self) -> dict[int, Session]:
        """The runs that are not done yet, by cell."""
        return {self.at[slot]: session for slot, session in self.worlds.living.items() if slot in self.at}

    def values(self, cell: int) -> dict[str, Value]:
        """The two parameters of a cell."""
        row, column = divmod(cell, self.across.count)
        found = {self.across.name: self.across.values[column]}
        return found | {self.down.name: self.down.values[self.down.count - 1 - row]}

    def present(self, params: Params) -> int | None:
        """The cell nearest to where both parameters are; None where that is outside of the map."""
        place = []
        for axis in (self.across, self.down):
            value, values = getattr(params, axis.name), axis.values
            if not min(axis.low, axis.high) <= value <= max(axis.low, axis.high):
                return None
            place.append(int(np.argmin([abs(float(each) - value) for each in values])))
        return (self.down.count - 1 - place[1]) * self.across.count + place[0]

    def stand_in(self, cell: int) -> int | None:
        """The cell of the next coarser grid that stands for one until it is done; None before that is."""
        row, column = divmod(cell, self.across.count)
        for stride in (1, 2, 4):
            found = (row - row % stride) * self.across.count + column - column % stride
            if found in self.results:
                return found
        return None

    def holds_for(self, look: Preset, world: World) -> bool:
        """Whether it is still a map of a look: nothing but its two parameters has changed."""
        here = {axis.name: getattr(self.look.params, axis.name) for axis in (self.across, self.down)}
        params = check_params(here, look.params)
        return world == self.main and (params, look.other) == (self.look.params, self.look.other)

    def range_of(self, measure: str) -> tuple[float, float]:
        """The least and the greatest of a measure so far."""
        found = [getattr(result.statistics, measure) for result in self.results.values()]
        return (min(found), max(found)) if found else (0.0, 1.0)

    # In each frame

    def advance(self, seconds: float = SHARE) -> None:
        """One frame's share of the work."""
        if self.stopped:
            return
        for slot in range(len(self.worlds.sessions)):
            if slot not in self.at and self.waiting:
                self.at[slot] = self.waiting.pop(0)
                self.worlds.begin(slot, check_params(self.values(self.at[slot]), self.look.params))
        self.worlds.prepare(seconds)
        for slot, steps in self.worlds.due(A_FRAME, seconds).items():
            if slot in self.at:
                self._step(slot, steps)
        if not self.at:
            self.rest()

    def _step(self, slot: int, steps: int) -> None:
        session = self.worlds.living[slot]
        look_at = max(0, self.steps - STEPS_APART)
        goal = look_at if session.steps < look_at else self.steps
        session.advance(min(steps, goal - session.steps))
        if session.steps == look_at:
            self.before[slot] = session.simulation.glimpse_trail(SAMPLE)
        if session.steps == self.steps:
            self.results[self.at.pop(slot)] = self._result(session, self.before.pop(slot))

    def _result(self, session: Session, before: NDArray[np.float32]) -> Result:
        simulation, look = session.simulation, session.look
        found = describe(before, simulation.glimpse_trail(SAMPLE))
        counts = simulation.counts().copy() if look.sparkle > 0 else None
        return Result(look, simulation.trail.copy(), counts, found)

    def rest(self) -> None:
        """Lets go of all worlds; what is under way begins again when it goes on."""
        self.waiting[:0] = self.at.values()
        self.at, self.before = {}, {}
        self.worlds = Worlds(self.look, self.worlds.world, len(self.worlds.sessions), self.worlds.choice)


def coarse_to_fine(columns: int, rows: int) -> list[int]:
    """All cells of a grid: first each fourth of each fourth row, then each second, then the others."""

    def rank(cell: int) -> Iterable[int]:
        row, column = divmod(cell, columns)
        return -next(stride for stride in (4, 2, 1) if row % stride == column % stride == 0), cell

    return sorted(range(columns * rows), key=rank)  # type: ignore[arg-type]
