"""Whatever is done can be undone and done again, gesture by gesture."""

import dataclasses
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_moments import CHOICE

from app import history
from app.moments import Moment, expected
from app.studio import Studio
from kernels.maps import FILLS
from kernels.params import Params
from kernels.scene import LAYERS, Start
from kernels.world import World
from presets import Preset

WORLD = World(40, 32, 300, "history")
LOOK = Preset("look", "Look", params=Params(decay=0.2))
OTHER = Preset("other", "Other", density=0.1, params=Params(sensor_angle=60.0), shares=(1.0, 2.0))


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    return Studio(LOOK, WORLD, CHOICE, tmp_path)


def labels(studio: Studio) -> list[str]:
    return [entry.label for entry in studio.history.entries]


def seen(studio: Studio) -> tuple[object, ...]:
    """What undoing has to bring back, whatever has lived on meanwhile."""
    session = studio.session
    maps = session.simulation.maps
    layers = tuple(getattr(maps, layer).tobytes() for layer in LAYERS)
    return session.params, session.other, session.world, session.preset.title, layers, len(session.drawn)


def test_parameters_in_the_living_world(studio) -> None:
    for angle in (30.0, 35.0, 42.0):  # a drag
        studio.change(sensor_angle=angle)
        studio.settle(busy=True)
        studio.session.advance(1)
    studio.settle()
    studio.settle()
    studio.change(decay=0.3, diffusion=0.9)
    studio.settle()
    studio.change(palette="bone", exposure=2.0, gamma=1.5)
    studio.settle()
    studio.change(decay=0.3)  # nothing new
    studio.settle()
    before = Params().sensor_angle
    assert labels(studio) == [
        f"sensor_angle {before:.4g} -> 42", "decay 0.2 -> 0.3, diffusion 1 -> 0.9",
        "3 parameters, exposure among them",
    ]  # fmt: skip
    studio.session.advance(4)
    studio.undo()
    studio.undo()
    assert (studio.session.params.decay, studio.session.params.sensor_angle) == (0.2, 42.0)
    assert studio.session.steps == 7
    studio.undo()
    assert studio.session.params == LOOK.params
    studio.undo()
    assert "nothing to undo" in studio.notices.current()[-1]
    for _ in range(3):
        studio.redo()
    assert studio.session.params.palette == "bone"
    studio.redo()
    assert "nothing to do again" in studio.notices.current()[-1]
    assert [type(event).__name__ for event in studio.session.log[4:]] == ["Change"]  # all of one step


def test_a_change_after_an_undo_takes_what_was_undone_away(studio) -> None:
    for decay in (0.3, 0.4, 0.5):
        studio.change(decay=decay)
        studio.settle()
    studio.undo()
    studio.undo()
    studio.change(exposure=4.0)
    studio.settle()
    assert labels(studio) == ["decay 0.2 -> 0.3", "exposure 1 -> 4"]
    studio.go_to_entry(0)
    assert studio.session.params == LOOK.params
    studio.go_to_entry(2)
    assert (studio.session.params.decay, studio.session.params.exposure) == (0.3, 4.0)


def test_a_restart_and_a_stroke_on_the_trail_are_undone_to_the_very_moment(studio) -> None:
    session = studio.session
    session.advance(7)
    digest = session.simulation.digest()
    for x in (5.0, 9.0):
        studio.paint([(x, 9.0)], erase=False, begins=x == 5.0)
        studio.settle(busy=True)
        session.advance(1)
    studio.settle()
    painted = session.simulation.digest()
    studio.restart()
    session.advance(3)
    studio.new_seed()
    assert labels(studio)[:2] == ["painted trail", "restart"]
    assert labels(studio)[2].startswith("seed history -> ")
    studio.undo()
    studio.undo()
    assert session.simulation.digest() == painted
    studio.undo()
    assert (session.steps, session.simulation.digest()) == (7, digest)
    session.advance(2)
    studio.redo()
    assert session.simulation.digest() == painted


def test_undo_after_a_size_change_restores_the_size(studio) -> None:
    studio.session.advance(3)
    digest = studio.session.simulation.digest()
    studio.rebuild(World(64, 48, 100))
    assert labels(studio) == ["size 40 x 32 -> 64 x 48"]
    studio.undo()
    assert studio.session.world == WORLD
    assert studio.view.field == (40, 32)
    assert studio.session.simulation.digest() == digest
    studio.redo()
    assert studio.view.field == (64, 48)


def test_a_preset_with_the_agents_kept_is_one_entry(studio) -> None:
    studio.load_preset(dataclasses.replace(OTHER, other=Params()), keep_agents=True)
    studio.settle()
    assert labels(studio) == ["preset Other, same agents"]
    studio.undo()
    assert (studio.session.params, studio.session.preset.title) == (LOOK.params, "Look")
    assert studio.session.other is None
    studio.redo()
    assert (studio.session.params, studio.session.preset.title) == (OTHER.params, "Other")


def test_a_change_while_a_step_is_under_way(studio) -> None:
    session = studio.session
    session.step_beside()
    studio.change(decay=0.4)
    studio.settle()
    assert labels(studio) == ["decay 0.2 -> 0.4"]
    session.step_beside()
    studio.undo()
    session.wait()
    assert (session.steps, session.params) == (2, LOOK.params)
    session.step_beside()
    studio.restart()
    session.step_beside()
    studio.undo()
    assert (session.steps, session.params) == (3, LOOK.params)


def test_a_morph_is_one_entry(studio) -> None:
    studio.morph_to(OTHER, seconds=0.1)
    while studio.morphing:
        studio.session.advance(1)
        studio.go_on_with_morph()
        studio.settle(studio.morphing)
    studio.settle()
    assert labels(studio) == ["preset Other, same agents"]
    studio.undo()
    assert studio.session.params == LOOK.params


def test_map_gestures_are_told_and_drawn_again(studio) -> None:
    for layer in LAYERS:
        studio.use_layer(layer)
        studio.paint([(9.0, 9.0), (12.0, 9.0)], erase=layer == "mask", begins=True)
        studio.paint([(15.0, 9.0)], erase=layer == "mask", begins=False)
    studio.fill("radial")
    studio.fill("clear")
    studio.settle()
    assert labels(studio) == [
        "painted food", "painted walls", "erased mask", "filled mask, radial", "cleared mask",
    ]  # fmt: skip
    done = seen(studio)
    studio.go_to_entry(0)
    assert not studio.session.painted
    studio.go_to_entry(5)
    assert seen(studio) == done


def test_what_memory_did_not_keep_begins_again(studio) -> None:
    studio.session.advance(5)
    studio.use_layer("wall")
    studio.paint([(9.0, 9.0)], erase=False, begins=True)
    studio.change(decay=0.4)
    studio.settle()
    before = seen(studio)
    studio.moments.budget = expected(WORLD) - 1
    studio.load_preset(OTHER)
    assert studio.session.world.species == 2
    studio.undo()
    assert seen(studio) == before
    assert studio.session.steps == 0
    assert "memory" in studio.notices.current()[-1]
    studio.undo()
    assert seen(studio)[:4] == (LOOK.params, None, WORLD, "Look")
    assert not studio.session.painted
    assert studio.moments.size == 0


def test_what_is_undone_to_is_not_dropped_on_the_way(studio) -> None:
    session = studio.session
    session.advance(4)
    digest = session.simulation.digest()
    studio.moments.budget = expected(WORLD) + 1000
    studio.restart()
    session.advance(2)
    again = session.simulation.digest()
    studio.undo()
    assert session.simulation.digest() == digest
    studio.redo()
    assert session.simulation.digest() == again


def test_undo_ends_a_replay_and_goes_back_to_before_it(studio) -> None:
    session = studio.session
    session.advance(2)
    session.change(decay=0.5)
    session.advance(30)
    record = session.record("")
    studio.change(decay=0.6)
    studio.settle()
    session.advance(1)
    digest = session.simulation.digest()
    studio.offer = record
    studio.accept_offer()
    session.advance(1)
    studio.undo()
    assert (studio.replay, list(session.script)) == (None, [])
    assert (session.steps, session.simulation.digest()) == (33, digest)
    studio.undo()
    assert session.params.decay == 0.5


def test_a_change_ends_what_is_left_of_a_recorded_run(studio) -> None:
    studio.session.advance(3)
    studio.session.change(decay=0.7)
    record = studio.session.record("")
    studio.session.restart_from(record)
    moment = studio.session.moment()
    studio.return_to(moment)
    assert studio.session.script
    studio.change(exposure=2.0)
    studio.session.advance(5)
    assert studio.session.params.decay == LOOK.params.decay


def test_it_is_so_deep_and_no_deeper(studio, monkeypatch) -> None:
    monkeypatch.setattr(history, "DEEPEST", 4)
    for _ in range(6):
        studio.restart()
    assert len(labels(studio)) == studio.history.at == 4
    studio.go_to_entry(0)
    studio.change(decay=0.9)
    studio.settle()
    assert len(labels(studio)) == 1
    assert studio.moments.size == 0  # nobody can go to them any more


def test_what_cannot_be_leaves_history_alone(studio) -> None:
    studio.largest_side = 64
    assert not studio.rebuild(World(65, 32, 9))
    studio.change(decay=0.4)
    studio.settle()
    assert labels(studio) == ["decay 0.2 -> 0.4"]
    studio.rebuild(World(64, 32, 9))
    studio.largest_side = 40
    studio.redo()
    studio.undo()
    assert studio.history.at == 1
    studio.largest_side = 64
    studio.redo()
    studio.largest_side = 63
    assert studio.history.at == 2
    studio.undo()
    studio.redo()
    assert (studio.history.at, studio.session.world) == (1, WORLD)
    assert "64x32" in studio.notices.current()[-1]


NUMBERS = st.floats(0, 1)
COMMANDS = st.one_of(
    st.tuples(st.just("change"), st.sampled_from([0.1, 0.3, 0.5]), st.sampled_from(["bone", "ink"])),
    st.tuples(st.just("paint"), st.sampled_from(("trail", *LAYERS)), NUMBERS, NUMBERS, st.booleans()),
    st.tuples(st.just("fill"), st.sampled_from(LAYERS), st.sampled_from(FILLS)),
    st.tuples(st.just("blend"), st.sampled_from([None, Params(step_size=2.0)])),
    st.tuples(st.sampled_from(["restart", "new seed", "species", "snapshot", "back", "mutate", "flip"])),
    st.tuples(st.just("preset"), st.sampled_from([LOOK, OTHER]), st.booleans()),
    st.tuples(st.just("size"), st.sampled_from([24, 40, 48])),
    st.tuples(st.just("start"), st.sampled_from(["disc", "line"])),
)


def do(studio: Studio, command: tuple[object, ...]) -> None:
    world = studio.session.world
    match command:
        case "change", decay, palette:
            studio.change(decay=decay, palette=palette)
        case "paint", layer, x, y, erase:
            studio.use_layer(str(layer))
            places = [(x * world.width, y * world.height), (x * world.width + 3, y * world.height)]
            studio.paint(places[:1], bool(erase), begins=True)
            studio.paint(places[1:], bool(erase), begins=False)
        case "fill", layer, kind:
            studio.use_layer(str(layer))
            studio.fill(str(kind))
        case "blend", other:
            studio.blend_with(other)
        case "preset", preset, keep:
            studio.load_preset(preset, keep)
        case "size", width:
            studio.rebuild(dataclasses.replace(studio.as_painted(), width=width))
        case "start", kind:
            studio.rebuild(dataclasses.replace(studio.as_painted(), start=Start(kind)))
        case ("restart",):
            studio.restart()
        case ("new seed",):
            studio.new_seed()
        case ("species",):
            studio.add_species() if world.species < 3 else studio.remove_species(0)
        case ("snapshot",):
            studio.snapshot()
        case ("back",):
            studio.go_back()
        case ("mutate",):
            studio.mutate()
        case ("flip",):
            studio.flip()


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(commands=st.lists(COMMANDS, max_size=9), forgetful=st.booleans())
def test_undoing_all_and_doing_all_again(tmp_path, commands, forgetful) -> None:
    studio = Studio(LOOK, WORLD, CHOICE, tmp_path)
    if forgetful:
        studio.moments.budget = 3 * expected(WORLD)
    before = [seen(studio)]
    for command in commands:
        do(studio, command)
        studio.settle()
        if len(studio.history.entries) == len(before):
            before.append(seen(studio))
        studio.session.advance(1)
    assert len(studio.history.entries) == studio.history.at == len(before) - 1
    for expected_then in reversed(before[:-1]):
        studio.undo()
        assert seen(studio) == expected_then
        studio.session.advance(1)
    for expected_then in before[1:]:
        studio.redo()
        assert seen(studio) == expected_then
        studio.session.advance(1)
    studio.go_to_entry(0)
    assert seen(studio) == before[0]
    assert studio.moments.size <= studio.moments.budget
    assert all(isinstance(kept.moment, Moment) for kept in studio.moments.strip)
    assert studio.history.at == 0
