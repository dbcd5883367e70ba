"""Where files go, and a thread that writes them, so that no frame ever waits for a disk."""

import contextlib
import itertools
import queue
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import platformdirs

from presets.disk import sentence, told, write_atomically

__all__ = [
    "Outcome", "Writer", "capture_folder", "config_folder", "damaged", "set_aside", "state_folder",
    "user_folder", "write_atomically",
]  # fmt: skip

Job = Callable[[], Path]
Outcome = tuple[Path | None, str | None]  # the file written, or why there is none


def config_folder() -> Path:
    """Where the platform keeps settings; not made until something is saved."""
    return platformdirs.user_config_path("physarium", appauthor=False)


def state_folder() -> Path:
    """Where the platform keeps what a program was at; not made until something is saved."""
    return platformdirs.user_state_path("physarium", appauthor=False)


def user_folder() -> Path:
    """Where a person's own presets live; made when the first is saved."""
    return config_folder() / "presets"


def capture_folder() -> Path:
    """Where captures go, made if need be: Physarium among the person's pictures.

    Where that cannot be written, the current folder, else the one for temporary files.
    """
    pictures = platformdirs.user_pictures_path() / "Physarium"
    return next((folder for folder in _folders(pictures) if _takes_files(folder)), pictures)


def _folders(first: Path) -> Iterator[Path]:
    yield first
    with contextlib.suppress(OSError):  # the current folder may have been deleted
        yield Path.cwd()
    with contextlib.suppress(OSError):
        yield Path(tempfile.gettempdir())


def _takes_files(folder: Path) -> bool:
    """Tries it, because permission bits tell neither of read-only disks nor of guarded folders."""
    if not folder.is_absolute():  # "~/Pictures" where nobody knows the home
        return False
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def set_aside(path: Path) -> Path:
    """Gives a file that cannot be read another name, `name.broken-1` or the next free one; keeps its bytes.

    Raises:
        OSError: The system's reason; the file is where it was.
    """
    for number in itertools.count(1):
        other = path.with_name(f"{path.name}.broken-{number}")
        with contextlib.suppress(FileExistsError):
            open(other, "xb").close()  # nobody else takes the name now
            try:
                return path.replace(other)
            except OSError:
                other.unlink()
                raise
    raise AssertionError("counting never ends")


def damaged(path: Path, reason: str) -> str:
    """Sets a damaged file aside, and says so in a sentence."""
    try:
        return f"{told(path)} is damaged: {reason}. It was set aside as {set_aside(path).name}."
    except OSError as error:
        return f"{told(path)} is damaged: {reason}. {sentence(path, error, 'set aside')}"


class Writer:
    """Does jobs one after the other in a thread of its own.

    A job is a function that writes a file and returns its path. What it raises is not lost either:
    it comes back from `poll` as a sentence.

    Attributes:
        dropped: How many jobs were refused because too many were waiting.

    Args:
        capacity: How many jobs may wait, so that a slow disk cannot fill the memory with pictures.
    """

    def __init__(self, capacity: int = 4) -> None:
        self.dropped = 0
        self._jobs: queue.Queue[Job | None] = queue.Queue(capacity)
        self._results: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="physarium-writer", daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> bool:
        """Hands over a job and returns at once; False when it was refused."""
        if self._thread.is_alive():
            with contextlib.suppress(queue.Full):
                self._jobs.put_nowait(job)
                return True
        self.dropped += 1
        return False

    def poll(self) -> list[Outcome]:
        """What has been done since the last call: the path, or why there is none in a sentence."""
        results = []
        while not self._results.empty():  # nobody else takes any
            results.append(self._results.get_nowait())
        return results

    def close(self) -> None:
        """Waits until all jobs are done; `poll` still tells how they went."""
        if self._thread.is_alive():
            self._jobs.put(None)
            self._thread.join()

    def _work(self) -> None:
        while job := self._jobs.get():
            self._results.put(_outcome(job))
            del job  # it may hold a large picture, and the next may be long in coming


def _outcome(job: Job) -> Outcome:
    try:
        return job(), None
    except OSError as error:
        return None, sentence(str(error.filename or "The file"), error, "written")
    except ValueError as error:
        return None, str(error)
    except BaseException as error:  # the thread must outlive any job, or all later ones would be lost
        return None, f"The file could not be written: {type(error).__name__}: {error}."
