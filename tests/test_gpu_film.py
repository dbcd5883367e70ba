"""Films on a GPU: `pytest -m gpu tests/test_gpu_film.py`."""

from pathlib import Path

import numpy as np
import pytest
from commands import Run, digest_of, empty_home, runner
from film_commands import frames

from app.backend import BackendError, nvidia_gpus

pytestmark = pytest.mark.gpu
try:
    nvidia_gpus()
except BackendError as missing:
    pytest.skip(str(missing), allow_module_level=True)
pytest.importorskip("cuda.bindings.runtime")
pytest.importorskip("av")

TIMELINE = """
[[key]]
time = 0.5
preset = "cells"
bloom = 1.0
colour_by = "age"
auto_exposure = 1.0
zoom = 2
angle = 40
"""
FILM = "render", "veins", "--size", "320x200", "--agents", "20k", "--seconds", "0.5", "--steps", "50"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    (empty_home(tmp_path, monkeypatch) / "t.toml").write_text(TIMELINE, "utf-8")
    return runner(capsys)


def test_a_film_is_the_same_on_the_gpu_again_and_through_main_memory(run: Run) -> None:
    """Its field to the bit, as on the CPU; its pictures within 1 of 255."""
    asked = *FILM, "--timeline", "t.toml", "--loop", "0.1"
    ways = {"cpu": "cpu", "shared": "cuda", "again": "cuda", "copied": "cuda"}
    digests = {
        way: digest_of(
            run(*asked, "--backend", backend, "--out", f"{way}/%02d.png",
                *(("--no-interop",) if way == "copied" else ()))
        )
        for way, backend in ways.items()
    }  # fmt: skip
    assert len(set(digests.values())) == 1
    first = frames("shared")
    assert len(first) == 30
    for way in ("cpu", "again", "copied"):
        worst = max(np.abs(a - b).max() for a, b in zip(first, frames(way), strict=True))
        assert worst <= 1, way


def test_a_film_in_a_file_is_the_same_run(run: Run) -> None:
    asked = *FILM, "--timeline", "t.toml", "--backend", "cuda"
    assert digest_of(run(*asked, "--out", "a.mp4")) == digest_of(run(*asked, "--out", "b/%d.png"))
