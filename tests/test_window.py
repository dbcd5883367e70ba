"""The real window on a real X server (Xvfb), with real key and mouse events."""

import gc
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import moderngl_window
import numpy as np
import pytest
from hand import SCREEN, Hand, x_server
from imgui_bundle import imgui

from app import sliders
from app.backend import choose
from app.record import read
from app.window import Window
from kernels.params import Params, Spec, Value
from kernels.world import World
from presets import Preset

SIZE = 900, 600
WORLD = World(450, 300, 20_000, "window")
LOOK = Preset(name="look", title="Look", credit="", density=0.15, params=Params(sensor_angle=45.0))
CANVAS = 700, 300  # screen position right of the panel


class Visit:
    """A window with someone in front of it."""

    def __init__(self, window: Window, hand: Hand) -> None:
        self.window, self.hand = window, hand
        self.places: dict[str, tuple[int, int]] = {}  # of the sliders, on the screen

    def frames(self, count: int = 3) -> None:
        for _ in range(count):
            self.window.show_frame(0.0, 1 / 60)
            assert self.window.ctx.error == "GL_NO_ERROR"

    def until(self, true: Callable[[], bool], frames: int = 300) -> None:
        for _ in range(frames):
            if true():
                return
            self.frames(1)
        raise AssertionError("it did not happen")

    def key(self, name: str, shift: bool = False) -> None:
        self.hand.key(name, shift)
        self.frames()

    def drag(self, button: int, start: tuple[int, int], end: tuple[int, int]) -> None:
        self.hand.move(*start)
        self.frames()
        self.hand.press(button)
        self.frames()
        for along in (0.5, 1.0):
            x = round(start[0] + (end[0] - start[0]) * along)
            y = round(start[1] + (end[1] - start[1]) * along)
            self.hand.move(x, y)
            self.frames()
        self.hand.release(button)
        self.frames()

    @property
    def studio(self):
        return self.window.studio


@pytest.fixture(scope="module")
def screen() -> Iterator[str]:
    with x_server() as name:
        yield name


@pytest.fixture
def hand(screen: str) -> Iterator[Hand]:
    hand = Hand(screen)
    hand.move(*CANVAS)
    yield hand
    hand.close()


@pytest.fixture
def visit(hand: Hand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Visit]:
    monkeypatch.setattr("app.window.user_folder", lambda: tmp_path / "presets")
    monkeypatch.setattr("app.captures.capture_folder", lambda: tmp_path)
    args = ["--window", "pyglet", "--vsync", "false", "--size", f"{SIZE[0]}x{SIZE[1]}"]
    window = moderngl_window.create_window_config_instance(Window, args=args)
    window.begin(LOOK, WORLD, choose("reference"), fullscreen=False)
    visit = Visit(window, hand)
    draw_spec = sliders.draw_spec

    def draw_and_note(spec: Spec, value: Value) -> Value:
        new = draw_spec(spec, value)
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        visit.places[spec.name] = round(low.x * 0.75 + high.x * 0.25), round((low.y + high.y) / 2)
        return new

    monkeypatch.setattr(sliders, "draw_spec", draw_and_note)
    visit.until(lambda: window.studio is not None, frames=10_000)
    visit.frames()
    yield visit
    window.release()
    window.wnd.close()
    gc.collect()


def test_keys(visit: Visit) -> None:
    studio = visit.studio
    visit.key("space")
    assert studio.paused
    step = studio.session.steps
    visit.frames()
    assert studio.session.steps == step
    visit.key("period")
    assert studio.session.steps == step + 1
    visit.key("space")
    assert not studio.paused
    visit.key("r")
    assert 0 < studio.session.steps <= 3
    assert studio.session.world == WORLD
    visit.key("n")
    assert studio.session.world.seed != WORLD.seed
    for name, attribute in (("Tab", "panel"), ("h", "help")):
        before = getattr(studio, attribute)
        visit.key(name)
        assert getattr(studio, attribute) != before
    visit.key("Escape")
    assert not studio.help
    visit.key("Escape")
    assert studio.asking_to_quit
    visit.key("Escape")
    assert not studio.asking_to_quit
    visit.key("f")
    assert visit.window.wnd.fullscreen
    visit.until(lambda: studio.view.target == SCREEN)
    visit.key("Escape")
    assert not visit.window.wnd.fullscreen
    assert not visit.window.wnd.is_closing


def test_brackets_walk_through_the_presets(visit: Visit) -> None:
    studio = visit.studio
    names = [entry.preset.name for entry in studio.presets]
    visit.key("bracketright")
    assert studio.session.preset.name == names[0]
    visit.key("bracketright")
    assert studio.session.preset.name == names[1]
    visit.key("bracketleft")
    assert studio.session.preset.name == names[0]
    steps = studio.session.steps
    agents = studio.session.world.agents
    visit.key("bracketright", shift=True)
    assert studio.session.preset.name == names[1]
    assert studio.session.steps > steps
    assert studio.session.world.agents == agents


def test_mouse_on_the_picture(visit: Visit) -> None:
    studio = visit.studio
    visit.key("space")
    before = studio.session.simulation.trail.sum()
    visit.drag(1, CANVAS, (820, 420))
    painted = studio.session.simulation.trail.sum()
    assert painted > before
    assert len(studio.session.log) > 3
    visit.drag(3, CANVAS, (820, 420))
    assert studio.session.simulation.trail.sum() < painted
    log = len(studio.session.log)

    middle = CANVAS[0] + 0.5, CANVAS[1] + 0.5
    under = studio.view.field_at(*middle)
    visit.hand.move(*CANVAS)
    visit.hand.press(4)  # the wheel, up
    visit.hand.release(4)
    visit.frames()
    assert studio.view.zoom > 1
    assert studio.view.field_at(*middle) == pytest.approx(under)
    visit.drag(2, CANVAS, (740, 330))
    assert studio.view.field_at(740.5, 330.5) == pytest.approx(under)
    for _ in range(2):
        visit.hand.press(1)
        visit.hand.release(1)
        visit.frames(1)
    assert studio.view.zoom == 1
    assert len(studio.session.log) == log


def test_a_slider_drag_turns_the_parameter_and_paints_nothing(visit: Visit) -> None:
    studio = visit.studio
    x, y = visit.places["sensor_angle"]
    visit.drag(1, (x, y), (x + 60, y))
    assert studio.session.params.sensor_angle > 45.0
    assert {type(event).__name__ for event in studio.session.log} == {"Change"}
    visit.hand.move(x, y)
    visit.frames()
    visit.hand.press(3)
    visit.frames()
    visit.hand.release(3)
    visit.frames()
    assert studio.session.params.sensor_angle == Params().sensor_angle


def test_typing_in_the_panel_reaches_no_shortcut(visit: Visit) -> None:
    studio = visit.studio
    x, y = visit.places["step_size"]
    visit.hand.move(x, y)
    visit.frames()
    for _ in range(2):
        visit.hand.press(1)
        visit.frames(1)
        visit.hand.release(1)
        visit.frames(1)
    assert studio.session.params.step_size == LOOK.params.step_size  # a double click moves nothing
    for name in ("0", "period", "2", "r", "n", "h", "Return"):
        visit.key(name)
    assert studio.session.params.step_size == pytest.approx(0.2)
    assert studio.session.world.seed == WORLD.seed
    assert not studio.help
    assert not studio.paused


def test_the_panel_leaves_the_picture_as_it_is(visit: Visit) -> None:
    visit.key("space")
    visit.hand.move(990, 690)
    visit.frames()
    time.sleep(0.1)
    visit.studio.notices.shown.clear()
    visit.frames()
    shown = visit.hand.look()
    visit.key("Tab")
    hidden = visit.hand.look()
    right = np.s_[0:500, 500:900]
    np.testing.assert_array_equal(shown[right], hidden[right])
    assert (shown[:500, :300] != hidden[:500, :300]).any()
    assert hidden[right].std() > 5


def test_resizes_down_to_nothing(visit: Visit) -> None:
    for width, height in ((640, 480), (1, 1), (33, 700), (900, 20), (1, 1), (900, 600)):
        visit.window.wnd.size = width, height
        visit.frames(4)
    visit.until(lambda: visit.studio.view.target == SIZE)
    assert visit.studio.session.world == WORLD


def test_a_tweaked_and_painted_run_comes_back_from_its_picture(visit: Visit, tmp_path: Path) -> None:
    studio = visit.studio
    x, y = visit.places["sensor_distance"]
    visit.drag(1, (x, y), (x + 40, y))
    visit.drag(1, CANVAS, (850, 500))
    visit.key("bracketright", shift=True)
    visit.drag(3, (600, 500), (800, 200))
    visit.frames(20)
    visit.key("c")
    visit.until(lambda: any("Saved" in text for text in studio.notices.current()), frames=2000)
    (picture,) = tmp_path.glob("*.png")
    record = read(picture)
    assert len(record.events) > 10
    again = tmp_path / "again" / "again.png"
    again.parent.mkdir()
    command = ["render", str(picture), "--backend", "cpu", "--threads", "1", "--out", str(again)]
    physarium = [sys.executable, "-c", "import sys; from app.cli import main; sys.exit(main())"]
    done = subprocess.run([*physarium, *command], capture_output=True, text=True)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, f"digest {record.digest}"), done.stderr

    visit.window.on_files_dropped_event(0, 0, [str(again)])
    assert studio.offer
    studio.accept_offer()
    visit.until(lambda: studio.replay is None)
    assert studio.session.simulation.digest() == record.digest
    assert "bit for bit" in " ".join(studio.notices.current())


@pytest.mark.parametrize("name", ["bad.toml", "bad.png", "missing.toml", "folder"])
def test_a_bad_file_dropped_is_a_notice(visit: Visit, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name == "folder":
        path.mkdir()
    elif "bad" in name:
        path.write_bytes(b"\x89PNG\r\n\x1a\nnonsense = [")
    before = visit.studio.session.world
    visit.window.on_files_dropped_event(0, 0, [str(path)])
    visit.frames()
    assert name in " ".join(visit.studio.notices.current())
    assert visit.studio.session.world == before
