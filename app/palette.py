"""Palettes: our own gradients, and those of the `cmap` package, as 256 colours."""

import colorsys
import functools

import cmap
import numpy as np
from numpy.typing import NDArray

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


@functools.cache  # cmap takes half a millisecond, and longer for one it has to read
def colours(name: str) -> NDArray[np.uint8]:
    """The palette as sRGB bytes [256, 3], to read only.

    Raises:
        ValueError: No palette has this name.
    """
    stops = cmap.Colormap(list(OWN[name])) if name in OWN else cmap.Colormap(name)
    ramp = np.round(stops(np.linspace(0, 1, 256))[:, :3] * 255).astype(np.uint8)
    ramp.flags.writeable = False
    return ramp


def stone(name: str) -> tuple[float, ...]:
    """The colour of walls beside a palette, sRGB from 0 to 1: grey, away from the ground."""
    return (0.3,) * 3 if _is_light(colours(name)[0]) else (0.75,) * 3


def food(name: str) -> tuple[float, ...]:
    """The colour of food beside a palette, sRGB from 0 to 1: the hue opposite that of the trails."""
    return _away_from_trails(name, 1 / 2)


def veil(name: str) -> tuple[float, ...]:
    """The colour of the mask beside a palette, sRGB from 0 to 1: neither the trails' hue nor the food's."""
    return _away_from_trails(name, 1 / 4)


def _away_from_trails(name: str, turn: float) -> tuple[float, ...]:
    """A colour that stands out from the ground, its hue so far round the circle from the trails'."""
    ramp = colours(name)
    hue, _, _ = colorsys.rgb_to_hls(*(ramp[160] / 255))
    return colorsys.hls_to_rgb((hue + turn) % 1, 0.45 if _is_light(ramp[0]) else 0.65, 0.7)


def _is_light(colour: NDArray[np.uint8]) -> bool:
    return bool(colour @ (0.2126, 0.7152, 0.0722) > 128)
