"""What outlives the window: settings, its place, and the session, kept while it lives."""

import math
from collections.abc import Callable
from pathlib import Path

from app.autosave import SECONDS_APART, Autosave
from app.captures import KINDS, SIZES
from app.studio import Studio

Place = Callable[[], tuple[tuple[int, int], tuple[int, int]] | None]  # size and place of a window


class Keeper:
    """Brings back how a studio's panel stood, and keeps that and its session.

    Args:
        studio: What is kept, with its settings.
        folder: Where sessions are kept.
        place: Tells size and place of the window; None while it has none of its own.
    """

    def __init__(self, studio: Studio, folder: Path, place: Place) -> None:
        self.studio, self.place = studio, place
        self.due = math.inf
        self.began = place()  # not quite where it was put, where the desktop adds a frame
        studio.autosave = self.autosave = Autosave(folder)
        settings = studio.settings
        studio.panel, studio.watch.revive = settings.panel, settings.revive
        studio.capture_kind = min(settings.capture_kind, len(KINDS) - 1)
        studio.capture_size = min(settings.capture_size, len(SIZES) - 1)
        for problem in (*settings.problems, *self.autosave.problems):
            studio.notices.say(problem)
        self.autosave.problems.clear()

    def follow(self, now: float) -> None:
        """Call it for each frame.

        Args:
            now: Seconds of a clock that never goes back.
        """
        studio = self.studio
        self.due = min(self.due, now + SECONDS_APART)
        if now >= self.due:
            self.due = now + SECONDS_APART
            self._note()
            studio.settings.keep()
        self.autosave.follow(studio.session, studio.view, now, self._settled)
        for problem in (*studio.settings.poll(), *self.autosave.problems):
            studio.notices.say(problem)
        self.autosave.problems.clear()

    def close(self) -> list[str]:
        """Keeps all a last time; returns sentences on what could not be kept."""
        self._note()
        studio = self.studio
        return studio.settings.close() + self.autosave.close(studio.session, studio.view, self._settled)

    @property
    def _settled(self) -> bool:
        return not (self.studio.replay or self.studio.session.script)

    def _note(self) -> None:
        """Takes over how panel and window stand."""
        studio, settings = self.studio, self.studio.settings
        settings.panel, settings.revive = studio.panel, studio.watch.revive
        settings.capture_kind, settings.capture_size = studio.capture_kind, studio.capture_size
        if now := self.place():
            before = self.began or (None, None)
            settings.size = now[0] if now[0] != before[0] else settings.size
            settings.place = now[1] if now[1] != before[1] else settings.place
