"""The frames of a film, one after the other: what changes by then, the steps, and the picture."""

import dataclasses
import sys
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path

from tqdm import tqdm

from app.canvas import Canvas
from app.film_arguments import QUALITY
from app.session import Session
from app.stage import Stage
from app.timeline import Timeline
from kernels.spec import Value

SECONDS = 20
RATE = Fraction(60)
SHOWN_RATE = 60  # frames a second that the parameter steps_per_frame is meant for
CHUNK_SECONDS = 0.2  # between two movements of a progress bar of steps


@dataclasses.dataclass(frozen=True, slots=True)
class Film:
    """What is to be filmed.

    Attributes:
        path: A file of `video.CONTAINERS`, or a pattern such as frames/%05d.png.
        size: Of each picture, in pixels.
        seconds: How long it is.
        rate: Frames a second.
        steps_per_frame: None for what the parameter says, which may change on the way.
        begin: Steps before it begins.
        loop: Seconds over which its end becomes its beginning; 0 for none.
        timeline: What changes.
        encoder: One of `video.ENCODERS`, or "".
        quality: 0 to 100.
        supersample: How many pixels drawn, along each side, are averaged to one.
    """

    path: Path
    size: tuple[int, int]
    seconds: Fraction = Fraction(SECONDS)
    rate: Fraction = RATE
    steps_per_frame: int | None = None
    begin: int = 0
    loop: Fraction = Fraction(0)
    timeline: Timeline = dataclasses.field(default_factory=Timeline)
    encoder: str = ""
    quality: int = QUALITY
    supersample: int = 1

    @property
    def frames(self) -> int:
        """How many it has."""
        return max(1, round(self.seconds * self.rate))

    @property
    def fading(self) -> int:
        """Over how many of them, at the end, it becomes its beginning."""
        return round(self.loop * self.rate)

    @property
    def is_sequence(self) -> bool:
        """Whether it is many files."""
        return "%" in self.path.name


@dataclasses.dataclass(frozen=True, slots=True)
class Shot:
    """A moment of the film, on the stage now.

    Attributes:
        number: The frame's, from 0.
        draw: Draws it on the canvas.
    """

    number: int
    draw: Callable[[], None]


def shots(
    film: Film, session: Session, stage: Stage, canvas: Canvas, count: int, stopped: threading.Event
) -> Iterator[Shot]:
    """Steps from one frame to the next, with a progress bar, for so many frames or until it is stopped.

    A loop begins with frames that are not shown: the film's last ones become those, and what comes next is
    its first one.

    Yields:
        Each frame while it is on the stage: draw it before the next, or never.
    """
    stage.step(session, 0)  # what a record did before its first step
    Changes(film.timeline, session).apply(0)  # so that the film begins with what has grown by its first keys
    for _ in advance(session, stage, film.begin):
        if stopped.is_set():
            return
    opening: list[bytes] = []
    changes = Changes(film.timeline, session)
    owed = Fraction(0)
    numbers = range(-film.fading, count)
    for number in tqdm(numbers, unit="frame", dynamic_ncols=True, mininterval=calm()):
        if stopped.is_set():
            return
        time = float(number / film.rate)
        changes.apply(time)
        owed += film.steps_per_frame or session.params.steps_per_frame * SHOWN_RATE / film.rate
        stage.step(session, int(owed))
        owed -= int(owed)
        draw = partial(canvas.draw, stage.display, session.look, film.timeline.camera(time))
        if number < 0:
            draw()
            opening.append(canvas.keep())
            continue
        into = number - (film.frames - film.fading)
        if into >= 0:
            draw = partial(_draw_fading, canvas, draw, opening[into], (into + 1) / (film.fading + 1))
        yield Shot(number, draw)


def _draw_fading(canvas: Canvas, draw: Callable[[], None], into: bytes, share: float) -> None:
    draw()
    canvas.fade(into, share)


def advance(session: Session, stage: Stage | None, steps: int) -> Iterator[None]:
    """Goes to a step, with a progress bar if that is some way off, in portions that take a moment each.

    Args:
        session: The run.
        stage: What follows it; None for nothing.
        steps: Where to.
    """

    def go(portion: int) -> None:
        stage.step(session, portion) if stage else session.advance(portion)

    go(0)  # what a record did before its first step
    if session.steps >= steps:
        return
    with tqdm(total=steps - session.steps, unit="step", dynamic_ncols=True, mininterval=calm()) as bar:
        portion = 1
        while session.steps < steps:
            portion = min(portion, steps - session.steps)
            go(portion)
            session.simulation.wait()  # or the bar would run ahead of the GPU
            bar.update(portion)
            rate = bar.format_dict["rate"] or (bar.n / max(bar.format_dict["elapsed"], 1e-6))
            portion = max(1, min(int(rate * CHUNK_SECONDS), 10_000))
            yield


def calm() -> float:
    """Seconds between two states of a progress bar: few lines of a log."""
    return 0.1 if sys.stderr.isatty() else 5.0


class Changes:
    """Has a session follow a timeline, by changes that are logged as any other."""

    def __init__(self, timeline: Timeline, session: Session) -> None:
        self.timeline, self.session = timeline, session
        self.base = session.params
        self.held: dict[str, Value] = {}

    def apply(self, time: float) -> None:
        """Changes what the timeline has moved since the last frame; in between, a record's changes hold."""
        wanted = self.timeline.params(time, self.base)
        new = {
            name: value
            for name, value in wanted.items()
            if value != self.held.get(name, getattr(self.session.params, name))
        }
        self.held = wanted
        if new:
            self.session.change(**new)
