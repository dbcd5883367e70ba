"""Moments of runs to come back to, kept in memory under a budget."""

import dataclasses
import itertools
import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from app.events import Event
from app.gestures import drawn_by
from app.meter import Meter
from app.record import Record
from kernels.maps import Maps
from kernels.params import Params
from kernels.simulation import Snapshot
from kernels.world import World

By = Literal["clock", "undo", "hand"]

BUDGET = 1 << 30  # bytes, where there is that much
SHARE = 4  # of the memory that is free, the part that the budget takes at most
LARGEST = 8  # of the budget, the part that one of the clock's may take at most
SECONDS_APART = 5.0  # between those of the clock
DEAREST = 0.01  # of the time, what those may take
MOST = 200  # of them: small worlds would fill the strip without end

NUMBERS = itertools.count(1)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Moment(Record):
    """All that a run is at a step, so that it goes on from there as if it had never left.

    It is a record too: what brought the run there. A picture captured later repeats it all.

    Attributes:
        params: As they were, after all events.
        other: The look that the mask blended in.
        maps: Food, walls and mask as they were, to read only.
        snapshot: Trail and agents.
        script: Events of a recorded run that were still to come.
        meter: What automatic exposure had seen.
    """

    params: Params
    other: Params | None
    maps: Maps
    snapshot: Snapshot
    script: tuple[Event, ...] = ()
    meter: Meter = dataclasses.field(default_factory=Meter)

    @property
    def lacks(self) -> str:
        """Nothing: it needs no log to be brought back."""
        return ""


@dataclasses.dataclass(eq=False, slots=True, repr=False)
class Kept:
    """A moment that is held on to.

    Attributes:
        moment: All of it; or, where memory ran short, the record of a run that begins with its look and map.
        by: Whether it was taken by hand, by the clock, or to be undone to.
        picture: A small picture of it [h, w, 4], once it was drawn.
        number: No two have the same.
    """

    moment: Moment | Record
    by: By
    picture: NDArray[np.uint8] | None = None
    number: int = dataclasses.field(default_factory=NUMBERS.__next__)


class Moments:
    """The moments that are kept, and the budget they share.

    Args:
        free: Bytes of the memory they lie in that are free.

    Attributes:
        budget: The bytes they may take together.
        seconds: Between those of the clock; 0 for none.
        strip: Those of clock and hand, in the order they were taken.
    """

    def __init__(self, free: int = SHARE * BUDGET) -> None:
        self.budget = min(BUDGET, free // SHARE)
        self.seconds = SECONDS_APART
        self._kept: list[Kept] = []
        self._due = -math.inf
        self._last: tuple[World, int] | None = None  # the run and the step of the clock's latest

    @property
    def strip(self) -> list[Kept]:
        """What can be gone back to."""
        return [kept for kept in self._kept if kept.by != "undo"]

    @property
    def of_hand(self) -> list[Kept]:
        """Those of the strip that were kept by hand."""
        return [kept for kept in self._kept if kept.by == "hand"]

    @property
    def size(self) -> int:
        """What all of them take, in bytes."""
        return size([kept.moment for kept in self._kept])

    def keep(self, moment: Moment, by: By) -> Kept:
        """Keeps a moment, and drops others where the budget is spent.

        Raises:
            MemoryError: It takes more than all of the budget.
        """
        needed = size([moment])
        if needed > self.budget:
            raise MemoryError(
                f"This moment takes {mebibytes(needed)}; all together may take {mebibytes(self.budget)}."
            )
        kept = Kept(moment, by)
        self._kept.append(kept)
        of_clock = [other for other in self._kept if other.by == "clock"]
        for old in of_clock[:-MOST]:
            self.forget(old)
        self.fit()
        return kept

    def fit(self) -> None:
        """Drops moments until the others fit the budget, but never the latest.

        The oldest go first, and of those kept by hand only what is left to go.
        """
        for kept in sorted(self._kept, key=lambda kept: kept.by == "hand"):
            if self.size <= self.budget:
                break
            if kept is not self._kept[-1]:
                self._kept.remove(kept)
                if isinstance(kept.moment, Moment):
                    kept.moment = beginning(kept.moment, kept.moment.params, kept.moment.other)

    def forget(self, kept: Kept | None) -> None:
        """Lets go of a moment that nobody will return to."""
        if kept in self._kept:
            self._kept.remove(kept)

    def due(self, world: World, step: int, now: float) -> bool:
        """Whether it is time for the clock's next.

        Args:
            world: That of the run.
            step: Where it is; a moment that is kept already is not taken again.
            now: Seconds of a clock that never goes back.
        """
        fits = expected(world) * LARGEST <= self.budget
        return bool(self.seconds) and now >= self._due and fits and self._last != (world, step)

    def taken(self, world: World, step: int, now: float, cost: float) -> None:
        """Notes that the clock's was taken, or could not be.

        Args:
            world: That of the run.
            step: Where it was.
            now: Seconds of the clock of `due`.
            cost: How many seconds it took.
        """
        self._last = world, step
        self._due = now + max(self.seconds, cost / DEAREST)


def size(moments: "list[Moment | Record]") -> int:
    """Bytes that moments take together; maps that did not change between two are one, and so are events."""
    whole = [moment for moment in moments if isinstance(moment, Moment)]
    maps = {id(moment.maps): moment.maps for moment in whole}
    layers = sum(m.food.nbytes + m.wall.nbytes + m.mask.nbytes for m in maps.values())
    return layers + sum(moment.snapshot.nbytes + 8 * len(moment.events) for moment in whole)


def expected(world: World) -> int:
    """Bytes that a moment of a world takes: trail and counts, maps, and agents."""
    return (8 * world.species + 3) * world.width * world.height + 8 * world.agents


def beginning(record: Record, params: Params, other: Params | None) -> Record:
    """What stays of a moment that is dropped: a run that begins with its look, and with what was painted.

    Args:
        record: The run up to the moment.
        params: The parameters then.
        other: The look that the mask blended in then.
    """
    preset = dataclasses.replace(record.preset, params=params, other=other)
    painted = tuple(drawn_by(record.events))  # the same objects, whatever their steps: there may be many
    return Record(preset, record.world, 0, "", record.backend, record.version, painted)


def mebibytes(size: int) -> str:
    """A size for people."""
    return f"{size / 2**20:,.0f} MiB" if size >= 10 * 2**20 else f"{size / 2**20:.1f} MiB"
