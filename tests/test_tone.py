"""Tone curves, and automatic exposure."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.meter import CALM, LEAST, STEPS_APART, WANTED, Meter
from app.palette import light_of, to_srgb
from app.session import Session
from app.tone import CURVES, LOOK_SIZE, look_up, tones
from kernels.params import SPECS, TONES, Params
from kernels.world import World
from presets import Preset

PLACES = np.linspace(0, 1, LOOK_SIZE)[:-1] ** 2
EXPOSED = PLACES / (1 - PLACES)  # of all entries but the last, which stands for any amount
GAMMA, CONTRAST = (st.floats(SPECS[name].low, SPECS[name].high) for name in ("gamma", "contrast"))


def test_every_tone_that_can_be_chosen_is_there() -> None:
    assert tuple(CURVES) == TONES


@given(st.sampled_from(TONES), GAMMA, CONTRAST)
def test_tones_rise_from_ground_to_the_palettes_end(tone: str, gamma: float, contrast: float) -> None:
    curve = tones(Params(tone=tone, gamma=gamma, contrast=contrast))
    assert curve.shape == (LOOK_SIZE,)
    assert np.isfinite(curve).all()
    assert curve[0] == pytest.approx(0, abs=1e-9)
    assert curve[-1] == pytest.approx(1, abs=1e-9)
    assert np.diff(curve).min() >= -1e-12


@pytest.mark.parametrize(
    ("tone", "expected"),
    [
        ("exponential", 1 - np.exp(-1)),
        ("none", 0.5),
        ("reinhard", 0.5),
        ("aces", 0.6 * (2.51 * 0.6 + 0.03) / (0.6 * (2.43 * 0.6 + 0.59) + 0.14)),
    ],
)
def test_a_known_exposure_has_its_tone(tone: str, expected: float) -> None:
    curve = tones(Params(tone=tone))
    assert np.interp(1.0, EXPOSED, curve[:-1]) == pytest.approx(expected, abs=1e-3)


def test_gamma_lifts_and_contrast_keeps_the_middle() -> None:
    plain = tones(Params())
    assert (tones(Params(gamma=2.0))[1 : LOOK_SIZE // 2] > plain[1 : LOOK_SIZE // 2]).all()
    steep = tones(Params(contrast=3.0))
    assert (steep[plain > 0.51] >= plain[plain > 0.51] - 1e-12).all()
    assert (steep[plain < 0.49] <= plain[plain < 0.49] + 1e-12).all()


def test_the_table_holds_the_palette_in_the_order_of_tones() -> None:
    params = Params(palette="#000000 0, #ffffff 1", tone="reinhard")
    linear = look_up(params, 0, linear=True)
    assert linear.shape == (2, LOOK_SIZE, 4)
    np.testing.assert_allclose(linear[0, :, 3], tones(params), atol=1e-6)
    np.testing.assert_allclose(linear[1, [0, -1], :3], light_of(params.palette)[[0, -1]], atol=1e-6)
    assert (np.diff(linear[..., 0], axis=1) >= 0).all()
    shown = look_up(params, 0, linear=False)[..., :3]
    np.testing.assert_allclose(shown, np.round(to_srgb(linear[..., :3].astype(float)) * 255) / 255, atol=1e-6)


# Automatic exposure


def test_the_bright_parts_come_out_as_bright_however_strong_the_trail_is() -> None:
    field = np.random.default_rng(2).gamma(0.2, 1, (64, 64))
    for strength in 0.01, 1.0, 300.0:
        meter = Meter()
        meter.see(strength * field)
        shown = meter.adapted(Params(auto_exposure=1.0))
        assert shown.exposure * np.percentile(strength * field, 98) == pytest.approx(WANTED)
        assert shown.gamma == 1


def test_half_automatic_is_halfway_and_off_is_off() -> None:
    meter = Meter()
    assert meter.adapted(Params(auto_exposure=1.0)) == Params(auto_exposure=1.0)  # nothing is known yet
    meter.see(np.full((8, 8), 8.0))
    assert meter.adapted(Params(exposure=4.0)) == Params(exposure=4.0)
    half = meter.adapted(Params(exposure=4.0, auto_exposure=0.5))
    assert half.exposure == pytest.approx(1.0)  # between 4 and 0.25


def test_gamma_sinks_where_trail_covers_the_field() -> None:
    even, meter = np.ones((8, 8)), Meter()
    meter.see(even)
    full = meter.adapted(Params(auto_exposure=1.0)).gamma
    assert full == LEAST
    assert full < meter.adapted(Params(auto_exposure=0.5)).gamma < 1
    lines = np.where(np.arange(64) % 8 == 0, 1.0, CALM / 2) * np.ones((8, 1))
    meter = Meter()
    meter.see(lines)
    assert meter.adapted(Params(auto_exposure=1.0)).gamma == 1


def test_what_is_empty_leaves_the_exposure_as_it_was() -> None:
    meter = Meter()
    meter.see(np.zeros((8, 8)))
    assert meter.level is None
    meter.see(np.ones((8, 8)))
    meter.see(np.zeros((8, 8)))
    assert meter.level == 1


def test_a_change_comes_in_smoothly() -> None:
    meter = Meter()
    meter.see(np.ones((8, 8)))
    levels = []
    for _ in range(30):
        meter.see(np.full((8, 8), 10.0))
        levels.append(meter.level)
    assert 1 < levels[0] < 5
    assert levels == sorted(levels)
    assert levels[-1] == pytest.approx(10, rel=0.01)


def exposures(chunks: list[int]) -> list[Params]:
    """What a run looks like at the multiples of `STEPS_APART`, stepped in such portions."""
    preset = Preset("own", "Own", params=Params(auto_exposure=0.8))
    session = Session(preset, World(48, 32, 500, "meter"), "reference")
    found = []
    for chunk in chunks:
        session.advance(chunk)
        if session.steps % STEPS_APART == 0:
            found.append(session.look)
    return found


def test_a_run_repeats_its_exposures_however_it_is_stepped() -> None:
    long = exposures([STEPS_APART] * 4)
    assert len(set(long)) == 4
    assert exposures([5, 20, 7] * 4) == long
    assert exposures([1] * 4 * STEPS_APART) == long
    assert exposures([4 * STEPS_APART]) == long[-1:]


def test_after_a_restart_nothing_is_known() -> None:
    preset = Preset("own", "Own", params=Params(auto_exposure=1.0))
    session = Session(preset, World(48, 32, 500, "meter"), "reference")
    session.advance(STEPS_APART)
    assert session.look != session.params
    session.restart()
    assert session.look == session.params
    session.advance(STEPS_APART)
    session.change(auto_exposure=0.0)
    session.advance(1)
    assert dataclasses.replace(session.look, auto_exposure=1.0) == preset.params
