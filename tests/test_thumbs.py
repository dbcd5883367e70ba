"""Small worlds as textures."""

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import moderngl
import numpy as np
import pytest

from app.agent_field import AgentField
from app.backend import Choice
from app.display import Display
from app.studio import Studio
from app.sweep import PREVIEW, Axis
from app.thumbs import Thumbs
from app.view import View
from kernels.params import Params
from kernels.scene import Food, Map
from kernels.simulation import Simulation
from kernels.world import World
from presets import Preset

WORLD = World(96, 64, 1500, "thumbs")
CHOICE = Choice("reference", False, "NumPy", "for a test")
LOOKS = {
    "plain": Preset("a", "A", params=Params(sensor_distance=6.0)),
    "glowing and aged": Preset("b", "B", params=Params(bloom=1.0, colour_by="age", ridge=0.5)),
    "species": Preset("c", "C", shares=(1.0, 2.0)),
    "agents": Preset("d", "D", params=Params(sparkle=2.0)),
    "mapped": Preset("e", "E", map=Map((Food(0.5, 0.5, 20.0),)), params=Params(boundary="dish")),
}


@pytest.fixture
def thumbs(gl: moderngl.Context) -> Iterator[Thumbs]:
    thumbs = Thumbs(gl, CHOICE)
    thumbs.screen = gl.simple_framebuffer((8, 8))  # where the window would be
    yield thumbs
    thumbs.release()
    thumbs.screen.release()


def studio_of(look: Preset, folder: Path) -> Studio:
    world = dataclasses.replace(WORLD, shares=look.shares, map=look.map)
    studio = Studio(look, world, CHOICE, folder)
    studio.view.target = 150, 90
    return studio


def pixels(texture: moderngl.Texture) -> np.ndarray:
    """A picture [H, W, 3], top row first."""
    read = np.frombuffer(texture.read(), np.uint8).reshape(texture.height, texture.width, 4)
    return np.flipud(read)[..., :3]


def shown(thumbs: Thumbs, world: Simulation, look: Params, size: tuple[int, int]) -> np.ndarray:
    """What a window of its own would show of a world that has just begun to be looked at."""
    display = Display(thumbs.ctx, world.world)
    display.upload(world.trail)
    display.upload_map(world)
    if look.sparkle > 0:
        display.agents = AgentField(thumbs.ctx, world.world, sharing=False)
        display.agents.bring(world)
    picture = display.picture(look, View(display.size, size))
    thumbs.screen.use()
    display.release()
    return picture


def follow(thumbs: Thumbs, studio: Studio, frames: int) -> None:
    for _ in range(frames):
        thumbs.screen.use()
        thumbs.follow(studio)


@pytest.mark.parametrize("name", LOOKS)
def test_a_picture_on_the_wall_is_that_of_its_world(gl, thumbs, tmp_path, name: str) -> None:
    studio = studio_of(LOOKS[name], tmp_path)
    studio.toggle_wall()
    wall = studio.wall
    wall.resize(2)
    follow(thumbs, studio, 30)
    assert sorted(thumbs.textures) == [0, 1, 2, 3]
    assert all(session.steps > 0 for session in wall.worlds.living.values())
    for place, session in wall.worlds.living.items():
        stage = thumbs.stages[session]
        expected = stage.display.picture(session.look, View(stage.display.size, wall.picture))
        np.testing.assert_array_equal(pixels(thumbs.textures[place]), expected)
        assert expected.std((0, 1)).max() > 1


def test_a_picture_is_drawn_anew_when_something_has_changed(thumbs, tmp_path) -> None:
    studio = studio_of(LOOKS["plain"], tmp_path)
    studio.toggle_wall()
    studio.wall.resize(2)
    follow(thumbs, studio, 20)
    studio.paused = True
    follow(thumbs, studio, 1)
    still = [pixels(thumbs.textures[place]) for place in range(4)]
    follow(thumbs, studio, 1)
    np.testing.assert_array_equal(still, [pixels(thumbs.textures[place]) for place in range(4)])
    studio.wall.adjust(1.0, "look")
    follow(thumbs, studio, 1)
    changed = [(pixels(thumbs.textures[place]) != still[place]).any() for place in range(4)]
    assert changed == [False, True, True, True]
    studio.wall.picture = 40, 30
    follow(thumbs, studio, 1)
    assert {texture.size for texture in thumbs.textures.values()} == {(40, 30)}


def test_a_picture_stays_until_its_world_has_begun_again(thumbs, tmp_path) -> None:
    studio = studio_of(LOOKS["plain"], tmp_path)
    studio.toggle_wall()
    studio.wall.resize(2)
    follow(thumbs, studio, 20)
    last = pixels(thumbs.textures[3])
    studio.wall.again()
    studio.wall.worlds.prepare = lambda: None
    follow(thumbs, studio, 1)
    np.testing.assert_array_equal(pixels(thumbs.textures[3]), last)


@pytest.mark.parametrize("name", LOOKS)
def test_a_picture_on_the_map_is_that_of_its_result(thumbs, tmp_path, name: str) -> None:
    studio = studio_of(LOOKS[name], tmp_path)
    studio.toggle_sweep()
    studio.survey(Axis("sensor_angle", 20.0, 60.0, 2), Axis("decay", 0.05, 0.2, 2), 40)
    sweep = studio.sweep
    follow(thumbs, studio, 1)
    assert list(thumbs.textures) == [0]  # under way
    ((_, living),) = sweep.under_way.items()
    np.testing.assert_array_equal(
        pixels(thumbs.textures[0]), shown(thumbs, living.simulation, living.look, sweep.picture)
    )
    for _ in range(2000):
        follow(thumbs, studio, 1)
        if sweep.done == 1:
            break
    sweep.hovered = 2
    follow(thumbs, studio, 1)
    assert sorted(thumbs.textures) == [PREVIEW, 0, 1, 2, 3]
    assert thumbs.textures[PREVIEW].size == sweep.preview
    for cell, result in sweep.results.items():
        again = Simulation(sweep.worlds.world, result.look, "reference")
        again.step(sweep.steps)
        expected = shown(thumbs, again, result.look, sweep.picture)
        np.testing.assert_array_equal(pixels(thumbs.textures[cell]), expected)
        assert expected.std((0, 1)).max() > 1
    studio.close_survey()  # and shown again, when no world lives
    follow(thumbs, studio, 1)
    studio.toggle_sweep()
    assert studio.sweep is sweep
    follow(thumbs, studio, 1)
    np.testing.assert_array_equal(pixels(thumbs.textures[3]), expected)
    sweep.hovered = None
    follow(thumbs, studio, 1)
    assert PREVIEW not in thumbs.textures


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """All that is made in OpenGL from now on."""
    made: list[Any] = []

    def note(make: Callable[..., Any]) -> Callable[..., Any]:
        def make_and_note(*args: Any, **kwargs: Any) -> Any:
            made.append(make(*args, **kwargs))
            return made[-1]

        return make_and_note

    for name in ("texture", "framebuffer", "renderbuffer", "program", "vertex_array", "buffer"):
        monkeypatch.setattr(moderngl.Context, name, note(getattr(moderngl.Context, name)))
    return made


@pytest.mark.parametrize("kind", ["wall", "sweep"])
def test_nothing_is_left_after_twenty_walls(thumbs, tmp_path, made, kind: str) -> None:
    studio = studio_of(LOOKS["glowing and aged"], tmp_path)
    for _ in range(20):
        if kind == "wall":
            studio.toggle_wall()
            follow(thumbs, studio, 3)
            studio.wall.choose(0)
            studio.wall.resize(2)
        else:
            studio.toggle_sweep()
            studio.survey(Axis("sensor_angle", 20.0, 60.0, 2), Axis("decay", 0.05, 0.2, 2), 50)
            studio.sweep.hovered = 0
        follow(thumbs, studio, 3)
        assert thumbs.textures
        studio.close_survey()
        follow(thumbs, studio, 1)
        assert thumbs.textures == {}
    assert len(made) > 20 * 10
    assert {type(each.mglo).__name__ for each in made} == {"InvalidObject"}  # released


def test_memory_that_runs_out_closes_the_wall(thumbs, tmp_path, monkeypatch) -> None:
    def out_of_memory(*_: object) -> None:
        raise MemoryError("no memory for this world.")

    studio = studio_of(LOOKS["plain"], tmp_path)
    studio.toggle_wall()
    monkeypatch.setattr("app.worlds.Session", out_of_memory)
    follow(thumbs, studio, 2)
    assert studio.wall is None
    assert studio.notices.current() == ["no memory for this world."]
    assert thumbs.textures == {}


def test_a_world_that_begins_again_is_not_seen_as_it_was(thumbs, tmp_path) -> None:
    studio = studio_of(LOOKS["plain"], tmp_path)
    studio.toggle_wall()
    studio.wall.resize(2)
    follow(thumbs, studio, 20)
    studio.wall.again()
    studio.wall.worlds.prepare()
    while studio.wall.worlds.wanted:
        studio.wall.worlds.prepare()
    studio.wall.worlds.due = lambda *_: {}  # it is not its turn yet
    follow(thumbs, studio, 1)
    assert pixels(thumbs.textures[0]).std((0, 1)).max() > 4  # the parent lives on
    assert pixels(thumbs.textures[3]).std((0, 1)).max() == 0
