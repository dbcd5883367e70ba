"""A film as a numbered sequence of PNGs, that goes on where it stopped."""

import dataclasses
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from app.belt import Belt
from app.record import Record, RecordError, encode_png, from_text, read, to_text
from app.video import FilmError
from presets.disk import sentence, told, write_atomically

NUMBER = re.compile(r"%(0\d{1,2})?d")
MOST_THREADS = 8  # each holds a picture and its file

Picture = NDArray[np.uint8]
Job = tuple[Path, Picture, Record]


class Frames:
    """Writes frames that are missing, and checks that those which are there belong to the same run.

    Args:
        pattern: Such as frames/%05d.png; its folder is made if need be.
        count: How many frames the film has.

    Attributes:
        missing: The numbers of the frames to be written, from 0.

    Raises:
        FilmError: The folder cannot be made, or a frame that is there is no picture of a run.
    """

    def __init__(self, pattern: Path, count: int) -> None:
        self.pattern = pattern
        try:
            pattern.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FilmError(sentence(pattern.parent, error, "made")) from error
        self.missing = {number for number in range(count) if not self.path(number).exists()}
        self.kept = {number: self._read(number) for number in range(count) if number not in self.missing}
        self._belt: Belt[Job] = Belt(self._work, min(MOST_THREADS, os.cpu_count() or 1))

    def path(self, number: int) -> Path:
        """The file of a frame."""
        return self.pattern.with_name(NUMBER.sub(lambda found: found[0] % number, self.pattern.name))

    def _read(self, number: int) -> Record:
        try:
            return read(self.path(number))
        except RecordError as error:
            raise FilmError(f"The film cannot go on from the frames that are there: {error}") from error

    def check_run(self, record: Record) -> None:
        """Refuses, before any work, when a frame comes from another look or world.

        Args:
            record: The run, at any step.
        """
        wanted = as_read(record)
        for number, kept in self.kept.items():
            for part, ours, theirs in (
                ("seed", wanted.world.seed, kept.world.seed),
                ("size", _size(wanted), _size(kept)),
                ("number of agents", wanted.world.agents, kept.world.agents),
            ):
                if ours != theirs:
                    self._refuse(number, f"its {part} is {theirs}, not {ours}")
            if kept.complete and (kept.preset, kept.world) != (wanted.preset, wanted.world):
                self._refuse(number, "its look, start or map is another")

    def check_frame(self, number: int, record: Record) -> None:
        """Refuses when a frame that is there shows another moment, or had been changed otherwise by then."""
        kept = self.kept[number]
        if kept.step != record.step:
            self._refuse(number, f"it shows step {kept.step:,}, not {record.step:,}")
        if kept.complete and kept.events != as_read(record).events:
            self._refuse(number, "its parameters had been changed otherwise by then")

    def check_picture(self, number: int, picture: Picture) -> None:
        """Refuses when a frame that is there looks otherwise: another camera, size or crossfade."""
        with Image.open(self.path(number)) as image:
            there = np.asarray(image.convert("RGB")).astype(np.int16)
        if there.shape != picture.shape:
            self._refuse(number, f"it is {there.shape[1]}x{there.shape[0]}")
        if np.abs(there - picture).max() > 1:  # OpenGL may round otherwise
            self._refuse(number, "it looks otherwise")

    def _refuse(self, number: int, why: str) -> None:
        raise FilmError(
            f"{told(self.path(number))} is not of this film: {why}. "
            "Film into another folder, or remove the frames."
        )

    def put(self, number: int, picture: Picture, record: Record) -> None:
        """Hands over a frame, and waits while too many are on their way.

        Raises:
            FilmError: A frame cannot be written; those before it are there.
        """
        self._explain(lambda: self._belt.put((self.path(number), picture, record)))

    def finish(self) -> None:
        """Waits until all frames are written."""
        self._explain(self._belt.finish)

    def abandon(self) -> None:
        """Stops; frames that are written stay, for a film that goes on."""
        self._belt.abandon()

    def _explain(self, act: Callable[[], None]) -> None:
        try:
            act()
        except OSError as error:
            raise FilmError(sentence(error.filename or self.pattern, error, "written")) from error

    @staticmethod
    def _work(jobs: Iterator[Job]) -> None:
        for path, picture, record in jobs:
            write_atomically(path, encode_png(picture, record))


def _size(record: Record) -> str:
    return f"{record.world.width}x{record.world.height}"


def as_read(record: Record) -> Record:
    """A record as it comes back from a file: what a preset's text leaves out is as it was there."""
    return dataclasses.replace(from_text(to_text(record), "the run"), complete=record.complete)
