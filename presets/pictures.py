"""Pictures in presets: read from any file, drawn from words, and as base64 of a PNG in TOML.

Pillow is imported where it is needed: those who list presets do without.
"""

import base64
import io
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kernels.scene import LAYERS, MAX_LAYER, MAX_PICTURE, Layers, Picture
from kernels.spec import is_text, refusal
from presets.disk import PresetError, opened, sentence, told

if TYPE_CHECKING:
    from PIL import Image, ImageFont

Kind = TypeVar("Kind", Picture, Layers)

MODES = {Picture: "L", Layers: "RGB"}  # in Pillow's words
LARGEST = {Picture: MAX_PICTURE, Layers: MAX_LAYER}  # px a side
MOST_BRIGHTNESS = 512  # px a side of a picture that is read: agents do not show finer detail
MOST_LAYER = 1024  # px a side of a map that is read, as of one that is saved
MAX_WORDS = 100  # characters
LETTERS = 160  # px high, before the picture is scaled down
MARGIN = 24  # px round the words
FIELD = 16 / 9  # the usual field's shape: a picture is stretched over the field


def read_brightness(path: Path) -> Picture:
    """An image's brightness to begin on, scaled down to at most 512 px a side.

    Any format that Pillow reads; turned as its camera held it; what is transparent counts as black.

    Raises:
        PresetError: It cannot be read, is no image, or is all black.
    """
    return _read(path, MOST_BRIGHTNESS, lambda image: _made(image, Picture))


def read_layers(path: Path, layer: str | None = None) -> Layers:
    """An image as a map, scaled down to at most 1024 px a side.

    Args:
        path: Any image that Pillow reads.
        layer: One of `LAYERS`, that the image's brightness becomes; left out, its red becomes food, its
            green wall and its blue mask.

    Raises:
        PresetError: It cannot be read, or is no image.
    """
    return _read(path, MOST_LAYER, lambda image: _made(_only(image, layer), Layers))


def draw_layers(text: str, layer: str) -> Layers:
    """Words as one layer of a map, `draw_text` in all of its strength.

    Raises:
        PresetError: As `draw_text` does.
    """
    drawn = draw_text(text)
    pixels = bytearray(len(LAYERS) * len(drawn.pixels))
    pixels[LAYERS.index(layer) :: len(LAYERS)] = drawn.pixels
    return Layers(drawn.width, drawn.height, bytes(pixels))


def draw_text(text: str) -> Picture:
    """Words in white on black, in Pillow's own font, centred with a margin.

    Raises:
        PresetError: There are none, too many, or letters that the font lacks.
    """
    from PIL import Image, ImageDraw, ImageFont

    words = "\n".join(" ".join(line.split()) for line in text.strip().splitlines())
    if not is_text(text.strip(), MAX_WORDS) or not words:
        raise PresetError(str(refusal("text", text, f"1 to {MAX_WORDS} characters")))
    font = ImageFont.load_default(LETTERS)
    lacking = [letter for letter in words if letter != "\n" and _lacks(font, letter)]
    if lacking:
        raise PresetError(f"text = {lacking[0]!r} cannot be drawn: the font has no such letter.")
    options: dict[str, Any] = {"font": font, "align": "center", "spacing": MARGIN}
    box = ImageDraw.Draw(Image.new("L", (1, 1))).multiline_textbbox((0, 0), words, **options)
    width, height = (round(box[axis + 2] - box[axis]) + 2 * MARGIN for axis in (0, 1))
    size = max(width, round(height * FIELD)), max(height, round(width / FIELD))
    image = Image.new("L", size)
    corner = (size[0] - box[0] - box[2]) / 2, (size[1] - box[1] - box[3]) / 2
    ImageDraw.Draw(image).multiline_text(corner, words, fill=255, **options)
    image.thumbnail((MAX_PICTURE, MAX_PICTURE))
    return Picture(*image.size, image.tobytes())


def to_base64(image: Picture | Layers) -> str:
    """A picture as base64 of a PNG, grey or RGB."""
    from PIL import Image

    out = io.BytesIO()
    Image.frombytes(MODES[type(image)], (image.width, image.height), image.pixels).save(out, "PNG")
    return base64.b64encode(out.getvalue()).decode()


def from_base64(text: object, kind: type[Kind]) -> Kind:
    """The picture in a base64 text, to the last bit what `to_base64` was given.

    Raises:
        ValueError: One sentence on what is wrong with it; no pixel is decoded of a picture too large.
    """
    from PIL import Image

    most = LARGEST[kind]
    wanted = f"base64 of a PNG of at most {most} x {most} px"
    if not isinstance(text, str):
        raise refusal("image", text, wanted)
    try:
        data = base64.b64decode("".join(text.split()), validate=True)
    except ValueError:
        raise refusal("image", text, wanted) from None
    try:
        image = Image.open(io.BytesIO(data), formats=("PNG",))
    except Exception:  # Pillow raises whatever a damaged file makes it stumble over
        raise refusal("image", text, wanted) from None
    if max(image.size) > most:
        raise refusal("image", f"{image.width} x {image.height} px", wanted)
    try:
        flat = _flat(image)
    except Exception:
        raise ValueError("image is a damaged PNG.") from None
    return _made(flat, kind)


def _read(path: Path, most: int, made: "Callable[[Image.Image], Kind]") -> Kind:
    from PIL import Image

    try:
        with opened(path) as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's, about large images and odd files
            image = Image.open(file)
            image.draft("RGB", (2 * most, 2 * most))  # a JPEG is scaled while it is read
            flat = _flat(image)
    except Image.DecompressionBombError as error:
        raise PresetError(f"{told(path)} has too many pixels.") from error
    except OSError as error:
        if error.errno is None:  # Pillow's own
            raise PresetError(f"{told(path)} is no image that can be read, or a damaged one.") from error
        raise PresetError(sentence(path, error, "read")) from error
    except Exception as error:  # Pillow raises whatever a damaged file makes it stumble over
        raise PresetError(f"{told(path)} is a damaged image.") from error
    flat.thumbnail((most, most), reducing_gap=3.0)
    try:
        return made(flat)
    except ValueError as error:
        raise PresetError(f"{told(path)}: {error}") from error


def _flat(image: "Image.Image") -> "Image.Image":
    """An image in RGB as its camera held it, on black where it is transparent."""
    from PIL import Image, ImageOps

    image = ImageOps.exif_transpose(image)
    if image.mode.startswith(("I", "F")):  # deeper than 8 bits: Pillow would just cut them off
        brightest = 65535 if image.mode.startswith("I") else float(image.getextrema()[1]) or 1.0  # type: ignore[arg-type]
        image = image.convert("F").point(lambda value: value * (255 / brightest) + 0)
        image = image.convert("L")
    if not image.has_transparency_data:
        return image.convert("RGB")
    image = image.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", image.size, "black"), image).convert("RGB")


def _made(image: "Image.Image", kind: type[Kind]) -> Kind:
    return kind(*image.size, image.convert(MODES[kind]).tobytes())


def _only(image: "Image.Image", layer: str | None) -> "Image.Image":
    """An image's brightness in one layer of a map; the image itself for all of them."""
    from PIL import Image

    if layer is None:
        return image
    if layer not in LAYERS:
        raise refusal("layer", layer, "one of " + ", ".join(LAYERS))
    brightness, nothing = image.convert("L"), Image.new("L", image.size)
    return Image.merge("RGB", [brightness if name == layer else nothing for name in LAYERS])


def _lacks(font: "ImageFont.FreeTypeFont | ImageFont.ImageFont", letter: str) -> bool:
    """Whether a font draws the same box for a letter as for one that no font has."""
    drawn, unknown = (bytes(font.getmask(text)) for text in (letter, "\U0010ffff"))
    return drawn == unknown
