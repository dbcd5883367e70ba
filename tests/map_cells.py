"""Maps to test with, and distances on them."""

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels.maps import Maps, rasterise
from kernels.scene import LAYERS, Layers, Map

SIDES = st.one_of(st.integers(16, 40), st.sampled_from([97, 401]))


def image(width: int, height: int) -> Layers:
    """An image with all kinds of values."""
    cells = np.arange(width * height * 3, dtype=np.uint32) * np.uint32(0x9E3779B1) >> np.uint32(24)
    return Layers(width, height, cells.astype(np.uint8).tobytes())


def empty(width: int, height: int) -> Maps:
    return rasterise(Map(), width, height)


def cells(maps: Maps) -> NDArray[np.uint8]:
    return np.stack([getattr(maps, layer) for layer in LAYERS])


def torus(centre: tuple[float, float], width: int, height: int) -> NDArray[np.float64]:
    """Distances [H, W] in px of the cells' centres from a point, written another way than in maps."""
    dx, dy = (
        np.abs((np.arange(side) + 0.5 - middle + side / 2) % side - side / 2)
        for side, middle in zip((width, height), centre, strict=True)
    )
    return np.hypot(dx, dy[:, None])
