"""The frames of a film, one after the other: what changes by then, the steps, and the picture."""

import dataclasses
import sys
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from app.display import Display
from app.render import chunks
from app.session import Session
from app.stage import Stage
from app.stills import averaged, encoded
from app.timeline import Camera, Timeline
from kernels.spec import Value

if TYPE_CHECKING:
    from app.film import Film

SHOWN_RATE = 60  # frames a second that the parameter steps_per_frame is meant for

Picture = NDArray[np.uint8]


@dataclasses.dataclass(frozen=True, slots=True)
class Shot:
    """A moment of the film, on the stage now.

    Attributes:
        number: The frame's, from 0.
        picture: Draws it, sRGB bytes [H, W, 3].
    """

    number: int
    picture: Callable[[], Picture]


def shots(
    film: "Film", session: Session, stage: Stage, count: int, stopped: threading.Event
) -> Iterator[Shot]:
    """Steps from one frame to the next, with a progress bar, for so many frames or until it is stopped.

    A loop begins with frames that are not shown: the film's last ones become those, and what comes next is
    its first one.

    Yields:
        Each frame while it is on the stage: draw it before the next, or never.
    """
    session.advance(0)  # what a record did before its first step
    for chunk in chunks(session, film.begin) if film.begin else ():
        session.advance(chunk)
        session.simulation.wait()
        if stopped.is_set():
            return
    opening: list[Picture] = []
    changes = Changes(film.timeline, session)
    owed = Fraction(0)
    calm = 0.1 if sys.stderr.isatty() else 5.0  # seconds between two lines of a log
    numbers = range(-film.fading, count)
    for number in tqdm(numbers, unit="frame", dynamic_ncols=True, mininterval=calm):
        if stopped.is_set():
            return
        time = float(number / film.rate)
        changes.apply(time)
        owed += film.steps_per_frame or session.params.steps_per_frame * SHOWN_RATE / film.rate
        stage.step(session, int(owed))
        owed -= int(owed)
        draw = partial(_drawn, film, session, stage.display, film.timeline.camera(time))
        if number < 0:
            opening.append(draw())
            continue
        into = number - (film.frames - film.fading)
        if into >= 0:
            share = (into + 1) / (film.fading + 1)
            draw = partial(_faded, draw, opening[into], share)
        yield Shot(number, draw)


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


def _drawn(film: "Film", session: Session, display: Display, camera: Camera) -> Picture:
    times = film.supersample
    view = camera.view(display.size, (film.size[0] * times, film.size[1] * times))
    if times == 1:
        return display.picture(session.look, view)
    return encoded(averaged(display.picture(session.look, view, 32), times), 8)


def _faded(draw: Callable[[], Picture], into: Picture, share: float) -> Picture:
    return crossfade(draw(), into, share)


def crossfade(a: Picture, b: Picture, share: float) -> Picture:
    """A picture with a share of another one's light in the place of its own."""
    light = linear()
    mixed: Picture = encoded(light[a] * np.float32(1 - share) + light[b] * np.float32(share), 8)
    return mixed


def linear() -> NDArray[np.float32]:
    """The light of sRGB's 256 codes, IEC 61966-2-1."""
    code = np.arange(256) / 255
    light = np.where(code <= 0.04045, code / 12.92, ((code + 0.055) / 1.055) ** 2.4)
    return light.astype(np.float32)
