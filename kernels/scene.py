"""What a world begins with, besides agents: where they start, and a map of food, walls and a mask.

Declarations alone, without NumPy: presets hold them. `kernels.start` and `kernels.maps` draw them.
"""

import dataclasses

from kernels.params import specs
from kernels.spec import param, refusal

STARTS = ("uniform", "disc", "ring in", "ring out", "point", "discs", "spiral", "line", "image")
MAX_PICTURE = 1024  # px a side
LAYERS = ("food", "wall", "mask")  # red, green and blue of an image
MAX_FOOD = 256
MAX_LAYER = 2048  # px a side of a map's image


@dataclasses.dataclass(frozen=True, slots=True)
class Picture:
    """Brightness that agents begin on, stretched over the field.

    Attributes:
        width: 1 to 1024 px.
        height: 1 to 1024 px.
        pixels: A byte for each pixel, row by row; not all of them 0.
    """

    width: int
    height: int
    pixels: bytes

    def __post_init__(self) -> None:
        for side in ("width", "height"):
            if not 1 <= getattr(self, side) <= MAX_PICTURE:
                raise refusal(f"picture {side}", getattr(self, side), f"from 1 to {MAX_PICTURE} px")
        if len(self.pixels) != self.width * self.height:
            size = f"{self.width} x {self.height}"
            raise ValueError(f"A picture of {size} px cannot be made of {len(self.pixels)} bytes.")
        if self.pixels.count(0) == len(self.pixels):
            raise ValueError("The picture is all black, so no agent has a place to begin.")


# The lines are long on purpose: one parameter, one line.
# ruff: noqa: E501
# fmt: off
@dataclasses.dataclass(frozen=True, slots=True)
class Start:
    """Where agents begin, and in "ring in", "ring out", "spiral" and "line" which way they look.

    Attributes:
        image: The picture of kind "image"; None for all others.
    """

    kind: str = param("uniform", group="Start", help="The shape that agents begin in.", choices=STARTS)
    radius: float = param(0.35, 0.01, 1.0, "of the field's shorter side", "Start", "How large the shape is. Of a line half its length, against the field's width; of discs in a grid, against their spacing.")
    count: int = param(7, 1, 64, "", "Start", "How many discs stand in the grid, arms in the spiral, or lines.")
    image: Picture | None = None

    def __post_init__(self) -> None:
        for name, spec in START_SPECS.items():
            object.__setattr__(self, name, spec.check(getattr(self, name)))
        if (self.image is not None) != (self.kind == "image"):
            raise ValueError('A start takes an image if it is of the kind "image", and only then.')
# fmt: on


START_SPECS = specs(Start)


# fmt: off
@dataclasses.dataclass(frozen=True, slots=True)
class Food:
    """A lump of food, strongest in its middle and gone at its radius."""

    x: float = param(0.5, 0.0, 1.0, "of the width", "Food", "Where its middle is, from the left.")
    y: float = param(0.5, 0.0, 1.0, "of the height", "Food", "Where its middle is, from the top.")
    radius: float = param(40.0, 1.0, 2000.0, "px", "Food", "How far it reaches.", "log")
    strength: float = param(1.0, 0.0, 1.0, "", "Food", "How much of it there is in the middle.")

    def __post_init__(self) -> None:
        for name, spec in specs(Food).items():
            object.__setattr__(self, name, spec.check(getattr(self, name)))
# fmt: on


@dataclasses.dataclass(frozen=True, slots=True)
class Layers:
    """An image of the maps, stretched over the field.

    Attributes:
        width: 1 to 2048 px.
        height: 1 to 2048 px.
        pixels: Three bytes for each pixel, row by row: food, wall (from 128 on there is one), mask.
    """

    width: int
    height: int
    pixels: bytes

    def __post_init__(self) -> None:
        for side in ("width", "height"):
            if not 1 <= getattr(self, side) <= MAX_LAYER:
                raise refusal(f"map {side}", getattr(self, side), f"from 1 to {MAX_LAYER} px")
        if len(self.pixels) != self.width * self.height * len(LAYERS):
            size = f"{self.width} x {self.height}"
            raise ValueError(
                f"A map of {size} px, {len(LAYERS)} bytes each, cannot be made of {len(self.pixels)}."
            )


@dataclasses.dataclass(frozen=True, slots=True)
class Map:
    """The food, walls and mask that a field begins with.

    Attributes:
        food: At most 256 lumps, added to the image's food.
        image: All three layers, or None where there is no image.
    """

    food: tuple[Food, ...] = ()
    image: Layers | None = None

    def __post_init__(self) -> None:
        if len(self.food) > MAX_FOOD:
            raise refusal("food", f"{len(self.food)} lumps", f"at most {MAX_FOOD}")

    @property
    def empty(self) -> bool:
        """Whether there is nothing in it."""
        return not self.food and self.image is None
