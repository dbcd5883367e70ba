"""A run whose neighbourhood is looked at: a wall of variations, and a map of two parameters."""

import dataclasses
import re
import secrets
from collections.abc import Callable

from app.backend import Choice
from app.explorer import Explorer
from app.record import Record
from app.sweep import AXES, GRID, GRIDS, STEPS, Axis, Sweep, sweepable
from app.wall import Wall
from kernels.params import Params
from kernels.spec import Value
from kernels.world import World
from presets import Preset

VARIATION = re.compile(r" variation \d+$")  # of a title that was kept before


class Surveyor(Explorer):
    """What `app.studio.Studio` does to see looks side by side. The world waits meanwhile.

    Args:
        source: The preset to start with, or the record of a run to come back to.
        world: Size, agents, seed, species, start and map.
        choice: The backend that was chosen.
        largest_side: The longest side in pixels that can be shown.

    Attributes:
        wall: The wall of variations while it is shown, else None.
        sweep: The map of two parameters while it is shown, else None.
    """

    def __init__(
        self, source: Preset | Record, world: World, choice: Choice, largest_side: int = 16384
    ) -> None:
        super().__init__(source, world, choice, largest_side)
        self.wall: Wall | None = None
        self.sweep: Sweep | None = None
        self.old_sweep: Sweep | None = None  # without its worlds, to come back to

    @property
    def surveying(self) -> bool:
        """Whether a wall or a map stands before the picture."""
        return bool(self.wall or self.sweep)

    def steps_due(self, frame_seconds: float) -> int:
        """None while a wall or a map is shown, which have the time for themselves."""
        return 0 if self.surveying else super().steps_due(frame_seconds)

    def _enter(self, begin: Callable[[], None]) -> bool:
        """Puts another world in the place of this one, which is seen at once."""
        self.close_survey()
        return super()._enter(begin)

    def close_survey(self) -> None:
        """Closes wall and map; the world goes on."""
        if self.sweep:
            self.sweep.rest()
            self.old_sweep = self.sweep
        self.wall = self.sweep = None

    def look_now(self) -> Preset:
        """What the world looks like now, without what revives it."""
        self.before_restart()
        return dataclasses.replace(self.session.preset, params=self.session.params, other=self.session.other)

    def _go_to(self, **values: Value) -> None:
        """Takes parameters into the world, which is seen at once."""
        self.close_survey()
        now = self.session.params
        if changed := {name: value for name, value in values.items() if value != getattr(now, name)}:
            self.change(**changed)

    # The wall of variations

    def toggle_wall(self) -> None:
        """Shows or closes the wall of variations."""
        if self.wall:
            self.close_survey()
            return

        def build() -> None:
            seed = secrets.token_hex(4)
            self.wall = Wall(
                self.look_now(),
                self.as_painted(),
                self.choice,
                self.view.target,
                frozenset(self.locked),
                seed,
            )

        self.close_survey()
        self.notices.attempt(build)

    def take(self, place: int | None = None) -> None:
        """Takes a look of the wall into the world, and closes the wall.

        Args:
            place: Left out, the one under the mouse; where there is none, the parent's.
        """
        if self.wall:
            if place is None:
                place = self.wall.homes[0] if self.wall.hovered is None else self.wall.hovered
            self._go_to(**dataclasses.asdict(self.wall.looks[place]))

    def keep(self, place: int | None = None) -> None:
        """Keeps a look of the wall as a preset; the wall stays. The argument is that of `take`."""
        if self.wall:
            if place is None:
                place = self.wall.homes[0] if self.wall.hovered is None else self.wall.hovered
            title = VARIATION.sub("", self.session.preset.title)
            self.keep_look(self.wall.looks[place], f"{title} variation")

    def keep_look(self, params: Params, title: str) -> None:
        """Saves parameters as a preset under a title and a number that is not taken."""

    # The map of two parameters

    def toggle_sweep(self) -> None:
        """Shows or closes the map of two parameters; the one there was, as long as it still holds."""
        if self.sweep:
            self.close_survey()
            return
        self.close_survey()
        old = self.old_sweep
        if old and old.holds_for(self.look_now(), self.as_painted()):
            self.sweep = old
            return
        columns, rows = (old.across.count, old.down.count) if old else GRIDS[GRID]
        across, down = (old.across.name, old.down.name) if old else AXES
        if not {across, down} <= set(sweepable(self.session.world.species)):
            across, down = AXES
        self.survey(self.axis(across, columns), self.axis(down, rows), old.steps if old else STEPS)

    def axis(self, name: str, count: int) -> Axis:
        """An axis about what a parameter is now."""
        return Axis.around(name, getattr(self.session.params, name), count)

    def survey(self, across: Axis, down: Axis, steps: int) -> None:
        """Begins a map anew; the arguments are those of `Sweep`."""

        def build() -> None:
            self.sweep = Sweep(
                self.look_now(), self.as_painted(), self.choice, self.view.target, across, down, steps
            )

        self.notices.attempt(build)

    def go_to(self, cell: int) -> None:
        """Takes the two parameters of a cell of the map into the world, and closes the map."""
        if self.sweep:
            self._go_to(**self.sweep.values(cell))
