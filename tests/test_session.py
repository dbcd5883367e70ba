import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.record import Change, Paint
from app.session import Session
from kernels.params import Params
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
