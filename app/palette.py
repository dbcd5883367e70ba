"""Palettes: gradients of our own, of the `cmap` package, or a person's, as 256 colours in linear light.

Between stops colours run straight in OKLab, where equal ways look equally long: Björn Ottosson, "A
perceptual color space for image processing", 2020 (https://bottosson.github.io/posts/oklab/).
"""

import colorsys
import functools

import cmap
import numpy as np
from numpy.typing import NDArray

from kernels.gradients import Stops, stops_of

SIZE = 256

# Evenly spaced stops from empty ground to the strongest trail.
OWN = {
    "embers": ("#0b0709", "#2a0f16", "#6b1a1c", "#c2421a", "#f2932b", "#fde9a9"),
    "lichen": ("#0a0d0c", "#12302b", "#1f6b52", "#6fae4f", "#d5d96b", "#fdfbe4"),
    "abyss": ("#03050f", "#08173a", "#0d3f73", "#1789a6", "#6fd6c4", "#f1fff4"),
    "frost": ("#07060f", "#1b1440", "#3f2f86", "#7168c4", "#b3c0ea", "#f8fbff"),
    "bone": ("#0c0b0a", "#2c2825", "#5f574f", "#9d9285", "#d4cab9", "#fbf6ea"),
    "copper": ("#0a0b10", "#23202b", "#5a3a3a", "#a8623f", "#e0a368", "#f7e9d2"),
    "petri": ("#17130c", "#3b3015", "#7d6a17", "#c9ab1d", "#f3dd4d", "#fffbd1"),
    "neon": ("#07040f", "#2a0a4f", "#7a0f86", "#e0247c", "#ff7a59", "#fff3b0"),
    "ink": ("#f6f1e6", "#d9d2c4", "#a3a3a0", "#5f6a73", "#2a3642", "#0d131a"),
}

# Linear sRGB to the cones' responses, and their cube roots to OKLab; from the post above.
TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)

Colours = NDArray[np.float64]


@functools.lru_cache(maxsize=64)  # a drag in the gradient editor makes a new one in each frame
def light_of(palette: str) -> Colours:
    """A palette in linear light [256, 3], 0 to 1, to read only.

    Args:
        palette: One of `kernels.params.PALETTES`, or a gradient's text.

    Raises:
        ValueError: No palette has this name.
    """
    if "#" in palette:
        ramp = _between(stops_of(palette))
    elif palette in OWN:
        stops = OWN[palette]
        ramp = _between(tuple((colour, k / (len(stops) - 1)) for k, colour in enumerate(stops)))
    else:
        ramp = to_light(cmap.Colormap(palette)(np.linspace(0, 1, SIZE))[:, :3])
    ramp.flags.writeable = False
    return ramp


def _between(stops: Stops) -> Colours:
    """The ramp through some stops."""
    places = [place for _, place in stops]
    bytes_ = np.array([list(bytes.fromhex(colour[1:])) for colour, _ in stops])
    lab = to_oklab(to_light(bytes_ / 255))
    along = np.linspace(0, 1, SIZE)
    return from_oklab(np.stack([np.interp(along, places, channel) for channel in lab.T], 1))


def to_oklab(light: Colours) -> Colours:
    """Turns linear sRGB [..., 3] into OKLab."""
    return np.asarray(np.cbrt(light @ TO_CONES.T) @ TO_LAB.T)


def from_oklab(lab: Colours) -> Colours:
    """Turns OKLab [..., 3] into linear sRGB; what no screen shows becomes the nearest, 0 to 1 each."""
    cones = (lab @ np.linalg.inv(TO_LAB).T) ** 3
    return np.clip(cones @ np.linalg.inv(TO_CONES).T, 0, 1)


def to_light(srgb: Colours) -> Colours:
    """Turns sRGB values from 0 to 1 into linear light (IEC 61966-2-1)."""
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def to_srgb(light: Colours) -> Colours:
    """Turns linear light from 0 to 1 into sRGB values (IEC 61966-2-1)."""
    light = np.clip(light, 0, 1)
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)


@functools.lru_cache(maxsize=64)
def colours(palette: str) -> NDArray[np.uint8]:
    """A palette as sRGB bytes [256, 3], to read only."""
    ramp = np.round(to_srgb(light_of(palette)) * 255).astype(np.uint8)
    ramp.flags.writeable = False
    return ramp


def stone(palette: str) -> tuple[float, ...]:
    """The colour of walls beside a palette in linear light: grey, away from the ground."""
    return (0.073,) * 3 if is_light(palette) else (0.523,) * 3


def food(palette: str) -> tuple[float, ...]:
    """The colour of food beside a palette in linear light: the hue opposite that of the trails."""
    return tuple(to_light(np.array(_away_from_trails(palette, 1 / 2))).tolist())


def veil(palette: str) -> tuple[float, ...]:
    """The colour of the mask beside a palette, sRGB from 0 to 1: neither the trails' hue nor the food's."""
    return _away_from_trails(palette, 1 / 4)


def _away_from_trails(palette: str, turn: float) -> tuple[float, ...]:
    """A colour that stands out from the ground, its hue so far round the circle from the trails'."""
    hue, _, _ = colorsys.rgb_to_hls(*(colours(palette)[160] / 255))
    return colorsys.hls_to_rgb((hue + turn) % 1, 0.45 if is_light(palette) else 0.65, 0.7)


def is_light(palette: str) -> bool:
    """Whether a palette's ground is paper rather than night."""
    return bool(colours(palette)[0] @ (0.2126, 0.7152, 0.0722) > 128)
