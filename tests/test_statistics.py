"""Pattern statistics: known values on pictures made by hand, verdicts, and distances of real worlds."""

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

import kernels.statistics as st
import presets
from kernels.params import Params
from kernels.simulation import Simulation
from kernels.statistics import Statistics, Trail, describe, distance, verdict
from kernels.world import World

SIDE = 128


def wave(period: float, degrees: float = 0, height: int = SIDE, width: int = SIDE) -> Trail:
    """Parallel stripes, 0 to 2."""
    y, x = np.mgrid[:height, :width]
    angle = np.radians(degrees)
    return np.asarray(1 + np.sin(2 * np.pi * (x * np.cos(angle) + y * np.sin(angle)) / period), np.float32)


def noise(seed: int, height: int = SIDE, width: int = SIDE) -> Trail:
    return np.random.default_rng(seed).random((height, width), np.float32)


def dots(period: int, shift: int = 0) -> Trail:
    """Round spots on a square grid, moved to the right by `shift`."""
    return np.roll(np.maximum(wave(period) + wave(period, 90) - 2, 0), shift, 1)


def described(*trails: Trail) -> Statistics:
    """A picture, or one after another."""
    return describe(trails[0], trails[-1])


def test_coverage_is_the_lit_share() -> None:
    trail = np.zeros((SIDE, SIDE), np.float32)
    trail[:32] = 3
    assert st.coverage(trail) == 0.25
    assert st.coverage(np.ones((16, 16), np.float32)) == 1


def test_contrast_and_entropy_of_two_equal_halves() -> None:
    trail = np.zeros((SIDE, SIDE), np.float32)
    trail[:64] = 2
    assert st.contrast(trail) == pytest.approx(1 / 3)  # tones 0 and 2/3
    assert st.entropy(trail) == pytest.approx(1 / np.log2(st.TONES))


def test_nothing_but_the_level_depends_on_deposit() -> None:
    one, many = described(dots(16), dots(16, 3)), described(64 * dots(16), 64 * dots(16, 3))
    assert many.level == pytest.approx(64 * one.level)
    assert distance(one, many) == pytest.approx(0, abs=1e-5)


def test_motion() -> None:
    assert st.motion(noise(1), noise(1)) == pytest.approx(0)
    assert st.motion(noise(1), noise(2)) == pytest.approx(1, abs=0.05)
    assert st.motion(wave(16), np.roll(wave(16), 8, 1)) > 1.5
    assert st.motion(np.ones((16, 16), np.float32), noise(1, 16, 16)) == 1


@pytest.mark.parametrize("period", [4, 8, 16, 23.5, 40])
@pytest.mark.parametrize("degrees", [0, 30, 90, 145])
def test_length_scale_finds_the_period_at_any_size(period: float, degrees: float) -> None:
    for size in ((96, 160), (SIDE, SIDE), (201, 255)):
        spectrum = st.radial_spectrum(st.waves(wave(period, degrees, *size)))
        assert spectrum.sum() == pytest.approx(1)
        assert st.length_scale(spectrum) == pytest.approx(period, rel=0.3)  # a ring spans 1.41


def test_white_noise_has_as_much_variance_in_a_ring_as_the_ring_has_waves() -> None:
    spectrum = st.radial_spectrum(st.waves(noise(1)))
    area = np.pi * (0.5 / 2 ** (np.arange(6) / 2)) ** 2  # of the discs that the rings' outer edges bound
    assert spectrum[1:5] == pytest.approx(area[1:5] - area[2:6], rel=0.2)


@pytest.mark.parametrize("degrees", [0, 20, 45, 90, 110, 135])
def test_stripes_at_any_angle(degrees: float) -> None:
    parallel = wave(12, degrees)
    assert st.stripes(st.waves(parallel)) > 0.9
    assert st.stripes(st.waves(parallel + wave(12, degrees + 90))) < 0.1
    assert (
        verdict(described(noise(1) + 9 * parallel, noise(2) + 9 * np.roll(parallel, 2, (0, 1)))) == "stripes"
    )


def test_order_tells_lines_from_grain() -> None:
    half = np.where(np.arange(SIDE)[:, None] < SIDE // 2, wave(16), wave(16, 90))
    assert st.order(half) > 0.9
    assert st.stripes(st.waves(half)) < 0.3
    assert st.order(noise(1)) < st.LOOSE


def test_mixing() -> None:
    lit, dark = np.ones((16, 16), np.float32), np.zeros((16, 16), np.float32)
    left = lit * (np.arange(16) < 8)
    assert st.mixing(lit) == 0
    assert st.mixing(np.stack([left, 1 - left])) == 0
    assert st.mixing(np.stack([lit, lit, lit])) == pytest.approx(1)
    assert st.mixing(np.stack([lit, dark])) == 0


def test_species_that_fill_the_field_together_are_a_pattern() -> None:
    one, later = (np.stack([part, dots(16).max() - part]) for part in (dots(16), dots(16, 3)))
    assert described(one, later).contrast > 2 * st.FLAT
    assert described(one, later).motion > 0.05
    assert st.motion(one, one[::-1]) > 1  # the same total, the species changed places


@pytest.mark.parametrize(
    ("word", "before", "after"),
    [
        ("no trail", lambda: 0 * noise(1), lambda: 0 * noise(1)),
        ("no trail", lambda: 1e-7 * noise(1), lambda: 1e-7 * noise(2)),
        ("no trail", lambda: np.eye(1, SIDE**2).reshape(SIDE, SIDE), lambda: np.eye(SIDE) * 0),
        ("saturated", lambda: noise(1) + 5, lambda: noise(2) + 5),
        ("frozen", lambda: dots(16), lambda: dots(16)),
        ("stripes", lambda: wave(16, 30), lambda: np.roll(wave(16, 30), 3, 1)),
        ("noise", lambda: noise(1), lambda: noise(2)),
        ("", lambda: dots(16), lambda: dots(16, 3)),
    ],
)
def test_verdicts(word: str, before: Callable[[], Trail], after: Callable[[], Trail]) -> None:
    assert verdict(describe(before().astype(np.float32), after().astype(np.float32))) == word


@pytest.mark.parametrize("shape", [(16, 16), (17, 16), (16, 33), (1, 16, 16), (4, 19, 23), (255, 256)])
@pytest.mark.parametrize("value", [0, 1e-30, 0.1, 1, 1e30])
def test_any_shape_and_any_constant_is_described(shape: tuple[int, ...], value: float) -> None:
    found = describe(np.full(shape, value, np.float32), np.full(shape, value, np.float32))
    numbers = [*dataclasses.astuple(found)[:-1], *found.spectrum, found.length_scale]
    assert np.isfinite(numbers).all()
    assert (found.contrast, found.motion, found.stripes, found.order, found.length_scale) == pytest.approx(
        (0,) * 5
    )
    assert verdict(found) in ("no trail", "saturated")


@pytest.mark.parametrize("shape", [(16, 16), (17, 31), (3, 16, 16)])
def test_tiny_noise_stays_in_range(shape: tuple[int, ...]) -> None:
    before, after = (
        np.random.default_rng(seed).exponential(size=shape).astype(np.float32) for seed in (1, 2)
    )
    found = describe(before, after)
    for name in ("coverage", "entropy", "mixing", "stripes", "order"):
        assert 0 <= getattr(found, name) <= 1
    assert sum(found.spectrum) == pytest.approx(1)


def run(params: Params, size: tuple[int, int], density: float, seed: str = "1") -> Statistics:
    simulation = Simulation(World(*size, int(density * size[0] * size[1]), seed), params)
    simulation.step(375)
    before = simulation.trail.copy()
    simulation.step(st.STEPS_APART)
    return describe(before, simulation.trail)


def test_a_look_is_near_itself_at_other_sizes_and_seeds_and_far_from_another() -> None:
    mesh, cells = presets.find("mesh"), presets.find("cells")
    first, other = (run(preset.params, (160, 128), preset.density) for preset in (mesh, cells))
    assert distance(first, first) == 0
    assert distance(first, other) == distance(other, first) > 1
    for preset, small in ((mesh, first), (cells, other)):
        assert verdict(small) == ""
        assert distance(small, run(preset.params, (208, 224), preset.density, "2")) < 0.7


@pytest.mark.parametrize("density", [0.3, 1])
@pytest.mark.parametrize("decay", [0.02, 0.1, 0.4])
@pytest.mark.parametrize("diffusion", [0, 1])
def test_agents_that_do_not_steer_make_no_picture(density: float, decay: float, diffusion: float) -> None:
    params = Params(rotation_angle=0, decay=decay, diffusion=diffusion)
    assert verdict(run(params, (96, 96), density)) in ("saturated", "noise")
