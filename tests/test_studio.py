import dataclasses
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app import keys
from app.backend import Choice
from app.record import Record, encode_png, from_text, to_text
from app.studio import Studio
from kernels.params import Brush, Params
from kernels.world import World
from presets import Preset

WORLD = World(64, 48, 600, "studio")
LOOK = Preset(name="look", title="Look", credit="", density=0.2, params=Params(decay=0.2))
CHOICE = Choice("reference", False, "NumPy", "for a test")


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    return Studio(LOOK, WORLD, CHOICE, tmp_path)


def test_every_key_names_a_command_and_a_name_is_taken_once() -> None:
    taken = [(name, key.ctrl) for key in keys.KEYS for name in key.names]
    assert len(taken) == len(set(taken))
    assert all(callable(getattr(Studio, key.action)) for key in keys.KEYS)


@pytest.mark.parametrize(
    ("hertz", "steps_per_frame", "expected"), [(60, 1, 120), (144, 1, 120), (240, 3, 360), (30, 2, 120)]
)
def test_life_runs_at_one_speed_on_fast_screens(studio, hertz, steps_per_frame, expected) -> None:
    studio.change(steps_per_frame=steps_per_frame)
    steps = sum(studio.steps_due(1 / hertz) for _ in range(2 * hertz))
    assert abs(steps - expected) <= steps_per_frame


def test_a_stall_is_not_caught_up(studio) -> None:
    assert studio.steps_due(2.0) == 1


def test_paused_only_single_steps_are_due(studio) -> None:
    studio.toggle_pause()
    assert studio.steps_due(1 / 60) == 0
    studio.single_step()
    studio.single_step()
    assert studio.steps_due(1 / 60) == 2
    assert studio.steps_due(1 / 60) == 0


def test_single_steps_do_not_outlive_their_pause(studio) -> None:
    studio.single_step()
    studio.toggle_pause()
    studio.toggle_pause()
    assert studio.steps_due(1 / 60) == 0
    studio.single_step()
    studio.restart()
    assert studio.steps_due(1 / 60) == 0


def test_restart_repeats_the_run(studio) -> None:
    studio.session.advance(9)
    digest = studio.session.simulation.digest()
    studio.restart()
    studio.session.advance(9)
    assert studio.session.simulation.digest() == digest
    studio.new_seed()
    studio.session.advance(9)
    assert studio.session.simulation.digest() != digest


def test_a_world_that_does_not_fit_is_refused_and_the_run_goes_on(studio, monkeypatch) -> None:
    studio.session.advance(3)
    before = studio.session.simulation
    assert not studio.rebuild(dataclasses.replace(WORLD, width=20_000))
    assert "20000x48" in studio.notices.current()[-1]
    monkeypatch.setattr("app.backend.free_memory", lambda backend: 1000)
    assert not studio.rebuild(dataclasses.replace(WORLD, agents=700))
    assert "GiB" in studio.notices.current()[-1]
    assert studio.session.simulation is before
    assert studio.session.steps == 3


def test_memory_running_out_while_building_keeps_the_run(studio, monkeypatch) -> None:
    def out_of_memory(*_: object) -> None:
        raise MemoryError("no memory for this world.")

    before = studio.session.simulation
    monkeypatch.setattr("app.session.Simulation", out_of_memory)
    assert not studio.rebuild(dataclasses.replace(WORLD, width=80))
    assert studio.session.simulation is before
    assert studio.notices.current() == ["no memory for this world."]


def test_a_preset_brings_its_density_or_keeps_the_agents(studio) -> None:
    dense = dataclasses.replace(LOOK, name="dense", title="Dense", density=1.0, params=Params(decay=0.4))
    studio.session.advance(5)
    studio.load_preset(dense, keep_agents=True)
    assert (studio.session.steps, studio.session.world) == (5, WORLD)
    assert studio.session.params == dense.params
    studio.load_preset(dense)
    assert studio.session.steps == 0
    assert studio.session.world.agents == 64 * 48


def test_saving_and_deleting_own_presets(studio, tmp_path) -> None:
    shipped = len(studio.presets)
    studio.change(decay=0.33)
    studio.save_preset("My look")
    assert (tmp_path / "my-look.toml").exists()
    assert studio.session.preset.name == "my-look"
    entry = studio.presets[-1]
    assert entry.own
    assert entry.preset.params.decay == 0.33
    studio.save_preset("My look")
    assert "exists already" in studio.notices.current()[-1]
    studio.delete_preset("veins")
    assert "shipped" in studio.notices.current()[-1]
    studio.delete_preset("my-look")
    assert len(studio.presets) == shipped


def picture_of_a_run(studio: Studio, path: Path) -> Record:
    studio.session.advance(6)
    studio.paint([(30.0, 20.0)], erase=False, begins=True)
    studio.change(rotation_angle=-50.0)
    studio.session.advance(20)
    record = studio.session.record(studio.session.simulation.digest())
    path.write_bytes(encode_png(np.zeros((4, 4, 3), np.uint8), record))
    return record


def test_a_dropped_picture_is_offered_and_comes_back(studio, tmp_path) -> None:
    record = picture_of_a_run(studio, tmp_path / "a.png")
    other = Studio(LOOK, World(16, 16, 9), CHOICE, tmp_path)
    other.open(tmp_path / "a.png")
    assert other.offer == record
    assert other.session.world == WORLD
    other.accept_offer()
    frames = 0
    while other.replay:
        assert other.steps_due(1 / 60) == 0
        other.go_on_with_replay()
        frames += 1
        assert frames < 100
    assert other.session.simulation.digest() == record.digest
    assert other.paused
    assert "bit for bit" in other.notices.current()[-1]


def test_a_picture_taken_before_the_first_step_comes_back(studio, tmp_path) -> None:
    studio.paint([(30.0, 20.0)], erase=False, begins=True)
    record = studio.session.record(studio.session.simulation.digest())
    (tmp_path / "a.png").write_bytes(encode_png(np.zeros((4, 4, 3), np.uint8), record))
    studio.open(tmp_path / "a.png")
    studio.accept_offer()
    studio.single_step()
    studio.go_on_with_replay()
    assert studio.replay is None
    assert "bit for bit" in studio.notices.current()[-1]
    assert studio.steps_due(1 / 60) == 0


def test_a_change_on_the_way_ends_the_replay(studio, tmp_path) -> None:
    picture_of_a_run(studio, tmp_path / "a.png")
    studio.open(tmp_path / "a.png")
    studio.accept_offer()
    studio.change(decay=0.5)
    assert studio.replay is None
    studio.session.advance(50)
    assert studio.session.params.rotation_angle == LOOK.params.rotation_angle


def test_a_picture_whose_field_cannot_be_reached_says_so(studio, tmp_path) -> None:
    record = dataclasses.replace(picture_of_a_run(studio, tmp_path / "a.png"), digest="sha256:" + "0" * 64)
    (tmp_path / "b.png").write_bytes(encode_png(np.zeros((4, 4, 3), np.uint8), record))
    studio.open(tmp_path / "b.png")
    studio.accept_offer()
    while studio.replay:
        studio.go_on_with_replay()
    assert "differs" in studio.notices.current()[-1]


def test_declining_stays_at_the_beginning(studio, tmp_path) -> None:
    picture_of_a_run(studio, tmp_path / "a.png")
    studio.open(tmp_path / "a.png")
    studio.decline_offer()
    assert studio.offer is None
    assert studio.session.steps == 0
    assert not studio.session.script


@pytest.mark.parametrize("strength", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("erase", [False, True])
def test_the_faintest_and_the_strongest_brush_leave_a_mark(studio, strength, erase) -> None:
    studio.session.advance(10)
    before = studio.session.simulation.trail.copy()
    studio.brush = dataclasses.replace(studio.brush, strength=strength)
    studio.paint([(30.0, 20.0)], erase, begins=True)
    change = studio.session.simulation.trail - before
    assert (change < 0).any() if erase else (change > 0).any()
    assert not ((change > 0).any() if erase else (change < 0).any())
    assert (studio.session.simulation.trail >= 0).all()


@given(
    st.floats(0.01, 100),
    st.floats(0.01, 100),
    st.floats(0.001, 0.95),
    st.floats(1, 256),
    st.booleans(),
)
@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_stroke_can_be_read_back(studio, strength, deposit, decay, radius, erase) -> None:
    studio.session.change(deposit=deposit, decay=decay)
    studio.brush = Brush(radius, strength)
    studio.paint([(-1e6, 1e6)], erase, begins=True)
    record = studio.session.record("")
    assert from_text(to_text(record), "a.png") == record


def test_saving_again_replaces_only_when_told(studio, tmp_path) -> None:
    assert not studio.replaces("My look")
    assert studio.save_preset("My look")
    assert studio.replaces("my LOOK")
    assert not studio.save_preset("My look")
    studio.change(decay=0.44)
    assert studio.save_preset("My look", overwrite=True)
    assert studio.presets[-1].preset.params.decay == 0.44


@pytest.mark.parametrize("again", [Studio.restart, Studio.new_seed, Studio.add_species])
def test_what_revives_a_world_does_not_outlive_it(studio, again) -> None:
    studio.watch.cure = {"wander": (0.0, 20.0), "respawn": (0.0, 150.0)}
    studio.change(wander=20.0, respawn=150.0)
    again(studio)
    assert (studio.session.params.wander, studio.session.params.respawn) == (0.0, 0.0)
    assert studio.watch.cure == {}
