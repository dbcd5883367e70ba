"""The map of two parameters, with imgui: a grid of pictures between two axes, and what it is of beside it."""

import dataclasses
import math

import numpy as np
from imgui_bundle import imgui

from app.differences import number, unit
from app.overlay_style import ACCENT
from app.palette import colours
from app.panel_cards import colour, draw_waiting
from app.panel_wall import SMALL, Pictures, begin_full, choice, close_button, pressed, title
from app.sliders import LINEAR, LOG, tip
from app.studio import Studio
from app.sweep import GRIDS, LEAST_STEPS, MEASURES, MOST_STEPS, PREVIEW, Axis, Sweep, sweepable
from kernels.spec import Value

SIDE = 19.0  # the width of what stands beside the map, in font sizes
GAP = 2.0  # between pictures, in window units
HEAT = "viridis"  # the colours of a measure, from the least to the greatest
VEIL = 0.62  # how much of them is seen over the pictures
STANDING_IN = 0.35  # how bright the picture is that stands for one that is not done
HINT = "Click goes there    G closes; it can be opened again as it is while nothing else changes"
TOLD = {"coverage": "coverage", "entropy": "entropy", "motion": "motion", "length_scale": "length scale"}
MEANINGS = {
    "coverage": "The share of the field with more than half the mean trail.",
    "entropy": "How evenly all tones are used: 0 one tone, 1 all alike.",
    "motion": "How much the picture changes in 25 steps: 0 it is frozen.",
    "length_scale": "How far apart veins or spots are.",
}


class SweepPanel:
    """Keeps what the map is coloured by, and which axis is being changed."""

    def __init__(self) -> None:
        self.measure = ""
        self.draft: tuple[Axis, Axis, int] | None = None  # what is being dragged: across, down, steps

    def draw(self, studio: Studio, sweep: Sweep, pictures: Pictures) -> None:
        """One frame; the arguments are those of `panel_wall.draw_wall`."""
        begin_full("##sweep")
        appears = imgui.is_window_appearing()  # the key that opened it would close it
        self._draw_head(studio, sweep)
        size, room = imgui.get_font_size(), imgui.get_content_region_avail()
        foot = imgui.get_text_line_height_with_spacing()
        origin = imgui.get_cursor_screen_pos()
        self._draw_map(
            studio, sweep, pictures, origin, imgui.ImVec2(room.x - size * (SIDE + 1.5), room.y - foot)
        )
        imgui.set_cursor_screen_pos(imgui.ImVec2(origin.x + room.x - size * SIDE, origin.y))
        imgui.begin_child("##beside", imgui.ImVec2(size * SIDE, room.y - foot))
        self._draw_settings(studio, sweep)
        self._draw_preview(sweep, pictures)
        imgui.end_child()
        imgui.set_cursor_screen_pos(imgui.ImVec2(origin.x, origin.y + room.y - foot * 0.8))
        imgui.push_font(None, imgui.get_style().font_size_base * SMALL)
        imgui.text_disabled(HINT)
        imgui.pop_font()
        imgui.end()
        if not appears and imgui.get_io().key_ctrl and pressed(imgui.Key.r):
            studio.toggle_recording()
        elif not appears and pressed(imgui.Key.g, imgui.Key.escape):
            studio.close_survey()

    def _draw_head(self, studio: Studio, sweep: Sweep) -> None:
        """Title, how far it is, and what it is coloured by."""
        size = imgui.get_font_size()
        title("Map of two parameters")
        for measure in ("", *MEASURES):
            if choice(TOLD.get(measure, "pictures"), measure == self.measure):
                self.measure = measure
            tip(MEANINGS.get(measure, "Just the pictures."))
            imgui.same_line(0, size * 0.25)
        imgui.same_line(0, size)
        if sweep.done < 1:
            label = f"{len(sweep.results)} of {sweep.cells}"
            imgui.progress_bar(sweep.done, imgui.ImVec2(size * 8, 0), label)
            imgui.same_line()
            if imgui.button("Go on" if sweep.stopped else "Stop"):
                sweep.stopped = not sweep.stopped
            tip("Stops computing; what is done stays.")
        if close_button():
            studio.close_survey()
        tip("Closes the map (G or Esc); the large world, which waits meanwhile, goes on as it was.")
        imgui.end_group()
        imgui.dummy(imgui.ImVec2(0, size * 0.1))

    # The map

    def _draw_map(
        self, studio: Studio, sweep: Sweep, pictures: Pictures, origin: imgui.ImVec2, room: imgui.ImVec2
    ) -> None:
        size = imgui.get_font_size()
        left, below = size * 4.2, size * 2.8  # what the axes take
        columns, rows = sweep.across.count, sweep.down.count
        width, height = (room.x - left) / columns - GAP, (room.y - below) / rows - GAP
        scale = imgui.get_io().display_framebuffer_scale
        sweep.picture = max(8, round(width * scale.x)), max(8, round(height * scale.y))
        hovered, present = None, sweep.present(studio.session.params)
        low, high = sweep.range_of(self.measure) if self.measure else (0.0, 1.0)
        for cell in range(sweep.cells):
            row, column = divmod(cell, columns)
            corner = imgui.ImVec2(origin.x + left + column * (width + GAP), origin.y + row * (height + GAP))
            end = imgui.ImVec2(corner.x + width, corner.y + height)
            imgui.set_cursor_screen_pos(corner)
            imgui.push_id(cell)
            clicked = imgui.invisible_button("cell", imgui.ImVec2(width, height))
            if imgui.is_item_hovered():
                hovered = cell
            imgui.pop_id()
            _draw_cell(sweep, cell, pictures, corner, end)
            if self.measure and cell in sweep.results:
                value = getattr(sweep.results[cell].statistics, self.measure)
                _draw_heat((value - low) / (high - low or 1.0), number(value), corner, end)
            if cell == sweep.hovered:
                _frame(corner, end, (*ACCENT, 1.0))
            elif cell == present:
                _frame(corner, end, (1, 1, 1, 0.7))
            if clicked:
                studio.go_to(cell)
        sweep.hovered = hovered
        _draw_axes(sweep, imgui.ImVec2(origin.x, origin.y), left, width, height)

    # Beside it

    def _draw_settings(self, studio: Studio, sweep: Sweep) -> None:
        """The axes, the grid and the steps; another map begins when one of them is changed."""
        across, down, steps = self.draft or (sweep.across, sweep.down, sweep.steps)
        self.draft = None
        wanted = _draw_axis(studio, "across", across), _draw_axis(studio, "up", down)
        imgui.align_text_to_frame_padding()
        imgui.text("grid")
        for columns, rows in GRIDS:
            imgui.same_line()
            if choice(f"{columns} x {rows}", (columns, rows) == (across.count, down.count)):
                wanted = (
                    dataclasses.replace(wanted[0], count=columns), dataclasses.replace(wanted[1], count=rows),
                )  # fmt: skip
            tip("How many worlds there are. All begin anew.")
        imgui.set_next_item_width(-imgui.get_font_size() * 4)
        _, steps = imgui.slider_int("steps", steps, LEAST_STEPS, MOST_STEPS, "%d", LOG)
        tip("How many steps each world grows. All begin anew.")
        if imgui.button("About what is now", imgui.ImVec2(-1, 0)):
            wanted = (
                studio.axis(wanted[0].name, wanted[0].count),
                studio.axis(wanted[1].name, wanted[1].count),
            )
        tip("Puts the present values into the middle of the map.")
        if (*wanted, steps) != (sweep.across, sweep.down, sweep.steps):
            if imgui.is_any_item_active():
                self.draft = *wanted, steps  # until it is let go
            else:
                studio.survey(*wanted, steps)

    def _draw_preview(self, sweep: Sweep, pictures: Pictures) -> None:
        """The cell under the mouse, larger, with its values and measures."""
        size = imgui.get_font_size()
        imgui.dummy(imgui.ImVec2(0, size * 0.3))
        width = imgui.get_content_region_avail().x
        room = imgui.get_content_region_avail().y - size * 8.5
        shape = sweep.picture[1] / sweep.picture[0]
        height = max(size * 4, min(width * shape, room))
        scale = imgui.get_io().display_framebuffer_scale
        sweep.preview = max(16, round(width * scale.x)), max(16, round(height * scale.y))
        corner, draw = imgui.get_cursor_screen_pos(), imgui.get_window_draw_list()
        end = imgui.ImVec2(corner.x + width, corner.y + height)
        cell = sweep.hovered
        if cell is None:
            imgui.text_disabled("Rest the mouse on a picture to see it larger.")
            return
        draw.add_rect_filled(corner, end, colour(1, 1, 1, 0.03), imgui.get_style().frame_rounding)
        if cell in sweep.results and PREVIEW in pictures:
            _image(pictures[PREVIEW], corner, end, 1.0, imgui.get_style().frame_rounding)
        imgui.dummy(imgui.ImVec2(width, height))
        for name, value in sweep.values(cell).items():
            imgui.text(f"{name.replace('_', ' ')}  {_told(sweep, name, value)}")
        if result := sweep.results.get(cell):
            for name, unit in MEASURES.items():
                imgui.text_disabled(f"{TOLD[name]}  {number(getattr(result.statistics, name))} {unit}")
        else:
            imgui.text_disabled("It is not done yet.")


def _draw_cell(sweep: Sweep, cell: int, pictures: Pictures, low: imgui.ImVec2, high: imgui.ImVec2) -> None:
    """A picture; where there is none yet, that of a coarser grid, dimly."""
    other = sweep.stand_in(cell)
    if cell in pictures and (cell in sweep.results or cell in sweep.under_way):
        _image(pictures[cell], low, high, 1.0)
    elif other is not None and other in pictures:
        _image(pictures[other], low, high, STANDING_IN)
    else:
        imgui.get_window_draw_list().add_rect_filled(low, high, colour(1, 1, 1, 0.03), 2)
    if cell in sweep.under_way:
        draw_waiting(low, high)


def _image(
    picture: imgui.ImTextureRef, low: imgui.ImVec2, high: imgui.ImVec2, light: float, rounding: float = 2
) -> None:
    upright = imgui.ImVec2(0, 1), imgui.ImVec2(1, 0)
    draw = imgui.get_window_draw_list()
    draw.add_image_rounded(picture, low, high, *upright, colour(light, light, light, 1), rounding)


def _draw_heat(share: float, text: str, low: imgui.ImVec2, high: imgui.ImVec2) -> None:
    """A measure's colour over a picture, and its number."""
    ramp, draw, size = colours(HEAT), imgui.get_window_draw_list(), imgui.get_font_size() * SMALL
    red, green, blue = ramp[int(share * (len(ramp) - 1))] / 255
    draw.add_rect_filled(low, high, colour(red, green, blue, VEIL), 2)
    ink = colour(0, 0, 0, 0.85) if share > 0.6 else colour(1, 1, 1, 0.9)
    draw.add_text(imgui.get_font(), size, imgui.ImVec2(low.x + size * 0.4, low.y + size * 0.25), ink, text)


def _draw_axes(sweep: Sweep, origin: imgui.ImVec2, left: float, width: float, height: float) -> None:
    """The values along both sides, and the names of the parameters with their units."""
    draw, size = imgui.get_window_draw_list(), imgui.get_font_size() * SMALL
    ink, faint = imgui.get_color_u32(imgui.Col_.text), imgui.get_color_u32(imgui.Col_.text_disabled)
    bottom = origin.y + sweep.down.count * (height + GAP)

    def write(text: str, x: float, y: float, along: float, tint: int) -> float:
        wide = imgui.calc_text_size(text).x * SMALL
        draw.add_text(imgui.get_font(), size, imgui.ImVec2(x - along * wide, y), tint, text)
        return wide

    for column, value in enumerate(sweep.across.values):
        middle = origin.x + left + column * (width + GAP) + width / 2
        write(_told(sweep, sweep.across.name, value), middle, bottom + size * 0.25, 0.5, faint)
    for row, value in enumerate(reversed(sweep.down.values)):
        middle = origin.y + row * (height + GAP) + height / 2 - size * 0.5
        write(_told(sweep, sweep.down.name, value), origin.x + left - size * 0.5, middle, 1.0, faint)
    words = sweep.across.name.replace("_", " ")
    write(words, origin.x + left + sweep.across.count * (width + GAP) / 2, bottom + size * 1.6, 0.5, ink)
    for line, word in enumerate(sweep.down.name.split("_")):
        write(word, origin.x, origin.y + line * size * 1.2, 0.0, ink)


def _frame(low: imgui.ImVec2, high: imgui.ImVec2, tint: tuple[float, ...]) -> None:
    imgui.get_window_draw_list().add_rect(low, high, colour(*tint), 2, thickness=2.0)


def _draw_axis(studio: Studio, label: str, axis: Axis) -> Axis:
    """Which parameter an axis is of, and from where to where."""
    imgui.push_id(label)
    names, spec = sweepable(studio.session.world.species), axis.spec
    imgui.set_next_item_width(-imgui.get_font_size() * 4)
    changed, at = imgui.combo(label, names.index(axis.name), [name.replace("_", " ") for name in names])
    tip(f"The parameter along this axis.\n\n{spec.help}")
    if changed:
        axis = studio.axis(names[at], axis.count)
    else:
        imgui.set_next_item_width(-imgui.get_font_size() * 4)
        flags = LOG if spec.scale == "log" else LINEAR
        moved, ends = imgui.slider_float2(
            "from, to", [axis.low, axis.high], spec.low, spec.high, "%.4g", flags
        )
        tip(f"The first and the last value, in {spec.unit or 'plain numbers'}; Ctrl+click to type.")
        if moved and all(map(math.isfinite, ends)):  # typed text may say nan
            low, high = (float(np.clip(end, spec.low, spec.high)) for end in ends)
            axis = dataclasses.replace(axis, low=low, high=high)
    imgui.pop_id()
    return axis


def _told(sweep: Sweep, name: str, value: Value) -> str:
    axis = sweep.across if sweep.across.name == name else sweep.down
    return f"{number(float(value))}{unit(axis.spec)}"
