"""Palettes near a palette: other hues, more or less colour, lighter or darker, all in OKLab."""

import math
import random

import numpy as np

from app.palette import OWN, SIZE, from_oklab, light_of, to_light, to_oklab, to_srgb
from kernels.gradients import Stops, stops_of, to_text

STOPS = 8  # of a palette that is none of ours
# Standard deviations at strength 1.
HUE, OWN_HUE = 50.0, 12.0  # degrees: of all colours together, and of each on its own
CHROMA, LIGHTNESS = 0.3, 0.25  # of the logarithms of a factor, and of a power


def recoloured(palette: str, strength: float, draw: random.Random) -> str:
    """The text of a gradient whose colours are near those of a palette.

    Ground stays ground: black and white stay what they are, and colours keep their order in lightness.

    Args:
        palette: One of `kernels.params.PALETTES`, or a gradient's text.
        strength: 0 for the palette itself, up to 1.
        draw: Where chance comes from.
    """
    turn, chroma, lightness = (draw.gauss() * strength for _ in range(3))
    if not strength:
        return palette
    stops = _stops(palette)
    lab = to_oklab(to_light(np.array([list(bytes.fromhex(colour[1:])) for colour, _ in stops]) / 255))
    turns = np.radians([turn * HUE + draw.gauss() * strength * OWN_HUE for _ in stops])
    colour = (lab[:, 1] + 1j * lab[:, 2]) * np.exp(1j * turns + chroma * CHROMA)
    light = np.clip(lab[:, 0], 0, 1) ** math.exp(lightness * LIGHTNESS)
    srgb = to_srgb(from_oklab(np.stack([light, colour.real, colour.imag], 1)))
    texts = ("#" + bytes(row).hex() for row in np.round(srgb * 255).astype(np.uint8))
    return to_text(tuple((text, place) for text, (_, place) in zip(texts, stops, strict=True)))


def _stops(palette: str) -> Stops:
    """A palette's stops; of one that has none of its own, some of its colours."""
    if "#" in palette:
        return stops_of(palette)
    count = len(OWN.get(palette, range(STOPS)))
    places = np.linspace(0, 1, count)
    light = light_of(palette)[np.round(places * (SIZE - 1)).astype(int)]
    texts = ("#" + bytes(row).hex() for row in np.round(to_srgb(light) * 255).astype(np.uint8))
    return tuple(zip(texts, places.tolist(), strict=True))
