import dataclasses
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

from app.backend import choose
from app.bench import ablation, cases, check, measure, plot, report, timing
from app.bench.cases import Case
from app.bench.moment import Moment, moment_of, resume
from app.cli import main
from kernels import reference
from kernels.params import Params
from kernels.simulation import BACKENDS, Simulation, digest
from kernels.world import World, scatter

TINY = tuple(Case(700, 64, 48, state) for state in cases.STATES)
DEVELOPED = next(case for case in TINY if case.state == "developed")
WORLD = World(401, 257, 30_011)

FIELDS = {
    "name", "agents", "width", "height", "state", "ms_per_step", "ms_p5", "ms_p95", "windows",
    "steps_per_window", "updates_per_s", "gb_s", "floor_ms", "ratio_to_floor", "torch_ms", "speedup",
    "checked", "digest", "passes",
}  # fmt: skip

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A benchmark of moments, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cases, "ALL", TINY)
    monkeypatch.setattr(cases, "QUICK", TINY)
    monkeypatch.setattr(cases, "ABLATED", (DEVELOPED,))
    monkeypatch.setattr(measure, "GROWING", TINY[0])
    monkeypatch.setattr(timing, "WINDOW", 1e-4)
    monkeypatch.setattr(timing, "SPENT", 1e-3)


@pytest.fixture
def standing_in(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The reference in the place of the CPU backend, to be spoilt."""
    module = ModuleType("standing_in")
    vars(module).update(vars(reference))

    def sample(b: reference.Buffers) -> None:
        b.pass_seconds = {"agents": 0.003, "field": 0.001, "order": 0.0}

    vars(module).update(bandwidth=lambda: 2e9, sample=sample)
    monkeypatch.setitem(sys.modules, "standing_in", module)
    monkeypatch.setitem(BACKENDS, "cpu", "standing_in")
    return module


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `physarium bench` in this process; gives its status, stdout and stderr."""

    def command(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        status = main(("bench", "--backend", "cpu", *words))
        return status, *capsys.readouterr()

    return command


def unlimited() -> measure.Limits:
    return measure.Limits(float("inf"), float("inf"))


def test_the_cases_are_what_was_promised() -> None:
    every = cases.STANDARD + cases.OVER_AGENTS + cases.OVER_CELLS
    assert len({case.name for case in every}) == len(set(every))
    assert [case.world.agents for case in every] == [case.agents for case in every]
    assert {case.state for case in every} == set(cases.STATES)
    names = {case.name for case in every}
    for name in ("1M-1024x1024-clustered", "16M-4096x4096-uniform", "1.07G-16384x16384-developed"):
        assert name in names
    densities = {case.agents / (case.width * case.height) for case in cases.OVER_CELLS}
    assert len(densities) == 1
    assert {(case.width, case.height) for case in cases.OVER_AGENTS} == {(2048, 2048)}


@pytest.mark.parametrize(
    "world", [World(1024, 1024, 30_000), World(1920, 1080, 20_000), World(16, 32768, 5000)], ids=str
)
def test_a_clustered_start_is_dense_and_distinct(world: World) -> None:
    words = cases.cluster(world)
    assert len(np.unique(words)) == world.agents
    x, y, _ = reference.unpack(words)
    columns, rows = (np.unique(place >> world.fraction_bits) for place in (x, y))
    across, down = world.width // 10, world.height // 10
    assert (np.ptp(columns) + 1, np.ptp(rows) + 1) == (across, down)
    assert across * down <= world.width * world.height / 100
    assert abs(columns[0] + columns[-1] + 1 - world.width) <= 1
    assert abs(rows[0] + rows[-1] + 1 - world.height) <= 1


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_a_run_goes_on_from_a_moment(backend: str) -> None:
    whole = Simulation(WORLD, Params(), "reference")
    whole.step(30)
    other = Simulation(WORLD, Params(), backend)
    resume(other, moment_of(whole))
    for simulation in (whole, other):
        simulation.step(70)
    assert other.digest() == whole.digest()


def moment(steps: int = 40) -> tuple[Moment, str]:
    """A moment of a run, and the run's digest 25 steps later."""
    simulation = Simulation(WORLD, Params(), "reference")
    simulation.step(steps)
    found = moment_of(simulation)
    simulation.step(25)
    return found, simulation.digest()


@pytest.mark.parametrize("steps", [0, 40])
def test_plain_pytorch_gives_the_same_bits(steps: int) -> None:
    pytest.importorskip("torch")
    from app.bench.plain import Plain

    start, expected = moment(steps)
    model = Plain(WORLD, Params(), start, "cpu")
    model.step(24)
    assert digest(model.state()) != expected
    model.step()
    assert digest(model.state()) == expected


@pytest.mark.gpu
def test_plain_pytorch_gives_the_same_bits_on_cuda() -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch finds no GPU")
    from app.bench.plain import Plain

    start, expected = moment()
    model = Plain(WORLD, Params(), start, "cuda")
    model.step(25)
    assert digest(model.state()) == expected


def test_every_way_without_an_idea_gives_the_same_bits() -> None:
    start, expected = moment()
    found = ablation.variants("cpu")
    assert next(iter(found)) == ablation.WHOLE
    assert len(found) >= 4
    for name, make in found.items():
        subject = make(WORLD, Params(), start)
        subject.step(25)
        assert digest(subject.state()) == expected, name


def test_leaving_out_the_sort_leaves_it_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from kernels import cpu

    start, _ = moment()
    subject = ablation.variants("cpu")["agents in no order"](WORLD, Params(), start)
    monkeypatch.setattr(cpu, "sort", None)  # calling it would fail
    subject.step(2 * timing.CADENCE)


def test_an_ablation_is_told(run: Run) -> None:
    status, out, err = run("--case", DEVELOPED.name, "--ablate", "--json", "a.json")
    assert status == 0, err
    (ablated,) = json.loads(Path("a.json").read_text())["ablation"]
    whole, *others = ablated["variants"]
    assert (whole["variant"], whole["times_slower"]) == (ablation.WHOLE, 1.0)
    assert all(variant["ms_per_step"] > 0 and variant["digest_equal"] for variant in others)
    assert [variant["variant"] for variant in others if variant["variant"] not in out] == []


def test_a_wrong_variant_has_no_figures(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def elsewhere(world: World, params: Params, start: Moment) -> Simulation:
        return ablation._simulated("cpu", world, params, dataclasses.replace(start, trail=start.trail + 1))

    monkeypatch.setattr(ablation, "_cpu_variants", lambda: {"another trail": elsewhere})
    status, _, err = run("--case", DEVELOPED.name, "--ablate", "--json", "a.json")
    assert status == 1
    assert err.splitlines()[-1].startswith(f"physarium: {DEVELOPED.name}, another trail: the results differ")
    assert json.loads(Path("a.json").read_text())["ablation"] == []


def test_what_bench_writes(run: Run) -> None:
    status, out, err = run("--quick", "--json", "a.json")
    assert status == 0, err
    assert err.startswith("The CPU steps the world, as asked.\n")
    found = json.loads(Path("a.json").read_text("utf-8"))
    assert {"physarium", "date", "device", "backend", "threads", "versions", "bandwidth_gb_s"} < found.keys()
    assert {"python", "numpy", "numba", "torch"} <= found["versions"].keys()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:]{8}\+00:00", found["date"])
    assert (found["backend"], found["left_out"], found["ablation"]) == ("cpu", [], [])
    assert [case["name"] for case in found["cases"]] == [case.name for case in TINY]
    for case in found["cases"]:
        assert case.keys() == FIELDS
        assert 0 < case["ms_p5"] <= case["ms_per_step"] <= case["ms_p95"]
        assert case["steps_per_window"] % timing.CADENCE == 0
        assert case["windows"] >= timing.FEWEST
        least = 16 * (700 + 64 * 48)
        assert case["floor_ms"] == pytest.approx(least / found["bandwidth_gb_s"] / 1e6, rel=1e-3)
        assert case["ratio_to_floor"] == pytest.approx(case["ms_per_step"] / case["floor_ms"], rel=1e-3)
        assert case["updates_per_s"] == pytest.approx(700_000 / case["ms_per_step"], rel=1e-3)
        assert case["gb_s"] == pytest.approx(least / case["ms_per_step"] / 1e6, rel=1e-3)
        assert case["checked"] == "reference"
        assert case["name"] in out
        assert case["passes"].keys() <= {"agents", "field", "order"}


def test_the_digest_is_that_of_the_case(standing_in: ModuleType) -> None:
    for case in TINY:
        found = measure.measure(case, choose("cpu"), unlimited(), lambda _: None)
        simulation = Simulation(case.world, Params(), "reference")
        if case.state == "clustered":
            reference.load(simulation.buffers, case.world, cases.cluster(case.world))
        simulation.step((1000 if case.state == "developed" else 0) + 3)
        assert found["digest"] == simulation.digest()


def test_bench_needs_no_torch(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    status, out, err = run("--case", DEVELOPED.name, "--json", "a.json")
    assert status == 0, err
    (case,) = json.loads(Path("a.json").read_text("utf-8"))["cases"]
    assert (case["torch_ms"], case["speedup"]) == (None, None)
    assert out.count(DEVELOPED.name) == 1


def test_who_can_race(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    from app.bench import race

    large = Case(20_000_001, 512, 512)
    monkeypatch.setattr(race, "free_memory", lambda _backend: 2**40)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert [race.can_race(DEVELOPED, backend) for backend in ("cpu", "cuda")] == [True, True]
    assert [race.can_race(large, backend) for backend in ("cpu", "cuda")] == [False, True]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert [race.can_race(DEVELOPED, backend) for backend in ("cpu", "cuda")] == [True, False]
    monkeypatch.setattr(race, "free_memory", lambda _backend: 2**10)
    assert not race.can_race(DEVELOPED, "cpu")


def test_the_number_of_threads_is_told(
    run: Run, standing_in: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setenv("NUMBA_NUM_THREADS", "2")  # and back again after the test
    status, out, err = run("--case", DEVELOPED.name, "--threads", "1", "--json", "a.json")
    assert status == 0, err
    assert json.loads(Path("a.json").read_text("utf-8"))["threads"] == 1
    assert ", 1 thread," in out.splitlines()[0]


def spoil(module: ModuleType) -> None:
    """From now on each call of `advance` leaves a trace of its own on the trail."""

    def advance(b: reference.Buffers, steps: int) -> None:
        reference.advance(b, steps)
        b.trail[0, 0] += np.float32(1)

    vars(module).update(advance=advance)


def test_wrong_results_have_no_figures(run: Run, standing_in: ModuleType) -> None:
    spoil(standing_in)
    status, out, err = run("--case", DEVELOPED.name, "--json", "a.json")
    assert status == 1
    sentence = (
        f"physarium: {DEVELOPED.name}: the results differ from those of reference, so there are no figures."
    )
    assert err.splitlines()[-1] == sentence
    found = json.loads(Path("a.json").read_text("utf-8"))
    assert (found["cases"], [case["name"] for case in found["left_out"]]) == ([], [DEVELOPED.name])
    assert f"{DEVELOPED.name}: its results are wrong.\n" in out


def test_plain_pytorch_with_other_results_has_no_figures(
    standing_in: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    from app.bench import plain

    monkeypatch.setattr(plain, "TINY", 1.0)
    with pytest.raises(check.Wrong, match="plain PyTorch gives other results"):
        measure.measure(DEVELOPED, choose("cpu"), unlimited(), lambda _: None)


def test_each_case_has_a_fitting_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    def judge(agents: int, backend: str) -> str:
        return check.judge_of(Case(agents, 512, 512), backend)

    assert judge(2_000_000, "cuda") == judge(20_000_000, "cpu") == "reference"
    assert judge(20_000_001, "cuda") == judge(20_000_001, "cpu") == "counts"
    assert judge(2_000_001, "cuda") == "cpu"
    monkeypatch.setattr("app.backend.free_memory", lambda _backend: 2**20)
    assert judge(2_000_001, "cuda") == "counts"


def test_the_cpu_backend_may_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "BY_REFERENCE", 0)
    simulation = Simulation(DEVELOPED.world, Params(), "reference")
    simulation.step(5)
    start = moment_of(simulation)
    simulation.step(check.STEPS)
    assert check.check(DEVELOPED, simulation, start) == ("cpu", simulation.digest())
    with pytest.raises(check.Wrong, match="differ from those of cpu"):
        check.check(DEVELOPED, simulation, dataclasses.replace(start, trail=start.trail + 1))


def test_a_wrong_cpu_backend_may_not_judge(standing_in: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    check._check_the_judge.cache_clear()
    monkeypatch.setattr(check, "BY_REFERENCE", 0)
    simulation = Simulation(DEVELOPED.world, Params(), "reference")
    start = moment_of(simulation)
    spoil(standing_in)
    with pytest.raises(check.Wrong, match="cannot check others"):
        check.check(DEVELOPED, simulation, start)


def test_where_nothing_can_judge_agents_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = Simulation(DEVELOPED.world, Params(), "reference")
    simulation.step(check.STEPS)
    assert check.check(DEVELOPED, simulation, None) == ("counts", simulation.digest())
    monkeypatch.setattr(check, "DIGESTED", 1)
    assert check.check(DEVELOPED, simulation, None) == ("counts", None)
    simulation.buffers.counts[0, 0] += 1
    with pytest.raises(check.Wrong, match="lost or counted twice"):
        check.check(DEVELOPED, simulation, None)


def test_what_does_not_fit_is_left_out_and_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.backend.free_memory", lambda _backend: 1000)
    status, out, _ = run("--json", "a.json")
    assert status == 0
    found = json.loads(Path("a.json").read_text("utf-8"))
    assert [left["name"] for left in found["left_out"]] == [*(case.name for case in TINY), "growth"]
    assert all("GiB of main memory" in left["reason"] for left in found["left_out"])
    assert f"  {DEVELOPED.name}: size = 64x48 with 700 agents needs" in out


@pytest.mark.parametrize(("case", "total"), [(1e-9, 1e9), (1e9, -1.0)], ids=["case", "total"])
def test_what_takes_too_long_is_left_out(standing_in: ModuleType, case: float, total: float) -> None:
    with pytest.raises(measure.LeftOut, match="it would take about"):
        measure.measure(DEVELOPED, choose("cpu"), measure.Limits(case, total), lambda _: None)


def test_growth_is_told_after_each_mark(standing_in: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "MARKS", (0, 70, 140))
    found = measure.growth(choose("cpu"), unlimited(), lambda _: None)
    assert found["after"] == [0, 70, 140]
    assert len(found["ms_per_step"]) == 3
    assert min(found["ms_per_step"]) > 0
    whole = report.new(choose("cpu")) | {"growth": [found]}
    assert re.search(r"^steps from the start +0 +70 +140$", report.table(whole), re.MULTILINE)


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


@pytest.mark.parametrize("seconds", [1e-6, 1e-4, 0.01, 0.5])
def test_windows_hold_whole_cadences(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    monkeypatch.setattr(timing, "WINDOW", 0.02)
    monkeypatch.setattr(timing, "SPENT", 4.0)
    clocked = Clocked(monkeypatch, iter([seconds] * 99))
    found = timing.time_going_on(clocked, seconds)
    assert found.steps % timing.CADENCE == 0
    assert found.steps * seconds > 0.0199
    assert found.percentile(50) == pytest.approx(seconds)
    assert timing.FEWEST <= len(found.seconds) <= timing.MOST
    assert clocked.asked[-len(found.seconds) :] == [found.steps] * len(found.seconds)


def test_a_wrong_guess_is_mended_where_that_is_cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "WINDOW", 0.02)
    clocked = Clocked(monkeypatch, iter([1e-5] * 99))
    assert timing.time_going_on(clocked, 1e-3).steps == 2048


def test_each_window_of_a_passing_state_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    clocked = Clocked(monkeypatch, iter([3.0, 1.0, 2.0, *[9.0] * 99]))
    begun = []
    found = timing.time_from_start(clocked, 1.0, lambda: begun.append(len(clocked.asked)))
    assert found == timing.Timing(timing.CADENCE, (3.0, 1.0, 2.0))
    assert begun == [0, 1, 2]
    assert found.percentile(50) == 2.0


def test_passes_are_medians(standing_in: ModuleType) -> None:
    simulation = Simulation(DEVELOPED.world, Params(), "cpu")
    simulation.buffers.pass_seconds = {}
    assert measure.sampled(simulation) == {"agents": 0.003, "field": 0.001, "order": 0.0}


def test_a_trace_tells_what_each_pass_takes(run: Run, standing_in: ModuleType) -> None:
    status, out, err = run("--case", DEVELOPED.name, "--trace")
    assert status == 0, err
    rows = [line.split()[1:] for line in out.splitlines() if line.startswith(DEVELOPED.name)][1:]
    assert rows == [
        ["agents", "3", "75%", "0.0112", "0.00373", "0%"],  # 16 * 700 bytes in 3 ms
        ["field", "1", "25%", "0.0492", "0.0492", "2%"],  # of 2 GB/s
        ["order", "0", "0%", "-", "-", "-"],
    ]


def test_columns_are_aligned() -> None:
    assert report.aligned([("case", "ms"), ("a", "1.5"), ("long name", "10")]) == [
        "case        ms",
        "a          1.5",
        "long name   10",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--case", "1M"), ("--case 1M", "there is no such case", DEVELOPED.name)),
        (("--json", "nowhere/a.json"), ("nowhere/a.json", "no folder")),
        (("--json", "folder"), ("folder", "name of a file")),
        (("--plot", "a.jpg"), ("a.jpg", ".png")),
        (("--plot", "nowhere/a.png"), ("nowhere/a.png", "no folder")),
        (("--plot", "a.png"), ("--plot has no place",)),
        (("--threads", "0"), ("--threads", "1 to 256")),
        (("veins",), ("veins",)),
    ],
)
def test_bad_options_are_refused_before_the_work(
    run: Run, words: tuple[str, ...], said: tuple[str, ...]
) -> None:
    Path("folder").mkdir()
    status, out, err = run(*words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert [word for word in said if word not in err] == []


def test_a_missing_matplotlib_is_told_before_the_work(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    status, out, err = run("--plot", "a.png")
    assert (status, out) == (2, "")
    assert err == "physarium: --plot needs matplotlib; pip install 'physarium[plot]' brings it.\n"


@pytest.mark.parametrize("pattern", ["64", "700-64x48-*", "*UNIFORM"])
def test_cases_are_chosen_by_pattern(pattern: str) -> None:
    fitting = [case.name for case in TINY if "uniform" in case.name or "700" in pattern]
    if pattern == "64":
        with pytest.raises(ValueError, match="no such case"):
            cases.chosen([pattern])
    else:
        assert [case.name for case in cases.chosen([pattern])] == fitting


def test_a_full_disk_is_told_after_the_table(
    run: Run, standing_in: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, _data: bytes) -> Path:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr("app.bench.command.write_atomically", full)
    status, out, err = run("--case", DEVELOPED.name, "--json", "a.json")
    assert status == 1
    assert DEVELOPED.name in out
    assert err.splitlines()[-1] == "physarium: a.json: No space left on device."


def test_ctrl_c_keeps_what_was_measured(
    run: Run, standing_in: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = measure.measure

    def interrupted(case: Case, *more: object) -> measure.Figures:
        if case == TINY[1]:
            raise KeyboardInterrupt
        return right(case, *more)

    monkeypatch.setattr("app.bench.command.measure", interrupted)
    Path("a.json").write_text("kept")
    status, out, _ = run("--json", "a.json")
    assert status == 130
    assert TINY[0].name in out
    assert TINY[1].name not in out
    assert Path("a.json").read_text() == "kept"


def kept(device: str, threads: int | None) -> report.Report:
    """A report as one reads it from a file."""
    rows = [
        {"name": case.name, "ms_per_step": 2.0, "floor_ms": 1.0, "torch_ms": None if at else 40.0}
        for at, case in enumerate(cases.OVER_AGENTS + cases.OVER_CELLS)
    ]
    grown = {"name": "x", "after": [0, 100], "ms_per_step": [2.0, 1.0]}
    return {"device": device, "threads": threads, "cases": rows, "growth": [grown]}


def picture(name: str) -> np.ndarray:
    with Image.open(name) as image:
        return np.asarray(image.convert("RGB"))


def test_kept_reports_are_drawn_together() -> None:
    for name, found in {"a": kept("NVIDIA Toy", None), "b": kept("Some CPU", 1)}.items():
        Path(f"{name}.json").write_text(json.dumps(found))
    assert plot.main(["a.json", "b.json", "--out", "both.png"]) == 0
    assert plot.main(["a.json", "--out", "one.png"]) == 0
    both, one = (picture(name) for name in ("both.png", "one.png"))
    colours = [tuple(bytes.fromhex(colour[1:])) for colour in plot.COLOURS[:2]]
    assert [bool((both == colour).all(-1).any()) for colour in colours] == [True, True]
    assert [bool((one == colour).all(-1).any()) for colour in colours] == [True, False]


def test_bench_draws(run: Run, standing_in: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = plot.Panel("tiny", "agents", TINY, lambda case: case.agents)
    monkeypatch.setattr(plot, "PANELS", (panel,))
    assert run("--case", DEVELOPED.name, "--plot", "a.png")[0] == 0
    assert len(np.unique(picture("a.png").reshape(-1, 3), axis=0)) > 10


def test_a_picture_without_figures_is_not_drawn(
    run: Run, standing_in: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = plot.Panel("tiny", "agents", TINY, lambda case: case.agents)
    monkeypatch.setattr(plot, "PANELS", (panel,))
    monkeypatch.setattr("app.backend.free_memory", lambda _backend: 1000)
    status, _, err = run("--case", DEVELOPED.name, "--plot", "a.png")
    assert status == 1
    assert err.splitlines()[-1] == "physarium: a.png was not drawn: no case it would show was measured."
    assert not Path("a.png").exists()


def test_help_teaches_at_once() -> None:
    said = "import sys; from app.cli import main; main(['bench', '--help']); print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    for word in ("--quick", "--json", "--plot", "--trace", "--ablate", "--case", "floor ms", "examples:"):
        assert word in ran.stdout
    assert not {"numpy", "numba", "torch", "matplotlib", "tqdm"} & set(ran.stdout.splitlines()[-1].split())


def test_scattered_and_clustered_agents_differ_only_in_place() -> None:
    world = World(320, 200, 4000)
    before, after = reference.unpack(scatter(world)), reference.unpack(cases.cluster(world))
    assert np.array_equal(before[2], after[2])
    assert np.array_equal(before[0] & 0xFF, after[0] & 0xFF)
