"""Keys and mouse, once: the window, the help overlay and README read this table."""

import dataclasses
from typing import Any


@dataclasses.dataclass(frozen=True, slots=True)
class Key:
    """One shortcut.

    Attributes:
        names: The keys that do it, as moderngl-window's `Keys` names them; empty for the mouse.
        label: What is printed on them.
        action: The method of `app.studio.Studio` they call.
        help: What it does, for people.
        shift: Whether the command takes a first argument that is True when Shift is held.
    """

    names: tuple[str, ...]
    label: str
    action: str
    help: str
    shift: bool = False


# fmt: off
KEYS = (
    Key(("SPACE",), "Space", "toggle_pause", "pause, go on"),
    Key(("PERIOD",), ".", "single_step", "one single step"),
    Key(("R",), "R", "restart", "restart with the same seed"),
    Key(("N",), "N", "new_seed", "restart with a new seed"),
    Key(("LEFT_BRACKET", "PAGE_UP"), "[ or Page up", "previous_preset",
        "previous preset; with Shift, keep the agents", shift=True),
    Key(("RIGHT_BRACKET", "PAGE_DOWN"), "] or Page down", "next_preset",
        "next preset; with Shift, keep the agents", shift=True),
    Key(("C", "F12"), "C or F12", "capture", "capture the picture as PNG"),
    Key(("TAB",), "Tab", "toggle_panel", "show or hide the panel"),
    Key(("F",), "F", "toggle_fullscreen", "fullscreen and back"),
    Key(("H",), "H", "toggle_help", "show or hide this help"),
    Key(("ESCAPE",), "Esc", "escape", "close help, leave fullscreen, or ask before quitting"),
)
# fmt: on

MOUSE = (
    Key((), "Left drag", "", "add trail"),
    Key((), "Right drag", "", "erase trail"),
    Key((), "Wheel", "", "zoom about the cursor"),
    Key((), "Middle drag", "", "pan; the field repeats at its edges"),
    Key((), "Double click", "", "reset the view"),
    Key((), "Drop a file", "", "open a preset, or a captured PNG and its run"),
)


def codes(window_keys: Any) -> dict[int, Key]:
    """The shortcut of each key code of a window.

    Args:
        window_keys: The window's `keys` class.
    """
    named = [(getattr(window_keys, name, None), key) for key in KEYS for name in key.names]
    found = {code: key for code, key in named if code is not None}  # a headless window has no keys
    for bracket, brace in (("[", "{"), ("]", "}")):  # moderngl-window 3.1.1 takes one for the other
        if ord(brace) in found:
            found[ord(bracket)] = found[ord(brace)]
    return found
