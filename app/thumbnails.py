"""Small pictures of presets: those shipped with Physarium, and those made here of a person's own.

What is missing is made by a process of low priority on one core of the CPU, whatever steps the world: a
preset takes it a second or two, the bits are the same everywhere, and neither the show's GPU nor its
frames are touched.
"""

import contextlib
import dataclasses
import functools
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np
import platformdirs
from numpy.typing import NDArray
from PIL import Image

import presets
from app.files import write_atomically
from presets import Entry, Preset, PresetError

SHIPPED = Path(str(files(presets) / "thumbnails"))
KIND = 1  # of the pictures that are made; another number where the same preset gets another picture
AT_ONCE = 16  # presets that a process makes pictures of: their paths have to fit into a command line
MOST = 1000  # pictures that are kept, some 20 kB each

GENTLY = "import os, sys; getattr(os, 'nice', int)(15); "  # the show comes first
MAKE = GENTLY + "from app.thumbnails import make; make(sys.argv[1], sys.argv[2:])"

Picture = NDArray[np.uint8]


def cache_folder() -> Path:
    """Where the pictures of a person's own presets are kept; made with the first."""
    return platformdirs.user_cache_path("physarium", appauthor=False) / "thumbnails"


@functools.lru_cache(maxsize=512)
def key(preset: Preset) -> str:
    """What presets have in common that look the same, whatever they are called."""
    nameless = dataclasses.replace(preset, name="", title="", credit="", tags=(), words="")
    return hashlib.sha256(f"{KIND}\n{presets.dump(nameless)}".encode()).hexdigest()[:32]


def read(path: Path) -> Picture | None:
    """A picture [H, W, 4] from its file; None where that cannot be read."""
    try:
        with Image.open(path) as picture:
            return np.asarray(picture.convert("RGBA"))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None


class Thumbnails:
    """Says where each preset's picture is, and has those made that are missing.

    Attributes:
        wanted: Presets that still need a picture, by their key.

    Args:
        folder: Where those made here are kept; left out, the platform's folder for what can be made again.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or cache_folder()
        self.wanted: dict[str, Path] = {}
        self.tried: set[str] = set()
        self.unreadable: set[Path] = set()
        self.process: subprocess.Popen[bytes] | None = None
        Image.preinit()  # or the first picture would hold its frame up by 30 ms

    def path(self, entry: Entry) -> Path | None:
        """The file of a preset's picture; where there is none, None, and it will be made if it can be."""
        if entry.preset is None:
            return None
        shipped = SHIPPED / f"{entry.name}.png"
        if not entry.own and shipped not in self.unreadable and shipped.exists():
            return shipped
        mark = key(entry.preset)
        path = self.folder / f"{mark}.png"
        if path not in self.unreadable and path.exists():
            return path
        if mark not in self.tried:
            self.wanted.setdefault(mark, entry.path)
        return None

    def pixels(self, path: Path) -> Picture | None:
        """The picture [H, W, 4] in a file that `path` gave; one that cannot be read is made again."""
        picture = read(path)
        if picture is None:
            if path.parent == self.folder:  # what was shipped is left as it is
                with contextlib.suppress(OSError):
                    path.unlink()
            if path.exists():  # else what is made in its place is read again
                self.unreadable.add(path)
        return picture

    def pending(self, entry: Entry) -> bool:
        """Whether a preset's picture is being made, or will be."""
        return entry.preset is not None and (key(entry.preset) in self.wanted or self.process is not None)

    def work(self) -> None:
        """Call it in each frame: makes what is missing, a handful at a time. What fails once is left."""
        if self.process and self.process.poll() is None:
            return
        self.process = None
        if not self.wanted:
            return
        marks = list(self.wanted)[:AT_ONCE]
        self.tried.update(marks)
        self.process = _started(self.folder, [self.wanted.pop(mark) for mark in marks])

    def close(self) -> None:
        """Ends what is being made; whole pictures are kept."""
        if self.process:
            self.process.terminate()
            self.process.wait()
            self.process = None


def _started(folder: Path, paths: Iterable[Path]) -> "subprocess.Popen[bytes] | None":
    """A process that makes pictures; None where there is no Python to run it, or no room for a process."""
    if getattr(sys, "frozen", False) or not sys.executable:
        return None
    nowhere = subprocess.DEVNULL
    with contextlib.suppress(OSError):
        return subprocess.Popen(
            [sys.executable, "-c", MAKE, str(folder), *map(str, paths)],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "NUMBA_NUM_THREADS": "1"},
            stdin=nowhere,
            stdout=nowhere,
            stderr=nowhere,
            creationflags=getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0),  # Windows has no `nice`
        )
    return None


def make(folder: str, paths: Sequence[str]) -> None:
    """Makes pictures of preset files, each under its preset's key; leaves out what cannot be read."""
    from app.sheet import encoded, thumbnails  # OpenGL, which the window's own process has its own of

    looks = []
    for path in paths:
        try:
            looks.append(presets.load(Path(path)))
        except PresetError:
            continue
    Path(folder).mkdir(parents=True, exist_ok=True)
    for preset, picture in thumbnails(looks, "cpu"):
        write_atomically(Path(folder) / f"{key(preset)}.png", encoded(picture, "PNG"))
    forget(Path(folder))


def forget(folder: Path, most: int = MOST) -> None:
    """Deletes the oldest pictures beyond so many: nobody tells which presets are gone."""
    found = sorted(folder.glob("*.png"), key=lambda path: path.stat().st_mtime)
    for path in found[: max(0, len(found) - most)]:
        path.unlink(missing_ok=True)
