"""The command `physarium bench`: which cases, in which order, and what becomes of the figures."""

import argparse
import functools
import importlib.util
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tqdm import tqdm

from app.arguments import UsageError
from app.backend import TRIAL, Choice, choose, told_if_slow
from app.bench import ablation, cases, features, report
from app.bench.cases import Case
from app.bench.check import Wrong
from app.bench.measure import Say, digits, growth, measure
from app.bench.report import Report
from app.bench.run import LeftOut, Limits
from app.files import write_atomically
from kernels.params import Params
from kernels.simulation import Simulation

CASE_SECONDS = 240.0  # 10 M agents on two cores develop in half of that
QUICK_SECONDS = 40.0  # for all cases together; imports and the last case's surprises come on top


class Job(NamedTuple):
    """One thing to measure: its name, the part of the report that takes the result, and what measures it."""

    name: str
    part: str
    work: Callable[[Say], Any]


def bench(asked: argparse.Namespace) -> int:
    """Measures, prints the tables, and writes what was asked for.

    Returns:
        The exit status: 1 when results were wrong or a case failed.

    Raises:
        UsageError: There is no such case, or no matplotlib.
        BackendError: The backend cannot be had.
        OSError: A file cannot be written.
    """
    chosen = _chosen(asked)
    if asked.plot:
        _check_plot(chosen)
    choice = choose(asked.backend)
    print(choice.reason, file=sys.stderr)
    found = report.new(choice)
    try:
        found["bandwidth_gb_s"] = _bandwidth(choice)
        failures = _do(_jobs(asked, chosen, choice), found)
    except KeyboardInterrupt:
        found["interrupted"] = True
        if any(found[part] for part in report.MEASURED):
            _tell(asked, found)
        raise
    _tell(asked, found)
    if asked.plot:
        from app.bench.plot import draw, drawable

        if drawable(case["name"] for case in found["cases"]):
            write_atomically(asked.plot, draw([found]))
        else:
            failures.append(f"{asked.plot} was not drawn: no case it would show was measured.")
    for sentence in failures:
        print(f"physarium: {sentence}", file=sys.stderr)
    return 1 if failures else 0


def _tell(asked: argparse.Namespace, found: Report) -> None:
    """Prints the tables, and writes the JSON."""
    print(report.table(found))
    if asked.trace and found["cases"]:
        print("", report.trace(found), sep="\n")
    if asked.json:
        write_atomically(asked.json, (json.dumps(found, indent=2) + "\n").encode())


def _chosen(asked: argparse.Namespace) -> Sequence[Case]:
    if not asked.case:
        return cases.QUICK if asked.quick else cases.ALL
    try:
        return cases.chosen(asked.case)
    except ValueError as problem:
        raise UsageError(str(problem)) from problem


def _check_plot(chosen: Sequence[Case]) -> None:
    """Says before the long work what would be in the way of a picture after it."""
    if importlib.util.find_spec("matplotlib") is None:
        raise UsageError(f"--plot needs matplotlib; {sys.executable} -m pip install matplotlib brings it.")
    from app.bench.plot import PANELS, drawable

    if not drawable(case.name for case in chosen):
        series = " and ".join(f"{panel.series[0].name} to {panel.series[-1].name}" for panel in PANELS)
        raise UsageError(f"--plot has no place for any of these cases; it shows {series}.")


def _bandwidth(choice: Choice) -> float:
    """GB/s of large copies on the device, once the kernels are compiled."""
    with told_if_slow():
        simulation = Simulation(TRIAL, Params(), choice.backend)
        simulation.step(1)
    return digits(simulation.bandwidth() / 1e9)


def _jobs(asked: argparse.Namespace, chosen: Sequence[Case], choice: Choice) -> list[Job]:
    limits = Limits(CASE_SECONDS, QUICK_SECONDS if asked.quick else float("inf"))
    jobs = [Job(case.name, "cases", functools.partial(measure, case, choice, limits)) for case in chosen]
    if not (asked.case or asked.quick):
        jobs.append(Job("growth", "growth", functools.partial(growth, choice, limits)))
    compared = chosen if asked.case else cases.COMPARED
    for case in compared if asked.features else ():
        work = functools.partial(features.compare, case, choice, limits)
        jobs.append(Job(f"features of {case.name}", "features", work))
    for case in compared if asked.ablate else ():
        work = functools.partial(ablation.ablate, case, choice, limits)
        jobs.append(Job(f"ablation of {case.name}", "ablation", work))
    return jobs


def _do(jobs: Sequence[Job], found: Report) -> list[str]:
    """Does all jobs, with a progress bar; gives a sentence for each that failed or gave wrong results."""
    failures = []
    with tqdm(jobs, unit="case", dynamic_ncols=True) as bar:
        for job in bar:
            bar.set_description(job.name)
            try:
                found[job.part].append(job.work(bar.set_postfix_str))
            except (LeftOut, MemoryError) as problem:
                reason = _said(problem) or "there is not enough memory"
                found["left_out"].append({"name": job.name, "reason": reason})
            except Wrong as sentence:
                failures.append(str(sentence))
                found["left_out"].append({"name": job.name, "reason": "its results are wrong"})
            except RuntimeError as problem:  # such as CUDA's; the cases before must not be lost
                reason = _said(problem) or type(problem).__name__
                failures.append(f"{job.name} failed: {reason}.")
                found["left_out"].append({"name": job.name, "reason": reason})
    for ablated in found["ablation"]:
        failures += ablation.wrong(ablated)
    return failures


def _said(problem: Exception) -> str:
    """Its first line, without a full stop."""
    return str(problem).strip().partition("\n")[0].removesuffix(".")
