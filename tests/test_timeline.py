"""Timelines and what lies between two looks."""

import dataclasses
import itertools
from pathlib import Path

import numpy as np
import pytest
from any_preset import PARAMS
from commands import empty_home
from hypothesis import given
from hypothesis import strategies as st

import presets
from app.easing import EASINGS, is_cyclic, is_wait, mix, morph
from app.palette import light_of, to_oklab
from app.palette_mix import mix_palettes
from app.timeline import CAMERA, Camera, Key, Timeline, TimelineError, load, parse
from kernels.params import PALETTES, SPECS, Params, check_params
from presets import looks


@given(PARAMS, PARAMS, st.floats(0, 1))
def test_a_morph_begins_and_ends_with_its_looks_and_is_allowed_between(
    a: Params, b: Params, t: float
) -> None:
    assert morph(a, b, 0) == a
    assert morph(a, b, 1) == b
    between = morph(a, b, t)
    values = {name: getattr(between, name) for name in SPECS}
    assert check_params(values) == between
    for name, value in values.items():
        ends = getattr(a, name), getattr(b, name)
        if SPECS[name].gradient:
            assert value == mix_palettes(*ends, t)
        elif isinstance(value, str):
            assert value == ends[t >= 0.5]
        assert isinstance(value, type(SPECS[name].default))


@pytest.mark.parametrize(
    ("name", "a", "b", "t", "between"),
    [
        ("diffusion", 0.0, 1.0, 0.25, 0.25),
        ("decay", 0.01, 0.25, 0.5, 0.05),
        ("rotation_angle", -170.0, 170.0, 0.5, 0.0),
        ("steps_per_frame", 1, 4, 0.5, 2),
        ("respawn", 0.0, 100.0, 0.1, 1000.0),
        ("respawn", 100.0, 0.0, 0.9, 1000.0),
        ("respawn", 0.0, 100.0, 0.0001, 100000.0),
        ("turn_chance", 0.0, 0.5, 0.5, 0.25),
        ("tone", "aces", "filmic", 0.499, "aces"),
        ("tone", "aces", "filmic", 0.5, "filmic"),
        ("palette_2", "embers", "frost", 0.5, mix_palettes("embers", "frost", 0.5)),
    ],
)
def test_each_parameter_moves_in_its_natural_scale(name: str, a, b, t: float, between) -> None:
    found = mix(SPECS[name], a, b, t)
    assert found == between
    assert type(found) is type(SPECS[name].default)


def test_directions_go_the_short_way() -> None:
    cyclic = [spec for spec in SPECS.values() if is_cyclic(spec)]
    assert [spec.name for spec in cyclic] == ["lamp_direction"]
    assert [mix(cyclic[0], 350.0, 30.0, t) for t in (0, 0.25, 0.5, 1)] == [350, 0, 10, 30]
    assert mix(cyclic[0], 30.0, 350.0, 0.75) == 0


def test_waits_are_those_whose_zero_is_never() -> None:
    assert {spec.trait for spec in SPECS.values() if is_wait(spec)} == {"respawn", "lifetime"}
    assert all("0: never" in SPECS[name].help for name in ("respawn", "lifetime"))


@pytest.mark.parametrize("name", EASINGS)
def test_easings_go_from_the_beginning_to_the_end(name: str) -> None:
    ways = [EASINGS[name](t / 10) for t in range(11)]
    assert (ways[0], ways[-1]) == (0, 1)
    assert ways == sorted(ways)
    middle = {"linear": 0.5, "smooth": 0.5, "in": 0.25, "out": 0.75, "hold": 0}
    assert ways[5] == middle[name]


def test_a_value_comes_from_the_key_before_that_names_it() -> None:
    keys = [
        Key(4, {"diffusion": 1.0}, "linear"),
        Key(2, {"diffusion": 0.0, "gamma": 2.0}, "linear"),
        Key(3, {"gamma": 1.0}, "hold"),
    ]
    timeline = Timeline(keys)
    base = check_params({"diffusion": 0.5, "gamma": 0.5})
    found = [tuple(timeline.params(t, base).values()) for t in (-1, 0, 1, 2, 2.5, 3, 4, 99)]
    assert found == [(0.5, 0.5), (0.5, 0.5), (0.25, 1), (0, 2), (0.25, 2), (0.5, 1), (1, 1), (1, 1)]
    assert timeline.seconds == 4
    assert Timeline().params(1, base) == {}


def test_palettes_run_into_one_another() -> None:
    grey, red = "#000000 0, #808080 1", "#000000 0, #ff0000 1"
    timeline = Timeline([Key(0, {"palette": grey}), Key(2, {"palette": red}, "linear")])
    found = [timeline.params(t, Params())["palette"] for t in (0, 1, 2, 3)]
    assert (found[0], found[2:]) == (grey, [red, red])
    lab = [to_oklab(light_of(str(palette)))[-1] for palette in found]
    np.testing.assert_allclose(lab[1], (lab[0] + lab[2]) / 2, atol=0.004)
    for a, b in itertools.product(("embers", "inferno", grey, PALETTES[0]), repeat=2):
        between = mix_palettes(a, b, 0.5)
        assert SPECS["palette"].check(between) == between
        ways = to_oklab(light_of(a)) + to_oklab(light_of(b)) - 2 * to_oklab(light_of(between))
        assert np.abs(ways).max() < 0.08  # near black the 8 bits of a stop are coarse
        assert [mix_palettes(a, b, share) for share in (0, 1)] == [a, b]


def test_two_keys_at_one_time_are_a_cut() -> None:
    timeline = Timeline([Key(0, {"zoom": 1.0}), Key(2, {"zoom": 4.0}, "linear"), Key(2, {"zoom": 1.0})])
    assert [timeline.camera(t).zoom for t in (1, 2, 3)] == [2, 1, 1]


def test_the_camera_looks_at_a_part_of_the_field() -> None:
    assert not set(CAMERA) & set(SPECS)
    view = Camera(1.25, 0.5, 2.0, 30.0).view((64, 48), (32, 24))
    assert (view.centre, view.scale, view.angle) == ((16, 24), 1, 30)
    still = Camera().view((64, 48), (64, 48))
    assert (still.centre, still.zoom) == ((32, 24), 1)


GOOD = """
format = 1
[[key]]
time = 1.5
preset = "cells"
look = "ink-on-paper"
decay = 0.3
centre = [0.25, 1]
zoom = 2
angle = -90
easing = "out"
"""


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text(GOOD, "utf-8")
    timeline = load(path)
    seen = looks.find("ink-on-paper", tmp_path).apply(presets.find("cells").params)
    found = timeline.params(1.5, Params())
    assert found == dataclasses.asdict(dataclasses.replace(seen, decay=0.3))
    assert timeline.camera(2) == Camera(0.25, 1.0, 2.0, -90.0)
    assert timeline.tracks["zoom"][0].easing == "out"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("decay = 0.3", "decay = 3", "key 1 at 1.5 s: decay = 3 is not allowed; it takes from 0.001 to 0.95"),
        ("decay = 0.3", "decai = 3", "key 1 at 1.5 s: unknown key 'decai'; did you mean decay"),
        ('"cells"', '"cellz"', "preset = 'cellz': There is no preset called 'cellz'; did you mean cells"),
        ('"cells"', "3", "preset = 3 is not allowed; it takes the name of a preset"),
        ('"ink-on-paper"', '"ink-on-papir"', "called 'ink-on-papir'; did you mean ink-on-paper"),
        ('"ink-on-paper"', "3", "look = 3 is not allowed; it takes the name of a look"),
        (
            '"out"',
            '"bounce"',
            "easing = 'bounce' is not allowed; it takes one of linear, smooth, in, out, hold",
        ),
        ("zoom = 2", "zoom = 0", "zoom = 0 is not allowed; it takes from 0.0625 to 64 x"),
        ("[0.25, 1]", "[0.25]", "centre = a list is not allowed; it takes two numbers"),
        ("[0.25, 1]", "[nan, 1]", "centre = nan is not allowed"),
        ("time = 1.5", "time = -1", "time = -1 is not allowed; it takes a number from 0 to 86400 seconds"),
        ("time = 1.5", "", "key 1: time is missing"),
        ("time = 1.5", "time = nan", "time = nan is not allowed"),
        ("format = 1", "format = 2", "format = 2 is not allowed; it takes 1"),
        ("format = 1", "decay = 0.1", "unknown key 'decay'; it belongs under a [[key]]"),
        ("[[key]]", "[key]", "there are no keys"),
        ("[[key]]", "[[", "not valid TOML"),
    ],
)
def test_a_wrong_file_is_told_in_one_sentence(old: str, new: str, said: str) -> None:
    assert old in GOOD
    with pytest.raises(TimelineError) as caught:
        parse(GOOD.replace(old, new), "t.toml")
    assert str(caught.value).startswith("t.toml: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_or_not_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty_home(tmp_path, monkeypatch)
    with pytest.raises(TimelineError, match=r"no\.toml cannot be read: there is no such file or folder\."):
        load(Path("no.toml"))
    Path("bad.toml").write_bytes(b"\xff")
    with pytest.raises(TimelineError, match=r"bad\.toml is not UTF-8 text"):
        load(Path("bad.toml"))
