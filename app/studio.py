"""What a person can do: every command of the instrument, without a window.

The window forwards keys and draws; the panel shows this object and calls its methods. Nothing here
knows OpenGL or imgui, so all of it can be driven by a test.
"""

import dataclasses
from pathlib import Path

import presets
from app.backend import Choice
from app.painter import Painter
from app.png import NoRun
from app.record import Record, RecordError, read_any
from app.watch import Watch
from kernels.world import World
from presets import Preset
from presets.pictures import read_brightness

PICTURES = {".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff"}  # asked about when dropped


class Studio(Painter):
    """A session with everything around it that a person uses.

    Args:
        source: The preset to start with, or the record of a run to come back to.
        world: Size, agents, seed, species, start and map.
        choice: The backend that was chosen.
        user_folder: Where presets are saved.
        largest_side: The longest side in pixels that can be shown.

    Attributes:
        watch: What the picture has looked like lately.
        how: How the world is stepped and shown, in a sentence.
        captures: Captures asked for and not yet taken.
        capture_kind, capture_size: What they become, of `captures.KINDS` and `captures.SIZES`.
        quitting, asking_to_quit, panel, help, fullscreen: What they say.
    """

    def __init__(
        self,
        source: Preset | Record,
        world: World,
        choice: Choice,
        user_folder: Path,
        largest_side: int = 16384,
    ) -> None:
        super().__init__(source, world, choice, largest_side)
        self.user_folder = user_folder
        self.watch = Watch()
        self.capture_kind = self.capture_size = 0
        self.how = choice.reason
        self.help = self.fullscreen = self.quitting = self.asking_to_quit = False
        self.panel = True
        self.captures = 0
        self.refresh_presets()
        self._warn(self.session.preset)

    def before_restart(self) -> None:
        """Ends a revival, whose wander and respawn are not the person's."""
        self.watch.settle(self.session)

    # Presets and files

    def refresh_presets(self) -> None:
        """Reads the list of presets again."""
        self.presets = presets.listing(self.user_folder)

    def load_preset(self, preset: Preset, keep_agents: bool = False) -> None:
        """Shows a preset: in a new world of its density, or in the living one."""
        if keep_agents:
            now, wanted = (dataclasses.asdict(params) for params in (self.session.params, preset.params))
            if changed := {name: value for name, value in wanted.items() if value != now[name]}:
                self.change(**changed)
            self.blend_with(preset.other)
            begun = self.session.preset
            self.session.preset = dataclasses.replace(
                preset, params=begun.params, shares=begun.shares, start=begun.start, map=begun.map,
                other=begun.other, words=begun.words,
            )  # fmt: skip
        else:
            world = self.session.world
            self.rebuild(preset.world(world.width, world.height, world.seed), preset)
        self._warn(preset)

    def _warn(self, preset: Preset) -> None:
        """Says what of a preset this version does not know."""
        for warning in preset.warnings:
            self.notices.say(warning)

    def next_preset(self, keep_agents: bool = False) -> None:
        """Goes to the next preset in the list."""
        self._neighbour(+1, keep_agents)

    def previous_preset(self, keep_agents: bool = False) -> None:
        """Goes to the previous preset in the list."""
        self._neighbour(-1, keep_agents)

    def _neighbour(self, by: int, keep_agents: bool) -> None:
        usable = [entry.preset for entry in self.presets if entry.preset]
        names = [preset.name for preset in usable]
        here = names.index(self.session.preset.name) if self.session.preset.name in names else -by
        self.load_preset(usable[(here + by) % len(usable)], keep_agents)

    def replaces(self, title: str) -> bool:
        """Whether saving under a title would replace one of the person's own presets."""
        return any(entry.own and entry.name == presets.slug(title) for entry in self.presets)

    def save_preset(self, title: str, overwrite: bool = False) -> bool:
        """Saves the look as it is now under a title; returns whether it did."""
        self.watch.settle(self.session)
        world = self.as_painted()
        preset = Preset(
            "",
            title,
            params=self.session.params,
            tags=self.session.preset.tags,
            shares=world.shares,
            start=world.start,
            map=world.map,
            other=self.session.other,
            words=self.session.preset.words,
        ).with_density(world.density)

        def save() -> None:
            path = presets.save(preset, self.user_folder, overwrite=overwrite)
            self.session.preset = dataclasses.replace(presets.load(path), params=self.session.preset.params)
            self.notices.say(f"Saved {path}.")

        saved = self.notices.attempt(save)
        self.refresh_presets()
        return saved

    def delete_preset(self, name: str) -> None:
        """Deletes one of the person's own presets."""
        self.notices.attempt(lambda: presets.delete(name, self.user_folder))
        self.refresh_presets()

    def open(self, path: Path) -> None:
        """Opens a preset or a captured PNG, as dropped on the window; of other pictures, asks what for."""

        def read() -> None:
            try:
                source = read_any(path, self.user_folder)
            except ValueError as problem:
                if path.suffix.lower() not in PICTURES or _is_a_broken_capture(problem):
                    raise
                read_brightness(path)
                self.picture = path
                return
            if isinstance(source, Preset):
                self.load_preset(source)
            elif self.rebuild(source.world, source.preset):
                self.offer = source
                self._warn(source.preset)

        self.notices.attempt(read)

    def capture(self) -> None:
        """Asks for a picture; the window takes it with the next frame."""
        self.captures += 1

    # Window

    def toggle_panel(self) -> None:
        """Shows or hides the panel."""
        self.panel = not self.panel

    def toggle_help(self) -> None:
        """Shows or hides the help."""
        self.help = not self.help

    def toggle_fullscreen(self) -> None:
        """Asks the window for fullscreen, or back."""
        self.fullscreen = not self.fullscreen

    def escape(self) -> None:
        """Closes the help or a question, leaves fullscreen, or asks before quitting."""
        if self.asking_to_quit:
            self.asking_to_quit = False
        elif self.picture:
            self.picture = None
        elif self.help:
            self.help = False
        elif self.fullscreen:
            self.fullscreen = False
        else:
            self.asking_to_quit = True

    def quit(self) -> None:
        """Ends the program with the next frame."""
        self.quitting = True


def _is_a_broken_capture(problem: ValueError) -> bool:
    """Whether a picture carries a run that cannot be read, as against none."""
    return isinstance(problem, RecordError) and not isinstance(problem.__cause__, NoRun)
