"""What was measured, as JSON and as a table for people."""

import datetime
import platform
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from app import machine
from app.backend import Choice, workers
from app.bench.cases import Case, short
from app.version import VERSION
from kernels.contract import floor_bytes

Report = dict[str, Any]
Lines = Iterator[str]

MEASURED = "cases", "growth", "features", "ablation"  # the parts of a report that hold figures
LIBRARIES = "numpy", "numba", "torch", "triton", "triton-windows", "cuda-bindings"


def new(choice: Choice) -> Report:
    """A report without figures: when, on what, with which versions of what."""
    return {
        "physarium": VERSION,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "device": choice.device if choice.backend == "cuda" else processor(),
        "backend": choice.backend,
        "threads": workers() if choice.backend == "cpu" else None,
        "versions": _versions(choice.backend),
        "bandwidth_gb_s": None,
        **{part: [] for part in MEASURED},
        "left_out": [],
        "interrupted": False,
    }


def processor() -> str:
    """What the CPU calls itself."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def threads(report: Report) -> str:
    """The number of threads, to follow the device's name; "" on a GPU."""
    number = report["threads"]
    return f", {number} thread{'s' if number > 1 else ''}" if number else ""


def _versions(backend: str) -> dict[str, str]:
    installed = {name: machine.version(name) for name in LIBRARIES}
    versions = {"python": platform.python_version()}
    versions |= {name: version for name, version in installed.items() if version}
    if backend == "cuda":
        _, gpus = next(machine.graphics())  # the first row; the others would try OpenGL
        versions["driver"] = gpus.partition(", driver ")[2] or "unknown"
    return versions


HEADS = (
    "case", "ms a step", "5 % to 95 %", "updates/s", "GB/s", "floor ms", "x floor", "PyTorch ms", "speed-up",
    "checked by",
)  # fmt: skip


def table(report: Report) -> str:
    """All that was measured, in aligned columns."""
    bandwidth = report["bandwidth_gb_s"]
    copies = f", which copies at {bandwidth:.4g} GB/s" if bandwidth else ""
    device = report["device"] + threads(report) + copies
    lines = [f"physarium {report['physarium']} ({report['backend']}) on {device}"]
    lines.append(", ".join(f"{name} {version}" for name, version in report["versions"].items()))
    if report["cases"]:
        lines += ["", *aligned([HEADS, *map(_row, report["cases"])])]
    for grown in report["growth"]:
        heads = "steps from the start", *(f"{mark:,}" for mark in grown["after"])
        lines += ["", *aligned([heads, ("ms a step", *map(_number, grown["ms_per_step"]))])]
    for compared in report["features"]:
        rows = [(row["feature"], row["ms_per_step"], row["times_plain"]) for row in compared["features"]]
        lines += ["", *_compared(compared["name"], "times the plain step", rows)]
    for ablated in report["ablation"]:
        rows = [(row["variant"], row["ms_per_step"], row["times_slower"]) for row in ablated["variants"]]
        lines += ["", *_compared(ablated["name"], "times slower", rows)]
    if report["left_out"]:
        lines += ["", "Left out:"]
        lines += [f"  {case['name']}: {case['reason']}." for case in report["left_out"]]
    if report["interrupted"]:
        lines += ["", "Interrupted: the cases that are missing were not measured."]
    return "\n".join(lines)


def trace(report: Report) -> str:
    """What each pass of a step took, and how near it came to the bandwidth."""
    heads = "case", "pass", "ms a step", "share", "MB at least", "GB/s", "of the bandwidth"
    rows = [row for case in report["cases"] for row in _passes(case, report["bandwidth_gb_s"])]
    return "\n".join(aligned([heads, *rows], left=2))


def _row(case: dict[str, Any]) -> tuple[str, ...]:
    return (
        case["name"],
        _number(case["ms_per_step"]),
        f"{_number(case['ms_p5'])} to {_number(case['ms_p95'])}",
        short(case["updates_per_s"]),
        _number(case["gb_s"]),
        _number(case["floor_ms"]),
        _number(case["ratio_to_floor"]),
        _number(case["torch_ms"]),
        f"{case['speedup']:.1f} x" if case["speedup"] else "-",
        case["checked"],
    )


def _passes(figures: dict[str, Any], bandwidth: float) -> Iterator[tuple[str, ...]]:
    case = Case(figures["agents"], figures["width"], figures["height"], figures["state"])
    total = sum(figures["passes"].values())
    for name, ms in figures["passes"].items():
        least = floor_bytes(case.world)[name]
        speed = least / ms / 1e6 if ms else 0.0
        near = (_number(least / 1e6), _number(speed), f"{speed / bandwidth:.0%}") if least else ("-",) * 3
        yield figures["name"], name, _number(ms), f"{ms / total:.0%}", *near


def _compared(name: str, than: str, rows: Sequence[tuple[str, float | None, float | None]]) -> list[str]:
    """A table of what a case takes in several ways, and how many times as long as in the first."""
    cells = [(way, _number(ms), f"{times:.2f}" if times else "-") for way, ms, times in rows]
    return aligned([(name, "ms a step", than), *cells])


def _number(number: float | None) -> str:
    """Three digits that say something, without an exponent."""
    if number is None:
        return "-"
    return f"{number:.3g}" if number < 1000 else f"{number:,.0f}"


def aligned(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """Lines of columns as wide as they need to be; the first `left` of them lean to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            f"{cell:<{width}}" if at < left else f"{cell:>{width}}"
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
