"""Several small worlds of one shape, stepped together."""

import dataclasses

import pytest

from app.backend import Choice
from app.worlds import Worlds, small_world
from kernels.params import Params
from kernels.scene import Food, Map
from kernels.world import World
from presets import Preset

WORLD = World(96, 64, 1200, "worlds")
LOOK = Preset("look", "Look", params=Params(sensor_distance=6.0))
CHOICE = Choice("reference", False, "NumPy", "for a test")
LONG = 1e9  # seconds, as on a machine that is fast enough


@pytest.fixture
def worlds() -> Worlds:
    """Nine that have begun."""
    worlds = Worlds(LOOK, dataclasses.replace(WORLD, width=32, height=24, agents=100), 9, CHOICE)
    for place in range(9):
        worlds.begin(place, LOOK.params)
    worlds.prepare(LONG)
    return worlds


def cost(worlds: Worlds, seconds: float) -> None:
    """Says what a step of each costs."""
    for session in worlds.living.values():
        session.simulation.buffers.step_seconds = seconds


@pytest.mark.parametrize("width", [96, 97, 111])
@pytest.mark.parametrize("count", [1, 4, 25])
@pytest.mark.parametrize("picture", [(400, 225), (90, 160), (16, 16)], ids=str)
def test_a_small_world_is_as_dense_and_has_the_shape_of_its_picture(width, count, picture) -> None:
    large = dataclasses.replace(WORLD, width=width)
    small = small_world(large, count, picture, CHOICE)
    assert small.density == pytest.approx(large.density, rel=0.02)
    assert small.width % 16 == width % 16  # which CUDA has kernels for
    assert small.width * small.height <= max(1.5 * width * 64, (16 + width % 16) * 16)
    shape = picture[0] / picture[1]
    assert abs(small.width - shape * small.height) <= 17 + shape * 16


def test_food_shrinks_with_the_field() -> None:
    mapped = dataclasses.replace(WORLD, width=960, height=640, map=Map((Food(0.5, 0.5, 200.0),)))
    small = small_world(mapped, 9, (96, 64), CHOICE)
    ratio = small.width / 960
    assert small.map.food[0].radius == pytest.approx(200 * ratio, rel=0.2)


def test_worlds_that_are_cheap_all_take_the_same_steps(worlds: Worlds) -> None:
    assert worlds.due(5, LONG) == dict.fromkeys(range(9), 1)  # until their cost is known
    cost(worlds, 0.001)
    assert worlds.due(5, LONG) == dict.fromkeys(range(9), 5)
    assert worlds.due(5, 0.0185) == dict.fromkeys(range(9), 2)
    assert worlds.due(0, LONG) == {}


def test_worlds_that_are_dear_take_turns(worlds: Worlds) -> None:
    cost(worlds, 0.003)
    turns = [sorted(worlds.due(4, 0.01)) for _ in range(6)]
    assert turns == [[0, 1, 2], [3, 4, 5], [6, 7, 8]] * 2
    cost(worlds, 5.0)
    assert [sorted(worlds.due(4, 0.01)) for _ in range(10)] == [[k % 9] for k in range(10)]


def test_worlds_begin_when_there_is_time() -> None:
    worlds = Worlds(LOOK, WORLD, 3, CHOICE)
    for place in range(3):
        worlds.begin(place, LOOK.params)
    assert worlds.living == {}
    worlds.prepare(0.0)
    assert list(worlds.living) == [0]
    worlds.prepare(LONG)
    assert list(worlds.living) == [0, 1, 2]
    first = worlds.sessions[0]
    first.advance(3)
    worlds.begin(0, Params())
    assert list(worlds.living) == [1, 2]
    worlds.prepare(LONG)
    assert (worlds.sessions[0], first.steps, first.params) == (first, 0, Params())


def test_worlds_exchange_places_with_what_they_wait_for() -> None:
    worlds = Worlds(LOOK, WORLD, 3, CHOICE)
    for place in range(2):
        worlds.begin(place, LOOK.params)
    worlds.prepare(0.0)
    first = worlds.sessions[0]
    worlds.swap(0, 1)
    assert worlds.sessions[:2] == [None, first]
    assert list(worlds.wanted) == [0]
    worlds.swap(1, 1)
    worlds.swap(0, 2)
    assert worlds.sessions == [None, first, None]
    assert list(worlds.wanted) == [2]
