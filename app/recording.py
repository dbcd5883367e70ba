"""Films of the window while it is played with: read back, encoded and written beside the show.

No frame waits for any of that: the GPU copies pictures into buffers that are fetched later, and what the
encoder has no room for is dropped, and counted.
"""

import functools
import itertools
import shutil
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import moderngl
from numpy.typing import NDArray

from app.belt import Belt
from app.captures import capture_name
from app.files import Outcome, capture_folder
from app.planes import LAYOUTS, Planes
from app.programs import Target
from app.readback import Readback
from app.studio import Studio

if TYPE_CHECKING:
    from app.video import Numbered, Video

RATE = Fraction(60)  # frames a second, where the window shows as many
PIXELS = "yuv420p"  # what all encoders for .mp4 take
ROOM = 8  # pictures that may wait for the encoder
LEAST_FREE = 128 << 20  # bytes on the disk: a film ends, whole, rather than fill it up
LOOK_EVERY = 32  # frames


class LiveFilm:
    """One film of the window.

    Args:
        ctx: The window's OpenGL context.
        size: Of the window, in framebuffer pixels.
        name: Of the file, without its suffix; where there is one already it becomes name-2 and so on.

    Attributes:
        dropped: How many frames the encoder had no room for.
        remark: Why it ended, unless somebody wanted that.
    """

    def __init__(self, ctx: moderngl.Context, size: tuple[int, int], name: str) -> None:
        self.size, self.name = size, name
        self.picture = Target(ctx, size, 4, "f1")
        self.planes = Planes(ctx, size, LAYOUTS[PIXELS])
        self.readback = Readback()
        self.began: float | None = None
        self.number, self.dropped, self.remark = -1, 0, ""
        self.path: Path | None = None
        self.video: Video | None = None  # once its encoder is found
        self.belt: Belt[Numbered] = Belt(self._work, room=ROOM)

    def take(self, framebuffer: moderngl.Framebuffer, now: float) -> None:
        """Takes what the window shows, if a frame of the film is due; leaves that framebuffer bound.

        Args:
            framebuffer: The window's, of `size`.
            now: Seconds of a clock that never goes back.
        """
        if self.video is None:
            return
        if self.began is None:
            self.began = now
        number = round((now - self.began) * RATE)
        if number <= self.number:
            return
        self.number = number
        framebuffer.ctx.copy_framebuffer(self.picture.framebuffer, framebuffer)
        self.planes.convert(self.picture.texture)
        self.readback.send(
            self.planes.framebuffer, 1, self.planes.layout.dtype, functools.partial(self._offer, number)
        )
        framebuffer.use()

    def _offer(self, number: int, planes: NDArray[Any]) -> None:
        self.dropped += not self.belt.offer((number, planes))

    def end(self) -> None:
        """Says that there will be no more frames; nothing of it may be bound."""
        self.readback.drain()
        self.belt.end()
        for each in (self.readback, self.planes, self.picture):
            each.release()

    def outcome(self) -> Outcome:
        """Waits until it is written: its path, or a sentence why there is none."""
        try:
            self.belt.finish()
        except ImportError as error:
            return None, f"A film cannot be recorded without PyAV ({error})."
        except (RuntimeError, OSError, MemoryError) as error:  # `FilmError` among them
            return None, str(error) or type(error).__name__
        return self.path, None if self.path else "Nothing was recorded yet."

    def told(self) -> str:
        """How long it is, and what was dropped, for people."""
        seconds = int((self.number + 1) / RATE)
        dropped = f", {self.dropped:,} frames dropped" if self.dropped else ""
        return f"{seconds // 60}:{seconds % 60:02}{dropped}"

    def _work(self, frames: "Iterator[Numbered]") -> None:
        """Finds an encoder and writes, in the belt's thread: to do that takes longer than a frame."""
        from app.video import Video

        path = capture_folder() / f"{self.name}.mp4"
        video = Video(path, self.size, RATE, live=True, say=lambda said: None)
        self.video = video
        if first := next(frames, None):
            frames = self._while_there_is_room(itertools.chain([first], frames), path.parent)
            self.path = video.write(frames, "beside")

    def _while_there_is_room(self, frames: "Iterator[Numbered]", folder: Path) -> "Iterator[Numbered]":
        for count, frame in enumerate(frames):
            if count % LOOK_EVERY == 0 and shutil.disk_usage(folder).free < LEAST_FREE:
                self.remark = "the disk is nearly full"
                return
            yield frame


class Recorder:
    """Films the window whenever a studio wants that."""

    def __init__(self) -> None:
        self.film: LiveFilm | None = None
        self.ending: list[LiveFilm] = []

    def follow(
        self, studio: Studio, framebuffer: moderngl.Framebuffer, now: float, shown: bool = True
    ) -> None:
        """Begins, goes on or ends, as the studio wants, and says what has been written.

        Args:
            studio: What it wants, and where it is told; its view is the window's.
            framebuffer: The window's, bound, with the picture and nothing else on it.
            now: Seconds of a clock that never goes back.
            shown: Whether that picture is to be filmed.
        """
        self._tell(studio)
        film, size = self.film, studio.view.target
        if film and size != film.size:
            film.remark = "the window has another size"
            studio.recording = False
        if film and film.belt.at_rest:
            studio.recording = False
        if film and not studio.recording:
            film.end()
            self.ending.append(film)
            self.film = None
        elif studio.recording and not film:
            name = capture_name(studio.session.record(""))
            self.film = LiveFilm(framebuffer.ctx, size, name)
        elif film and shown:
            film.take(framebuffer, now)
        studio.recorded = self.film.told() if self.film else ""

    def _tell(self, studio: Studio) -> None:
        for film in [film for film in self.ending if film.belt.at_rest]:
            self.ending.remove(film)
            path, problem = film.outcome()
            why = f" It ends there, for {film.remark}." if film.remark else ""
            studio.notices.say(problem or f"Saved {path}: {film.told()}.{why}")

    def close(self) -> list[Outcome]:
        """Ends what is being filmed and waits until it is written; returns what nobody has been told yet."""
        if self.film:
            self.film.end()
            self.ending.append(self.film)
            self.film = None
        return [film.outcome() for film in self.ending]
