"""The handles of a response's curve: what they may become, and a mouse on the plot."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from imgui_bundle import imgui
from overlay_scene import overlay as overlay  # fixtures
from overlay_scene import show
from overlay_scene import window as window

from app import curve_editor
from app.curve_editor import INSET, Area, added, begun, edit_curve, moved, removed
from app.overlay import Overlay
from kernels.curves import shape
from kernels.handles import MOST_POINTS, check_curve, points_of, to_text

LEFT, RIGHT = 1, 2
UNIT = st.floats(0, 1)
EDITS = st.lists(st.tuples(st.sampled_from(("add", "move", "remove")), st.integers(0, 7), UNIT, UNIT))


@given(st.floats(0.02, 200), EDITS)
def test_whatever_is_done_to_the_handles_is_a_curve(exponent, edits) -> None:
    points = begun("", exponent)
    for what, index, x, y in edits:
        index %= len(points)
        if what == "add":
            points, _ = added(points, x, y)
        elif what == "move":
            points = moved(points, index, x, y)
        else:
            points = removed(points, index)
        assert 2 <= len(points) <= MOST_POINTS
        text = to_text(points)
        assert check_curve(text) == text
        assert points_of(text) == points


def test_the_first_handles_lie_on_the_power() -> None:
    for exponent in (0.5, 1.0, 3.0):
        drawn = shape(to_text(begun("", exponent)), 1.0)
        places = [64 * place for place in range(5)]
        np.testing.assert_allclose(drawn[places], shape("", exponent)[places], atol=1e-3)


def test_a_handle_stays_between_its_neighbours() -> None:
    points = (0.0, 0.0), (0.5, 0.5), (1.0, 1.0)
    assert moved(points, 1, 2.0, -1.0)[1] == (0.996, 0.0)
    assert moved(points, 0, 0.7, 0.2)[0] == (0.496, 0.2)
    assert added(points, 0.501, 0.9) == (points, -1)
    assert added(points, 0.25, 0.9) == ((points[0], (0.25, 0.9), *points[1:]), 1)


@pytest.mark.parametrize("falls", [False, True])
@given(UNIT, UNIT)
def test_the_screen_and_back(falls, x, y) -> None:
    area = Area(imgui.ImVec2(10, 20), imgui.ImVec2(300, 80), falls)
    place = area.to_screen(x, y)
    assert area.from_screen(place) == pytest.approx((x, y), abs=1e-5)
    assert (area.to_screen(0, 1).y > area.to_screen(0, 0).y) == falls


class Plot:
    """A plot in the panel, and a mouse on it."""

    def __init__(self, overlay: Overlay, window, curve: str = "", exponent: float = 1.0) -> None:
        self.overlay, self.window = overlay, window
        self.curve, self.exponent = curve, exponent
        self.frames()

    def frames(self, count: int = 2) -> None:
        show(self.overlay, self.draw, count)

    def draw(self) -> None:
        self.curve = edit_curve("plot", self.curve, self.exponent, ("1", "2"), False, np.ones(4))
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        inset = INSET * imgui.get_font_size()
        size = imgui.ImVec2(high.x - low.x - 2 * inset, high.y - low.y - 2 * inset)
        self.area = Area(imgui.ImVec2(low.x + inset, low.y + inset), size, False)

    def point(self, x: float, y: float) -> None:
        place = self.area.to_screen(x, y)
        self.overlay.on_mouse_position_event(round(place.x), round(place.y), 0, 0)
        self.frames()

    def press(self, button: int) -> None:
        place = imgui.get_io().mouse_pos
        self.overlay.on_mouse_press_event(round(place.x), round(place.y), button)
        self.frames()

    def release(self, button: int) -> None:
        place = imgui.get_io().mouse_pos
        self.overlay.on_mouse_release_event(round(place.x), round(place.y), button)
        self.frames()


@pytest.fixture
def plot(overlay: Overlay, window) -> Plot:
    return Plot(overlay, window)


def test_a_click_adds_a_drag_moves_and_a_right_click_removes(plot) -> None:
    plot.point(0.5, 0.8)
    assert plot.curve == ""
    plot.press(LEFT)
    (_, middle, _) = points_of(plot.curve)
    assert middle == pytest.approx((0.5, 0.8), abs=0.01)
    plot.point(0.3, 0.2)
    plot.release(LEFT)
    (_, middle, _) = points_of(plot.curve)
    assert middle == pytest.approx((0.3, 0.2), abs=0.01)
    plot.point(0.7, 0.7)
    assert points_of(plot.curve)[1] == middle  # let go of
    plot.point(0.31, 0.2)
    plot.press(RIGHT)
    plot.release(RIGHT)
    assert plot.curve == "0 0, 1 1"


def test_a_right_click_on_a_power_changes_nothing(plot) -> None:
    plot.point(0.5, 0.8)
    plot.press(RIGHT)
    plot.point(0.2, 0.3)
    plot.release(RIGHT)
    assert plot.curve == ""


@pytest.mark.parametrize("falls", [False, True])
@pytest.mark.parametrize("exponent", [0.02, 0.3, 1.0, 3.0, 200.0])
def test_labels_stand_where_the_curve_is_not(overlay, window, monkeypatch, exponent, falls) -> None:
    seen: list[tuple[str, tuple[float, float]]] = []
    lines: list[list[imgui.ImVec2]] = []
    widths: dict[str, float] = {}

    def noted(low, high, ends, line):
        seen[:] = labelled(low, high, ends, line)
        lines.append(line)
        widths.update({text: imgui.calc_text_size(text).x for text, _ in seen})
        return seen

    labelled = curve_editor._labelled
    monkeypatch.setattr(curve_editor, "_labelled", noted)
    show(overlay, lambda: edit_curve("plot", "", exponent, ("10.5 px", "2 px"), falls, np.ones(4)))
    texts = dict(seen)
    assert {"10.5 px", "2 px"} <= set(texts)
    assert (texts["10.5 px"][1] < texts["2 px"][1]) == falls  # what is more stands above
    for text, (x, y) in seen:
        inside = [p for p in lines[-1] if x <= p.x <= x + widths[text] and y + 2 <= p.y <= y + 14]
        assert inside == []
