"""Maps: food, walls and the mask, from presets and images, and what becomes of them."""

import hashlib
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from map_cells import SIDES, cells, empty, image, torus

from kernels.maps import POINT, WALL, Mark, dish, fill, mark, pixels_of, rasterise
from kernels.scene import Food, Layers, Map


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
    for x in (0, 16 * POINT):  # over the seam, and not
        patch = mark(maps, Mark("food", x, 8 * POINT, 5 * POINT, 50, 255))
        assert np.array_equal(maps.ground(patch), maps.ground()[patch])
        assert np.array_equal(maps.blend(patch), maps.blend()[patch])
        assert np.array_equal(dish(32, 16, patch), dish(32, 16)[patch])


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


def test_what_maps_refuse() -> None:
    with pytest.raises(ValueError, match="map width = 2049 is not allowed; it takes from 1 to 2048 px"):
        Layers(2049, 1, b"")
    with pytest.raises(ValueError, match="A map of 2 x 2 px, 3 bytes each, cannot be made of 4"):
        Layers(2, 2, b"1234")
    with pytest.raises(ValueError, match="food = '257 lumps' is not allowed; it takes at most 256"):
        Map((Food(),) * 257)
    with pytest.raises(ValueError, match="fill = 'dots' is not allowed; it takes one of clear, "):
        fill(empty(16, 16), "mask", "dots")
