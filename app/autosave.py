"""The session, kept on disk while it lives, so that a crash costs half a minute of it.

Each running program has a file of its own and holds a lock beside it. A file whose lock nobody holds was
left by a crash: the next start offers it. One that was answered for, or closed in good order, is kept for
a while under another name.
"""

import contextlib
import dataclasses
import functools
import json
import math
import os
import secrets
import time
from pathlib import Path
from typing import TypeGuard

from app.files import Writer, damaged
from app.locks import Lock, lock
from app.png import MAX_TEXT
from app.record import MAX_EVENTS, Record, from_text, storable, to_text
from app.session import Session
from app.view import View
from kernels.spec import refusal
from presets.disk import opened, sentence, write_atomically

SECONDS_APART = 30.0
FORMAT = 1
LIVE, KEPT = "session-", "kept-"  # what names begin with
MOST_KEPT = 5
END_OF_TIME = 1e11  # seconds since 1970 that every system can make a date of
LARGEST = 1 << 24  # bytes of a file that is read


@dataclasses.dataclass(frozen=True)
class Lost:
    """A session that was not closed in good order.

    Attributes:
        path: Its file.
        held: Its lock, which is ours now.
        record: The run, up to where it was saved last.
        view: Centre x and y in field pixels, zoom and angle of what the window showed.
        saved: When that was, in seconds since 1970.
    """

    path: Path
    held: Lock
    record: Record
    view: tuple[float, float, float, float]
    saved: float

    def look_at(self, view: View) -> None:
        """Brings a view of its field back to what the window showed."""
        x, y, zoom, angle = self.view
        view.reset()
        view.zoom_at(view.target[0] / 2, view.target[1] / 2, zoom)  # within its bounds
        view.centre = x % view.field[0], y % view.field[1]
        view.angle = angle


class Autosave:
    """Saves a session now and then.

    Attributes:
        lost: What a crash has left, waiting for an answer; None for nothing.
        problems: Sentences to be told.

    Args:
        folder: Where sessions are kept; made when the first is saved.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / f"{LIVE}{os.getpid()}-{secrets.token_hex(4)}.json"
        self.problems: list[str] = []
        self.writer = Writer(capacity=1)
        self.held: Lock | None = None
        self.saved: object = None  # what the file holds, see `_state`
        self.failing = False
        self.due = math.inf
        self.lost = self._look_for_lost()
        self.restoring: Lost | None = None  # until it is saved as our own

    def follow(self, session: Session, view: View, now: float, settled: bool = True) -> None:
        """Call it for each frame; saves every `SECONDS_APART`, if anything has changed.

        Args:
            session: The run.
            view: What the window shows of it.
            now: Seconds of a clock that never goes back.
            settled: False while a recorded run is on its way back: what is on disk reaches farther.
        """
        self._hear()
        self.due = min(self.due, now + SECONDS_APART)
        if settled and now >= self.due:
            self.due = now + SECONDS_APART
            self._save(session, view)

    def close(self, session: Session, view: View, settled: bool = True) -> list[str]:
        """Saves a last time and keeps that under another name; returns what could not be done.

        A run that was lost and is not back yet is left for the next start to offer again.
        """
        if settled:
            self._save(session, view)
        self.writer.close()
        self._hear()
        self._keep(self.path, self.held)
        for lost in self.lost, self.restoring:
            if lost:
                lost.held.close()
        return self.problems

    def restore(self) -> Lost | None:
        """Takes what was lost, to bring it back; its file stays until that is saved anew."""
        self.restoring, self.lost = self.lost, None
        return self.restoring

    def leave(self) -> None:
        """Leaves what was lost; its file is kept for a while."""
        if self.lost:
            self._keep(self.lost.path, self.lost.held)
            self.lost = None

    def _save(self, session: Session, view: View) -> None:
        state = _state(session, view)
        if state == self.saved:
            return
        record = session.record(digest="")
        look = dataclasses.replace(record.preset, params=session.params, other=session.other)
        without_log = dataclasses.replace(record, preset=look, step=0, events=(), complete=True)
        shown = (*view.centre, view.zoom, view.angle)
        if self.writer.submit(functools.partial(self._write, record, without_log, shown)):
            self.saved = state

    def _write(self, record: Record, look: Record, view: tuple[float, ...]) -> Path:
        """Writes the file, in the writer's thread.

        Of a run too long to be read again, only the look that it has come to.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.held is None:
            self.held = lock(lock_of(self.path))
        text = to_text(record)
        if not record.complete or len(text) > MAX_TEXT or len(record.events) > MAX_EVENTS:
            text, _ = storable(look)
        table = {"format": FORMAT, "saved": time.time(), "view": view, "record": text}
        return write_atomically(self.path, json.dumps(table).encode())

    def _hear(self) -> None:
        """Tells of the first failure, and not of those that follow it."""
        for path, problem in self.writer.poll():
            if problem and not self.failing:
                self.problems.append(f"{problem} Until it can, a crash would lose this session.")
            self.failing = path is None
            if self.failing:
                self.saved = None  # it is tried again
            elif self.restoring:
                self._keep(self.restoring.path, self.restoring.held)
                self.restoring = None

    def _look_for_lost(self) -> Lost | None:
        """The newest of what crashes have left; what is damaged is set aside."""
        found: list[Lost] = []
        for path in _files(self.folder, LIVE):
            held = lock(lock_of(path))
            if held is None:  # its program runs
                continue
            try:
                found.append(Lost(path, held, *read(path)))
                continue
            except FileNotFoundError:  # another start was quicker
                pass
            except OSError as error:
                self.problems.append(sentence(path, error, "read"))
            except ValueError as problem:
                self.problems.append(damaged(path, str(problem).rstrip(".")))
            _let_go(path, held)
        found.sort(key=lambda lost: lost.saved)
        for older in found[:-1]:
            self._keep(older.path, older.held)
        return found[-1] if found else None

    def _keep(self, path: Path, held: Lock | None) -> None:
        """Gives a session that nobody will be asked about another name; drops the oldest of those."""
        with contextlib.suppress(OSError):
            path.replace(path.with_name(f"{KEPT}{time.time_ns()}-{secrets.token_hex(2)}.json"))
            for old in _files(self.folder, KEPT)[:-MOST_KEPT]:
                old.unlink()
        if held:
            _let_go(path, held)


def read(path: Path) -> tuple[Record, tuple[float, float, float, float], float]:
    """Record, view and time of a session's file, trusting nothing in it.

    Raises:
        OSError: It cannot be read.
        ValueError: It is damaged, or of a newer Physarium; a sentence without the file's name.
    """
    with opened(path) as file:
        data = file.read(LARGEST)
    try:
        table = json.loads(data)
    except (ValueError, RecursionError):
        raise ValueError("it is not valid JSON") from None
    if not isinstance(table, dict) or table.get("format") != FORMAT:
        raise ValueError(f"it is no session of format {FORMAT}")
    text, view, saved = (table.get(key) for key in ("record", "view", "saved"))
    if not isinstance(text, str):
        raise ValueError("it holds no run")
    if not (isinstance(view, list) and len(view) == 4 and all(map(_is_number, view)) and view[2] > 0):
        raise refusal("view", view, "four numbers, the third above 0")
    if not (_is_number(saved) and 0 <= saved < END_OF_TIME):
        raise refusal("saved", saved, "seconds since 1970")
    return from_text(text, "the run in it"), (view[0], view[1], view[2], view[3]), saved


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and math.isfinite(value)


def lock_of(path: Path) -> Path:
    """The lock beside a session's file, which itself is replaced with every save."""
    return path.with_suffix(".lock")


def _files(folder: Path, beginning: str) -> list[Path]:
    with contextlib.suppress(OSError):
        return sorted(folder.glob(f"{beginning}*.json"))
    return []


def _let_go(path: Path, held: Lock) -> None:
    """Ends a lock; its file goes, before where that can be, after on Windows, which deletes no open file."""
    with contextlib.suppress(OSError):
        lock_of(path).unlink()
    held.close()
    with contextlib.suppress(OSError):
        lock_of(path).unlink()


def _state(session: Session, view: View) -> object:
    """What changes whenever there is something to save."""
    shown = view.centre, view.zoom, view.angle
    return session.world, session.steps, session.params, session.other, len(session.log), shown
