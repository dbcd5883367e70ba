"""CUDA through cuda-bindings: memory, copies, kernels, graphs and events, all on one stream of our own.

PyTorch does all of this too. But importing it takes longer than everything else until the first frame
(3.5 s on the machine of the measurements), and installing it takes gigabytes, while this is all we use.
"""

import ctypes
import functools
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from cuda.bindings import driver, runtime
from numpy.typing import DTypeLike, NDArray

from kernels.gpu_build import Recipe, build, build_ahead

PINNED = 2**26  # bytes: larger copies go to ordinary memory, since all pinned memory is taken from everybody

_capturing = False
_idle: dict[int, list[int]] = {}  # addresses of pinned memory not in use, by their size


class CudaError(RuntimeError):
    """A CUDA call failed; the message names it and the status."""


class Array:
    """Memory on the GPU, given back when nobody has it any more.

    Attributes:
        pointer: Where it begins.
        shape: As NumPy's.
        dtype: As NumPy's.
    """

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any], part_of: "Array | None" = None) -> None:
        self.shape, self.dtype, self._whole = shape, dtype, part_of
        self.nbytes = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        self.pointer = 0
        if part_of is None:
            stream()
            self.pointer = int(_call(runtime.cudaMalloc, max(self.nbytes, 1)))
            weakref.finalize(self, runtime.cudaFree, self.pointer).atexit = False

    def __getitem__(self, index: int) -> "Array":
        part = Array(self.shape[1:], self.dtype, self)
        part.pointer = self.pointer + index * part.nbytes
        return part


class Kernel:
    """A kernel, compiled or loaded by `load`, or when it is first launched.

    Attributes:
        recipe: What it is built from.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self._function: Any = None
        self._shared = 0

    def load(self) -> None:
        """Compiles it or fetches the kept code, and loads it; a second call does nothing."""
        if self._function is None:
            self._function, self._shared = _loaded(self.recipe)

    def __call__(self, grid: tuple[int, ...], *args: "Array | int") -> None:
        """Launches it; returns before it has run."""
        self.load()
        values = [arg.pointer if isinstance(arg, Array) else arg for arg in args]
        kinds = [ctypes.c_void_p if isinstance(arg, Array) else ctypes.c_int32 for arg in args]
        # Triton's kernels take two more pointers, to memory for what ours do not do.
        arguments = (*values, 0, 0), (*kinds, ctypes.c_void_p, ctypes.c_void_p)
        across, down, deep = (*grid, 1, 1)[:3]
        _call(
            driver.cuLaunchKernel, self._function, across, down, deep,
            32 * self.recipe.warps, 1, 1, self._shared, stream(), arguments, 0,
        )  # fmt: skip


class Graph:
    """Launches captured once, to be launched again as one."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        weakref.finalize(self, runtime.cudaGraphExecDestroy, handle).atexit = False

    def launch(self) -> None:
        """Launches all of it; returns before it has run."""
        _call(runtime.cudaGraphLaunch, self._handle, stream())


class Event:
    """A moment on the GPU."""

    def __init__(self) -> None:
        self._handle = _call(runtime.cudaEventCreate)
        weakref.finalize(self, runtime.cudaEventDestroy, self._handle).atexit = False

    def record(self) -> None:
        """Marks when the GPU gets here; in a graph being captured, each time it does."""
        flags = runtime.cudaEventRecordExternal if _capturing else runtime.cudaEventRecordDefault
        _call(runtime.cudaEventRecordWithFlags, self._handle, stream(), flags)

    def passed(self) -> bool:
        """Whether the GPU got there, the last time it was asked to."""
        return int(runtime.cudaEventQuery(self._handle)[0]) == 0

    def seconds_since(self, earlier: "Event") -> float:
        """The time between two events that have passed."""
        return float(_call(runtime.cudaEventElapsedTime, earlier._handle, self._handle)) / 1000


def zeros(shape: int | tuple[int, ...], dtype: DTypeLike) -> Array:
    """Memory filled with 0.

    Raises:
        MemoryError: The GPU has not as much.
    """
    array = Array((shape,) if isinstance(shape, int) else shape, np.dtype(dtype))
    clear(array)
    return array


def clear(array: Array) -> None:
    """Fills an array with 0."""
    _call(runtime.cudaMemsetAsync, array.pointer, 0, array.nbytes, stream())


def send(array: Array, host: NDArray[Any]) -> None:
    """Copies from NumPy to the array's beginning; the NumPy array may change at once."""
    assert host.nbytes <= array.nbytes
    # From ordinary memory CUDA returns once it has the numbers, without waiting for the GPU.
    host = np.ascontiguousarray(host)
    kind = runtime.cudaMemcpyKind.cudaMemcpyHostToDevice
    _call(runtime.cudaMemcpyAsync, array.pointer, host.ctypes.data, host.nbytes, kind, stream())


def fetch(array: Array) -> NDArray[Any]:
    """A copy as NumPy has it, once the work asked for is done."""
    host = _pinned(array) if array.nbytes <= PINNED else np.empty(array.shape, array.dtype)
    kind = runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost
    _call(runtime.cudaMemcpyAsync, host.ctypes.data, array.pointer, array.nbytes, kind, stream())
    synchronize()
    return host


def fetch_part(array: Array, rows: slice, columns: slice) -> NDArray[Any]:
    """A copy of some rows and columns [C, rows, columns] of planes [C, H, W], once all work is done."""
    planes, height, width = array.shape
    (top, bottom, _), (left, right, _) = rows.indices(height), columns.indices(width)
    host = np.empty((planes, bottom - top, right - left), array.dtype)
    kind = runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost
    pitch, size = width * array.dtype.itemsize, array.dtype.itemsize
    for plane in range(planes):
        start = array[plane].pointer + top * pitch + left * size
        line = host.shape[2] * size
        _call(
            runtime.cudaMemcpy2DAsync, host[plane].ctypes.data, line, start, pitch, line, host.shape[1],
            kind, stream(),
        )  # fmt: skip
    synchronize()
    return host


def copy(target: Array, source: Array) -> None:
    """Copies on the GPU, between arrays of one size."""
    kind = runtime.cudaMemcpyKind.cudaMemcpyDeviceToDevice
    _call(runtime.cudaMemcpyAsync, target.pointer, source.pointer, source.nbytes, kind, stream())


def copy_to_image(image: int, source: Array) -> None:
    """Copies rows [..., W] into a CUDA array of as many rows, of numbers of the same size."""
    width = source.shape[-1] * source.dtype.itemsize
    kind = runtime.cudaMemcpyKind.cudaMemcpyDeviceToDevice
    rows = source.nbytes // width
    _call(runtime.cudaMemcpy2DToArrayAsync, image, 0, 0, source.pointer, width, width, rows, kind, stream())


def capture(work: Callable[[], None]) -> Graph:
    """The launches that `work` asks for, as a graph; none of them runs."""
    global _capturing
    mode = runtime.cudaStreamCaptureMode.cudaStreamCaptureModeThreadLocal
    _call(runtime.cudaStreamBeginCapture, stream(), mode)
    _capturing = True
    try:
        work()
    except BaseException:
        _, graph = runtime.cudaStreamEndCapture(stream())  # which fails too, or gives what nobody wants
        if graph:
            runtime.cudaGraphDestroy(graph)
        raise
    finally:
        _capturing = False
    graph = _call(runtime.cudaStreamEndCapture, stream())
    try:
        return Graph(_call(runtime.cudaGraphInstantiate, graph, 0))
    finally:
        runtime.cudaGraphDestroy(graph)


def synchronize() -> None:
    """Returns when all work asked for is done."""
    _call(runtime.cudaStreamSynchronize, stream())


@functools.cache
def stream() -> int:
    """The handle of the stream all work runs on, in order."""
    _call(runtime.cudaSetDevice, 0)
    _call(runtime.cudaFree, 0)  # makes the device's context
    return int(_call(runtime.cudaStreamCreateWithFlags, runtime.cudaStreamNonBlocking))


def free_memory() -> int:
    """Bytes of the GPU's memory that nobody has."""
    stream()
    return int(_call(runtime.cudaMemGetInfo)[0])


def compile_ahead(kernels: Iterable[Any]) -> None:
    """Compiles those kernels that are not kept, all at once; what is no `Kernel` is left out."""
    build_ahead([kernel.recipe for kernel in kernels if isinstance(kernel, Kernel)], _capability())


@functools.cache
def _capability() -> int:
    stream()
    kind = runtime.cudaDeviceAttr
    major = _call(runtime.cudaDeviceGetAttribute, kind.cudaDevAttrComputeCapabilityMajor, 0)
    minor = _call(runtime.cudaDeviceGetAttribute, kind.cudaDevAttrComputeCapabilityMinor, 0)
    return 10 * int(major) + int(minor)


@functools.cache
def _loaded(recipe: Recipe) -> tuple[Any, int]:
    """A kernel's function, and the shared memory to launch it with; loaded once."""
    code = build(recipe, _capability())
    library = _call(driver.cuModuleLoadData, code.binary)
    return _call(driver.cuModuleGetFunction, library, code.name.encode()), code.shared


def _pinned(array: Array) -> NDArray[Any]:
    """Main memory that the GPU copies to at full speed; used again when the array over it is gone."""
    waiting = _idle.setdefault(array.nbytes, [])
    if not waiting:
        for other in _idle.values():  # of a field of another size, which is gone
            while other:
                runtime.cudaFreeHost(other.pop())
        waiting.append(int(_call(runtime.cudaMallocHost, max(array.nbytes, 1))))
    address = waiting.pop()
    memory = (ctypes.c_byte * array.nbytes).from_address(address)
    weakref.finalize(memory, waiting.append, address).atexit = False
    return np.frombuffer(memoryview(memory), array.dtype).reshape(array.shape)


def _call(function: Callable[..., Any], *args: Any) -> Any:
    """What a CUDA function returns besides its status.

    Raises:
        MemoryError: There is not as much memory.
        CudaError: The status is another failure. Reading the pending error clears it.
    """
    status, *values = function(*args)
    if int(status) != 0:
        runtime.cudaGetLastError()
        if int(status) == 2:  # cudaErrorMemoryAllocation, and CUDA_ERROR_OUT_OF_MEMORY
            raise MemoryError(f"{function.__name__}: the GPU has not as much memory.")
        raise CudaError(f"{function.__name__} failed with {status.name}")
    return values[0] if len(values) == 1 else values
