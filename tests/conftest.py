import sys
from collections.abc import Iterator
from pathlib import Path

import moderngl
import numpy as np
import platformdirs
import pytest
from beside import begun, end
from numpy.typing import NDArray
from PIL import Image

GOLDENS = Path(__file__).parent / "goldens"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regenerate-goldens", action="store_true", help="write the golden pictures anew")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Windows first: once a process has had an EGL context, Mesa gives GLX windows no framebuffer.

    And what waits for processes that run beside it last.
    """
    items.sort(key=lambda item: not item.path.name.startswith("test_window"))
    items.sort(key=lambda item: hasattr(item.module, "BESIDE"))


@pytest.fixture(scope="session", autouse=True)
def beside(request: pytest.FixtureRequest) -> Iterator[None]:
    """Begins what `beside.py` is about; a worker of pytest-xdist leaves it to whoever gets those tests."""
    if not hasattr(request.config, "workerinput"):
        for module in dict.fromkeys(item.module for item in request.session.items):
            for command in getattr(module, "BESIDE", ()):
                begun(*command)
    yield
    end()


@pytest.fixture(autouse=True)
def nobodys_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is remembered goes to folders of the test's own, in this process and those it starts."""
    home = tmp_path_factory.mktemp("home")
    for name in "config", "state":
        monkeypatch.setenv(f"XDG_{name.upper()}_HOME", str(home / name))
        if sys.platform != "linux":  # where platformdirs asks the system instead
            monkeypatch.setattr(platformdirs, f"user_{name}_path", lambda *_, at=home / name, **__: at)


@pytest.fixture
def gl() -> Iterator[moderngl.Context]:
    """An OpenGL context; fails the test when an error is pending before or after it."""
    context = moderngl.create_context(standalone=True, require=330, backend="egl")
    assert context.error == "GL_NO_ERROR"
    yield context
    assert context.error == "GL_NO_ERROR"
    context.release()


@pytest.fixture
def golden(request: pytest.FixtureRequest, tmp_path: Path):
    """Compares a picture [H, W, 3] with the one kept under a name, to within 1 of 255."""

    def compare(name: str, picture: NDArray[np.uint8]) -> None:
        path = GOLDENS / f"{name}.png"
        if request.config.getoption("--regenerate-goldens"):
            GOLDENS.mkdir(exist_ok=True)
            Image.fromarray(picture).save(path)
        expected = np.asarray(Image.open(path).convert("RGB")).astype(int)
        assert picture.shape == expected.shape
        difference = np.abs(picture.astype(int) - expected)
        if difference.max() > 1:
            Image.fromarray(picture).save(tmp_path / f"{name}.png")
            Image.fromarray(np.minimum(difference * 16, 255).astype(np.uint8)).save(
                tmp_path / f"{name}-x16.png"
            )
        assert difference.max() <= 1, f"{name} differs by {difference.max()}; see {tmp_path}"

    return compare
