"""Pictures of looks: a small one of each for the panel, and sheets of looks and presets for README.

`python -m app.looks_sheet` draws those of looks whose file has changed since, and the sheets if there were
any. A preset is stepped once and drawn in many looks.
"""

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from tqdm import tqdm

import presets
from app.backend import Choice, choose
from app.files import write_atomically
from app.look_pictures import FULL, SAMPLE, SHIPPED
from app.render import offscreen
from app.session import Session
from app.sheet import CARD, COLOURS, FAINT, FONT_SIZE, INK, MARGIN, MOST_BYTES, SHEET, encoded
from app.stage import Stage
from kernels.contract import mean_trail
from presets import Preset, looks
from presets.looks import Look

FOLDER = SHIPPED
HASHES = "hashes.json"  # in the folder: of the files that the pictures are of
SHEETS = SHEET.parent
NAMES = "looks-dark", "looks-light", "presets-in-looks"  # of the sheets

PRESET = "veins"  # in the panel's pictures: strong ones, faint ones, and empty ground
FIELD = 320, 180  # px, of those, which are half as large
SHEET_FIELD = 512, 288  # px, of the tiles in sheets
STEPS = 1500

ACROSS = (
    "veins",
    "cells",
    "feathers",
    "loops",
    "labyrinth",
    "hive",
    "frontiers",
)  # presets that looks are shown on
TILE = 208, 117  # px
SMALL = 172, 97  # px, where all presets are shown
THREE = "deep-sea", "ink-on-paper", "gold-leaf"  # looks that all presets are shown in
LEFT = 118  # px for titles
BESIDE = 3  # presets beside one another
GAP = 6  # px

Pictures = dict[str, Image.Image]  # by the look's name


def fingerprint(name: str) -> str:
    """The SHA-256 of a shipped look's text."""
    return hashlib.sha256((FOLDER / f"{name}.toml").read_bytes()).hexdigest()


def kept() -> dict[str, str]:
    """The fingerprint that each picture was made of, by name; only those whose picture is there."""
    path = FOLDER / HASHES
    found: dict[str, str] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return {name: mark for name, mark in found.items() if (FOLDER / f"{name}.png").exists()}


def drawn(preset: Preset, wanted: Iterable[Look], field: tuple[int, int]) -> tuple[Session, Pictures]:
    """A preset after `STEPS` steps, and its pictures in some looks.

    Args:
        preset: The preset.
        wanted: The looks.
        field: Width and height of field and pictures in px.
    """
    choice = choose()  # before OpenGL, see `app.backend`
    context = offscreen()
    try:
        # No look changes the world, so all that any look needs is measured and remembered on the way.
        needs = dataclasses.replace(preset.params, auto_exposure=1.0, colour_by="age", sparkle=1.0)
        session = Session(dataclasses.replace(preset, params=needs), preset.world(*field), choice.backend)
        stage = Stage(context, Choice(choice.backend, False, "", ""), session.world)
        stage.step(session, STEPS)
        pictures = {}
        for look in wanted:
            params = session.meter.adapted(look.apply(preset.params))
            pictures[look.name] = Image.fromarray(stage.display.picture(params))
        stage.release()
        return session, pictures
    finally:
        context.release()


def update() -> bool:
    """Draws the panel's pictures if any are missing or stale, and removes those of looks that are gone.

    Returns:
        Whether there were any.
    """
    wanted = {look.name: fingerprint(look.name) for look in looks.shipped()}
    if kept() == wanted and SAMPLE.exists():
        return False
    for path in FOLDER.glob("*.png"):
        path.unlink()
    half = FIELD[0] // 2, FIELD[1] // 2
    session, pictures = drawn(presets.find(PRESET), looks.shipped(), FIELD)
    for name, picture in pictures.items():
        small = picture.resize(half, Image.Resampling.BOX).quantize(COLOURS, Image.Quantize.MEDIANCUT)
        write_atomically(FOLDER / f"{name}.png", encoded(small, "PNG", optimize=True))
    sample = _sample(session).resize(half, Image.Resampling.BOX)
    write_atomically(SAMPLE, encoded(sample, "PNG", optimize=True))
    write_atomically(FOLDER / HASHES, (json.dumps(wanted, indent=2, sort_keys=True) + "\n").encode())
    return True


def _sample(session: Session) -> Image.Image:
    """The trail as `app.look_pictures` reads it."""
    trail = session.simulation.trail[0] / mean_trail(session.params, session.world, 0)
    return Image.fromarray(np.rint(255 * np.sqrt(np.minimum(trail / FULL, 1))).astype(np.uint8))


def sheets() -> None:
    """Draws README's sheets: all looks on some presets, dark ones and light ones apart; and all presets."""
    all_looks, all_presets = looks.shipped(), presets.shipped()
    tiles: dict[tuple[str, str], Image.Image] = {}  # by preset and look
    for preset in tqdm(all_presets, unit="preset"):
        wanted = [look for look in all_looks if preset.name in ACROSS or look.name in THREE]
        _, pictures = drawn(preset, wanted, SHEET_FIELD)
        tiles |= {(preset.name, name): picture for name, picture in pictures.items()}
    light = [look for look in all_looks if "light ground" in look.tags]
    dark = [look for look in all_looks if look not in light]
    cards = looks_sheet(dark, tiles), looks_sheet(light, tiles), presets_sheet(all_presets, tiles)
    for name, card in zip(NAMES, cards, strict=True):
        write_atomically(SHEETS / f"{name}.jpg", jpeg(card))


def looks_sheet(shown: Sequence[Look], tiles: dict[tuple[str, str], Image.Image]) -> Image.Image:
    """A row for each look, a column for each preset."""
    size = (
        MARGIN * 2 + LEFT + len(ACROSS) * (TILE[0] + GAP) - GAP,
        MARGIN * 2 + 22 + len(shown) * (TILE[1] + GAP),
    )
    card, draw, font = _card(size)
    for column, name in enumerate(ACROSS):
        left = MARGIN + LEFT + column * (TILE[0] + GAP)
        draw.text((left + 1, MARGIN + 8), presets.find(name).title, FAINT, font, anchor="lm")
        for row, look in enumerate(shown):
            card.paste(
                tiles[name, look.name].resize(TILE, Image.Resampling.BOX),
                (left, MARGIN + 22 + row * (TILE[1] + GAP)),
            )
    for row, look in enumerate(shown):
        draw.text(
            (MARGIN, MARGIN + 22 + row * (TILE[1] + GAP) + TILE[1] // 2), look.title, INK, font, anchor="lm"
        )
    return card


def presets_sheet(shown: Sequence[Preset], tiles: dict[tuple[str, str], Image.Image]) -> Image.Image:
    """Every preset in `THREE` looks, a few presets beside one another."""
    width, height = len(THREE) * (SMALL[0] + 2) + 2 * GAP, SMALL[1] + 22
    size = 2 * MARGIN + BESIDE * width - 2 * GAP, 2 * MARGIN + -(-len(shown) // BESIDE) * height
    card, draw, font = _card(size)
    for at, preset in enumerate(shown):
        left, top = MARGIN + at % BESIDE * width, MARGIN + at // BESIDE * height
        for column, name in enumerate(THREE):
            tile = tiles[preset.name, name].resize(SMALL, Image.Resampling.BOX)
            card.paste(tile, (left + column * (SMALL[0] + 2), top))
        draw.text((left + 1, top + SMALL[1] + 10), preset.title, INK, font, anchor="lm")
    return card


def _card(
    size: tuple[int, int],
) -> tuple[Image.Image, ImageDraw.ImageDraw, ImageFont.FreeTypeFont | ImageFont.ImageFont]:
    card = Image.new("RGB", size, CARD)
    return card, ImageDraw.Draw(card), ImageFont.load_default(FONT_SIZE)


def jpeg(card: Image.Image) -> bytes:
    """A sheet as a JPEG, as good as `MOST_BYTES` allow."""
    sizes = (encoded(card, "JPEG", quality=quality, optimize=True) for quality in range(90, 20, -5))
    return next(data for data in sizes if len(data) < MOST_BYTES)


def main() -> None:
    """Brings the pictures and the sheets up to date."""
    if update() or not all((SHEETS / f"{name}.jpg").exists() for name in NAMES):
        sheets()


if __name__ == "__main__":
    main()
