import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image
from small_bench import DEVELOPED, TINY, Run
from small_bench import run as run  # fixtures
from small_bench import standing_in as standing_in
from small_bench import tiny as tiny

from app.bench import cases, plot, report


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


def test_more_reports_than_colours_share_them() -> None:
    many = [kept(f"Device {number}", None) for number in range(len(plot.COLOURS) + 1)]
    colours = [line.get_color() for line in plot._legend(many)[: len(many)]]
    assert colours == [*plot.COLOURS, plot.COLOURS[0]]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "a.json cannot be read: there is no such file or folder."),
        (b"{", "a.json cannot be read: it is not JSON (Expecting property name"),
        (b"\xff\xfe\x00", "a.json cannot be read: it is not JSON ("),
        (b"[]", "a.json is no report; it takes what physarium bench --json wrote."),
        (b'{"device": "x", "threads": 1, "cases": [], "growth": []}', "a.json has none of the cases"),
    ],
)
def test_what_is_no_report_is_one_sentence(
    content: bytes | None, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("good.json").write_text(json.dumps(kept("NVIDIA Toy", None)))
    if content is not None:
        Path("a.json").write_bytes(content)
    assert plot.main(["good.json", "a.json", "--out", "a.png"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(said)
    assert not Path("a.png").exists()


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
