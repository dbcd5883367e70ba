"""From the exposed trail to a place in the palette: tone curve, gamma and contrast, as a look-up table.

Entry i stands for an exposed trail x with sqrt(x / (1 + x)) = i / (LOOK_SIZE - 1), which is dense where
trails are faint. A table spares each pixel exponentials and powers, half the time of a frame in
software OpenGL.
"""

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from app.palette import light_of, to_srgb
from kernels.params import Params, of_species

LOOK_SIZE = 2048  # entries of the look-up table

Tones = NDArray[np.float64]


def _exponential(x: Tones) -> Tones:
    """Beer and Lambert's law: what is left of light through ink of that density, reversed."""
    return np.asarray(1 - np.exp(-x))


def _none(x: Tones) -> Tones:
    return np.minimum(x / 2, 1)  # half as steep, so that a look keeps its brightness from curve to curve


def _reinhard(x: Tones) -> Tones:
    """Reinhard and others, "Photographic tone reproduction for digital images", 2002, equation 3."""
    return np.where(np.isinf(x), 1, x / (1 + np.where(np.isinf(x), 0, x)))


def _hable(x: Tones) -> Tones:
    a, b, c, d, e, f = 0.15, 0.50, 0.10, 0.20, 0.02, 0.30
    return np.asarray((x * (a * x + c * b) + d * e) / (x * (a * x + b) + d * f) - e / f)


def _filmic(x: Tones) -> Tones:
    """John Hable, "Filmic tonemapping operators", 2010, white at 11.2."""
    white = 11.2
    return np.asarray(_hable(np.minimum(2 * x, white)) / _hable(np.array(white)))


def _aces(x: Tones) -> Tones:
    """Krzysztof Narkowicz, "ACES filmic tone mapping curve", 2016: a fit to the Academy's."""
    x = np.minimum(0.6 * x, 1e4)  # 0.6: Narkowicz's own correction for brightness
    return np.minimum(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 1)


def _agx(x: Tones) -> Tones:
    """After Troy Sobotka's AgX: a sigmoid, here the logistic one, over the logarithm of light."""
    stops = (np.log2(np.clip(x, 2.0**-9, 2.0**5)) + 9) / 14  # of exposure, 9 below 1 and 5 above
    steep, middle = 9.0, 0.62
    low, high = (1 / (1 + np.exp(steep * (middle - end))) for end in (0.0, 1.0))
    return np.asarray((1 / (1 + np.exp(steep * (middle - stops))) - low) / (high - low))


CURVES: dict[str, Callable[[Tones], Tones]] = {
    "exponential": _exponential,
    "none": _none,
    "reinhard": _reinhard,
    "filmic": _filmic,
    "aces": _aces,
    "agx": _agx,
}


@functools.lru_cache(maxsize=16)
def _curve(name: str) -> Tones:
    """A tone curve over the table's entries [LOOK_SIZE], from 0 to 1."""
    ratio = np.linspace(0, 1, LOOK_SIZE) ** 2
    exposed = np.append(ratio[:-1] / (1 - ratio[:-1]), np.inf)
    return CURVES[name](exposed)


def tones(params: Params) -> Tones:
    """The tone of each entry [LOOK_SIZE], from 0 (ground) to 1: curve, gamma, and contrast about the middle.

    Contrast c turns a tone t into t^c / (t^c + (1 - t)^c), which keeps 0, 1/2 and 1 where they are.
    """
    tone = _curve(params.tone) ** (1 / params.gamma)
    if params.contrast == 1:
        return tone
    up, down = tone**params.contrast, (1 - tone) ** params.contrast
    return np.asarray(up / (up + down))


def look_up(params: Params, species: int, linear: bool) -> NDArray[np.float32]:
    """What the shader looks up for a species [2, LOOK_SIZE, 4].

    Row 0: the colour of an exposed trail, and its tone as alpha. Row 1: the palette from end to end.

    Args:
        params: Tone, gamma, contrast and palettes.
        species: From 0.
        linear: Colours in linear light; otherwise sRGB, rounded to what bytes can hold.
    """
    ramp = light_of(of_species(params, species).palette)
    tone = tones(params)
    rows = np.empty((2, LOOK_SIZE, 4), np.float32)
    for row, place in zip(rows, (tone, np.linspace(0, 1, LOOK_SIZE)), strict=True):
        for channel in range(3):
            row[:, channel] = np.interp(place * (len(ramp) - 1), np.arange(len(ramp)), ramp[:, channel])
    rows[..., 3] = tone
    if not linear:
        rows[..., :3] = np.round(to_srgb(rows[..., :3].astype(float)) * 255) / 255
    return rows
