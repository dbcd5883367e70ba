"""Pictures of the shipped presets: a thumbnail of each, and a sheet of them all for README.

`python -m app.sheet` renders those whose file has changed since, and the sheet if there were any.
"""

import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from tqdm import tqdm

import presets
from app.backend import choose, told_if_slow
from app.display import Display
from app.files import write_atomically
from app.gallery import family
from app.render import offscreen
from app.thumbnails import SHIPPED
from kernels.simulation import Simulation
from presets import Preset

FOLDER = SHIPPED
SHEET = Path(__file__).parent.parent / ".readme" / "presets.jpg"
HASHES = "hashes.json"  # in the folder: of the files that the thumbnails are of

FIELD = 512, 288  # px
STEPS = 1500
SIZE = 256, 144  # px of a thumbnail
COLOURS = 96  # of its palette

COLUMNS = 6
GAP, MARGIN, CAPTION = 8, 12, 26  # px
FONT_SIZE = 14.0  # px
CARD, INK, FAINT = "#0c0b0a", "#f6ead4", "#a2917a"
MOST_BYTES = 600_000


def fingerprint(name: str) -> str:
    """The SHA-256 of a shipped preset's text."""
    text = (files(presets) / f"{name}.toml").read_text("utf-8")
    return hashlib.sha256(text.encode()).hexdigest()


def kept() -> dict[str, str]:
    """The fingerprint that each thumbnail was made of, by name; only those whose picture is there."""
    path = FOLDER / HASHES
    found: dict[str, str] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return {name: mark for name, mark in found.items() if (FOLDER / f"{name}.png").exists()}


def update() -> bool:
    """Renders the thumbnails that are missing or stale, and removes those of presets that are gone.

    Returns:
        Whether there were any.
    """
    wanted = {preset.name: fingerprint(preset.name) for preset in presets.shipped()}
    marks = {name: mark for name, mark in kept().items() if wanted.get(name) == mark}
    stale = [preset for preset in presets.shipped() if preset.name not in marks]
    gone = [path for path in FOLDER.glob("*.png") if path.stem not in wanted]
    if not (stale or gone):
        return False
    for path in gone:
        path.unlink()
    FOLDER.mkdir(exist_ok=True)
    try:
        for preset, picture in thumbnails(stale):
            write_atomically(FOLDER / f"{preset.name}.png", encoded(picture, "PNG", optimize=True))
            marks[preset.name] = wanted[preset.name]
    finally:  # so that Ctrl+C loses none
        write_atomically(FOLDER / HASHES, (json.dumps(marks, indent=2, sort_keys=True) + "\n").encode())
    return True


def thumbnails(shown: Sequence[Preset], wanted: str = "auto") -> Iterator[tuple[Preset, Image.Image]]:
    """Presets with their pictures after `STEPS` steps, scaled down to `SIZE`; with a progress bar.

    Args:
        shown: The presets.
        wanted: The backend, as `app.backend.choose` takes it.
    """
    if not shown:
        return
    backend = choose(wanted).backend  # before OpenGL, see `app.backend`
    context = offscreen()
    try:
        for preset in tqdm(shown, unit="preset"):
            world = preset.world(*FIELD)
            with told_if_slow():
                simulation = Simulation(world, preset.params, backend, preset.other)
                simulation.step(1)
            simulation.step(STEPS - 1)
            display = Display(context, world)
            display.upload(simulation.trail)
            display.upload_map(simulation)
            picture = Image.fromarray(display.picture(preset.params)).resize(SIZE, Image.Resampling.BOX)
            display.release()
            yield preset, picture.quantize(COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    finally:
        context.release()


def sheet(shown: Iterable[Preset]) -> Image.Image:
    """All thumbnails with titles below, family by family, in the order in which each family comes first."""
    shown = list(shown)
    families = list(dict.fromkeys(family(preset) for preset in shown))
    shown.sort(key=lambda preset: families.index(family(preset)))
    rows = -(-len(shown) // COLUMNS)
    width, height = SIZE[0] + GAP, SIZE[1] + CAPTION
    card = Image.new("RGB", (2 * MARGIN + COLUMNS * width - GAP, 2 * MARGIN + rows * height), CARD)
    draw = ImageDraw.Draw(card)
    font = ImageFont.load_default(FONT_SIZE)
    for at, preset in enumerate(shown):
        left, top = MARGIN + at % COLUMNS * width, MARGIN + at // COLUMNS * height
        with Image.open(FOLDER / f"{preset.name}.png") as tile:
            card.paste(tile.convert("RGB"), (left, top))
        middle = top + SIZE[1] + CAPTION // 2 - 2
        draw.text((left + 1, middle), preset.title, INK, font, anchor="lm")
        draw.text((left + SIZE[0] - 1, middle), family(preset), FAINT, font, anchor="rm")
    return card


def encoded(picture: Image.Image, format: str, **options: object) -> bytes:
    """A picture as the bytes of a file."""
    out = io.BytesIO()
    picture.save(out, format, **options)
    return out.getvalue()


def sheet_file(shown: Iterable[Preset]) -> bytes:
    """The sheet as a JPEG, as good as `MOST_BYTES` allow."""
    card = sheet(shown)
    sizes = (encoded(card, "JPEG", quality=quality, optimize=True) for quality in range(90, 40, -5))
    return next(data for data in sizes if len(data) < MOST_BYTES)


def main() -> None:
    """Brings thumbnails and sheet up to date."""
    if update() or not SHEET.exists():
        write_atomically(SHEET, sheet_file(presets.shipped()))


if __name__ == "__main__":
    main()
