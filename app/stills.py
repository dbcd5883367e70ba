"""Stills: a picture of any size and its run as PNG or OpenEXR, or the trail itself as .npy.

A picture is drawn tile by tile and written band by band, so that neither OpenGL's largest framebuffer nor
main memory bounds its size.
"""

import argparse
import dataclasses
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Literal

import moderngl
import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from app import exr, png
from app.argument_types import STILLS
from app.backend import Choice, check_memory
from app.display import Display
from app.files import write_atomically
from app.record import Record, storable
from app.view import View
from kernels.params import Params
from kernels.world import World

MAX_SIDE = 1 << 16  # px; beyond it few programs open a picture
TILE = 1 << 21  # px drawn at once; more would take more memory and no less time
TILE_BYTES = 64  # of main memory for each of them: read back, averaged, encoded, packed

Trail = NDArray[np.float32]
Part = tuple[int, int, int, int]  # of a picture: x, y, width, height
Painter = Callable[[int, Part], NDArray[Any]]  # the pixels of a part, with so many bits


@dataclasses.dataclass(frozen=True, slots=True)
class Still:
    """What is to be written.

    Attributes:
        path: Where to; its suffix, one of `STILLS`, says as what.
        size: Width and height in pixels.
        bits: Of each colour, one of those in `STILLS`: whole numbers of 8 or 16 in a PNG, floats of 16
            or 32 in an EXR.
        supersample: How many pixels drawn, along each side, are averaged to one.
    """

    path: Path
    size: tuple[int, int]
    bits: int
    supersample: int = 1

    @property
    def kind(self) -> str:
        """Its suffix, in small letters."""
        return self.path.suffix.lower()

    @property
    def is_picture(self) -> bool:
        """Whether it is drawn, as against the trail as it is."""
        return self.kind != ".npy"


def asked_still(asked: argparse.Namespace, world: World) -> Still:
    """What `render` was asked to write.

    Raises:
        ValueError: The options do not go together, or a size is out of range; one sentence.
    """
    kind = asked.out.suffix.lower()
    field = world.width, world.height
    if kind == ".npy" and (asked.picture or asked.supersample):
        raise ValueError(
            ".npy holds the trail itself, cell by cell; --picture and --supersample are of pictures."
        )
    size = asked.picture or field
    if not all(1 <= side <= MAX_SIDE for side in size):
        raise ValueError(
            f"--picture {size[0]}x{size[1]} is not allowed; it takes 1 to {MAX_SIDE:,} px a side."
        )
    bits = asked.bits or STILLS[kind][0]
    if bits not in STILLS[kind]:
        taken = " or ".join(map(str, STILLS[kind]))
        raise ValueError(f"--bits {bits} is not allowed; {kind} takes {taken}.")
    return Still(asked.out, size, bits, asked.supersample or 1)


def check(still: Still, world: World, choice: Choice) -> int:
    """Refuses, before any long work, what this machine cannot write.

    Returns:
        Bytes of main memory that the world and the picture need.

    Raises:
        WorldTooLarge: With the memory needed and the memory free.
        NoLibrary: OpenEXR is not installed.
    """
    if still.kind == ".exr":
        exr.library()
    width, height = still.size
    what = f" and a picture of {width}x{height}" if still.is_picture else ""
    return check_memory(world, choice, bytes_needed(still, world, choice), what)


def bytes_needed(still: Still, world: World, choice: Choice) -> int:
    """Main memory that it takes beside the running world."""
    field = 4 * world.width * world.height * world.species
    on_device = choice.backend == "cuda"
    digest = 8 * world.agents * (1 + on_device) + 2 * field * on_device
    picture = field * (on_device + (world.species > 1))
    if still.is_picture:
        picture += TILE_BYTES * min(TILE, still.size[0] * still.size[1] * still.supersample**2)
    if still.kind == ".exr":
        picture += still.size[0] * still.size[1] * 3 * still.bits // 8
    return max(digest, picture)


def save(
    still: Still,
    record: Record,
    trail: Trail | None = None,
    bands: Iterable[NDArray[Any]] = (),
    existing: Literal["replace", "beside"] = "replace",
) -> Path:
    """Writes the file, whole or not at all.

    Args:
        still: What to write.
        record: The run, that a picture carries.
        trail: [C, H, W], for an .npy; pictures need none.
        bands: The rows of a picture, from `draw`.
        existing: As `write_atomically` takes it.

    Returns:
        The path written.

    Raises:
        OSError: It cannot be written; what was there before is still there.
    """

    def write(file: BinaryIO) -> None:
        match still.kind:
            case ".png":
                png.write(file, still.size, bands, storable(record)[1], still.bits)
            case ".exr":
                exr.write(file, _whole(still, bands), storable(record)[0])
            case ".npy":
                assert trail is not None
                write_trail(file, trail)

    return write_atomically(still.path, write, existing)


def write_trail(file: BinaryIO, trail: Trail) -> None:
    """Writes a trail [C, H, W] as NumPy reads it; its own `save` hides why a disk takes no more."""
    npy.write_array_header_1_0(file, npy.header_data_from_array_1_0(np.ascontiguousarray(trail)))
    for channel in trail:
        file.write(np.ascontiguousarray(channel, "<f4").data)


def _whole(still: Still, bands: Iterable[NDArray[Any]]) -> NDArray[Any]:
    """All rows in one array, which OpenEXR's library wants."""
    width, height = still.size
    kind = np.float16 if still.bits == 16 else np.float32
    rows = np.empty((height, width, 3), kind)
    done = 0
    for band in bands:
        rows[done : done + len(band)] = np.clip(band, 0, np.finfo(kind).max)
        done += len(band)
    return rows


def draw(display: Display, params: Params, still: Still) -> Iterator[NDArray[Any]]:
    """The rows of a picture from the top, a band [h, width, 3] at a time.

    The whole field is shown, as large as covers the picture. Where one sees the tiles' edges, `display`
    is wrong: each is a part of the same picture.

    Yields:
        uint8 or uint16 for a PNG, float32 of linear light for an EXR.
    """
    (width, height), times = still.size, still.supersample
    view = View(display.size, (width * times, height * times))
    most = largest_target(display.ctx) // times
    across = min(width, most)
    down = max(1, min(most, TILE // (across * times**2)))

    def paint(bits: int, part: Part) -> NDArray[Any]:
        return display.picture(params, view, bits, within=part)

    for y in range(0, height, down):
        tall = min(down, height - y)
        tiles = [_tile(paint, still, (x, y, min(across, width - x), tall)) for x in range(0, width, across)]
        yield tiles[0] if len(tiles) == 1 else np.concatenate(tiles, 1)


def _tile(paint: Painter, still: Still, part: Part) -> NDArray[Any]:
    """A part of a picture."""
    times = still.supersample
    x, y, wide, tall = (side * times for side in part)
    light = still.kind == ".exr"
    drawn = paint(32 if light or times > 1 else still.bits, (x, y, wide, tall))
    if times > 1:  # what a picture so many times as large would show, so white is no brighter than white
        drawn = averaged(drawn if light else np.minimum(drawn, 1), times)
    return drawn if light or times == 1 else encoded(drawn, still.bits)


def averaged(light: Trail, times: int) -> Trail:
    """The mean of each square of `times` x `times` pixels, summed in one order wherever tiles begin."""
    total = np.zeros((light.shape[0] // times, light.shape[1] // times, 3), np.float32)
    for row in range(times):
        for column in range(times):
            total += light[row::times, column::times]
    total /= times**2
    return total


def encoded(light: Trail, bits: int) -> NDArray[Any]:
    """Linear light as sRGB's whole numbers of 8 or 16 bits, IEC 61966-2-1; cut off at 0 and 1."""
    clipped = np.clip(light, 0, 1).astype(np.float64)
    curve = np.where(clipped <= 0.0031308, 12.92 * clipped, 1.055 * clipped ** (1 / 2.4) - 0.055)
    codes: NDArray[Any] = np.rint(curve * (2**bits - 1)).astype(f"uint{bits}")
    return codes


def largest_target(context: moderngl.Context) -> int:
    """The longest side of what OpenGL draws into at once, in pixels."""
    info = context.info
    sides = info["GL_MAX_VIEWPORT_DIMS"], info["GL_MAX_TEXTURE_SIZE"], info["GL_MAX_RENDERBUFFER_SIZE"]
    return int(min(*sides[0], *sides[1:]))
