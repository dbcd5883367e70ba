"""What was drawn on a run's maps, gesture by gesture, so that the last can be taken back."""

import dataclasses
import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from app.events import Draw, Event, Fill, UndoMap
from kernels import maps
from kernels.maps import Bytes, Maps, Patch
from kernels.scene import Map
from kernels.world import World

KEPT = 2**26  # bytes of what gestures covered; what is older is found again by drawing all that came before

Drawn = list[list[Draw | Fill]]  # the events of each gesture
Covered = dict[str, tuple[Patch, Bytes]]  # of each layer, the cells a gesture changed, as they were before


class Gestures:
    """The gestures on a world's maps, and what the last of them covered.

    A gesture's layers are copied before it first touches them; when the next one begins, only the rectangle
    that changed is kept of each. Taking back puts it there again, the same bits as if all other gestures
    were drawn anew, which would take the longer the more there are.

    Args:
        world: Whose maps are drawn on.

    Attributes:
        drawn: The gestures that there are.
        before: The layers the last one touched, as they were before it; None where that is not known.
        covered: What those before it covered, the latest last. The oldest may be missing.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.drawn: Drawn = []
        self.before: dict[str, Bytes] | None = None
        self.covered: list[Covered] = []

    def take_over(self, events: Iterable[Event]) -> None:
        """Notes the gestures of a log that others have drawn."""
        for event in events:
            follow(self.drawn, event)

    def copies(self, events: Sequence[Draw | Fill], now: Maps) -> dict[str, Bytes]:
        """What `add` needs: the layers that events are about to touch, unless their gesture did before.

        Args:
            events: They belong to one gesture, which may have begun earlier.
            now: The maps without them.
        """
        before = {} if _begins(events[0], self.drawn) else self.before
        if before is None:
            return {}
        return {layer: getattr(now, layer).copy() for layer in {*map(_layer, events)}.difference(before)}

    def add(self, events: Sequence[Draw | Fill], copies: dict[str, Bytes], now: Maps) -> None:
        """Notes events.

        Args:
            events: They belong to one gesture, which may have begun earlier.
            copies: What the method of that name gave.
            now: The maps with the events on them.
        """
        if not _begins(events[0], self.drawn):
            if self.before is not None:
                self.before |= copies
        else:
            if self.before is not None:
                self._cover(self.before, dataclasses.replace(now, **copies))
            self.before = copies
        for event in events:
            follow(self.drawn, event)

    def _cover(self, before: dict[str, Bytes], after: Maps) -> None:
        """Keeps what a gesture changed, and drops the oldest where that becomes too much."""
        self.covered.append({layer: _changed(was, getattr(after, layer)) for layer, was in before.items()})
        size = sum(cells.nbytes for covered in self.covered for _, cells in covered.values())
        while size > KEPT:
            size -= sum(cells.nbytes for _, cells in self.covered.pop(0).values())

    def take_back(self, now: Maps) -> Maps:
        """Takes the last gesture back, if there is one.

        Args:
            now: The maps with it.

        Returns:
            The maps without it.
        """
        del self.drawn[-1:]
        if self.before is None:
            return _draw(self.world, self.drawn)
        then = dataclasses.replace(now, **self.before)
        self.before = None
        if self.covered:
            self.before = {layer: getattr(then, layer).copy() for layer in self.covered[-1]}
            for layer, (patch, cells) in self.covered.pop().items():
                self.before[layer][patch] = cells
        return then


def _layer(event: Draw | Fill) -> str:
    return event.mark.layer if isinstance(event, Draw) else event.layer


def _begins(event: Draw | Fill, drawn: Drawn) -> bool:
    """Whether a gesture begins with an event; with a fill it always does."""
    return isinstance(event, Fill) or event.begins or not drawn


def _changed(was: Bytes, now: Bytes) -> tuple[Patch, Bytes]:
    """The least rectangle of a layer [H, W] outside of which nothing changed, and what was in it."""
    differs = was != now
    patch = tuple(_span(np.flatnonzero(differs.any(axis))) for axis in (1, 0))
    return patch, was[patch].copy()


def _span(cells: np.ndarray) -> slice:
    return slice(cells[0], cells[-1] + 1) if len(cells) else slice(0)


def follow(drawn: Drawn, event: Event) -> None:
    """Notes an event: a dab that begins a gesture, or goes on with one; a fill; or one taken back."""
    match event:
        case Draw() | Fill():
            if _begins(event, drawn):
                drawn.append([])
            drawn[-1].append(event)
        case UndoMap():
            del drawn[-1:]


def drawn_by(events: Iterable[Event]) -> list[Draw | Fill]:
    """What a log's events have drawn on the maps and not taken back, in order."""
    drawn: Drawn = []
    for event in events:
        follow(drawn, event)
    return list(itertools.chain.from_iterable(drawn))


def _draw(world: World, drawn: Drawn) -> Maps:
    """The world's maps with all gestures on them."""
    scene = maps.rasterise(world.map, world.width, world.height)
    for event in itertools.chain.from_iterable(drawn):
        if isinstance(event, Draw):
            maps.mark(scene, event.mark)
        else:
            maps.fill(scene, event.layer, event.kind)
    return scene


def map_after(world: World, events: Iterable[Event]) -> Map:
    """The map of a world after events, to begin another world with; its own where nothing was drawn."""
    drawn: Drawn = []
    for event in events:
        follow(drawn, event)
    return Map(image=_draw(world, drawn).layers()) if drawn else world.map
