import dataclasses
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from looks import texts

import presets
from kernels.params import SPECS, Params
from presets import DENSITY, Preset, PresetError, slug
from presets.preset import MAX_BYTES, MAX_DOTS, MAX_TEXT

HEAD = "format = 1\n"


def values(spec) -> st.SearchStrategy:
    if spec.choices:
        return st.sampled_from(spec.choices)
    if isinstance(spec.default, int):
        return st.integers(int(spec.low), int(spec.high))
    return st.floats(spec.low, spec.high)


PARAMS = st.builds(Params, **{name: values(spec) for name, spec in SPECS.items()})
LINES = texts(MAX_TEXT)
PRESETS = st.builds(
    Preset, name=st.just("look"), title=LINES, credit=LINES, density=values(DENSITY), params=PARAMS
)


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


def test_a_dump_explains_every_parameter() -> None:
    lines = presets.dump(Preset("look", "Look")).splitlines()
    for name, spec in SPECS.items():
        assert any(line.startswith(f"{name} = ") and line.endswith(f"# {spec.allowed}") for line in lines)


def test_what_is_left_out_takes_its_default() -> None:
    preset = presets.parse(HEAD + "[params]\ndecay = 0.5", "some/own look.toml")
    assert preset == Preset("own look", "own look", "", DENSITY.default, Params(decay=0.5))


def test_agents_follow_from_the_density() -> None:
    preset = Preset("look", "Look", density=0.25)
    assert preset.agents(41, 401) == round(41 * 401 / 4)
    assert Preset("look", "Look", density=0.001).agents(16, 16) == 1


@pytest.mark.parametrize(
    "value", ["nan", "-nan", "inf", "-inf", "1e400", "true", "'much'", "[1]", "{}", "1979-05-27"]
)
@pytest.mark.parametrize("name", [name for name, spec in SPECS.items() if not spec.choices])
def test_a_number_must_be_a_number_in_range(name: str, value: str) -> None:
    sentence = refused(f"{HEAD}[params]\n{name} = {value}")
    shown = {"-nan": "nan", "1e400": "inf", "[1]": "a list", "{}": "a table"}.get(value, value)
    assert f"{name} = {shown} is not allowed; it takes {SPECS[name].allowed}." in sentence


@pytest.mark.parametrize("name", [name for name, spec in SPECS.items() if not spec.choices])
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
        (HEAD + "tilte = 'x'", ["'tilte'", "did you mean title?"]),
        (HEAD + "zzz = 1", ["'zzz'", "format, title, credit, density, params"]),
        (HEAD + "sensor_angle = 3", ["sensor_angle", "[params]"]),
        (HEAD + "[params]\nsensor_angel = 3", ["'sensor_angel'", "did you mean sensor_angle"]),
        (HEAD + "[params]\n\"a\\nb\\u001b\" = 3", [r"'a\nb\x1b'", *SPECS]),
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
        (HEAD + "#" * MAX_BYTES, ["too large", "16 KiB"]),
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


def test_the_list_is_stable_and_a_broken_file_breaks_nothing(tmp_path: Path) -> None:
    mine = presets.load(presets.save(Preset("", "Mine"), tmp_path))
    (tmp_path / "broken.toml").write_text(HEAD + "[params]\ndecay = 7")
    (tmp_path / "veins.toml").write_text(HEAD)
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "notes.txt").write_text("not a preset")
    entries = presets.listing(tmp_path)
    shipped = [entry for entry in entries if not entry.own]
    assert [entry.preset for entry in shipped] == presets.shipped()
    assert entries[: len(shipped)] == shipped
    assert all(entry.path.is_file() for entry in shipped)
    broken, folder, own, taken = entries[len(shipped) :]
    assert (own.name, own.preset, own.path, own.error) == ("mine", mine, tmp_path / "mine.toml", None)
    assert (broken.name, broken.preset) == ("broken", None)
    assert f"{tmp_path}/broken.toml: decay = 7 is not allowed; it takes from 0.001 to 0.95" in str(
        broken.error
    )
    assert "folder" in str(folder.error)
    assert "name of a shipped preset" in str(taken.error)
    assert presets.listing(tmp_path) == entries


def test_no_folder_of_ones_own_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for folder in (None, tmp_path / "none", tmp_path / "file"):
        assert [entry.own for entry in presets.listing(folder)] == [False] * len(presets.shipped())


def test_a_file_name_that_cannot_be_shown_is_escaped(tmp_path: Path) -> None:
    odd = tmp_path / "a\n\udcff\u202e.toml"
    odd.write_text(HEAD)
    (entry,) = (entry for entry in presets.listing(tmp_path) if entry.own)
    assert entry.name == entry.preset.name == entry.preset.title == r"a\n\udcff\u202e"
    assert presets.find(entry.name, tmp_path) == entry.preset
    presets.delete(entry.name, tmp_path)
    assert not odd.exists()


def test_finding_by_name_or_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = presets.save(Preset("", "Fine Mesh of mine"), tmp_path)
    own = presets.load(path)
    assert presets.find("Veins") == presets.find("veins", tmp_path)
    assert presets.find("Fine mesh of MINE", tmp_path) == own
    assert presets.find(path) == presets.find(str(path)) == own
    monkeypatch.chdir(tmp_path)
    assert presets.find("fine-mesh-of-mine.toml") == own
    path.rename(tmp_path / "plain")
    assert presets.find("plain").title == own.title
    for name, essential in {
        "viens": "did you mean veins",
        "qqqqq": ", ".join(presets.shipped_names()),
        "": "called ''",
        "../veins": "no such file",
        "sub/veins.toml": "no such file",
        "x" * 9000: "no preset called 'xxx",
    }.items():
        with pytest.raises(PresetError) as caught:
            presets.find(name, tmp_path)
        assert essential in str(caught.value)
        assert len(str(caught.value)) < 400


HOSTILE = [
    "", ".", "..", "../../x", "..\\..\\x", "C:\\x", "a:b", "a/b", "CON", "nul", "com1", "NUL.toml", "x.",
    " x ", "-rf", "~", "$HOME", "x" * 300, "名 é 🦠", "\u202eabc", "a\nb", "\ud800",
]  # fmt: skip


@pytest.mark.parametrize("title", HOSTILE)
def test_any_title_makes_a_file_in_the_folder(title: str, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "presets"
    path = presets.save(Preset("", title), folder)
    assert list(tmp_path.rglob("*.toml")) == [path]
    assert path.parent == folder
    assert presets.load(path).title == title.encode("utf-8", "replace").decode()


def test_a_title_with_a_nul_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PresetError, match=r"title = 'a\\x00b' is not allowed; it takes a text"):
        presets.save(Preset("", "a\0b"), tmp_path)
    assert list(tmp_path.iterdir()) == []


@settings(deadline=None)
@given(st.text())
def test_a_slug_is_a_safe_file_name_and_its_own_slug(title: str) -> None:
    name = slug(title)
    assert name.isascii()
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert 0 < len(name) <= 60
    assert name[0] != "-"
    assert name not in ("con", "nul")


def test_different_titles_get_different_slugs() -> None:
    assert len({slug(title) for title in HOSTILE}) == len(HOSTILE)
    assert slug("Fine Mesh") == "fine-mesh"


def test_saving_overwrites_only_when_asked(tmp_path: Path) -> None:
    path = presets.save(Preset("", "Mine"), tmp_path)
    before = path.read_bytes()
    changed = Preset("", "Mine", params=Params(decay=0.5))
    with pytest.raises(PresetError, match=r"mine\.toml exists already"):
        presets.save(changed, tmp_path)
    assert path.read_bytes() == before
    assert presets.save(changed, tmp_path, overwrite=True) == path
    assert presets.load(path).params.decay == 0.5
    assert os.listdir(tmp_path) == ["mine.toml"]


def test_a_broken_file_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(b'title = "years of work')
    for overwrite in (False, True):
        with pytest.raises(PresetError, match=r"mine\.toml.*choose another title"):
            presets.save(Preset("", "Mine"), tmp_path, overwrite=overwrite)
        assert path.read_bytes() == b'title = "years of work'


@pytest.mark.parametrize(
    ("preset", "essential"),
    [
        (Preset("", "Veins"), "A shipped preset is called veins"),
        (Preset("", "Mine", density=1e9), "density = 1000000000.0 is not allowed; it takes from 0.001 to 50"),
        (Preset("", "Mine", params=Params(decay=float("nan"))), "decay = nan"),
        (Preset("", "x" * 501), "at most 500 characters"),
    ],
)
def test_what_could_not_be_loaded_is_not_saved(preset: Preset, essential: str, tmp_path: Path) -> None:
    with pytest.raises(PresetError) as caught:
        presets.save(preset, tmp_path)
    assert essential in str(caught.value)
    assert os.listdir(tmp_path) == []


def test_saving_where_no_folder_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(PresetError, match=r"file/presets/mine\.toml cannot be written: part of that path"):
        presets.save(Preset("", "Mine"), tmp_path / "file" / "presets")


def test_deleting_only_ones_own(tmp_path: Path) -> None:
    path = presets.save(Preset("", "Mine"), tmp_path)
    shipped = presets.shipped()
    for name, reason in {
        "veins": "is shipped",
        "yours": "none of your presets",
        "../mine": "none of your",
    }.items():
        with pytest.raises(PresetError, match=reason):
            presets.delete(name, tmp_path)
    assert path.exists()
    assert presets.shipped() == shipped
    presets.delete("mine", tmp_path)
    assert not path.exists()


def test_presets_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        presets.shipped()[0].title = "Mine"  # type: ignore[misc]
