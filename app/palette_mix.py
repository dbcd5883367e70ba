"""What lies between two palettes."""

import numpy as np

from app.palette import OWN, SIZE, from_oklab, light_of, to_oklab, to_srgb
from kernels.gradients import MOST_STOPS, stops_of, to_text


def mix_palettes(a: str, b: str, share: float) -> str:
    """A gradient between two palettes, colour by colour in OKLab; exactly `a` at 0 and `b` at 1.

    Args:
        a: One of `kernels.params.PALETTES`, or a gradient's text.
        b: Another.
        share: Of the second, from 0 to 1.
    """
    if share <= 0 or a == b:
        return a
    if share >= 1:
        return b
    places = sorted({*_places(a), *_places(b)})
    if len(places) > MOST_STOPS:
        places = list(_even(MOST_STOPS))
    labs = [_at(palette, places) for palette in (a, b)]
    codes = np.rint(to_srgb(from_oklab(labs[0] * (1 - share) + labs[1] * share)) * 255).astype(np.uint8)
    return to_text(tuple((f"#{bytes(code).hex()}", place) for code, place in zip(codes, places, strict=True)))


def _places(palette: str) -> tuple[float, ...]:
    """Where its colours stop running straight; of one that never runs so, evenly spaced places."""
    if "#" in palette:
        return tuple(place for _, place in stops_of(palette))
    return _even(len(OWN.get(palette, range(MOST_STOPS))))


def _even(count: int) -> tuple[float, ...]:
    return tuple(round(place / (count - 1), 4) for place in range(count))


def _at(palette: str, places: list[float]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Its colours at some places, in OKLab."""
    ramp, along = to_oklab(light_of(palette)), np.linspace(0, 1, SIZE)
    return np.stack([np.interp(places, along, channel) for channel in ramp.T], 1)
