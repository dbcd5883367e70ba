"""A watch on the picture: once a second, is it alive? And, if asked, what brings it back to life."""

from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.cures import WARNINGS, Fault, find_fault
from app.session import Session
from kernels.params import Params, of_species, own_name
from kernels.simulation import Simulation
from kernels.spec import Value
from kernels.statistics import STEPS_APART, Statistics, describe, verdict
from kernels.world import World

SIDE = 192  # cells of the sample that is looked at, in the middle of the field
SECONDS_APART = 1.0  # between looks
KEPT = 120  # looks: two minutes
BARS = 64  # of a histogram
YOUNG = 600  # steps after a restart or a revival: nothing is found fault with yet
HOLD = 5.0  # seconds that a fault must last until people are told

CURABLE = "no trail", "frozen", "stripes"  # by stirring; the others come from the parameters, and would again
CURE_STEPS = 300
CURE_WANDER, CURE_RESPAWN = 20.0, 150.0  # degrees; steps: all but an eighth of the agents jump once


class Sight(NamedTuple):
    """What a look has found.

    Attributes:
        statistics: Of all species together.
        failing: The species, from 0, that fail as the whole picture does; all when none does alone.
        fault: What is wrong with it, and what would help.
        histogram: See `responses`.
    """

    statistics: Statistics
    failing: list[int]
    fault: Fault
    histogram: list[NDArray[np.float64]]


class Watch:
    """Looks at a session now and then, in a thread of its own, so that no frame waits.

    Attributes:
        revive: Whether it may bring a dead picture back to life, by changes that are logged as any other.
        coverage, entropy, motion: What looks of the last two minutes found, see `kernels.statistics`.
        histogram: How agents of each species answer to the trail, see `responses`.
        warning: What is wrong with the picture, and why; "" while it is alive.
        remedy: Values of parameters that would help against it; none where nothing simple does.
    """

    def __init__(self) -> None:
        self.revive = False
        self.pool = ThreadPoolExecutor(1, "watch")
        self._begin(None)

    def _begin(self, simulation: Simulation | None) -> None:
        self.simulation = simulation
        self.steps = self.judged_from = 0
        self.coverage: list[float] = []
        self.entropy: list[float] = []
        self.motion: list[float] = []
        self.histogram: list[NDArray[np.float64]] = []
        self.warning = self.fault = ""
        self.remedy: dict[str, Value] = {}
        self.fault_since = 0.0
        self.failing: list[int] = []
        self.due = 0.0
        self.first: tuple[int, NDArray[np.float32]] | None = None  # steps and trail of a look half done
        self.pending: Future[Sight] | None = None
        self.cure: dict[str, tuple[float, float]] = {}  # values before and during a revival
        self.cured_at = 0

    @property
    def reviving(self) -> bool:
        """Whether a revival is going on."""
        return bool(self.cure)

    def look(self, session: Session, now: float, may_change: bool = True) -> None:
        """Call it for each frame; costs something once a second, and then little.

        Args:
            session: The run, at any step.
            now: Seconds of a clock that never goes back.
            may_change: False while a recorded run is repeated: that must not be changed.
        """
        if session.simulation is not self.simulation or session.steps < self.steps:
            self._begin(session.simulation)
        self.steps = session.steps
        if self.pending and self.pending.done():
            sight, self.pending = self.pending.result(), None
            self._take(sight, now)
        self._sample(session, now)
        if may_change and not session.script:
            self._tend(session)

    def settle(self, session: Session) -> None:
        """Ends a revival: what it changed goes back, but not what a person has changed since."""
        changed = {
            name: old for name, (old, new) in self.cure.items() if getattr(session.params, name) == new
        }
        self.cure = {}
        if changed:
            session.change(**changed)
        self.forgive(session)

    def forgive(self, session: Session) -> None:
        """Finds no fault for a while: what was changed takes time to tell."""
        self.judged_from = session.steps
        self.warning = self.fault = ""
        self.remedy = {}

    def _sample(self, session: Session, now: float) -> None:
        """Takes the first half of a look when it is time, and the second some steps later."""
        simulation = session.simulation
        if self.first is None:
            if now >= self.due and self.pending is None:
                self.first = session.steps, simulation.glimpse_trail(SIDE)
                self.due = now + SECONDS_APART
        elif session.steps >= self.first[0] + STEPS_APART:
            before, self.first = self.first[1], None
            seen = simulation.glimpse(SIDE)
            self.pending = self.pool.submit(see, before, *seen, session.params, session.world, session.look)

    def _take(self, sight: Sight, now: float) -> None:
        """Keeps what a look found, and warns of a fault that lasts."""
        for kept, value in zip(
            (self.coverage, self.entropy, self.motion),
            (sight.statistics.coverage, sight.statistics.entropy, sight.statistics.motion),
            strict=True,
        ):
            kept.append(value)
            del kept[:-KEPT]
        self.histogram = sight.histogram
        self.failing = sight.failing
        fault, remedy = sight.fault if self.steps - self.judged_from >= YOUNG else Fault()
        if fault != self.fault:
            self.fault, self.fault_since = fault, now
        lasting = fault and now - self.fault_since >= HOLD
        self.warning, self.remedy = (WARNINGS[fault], remedy) if lasting else ("", {})

    def _tend(self, session: Session) -> None:
        """Begins a revival when one is wanted and needed, and ends it in time."""
        if self.cure:
            if session.steps >= self.cured_at + CURE_STEPS:
                self.settle(session)
        elif self.revive and self.warning and self.fault in CURABLE:
            for species in self.failing:
                own = of_species(session.params, species)
                wander, respawn = max(own.wander, CURE_WANDER), min(own.respawn or CURE_RESPAWN, CURE_RESPAWN)
                self.cure[own_name("wander", species)] = own.wander, wander
                self.cure[own_name("respawn", species)] = own.respawn, respawn
            self.cured_at = session.steps
            session.change(**{name: new for name, (_, new) in self.cure.items()})


def see(
    before: NDArray[np.float32],
    after: NDArray[np.float32],
    counts: NDArray[np.int32],
    params: Params,
    world: World,
    look: Params,
) -> Sight:
    """Looks at two samples [C, h, w] of one place, and at how many agents stood on each cell then."""
    whole = describe(before, after)
    alone = [describe(before[k : k + 1], after[k : k + 1]) for k in range(len(after))]
    failing = [species for species, found in enumerate(alone) if verdict(found) == verdict(whole)]
    failing = failing or list(range(len(after)))
    fault = find_fault(whole, failing, after, params, world, look)
    return Sight(whole, failing, fault, responses(after, counts, params))


def responses(
    trail: NDArray[np.float32], counts: NDArray[np.int32], params: Params
) -> list[NDArray[np.float64]]:
    """How s is spread among each species' agents: shares [BARS] from s = 0 to 1 that sum to 1.

    s is what the responses follow: sense_scale times the trail an agent smells under itself, 0 to 1.
    Food is left out, and so is `sense_offset`. All shares are 0 where there are no agents.

    Args:
        trail: [C, h, w].
        counts: Agents on each cell [C, h, w].
        params: Those of all species.
    """
    found = []
    for species, weights in enumerate(counts):
        own = of_species(params, species)
        liking = np.array([getattr(own, f"attraction_to_{k + 1}") for k in range(len(trail))], np.float32)
        s = np.clip(own.sense_scale * np.tensordot(liking, trail, 1), 0, 1)
        bars, _ = np.histogram(s, BARS, (0, 1), weights=weights)
        found.append(bars / max(bars.sum(), 1))
    return found
