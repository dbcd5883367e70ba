"""The parts of PNG we need: a picture with one text in it, and that text back without the pixels.

Format: Portable Network Graphics (PNG) Specification, W3C, https://www.w3.org/TR/png/.
"""

import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

SIGNATURE = b"\x89PNG\r\n\x1a\n"
KEYWORD = b"physarium"
HEADER = KEYWORD + b"\0\1\0\0\0"  # compressed, by zlib, in no language, no translated keyword
PREFIX = len(KEYWORD) + 3  # as far as the compression flag and method

MAX_PACKED = 1 << 20  # bytes of the compressed text: Pillow and others refuse more
MAX_TEXT = 8 << 20  # bytes of the text itself; logs of strokes shrink to a quarter
MAX_CHUNKS = 1 << 16  # looked through; ours is the third of a capture
PIECE = 1 << 18  # bytes

# A noisy 1920 x 1080 trail took 0.26 s and 3.1 MB at level 1, 0.45 s and 3.0 MB at 3, 1.1 s and 3.0 MB at 6.
COMPRESS_LEVEL = 1
RGB = 2  # PNG's colour type
NONE, SUB = 0, 1  # PNG's filters: a row as it is, and each pixel less the one before
SAMPLE = 16  # rows that tell which filter packs a band better


class NoRun(ValueError):  # noqa: N818
    """A sound picture, but not one of ours."""

    def __init__(self) -> None:
        super().__init__("this picture carries no Physarium run; only captures of Physarium do.")


def pack(text: str) -> bytes | None:
    """The text as our chunk holds it, or None when it is too long for one."""
    data = text.encode("ascii")
    packed = zlib.compress(data)
    return packed if len(data) <= MAX_TEXT and len(packed) <= MAX_PACKED else None


def write(
    out: BinaryIO, size: tuple[int, int], bands: Iterable[NDArray[Any]], packed: bytes, bits: int = 8
) -> None:
    """Writes a PNG marked as sRGB, holding one band of it at a time.

    Args:
        out: Where to.
        size: Width and height in pixels.
        bands: Its rows [h, W, 3] from the top, so many at a time; uint8 or uint16, as `bits` says.
        packed: The text, from `pack`.
        bits: Of each colour, 8 or 16.

    Raises:
        ValueError: The bands are of another kind or make up another picture.
    """
    width, height = size
    out.write(SIGNATURE)
    _write_chunk(out, b"IHDR", struct.pack(">IIBBBBB", width, height, bits, RGB, 0, 0, 0))
    _write_chunk(out, b"sRGB", b"\0")  # rendering intent: perceptual
    _write_chunk(out, b"iTXt", HEADER + packed)
    deflate = zlib.compressobj(COMPRESS_LEVEL)
    rows = 0
    for band in bands:
        if band.dtype != f"uint{bits}" or band.shape[1:] != (width, 3):
            raise ValueError(
                f"a picture's rows are uint{bits} [h, {width}, 3], not {band.dtype} {list(band.shape)}"
            )
        rows += len(band)
        _write_chunk(out, b"IDAT", deflate.compress(_filtered(band).data))
    if rows != height:
        raise ValueError(f"a picture of {height} rows was to be written, and {rows} came")
    _write_chunk(out, b"IDAT", deflate.flush())
    _write_chunk(out, b"IEND", b"")


def _write_chunk(out: BinaryIO, kind: bytes, data: bytes) -> None:
    out.write(struct.pack(">I", len(data)) + kind)
    out.write(data)
    out.write(struct.pack(">I", zlib.crc32(data, zlib.crc32(kind))))


def _filtered(band: NDArray[Any]) -> NDArray[np.uint8]:
    """The rows as PNG packs them [h, 1 + bytes], the name of their filter before each.

    Pictures of few colours pack better as they are, smooth ones as differences; PNG's other filters gained
    nothing on ours.
    """
    pixel = 3 * band.itemsize
    raw = np.ascontiguousarray(band, band.dtype.newbyteorder(">")).view(np.uint8)
    raw = raw.reshape(len(band), pixel * band.shape[1])
    rows = np.empty((len(band), 1 + raw.shape[1]), np.uint8)
    rows[:, 0], rows[:, 1:] = SUB, raw
    rows[:, 1 + pixel :] -= raw[:, :-pixel]
    some = slice(len(band) // 2, len(band) // 2 + SAMPLE)
    plain, less = (len(zlib.compress(part[some].data, COMPRESS_LEVEL)) for part in (raw, rows))
    if plain < less:
        rows[:, 0], rows[:, 1:] = NONE, raw
    return rows


def read_text(file: BinaryIO) -> str:
    """The text our chunk holds, the first one if there are several.

    Goes from chunk to chunk and decodes no pixels, so that the size of the picture does not matter,
    nor what stands behind our chunk.

    Raises:
        ValueError: It is no PNG, has no such chunk, or a damaged one; the sentence lacks the file.
    """
    if file.read(len(SIGNATURE)) != SIGNATURE:
        raise ValueError("this is not a PNG picture.")
    for kind, length in _chunks(file):
        if kind == b"iTXt" and length > PREFIX:
            prefix = file.read(PREFIX)
            if prefix.startswith(KEYWORD + b"\0"):
                return _text(prefix, file, length)
    raise NoRun


def _chunks(file: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Kind and length of each chunk, with the file standing at its data."""
    size = os.fstat(file.fileno()).st_size
    for _ in range(MAX_CHUNKS):
        head = file.read(8)
        at = file.tell()
        length, kind = int.from_bytes(head[:4]), head[4:]
        if len(head) < 8 or at + length + 4 > size:
            raise ValueError("this PNG is cut short.")
        if length >= 1 << 31:
            raise ValueError("this PNG is damaged.")
        if kind == b"IEND":
            return
        yield kind, length
        file.seek(at + length + 4)  # 4: the chunk's checksum
    raise ValueError(f"this PNG has more than {MAX_CHUNKS} chunks, too many to look through.")


def _text(prefix: bytes, file: BinaryIO, length: int) -> str:
    compressed = prefix[-2]  # we always do; a tool that saved the picture again may not
    if length > len(HEADER) + (MAX_PACKED if compressed else MAX_TEXT):
        raise ValueError("the run in this picture is too long to read.")
    rest = file.read(length - PREFIX)
    if zlib.crc32(rest, zlib.crc32(prefix, zlib.crc32(b"iTXt"))) != int.from_bytes(file.read(4)):
        raise ValueError("the run in this picture is damaged: its checksum is wrong.")
    text = rest.split(b"\0", 2)[-1]  # behind the language and the translated keyword
    try:
        return (_inflate(text) if compressed else text).decode("ascii")
    except (zlib.error, UnicodeDecodeError):
        raise ValueError("the run in this picture is damaged.") from None


def _inflate(packed: bytes) -> bytes:
    """Decompresses, once its size is known: a megabyte can hold a gigabyte."""
    stream = zlib.decompressobj()
    size, rest = 0, packed
    while not stream.eof:
        piece = stream.decompress(rest, PIECE)
        rest = stream.unconsumed_tail
        size += len(piece)
        if size > MAX_TEXT:
            raise ValueError("the run in this picture is too long to read.")
        if not piece and not rest:
            break  # cut short, as the line below finds
    return zlib.decompress(packed)
