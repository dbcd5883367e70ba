"""Where a window stands on the desktop, as far as its library tells; of moderngl-window's, pyglet's does."""

import contextlib

from moderngl_window.context.base import BaseWindow

GRIP = 48, 8  # px from a window's corner: what must be on a screen, so that it can be taken hold of


def place_of(window: BaseWindow) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Size and upper left corner of a window, in its own units; None while it has none of its own."""
    if window.name != "pyglet" or window.fullscreen or not window.visible or min(window.size) <= 0:
        return None
    (width, height), (x, y) = window.size, window.position
    return (width, height), (x, y)


def frames_of(window: BaseWindow, most: float = 60.0) -> float:
    """Frames/s that a window's screen shows, at most so many; those where nobody knows."""
    if window.name != "pyglet":
        return most
    with contextlib.suppress(Exception):  # drivers without modes raise whatever they like
        rate = window._window.screen.get_mode().rate  # type: ignore[attr-defined]
        return min(float(rate), most) if rate else most
    return most


def on_a_screen(window: BaseWindow, place: tuple[int, int]) -> bool:
    """Whether a window that is put there can be seen: a screen may have been unplugged since."""
    if window.name != "pyglet":
        return False
    screens = window._window.display.get_screens()  # type: ignore[attr-defined]
    x, y = (side + grip for side, grip in zip(place, GRIP, strict=True))
    return any(
        screen.x <= x < screen.x + screen.width and screen.y <= y < screen.y + screen.height
        for screen in screens
    )
