"""Locks on files: what tells a program that runs from one that has crashed, whatever its number was."""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _take(file: int, wait: bool) -> None:
        msvcrt.locking(file, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(file: int, wait: bool) -> None:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


class Lock:
    """A lock on a file that is made if need be; it ends with `close`, or with this process, however it ends.

    Args:
        path: The file; its folder must exist.
        wait: Wait until another lets go of it, some seconds at the most on Windows.

    Raises:
        OSError: Another holds it, or the disk knows no locks.
    """

    def __init__(self, path: Path, wait: bool = False) -> None:
        self._file: int | None = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _take(self._file, wait)
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        """Lets go. A second call does nothing."""
        file, self._file = self._file, None
        if file is not None:
            os.close(file)


def lock(path: Path) -> Lock | None:
    """Takes a lock, or None while another holds it or where that cannot be known."""
    with contextlib.suppress(OSError):
        return Lock(path)
    return None


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Does the block while no other does one under the same file; where there are no locks, just does it."""
    held = None
    with contextlib.suppress(OSError):
        held = Lock(path, wait=True)
    try:
        yield
    finally:
        if held:
            held.close()
