"""A run, and the one door for change.

Whatever alters a run (a slider, a preset, a brush stroke) is a small event with its step. It is
applied through `Session.apply` and logged since the last restart, so start + seed + log give the same
field at the same step again. Pictures and replay read the log; nothing goes round it.
"""

import dataclasses
from collections import deque
from collections.abc import Iterable

from app.events import Change, Draw, Event, Fill, Other, Paint, UndoMap
from app.gestures import Gestures
from app.meter import STEPS_APART, Meter
from app.record import Record
from app.version import VERSION
from kernels.maps import Mark
from kernels.params import Params, check_params
from kernels.simulation import Simulation
from kernels.spec import Value
from kernels.stroke import Stroke
from kernels.world import World
from presets import Preset


class Session:
    """A living world with its preset and its log.

    Attributes:
        preset: Where the look came from; its parameters and other look are those at the last restart,
            its shares, start and map those of the world.
        simulation: The world itself.
        log: The events since the last restart, in order.
        script: Events of a recorded run that are still to come.

    Args:
        preset: The look to start with.
        world: Size, agents, seed, shares, start and map.
        backend: One of `kernels.simulation.BACKENDS`.

    Raises:
        MemoryError: The world does not fit.
    """

    def __init__(self, preset: Preset, world: World, backend: str = "cpu") -> None:
        self.backend = backend
        self.simulation = Simulation(world, preset.params, backend, preset.other)
        self._begin(preset, ())

    def _begin(self, preset: Preset, script: Iterable[Event]) -> None:
        self._first_params, self._first_other = preset.params, preset.other
        self.preset = self._as_begun(preset)
        self.log: list[Event] = []
        self.script = deque(script)
        self._gestures = Gestures(self.world)
        self.meter = Meter()

    def _as_begun(self, preset: Preset) -> Preset:
        """A preset of what the run began with."""
        world = self.world
        return dataclasses.replace(
            preset,
            params=self._first_params,
            other=self._first_other,
            shares=world.shares,
            start=world.start,
            map=world.map,
            words=preset.words if preset.start == world.start else "",
        )

    @property
    def params(self) -> Params:
        """The parameters as they are now."""
        return self.simulation.params

    @property
    def look(self) -> Params:
        """The parameters as the picture shows them: with what automatic exposure makes of the exposure."""
        params = self.params
        if not params.auto_exposure:
            return params
        return dataclasses.replace(params, exposure=self.meter.exposure(params))

    @property
    def other(self) -> Params | None:
        """The look that the mask blends in now, if any."""
        return self.simulation.other

    @property
    def world(self) -> World:
        """Size, agents, seed, shares, start and the map it began with."""
        return self.simulation.world

    @property
    def steps(self) -> int:
        """Steps done since the last restart."""
        return self.simulation.steps

    @property
    def painted(self) -> bool:
        """Whether the maps are other than the world's: there is a gesture to take back."""
        return bool(self._gestures.drawn)

    def change(self, **values: Value) -> None:
        """Changes parameters now.

        Raises:
            ValueError: A name or value is not allowed; nothing has changed then.
        """
        self.apply(Change(self.steps, values))

    def set_other(self, other: Params | None) -> None:
        """Lets the mask blend in another look from now on; None for none."""
        self.apply(Other(self.steps, other))

    def paint(self, stroke: Stroke) -> None:
        """Paints one dab of trail now."""
        self.apply(Paint(self.steps, stroke))

    def mark(self, *marks: Mark, begins: bool) -> None:
        """Paints dabs on the maps now, together; `begins` says that a gesture begins with the first."""
        self._draw([Draw(self.steps, mark, begins and not dab) for dab, mark in enumerate(marks)])

    def fill(self, layer: str, kind: str) -> None:
        """Fills a layer of the maps now, which is a gesture of its own."""
        self.apply(Fill(self.steps, layer, kind))

    def undo_map(self) -> bool:
        """Brings the maps back to what they were before the last gesture; returns whether there was one."""
        painted = self.painted
        if painted:
            self.apply(UndoMap(self.steps))
        return painted

    def apply(self, event: Event) -> None:
        """Applies an event of the current step and logs it."""
        match event:
            case Change():
                self.simulation.set(check_params(event.values, self.params))
            case Other():
                self.simulation.set_other(event.params)
            case Paint():
                self.simulation.paint(event.stroke)
            case Draw():
                self._draw([event])
                return
            case Fill():
                copies = self._gestures.copies([event], self.simulation.maps)
                self.simulation.fill(event.layer, event.kind)
                self._gestures.add([event], copies, self.simulation.maps)
            case UndoMap():
                self.simulation.set_maps(self._gestures.take_back(self.simulation.maps))
        last = self.log[-1] if self.log else None
        if last and last.step == event.step:  # a drag: keep its end
            match last, event:
                case Change(), Change():
                    event = Change(event.step, {**last.values, **event.values})
                    self.log.pop()
                case Other(), Other():
                    self.log.pop()
        self.log.append(event)

    def _draw(self, events: list[Draw]) -> None:
        """Applies dabs of one gesture and logs them: the maps are handed to the backend but once."""
        copies = self._gestures.copies(events, self.simulation.maps)
        self.simulation.mark(*(event.mark for event in events))
        self._gestures.add(events, copies, self.simulation.maps)
        self.log += events

    def advance(self, steps: int, surface: int = 0) -> None:
        """Does `steps` steps, applying the script's events at theirs.

        Args:
            steps: How many, 0 or more.
            surface: Passed on with the last step, see `Simulation.step`.
        """
        self._apply_due()
        while self.script and self.script[0].step < self.steps + steps:
            span = self.script[0].step - self.steps
            self._step(span)
            steps -= span
            self._apply_due()
        self._step(steps, surface)
        self._apply_due()

    def _step(self, steps: int, surface: int = 0) -> None:
        """Steps, and measures the trail on the way if the exposure is to follow it."""
        if not self.params.auto_exposure:
            self.meter.level = None
        while self.params.auto_exposure and steps:
            span = min(steps, STEPS_APART - self.steps % STEPS_APART)
            steps -= span
            self.simulation.step(span, 0 if steps else surface)
            if self.steps % STEPS_APART == 0:
                self.meter.measure(self.simulation)
            if not steps:
                return
        self.simulation.step(steps, surface)

    def _apply_due(self) -> None:
        dabs: list[Draw] = []  # of one gesture
        while self.script and self.script[0].step <= self.steps:
            event = self.script.popleft()
            if dabs and (not isinstance(event, Draw) or event.begins):
                self._draw(dabs)
                dabs = []
            if isinstance(event, Draw):
                dabs.append(event)
            else:
                self.apply(event)
        if dabs:
            self._draw(dabs)

    def restart(
        self, preset: Preset | None = None, world: World | None = None, script: Iterable[Event] = ()
    ) -> None:
        """Starts again from step 0 with an empty log.

        Args:
            preset: The look to start with; left out, the parameters and the other look stay as they are.
            world: Left out, the same size, agents and seed, with the preset's shares, start and map.
            script: Events to replay on the way.

        Raises:
            MemoryError: The new world does not fit; the old run goes on.
        """
        now = self.world
        if preset is None:
            preset = dataclasses.replace(self.preset, params=self.params, other=self.other)
            world = world or now
        world = world or preset.world(now.width, now.height, now.seed, now.agents)
        if self.simulation.fits(world):
            self.simulation.reset(world)
            self.simulation.set(preset.params)
            self.simulation.set_other(preset.other)
        else:
            self.simulation = Simulation(world, preset.params, self.backend, preset.other)
        self._begin(preset, script)

    def restart_from(self, record: Record) -> None:
        """Starts a recorded run; `advance` to `record.step` repeats it."""
        self.restart(record.preset, record.world, record.events)

    def record(self, digest: str) -> Record:
        """All that is needed to come back to this step.

        Args:
            digest: Of the state at this step, see `kernels.simulation.digest`.
        """
        preset, log = self._as_begun(self.preset), tuple(self.log)
        return Record(preset, self.world, self.steps, digest, self.backend, VERSION, log, True)
