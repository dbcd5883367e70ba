import json
import threading
from pathlib import Path

import pytest

from app import settings
from app.files import set_aside
from app.settings import CHECKS, NAME, Remembered, Settings, merge


def kept(folder: Path) -> Settings:
    """What the next start finds."""
    found = Settings(folder)
    assert found.problems == []
    return found


def test_everything_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / "not" / "there" / "yet"
    before = Settings(folder)
    assert not folder.exists()
    values = {
        "size": (640, 480), "place": (-1920, 30), "panel": False, "groups": {"Agents": False, "Life": True},
        "frames": 30, "revive": True, "capture_kind": 2, "capture_size": 1, "favourites": {"veins", "maze"},
    }  # fmt: skip
    assert values.keys() == CHECKS.keys() == Remembered().__dict__.keys()
    for name, value in values.items():
        assert value != getattr(before, name)
        setattr(before, name, value)
    assert before.close() == []
    after = kept(folder)
    assert {name: getattr(after, name) for name in CHECKS} == values


def test_favourites_are_saved_at_once(tmp_path: Path) -> None:
    ours = Settings(tmp_path)
    ours.toggle_favourite("veins")
    ours.toggle_favourite("maze")
    ours.toggle_favourite("veins")
    ours.writer.close()  # type: ignore[union-attr]
    assert kept(tmp_path).favourites == {"maze"}


def test_without_a_folder_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    threads = threading.active_count()
    ours = Settings()
    ours.toggle_favourite("veins")
    assert ours.favourites == {"veins"}
    assert ours.close() == []
    assert list(tmp_path.iterdir()) == []
    assert threading.active_count() == threads


def test_nothing_is_written_while_nothing_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[object] = []
    monkeypatch.setattr(settings, "merge", lambda *what: written.append(what) or tmp_path)
    ours = Settings(tmp_path)
    ours.keep()
    ours.panel = False
    ours.keep()
    ours.keep()
    ours.close()
    assert len(written) == 1


def test_two_programs_keep_what_each_has_changed(tmp_path: Path) -> None:
    first = Settings(tmp_path)
    first.favourites = {"a", "b"}
    first.close()
    first, second = Settings(tmp_path), Settings(tmp_path)
    first.favourites = {"b", "c"}
    first.groups = {"Agents": True}
    second.favourites = {"a", "b", "d"}
    second.groups = {"Life": True}
    second.panel = False
    first.close()
    second.close()
    after = kept(tmp_path)
    assert after.favourites == {"b", "c", "d"}
    assert after.groups == {"Agents": True, "Life": True}
    assert not after.panel


def test_many_at_once_lose_nothing(tmp_path: Path) -> None:
    programs = [Settings(tmp_path) for _ in range(8)]
    for number, program in enumerate(programs):
        program.toggle_favourite(f"look {number}")
    for program in programs:
        assert program.close() == []
    assert kept(tmp_path).favourites == {f"look {number}" for number in range(8)}


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[1]", b"7", b"[" * 100_000])
def test_a_damaged_file_is_named_and_set_aside(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / NAME
    for number in (1, 2):
        path.write_bytes(content)
        (problem,) = Settings(tmp_path).problems
        assert str(path) in problem
        assert problem.endswith(f"It was set aside as {NAME}.broken-{number}.")
        assert (tmp_path / f"{NAME}.broken-{number}").read_bytes() == content
        assert not path.exists()
    fresh = Settings(tmp_path)
    fresh.panel = False
    fresh.close()
    assert not kept(tmp_path).panel


def test_a_file_damaged_meanwhile_is_set_aside_too(tmp_path: Path) -> None:
    ours = Settings(tmp_path)
    (tmp_path / NAME).write_bytes(b"{")
    ours.toggle_favourite("veins")
    assert ours.close() == []
    assert kept(tmp_path).favourites == {"veins"}
    assert (tmp_path / f"{NAME}.broken-1").read_bytes() == b"{"


def test_a_bad_value_is_named_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / NAME
    bad = {
        "size": [0, 10], "place": "left", "panel": 1, "groups": {"Agents": 2}, "frames": -1, "revive": None,
        "capture_kind": 2.5, "capture_size": True, "favourites": ["veins", 3], "of a later version": [1],
    }  # fmt: skip
    path.write_text(json.dumps(bad))
    ours = Settings(tmp_path)
    assert {name: getattr(ours, name) for name in CHECKS} == Remembered().__dict__
    assert len(ours.problems) == len(CHECKS)
    for name, problem in zip(CHECKS, ours.problems, strict=True):
        assert problem.startswith(f"{path}: ")
        assert name in problem or name == "groups"
        assert problem.endswith(".")
    ours.toggle_favourite("maze")
    ours.close()
    assert json.loads(path.read_text()) == bad | {"favourites": ["maze", "veins"]}


def test_a_full_disk_is_told_of_and_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, *_: object) -> Path:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(settings, "merge", full)
    ours = Settings(tmp_path)
    ours.panel = False
    (problem,) = ours.close()
    assert problem == f"{tmp_path / NAME} cannot be written: the disk is full."
    again = Settings(tmp_path)
    again.panel = False
    again.keep()
    again._saved = {}
    monkeypatch.setattr(settings, "merge", merge)
    assert [line for line in again.close() if "full" not in line] == []
    assert not kept(tmp_path).panel


def test_setting_aside_takes_no_name_that_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    (tmp_path / "a.json.broken-1").write_text("older")
    path.write_text("newer")
    assert set_aside(path) == tmp_path / "a.json.broken-2"
    assert (tmp_path / "a.json.broken-1").read_text() == "older"
    with pytest.raises(FileNotFoundError):
        set_aside(path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.json.broken-1", "a.json.broken-2"]
