"""What takes long and needs a process of its own: begun before the first test, beside the others.

Most tests keep one core busy. A test file that names commands in `BESIDE` has them run on what is left of
the machine; its tests come last, when most of that is done (see `conftest.py`).
"""

import os
import subprocess
import sys

_begun: dict[tuple[str, ...], subprocess.Popen[str]] = {}


def begun(*command: str) -> subprocess.Popen[str]:
    """A test file as a script with its arguments: begun now, unless it was before."""
    if command not in _begun:
        _begun[command] = subprocess.Popen(
            [sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
    return _begun[command]


def end() -> None:
    """Ends what nobody waited for."""
    for process in _begun.values():
        process.kill()
        process.communicate()
    _begun.clear()


def give_way() -> None:
    """Lets the tests that somebody waits for go first: such a script calls it when it begins."""
    if hasattr(os, "nice"):
        os.nice(10)
