"""README's tables come from the declarations, and from the benchmark's kept figures.

`python tests/test_readme.py` writes them anew.
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.bench.cases import GROWING, short
from app.keys import KEYS, MOUSE
from kernels.params import SPECS
from kernels.spec import Spec

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
KEPT = {"H200": "bench-h200.json", "2 cores": "bench-cpu2.json"}


def row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join((row(*heads), row(*("---" for _ in heads)), *(row(*cells) for cells in rows)))


def parameter(spec: Spec) -> tuple[str, ...]:
    default = f"{spec.default:g}" if isinstance(spec.default, float) else str(spec.default)
    return f"`{spec.name}`", spec.group, default, spec.allowed, spec.help


def parameters() -> str:
    """A line for each trait and each parameter that all species share, and what the others are called."""
    shared = ", ".join(f"`{spec.name}`" for spec in SPECS.values() if not spec.species)
    heads = "parameter", "group", "default", "takes", "what it does"
    once = table(heads, (parameter(spec) for spec in SPECS.values() if spec.species <= 1))
    return (
        f"{once}\n\nEach species has its own: `_2`, `_3` or `_4` behind a name means that of the second, "
        f"third or fourth one (`decay_2`).\nOnly these are shared by all: {shared}."
    )


def figure(number: float | None) -> str:
    """Three digits."""
    return "" if number is None else f"{float(f'{number:.3g}'):,.10g}"


def kept() -> dict[str, dict[str, Any]]:
    """What the benchmark found, by machine."""
    folder = ROOT / "app" / "bench"
    return {machine: json.loads((folder / name).read_text("utf-8")) for machine, name in KEPT.items()}


def cases() -> Iterator[tuple[str, ...]]:
    reports = kept()
    found = {machine: {case["name"]: case for case in reports[machine]["cases"]} for machine in reports}
    for name, case in found["H200"].items():
        field = f"{case['width']} x {case['height']}"
        cells = [short(case["agents"]), field, case["state"]]
        for machine in reports:
            there = found[machine].get(name, {})
            for key in "ms_per_step", "ratio_to_floor", "speedup":
                cells.append(figure(there.get(key)))
        yield tuple(cells)


def ideas() -> Iterator[tuple[str, ...]]:
    ablated = kept()["H200"]["ablation"]
    for variants in zip(*(case["variants"] for case in ablated), strict=True):
        times = (f"{figure(v['ms_per_step'])} ({v['times_slower']:.2f} x)" for v in variants)
        yield variants[0]["variant"], *times


def features() -> Iterator[tuple[str, ...]]:
    compared = kept()["H200"]["features"]
    for rows in zip(*(case["features"] for case in compared), strict=True):
        times = (f"{figure(row['ms_per_step'])} ({row['times_plain']:.2f} x)" for row in rows)
        yield rows[0]["feature"], *times


def tables() -> Iterator[tuple[str, str]]:
    each = ("ms a step", "x floor", "x faster than PyTorch")
    heads = ("agents", "field", "state", *(f"{machine}: {what}" for machine in KEPT for what in each))
    yield "bench", table(heads, cases())
    names = [case["name"] for case in kept()["H200"]["ablation"]]
    yield "ideas", table(("H200, ms a step", *names), ideas())
    if compared := kept()["H200"].get("features"):
        names = [case["name"] for case in compared]
        yield "features", table(("H200, ms a step", *names), features())
    grown = {machine: report["growth"][0] for machine, report in kept().items() if report["growth"]}
    marks = tuple(f"after {mark:,}" for mark in next(iter(grown.values()))["after"])
    rows = ((machine, *map(figure, growth["ms_per_step"])) for machine, growth in grown.items())
    yield "growth", table((f"{short(GROWING.agents)} on {GROWING.width} x {GROWING.height}", *marks), rows)
    yield "parameters", parameters()
    yield "keys", table(("key or mouse", "does"), ((key.label, key.help) for key in KEYS + MOUSE))


def fill(text: str) -> str:
    """The text with each table between `<!-- NAME -->` and `<!-- /NAME -->` as it should be."""
    for name, content in tables():
        between = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        text, found = between.subn(lambda part, content=content: f"{part[1]}{content}\n{part[2]}", text)
        assert found == 1, f"README.md needs one place for its table of {name}"
    return text


def test_the_tables_are_those_of_the_declarations() -> None:
    text = README.read_text("utf-8")
    assert fill(text) == text, "README.md is stale: run make generate"


@pytest.mark.parametrize("stale", [next(iter(SPECS.values())).help, KEYS[0].help])
def test_a_stale_table_is_noticed(stale: str) -> None:
    changed = README.read_text("utf-8").replace(stale, "something else")
    assert fill(changed) != changed


def test_pictures_and_files_it_names_are_there() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README.read_text("utf-8"))
    assert {link for link in links if not (README.parent / link).exists()} == set()


if __name__ == "__main__":
    README.write_text(fill(README.read_text("utf-8")), "utf-8")
