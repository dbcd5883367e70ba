import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from small_bench import DEVELOPED, TINY, Run, spoil
from small_bench import run as run  # fixtures
from small_bench import standing_in as standing_in
from small_bench import tiny as tiny

from app import machine
from app.bench import measure, report, timing
from app.bench.cases import Case

FIELDS = {
    "name", "agents", "width", "height", "state", "ms_per_step", "ms_p5", "ms_p95", "windows",
    "steps_per_window", "updates_per_s", "gb_s", "floor_ms", "ratio_to_floor", "torch_ms", "speedup",
    "checked", "digest", "passes",
}  # fmt: skip


def test_what_bench_writes(run: Run) -> None:
    status, out, err = run("--quick", "--json", "a.json")
    assert status == 0, err
    assert err.startswith("The CPU steps the world, as asked.\n")
    found = json.loads(Path("a.json").read_text("utf-8"))
    assert {"physarium", "date", "device", "backend", "threads", "versions", "bandwidth_gb_s"} < found.keys()
    assert {"python", "numpy", "numba", "torch"} <= found["versions"].keys()
    for name in ("triton", "triton-windows", "cuda-bindings"):
        assert found["versions"].get(name) == machine.version(name)
    assert found["interrupted"] is False
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:]{8}\+00:00", found["date"])
    assert [found[key] for key in ("backend", "left_out", "features", "ablation")] == ["cpu", [], [], []]
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


def test_bench_needs_no_torch(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    status, out, err = run("--case", DEVELOPED.name, "--json", "a.json")
    assert status == 0, err
    (case,) = json.loads(Path("a.json").read_text("utf-8"))["cases"]
    assert (case["torch_ms"], case["speedup"]) == (None, None)
    assert out.count(DEVELOPED.name) == 1


def test_the_number_of_threads_is_told(
    run: Run, standing_in: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setenv("NUMBA_NUM_THREADS", "2")  # and back again after the test
    status, out, err = run("--case", DEVELOPED.name, "--threads", "1", "--json", "a.json")
    assert status == 0, err
    assert json.loads(Path("a.json").read_text("utf-8"))["threads"] == 1
    assert ", 1 thread," in out.splitlines()[0]


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


def test_what_does_not_fit_is_left_out_and_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.backend.free_memory", lambda _backend: 1000)
    status, out, _ = run("--json", "a.json")
    assert status == 0
    found = json.loads(Path("a.json").read_text("utf-8"))
    assert [left["name"] for left in found["left_out"]] == [*(case.name for case in TINY), "growth"]
    assert all("GiB of main memory" in left["reason"] for left in found["left_out"])
    assert f"  {DEVELOPED.name}: size = 64x48 with 700 agents needs" in out


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
        (("--plot", "a.png"), ("--plot has no place", "100k-2048x2048-developed to 30M-2048x2048-developed")),
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
    assert err == (
        f"physarium: --plot needs matplotlib; {sys.executable} -m pip install matplotlib brings it.\n"
    )


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


def fail(monkeypatch: pytest.MonkeyPatch, case: Case, problem: BaseException) -> None:
    """From now on this case is not measured, because of this problem."""
    right = measure.measure

    def failing(asked: Case, *more: Any) -> measure.Figures:
        if asked == case:
            raise problem
        return right(asked, *more)

    monkeypatch.setattr("app.bench.command.measure", failing)


@pytest.mark.parametrize(
    ("problem", "status", "reason"),
    [
        (MemoryError(), 0, "there is not enough memory"),
        (MemoryError("Unable to allocate 8 GiB."), 0, "Unable to allocate 8 GiB"),
        (RuntimeError("cudaMalloc: cudaErrorUnknown.\nMore."), 1, "cudaMalloc: cudaErrorUnknown"),
        (RuntimeError(), 1, "RuntimeError"),
    ],
)
def test_a_case_that_fails_takes_no_others_with_it(
    run: Run,
    standing_in: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    problem: Exception,
    status: int,
    reason: str,
) -> None:
    fail(monkeypatch, TINY[1], problem)
    ended, out, err = run("--case", "700-*", "--json", "a.json")
    assert ended == status
    found = json.loads(Path("a.json").read_text("utf-8"))
    assert [case["name"] for case in found["cases"]] == [TINY[0].name, TINY[2].name]
    ((name, said),) = (left.values() for left in found["left_out"])
    assert name == TINY[1].name
    assert said == reason
    assert f"  {name}: {said}.\n" in out
    assert (f"physarium: {name} failed: {said}." in err.splitlines()) == bool(status)


def test_ctrl_c_keeps_what_was_measured(
    run: Run, standing_in: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail(monkeypatch, TINY[1], KeyboardInterrupt())
    Path("a.json").write_text("of last time")
    status, out, _ = run("--json", "a.json")
    assert status == 130
    assert TINY[0].name in out
    assert TINY[1].name not in out
    found = json.loads(Path("a.json").read_text("utf-8"))
    assert found["interrupted"] is True
    assert [case["name"] for case in found["cases"]] == [TINY[0].name]


def test_ctrl_c_before_anything_was_measured_writes_nothing(
    run: Run, standing_in: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail(monkeypatch, TINY[0], KeyboardInterrupt())
    Path("a.json").write_text("of last time")
    status, out, _ = run("--json", "a.json")
    assert (status, out) == (130, "")
    assert Path("a.json").read_text() == "of last time"


def test_a_second_ctrl_c_breaks_no_file(
    run: Run, standing_in: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail(monkeypatch, TINY[1], KeyboardInterrupt())

    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupted)
    Path("a.json").write_text("of last time")
    assert run("--json", "a.json")[0] == 130
    assert Path("a.json").read_text() == "of last time"
    assert [path.name for path in Path().iterdir()] == ["a.json"]


def test_help_teaches_at_once() -> None:
    said = "import sys; from app.cli import main; main(['bench', '--help']); print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    for word in (
        "--quick",
        "--json",
        "--plot",
        "--trace",
        "--features",
        "--ablate",
        "--case",
        "floor ms",
        "examples:",
    ):
        assert word in ran.stdout
    assert not {"numpy", "numba", "torch", "matplotlib", "tqdm"} & set(ran.stdout.splitlines()[-1].split())
