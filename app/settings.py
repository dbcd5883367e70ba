"""What is remembered from one start to the next: the window's place, how the panel stands, favourites.

One small file of JSON. Two programs at once each change in it only what was changed in them.
"""

import dataclasses
import functools
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from app.files import Writer, damaged
from app.locks import locked
from kernels.spec import refusal
from presets.disk import opened, sentence, told, write_atomically

NAME = "settings.json"
LARGEST = 1 << 20  # bytes of a file that is read
MOST = 100_000  # px, either way, of where a window can be
FASTEST = 1000  # frames/s that can be asked for

Table = dict[str, Any]


@dataclasses.dataclass
class Remembered:
    """What is kept, with what holds before anything was.

    Attributes:
        size: Of the window, in its own units; None before it was ever closed.
        place: Of its upper left corner on the desktop; None where nobody knows.
        panel: Whether the panel is shown.
        groups: Which of the panel's headings were opened or folded by hand.
        frames: Frames/s that the show is to keep, 0 to 1000; 0 for as many as the screen shows.
        revive: Whether a dead picture is brought back to life.
        capture_kind, capture_size: See `app.studio.Studio`.
        favourites: Names of presets.
    """

    size: tuple[int, int] | None = None
    place: tuple[int, int] | None = None
    panel: bool = True
    groups: dict[str, bool] = dataclasses.field(default_factory=dict)
    frames: int = 0
    revive: bool = False
    capture_kind: int = 0
    capture_size: int = 0
    favourites: set[str] = dataclasses.field(default_factory=set)


class Settings(Remembered):
    """The settings of this program, and their file.

    Attributes:
        problems: Sentences on what could not be read.

    Args:
        folder: Where the file lies; None keeps nothing, which is for tests and runs that nobody sees.
    """

    def __init__(self, folder: Path | None = None) -> None:
        super().__init__()
        self.path = folder / NAME if folder else None
        self.writer = Writer() if folder else None
        self.problems: list[str] = []
        if self.path:
            table = read(self.path, self.problems)
            self._take(table, self.path)
        self._saved = self._plain()

    def toggle_favourite(self, name: str) -> None:
        """Makes a preset a favourite, or no longer, and saves that at once."""
        self.favourites ^= {name}
        self.keep()

    def keep(self) -> None:
        """Saves what has changed, in a thread; costs next to nothing where nothing has."""
        now = self._plain()
        if self.path and self.writer and now != self._saved:
            before, after = ({**self._saved}, now)
            if self.writer.submit(functools.partial(merge, self.path, before, after)):
                self._saved = now

    def poll(self) -> list[str]:
        """Sentences on what could not be saved since the last call; it will be tried again."""
        problems = [problem for _, problem in self.writer.poll() if problem] if self.writer else []
        if problems:
            self._saved = {}
        return problems

    def close(self) -> list[str]:
        """Saves what is left and waits for it; returns what `poll` does."""
        self.keep()
        if self.writer:
            self.writer.close()
        return self.poll()

    def _plain(self) -> Table:
        """All values as JSON has them; copies."""
        return {name: plain(getattr(self, name)) for name in CHECKS}

    def _take(self, table: Table, path: Path) -> None:
        for name, check in CHECKS.items():
            if name in table:
                try:
                    setattr(self, name, check(name, table[name]))
                except ValueError as problem:
                    self.problems.append(f"{told(path)}: {problem}")


def plain(value: Any) -> Any:
    """A value as JSON has it, a copy."""
    match value:
        case set():
            return sorted(value)
        case tuple():
            return list(value)
        case dict():
            return dict(value)
    return value


def read(path: Path, problems: list[str]) -> Table:
    """The table in a file; {} where there is none, or where it cannot be read, which is then said.

    A file that is no table of settings is set aside.
    """
    try:
        with opened(path) as file:
            table = json.loads(file.read(LARGEST))
        if isinstance(table, dict):
            return table
        reason = "it holds no settings"
    except FileNotFoundError:
        return {}
    except OSError as error:
        problems.append(sentence(path, error, "read"))
        return {}
    except (ValueError, RecursionError):
        reason = "it is not valid JSON"
    problems.append(damaged(path, reason))
    return {}


def merge(path: Path, before: Mapping[str, Any], after: Mapping[str, Any]) -> Path:
    """Changes in the file what differs between two tables, and leaves the rest as it is there.

    Of lists and tables, what was added and taken away. For a thread.

    Raises:
        OSError: It cannot be written; it is as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.with_suffix(".lock")):
        table = read(path, [])
        for name, new in after.items():
            old, there = before.get(name), table.get(name)
            if new == old:
                continue
            if name == "favourites":
                kept = {item for item in there or () if isinstance(item, str)}
                was, now = set(old or ()), set(new)
                new = sorted(kept - (was - now) | (now - was))
            elif name == "groups" and isinstance(there, dict):
                new = there | {key: flag for key, flag in new.items() if (old or {}).get(key) != flag}
            table[name] = new
        return write_atomically(path, (json.dumps(table, indent=2) + "\n").encode())


def _whole(name: str, value: object, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise refusal(name, value, f"a whole number from {low} to {high}")
    return value


def _pair(low: int, name: str, value: object) -> tuple[int, int] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2:
        raise refusal(name, value, "two whole numbers")
    return _whole(name, value[0], low, MOST), _whole(name, value[1], low, MOST)


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise refusal(name, value, "true or false")
    return value


def _number(high: int, name: str, value: object) -> int:
    return _whole(name, value, 0, high)


def _flags(name: str, value: object) -> dict[str, bool]:
    if not isinstance(value, dict):
        raise refusal(name, value, "a table of true and false")
    return {key: _flag(name, flag) for key, flag in value.items()}


def _names(name: str, value: object) -> set[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise refusal(name, value, "a list of names")
    return set(value)


CHECKS: dict[str, Callable[[str, object], Any]] = {
    "size": functools.partial(_pair, 1),
    "place": functools.partial(_pair, -MOST),
    "panel": _flag,
    "groups": _flags,
    "frames": functools.partial(_number, FASTEST),
    "revive": _flag,
    "capture_kind": functools.partial(_number, 9),
    "capture_size": functools.partial(_number, 9),
    "favourites": _names,
}
