"""The figures as a picture; `python -m app.bench.plot FILE.json ... --out FILE.png` draws kept ones."""

import argparse
import io
import itertools
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from app.bench.cases import OVER_AGENTS, OVER_CELLS, Case, short
from app.bench.report import Report, threads
from app.files import write_atomically
from presets.disk import opened, sentence

# A card of its own, so that it reads alike on a light and on a dark page.
CARD, INK, FAINT = "#faf8f4", "#2b2a28", "#d9d4ca"
COLOURS = "#c2410c", "#0e7490", "#6d28d9", "#4d7c0f"  # of devices, in turn

# What is drawn of a case: its key, its name in the legend, and its line.
LINES: dict[str, tuple[str, dict[str, Any]]] = {
    "torch_ms": ("plain PyTorch", {"linestyle": "--", "linewidth": 1.2, "marker": "s", "markersize": 3}),
    "ms_per_step": ("Physarium", {"linestyle": "-", "linewidth": 2.2, "marker": "o", "markersize": 4.5}),
    "floor_ms": ("floor", {"linestyle": ":", "linewidth": 1.6, "marker": ".", "markersize": 3}),
}
FRAME = 1000 / 60  # ms
PARTS = {"device", "threads", "cases", "growth"}  # of a report, as far as it is drawn


class Panel(NamedTuple):
    """One of the plots: what it is called, its axis, its cases, and where on the axis each of them lies."""

    title: str
    axis: str
    series: Sequence[Case]
    place: Callable[[Case], int]


PANELS = (
    Panel("More agents, 2048 x 2048 cells", "agents", OVER_AGENTS, lambda case: case.agents),
    Panel("More cells, 0.95 agents each", "cells", OVER_CELLS, lambda case: case.width * case.height),
)


def drawable(names: Iterable[str]) -> bool:
    """Whether any case of these names has a place in the picture."""
    return not {case.name for panel in PANELS for case in panel.series}.isdisjoint(names)


def draw(reports: Sequence[Report]) -> bytes:
    """A PNG of milliseconds a step over agents, over cells and over steps, as far as there are figures.

    Args:
        reports: What `report.new` began, each of another device; at least one case has a place.
    """
    measured = {case["name"] for report in reports for case in report["cases"]}
    panels = [p for p in PANELS if measured & {case.name for case in p.series}]
    grown = any(report["growth"] for report in reports)
    widths = [1.0] * len(panels) + [0.7] * grown
    figure = Figure(figsize=(1 + 3.9 * sum(widths), 4.6), dpi=150, facecolor=CARD, layout="constrained")
    axes = figure.subplots(1, len(widths), sharey=True, width_ratios=widths, squeeze=False)[0]
    for panel, ax in zip(panels, axes, strict=False):
        _compare(ax, panel, reports)
    if grown:
        _grow(axes[-1], reports)
    for ax in axes:
        _dress(ax)
    axes[0].set_ylabel("ms a step")
    columns = min(3, len(widths) + 1)
    figure.legend(
        handles=_legend(reports), loc="outside lower center", ncols=columns, frameon=False, labelcolor=INK
    )
    out = io.BytesIO()
    figure.savefig(out, format="png")
    return out.getvalue()


def _compare(ax: Axes, panel: Panel, reports: Sequence[Report]) -> None:
    places = {case.name: panel.place(case) for case in panel.series}
    for report, colour in _coloured(reports):
        cases = [case for case in report["cases"] if case["name"] in places]
        for key, (_, line) in LINES.items():
            points = sorted((places[case["name"]], case[key]) for case in cases if case[key])
            if points:
                ax.plot(*zip(*points, strict=True), color=colour, **line)
    ax.set_xscale("log")
    ax.set_title(panel.title)
    ax.set_xlabel(panel.axis)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: short(round(value))))


def _grow(ax: Axes, reports: Sequence[Report]) -> None:
    for report, colour in _coloured(reports):
        for grown in report["growth"]:
            marks = [f"{mark:,}" for mark in grown["after"]]
            ax.plot(marks, grown["ms_per_step"], color=colour, **LINES["ms_per_step"][1])
    ax.set_title("As it grows, 1 M agents, 1024 x 1024")
    ax.set_xlabel("steps from the start")


def _coloured(reports: Sequence[Report]) -> Iterator[tuple[Report, str]]:
    return zip(reports, itertools.cycle(COLOURS), strict=False)


def _dress(ax: Axes) -> None:
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    ax.axhline(FRAME, color=INK, linewidth=0.6, alpha=0.5)
    ax.set_facecolor(CARD)
    ax.grid(color=FAINT, linewidth=0.7)
    ax.set_axisbelow(True)
    ax.minorticks_off()
    ax.tick_params(colors=INK, length=0)
    ax.spines[:].set_visible(False)
    for text in (ax.title, ax.xaxis.label, ax.yaxis.label):
        text.set_color(INK)
    ax.title.set_fontsize(10.5)


def _legend(reports: Sequence[Report]) -> list[Line2D]:
    devices = [
        Line2D([], [], color=colour, linewidth=5, label=_device(report))
        for report, colour in _coloured(reports)
    ]
    kinds = [Line2D([], [], color=INK, **line, label=name) for name, line in LINES.values()]
    return [*devices, *kinds, Line2D([], [], color=INK, linewidth=0.6, alpha=0.5, label="60 steps a second")]


def _device(report: Report) -> str:
    return str(report["device"]) + threads(report)


def main(argv: Sequence[str] | None = None) -> int:
    """Draws kept reports in one picture."""
    parser = argparse.ArgumentParser(prog="python -m app.bench.plot", description=main.__doc__)
    parser.add_argument("reports", nargs="+", type=Path, metavar="FILE.json", help="what bench --json wrote")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.png", help="the picture to write")
    asked = parser.parse_args(argv)
    try:
        reports = [_read(path) for path in asked.reports]
    except ValueError as problem:
        print(problem, file=sys.stderr)
        return 2
    write_atomically(asked.out, draw(reports))
    return 0


def _read(path: Path) -> Report:
    """What `bench --json` wrote.

    Raises:
        ValueError: It cannot be read, is something else, or has nothing to draw; the message is one sentence.
    """
    try:
        with opened(path) as file:
            report = json.load(file)
    except OSError as error:
        raise ValueError(sentence(path, error, "read")) from error
    except ValueError as error:
        raise ValueError(f"{path} cannot be read: it is not JSON ({error}).") from error
    if not isinstance(report, dict) or not report.keys() >= PARTS:
        raise ValueError(f"{path} is no report; it takes what physarium bench --json wrote.")
    if not (report["growth"] or drawable(case["name"] for case in report["cases"])):
        raise ValueError(f"{path} has none of the cases that are drawn.")
    return report


if __name__ == "__main__":
    sys.exit(main())
