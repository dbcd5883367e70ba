"""A headless window with an overlay on it, for the tests of both."""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from imgui_bundle import imgui
from moderngl_window.context.base import BaseKeys
from moderngl_window.context.headless import Window

from app.overlay import Overlay

SIZE = (320, 240)
PANEL = (10, 10, 200, 150)  # x, y, width, height
CANVAS = (300, 220)
LEFT, RIGHT = 1, 2


class Keys(BaseKeys):
    """Key codes for a headless window, which has none of its own."""

    LEFT_CTRL, LEFT_SHIFT, ENTER, A, C, V, X, RIGHT, F12, NUMBER_1, NUMPAD_1 = range(11)


NO_MODIFIERS = SimpleNamespace(ctrl=False, shift=False, alt=False)
CTRL = SimpleNamespace(ctrl=True, shift=False, alt=False)


@pytest.fixture
def window() -> Iterator[Window]:
    window = Window(size=SIZE, gl_version=(3, 3), backend="egl")
    window.keys = Keys
    assert window.ctx.error == "GL_NO_ERROR"
    yield window
    assert window.ctx.error == "GL_NO_ERROR"
    window.destroy()


@pytest.fixture
def overlay(window: Window) -> Iterator[Overlay]:
    overlay = Overlay(window.ctx, window, None)
    yield overlay
    overlay.close()


def panel(draw: Callable[[], Any] = lambda: None) -> None:
    imgui.set_next_window_pos(PANEL[:2])
    imgui.set_next_window_size(PANEL[2:])
    imgui.begin("panel", flags=imgui.WindowFlags_.no_decoration)
    draw()
    imgui.end()


def show(overlay: Overlay, draw: Callable[[], Any] = lambda: None, frames: int = 1) -> None:
    for _ in range(frames):
        with overlay.frame(1 / 60):
            panel(draw)


def pixels(window: Window) -> np.ndarray:
    """What the window shows, [H, W, 4] bytes, top row first."""
    width, height = window.fbo.size
    return np.frombuffer(window.fbo.read(components=4), np.uint8).reshape(height, width, 4)[::-1]


def inside(image: np.ndarray, edge: int = 0) -> np.ndarray:
    x, y, width, height = PANEL
    return image[y + edge : y + height - edge, x + edge : x + width - edge]


def outside(image: np.ndarray) -> np.ndarray:
    x, y, width, height = PANEL
    rest = image.copy()
    rest[y : y + height, x : x + width] = 0
    return rest
