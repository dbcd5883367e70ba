"""A moment of a run as a file: its record as text, and its state as compressed arrays.

    MAGIC, then `HEAD`: format, length of the text, SHA-256 of all that follows
    text: JSON, compressed: the record, the look at the moment, and how long each array is
    trail [C, H, W] float32, agent words [N] uint64, food, wall, mask [H, W] uint8: each compressed

Numbers are little-endian. Counts are left out: they follow from the agents.
"""

import dataclasses
import hashlib
import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from app import record
from app.backend import GIB, free_memory
from app.files import write_atomically
from app.meter import Meter
from app.moments import Moment, expected
from app.png import MAX_TEXT
from app.record import Record, RecordError, from_text, to_text
from kernels.maps import Maps
from kernels.simulation import Snapshot
from kernels.world import World, species_of, unpack
from presets import Preset, dump, parse
from presets.disk import opened, sentence, told

SUFFIX = ".physarium"
MAGIC = b"\x89Physarium\r\n\x1a\n"  # as PNG's: shows a transfer that takes the file for text
FORMAT = 1
HEAD = struct.Struct("<IQ32s")
ARRAYS = ("trail", "<f4"), ("agents", "<u8"), ("food", "u1"), ("wall", "u1"), ("mask", "u1")
LEVEL = 1  # of compression: higher ones take several times as long and save a few percent
PIECE = 1 << 24  # bytes handled at a time
DAMAGED = "it is damaged: "


def write(path: Path, moment: Moment) -> Path:
    """Writes a moment whose snapshot lies in main memory, beside a file of that name; for a thread.

    Returns:
        The path written.

    Raises:
        OSError: It cannot be written.
    """
    trail, _, agents = moment.snapshot.parts
    maps = moment.maps
    packed = [
        _packed(part, kind)
        for part, (_, kind) in zip((trail, agents, maps.food, maps.wall, maps.mask), ARRAYS, strict=True)
    ]
    look = dataclasses.replace(moment.preset, params=moment.params, other=moment.other)
    text = to_text(moment)
    if len(text) > MAX_TEXT:  # which nobody reads
        text = to_text(dataclasses.replace(moment, events=(), complete=False))
    table = {
        "record": text,
        "look": dump(look),
        "meter": [moment.meter.level, moment.meter.middle],
        "arrays": [len(part) for part in packed],
    }
    body = [zlib.compress(json.dumps(table).encode()), *packed]
    sha = hashlib.sha256()
    for part in body:
        sha.update(part)

    def put(file: BinaryIO) -> None:
        file.write(MAGIC + HEAD.pack(FORMAT, len(body[0]), sha.digest()))
        for part in body:
            file.write(part)

    return write_atomically(path, put, existing="beside")


def read(path: Path) -> Moment:
    """Reads what `write` wrote, trusting nothing in it.

    Raises:
        RecordError: One sentence with the file and what is wrong with it, or the memory it needs.
    """
    try:
        with opened(path) as file:
            return _moment(file, told(path))
    except OSError as error:
        raise RecordError(sentence(path, error, "read")) from error
    except ValueError as error:
        said = str(error)
        raise RecordError(said if said.startswith(told(path)) else f"{told(path)}: {said}") from error


def read_any(path: str | Path, user_folder: Path | None = None) -> Preset | Record:
    """What a file holds: a moment, a picture's record or a preset; or the preset of that name.

    Raises:
        RecordError: It is a moment or a picture that brings no run back.
        PresetError: It is none of them.
    """
    file = Path(path)
    if file.suffix.lower() == SUFFIX:
        return read(file)
    return record.read_any(path, user_folder)


def _moment(file: BinaryIO, where: str) -> Moment:
    if file.read(len(MAGIC)) != MAGIC:
        raise ValueError("it is no snapshot of Physarium.")
    head = file.read(HEAD.size)
    if len(head) < HEAD.size:
        raise ValueError(DAMAGED + "it ends too early.")
    number, length, digest = HEAD.unpack(head)
    if number > FORMAT:
        raise ValueError(f"format = {number} needs a newer Physarium; this one reads formats up to {FORMAT}.")
    if number < 1:
        raise ValueError(f"{DAMAGED}there is no format {number}.")
    start = file.tell()
    if _digest(file) != digest:
        raise ValueError(DAMAGED + "its checksum is wrong.")
    file.seek(start)
    table = _table(file, length)
    run = from_text(table["record"], where)
    look = parse(table["look"], "its look", run.preset.name)
    world = run.world
    needed, free = expected(world), free_memory("cpu")
    if needed > free:
        raise ValueError(
            f"the snapshot needs {needed / GIB:.1f} GiB of main memory; {free / GIB:.1f} GiB are free."
        )
    trail, agents, *layers = _arrays(file, world, table["arrays"])
    counts = counted(agents, world, run.step)
    meter = Meter()
    meter.level, meter.middle = _measured(table["meter"])
    return Moment(
        *(getattr(run, field.name) for field in dataclasses.fields(Record)),
        params=look.params,
        other=look.other,
        maps=Maps(*layers),
        snapshot=Snapshot(run.step, (trail, counts, agents)),
        meter=meter,
    )


def _digest(file: BinaryIO) -> bytes:
    sha = hashlib.sha256()
    while piece := file.read(PIECE):
        sha.update(piece)
    return sha.digest()


def _table(file: BinaryIO, length: int) -> dict[str, Any]:
    """The text's table, with all keys of the types they should have."""
    text = zlib.decompressobj()
    try:
        table = json.loads(text.decompress(file.read(min(length, PIECE)), 4 * MAX_TEXT))
    except (ValueError, RecursionError, zlib.error):
        raise ValueError(DAMAGED + "its text cannot be read.") from None
    kinds = {"record": str, "look": str, "meter": list, "arrays": list}
    table = table if isinstance(table, dict) else {}
    if not all(isinstance(table.get(key), kind) for key, kind in kinds.items()):
        raise ValueError(DAMAGED + "its text lacks something.")
    return table


def _measured(meter: list[Any]) -> tuple[float | None, float]:
    match meter:
        case [None | float() as level, float() as middle] if 0 <= middle < 1e30 and 0 < (level or 1) < 1e30:
            return level, middle
    raise ValueError(DAMAGED + "its exposure is not two numbers.")


def _arrays(file: BinaryIO, world: World, lengths: list[Any]) -> Iterator[NDArray[Any]]:
    """The arrays, in shapes that follow from the world alone, with values that a step may meet."""
    field = world.height, world.width
    shapes = (world.species, *field), (world.agents,), field, field, field
    if len(lengths) != len(ARRAYS) or not all(type(length) is int and length >= 0 for length in lengths):
        raise ValueError(DAMAGED + "its arrays have no lengths.")
    for (name, kind), shape, length in zip(ARRAYS, shapes, lengths, strict=True):
        array = _unpacked(file, length, shape, np.dtype(kind))
        if array is None or not _possible(name, array, world):
            raise ValueError(f"{DAMAGED}its {name} cannot be what it says.")
        yield array


def _possible(name: str, array: NDArray[Any], world: World) -> bool:
    match name:
        case "trail":
            return bool(np.isfinite(array).all() and (array >= 0).all())
        case "agents":
            x, y, _ = unpack(array, world.position_bits)
            inside = (
                x.max() < world.width << world.fraction_bits and y.max() < world.height << world.fraction_bits
            )
            return bool(inside and species_of(array, world).max() < world.species)
        case "wall":
            return bool(np.isin(array, (0, 255)).all())
    return True


def counted(agents: NDArray[np.uint64], world: World, step: int) -> NDArray[np.int32]:
    """How many agents stand on each cell [C, H, W]; before the first step nobody has counted."""
    cells, bits = world.width * world.height, world.fraction_bits
    if step == 0:
        return np.zeros((world.species, world.height, world.width), np.int32)
    x, y, _ = unpack(agents, world.position_bits)
    cell = (y >> bits) * world.width + (x >> bits) + species_of(agents, world) * cells
    counts = np.bincount(cell, minlength=world.species * cells)
    return counts.astype(np.int32).reshape(world.species, world.height, world.width)


def _packed(array: NDArray[Any], kind: str) -> bytes:
    """An array compressed: the first bytes of all its numbers, then the second ones, as those are alike."""
    planes = np.ascontiguousarray(array, kind).reshape(-1).view(np.uint8).reshape(-1, np.dtype(kind).itemsize)
    packer = zlib.compressobj(LEVEL)
    parts = [packer.compress(np.ascontiguousarray(plane).data) for plane in planes.T]
    return b"".join([*parts, packer.flush()])


def _unpacked(
    file: BinaryIO, length: int, shape: tuple[int, ...], kind: np.dtype[Any]
) -> NDArray[Any] | None:
    """What `_packed` packed, in the memory that so many numbers take; None where it is not as many."""
    array = np.empty(shape, kind)
    planes = array.reshape(-1).view(np.uint8).reshape(-1, kind.itemsize)
    size = array.size
    flat = np.empty(size * kind.itemsize, np.uint8)
    unpacker, at = zlib.decompressobj(), 0
    try:
        while length > 0 and (piece := file.read(min(length, PIECE))):
            length -= len(piece)
            while piece:
                got = unpacker.decompress(piece, PIECE)
                if at + len(got) > len(flat):
                    return None
                flat[at : at + len(got)] = np.frombuffer(got, np.uint8)
                at += len(got)
                piece = unpacker.unconsumed_tail
    except zlib.error:
        return None
    if length or at != len(flat) or not unpacker.eof:
        return None
    planes[:] = flat.reshape(kind.itemsize, size).T
    return array
