"""The window's events, handed to imgui, and which of them are imgui's alone."""

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any, TypeVar, cast

from imgui_bundle import imgui
from moderngl_window.context.base import BaseWindow, KeyModifiers

NOWHERE = (-3.4028234663852886e38, -3.4028234663852886e38)  # -FLT_MAX: imgui's "no mouse"

# Names of moderngl-window's Keys that imgui spells differently; the others are the same in lower case.
RENAMED = {arrow: f"{arrow.lower()}_arrow" for arrow in ("LEFT", "RIGHT", "UP", "DOWN")}
RENAMED |= {f"NUMBER_{digit}": f"_{digit}" for digit in range(10)}
RENAMED |= {f"NUMPAD_{digit}": f"keypad{digit}" for digit in range(10)}

# Keys of pyglet that moderngl-window's Keys lack; its LEFT_BRACKET is pyglet's "{", which no key sends.
PYGLET = {
    "RCTRL": "right_ctrl",
    "LALT": "left_alt",
    "RALT": "right_alt",
    "LOPTION": "left_alt",
    "ROPTION": "right_alt",
    "LMETA": "left_super",
    "RMETA": "right_super",
    "LWINDOWS": "left_super",
    "RWINDOWS": "right_super",
    "LCOMMAND": "left_super",
    "RCOMMAND": "right_super",
    "BRACKETLEFT": "left_bracket",
    "BRACKETRIGHT": "right_bracket",
    "APOSTROPHE": "apostrophe",
    "GRAVE": "grave_accent",
    "MENU": "menu",
    "PAUSE": "pause",
    "PRINT": "print_screen",
    "NUMLOCK": "num_lock",
    "SCROLLLOCK": "scroll_lock",
    "NUM_ENTER": "keypad_enter",
    "NUM_EQUAL": "keypad_equal",
    "NUM_ADD": "keypad_add",
    "NUM_SUBTRACT": "keypad_subtract",
    "NUM_MULTIPLY": "keypad_multiply",
    "NUM_DIVIDE": "keypad_divide",
    "NUM_DECIMAL": "keypad_decimal",
    "NUM_HOME": "home",
    "NUM_END": "end",
    "NUM_LEFT": "left_arrow",
    "NUM_RIGHT": "right_arrow",
    "NUM_UP": "up_arrow",
    "NUM_DOWN": "down_arrow",
    "NUM_PAGE_UP": "page_up",
    "NUM_PAGE_DOWN": "page_down",
    "NUM_INSERT": "insert",
    "NUM_DELETE": "delete",
}

MODIFIERS = {
    imgui.Key[f"{side}_{name}"]: imgui.Key[f"mod_{name}"]
    for side in ("left", "right")
    for name in ("ctrl", "shift", "alt", "super")
}

Forward = TypeVar("Forward", bound=Callable[..., bool])


def while_open(forward: Forward) -> Forward:
    """Events still arrive while a window closes, when imgui's memory is gone: those are not imgui's."""

    @wraps(forward)
    def guarded(self: "OverlayInput", *args: Any) -> bool:
        return self.context is not None and forward(self, *args)

    return cast(Forward, guarded)


class OverlayInput:
    """Forwards events to imgui; each `on_` method says whether the event is imgui's.

    The methods have the names and arguments of moderngl-window's callbacks. imgui sees every event; the
    window must keep those answered with True from the canvas and the shortcuts.

    Args:
        window: A moderngl-window window.
        context: The imgui context, current.
    """

    def __init__(self, window: BaseWindow, context: imgui.internal.Context) -> None:
        self.window = window
        self.context: imgui.internal.Context | None = context
        self.io = imgui.get_io()
        self.key_map = key_map(window)
        self.pointer = NOWHERE
        self.buttons: set[int] = set()  # held down
        self.captured = False  # whether imgui got the press that `buttons` began with
        self.keys: set[Any] = set()  # whose press imgui got
        self.native: Any = window._window if window.name == "pyglet" else None  # type: ignore[attr-defined]
        self.handlers = {
            "on_activate": lambda: self.io.add_focus_event(True),
            "on_deactivate": self.lose_focus,
            "on_mouse_leave": lambda _x, _y: self.point(*NOWHERE),
        }
        if self.native:
            self.native.push_handlers(**self.handlers)
            platform = imgui.get_platform_io()
            platform.platform_get_clipboard_text_fn = lambda _: self.paste()
            platform.platform_set_clipboard_text_fn = lambda _, text: self.copy(text)

    def detach(self) -> None:
        """Takes the overlay's own handlers off the window."""
        if self.native:
            self.native.remove_handlers(**self.handlers)

    @property
    def wants_mouse(self) -> bool:
        """Whether the mouse is imgui's: it is over a widget window, or was when its button went down."""
        return self.context is not None and (self.captured if self.buttons else self.io.want_capture_mouse)

    @property
    def wants_keyboard(self) -> bool:
        """Whether the keys are imgui's: a field is being typed in, or a widget is held."""
        return self.context is not None and (self.io.want_capture_keyboard or self.io.want_text_input)

    @while_open
    def on_mouse_position_event(self, x: int, y: int, dx: int, dy: int) -> bool:
        """The mouse moved to (x, y), in window units from the top left."""
        self.point(x, y)
        return self.under_pointer()

    @while_open
    def on_mouse_drag_event(self, x: int, y: int, dx: int, dy: int) -> bool:
        """The mouse moved with a button down."""
        self.point(x, y)
        return self.under_pointer()

    @while_open
    def on_mouse_press_event(self, x: int, y: int, button: int) -> bool:
        """A button went down: 1 left, 2 right, 3 middle."""
        self.point(x, y)
        self.captured = self.under_pointer()
        self.buttons.add(button)
        self.io.add_mouse_button_event(button - 1, True)
        return self.captured

    @while_open
    def on_mouse_release_event(self, x: int, y: int, button: int) -> bool:
        """A button went up; the event belongs to whoever got its press."""
        self.point(x, y)
        self.buttons.discard(button)
        self.io.add_mouse_button_event(button - 1, False)
        return self.captured

    @while_open
    def on_mouse_scroll_event(self, x_offset: float, y_offset: float) -> bool:
        """The wheel turned, by notches; up is positive."""
        self.io.add_mouse_wheel_event(x_offset, y_offset)
        return self.under_pointer()

    @while_open
    def on_key_event(self, key: Any, action: Any, modifiers: KeyModifiers) -> bool:
        """A key went down or up; the release belongs to whoever got the press."""
        down = action == self.window.keys.ACTION_PRESS
        if down and key == getattr(self.window.keys, "TAB", None) and not self.wants_keyboard:
            return False  # the panel's own shortcut, with which imgui would go to the next field
        self.io.add_key_event(imgui.Key.mod_ctrl, bool(modifiers.ctrl))
        self.io.add_key_event(imgui.Key.mod_shift, bool(modifiers.shift))
        self.io.add_key_event(imgui.Key.mod_alt, bool(modifiers.alt))
        if pressed := self.key_map.get(key):
            self.io.add_key_event(pressed, down)
            # X11 tells the modifiers from before the event: a modifier's own key knows better.
            if modifier := MODIFIERS.get(pressed):
                self.io.add_key_event(modifier, down)
        if not down:
            wanted = key in self.keys
            self.keys.discard(key)
            return wanted
        if self.wants_keyboard:
            self.keys.add(key)
        return self.wants_keyboard

    @while_open
    def on_unicode_char_entered(self, char: str) -> bool:
        """Text was typed or composed: any number of characters, on Windows halves of surrogate pairs."""
        for unit in map(ord, char):
            if unit < 0x10000:
                self.io.add_input_character_utf16(unit)
            else:
                self.io.add_input_character(unit)
        return bool(self.io.want_text_input)

    @while_open
    def on_resize(self, width: int, height: int) -> bool:
        """The window has a new size; nothing to do, since every frame asks the window for its own."""
        return False

    def point(self, x: float, y: float) -> None:
        """Moves imgui's mouse."""
        self.pointer = x, y
        self.io.add_mouse_pos_event(x, y)

    def under_pointer(self) -> bool:
        """Whether a mouse event now is imgui's.

        `io.want_capture_mouse` alone tells what was true in the last frame: a fast hand, or a slow frame,
        would press on the canvas through a panel.
        """
        if self.context and not self.buttons:
            imgui.set_current_context(self.context)
            imgui.internal.update_hovered_window_and_capture_flags(self.pointer)
        return self.wants_mouse

    def copy(self, text: str) -> None:
        """Puts text on the system's clipboard."""
        with suppress(Exception):  # other programs' trouble must not end the frame
            self.native.set_clipboard_text(text)

    def paste(self) -> str:
        """The system's clipboard, "" if it holds no readable text."""
        with suppress(Exception):
            return str(self.native.get_clipboard_text())
        return ""

    def lose_focus(self) -> None:
        """Lets go of all keys and buttons: their releases go to another window."""
        self.io.add_focus_event(False)
        self.buttons.clear()
        self.keys.clear()


def key_map(window: BaseWindow) -> dict[Any, imgui.Key]:
    """The imgui key for each key of the window; empty for a headless one, whose keys have no codes."""
    names = [name for name in dir(window.keys) if name.isupper()]
    keys = {getattr(window.keys, name): RENAMED.get(name, name.lower()) for name in names}
    if window.name == "pyglet":
        from pyglet.window import key as pyglet_keys  # needs a display to import

        keys |= {getattr(pyglet_keys, name): key for name, key in PYGLET.items()}
    known = imgui.Key.__members__
    return {code: known[key] for code, key in keys.items() if key in known and code != "undefined"}
