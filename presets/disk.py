"""Reading and writing one file: bounded, whole or not at all, and with plain words when it fails."""

import contextlib
import errno
import itertools
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Literal

REASONS = {
    errno.ENOENT: "there is no such file or folder",
    errno.EISDIR: "it is a folder",
    errno.ENOTDIR: "part of that path is a file, not a folder",
    errno.EACCES: "that is not permitted",
    errno.EPERM: "that is not permitted",
    errno.EROFS: "the disk is read-only",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk is full for this user",
    errno.ENAMETOOLONG: "the name is too long",
    errno.EEXIST: "there is one already",
}


class PresetError(ValueError):
    """One plain sentence: the file, and what is wrong in it."""


def told(path: str | os.PathLike[str]) -> str:
    """A path fit for a sentence: whatever cannot be shown on one line is escaped."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in os.fspath(path))


def sentence(path: str | os.PathLike[str], error: OSError, done: str) -> str:
    """What went wrong with a file, in one plain sentence; `done` is "read", "written" or "deleted"."""
    reason = REASONS.get(error.errno or 0) or error.strerror or "the system refused"
    return f"{told(path)} cannot be {done}: {reason}."


@contextlib.contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Opens a regular file for reading.

    Raises:
        OSError: It cannot be opened, or is a folder, a pipe or a device (reading those could wait for ever).
    """
    try:
        mode = os.stat(path).st_mode
    except ValueError:  # a name no file can have, such as one with a NUL in it
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path)) from None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    with open(path, "rb") as file:
        yield file


def unused(path: Path) -> Path:
    """Claims `path`, or the first free one of name-2, name-3, ..., by creating it empty.

    No two callers ever get the same path, in this program or any other.
    """
    for number in itertools.count(1):
        candidate = path if number == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")
        with contextlib.suppress(FileExistsError):
            return _claimed(candidate)
    raise AssertionError("counting never ends")


def write_atomically(
    path: Path,
    data: bytes | Callable[[BinaryIO], object],
    existing: Literal["replace", "refuse", "beside"] = "replace",
) -> Path:
    """Writes a file that is there whole or not at all, even if the power fails meanwhile.

    The bytes go to a temporary file in the same folder, reach the disk, and only then take the name.
    A symbolic link stays one: what it points to is replaced.

    Args:
        path: Where to; its folder must exist.
        data: All of its bytes; or what writes them to a file, a large one bit by bit.
        existing: What to do when there is such a file: "replace" it; "refuse"; or write "beside" it,
            under the next name that `unused` finds.

    Returns:
        The path written.

    Raises:
        FileExistsError: There is such a file, and `existing` is "refuse".
        OSError: The system's reason, with `path` as its file name. Nothing is left behind.
    """
    real = Path(os.path.realpath(path))
    temporary = real.with_name(f".physarium-{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as file:
            if callable(data):
                data(file)
            else:
                file.write(data)
            file.flush()
            os.fsync(file.fileno())
        return _place(temporary, real, existing)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def _place(temporary: Path, path: Path, existing: str) -> Path:
    if existing == "replace":
        if path.exists():
            shutil.copymode(path, temporary)
        os.replace(temporary, path)
        return path
    claimed = _claimed(path) if existing == "refuse" else unused(path)
    try:
        os.replace(temporary, claimed)
    except OSError:
        claimed.unlink()
        raise
    return claimed


def _claimed(path: Path) -> Path:
    open(path, "xb").close()
    return path
