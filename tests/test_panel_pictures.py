"""Pictures inside imgui: a few loaded a frame, freed when they are let go, and never under imgui's feet."""

import gc

import moderngl
import numpy as np
from imgui_bundle import imgui
from overlay_scene import PANEL, pixels, show
from overlay_scene import overlay as overlay
from overlay_scene import window as window

from app import panel_pictures
from app.panel_pictures import Pictures

RED = np.zeros((6, 8, 4), np.uint8) + np.array([200, 10, 20, 255], np.uint8)


def frame(overlay, pictures: Pictures, keys) -> list[bool]:
    """Asks for pictures in one frame, and draws those there are; returns which there were."""
    found: list[bool] = []

    def draw() -> None:
        pictures.begin()
        for key in keys:
            picture = pictures.get(key, lambda: RED)
            found.append(picture is not None)
            if picture:
                imgui.set_cursor_pos(imgui.ImVec2(20, 20))
                imgui.image(picture.texture, imgui.ImVec2(100, 80))

    show(overlay, draw)
    return found


def test_a_few_are_loaded_in_each_frame_and_drawn(overlay, window) -> None:
    pictures: Pictures[int] = Pictures()
    keys = range(2 * panel_pictures.A_FRAME + 1)
    for turn in range(1, 4):
        ready = frame(overlay, pictures, keys)
        assert sum(ready) == min(turn * panel_pictures.A_FRAME, len(keys))
    assert len(pictures.held) == len(keys)
    np.testing.assert_array_equal(pixels(window)[PANEL[1] + 60, PANEL[0] + 70], RED[0, 0])


def test_what_is_let_go_is_freed_in_the_next_frame(overlay, window, monkeypatch) -> None:
    pictures: Pictures[str] = Pictures()
    frame(overlay, pictures, ["a", "b"])
    held = [picture.held for picture in pictures.held.values()]

    def draw_and_leave() -> None:
        pictures.begin()
        imgui.set_cursor_pos(imgui.ImVec2(20, 20))
        imgui.image(pictures.get("a", lambda: RED).texture, imgui.ImVec2(100, 80))
        pictures.clear()

    show(overlay, draw_and_leave)
    np.testing.assert_array_equal(pixels(window)[PANEL[1] + 60, PANEL[0] + 70], RED[0, 0])
    assert pictures.leaving == held[1:] + held[:1]
    frame(overlay, pictures, [])
    assert not pictures.leaving
    assert all(isinstance(texture.mglo, moderngl.mgl.InvalidObject) for texture in held)
    assert frame(overlay, pictures, ["a"]) == [True]  # and can come again


def test_without_pixels_there_is_none_and_it_is_asked_for_again(overlay) -> None:
    pictures: Pictures[str] = Pictures()
    asked: list[int] = []

    def load() -> None:
        asked.append(1)

    def draw() -> None:
        pictures.begin()
        assert pictures.get("a", load) is None

    show(overlay, draw, 3)
    assert len(asked) == 3
    assert not pictures.held


def test_of_too_many_those_not_drawn_go_first(overlay, monkeypatch) -> None:
    monkeypatch.setattr(panel_pictures, "MOST", 2)
    pictures: Pictures[str] = Pictures()
    frame(overlay, pictures, "abc")
    assert set(pictures.held) == set("abc")  # all are seen
    for _ in range(4):
        frame(overlay, pictures, "cb")
    assert set(pictures.held) == set("bc")


def test_pictures_that_are_lost_leave_imgui_unharmed(overlay) -> None:
    frame(overlay, Pictures(), ["a"])
    gc.collect()
    show(overlay, frames=3)
    overlay.close()
    gc.collect()
