"""The sensor lens: what it draws is what agents do, at the scale it says, on the field that is shown."""

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import floats

from app import lens
from app.lens import SIDES, Agent, agents, way
from app.panel_lens import legend, told
from app.view import View
from kernels.params import Params, check_params

AGENTS = st.builds(
    Agent,
    st.none(),
    floats(-200, 200),
    floats(0, 180),
    floats(-180, 180),
    floats(-20, 20),
    st.integers(1, 9),
)


def test_angles_are_degrees_to_the_right_of_straight_ahead() -> None:
    assert way(0, 10) == pytest.approx((0, -10))
    assert way(90, 10) == pytest.approx((10, 0))
    assert way(-90, 10) == pytest.approx((-10, 0))
    assert way(180, 10) == pytest.approx((0, 10))
    assert way(30, -2) == pytest.approx((-1, math.sqrt(3)))


@given(AGENTS)
def test_sensors_stand_at_their_distance_and_steps_end_at_theirs(agent) -> None:
    for side in SIDES:
        assert math.hypot(*agent.sensor(side)) == pytest.approx(abs(agent.sensor_distance), abs=1e-9)
        assert math.hypot(*agent.step(side)) == pytest.approx(abs(agent.step_size), abs=1e-9)
    left, right = agent.sensor(-1), agent.sensor(1)
    assert (left[0], left[1]) == pytest.approx((-right[0], right[1]), abs=1e-9)


@given(AGENTS)
def test_a_drawing_about_its_middle_is_within_its_reach(agent) -> None:
    half = agent.sensor_width / 2
    for point, more in [((0.0, 0.0), 0.0)] + [
        pair for side in SIDES for pair in ((agent.sensor(side), half), (agent.step(side), 0.0))
    ]:
        assert math.hypot(point[0], point[1] - agent.middle) + more <= agent.reach + 1e-9


@given(
    AGENTS.filter(lambda agent: abs(agent.sensor_distance) < 40),
    floats(0.25, 20),
    floats(-360, 360),
    floats(0, 1),
    floats(0, 1),
)
def test_it_lies_on_the_picture_as_on_the_field_at_any_zoom_and_angle_of_view(
    agent, zoom, angle, x, y
) -> None:
    """The points of the drawing, put on the picture, are field pixels apart as the agent's own are."""
    view = View((640, 360), (1280, 720), zoom=zoom, angle=angle)
    here = x * 1280, y * 720
    stands = view.field_at(*here)
    for side in SIDES:
        sensor = agent.sensor(side)
        seen = view.field_at(here[0] + sensor[0] * view.scale, here[1] + sensor[1] * view.scale)
        apart = [_round_the_torus(b - a, size) for a, b, size in zip(stands, seen, view.field, strict=True)]
        assert math.hypot(*apart) == pytest.approx(abs(agent.sensor_distance), abs=1e-6)


def _round_the_torus(way: float, size: float) -> float:
    return (way + size / 2) % size - size / 2


def test_one_agent_where_nothing_follows_the_trail_and_two_where_something_does() -> None:
    plain = Params(
        sensor_angle=20.0, sensor_distance=7.0, rotation_angle=-40.0, step_size=0.5, sensor_width=3
    )
    assert agents(plain, 0) == [Agent(None, 7.0, 20.0, -40.0, 0.5, 3)]
    follows = dataclasses.replace(plain, sensor_distance_amplitude=5.0, rotation_angle_amplitude=90.0)
    assert agents(follows, 0) == [Agent(0.0, 7.0, 20.0, -40.0, 0.5, 3), Agent(1.0, 12.0, 20.0, 50.0, 0.5, 3)]


def test_a_curve_drawn_by_hand_says_how_far_it_has_gone_at_both_ends() -> None:
    drawn = check_params({"step_size": 2.0, "step_size_amplitude": 4.0, "step_size_curve": "0 0.25, 1 0.5"})
    assert [agent.step_size for agent in agents(drawn, 0)] == pytest.approx([3.0, 4.0])


def test_each_species_has_its_own() -> None:
    params = check_params({"sensor_angle": 10.0, "sensor_angle_2": 70.0})
    assert [agents(params, species)[0].sensor_angle for species in (0, 1)] == [10.0, 70.0]


@given(floats(1e-3, 1e5), floats(1, 100))
def test_a_drawing_is_magnified_by_a_power_of_two_until_it_is_seen(length, least) -> None:
    factor = lens.magnification(length, least, 2.05 * least)
    assert least * (1 - 1e-9) <= length * factor <= 2.05 * least * (1 + 1e-9)
    assert math.log2(factor) == round(math.log2(factor))
    assert (factor == 1) == (least <= length <= 2.05 * least)


@given(floats(1e-3, 100), floats(1, 50))
def test_lines_of_the_grid_are_apart_enough_and_no_more_than_that(scale, least) -> None:
    unit = lens.grid(scale, least)
    assert unit * scale >= least
    assert str(unit).strip("0") in ("1", "2", "5")
    assert unit == 1 or unit / 2.5 * scale < least


def test_values_are_told_with_units_and_from_which_to_which() -> None:
    bare, strong = Agent(0.0, 7.0, 30.0, 6.25, 1.0, 1), Agent(1.0, 21.5, 30.0, -6.0, 1.0, 1)
    assert told([bare], "sensor_distance") == "7 px"
    assert told([bare, strong], "sensor_distance") == "7 to 21.5 px"
    assert told([bare, strong], "sensor_angle") == "30°"
    assert told([bare, strong], "rotation_angle") == "6.25 to -6°"
    assert " ".join(legend(bare)).count("30°") == 1
    assert lens.told(1) == "as large as in the picture"
    assert lens.told(8) == "8 x as large as in the picture"
    assert lens.told(1 / 4) == "1/4 of its size in the picture"
