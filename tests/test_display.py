import dataclasses

import moderngl
import numpy as np
import pytest

from app.display import Display, DisplayError
from app.palette import OWN, colours
from app.view import View
from kernels.params import PALETTES, Params
from kernels.simulation import Simulation
from kernels.world import World

WORLD = World(96, 64, 3000, "golden")


@pytest.fixture(scope="module")
def trail() -> np.ndarray:
    simulation = Simulation(WORLD, Params(sensor_angle=45, sensor_distance=6, rotation_angle=45), "reference")
    simulation.step(80)
    return simulation.trail.copy()


@pytest.fixture
def display(gl: moderngl.Context, trail: np.ndarray):
    display = Display(gl, WORLD)
    display.upload(trail)
    yield display
    display.release()


def test_default_look(display: Display, golden) -> None:
    golden("default", display.picture(Params()))


def test_light_ground_zoomed_out_over_the_torus_edge(display: Display, golden) -> None:
    view = View((96, 64), (120, 90))
    view.zoom_at(20, 10, 0.4)
    golden("torus", display.picture(Params(palette="ink", exposure=0.5), view))


def test_zoomed_in_is_smooth(display: Display, golden) -> None:
    view = View((96, 64), (120, 90))
    view.zoom_at(100, 20, 4)
    golden("close", display.picture(Params(palette="abyss", gamma=2.2), view))


def test_row_0_is_on_top_and_column_0_on_the_left(gl: moderngl.Context) -> None:
    world = World(16, 16, 256)
    letter = np.zeros((16, 16), np.float32)
    letter[1:12, 2] = letter[1, 2:9] = letter[6, 2:6] = 1000.0  # an F
    display = Display(gl, world)
    display.upload(letter)
    lit = display.picture(Params(palette="bone")).mean(axis=2) > 128
    np.testing.assert_array_equal(lit, letter > 0)
    display.release()


def test_an_empty_field_shows_the_first_colour_and_a_full_one_the_last(gl: moderngl.Context) -> None:
    display = Display(gl, World(16, 16, 10))
    for value, index in ((0.0, 0), (1e9, -1)):
        display.upload(np.full((16, 16), value, np.float32))
        picture = display.picture(Params())
        assert (picture == colours("embers")[index]).all()
    display.release()


@pytest.mark.parametrize(("name", "value"), [("exposure", 3.0), ("gamma", 2.0), ("palette", "lichen")])
def test_every_picture_parameter_changes_the_picture(display: Display, name: str, value: object) -> None:
    before = display.picture(Params())
    after = display.picture(dataclasses.replace(Params(), **{name: value}))
    assert (before != after).any()


def test_pictures_of_changing_sizes(display: Display, gl: moderngl.Context) -> None:
    sizes = [(1, 1), (33, 17), (96, 64), (1, 50), (33, 17)]
    for width, height in sizes:
        view = View((96, 64), (width, height))
        assert display.picture(Params(), view).shape == (height, width, 3)
        assert gl.error == "GL_NO_ERROR"


def test_a_world_beyond_the_texture_limit_is_refused(gl: moderngl.Context) -> None:
    limit = gl.info["GL_MAX_TEXTURE_SIZE"]
    if limit >= 32768:
        limit = gl.info["GL_MAX_TEXTURE_SIZE"] = 1024
    with pytest.raises(DisplayError, match=rf"size = {limit + 1}x16 .* at most {limit} px"):
        Display(gl, World(limit + 1, 16, 1))


@pytest.mark.parametrize("name", PALETTES)
def test_palettes_are_256_colours_that_change_steadily(name: str) -> None:
    ramp = colours(name).astype(int)
    assert ramp.shape == (256, 3)
    assert np.abs(np.diff(ramp, axis=0)).max() <= 12
    light = ramp @ (0.2126, 0.7152, 0.0722)
    assert abs(light[-1] - light[0]) > 120


def test_own_palettes_are_all_offered() -> None:
    assert set(OWN) <= set(PALETTES)
