"""Thumbnails of a person's own presets: one for each look, made beside the show, kept, and made again."""

import dataclasses
import os
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import presets
from app import sheet, thumbnails
from app.thumbnails import Thumbnails, forget, key, make, read
from kernels.params import Params
from presets import Preset

LOOK = Preset("mine", "Mine", params=Params(sensor_angle=60.0))


class Process:
    """A process that does what the test says."""

    def __init__(self) -> None:
        self.code: int | None = None

    def poll(self) -> int | None:
        return self.code

    def terminate(self) -> None:
        self.code = -15

    def wait(self) -> None:
        assert self.code is not None


@pytest.fixture
def started(monkeypatch) -> list[tuple[Process, list[Path]]]:
    """The processes that were started, and what they were to make pictures of."""
    found: list[tuple[Process, list[Path]]] = []

    def start(folder: Path, paths: list[Path]) -> Process:
        found.append((Process(), paths))
        return found[-1][0]

    monkeypatch.setattr(thumbnails, "_started", start)
    return found


def listed(folder: Path, *looks: Preset) -> list[presets.Entry]:
    for look in looks:
        presets.save(look, folder, overwrite=True)
    return [entry for entry in presets.listing(folder) if entry.own]


def test_a_look_has_one_key_whatever_it_is_called() -> None:
    named = dataclasses.replace(LOOK, name="x", title="X", credit="me", tags=("soft",), words="X")
    assert key(named) == key(LOOK)
    others = [
        dataclasses.replace(LOOK, params=Params(sensor_angle=61.0)),
        dataclasses.replace(LOOK, density=0.5),
        dataclasses.replace(LOOK, shares=(1.0, 1.0)),
        dataclasses.replace(LOOK, other=Params()),
    ]
    assert len({key(look) for look in [LOOK, *others]}) == 5


def test_every_shipped_preset_has_its_picture_and_none_is_made(tmp_path, started) -> None:
    shelf = Thumbnails(tmp_path / "made")
    for entry in presets.listing(None):
        path = shelf.path(entry)
        assert path == sheet.FOLDER / f"{entry.name}.png"
        assert shelf.pixels(path).shape == (sheet.SIZE[1], sheet.SIZE[0], 4)
    shelf.work()
    assert not started


def test_what_is_missing_is_made_once_a_handful_at_a_time(tmp_path, started) -> None:
    looks = [dataclasses.replace(LOOK, title=f"Look {n}", density=0.1 + n / 100) for n in range(20)]
    entries = listed(tmp_path, *looks)
    shelf = Thumbnails(tmp_path / "made")
    for _ in range(3):  # frames
        assert [shelf.path(entry) for entry in entries] == [None] * 20
        assert all(shelf.pending(entry) for entry in entries)
        shelf.work()
    ((process, paths),) = started
    assert paths == [entry.path for entry in entries][: thumbnails.AT_ONCE]
    process.code = 0
    shelf.work()
    assert started[1][1] == [entry.path for entry in entries][thumbnails.AT_ONCE :]
    started[1][0].code = 1  # it failed: these stay without
    for _ in range(3):
        assert not any(shelf.path(entry) for entry in entries)
        shelf.work()
    assert len(started) == 2
    assert not any(shelf.pending(entry) for entry in entries)


def test_leaving_ends_what_is_being_made(tmp_path, started) -> None:
    shelf = Thumbnails(tmp_path / "made")
    shelf.close()
    assert shelf.path(*listed(tmp_path, LOOK)) is None
    shelf.work()
    shelf.close()
    assert started[0][0].code == -15


def test_a_broken_file_has_no_picture(tmp_path, started) -> None:
    (tmp_path / "torn.toml").write_text("format = [")
    shelf = Thumbnails(tmp_path / "made")
    (entry,) = listed(tmp_path)
    assert shelf.path(entry) is None
    assert not shelf.pending(entry)
    shelf.work()
    assert not started


def test_a_kept_picture_that_cannot_be_read_is_made_again(tmp_path, started) -> None:
    made = tmp_path / "made"
    made.mkdir()
    (entry,) = listed(tmp_path, LOOK)
    picture = made / f"{key(LOOK)}.png"
    for content in (b"", b"\x89PNG\r\n\x1a\nnonsense"):
        picture.write_bytes(content)
        shelf = Thumbnails(made)
        assert shelf.path(entry) == picture
        assert shelf.pixels(picture) is None
        assert not picture.exists()
        assert shelf.path(entry) is None
        assert shelf.pending(entry)
        Image.new("RGB", (16, 9)).save(picture)
        assert shelf.path(entry) == picture
        assert shelf.pixels(picture) is not None


def test_a_kept_picture_that_can_be_neither_read_nor_deleted_is_left(tmp_path, started) -> None:
    (entry,) = listed(tmp_path, LOOK)
    picture = tmp_path / "made" / f"{key(LOOK)}.png"
    picture.mkdir(parents=True)
    shelf = Thumbnails(tmp_path / "made")
    assert shelf.pixels(shelf.path(entry)) is None
    assert shelf.path(entry) is None


def test_without_room_for_a_process_there_is_no_picture(tmp_path, monkeypatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise BlockingIOError("no more processes")

    monkeypatch.setattr("app.thumbnails.subprocess.Popen", fails)
    (entry,) = listed(tmp_path, LOOK)
    shelf = Thumbnails(tmp_path / "made")
    assert shelf.path(entry) is None
    shelf.work()
    assert not shelf.pending(entry)


@pytest.mark.parametrize("entry", presets.listing(None)[:1], ids=["veins"])
def test_a_shipped_picture_that_cannot_be_read_is_left_and_replaced_by_our_own(
    tmp_path, monkeypatch, entry
) -> None:
    shipped, made = tmp_path / "shipped", tmp_path / "made"
    monkeypatch.setattr(thumbnails, "SHIPPED", shipped)
    shipped.mkdir()
    torn = shipped / f"{entry.name}.png"
    torn.write_bytes(b"nonsense")
    shelf = Thumbnails(made)
    assert shelf.pixels(shelf.path(entry)) is None
    assert shelf.path(entry) is None
    assert shelf.pending(entry)
    assert torn.read_bytes() == b"nonsense"


def test_pictures_are_made_of_what_can_be_read(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(sheet, "FIELD", (128, 72))
    monkeypatch.setattr(sheet, "STEPS", 20)
    (entry,) = listed(tmp_path, LOOK)
    torn = tmp_path / "torn.toml"
    torn.write_text("format = [")
    made = tmp_path / "made"
    make(str(made), [str(torn), str(entry.path), str(tmp_path / "gone.toml")])
    assert [path.name for path in made.iterdir()] == [f"{key(LOOK)}.png"]
    picture = Thumbnails(made).pixels(Thumbnails(made).path(entry))
    assert picture is not None
    assert picture.shape == (sheet.SIZE[1], sheet.SIZE[0], 4)
    assert picture[..., :3].std() > 5
    assert (picture[..., 3] == 255).all()


def test_a_process_of_its_own_makes_them(tmp_path) -> None:
    sparse = dataclasses.replace(LOOK, density=0.001)  # soon done
    (entry,) = listed(tmp_path, sparse)
    shelf = Thumbnails(tmp_path / "made")
    assert shelf.path(entry) is None
    shelf.work()
    assert shelf.process is not None
    assert shelf.process.wait() == 0
    shelf.work()
    assert (shelf.process, shelf.wanted) == (None, {})
    assert shelf.pixels(shelf.path(entry)) is not None


def test_the_oldest_pictures_are_forgotten(tmp_path) -> None:
    for age, name in enumerate("abcd"):
        path = tmp_path / f"{name}.png"
        path.write_bytes(b"")
        os.utime(path, (time.time() - age * 100,) * 2)
    forget(tmp_path, 2)
    assert sorted(path.stem for path in tmp_path.iterdir()) == ["a", "b"]


def test_pictures_of_any_kind_are_read_with_opacity(tmp_path) -> None:
    grey = np.arange(48, dtype=np.uint8).reshape(6, 8)
    Image.fromarray(grey).save(tmp_path / "grey.png")
    np.testing.assert_array_equal(read(tmp_path / "grey.png")[..., 1], grey)
    assert read(tmp_path) is None
    assert read(tmp_path / "gone.png") is None
