"""What the cards of a wall look like: stars, frames, what stands in for a picture, and tags to click."""

import math
from collections.abc import Iterable

from imgui_bundle import imgui

from app import gallery
from app.gallery import Card
from app.overlay_style import ACCENT
from app.palette import colours
from app.sliders import tip
from app.studio import Studio
from presets import Preset

SHAPE = 16 / 9  # of a picture
SMALL = 0.86  # of the font size
BROKEN = (0.95, 0.55, 0.42)
STAR = 1.7  # the corner of a card that its star takes, in font sizes
STRIPES = 24  # that a palette is shown in, where there is no picture
CLICKS = "Click to start a preset; with Shift the agents live on, with Ctrl their look slowly becomes it."


def start(studio: Studio, preset: Preset) -> None:
    """Shows a preset as the keys held say."""
    io = imgui.get_io()
    if io.key_ctrl:
        studio.morph_to(preset)
    else:
        studio.load_preset(preset, keep_agents=io.key_shift)


def bring_into_sight(area: imgui.ImVec2) -> None:
    """Scrolls so that the card about to be drawn is seen whole, and a heading above it too."""
    top, height, room = imgui.get_cursor_pos_y(), imgui.get_window_height(), imgui.get_font_size() * 2
    scroll = imgui.get_scroll_y()
    if top - room < scroll:
        imgui.set_scroll_y(max(0.0, top - room))
    elif top + area.y + room > scroll + height:
        imgui.set_scroll_y(top + area.y + room - height)


def chip(label: str, help: str, on: bool, offered: bool, first: bool = False) -> bool:
    """A tag as a button; it goes to the next line where there is no room on this one."""
    style = imgui.get_style()
    imgui.push_font(None, style.font_size_base * SMALL)
    width = imgui.calc_text_size(label).x + 2 * style.frame_padding.x
    if not first:
        imgui.same_line(0, style.item_spacing.x * 0.75)
        if imgui.get_content_region_avail().x < width:
            imgui.new_line()
    veil = imgui.ImVec4(*ACCENT, 0.85) if on else imgui.ImVec4(1, 1, 1, 0.07)
    imgui.push_style_color(imgui.Col_.button, veil)
    imgui.push_style_color(
        imgui.Col_.text, imgui.ImVec4(0.06, 0.06, 0.06, 1) if on else style.color_(imgui.Col_.text)
    )
    imgui.push_style_var(imgui.StyleVar_.frame_rounding, imgui.get_frame_height() / 2)
    imgui.begin_disabled(not (on or offered))
    pressed = imgui.button(f"{label}##tag")
    imgui.end_disabled()
    imgui.pop_style_var()
    imgui.pop_style_color(2)
    imgui.pop_font()
    tip(help)
    return pressed


def draw_hints(hints: Iterable[tuple[str, str]]) -> None:
    """Keys and what they do, as many as there is room for on a line."""
    size, end = imgui.get_font_size(), imgui.get_cursor_pos_x() + imgui.get_content_region_avail().x
    for index, (key, does) in enumerate(hints):
        if index:
            imgui.same_line(0, size * 1.5)
            if imgui.get_cursor_pos_x() + imgui.calc_text_size(f"{key} {does}").x > end:
                imgui.new_line()
                return
        imgui.text_colored(imgui.ImVec4(*ACCENT, 1), key)
        imgui.same_line(0, size * 0.5)
        imgui.text_disabled(does)


def _star_middle(corner: imgui.ImVec2, area: imgui.ImVec2) -> imgui.ImVec2:
    half = imgui.get_font_size() * STAR / 2
    return imgui.ImVec2(corner.x + area.x - half, corner.y + half)


def over_star(corner: imgui.ImVec2, area: imgui.ImVec2) -> bool:
    """Whether the mouse is on the star of a card."""
    middle, mouse = _star_middle(corner, area), imgui.get_io().mouse_pos
    return max(abs(mouse.x - middle.x), abs(mouse.y - middle.y)) <= imgui.get_font_size() * STAR / 2


def draw_star(corner: imgui.ImVec2, area: imgui.ImVec2, full: bool, over: bool) -> None:
    """A star with five points, on a dark spot so that it is seen on any picture."""
    middle = _star_middle(corner, area)
    draw, size = imgui.get_window_draw_list(), imgui.get_font_size()
    draw.add_circle_filled(middle, size * STAR * 0.42, colour(0, 0, 0, 0.55))
    points = _star(middle, size * 0.5)
    if full:
        draw.add_concave_poly_filled(points, colour(*ACCENT, 1.0))
    else:
        ink = colour(1, 1, 1, 0.95 if over else 0.7)
        draw.add_polyline(points, ink, thickness=1.2, flags=imgui.ImDrawFlags_.closed)


def mark_favourite(title: str) -> None:
    """A small star after the title of the line just drawn."""
    size, low, high = imgui.get_font_size(), imgui.get_item_rect_min(), imgui.get_item_rect_max()
    middle = imgui.ImVec2(low.x + imgui.calc_text_size(title).x + size, (low.y + high.y) / 2)
    imgui.get_window_draw_list().add_concave_poly_filled(_star(middle, size * 0.32), colour(*ACCENT, 1.0))


def _star(middle: imgui.ImVec2, reach: float) -> list[imgui.ImVec2Like]:
    """The ten corners of a star with five points."""
    points: list[imgui.ImVec2Like] = []
    for corner in range(10):
        radius = reach * (0.45 if corner % 2 else 1)
        turn = math.pi * corner / 5
        points.append(imgui.ImVec2(middle.x + radius * math.sin(turn), middle.y - radius * math.cos(turn)))
    return points


def draw_palette(palette: str, corner: imgui.ImVec2, end: imgui.ImVec2) -> None:
    """The colours that a picture will have, dimly."""
    draw, ramp = imgui.get_window_draw_list(), colours(palette)
    wide = (end.x - corner.x) / STRIPES
    for stripe in range(STRIPES):
        red, green, blue = ramp[(stripe * 2 + 1) * len(ramp) // (2 * STRIPES)] / 255
        left = corner.x + stripe * wide
        right = imgui.ImVec2(left + wide, end.y)
        draw.add_rect_filled(imgui.ImVec2(left, corner.y), right, colour(red, green, blue, 0.3))


def draw_words(card: Card, on: bool, whole: bool, corner: imgui.ImVec2, area: imgui.ImVec2) -> None:
    """Title and tags under a picture.

    Args:
        card: Whose.
        on: Whether it is the preset that is shown, which has a dot.
        whole: Whether the first tag is told too, where no heading does it.
        corner: Of the card.
        area: Its size.
    """
    draw, size = imgui.get_window_draw_list(), imgui.get_font_size()
    draw.push_clip_rect(corner, imgui.ImVec2(corner.x + area.x, corner.y + area.y), True)
    x, y = corner.x, corner.y + area.x / SHAPE + size * 0.2
    if on:
        draw.add_circle_filled(
            imgui.ImVec2(x + size * 0.3, y + size * 0.55), size * 0.22, colour(*ACCENT, 1.0)
        )
        x += size * 0.85
    draw.add_text(imgui.ImVec2(x, y), imgui.get_color_u32(imgui.Col_.text), gallery.title_of(card))
    below, faint = imgui.ImVec2(corner.x, y + size * 1.1), imgui.get_color_u32(imgui.Col_.text_disabled)
    tags = gallery.tags_of(card)
    draw.add_text(imgui.get_font(), size * SMALL, below, faint, ", ".join(tags if whole else tags[1:]))
    draw.pop_clip_rect()


def draw_error(error: str, corner: imgui.ImVec2, end: imgui.ImVec2) -> None:
    """Why a file cannot be read, in the place of its picture."""
    draw, size = imgui.get_window_draw_list(), imgui.get_font_size() * SMALL
    inset = size * 0.7
    draw.push_clip_rect(corner, end, True)
    where = imgui.ImVec2(corner.x + inset, corner.y + inset)
    wide = end.x - corner.x - 2 * inset
    draw.add_text(imgui.get_font(), size, where, colour(*BROKEN, 1.0), error, wrap_width=wide)
    draw.pop_clip_rect()


def draw_waiting(corner: imgui.ImVec2, end: imgui.ImVec2) -> None:
    """Three dots that breathe: a picture is on its way."""
    draw, size = imgui.get_window_draw_list(), imgui.get_font_size()
    x, y = (corner.x + end.x) / 2, (corner.y + end.y) / 2
    for dot in (-1, 0, 1):
        light = 0.35 + 0.3 * math.sin(imgui.get_time() * 4 - dot)
        draw.add_circle_filled(imgui.ImVec2(x + dot * size * 0.7, y), size * 0.16, colour(1, 1, 1, light))


def frame(corner: imgui.ImVec2, area: imgui.ImVec2, tint: tuple[float, float, float], opacity: float) -> None:
    """A line around a card's picture."""
    away = 2.0
    low = imgui.ImVec2(corner.x - away, corner.y - away)
    high = imgui.ImVec2(corner.x + area.x + away, corner.y + area.x / SHAPE + away)
    rounding = imgui.get_style().frame_rounding + away
    imgui.get_window_draw_list().add_rect(low, high, colour(*tint, opacity), rounding, thickness=2.0)


def colour(*channels: float) -> int:
    """Red, green, blue and opacity as draw lists take them."""
    return imgui.color_convert_float4_to_u32(imgui.ImVec4(*channels))
