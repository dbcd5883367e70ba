"""A palette's bar: its gradient, with stops to drag, add, remove and colour."""

import bisect
import dataclasses

from imgui_bundle import imgui

from app.overlay_style import ACCENT
from app.palette import OWN, colours
from kernels.gradients import MOST_STOPS, Stops, stops_of, to_text

HEIGHT = 1.1  # of the bar, in font sizes
HANDLE = 0.34  # a handle's radius, in font sizes
REACH = 0.6  # font sizes from a handle's middle at which it can be held
AWAY = 2.5  # font sizes from the bar at which a handle let go of is gone
APART = 0.004  # between the places of neighbours at least
DIGITS = 3  # of a place: finer than a pixel of the bar
EVEN = 9  # stops that stand for a palette without any of its own
STRIPES = 64  # that the bar is painted in

LEFT, RIGHT = 0, 1
BUTTONS = imgui.ButtonFlags_.mouse_button_left | imgui.ButtonFlags_.mouse_button_right
PICKER = imgui.ColorEditFlags_.no_side_preview | imgui.ColorEditFlags_.picker_hue_wheel
POPUP = "colour of a stop"
HINT = (
    "From empty ground to the strongest trail. Click to add a stop or to choose the colour of one, drag to "
    "move it, right-click it or drag it off to remove it."
)


def begun(palette: str) -> Stops:
    """The stops of a gradient; for a palette with a name, some to start from."""
    if "#" in palette:
        return stops_of(palette)
    own = OWN.get(palette)
    count = len(own) if own else EVEN
    places = [round(index / (count - 1), DIGITS) for index in range(count)]
    return tuple((own[index] if own else colour_at(palette, at), at) for index, at in enumerate(places))


def colour_at(palette: str, place: float) -> str:
    """A palette's colour at a place, as "#rrggbb"."""
    red, green, blue = colours(palette)[round(place * 255)].tolist()
    return f"#{red:02x}{green:02x}{blue:02x}"


def added(stops: Stops, place: float, colour: str) -> tuple[Stops, int]:
    """Stops with one more, and which it is; unchanged, and -1, where there is no room for it."""
    place = round(place, DIGITS)
    index = bisect.bisect([at for _, at in stops], place)
    room = all(abs(place - at) >= APART for _, at in stops[max(0, index - 1) : index + 1])
    if len(stops) >= MOST_STOPS or not room:
        return stops, -1
    return (*stops[:index], (colour, place), *stops[index:]), index


def moved(stops: Stops, index: int, place: float) -> Stops:
    """Stops with one of them elsewhere, kept between its neighbours."""
    low = stops[index - 1][1] + APART if index else 0.0
    high = stops[index + 1][1] - APART if index + 1 < len(stops) else 1.0
    low, high = min(low, stops[index][1]), max(high, stops[index][1])  # closer ones come from a file
    return (*stops[:index], (stops[index][0], round(min(max(place, low), high), DIGITS)), *stops[index + 1 :])


def removed(stops: Stops, index: int) -> Stops:
    """Stops without one of them; two always stay."""
    return stops[:index] + stops[index + 1 :] if len(stops) > 2 else stops


def recoloured(stops: Stops, index: int, colour: str) -> Stops:
    """Stops with another colour in the place of one."""
    return (*stops[:index], (colour, stops[index][1]), *stops[index + 1 :])


@dataclasses.dataclass(frozen=True, slots=True)
class Bar:
    """Where a gradient lies on the screen.

    Attributes:
        corner: Its upper left.
        size: Its width and height.
    """

    corner: imgui.ImVec2
    size: imgui.ImVec2

    def to_screen(self, place: float) -> imgui.ImVec2:
        """The middle of the handle at a place: on the bar's lower edge."""
        return imgui.ImVec2(self.corner.x + place * self.size.x, self.corner.y + self.size.y)

    def from_screen(self, x: float) -> float:
        """The place under a point of the screen, held to 0 to 1."""
        return min(max((x - self.corner.x) / self.size.x, 0.0), 1.0)

    def left_behind(self, y: float) -> bool:
        """Whether a point is so far above or below that what is held is dragged off."""
        return abs(y - self.corner.y - self.size.y / 2) > AWAY * imgui.get_font_size()


def edit_gradient(name: str, palette: str) -> str:
    """The bar, and the colour of the stop that was clicked.

    Args:
        name: Tells this bar from others.
        palette: A name or a gradient's text.

    Returns:
        The palette, as a person left it in this frame.
    """
    size = imgui.get_font_size()
    corner, radius = imgui.get_cursor_screen_pos(), HANDLE * size
    width = max(1.0, imgui.get_content_region_avail().x - 2 * radius)
    imgui.push_id(name)
    imgui.invisible_button("bar", imgui.ImVec2(width + 2 * radius, HEIGHT * size + radius), BUTTONS)
    bar = Bar(imgui.ImVec2(corner.x + radius, corner.y), imgui.ImVec2(width, HEIGHT * size))
    storage, key = imgui.get_state_storage(), imgui.get_item_id()
    new = _handled(bar, palette)
    held = storage.get_int(key, -1)
    _draw(bar, new, held if imgui.is_item_active() or imgui.is_popup_open(POPUP) else -1)
    if not imgui.is_item_active() and not imgui.is_popup_open(POPUP):
        explain()
    new = _chosen(new, held)
    imgui.pop_id()
    return new


def explain() -> None:
    """Says what the mouse can do, while it rests on the bar."""
    if imgui.begin_item_tooltip():
        imgui.push_text_wrap_pos(imgui.get_font_size() * 24)
        imgui.text_unformatted(HINT)
        imgui.pop_text_wrap_pos()
        imgui.end_tooltip()


def _handled(bar: Bar, palette: str) -> str:
    """What the mouse does to the stops; which is held outlives the frame in imgui's own storage."""
    storage, key = imgui.get_state_storage(), imgui.get_item_id()
    mouse, stops = imgui.get_io().mouse_pos, begun(palette)
    if imgui.is_item_activated():
        held = _under(bar, stops, mouse)
        if imgui.is_mouse_clicked(RIGHT):
            storage.set_int(key, -1)
            return to_text(removed(stops, held)) if held >= 0 else palette
        if held < 0:
            place = bar.from_screen(mouse.x)
            stops, held = added(stops, place, colour_at(palette, place))
            palette = to_text(stops) if held >= 0 else palette
        storage.set_int(key, held)
        return palette
    held = storage.get_int(key, -1)
    if not 0 <= held < len(stops):
        return palette
    if imgui.is_item_active() and imgui.is_mouse_dragging(LEFT):
        return palette if bar.left_behind(mouse.y) else to_text(moved(stops, held, bar.from_screen(mouse.x)))
    if imgui.is_item_deactivated():
        if imgui.is_mouse_released(LEFT) and bar.left_behind(mouse.y):
            storage.set_int(key, -1)
            return to_text(removed(stops, held))
        drag = imgui.get_mouse_drag_delta(LEFT)
        if drag.x == drag.y == 0:  # a click, rather than a drag
            imgui.open_popup(POPUP)
    return palette


def _under(bar: Bar, stops: Stops, mouse: imgui.ImVec2Like) -> int:
    """The stop whose handle is under the mouse, or -1."""
    apart = [abs(bar.to_screen(place).x - mouse[0]) for _, place in stops]
    nearest = apart.index(min(apart))
    return nearest if apart[nearest] <= REACH * imgui.get_font_size() else -1


def _chosen(palette: str, held: int) -> str:
    """The picker of a stop's colour, while it is open."""
    if not imgui.begin_popup(POPUP):
        return palette
    stops = begun(palette)
    if 0 <= held < len(stops):
        imgui.set_next_item_width(imgui.get_font_size() * 14)
        before = [byte / 255 for byte in bytes.fromhex(stops[held][0][1:])]
        changed, after = imgui.color_picker3("##colour", before, PICKER)
        if changed:
            bytes_ = bytes(round(min(max(part, 0.0), 1.0) * 255) for part in after[:3])
            palette = to_text(recoloured(stops, held, f"#{bytes_.hex()}"))
    imgui.end_popup()
    return palette


def _draw(bar: Bar, palette: str, held: int) -> None:
    """The gradient, and a handle for each stop; the one that is held has a ring."""
    draw, ramp = imgui.get_window_draw_list(), colours(palette)
    bottom = bar.corner.y + bar.size.y
    for stripe in range(STRIPES):
        ends = stripe / STRIPES, (stripe + 1) / STRIPES
        left, right = (_packed(*ramp[round(end * 255)].tolist()) for end in ends)
        low, high = (bar.corner.x + end * bar.size.x for end in ends)
        draw.add_rect_filled_multi_color(
            imgui.ImVec2(low, bar.corner.y), imgui.ImVec2(high, bottom), left, right, right, left
        )
    radius = HANDLE * imgui.get_font_size()
    away = imgui.is_item_active() and bar.left_behind(imgui.get_io().mouse_pos.y)
    for index, (colour, place) in enumerate(begun(palette)):
        middle = bar.to_screen(place)
        if index == held and away:
            draw.add_circle(middle, radius, _packed(255, 255, 255, 90))
            continue
        ring = [round(255 * part) for part in ACCENT] if index == held else (235, 237, 235)
        draw.add_circle_filled(middle, radius + 1, _packed(10, 11, 12))
        draw.add_circle_filled(middle, radius, _packed(*ring))
        draw.add_circle_filled(middle, radius * 0.68, _packed(*bytes.fromhex(colour[1:])))


def _packed(red: int, green: int, blue: int, alpha: int = 255) -> int:
    return imgui.IM_COL32(red, green, blue, alpha)
