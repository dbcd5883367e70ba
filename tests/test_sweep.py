"""The map of two parameters, without a window."""

import dataclasses
import gc
import weakref
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from app.backend import Choice
from app.studio import Studio
from app.sweep import AXES, GRIDS, MEASURES, STEPS, Axis, Sweep, coarse_to_fine, sweepable
from kernels.params import SPECS, Params
from kernels.simulation import Simulation
from kernels.statistics import STEPS_APART, describe
from kernels.world import World
from presets import Preset

WORLD = World(64, 48, 600, "sweep")
LOOK = Preset("look", "Look", params=Params(sensor_distance=6.0))
CHOICE = Choice("reference", False, "NumPy", "for a test")
TARGET = 120, 80
LONG = 1e9  # seconds, as on a machine that is fast enough
ACROSS, UP = Axis("sensor_angle", 20.0, 60.0, 3), Axis("decay", 0.02, 0.32, 2)


def small_sweep(steps: int = 30) -> Sweep:
    return Sweep(LOOK, WORLD, CHOICE, TARGET, ACROSS, UP, steps)


def done(sweep: Sweep) -> Sweep:
    for _ in range(1000):
        sweep.advance(LONG)
        if sweep.done == 1:
            return sweep
    raise AssertionError("it does not end")


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    studio = Studio(LOOK, WORLD, CHOICE, tmp_path)
    studio.view.target = TARGET
    return studio


@pytest.mark.parametrize("open_one", [Studio.toggle_wall, Studio.toggle_sweep])
def test_another_moment_or_world_is_seen_at_once(studio: Studio, open_one: Callable[[Studio], None]) -> None:
    moment = studio.session.moment()
    for leave in (lambda: studio.return_to(moment), studio.restart, studio.undo):
        open_one(studio)
        assert studio.surveying
        leave()
        assert not studio.surveying


@pytest.mark.parametrize("name", sweepable(4))
def test_an_axis_lies_about_the_present_value(name: str) -> None:
    spec = SPECS[name]
    for value in {spec.low, spec.default, spec.high, (spec.low + spec.high) / 3}:
        value = spec.check(round(value) if isinstance(spec.default, int) else value)
        axis = Axis.around(name, float(value), 5)
        assert spec.low <= axis.low < axis.high <= spec.high
        assert axis.low <= value * 1.001 or value <= 0
        assert value * 0.999 <= axis.high or value <= 0
        values = axis.values
        assert values == sorted(values)
        assert values == [spec.check(each) for each in values]
        assert (values[0], values[-1]) == pytest.approx(
            (axis.low, axis.high), abs=0.5 * isinstance(value, int)
        )


@pytest.mark.parametrize("name", ["sensor_angle", "rotation_angle", "decay", "attraction_to_1"])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_present_value_has_a_place_of_its_own(name: str, sign: int) -> None:
    spec = SPECS[name]
    value = max(spec.low, sign * float(f"{spec.high / 12:.3g}"))
    axis = Axis.around(name, value, 9)
    assert any(each == pytest.approx(value, rel=0.01) for each in axis.values)
    assert axis.low * axis.high >= 0  # beyond 0 lies something else


def test_what_can_be_swept_are_the_numbers_that_make_a_look() -> None:
    assert {"sensor_angle", "exposure", "sensor_width", "decay"} <= set(sweepable(1))
    assert not {"palette", "boundary", "steps_per_frame", "decay_2"} & set(sweepable(1))
    assert "decay_2" in sweepable(2)
    assert set(AXES) <= set(sweepable(1))


def test_values_keep_to_the_scale() -> None:
    assert Axis("decay", 0.01, 0.64, 4).values == pytest.approx([0.01, 0.04, 0.16, 0.64])
    assert Axis("sensor_angle", 10.0, 40.0, 4).values == [10.0, 20.0, 30.0, 40.0]
    assert Axis("sensor_width", 1.0, 9.0, 5).values == [1, 3, 5, 7, 9]
    assert Axis("wander", 0.0, 180.0, 3).values == [0.0, 90.0, 180.0]  # no factor leads away from 0


@pytest.mark.parametrize("grid", [*GRIDS, (1, 1), (3, 9)], ids=str)
def test_cells_come_from_coarse_to_fine(grid) -> None:
    columns, rows = grid
    order = coarse_to_fine(columns, rows)
    assert sorted(order) == list(range(columns * rows))
    coarse = [cell for cell in order if cell % columns % 4 == cell // columns % 4 == 0]
    assert order[: len(coarse)] == coarse


def test_cells_are_what_a_simulation_becomes() -> None:
    sweep = done(small_sweep())
    assert sorted(sweep.results) == list(range(6))
    assert sweep.values(0) == {"sensor_angle": 20.0, "decay": 0.32}  # upper left: the second axis points up
    assert sweep.values(5) == {"sensor_angle": 60.0, "decay": 0.02}
    for cell in (0, 4):
        params = dataclasses.replace(LOOK.params, **sweep.values(cell))
        simulation = Simulation(sweep.worlds.world, params, "reference")
        simulation.step(30 - STEPS_APART)
        before = simulation.trail.copy()
        simulation.step(STEPS_APART)
        result = sweep.results[cell]
        np.testing.assert_array_equal(result.trail, simulation.trail)
        assert result.statistics == describe(before, simulation.trail)
        assert (result.look, result.counts) == (params, None)


def test_agents_are_counted_where_the_look_shows_them() -> None:
    look = dataclasses.replace(LOOK, params=dataclasses.replace(LOOK.params, sparkle=1.0))
    sweep = done(Sweep(look, WORLD, CHOICE, TARGET, ACROSS, UP, 30))
    assert all(result.counts.sum() == sweep.worlds.world.agents for result in sweep.results.values())


def test_measures_have_a_range() -> None:
    sweep = small_sweep()
    assert sweep.range_of("coverage") == (0.0, 1.0)
    done(sweep)
    for measure in MEASURES:
        low, high = sweep.range_of(measure)
        values = [getattr(result.statistics, measure) for result in sweep.results.values()]
        assert (low, high) == (min(values), max(values))
        assert low < high


def test_a_map_fills_bit_by_bit_and_can_be_stopped() -> None:
    sweep = small_sweep()
    sweep.advance(LONG)
    assert 0 < sweep.done < 1
    assert list(sweep.under_way) == [0]
    while not sweep.results:
        sweep.advance(LONG)
    sweep.stopped = True
    there = sweep.done
    sweep.advance(LONG)
    assert sweep.done == there
    assert (sweep.stand_in(0), sweep.stand_in(1), sweep.stand_in(4)) == (0, 0, 0)
    sweep.stopped = False
    assert len(done(sweep).results) == 6
    assert sweep.stand_in(4) == 4


def test_nothing_stands_in_before_anything_is_done() -> None:
    assert small_sweep().stand_in(5) is None


def test_several_worlds_at_a_time_give_the_same() -> None:
    one, several = small_sweep(), small_sweep()
    several.worlds.sessions += [None, None, None]
    done(one)
    done(several)
    for cell, result in one.results.items():
        np.testing.assert_array_equal(result.trail, several.results[cell].trail)
        assert result.statistics == several.results[cell].statistics


def test_what_was_under_way_begins_again_after_a_rest() -> None:
    sweep = small_sweep()
    for _ in range(3):
        sweep.advance(LONG)
    left = [weakref.ref(session) for session in sweep.under_way.values()]
    sweep.rest()
    gc.collect()
    assert left
    assert not any(each() for each in left)
    assert len(done(sweep).results) == 6
    assert sweep.worlds.living == {}  # a map that is done holds nothing


def test_the_present_cell_is_the_nearest() -> None:
    sweep = small_sweep()
    assert sweep.present(dataclasses.replace(LOOK.params, sensor_angle=38.0, decay=0.03)) == 4
    assert sweep.present(dataclasses.replace(LOOK.params, sensor_angle=60.0, decay=0.32)) == 2
    assert sweep.present(dataclasses.replace(LOOK.params, sensor_angle=61.0)) is None


# What a person does


def test_a_click_goes_there_and_the_map_can_be_opened_again(studio) -> None:
    studio.session.advance(3)
    studio.toggle_sweep()
    assert studio.steps_due(1 / 60) == 0
    studio.survey(ACROSS, UP, 30)
    sweep = done(studio.sweep)
    studio.go_to(2)
    assert studio.sweep is None
    params = studio.session.params
    assert (params.sensor_angle, params.decay) == (60.0, 0.32)
    assert (studio.session.steps, len(studio.session.log)) == (3, 1)
    studio.toggle_sweep()
    assert studio.sweep is sweep
    studio.escape()
    assert studio.sweep is None


def test_a_map_that_no_longer_holds_is_made_anew_of_the_same_parameters(studio) -> None:
    studio.toggle_sweep()
    assert (studio.sweep.across.name, studio.sweep.down.name, studio.sweep.steps) == (*AXES, STEPS)
    studio.survey(ACROSS, UP, 30)
    sweep = studio.sweep
    studio.toggle_sweep()
    studio.change(step_size=1.5)
    studio.toggle_sweep()
    assert studio.sweep is not sweep
    assert (studio.sweep.across.name, studio.sweep.down.name) == ("sensor_angle", "decay")
    assert (studio.sweep.across.count, studio.sweep.down.count, studio.sweep.steps) == (3, 2, 30)
    assert studio.sweep.look.params.step_size == 1.5


def test_parameters_of_a_species_that_is_gone_are_left(studio) -> None:
    studio.add_species()
    studio.toggle_sweep()
    studio.survey(Axis("decay_2", 0.1, 0.2, 2), UP, 30)
    studio.toggle_sweep()
    studio.remove_species(1)
    studio.toggle_sweep()
    assert (studio.sweep.across.name, studio.sweep.down.name) == AXES


def test_a_map_and_a_wall_are_not_shown_together(studio) -> None:
    studio.toggle_sweep()
    studio.toggle_wall()
    assert studio.sweep is None
    studio.toggle_sweep()
    assert studio.wall is None
    assert studio.surveying


def test_a_map_that_does_not_fit_is_refused(studio, monkeypatch) -> None:
    monkeypatch.setattr("app.backend.free_memory", lambda backend: 1000)
    studio.toggle_sweep()
    assert studio.sweep is None
    assert "GiB" in studio.notices.current()[-1]
