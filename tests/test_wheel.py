import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = "app", "kernels", "presets", "shaders", "pyproject.toml", "README.md", "LICENSE"


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    ran = subprocess.run(
        command, cwd=cwd, env=kept | environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy of the sources: setuptools leaves a build folder behind."""
    tree, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("wheel")
    run("cp", "-r", *(ROOT / name for name in SOURCES), tree, cwd=ROOT)
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, cwd=tree)
    (made,) = out.glob("physarium-*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with nothing but the wheel in it."""
    site = tmp_path_factory.mktemp("site")
    install = "pip", "install", "--quiet", "--no-deps", "--no-compile", "--target", site
    run(sys.executable, "-m", *install, wheel, cwd=site)
    return site


def physarium(site: Path, cwd: Path, *words: str) -> str:
    """Runs the installed command from elsewhere; PYTHONPATH stands before this checkout's own install."""
    return run(sys.executable, "-P", site / "bin" / "physarium", *words, cwd=cwd, PYTHONPATH=str(site))


def test_the_wheel_holds_what_it_needs_and_no_tests(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    data = "presets/looks", "presets/thumbnails"
    for package in ("app", "app/bench", "kernels", "presets", *data, "shaders"):
        files = {f"{package}/{path.name}" for path in (ROOT / package).iterdir() if path.is_file()}
        assert files <= names
    tops = {name.split("/")[0] for name in names if ".dist-info" not in name}
    assert tops == {"app", "kernels", "presets", "shaders"}
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_installed_wheel_runs_from_elsewhere(installed: Path, tmp_path: Path) -> None:
    where = run(
        sys.executable, "-P", "-c", "import app; print(app.__file__)", cwd=tmp_path, PYTHONPATH=str(installed)
    )
    assert Path(where.strip()).is_relative_to(installed)
    assert len(physarium(installed, tmp_path, "presets").splitlines()) >= 8
    out = physarium(
        installed, tmp_path, "render", "--size", "64x48", "--steps", "3", "--backend", "cpu", "--out", "a.png"
    )
    assert "digest sha256:" in out
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
