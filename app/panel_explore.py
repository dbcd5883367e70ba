"""The panel's section to find looks: two compared, chance, morphs, and a pad between four presets."""

import functools

import numpy as np
from imgui_bundle import imgui

from app.easing import EASINGS
from app.explorer import SIDES
from app.mutate import PARTS
from app.overlay_style import ACCENT
from app.palette import colours
from app.sliders import LINEAR, LOG, tip
from app.studio import Studio

SECONDS = 0.5, 120.0  # what the slider of a morph reaches
PAD = 0.5  # the pad's height, as a share of its width
SHADE = 144  # of a palette's 256 colours: the one that a corner of the pad has
CELLS = 8  # a side that the pad is drawn as
DOT = 0.4  # of the pad's handle, in font sizes
TOLD = {
    "behaviour": "What agents do and leave: senses, trail, responses, species.",
    "look": "Exposure, tones, palettes, light and finish. The world goes on as it is.",
    "both": "Behaviour and look.",
}


def draw_explore(studio: Studio) -> None:
    """The section's content."""
    _draw_surveys(studio)
    _draw_sides(studio)
    _draw_chance(studio)
    _draw_morph(studio)
    _draw_pad(studio)


def _draw_surveys(studio: Studio) -> None:
    """What shows many looks side by side."""
    half = (imgui.get_content_region_avail().x - imgui.get_style().item_spacing.x) / 2
    if imgui.button("Variations", imgui.ImVec2(half, 0)):
        studio.toggle_wall()
    tip("A wall of small living worlds, each a mutation of this one: choose, breed, take (V).")
    imgui.same_line()
    if imgui.button("Two parameters", imgui.ImVec2(-1, 0)):
        studio.toggle_sweep()
    tip("What becomes of this look when two parameters are turned, as a grid of pictures to go to (G).")


def _draw_sides(studio: Studio) -> None:
    """Which of two looks is shown, and a button to make them the same."""
    side = imgui.get_frame_height() * 1.4
    for index, name in enumerate(SIDES):
        here = index == studio.side
        if here:
            imgui.push_style_color(imgui.Col_.button, imgui.ImVec4(*ACCENT, 0.85))
            imgui.push_style_color(imgui.Col_.text, imgui.ImVec4(0, 0, 0, 1))
        if imgui.button(f"{name}##side", imgui.ImVec2(side, 0)) and not here:
            studio.flip()
        if here:
            imgui.pop_style_color(2)
        tip(f"Look {name} {'is shown' if here else 'is the other one: click to show it'} (B flips the two).")
        imgui.same_line()
    if imgui.button(f"Copy {SIDES[studio.side]} to {SIDES[1 - studio.side]}", imgui.ImVec2(-1, 0)):
        studio.copy_side()
    tip("Makes the other look the same as this one (Shift+B): go on from here, and flip to compare.")


def _draw_chance(studio: Studio) -> None:
    """Mutating and drawing anew, and how."""
    half = (imgui.get_content_region_avail().x - imgui.get_style().item_spacing.x) / 2
    if imgui.button("Mutate", imgui.ImVec2(half, 0)):
        studio.mutate()
    tip("Moves everything a little, at random (M). What is locked stays.")
    imgui.same_line()
    if imgui.button("Randomise", imgui.ImVec2(-1, 0)):
        studio.randomise()
    tip("Draws everything anew, at random (Shift+M). What is locked stays.")
    _, studio.strength = imgui.slider_float("strength", studio.strength, 0.0, 1.0, "%.2f", LINEAR)
    tip("How far a mutation moves: 0 not at all, 0.1 a near relative, 1 a stranger.")
    _, at = imgui.combo("what moves", PARTS.index(studio.part), list(PARTS))
    studio.part = PARTS[at]
    tip("\n".join(f"{part}: {TOLD[part]}" for part in PARTS))
    _, studio.wake = imgui.checkbox("rules come and go", studio.wake)
    tip(
        "Chance may turn on what is off, and off what is on: responses, life, edges, glow. "
        "On CUDA the show stalls where a rule has to be compiled for the first time."
    )


def _draw_morph(studio: Studio) -> None:
    """How morphs go, and how far the present one has come."""
    _, studio.seconds = imgui.slider_float("morph", studio.seconds, *SECONDS, "%.1f s", LOG)
    tip("How long a morph takes. Hold Ctrl and click a preset in the list to morph to it.")
    names = list(EASINGS)
    _, at = imgui.combo("easing", names.index(studio.easing), names)
    studio.easing = names[at]
    tip("smooth: gently off and gently there. in: gently off. out: gently there. hold: at once, at the end.")
    if studio.morph:
        stop = imgui.get_font_size() * 4
        width = imgui.get_content_region_avail().x - stop - imgui.get_style().item_spacing.x
        waits = ", paused" if studio.paused else ""
        said = f"to {studio.morph.target.title}, {100 * studio.morph.done:.0f} %{waits}"
        imgui.progress_bar(studio.morph.done, imgui.ImVec2(width, 0), said)
        imgui.same_line()
        if imgui.button("Stop##morph", imgui.ImVec2(-1, 0)):
            studio.stop_morph()
        tip("Stays at what the morph has come to.")


def _draw_pad(studio: Studio) -> None:
    """A look between four presets, by a place between their corners."""
    _draw_corners(studio, 0)
    width = imgui.get_content_region_avail().x
    size, low = imgui.ImVec2(width, width * PAD), imgui.get_cursor_screen_pos()
    high = imgui.ImVec2(low.x + size.x, low.y + size.y)
    imgui.invisible_button("pad", size)
    if imgui.is_item_active():
        mouse = imgui.get_io().mouse_pos
        studio.blend((mouse.x - low.x) / size.x, (mouse.y - low.y) / size.y)
    else:
        tip("Drag: the look becomes a blend of the four presets, most like the one whose corner is nearest.")
    draw = imgui.get_window_draw_list()
    inks = _inks(tuple(preset.params.palette for preset in studio.corners))
    for row, column in np.ndindex(CELLS, CELLS):
        corner = imgui.ImVec2(low.x + size.x * column / CELLS, low.y + size.y * row / CELLS)
        end = imgui.ImVec2(corner.x + size.x / CELLS, corner.y + size.y / CELLS)
        (left, right), (lower_left, lower_right) = (
            inks[row][column : column + 2],
            inks[row + 1][column : column + 2],
        )
        draw.add_rect_filled_multi_color(corner, end, left, right, lower_right, lower_left)
    held = imgui.is_item_active() or imgui.is_item_hovered()
    x, y = studio.pad
    middle = imgui.ImVec2(low.x + x * size.x, low.y + y * size.y)
    radius, ink = DOT * imgui.get_font_size(), imgui.IM_COL32(255, 255, 255, 255 if held else 190)
    draw.push_clip_rect(low, high, True)
    draw.add_circle(middle, radius * 1.15, imgui.IM_COL32(0, 0, 0, 160), thickness=3.5)
    draw.add_circle(middle, radius, ink, thickness=2.0)
    draw.pop_clip_rect()
    _draw_corners(studio, 2)


def _draw_corners(studio: Studio, first: int) -> None:
    """What lies at two corners of the pad, side by side."""
    half = (imgui.get_content_region_avail().x - imgui.get_style().item_spacing.x) / 2
    for corner in (first, first + 1):
        if corner > first:
            imgui.same_line()
        imgui.set_next_item_width(half if corner == first else -1)
        chosen = studio.corners[corner]
        if imgui.begin_combo(f"##corner {corner}", chosen.title, imgui.ComboFlags_.height_large):
            for entry in studio.presets:
                if (
                    entry.preset
                    and imgui.selectable(f"{entry.preset.title}##{entry.name}", entry.preset == chosen)[0]
                ):
                    studio.corners[corner] = entry.preset
            imgui.end_combo()
        tip("The preset at this corner.")


@functools.lru_cache(maxsize=4)
def _inks(palettes: tuple[str, ...]) -> list[list[int]]:
    """The pad's colours [CELLS + 1, CELLS + 1]: one square of four colours would show its diagonal."""
    corners = np.array([colours(palette)[SHADE] for palette in palettes], float).reshape(2, 2, 3)
    along = np.linspace(0, 1, CELLS + 1)[:, None]
    rows = (1 - along)[:, :, None] * corners[0] + along[:, :, None] * corners[1]  # [CELLS + 1, 2, 3]
    grid = (1 - along) * rows[:, :1] + along * rows[:, 1:]  # [CELLS + 1, CELLS + 1, 3]
    return [
        [imgui.IM_COL32(round(red), round(green), round(blue), 255) for red, green, blue in row]
        for row in grid.tolist()
    ]
