"""No figure without the right bits: what is timed is first compared with the specification."""

import functools

from app.backend import BackendError, Choice, check_memory
from app.bench.cases import Case, Feature
from app.bench.moment import Moment, resume
from kernels.simulation import Simulation

STEPS = 3  # from a case's state to the digest that is compared
BY_REFERENCE = 2_000_000  # agents at most, where the CPU backend can judge: it is quicker
PATIENT = 20_000_000  # agents at most that the reference, or PyTorch on a CPU, is waited for
DIGESTED = 200_000_000  # agents at most: above, sorting them for a digest takes minutes


class Wrong(Exception):  # noqa: N818
    """What was to be timed computes something else; the message is one plain sentence."""


def judge_of(case: Case, backend: str) -> str:
    """Which backend a case is compared with; "counts" for none, when just the agents are counted."""
    if case.agents <= (PATIENT if backend == "cpu" else BY_REFERENCE):
        return "reference"
    if backend == "cpu" or case.agents > DIGESTED:
        return "counts"
    try:
        check_memory(case.world, Choice("cpu", False, "", ""))
    except BackendError:
        return "counts"
    return "cpu"


def check(case: Case, simulation: Simulation, moment: Moment | None) -> tuple[str, str | None]:
    """Compares a simulation, `STEPS` steps past a moment, with its judge, which goes there by itself.

    Args:
        case: Whose state it is.
        simulation: What is to be timed.
        moment: The case's state; needed unless the judge is "counts".

    Returns:
        The judge, and the digest; None for a digest where there are too many agents to sort.

    Raises:
        Wrong: They differ, or agents were lost.
    """
    judge = judge_of(case, simulation.backend_name) if moment else "counts"
    if moment and judge != "counts":
        digest = simulation.digest()
        if digest != _judged(case, moment, judge):
            raise Wrong(f"{case.name}: the results differ from those of {judge}, so there are no figures.")
        return judge, digest
    if simulation.counts().sum(dtype="int64") != case.agents:
        raise Wrong(f"{case.name}: agents were lost or counted twice, so there are no figures.")
    return judge, simulation.digest() if case.agents <= DIGESTED else None


def _judged(case: Case, moment: Moment, judge: str) -> str:
    if judge == "cpu":
        _check_the_judge(case.feature)
    other = Simulation(case.world, case.feature.params, judge)
    resume(other, moment)
    other.step(STEPS)
    return other.digest()


@functools.cache
def _check_the_judge(feature: Feature) -> None:
    """The CPU backend may judge what it has been compared with the reference in."""
    small = Case(30_011, 401, 257, feature=feature)
    cpu, reference = (Simulation(small.world, feature.params, name) for name in ("cpu", "reference"))
    for simulation in (cpu, reference):
        simulation.step(2 * STEPS)
    if cpu.digest() != reference.digest():
        raise Wrong("The CPU backend's results differ from the reference's, so it cannot check others.")
