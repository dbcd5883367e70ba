"""Films: a run stepped and drawn frame by frame, however long a frame takes, into a file or a sequence."""

import argparse
import contextlib
import dataclasses
import functools
import signal
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from numpy.typing import NDArray

from app.backend import Choice, check_memory, told_if_slow
from app.belt import Belt
from app.canvas import Canvas, upright
from app.display import DisplayError
from app.film_arguments import QUALITY
from app.frames import Frames
from app.planes import Planes
from app.readback import Readback
from app.record import Record
from app.render import offscreen
from app.session import Session
from app.shots import RATE, SECONDS, Film, shots
from app.stage import Stage
from app.stills import largest_target
from app.timeline import Timeline, load
from app.video import Numbered, Video
from kernels.world import World
from presets import Preset

MAX_SIDE = 16384  # px
PIXEL_BYTES = 4  # of a picture, and more than its planes take
WAITING = 16  # pictures on their way to the disk, at most, with what is made of each
DRAWN_BYTES = 8  # of each pixel of a picture to be averaged
ENCODER_FRAMES = 64  # that an encoder looks ahead and back at, at most


@dataclasses.dataclass(frozen=True, slots=True)
class Done:
    """What came of it.

    Attributes:
        frames: How many the film has now.
        digest: Of the field at the last of them, "sha256:<hex>"; "" where that was not reached.
        stopped: Whether Ctrl+C ended it early.
    """

    frames: int
    digest: str
    stopped: bool


def asked_film(asked: argparse.Namespace, world: World, choice: Choice) -> Film:
    """What `render` was asked to film, once it is known that this machine can.

    Raises:
        ValueError: The options do not go together, or a timeline is wrong; one sentence.
        WorldTooLarge: With the memory needed and the memory free.
    """
    if asked.bits:
        raise ValueError("--bits is for stills, not for films.")
    timeline = load(asked.timeline) if asked.timeline else Timeline()
    film = Film(
        path=asked.out,
        size=asked.picture or (world.width, world.height),
        seconds=asked.seconds or Fraction(timeline.seconds) or Fraction(SECONDS),
        rate=asked.fps or RATE,
        steps_per_frame=asked.steps_per_frame,
        begin=asked.steps or 0,
        loop=asked.loop or Fraction(0),
        timeline=timeline,
        encoder=asked.encoder or "",
        quality=QUALITY if asked.quality is None else asked.quality,
        supersample=asked.supersample or 1,
    )
    if film.is_sequence and (asked.encoder or asked.quality is not None):
        raise ValueError(
            "--encoder and --quality are for films in one file; a sequence of PNGs loses nothing."
        )
    if film.fading > film.frames:
        raise ValueError(f"--loop {float(film.loop):g} is longer than the film, {float(film.seconds):g} s.")
    width, height = film.size
    if not all(2 <= side <= MAX_SIDE for side in film.size):
        raise ValueError(f"{width}x{height} is not allowed for a film; it takes 2 to {MAX_SIDE:,} px a side.")
    pictures = film.fading + WAITING + (0 if film.is_sequence else ENCODER_FRAMES)
    drawn = DRAWN_BYTES * film.supersample**2 if film.supersample > 1 else 0
    needed = (PIXEL_BYTES * pictures + drawn) * width * height
    check_memory(world, choice, needed, f" and a film of {width}x{height}")
    return film


def make(
    film: Film, source: Preset | Record, world: World, choice: Choice, say: Callable[[str], None]
) -> Done:
    """Steps, draws and writes a film, with a progress bar on stderr. Ctrl+C ends it with what there is.

    Args:
        film: What to film.
        source: A look, or a recorded run, whose events are then repeated.
        world: Size, agents, seed, shares, start and map.
        choice: The backend.
        say: Takes sentences for people.

    Raises:
        DisplayError: OpenGL is missing, or cannot draw this size.
        FilmError: It cannot be written; a file that was there before is still there.
    """
    context = offscreen()
    try:
        most = largest_target(context)
        if max(film.size) * film.supersample > most:
            raise DisplayError(f"This OpenGL draws films of at most {most // film.supersample} px a side.")
        stage = Stage(context, choice, world)
        preset = source.preset if isinstance(source, Record) else source
        with told_if_slow():
            session = Session(preset, world, choice.backend)
        if isinstance(source, Record):
            session.restart_from(source, film.begin)
        canvas = Canvas(context, film.size, film.supersample)
        shoot = _into_frames if film.is_sequence else _into_file
        done = shoot(film, session, stage, canvas, say)
        canvas.release()
        stage.release()
        return done
    finally:
        context.release()


def _into_file(
    film: Film, session: Session, stage: Stage, canvas: Canvas, say: Callable[[str], None]
) -> Done:
    video = Video(film.path, film.size, film.rate, film.encoder, film.quality, say=say)
    planes, readback = Planes(stage.ctx, film.size, video.layout), Readback()
    belt: Belt[Numbered] = Belt(video.write)
    drawn = 0
    with _or_nothing(belt), _ctrl_c() as stopped:
        for shot in shots(film, session, stage, canvas, film.frames, stopped):
            shot.draw()
            planes.convert(canvas.texture)
            put = functools.partial(_put, belt, shot.number)
            readback.send(planes.framebuffer, 1, video.layout.dtype, put)
            drawn += 1
        if not drawn:
            belt.abandon()
            return Done(0, "", True)
        readback.drain()
        digest = session.simulation.digest()
        belt.finish()
    readback.release()
    planes.release()
    return Done(drawn, digest, drawn < film.frames)


def _put(belt: Belt[Numbered], number: int, planes: NDArray[Any]) -> None:
    belt.put((number, planes))


def _into_frames(
    film: Film, session: Session, stage: Stage, canvas: Canvas, say: Callable[[str], None]
) -> Done:
    frames, readback = Frames(film.path, film.frames), Readback()
    with _or_nothing(frames), _ctrl_c() as stopped:
        frames.check_run(session.record(""))
        if not frames.missing:
            frames.finish()
            say(f"All {film.frames:,} frames are there already; remove them to film them anew.")
            return Done(film.frames, "", False)
        if frames.kept:
            say(f"{len(frames.kept):,} of {film.frames:,} frames are there already and stay as they are.")
        written, number = 0, -1
        for shot in shots(film, session, stage, canvas, max(frames.missing) + 1, stopped):
            number = shot.number
            if number in frames.missing:
                shot.draw()
                put = functools.partial(_put_frame, frames, number, session.record(""))
                readback.send(canvas.framebuffer, 4, "f1", put)
                written += 1
            else:
                frames.check_frame(number, session.record(""))
                if number + 1 in frames.missing:
                    shot.draw()
                    frames.check_picture(number, canvas.picture())
        readback.drain()
        digest = session.simulation.digest() if number == film.frames - 1 else ""
        frames.finish()
    readback.release()
    return Done(len(frames.kept) + written, digest, written < len(frames.missing))


def _put_frame(frames: Frames, number: int, record: Record, pixels: NDArray[Any]) -> None:
    frames.put(number, upright(pixels), record)


@contextlib.contextmanager
def _or_nothing(sink: Belt[Numbered] | Frames) -> Iterator[None]:
    """Leaves no half a file behind, whatever happens."""
    try:
        yield
    except BaseException:
        sink.abandon()
        raise


@contextlib.contextmanager
def _ctrl_c() -> Iterator[threading.Event]:
    """An event that Ctrl+C or `kill` sets, so that a film ends between two frames; the second interrupts."""
    stopped = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stopped
        return

    def stop(number: int, frame: object) -> None:
        stopped.set()
        restore()

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopped
    finally:
        restore()
