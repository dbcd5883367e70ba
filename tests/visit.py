"""A window on a real X server with someone in front of it, for the tests of both."""

import atexit
import contextlib
import functools
import gc
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import moderngl_window
import pytest
from hand import Hand, x_server
from imgui_bundle import imgui

from app import sliders
from app.backend import choose
from app.window import Window
from kernels.params import Params
from kernels.spec import Spec, Value
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

    def key(self, name: str, held: str = "") -> None:
        self.hand.key(name, held)
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
    """One for all modules: pyglet stays with the first it has met, and dies with it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DISPLAY", _server())
        yield _server()


@functools.cache
def _server() -> str:
    before = os.environ.get("DISPLAY")
    server = contextlib.ExitStack()
    name = server.enter_context(x_server())
    atexit.register(server.close)
    if before is None:
        del os.environ["DISPLAY"]
    else:
        os.environ["DISPLAY"] = before
    return name


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

    def draw_and_note(spec: Spec, value: Value, label: str = "") -> Value:
        new = draw_spec(spec, value, label)
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
