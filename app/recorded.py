"""A run as a whole: what it began with, written down, left, and come back to."""

import copy
import dataclasses
from collections import deque
from collections.abc import Iterable

from app.beside import Beside
from app.events import Draw, Event, Fill
from app.gestures import Gestures
from app.meter import Meter
from app.moments import Moment
from app.record import Record
from app.version import VERSION
from kernels.maps import Maps
from kernels.simulation import Simulation
from kernels.world import World
from presets import Preset


class Recorded(Beside):
    """What `app.session.Session` does with its run as a whole.

    Attributes:
        preset: Where the look came from; its parameters and other look are those at the last restart,
            its shares, start and map those of the world.
        log: The events since the last restart, in order.
        script: Events of a recorded run that are still to come.
        complete: Whether the log holds all that happened.
        token: Another object for every run that was begun or returned to.

    Args:
        backend: One of `kernels.simulation.BACKENDS`.
        simulation: The world, at step 0.
        preset: The look it starts with.
    """

    def __init__(self, backend: str, simulation: Simulation, preset: Preset) -> None:
        super().__init__(simulation)
        self.backend = backend
        self._maps: tuple[int, Maps] | None = None  # the last that were copied, by their version
        self._begin(preset, ())

    def _begin(self, preset: Preset, script: Iterable[Event]) -> None:
        self._first_params, self._first_other = preset.params, preset.other
        self.preset = self._as_begun(preset)
        self.log: list[Event] = []
        self.complete = True
        self.script = deque(script)
        self.token = object()
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

    def name_after(self, preset: Preset) -> None:
        """Calls the run by a preset's name from now on; what it began with stays."""
        self.preset = self._as_begun(preset)

    @property
    def world(self) -> World:
        """Size, agents, seed, shares, start and the map it began with."""
        return self.living.world

    @property
    def drawn(self) -> list[list[Draw | Fill]]:
        """The gestures on the maps that were not taken back, in order; to read only."""
        return self._gestures.drawn

    @property
    def painted(self) -> bool:
        """Whether the maps are other than the world's: there is a gesture to take back."""
        return bool(self.drawn)

    def record(self, digest: str) -> Record:
        """All that is needed to come back to this step.

        Args:
            digest: Of the state at this step, see `kernels.simulation.digest`.
        """
        self.wait()
        preset, log = self._as_begun(self.preset), tuple(self.log)
        return Record(
            preset, self.world, self.living.steps, digest, self.backend, VERSION, log, self.complete
        )

    def moment(self) -> Moment:
        """All that the run is now, to return to. Of a GPU's memory nothing is fetched.

        Raises:
            MemoryError: There is no room for it.
        """
        record, living = self.record(digest=""), self.living
        if self._maps is None or self._maps[0] != living.maps_version:
            self._maps = living.maps_version, copy.deepcopy(living.maps)
        return Moment(
            *(getattr(record, field.name) for field in dataclasses.fields(Record)),
            params=living.params,
            other=living.other,
            maps=self._maps[1],
            snapshot=living.snapshot(),
            script=tuple(self.script),
            meter=copy.copy(self.meter),
        )

    def return_to(self, moment: Moment) -> None:
        """Goes on from a moment, with the log that led to it. The moment can be returned to again.

        Raises:
            MemoryError: Its world does not fit; the old run goes on.
        """
        self.wait()
        living = self.living
        if not living.fits(moment.world):
            living = Simulation(moment.world, moment.params, self.backend, moment.other)
        maps = copy.deepcopy(moment.maps)
        living.restore(moment.snapshot, moment.world, moment.params, moment.other, maps)
        self.living = living
        self._begin(moment.preset, moment.script)
        self.log += moment.events
        self.complete = moment.complete
        self._gestures.take_over(self.log)
        self.meter = copy.copy(moment.meter)
        self._maps = living.maps_version, moment.maps
