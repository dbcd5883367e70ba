"""Where compiled code is kept between starts: in the user's folder for caches."""

import errno
import functools
import logging
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

UNUSED = 30 * 86400  # seconds, until code of another version is thrown away
ROOM = 2**26  # bytes free for compiled code, of which there is 1 MB; else the disk counts as full

_log = logging.getLogger(__name__)


@functools.cache
def cache_folder(name: str, parent: str = "") -> Path | None:
    """A folder of ours for compiled code, made if need be; None, and a warning, where none can be written.

    Args:
        name: Says what the code was made from, so that other code never finds it.
        parent: Where to make it, instead of in the user's folder for caches.
    """
    try:
        folder = Path(parent or _user_cache() / "physarium", name).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        _sweep(folder)
        tempfile.TemporaryFile(dir=folder).close()
        if shutil.disk_usage(folder).free < ROOM:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home folder
        _log.warning("Compiled code is not kept, so each start compiles: %s", error)
        return None
    return folder


def _sweep(folder: Path) -> None:
    """Removes what other versions kept beside a folder and nobody has used for long."""
    kind = folder.name.partition("-")[0]
    for other in folder.parent.glob(f"{kind}-*"):
        if other != folder and time.time() - other.stat().st_mtime > UNUSED:
            shutil.rmtree(other, ignore_errors=True)


def keep(path: Path, content: bytes) -> None:
    """Writes a file whole or not at all; where it cannot be written that is a warning."""
    draft = ""
    try:
        handle, draft = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(draft, path)
    except OSError as error:
        if draft:
            Path(draft).unlink(missing_ok=True)
        _log.warning("Compiled code is not kept, so each start compiles: %s", error)


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local")
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
