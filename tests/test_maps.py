"""Maps: food, walls and the mask, from files and from the brush."""

import dataclasses
import hashlib
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels.maps import (
    FILLS,
    MAX_NUMBER,
    POINT,
    WALL,
    Maps,
    Mark,
    dish,
    fill,
    mark,
    pixels_of,
    rasterise,
)
from kernels.scene import LAYERS, Food, Layers, Map

SIDES = st.one_of(st.integers(16, 40), st.sampled_from([97, 401]))


def image(width: int, height: int) -> Layers:
    """An image with all kinds of values."""
    cells = np.arange(width * height * 3, dtype=np.uint32) * np.uint32(0x9E3779B1) >> np.uint32(24)
    return Layers(width, height, cells.astype(np.uint8).tobytes())


def empty(width: int, height: int) -> Maps:
    return rasterise(Map(), width, height)


def cells(maps: Maps) -> NDArray[np.uint8]:
    return np.stack([getattr(maps, layer) for layer in LAYERS])


def torus(centre: tuple[float, float], width: int, height: int) -> NDArray[np.float64]:
    """Distances [H, W] in px of the cells' centres from a point, written another way than in maps."""
    dx, dy = (
        np.abs((np.arange(side) + 0.5 - middle + side / 2) % side - side / 2)
        for side, middle in zip((width, height), centre, strict=True)
    )
    return np.hypot(dx, dy[:, None])


def test_maps_are_pinned() -> None:
    """The bits of food, image, brush, gradient and what is saved, so that another arithmetic is noticed."""
    food = (Food(0.1, 0.9, 70.5, 0.7), Food(0.5, 0.4, 21.3), Food(1.0, 0.0, 2000.0, 0.1))
    maps = rasterise(Map(food, image(53, 29)), 1301, 257)
    mark(maps, Mark("food", 12345, -777, 9999, 30, 200))
    mark(maps, Mark("wall", 300000, 40000, 7001, 0, 255))
    digest = hashlib.sha256(cells(maps).tobytes())
    digest.update(maps.layers().pixels + maps.ground().astype("<f4").tobytes())
    fill(maps, "mask", "radial")
    digest.update(maps.blend().astype("<f4").tobytes())
    assert digest.hexdigest()[:16] == "a70391fb04f6e8df"


# From presets and images


@settings(deadline=None, derandomize=True, max_examples=60)
@given(SIDES, SIDES, st.integers(1, 50), st.integers(1, 50), st.randoms(use_true_random=False))
def test_images_are_stretched_exactly(width: int, height: int, w: int, h: int, random) -> None:
    """Against fractions: bilinear between the pixels' centres, rounded once; the nearest pixel for walls."""
    source = image(w, h)
    maps = rasterise(Map(image=source), width, height)
    pixels = pixels_of(source).astype(int)
    for _ in range(20):
        column, row = random.randrange(width), random.randrange(height)
        x, y = (
            min(max(Fraction((2 * cell + 1) * size, 2 * side) - Fraction(1, 2), Fraction(0)), size - 1)
            for cell, side, size in ((column, width, w), (row, height, h))
        )
        left, top = math.floor(x), math.floor(y)
        right, bottom = min(left + 1, w - 1), min(top + 1, h - 1)
        for layer, channel in (("food", 0), ("mask", 2)):
            upper, lower = (
                pixels[line, left, channel] * (1 - x + left) + pixels[line, right, channel] * (x - left)
                for line in (top, bottom)
            )
            value = upper * (1 - y + top) + lower * (y - top)
            assert getattr(maps, layer)[row, column] == math.floor(value + Fraction(1, 2))
        nearest = pixels[(2 * row + 1) * h // (2 * height), (2 * column + 1) * w // (2 * width), 1]
        assert maps.wall[row, column] == (255 if nearest >= 128 else 0)


def test_an_image_of_the_fields_size_stays() -> None:
    red, green, blue = np.moveaxis(pixels_of(image(61, 47)), 2, 0)
    maps = rasterise(Map(image=image(61, 47)), 61, 47)
    assert np.array_equal(maps.food, red)
    assert np.array_equal(maps.wall, np.where(green >= 128, 255, 0))
    assert np.array_equal(maps.mask, blue)


@pytest.mark.parametrize(("width", "height"), [(61, 47), (16, 4001), (4001, 16), (1025, 1024)])
def test_food_falls_off_round_its_middle(width: int, height: int) -> None:
    for lump in (
        Food(0.5, 0.5, 10.0),
        Food(0.0, 1.0, 15.0, 0.5),
        Food(0.97, 0.3, 1.0),
        Food(0.2, 0.6, 2000.0),
    ):
        maps = rasterise(Map((lump,)), width, height)
        share = torus((lump.x * width, lump.y * height), width, height) / lump.radius
        expected = 255 * lump.strength * np.maximum(0, 1 - share**2) ** 2
        assert np.abs(maps.food - expected).max() < 0.5 + 1.2 / lump.radius  # middles are kept in 256ths
        assert not maps.wall.any()
        assert not maps.mask.any()


def test_food_adds_up_to_255_in_any_order() -> None:
    lumps = (Food(0.4, 0.5, 30.0), Food(0.6, 0.5, 30.0, 0.6), Food(0.5, 0.4, 12.0, 0.3))
    alone = [rasterise(Map((lump,)), 64, 48).food.astype(int) for lump in lumps]
    together = rasterise(Map(lumps), 64, 48).food
    assert np.array_equal(together, np.minimum(255, sum(alone)))
    assert np.array_equal(together, rasterise(Map(lumps[::-1]), 64, 48).food)
    assert np.array_equal(rasterise(Map(lumps, image(64, 48)), 64, 48).mask, pixels_of(image(64, 48))[..., 2])


def test_an_empty_map_is_empty() -> None:
    assert Map().empty
    assert not Map((Food(),)).empty
    assert not Map(image=image(1, 1)).empty
    assert not cells(empty(17, 16)).any()
    assert {Map(): 1}[Map(())] == 1


# The brush

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
    rows, columns = mark(maps, m)
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
    touched[np.ix_(rows, columns)] = True
    assert np.array_equal(before[:, ~touched], after[:, ~touched])
    assert (rows.dtype, columns.dtype) == (np.int32, np.int32)
    assert len(set(rows.tolist())) == len(rows) <= 2 * radius + 1
    assert len(set(columns.tolist())) == len(columns) <= 2 * radius + 1


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
    rows, columns = mark(maps, Mark("food", 0, 0, MAX_NUMBER, 0, 255))
    assert (len(rows), len(columns)) == (16, 32768)
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


# What becomes of them


def test_a_map_is_saved_and_loaded_unchanged() -> None:
    maps = rasterise(Map((Food(),), image(40, 30)), 401, 257)
    saved = maps.layers()
    assert (saved.width, saved.height) == (401, 257)
    assert np.array_equal(cells(rasterise(Map(image=saved), 401, 257)), cells(maps))


@pytest.mark.parametrize(
    ("width", "height", "size"),
    [(2048, 64, (1024, 32)), (1500, 1100, (1024, 750)), (32768, 16, (1024, 1)), (17, 4100, (4, 1024))],
)
def test_large_maps_are_saved_as_means(width: int, height: int, size: tuple[int, int]) -> None:
    maps = rasterise(Map(image=image(90, 70)), width, height)
    saved = maps.layers()
    assert (saved.width, saved.height) == size
    columns, rows = (
        [i * side // n for i in range(n + 1)] for side, n in zip((width, height), size, strict=True)
    )
    for row, column in ((0, 0), (size[1] - 1, size[0] - 1), (size[1] // 2, size[0] // 3)):
        box = cells(maps)[:, rows[row] : rows[row + 1], columns[column] : columns[column + 1]]
        assert pixels_of(saved)[row, column] == pytest.approx(box.mean((1, 2)), abs=0.5)
    fill(maps, "food", "clear")
    maps.food[:] = 255
    assert (pixels_of(maps.layers())[..., 0] == 255).all()


def test_ground_and_blend() -> None:
    maps = empty(32, 16)
    maps.food[2, 3:6] = 1, 127, 255
    maps.wall[2, 5] = 255
    maps.mask[7, 7] = 255
    ground, blend = maps.ground(), maps.blend()
    assert ground.dtype == blend.dtype == np.float32
    one = np.float32(1)
    assert ground[2, 2:7].tolist() == [0, one / np.float32(255), np.float32(127) / np.float32(255), WALL, 0]
    assert blend[7, 7] == 1
    assert blend.sum() == 1
    rows, columns = mark(maps, Mark("food", 0, 0, 5 * POINT, 50, 255))
    assert np.array_equal(maps.ground(rows, columns), maps.ground()[np.ix_(rows, columns)])
    assert np.array_equal(maps.blend(rows, columns), maps.blend()[np.ix_(rows, columns)])


@pytest.mark.parametrize(("width", "height"), [(16, 16), (17, 16), (401, 257), (16, 32768), (32768, 17)])
def test_the_dish_is_the_largest_circle(width: int, height: int) -> None:
    outside = dish(width, height)
    assert outside.shape == (height, width)
    radius = min(width, height) / 2
    x, y = np.arange(width) + 0.5 - width / 2, np.arange(height) + 0.5 - height / 2
    assert np.array_equal(outside, y[:, None] ** 2 > radius**2 - x**2)  # all of it exact in float64
    assert np.array_equal(outside, outside[::-1, ::-1])
    assert not outside[height // 2, width // 2]
    assert outside[0, 0]
    assert np.count_nonzero(~outside) == pytest.approx(math.pi * radius**2, rel=0.05)


# What is refused


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"x": -0.1}, "x = -0.1 is not allowed; it takes from 0 to 1 of the width"),
        ({"y": math.nan}, "y = nan is not allowed"),
        ({"radius": 0}, "radius = 0 is not allowed; it takes from 1 to 2000 px"),
        ({"strength": "1"}, "strength = '1' is not allowed"),
    ],
)
def test_what_food_refuses(values: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Food(**values)


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


def test_what_maps_refuse() -> None:
    with pytest.raises(ValueError, match="map width = 2049 is not allowed; it takes from 1 to 2048 px"):
        Layers(2049, 1, b"")
    with pytest.raises(ValueError, match="A map of 2 x 2 px, 3 bytes each, cannot be made of 4"):
        Layers(2, 2, b"1234")
    with pytest.raises(ValueError, match="food = '257 lumps' is not allowed; it takes at most 256"):
        Map((Food(),) * 257)
    with pytest.raises(ValueError, match="fill = 'dots' is not allowed; it takes one of clear, "):
        fill(empty(16, 16), "mask", "dots")
