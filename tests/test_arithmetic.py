"""The arithmetic of a step: the same on the host, in the reference and as Numba compiles it."""

import dataclasses
import math
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import contract, cpu_model, direction, reference
from kernels.contract import MAX_LENGTH, SLOT, numbers
from kernels.params import Params
from kernels.world import World


@numba.njit
def each_displaced(places, offset, end, out):
    for i in range(len(places)):
        out[i] = cpu_model.displace(np.uint32(places[i]), np.float32(offset), np.uint32(end))


@numba.njit
def each_sincos(headings, cos, sin):
    for i in range(len(headings)):
        cos[i], sin[i] = cpu_model.sincos(np.uint32(headings[i]))


@numba.njit
def each_pcg(values, out):
    for i in range(len(values)):
        out[i] = cpu_model.pcg(np.uint32(values[i]))


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.sampled_from([16, 257, 401, 1024, 32768]), st.floats(-1, 1, width=32), st.data())
def test_coordinates_stay_inside(side: int, part: float, data: Any) -> None:
    """A float that wraps may land on the field's far edge; whole numbers cannot."""
    world = World(side, side, 1)
    unit = 1 << world.fraction_bits
    end = side * unit
    longest = min((side - 1) * unit, MAX_LENGTH)
    tiny = st.sampled_from([0.0, -1e-9, 1e-9, -1e-7, -0.5, 0.5, -1.0, 1.0, -1e-45, longest, -longest])
    offset = data.draw(st.one_of(st.just(part * longest), tiny))
    places = np.array([0, 1, end // 2, end - 2, end - 1], np.int32)
    by = np.full(len(places), offset, np.float32)
    x, _ = reference.displace(places, np.zeros_like(places), (by, np.zeros_like(by)), world)
    assert x.min() >= 0
    assert x.max() < end
    assert x.tolist() == [(int(place) + round(float(by[0]))) % end for place in places]
    ours = np.empty_like(x)
    each_displaced(places, by[0], end, ours)
    assert ours.tolist() == x.tolist()


def test_sincos_of_every_heading() -> None:
    headings = np.arange(65536, dtype=np.int32)
    cos, sin = direction.sincos(headings)
    angles = [heading / 65536 * math.tau for heading in range(65536)]
    assert np.abs(cos - [math.cos(angle) for angle in angles]).max() < 2e-7
    assert np.abs(sin - [math.sin(angle) for angle in angles]).max() < 2e-7
    ours = np.empty_like(cos), np.empty_like(sin)
    each_sincos(headings, *ours)
    assert np.array_equal(ours[0], cos)
    assert np.array_equal(ours[1], sin)


def test_pcg_is_the_published_one() -> None:
    """Values of pcg_rxs_m_xs_32 as Jarzynski and Olano print it, worked out apart from this code."""
    values = np.array([0, 1, 2, 12345, 0x7FFFFFFF, 0xFFFFFFFF], np.uint32)
    expected = [129708002, 2831084092, 2055130248, 4099845390, 3919530446, 3861530882]
    assert [contract.pcg(int(value)) for value in values] == expected
    assert reference.pcg(values).tolist() == expected
    ours = np.empty_like(values)
    each_pcg(values, ours)
    assert ours.tolist() == expected


def test_step_keys_are_pinned() -> None:
    keys = [contract.step_key((1941079659, 3791402239), step) for step in (0, 1, 10_000_000)]
    assert keys == [16972340, 4126033927, 4019724988]


# The numbers a step reads


def value(name: str, params: Params, world: World) -> float:
    return float(numbers(params, world).values[0, 0, SLOT[name]])


def test_step_values_are_in_inside_units() -> None:
    world, params = World(401, 257, 1), Params(
        sensor_angle=60.0, sensor_distance=10.0, rotation_angle=-90.0, step_size=1.5,
        deposit=3.0, decay=0.2, diffusion=0.75,
    )  # fmt: skip
    expected = {
        "sensor_ahead": 81920,
        "sensor_cos": 40960,
        "sensor_sin": 81920 * math.sqrt(3) / 2,
        "turn": -16384,
        "turn_cos": 0,
        "turn_sin": -1,
        "step": 12288,
        "deposit": 3,
        "keep_centre": 0.2,
        "keep_ring": 0.6 / 9,
    }
    assert numbers(params, world).values.dtype == np.float32
    assert {name: value(name, params, world) for name in expected} == pytest.approx(
        expected, rel=1e-6, abs=1e-12
    )


def test_what_rules_read_is_in_inside_units() -> None:
    world, params = World(401, 257, 1, shares=(1.0, 1.0)), Params(
        deposit=3.0, deposit_curve="capped", sense_offset=-2.0, sense_threshold=0.5, wander=90.0,
        turn_chance=0.25, respawn=100.0, lifetime=0.0, attraction_to_2=-1.5, food=7.0, joins="2",
        join_threshold=0.7, join_chance=1.0,
    )  # fmt: skip
    expected = {
        "deposit": 3,
        "deposit_slope": 0,
        "sense_offset": -16384,
        "sense_threshold": 0.5,
        "wander": 16384,
        "turn_chance": 2**22,
        "respawn_chance": round(2**24 / 100),
        "lifetime_chance": 0,
        "attraction_0": 1,
        "attraction_1": -1.5,
        "food": 7,
        "joins": 1,
        "join_threshold": 0.7,
        "join_chance": 2**24,
    }
    found = {name: value(name, params, world) for name in expected}
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-12)
    assert value("deposit_slope", dataclasses.replace(params, deposit_curve="linear"), world) == 3
    assert value("joins", dataclasses.replace(params, joins="4"), world) == -1, "there is none"


@pytest.mark.parametrize(("width", "height"), [(16, 4096), (32768, 16), (4096, 4096), (300, 300)])
def test_lengths_stay_below_the_field_and_exact(width: int, height: int) -> None:
    world = World(width, height, 1)
    longest = Params(sensor_distance=200.0, step_size=20.0)
    bound = min((min(width, height) - 1) << world.fraction_bits, MAX_LENGTH)
    assert value("sensor_ahead", longest, world) == min(200 << world.fraction_bits, bound)
    assert value("step", longest, world) == min(20 << world.fraction_bits, bound)


def test_the_kept_shares_add_up_to_what_does_not_decay() -> None:
    for diffusion in (0.0, 0.3, 1.0):
        kept = Params(decay=0.1, diffusion=diffusion)
        centre, ring = (value(name, kept, World(64, 48, 1)) for name in ("keep_centre", "keep_ring"))
        assert centre + 9 * ring == pytest.approx(0.9, rel=1e-6)
