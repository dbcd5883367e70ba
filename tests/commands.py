"""Running commands in tests: in this process or in one of their own."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli import main

TINY = "--size", "160x120", "--steps", "40", "--backend", "cpu"
CHOSEN = "The CPU steps the world, as asked.\n"
Run = Callable[..., tuple[int, str, str]]


def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nobody's own presets, and an empty folder to work in."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


def runner(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs one command in this process; gives its status, stdout and stderr."""

    def command(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        status = main(words)
        return status, *capsys.readouterr()

    return command


def physarium(*words: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "app.cli", *words]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout, ran.stderr


def digest_of(answer: tuple[int, str, str]) -> str:
    status, out, err = answer
    assert status == 0, err
    (line,) = (line for line in out.splitlines() if line.startswith("digest "))
    assert len(line) == len("digest sha256:") + 64
    return line


def refused(answer: tuple[int, str, str], *said: str) -> None:
    """Status 2, nothing on stdout, and one plain sentence that names all it should."""
    status, out, err = answer
    err = err.removeprefix(CHOSEN)  # said before OpenGL is asked
    assert (status, out) == (2, "")
    assert err.startswith("physarium: ")
    assert err.endswith((".\n", "?\n"))
    assert err.count("\n") == 1
    assert [word for word in said if word not in err] == []
