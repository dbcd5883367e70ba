"""A run, and the one door for change.

Whatever alters a run (a slider, a preset, a brush stroke) is a small event with its step. It is
applied through `Session.apply` and logged since the last restart, so start + seed + log give the same
field at the same step again. Pictures and replay read the log; nothing goes round it.
"""

import dataclasses
from collections.abc import Iterable

from app.events import Change, Draw, Event, Fill, Other, Paint, UndoMap
from app.meter import STEPS_APART
from app.moments import Moment
from app.record import Record
from app.recorded import Recorded
from kernels.maps import Mark
from kernels.params import Params, check_params
from kernels.simulation import Simulation
from kernels.spec import Value
from kernels.stroke import Stroke
from kernels.world import World
from presets import Preset


class Session(Recorded):
    """A living world with its preset and its log.

    Args:
        preset: The look to start with.
        world: Size, agents, seed, shares, start and map.
        backend: One of `kernels.simulation.BACKENDS`.

    Raises:
        MemoryError: The world does not fit.
    """

    def __init__(self, preset: Preset, world: World, backend: str = "cpu") -> None:
        self._coming: dict[str, Value] = {}  # parameters changed during a step beside the frames
        super().__init__(backend, Simulation(world, preset.params, backend, preset.other), preset)

    @property
    def params(self) -> Params:
        """The parameters as they are now, or will be when the step under way is done."""
        return check_params(self._coming, self.living.params) if self._coming else self.living.params

    @property
    def look(self) -> Params:
        """The parameters as the picture shows them: with what automatic exposure makes of the exposure."""
        return self.meter.adapted(self.params)

    @property
    def other(self) -> Params | None:
        """The look that the mask blends in now, if any."""
        return self.living.other

    @property
    def steps(self) -> int:
        """Steps done since the last restart."""
        return self.living.steps

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
        self.wait()
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
        """Applies an event of the current step and logs it.

        While a step is under way beside the frames a `Change` waits for its end, and others are waited for.
        """
        if isinstance(event, Change) and self.under_way():
            check_params(event.values, self.params)
            self._coming |= event.values
            return
        self.wait()
        self._apply(dataclasses.replace(event, step=self.steps))  # which may be later than when it was made

    def _apply(self, event: Event) -> None:
        match event:
            case Change():
                self.living.set(check_params(event.values, self.params))
            case Other():
                self.living.set_other(event.params)
            case Paint():
                self.living.paint(event.stroke)
            case Draw():
                self._draw([event])
                return
            case Fill():
                copies = self._gestures.copies([event], self.living.maps)
                self.living.fill(event.layer, event.kind)
                self._gestures.add([event], copies, self.living.maps)
            case UndoMap():
                self.living.set_maps(self._gestures.take_back(self.living.maps))
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
        self.wait()
        copies = self._gestures.copies(events, self.living.maps)
        self.living.mark(*(event.mark for event in events))
        self._gestures.add(events, copies, self.living.maps)
        self.log += events

    def advance(self, steps: int, surface: int = 0) -> None:
        """Does `steps` steps, applying the script's events at theirs.

        Args:
            steps: How many, 0 or more.
            surface: Passed on with the last step, see `Simulation.step`.
        """
        self.wait()
        self._apply_due()
        while self.script and self.script[0].step < self.steps + steps:
            span = self.script[0].step - self.steps
            self._step(span)
            steps -= span
            self._apply_due()
        self._step(steps, surface)
        self._apply_due()

    def wait(self) -> None:
        """Returns when no step is under way; changes made meanwhile take effect then."""
        super().wait()
        if self._coming:
            coming, self._coming = self._coming, {}
            self._apply(Change(self.steps, coming))

    def _step(self, steps: int, surface: int = 0) -> None:
        """Steps, and measures the trail on the way if the exposure is to follow it.

        Beside the frames it runs in a thread, so it leaves alone what changes meanwhile.
        """
        follows = self.living.params.auto_exposure > 0
        if not follows:
            self.meter.level = None
        while follows and steps:
            span = min(steps, STEPS_APART - self.steps % STEPS_APART)
            steps -= span
            self.living.step(span, 0 if steps else surface)
            if self.steps % STEPS_APART == 0:
                self.meter.measure(self.living)
            if not steps:
                return
        self.living.step(steps, surface)

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
        self.wait()
        now = self.world
        if preset is None:
            preset = dataclasses.replace(self.preset, params=self.params, other=self.other)
            world = world or now
        world = world or preset.world(now.width, now.height, now.seed, now.agents)
        if self.living.fits(world):
            self.living.reset(world)
            self.living.set(preset.params)
            self.living.set_other(preset.other)
        else:
            self.living = Simulation(world, preset.params, self.backend, preset.other)
        self._begin(preset, script)

    def restart_from(self, record: Record, step: int | None = None) -> None:
        """Starts a recorded run, or goes on from a moment that lies on the way.

        Args:
            record: The run; `advance` to `record.step` repeats it.
            step: Where it is to go; left out, to the record's.
        """
        if isinstance(record, Moment) and (step is None or step >= record.step):
            self.return_to(record)
        else:
            self.restart(record.preset, record.world, record.events)
