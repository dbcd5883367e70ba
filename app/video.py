"""A film as one file: pictures converted to BT.709, encoded, and put into MP4, QuickTime or WebM."""

import contextlib
import dataclasses
import os
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO

import av
import numpy as np
from av.codec import Codec
from av.video.reformatter import ColorRange, Colorspace, Interpolation, VideoReformatter
from numpy.typing import NDArray

from app.belt import Belt
from presets.disk import sentence, told, write_atomically

MAX_SIDE = 16384  # px
QUALITY = 70  # 0 to 100
BT709 = 1  # the number of its primaries, its transfer and its matrix alike, in ITU-T H.273
CONTAINERS = {".mp4": "mp4", ".mov": "mov", ".webm": "webm"}
# What a player with a slow line needs first stands first.
MUXING = {".mp4": {"movflags": "faststart"}, ".mov": {"movflags": "faststart"}}

# Whatever else: without the last two, swscale skips every other pixel's colour and rounds less well.
SCALING = Interpolation.BILINEAR | Interpolation.ACCURATE_RND | Interpolation.FULL_CHR_H_INP

os.environ.setdefault("SVT_LOG", "1")  # errors: SVT-AV1 else prints a page about itself

Picture = NDArray[np.uint8]


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
        pixels: FFmpeg's name of the pixel format it is given.
    """

    suffixes: tuple[str, ...]
    worst: float
    best: float
    quality_option: str = "crf"
    options: tuple[tuple[str, str], ...] = ()
    pixels: str = "yuv420p"

    def told(self, quality: int) -> dict[str, str]:
        """Its options for a quality from 0 to 100."""
        number = round(self.worst + (self.best - self.worst) * quality / 100)
        return {self.quality_option: str(number), **dict(self.options)}


# For each kind of file the first that opens is taken; those of `BY_NAME` only when they are asked for.
ENCODERS = {
    "h264_nvenc": Encoder((".mp4", ".mov"), 45, 8, "cq", (("rc", "vbr"), ("b", "0"), ("preset", "p5"))),
    "libx264": Encoder((".mp4", ".mov"), 42, 8),
    "libvpx-vp9": Encoder((".webm",), 58, 14, "crf", (("b", "0"), ("row-mt", "1"), ("cpu-used", "4"))),
    "libsvtav1": Encoder((".webm", ".mp4"), 58, 12, "crf", (("preset", "8"),)),
    "av1_nvenc": Encoder((".webm", ".mp4"), 51, 8, "cq", (("rc", "vbr"), ("b", "0"), ("preset", "p5"))),
    "prores_ks": Encoder((".mov",), 0, 3, "profile", (), "yuv422p10le"),
}
BY_NAME = "av1_nvenc", "prores_ks"


class Video:
    """Writes a film file in a thread of its own; it is there whole or not at all.

    Args:
        path: Where to; its suffix is one of `CONTAINERS`.
        size: Width and height of the pictures; odd sides are made even by doing the last line twice.
        rate: Frames a second.
        encoder: One of `ENCODERS`; "" for the first that opens.
        quality: 0 to 100.
        say: Takes sentences for people.

    Raises:
        FilmError: No encoder opens, or the file cannot be begun.
    """

    def __init__(
        self,
        path: Path,
        size: tuple[int, int],
        rate: Fraction,
        encoder: str = "",
        quality: int = QUALITY,
        say: Callable[[str], None] = print,
    ) -> None:
        self.path, self.rate, self.quality = path, rate, quality
        self.size = size[0] + size[0] % 2, size[1] + size[1] % 2
        if self.size != size:
            was, becomes = (f"{width}x{height}" for width, height in (size, self.size))
            say(f"{was} becomes {becomes}, for films have even sides: the last line is there twice.")
        self.encoder = self._choose(encoder, say)
        self._written = 0
        self._begun = threading.Event()
        self._belt: Belt[Picture] = Belt(self._work)
        self._begun.wait()

    def _choose(self, wanted: str, say: Callable[[str], None]) -> str:
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
        codec.options = ENCODERS[name].told(self.quality)
        codec.open()

    def _set_up(self, codec: Any, name: str) -> None:
        """The size, the rate and the colours of a codec context."""
        codec.width, codec.height = self.size
        codec.pix_fmt = ENCODERS[name].pixels
        codec.framerate = self.rate
        codec.colorspace = codec.color_primaries = codec.color_trc = BT709
        codec.color_range = ColorRange.MPEG

    def put(self, picture: Picture) -> None:
        """Hands over the next picture, sRGB bytes [H, W, 3], and waits while too many are on their way.

        Raises:
            FilmError: The file cannot be written any further; there is none then.
        """
        with self._explained():
            self._belt.put(picture)

    def finish(self) -> None:
        """Ends the film where it is, and gives the file its name."""
        with self._explained():
            self._belt.finish()

    def abandon(self) -> None:
        """Leaves no file, and an older one of the name as it was."""
        self._belt.abandon()

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except av.FFmpegError as error:
            raise FilmError(
                f"{told(self.path)} cannot be written: {self.encoder} stopped after {self._written} frames "
                f"({_reason(error)})."
            ) from error
        except OSError as error:
            raise FilmError(sentence(self.path, error, "written")) from error

    def _work(self, pictures: Iterator[Picture]) -> None:
        try:
            write_atomically(self.path, lambda file: self._encode(file, pictures))
        finally:
            self._begun.set()

    def _encode(self, file: BinaryIO, pictures: Iterator[Picture]) -> None:
        """Encodes into an open file; nothing of it may be wanted before all of it is written."""
        suffix = self.path.suffix.lower()
        raw: Any = getattr(file, "raw", file)  # `faststart` reads back by name what it wrote
        options = MUXING.get(suffix, {})
        container = av.open(raw, "w", format=CONTAINERS[suffix], options=options)
        try:
            stream: Any = container.add_stream(self.encoder, rate=self.rate)
            self._set_up(stream.codec_context, self.encoder)
            stream.codec_context.options = ENCODERS[self.encoder].told(self.quality)
            self._begun.set()
            convert = Converter(self.size, ENCODERS[self.encoder].pixels)
            for picture in pictures:
                frame = convert(picture)
                frame.pts, frame.time_base = self._written, 1 / self.rate
                container.mux(stream.encode(frame))
                self._written += 1
            container.mux(stream.encode(None))
        except BaseException:
            with contextlib.suppress(Exception):  # it would hide what went wrong
                container.close()
            raise
        container.close()


class Converter:
    """Turns sRGB pictures into frames of BT.709's matrix in limited range.

    Args:
        size: Of the frames; pictures may lack a column and a row.
        pixels: FFmpeg's name of their pixel format.
    """

    def __init__(self, size: tuple[int, int], pixels: str) -> None:
        self.size, self.pixels = size, pixels
        self.reformatter = VideoReformatter()

    def __call__(self, picture: Picture) -> av.VideoFrame:
        """A frame of a picture [H, W, 3]."""
        more = self.size[1] - picture.shape[0], self.size[0] - picture.shape[1]
        if any(more):
            picture = np.pad(picture, ((0, more[0]), (0, more[1]), (0, 0)), "edge")
        frame = self.reformatter.reformat(
            av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), "rgb24"),
            format=self.pixels,
            src_colorspace=Colorspace.ITU709,
            dst_colorspace=Colorspace.ITU709,
            src_color_range=ColorRange.JPEG,
            dst_color_range=ColorRange.MPEG,
            interpolation=SCALING,
        )
        frame.colorspace, frame.color_range = Colorspace.ITU709, ColorRange.MPEG
        return frame


def _reason(error: Exception) -> str:
    """What FFmpeg says, in a few words."""
    return str(getattr(error, "strerror", None) or error or type(error).__name__).strip().rstrip(".")
