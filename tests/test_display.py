import dataclasses
from collections.abc import Iterator

import moderngl
import numpy as np
import pytest

from app.backend import Choice
from app.display import Display, DisplayError
from app.palette import OWN, colours
from app.session import Session
from app.stage import Stage
from app.view import View
from kernels.params import PALETTES, Params, own_name
from kernels.scene import Food, Map
from kernels.simulation import Simulation
from kernels.world import World
from presets import Preset

WORLD = World(96, 64, 3000, "golden")
SEVERAL = World(96, 64, 6000, "golden", (2.0, 1.0, 1.0))
MAPPED = dataclasses.replace(WORLD, map=Map((Food(0.3, 0.3, 18), Food(0.9, 0.9, 26, 0.6))))
VIEWS = View((96, 64), (96, 64)), View((96, 64), (120, 90)), *(View((96, 64), (60, 50)) for _ in range(2))
VIEWS[2].zoom_at(10, 30, 3.3)
VIEWS[3].zoom_at(10, 30, 0.3)


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
    display.upload(letter[None])
    lit = display.picture(Params(palette="bone")).mean(axis=2) > 128
    np.testing.assert_array_equal(lit, letter > 0)
    display.release()


def test_an_empty_field_shows_the_first_colour_and_a_full_one_the_last(gl: moderngl.Context) -> None:
    display = Display(gl, World(16, 16, 10))
    for value, index in ((0.0, 0), (1e9, -1)):
        display.upload(np.full((1, 16, 16), value, np.float32))
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


@pytest.fixture(scope="module")
def several() -> Simulation:
    values = {own_name(name, k): 6.0 for name in ("sensor_distance",) for k in range(3)}
    simulation = Simulation(SEVERAL, dataclasses.replace(Params(), **values), "reference")
    simulation.step(60)
    return simulation


@pytest.fixture
def mapped() -> Simulation:
    simulation = Simulation(MAPPED, Params(palette="ink"), "reference")
    simulation.maps.wall[20:52, 60:66] = 255
    simulation.set_maps(simulation.maps)
    simulation.step(60)
    return simulation


@pytest.fixture
def on_map(gl: moderngl.Context, mapped: Simulation) -> Iterator[Display]:
    display = Display(gl, MAPPED)
    display.upload(mapped.trail)
    display.upload_map(mapped)
    yield display
    display.release()


def test_species_in_their_colours(gl: moderngl.Context, several: Simulation, golden) -> None:
    display = Display(gl, SEVERAL)
    display.upload(several.trail)
    golden("species", display.picture(several.params))
    display.release()


@pytest.mark.parametrize("species", [1, 2, 3, 4])
@pytest.mark.parametrize("view", VIEWS, ids=["exact", "tiled", "smooth", "area"])
def test_a_lone_species_shows_its_palette(gl: moderngl.Context, trail, species: int, view: View) -> None:
    world = dataclasses.replace(WORLD, shares=(1.0,) * species)
    alone, among = Display(gl, WORLD), Display(gl, world)
    alone.upload(trail + np.float32(0.01))
    apart = np.zeros((species, 64, 96), np.float32)
    apart[-1] = trail[0] + np.float32(0.01)
    among.upload(apart)
    own = dataclasses.replace(Params(), **{own_name("palette", species - 1): "ink"})
    expected = alone.picture(Params(palette="ink"), view).astype(int)
    assert np.abs(among.picture(own, view) - expected).max() <= 1
    alone.release()
    among.release()


def test_empty_ground_is_the_first_species(gl: moderngl.Context) -> None:
    display = Display(gl, World(16, 16, 10, shares=(1.0, 1.0)))
    picture = display.picture(Params(palette="ink", palette_2="embers"))
    assert (picture == colours("ink")[0]).all()
    display.release()


def test_a_palette_is_written_when_it_changes_alone(gl: moderngl.Context) -> None:
    display = Display(gl, SEVERAL)
    display.picture(Params())
    shown = display.looks_shown[True]
    display.picture(Params(exposure=2, palette_4="ink"))
    assert display.looks_shown[True] is shown
    display.picture(Params(palette_3="ink"))
    assert display.looks_shown[True] is not shown
    display.release()


def test_food_and_walls(on_map: Display, mapped: Simulation, golden) -> None:
    golden("map", on_map.picture(mapped.params))


@pytest.mark.parametrize("view", VIEWS, ids=["exact", "tiled", "smooth", "area"])
def test_a_map_that_is_not_shown_costs_nothing(on_map: Display, mapped: Simulation, view: View) -> None:
    hidden = dataclasses.replace(mapped.params, map_opacity=0)
    without = on_map.picture(hidden, view)
    assert not any("MAP" in variant for variant in on_map.covering.variants)
    assert (on_map.picture(mapped.params, view) != without).any()
    mapped.fill("food", "clear")
    mapped.fill("wall", "clear")
    on_map.upload_map(mapped)
    assert on_map.map_texture is None
    np.testing.assert_array_equal(on_map.picture(mapped.params, view), without)


def test_a_map_is_uploaded_when_it_has_changed(on_map: Display, mapped: Simulation) -> None:
    before = on_map.map_texture.read()
    mapped.maps.food[:] = 9
    on_map.upload_map(mapped)
    assert on_map.map_texture.read() == before
    mapped.set_maps(mapped.maps)
    on_map.upload_map(mapped)
    assert on_map.map_texture.read() != before


def test_outside_of_a_dish_is_wall(on_map: Display, mapped: Simulation) -> None:
    params = dataclasses.replace(mapped.params, boundary="dish", map_opacity=1.0)
    mapped.set(params)
    on_map.upload_map(mapped)
    picture = on_map.picture(params)
    wall = picture[30, 62]
    assert wall.max() - wall.min() < 2  # grey
    assert (picture[0, 0] == wall).all()
    assert (picture[32, 15] == wall).all()
    assert (picture[32, 17] != wall).any()


def test_another_number_of_species_is_another_display(gl: moderngl.Context) -> None:
    first, second = (World(20, 16, 100, shares=shares) for shares in ((1.0,), (1.0, 1.0)))
    stage = Stage(gl, Choice("reference", False, "", ""), first)
    stage.step(Session(Preset("", "One"), first, "reference"), 2)
    display = stage.display
    assert display.texture.components == 1
    session = Session(Preset("", "Two"), second, "reference")
    stage.step(session, 2)
    assert stage.display is not display
    assert stage.display.texture.components == 4
    texels = np.frombuffer(stage.display.texture.read(), np.float32).reshape(16, 20, 4)
    np.testing.assert_array_equal(np.moveaxis(texels, 2, 0)[:2], session.simulation.trail)
    assert not texels[..., 2:].any()
    stage.release()


@pytest.mark.parametrize("name", PALETTES)
def test_palettes_are_256_colours_that_change_steadily(name: str) -> None:
    ramp = colours(name).astype(int)
    assert ramp.shape == (256, 3)
    assert np.abs(np.diff(ramp, axis=0)).max() <= 12
    light = ramp @ (0.2126, 0.7152, 0.0722)
    assert abs(light[-1] - light[0]) > 120


def test_own_palettes_are_all_offered() -> None:
    assert set(OWN) <= set(PALETTES)
