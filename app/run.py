"""A session in time: stepped, changed, begun again, and brought back to a picture."""

import dataclasses
import secrets
from collections.abc import Callable, Iterable

from app.backend import Choice, check_memory
from app.events import Event
from app.moments import Moment
from app.notices import Notices
from app.record import Record
from app.replay import Replay
from app.session import Session
from app.species import with_one_less, with_one_more
from app.view import View
from kernels.params import Params
from kernels.scene import Map
from kernels.spec import Value
from kernels.world import World
from presets import Preset

REPLAY_SECONDS = 0.04  # of each frame given to a fast-forward: the panel still answers at once


class Run:
    """What `app.studio.Studio` does with its world as a whole.

    Args:
        source: The preset to start with, or the record of a run to come back to.
        world: Size, agents, seed, species, start and map.
        choice: The backend that was chosen.
        largest_side: The longest side in pixels that can be shown.

    Attributes:
        session: The run.
        view: What the window shows of it.
        offer: A record whose step could be gone to, waiting for an answer.
        replay: A recorded run being repeated, or None.
        notices: What there is to say.
        paused: Whether time stands still.
    """

    def __init__(
        self, source: Preset | Record, world: World, choice: Choice, largest_side: int = 16384
    ) -> None:
        self.choice = choice
        self.largest_side = largest_side
        self.paused = False
        self.single_steps = 0
        self.notices = Notices()
        self.offer: Record | None = source if isinstance(source, Record) else None
        self.replay: Replay | None = None
        self.owed = 0.0
        preset = source.preset if isinstance(source, Record) else source
        self.session = Session(preset, world, choice.backend)
        if isinstance(source, Moment):
            self.session.return_to(source)
            self.offer = None
        self.view = View((world.width, world.height), (world.width, world.height))

    # Time

    @property
    def step_ms(self) -> float:
        """What a step costs now, in milliseconds."""
        return self.session.living.step_seconds * 1000

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

    # Change

    def change(self, **values: Value) -> None:
        """Changes parameters of the running world; a replay in progress ends there."""
        self._end_replay()
        self.notices.attempt(lambda: self.session.change(**values))

    def restart(self) -> None:
        """Starts again with the same seed, and parameters and map as they are."""
        self.rebuild(self.as_painted())

    def new_seed(self) -> None:
        """Starts again with a seed nobody has seen."""
        self.rebuild(dataclasses.replace(self.as_painted(), seed=str(secrets.randbelow(10**6))))

    def as_painted(self) -> World:
        """The world, beginning with its map as it is now: what was painted outlives a restart."""
        world, simulation = self.session.world, self.session.simulation
        if self.session.complete and not self.session.painted:
            return world
        return dataclasses.replace(world, map=Map(image=simulation.maps.layers()))

    def add_species(self) -> None:
        """Starts again with one species more, and traits that make something of it."""
        self.before_restart()
        world = self.as_painted()
        shares = (*world.shares, sum(world.shares) / world.species)
        self._respecies(shares, with_one_more(self.session.params, world.species))

    def remove_species(self, gone: int) -> None:
        """Starts again without a species, counted from 0; the later ones move up."""
        self.before_restart()
        shares = self.session.world.shares
        self._respecies(
            shares[:gone] + shares[gone + 1 :], with_one_less(self.session.params, len(shares), gone)
        )

    def _respecies(self, shares: tuple[float, ...], params: Params) -> None:
        preset = dataclasses.replace(self.session.preset, params=params, other=self.session.other)
        self.rebuild(dataclasses.replace(self.as_painted(), shares=shares), preset)

    def rebuild(self, world: World, preset: Preset | None = None, script: Iterable[Event] = ()) -> bool:
        """Starts a world; when that cannot be, says why and keeps the one there is.

        Args:
            world: Size, agents, seed, species, start and map.
            preset: The look to start with; left out, the parameters as they are.
            script: Events to replay on the way.

        Returns:
            Whether it started.
        """

        def begin() -> None:
            self._check(world)
            self.session.restart(preset, world, script)

        return self._enter(begin)

    def return_to(self, moment: Moment) -> bool:
        """Goes on from a moment; when that cannot be, says why and keeps the world there is."""

        def go() -> None:
            self._check(moment.world)
            self.session.return_to(moment)

        return self._enter(go)

    def _check(self, world: World) -> None:
        """Refuses a world that cannot be shown, or does not fit the memory."""
        if max(world.width, world.height) > self.largest_side:
            raise ValueError(
                f"size = {world.width}x{world.height} is not allowed; "
                f"this screen shows at most {self.largest_side} px a side."
            )
        if not self.session.simulation.fits(world):
            check_memory(world, self.choice)

    def _enter(self, begin: Callable[[], None]) -> bool:
        """Puts another world in the place of this one."""
        self.before_restart()
        if not self.notices.attempt(begin):
            return False
        self.single_steps = 0
        self.replay = self.offer = None
        field = self.session.world.width, self.session.world.height
        if self.view.field != field:
            self.view = View(field, self.view.target)
        return True

    def before_restart(self) -> None:
        """What has to be put right before a world ends."""

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
        self.replay = None
        self.session.script.clear()
