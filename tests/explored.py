"""A studio without a window, and what a window does in each frame, for the tests of exploring."""

from pathlib import Path

import pytest

from app.backend import Choice
from app.studio import Studio
from kernels.params import Params
from kernels.world import World
from presets import Preset

WORLD = World(64, 48, 600, "explorer")
START = Preset("start", "Start", density=0.2, params=Params(decay=0.2))


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    return Studio(START, WORLD, Choice("reference", False, "", ""), tmp_path)


def frames(studio: Studio, count: int) -> None:
    """What the window does in each frame."""
    for _ in range(count):
        studio.go_on_with_morph()
        studio.session.advance(studio.steps_due(1 / 60))
        studio.settle()


def until_there(studio: Studio) -> int:
    """Frames until a morph has ended."""
    for count in range(2000):
        if not studio.morphing:
            return count
        frames(studio, 1)
    raise AssertionError("it never ends")
