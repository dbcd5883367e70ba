from collections.abc import Iterator
from pathlib import Path

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

GOLDENS = Path(__file__).parent / "goldens"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regenerate-goldens", action="store_true", help="write the golden pictures anew")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Windows first: once a process has had an EGL context, Mesa gives GLX windows no framebuffer."""
    items.sort(key=lambda item: item.path.name != "test_window.py")


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
