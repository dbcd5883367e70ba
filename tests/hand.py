"""A person at the window: a real X server, real key and mouse events, and what they would see."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray
from Xlib import XK, X
from Xlib.display import Display
from Xlib.ext import xtest

SCREEN = 1000, 700


@contextmanager
def x_server() -> Iterator[str]:
    """An Xvfb of `SCREEN` size; gives its display name and sets DISPLAY."""
    read, write = os.pipe()
    command = [
        "Xvfb",
        "-displayfd",
        str(write),
        "-screen",
        "0",
        f"{SCREEN[0]}x{SCREEN[1]}x24",
        "-nolisten",
        "tcp",
    ]
    server = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as answer:
        name = f":{answer.readline().strip()}"
    before = os.environ.get("DISPLAY")
    os.environ["DISPLAY"] = name
    try:
        yield name
    finally:
        server.terminate()
        server.wait()
        if before is None:
            os.environ.pop("DISPLAY", None)
        else:
            os.environ["DISPLAY"] = before


class Hand:
    """Types, points and looks. Without a window manager keys go to the window under the pointer."""

    def __init__(self, name: str) -> None:
        self.display = Display(name)

    def move(self, x: int, y: int) -> None:
        xtest.fake_input(self.display, X.MotionNotify, x=x, y=y)
        self.display.sync()

    def press(self, button: int) -> None:
        xtest.fake_input(self.display, X.ButtonPress, button)
        self.display.sync()

    def release(self, button: int) -> None:
        xtest.fake_input(self.display, X.ButtonRelease, button)
        self.display.sync()

    def key(self, name: str, held: str = "") -> None:
        """Types a key, with another held down if it is named."""
        names = [held, name] if held else [name]
        codes = [self.display.keysym_to_keycode(XK.string_to_keysym(each)) for each in names]
        for code in codes:
            xtest.fake_input(self.display, X.KeyPress, code)
        for code in reversed(codes):
            xtest.fake_input(self.display, X.KeyRelease, code)
        self.display.sync()

    def hold(self, name: str) -> None:
        """Holds a key down, until `let_go`."""
        xtest.fake_input(self.display, X.KeyPress, self.display.keysym_to_keycode(XK.string_to_keysym(name)))
        self.display.sync()

    def let_go(self, name: str) -> None:
        """Lets a key go that was held down."""
        xtest.fake_input(
            self.display, X.KeyRelease, self.display.keysym_to_keycode(XK.string_to_keysym(name))
        )
        self.display.sync()

    def look(self) -> NDArray[np.uint8]:
        """The screen [H, W, 3]."""
        root = self.display.screen().root
        image = root.get_image(0, 0, *SCREEN, X.ZPixmap, 0xFFFFFFFF)
        pixels = np.frombuffer(image.data, np.uint8).reshape(SCREEN[1], SCREEN[0], 4)
        return np.ascontiguousarray(pixels[:, :, 2::-1])

    def close(self) -> None:
        self.display.close()
