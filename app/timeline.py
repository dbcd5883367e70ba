"""What changes during a film: keyframes for parameters, whole looks and the camera, from a TOML file."""

import dataclasses
import math
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from app.easing import EASINGS, mix
from app.files import user_folder
from app.view import View
from kernels.params import SPECS, Params, specs
from kernels.spec import Spec, Value, brief, param, refusal
from presets import find, looks
from presets.disk import PresetError, opened, sentence, told
from presets.preset import nearest

FORMAT = 1
MAX_BYTES = 1 << 20
LONGEST = 24 * 60 * 60.0  # seconds
EASING = "smooth"  # of a key that names none
KEY = "[[key]] and under it, line by line, a time in seconds and what holds then, such as decay = 0.2"


class TimelineError(ValueError):
    """One plain sentence: the file, the key, and what is wrong."""


@dataclasses.dataclass(frozen=True, slots=True)
class Camera:
    """What of the field a frame shows; a field goes on at its edges, so any centre and turn is one."""

    centre_x: float = param(0.5, -1000.0, 1000.0, "", "Camera", "Where the middle lies: 0 left, 1 right.")
    centre_y: float = param(0.5, -1000.0, 1000.0, "", "Camera", "Where the middle lies: 0 top, 1 bottom.")
    zoom: float = param(1.0, 1 / 16, 64.0, "x", "Camera", "1 where the field just covers the frame.", "log")
    angle: float = param(0.0, -36000.0, 36000.0, "°", "Camera", "How far it is turned; 720 are two turns.")

    def view(self, field: tuple[int, int], target: tuple[int, int]) -> View:
        """The view of a field of so many pixels on a frame of so many."""
        centre = self.centre_x % 1 * field[0], self.centre_y % 1 * field[1]
        return View(field, target, centre, self.zoom, self.angle)


CAMERA = specs(Camera)
TRACKS: dict[str, Spec] = SPECS | CAMERA
NAMES = "time", "easing", "preset", "look", "centre", "zoom", "angle"


@dataclasses.dataclass(frozen=True, slots=True)
class Key:
    """A moment of a timeline.

    Attributes:
        time: Seconds from the film's beginning.
        values: What parameters and camera have become by then; what is not named takes no notice.
        easing: How they come to it from the key before that names them, one of `EASINGS`.
    """

    time: float
    values: Mapping[str, Value]
    easing: str = EASING


class Timeline:
    """Keyframes, and the values between them.

    Args:
        keys: In any order; where two stand at the same time, values come to the first and jump to the second.

    Attributes:
        seconds: When the last key is.
        tracks: The keys that name a value, by its name, in the order of their times.
    """

    def __init__(self, keys: Iterable[Key] = ()) -> None:
        self.tracks: dict[str, list[Key]] = {}
        self.seconds = 0.0
        for key in sorted(keys, key=lambda key: key.time):
            self.seconds = key.time
            for name in key.values:
                self.tracks.setdefault(name, []).append(key)

    def params(self, time: float, base: Params) -> dict[str, Value]:
        """The parameters that it holds, at a time in seconds.

        Args:
            time: Before 0, as at 0.
            base: What they are where the film begins, if no key stands there.
        """
        return {name: self._value(name, getattr(base, name), time) for name in self.tracks if name in SPECS}

    def camera(self, time: float) -> Camera:
        """The camera at a time in seconds."""
        values: dict[str, Any] = {
            name: self._value(name, spec.default, time)
            for name, spec in CAMERA.items()
            if name in self.tracks
        }
        return Camera(**values)

    def _value(self, name: str, first: Value, time: float) -> Value:
        time = max(time, 0.0)
        before, since = first, 0.0
        for key in self.tracks[name]:
            after = key.values[name]
            if time < key.time:
                way = EASINGS[key.easing]((time - since) / (key.time - since))
                return mix(TRACKS[name], before, after, way)
            before, since = after, key.time
        return before


def load(path: Path) -> Timeline:
    """Reads a timeline file.

    Raises:
        TimelineError: It cannot be read, or something in it is wrong.
    """
    try:
        with opened(path) as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise TimelineError(sentence(path, error, "read")) from error
    try:
        return parse(data.decode("utf-8-sig"), told(path))
    except UnicodeDecodeError as error:
        raise TimelineError(f"{told(path)} is not UTF-8 text (byte {error.start}).") from error


def parse(text: str, where: str) -> Timeline:
    """Reads a timeline's TOML text.

    Args:
        text: The TOML.
        where: The file as sentences name it.

    Raises:
        TimelineError: One sentence with file, key, value and what is allowed.
    """
    try:
        table = _table(text)
        for name in table:
            if name not in ("format", "key"):
                hint = "it belongs under a [[key]]." if name in (*TRACKS, *NAMES) else f"it takes {KEY}."
                raise ValueError(f"unknown key {brief(name)}; {hint}")
        if table.get("format", FORMAT) != FORMAT:
            raise refusal("format", table["format"], str(FORMAT))
        entries = table.get("key", [])
        if not isinstance(entries, list) or not entries or not all(isinstance(e, dict) for e in entries):
            raise ValueError(f"there are no keys; it takes {KEY}.")
        return Timeline([_key(entry, number) for number, entry in enumerate(entries, 1)])
    except ValueError as error:
        raise TimelineError(f"{where}: {error}") from error


def _table(text: str) -> dict[str, Any]:
    if len(text) > MAX_BYTES:
        raise ValueError(f"the file is too large for a timeline; it takes at most {MAX_BYTES >> 20} MiB.")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("not valid TOML: it is nested too deeply.") from None
    except ValueError as error:  # tomllib's own among them
        raise ValueError(f"not valid TOML: {str(error)[:160]}.") from error


def _key(entry: dict[str, Any], number: int) -> Key:
    try:
        time = _number(entry, "time", 0.0, LONGEST, "seconds")
        easing = entry.get("easing", EASING)
        if easing not in EASINGS:
            raise refusal("easing", easing, "one of " + ", ".join(EASINGS))
        values: dict[str, Value] = {}
        if "preset" in entry:
            values |= _preset(entry["preset"])
        if "look" in entry:
            values |= _look(entry["look"])
        for name, value in entry.items():
            if name in READERS:
                values |= READERS[name](value)
            elif name in SPECS:
                values[name] = SPECS[name].check(value)
            elif name not in NAMES:
                raise ValueError(f"unknown key {brief(name)}; {nearest(name, (*NAMES, *SPECS))}")
    except ValueError as error:
        at = f" at {entry['time']:g} s" if isinstance(entry.get("time"), int | float) else ""
        raise ValueError(f"key {number}{at}: {error}") from error
    return Key(time, values, easing)


def _number(entry: Mapping[str, Any], name: str, low: float, high: float, unit: str) -> float:
    if name not in entry:
        raise ValueError(f"{name} is missing; it takes a number from {low:g} to {high:g} {unit}.")
    value = entry[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise refusal(name, value, f"a number from {low:g} to {high:g} {unit}")
    return float(value)


def _preset(name: object) -> dict[str, Value]:
    """All parameters of a preset."""
    if not isinstance(name, str):
        raise refusal("preset", name, "the name of a preset, or a preset file")
    try:
        params = find(name, user_folder()).params
    except PresetError as error:
        raise ValueError(f"preset = {brief(name)}: {error}") from error
    return {name: getattr(params, name) for name in SPECS}


def _look(name: object) -> dict[str, Value]:
    """All that a look sets."""
    if not isinstance(name, str):
        raise refusal("look", name, "the name of a look, or a look file")
    try:
        return looks.find(name, looks.look_folder(user_folder())).values
    except PresetError as error:
        raise ValueError(f"look = {brief(name)}: {error}") from error


def _centre(value: object) -> dict[str, Value]:
    allowed = "two numbers, such as [0.5, 0.5] for the middle of the field"
    if not isinstance(value, list) or len(value) != 2:
        raise refusal("centre", value, allowed)
    for side in value:
        if isinstance(side, bool) or not isinstance(side, int | float) or not math.isfinite(side):
            raise refusal("centre", side, allowed)
    names = "centre_x", "centre_y"
    return {name: CAMERA[name].check(side) for name, side in zip(names, value, strict=True)}


READERS: dict[str, Callable[[Any], dict[str, Value]]] = {
    "centre": _centre,
    "zoom": lambda value: {"zoom": CAMERA["zoom"].check(value)},
    "angle": lambda value: {"angle": CAMERA["angle"].check(value)},
}
