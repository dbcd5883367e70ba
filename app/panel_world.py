"""The panel's section on what a world begins with; it takes effect with its button."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

from imgui_bundle import imgui

from app.sliders import LOG, draw_spec, tip
from app.studio import Studio
from kernels.params import Value
from kernels.scene import START_SPECS, STARTS, Picture, Start
from kernels.world import World
from presets.pictures import draw_text, read_brightness

# The kinds of start that a number means something to.
KINDS = {
    "radius": ("disc", "ring in", "ring out", "discs", "spiral", "line"),
    "count": ("discs", "spiral", "line"),
}
LABELS = {"kind": "start", "radius": "radius", "count": "count"}
SHARES = 0.01, 10.0  # what the sliders of the shares reach
ENTER = imgui.InputTextFlags_.enter_returns_true


class WorldPanel:
    """Keeps what a person is changing, before "Restart"."""

    def __init__(self) -> None:
        self.seen: World | None = None
        self.path = self.text = ""

    def draw(self, studio: Studio) -> None:
        """The section's content."""
        if self.seen != studio.session.world:
            self._follow(studio.session.world)
        self._draw_size()
        self._draw_shares()
        self._draw_start(studio)
        try:
            world, problem = self._world(), ""
        except ValueError as error:
            world, problem = None, str(error)
        imgui.begin_disabled(world is None)
        if imgui.button("Restart", imgui.ImVec2(-1, 0)) and world:
            studio.rebuild(dataclasses.replace(world, map=studio.as_painted().map))
        imgui.end_disabled()
        tip(problem or "Starts again from step 0 with all this.")

    def _follow(self, world: World) -> None:
        """Forgets what was changed: there is another world."""
        self.seen = world
        self.size, self.agents, self.seed = [world.width, world.height], world.agents, world.seed
        self.shares = list(world.shares)
        self.start: dict[str, Value] = {name: getattr(world.start, name) for name in START_SPECS}
        self.picture = world.start.image

    def _world(self) -> World:
        """The world that was asked for, without a map."""
        kind = self.start["kind"]
        if kind == "image" and self.picture is None:
            raise ValueError("Choose an image or type a text for agents to start from.")
        start = Start(**self.start, image=self.picture if kind == "image" else None)  # type: ignore[arg-type]
        width, height = self.size
        return World(width, height, self.agents, self.seed, tuple(self.shares), start)

    def _draw_size(self) -> None:
        _, self.seed = imgui.input_text("seed", self.seed)
        _, self.size = imgui.input_int2("size (px)", self.size)
        _, self.agents = imgui.input_int("agents", self.agents, 10_000, 100_000)

    def _draw_shares(self) -> None:
        """How the agents are dealt out to several species."""
        if len(self.shares) == 1:
            return
        total = sum(self.shares)
        for k, share in enumerate(self.shares):
            shown = f"{100 * share / total:.0f} %%"
            changed, new = imgui.slider_float(f"share of species {k + 1}", share, *SHARES, shown, LOG)
            if changed:
                self.shares[k] = new
            tip("How many of the agents are of this species, beside the others.")

    def _draw_start(self, studio: Studio) -> None:
        for name, spec in START_SPECS.items():
            if self.start["kind"] in KINDS.get(name, STARTS):
                self.start[name] = draw_spec(spec, self.start[name], LABELS[name])
        if self.start["kind"] != "image":
            return
        if self.picture:
            imgui.text_disabled(f"a picture of {self.picture.width} x {self.picture.height} px")
        asked, self.path = imgui.input_text_with_hint("image", "its file", self.path, ENTER)
        if asked:
            self._take(studio, lambda: read_brightness(Path(self.path.strip())))
        tip("Agents start where it is bright. Enter reads it; you may also drop it on the window.")
        asked, self.text = imgui.input_text_with_hint("text", "a word", self.text, ENTER)
        if asked:
            self._take(studio, lambda: draw_text(self.text.strip()))
        tip("Agents start on the letters. Enter draws them.")

    def _take(self, studio: Studio, find: Callable[[], Picture]) -> None:
        """Takes a picture to start from, or says why not."""

        def take() -> None:
            self.picture = find()

        studio.notices.attempt(take)
