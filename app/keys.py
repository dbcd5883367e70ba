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
        argument: What the command is called with, if with anything.
        ctrl: Whether Ctrl has to be held.
    """

    names: tuple[str, ...]
    label: str
    action: str
    help: str
    shift: bool = False
    argument: str | None = None
    ctrl: bool = False

    def arguments(self, shift: bool) -> tuple[object, ...]:
        """What the command is called with, while Shift is held or not."""
        if self.argument is not None:
            return (self.argument,)
        return (True,) if self.shift and shift else ()


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
    Key(("L",), "L", "next_look", "next look; with Shift, the one before", shift=True),
    Key(("NUMBER_1",), "1", "use_layer", "paint the trail of the species shown", argument="trail"),
    Key(("NUMBER_2",), "2", "use_layer", "paint food", argument="food"),
    Key(("NUMBER_3",), "3", "use_layer", "paint walls", argument="wall"),
    Key(("NUMBER_4",), "4", "use_layer", "paint the mask of a second look", argument="mask"),
    Key(("Z",), "Ctrl+Z", "back", "undo; with Shift, do it again", shift=True, ctrl=True),
    Key(("Y",), "Ctrl+Y", "redo", "do again what was undone", ctrl=True),
    Key(("S",), "S", "snapshot", "keep this moment; with Shift, in a file", shift=True),
    Key(("BACKSPACE",), "Backspace", "go_back", "go back to the last moment you kept; again, farther"),
    Key(("C", "F12"), "C or F12", "capture", "capture the picture"),
    Key(("R",), "Ctrl+R", "toggle_recording", "record a film of the window, and end it", ctrl=True),
    Key(("B",), "B", "compare", "flip between two looks; with Shift, make the other the same", shift=True),
    Key(("M",), "M", "vary", "mutate the look at random; with Shift, draw it anew", shift=True),
    Key(("V",), "V", "toggle_wall", "show or close the wall of variations"),
    Key(("G",), "G", "toggle_sweep", "show or close the map of two parameters"),
    Key(("P",), "P", "toggle_gallery", "show or hide the wall of presets"),
    Key(("TAB",), "Tab", "toggle_panel", "show or hide the panel"),
    Key(("F",), "F", "toggle_fullscreen", "fullscreen and back"),
    Key(("H",), "H", "toggle_help", "show or hide this help"),
    Key(("ESCAPE",), "Esc", "escape", "close help, leave fullscreen, or ask before quitting"),
)
# fmt: on

MOUSE = (
    Key((), "Left drag", "", "paint on the layer chosen"),
    Key((), "Right drag", "", "erase on it"),
    Key((), "Wheel", "", "zoom about the cursor"),
    Key((), "Middle drag", "", "pan; the field repeats at its edges"),
    Key((), "Double click", "", "reset the view"),
    Key((), "Drop a file", "", "open a preset, a captured PNG and its run, a saved moment, or a picture"),
)


def codes(window_keys: Any) -> dict[tuple[int, bool], Key]:
    """The shortcut of each key code of a window, without Ctrl and with it.

    Args:
        window_keys: The window's `keys` class.
    """
    named = [(getattr(window_keys, name, None), key) for key in KEYS for name in key.names]
    found = {(code, key.ctrl): key for code, key in named if code is not None}  # headless, there are none
    for bracket, brace in (("[", "{"), ("]", "}")):  # moderngl-window 3.1.1 takes one for the other
        if (ord(brace), False) in found:
            found[ord(bracket), False] = found[ord(brace), False]
    return found
