"""Small locks beside parameters, and one in each heading: what they close, chance and presets leave alone."""

from collections.abc import Collection

from imgui_bundle import imgui

from app.explorer import toggle
from app.overlay_style import ACCENT

SIZE = 0.75  # of a lock, in font sizes
HINT = (
    "Locked: chance, presets, morphs and the pad leave it as it is; your hand may move it.\nClick to unlock."
)
OFFER = "Click to lock: chance, presets, morphs and the pad leave it as it is then."


def draw_lock(name: str, locked: set[str], inside: bool = False) -> None:
    """The lock of the parameter whose widget was the item before; open ones only where the mouse is.

    It is no item of its own, so that the widget stays the last one.

    Args:
        name: The parameter.
        locked: Names of all that are locked; a click puts it in or takes it out.
        inside: Whether the lock stands in the widget's corner rather than at the end of the row.
    """
    side = SIZE * imgui.get_font_size()
    low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
    right = high.x if inside else imgui.get_cursor_screen_pos().x + imgui.get_content_region_avail().x
    row = imgui.ImVec2(right, high.y)
    here = imgui.is_window_hovered() and imgui.is_mouse_hovering_rect(low, row)
    if not here and name not in locked:
        return
    corner = imgui.ImVec2(right - side * (1.1 if inside else 1.0), (low.y + high.y - side) / 2)
    end = imgui.ImVec2(corner.x + side, corner.y + side)
    pointed = here and imgui.is_mouse_hovering_rect(imgui.ImVec2(corner.x, low.y), row)
    if pointed:
        imgui.set_tooltip(HINT if name in locked else OFFER)
        if imgui.is_mouse_clicked(0):
            toggle({name}, locked)
    _draw(corner, end, name in locked, pointed)


def draw_group_lock(group: str, names: Collection[str], locked: set[str]) -> None:
    """The lock of all parameters under a heading, in the heading, which was the item before.

    Args:
        group: The heading.
        names: The parameters under it.
        locked: Names of all that are locked; a click puts them in, or takes them out where all are in.
    """
    low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
    heading = imgui.is_item_hovered()
    right = imgui.get_cursor_screen_pos().x + imgui.get_content_region_avail().x
    height = max(1.0, high.y - low.y)
    imgui.same_line()
    imgui.set_cursor_screen_pos(imgui.ImVec2(right - height, low.y))
    if imgui.invisible_button(f"lock {group}", imgui.ImVec2(height, height)):
        toggle(names, locked)
    pointed = imgui.is_item_hovered()
    shut = locked.issuperset(names)
    if pointed:
        what = "Click to unlock all of it." if shut else "Click to lock all of it"
        imgui.set_tooltip(
            what if shut else f"{what}: chance, presets, morphs and the pad leave it as it is then."
        )
    if heading or pointed or locked.intersection(names):
        side = SIZE * imgui.get_font_size()
        corner = imgui.ImVec2(right - (height + side) / 2, low.y + (height - side) / 2)
        _draw(corner, imgui.ImVec2(corner.x + side, corner.y + side), shut, pointed)


def _draw(low: imgui.ImVec2, high: imgui.ImVec2, shut: bool, pointed: bool) -> None:
    """A padlock: a body, and a shackle that stands open where it is not shut."""
    colour = imgui.ImVec4(*ACCENT, 1.0) if shut else imgui.ImVec4(1, 1, 1, 0.75 if pointed else 0.35)
    ink = imgui.color_convert_float4_to_u32(colour)
    draw, side = imgui.get_window_draw_list(), high.x - low.x
    middle, waist = (low.x + high.x) / 2, low.y + 0.48 * side
    draw.add_rect_filled(
        imgui.ImVec2(low.x + 0.12 * side, waist), imgui.ImVec2(high.x - 0.12 * side, high.y), ink, 0.12 * side
    )
    radius, lifted = 0.24 * side, 0.0 if shut else 0.14 * side
    top = waist - 0.16 * side - lifted
    draw.path_line_to(imgui.ImVec2(middle - radius, waist))
    draw.path_arc_to(imgui.ImVec2(middle, top), radius, 3.14159, 6.28318)
    draw.path_line_to(imgui.ImVec2(middle + radius, waist - lifted))
    draw.path_stroke(ink, thickness=max(1.0, 0.12 * side))
