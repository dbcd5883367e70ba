"""A response's plot: how far it goes over s, the histogram of s, and handles to draw it by hand."""

import bisect
import dataclasses
import math
from collections.abc import Iterator, Sequence

import numpy as np
from imgui_bundle import imgui
from numpy.typing import NDArray

from app.overlay_style import ACCENT
from kernels import curves
from kernels.handles import MOST_POINTS, Points, points_of, to_text

HEIGHT = 6.0  # of the plot, in font sizes
INSET = 0.4  # font sizes from the frame to the plot inside: handles at its ends are whole
REACH = 0.6  # font sizes from a handle's middle at which it can be held
DIGITS = 3  # of a handle's place: finer than a pixel of the plot
APART = 0.004  # s between neighbours at least
FINE = 2  # every so many pieces of the table are drawn, about as many as there are pixels
HANDLE = 0.28  # a handle's radius, in font sizes
RIGHT_END = "s = 1"
HISTOGRAM = (0.42, 0.62, 0.64, 0.45)

LEFT, RIGHT = 0, 1
BUTTONS = imgui.ButtonFlags_.mouse_button_left | imgui.ButtonFlags_.mouse_button_right


def added(points: Points, x: float, y: float) -> tuple[Points, int]:
    """Points with one more, and which it is; unchanged, and -1, where there is no room for it."""
    index = bisect.bisect(points, (x, y))
    room = all(abs(x - point[0]) >= APART for point in points[max(0, index - 1) : index + 1])
    if len(points) >= MOST_POINTS or not room:
        return points, -1
    return (*points[:index], _rounded(x, y), *points[index:]), index


def moved(points: Points, index: int, x: float, y: float) -> Points:
    """Points with one of them elsewhere, kept between its neighbours."""
    low = points[index - 1][0] + APART if index else 0.0
    high = points[index + 1][0] - APART if index + 1 < len(points) else 1.0
    low, high = min(low, points[index][0]), max(high, points[index][0])  # closer ones come from a file
    place = _rounded(min(max(x, low), high), min(max(y, 0.0), 1.0))
    return (*points[:index], place, *points[index + 1 :])


def removed(points: Points, index: int) -> Points:
    """Points without one of them; two always stay."""
    return points[:index] + points[index + 1 :] if len(points) > 2 else points


def begun(curve: str, exponent: float) -> Points:
    """The handles of a drawn curve; for a power, some that lie on it."""
    places = (0.0, 1.0) if exponent == 1 else (0.0, 0.25, 0.5, 0.75, 1.0)
    return points_of(curve) or tuple(_rounded(s, math.pow(s, exponent)) for s in places)


def _rounded(x: float, y: float) -> tuple[float, float]:
    return round(x, DIGITS), round(y, DIGITS)


@dataclasses.dataclass(frozen=True, slots=True)
class Area:
    """Where a plot lies on the screen: s runs to the right, a growing value upwards.

    Attributes:
        corner: Its upper left.
        size: Its width and height.
        falls: Whether the value falls as the response goes on, so that 1 is at the bottom.
    """

    corner: imgui.ImVec2
    size: imgui.ImVec2
    falls: bool

    def to_screen(self, x: float, y: float) -> imgui.ImVec2:
        """The place of s and of how far the response has gone."""
        down = y if self.falls else 1 - y
        return imgui.ImVec2(self.corner.x + x * self.size.x, self.corner.y + down * self.size.y)

    def from_screen(self, place: imgui.ImVec2Like) -> tuple[float, float]:
        """The s and how far the response has gone, each held to 0 to 1."""
        x = (place[0] - self.corner.x) / self.size.x
        down = (place[1] - self.corner.y) / self.size.y
        return min(max(x, 0.0), 1.0), min(max(down if self.falls else 1 - down, 0.0), 1.0)


def edit_curve(
    name: str, curve: str, exponent: float, ends: tuple[str, str], falls: bool, histogram: NDArray[np.float64]
) -> str:
    """The plot: a click adds a handle, a drag moves one, a right click removes it.

    Args:
        name: Tells this plot from others.
        curve: The text of a drawn curve, or "" for the power.
        exponent: Of the power.
        ends: The value where s is 0 and where the response has gone all the way, as texts.
        falls: Whether the second is the smaller.
        histogram: How often agents' s is where, any number of columns from 0 to 1 [n]; may be empty.

    Returns:
        The curve's text, as a person left it in this frame.
    """
    size = imgui.ImVec2(imgui.get_content_region_avail().x, HEIGHT * imgui.get_font_size())
    corner, inset = imgui.get_cursor_screen_pos(), INSET * imgui.get_font_size()
    inner = imgui.ImVec2(max(1.0, size.x - 2 * inset), size.y - 2 * inset)
    area = Area(imgui.ImVec2(corner.x + inset, corner.y + inset), inner, falls)
    imgui.invisible_button(name, size, BUTTONS)
    new = _handled(area, curve, exponent)
    _draw_plot(area, new, exponent, ends, histogram)
    return new


def _handled(area: Area, curve: str, exponent: float) -> str:
    """What the mouse does to the handles; `held` outlives the frame in imgui's own storage."""
    storage, key = imgui.get_state_storage(), imgui.get_item_id()
    mouse = imgui.get_io().mouse_pos
    if imgui.is_item_activated():
        points = begun(curve, exponent)
        held = _under(area, points, mouse) if curve else -1
        if imgui.is_mouse_clicked(RIGHT):
            storage.set_int(key, -1)
            return to_text(removed(points, held)) if held >= 0 else curve
        if held < 0:
            points, held = added(points, *area.from_screen(mouse))
        storage.set_int(key, held)
        return to_text(points) if held >= 0 else curve
    held = storage.get_int(key, -1)
    points = points_of(curve)
    dragged = imgui.is_item_active() and imgui.is_mouse_dragging(LEFT, 1)
    if dragged and 0 <= held < len(points):
        return to_text(moved(points, held, *area.from_screen(mouse)))
    return curve


def _under(area: Area, points: Points, mouse: imgui.ImVec2Like) -> int:
    """The handle under the mouse, or -1."""
    places = [area.to_screen(*point) for point in points]
    apart = [math.hypot(place.x - mouse[0], place.y - mouse[1]) for place in places]
    nearest = int(np.argmin(apart))
    return nearest if apart[nearest] <= REACH * imgui.get_font_size() else -1


def _draw_plot(
    area: Area, curve: str, exponent: float, ends: tuple[str, str], histogram: NDArray[np.float64]
) -> None:
    draw = imgui.get_window_draw_list()
    low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
    line, ink = _colour(*ACCENT, 1.0), imgui.get_color_u32(imgui.Col_.text, 0.75)
    rounding = imgui.get_style().frame_rounding
    draw.add_rect_filled(low, high, imgui.get_color_u32(imgui.Col_.frame_bg), rounding)
    _draw_histogram(area, histogram)
    gone = curves.shape(curve, exponent)[::FINE]
    s = np.linspace(0, 1, len(gone))
    places = [area.to_screen(x, y) for x, y in zip(s.tolist(), gone.tolist(), strict=True)]
    draw.add_polyline([*places], line, thickness=1.5, flags=0)
    for text, place in _labelled(low, high, ends if area.falls else ends[::-1], places):
        draw.add_text(imgui.ImVec2(*place), ink, text)
    for point in points_of(curve):
        draw.add_circle_filled(area.to_screen(*point), HANDLE * imgui.get_font_size(), line)


def _labelled(
    low: imgui.ImVec2, high: imgui.ImVec2, ends: tuple[str, str], line: Sequence[imgui.ImVec2]
) -> Iterator[tuple[str, tuple[float, float]]]:
    """The labels of a plot and their upper left corners, where the line leaves room.

    Args:
        low: The frame's upper left corner.
        high: Its lower right corner.
        ends: What is written above and below.
        line: The places the curve runs through.
    """
    inset, tall = imgui.get_style().frame_padding.y, imgui.get_font_size()
    above, below = low.y + inset, high.y - inset - tall
    for text, y, step in ((ends[0], above, tall), (ends[1], below, -tall)):
        size = imgui.calc_text_size(text).x, tall
        spots = [(low.x + 4 * inset, y + step * away) for away in range(3)]
        yield text, min(spots, key=lambda spot: covered(line, spot, size))
    wide = imgui.calc_text_size(RIGHT_END).x
    corner = high.x - 4 * inset - wide, below
    if not covered(line, corner, (wide, tall)):
        yield RIGHT_END, corner


def covered(line: Sequence[imgui.ImVec2], corner: tuple[float, float], size: tuple[float, float]) -> int:
    """How many places of a line are in a rectangle."""
    (x, y), (wide, tall) = corner, size
    return sum(x <= place.x <= x + wide and y <= place.y <= y + tall for place in line)


def _draw_histogram(area: Area, histogram: NDArray[np.float64]) -> None:
    """Columns as high as the square root of how often, so that rare values are seen beside common ones.

    The last column holds all agents whose s would be above 1, often most of them; it is cut off.
    """
    if not histogram.any():
        return
    draw, colour = imgui.get_window_draw_list(), _colour(*HISTOGRAM)
    heights = np.sqrt(np.minimum(1, histogram / (histogram[:-1].max() or histogram.max()))) * area.size.y
    width, bottom = area.size.x / len(histogram), area.corner.y + area.size.y
    for column in np.flatnonzero(heights):
        left = area.corner.x + column * width
        top = bottom - heights[column]
        draw.add_rect_filled(imgui.ImVec2(left, top), imgui.ImVec2(left + width, bottom), colour)


def _colour(*channels: float) -> int:
    return imgui.color_convert_float4_to_u32(imgui.ImVec4(*channels))
