"""A film as one file: planes of BT.709, encoded, and put into MP4, QuickTime or WebM."""

import contextlib
import dataclasses
import os
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO, Literal

import av
import numpy as np
from av.codec import Codec
from av.video.reformatter import ColorRange, Colorspace
from numpy.typing import NDArray

from app.film_arguments import QUALITY
from app.planes import LAYOUTS, Layout, even
from presets.disk import sentence, told, write_atomically

BT709 = 1  # the number of its primaries, its transfer and its matrix alike, in ITU-T H.273
CONTAINERS = {".mp4": "mp4", ".mov": "mov", ".webm": "webm"}
# What a player with a slow line needs first stands first.
MUXING = {".mp4": {"movflags": "faststart"}, ".mov": {"movflags": "faststart"}}

os.environ.setdefault("SVT_LOG", "1")  # errors: SVT-AV1 else prints a page about itself

Numbered = tuple[int, NDArray[np.unsignedinteger]]  # which frame it is, and what `Planes` drew of it


class FilmError(RuntimeError):
    """The film cannot be made; the message is one plain sentence."""


@dataclasses.dataclass(frozen=True, slots=True)
class Encoder:
    """An encoder of FFmpeg's.

    Attributes:
        suffixes: Of the files that may hold what it gives.
        worst, best: Its own number for the qualities 0 and 100.
        quality_option: What it calls that number.
        options: What else it is told.
        live: What it is told besides while the world has to go on beside it.
        pixels: The pixel format it is given, one of `LAYOUTS`.
    """

    suffixes: tuple[str, ...]
    worst: float
    best: float
    quality_option: str = "crf"
    options: tuple[tuple[str, str], ...] = ()
    live: tuple[tuple[str, str], ...] = ()
    pixels: str = "yuv420p"

    def told(self, quality: int, live: bool = False) -> dict[str, str]:
        """Its options for a quality from 0 to 100."""
        number = round(self.worst + (self.best - self.worst) * quality / 100)
        return {self.quality_option: str(number), **dict(self.options), **dict(self.live if live else ())}


# For each kind of file the first that opens is taken; those of `BY_NAME` only when they are asked for.
ENCODERS = {
    "h264_nvenc": Encoder((".mp4", ".mov"), 45, 8, "cq", (("rc", "vbr"), ("b", "0"), ("preset", "p5"))),
    "libx264": Encoder((".mp4", ".mov"), 42, 8, live=(("preset", "veryfast"),)),
    "libvpx-vp9": Encoder((".webm",), 58, 14, "crf", (("b", "0"), ("row-mt", "1"), ("cpu-used", "4"))),
    "libsvtav1": Encoder((".webm", ".mp4"), 58, 12, "crf", (("preset", "8"),)),
    "av1_nvenc": Encoder((".webm", ".mp4"), 51, 8, "cq", (("rc", "vbr"), ("b", "0"), ("preset", "p5"))),
    "prores_ks": Encoder((".mov",), 0, 3, "profile", pixels="yuv422p10le"),
}
BY_NAME = "av1_nvenc", "prores_ks"


class Video:
    """Writes a film file; it is there whole or not at all.

    Args:
        path: Where to; its suffix is one of `CONTAINERS`.
        size: Width and height of the pictures; odd sides are made even by doing the last line twice.
        rate: Frames a second.
        encoder: One of `ENCODERS`; "" for the first that opens.
        quality: 0 to 100.
        live: Whether the world goes on beside it, and needs most of the machine.
        say: Takes sentences for people.

    Attributes:
        encoder: The one that encodes.

    Raises:
        FilmError: No encoder opens.
    """

    def __init__(
        self,
        path: Path,
        size: tuple[int, int],
        rate: Fraction,
        encoder: str = "",
        quality: int = QUALITY,
        *,
        live: bool = False,
        say: Callable[[str], object] = print,
    ) -> None:
        self.path, self.rate, self.size = path, rate, even(size)
        self.quality, self.live = quality, live
        if self.size != size:
            was, becomes = (f"{width}x{height}" for width, height in (size, self.size))
            say(f"{was} becomes {becomes}, for films have even sides: the last line is there twice.")
        self.encoder = self._choose(encoder, say)
        self._written = 0

    @property
    def layout(self) -> Layout:
        """How the planes of its frames are laid out."""
        return LAYOUTS[ENCODERS[self.encoder].pixels]

    def _choose(self, wanted: str, say: Callable[[str], object]) -> str:
        """The first encoder that opens."""
        suffix = self.path.suffix.lower()
        able = [name for name, encoder in ENCODERS.items() if suffix in encoder.suffixes]
        if wanted and wanted not in able:
            raise FilmError(f"--encoder {wanted} is not allowed; {suffix} takes one of {', '.join(able)}.")
        names = [wanted] if wanted else [name for name in able if name not in BY_NAME]
        refusals = []
        for name in names:
            try:
                self._try(name)
            except (av.FFmpegError, OSError, ValueError) as error:
                refusals.append(f"{name} cannot be used here ({_reason(error)})")
                continue
            say(f"{'; '.join((*refusals, f'{name} encodes'))}.")
            return name
        raise FilmError(f"{told(self.path)} cannot be made: {'; '.join(refusals)}.")

    def _try(self, name: str) -> None:
        """Opens an encoder: to be listed says nothing about hardware, nor about this size."""
        codec = Codec(name, "w").create("video")
        self._set_up(codec, name)
        codec.time_base = 1 / self.rate
        codec.open()

    def _set_up(self, codec: Any, name: str) -> None:
        """The size, the rate, the colours and the options of a codec context."""
        codec.width, codec.height = self.size
        codec.pix_fmt = ENCODERS[name].pixels
        codec.framerate = self.rate
        codec.colorspace = codec.color_primaries = codec.color_trc = BT709
        codec.color_range = ColorRange.MPEG
        codec.options = ENCODERS[name].told(self.quality, self.live)

    def write(self, frames: Iterable[Numbered], existing: Literal["replace", "beside"] = "replace") -> Path:
        """Encodes frames until there are no more, and then gives the file its name.

        Args:
            frames: In their order. Where a number is left out, the frame before is shown for longer.
            existing: As `write_atomically` takes it.

        Returns:
            The path written.

        Raises:
            FilmError: It cannot be written; there is none then, or the one that was there.
        """
        try:
            return write_atomically(self.path, lambda file: self._encode(file, frames), existing)
        except av.FFmpegError as error:
            raise FilmError(
                f"{told(self.path)} cannot be written: {self.encoder} stopped after {self._written} frames "
                f"({_reason(error)})."
            ) from error
        except OSError as error:
            raise FilmError(sentence(self.path, error, "written")) from error

    def _encode(self, file: BinaryIO, frames: Iterable[Numbered]) -> None:
        """Encodes into an open file; nothing of it may be wanted before all of it is written."""
        suffix = self.path.suffix.lower()
        raw: Any = getattr(file, "raw", file)  # `faststart` reads back by name what it wrote
        options = MUXING.get(suffix, {})
        container = av.open(raw, "w", format=CONTAINERS[suffix], options=options)
        try:
            stream: Any = container.add_stream(self.encoder, rate=self.rate)
            self._set_up(stream.codec_context, self.encoder)
            for number, planes in frames:
                frame = self._frame(planes)
                frame.pts, frame.time_base = number, 1 / self.rate
                container.mux(stream.encode(frame))
                self._written += 1
            container.mux(stream.encode(None))
        except BaseException:
            with contextlib.suppress(Exception):  # it would hide what went wrong
                container.close()
            raise
        container.close()

    def _frame(self, planes: NDArray[np.unsignedinteger]) -> av.VideoFrame:
        """A frame of what `Planes` drew."""
        frame = av.VideoFrame(*self.size, ENCODERS[self.encoder].pixels)
        for plane, rows in zip(frame.planes, self.layout.split(planes), strict=True):
            into = np.frombuffer(memoryview(plane), rows.dtype).reshape(plane.height, -1)
            into[:, : plane.width] = rows  # its own may be longer
        frame.colorspace, frame.color_range = Colorspace.ITU709, ColorRange.MPEG
        return frame


def _reason(error: Exception) -> str:
    """What FFmpeg says, in a few words."""
    return str(getattr(error, "strerror", None) or error or type(error).__name__).strip().rstrip(".")
