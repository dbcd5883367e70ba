import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.events import Change, Draw, Fill, Other, Paint, UndoMap
from app.record import from_text, to_text
from app.session import Session
from kernels.maps import Mark
from kernels.params import Params, check_params
from kernels.scene import Food, Map, Start
from kernels.stroke import Stroke
from kernels.world import World
from presets import Preset

WORLD = World(40, 30, 300, "session")
LOOK = Preset(name="look", title="Look", credit="", density=0.25, params=Params(decay=0.2))
DAB = Stroke(20 * 256, 15 * 256, 8 * 256, 3 << 20)


@pytest.fixture
def session() -> Session:
    return Session(LOOK, WORLD, "reference")


def tweaked(session: Session) -> None:
    session.advance(7)
    session.change(decay=0.05, sensor_angle=80.0)
    session.advance(3)
    session.paint(DAB)
    session.change(exposure=3.0)
    session.paint(dataclasses.replace(DAB, strength=-(1 << 19)))
    session.advance(9)


def test_a_tweaked_run_repeats_from_its_record(session: Session) -> None:
    tweaked(session)
    digest = session.simulation.digest()
    record = session.record(digest)
    other = Session(dataclasses.replace(LOOK, params=Params()), World(16, 16, 5), "reference")
    other.restart_from(record)
    other.advance(record.step)
    assert other.simulation.digest() == digest
    assert other.params == session.params
    assert other.log == session.log
    assert other.record(digest) == record


@given(st.lists(st.integers(0, 9), max_size=8))
@settings(max_examples=25, deadline=None)
def test_a_replay_may_be_taken_in_any_portions(portions: list[int]) -> None:
    first = Session(LOOK, WORLD, "reference")
    tweaked(first)
    record = first.record("")
    again = Session(LOOK, WORLD, "reference")
    again.restart_from(record)
    for portion in portions:
        again.advance(min(portion, record.step - again.steps))
    again.advance(record.step - again.steps)
    assert again.simulation.digest() == first.simulation.digest()
    assert again.log == first.log


def test_events_after_the_last_step_belong_to_the_record(session: Session) -> None:
    session.advance(4)
    session.paint(DAB)
    record = session.record("")
    assert record.events == (Paint(4, DAB),)
    again = Session(LOOK, WORLD, "reference")
    again.restart_from(record)
    again.advance(4)
    assert again.simulation.digest() == session.simulation.digest()


def test_a_drag_within_one_step_is_one_event(session: Session) -> None:
    for angle in (10.0, 20.0, 30.5):
        session.change(sensor_angle=angle)
    session.change(decay=0.3)
    assert session.log == [Change(0, {"sensor_angle": 30.5, "decay": 0.3})]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"decay": float("nan")}, "decay = nan is not allowed; it takes from 0.001 to 0.95 per step."),
        ({"decay": 2.0}, "decay = 2.0 is not allowed"),
        ({"steps_per_frame": 1.5}, "a whole number from 1 to 64"),
        ({"palette": "mud"}, "it takes one of embers"),
        ({"speed": 1.0}, "speed is not a parameter"),
    ],
)
def test_a_bad_change_is_refused_whole(session: Session, values: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        session.change(**{"sensor_angle": 11.0}, **values)
    assert session.params == LOOK.params
    assert session.log == []


def test_restart_keeps_the_parameters_and_empties_the_log(session: Session) -> None:
    tweaked(session)
    params = session.params
    session.restart()
    assert (session.steps, session.log, session.params) == (0, [], params)
    assert session.preset.params == params
    fresh = Session(dataclasses.replace(LOOK, params=params), WORLD, "reference")
    session.advance(5)
    fresh.advance(5)
    assert session.simulation.digest() == fresh.simulation.digest()


def test_restart_with_another_seed_size_and_number(session: Session) -> None:
    for world in (dataclasses.replace(WORLD, seed="other"), World(33, 44, 55, "x"), WORLD):
        session.restart(world=world)
        session.advance(5)
        fresh = Session(LOOK, world, "reference")
        fresh.advance(5)
        assert session.simulation.digest() == fresh.simulation.digest()
        assert session.world == world


RICH = Preset(
    "rich", "Rich", "", 0.25, Params(decay=0.2, lifetime=9.0), ("war",), (1.0, 2.0),
    Start("ring in"), Map((Food(0.5, 0.5, 8.0),)), Params(step_size=2.0),
)  # fmt: skip
WALL = Mark("wall", 9 * 256, 9 * 256, 5 * 256, 100, 255)
FOOD = Mark("food", 30 * 256, 20 * 256, 9 * 256, 20, 200)


def painted(session: Session) -> None:
    session.advance(3)
    session.paint(dataclasses.replace(DAB, species=1))
    session.mark(WALL, begins=True)
    session.mark(dataclasses.replace(WALL, y=15 * 256), begins=False)
    session.advance(2)
    session.fill("mask", "left to right")
    session.set_other(check_params({"sensor_angle": 90.0, "decay_2": 0.5}))
    session.advance(4)
    session.mark(FOOD, begins=True)
    session.undo_map()
    session.mark(FOOD, begins=True)
    session.advance(3)


def test_a_run_with_species_maps_and_two_looks_repeats_from_its_record() -> None:
    session = Session(RICH, RICH.world(40, 30), "reference")
    painted(session)
    record = session.record(session.simulation.digest())
    again = Session(LOOK, WORLD, "reference")
    again.restart_from(from_text(to_text(record), "a.png"))
    again.advance(record.step)
    assert again.record(again.simulation.digest()) == record
    assert again.other == session.other
    for layer in ("food", "wall", "mask"):
        drawn = [getattr(run.simulation.maps, layer) for run in (session, again)]
        np.testing.assert_array_equal(*drawn)
        assert drawn[0].any()


def test_gestures_are_taken_back_one_by_one() -> None:
    session = Session(RICH, RICH.world(40, 30), "reference")
    maps = [copied(session)]
    for gesture in (
        lambda: (session.mark(WALL, begins=True), session.mark(FOOD, begins=False)),
        lambda: session.fill("mask", "radial"),
        lambda: session.mark(dataclasses.replace(WALL, value=0), begins=False),  # goes on with the fill
        lambda: session.mark(FOOD, begins=True),
    ):
        gesture()
        maps.append(copied(session))
    assert session.painted
    for before in (maps[3], maps[1], maps[0]):
        assert session.undo_map()
        np.testing.assert_array_equal(copied(session), before)
    assert not session.painted
    assert not session.undo_map()
    kinds = [type(event) for event in session.log]
    assert kinds == [Draw, Draw, Fill, Draw, Draw, UndoMap, UndoMap, UndoMap]
    session.advance(4)
    fresh = Session(RICH, RICH.world(40, 30), "reference")
    fresh.advance(4)
    assert session.simulation.digest() == fresh.simulation.digest()


def copied(session: Session) -> np.ndarray:
    maps = session.simulation.maps
    return np.stack([maps.food, maps.wall, maps.mask])


def test_the_end_of_a_drag_is_kept_of_the_other_look_too(session: Session) -> None:
    for step_size in (2.0, 3.0):
        session.set_other(Params(step_size=step_size))
    session.change(decay=0.5)
    session.set_other(None)
    assert session.log == [Other(0, Params(step_size=3.0)), Change(0, {"decay": 0.5}), Other(0, None)]


def test_a_restart_keeps_the_other_look_and_a_preset_brings_its_own() -> None:
    session = Session(RICH, RICH.world(40, 30), "reference")
    other = Params(wander=9.0)
    session.set_other(other)
    session.restart()
    assert session.other == session.preset.other == other
    session.restart(LOOK)
    assert (session.other, session.world.shares, session.world.start) == (None, (1.0,), Start())
    assert session.world.agents == 300
    session.restart(RICH)
    assert session.other == RICH.other
    assert (session.world.shares, session.world.map) == (RICH.shares, RICH.map)


def test_a_record_holds_what_the_run_began_with() -> None:
    world = dataclasses.replace(RICH.world(40, 30), start=Start("disc"), shares=(1.0, 1.0))
    session = Session(RICH, world, "reference")
    assert session.preset == dataclasses.replace(RICH, start=world.start, shares=world.shares)
    session.change(decay=0.5)
    session.preset = dataclasses.replace(LOOK, tags=("veins",))  # a look put on the living agents
    preset = session.record("").preset
    assert (preset.name, preset.tags) == ("look", ("veins",))
    assert (preset.params, preset.other) == (RICH.params, RICH.other)
    assert preset.world(40, 30, agents=world.agents) == world
