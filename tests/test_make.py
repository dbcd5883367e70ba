"""The scripts behind `make run` and `make test`, with machines that are not this one."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parent.parent / ".make"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="make is for Linux and macOS")


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder with the only commands there are: bash, and what a test puts there."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("bash", "rm"):
        (folder / tool).symlink_to(str(shutil.which(tool)))
    return folder


def put(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!{folder}/bash\n{script}\n")
    (folder / name).chmod(0o755)


def call(machine: Path, script: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [machine / "bash", SCRIPTS / script, *words],
        cwd=machine.parent,
        env={"PATH": str(machine)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_packages_are_installed_by_root_after_an_update_if_need_be(machine: Path) -> None:
    put(machine, "id", "echo 0")
    put(
        machine, "apt-get", 'echo "$@" >>asked; if [ "$1" = update ]; then :>updated; else [ -e updated ]; fi'
    )
    done = call(machine, "packages", "libegl1", "xvfb")
    assert done.returncode == 0
    assert done.stdout == "Installing with apt-get: libegl1 xvfb\n"
    install = "install -qq -y --no-install-recommends libegl1 xvfb"
    assert (machine.parent / "asked").read_text().splitlines() == [install, "update -qq", install]


@pytest.mark.parametrize("user", ["root without apt-get", "a person"])
def test_packages_that_may_not_be_installed_are_one_command(machine: Path, user: str) -> None:
    put(machine, "id", "echo 0" if user.startswith("root") else "echo 1000")
    if user == "a person":
        put(machine, "apt-get", ":>asked")
    done = call(machine, "packages", "libegl1", "xvfb")
    assert done.returncode == 1
    assert "sudo apt-get install libegl1 xvfb\n" in done.stderr
    assert not (machine.parent / "asked").exists()


def test_an_unfit_python_is_told(machine: Path) -> None:
    put(machine, "python3", 'if [ "$1" = -V ]; then echo Python 3.9.2; else exit 1; fi')
    done = call(machine, "venv")
    assert done.returncode == 1
    assert "3.11 to 3.14" in done.stderr
    assert "Python 3.9.2" in done.stderr


def test_a_fit_python_is_found_behind_an_unfit_one(machine: Path) -> None:
    put(machine, "python3", "exit 1")
    put(machine, "python3.12", 'echo "python3.12 $@" >>asked')
    assert call(machine, "venv").returncode == 0
    assert "python3.12 -m venv .venv" in (machine.parent / "asked").read_text()


def test_a_python_without_ensurepip_borrows_its_own_pip(machine: Path) -> None:
    put(machine, "python3", 'echo "$@" >>asked; [ "$*" != "-m venv .venv" ]')
    assert call(machine, "venv").returncode == 0
    *_, venv, pip = (machine.parent / "asked").read_text().splitlines()
    assert venv == "-m venv --without-pip .venv"
    assert pip == "-m pip --python .venv/bin/python install --quiet pip"


@pytest.mark.parametrize(
    ("answer", "bindings"),
    [("exit 1", None), ("echo 13000", ""), ("echo 13010", ""), ("echo 12080", " cuda-bindings<13")],
    ids=["no GPU", "CUDA 13.0", "CUDA 13.1", "CUDA 12.8"],
)
def test_cuda_is_installed_where_a_gpu_answers(machine: Path, answer: str, bindings: str | None) -> None:
    """With bindings that the driver takes."""
    folder = machine.parent / ".venv" / "bin"
    folder.mkdir(parents=True)
    (folder / "bash").symlink_to(machine / "bash")
    put(folder, "python", f'if [ "$1" = -c ]; then {answer}; else echo "$@" >>asked; fi')
    assert call(machine, "install", "test").returncode == 0
    pip = "-m pip install --quiet --no-compile --editable"
    expected = [f"{pip} .[test]"] + ([] if bindings is None else [f"{pip} .[cuda]{bindings}"])
    assert (machine.parent / "asked").read_text().splitlines() == expected


def test_an_installation_that_fails_is_a_failure(machine: Path) -> None:
    folder = machine.parent / ".venv" / "bin"
    folder.mkdir(parents=True)
    (folder / "bash").symlink_to(machine / "bash")
    put(folder, "python", "exit 1")
    assert call(machine, "install").returncode == 1
