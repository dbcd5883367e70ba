"""Moments: a run goes on from them bit for bit, they share a budget, and the clock takes them in time."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from app.backend import Choice
from app.moments import Kept, Moment, Moments, expected, size
from app.record import from_text, to_text
from app.session import Session
from app.studio import Studio
from kernels.maps import Mark
from kernels.params import Params, check_params
from kernels.stroke import Stroke
from kernels.world import World
from presets import Preset

WORLD = World(64, 48, 600, "moments", (1.0, 2.0))
LOOK = Preset(
    "look",
    "Look",
    params=check_params({"decay": 0.2, "joins": "2", "auto_exposure": 1.0}),
    shares=WORLD.shares,
)
CHOICE = Choice("reference", False, "NumPy", "for a test")
WALL = Mark("wall", 16 * 256, 16 * 256, 5 * 256, 100, 255)
DAB = Stroke(9000, 5000, 2000, 2**20)


@pytest.fixture
def session() -> Session:
    return lived(Session(LOOK, WORLD, "reference"))


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    return Studio(LOOK, WORLD, CHOICE, tmp_path)


def lived(session: Session) -> Session:
    """With all kinds of events behind it."""
    session.advance(3)
    session.change(sensor_angle=70.0)
    session.paint(DAB)
    session.mark(WALL, begins=True)
    session.advance(40)
    session.fill("mask", "left to right")
    session.set_other(Params(step_size=2.0))
    session.advance(2)
    return session


def goes_on(session: Session) -> str:
    session.advance(5)
    session.undo_map()
    session.change(decay=0.4)
    session.advance(4)
    return session.simulation.digest()


def test_a_run_goes_on_from_a_moment_and_its_log_repeats_it_from_the_beginning(session) -> None:
    moment, look = session.moment(), session.look
    expected_digest = goes_on(session)
    log = tuple(session.log)
    for other in session, Session(Preset("", "Other"), World(32, 40, 5), "reference"):
        other.return_to(moment)
        assert (other.steps, other.params, other.other) == (moment.step, moment.params, moment.other)
        assert other.look == look
        assert len(other.drawn) == 2
        assert goes_on(other) == expected_digest
        assert tuple(other.log) == log
    again = Session(LOOK, WORLD, "reference")
    record = from_text(to_text(session.record("")), "the test")
    again.restart_from(record)
    again.advance(record.step)
    assert again.simulation.digest() == expected_digest


def test_a_moment_stays_as_it_is(session) -> None:
    moment = session.moment()
    parts = *moment.snapshot.parts, moment.maps.food, moment.maps.wall, moment.maps.mask
    held = [part.copy() for part in parts]
    session.return_to(moment)
    for _ in range(2):
        goes_on(session)
        session.fill("food", "radial")
        session.return_to(moment)
    for part, before in zip(parts, held, strict=True):
        np.testing.assert_array_equal(part, before)
    assert len(moment.events) == len(session.log)


def test_a_script_goes_on_too(session) -> None:
    record = session.record("")
    session.restart(record.preset, record.world, record.events)
    session.advance(20)
    moment = session.moment()
    session.advance(25)
    digest = session.simulation.digest()
    assert digest != Session(LOOK, WORLD, "reference").simulation.digest()
    session.return_to(moment)
    session.advance(25)
    assert session.simulation.digest() == digest
    assert tuple(session.log) == record.events


def test_maps_that_did_not_change_are_counted_once(session) -> None:
    first = session.moment()
    session.advance(1)
    second = session.moment()
    assert first.maps is second.maps
    assert size([first]) == expected(session.world) + 8 * len(session.log)
    assert size([first, second]) == 2 * size([first]) - 3 * 64 * 48
    session.mark(WALL, begins=True)
    assert session.moment().maps is not second.maps


def kept_in(moments: Moments, *by: str) -> list[Kept]:
    session = Session(LOOK, WORLD, "reference")
    found = []
    for each in by:
        session.advance(1)
        session.mark(dataclasses.replace(WALL, x=session.steps * 256), begins=True)
        found.append(moments.keep(session.moment(), each))  # type: ignore[arg-type]
    return found


def test_the_budget_drops_the_oldest_first_and_those_of_hand_last() -> None:
    moments = Moments()
    moments.budget = 3 * expected(WORLD) + 1000  # some of it for events
    hand, undo, _, later, last = kept_in(moments, "hand", "undo", "clock", "clock", "clock")
    assert moments.strip == [hand, later, last]
    assert moments.size <= moments.budget
    assert isinstance(hand.moment, Moment)
    kept_in(moments, "hand", "hand")
    assert [kept.by for kept in moments.strip] == ["hand"] * 3
    assert last not in moments.strip
    assert not isinstance(undo.moment, Moment)  # what is left begins again, with its look and what was drawn
    assert (undo.moment.step, undo.moment.preset.params) == (0, LOOK.params)
    assert len(undo.moment.events) == 2
    moments.budget = expected(WORLD) + 1000
    moments.fit()
    assert len(moments.strip) == 1


def test_small_worlds_do_not_fill_the_strip_without_end(monkeypatch) -> None:
    monkeypatch.setattr("app.moments.MOST", 3)
    moments = Moments()
    found = kept_in(moments, "hand", "clock", "clock", "undo", "clock", "clock", "clock")
    assert moments.strip == [found[0], *found[-3:]]
    assert len({kept.number for kept in found}) == len(found)


def test_one_is_told_when_the_oldest_go(studio) -> None:
    studio.moments.budget = 2 * expected(WORLD) + 1000
    for _ in range(3):
        studio.session.mark(WALL, begins=True)
        studio.snapshot()
        studio.session.advance(1)
    said = studio.notices.current()
    assert "1 older went" in said[-1]
    assert "went" not in said[-2]


def test_what_is_larger_than_the_budget_is_refused_in_a_sentence(studio) -> None:
    studio.moments.budget = expected(WORLD) - 1
    studio.snapshot()
    assert studio.moments.strip == []
    assert "takes" in studio.notices.current()[-1]
    studio.follow_clock(1e9)
    assert studio.moments.strip == []


def test_the_clock_keeps_moments_while_the_world_goes_on(studio) -> None:
    strip = lambda: [kept.moment.step for kept in studio.moments.strip]  # noqa: E731
    studio.follow_clock(100.0)
    studio.session.advance(3)
    studio.follow_clock(104.0)
    assert strip() == [0]
    studio.follow_clock(106.0)
    studio.follow_clock(120.0)  # nothing has happened
    assert strip() == [0, 3]
    studio.toggle_pause()
    studio.single_step()
    studio.session.advance(1)
    studio.follow_clock(140.0)
    assert strip() == [0, 3]
    studio.toggle_pause()
    studio.moments.seconds = 0.0
    studio.follow_clock(160.0)
    assert strip() == [0, 3]


def test_the_clock_takes_no_more_than_a_hundredth_of_the_time() -> None:
    moments = Moments()
    moments.taken(WORLD, 1, now=10.0, cost=0.2)
    assert not moments.due(WORLD, 2, now=29.9)
    assert moments.due(WORLD, 2, now=30.0)


def test_back_to_the_last_moment_and_farther(studio, monkeypatch) -> None:
    monkeypatch.setattr("app.rewinder.SOON", 12)
    studio.go_back()
    assert "no snapshot" in studio.notices.current()[-1]
    for now in 0.0, 10.0:
        studio.follow_clock(now)
        studio.session.advance(4)
    studio.go_back()
    assert studio.session.steps == 4
    studio.restart()
    for number in range(3):
        studio.session.advance(20)
        studio.snapshot()
        studio.follow_clock(20.0 + 10 * number)
    studio.session.advance(5)
    steps = []
    for later in (0, 0, 5, 15, 0, 0, 0):
        studio.session.advance(later)
        studio.go_back()
        steps.append(studio.session.steps)
    assert steps == [60, 40, 20, 60, 40, 20, 20]
    studio.undo()
    studio.undo()
    assert studio.session.steps == 40


def test_a_moment_of_another_size_is_gone_back_to_if_there_is_room(studio, monkeypatch) -> None:
    studio.session.advance(9)
    digest = studio.session.simulation.digest()
    studio.snapshot()
    small = World(32, 32, 100)
    assert studio.rebuild(small)
    monkeypatch.setattr("app.backend.free_memory", lambda backend: 1000)
    studio.go_back()
    assert "GiB" in studio.notices.current()[-1]
    assert studio.session.world == small
    assert len(studio.history.entries) == 1
    monkeypatch.undo()
    studio.go_back()
    assert studio.session.world == WORLD
    assert studio.view.field == (64, 48)
    assert studio.session.simulation.digest() == digest
