"""What a person has done to a run, one entry a gesture: what to undo, and what to do again."""

import dataclasses

from app.events import Draw, Fill, Paint
from app.moments import Kept, Moments, beginning
from app.session import Session
from kernels.params import SPECS, Params
from kernels.spec import Value
from kernels.world import World
from presets import Preset

DEEPEST = 500
NAMED = 2  # parameters that a label names; of more it tells how many
PAINTED = {"food": "food", "wall": "walls", "mask": "mask"}

Gesture = tuple[Draw | Fill, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Point:
    """What undoing brings back in a living world.

    Attributes:
        params: The parameters.
        other: The look that the mask blends in.
        preset: What the run is called by.
        world: The run's.
        run: The run's token.
        events: How many events were in its log.
        drawn: How many gestures were on the map.
    """

    params: Params
    other: Params | None
    preset: Preset
    world: World
    run: object
    events: int
    drawn: int

    @classmethod
    def of(cls, session: Session) -> "Point":
        """A session as it is."""
        told = session.params, session.other, session.preset, session.world, session.token
        return cls(*told, len(session.log), len(session.drawn))


@dataclasses.dataclass(eq=False, slots=True)
class Entry:
    """One gesture.

    Attributes:
        label: What it did, for people.
        before: What there was.
        after: What came of it.
        gestures: What it drew on the maps.
        back: Where undoing returns to, where the world was replaced or its trail painted on; else None.
        forth: Where doing it again returns to, once such an entry was undone.
    """

    label: str
    before: Point
    after: Point
    gestures: tuple[Gesture, ...] = ()
    back: Kept | None = None
    forth: Kept | None = None


class History:
    """The entries, and where among them the run is.

    Args:
        moments: Keeps the moments that entries return to.

    Attributes:
        entries: All of them, the oldest first.
        at: How many of them hold now; those after were undone.
    """

    def __init__(self, moments: Moments) -> None:
        self.moments = moments
        self.entries: list[Entry] = []
        self.at = 0
        self._open: tuple[Point, Kept | None] | None = None

    def touch(self, session: Session) -> None:
        """Call it before the living world is changed: a gesture begins, unless one is going on."""
        if self._open is None:
            self._open = Point.of(session), None

    def leave(self, session: Session) -> None:
        """Call it before the world is replaced, or its trail painted on: that is returned to."""
        if self._open is None or self._open[1] is None:
            self.settle(session)
            self._open = Point.of(session), self.hold(session)

    def hold(self, session: Session) -> Kept:
        """A session as it is, to return to; where there is no room for it, it can be begun again."""
        try:
            return self.moments.keep(session.moment(), "undo")
        except MemoryError:
            return Kept(beginning(session.record(digest=""), session.params, session.other), "undo")

    def settle(self, session: Session, label: str = "") -> None:
        """Ends the gesture that is going on, if any, and notes it if it changed something.

        Args:
            session: The run.
            label: What it did; left out, what is seen to differ.
        """
        if self._open is None:
            return
        (before, back), self._open = self._open, None
        after = Point.of(session)
        new = after.run is not before.run
        gestures = () if new else tuple(tuple(drawn) for drawn in session.drawn[before.drawn :])
        strokes = not new and any(isinstance(event, Paint) for event in session.log[before.events :])
        told = label or describe(before, after, gestures, strokes)
        if not told:
            self.moments.forget(back)
            return
        self._drop(self.entries[self.at :])
        del self.entries[self.at :]
        self.entries.append(Entry(told, before, after, gestures, back if new or strokes else None))
        if not (new or strokes):
            self.moments.forget(back)
        self._drop(self.entries[:-DEEPEST])
        del self.entries[:-DEEPEST]
        self.at = len(self.entries)

    def _drop(self, entries: list[Entry]) -> None:
        for entry in entries:
            self.moments.forget(entry.back)
            self.moments.forget(entry.forth)


def describe(before: Point, after: Point, gestures: tuple[Gesture, ...], strokes: bool) -> str:
    """What lies between two points, in a few words; "" for nothing."""
    if after.run is not before.run:
        return _of_world(before, after)
    if after.preset.title != before.preset.title:
        return f"preset {after.preset.title}, same agents"
    if changed := differing(before.params, after.params):
        return _of_params(before.params, changed)
    if strokes:
        return "painted trail"
    if gestures:
        return _of_gesture(gestures[0])
    if after.other != before.other:
        return "second look" if after.other else "no second look"
    return ""


def differing(before: Params, after: Params) -> dict[str, Value]:
    """The values that parameters changed to."""
    return {name: new for name in SPECS if (new := getattr(after, name)) != getattr(before, name)}


def _of_world(before: Point, after: Point) -> str:
    was, now = before.world, after.world
    if after.preset.title != before.preset.title:
        return f"preset {after.preset.title}"
    if (was.width, was.height) != (now.width, now.height):
        return f"size {was.width} x {was.height} -> {now.width} x {now.height}"
    if was.species != now.species:
        return f"{was.species} -> {now.species} species"
    if was.agents != now.agents:
        return f"agents {was.agents:,} -> {now.agents:,}"
    if was.seed != now.seed:
        return f"seed {was.seed:.12} -> {now.seed:.12}"
    if was.start != now.start:
        return f"start {now.start.kind}"
    return "map" if was.map != now.map and not before.drawn else "restart"


def _of_params(before: Params, changed: dict[str, Value]) -> str:
    names = list(changed)
    if len(names) > NAMED:
        return f"{len(names)} parameters, {names[0]} among them"
    return ", ".join(f"{name} {_value(getattr(before, name))} -> {_value(changed[name])}" for name in names)


def _value(value: Value) -> str:
    """A value in a few characters."""
    value = str(value) if isinstance(value, int) else value
    return (
        f"{value:.4g}"
        if isinstance(value, float)
        else f"{value:.16}"
        if isinstance(value, str)
        else str(value)
    )


def _of_gesture(gesture: Gesture) -> str:
    first = gesture[0]
    if isinstance(first, Draw):
        return f"{'painted' if first.mark.value else 'erased'} {PAINTED[first.mark.layer]}"
    what = PAINTED[first.layer]
    return f"cleared {what}" if first.kind == "clear" else f"filled {what}, {first.kind}"
