"""Looks as data: their files, what they set, finding and saving them, and what commands and people do."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from any_preset import LINES, PARAMS
from commands import TINY, Run, digest_of, empty_home, refused, runner
from hypothesis import given, settings
from looks import another

import presets
from app import look_pictures, looks_sheet
from app.backend import Choice
from app.files import user_folder
from app.palette import colours
from app.record import read
from app.studio import Studio
from kernels.params import LOOK, MAX_SPECIES, SPECS, TONES, Params, check_params, own_name
from kernels.world import World
from presets import Preset, PresetError, looks, slug
from presets.looks import Look, look_folder, look_of

SHIPPED = looks.shipped()
HEAD = "format = 1\n"
OTHERWISE = check_params({name: another(spec) for name, spec in SPECS.items()})


@settings(deadline=None, max_examples=60)
@given(LINES, PARAMS)
def test_what_is_dumped_parses_to_the_same(title: str, params: Params) -> None:
    look = dataclasses.replace(look_of(params, title), name="look", credit="me", tags=("a", "b"))
    assert looks.parse(looks.dump(look), "look.toml") == look


def test_a_look_sets_all_of_the_picture_and_nothing_else() -> None:
    default = looks.parse(HEAD + "[look]\ngamma = 2", "a").apply(OTHERWISE)
    for name in SPECS:
        expected = 2 if name == "gamma" else SPECS[name].default if name in LOOK else getattr(OTHERWISE, name)
        assert getattr(default, name) == expected
    assert look_of(OTHERWISE, "").apply(OTHERWISE) == OTHERWISE
    assert look_of(OTHERWISE, "").shows(OTHERWISE)
    assert not look_of(OTHERWISE, "").shows(Params())


@pytest.mark.parametrize(
    ("text", "essentials"),
    [
        ("", ["no look", "format = 1"]),
        ("format = 2\n[look]", ["format = 2", "newer", "looks of format 1"]),
        (HEAD, ["heading [look] is missing"]),
        (HEAD + "[params]\ndecay = 0.1", ["a preset, and no look"]),
        (HEAD + "gamma = 2\n[look]", ["gamma belongs under the heading [look]"]),
        (HEAD + "[look]\ndecay = 0.1", ["[look] decay = 0.1 is not allowed", "preset"]),
        (HEAD + "[look]\ngamma = 9", ["gamma = 9 is not allowed; it takes from 0.2 to 5."]),
        (HEAD + "[look]\npalette = '#12'", ["palette = '#12'", "one of embers", "stops"]),
        (HEAD + "look = 3", ["look = 3", "a table"]),
        (HEAD + "tags = 3\n[look]", ["tags = 3"]),
        (HEAD + "title = \"x\n[look]", ["not valid TOML", "line 2"]),
        ("#" * 70_000, ["too large for a look"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_a_sentence(text: str, essentials: list[str]) -> None:
    with pytest.raises(PresetError, match=r"^bad\.toml: .*\.$") as caught:
        looks.parse(text, "bad.toml")
    for essential in essentials:
        assert essential in str(caught.value)


def test_unknown_keys_are_left_out_with_a_warning() -> None:
    look = looks.parse(HEAD + "tilte = 1\n[look]\ngama = 2\nhalo = 1", "a.toml")
    assert look == Look("a", "a")
    assert look.warnings == (
        "a.toml: unknown key 'tilte' is left out; did you mean title?",
        "a.toml: unknown key 'gama' in [look] is left out; did you mean gamma?",
        "a.toml: unknown key 'halo' in [look] is left out.",
    )


def test_a_look_is_no_preset() -> None:
    with pytest.raises(PresetError, match="this is a look, and no preset"):
        presets.parse(looks.dump(SHIPPED[0]), "a.toml")


def test_a_preset_may_name_a_look_to_start_from() -> None:
    text = HEAD + "look = 'deep-sea'\n[params]\ndecay = 0.5\ngamma = 3"
    expected = dataclasses.replace(looks.find("deep-sea").params, decay=0.5, gamma=3.0)
    preset = presets.parse(text, "a.toml")
    assert (preset.params, preset.warnings) == (expected, ())
    assert presets.parse(presets.dump(preset), "a.toml") == preset
    for other in "'/etc/passwd'", "3":
        with pytest.raises(
            PresetError, match=r"a\.toml: look = .* is not allowed; it takes the name of a ship"
        ):
            presets.parse(HEAD + f"look = {other}", "a.toml")


def test_there_are_many_and_each_is_whole() -> None:
    assert len(SHIPPED) >= 16
    assert [look.name for look in SHIPPED] == looks.shipped_names() == list(looks.ORDER)
    assert len({look.params for look in SHIPPED}) == len(SHIPPED)
    for look in SHIPPED:
        assert looks.parse(looks.dump(look), f"{look.name}.toml") == look
        assert looks.find(look.title) == look
        assert slug(look.title) == look.name
        assert look.credit
        assert look.tags
        assert look.warnings == ()
    assert {look.params.colour_by for look in SHIPPED} >= {"density", "age", "heading", "distance"}
    assert {look.params.tone for look in SHIPPED} == set(TONES)


@pytest.mark.parametrize("look", SHIPPED, ids=looks.shipped_names())
def test_all_species_grow_on_one_ground_in_colours_of_their_own(look: Look) -> None:
    palettes = [getattr(look.params, own_name("palette", species)) for species in range(MAX_SPECIES)]
    ramps = np.array([colours(palette) for palette in palettes]).astype(int)
    assert (ramps[:, 0] == ramps[0, 0]).all()
    for species in range(1, MAX_SPECIES):
        apart = np.abs(ramps[species] - ramps[:species]).max(2).max(1)
        assert (apart > 24).all()
    assert ("light ground" in look.tags) == (ramps[0, 0].mean() > 128)


def test_the_list_has_ones_own_and_what_is_broken(tmp_path: Path) -> None:
    path = looks.save(Look("", "Mine", params=Params(gamma=2.0)), tmp_path)
    (tmp_path / "broken.toml").write_text(HEAD + "[look]\ngamma = 99")
    broken, mine = looks.listing(tmp_path)[len(SHIPPED) :]
    assert (mine.name, mine.own, mine.path, mine.preset) == ("mine", True, path, looks.load(path))
    assert (broken.preset, "gamma = 99" in str(broken.error)) == (None, True)
    with pytest.raises(PresetError, match="A shipped look is called deep-sea; choose another title"):
        looks.save(Look("", "Deep sea"), tmp_path)
    with pytest.raises(PresetError, match="'deep-sea' is shipped with Physarium"):
        looks.delete("deep-sea", tmp_path)
    with pytest.raises(PresetError, match="There is no look called 'deepsea'; did you mean deep-sea"):
        looks.find("deepsea", tmp_path)
    looks.delete("mine", tmp_path)
    assert not path.exists()


# Pictures of them


def test_the_kept_pictures_are_of_the_looks_as_they_are() -> None:
    wanted = {look.name: looks_sheet.fingerprint(look.name) for look in SHIPPED}
    assert looks_sheet.kept() == wanted, "pictures of looks are stale: run make generate"
    pictures = {path.stem for path in looks_sheet.FOLDER.glob("*.png")}
    assert pictures == {*wanted, look_pictures.SAMPLE.stem}
    for entry in looks.listing():
        assert np.shape(look_pictures.picture_of(entry)) == (90, 160, 4)


def test_the_sheets_are_small_and_there() -> None:
    for name in looks_sheet.NAMES:
        assert (looks_sheet.SHEETS / f"{name}.jpg").stat().st_size < looks_sheet.MOST_BYTES


def test_a_look_of_ones_own_is_pictured_in_its_colours(tmp_path: Path) -> None:
    looks.save(Look("", "Mine", params=Params(palette="#ff0000 0, #00ff00 1")), tmp_path)
    picture = look_pictures.picture_of(looks.listing(tmp_path)[-1])
    assert picture is not None
    assert (picture[..., 0] > 200).any()
    assert (picture[..., 1] > 200).any()
    assert (picture[..., 2] < 130).all()


# What commands make of them


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return empty_home(tmp_path, monkeypatch)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


def test_commands_list_and_show_looks(run: Run, home: Path) -> None:
    looks.save(Look("", "Mine", tags=("odd",)), look_folder(user_folder()))
    status, out, err = run("looks")
    assert (status, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()] == [*looks.shipped_names(), "mine"]
    assert out.splitlines()[-1].split(maxsplit=1)[1] == "Mine [odd] (yours)"
    assert run("looks", "show", "Deep sea")[1] == looks.dump(looks.find("deep-sea"))
    refused(run("looks", "show"), "the NAME of a look")
    refused(run("looks", "show", "qqq"), "no look called 'qqq'")


def test_a_picture_is_rendered_in_a_look_and_keeps_it(run: Run, home: Path) -> None:
    asked = "render", "veins", *TINY, "--out", "a.png"
    plain = digest_of(run(*asked))
    assert digest_of(run(*asked, "--look", "deep-sea", "--set", "gamma=2")) == plain
    params = read(Path("a.png")).preset.params
    expected = looks.find("deep-sea").apply(presets.find("veins").params)
    assert params == dataclasses.replace(expected, gamma=2.0)
    (home / "own.toml").write_text(HEAD + "[look]\ngamma = 3\nhalo = 1")
    status, _, err = run(*asked, "--look", "own.toml")
    assert (status, "unknown key 'halo'" in err) == (0, True)
    assert read(Path("a.png")).preset.params.gamma == 3
    refused(run(*asked, "--look", "deepsea"), "did you mean deep-sea?")


# What people do with them


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    folder = tmp_path / "presets"
    return Studio(Preset("own", "Own"), World(32, 24, 50), Choice("reference", False, "", ""), folder)


def test_looks_are_gone_through_both_ways(studio: Studio) -> None:
    first, second, *_, last = SHIPPED
    studio.next_look()
    assert studio.session.params == first.apply(Params())
    assert len(studio.session.log) == 1
    studio.next_look()
    assert studio.wardrobe.name_of(studio.session.params) == second.name
    studio.change(gamma=4.0)
    assert studio.wardrobe.name_of(studio.session.params) == ""
    studio.next_look(back=True)  # from the one that was put on last
    assert studio.session.params == first.apply(Params())
    studio.next_look(back=True)
    assert studio.session.params == last.apply(Params())
    logged = len(studio.session.log)
    studio.wear(last)
    assert len(studio.session.log) == logged


def test_a_look_is_saved_replaced_and_deleted(studio: Studio, tmp_path: Path) -> None:
    studio.change(gamma=3.0, decay=0.5)
    assert studio.save_look("Mine")
    look = looks.load(tmp_path / "looks" / "mine.toml")
    assert (look.params.gamma, look.params.decay) == (3.0, Params().decay)
    assert studio.wardrobe.name_of(studio.session.params) == "mine"
    assert studio.wardrobe.replaces("MINE")
    studio.change(gamma=2.0)
    assert not studio.save_look("Mine")
    assert "exists already" in studio.notices.current()[-1]
    assert studio.save_look("Mine", overwrite=True)
    assert studio.wardrobe.entries[-1].preset.params.gamma == 2.0
    studio.delete_look("mine")
    assert [entry.own for entry in studio.wardrobe.entries] == [False] * len(SHIPPED)


def test_a_look_may_be_kept_when_the_preset_changes(studio: Studio) -> None:
    studio.next_look()
    cells = presets.find("cells")
    studio.load_preset(cells)
    assert studio.session.params == cells.params
    studio.next_look()
    worn = SHIPPED[1]
    studio.wardrobe.kept = True
    for keep_agents in False, True:
        studio.load_preset(presets.find("veins"), keep_agents)
        assert studio.session.params == worn.apply(presets.find("veins").params)
        studio.load_preset(cells, keep_agents)
        assert studio.session.params == worn.apply(cells.params)


def test_a_look_is_dropped_on_the_window(studio: Studio, tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text(HEAD + "[look]\ngamma = 3\nhalo = 1")
    studio.change(decay=0.5)
    studio.open(path)
    assert studio.session.params == Params(gamma=3.0, decay=0.5)
    assert "halo" in studio.notices.current()[-1]
    path.write_text(HEAD + "[look]\ngamma = 9")
    studio.open(path)
    assert "gamma = 9 is not allowed" in studio.notices.current()[-1]
    assert studio.session.params.gamma == 3.0
