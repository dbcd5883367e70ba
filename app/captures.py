"""Pictures taken while the world lives: copied in the frame, finished in the background."""

import dataclasses
import functools
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.display import Display
from app.files import Outcome, Writer, capture_folder, write_atomically
from app.record import Record, encode_png
from app.studio import Studio
from kernels.simulation import State, digest
from presets import slug


class Captures:
    """Takes the captures a studio asks for."""

    def __init__(self) -> None:
        self.writer = Writer()

    def serve(self, studio: Studio, display: Display) -> None:
        """Takes what was asked for, and says what has been written."""
        for _ in range(studio.captures):
            session = studio.session
            view = dataclasses.replace(studio.view) if studio.capture_at_window_size else None
            pixels = display.picture(session.params, view)
            trail, counts, agents = session.simulation.state()
            state = trail.copy(), counts.copy(), agents.copy()  # the world moves on
            job = functools.partial(_write, pixels, session.record(digest=""), state)
            if not self.writer.submit(job):
                studio.notices.say("Too many captures at once; this one was dropped.")
        studio.captures = 0
        for path, problem in self.writer.poll():
            studio.notices.say(problem or f"Saved {path}.")

    def close(self) -> list[Outcome]:
        """Finishes what is being written; returns what nobody has been told yet."""
        self.writer.close()
        return self.writer.poll()


def _write(pixels: NDArray[np.uint8], record: Record, state: State) -> Path:
    """Writes one capture, in the writer's thread: the digest and the PNG take their time."""
    record = dataclasses.replace(record, digest=digest(state))
    path = capture_folder() / f"{capture_name(record)}.png"
    return write_atomically(path, encode_png(pixels, record), "beside")


def capture_name(record: Record) -> str:
    """A file name of preset, seed and step."""
    return f"{slug(record.preset.name)}-{slug(record.world.seed)}-{record.step:06d}"
