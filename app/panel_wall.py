"""The wall of variations, with imgui: it fills the window, and keys and mouse are its own."""

from collections.abc import Mapping

from imgui_bundle import imgui

from app.dialogs import FIXED
from app.mutate import PARTS
from app.overlay_style import ACCENT
from app.panel_cards import colour
from app.sliders import tip
from app.studio import Studio
from app.wall import SIDES, Wall

Pictures = Mapping[int, imgui.ImTextureRef]

MARGIN, GAP = 1.0, 0.5  # of the wall, and between pictures; in font sizes
LARGE, SMALL = 1.6, 0.86  # of the font size
FADED = 0.35  # how bright a picture is whose world is about to begin again
BRED = (0.55, 0.80, 1.0)  # the frame of what was chosen to breed
FULL = FIXED | imgui.WindowFlags_.no_title_bar | imgui.WindowFlags_.no_scrollbar
FULL |= imgui.WindowFlags_.no_bring_to_front_on_focus | imgui.WindowFlags_.no_scroll_with_mouse
HINT = (
    "Click makes it the parent    Shift+click two to breed    Double click or Enter takes it    "
    "K keeps it as a preset    Backspace goes back    V closes"
)
MORE = 5  # differences that are told of the one under the mouse


def begin_full(name: str) -> None:
    """Begins a window that covers everything, and takes the keys."""
    imgui.set_next_frame_want_capture_keyboard(True)
    size = imgui.get_font_size()
    imgui.set_next_window_pos(imgui.ImVec2(0, 0))
    imgui.set_next_window_size(imgui.get_main_viewport().size)
    imgui.push_style_var(imgui.StyleVar_.window_rounding, 0.0)
    imgui.push_style_var(imgui.StyleVar_.window_border_size, 0.0)
    imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(size * MARGIN, size * 0.7))
    imgui.push_style_color(imgui.Col_.window_bg, imgui.ImVec4(0.035, 0.036, 0.04, 1))
    imgui.begin(name, None, FULL)
    imgui.pop_style_color()
    imgui.pop_style_var(3)


def title(text: str) -> None:
    """A heading; it begins the group of what stands beside it."""
    size, corner = imgui.get_font_size(), imgui.get_cursor_pos()
    imgui.push_font(None, imgui.get_style().font_size_base * LARGE)
    imgui.text(text)
    imgui.pop_font()
    right = corner.x + imgui.get_item_rect_size().x + size * 1.5
    imgui.set_cursor_pos(
        imgui.ImVec2(right, corner.y + size * 0.05)
    )  # not `same_line`: a baseline of its own
    imgui.begin_group()


def pressed(*keys: imgui.Key) -> bool:
    """Whether one of these keys went down in this frame, and nothing is being typed."""
    return not imgui.get_io().want_text_input and any(imgui.is_key_pressed(key, False) for key in keys)


def choice(label: str, on: bool) -> bool:
    """One of several buttons side by side, of which one is on."""
    style = imgui.get_style()
    imgui.push_style_color(
        imgui.Col_.button, imgui.ImVec4(*ACCENT, 0.85) if on else style.color_(imgui.Col_.button)
    )
    ink = imgui.ImVec4(0.06, 0.06, 0.06, 1) if on else style.color_(imgui.Col_.text)
    imgui.push_style_color(imgui.Col_.text, ink)
    clicked = imgui.button(label)
    imgui.pop_style_color(2)
    return clicked


def close_button() -> bool:
    """The way out, at the right edge of the line."""
    height = imgui.get_frame_height()
    imgui.same_line()
    right = imgui.get_main_viewport().size.x - imgui.get_font_size() * MARGIN
    imgui.set_cursor_screen_pos(imgui.ImVec2(right - height, imgui.get_cursor_screen_pos().y))
    return imgui.button("x##close", imgui.ImVec2(height, 0))


def draw_wall(studio: Studio, wall: Wall, pictures: Pictures) -> None:
    """One frame of the wall.

    Args:
        studio: What keys and buttons command.
        wall: The wall.
        pictures: The texture of each place, its lowest row first; those that are missing are on their way.
    """
    begin_full("##wall")
    appears = imgui.is_window_appearing()  # the key that opened it would close it
    _draw_head(studio, wall)
    foot = imgui.get_text_line_height_with_spacing()
    room = imgui.get_content_region_avail()
    _draw_places(studio, wall, pictures, imgui.ImVec2(room.x, room.y - foot))
    imgui.push_font(None, imgui.get_style().font_size_base * SMALL)
    imgui.text_disabled(HINT)
    imgui.pop_font()
    imgui.end()
    if not appears:
        _keys(studio, wall)


def _keys(studio: Studio, wall: Wall) -> None:
    key = imgui.Key
    if pressed(key.enter, key.keypad_enter):
        studio.take()
    elif pressed(key.k):
        studio.keep()
    elif pressed(key.backspace) or (imgui.get_io().key_ctrl and pressed(key.z)):
        wall.back()
    elif pressed(key.space):
        studio.toggle_pause()
    elif imgui.get_io().key_ctrl and pressed(key.r):
        studio.toggle_recording()
    elif pressed(key.v, key.escape):
        studio.close_survey()


def _draw_head(studio: Studio, wall: Wall) -> None:
    """Title, how many, how far apart, and what can be done with all."""
    size = imgui.get_font_size()
    title("Variations")
    for side in SIDES:
        if choice(f"{side} x {side}", side == wall.side):
            wall.resize(side)
        tip("How many worlds live side by side. Fewer are larger.")
        imgui.same_line(0, size * 0.25)
    imgui.same_line(0, size)
    imgui.set_next_item_width(size * 9)
    strength, part = wall.generation.strength, wall.generation.part
    moved, percent = imgui.slider_float("##strength", strength * 100, 0.0, 100.0, "strength %.0f %%")
    if moved:
        wall.adjust(percent / 100, part)
    tip("How far the others are from their parent. They change while you drag.")
    imgui.same_line(0, size)
    imgui.set_next_item_width(size * 6.5)
    moved, at = imgui.combo("##part", PARTS.index(part), list(PARTS))
    if moved:
        wall.adjust(strength, PARTS[at])
    tip("What differs: how agents behave, what the picture looks like, or both.")
    imgui.same_line()
    if imgui.button("Others"):
        wall.again()
    tip("Other children of the same parent. Locked parameters stay as they are in all of them.")
    imgui.same_line()
    imgui.begin_disabled(len(wall.generations) == 1)
    if imgui.button("Back"):
        wall.back()
    imgui.end_disabled()
    tip(f"Goes back a generation (Backspace or Ctrl+Z). This is the {_nth(len(wall.generations))}.")
    imgui.same_line()
    if imgui.button("Take"):
        studio.take(wall.homes[0])
    tip("Takes the parent's look into the large world, which waits meanwhile, and closes the wall.")
    if close_button():
        studio.close_survey()
    tip("Closes the wall (V or Esc); the large world goes on as it was.")
    imgui.end_group()
    imgui.dummy(imgui.ImVec2(0, size * 0.1))


def _nth(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return f"{number}{ending}"


def _draw_places(studio: Studio, wall: Wall, pictures: Pictures, room: imgui.ImVec2) -> None:
    """All pictures in a square of rows, as large as there is room."""
    gap, side = imgui.get_font_size() * GAP, wall.side
    width, height = (room.x - gap * (side - 1)) / side, (room.y - gap * side) / side
    scale = imgui.get_io().display_framebuffer_scale
    wall.picture = max(16, round(width * scale.x)), max(16, round(height * scale.y))
    wall.target = round(room.x * scale.x), round(room.y * scale.y)
    origin, hovered = imgui.get_cursor_screen_pos(), None
    chosen: int | None = None
    for place in range(side * side):
        row, column = divmod(place, side)
        corner = imgui.ImVec2(origin.x + column * (width + gap), origin.y + row * (height + gap))
        imgui.set_cursor_screen_pos(corner)
        imgui.push_id(place)
        clicked = imgui.invisible_button("place", imgui.ImVec2(width, height))
        over = imgui.is_item_hovered()
        if over:
            hovered = place
        _draw_place(
            wall, place, pictures.get(place), corner, imgui.ImVec2(corner.x + width, corner.y + height), over
        )
        imgui.pop_id()
        chosen = place if clicked else chosen
    wall.hovered = hovered
    if imgui.get_io().key_shift:
        if chosen is not None:
            wall.mark(chosen)
    elif hovered is not None and imgui.is_mouse_double_clicked(0):
        studio.take(wall.homes[0])  # the first click has made it the parent
    elif chosen is not None:
        wall.choose(chosen)
    imgui.set_cursor_screen_pos(imgui.ImVec2(origin.x, origin.y + side * (height + gap)))
    imgui.dummy(imgui.ImVec2(0, 0))


def _draw_place(
    wall: Wall,
    place: int,
    picture: imgui.ImTextureRef | None,
    low: imgui.ImVec2,
    high: imgui.ImVec2,
    over: bool,
) -> None:
    """A picture, what tells it from its parent, and a frame."""
    draw, rounding = imgui.get_window_draw_list(), imgui.get_style().frame_rounding
    waits = place in wall.worlds.wanted
    if picture:
        tint = FADED if waits else 1.0
        upright = imgui.ImVec2(0, 1), imgui.ImVec2(1, 0)
        draw.add_image_rounded(picture, low, high, *upright, colour(tint, tint, tint, 1), rounding)
    else:
        draw.add_rect_filled(low, high, colour(1, 1, 1, 0.03), rounding)
    _draw_caption(wall.caption(place, MORE if over else 1), low, high)
    if place == wall.marked:
        _frame(low, high, (*BRED, 1.0))
    elif over:
        _frame(low, high, (*ACCENT, 1.0))
    elif place in wall.homes:
        _frame(low, high, (1, 1, 1, 0.55))


def _frame(low: imgui.ImVec2, high: imgui.ImVec2, tint: tuple[float, ...]) -> None:
    rounding = imgui.get_style().frame_rounding
    imgui.get_window_draw_list().add_rect(low, high, colour(*tint), rounding, thickness=2.0)


def _draw_caption(lines: list[str], low: imgui.ImVec2, high: imgui.ImVec2) -> None:
    """Words on a shade at the lower edge of a picture."""
    if not lines:
        return
    draw, size = imgui.get_window_draw_list(), imgui.get_font_size() * SMALL
    pad, line = size * 0.5, size * 1.25
    top = high.y - pad - line * len(lines)
    dark, none = colour(0, 0, 0, 0.72), colour(0, 0, 0, 0)
    shade = imgui.ImVec2(low.x, max(low.y, top - line))
    draw.add_rect_filled_multi_color(shade, high, none, none, dark, dark)
    draw.push_clip_rect(low, high, True)
    for number, text in enumerate(lines):
        where = imgui.ImVec2(low.x + pad, top + number * line)
        draw.add_text(imgui.get_font(), size, where, colour(1, 1, 1, 0.92), text)
    draw.pop_clip_rect()
