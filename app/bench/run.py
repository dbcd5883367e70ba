"""A world on its way to a case's state, as far as memory and time allow."""

import time

from app.backend import BackendError, Choice, check_memory
from app.bench.cases import Case, cluster
from app.bench.check import PATIENT
from app.bench.timing import CADENCE, FEWEST, Timing, seconds_of, time_from_start, time_going_on
from kernels.simulation import Simulation
from kernels.world import scatter

# Seconds an agent for the check and the race, measured on 2 cores with up to `PATIENT` agents. Those of
# larger cases take no longer: they are judged by the CPU backend or just counted, and raced on a GPU only.
EXTRA = 3e-6


class LeftOut(Exception):  # noqa: N818
    """A case that is not measured on this machine; the message says why."""


class Limits:
    """How long things may take.

    Args:
        case: Seconds for one case.
        total: Seconds for all of them, from now on.
    """

    def __init__(self, case: float, total: float) -> None:
        self.case = case
        self.deadline = time.monotonic() + total

    def check(self, seconds: float) -> None:
        """Refuses what would take so many seconds.

        Raises:
            LeftOut: That is too long.
        """
        left = self.deadline - time.monotonic()
        if seconds > self.case:
            raise LeftOut(f"it would take about {seconds:.0f} s here; a case may take {self.case:.0f} s")
        if seconds > left:
            raise LeftOut(f"it would take about {seconds:.0f} s here; {max(left, 0):.0f} s are left")


class Run:
    """A world near its start, to be brought to its case's state and timed there.

    Args:
        case: Which world, and what state.
        choice: The backend.
        limits: How long the case may take.

    Attributes:
        case: As given.
        simulation: The world.
        guess: Seconds a step takes, about.

    Raises:
        LeftOut: It does not fit the memory or the time.
    """

    def __init__(self, case: Case, choice: Choice, limits: Limits) -> None:
        self.case = case
        try:
            check_memory(case.world, choice)
            self.simulation = Simulation(case.world, case.feature.params, choice.backend)
        except (BackendError, MemoryError) as reason:
            raise LeftOut(str(reason).removesuffix(".")) from reason
        if not case.lead:
            self._agents = cluster(case.world) if case.state == "clustered" else scatter(case.world)
            self.reach()
        self.simulation.step(1)  # which sorts
        self.guess = seconds_of(self.simulation, 2)
        steps = case.lead + CADENCE * (FEWEST + 1)  # windows, and the samples of the passes
        limits.check(self.guess * steps + EXTRA * min(case.agents, PATIENT))

    def reach(self) -> None:
        """Brings the world to its state: once to one that lasts, as often as asked to one that passes."""
        if self.case.lead:
            self.simulation.step(self.case.lead - self.simulation.steps)
        else:
            self.simulation.backend.load(self.simulation.buffers, self.case.world, self._agents)

    def time(self) -> Timing:
        """How long a step takes in this state, which is where the world is left."""
        if self.case.lead:
            return time_going_on(self.simulation, self.guess)
        timing = time_from_start(self.simulation, self.guess, self.reach)
        self.reach()
        return timing
