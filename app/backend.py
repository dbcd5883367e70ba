"""Which backend steps the world, found out by trying: shared textures, CUDA with a host copy, the CPU.

Looks from the cheapest to the dearest and stops at the first "no", so that a machine without an NVIDIA
GPU never imports Triton. Whether OpenGL shares its textures shows only once there is a context: see
`app.interop`.

Choose before opening OpenGL: loading Triton after Mesa's software OpenGL crashes (both bring LLVM: seen with
Triton 3.9 and Mesa's LLVM 15), the other way round works.
"""

import ctypes
import importlib
import importlib.util
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kernels.params import Params
from kernels.simulation import BACKENDS, Simulation
from kernels.world import World

GIB = 2**30
CAPABILITY = 75, 76  # major and minor, in the driver's numbers for a device's attributes
TRIAL = World(32, 16, 64)  # small enough to be stepped by the reference in no time
TRIALS = TRIAL, World(33, 16, 64)  # both kinds of width that CUDA's kernels are compiled for

# Bytes a cell, beside those of the backend's own.
TEXTURE_BYTES = 4, 16  # of one species' trail, and of several
MAP_TEXTURE_BYTES = 2
MAP_BYTES = 3 + 8  # food, walls and mask; and as the numbers they are handed over in


class BackendError(Exception):
    """A backend cannot be had; the message is one plain sentence that says why."""


class WorldTooLarge(BackendError, MemoryError):  # noqa: N818
    """A world needs more memory than is free; the message is one plain sentence."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen, and why.

    Attributes:
        backend: A name `kernels.simulation.Simulation` takes.
        interop: Whether to try sharing the texture with CUDA.
        device: The device's name, for people.
        reason: One or more plain sentences, for people.
    """

    backend: str
    interop: bool
    device: str
    reason: str


def choose(wanted: str = "auto", interop: bool = True) -> Choice:
    """Picks the best backend that works on this machine.

    Args:
        wanted: "auto", or "cuda", "cpu" or "reference" to take no other.
        interop: False keeps CUDA from sharing textures with OpenGL.

    Raises:
        BackendError: The backend that was asked for cannot be had.
    """
    if wanted not in ("auto", "cuda", "cpu", "reference"):
        raise BackendError(f"backend = {wanted!r} is not allowed; it takes auto, cuda or cpu.")
    if wanted == "reference":
        return Choice("reference", False, "NumPy", "The reference was asked for: right, and slow.")
    if wanted == "cpu":
        return _cpu("as asked")
    try:
        return _cuda(interop)
    except BackendError as error:
        if wanted == "cuda":
            raise BackendError(f"CUDA cannot be used: {error}") from error
        return _cpu(f"because CUDA cannot be used: {error}".removesuffix("."))


def check_memory(world: World, choice: Choice, more: int = 0, also: str = "") -> int:
    """Refuses a world that does not fit, before anything is allocated for it.

    Args:
        world: Its size, agents and species.
        choice: What computes it.
        more: Bytes of main memory that are needed beside.
        also: What for, after the world's agents in the sentence.

    Returns:
        Bytes of main memory that are needed.

    Raises:
        WorldTooLarge: With the memory needed and the memory free.
    """
    cells = world.width * world.height
    device = "cuda" if choice.backend == "cuda" else "cpu"
    needs = {device: 0, "cpu": MAP_BYTES * cells + more}
    needs[device] += importlib.import_module(BACKENDS[choice.backend]).bytes_needed(world)
    needs[device] += (TEXTURE_BYTES[world.species > 1] + MAP_TEXTURE_BYTES) * cells
    if device == "cuda":
        needs["cpu"] += 8 * world.agents  # where they start
    for backend, needed in needs.items():
        free = free_memory(backend)
        where = f"memory on {choice.device}" if backend == "cuda" else "main memory"
        if needed > free:
            raise WorldTooLarge(
                f"size = {world.width}x{world.height} with {world.agents} agents"
                f"{also if backend == 'cpu' else ''} needs "
                f"{needed / GIB:.1f} GiB of {where}; {free / GIB:.1f} GiB are free."
            )
    return needs["cpu"]


def free_memory(backend: str) -> int:
    """Bytes that can be had on a backend's device now."""
    if backend == "cuda":
        return int(importlib.import_module("kernels.cuda").free_memory())
    if sys.platform == "win32":
        status = (ctypes.c_uint64 * 8)(64)  # MEMORYSTATUSEX: its length comes first, free memory third
        ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
        return status[2]
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        fields = dict(line.split(":") for line in meminfo.read_text().splitlines())
        return int(fields["MemAvailable"].split()[0]) * 1024
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")  # macOS tells no better


def workers() -> int:
    """How many threads the CPU backend steps with."""
    asked = os.environ.get("NUMBA_NUM_THREADS", "")
    if asked.isdecimal():
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def nvidia_gpus() -> list[str]:
    """The names of the GPUs NVIDIA's driver offers to CUDA, in CUDA's order; asks the driver alone.

    Raises:
        BackendError: There is no driver, or it offers none.
    """
    cuda = _driver()
    status = cuda.cuInit(0)
    if status == 100 and "CUDA_VISIBLE_DEVICES" in os.environ:  # CUDA_ERROR_NO_DEVICE
        raise BackendError("CUDA_VISIBLE_DEVICES hides every GPU.")
    if status:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(status, ctypes.byref(text))
        raise BackendError(f"NVIDIA's driver says: {(text.value or b'unknown error').decode()}.")
    count = ctypes.c_int()
    cuda.cuDeviceGetCount(ctypes.byref(count))
    names = [ctypes.create_string_buffer(256) for _ in range(count.value)]
    for number, name in enumerate(names):
        cuda.cuDeviceGetName(name, 256, number)
    if not names:
        raise BackendError("NVIDIA's driver finds no GPU.")
    return [name.value.decode() for name in names]


def cuda_version() -> int:
    """The newest CUDA that NVIDIA's driver takes, such as 13000 for 13.0; asks the driver alone.

    Raises:
        BackendError: There is no driver.
    """
    version = ctypes.c_int()
    _driver().cuDriverGetVersion(ctypes.byref(version))
    return version.value


def gpu_capability() -> int:
    """The first GPU's compute capability, such as 90 for 9.0; asks the driver alone.

    Raises:
        BackendError: There is no driver, or it offers no GPU.
    """
    nvidia_gpus()
    cuda, device, number = _driver(), ctypes.c_int(), ctypes.c_int()
    cuda.cuDeviceGet(ctypes.byref(device), 0)
    digits = []
    for attribute in CAPABILITY:
        cuda.cuDeviceGetAttribute(ctypes.byref(number), attribute, device)
        digits.append(number.value)
    return 10 * digits[0] + digits[1]


@contextmanager
def told_if_slow(seconds: float = 1.0) -> Iterator[None]:
    """Says on stderr that kernels are being compiled if the block takes longer than a moment."""
    text = "Preparing the kernels: the first start compiles them, later ones take a moment."
    timer = threading.Timer(seconds, print, [text], {"file": sys.stderr, "flush": True})
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _driver() -> ctypes.CDLL:
    try:
        return ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        raise BackendError("NVIDIA's driver is not installed.") from None


def _cpu(why: str) -> Choice:
    return Choice("cpu", False, f"{workers()} CPU threads", f"The CPU steps the world, {why}.")


def _cuda(interop: bool) -> Choice:
    device = nvidia_gpus()[0]
    modules = {"triton": "triton", "cuda-bindings": "cuda.bindings.runtime"}
    missing = [name for name, module in modules.items() if not _installed(module)]
    if missing:
        raise BackendError(
            f"{' and '.join(missing)} for {device} {'are' if len(missing) > 1 else 'is'} not installed; "
            "pip install 'physarium[cuda]' brings what is needed."
        )
    _try_step()
    how = "sharing its picture with OpenGL" if interop else "handing its picture over through the host"
    return Choice("cuda", interop, device, f"CUDA on {device} steps the world, {how}.")


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _try_step() -> None:
    """Steps tiny worlds and compares them with the reference.

    Raises:
        BackendError: It failed, or came out different.
    """
    try:
        for world in TRIALS:
            digests = []
            for backend in ("cuda", "reference"):
                with told_if_slow():
                    simulation = Simulation(world, Params(), backend)
                    simulation.step(5)
                digests.append(simulation.digest())
            if digests[0] != digests[1]:
                raise BackendError("its results differ from the reference's; please report this.")
    except BackendError:
        raise
    except Exception as error:
        raise BackendError(_plain(error)) from error


def _plain(error: Exception) -> str:
    """One sentence for what can go wrong between Triton, cuda-bindings and drivers."""
    said = (str(error).strip() or type(error).__name__).splitlines()[0].removesuffix(".")
    if "cudaErrorInsufficientDriver" in said:
        return (
            "NVIDIA's driver is older than cuda-bindings; update the driver, "
            "or pip install 'cuda-bindings<13' for a driver of CUDA 12."
        )
    if isinstance(error, OSError) or "DLL load failed" in said:
        if sys.platform == "win32":
            return f"a library does not load ({said}); the newest Visual C++ Redistributable often helps."
        return f"a library does not load ({said})."
    if isinstance(error, ImportError | AttributeError):
        return (
            f"triton and cuda-bindings do not do what is asked of them ({said}); "
            "pip install -U 'physarium[cuda]' may help."
        )
    return f"a trial step failed ({type(error).__name__}: {said})."
