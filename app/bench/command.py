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
from app.bench import ablation, cases, report
from app.bench.cases import Case
from app.bench.check import Wrong
from app.bench.measure import LeftOut, Limits, Say, digits, growth, measure
from app.bench.report import Report
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
        The exit status: 1 when results were wrong.

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
        wrong = _do(_jobs(asked, chosen, choice), found)
    except KeyboardInterrupt:
        print(report.table(found))
        raise
    print(report.table(found))
    if asked.trace and found["cases"]:
        print("", report.trace(found), sep="\n")
    if asked.json:
        write_atomically(asked.json, (json.dumps(found, indent=2) + "\n").encode())
    if asked.plot:
        from app.bench.plot import draw, drawable

        if drawable(case["name"] for case in found["cases"]):
            write_atomically(asked.plot, draw([found]))
        else:
            wrong.append(f"{asked.plot} was not drawn: no case it would show was measured.")
    for sentence in wrong:
        print(f"physarium: {sentence}", file=sys.stderr)
    return 1 if wrong else 0


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
        raise UsageError("--plot needs matplotlib; pip install 'physarium[plot]' brings it.")
    from app.bench.plot import drawable

    if not drawable(case.name for case in chosen):
        raise UsageError(
            "--plot has no place for any of these cases; it shows 2048x2048 and '1M-*-developed'."
        )


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
    for case in (chosen if asked.case else cases.ABLATED) if asked.ablate else ():
        work = functools.partial(ablation.ablate, case, choice, limits)
        jobs.append(Job(f"ablation of {case.name}", "ablation", work))
    return jobs


def _do(jobs: Sequence[Job], found: Report) -> list[str]:
    """Does all jobs, with a progress bar; gives a sentence for each whose results were wrong."""
    wrong = []
    with tqdm(jobs, unit="case", dynamic_ncols=True) as bar:
        for job in bar:
            bar.set_description(job.name)
            try:
                found[job.part].append(job.work(bar.set_postfix_str))
            except LeftOut as reason:
                found["left_out"].append({"name": job.name, "reason": str(reason)})
            except Wrong as sentence:
                wrong.append(str(sentence))
                found["left_out"].append({"name": job.name, "reason": "its results are wrong"})
    return wrong
