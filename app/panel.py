"""The panel: everything of a studio that can be seen and turned, with imgui."""

import dataclasses
from typing import Any

from imgui_bundle import imgui

from app.dialogs import FIXED, MARGIN, centre, draw_brush, draw_help, draw_notices, draw_questions
from app.profile import Profile
from app.sliders import draw_specs, tip
from app.studio import Studio
from kernels.params import SPECS, Brush, specs
from kernels.world import World

WIDTH = 22.0  # in font sizes
PANEL = FIXED | imgui.WindowFlags_.always_auto_resize
GROUPS = {
    group: [spec for spec in SPECS.values() if spec.group == group]
    for group in dict.fromkeys(spec.group for spec in SPECS.values())
}
BRUSH = list(specs(Brush).values())


class Panel:
    """Draws a studio's controls; keeps only what a person is typing, and the profile's history."""

    def __init__(self) -> None:
        self.title = ""
        self.world: World | None = None  # being edited, before "restart"
        self.seen_world: World | None = None
        self.deleting = ""
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
        if _group("Presets"):
            self._draw_presets(studio)
        for group, declared in GROUPS.items():
            if _group(group) and (changed := draw_specs(declared, studio.session.params)):
                studio.change(**changed)
        if _group("Brush", opened=False) and (changed := draw_specs(BRUSH, studio.brush)):
            studio.brush = dataclasses.replace(studio.brush, **changed)  # type: ignore[arg-type]
        if _group("World", opened=False):
            self._draw_world(studio)
        if _group("Capture", opened=False):
            draw_capture(studio)
        if _group("Profile", opened=False):
            self.profile.draw(studio)
        imgui.pop_item_width()
        imgui.end()

    def _draw_presets(self, studio: Studio) -> None:
        lines = min(len(studio.presets), 7) + 0.3
        if imgui.begin_list_box(
            "##presets", imgui.ImVec2(-1, lines * imgui.get_text_line_height_with_spacing())
        ):
            for entry in studio.presets:
                self._draw_preset(studio, entry)
            imgui.end_list_box()
        tip("Click to start a preset; with Shift held, only its parameters change and the agents live on.")
        imgui.set_next_item_width(-imgui.get_font_size() * 6)
        entered, self.title = imgui.input_text_with_hint(
            "##title", "name of your look", self.title, imgui.InputTextFlags_.enter_returns_true
        )
        imgui.same_line()
        title = self.title.strip()
        replaces = bool(title) and studio.replaces(title)
        imgui.begin_disabled(not title)
        pressed = imgui.button("Replace" if replaces else "Save as", imgui.ImVec2(-1, 0))
        if (pressed or (entered and title and not replaces)) and studio.save_preset(title, replaces):
            self.title = ""
        imgui.end_disabled()

    def _draw_preset(self, studio: Studio, entry: Any) -> None:
        imgui.push_id(entry.name)
        if entry.preset is None:
            imgui.text_disabled(f"{entry.name} (broken)")
            tip(entry.error)
        else:
            here = entry.name == studio.session.preset.name
            clicked, _ = imgui.selectable(entry.preset.title, here, imgui.SelectableFlags_.allow_overlap)
            if clicked:
                studio.load_preset(entry.preset, keep_agents=imgui.get_io().key_shift)
        if entry.own:
            imgui.same_line(imgui.get_content_region_avail().x - imgui.get_font_size() * 3.5)
            sure = self.deleting == entry.name
            if imgui.small_button("sure?" if sure else "delete"):
                self.deleting = "" if sure else entry.name
                if sure:
                    studio.delete_preset(entry.name)
        imgui.pop_id()

    def _draw_world(self, studio: Studio) -> None:
        world = studio.session.world
        if self.world is None or self.seen_world != world:
            self.world = self.seen_world = world
        draft = self.world
        _, seed = imgui.input_text("seed", draft.seed)
        _, (width, height) = imgui.input_int2("size (px)", [draft.width, draft.height])
        _, agents = imgui.input_int("agents", draft.agents, 10_000, 100_000)
        try:
            self.world = World(width, height, agents, seed)
            problem = ""
        except ValueError as error:
            problem = str(error)
        imgui.begin_disabled(bool(problem))
        if imgui.button("Restart", imgui.ImVec2(-1, 0)) and studio.rebuild(self.world):
            self.world = None
        imgui.end_disabled()
        tip(problem or "Starts again from step 0 with this seed, size and number of agents.")


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
    """The capture button and its size."""
    if imgui.button("Capture PNG", imgui.ImVec2(-1, 0)):
        studio.capture()
    tip("Writes the picture without the panel. Drop the PNG on the window to come back to this run.")
    _, studio.capture_at_window_size = imgui.checkbox("as the window shows it", studio.capture_at_window_size)
    tip("Off: the whole field, one pixel each. On: the window's size, with its zoom and pan.")


def _group(name: str, opened: bool = True) -> bool:
    return imgui.collapsing_header(name, imgui.TreeNodeFlags_.default_open if opened else 0)
