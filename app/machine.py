"""What this machine has. `python -m app.machine` prints the Debian packages it lacks, for the Makefile."""

import contextlib
import ctypes
import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from app.backend import BackendError, cuda_version, free_memory, nvidia_gpus
from app.files import capture_folder, user_folder
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
    memory = f"{free_memory('cpu') / 2**30:.1f} GiB of memory free"
    yield "system", f"{_system()}, {platform.machine()}, {os.cpu_count()} cores, {memory}"
    yield "Python", f"{platform.python_version()}, {sys.executable}"
    yield "physarium", VERSION


def _system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return platform.platform(terse=True)


def libraries() -> Rows:
    """The versions of everything we may use."""
    for requirement in requirements():
        yield _name(requirement), version(requirement) or "not installed"


def requirements(extra: str = "") -> list[str]:
    """What our own metadata asks for on this system, such as "numba>=0.61".

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
    return re.split(r"[<>=!~]", requirement)[0]


def version(requirement: str) -> str | None:
    """The version of a package that is installed, or None; asked by its name or a requirement of it."""
    try:
        return importlib.metadata.version(_name(requirement))
    except importlib.metadata.PackageNotFoundError:
        return None


def graphics() -> Rows:
    """NVIDIA's GPUs and driver, the display, and OpenGL with and without it."""
    yield "NVIDIA GPU", _gpus()
    if LINUX:
        yield "display", os.environ.get("DISPLAY") or "none (DISPLAY is not set)"
        yield "OpenGL, EGL", opengl("egl")[1]
    if not LINUX or os.environ.get("DISPLAY"):
        yield "OpenGL, display", opengl()[1]


def _gpus() -> str:
    try:
        names = ", ".join(nvidia_gpus())
    except BackendError as reason:
        return f"none: {reason}"
    tool = shutil.which("nvidia-smi")
    if not tool:
        return names
    query = [tool, "--query-gpu=driver_version", "--format=csv,noheader"]
    answer = subprocess.run(query, capture_output=True, text=True, check=False)
    return f"{names}, driver {answer.stdout.splitlines()[0]}" if answer.returncode == 0 else names


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
    for name, folder in (("presets", user_folder()), ("captures", capture_folder())):
        yield name, f"{folder}{'' if _writable(folder) else ', which cannot be written'}"
    with contextlib.suppress(ImportError):  # then the results below say what is wrong
        from kernels.cpu_model import CACHE_FOLDER

        yield "compiled code", CACHE_FOLDER or "not kept, because no folder for it can be written"


def _writable(folder: Path) -> bool:
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
    try:
        nvidia_gpus()
    except BackendError:
        return
    if lacking := [f"'{need}'" for need in cuda_requirements() if not _meets(need)]:
        yield "The GPU is not used", f"{sys.executable} -m pip install {' '.join(lacking)}"


def cuda_requirements() -> list[str]:
    """What the `cuda` extra asks for, with a cuda-bindings that this machine's driver takes."""
    limit = "" if cuda_version() >= 13000 else ",<13"
    return [need + limit if _name(need) == "cuda-bindings" else need for need in requirements("cuda")]


def _meets(requirement: str) -> bool:
    found = version(requirement)
    bounds = re.findall(r"(>=|<)([\d.]+)", requirement)
    return found is not None and all(
        (_release(found) >= _release(bound)) == (sign == ">=") for sign, bound in bounds
    )


def _release(text: str) -> tuple[int, ...]:
    """The first four numbers of a version, which order as versions do."""
    numbers = [int(part or 0) for part in re.split(r"[^\d.]", text)[0].split(".")]
    return tuple([*numbers, 0, 0, 0][:4])


if __name__ == "__main__":
    print(*missing_packages())
