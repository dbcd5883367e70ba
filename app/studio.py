"""What a person can do: every command of the instrument, without a window.

The window forwards keys and draws; the panel shows this object and calls its methods. Nothing here
knows OpenGL or imgui, so all of it can be driven by a test.
"""

import dataclasses
import secrets
from collections.abc import Iterable
from pathlib import Path

import presets
from app.backend import Choice, check_memory
from app.notices import Notices
from app.record import Event, Record, read_any
from app.replay import Replay
from app.session import Session
from app.view import View
from kernels.contract import mean_trail
from kernels.params import Brush, Value
from kernels.stroke import MAX_NUMBER, POINT, STRENGTH, Stroke
from kernels.world import World
from presets import Preset

REPLAY_SECONDS = 0.04  # of each frame given to a fast-forward: the panel still answers at once


class Studio:
    """A session with everything around it that a person uses.

    Args:
        source: The preset to start with, or the record of a run to come back to.
        world: Size, agents and seed.
        choice: The backend that was chosen.
        user_folder: Where presets are saved.
        largest_side: The longest side in pixels that can be shown.

    Attributes:
        session: The run.
        view: What the window shows of it.
        brush: What the mouse paints with.
        offer: A record whose step could be gone to, waiting for an answer.
        replay: A recorded run being repeated, or None.
        how: How the world is stepped and shown, in a sentence.
        captures: Captures asked for and not yet taken.
        quitting, asking_to_quit, paused, panel, help, fullscreen: What they say.
    """

    def __init__(
        self,
        source: Preset | Record,
        world: World,
        choice: Choice,
        user_folder: Path,
        largest_side: int = 16384,
    ) -> None:
        self.choice = choice
        self.user_folder = user_folder
        self.largest_side = largest_side
        self.brush = Brush()
        self.capture_at_window_size = False
        self.how = choice.reason
        self.paused = self.help = self.fullscreen = self.quitting = self.asking_to_quit = False
        self.panel = True
        self.captures = 0
        self.single_steps = 0
        self.notices = Notices()
        self.offer: Record | None = source if isinstance(source, Record) else None
        self.replay: Replay | None = None
        self.owed = 0.0
        preset = source.preset if isinstance(source, Record) else source
        self.session = Session(preset, world, choice.backend)
        self.view = View((world.width, world.height), (world.width, world.height))
        self.refresh_presets()

    # Time

    @property
    def step_ms(self) -> float:
        """What a step costs now, in milliseconds."""
        return self.session.simulation.step_seconds * 1000

    def steps_due(self, frame_seconds: float) -> int:
        """How many steps this frame shows; `steps_per_frame` is meant for a frame of 1/60 s.

        On faster screens some frames show fewer steps, so that life runs at one speed; on slower
        ones, and after a stall, nothing is caught up.
        """
        if self.replay:
            return 0
        if self.paused:
            due, self.single_steps = self.single_steps, 0
            return due
        if frame_seconds >= 1 / 66:
            self.owed = 0.0
            return self.session.params.steps_per_frame
        self.owed += frame_seconds * 60 * self.session.params.steps_per_frame
        due = int(self.owed)
        self.owed -= due
        return due

    def toggle_pause(self) -> None:
        """Pauses the world, or lets it go on."""
        self.paused = not self.paused
        self.single_steps = 0

    def single_step(self) -> None:
        """Pauses and does one step."""
        self.paused = True
        self.single_steps += not self.replay  # which takes its own steps

    # The run

    def change(self, **values: Value) -> None:
        """Changes parameters of the running world; a replay in progress ends there."""
        self._end_replay()
        self.notices.attempt(lambda: self.session.change(**values))

    def paint(self, x: float, y: float, erase: bool) -> None:
        """One dab at a field position."""
        self._end_replay()
        world, brush = self.session.world, self.brush
        params = self.session.params
        mean = params.deposit * mean_trail(params.decay, world)
        strength = -min(brush.strength, 1.0) if erase else brush.strength * mean
        whole = min(round(strength * STRENGTH), MAX_NUMBER) or (-1 if erase else 1)
        self.session.paint(Stroke(round(x * POINT), round(y * POINT), round(brush.radius * POINT), whole))

    def restart(self) -> None:
        """Starts again with the same seed and the parameters as they are."""
        self.rebuild(self.session.world)

    def new_seed(self) -> None:
        """Starts again with a seed nobody has seen."""
        self.rebuild(dataclasses.replace(self.session.world, seed=str(secrets.randbelow(10**6))))

    def rebuild(self, world: World, preset: Preset | None = None, script: Iterable[Event] = ()) -> bool:
        """Starts a world; when that cannot be, says why and keeps the one there is.

        Args:
            world: Size, agents and seed.
            preset: The look to start with; left out, the parameters as they are.
            script: Events to replay on the way.

        Returns:
            Whether it started.
        """

        def begin() -> None:
            if max(world.width, world.height) > self.largest_side:
                raise ValueError(
                    f"size = {world.width}x{world.height} is not allowed; "
                    f"this screen shows at most {self.largest_side} px a side."
                )
            if world != self.session.world:
                check_memory(world, self.choice)
            self.session.restart(preset, world, script)
            self.single_steps = 0
            self.replay = self.offer = None
            if self.view.field != (world.width, world.height):
                self.view = View((world.width, world.height), self.view.target)

        return self.notices.attempt(begin)

    # Presets and files

    def refresh_presets(self) -> None:
        """Reads the list of presets again."""
        self.presets = presets.listing(self.user_folder)

    def load_preset(self, preset: Preset, keep_agents: bool = False) -> None:
        """Shows a preset: in a new world of its density, or in the living one."""
        if keep_agents:
            self.change(**dataclasses.asdict(preset.params))
            self.session.preset = dataclasses.replace(preset, params=self.session.preset.params)
        else:
            world = self.session.world
            agents = preset.agents(world.width, world.height)
            self.rebuild(dataclasses.replace(world, agents=agents), preset)

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
        preset = Preset("", title, params=self.session.params).with_density(self.session.world.density)

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
        """Opens a preset or a captured PNG, as dropped on the window."""

        def read() -> None:
            source = read_any(path, self.user_folder)
            if isinstance(source, Preset):
                self.load_preset(source)
            elif self.rebuild(source.world, source.preset):
                self.offer = source

        self.notices.attempt(read)

    def capture(self) -> None:
        """Asks for a picture; the window takes it with the next frame."""
        self.captures += 1

    # Coming back to a picture

    def accept_offer(self) -> None:
        """Fast-forwards to the step of the offered picture."""
        record, self.offer = self.offer, None
        if record and self.rebuild(record.world, record.preset, record.events):
            self.replay = Replay(self.session, record)

    def decline_offer(self) -> None:
        """Stays at the beginning of the offered run."""
        self.offer = None

    def go_on_with_replay(self) -> None:
        """One frame's share of a fast-forward; it ends paused at the picture."""
        if not self.replay:
            return
        if self.replay.done < 1:
            self.replay.advance(REPLAY_SECONDS)
        if self.replay.done >= 1:
            self.notices.say(self.replay.verdict())
            self.replay = None
            self.paused = True

    def _end_replay(self) -> None:
        if self.replay:
            self.replay.cancel()
            self.replay = None

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
        """Closes the help, leaves fullscreen, or asks before quitting."""
        if self.asking_to_quit:
            self.asking_to_quit = False
        elif self.help:
            self.help = False
        elif self.fullscreen:
            self.fullscreen = False
        else:
            self.asking_to_quit = True

    def quit(self) -> None:
        """Ends the program with the next frame."""
        self.quitting = True
