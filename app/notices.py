"""Sentences shown for a few seconds: how anything that goes wrong, or well, is told."""

import dataclasses
import time
from collections.abc import Callable

SECONDS = 6.0
MOST = 5  # at once


@dataclasses.dataclass
class Notice:
    """A sentence, and when it goes (on `time.monotonic`'s clock)."""

    text: str
    until: float


class Notices:
    """What is to be read now."""

    def __init__(self) -> None:
        self.shown: list[Notice] = []

    def say(self, text: str) -> None:
        """Shows a sentence; one that stands already stays for longer."""
        others = [notice for notice in self.shown if notice.text != text]
        self.shown = [*others, Notice(text, time.monotonic() + SECONDS)][-MOST:]

    def current(self) -> list[str]:
        """The sentences to show now, the oldest first."""
        now = time.monotonic()
        self.shown = [notice for notice in self.shown if notice.until > now]
        return [notice.text for notice in self.shown]

    def attempt(self, action: Callable[[], object]) -> bool:
        """Does it, or says in a sentence why not: the show goes on.

        Our own errors are `ValueError`s and say it in a sentence; so do memory that runs out
        and files that cannot be used.
        """
        try:
            action()
        except (ValueError, OSError, MemoryError) as error:
            self.say(str(error) or type(error).__name__)
            return False
        return True
