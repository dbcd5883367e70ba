"""OpenEXR pictures: light as it is, neither clipped nor encoded, through OpenEXR's own library."""

import importlib
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from app.png import NoRun

MAGIC = b"\x76\x2f\x31\x01"
ATTRIBUTE = "physarium"  # holds the run

# CIE x and y of sRGB's red, green, blue and white, IEC 61966-2-1.
PRIMARIES = (0.64, 0.33, 0.30, 0.60, 0.15, 0.06, 0.3127, 0.3290)


class NoLibrary(ValueError):  # noqa: N818
    """OpenEXR is not installed; the message is one plain sentence."""


def library() -> Any:
    """OpenEXR, which is not imported before it is needed.

    Raises:
        NoLibrary: It is not installed, or does not load.
    """
    try:
        return importlib.import_module("OpenEXR")
    except ImportError as error:
        raise NoLibrary(
            f"EXR pictures need the package OpenEXR ({error}); pip install OpenEXR brings it."
        ) from error


def write(out: BinaryIO, rgb: NDArray[np.float32] | NDArray[np.float16], text: str) -> None:
    """Writes a picture.

    Args:
        out: Where to.
        rgb: Linear light [H, W, 3] with sRGB's primaries, top row first, as float32 or half.
        text: What becomes the attribute.
    """
    exr = library()
    header = {
        "type": exr.scanlineimage,
        "compression": exr.ZIP_COMPRESSION,
        "chromaticities": PRIMARIES,
        ATTRIBUTE: text,
    }
    # It takes any array for one that lies row after row in memory. A stream, not a name: what the disk
    # says comes back as the OSError it is.
    exr.File(header, {"RGB": np.ascontiguousarray(rgb)}).write(out)


def read_text(path: Path) -> str:
    """The run a picture carries, as text; looks at no pixel.

    Raises:
        NoLibrary: OpenEXR is not installed.
        ValueError: It is no such picture, carries no run, or is damaged; the sentence lacks the file.
    """
    try:
        text = library().File(str(path), header_only=True).header().get(ATTRIBUTE)
    except RuntimeError as error:
        raise ValueError("this EXR picture is damaged.") from error
    if not isinstance(text, str):
        raise NoRun
    return text
