"""Small pictures of looks: those shipped, and what a person's own make of one small field.

The shipped ones are drawn by the display (`app.looks_sheet`). Those of a person's own are made here without
OpenGL, and show exposure, tone and palette alone.
"""

import functools
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.meter import Meter
from app.palette import light_of, to_srgb
from app.thumbnails import read
from app.tone import LOOK_SIZE, tones
from kernels.params import Params
from presets.looks import FOLDER, Entry

SHIPPED = Path(str(files("presets") / FOLDER))
SAMPLE = SHIPPED / "sample.png"  # a developed trail, whose grey is the square root of
FULL = 16.0  # times its mean, where it is white

Picture = NDArray[np.uint8]


def picture_of(entry: Entry) -> Picture | None:
    """The picture [H, W, 4] of a look in the list; None where there is none."""
    shipped = None if entry.own else read(SHIPPED / f"{entry.name}.png")
    if shipped is not None or entry.preset is None:
        return shipped
    return drawn(entry.preset.params)


@functools.lru_cache(maxsize=1)
def sample() -> NDArray[np.float64]:
    """The trail [H, W] that looks are shown on, relative to its mean."""
    kept = read(SAMPLE)
    grey = np.zeros((9, 16)) if kept is None else kept[..., 0] / 255
    return FULL * grey**2


def drawn(params: Params) -> Picture:
    """The sample [H, W, 4] in the tone and the first palette of these parameters."""
    meter = Meter()
    meter.see(sample())
    shown = meter.adapted(params)
    exposed = shown.exposure * sample()
    place = np.sqrt(exposed / (1 + exposed)) * (LOOK_SIZE - 1)
    ramp = light_of(shown.palette)
    light = ramp[np.rint(tones(shown)[np.rint(place).astype(int)] * (len(ramp) - 1)).astype(int)]
    colours = np.rint(to_srgb(light) * 255).astype(np.uint8)
    return np.dstack([colours, np.full(colours.shape[:2], 255, np.uint8)])
