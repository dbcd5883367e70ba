"""The command line: what it refuses and how it says so, and the presets it lists and shows."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import CHOSEN, TINY, Run, digest_of, empty_home, refused, runner

import app.backend
import app.render
import presets
from app.files import user_folder
from app.show import LARGEST_UNSEEN


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return empty_home(tmp_path, monkeypatch)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--size", "12"), ("--size", "'12'", "WIDTHxHEIGHT")),
        (("--size", "8x600"), ("width = 8", "16 to 32768")),
        (("--size", "40000x40000"), ("width = 40000", "16 to 32768")),
        (("--size", "16x32768"), ("16x32768", "at most", "px")),
        (("--agents", "0"), ("agents = 0", "1 to")),
        (("--agents", "1.5"), ("--agents", "'1.5'", "300k")),
        (("--agents", "many"), ("--agents", "'many'", "300k")),
        (("--agents", "9" * 5000), ("--agents", "300k")),
        (("--seed", "x" * 201), ("seed", "200")),
        (("--steps", "-1"), ("--steps",)),
        (("--steps", "2000M"), ("--steps", "2000M", "0 to 1000000000")),
        (("--threads", "0"), ("--threads", "1 to 256")),
        (("--set", "decay"), ("--set", "'decay'", "NAME=VALUE")),
        (("--set", "decya=0.1"), ("decya", "decay")),
        (("--set", "colour=red"), ("colour", "colour_by")),
        (("--set", "decay=much"), ("decay", "'much'", "0.001 to 0.95")),
        (("--set", "decay=nan"), ("decay", "nan", "0.001 to 0.95")),
        (("--set", "decay=inf"), ("decay", "inf", "0.001 to 0.95")),
        (("--set", "decay=2"), ("decay", "2", "0.001 to 0.95")),
        (("--set", "steps_per_frame=1.5"), ("steps_per_frame", "1.5", "whole number")),
        (("--set", "palette=mud"), ("palette", "mud", "embers")),
        (("--start", "rings"), ("--start", "'rings'", "uniform", "ring in", "an image file", "text:HELLO")),
        (("--start", "image"), ("--start", "'image'")),
        (("--start", "text:"), ("text = ''", "1 to 100 characters")),
        (("--start", "text:日"), ("text = '日'", "no such letter")),
        (("--start", "kept.png"), ("kept.png", "no image")),
        (("--species", "5"), ("--species", "5", "1 to 4")),
        (("--species", "0"), ("--species", "0", "1 to 4")),
        (("--map", "nowhere.png"), ("nowhere.png", "no such file")),
        (("--map", "kept.png"), ("kept.png", "no image")),
        (("--blend", "viens"), ("'viens'", "veins")),
        (("--backend", "gpu"), ("--backend", "gpu", "cuda")),
        (("--sise", "64x64"), ("--sise",)),
        (("veins", "cells"), ("cells",)),
        (("--out", "a.jpg"), ("a.jpg", ".png")),
        (("--out", "nowhere/a.png"), ("nowhere/a.png", "nowhere")),
        (("--out", "folder.png"), ("folder.png", "folder")),
    ],
)  # fmt: skip
def test_bad_options_are_refused(run: Run, home: Path, words: tuple[str, ...], said: tuple[str, ...]) -> None:
    (home / "folder.png").mkdir()
    (home / "kept.png").write_bytes(b"kept")
    refused(run("render", "--backend", "cpu", "--out", "kept.png", *words), *said)
    assert (home / "kept.png").read_bytes() == b"kept"
    assert sorted(path.name for path in home.iterdir()) == ["folder.png", "kept.png"]


PRESET = """\
format = 1
title = "Mine"
credit = "Me"
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"decay = 2.0", ("decay", "2.0", "0.001 to 0.95")),
        (b"decay = nan", ("decay", "nan", "0.001 to 0.95")),
        (b"decay = -inf", ("decay", "inf", "0.001 to 0.95")),
        (b'decay = "much"', ("decay", "much", "0.001 to 0.95")),
        (b"decay = [", ("line",)),
        (b"\xff\xfe", ("UTF-8",)),
    ],
)
def test_bad_presets_are_refused_and_kept(run: Run, home: Path, text: bytes, said: tuple[str, ...]) -> None:
    shown = presets.dump(presets.shipped()[0]).encode()
    lines = [line for line in shown.splitlines() if not line.startswith(b"decay")]
    file = home / "mine.toml"
    file.write_bytes(b"\n".join(lines) + b"\n" + text + b"\n")
    before = file.read_bytes()
    refused(run("render", "mine.toml", "--out", "a.png"), "mine.toml", *said)
    refused(run("run", "mine.toml", "--headless", "--frames", "1"), "mine.toml", *said)
    assert file.read_bytes() == before
    assert not (home / "a.png").exists()


def test_missing_and_foreign_files_are_refused(run: Run, home: Path) -> None:
    refused(run("render", "none.toml", "--out", "a.png"), "none.toml")
    refused(run("render", "none.png", "--out", "a.png"), "none.png")
    (home / "notes.png").write_text("not a picture")
    refused(run("render", "notes.png", "--out", "a.png"), "notes.png")
    refused(run("render", str(home) + os.sep, "--out", "a.png"), str(home))


def test_an_unknown_preset_is_answered_with_the_nearest(run: Run) -> None:
    name = presets.shipped_names()[0]
    refused(run("presets", "show", name + "x"), name + "x", name)
    refused(run("render", name + "x", "--out", "a.png"), name + "x", name)


def test_cuda_without_cuda_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app.backend.importlib.util, "find_spec", lambda _name: None)
    refused(run("render", "--backend", "cuda", "--out", "a.png"), "CUDA")


def test_a_world_beyond_the_free_memory_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app.backend, "free_memory", lambda _backend: 2**30)
    asked = "render", "--size", "8000x8000", "--agents", "100M", "--backend", "cpu", "--out", "a.png"
    refused(run(*asked), "8000x8000", "100000000 agents", "GiB", "1.0 GiB are free")


def test_a_window_without_a_display_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    refused(run(), "DISPLAY", "physarium render")
    refused(run("--headless"), "--headless", "--frames")


def test_a_window_beyond_the_opengl_limit_is_refused(run: Run) -> None:
    words = ("--size", "20000x64", "--headless", "--frames", "1", "--backend", "cpu")
    refused(run("run", *words), "20000x64", "at most")


def test_failures_while_running_are_one_sentence(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_args: object, **_options: object) -> str:
        raise OSError(28, "No space left on device", "a.png")

    monkeypatch.setattr(app.render, "render", full)
    assert run("render", *TINY, "--out", "a.png") == (
        1,
        "",
        f"{CHOSEN}physarium: a.png: No space left on device.\n",
    )
    status, _, err = run("render", *TINY, "--out", "a.png", "--debug")
    assert status == 1
    assert "Traceback" in err


def test_ctrl_c_ends_quietly(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_args: object, **_options: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(app.render, "render", interrupted)
    assert run("render", *TINY, "--out", "a.png") == (130, "", CHOSEN)


def test_a_closed_pipe_is_no_error() -> None:
    command = [sys.executable, "-m", "app.cli", "presets"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141


def test_a_shown_preset_is_a_preset_file(run: Run, home: Path) -> None:
    name = presets.shipped_names()[2]
    status, out, _ = run("presets", "show", name)
    assert status == 0
    (home / "mine.toml").write_text(out, "utf-8")
    by_name = digest_of(run("render", name, *TINY, "--out", "a.png"))
    assert digest_of(run("render", "mine.toml", *TINY, "--out", "b.png")) == by_name


def test_presets_are_listed_with_their_titles(run: Run) -> None:
    status, out, _ = run("presets")
    assert status == 0
    assert len(presets.shipped()) >= 8
    assert [p.name for p in presets.shipped() if p.name not in out or p.title not in out] == []


def test_help_teaches(run: Run) -> None:
    status, out, err = run("--help")
    assert (status, err) == (0, "")
    for word in ("examples:", "render", "presets", "doctor", "Space", "Left drag"):
        assert word in out
    assert f"at most {LARGEST_UNSEEN} px" in " ".join(run("run", "--help")[1].split())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_picture_never_takes_the_place_of_a_pipe_or_device(run: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.png")
    (tmp_path / "link.png").symlink_to(tmp_path / "pipe.png")
    (tmp_path / "astray.png").symlink_to(tmp_path / "nowhere" / "a.png")
    refused(run("render", *TINY, "--out", str(tmp_path / "pipe.png")), "pipe.png", "device or a pipe")
    refused(run("render", *TINY, "--out", str(tmp_path / "link.png")), "link.png", "device or a pipe")
    refused(run("render", *TINY, "--out", str(tmp_path / "astray.png")), "astray.png", "no folder")
    assert (tmp_path / "pipe.png").is_fifo()


def test_a_preset_file_is_utf_8_whatever_the_terminal_speaks(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONIOENCODING": "cp1252"}
    command = [sys.executable, "-c", "import sys; from app.cli import main; sys.exit(main())"]
    shown = subprocess.run([*command, "presets", "show", "veins"], env=environment, capture_output=True)
    assert presets.parse(shown.stdout.decode("utf-8"), "veins.toml") == presets.find("veins")


def test_a_preset_of_any_file_name_is_listed_and_shown(run: Run) -> None:
    folder = user_folder()
    folder.mkdir(parents=True)
    (folder / os.fsdecode(b"\xff.toml")).write_text("format = 1", "utf-8")
    status, out, _ = run("presets")
    assert status == 0
    assert "veins" in out
    words = "--size", "96x64", "--headless", "--frames", "2", "--backend", "cpu"
    assert run("run", *words)[0] == 0
