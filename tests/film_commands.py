"""What the tests of films share."""

import os
from pathlib import Path

import av
import numpy as np
from av.video.reformatter import ColorRange, Colorspace
from PIL import Image

TINY = "render", "veins", "--size", "64x48", "--agents", "2k", "--backend", "cpu", "--fps", "20"
SHORT = *TINY, "--seconds", "0.4"  # 8 frames


def decoded(path: Path | str) -> list[np.ndarray]:
    """The frames of a film, as whoever heeds its tags shows them; older PyAVs do not by themselves."""
    tags = {
        "src_colorspace": Colorspace.ITU709, "dst_colorspace": Colorspace.ITU709,
        "src_color_range": ColorRange.MPEG, "dst_color_range": ColorRange.JPEG,
    }  # fmt: skip
    with av.open(str(path)) as film:
        return [frame.to_ndarray(format="rgb24", **tags) for frame in film.decode(video=0)]


def frames(folder: str) -> list[np.ndarray]:
    return [np.asarray(Image.open(path)).astype(int) for path in sorted(Path(folder).glob("*.png"))]


def names(folder: Path | str = ".") -> list[str]:
    return sorted(os.listdir(folder))
