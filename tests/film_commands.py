"""What the tests of films share."""

import os
from pathlib import Path

import av
import numpy as np
from PIL import Image

TINY = "render", "veins", "--size", "64x48", "--agents", "2k", "--backend", "cpu", "--fps", "20"
SHORT = *TINY, "--seconds", "0.4"  # 8 frames


def decoded(path: Path | str) -> list[np.ndarray]:
    with av.open(str(path)) as film:
        return [frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]


def frames(folder: str) -> list[np.ndarray]:
    return [np.asarray(Image.open(path)).astype(int) for path in sorted(Path(folder).glob("*.png"))]


def names(folder: Path | str = ".") -> list[str]:
    return sorted(os.listdir(folder))
