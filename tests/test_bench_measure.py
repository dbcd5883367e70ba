import re
from collections.abc import Iterator
from types import ModuleType

import pytest
from small_bench import DEVELOPED, TINY, unlimited
from small_bench import run as run  # fixtures
from small_bench import standing_in as standing_in
from small_bench import tiny as tiny

from app.backend import choose
from app.bench import cases, measure, report, timing
from app.bench import run as bench_run
from app.bench.run import LeftOut, Limits
from kernels import cpu_order, reference
from kernels.params import Params
from kernels.simulation import Simulation


def test_the_digest_is_that_of_the_case(standing_in: ModuleType) -> None:
    for case in TINY:
        found = measure.measure(case, choose("cpu"), unlimited(), lambda _: None)
        simulation = Simulation(case.world, Params(), "reference")
        if case.state == "clustered":
            reference.load(simulation.buffers, case.world, cases.cluster(case.world))
        simulation.step((1000 if case.state == "developed" else 0) + 3)
        assert found["digest"] == simulation.digest()


@pytest.mark.parametrize(("case", "total"), [(1e-9, 1e9), (1e9, -1.0)], ids=["case", "total"])
def test_what_takes_too_long_is_left_out(standing_in: ModuleType, case: float, total: float) -> None:
    with pytest.raises(LeftOut, match="it would take about"):
        measure.measure(DEVELOPED, choose("cpu"), Limits(case, total), lambda _: None)


def test_growth_is_told_after_each_mark(standing_in: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "MARKS", (0, 70, 140))
    found = measure.growth(choose("cpu"), unlimited(), lambda _: None)
    assert found["after"] == [0, 70, 140]
    assert len(found["ms_per_step"]) == 3
    assert min(found["ms_per_step"]) > 0
    whole = report.new(choose("cpu")) | {"growth": [found]}
    assert re.search(r"^steps from the start +0 +70 +140$", report.table(whole), re.MULTILINE)


def test_growth_counts_all_of_its_runs(standing_in: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_run, "seconds_of", lambda *_: 0.001)
    once = 0.001 * (measure.MARKS[-1] + timing.CADENCE)
    with pytest.raises(LeftOut, match=f"about {once * measure.AGAIN:.0f} s here"):
        measure.growth(choose("cpu"), Limits(once * measure.AGAIN - 1, 1e9), lambda _: None)


class Clocked:
    """Steps that take as long as they are told to, on a clock of their own."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, seconds: Iterator[float]) -> None:
        self.now, self.asked, self.seconds = 0.0, [], seconds
        monkeypatch.setattr(timing.time, "perf_counter", lambda: self.now)

    def step(self, n: int = 1) -> None:
        self.asked.append(n)
        self.now += n * next(self.seconds)

    def wait(self) -> None: ...

    def state(self) -> None: ...


@pytest.mark.parametrize(
    ("seconds", "steps"), [(1e-6, 20032), (1e-4, 256), (0.006, 128), (0.0117, 128), (0.012, 64), (0.5, 64)]
)
def test_windows_hold_whole_cadences(monkeypatch: pytest.MonkeyPatch, seconds: float, steps: int) -> None:
    monkeypatch.setattr(timing, "WINDOW", 0.02)
    monkeypatch.setattr(timing, "SPENT", 4.0)
    clocked = Clocked(monkeypatch, iter([seconds] * 99))
    found = timing.time_going_on(clocked, seconds)
    assert found.steps == steps
    assert steps % timing.CADENCE == 0
    assert found.percentile(50) == pytest.approx(seconds)
    assert timing.FEWEST <= len(found.seconds) <= timing.MOST
    assert clocked.asked[-len(found.seconds) :] == [steps] * len(found.seconds)


def test_every_window_holds_an_order_of_the_cpu() -> None:
    assert timing.CADENCE >= cpu_order.LONGEST


def test_a_wrong_guess_is_mended_where_that_is_cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "WINDOW", 0.02)
    clocked = Clocked(monkeypatch, iter([1e-5] * 99))
    assert timing.time_going_on(clocked, 1e-3).steps == 2048


def test_each_window_of_a_passing_state_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    clocked = Clocked(monkeypatch, iter([3.0, 1.0, 2.0, 5.0, 1.5, *[9.0] * 99]))
    begun = []
    found = timing.time_from_start(clocked, 1.0, lambda: begun.append(len(clocked.asked)))
    assert found == timing.Timing(timing.CADENCE, (3.0, 1.0, 2.0, 5.0, 1.5))
    assert begun == [0, 1, 2, 3, 4]
    assert found.percentile(50) == 2.0


def test_passes_are_medians(standing_in: ModuleType) -> None:
    simulation = Simulation(DEVELOPED.world, Params(), "cpu")
    simulation.buffers.pass_seconds = {}
    assert measure.sampled(simulation) == {"agents": 0.003, "field": 0.001, "order": 0.0}
