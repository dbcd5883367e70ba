from pathlib import Path

import moderngl
import numpy as np
import pytest
from PIL import Image

from app.backend import Choice
from app.captures import Captures, capture_name
from app.display import Display
from app.record import read
from app.studio import Studio
from kernels.params import Params
from kernels.world import World
from presets import Preset

WORLD = World(64, 48, 600, "a/b: c")
LOOK = Preset("look", "Look", density=0.2, params=Params(sensor_angle=50.0))


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    studio = Studio(LOOK, WORLD, Choice("reference", False, "", ""), tmp_path)
    studio.session.advance(30)
    return studio


@pytest.fixture
def display(gl: moderngl.Context, studio: Studio):
    display = Display(gl, WORLD)
    display.upload(studio.session.simulation.trail)
    yield display
    display.release()


@pytest.mark.parametrize("at_window_size", [False, True])
def test_a_capture_is_the_picture_and_its_run(studio, display, tmp_path, monkeypatch, at_window_size) -> None:
    monkeypatch.setattr("app.captures.capture_folder", lambda: tmp_path)
    studio.view.target = 90, 70
    studio.view.zoom_at(20, 30, 3)
    studio.capture_at_window_size = at_window_size
    digest = studio.session.simulation.digest()
    captures = Captures()
    studio.capture()
    captures.serve(studio, display)
    shown = display.picture(studio.session.params, studio.view if at_window_size else None)
    studio.session.advance(5)  # the world moves on while the file is written
    ((path, problem),) = captures.close()
    assert problem is None
    assert path.name == f"{capture_name(studio.session.record(''))[:-6]}000030.png"
    np.testing.assert_array_equal(np.asarray(Image.open(path)), shown)
    record = read(path)
    assert (record.digest, record.step, record.world) == (digest, 30, WORLD)


def test_a_capture_that_fails_says_so_and_leaves_nothing(studio, display, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("app.captures.capture_folder", lambda: tmp_path / "missing")
    captures = Captures()
    studio.capture()
    captures.serve(studio, display)
    ((path, problem),) = captures.close()
    assert path is None
    assert "missing" in problem
    assert list(tmp_path.iterdir()) == []


def test_more_captures_than_can_be_written_are_counted_out(studio, display, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("app.captures.capture_folder", lambda: tmp_path)
    captures = Captures()
    for _ in range(40):
        studio.capture()
    captures.serve(studio, display)
    problems = [problem for _, problem in captures.close() if problem]
    written, dropped = len(list(tmp_path.glob("*.png"))), captures.writer.dropped
    assert problems == []
    assert written + dropped == 40
