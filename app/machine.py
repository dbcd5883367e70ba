"""What this machine has. `python -m app.machine` prints the Debian packages it lacks, for the Makefile."""

import ctypes
import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from app.files import capture_folder, config_folder, user_folder
from app.version import VERSION

Rows = Iterator[tuple[str, str]]

LINUX = sys.platform.startswith("linux")

# What the window and the pictures load, with the Debian package that brings it.
LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libXext.so.6": "libxext6",
}
DRIVERS = "libegl-mesa0", "libgl1-mesa-dri", "libglx-mesa0"

# In a process of its own: a broken driver may crash instead of answering.
OPENGL = """
import moderngl, sys
backend = dict(zip(["backend"], sys.argv[1:]))
info = moderngl.create_context(standalone=True, require=330, **backend).info
print(info["GL_VENDOR"], info["GL_RENDERER"], info["GL_VERSION"], sep=", ")
"""


def machine() -> Rows:
    """System, Python and our own version."""
    yield "system", f"{platform.platform()}, {os.cpu_count()} cores"
    yield "Python", f"{platform.python_version()}, {sys.executable}"
    yield "physarium", VERSION


def libraries() -> Rows:
    """The versions of everything we may use."""
    for requirement in requirements():
        yield _name(requirement), _version(requirement) or "not installed"


def requirements(extra: str = "") -> list[str]:
    """What our own metadata asks for on this system, such as "torch>=2.11".

    Args:
        extra: Only that of an extra; left out, all but the tests'.
    """
    found = []
    for line in importlib.metadata.requires("physarium") or ():
        requirement, _, marker = line.partition(";")
        elsewhere = "sys_platform" in marker and f'"{sys.platform}"' not in marker
        asked = f'extra == "{extra}"' in marker if extra else 'extra == "test"' not in marker
        if asked and not elsewhere:
            found.append(requirement.strip())
    return found


def _name(requirement: str) -> str:
    return requirement.partition(">")[0]


def _version(requirement: str) -> str | None:
    try:
        return importlib.metadata.version(_name(requirement))
    except importlib.metadata.PackageNotFoundError:
        return None


def graphics() -> Rows:
    """GPUs that NVIDIA's driver knows, the display, and OpenGL with and without it."""
    yield "NVIDIA", "; ".join(gpus()) or "no GPU answers"
    if LINUX:
        yield "display", os.environ.get("DISPLAY") or "none (DISPLAY is not set)"
        yield "OpenGL, EGL", opengl("egl")[1]
    if not LINUX or os.environ.get("DISPLAY"):
        yield "OpenGL, display", opengl()[1]


def gpus() -> list[str]:
    """Name, driver and memory of each NVIDIA GPU, as its driver's own tool tells them."""
    tool = shutil.which("nvidia-smi")
    if not tool:
        return []
    query = [tool, "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]
    answer = subprocess.run(query, capture_output=True, text=True, check=False)
    return answer.stdout.splitlines() if answer.returncode == 0 else []


def opengl(*backend: str) -> tuple[bool, str]:
    """Whether OpenGL 3.3 can be had, and whose it is or why not.

    Args:
        backend: "egl" for none of the display's.
    """
    probe = [sys.executable, "-c", OPENGL, *backend]
    try:
        answer = subprocess.run(probe, capture_output=True, text=True, check=False, timeout=60)
    except subprocess.TimeoutExpired:
        return False, "no answer within a minute"
    if answer.returncode == 0:
        return True, answer.stdout.strip()
    return False, (answer.stderr.strip().splitlines() or [f"crashed with status {answer.returncode}"])[-1]


def folders() -> Rows:
    """Where things are kept, and whether they can be."""
    for name, folder in (
        ("presets", user_folder()),
        ("captures", capture_folder()),
        ("settings", config_folder()),
    ):
        yield name, f"{folder}{'' if writable(folder) else ' (cannot be written)'}"


def writable(folder: Path) -> bool:
    """Whether files can be put there, making it first if need be."""
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    return there.is_dir() and os.access(there, os.W_OK)


def missing_packages() -> list[str]:
    """Debian packages without which there is no picture on this machine."""
    if not LINUX:
        return []
    missing = [package for library, package in LIBRARIES.items() if not _loads(library)]
    return [*missing, *DRIVERS] if missing or not opengl("egl")[0] else []


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def mends() -> Rows:
    """What is missing, and the one command that brings it."""
    if packages := missing_packages():
        yield "OpenGL libraries are missing", f"sudo apt-get install {' '.join(packages)}"
    if not gpus():
        return
    if lacking := [f"'{need}'" for need in requirements("cuda") if not _version(need)]:
        yield "The GPU is not used", f"{sys.executable} -m pip install {' '.join(lacking)}"
    if LINUX and not shutil.which("cc"):
        yield "Triton needs a C compiler", "sudo apt-get install gcc libc6-dev"


if __name__ == "__main__":
    print(*missing_packages())
