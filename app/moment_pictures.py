"""The clock of the moments, and a small picture of each, drawn as the window draws."""

import numpy as np
from numpy.typing import NDArray

from app.display import Display
from app.rewinder import Rewinder
from app.view import View

HEIGHT = 72  # px
WIDEST = 160  # px
OPAQUE = 255


def keep_and_draw(studio: Rewinder, display: Display, now: float) -> None:
    """Keeps a moment when it is time, and draws those that have no picture yet. No framebuffer is bound then.

    Args:
        studio: Whose moments they are.
        display: It shows the studio's world as it is now.
        now: Seconds of a clock that never goes back.
    """
    studio.follow_clock(now)
    for kept in studio.moments.strip:
        if kept.picture is None and kept.moment.world is studio.session.world:
            kept.picture = drawn(studio, display)


def drawn(studio: Rewinder, display: Display) -> NDArray[np.uint8]:
    """The whole field as a small picture [h, w, 4]."""
    width, height = display.size
    size = min(WIDEST, max(16, round(HEIGHT * width / height))), HEIGHT
    picture = np.full((HEIGHT, size[0], 4), OPAQUE, np.uint8)
    picture[:, :, :3] = display.picture(studio.session.look, View(display.size, size))
    return picture
