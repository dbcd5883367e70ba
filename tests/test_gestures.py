"""Gestures on the maps taken back: the same bits as if they had never been."""

import dataclasses

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from map_cells import cells

from app import gestures
from app.events import Draw, Event, Fill, UndoMap
from app.gestures import follow
from app.session import Session
from kernels import maps
from kernels.maps import FILLS, POINT, Maps, Mark
from kernels.params import Params
from kernels.scene import LAYERS, Food, Map
from kernels.world import World
from presets import Preset

LUMP = Map((Food(0.3, 0.6, 9.0, 0.6),))
LOOK = Preset("look", "Look", params=Params(decay=0.2), map=LUMP)
WORLD = World(40, 30, 20, "gestures", map=LUMP)

LAYER = st.sampled_from(LAYERS)
MARKS = st.builds(
    Mark,
    LAYER,
    st.integers(-5 * POINT, 45 * POINT),
    st.integers(-5 * POINT, 35 * POINT),
    st.integers(1, 12 * POINT),
    st.integers(0, 100),
    st.integers(0, 255),
)
EVENTS = st.lists(
    st.one_of(
        st.builds(Draw, st.just(0), MARKS, st.booleans()),
        st.builds(Draw, st.just(0), MARKS, st.booleans()),
        st.builds(Fill, st.just(0), LAYER, st.sampled_from(FILLS)),
        st.just(UndoMap(0)),
    ),
    max_size=24,
)


def begun() -> Session:
    return Session(LOOK, WORLD, "reference")


def replayed(events: list[Event]) -> Maps:
    """The maps with only those gestures on them that are left, drawn from the first on."""
    left: list[list[Draw | Fill]] = []
    for event in events:
        follow(left, event)
    scene = maps.rasterise(WORLD.map, WORLD.width, WORLD.height)
    for event in (event for gesture in left for event in gesture):
        if isinstance(event, Draw):
            maps.mark(scene, event.mark)
        else:
            maps.fill(scene, event.layer, event.kind)
    return scene


@pytest.mark.parametrize("kept", [0, 700, gestures.KEPT])
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=EVENTS)
def test_undo_leaves_what_was_never_taken_back(monkeypatch, kept: int, events: list[Event]) -> None:
    """Whatever is remembered of what gestures covered, and by whatever door the events come."""
    monkeypatch.setattr(gestures, "KEPT", kept)
    session = begun()
    for number, event in enumerate(events):
        session.apply(event)
        np.testing.assert_array_equal(cells(session.simulation.maps), cells(replayed(events[: number + 1])))
    again = begun()
    again.restart(script=events)
    again.advance(0)
    np.testing.assert_array_equal(cells(again.simulation.maps), cells(session.simulation.maps))
    assert again.log == session.log == events
    while again.painted:  # what a replay remembers is as good
        again.undo_map()
        np.testing.assert_array_equal(cells(again.simulation.maps), cells(replayed(again.log)))


def dab(x: int, layer: str = "food") -> Mark:
    return Mark(layer, x * POINT, 15 * POINT, 3 * POINT, 50, 200)


@pytest.fixture
def redrawn(monkeypatch) -> list[int]:
    """How many gestures were drawn anew, each time that they were."""
    calls = []
    draw = gestures._draw

    def note(world: World, drawn: gestures.Drawn) -> Maps:
        calls.append(len(drawn))
        return draw(world, drawn)

    monkeypatch.setattr(gestures, "_draw", note)
    return calls


def test_nothing_is_drawn_anew_while_it_is_remembered(redrawn) -> None:
    session = begun()
    for x in range(0, 40, 4):
        session.mark(dab(x), dab(x + 2, "wall"), begins=True)
    for _ in range(5):
        session.undo_map()
    session.mark(dab(7, "mask"), begins=False)  # goes on with the gesture before
    session.fill("mask", "radial")
    while session.painted:
        session.undo_map()
    assert redrawn == []
    np.testing.assert_array_equal(cells(session.simulation.maps), cells(begun().simulation.maps))


def test_what_is_remembered_has_an_end_and_undo_has_none(monkeypatch, redrawn) -> None:
    monkeypatch.setattr(gestures, "KEPT", 100)  # of two dabs' rectangles, 6 x 6 px
    session = begun()
    for x in range(4, 36, 4):
        session.mark(dab(x, "mask"), begins=True)
    kept = session._gestures.covered
    assert [part.shape for covered in kept for _, part in covered.values()] == [(6, 6)] * 2
    while session.painted:
        session.undo_map()
    assert redrawn == [4, 3, 2, 1, 0]
    assert not session.simulation.maps.mask.any()


def test_a_gesture_that_fails_is_none(monkeypatch) -> None:
    session = begun()
    session.mark(dab(9), begins=True)
    before = cells(session.simulation.maps)

    def out_of_memory(*_: object) -> None:
        raise MemoryError("no memory for this dab.")

    with monkeypatch.context() as patch:
        patch.setattr(session.simulation, "mark", out_of_memory)
        with pytest.raises(MemoryError):
            session.mark(dab(20, "wall"), begins=True)
    with pytest.raises(ValueError, match="dots"):
        session.fill("mask", "dots")
    assert session.log == [Draw(0, dab(9), True)]
    session.mark(dataclasses.replace(dab(12), value=90), begins=False)
    session.undo_map()
    assert not session.painted
    np.testing.assert_array_equal(cells(session.simulation.maps), cells(begun().simulation.maps))
    assert (before != cells(session.simulation.maps)).any()
