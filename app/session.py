"""A run, and the one door for change.

Whatever alters a run (a slider, a preset, a brush stroke) is a small event with its step. It is
applied through `Session.apply` and logged since the last restart, so start + seed + log give the same
field at the same step again. Pictures and replay read the log; nothing goes round it.
"""

import dataclasses
from collections import deque
from collections.abc import Iterable

from app.record import Change, Event, Paint, Record
from app.version import VERSION
from kernels.params import Params, Value, check_params
from kernels.simulation import Simulation
from kernels.stroke import Stroke
from kernels.world import World
from presets import Preset


class Session:
    """A living world with its preset and its log.

    Attributes:
        preset: Where the look came from; its `params` are those at the last restart.
        simulation: The world itself.
        log: The events since the last restart, in order.
        script: Events of a recorded run that are still to come.

    Args:
        preset: The look to start with.
        world: Size, agents and seed.
        backend: One of `kernels.simulation.BACKENDS`.

    Raises:
        MemoryError: The world does not fit.
    """

    def __init__(self, preset: Preset, world: World, backend: str = "cpu") -> None:
        self.backend = backend
        self.simulation = Simulation(world, preset.params, backend)
        self._begin(preset, ())

    def _begin(self, preset: Preset, script: Iterable[Event]) -> None:
        self.preset = preset
        self.log: list[Event] = []
        self.script = deque(script)

    @property
    def params(self) -> Params:
        """The parameters as they are now."""
        return self.simulation.params

    @property
    def world(self) -> World:
        """Size, agents and seed."""
        return self.simulation.world

    @property
    def steps(self) -> int:
        """Steps done since the last restart."""
        return self.simulation.steps

    def change(self, **values: Value) -> None:
        """Changes parameters now.

        Raises:
            ValueError: A name or value is not allowed; nothing has changed then.
        """
        self.apply(Change(self.steps, values))

    def paint(self, stroke: Stroke) -> None:
        """Paints one dab now."""
        self.apply(Paint(self.steps, stroke))

    def apply(self, event: Event) -> None:
        """Applies an event of the current step and logs it."""
        if isinstance(event, Paint):
            self.simulation.paint(event.stroke)
        else:
            self.simulation.set(check_params(event.values, self.params))
            last = self.log[-1] if self.log else None
            if isinstance(last, Change) and last.step == event.step:  # a drag: keep its end
                event = Change(event.step, {**last.values, **event.values})
                self.log.pop()
        self.log.append(event)

    def advance(self, steps: int, surface: int = 0) -> None:
        """Does `steps` steps, applying the script's events at theirs.

        Args:
            steps: How many, 0 or more.
            surface: Passed on with the last step, see `Simulation.step`.
        """
        self._apply_due()
        while self.script and self.script[0].step < self.steps + steps:
            span = self.script[0].step - self.steps
            self.simulation.step(span)
            steps -= span
            self._apply_due()
        self.simulation.step(steps, surface)
        self._apply_due()

    def _apply_due(self) -> None:
        while self.script and self.script[0].step <= self.steps:
            self.apply(self.script.popleft())

    def restart(
        self, preset: Preset | None = None, world: World | None = None, script: Iterable[Event] = ()
    ) -> None:
        """Starts again from step 0 with an empty log.

        Args:
            preset: The look to start with; left out, the parameters stay as they are now.
            world: Left out, the same world.
            script: Events to replay on the way.

        Raises:
            MemoryError: The new world does not fit; the old run goes on.
        """
        preset = preset or dataclasses.replace(self.preset, params=self.params)
        world = world or self.world
        if dataclasses.replace(world, seed=self.world.seed) == self.world:
            self.simulation.reset(world.seed)
        else:
            self.simulation = Simulation(world, preset.params, self.backend)
        self.simulation.set(preset.params)
        self._begin(preset, script)

    def restart_from(self, record: Record) -> None:
        """Starts a recorded run; `advance` to `record.step` repeats it."""
        self.restart(record.preset, record.world, record.events)

    def record(self, digest: str) -> Record:
        """All that is needed to come back to this step.

        Args:
            digest: Of the state at this step, see `kernels.simulation.digest`.
        """
        return Record(
            self.preset, self.world, self.steps, digest, self.backend, VERSION, tuple(self.log), True
        )
