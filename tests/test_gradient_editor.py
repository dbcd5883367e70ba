"""The gradient editor: what its stops may become, and a mouse on the bar."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from imgui_bundle import imgui
from overlay_scene import overlay as overlay  # fixtures
from overlay_scene import show
from overlay_scene import window as window

from app import gradient_editor
from app.gradient_editor import (
    HANDLE,
    HEIGHT,
    added,
    begun,
    colour_at,
    edit_gradient,
    moved,
    recoloured,
    removed,
)
from app.overlay import Overlay
from app.palette import OWN, colours
from kernels.gradients import MOST_STOPS, check_gradient, stops_of, to_text
from kernels.params import PALETTES

LEFT, RIGHT = 1, 2
UNIT = st.floats(0, 1)
EDITS = st.lists(
    st.tuples(
        st.sampled_from(("add", "move", "remove", "colour")),
        st.integers(0, 11),
        UNIT,
        st.binary(min_size=3, max_size=3),
    )
)


@given(st.sampled_from(PALETTES), EDITS)
def test_whatever_is_done_to_the_stops_is_a_gradient(palette, edits) -> None:
    stops = begun(palette)
    for what, index, place, raw in edits:
        index, colour = index % len(stops), f"#{raw.hex()}"
        match what:
            case "add":
                stops, _ = added(stops, place, colour)
            case "move":
                stops = moved(stops, index, place)
            case "remove":
                stops = removed(stops, index)
            case "colour":
                stops = recoloured(stops, index, colour)
        assert 2 <= len(stops) <= MOST_STOPS
        text = to_text(stops)
        assert check_gradient(text) == text
        assert stops_of(text) == stops


@pytest.mark.parametrize("palette", PALETTES)
def test_any_palette_can_be_begun_from(palette: str) -> None:
    text = to_text(begun(palette))
    apart = abs(colours(text).astype(int) - colours(palette)).max()
    assert apart <= (2 if palette in OWN else 24)
    assert begun(text) == stops_of(text)


def test_a_stop_stays_between_its_neighbours() -> None:
    stops = ("#000000", 0.0), ("#888888", 0.5), ("#ffffff", 1.0)
    assert moved(stops, 1, 2.0)[1] == ("#888888", 0.996)
    assert moved(stops, 0, 0.7)[0] == ("#000000", 0.496)
    assert added(stops, 0.501, "#123456") == (stops, -1)
    assert added(stops, 0.25, "#123456") == ((stops[0], ("#123456", 0.25), *stops[1:]), 1)
    assert removed(removed(stops, 1), 0) == (stops[0], stops[2])


class Panel:
    """A bar in the panel, and a mouse on it."""

    def __init__(self, overlay: Overlay, palette: str = "#000000 0, #ff0000 0.5, #ffffff 1") -> None:
        self.overlay, self.palette = overlay, palette
        self.frames()

    def frames(self, count: int = 2) -> None:
        show(self.overlay, self.draw, count)

    def draw(self) -> None:
        low, width = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail().x
        size = imgui.get_font_size()
        self.left, self.width = low.x + HANDLE * size, width - 2 * HANDLE * size
        self.edge = low.y + HEIGHT * size
        self.palette = edit_gradient("bar", self.palette)
        self.open = imgui.is_popup_open("", imgui.PopupFlags_.any_popup)

    def point(self, place: float, below: float = -3.0) -> None:
        at = round(self.left + place * self.width), round(self.edge + below)
        self.overlay.on_mouse_position_event(*at, 0, 0)
        self.frames()

    def press(self, button: int) -> None:
        place = imgui.get_io().mouse_pos
        self.overlay.on_mouse_press_event(round(place.x), round(place.y), button)
        self.frames()

    def release(self, button: int) -> None:
        place = imgui.get_io().mouse_pos
        self.overlay.on_mouse_release_event(round(place.x), round(place.y), button)
        self.frames()


def test_a_click_adds_a_drag_moves_and_a_right_click_removes(overlay, window) -> None:
    panel = Panel(overlay)
    panel.point(0.25)
    wanted = colour_at(panel.palette, 0.25)
    panel.press(LEFT)
    (_, (colour, place), _, _) = stops_of(panel.palette)
    assert place == pytest.approx(0.25, abs=0.01)
    assert colours(f"{colour} 0, #000000 1")[0] == pytest.approx(colours(f"{wanted} 0, #000000 1")[0], abs=4)
    panel.point(0.4)
    panel.release(LEFT)
    assert stops_of(panel.palette)[1][1] == pytest.approx(0.4, abs=0.01)
    assert not panel.open
    panel.point(0.4)
    panel.press(RIGHT)
    panel.release(RIGHT)
    assert panel.palette == "#000000 0, #ff0000 0.5, #ffffff 1"


def test_a_stop_dragged_off_is_gone_when_it_is_let_go_of(overlay, window) -> None:
    panel = Panel(overlay)
    panel.point(0.5)
    panel.press(LEFT)
    panel.point(0.5, 90)
    assert len(stops_of(panel.palette)) == 3
    panel.release(LEFT)
    assert panel.palette == "#000000 0, #ffffff 1"


def test_a_click_on_a_stop_opens_the_picker_of_its_colour(overlay, window, monkeypatch) -> None:
    panel = Panel(overlay)
    seen = []

    def picker(label: str, before: list[float], flags: int):
        seen.append(before)
        return True, [0.0, 1.0, 0.0]

    monkeypatch.setattr(gradient_editor.imgui, "color_picker3", picker)
    panel.point(0.5)
    panel.press(LEFT)
    panel.release(LEFT)
    assert panel.open
    assert seen[0] == [1.0, 0.0, 0.0]
    assert panel.palette == "#000000 0, #00ff00 0.5, #ffffff 1"


def test_a_palette_with_a_name_becomes_ones_own_when_it_is_touched(overlay, window) -> None:
    panel = Panel(overlay, "lichen")
    panel.point(0.3)
    assert panel.palette == "lichen"
    panel.press(RIGHT)  # on no stop
    panel.release(RIGHT)
    assert panel.palette == "lichen"
    panel.press(LEFT)
    panel.release(LEFT)
    assert len(stops_of(panel.palette)) == len(OWN["lichen"]) + 1
