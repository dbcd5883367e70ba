"""The race against plain PyTorch, from the same state on the same device."""

import importlib.util

from app.backend import free_memory, workers
from app.bench import check
from app.bench.cases import Case
from app.bench.moment import Moment
from app.bench.timing import seconds_of, time_going_on
from kernels.params import Params
from kernels.simulation import digest

WINDOWS = 3, 5  # at least, at most


def can_race(case: Case, backend: str) -> bool:
    """Whether torch is here for the device, and the case small enough for its memory and for patience."""
    if importlib.util.find_spec("torch") is None or (backend == "cpu" and case.agents > check.PATIENT):
        return False
    import torch

    from app.bench.plain import bytes_needed

    if backend == "cuda" and not torch.cuda.is_available():  # torch's build for the CPU
        return False
    return bytes_needed(case.world) < free_memory(backend)


def race(case: Case, backend: str, moment: Moment, expected: str | None) -> float | None:
    """Seconds a step takes in plain PyTorch, the median of a few windows.

    Args:
        case: What is measured.
        backend: "cpu" or "cuda".
        moment: Its state.
        expected: The digest `check.STEPS` steps later; None where there are too many agents for one.

    Returns:
        None where its memory would not do after all.

    Raises:
        Wrong: Its digest is another one.
    """
    import torch

    if backend == "cpu":
        torch.set_num_threads(workers())
    try:
        return _raced(case, backend, moment, expected)
    except torch.OutOfMemoryError:
        return None
    finally:
        give_back(backend)


def _raced(case: Case, backend: str, moment: Moment, expected: str | None) -> float:
    from app.bench.plain import Plain

    model = Plain(case.world, Params(), moment, backend)
    model.step(check.STEPS)
    if expected and digest(model.state()) != expected:
        raise check.Wrong(f"{case.name}: plain PyTorch gives other results, so there are no figures.")
    fewest, most = WINDOWS
    timing = time_going_on(model, seconds_of(model, 1), cadence=1, fewest=fewest, most=most)
    return timing.percentile(50)


def give_back(backend: str) -> None:
    """Hands the GPU memory that PyTorch keeps for later, and has no tensors in, back to the others."""
    if backend == "cuda":
        import torch

        torch.cuda.empty_cache()
