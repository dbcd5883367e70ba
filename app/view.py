"""Which part of the field the window shows: pan and zoom over a torus."""

import dataclasses
import math

CLOSEST, FARTHEST = 64.0, 1 / 16  # target pixels per field pixel, unless the whole field needs more


@dataclasses.dataclass
class View:
    """A window onto the field.

    Attributes:
        field: Field size (width, height) in field pixels.
        target: Size of what is drawn into, in framebuffer pixels.
        centre: The field pixel in the middle of the target; left out, the field's own middle.
        zoom: 1 when the field just covers the target.
    """

    field: tuple[int, int]
    target: tuple[int, int]
    centre: tuple[float, float] = (math.nan, math.nan)
    zoom: float = 1.0

    def __post_init__(self) -> None:
        if math.isnan(self.centre[0]):
            self.reset()

    def reset(self) -> None:
        """The whole field, centred."""
        self.centre = self.field[0] / 2, self.field[1] / 2
        self.zoom = 1.0

    @property
    def cover(self) -> float:
        """Target pixels per field pixel at which the field just covers the target."""
        return max(max(1, self.target[0]) / self.field[0], max(1, self.target[1]) / self.field[1])

    @property
    def scale(self) -> float:
        """Target pixels per field pixel."""
        return self.cover * self.zoom

    def field_at(self, x: float, y: float) -> tuple[float, float]:
        """The field pixel under a target pixel, wrapped into the field."""
        px = self.centre[0] + (x - self.target[0] / 2) / self.scale
        py = self.centre[1] + (y - self.target[1] / 2) / self.scale
        return px % self.field[0], py % self.field[1]

    def in_field(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The target's upper left corner in the field, whose sides are 1, and how far the next pixel is."""
        (x, y), (width, height) = self.centre, self.field
        corner = x - self.target[0] / 2 / self.scale, y - self.target[1] / 2 / self.scale
        return (corner[0] / width, corner[1] / height), (1 / self.scale / width, 1 / self.scale / height)

    def pan(self, dx: float, dy: float) -> None:
        """Moves the picture by target pixels."""
        self.centre = (
            (self.centre[0] - dx / self.scale) % self.field[0],
            (self.centre[1] - dy / self.scale) % self.field[1],
        )

    def zoom_at(self, x: float, y: float, factor: float) -> None:
        """Zooms and keeps the field pixel under (x, y) where it is."""
        before = self.scale
        after = min(max(before * factor, min(FARTHEST, self.cover)), max(CLOSEST, self.cover))
        self.zoom *= after / before
        away_x, away_y = x - self.target[0] / 2, y - self.target[1] / 2
        # The spot stays put when the centre moves by how far it would have drifted.
        self.centre = (
            (self.centre[0] + away_x / before - away_x / after) % self.field[0],
            (self.centre[1] + away_y / before - away_y / after) % self.field[1],
        )
