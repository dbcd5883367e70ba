"""What reaches imgui, and what stays with the canvas."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from imgui_bundle import imgui
from moderngl_window.context.headless import Window
from overlay_scene import CANVAS, CTRL, LEFT, NO_MODIFIERS, RIGHT, Keys, show
from overlay_scene import overlay as overlay  # fixtures
from overlay_scene import window as window

from app.overlay import Overlay


def click(overlay: Overlay, draw: Callable[[], Any], x: int, y: int, button: int = LEFT) -> tuple[bool, bool]:
    """Moves, presses and releases with a frame between; what the press and the release answered."""
    overlay.on_mouse_position_event(x, y, 0, 0)
    show(overlay, draw)
    pressed = overlay.on_mouse_press_event(x, y, button)
    show(overlay, draw)
    released = overlay.on_mouse_release_event(x, y, button)
    show(overlay, draw)
    return pressed, released


def type_key(overlay: Overlay, draw: Callable[[], Any], key: int, modifiers: Any = NO_MODIFIERS) -> None:
    overlay.on_key_event(key, Keys.ACTION_PRESS, modifiers)
    show(overlay, draw)
    overlay.on_key_event(key, Keys.ACTION_RELEASE, modifiers)
    show(overlay, draw)


class Slider:
    value = 0.5

    def __call__(self) -> None:
        _, self.value = imgui.slider_float("##decay", self.value, 0.0, 1.0)


class Field:
    text = ""

    def __call__(self) -> None:
        _, self.text = imgui.input_text("##name", self.text)


def test_keys_and_modifiers_arrive(overlay: Overlay) -> None:
    io = imgui.get_io()
    overlay.on_key_event(Keys.LEFT_CTRL, Keys.ACTION_PRESS, NO_MODIFIERS)  # as X11 tells it
    show(overlay)
    assert io.key_ctrl
    assert imgui.is_key_down(imgui.Key.left_ctrl)
    overlay.on_key_event(Keys.A, Keys.ACTION_PRESS, CTRL)
    show(overlay)
    assert imgui.is_key_chord_pressed(int(imgui.Key.mod_ctrl) | int(imgui.Key.a))
    overlay.on_key_event(Keys.A, Keys.ACTION_RELEASE, CTRL)
    overlay.on_key_event(Keys.LEFT_CTRL, Keys.ACTION_RELEASE, CTRL)
    show(overlay, frames=2)
    assert not io.key_ctrl
    assert not imgui.is_key_down(imgui.Key.a)
    overlay.on_key_event(Keys.A, Keys.ACTION_PRESS, SimpleNamespace(ctrl=False, shift=True, alt=True))
    show(overlay)
    assert io.key_shift
    assert io.key_alt


def test_key_map_by_name(overlay: Overlay) -> None:
    key = imgui.Key
    assert overlay.key_map == {
        Keys.LEFT_CTRL: key.left_ctrl,
        Keys.LEFT_SHIFT: key.left_shift,
        Keys.ENTER: key.enter,
        Keys.A: key.a,
        Keys.C: key.c,
        Keys.V: key.v,
        Keys.X: key.x,
        Keys.RIGHT: key.right_arrow,
        Keys.F12: key.f12,
        Keys.NUMBER_1: key._1,
        Keys.NUMPAD_1: key.keypad1,
    }


def test_ctrl_click_on_a_slider_takes_a_typed_number(overlay: Overlay) -> None:
    slider = Slider()
    show(overlay, slider, frames=2)
    overlay.on_key_event(Keys.LEFT_CTRL, Keys.ACTION_PRESS, NO_MODIFIERS)
    click(overlay, slider, 60, 30)
    overlay.on_key_event(Keys.LEFT_CTRL, Keys.ACTION_RELEASE, CTRL)
    show(overlay, slider)
    assert overlay.wants_keyboard
    assert overlay.on_unicode_char_entered("0.25")
    show(overlay, slider, frames=2)
    type_key(overlay, slider, Keys.ENTER)
    assert slider.value == 0.25
    assert not overlay.wants_keyboard


def test_text_of_any_script(overlay: Overlay) -> None:
    field = Field()
    show(overlay, field, frames=2)
    click(overlay, field, 60, 30)
    surrogates = "\ud83c\udf44"  # a mushroom, in halves as Windows sends it
    for text in "r", "é漢", "\r", surrogates[0], surrogates[1], "🧫":
        overlay.on_unicode_char_entered(text)
        show(overlay, field)
    assert field.text == "ré漢🍄🧫"


def test_clipboard_round_trip(overlay: Overlay) -> None:
    field = Field()
    show(overlay, field, frames=2)
    click(overlay, field, 60, 30)
    overlay.on_unicode_char_entered("veins ü")
    show(overlay, field, frames=2)
    type_key(overlay, field, Keys.A, CTRL)
    type_key(overlay, field, Keys.X, CTRL)
    assert field.text == ""
    assert imgui.get_clipboard_text() == "veins ü"
    type_key(overlay, field, Keys.V, CTRL)
    type_key(overlay, field, Keys.V, CTRL)
    assert field.text == "veins üveins ü"


def test_a_key_belongs_to_whoever_got_its_press(overlay: Overlay) -> None:
    field = Field()
    show(overlay, field, frames=2)
    assert not overlay.on_key_event(Keys.A, Keys.ACTION_PRESS, NO_MODIFIERS)
    click(overlay, field, 60, 30)
    assert not overlay.on_key_event(Keys.A, Keys.ACTION_RELEASE, NO_MODIFIERS)
    assert overlay.on_key_event(Keys.ENTER, Keys.ACTION_PRESS, NO_MODIFIERS)
    show(overlay, field, frames=2)
    assert not overlay.wants_keyboard
    assert overlay.on_key_event(Keys.ENTER, Keys.ACTION_RELEASE, NO_MODIFIERS)


def test_the_panel_keeps_its_clicks_and_the_canvas_its_own(overlay: Overlay) -> None:
    slider = Slider()
    show(overlay, slider, frames=2)
    assert click(overlay, slider, *CANVAS) == (False, False)
    assert click(overlay, slider, 60, 30) == (True, True)
    assert click(overlay, slider, 60, 30, RIGHT) == (True, True)
    assert overlay.on_mouse_scroll_event(0, 1)
    overlay.on_mouse_position_event(*CANVAS, 0, 0)
    assert not overlay.on_mouse_scroll_event(0, 1)


def test_a_stroke_over_the_panel_stays_a_stroke(overlay: Overlay) -> None:
    slider = Slider()
    show(overlay, slider, frames=2)
    assert not overlay.on_mouse_press_event(*CANVAS, LEFT)
    assert not overlay.on_mouse_drag_event(60, 30, 0, 0)
    show(overlay, slider)
    assert not overlay.on_mouse_drag_event(65, 30, 0, 0)
    show(overlay, slider)
    assert not overlay.wants_mouse
    assert not overlay.on_mouse_drag_event(70, 30, 0, 0)
    assert not imgui.get_io().want_capture_mouse
    assert not overlay.on_mouse_press_event(70, 30, RIGHT), "a second button joins the first"
    assert not overlay.on_mouse_release_event(70, 30, RIGHT)
    show(overlay, slider)
    assert not overlay.on_mouse_release_event(70, 30, LEFT)
    show(overlay, slider, frames=2)
    assert slider.value == 0.5
    assert overlay.wants_mouse


def test_a_stroke_outlives_a_popup(overlay: Overlay) -> None:
    def popup() -> None:
        imgui.open_popup("quit?")
        if imgui.begin_popup("quit?"):
            imgui.text("quit?")
            imgui.end_popup()

    show(overlay, frames=2)
    assert not overlay.on_mouse_press_event(*CANVAS, LEFT)
    show(overlay, popup, frames=3)
    assert imgui.get_io().want_capture_mouse, "imgui would take the stroke over"
    assert not overlay.wants_mouse
    assert not overlay.on_mouse_release_event(*CANVAS, LEFT)
    show(overlay, popup)
    assert overlay.on_mouse_press_event(*CANVAS, LEFT), "a press beside a popup closes it"


def test_a_slider_dragged_over_the_canvas_stays_a_slider(overlay: Overlay) -> None:
    slider = Slider()
    show(overlay, slider, frames=2)
    assert overlay.on_mouse_press_event(60, 30, LEFT)
    show(overlay, slider, frames=2)
    assert overlay.on_mouse_drag_event(*CANVAS, 0, 0)
    show(overlay, slider)
    assert overlay.wants_mouse
    assert overlay.on_mouse_release_event(*CANVAS, LEFT)
    show(overlay, slider, frames=2)
    assert slider.value == 1.0
    assert not overlay.wants_mouse


def test_a_press_in_the_frame_it_reached_the_panel(overlay: Overlay) -> None:
    slider = Slider()
    overlay.on_mouse_position_event(*CANVAS, 0, 0)
    show(overlay, slider, frames=2)
    assert overlay.on_mouse_press_event(60, 30, LEFT), "the last frame saw the mouse on the canvas"
    overlay.on_mouse_release_event(60, 30, LEFT)
    show(overlay, slider, frames=3)
    assert not overlay.on_mouse_press_event(*CANVAS, LEFT), "the last frame saw it on the panel"


def test_a_lost_focus_lets_everything_go(overlay: Overlay) -> None:
    show(overlay, frames=2)
    overlay.on_key_event(Keys.LEFT_CTRL, Keys.ACTION_PRESS, NO_MODIFIERS)
    overlay.on_mouse_press_event(*CANVAS, LEFT)
    show(overlay, frames=2)
    overlay.lose_focus()
    show(overlay, frames=2)
    assert not imgui.get_io().key_ctrl
    assert not imgui.is_mouse_down(0)
    assert overlay.on_mouse_press_event(60, 30, RIGHT), "no button is held any more"


def test_two_at_once(window: Window, overlay: Overlay) -> None:
    other = Overlay(window.ctx, window, None)
    sliders = Slider(), Slider()
    for _ in range(2):
        show(overlay, sliders[0])
        show(other, sliders[1])
    assert overlay.on_mouse_press_event(100, 30, LEFT)
    assert not other.on_mouse_press_event(*CANVAS, LEFT)
    show(other, sliders[1])
    show(overlay, sliders[0], frames=2)
    assert sliders[0].value != 0.5 == sliders[1].value
    other.close()
    show(overlay, sliders[0])
