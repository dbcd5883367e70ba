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
        angle: Degrees that the camera is turned; the picture turns the other way, clockwise.
    """

    field: tuple[int, int]
    target: tuple[int, int]
    centre: tuple[float, float] = (math.nan, math.nan)
    zoom: float = 1.0
    angle: float = 0.0

    def __post_init__(self) -> None:
        if math.isnan(self.centre[0]):
            self.reset()

    def reset(self) -> None:
        """The whole field, centred."""
        self.centre = self.field[0] / 2, self.field[1] / 2
        self.zoom = 1.0
        self.angle = 0.0

    @property
    def cover(self) -> float:
        """Target pixels per field pixel at which the field just covers the target."""
        return max(max(1, self.target[0]) / self.field[0], max(1, self.target[1]) / self.field[1])

    @property
    def scale(self) -> float:
        """Target pixels per field pixel."""
        return self.cover * self.zoom

    def turned(self, x: float, y: float) -> tuple[float, float]:
        """A way across the target as one across the field, both in their own pixels."""
        turn = math.radians(self.angle)
        cos, sin = math.cos(turn) / self.scale, math.sin(turn) / self.scale
        return x * cos + y * sin, y * cos - x * sin

    def field_at(self, x: float, y: float) -> tuple[float, float]:
        """The field pixel under a target pixel, wrapped into the field."""
        across, down = self.turned(x - self.target[0] / 2, y - self.target[1] / 2)
        return (self.centre[0] + across) % self.field[0], (self.centre[1] + down) % self.field[1]

    def in_field(self) -> tuple[tuple[float, float], tuple[float, float, float, float]]:
        """The target's upper left corner in the field, whose sides are 1, and the ways to the next pixels.

        They are those to the right and down: a matrix, column by column.
        """
        width, height = self.field
        (right_x, right_y), (down_x, down_y) = self.turned(1, 0), self.turned(0, 1)
        away = self.turned(self.target[0] / 2, self.target[1] / 2)
        corner = (self.centre[0] - away[0]) / width, (self.centre[1] - away[1]) / height
        return corner, (right_x / width, right_y / height, down_x / width, down_y / height)

    def pan(self, dx: float, dy: float) -> None:
        """Moves the picture by target pixels."""
        across, down = self.turned(dx, dy)
        self.centre = (self.centre[0] - across) % self.field[0], (self.centre[1] - down) % self.field[1]

    def zoom_at(self, x: float, y: float, factor: float) -> None:
        """Zooms and keeps the field pixel under (x, y) where it is."""
        before = self.scale
        after = min(max(before * factor, min(FARTHEST, self.cover)), max(CLOSEST, self.cover))
        from_x, from_y = self.field_at(x, y)
        self.zoom *= after / before
        # The spot stays put when the centre moves by how far it would have drifted.
        to_x, to_y = self.field_at(x, y)
        self.centre = (
            (self.centre[0] + from_x - to_x) % self.field[0],
            (self.centre[1] + from_y - to_y) % self.field[1],
        )
