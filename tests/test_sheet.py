"""Thumbnails and the contact sheet: those kept are of the presets as they are, the command writes them."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image, ImageFont

import presets
from app import sheet
from presets import Preset

SHIPPED = presets.shipped()


def test_every_shipped_preset_has_the_thumbnail_of_its_text() -> None:
    expected = {preset.name: sheet.fingerprint(preset.name) for preset in SHIPPED}
    assert sheet.kept() == expected, "thumbnails are stale: run make generate"
    pictures = sorted(sheet.FOLDER.glob("*.png"))
    assert [path.stem for path in pictures] == sorted(expected)
    assert sum(path.stat().st_size for path in pictures) < 1.5 * 2**20
    for path in pictures:
        with Image.open(path) as picture:
            assert (picture.size, picture.mode) == (sheet.SIZE, "P")


def test_the_kept_sheet_is_small_and_wide() -> None:
    assert sheet.SHEET.stat().st_size < sheet.MOST_BYTES
    with Image.open(sheet.SHEET) as picture:
        assert picture.width == 1600


@pytest.mark.parametrize("preset", SHIPPED, ids=presets.shipped_names())
def test_its_caption_fits(preset: Preset) -> None:
    font = ImageFont.load_default(sheet.FONT_SIZE)
    assert font.getlength(f"{preset.title}  {sheet.family(preset)}") < sheet.SIZE[0]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where thumbnails go now: small and early ones of two presets."""
    monkeypatch.setattr(sheet, "FOLDER", tmp_path / "thumbnails")
    monkeypatch.setattr(sheet, "SHEET", tmp_path / "sheet.jpg")
    monkeypatch.setattr(sheet, "FIELD", (128, 72))
    monkeypatch.setattr(sheet, "STEPS", 20)
    monkeypatch.setattr(presets, "shipped", lambda: SHIPPED[:2])
    return sheet.FOLDER


def test_the_command_writes_thumbnails_and_sheet(folder: Path) -> None:
    sheet.main()
    names = [preset.name for preset in SHIPPED[:2]]
    assert sorted(sheet.kept()) == sorted(names)
    for name in names:
        with Image.open(folder / f"{name}.png") as picture:
            assert picture.size == sheet.SIZE
            assert len(picture.convert("RGB").getcolors(256) or ()) > 20
    with Image.open(sheet.SHEET) as card:
        assert card.size == (1600, 2 * sheet.MARGIN + sheet.SIZE[1] + sheet.CAPTION)


def test_only_what_changed_is_rendered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rendered = []

    def noted(shown: list[Preset]) -> Iterator[tuple[Preset, Image.Image]]:
        rendered.append([preset.name for preset in shown])
        return ((preset, Image.new("P", sheet.SIZE)) for preset in shown)

    monkeypatch.setattr(sheet, "thumbnails", noted)
    first, second = (preset.name for preset in SHIPPED[:2])
    assert sheet.update()
    assert not sheet.update()
    (folder / f"{first}.png").unlink()
    assert sheet.update()
    marks = sheet.kept() | {second: "another"}
    monkeypatch.setattr(sheet, "fingerprint", marks.__getitem__)
    assert sheet.update()
    monkeypatch.setattr(presets, "shipped", lambda: SHIPPED[:1])
    assert sheet.update()
    assert rendered == [[first, second], [first], [second], []]
    assert list(sheet.kept()) == [first]
    assert not (folder / f"{second}.png").exists()


def test_an_interrupted_command_keeps_what_it_has(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(shown: list[Preset]) -> Iterator[tuple[Preset, Image.Image]]:
        yield shown[0], Image.new("P", sheet.SIZE)
        raise KeyboardInterrupt

    monkeypatch.setattr(sheet, "thumbnails", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sheet.update()
    assert list(sheet.kept()) == [SHIPPED[0].name]


def test_families_stand_together(folder: Path) -> None:
    folder.mkdir()
    colours = {"a": "red", "b": "lime", "c": "blue"}
    tags = {"a": "veins", "b": "cells", "c": "veins"}
    shown = []
    for name, colour in colours.items():
        Image.new("RGB", sheet.SIZE, colour).save(folder / f"{name}.png")
        shown.append(dataclasses.replace(SHIPPED[0], name=name, title=name, tags=(tags[name], "x")))
    card = sheet.sheet(shown)
    across = [sheet.MARGIN + 9 + at * (sheet.SIZE[0] + sheet.GAP) for at in range(3)]
    assert [card.getpixel((x, sheet.MARGIN + 9)) for x in across] == [(255, 0, 0), (0, 0, 255), (0, 255, 0)]
    assert sheet.family(dataclasses.replace(SHIPPED[0], tags=())) == ""
