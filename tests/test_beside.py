"""A step in a thread: what waits for it, and what need not."""

import threading

import moderngl
import numpy as np
import pytest

from app.backend import Choice
from app.session import Session
from app.stage import Stage
from kernels.params import Params
from kernels.stroke import Stroke
from kernels.world import World
from presets import Preset

WORLD = World(48, 40, 400, "beside")


class Held:
    """A session whose steps go on when they are told."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.session = Session(Preset("", "Look"), WORLD, "reference")
        self.go = threading.Event()
        step = self.session.living.step

        def held(*arguments: int) -> None:
            assert self.go.wait(60)
            step(*arguments)

        monkeypatch.setattr(self.session.living, "step", held)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    return Held(monkeypatch)


def test_a_step_beside_is_a_step(held: Held) -> None:
    session = held.session
    held.go.set()
    for _ in range(20):
        session.step_beside()
    assert session.simulation.steps == 20
    plain = Session(Preset("", "Look"), WORLD, "reference")
    plain.advance(20)
    assert plain.simulation.digest() == session.simulation.digest()


def test_changes_wait_for_the_step_and_nobody_for_them(held: Held) -> None:
    session = held.session
    session.step_beside()
    assert session.under_way()
    assert session.under_way(0.001)
    session.change(decay=0.3)
    session.change(decay=0.4, wander=5.0)
    assert (session.params.decay, session.params.wander) == (0.4, 5.0)
    assert session.living.params == Params()
    assert session.log == []
    with pytest.raises(ValueError, match="decay"):
        session.change(decay=7.0)
    held.go.set()
    assert not session.under_way(60)
    session.advance(3)
    (event,) = session.log
    assert (event.step, event.values) == (1, {"decay": 0.4, "wander": 5.0})
    again = Session(Preset("", "Look"), WORLD, "reference")
    again.script.extend(session.log)
    again.advance(4)
    assert again.simulation.digest() == session.simulation.digest()


@pytest.mark.parametrize("what", ["paint", "restart", "record", "simulation", "fill", "advance"])
def test_all_else_waits_for_the_step(held: Held, what: str) -> None:
    session = held.session
    session.step_beside()
    session.change(decay=0.4)
    threading.Timer(0.05, held.go.set).start()
    match what:
        case "paint":
            session.paint(Stroke(100, 100, 500, 1000))
            assert [event.step for event in session.log] == [1, 1]
        case "restart":
            session.restart()
            assert (session.steps, session.log, session.params.decay) == (0, [], 0.4)
        case "record":
            record = session.record("")
            assert (record.step, len(record.events)) == (1, 1)
        case "simulation":
            assert session.simulation.steps == 1
        case "fill":
            session.fill("food", "radial")
            assert [event.step for event in session.log] == [1, 1]
        case "advance":
            session.advance(2)
            assert session.steps == 3
    assert not session.under_way()


def test_an_error_of_a_step_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(Preset("", "Look"), WORLD, "reference")

    def fails(*_: int) -> None:
        raise MemoryError("no room")

    monkeypatch.setattr(session.living, "step", fails)
    session.step_beside()
    with pytest.raises(MemoryError, match="no room"):
        session.wait()
    session.wait()
    assert np.all(session.simulation.trail == 0)


def test_what_steps_beside_leave_in_the_memory_of_age_is_what_others_do(gl: moderngl.Context) -> None:
    preset = Preset("", "Look", params=Params(colour_by="age", auto_exposure=1.0))
    pictures = []
    screen = gl.simple_framebuffer((8, 8))
    for way in ("in frames", "both"):
        stage, session = (
            Stage(gl, Choice("reference", False, "", ""), WORLD),
            Session(preset, WORLD, "reference"),
        )
        stage.step(session, 0)
        for number in range(16):
            if way == "both" and number % 4 < 2:
                for _ in range(5):
                    session.step_beside()
                    session.wait()
                    if (number % 4, session.steps % 5) != (1, 0):  # the last is seen with those after it
                        stage.step(session, 0)
            else:
                stage.step(session, 5)
        pictures.append(stage.display.picture(session.look))
        screen.use()
        stage.release()
    assert pictures[0].std() > 1
    np.testing.assert_array_equal(*pictures)
