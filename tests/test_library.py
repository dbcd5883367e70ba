"""The presets there are: finding, saving and deleting them."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import presets
from kernels.params import Params
from presets import Preset, PresetError, slug

HEAD = "format = 1\n"


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
        "qqqqq": f"{', '.join(presets.shipped_names()[:12])} and ",
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
