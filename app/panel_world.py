"""The panel's section on what a world begins with; it takes effect with its button."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

from imgui_bundle import imgui

from app.sliders import LOG, draw_spec, tip
from app.studio import Studio
from kernels.scene import START_SPECS, STARTS, Picture, Start
from kernels.spec import Value
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
        self.seen: tuple[World, str] | None = None
        self.path = self.text = self.words = ""

    def draw(self, studio: Studio) -> None:
        """The section's content."""
        begun = studio.session.world, studio.session.preset.words
        if self.seen != begun:
            self._follow(*begun)
        self._draw_size()
        self._draw_shares()
        self._draw_start(studio)
        try:
            world, problem = self._world(), ""
        except ValueError as error:
            world, problem = None, str(error)
        imgui.begin_disabled(world is None)
        if imgui.button("Restart", imgui.ImVec2(-1, 0)) and world:
            self._restart(studio, world)
        imgui.end_disabled()
        tip(problem or "Starts again from step 0 with all this.")

    def _restart(self, studio: Studio, world: World) -> None:
        """Starts that world, and tells its preset the words that agents start on."""
        studio.before_restart()  # first: what it puts back belongs to the parameters taken here
        session = studio.session
        preset = dataclasses.replace(
            session.preset,
            params=session.params,
            other=session.other,
            start=world.start,
            words=self.words if world.start.image else "",
        )
        studio.rebuild(dataclasses.replace(world, map=studio.as_painted().map), preset)

    def _follow(self, world: World, words: str) -> None:
        """Forgets what was changed: there is another world."""
        self.seen = world, words
        self.size, self.agents, self.seed = [world.width, world.height], world.agents, world.seed
        self.shares = list(world.shares)
        self.start: dict[str, Value] = {name: getattr(world.start, name) for name in START_SPECS}
        self.picture = world.start.image
        self.text = self.words = words

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
            size = f"{self.picture.width} x {self.picture.height} px"
            imgui.text_disabled("agents start on the words below" if self.words else f"a picture of {size}")
        path, self.path = _draw_field("image", "its file", self.path)
        if path:
            self._take(studio, lambda: read_brightness(Path(path)))
        tip("Agents start where it is bright. You may also drop it on the window.")
        words, self.text = _draw_field("text", "a word", self.text)
        if words:
            self._take(studio, lambda: draw_text(words), words)
        tip("Agents start on the letters.")

    def _take(self, studio: Studio, find: Callable[[], Picture], words: str = "") -> None:
        """Takes a picture to start from, and the words it shows, or says why not."""

        def take() -> None:
            self.picture = find()
            self.text = self.words = words

        studio.notices.attempt(take)


def _draw_field(label: str, hint: str, text: str) -> tuple[str, str]:
    """A text field: what was asked for, by Enter or by going elsewhere, and what stands in it."""
    entered, text = imgui.input_text_with_hint(label, hint, text, ENTER)
    done = entered or imgui.is_item_deactivated_after_edit()
    return text.strip() if done else "", text
