"""The mouse on the picture: paint, erase, pan, zoom. Knows no window."""

import math

from app.studio import Studio

LEFT, RIGHT, MIDDLE = 1, 2, 3
DOUBLE_CLICK_SECONDS, DOUBLE_CLICK_PIXELS = 0.35, 6
HOLD_SECONDS = 0.2  # a button held this long paints without moving; a click alone does not
REST_SECONDS = 1 / 60 - 0.002  # between dabs of a resting cursor, which then do not depend on the screen
MAX_DABS = 64  # a frame: a stall must not turn into a long stroke's worth of work
ZOOM_STEP = 1.15


class Pointer:
    """Turns mouse events, in framebuffer pixels, into commands.

    Args:
        studio: What the commands are given to.
    """

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.at = (0.0, 0.0)
        self.held: int | None = None
        self.painting = False
        self.begun = ""  # the layer that the gesture paints on, once it does
        self.pressed_at = (0.0, 0.0)
        self.painted_to = (0.0, 0.0)
        self.press_time = self.painted_when = -math.inf

    def move(self, x: float, y: float) -> None:
        """The cursor moved, with or without a button."""
        dx, dy = x - self.at[0], y - self.at[1]
        self.at = x, y
        if self.held == MIDDLE:
            self.studio.view.pan(dx, dy)
        elif self.held and math.dist(self.at, self.pressed_at) >= 2:
            self.painting = True

    def press(self, button: int, now: float) -> None:
        """A button went down at the cursor; `now` in seconds."""
        again = now - self.press_time < DOUBLE_CLICK_SECONDS
        near = math.dist(self.at, self.pressed_at) < DOUBLE_CLICK_PIXELS
        if button == LEFT and again and near:
            self.studio.view.reset()
            self.press_time = -math.inf
            return
        self.held, self.painting, self.begun = button, False, ""
        self.pressed_at = self.painted_to = self.at
        self.press_time = now

    def release(self, button: int) -> None:
        """A button went up."""
        if button == self.held:
            self.let_go()

    def let_go(self) -> None:
        """No button is held any more, whoever got its release."""
        self.held, self.painting = None, False

    def scroll(self, amount: float) -> None:
        """The wheel turned; up zooms in about the cursor."""
        self.studio.view.zoom_at(*self.at, ZOOM_STEP ** max(-20.0, min(20.0, amount)))

    def paint(self, now: float) -> None:
        """One frame's share of a stroke: dabs from where it ended to the cursor."""
        if self.held not in (LEFT, RIGHT):
            return
        if not self.painting and now - self.press_time < HOLD_SECONDS:
            return
        view, radius = self.studio.view, self.studio.brush.radius
        way = math.dist(self.painted_to, self.at) / view.scale
        if not way and now - self.painted_when < REST_SECONDS:
            return
        self.painted_when = now
        dabs = min(MAX_DABS, max(1, math.ceil(way / max(1.0, radius / 3))))
        places = []
        for dab in range(1, dabs + 1):
            along = dab / dabs
            x = self.painted_to[0] + (self.at[0] - self.painted_to[0]) * along
            y = self.painted_to[1] + (self.at[1] - self.painted_to[1]) * along
            places.append(view.field_at(x, y))
        begins = self.begun != self.studio.layer
        self.studio.paint(places, erase=self.held == RIGHT, begins=begins)
        self.painted_to = self.at
        self.begun = self.studio.layer
