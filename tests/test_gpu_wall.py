"""A wall of variations on a GPU: the same bits, the same pictures. `pytest -m gpu`.

`python tests/test_gpu_wall.py` says what 25 worlds cost beside a large one.
"""

import dataclasses
import time
from collections.abc import Callable
from pathlib import Path

import moderngl
import numpy as np
import pytest
from pairs import gpu_modules

from app.backend import Choice
from app.studio import Studio
from app.sweep import Axis
from app.thumbs import Thumbs
from app.wall import Wall
from kernels.params import Params
from kernels.simulation import Simulation
from kernels.world import World
from presets import Preset

pytestmark = pytest.mark.gpu
gpu_modules("gpu")
SHARING, COPYING = (Choice("cuda", sharing, "", "") for sharing in (True, False))
LOOK = Preset("look", "Look", params=Params(sensor_distance=6.0))
WORLD = World(640, 360, 90_000, "wall")
SMALL, LARGE = World(512, 512, 200_000), World(2560, 2560, 5_000_000)
WORLDS = 25
DEVELOPED = 1000  # steps


@pytest.mark.parametrize("choice", [SHARING, COPYING], ids=["sharing", "copying"])
@pytest.mark.parametrize("shares", [(1.0,), (1.0, 2.0)], ids=["one", "two"])
def test_worlds_of_a_wall_do_the_same_as_alone(gl: moderngl.Context, tmp_path: Path, choice, shares) -> None:
    world = dataclasses.replace(WORLD, shares=shares)
    studio = Studio(LOOK, world, choice, tmp_path)
    studio.view.target = 300, 180
    thumbs, screen = Thumbs(gl, choice), gl.simple_framebuffer((8, 8))
    studio.toggle_wall()
    for frame in range(40):
        screen.use()
        thumbs.follow(studio)
        if frame == 20:
            studio.wall.choose(2)
            studio.wall.adjust(0.3, "both")
    living = studio.wall.worlds.living
    assert len(living) == 9
    for place, session in living.items():
        stage = thumbs.stages[session]
        texels = np.frombuffer(stage.display.texture.read(), np.float32)
        texels = texels.reshape(session.world.height, session.world.width, -1)
        trail = session.simulation.trail
        np.testing.assert_array_equal(np.moveaxis(texels, 2, 0)[: len(trail)], trail)
        if place in studio.wall.homes or session.log:
            continue  # these have had other parameters on the way
        alone = Simulation(session.world, session.params, "reference")
        alone.step(session.steps)
        assert session.simulation.digest() == alone.digest()
    studio.close_survey()
    thumbs.follow(studio)
    screen.release()


def test_a_map_on_a_gpu_is_that_of_the_reference(gl: moderngl.Context, tmp_path: Path) -> None:
    studio = Studio(LOOK, World(128, 96, 3000), COPYING, tmp_path)
    studio.view.target = 300, 180
    studio.toggle_sweep()
    studio.survey(Axis("sensor_angle", 20.0, 60.0, 3), Axis("decay", 0.05, 0.2, 3), 60)
    thumbs, screen = Thumbs(gl, COPYING), gl.simple_framebuffer((8, 8))
    for _ in range(1000):
        screen.use()
        thumbs.follow(studio)
        if studio.sweep.done == 1:
            break
    assert sorted(thumbs.textures) == list(range(9))
    for cell in range(9):
        alone = Simulation(studio.sweep.worlds.world, studio.sweep.results[cell].look, "reference")
        alone.step(60)
        np.testing.assert_array_equal(studio.sweep.results[cell].trail, alone.trail)
    studio.close_survey()
    thumbs.follow(studio)
    screen.release()


def costs() -> tuple[float, float]:
    """Seconds that a step of all worlds of the largest wall takes, and one of as many cells in one world."""
    wall = Wall(LOOK, LARGE, COPYING, (5 * SMALL.width, 5 * SMALL.height))
    wall.resize(5)
    while wall.worlds.wanted:
        wall.worlds.prepare()
    small = [session.simulation for session in wall.worlds.living.values()]
    assert {(each.world.width, each.world.height, each.world.agents) for each in small} == {
        (512, 512, 200_000)
    }
    large = Simulation(LARGE, LOOK.params, "cuda")

    def step_all() -> None:
        for each in small:
            each.step()

    for each in (*small, large):
        each.step(DEVELOPED)
    return _seconds(step_all, large), _seconds(large.step, large)


def _seconds(step: Callable[[], None], any_of_them: Simulation, steps: int = 200) -> float:
    """The best of five times, per step."""
    found = []
    for _ in range(5):
        any_of_them.wait()
        began = time.perf_counter()
        for _ in range(steps):
            step()
        any_of_them.wait()
        found.append((time.perf_counter() - began) / steps)
    return min(found)


if __name__ == "__main__":
    wall, one = costs()
    print(f"{WORLDS} worlds of 512 x 512 with 200,000 agents: {wall * 1e3:.3f} ms a step of all")
    print(f"1 world of 2560 x 2560 with 5,000,000 agents: {one * 1e3:.3f} ms a step; ratio {wall / one:.2f}")
