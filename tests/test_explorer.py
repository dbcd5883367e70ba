"""Locks, chance, two looks compared, and the pad, without a window."""

import dataclasses

import pytest
from explored import studio as studio  # a fixture
from explored import until_there

import presets
from app.events import Change
from app.mutate import PARTS
from app.palette_mix import mix_palettes
from app.studio import Studio
from kernels.params import LOOK, Params, check_params
from presets import Preset

# Locks


def test_locks_are_put_on_and_taken_off_one_by_one_and_together(studio) -> None:
    studio.lock({"decay"})
    studio.lock({"decay", "gamma"})
    assert studio.locked == {"decay", "gamma"}
    studio.lock({"decay"})
    assert studio.locked == {"gamma"}
    studio.lock({"gamma"})
    assert studio.locked == set()


def test_what_is_locked_outlives_presets_chance_morphs_and_the_pad(studio) -> None:
    cells = presets.find("cells")
    studio.lock({"decay", "palette"})
    held = studio.session.params.decay, studio.session.params.palette
    morph = dataclasses.replace(cells, other=Params())
    for act in (
        studio.mutate,
        studio.randomise,
        lambda: studio.blend(0.3, 0.9),
        lambda: studio.load_preset(cells, keep_agents=True),
        lambda: studio.load_preset(cells),
        lambda: (studio.morph_to(morph, 0.1), until_there(studio)),
    ):
        studio.change(sensor_distance=33.25)
        act()
        assert studio.session.params.sensor_distance != 33.25
        assert (studio.session.params.decay, studio.session.params.palette) == held
    studio.lock({"decay", "palette"})
    studio.load_preset(cells)
    assert studio.session.params == cells.params


# Chance


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize("part", PARTS)
def test_chance_is_one_logged_change_of_the_living_world(studio, anew, part) -> None:
    studio.session.advance(7)
    studio.part = part
    before = studio.session.params
    studio.vary(anew)
    (event,) = studio.session.log
    assert isinstance(event, Change)
    assert event.step == studio.session.steps == 7
    assert event.values
    assert part == "both" or all((name in LOOK) == (part == "look") for name in event.values)
    assert check_params(event.values, before) == studio.session.params
    moved = studio.session.params
    studio.vary(anew)
    assert studio.session.params != moved


def test_no_strength_changes_nothing(studio) -> None:
    studio.strength = 0.0
    studio.mutate()
    assert studio.session.log == []


# A and B


def test_two_looks_are_flipped(studio) -> None:
    first, mask = studio.session.params, Params(decay=0.5)
    studio.flip()
    assert (studio.side, studio.session.params) == (1, first)
    studio.change(decay=0.4, palette="frost")
    studio.blend_with(mask)
    second = studio.session.params
    studio.compare()
    assert (studio.side, studio.session.params, studio.session.other) == (0, first, None)
    studio.compare()
    assert (studio.side, studio.session.params, studio.session.other) == (1, second, mask)
    studio.compare(copy=True)
    studio.change(decay=0.6)
    studio.flip()
    assert (studio.side, studio.session.params, studio.session.other) == (0, second, mask)
    studio.session.advance(3)
    digest = studio.session.simulation.digest()
    studio.session.restart_from(studio.session.record(digest))
    studio.session.advance(3)
    assert studio.session.simulation.digest() == digest


# The history


@pytest.mark.parametrize(
    "act",
    [
        Studio.mutate,
        Studio.flip,
        lambda studio: (studio.morph_to(presets.find("cells"), 0.3), until_there(studio)),
        lambda studio: [studio.blend(x / 9, 0.7) for x in range(10)],
    ],
    ids=["mutate", "flip", "morph", "pad"],
)
def test_each_is_one_entry_of_the_history(studio, act) -> None:
    studio.flip()
    studio.change(decay=0.31)
    studio.settle()
    before, entries = studio.session.params, studio.history.at
    act(studio)
    after = studio.session.params, studio.session.preset.title
    studio.settle()
    assert studio.history.at == entries + 1
    studio.undo()
    assert (studio.session.params, studio.session.preset.title) == (before, "Start")
    studio.redo()
    assert (studio.session.params, studio.session.preset.title) == after


# The pad


def test_the_pads_corners_are_their_presets_and_its_middle_lies_between(studio) -> None:
    for place, preset in zip(((0, 0), (1, 0), (0, 1), (1, 1)), studio.corners, strict=True):
        studio.blend(*place)
        assert studio.session.params == preset.params
    studio.blend(0.5, 0.5)
    for name in ("sensor_angle", "sensor_distance", "decay"):
        corners = [getattr(preset.params, name) for preset in studio.corners]
        assert min(corners) < getattr(studio.session.params, name) < max(corners)
    studio.blend(7, -3)
    assert studio.pad == (1, 0)
    assert studio.session.params == studio.corners[1].params


def test_the_pads_corners_can_be_others(studio) -> None:
    studio.corners[2] = presets.find("foam")
    studio.blend(0, 1)
    assert studio.session.params == presets.find("foam").params
    assert studio.session.preset.name == "start"


def test_words_on_the_pad_are_the_nearest_corners_and_palettes_run(studio) -> None:
    tones, palettes = ("none", "aces", "agx", "filmic"), ("bone", "frost", "embers", "neon")
    for corner, (tone, palette) in enumerate(zip(tones, palettes, strict=True)):
        studio.corners[corner] = Preset("", "", params=Params(tone=tone, palette=palette))
    for x, y, corner in ((0.4, 0.4, 0), (0.6, 0.4, 1), (0.4, 0.6, 2), (0.6, 0.6, 3)):
        studio.blend(x, y)
        assert studio.session.params.tone == tones[corner]
        upper, lower = (mix_palettes(*pair, x) for pair in (palettes[:2], palettes[2:]))
        assert studio.session.params.palette == mix_palettes(upper, lower, y)
        studio.blend(round(x), round(y))
        assert studio.session.params.palette == palettes[corner]
