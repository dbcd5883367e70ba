"""What the parts of the model cost beyond the plain step, in the same run."""

import dataclasses

from app.backend import Choice
from app.bench import check
from app.bench.cases import FEATURES, Case
from app.bench.measure import Figures, Say, digits
from app.bench.moment import moment_of
from app.bench.run import LeftOut, Limits, Run

AS_LONG = 8  # times the plain world's development, for all of them together, about


def compare(case: Case, choice: Choice, limits: Limits, say: Say) -> Figures:
    """Times a world of each of the features, developed by its own rules; the plain one comes first.

    Args:
        case: Size, agents and state.
        choice: The backend.
        limits: How long it may take.
        say: Is told what happens now.

    Raises:
        LeftOut: It does not fit the memory or the time, or its state passes too quickly.
        Wrong: The results of one are not right.
    """
    if not case.lead:
        raise LeftOut("features are compared in developed states only; others pass while they are timed")
    rows: list[Figures] = []
    for feature in FEATURES:
        say(feature.name)
        run = Run(dataclasses.replace(case, feature=feature), choice, limits)
        if not rows:
            limits.check(AS_LONG * run.guess * case.lead)
        found = _measured(run)
        times = digits(found["ms_per_step"] / rows[0]["ms_per_step"]) if rows else 1.0
        rows.append({"feature": feature.name, "times_plain": times} | found)
        del run  # the next one needs its memory
    return {"name": case.name, "features": rows}


def _measured(run: Run) -> Figures:
    """What a step takes, once its results were found right."""
    run.reach()
    judged = check.judge_of(run.case, run.simulation.backend_name) != "counts"
    moment = moment_of(run.simulation) if judged else None
    run.simulation.step(check.STEPS)
    checked, digest = check.check(run.case, run.simulation, moment)
    ms = digits(1000 * run.time().percentile(50))
    return {"ms_per_step": ms, "checked": checked, "digest": digest}
