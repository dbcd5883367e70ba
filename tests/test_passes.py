"""A step timed pass by pass, and when a CPU sorts."""

import pytest

from kernels.contract import PASSES
from kernels.cpu_order import LONGEST, SPAN, Pace
from kernels.params import Params
from kernels.simulation import Simulation
from kernels.world import World

WORLD = World(401, 257, 30_011, "7")


def test_nothing_is_timed_unasked() -> None:
    simulation = Simulation(WORLD, Params(), "cpu")
    simulation.step(3)
    assert simulation.pass_seconds == {}


def test_a_sample_times_every_pass_and_changes_nothing() -> None:
    sampled, left_alone = (Simulation(WORLD, Params(), "cpu") for _ in range(2))
    for steps in 1, 1, 70:
        sampled.sample()
        assert sampled.pass_seconds is not sampled.buffers.pass_seconds
        sampled.step(steps)
        left_alone.step(steps)
        assert tuple(sampled.pass_seconds) == PASSES
        assert all(seconds > 0 for seconds in sampled.pass_seconds.values())
    assert sampled.digest() == left_alone.digest()


def test_a_sample_is_of_one_step() -> None:
    simulation = Simulation(WORLD, Params(), "cpu")
    simulation.sample()
    simulation.step()
    taken = simulation.pass_seconds
    simulation.step(2)
    assert simulation.pass_seconds == taken
    simulation.sample()
    simulation.step()
    assert simulation.pass_seconds != taken


def test_a_restart_starts_in_order() -> None:
    simulation = Simulation(WORLD, Params(), "cpu")
    simulation.step(5)
    assert not simulation.buffers.pace.due
    simulation.reset()
    assert simulation.buffers.pace.due


def test_bandwidth_is_plausible_and_measured_once() -> None:
    simulation = Simulation(WORLD, Params(), "cpu")
    bandwidth = simulation.bandwidth()
    assert 1e8 < bandwidth < 1e13  # bytes per second
    assert simulation.bandwidth() == bandwidth


def steps_until_due(pace: Pace, *seconds: float) -> int:
    """Moves agents until a sort is due; the steps take these times, and from then on the last of them."""
    for step in range(1, LONGEST + 1):
        pace.moved(seconds[min(step, len(seconds)) - 1])
        if pace.due:
            return step
    raise AssertionError("a sort is never due")


@pytest.fixture
def pace() -> Pace:
    pace = Pace()
    assert pace.due
    pace.sorted(8.0)
    assert not pace.due
    return pace


def test_agents_that_stay_in_order_are_sorted_seldom(pace: Pace) -> None:
    assert steps_until_due(pace, 1.0) == LONGEST
    assert pace.seconds_a_step == 8.0 / LONGEST


def test_a_sort_is_due_when_disorder_has_cost_one(pace: Pace) -> None:
    """A second is lost in each step from the second span on: 8 after two more spans, and more after three."""
    assert steps_until_due(pace, *[1.0] * SPAN, 2.0) == 4 * SPAN
    pace.sorted(80.0)
    assert pace.seconds_a_step == 80.0 / (4 * SPAN)
    assert steps_until_due(pace, *[1.0] * SPAN, 2.0) == LONGEST


def test_a_hitch_is_no_disorder(pace: Pace) -> None:
    """Of a span of steps the fastest counts."""
    assert steps_until_due(pace, *([1.0] * (SPAN - 1) + [100.0]) * (LONGEST // SPAN)) == LONGEST
