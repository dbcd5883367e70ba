"""The wall of variations and its worlds, without a window."""

import dataclasses
import gc
import weakref
from pathlib import Path

import pytest

from app.backend import Choice, WorldTooLarge
from app.differences import differences
from app.mutate import breed, mutate
from app.studio import Studio
from app.wall import SIDES, STRENGTH, Wall
from app.worlds import Worlds
from kernels.contract import features
from kernels.params import SPECS, Params, check_params
from kernels.scene import Food, Map
from kernels.world import World
from presets import Preset

WORLD = World(96, 64, 1200, "wall")
LOOK = Preset("look", "Look", params=Params(sensor_distance=6.0))
CHOICE = Choice("reference", False, "NumPy", "for a test")
TARGET = 120, 80
LONG = 1e9  # seconds, as on a machine that is fast enough


@pytest.fixture
def wall() -> Wall:
    return grown(Wall(LOOK, WORLD, CHOICE, TARGET))


def grown(wall: Wall) -> Wall:
    """With all its worlds begun."""
    while wall.worlds.wanted:
        wall.worlds.prepare(LONG)
    return wall


def run(wall: Wall, steps: int) -> Wall:
    for session in wall.worlds.living.values():
        session.advance(steps)
    return wall


def cost(worlds: Worlds, seconds: float) -> None:
    """Says what a step of each costs."""
    for session in worlds.living.values():
        session.simulation.buffers.step_seconds = seconds


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    studio = Studio(LOOK, WORLD, CHOICE, tmp_path)
    studio.view.target = TARGET
    return studio


# The wall


def test_a_wall_that_does_not_fit_is_refused(studio, monkeypatch) -> None:
    monkeypatch.setattr("app.backend.free_memory", lambda backend: 3 * 10**5)
    with pytest.raises(WorldTooLarge, match=r"9 small worlds .* GiB"):
        Wall(LOOK, WORLD, CHOICE, TARGET)
    studio.toggle_wall()
    assert studio.wall is None
    assert "9 small worlds" in studio.notices.current()[-1]


def test_a_wall_is_its_parent_and_mutations(wall: Wall) -> None:
    assert wall.homes == [4]
    assert wall.looks[4] == LOOK.params
    assert len(set(wall.looks)) == 9
    assert wall.looks[0] == mutate(LOOK.params, STRENGTH, (), "1.0/0", species=1)
    assert [session.params for session in wall.worlds.sessions] == wall.looks
    assert len({session.simulation.world for session in wall.worlds.sessions}) == 1


def test_a_wall_compiles_nothing(wall: Wall) -> None:
    rules = [features(look, None, WORLD, False, False) for look in wall.looks]
    assert set(rules) == {features(LOOK.params, None, WORLD, False, False)}


def test_a_wall_follows_from_its_seed() -> None:
    def walked(seed: str) -> Wall:
        wall = Wall(LOOK, WORLD, CHOICE, TARGET, seed=seed)
        for choose in wall.choose, wall.mark, wall.mark:
            choose(2 if wall.marked is None else 7)
        return wall

    assert walked("a").looks == walked("a").looks
    assert walked("a").looks != walked("b").looks


def test_what_is_locked_stays_in_all(studio) -> None:
    studio.locked = {"sensor_angle", "palette"}
    studio.toggle_wall()
    studio.wall.choose(0)
    for look in studio.wall.looks:
        assert (look.sensor_angle, look.palette) == (LOOK.params.sensor_angle, LOOK.params.palette)


def test_the_chosen_world_lives_on_in_the_middle(wall: Wall) -> None:
    run(wall, 3)
    chosen, look = wall.worlds.sessions[7], wall.looks[7]
    wall.choose(7)
    grown(wall)
    assert (wall.worlds.sessions[4], wall.looks[4], chosen.steps) == (chosen, look, 3)
    assert chosen.params == look
    assert [session.steps for session in wall.worlds.sessions] == [0, 0, 0, 0, 3, 0, 0, 0, 0]
    assert len(set(wall.looks)) == 9


def test_a_choice_that_has_not_begun_yet_begins_in_the_middle() -> None:
    wall = Wall(LOOK, WORLD, CHOICE, TARGET)
    look = wall.looks[8]
    wall.choose(8)
    grown(wall)
    assert wall.worlds.sessions[4].params == look


@pytest.mark.parametrize(("first", "second"), [(0, 8), (4, 5), (5, 4), (7, 4), (5, 0)])
def test_two_are_bred(wall: Wall, first: int, second: int) -> None:
    run(wall, 2)
    looks, sessions = list(wall.looks), list(wall.worlds.sessions)
    wall.mark(first)
    assert (wall.marked, wall.looks) == (first, looks)
    wall.mark(second)
    grown(wall)
    assert wall.marked is None
    assert wall.homes == [4, 5]
    assert [wall.looks[home] for home in wall.homes] == [looks[first], looks[second]]
    assert [wall.worlds.sessions[home] for home in wall.homes] == [sessions[first], sessions[second]]
    assert [session.params for session in wall.worlds.sessions] == wall.looks
    assert wall.looks[0] == breed(looks[first], looks[second], "1.1/0", species=1)
    assert [session.steps for session in wall.worlds.sessions] == [0, 0, 0, 0, 2, 2, 0, 0, 0]


def test_a_mark_is_taken_back_by_a_second_click(wall: Wall) -> None:
    wall.mark(3)
    wall.mark(3)
    assert wall.marked is None
    assert len(wall.generations) == 1


def test_going_back_shows_the_generation_before(wall: Wall) -> None:
    looks = [list(wall.looks)]
    for place in (1, 6):
        wall.choose(place)
        looks.append(list(wall.looks))
    wall.again()
    assert wall.looks[4] == looks[2][4]
    assert wall.looks[0] != looks[2][0]
    for before in reversed(looks):
        assert wall.back()
        assert wall.looks == before
    assert not wall.back()
    assert [session.params for session in grown(wall).worlds.sessions] == looks[0]


def test_a_generation_after_one_gone_back_from_is_new(wall: Wall) -> None:
    wall.choose(1)
    once = list(wall.looks)
    wall.back()
    wall.choose(1)
    assert wall.looks[4] == once[4]
    assert wall.looks[0] != once[0]


def test_strength_and_part_change_worlds_while_they_live(wall: Wall) -> None:
    run(wall, 2)
    sessions = list(wall.worlds.sessions)
    before = abs(wall.looks[0].sensor_angle - LOOK.params.sensor_angle)
    wall.adjust(2 * STRENGTH, "behaviour")
    after = abs(wall.looks[0].sensor_angle - LOOK.params.sensor_angle)
    assert 0 < before < after
    assert wall.looks[0].palette == LOOK.params.palette
    assert wall.worlds.sessions == sessions
    assert [session.params for session in sessions] == wall.looks
    assert {session.steps for session in sessions} == {2}
    wall.adjust(0.0, "both")
    assert set(wall.looks) == {LOOK.params}


@pytest.mark.parametrize("side", SIDES)
def test_walls_of_all_sizes(wall: Wall, side: int) -> None:
    few = set(wall.looks)
    wall.resize(side)
    grown(wall)
    assert len(wall.looks) == len(wall.worlds.sessions) == side * side
    assert wall.homes == [{2: 0, 3: 4, 4: 0, 5: 12}[side]]
    assert len(few & set(wall.looks)) == min(9, side * side)


def test_young_worlds_hurry_and_paused_ones_rest(wall: Wall) -> None:
    cost(wall.worlds, 1e-9)
    assert set(wall.due().values()) == {16}
    assert wall.due(paused=True) == {}
    for session in wall.worlds.sessions:
        session.simulation.buffers.step = 400
    assert set(wall.due().values()) == {LOOK.params.steps_per_frame}


def test_captions_tell_the_farthest_difference_that_acts() -> None:
    told = differences(
        Params(),
        check_params({"sensor_angle": 90.0, "decay": 0.101, "bloom_knee": 1.0, "decay_2": 0.9}),
        WORLD,
    )
    assert told == ["sensor angle 30 to 90°", "decay 0.1 to 0.101"]
    glowing = dataclasses.replace(Params(), bloom=1.0)
    assert differences(glowing, dataclasses.replace(glowing, bloom_knee=1.0), WORLD) == [
        "bloom knee 0.5 to 1"
    ]
    assert differences(Params(), Params(), WORLD) == []


@pytest.mark.parametrize("shares", [(1.0,), (1.0, 1.0)], ids=["one", "two"])
def test_every_parameter_can_be_told(shares) -> None:
    world = dataclasses.replace(WORLD, shares=shares, map=Map((Food(),)))
    every = mutate(Params(), 1.0, seed=3, wake=True)
    names = {told.split(" to ")[0] for told in differences(Params(), every, world)}
    moved = [name for name in SPECS if getattr(every, name) != getattr(Params(), name)]
    assert 10 < len(names) <= len(moved)


# What a person does


def test_a_look_is_taken_into_the_world(studio) -> None:
    studio.session.advance(4)
    studio.toggle_wall()
    assert studio.steps_due(1 / 60) == 0
    grown(studio.wall)
    look = studio.wall.looks[2]
    studio.wall.hovered = 2
    studio.take()
    assert studio.wall is None
    assert studio.session.params == look
    assert (studio.session.steps, len(studio.session.log)) == (4, 1)
    assert studio.steps_due(1 / 60) == 1


def test_nothing_is_taken_when_the_wall_is_closed(studio) -> None:
    studio.toggle_wall()
    studio.wall.choose(1)
    studio.toggle_wall()
    assert (studio.wall, studio.session.params, studio.session.log) == (None, LOOK.params, [])
    studio.toggle_wall()
    studio.escape()
    assert studio.wall is None
    assert not studio.asking_to_quit


def test_taking_the_parent_as_it_is_changes_nothing(studio) -> None:
    studio.toggle_wall()
    studio.take()
    assert (studio.wall, studio.session.log) == (None, [])


def test_variations_are_kept_under_numbers(studio) -> None:
    studio.toggle_wall()
    for place in (0, 7):
        studio.wall.hovered = place
        studio.keep()
    kept = {entry.preset.title: entry.preset.params for entry in studio.presets if entry.own}
    assert kept == {"Look variation 1": studio.wall.looks[0], "Look variation 2": studio.wall.looks[7]}
    assert studio.session.preset.title == "Look"
    studio.load_preset(next(entry.preset for entry in studio.presets if entry.own))
    assert studio.wall is None  # a world that starts is seen
    studio.toggle_wall()
    studio.keep()
    assert studio.replaces("Look variation 3")


def test_a_wall_that_is_closed_is_gone(studio) -> None:
    studio.toggle_wall()
    grown(studio.wall)
    left = [weakref.ref(session.simulation) for session in studio.wall.worlds.sessions]
    studio.wall.resize(2)
    gc.collect()
    assert not any(each() for each in left)
    left = [weakref.ref(session.simulation) for session in grown(studio.wall).worlds.sessions]
    studio.toggle_wall()
    gc.collect()
    assert not any(each() for each in left)
