"""Food, walls and the mask: what is given, what is painted, and the cells that come of it."""

import dataclasses

import numpy as np
from numpy.typing import NDArray

from kernels.scene import LAYERS, Food, Layers, Map
from kernels.spec import refusal

FILLS = ("clear", "left to right", "top to bottom", "radial")
POINT = 256  # places and radii of the brush are in 256ths of a pixel
MAX_NUMBER = 2**40  # of any of them, either way: far beyond any field, and exact in float64
MOST_SAVED = 1024  # px a side of an image that is written
FULL = 255
SOLID = 128  # from here on a value means a wall
WALL = np.float32(-1)  # in `Maps.ground`

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]
Longs = NDArray[np.int64]
Patch = tuple[slice | NDArray[np.intp], ...]  # the index of a field's cells rows x columns [R, C]
ALL: Patch = slice(None), slice(None)


@dataclasses.dataclass(slots=True)
class Maps:
    """The maps of a field, one number for each cell.

    Attributes:
        food: 0 to 255 [H, W].
        wall: 0, or 255 where there is one [H, W].
        mask: How far the second preset holds, 0 to 255 [H, W].
    """

    food: Bytes
    wall: Bytes
    mask: Bytes

    def ground(self, patch: Patch = ALL) -> Floats:
        """Food from 0 to 1, and `WALL` where there is a wall, of all cells or of some [R, C]."""
        ground = _share(self.food[patch])
        ground[self.wall[patch] != 0] = WALL
        return ground

    def blend(self, patch: Patch = ALL) -> Floats:
        """The mask from 0 to 1, of all cells or of some [R, C]."""
        return _share(self.mask[patch])

    def layers(self) -> Layers:
        """An image of the maps, scaled down to at most 1024 px a side, to be saved."""
        height, width = self.food.shape
        longest = max(width, height)
        width, height = (max(1, side * min(longest, MOST_SAVED) // longest) for side in (width, height))
        image = np.stack([_average(getattr(self, layer), width, height) for layer in LAYERS], 2)
        return Layers(width, height, image.tobytes())


@dataclasses.dataclass(frozen=True, slots=True)
class Mark:
    """One dab of the brush on a layer, in whole numbers so that a log gives it back exactly.

    Attributes:
        layer: One of `LAYERS`.
        x: Centre in 256ths of a field pixel; any whole number, it wraps.
        y: The same, downwards.
        radius: In 256ths of a field pixel, above 0.
        hardness: Per cent of the radius up to which the whole value is given; from there it falls off.
        value: 0 to 255, what the layer becomes; 0 erases.
    """

    layer: str
    x: int
    y: int
    radius: int
    hardness: int
    value: int

    def __post_init__(self) -> None:
        if self.layer not in LAYERS:
            raise refusal("layer", self.layer, "one of " + ", ".join(LAYERS))
        anywhere = -MAX_NUMBER, MAX_NUMBER
        ranges = anywhere, anywhere, (1, MAX_NUMBER), (0, 100), (0, FULL)
        for name, (low, high) in zip(("x", "y", "radius", "hardness", "value"), ranges, strict=True):
            number = getattr(self, name)
            if type(number) is not int or not low <= number <= high:
                raise refusal(name, number, f"a whole number from {low} to {high}")


def rasterise(map: Map, width: int, height: int) -> Maps:
    """The maps of a field of width x height px: the image stretched over it, then the food added.

    Food is added as strength * (1 - (distance / radius)**2)**2 on the torus, and held to 255.
    """
    maps = Maps(*(np.zeros((height, width), np.uint8) for _ in LAYERS))
    if map.image is not None:
        red, green, blue = np.moveaxis(pixels_of(map.image), 2, 0)
        maps.food, maps.mask = _stretch(red, width, height), _stretch(blue, width, height)
        rows, columns = (
            (2 * np.arange(side) + 1) * pixels // (2 * side)
            for side, pixels in zip((height, width), green.shape, strict=True)
        )
        maps.wall = _solid(green[rows][:, columns])
    for lump in map.food:
        _add(maps.food, lump)
    return maps


def mark(maps: Maps, mark: Mark) -> Patch:
    """Paints a mark: new = old + (value - old) * weight, rounded; no other cells are touched.

    The weight is 1 up to hardness * radius and falls with the square of the distance, as `stroke.dab`
    does, to 0 at the radius. A wall has no grey: it changes where the weight is at least a half.

    Returns:
        The cells [R, C] that were touched.
    """
    layer = getattr(maps, mark.layer)
    height, width = layer.shape
    radius = min(mark.radius, (width + height) * POINT)  # which covers all, and its square an int64 holds
    inner = radius * mark.hardness // 100
    rows, dy2 = _near(mark.y, radius, height)
    columns, dx2 = _near(mark.x, radius, width)
    whole = max(1, radius**2 - inner**2)
    weight = np.clip(radius**2 - (dy2[:, None] + dx2), 0, whole)
    patch = _patch(rows, columns)
    if mark.layer == "wall":
        value = FULL if mark.value >= SOLID else 0
        layer[patch] = np.where(2 * weight >= whole, value, layer[patch])
    else:
        layer[patch] = (layer[patch] * (whole - weight) + mark.value * weight + whole // 2) // whole
    return patch


def fill(maps: Maps, layer: str, kind: str) -> None:
    """Fills a layer with 0, or with a gradient up to 255: to the right, downwards, or to the centre."""
    if kind not in FILLS:
        raise refusal("fill", kind, "one of " + ", ".join(FILLS))
    cells = getattr(maps, layer)
    height, width = cells.shape
    match kind:
        case "clear":
            cells[:] = 0
        case "left to right":
            cells[:] = _ramp(width)
        case "top to bottom":
            cells[:] = _ramp(height)[:, None]
        case "radial":
            radius = min(width, height)  # doubled, like the distances: their squares are whole then
            across = (2 * np.arange(width) + 1 - width) ** 2
            for y in range(height):
                distance = np.sqrt((across + (2 * y + 1 - height) ** 2).astype(np.float64))
                cells[y] = np.maximum(0, FULL - np.floor(FULL * distance / radius))
    if layer == "wall":
        cells[:] = _solid(cells)


def dish(width: int, height: int, patch: Patch = ALL) -> NDArray[np.bool_]:
    """Which cells, of all or of some [R, C], have their centre outside the circle inscribed in the field."""
    x2, y2 = ((2 * np.arange(side, dtype=np.int64) + 1 - side) ** 2 for side in (width, height))
    down, along = np.broadcast_arrays(y2[:, None], min(width, height) ** 2 - x2)  # views: they cost nothing
    outside: NDArray[np.bool_] = np.greater(down[patch], along[patch])
    return outside


def pixels_of(image: Layers) -> Bytes:
    """An image's layers [height, width, 3]."""
    return np.frombuffer(image.pixels, np.uint8).reshape(image.height, image.width, len(LAYERS))


def _share(values: Bytes) -> Floats:
    """Values of 255 as numbers from 0 to 1 [...]."""
    return values.astype(np.float32) / np.float32(FULL)


def _solid(values: Bytes) -> Bytes:
    """The walls [H, W] that values mean."""
    return np.where(values >= SOLID, np.uint8(FULL), np.uint8(0))


def _ramp(side: int) -> Longs:
    """From 0 to 255 along a side, rounded [side]."""
    return (np.arange(side) * FULL + (side - 1) // 2) // max(1, side - 1)


def _near(centre: int, radius: int, side: int) -> tuple[NDArray[np.intp], Longs]:
    """The cells [n] of a side nearer than a radius on the torus, and their distances squared [n].

    From the cells' centres, in 256ths of a pixel.
    """
    end = side * POINT
    apart = np.abs(np.arange(side, dtype=np.int64) * POINT + POINT // 2 - centre % end)
    apart = np.minimum(apart, end - apart)
    cells = np.flatnonzero(apart < radius)
    return cells, apart[cells] ** 2


def _patch(rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Patch:
    """The index of the cells rows x columns, both in rising order.

    By slices where the cells lie side by side, as they do but over the torus's seam: NumPy then reads and
    writes them several times as fast.
    """
    if all(len(cells) and cells[-1] - cells[0] == len(cells) - 1 for cells in (rows, columns)):
        return slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    return np.ix_(rows, columns)


def _add(cells: Bytes, lump: Food) -> None:
    """Adds one lump of food to the cells [H, W] it reaches."""
    height, width = cells.shape
    radius = round(lump.radius * POINT)
    rows, dy2 = _near(round(lump.y * height * POINT), radius, height)
    columns, dx2 = _near(round(lump.x * width * POINT), radius, width)
    fall = np.maximum(0.0, 1 - (dy2[:, None] + dx2) / float(radius**2))
    more = np.rint(FULL * lump.strength * (fall * fall)).astype(np.int64)
    patch = _patch(rows, columns)
    cells[patch] = np.minimum(cells[patch] + more, FULL)


def _stretch(layer: Bytes, width: int, height: int) -> Bytes:
    """A layer of any size as [height, width]: exact bilinear interpolation, rounded once.

    One row at a time: 64-bit numbers for all of a large field would not fit into memory.
    """
    top, bottom, down = _between(height, layer.shape[0])
    left, right, along = _between(width, layer.shape[1])
    whole = 4 * width * height
    cells = np.empty((height, width), np.uint8)
    for y in range(height):
        row = layer[top[y]] * (2 * height - down[y]) + layer[bottom[y]] * down[y]
        cells[y] = (row[left] * (2 * width - along) + row[right] * along + whole // 2) // whole
    return cells


def _between(side: int, pixels: int) -> tuple[Longs, Longs, Longs]:
    """Which two pixels the centre of each cell lies between, and how far along, in 1 / (2 * side)."""
    place = np.clip((2 * np.arange(side) + 1) * pixels - side, 0, 2 * side * (pixels - 1))
    before, along = np.divmod(place, 2 * side)
    return before, np.minimum(before + 1, pixels - 1), along


def _average(layer: Bytes, width: int, height: int) -> Bytes:
    """A layer scaled down to [height, width]: means of boxes that differ by a cell at most, rounded."""
    total, area = layer, np.ones((1, 1), np.int64)
    for axis, (side, pixels) in enumerate(zip(layer.shape, (height, width), strict=True)):
        edges = np.arange(pixels + 1) * side // pixels
        total = np.add.reduceat(total, edges[:-1], axis, np.uint32)
        area = area * np.expand_dims(np.diff(edges), 1 - axis)
    return ((total + area // 2) // area).astype(np.uint8)
