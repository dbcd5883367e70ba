"""The panel: everything of a studio that can be seen and turned, with imgui."""

import functools

import numpy as np
from imgui_bundle import imgui

from app.captures import KINDS, SIZES
from app.dialogs import FIXED, MARGIN, centre, draw_brush, draw_help, draw_notices, draw_questions
from app.panel_map import MapPanel
from app.panel_presets import PresetsPanel
from app.panel_response import draw_responses
from app.panel_species import draw_chooser, draw_species
from app.panel_watch import draw_warning, draw_watch
from app.panel_world import WorldPanel
from app.profile import Profile
from app.sliders import draw_specs, tip
from app.studio import Studio
from kernels.params import SPECS
from kernels.spec import Spec

WIDTH = 22.0  # in font sizes
PANEL = FIXED | imgui.WindowFlags_.always_auto_resize
GROUPS = tuple(dict.fromkeys(spec.group for spec in SPECS.values()))
OPENED = "Presets", "Agents", "Trail", "Picture", "Time"
# Groups of nothing but traits show one species' at a time; the others, those of all.
OWN = {group for group in GROUPS if all(spec.species for spec in SPECS.values() if spec.group == group)}
NOTHING = np.zeros(0)


@functools.cache
def group_specs(group: str, species: int, shown: int) -> list[Spec]:
    """The parameters a group shows.

    Args:
        group: Its heading.
        species: How many species there are.
        shown: The one whose traits are shown, from 0.
    """
    there = {shown + 1} if group in OWN else set(range(species + 1))
    names = list(SPECS)
    found = [spec for spec in SPECS.values() if spec.group == group and spec.species in there]
    return sorted(found, key=lambda spec: (names.index(spec.trait), spec.species))


class Panel:
    """Draws a studio's controls; its parts keep only what a person is typing, and histories."""

    def __init__(self) -> None:
        self.presets = PresetsPanel()
        self.map = MapPanel()
        self.world = WorldPanel()
        self.profile = Profile()

    def draw(self, studio: Studio) -> None:
        """One frame of everything imgui shows."""
        if studio.panel:
            self._draw_panel(studio)
        if studio.help:
            draw_help(studio)
        draw_questions(studio)
        draw_notices(studio)
        draw_brush(studio)

    def draw_preparing(self) -> None:
        """While the kernels are being compiled."""
        centre("##preparing")
        imgui.text("Preparing the kernels ...")
        imgui.text_disabled("The first start compiles them; later ones take a moment.")
        imgui.end()

    def _draw_panel(self, studio: Studio) -> None:
        size = imgui.get_font_size()
        viewport = imgui.get_main_viewport()
        edge = size * MARGIN
        imgui.set_next_window_pos(imgui.ImVec2(edge, edge))
        imgui.set_next_window_size_constraints(
            imgui.ImVec2(size * WIDTH, 0), imgui.ImVec2(size * WIDTH, max(1.0, viewport.size.y - 2 * edge))
        )
        imgui.begin("Physarium", None, PANEL)
        imgui.push_item_width(size * WIDTH * 0.52)
        draw_status(studio)
        draw_warning(studio.watch)
        if _group("Presets"):
            self.presets.draw(studio)
        studio.species = draw_chooser(studio, studio.shown)
        for group in GROUPS:
            self._draw_group(studio, group)
        if _group("World"):
            self.world.draw(studio)
        if _group("Capture"):
            draw_capture(studio)
        if _group("Watch"):
            draw_watch(studio)
        if _group("Profile"):
            self.profile.draw(studio)
        imgui.pop_item_width()
        imgui.end()

    def _draw_group(self, studio: Studio, group: str) -> None:
        """The parameters of one heading."""
        params, species, shown = studio.session.params, studio.session.world.species, studio.shown
        one = species > 1 and group in OWN and group != "Species"
        if not _group(group, f"{group} of species {shown + 1}" if one else group):
            return
        declared = group_specs(group, species, shown)
        match group:
            case "Response":
                histograms = studio.watch.histogram
                seen = histograms[shown] if shown < len(histograms) else NOTHING
                changed = draw_responses(params, shown, seen)
            case "Species":
                changed = draw_species(params, species, shown)
            case "Map":
                self.map.draw(studio, declared)
                return
            case _:
                changed = draw_specs(declared, params)
        if changed:
            studio.change(**changed)


def draw_status(studio: Studio) -> None:
    """Frames per second, cost of a step, backend and step count."""
    session, io = studio.session, imgui.get_io()
    world = session.world
    imgui.text(f"{io.framerate:5.1f} frames/s   {studio.step_ms:6.2f} ms a step")
    imgui.text(f"step {session.steps:,}   {'paused' if studio.paused else studio.choice.backend}")
    tip(studio.how)
    imgui.text_disabled(f"{world.agents:,} agents on {world.width} x {world.height}, seed {world.seed}")
    for index, (label, command) in enumerate(
        (
            ("Go on" if studio.paused else "Pause", studio.toggle_pause),
            ("Step", studio.single_step),
            ("Restart", studio.restart),
            ("New seed", studio.new_seed),
            ("Help", studio.toggle_help),
        )
    ):
        if index:
            imgui.same_line()
        if imgui.button(label):
            command()


def draw_capture(studio: Studio) -> None:
    """The capture button, what captures become, and how large."""
    if imgui.button("Capture", imgui.ImVec2(-1, 0)):
        studio.capture()
    tip("Writes the picture without the panel. Drop a PNG or an EXR on the window to come back to its run.")
    kinds = [name for name, *_ in KINDS]
    _, studio.capture_kind = imgui.combo("as", studio.capture_kind, kinds)
    tip("PNG for all uses; 16 bits to grade it; EXR holds light beyond white; .npy the trail's own numbers.")
    _, studio.capture_size = imgui.combo("size", studio.capture_size, list(SIZES))
    tip("field: all of it, a pixel each cell. window: its size, with its zoom and pan.")


def _group(name: str, label: str = "") -> bool:
    """A heading that folds what is under it; `label` is what it says, where that is not its name."""
    flags = imgui.TreeNodeFlags_.default_open if name in OPENED else 0
    return imgui.collapsing_header(f"{label or name}###{name}", flags)
