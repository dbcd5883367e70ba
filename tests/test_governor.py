"""The governor on machines of known speed."""

import math
from pathlib import Path

import pytest

from app.backend import Choice
from app.governor import Governor
from app.session import Session
from app.studio import Studio
from kernels.params import Params
from kernels.world import World
from presets import Preset

WANTED = 1 / 60
WORLD = World(48, 40, 400, "governor")


class Machine:
    """Frames of a world whose steps, drawing and screen take what they take."""

    def __init__(self, step: float, drawing: float = 0.004, vsync: bool = True) -> None:
        self.step, self.drawing, self.vsync = step, drawing, vsync
        self.governor = Governor()
        self.frame = WANTED

    def run(self, due: int, seconds: float) -> tuple[float, float]:
        """Steps a frame and frames a second, of the last half of the time."""
        now, done = 0.0, []
        while now < seconds:
            steps = self.governor.allow(due, self.frame, self.step, WANTED)
            assert 1 <= steps <= due
            self.frame = steps * self.step + self.drawing
            if self.vsync:
                self.frame = math.ceil(self.frame / WANTED) * WANTED
            now += self.frame
            if now > seconds / 2:
                done.append(steps)
        return sum(done) / len(done), len(done) / (seconds / 2)


@pytest.mark.parametrize("vsync", [False, True])
def test_a_fast_machine_does_all_that_is_asked(vsync: bool) -> None:
    machine = Machine(0.001, vsync=vsync)
    assert machine.run(8, 5)[0] == 8
    assert machine.governor.told == ""


@pytest.mark.parametrize("vsync", [False, True])
@pytest.mark.parametrize("step", [0.0003, 0.002, 0.004])
def test_a_slow_machine_does_what_fits(vsync: bool, step: float) -> None:
    machine = Machine(step, vsync=vsync)
    steps, frames = machine.run(100, 20)
    fits = (WANTED - machine.drawing) / step
    assert 0.85 * math.floor(fits) <= steps <= 1.2 * fits
    assert frames > 50
    assert machine.governor.told == f"{machine.governor.done:.2g} of 100 steps a frame"


def test_at_least_one_step_is_done() -> None:
    machine = Machine(0.1)
    assert machine.run(8, 20)[0] == 1
    assert machine.governor.told == "1 of 8 steps a frame"


def test_what_is_late_for_another_reason_costs_at_most_half_a_frame_of_steps() -> None:
    machine = Machine(0.002, drawing=0.05)
    assert machine.run(8, 20)[0] == pytest.approx(WANTED / 2 / 0.002, abs=1)
    cheap = Machine(0.0001, drawing=0.05)
    assert cheap.run(8, 20)[0] == 8


def test_it_follows_a_machine_that_gets_slower_and_faster() -> None:
    machine = Machine(0.001)
    assert machine.run(8, 5)[0] == 8
    machine.step = 0.004
    assert machine.run(8, 10)[0] <= 3.2
    machine.step = 0.001
    assert machine.run(8, 10)[0] >= 7
    assert machine.run(12, 10)[0] >= 11
    machine.drawing = 0.010
    assert machine.run(12, 10)[0] <= 8.5
    machine.drawing = 0.004
    assert machine.run(12, 60)[0] >= 11, "the steps cost the same, so it has to try"


def test_a_single_long_frame_changes_nothing() -> None:
    machine = Machine(0.001)
    machine.run(8, 2)
    machine.frame = 0.2
    assert machine.governor.allow(8, 0.2, 0.001, WANTED) == 8
    assert machine.run(8, 2)[0] == 8


def test_steps_longer_than_a_frame_go_beside() -> None:
    governor = Governor()
    assert governor.allow(8, WANTED, 0.1, WANTED) == 8
    assert not governor.beside
    assert governor.allow(8, WANTED, 0.1, WANTED, may_go_beside=True) == 1
    assert governor.beside
    for _ in range(4):
        governor.allow(8, WANTED, 0.1, WANTED, True)
    governor.began_beside()
    assert governor.told == "0.2 of 8 steps a frame"
    governor.allow(8, WANTED, 0.6 * WANTED, WANTED, True)
    assert governor.beside, "not to and fro"
    governor.allow(8, WANTED, 0.4 * WANTED, WANTED, True)
    assert not governor.beside
    governor.allow(8, WANTED, 0.1, WANTED, True)
    assert governor.let(8) == 8
    assert not governor.beside


@pytest.fixture
def studio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Studio:
    """One whose steps are said to take as long as three frames."""
    studio = Studio(
        Preset("", "Look", params=Params(steps_per_frame=6)),
        WORLD,
        Choice("reference", False, "", ""),
        tmp_path,
    )
    studio.session.living.buffers.step_seconds = 3 * WANTED
    return studio


def test_a_studio_adapts_and_a_recording_does_not(studio: Studio) -> None:
    assert studio.steps_allowed(WANTED) == 1, "nobody knows what a step costs"
    studio.session.advance(1)
    studio.session.living.buffers.step_seconds = 3 * WANTED
    assert studio.steps_allowed(WANTED) == 1
    assert studio.governor.beside
    studio.settings.frames = 10
    assert studio.steps_allowed(WANTED) == 6
    assert not studio.governor.beside
    studio.settings.frames = 0
    studio.recording = True
    assert studio.steps_allowed(1.0) == 6
    assert not studio.governor.beside
    studio.recording = False
    studio.paused = True
    studio.single_steps = 2
    assert studio.steps_allowed(WANTED) == 2


def test_what_is_adapted_is_no_event(studio: Studio) -> None:
    plain = Session(studio.session.preset, WORLD, "reference")
    for frame in range(60):
        if frame % 2:
            studio.session.step_beside()
        else:
            studio.session.advance(studio.steps_allowed(0.1))
    studio.session.wait()
    assert studio.session.log == []
    plain.advance(studio.session.steps)
    assert plain.simulation.digest() == studio.session.simulation.digest()
