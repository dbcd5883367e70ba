"""The panel: everything of a studio that can be seen and turned, with imgui."""

import functools

import numpy as np
from imgui_bundle import imgui

from app.captures import KINDS, SIZES
from app.dialogs import FIXED, MARGIN, centre, draw_brush, draw_notices, draw_questions
from app.folds import keep_folds
from app.lock_marks import draw_group_lock
from app.overlay_style import ACCENT
from app.panel_explore import draw_explore
from app.panel_gallery import GalleryPanel
from app.panel_help import HelpPanel
from app.panel_history import HistoryPanel
from app.panel_lens import draw_lens
from app.panel_looks import LooksPanel
from app.panel_map import MapPanel
from app.panel_pace import draw_pace
from app.panel_presets import PresetsPanel
from app.panel_response import draw_responses
from app.panel_species import draw_chooser, draw_species
from app.panel_sweep import SweepPanel
from app.panel_wall import Pictures, draw_wall
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
HEADINGS = "Presets", "Looks", "Explore", "History", *GROUPS, "World", "Capture", "Watch", "Profile"
# Groups of nothing but traits show one species' at a time; the others, those of all.
OWN = {group for group in GROUPS if all(spec.species for spec in SPECS.values() if spec.group == group)}
SEEN_THROUGH = "Agents", "Response"  # what an agent senses and does
NOTHING = np.zeros(0)
NO_PICTURES: Pictures = {}


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
        self.looks = LooksPanel()
        self.history = HistoryPanel()
        self.map = MapPanel()
        self.world = WorldPanel()
        self.profile = Profile()
        self.gallery = GalleryPanel()
        self.help = HelpPanel()
        self.sweep = SweepPanel()

    def draw(self, studio: Studio, pictures: Pictures = NO_PICTURES) -> None:
        """One frame of everything imgui shows.

        Args:
            studio: What is shown.
            pictures: The textures of small worlds, by place, while there are any.
        """
        if studio.panel and not (studio.gallery or studio.surveying):
            self._draw_panel(studio)
        if studio.wall:
            draw_wall(studio, studio.wall, pictures)
        elif studio.sweep:
            self.sweep.draw(studio, studio.sweep, pictures)
        self.gallery.draw(studio)
        self.help.draw(studio, taken() if studio.panel and not studio.gallery else 0)
        draw_questions(studio)
        draw_notices(studio)
        draw_brush(studio)
        studio.settle(imgui.is_any_item_active() or imgui.is_any_mouse_down())

    def close(self) -> None:
        """Ends what works beside the show."""
        self.gallery.close()

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
        draw_warning(studio)
        keep_folds(HEADINGS, studio.settings.groups)
        if _group("Presets"):
            self.presets.draw(studio)
        if _group("Looks"):
            self.looks.draw(studio)
        if _group("Explore"):
            draw_explore(studio)
        if _group("History"):
            self.history.draw(studio)
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
        opened = _group(group, f"{group} of species {shown + 1}" if one else group)
        declared = group_specs(group, species, shown)
        draw_group_lock(group, [spec.name for spec in declared], studio.locked)
        if not opened:
            return
        imgui.begin_group()
        match group:
            case "Response":
                histograms = studio.watch.histogram
                seen = histograms[shown] if shown < len(histograms) else NOTHING
                changed = draw_responses(params, shown, seen, studio.locked)
            case "Species":
                changed = draw_species(params, species, shown, studio.locked)
            case "Map":
                changed = {}
                self.map.draw(studio, declared)
            case _:
                changed = draw_specs(declared, params, studio.locked)
        if group == "Time":
            draw_pace(studio.settings)
        imgui.end_group()
        if group in SEEN_THROUGH and (imgui.is_item_hovered() or imgui.is_item_active()):
            draw_lens(studio, taken())
        if changed:
            studio.change(**changed)


def taken() -> float:
    """How much of the window's left the panel takes."""
    return imgui.get_font_size() * (MARGIN + WIDTH)


def draw_status(studio: Studio) -> None:
    """Frames per second, cost of a step, backend and step count."""
    session, io = studio.session, imgui.get_io()
    world = session.world
    imgui.text(f"{io.framerate:5.1f} frames/s   {studio.step_ms:6.2f} ms a step")
    adapted = studio.governor.told
    imgui.text(f"step {session.steps:,}   {'paused' if studio.paused else studio.choice.backend}   {adapted}")
    tip(studio.how + " So that frames keep coming, they have fewer steps than asked for." * bool(adapted))
    imgui.text_disabled(f"{world.agents:,} agents on {world.width} x {world.height}, seed {world.seed}")
    if studio.recorded:
        imgui.text_colored(imgui.ImVec4(*ACCENT, 1), f"recording {studio.recorded}")
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
    label = f"End the film, {studio.recorded}" if studio.recorded else "Record"
    if imgui.button(f"{label}###record", imgui.ImVec2(-1, 0)):
        studio.toggle_recording()
    tip("Films the window without the panel into an MP4, until you end it. The show never waits for it.")
    kinds = [name for name, *_ in KINDS]
    _, studio.capture_kind = imgui.combo("as", studio.capture_kind, kinds)
    tip("PNG for all uses; 16 bits to grade it; EXR holds light beyond white; .npy the trail's own numbers.")
    _, studio.capture_size = imgui.combo("size", studio.capture_size, list(SIZES))
    tip("field: all of it, a pixel each cell. window: its size, with its zoom and pan.")


def _group(name: str, label: str = "") -> bool:
    """A heading that folds what is under it; `label` is what it says, where that is not its name."""
    flags = imgui.TreeNodeFlags_.default_open if name in OPENED else 0
    flags |= imgui.TreeNodeFlags_.allow_overlap  # a lock
    return imgui.collapsing_header(f"{label or name}###{name}", flags)
