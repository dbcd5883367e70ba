"""The panel on species: whose traits are shown, one more or less, and who likes whose trail."""

import dataclasses
import functools

from imgui_bundle import imgui

from app.lock_marks import draw_lock
from app.palette import colours
from app.sliders import draw_specs, explain, inside, tip
from app.studio import Studio
from kernels.params import MAX_SPECIES, SPECS, Params, own_name
from kernels.spec import Spec, Value

SHADE = 176  # of a palette's 256 colours: the one that stands for a species
LIKING, FLEEING = (0.85, 0.42, 0.12), (0.16, 0.45, 0.85)
FAINTEST, STRONGEST = 0.06, 0.75  # opacities of a cell at 0 and at the end of its range
JOINING = "joins", "join_threshold", "join_chance"


def draw_chooser(studio: Studio, shown: int) -> int:
    """A button for each species, in its colour, and two to have one more or less.

    Args:
        studio: Whose world it is.
        shown: The species whose traits are shown, from 0.

    Returns:
        The one to show from now on.
    """
    params, species = studio.session.params, studio.session.world.species
    imgui.align_text_to_frame_padding()
    imgui.text("Species")
    for k in range(species):
        imgui.same_line()
        if _number(params, k, k == shown):
            shown = k
    for sign, allowed, command, help in (
        ("+", species < MAX_SPECIES, studio.add_species, "One species more: the world starts again."),
        (
            "-",
            species > 1,
            lambda: studio.remove_species(shown),
            f"Species {shown + 1} goes: the world starts again.",
        ),
    ):
        imgui.same_line()
        imgui.begin_disabled(not allowed)
        if imgui.button(f"{sign}##species", imgui.ImVec2(imgui.get_frame_height(), 0)):
            command()
        imgui.end_disabled()
        tip(help)
    return min(shown, studio.session.world.species - 1)


def _number(params: Params, species: int, shown: bool) -> bool:
    """A species' button: full of its colour when its traits are shown, else with a line of it."""
    red, green, blue = species_colour(params, species)
    light = red * 0.3 + green * 0.59 + blue * 0.11 > 0.5
    side = imgui.get_frame_height()
    if shown:
        imgui.push_style_color(imgui.Col_.button, imgui.ImVec4(red, green, blue, 1))
        imgui.push_style_color(imgui.Col_.button_hovered, imgui.ImVec4(red, green, blue, 0.9))
        ink = imgui.ImVec4(0, 0, 0, 1) if light else imgui.ImVec4(1, 1, 1, 1)
        imgui.push_style_color(imgui.Col_.text, ink)
    pressed = imgui.button(f"{species + 1}##species", imgui.ImVec2(side * 1.4, 0))
    if shown:
        imgui.pop_style_color(3)
    low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
    colour = imgui.color_convert_float4_to_u32(imgui.ImVec4(red, green, blue, 1))
    imgui.get_window_draw_list().add_rect_filled(imgui.ImVec2(low.x, high.y - side / 8), high, colour, 2)
    tip(f"Shows the traits of species {species + 1} below.")
    return pressed


def species_colour(params: Params, species: int) -> tuple[float, float, float]:
    """The colour that stands for a species, from its palette, each channel 0 to 1."""
    red, green, blue = colours(getattr(params, own_name("palette", species)))[SHADE] / 255
    return float(red), float(green), float(blue)


def draw_species(params: Params, species: int, shown: int, locked: set[str]) -> dict[str, Value]:
    """The section's content: the attraction matrix, and whom the shown species joins.

    Args:
        params: All parameters.
        species: How many species there are.
        shown: The one whose other traits are shown, from 0.
        locked: Names of the parameters that are locked.

    Returns:
        The values a person changed in this frame.
    """
    changed: dict[str, Value] = {}
    imgui.text_disabled("who likes whose trail" if species > 1 else "how much it likes its own trail")
    if imgui.begin_table("##attraction", species + 1, imgui.TableFlags_.sizing_stretch_same):
        imgui.table_next_row()
        for k in range(species):
            imgui.table_set_column_index(k + 1)
            _name(params, k, middle=True)
        for who in range(species):
            imgui.table_next_row()
            imgui.table_set_column_index(0)
            _name(params, who)
            for whose in range(species):
                imgui.table_set_column_index(whose + 1)
                spec = SPECS[own_name(f"attraction_to_{whose + 1}", who)]
                value = float(getattr(params, spec.name))
                if (new := draw_attraction(spec, value)) != value:
                    changed[spec.name] = new
                draw_lock(spec.name, locked, inside=True)
        imgui.end_table()
    if species > 1:
        imgui.text_disabled(f"whom species {shown + 1} joins")
        now = str(getattr(params, own_name("joins", shown)))
        changed |= draw_specs(joining(species, shown, now), params, locked)
    return changed


@functools.cache
def joining(species: int, shown: int, now: str) -> tuple[Spec, ...]:
    """What says whom a species joins: the others that there are, and what it says now, whatever that is.

    Args:
        species: How many species there are.
        shown: The one that joins, from 0.
        now: Its value of `joins`.
    """
    whom, *more = (SPECS[own_name(name, shown)] for name in JOINING)
    others = {str(k + 1) for k in range(species) if k != shown}
    choices = tuple(choice for choice in whom.choices if choice in {"none", now, *others})
    return dataclasses.replace(whom, choices=choices), *more


def draw_attraction(spec: Spec, value: float) -> float:
    """A cell of the matrix: warm where it likes, cold where it flees; drag it, right-click to reset."""
    colour = LIKING if value > 0 else FLEEING
    opacity = FAINTEST + (STRONGEST - FAINTEST) * abs(value) / spec.high
    held = min(1.0, opacity + 0.1)
    imgui.push_style_color(imgui.Col_.frame_bg, imgui.ImVec4(*colour, opacity))
    imgui.push_style_color(imgui.Col_.frame_bg_hovered, imgui.ImVec4(*colour, held))
    imgui.push_style_color(imgui.Col_.frame_bg_active, imgui.ImVec4(*colour, held))
    imgui.set_next_item_width(-1)
    changed, new = imgui.drag_float(
        f"##{spec.name}", value, 0.01, spec.low, spec.high, "%.2f", imgui.SliderFlags_.always_clamp
    )
    imgui.pop_style_color(3)
    if imgui.is_item_clicked(1):
        changed, new = True, float(spec.default)
    explain(spec)
    return float(inside(spec, new)) if changed else value


def _name(params: Params, species: int, middle: bool = False) -> None:
    """A species' number in its colour, as the matrix has it at its edges."""
    text = f"{species + 1}" if middle else f"species {species + 1}"
    if middle:
        space = imgui.get_content_region_avail().x - imgui.calc_text_size(text).x
        imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(0.0, space / 2))
    else:
        imgui.align_text_to_frame_padding()
    imgui.text_colored(imgui.ImVec4(*species_colour(params, species), 1), text)
