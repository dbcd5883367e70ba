"""Runs from the command line: repeatable, and brought back from their pictures."""

import dataclasses
import functools
import re
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import TINY, Run, digest_of, empty_home, physarium, runner

import app.backend
import app.render
import presets
from app.record import encode_png, read_any
from app.session import Session


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return empty_home(tmp_path, monkeypatch)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


def test_a_slow_start_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    told = threading.Event()

    def printed(*args: str, **options: Any) -> None:
        print(*args, **options)
        told.set()

    def compiling(*args: Any) -> Session:
        assert told.wait(60), "nothing is said while the kernels are compiled"
        return Session(*args)

    monkeypatch.setattr(app.backend, "print", printed, raising=False)
    monkeypatch.setattr(app.render, "told_if_slow", functools.partial(app.backend.told_if_slow, 0.01))
    monkeypatch.setattr(app.render, "Session", compiling)
    answer = run("render", *TINY, "--out", "a.png")
    digest_of(answer)
    assert answer[2].splitlines()[1].startswith("Preparing the kernels: the first start compiles them")


def test_rendering_is_repeatable_on_any_number_of_threads(run: Run, home: Path) -> None:
    name = presets.shipped_names()[1]
    asked = "render", name, *TINY, "--seed", "7"
    first = digest_of(run(*asked, "--out", "a.png"))
    assert digest_of(run(*asked, "--out", "c.png")) == first
    assert digest_of(run("render", "a.png", "--backend", "cpu", "--out", "b.png")) == first
    for threads in ("1", "3"):
        assert digest_of(physarium(*asked, "--threads", threads, "--out", f"{threads}.png")) == first
    assert digest_of(run("render", name, *TINY, "--seed", "8", "--out", "d.png")) != first
    assert {path.name for path in home.iterdir()} == {"a.png", "b.png", "c.png", "d.png", "1.png", "3.png"}


def test_a_picture_lends_its_look_to_another_world(run: Run) -> None:
    name = presets.shipped_names()[0]
    changed = "--set", "decay=0.3"
    digest_of(run("render", name, *TINY, *changed, "--out", "a.png"))
    direct = digest_of(run("render", name, *TINY, *changed, "--seed", "other", "--out", "b.png"))
    assert (
        digest_of(run("render", "a.png", "--seed", "other", "--backend", "cpu", "--out", "c.png")) == direct
    )


def test_another_digest_than_the_recorded_one_is_a_failure(run: Run, home: Path) -> None:
    first = digest_of(run("render", *TINY, "--out", "a.png"))
    record = read_any(home / "a.png", home)
    wrong = dataclasses.replace(record, digest="sha256:" + "0" * 64)
    (home / "b.png").write_bytes(encode_png(np.zeros((120, 160, 3), np.uint8), wrong))
    status, out, err = run("render", "b.png", "--backend", "cpu", "--out", "c.png")
    assert status == 1
    assert first in out
    assert err.splitlines()[-1].startswith("physarium: b.png")


def test_a_run_without_a_window_ends_where_render_ends() -> None:
    preset = presets.shipped()[0]
    steps = str(3 * preset.params.steps_per_frame)
    size = "--size", "160x120", "--backend", "cpu"
    framed = physarium("run", preset.name, *size, "--headless", "--frames", "3")
    start = re.search(r"^first frame (\d+\.\d\d) s after Python had started$", framed[1], re.MULTILINE)
    assert start
    assert float(start[1]) > 0
    assert digest_of(framed) == digest_of(physarium("render", *size, "--steps", steps, "--out", "a.png"))


def test_numbers_take_suffixes(run: Run) -> None:
    plain = digest_of(run("render", *TINY, "--agents", "1500", "--out", "a.png"))
    assert digest_of(run("render", *TINY, "--agents", "1.5k", "--out", "b.png")) == plain
