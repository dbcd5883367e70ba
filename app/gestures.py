"""What was drawn on a run's maps, gesture by gesture, so that the last can be taken back."""

import itertools
from collections.abc import Iterable

from app.events import Draw, Event, Fill, UndoMap
from kernels import maps
from kernels.maps import Maps
from kernels.scene import Map
from kernels.world import World

Gestures = list[list[Draw | Fill]]


def follow(gestures: Gestures, event: Event) -> None:
    """Notes an event: a dab that begins a gesture, or goes on with one; a fill; or one taken back."""
    match event:
        case Draw():
            if event.begins or not gestures:
                gestures.append([])
            gestures[-1].append(event)
        case Fill():
            gestures.append([event])
        case UndoMap():
            del gestures[-1:]


def drawn(world: World, gestures: Gestures) -> Maps:
    """The world's maps with all gestures on them."""
    scene = maps.rasterise(world.map, world.width, world.height)
    for event in itertools.chain.from_iterable(gestures):
        if isinstance(event, Draw):
            maps.mark(scene, event.mark)
        else:
            maps.fill(scene, event.layer, event.kind)
    return scene


def map_after(world: World, events: Iterable[Event]) -> Map:
    """The map of a world after events, to begin another world with; its own where nothing was drawn."""
    gestures: Gestures = []
    for event in events:
        follow(gestures, event)
    return Map(image=drawn(world, gestures).layers()) if gestures else world.map
