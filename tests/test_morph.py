"""Morphs: on the way from one look to another."""

import dataclasses

import pytest
from any_preset import PARAMS
from explored import START, WORLD, frames, until_there
from explored import studio as studio  # a fixture
from hypothesis import given, settings
from hypothesis import strategies as st

import presets
from app.easing import EASINGS, mix
from app.events import Change
from app.morph import FRAMES, FRAMES_APART, Morph
from app.studio import Studio
from kernels.params import SPECS, Params, check_params
from presets import Preset


@given(PARAMS, PARAMS, st.sampled_from(list(EASINGS)), st.floats(0.05, 0.4), st.lists(st.integers(1, 9)))
@settings(deadline=None, max_examples=30)
def test_a_morph_ends_exactly_and_is_allowed_on_the_way(first, last, easing, seconds, spans) -> None:
    morph = Morph(first, Preset("", "", params=last), seconds, easing, 5)
    now, step, changes = first, 5, 0
    spans = iter([*spans, *[1] * 100_000])
    while morph.done < 1:
        changed = morph.changes(now, step)
        now = check_params(changed, now)
        changes += bool(changed)
        step += next(spans) * now.steps_per_frame
    now = check_params(morph.changes(now, step), now)
    assert now == last
    assert changes <= FRAMES * seconds / FRAMES_APART + 2


def test_a_morph_moves_each_parameter_in_its_scale_and_says_how_far_it_is(studio) -> None:
    target = dataclasses.replace(presets.find("cells"), other=Params(decay=0.7))
    first, last = studio.session.params, target.params
    studio.morph_to(target, 0.5, "linear")
    assert studio.morphing
    frames(studio, 11)
    assert studio.morph.done == pytest.approx(10 / 30)
    now = studio.session.params
    for name in ("sensor_distance", "decay", "rotation_angle", "diffusion", "palette"):
        assert getattr(now, name) == mix(SPECS[name], getattr(first, name), getattr(last, name), 10 / 30)
    assert "#" in now.palette  # between the two
    assert studio.session.other is None
    frames(studio, 6)
    assert studio.session.other == target.other
    assert studio.session.preset.name == "start"
    until_there(studio)
    assert studio.session.params == last
    assert studio.session.preset.title == "Cells"
    assert studio.session.world == WORLD


@pytest.mark.parametrize("pace", [1, 3])
def test_a_morph_takes_its_seconds_at_the_worlds_pace(studio, pace) -> None:
    studio.change(steps_per_frame=pace)
    studio.lock({"steps_per_frame"})
    studio.morph_to(presets.find("cells"), 0.5)
    assert until_there(studio) == 31
    assert studio.session.steps == 31 * pace


def test_a_morph_is_repeated_bit_for_bit(studio) -> None:
    studio.session.advance(4)
    studio.morph_to(presets.find("petri-dish"), 0.5)
    until_there(studio)
    studio.session.advance(5)
    record = studio.session.record(studio.session.simulation.digest())
    changes = [event for event in record.events if isinstance(event, Change)]
    assert 10 < len(changes) <= 17
    studio.session.restart_from(record)
    studio.session.advance(record.step)
    assert studio.session.simulation.digest() == record.digest
    assert studio.session.params == presets.find("petri-dish").params


def test_a_pause_stops_a_morph_and_so_does_its_button(studio) -> None:
    studio.morph_to(presets.find("cells"), 1.0)
    frames(studio, 10)
    done, params = studio.morph.done, studio.session.params
    assert done > 0
    studio.toggle_pause()
    frames(studio, 10)
    assert studio.morph.done == pytest.approx(done + 1 / FRAMES)  # of the step before
    studio.toggle_pause()
    studio.stop_morph()
    frames(studio, 40)
    assert params.decay != presets.find("cells").params.decay
    assert studio.session.params.decay == pytest.approx(params.decay, rel=0.05)
    assert studio.session.preset.name == "start"


def test_what_a_hand_takes_on_the_way_stays_its_own(studio) -> None:
    studio.morph_to(presets.find("cells"), 0.4)
    frames(studio, 6)
    studio.change(decay=0.333, gamma=2.0)
    until_there(studio)
    expected = dataclasses.replace(presets.find("cells").params, decay=0.333, gamma=2.0)
    assert studio.session.params == expected


@pytest.mark.parametrize(
    "act",
    [Studio.restart, Studio.mutate, Studio.flip, lambda s: s.load_preset(START), lambda s: s.blend(0, 1)],
)
def test_what_leads_elsewhere_ends_a_morph(studio, act) -> None:
    studio.morph_to(presets.find("cells"), 0.4)
    frames(studio, 6)
    act(studio)
    params = studio.session.params
    assert not studio.morphing
    frames(studio, 30)
    assert studio.session.params == params


def test_a_morph_in_no_time_is_a_cut(studio) -> None:
    studio.morph_to(presets.find("cells"), 0)
    frames(studio, 1)
    assert studio.session.params == presets.find("cells").params
    assert not studio.morphing


def test_the_kept_look_is_kept_by_a_morph(studio) -> None:
    studio.wardrobe.kept = True
    studio.change(palette="neon", exposure=0.5)
    studio.morph_to(presets.find("cells"), 0.1)
    until_there(studio)
    assert (studio.session.params.palette, studio.session.params.exposure) == ("neon", 0.5)
    assert studio.session.params.decay == presets.find("cells").params.decay


def test_undoing_on_the_way_ends_a_morph_where_it_began(studio) -> None:
    before = studio.session.params
    studio.morph_to(presets.find("cells"), 1.0)
    frames(studio, 20)
    assert studio.session.params != before
    studio.undo()
    frames(studio, 60)
    assert studio.session.params == before
