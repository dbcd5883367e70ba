"""What a person can do: every command of the instrument, without a window.

The window forwards keys and draws; the panel shows this object and calls its methods. Nothing here
knows OpenGL or imgui, so all of it can be driven by a test.
"""

import dataclasses
from pathlib import Path

import presets
from app.backend import Choice
from app.caretaker import Caretaker
from app.moment_file import read_any
from app.moments import Kept, Moment
from app.png import NoRun
from app.record import Record, RecordError
from app.settings import Settings
from app.wardrobe import Wardrobe
from kernels.params import Params
from kernels.world import World
from presets import Preset, looks
from presets.looks import Look, is_look, look_folder
from presets.pictures import read_brightness

PICTURES = {".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff"}  # asked about when dropped


class Studio(Caretaker):
    """A session with everything around it that a person uses.

    Args:
        source: The preset to start with, or the record of a run to come back to.
        world: Size, agents, seed, species, start and map.
        choice: The backend that was chosen.
        user_folder: Where presets are saved.
        largest_side: The longest side in pixels that can be shown.
        settings: What is remembered; left out, nothing is.

    Attributes:
        wardrobe: The looks there are.
        how: How the world is stepped and shown, in a sentence.
        captures: Captures asked for and not yet taken.
        recorded: How far a film of the window is, for people; "" while there is none.
        capture_kind, capture_size: What they become, of `captures.KINDS` and `captures.SIZES`.
        quitting, asking_to_quit, gallery, help, fullscreen: What they say.
    """

    def __init__(
        self,
        source: Preset | Record,
        world: World,
        choice: Choice,
        user_folder: Path,
        largest_side: int = 16384,
        settings: Settings | None = None,
    ) -> None:
        super().__init__(source, world, choice, largest_side, settings)
        self.user_folder = user_folder
        self.wardrobe = Wardrobe(look_folder(user_folder))
        self.capture_kind = self.capture_size = 0
        self.how = choice.reason
        self.gallery = self.help = self.fullscreen = self.quitting = self.asking_to_quit = False
        self.captures = 0
        self.recorded = ""
        self.refresh_presets()
        self._warn(self.session.preset)

    # Presets and files

    def refresh_presets(self) -> None:
        """Reads the list of presets again."""
        self.presets = presets.listing(self.user_folder)

    def load_preset(self, preset: Preset, keep_agents: bool = False) -> None:
        """Shows a preset: in a new world of its density, or in the living one."""
        preset = self.as_wanted(preset)
        if keep_agents:
            self.become(preset.params)
            self.blend_with(preset.other)
            self.name_after(preset)
        else:
            world = self.session.world
            self.rebuild(preset.world(world.width, world.height, world.seed), preset)
        self._warn(preset)

    def as_wanted(self, preset: Preset) -> Preset:
        """A preset as it is to be shown: in the look that is kept, if any, and with what is locked."""
        return super().as_wanted(self.wardrobe.dressed(preset, self.session.params))

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
        preset = self._preset(self.session.params, title)

        def save() -> None:
            path = presets.save(preset, self.user_folder, overwrite=overwrite)
            self.session.preset = dataclasses.replace(presets.load(path), params=self.session.preset.params)
            self.notices.say(f"Saved {path}.")

        saved = self.notices.attempt(save)
        self.refresh_presets()
        return saved

    def keep_look(self, params: Params, title: str) -> None:
        """Saves parameters as a preset under a title and the next number; the world stays as it is."""
        number = 1
        while self.replaces(f"{title} {number}"):
            number += 1
        preset = self._preset(params, f"{title} {number}")

        def save() -> None:
            self.notices.say(f"Kept as {presets.save(preset, self.user_folder)}.")

        self.notices.attempt(save)
        self.refresh_presets()

    def _preset(self, params: Params, title: str) -> Preset:
        """Parameters as a preset of this world."""
        world = self.as_painted()
        return Preset(
            "",
            title,
            params=params,
            tags=self.session.preset.tags,
            shares=world.shares,
            start=world.start,
            map=world.map,
            other=self.session.other,
            words=self.session.preset.words,
        ).with_density(world.density)

    def delete_preset(self, name: str) -> None:
        """Deletes one of the person's own presets."""
        self.notices.attempt(lambda: presets.delete(name, self.user_folder))
        self.refresh_presets()

    # Looks

    def wear(self, look: Look) -> None:
        """Shows the world in a look."""
        now = self.session.params
        if changed := {name: value for name, value in look.values.items() if value != getattr(now, name)}:
            self.change(**changed)
        self.wardrobe.worn = look.name
        for warning in look.warnings:
            self.notices.say(warning)

    def next_look(self, back: bool = False) -> None:
        """Goes to the next look in the list, or to the one before."""
        self.wear(self.wardrobe.neighbour(self.session.params, -1 if back else 1))

    def save_look(self, title: str, overwrite: bool = False) -> bool:
        """Saves the look of the picture as it is now under a title; returns whether it did."""

        def save() -> None:
            self.notices.say(f"Saved {self.wardrobe.save(self.session.params, title, overwrite)}.")

        saved = self.notices.attempt(save)
        self.wardrobe.refresh()
        return saved

    def delete_look(self, name: str) -> None:
        """Deletes one of the person's own looks."""
        self.notices.attempt(lambda: self.wardrobe.delete(name))
        self.wardrobe.refresh()

    # Files

    def open(self, path: Path) -> None:
        """Opens what was dropped: a preset, look, capture or moment; of other pictures, asks what for."""

        def read() -> None:
            if is_look(path):
                self.wear(looks.load(path))
                return
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
            elif isinstance(source, Moment):
                self.go_back_to(Kept(source, "hand"))
            elif self.rebuild(source.world, source.preset):
                self.offer = source
                self._warn(source.preset)

        self.notices.attempt(read)

    def capture(self) -> None:
        """Asks for a picture; the window takes it with the next frame."""
        self.captures += 1

    def toggle_recording(self) -> None:
        """Has the window filmed from now on, or no more."""
        self.recording = not self.recording

    # Window

    def toggle_panel(self) -> None:
        """Shows or hides the panel."""
        self.panel = not self.panel

    def toggle_gallery(self) -> None:
        """Shows or hides the wall of presets."""
        self.gallery = not self.gallery

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
        elif self.autosave and self.autosave.lost:
            self.leave_lost()
        elif self.picture:
            self.picture = None
        elif self.help:
            self.help = False
        elif self.gallery:
            self.gallery = False
        elif self.surveying:
            self.close_survey()
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
