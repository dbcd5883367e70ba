"""Palettes: OKLab there and back, and gradients from stop to stop."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.palette import SIZE, colours, from_oklab, is_light, light_of, stone, to_light, to_oklab, to_srgb
from kernels.gradients import MOST_STOPS, check_gradient, stops_of, to_text
from kernels.params import PALETTES

BYTES = np.arange(256) / 255
CUBE = np.stack(np.meshgrid(*3 * [np.linspace(0, 1, 9)]), -1).reshape(-1, 3)

COLOURS = st.binary(min_size=3, max_size=3).map(lambda raw: f"#{raw.hex()}")
PLACES = st.lists(st.integers(0, 1000), min_size=2, max_size=MOST_STOPS, unique=True).map(sorted)


@st.composite
def gradients(draw: st.DrawFn) -> tuple[tuple[str, float], ...]:
    places = draw(PLACES)
    return tuple((draw(COLOURS), place / 1000) for place in places)


def test_srgb_there_and_back() -> None:
    np.testing.assert_allclose(to_srgb(to_light(BYTES)), BYTES, atol=1e-6)
    assert to_light(np.array(0.5)) == pytest.approx(0.214041, abs=1e-6)
    np.testing.assert_array_equal(to_srgb(np.array([-1.0, 2.0])), [0, to_srgb(np.array(1.0))])


def test_oklab_there_and_back() -> None:
    np.testing.assert_allclose(from_oklab(to_oklab(CUBE)), CUBE, atol=1e-7)


@pytest.mark.parametrize(
    ("srgb", "lab"),  # as published with it, to three digits
    [
        ((1, 1, 1), (1.0, 0.0, 0.0)),
        ((0, 0, 0), (0.0, 0.0, 0.0)),
        ((1, 0, 0), (0.628, 0.225, 0.126)),
        ((0, 1, 0), (0.866, -0.234, 0.179)),
        ((0, 0, 1), (0.452, -0.032, -0.312)),
    ],
)
def test_oklab_is_oklab(srgb: tuple[float, ...], lab: tuple[float, ...]) -> None:
    np.testing.assert_allclose(to_oklab(to_light(np.array(srgb, float))), lab, atol=1e-3)


@given(gradients())
def test_a_gradients_text_is_read_as_it_is_written(stops: tuple[tuple[str, float], ...]) -> None:
    text = to_text(stops)
    assert check_gradient(text) == text
    assert stops_of(text) == stops


@given(gradients())
def test_a_gradient_goes_through_its_stops_and_stays_before_and_after(
    stops: tuple[tuple[str, float], ...],
) -> None:
    ramp = colours(to_text(stops)).astype(int)
    assert ramp.shape == (SIZE, 3)
    wanted = [np.array(list(bytes.fromhex(colour[1:]))) for colour, _ in stops]
    places = [place * (SIZE - 1) for _, place in stops]
    assert np.abs(ramp[: int(places[0]) + 1] - wanted[0]).max() <= 1
    assert np.abs(ramp[int(np.ceil(places[-1])) :] - wanted[-1]).max() <= 1


def test_between_two_stops_ways_in_oklab_are_equally_long() -> None:
    lab = to_oklab(light_of("#102040 0, #e0c080 1"))
    np.testing.assert_allclose(np.diff(lab, axis=0), np.tile(lab[1] - lab[0], (SIZE - 1, 1)), atol=1e-6)


@pytest.mark.parametrize("name", PALETTES)
def test_a_palette_and_its_bytes_are_one(name: str) -> None:
    np.testing.assert_array_equal(colours(name), np.round(to_srgb(light_of(name)) * 255))
    assert 0 <= light_of(name).min() <= light_of(name).max() <= 1


def test_walls_stand_out_from_light_and_dark_ground() -> None:
    for palette in "ink", "embers", "#ffffff 0, #000000 1", "#000000 0, #ffffff 1":
        ground = light_of(palette)[0].mean()
        assert is_light(palette) == (ground > 0.2)
        assert abs(stone(palette)[0] - ground) > 0.3


@pytest.mark.parametrize(
    "text",
    [
        "", "#123456 0", "#123456 0, #123456", "#12345 0, #123456 1", "#123456 0, #123456 0",
        "#123456 1, #1 0",
        "#123456 0.5, #abcdef 0.4", "#123456 0, #abcdef 1.5", "#123456 0; #abcdef 1", "#123456 -1, #abcdef 1",
        "#123456 0, #abcdef nan", ", ".join(f"#123456 0.{k:02}" for k in range(13)),
    ],
)  # fmt: skip
def test_what_is_no_gradient_is_none(text: str) -> None:
    assert check_gradient(text) is None
