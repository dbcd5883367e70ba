import dataclasses
from pathlib import Path

import moderngl
import numpy as np
import pytest
from PIL import Image

from app.backend import Choice
from app.captures import KINDS, SIZES, Captures, capture_name
from app.display import Display
from app.record import read
from app.stills import Still, draw, save
from app.studio import Studio
from app.view import View
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


@pytest.fixture(autouse=True)
def window(gl: moderngl.Context) -> moderngl.Framebuffer:
    """What a window has bound when it takes captures."""
    window = gl.framebuffer(gl.renderbuffer((9, 9)))
    window.use()
    return window


@pytest.fixture
def display(gl: moderngl.Context, studio: Studio):
    display = Display(gl, WORLD)
    display.upload(studio.session.simulation.trail)
    yield display
    display.release()


def shown(display: Display, studio: Studio, size: int) -> np.ndarray:
    """What a capture of a size in `SIZES` must show."""
    fields = {"field": None, "window": studio.view, "2 x field": View((64, 48), (128, 96))}
    return display.picture(studio.session.params, fields[SIZES[size]])


@pytest.mark.parametrize("fetched", [1000, 1 << 24])
@pytest.mark.parametrize("size", range(len(SIZES)))
def test_a_capture_is_the_picture_and_its_run(
    studio, display, tmp_path, monkeypatch, window, size, fetched
) -> None:
    monkeypatch.setattr("app.captures.capture_folder", lambda: tmp_path)
    monkeypatch.setattr("app.captures.FETCHED", fetched)
    studio.view.target = 91, 70
    studio.view.zoom_at(20, 30, 3)
    studio.capture_size = size
    digest = studio.session.simulation.digest()
    expected = shown(display, studio, size)
    window.use()
    captures = Captures()
    studio.capture()
    captures.serve(studio, display)
    studio.session.advance(5)  # the world moves on while the picture comes over and is written
    display.upload(studio.session.simulation.trail)
    for _ in range(3):
        captures.serve(studio, display)
    ((path, problem),) = captures.close()
    assert problem is None
    assert path.name == f"{capture_name(studio.session.record(''))[:-6]}000030.png"
    np.testing.assert_array_equal(np.asarray(Image.open(path)), expected)
    record = read(path)
    assert (record.digest, record.step, record.world) == (digest, 30, WORLD)


@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_a_capture_may_be_of_another_kind(studio, display, tmp_path, monkeypatch, kind: int) -> None:
    monkeypatch.setattr("app.captures.capture_folder", lambda: tmp_path)
    studio.capture_kind = kind
    _, suffix, bits = KINDS[kind]
    still = Still(tmp_path / f"still{suffix}", display.size, bits)
    session = studio.session
    trail, record = session.simulation.trail, session.record(session.simulation.digest())
    save(still, record, trail, draw(display, session.params, still) if still.is_picture else ())
    captures = Captures()
    studio.capture()
    captures.serve(studio, display)
    ((path, problem),) = captures.close()
    assert problem is None
    assert path.read_bytes() == still.path.read_bytes()


def test_a_trail_of_several_species_has_a_plane_each(gl, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("app.captures.capture_folder", lambda: tmp_path)
    world = dataclasses.replace(WORLD, shares=(1.0, 1.0, 1.0))
    studio = Studio(LOOK, world, Choice("reference", False, "", ""), tmp_path)
    studio.session.advance(9)
    display = Display(gl, world)
    display.upload(studio.session.simulation.trail)
    studio.capture_kind = [suffix for _, suffix, _ in KINDS].index(".npy")
    captures = Captures()
    studio.capture()
    captures.serve(studio, display)
    ((path, _),) = captures.close()
    np.testing.assert_array_equal(np.load(path), studio.session.simulation.trail)
    display.release()


def test_a_capture_leaves_the_window_bound(studio, display, gl, window) -> None:
    captures = Captures()
    studio.capture()
    captures.serve(studio, display)
    assert gl.fbo is window
    captures.close()


def test_what_is_too_large_to_capture_is_refused_in_a_sentence(studio, display, monkeypatch) -> None:
    monkeypatch.setattr("app.captures.largest_target", lambda _context: 100)
    studio.capture_size = SIZES.index("2 x field")
    captures = Captures()
    studio.capture()
    captures.serve(studio, display)
    assert "128 x 96 is too large" in studio.notices.current()[-1]
    assert captures.close() == []


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
    assert studio.notices.current() == ["Too many captures at once; one was dropped."]
    written = [path for path, _ in captures.close() if path]
    assert sorted(written) == sorted(tmp_path.glob("*.png"))
    assert len(written) + captures.dropped == 40
    assert len(written) > 0
