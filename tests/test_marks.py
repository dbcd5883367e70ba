"""Marks and fills: what the brush does to food, walls and the mask."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from map_cells import SIDES, cells, empty, image, torus

from kernels.maps import FILLS, MAX_NUMBER, POINT, Mark, fill, mark, rasterise
from kernels.params import Params
from kernels.scene import LAYERS, Map
from kernels.simulation import Simulation
from kernels.world import World

MARKS = st.builds(
    Mark,
    st.sampled_from(LAYERS),
    st.integers(-MAX_NUMBER, MAX_NUMBER),
    st.integers(-MAX_NUMBER, MAX_NUMBER),
    st.one_of(st.integers(1, 60 * POINT), st.just(MAX_NUMBER)),
    st.integers(0, 100),
    st.integers(0, 255),
)


@settings(deadline=None, derandomize=True, max_examples=150)
@given(SIDES, SIDES, MARKS)
def test_marks_do_what_they_say(width: int, height: int, m: Mark) -> None:
    maps = rasterise(Map(image=image(31, 17)), width, height)
    before = cells(maps).astype(int)
    patch = mark(maps, m)
    after = cells(maps)
    radius = min(m.radius / POINT, width + height)
    distance = torus((m.x % (width * POINT) / POINT, m.y % (height * POINT) / POINT), width, height)
    inner = math.floor(min(m.radius, (width + height) * POINT) * m.hardness / 100) / POINT
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.clip((radius**2 - distance**2) / (radius**2 - inner**2), 0, 1)
    weight = np.where(distance < inner, 1, weight)
    for index, layer in enumerate(LAYERS):
        old, new = before[index], after[index]
        if layer != m.layer:
            assert np.array_equal(old, new)
        elif layer == "wall":
            clear = np.abs(weight - 0.5) > 1e-6
            expected = np.where(weight > 0.5, 255 if m.value >= 128 else 0, old)
            assert np.array_equal(new[clear], expected[clear])
            assert set(np.unique(new)) <= {0, 255}
        else:
            sure = np.abs(distance - radius) > 1e-6  # a hard edge takes or leaves a cell upon it
            assert (np.abs(new - (old + (m.value - old) * weight)) < 0.501)[sure].all()
    touched = np.zeros((height, width), bool)
    touched[patch] = True
    assert np.array_equal(before[:, ~touched], after[:, ~touched])
    assert np.count_nonzero(touched) == touched[patch].size  # none twice
    assert max(touched[patch].shape) <= 2 * radius + 1


def test_a_hard_mark_is_a_disc_and_a_soft_one_a_hill() -> None:
    distance = torus((32, 24), 64, 48)
    maps = empty(64, 48)
    mark(maps, Mark("mask", 32 * POINT, 24 * POINT, 10 * POINT, 100, 255))
    assert np.array_equal(maps.mask, np.where(distance < 10, 255, 0))
    maps = empty(64, 48)
    mark(maps, Mark("mask", 32 * POINT, 24 * POINT, 10 * POINT, 0, 255))
    assert np.abs(maps.mask - 255 * np.maximum(0, 1 - (distance / 10) ** 2)).max() <= 0.5
    mark(maps, Mark("mask", 32 * POINT, 24 * POINT, 10 * POINT, 100, 0))
    assert not maps.mask.any()


@pytest.mark.parametrize("layer", LAYERS)
def test_marks_wrap_round_the_torus(layer: str) -> None:
    """A mark over a corner is a mark in the middle, moved."""
    corner, middle = empty(64, 48), empty(64, 48)
    mark(corner, Mark(layer, 0, 48 * POINT * 1001, 9 * POINT + 7, 40, 230))
    mark(middle, Mark(layer, 32 * POINT, 24 * POINT, 9 * POINT + 7, 40, 230))
    assert np.array_equal(np.roll(cells(corner), (24, 32), (1, 2)), cells(middle))
    assert cells(corner)[LAYERS.index(layer)][[0, 0, -1, -1], [0, -1, 0, -1]].all()


def test_the_widest_mark_on_the_longest_field_is_exact() -> None:
    maps = empty(32768, 16)
    patch = mark(maps, Mark("food", 0, 0, MAX_NUMBER, 0, 255))
    assert maps.food[patch].shape == (16, 32768)
    share = torus((0, 0), 32768, 16) / (32768 + 16)
    assert np.abs(maps.food - 255 * (1 - share**2)).max() < 0.501


@pytest.mark.parametrize(("width", "height"), [(16, 16), (401, 257), (31, 4001)])
def test_gradients_run_from_end_to_end(width: int, height: int) -> None:
    maps = empty(width, height)
    fill(maps, "mask", "left to right")
    expected = np.arange(width) / (width - 1) * 255
    assert np.abs(maps.mask - expected).max() <= 0.5
    fill(maps, "mask", "top to bottom")
    assert np.abs(maps.mask.T - np.arange(height) / (height - 1) * 255).max() <= 0.5
    fill(maps, "mask", "radial")
    expected = 255 * np.maximum(
        0, 1 - torus((width / 2, height / 2), width, height) / (min(width, height) / 2)
    )
    difference = maps.mask - expected
    assert difference.min() > -1e-6
    assert difference.max() < 1
    fill(maps, "mask", "clear")
    assert not cells(maps).any()


@pytest.mark.parametrize("kind", FILLS)
def test_walls_have_no_grey(kind: str) -> None:
    maps = empty(64, 48)
    fill(maps, "wall", kind)
    assert set(np.unique(maps.wall)) == ({0} if kind == "clear" else {0, 255})


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"layer": "rock"}, "layer = 'rock' is not allowed; it takes one of food, wall, mask."),
        ({"x": MAX_NUMBER + 1}, "x = .* is not allowed; it takes a whole number from "),
        ({"y": 0.5}, "y = 0.5 is not allowed"),
        ({"radius": 0}, "radius = 0 is not allowed"),
        ({"hardness": 101}, "hardness = 101 is not allowed; it takes a whole number from 0 to 100"),
        ({"value": True}, "value = true is not allowed"),
    ],
)
def test_what_a_mark_refuses(values: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        dataclasses.replace(Mark("food", 0, 0, 1, 0, 0), **values)


@pytest.mark.parametrize("backend", ["reference", "cpu"])
@settings(deadline=None, derandomize=True, max_examples=40)
@given(marks=st.lists(MARKS, min_size=1, max_size=6), dish=st.booleans())
def test_a_simulation_hears_of_marks_what_it_hears_of_their_maps(backend: str, marks, dish: bool) -> None:
    """A dab costs its own cells alone, so each of the others has to be what it was."""
    world, params = World(41, 30, 9), Params(boundary="dish" if dish else "wrap")
    marked, told = (Simulation(world, params, backend, Params(decay=0.3)) for _ in range(2))
    for batch in (marks[:2], marks[2:], [dataclasses.replace(m, value=0) for m in marks]):
        version = marked.maps_version
        marked.mark(*batch)
        assert marked.maps_version > version
        told.set_maps(marked.maps)
        for name in ("ground", "mask"):
            np.testing.assert_array_equal(getattr(marked.buffers, name), getattr(told.buffers, name))
        assert marked.buffers.numbers.features == told.buffers.numbers.features
