"""The panel's section on food, walls and the mask: the brush, pictures, and what the map means."""

import dataclasses
from pathlib import Path

from imgui_bundle import imgui

from app.painter import PAINTED
from app.sliders import draw_specs, tip
from app.studio import Studio
from kernels.maps import FILLS
from kernels.params import Brush, Params, specs
from kernels.spec import Spec

BRUSH = specs(Brush)
# The brush's settings that mean something on a layer.
SETTINGS = {
    "trail": ("radius", "strength"),
    "food": ("radius", "hardness", "value"),
    "wall": ("radius", "hardness"),
    "mask": ("radius", "hardness", "value"),
}
EXPLAINED = {
    "trail": "Scent that agents follow and renew; it fades.",
    "food": "Smells beside the trail, and stays. How strongly, the food slider says.",
    "wall": "No agent enters it, and no trail crosses it.",
    "mask": "How far the look to blend with holds, place by place.",
}


class MapPanel:
    """Keeps the path a person is typing, and the name of the look that is blended in."""

    def __init__(self) -> None:
        self.path = ""
        self.other: Params | None = None
        self.blended = ""

    def draw(self, studio: Studio, declared: list[Spec]) -> None:
        """The section's content.

        Args:
            studio: Whose map it is.
            declared: The parameters of the section.
        """
        draw_layers(studio)
        settings = [BRUSH[name] for name in SETTINGS[studio.layer]]
        if changed := draw_specs(settings, studio.brush):
            studio.brush = dataclasses.replace(studio.brush, **changed)  # type: ignore[arg-type]
        draw_gestures(studio)
        if studio.layer != "trail":
            self._draw_path(studio)
        if changed := draw_specs(declared, studio.session.params, studio.locked):
            studio.change(**changed)
        self._draw_blending(studio)

    def _draw_path(self, studio: Studio) -> None:
        hint = "an image, or text:WORDS"
        imgui.set_next_item_width(-imgui.get_font_size() * 4.5)
        entered, self.path = imgui.input_text_with_hint(
            "##path", hint, self.path, imgui.InputTextFlags_.enter_returns_true
        )
        tip(
            "Its brightness, or the words, become this layer, stretched over the field; "
            "the world starts again."
        )
        imgui.same_line()
        path = self.path.strip()
        imgui.begin_disabled(not path)
        if (imgui.button("Load", imgui.ImVec2(-1, 0)) or entered) and path:
            studio.use_picture(studio.layer, Path(path))
        imgui.end_disabled()

    def _draw_blending(self, studio: Studio) -> None:
        """Which look holds where the mask is."""
        other = studio.session.other
        if other is not self.other:
            self.other, self.blended = other, blended_name(studio, other)
        if imgui.begin_combo("blend with", self.blended if other else "none"):
            if imgui.selectable("none", other is None)[0]:
                studio.blend_with(None)
            for entry in studio.presets:
                if (
                    entry.preset
                    and imgui.selectable(
                        f"{entry.preset.title}##{entry.name}", entry.preset.title == self.blended
                    )[0]
                ):
                    studio.blend_with(entry.preset.params)
            imgui.end_combo()
        tip(
            "Agents and trail take on this preset's lengths, angles, deposit, decay and life as far as "
            "the mask reaches where they are. Attractions, food and edges stay."
        )
        if other and not studio.session.living.has_mask:
            imgui.text_disabled("The mask is empty: paint it, or fill it.")


def blended_name(studio: Studio, other: Params | None) -> str:
    """The title of the preset whose parameters a look has."""
    titles = (entry.preset.title for entry in studio.presets if entry.preset and entry.preset.params == other)
    return next(titles, "another look")


def draw_layers(studio: Studio) -> None:
    """What the brush is on."""
    space = imgui.get_style().item_spacing.x / 2
    width = (imgui.get_content_region_avail().x - space * (len(PAINTED) - 1)) / len(PAINTED)
    for number, layer in enumerate(PAINTED):
        if number:
            imgui.same_line(0, space)
        here = layer == studio.layer
        if here:
            imgui.push_style_color(imgui.Col_.button, imgui.get_style_color_vec4(imgui.Col_.slider_grab))
            imgui.push_style_color(imgui.Col_.text, imgui.ImVec4(0, 0, 0, 1))
        if imgui.button(f"{number + 1} {layer}", imgui.ImVec2(width, 0)):
            studio.use_layer(layer)
        if here:
            imgui.pop_style_color(2)
        tip(f"{EXPLAINED[layer]}\n\nPaint with the left button, erase with the right one.")


def draw_gestures(studio: Studio) -> None:
    """Taking back, clearing, and filling the layer."""
    if imgui.button("Undo"):
        studio.undo()
    tip("Takes back what you did last (Ctrl+Z). All of it stands under History.")
    if studio.layer == "trail":
        return
    imgui.same_line()
    if imgui.button("Clear"):
        studio.fill(FILLS[0])
    tip(f"Empties the layer: {studio.layer}.")
    imgui.same_line()
    imgui.set_next_item_width(-1)
    if imgui.begin_combo("##fill", "fill with a gradient"):
        for kind in FILLS[1:]:
            if imgui.selectable(kind, False)[0]:
                studio.fill(kind)
        imgui.end_combo()
