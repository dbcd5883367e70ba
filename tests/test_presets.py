import dataclasses
import os
from pathlib import Path

import numpy as np
import pytest
from any_preset import PRESETS
from hypothesis import given, settings

import presets
from kernels.params import SPECS, Params, check_params
from kernels.scene import Food, Layers, Map, Picture, Start
from presets import DENSITY, Preset, PresetError, slug
from presets.preset import MAX_TEXT
from presets.tables import MAX_BYTES, MAX_DOTS, MAX_PLAIN

HEAD = "format = 1\n"
NUMBERS = [name for name, spec in SPECS.items() if not spec.choices and not spec.curve]


def refused(text: str) -> str:
    with pytest.raises(PresetError) as caught:
        presets.parse(text, "bad.toml")
    sentence = str(caught.value)
    assert sentence.startswith("bad.toml: ")
    assert "\n" not in sentence
    assert len(sentence) < 400
    return sentence


@settings(deadline=None, max_examples=60)
@given(PRESETS)
def test_what_is_dumped_parses_to_the_same(preset: Preset) -> None:
    assert presets.parse(presets.dump(preset), "look.toml") == preset


@pytest.mark.parametrize("value", [0.1 + 0.2, 1e-3, 5e-2 + 2**-54, 0.9499999999999999])
def test_floats_come_back_to_the_last_bit(value: float) -> None:
    preset = Preset("look", "Look", params=Params(decay=value))
    assert f"decay = {value!r} #" in presets.dump(preset)
    assert presets.parse(presets.dump(preset), "look.toml").params.decay == value


GROUPS = {
    name: spec
    for name, spec in SPECS.items()
    if spec.group in ("Agents", "Trail", "Picture", "Time")
    and spec.trait not in ("deposit_curve", "deposit_bend", "map_opacity")
}


@pytest.mark.parametrize("species", [1, 3])
def test_a_dump_explains_what_is_always_turned_and_hides_what_is_not_used(species: int) -> None:
    look = Preset("look", "Look", shares=(1.0,) * species, params=check_params({"food_4": 3.0}))
    lines = presets.dump(look).split("[params]")[1].strip().splitlines()
    shown = {name: spec for name, spec in GROUPS.items() if spec.species <= species}
    names = [name for name in SPECS if name in {*shown, "food_4"}]
    assert [line.split(" = ")[0] for line in lines] == names
    for name, line in zip(names, lines, strict=True):
        assert line.endswith(f"# {SPECS[name].allowed}")


def test_what_is_left_out_takes_its_default() -> None:
    preset = presets.parse(HEAD + "[params]\ndecay = 0.5", "some/own look.toml")
    assert preset == Preset("own look", "own look", "", DENSITY.default, Params(decay=0.5))


UNKNOWN = """\
format = 1
tilte = "x"
zzz = 1
[start]
spiral = 3
[map]
walls = []
food = [{x = 0.25, z = 3}]
[params]
sensor_angel = 3
"a\\nb\\u001b" = 3
decay = 0.5
[other]
speed = 9
"""


def test_unknown_keys_are_left_out_with_a_warning_that_names_them() -> None:
    look = presets.parse(UNKNOWN, "newer.toml")
    assert look == Preset(
        "newer", "newer", params=Params(decay=0.5), map=Map((Food(x=0.25),)), other=Params()
    )
    assert look.warnings == (
        "newer.toml: unknown key 'tilte' is left out; did you mean title?",
        "newer.toml: unknown key 'zzz' is left out.",
        "newer.toml: unknown key 'spiral' in [start] is left out.",
        *(f"newer.toml: unknown key '{key}' in [params] is left out{end}" for key, end in TYPOS),
        "newer.toml: unknown key 'walls' in [map] is left out.",
        "newer.toml: unknown key 'z' in food 1 is left out.",
        "newer.toml: unknown key 'speed' in [other] is left out.",
    )


TYPOS = (
    ("sensor_angel", "; did you mean sensor_angle or sensor_angle_4 or sensor_angle_3?"),
    (r"a\nb\x1b", "."),
)


def test_many_unknown_keys_do_not_make_many_warnings() -> None:
    text = HEAD + "".join(f"a{number} = 1\n" for number in range(900))
    warnings = presets.parse(text, "a.toml").warnings
    assert len(warnings) == 6
    assert warnings[-1] == "a.toml: 895 more unknown keys are left out."


OLD = """\
format = 1
title = "Old"
credit = "Somebody"
density = 0.25 # from 0.001 to 50 agents per px

[params]
sensor_angle = 22.5 # from 0 to 180 °
decay = 0.30000000000000004
palette = "lichen"
steps_per_frame = 2
"""


def test_a_file_from_before_species_loads_unchanged() -> None:
    params = Params(sensor_angle=22.5, decay=0.1 + 0.2, palette="lichen", steps_per_frame=2)
    old = presets.parse(OLD, "old.toml")
    assert old == Preset("old", "Old", "Somebody", 0.25, params)
    assert old.warnings == ()
    world = old.world(64, 48)
    assert (world.agents, world.shares, world.start, world.map) == (768, (1.0,), Start(), Map())


def test_a_preset_makes_its_world() -> None:
    look = Preset("look", "Look", "", 0.5, shares=(1.0, 3.0), start=Start("disc"), map=Map((Food(),)))
    world = look.world(40, 30, "seed")
    assert (world.width, world.height, world.agents, world.seed) == (40, 30, 600, "seed")
    assert (world.shares, world.start, world.map) == (look.shares, look.start, look.map)
    assert look.world(40, 30, agents=7).agents == 7


def test_large_pictures_fit_into_a_preset() -> None:
    noise = np.random.default_rng(3).bytes(512 * 512 * 3)
    look = Preset(
        "look", "Look",
        start=Start("image", image=Picture(512, 512, noise[: 512 * 512])), words="Slime",
        map=Map(image=Layers(512, 512, noise)),
    )  # fmt: skip
    text = presets.dump(look)
    assert len(text) < MAX_BYTES
    assert presets.parse(text, "look.toml") == look
    too_much = dataclasses.replace(look, map=Map(image=Layers(1024, 1024, noise * 4)))
    assert "2 MiB" in refused(presets.dump(too_much))


def test_agents_follow_from_the_density() -> None:
    preset = Preset("look", "Look", density=0.25)
    assert preset.agents(41, 401) == round(41 * 401 / 4)
    assert Preset("look", "Look", density=0.001).agents(16, 16) == 1


@pytest.mark.parametrize(
    "value", ["nan", "-nan", "inf", "-inf", "1e400", "true", "'much'", "[1]", "{}", "1979-05-27"]
)
@pytest.mark.parametrize("name", [name for name in NUMBERS if SPECS[name].species < 2])
def test_a_number_must_be_a_number_in_range(name: str, value: str) -> None:
    sentence = refused(f"{HEAD}[params]\n{name} = {value}")
    shown = {"-nan": "nan", "1e400": "inf", "[1]": "a list", "{}": "a table"}.get(value, value)
    assert f"{name} = {shown} is not allowed; it takes {SPECS[name].allowed}." in sentence


@pytest.mark.parametrize("name", NUMBERS)
def test_both_ends_of_a_range_hold(name: str) -> None:
    spec = SPECS[name]
    for end, beyond in ((spec.low, spec.low - 1), (spec.high, spec.high + 1)):
        number = int(end) if isinstance(spec.default, int) else end
        assert getattr(presets.parse(f"{HEAD}[params]\n{name} = {number!r}", "a").params, name) == end
        assert f"{spec.low:g} to {spec.high:g}" in refused(f"{HEAD}[params]\n{name} = {beyond!r}")


@pytest.mark.parametrize(
    ("text", "essentials"),
    [
        ("", ["no preset", "format = 1"]),
        ("[project]\nname = 'x'", ["no preset", "format = 1"]),
        ("format = 2\nspecies = 3", ["format = 2", "newer", "format 1"]),
        ("format = 0", ["format = 0", "takes 1"]),
        ("format = true", ["format = true", "takes 1"]),
        (HEAD + "sensor_angle = 3", ["sensor_angle", "[params]"]),
        (HEAD + "[params]\npalette = 'pink'", ["palette = 'pink'", "one of embers"]),
        (HEAD + "[params]\nsteps_per_frame = 1.5", ["steps_per_frame = 1.5", "a whole number from 1 to 64"]),
        (HEAD + "[params]\ndecay = 0x" + "f" * 9000, ["decay = a whole number above 10^20", "0.001 to 0.95"]),
        (HEAD + "[params]\ndecay = " + "9" * 9000, ["line 3", "too many digits"]),
        (HEAD + "density = 51", ["density = 51", "0.001 to 50 agents per px"]),
        (HEAD + "density = nan", ["density = nan"]),
        (HEAD + "title = 3", ["title = 3", "at most 500 characters"]),
        (HEAD + f"credit = '{'x' * (MAX_TEXT + 1)}'", ["credit = 'xxx", "...'", "at most 500 characters"]),
        (HEAD + "params = 3", ["params = 3", "a table"]),
        (HEAD + "title = \"Veins\ndensity = 1", ["not valid TOML", "line 2"]),
        (HEAD + "title = \"Veins", ["not valid TOML", "line 2"]),
        (HEAD + "density = 1\ndensity = 2", ["not valid TOML", "line 3"]),
        (HEAD + "a = " + "[" * 9000, ["not valid TOML", "nested too deeply"]),
        (HEAD + "a." * (MAX_DOTS + 1) + "a = 1", ["line 2", "too many dots"]),
        (HEAD + "title = '\ud800'", ["not valid Unicode"]),
        (HEAD + "#" * MAX_PLAIN, ["too large", "64 KiB"]),
        (HEAD + "#" * MAX_BYTES, ["too large", "2 MiB"]),
        (HEAD + "tags = 'veins'", ["tags = 'veins'", "a list of at most 8 words"]),
        (HEAD + f"tags = {['x'] * 9}", ["tags = a list", "at most 8 words"]),
        (HEAD + f"tags = ['{'x' * 25}']", ["tags = 'xxx", "at most 24 characters"]),
        (HEAD + "tags = [1]", ["tags = 1"]),
        (HEAD + "shares = []", ["shares = '0 numbers'", "1 to 4"]),
        (HEAD + "shares = [1, 2, 3, 4, 5]", ["shares = '5 numbers'", "1 to 4"]),
        (HEAD + "shares = [1, 0]", ["shares = 0", "from 0.001 to 1000"]),
        (HEAD + "shares = [1, nan]", ["shares = nan", "from 0.001 to 1000"]),
        (HEAD + "shares = [true]", ["shares = true", "numbers"]),
        (HEAD + "shares = 2", ["shares = 2", "a list"]),
        (HEAD + "start = 'ring'", ["start = 'ring'", "a table"]),
        (HEAD + "[start]\nkind = 'rings'", ["[start] kind = 'rings'", "one of uniform, disc"]),
        (HEAD + "[start]\nradius = 2", ["[start] radius = 2", "from 0.01 to 1"]),
        (HEAD + "[start]\nkind = 'image'", ["[start]", 'of the kind "image"']),
        (HEAD + "[start]\ntext = 5", ["[start] text = 5"]),
        (HEAD + "[start]\nkind = 'image'\nimage = 'x'", ["[start] image = 'x'", "base64", "1024 px"]),
        (HEAD + "[map]\nimage = []", ["[map] image = a list", "2048 x 2048 px"]),
        (HEAD + "[map]\nfood = 3", ["[map] food = 3", "a list of tables"]),
        (HEAD + "[map]\nfood = [[]]", ["[map] food 1 = a list", "a table"]),
        (HEAD + "[map]\nfood = [{}, {x = 2}]", ["[map] food 2: x = 2", "from 0 to 1 of the width"]),
        (HEAD + "[map]\nfood = [" + "{}," * 257 + "]", ["[map] food = '257 lumps'", "at most 256"]),
        (HEAD + "[other]\ndecay = 3", ["[other] decay = 3", "0.001 to 0.95"]),
        (HEAD + "other = 3", ["other = 3", "a table"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_a_sentence(text: str, essentials: list[str]) -> None:
    sentence = refused(text)
    for essential in essentials:
        assert essential in sentence


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    for name, data in {
        "latin.toml": HEAD.encode() + b'title = "\xe9"',
        "wide.toml": HEAD.encode("utf-16"),
        "large.toml": b"#" * 3_000_000,
        "binary.toml": b"\xff" * 3_000_000,
    }.items():
        (tmp_path / name).write_bytes(data)
    for name, essential in {
        "missing.toml": "no such file",
        "a\0b.toml": "no such file",
        "x" * 300 + ".toml": "name is too long",
        ".": "folder",
        "pipe.toml": "not a regular file",
        "latin.toml": "not UTF-8 text (byte 20)",
        "wide.toml": "not UTF-8 text (byte 0)",
        "large.toml": "too large",
        "binary.toml": "too large",
    }.items():
        with pytest.raises(PresetError) as caught:
            presets.load(tmp_path / name)
        assert essential in str(caught.value)
        assert name.replace("\0", "\\x00").removeprefix(".") in str(caught.value)


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "look.toml"
    path.write_bytes(b"\xef\xbb\xbf" + presets.dump(Preset("look", "Look")).encode())
    assert presets.load(path) == Preset("look", "Look")


def test_the_shipped_presets_load_and_come_back_the_same() -> None:
    shipped = presets.shipped()
    assert [preset.name for preset in shipped] == presets.shipped_names()
    assert sorted(presets.shipped_names()) == sorted(
        f.stem for f in Path(presets.__file__).parent.glob("*.toml")
    )
    for preset in shipped:
        assert presets.parse(presets.dump(preset), f"{preset.name}.toml") == preset
        assert presets.find(preset.name) == preset
        assert slug(preset.title) == preset.name
        assert preset.credit


def test_presets_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        presets.shipped()[0].title = "Mine"  # type: ignore[misc]
