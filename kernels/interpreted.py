"""The functions of `kernels.cuda` without a GPU: NumPy's memory, and kernels run by Triton's interpreter.

Slow, to test what the kernels compute. Triton decides when it is imported whether it interprets:
TRITON_INTERPRET=1 has to stand in the environment.
"""

import importlib
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from kernels.gpu_build import Recipe


class Array:
    """NumPy memory that Triton's interpreter takes for a tensor: what it asks of one, and no more.

    Attributes:
        host: The memory.
        shape: As NumPy's.
        dtype: As NumPy's.
        nbytes: As NumPy's.
    """

    def __init__(self, host: NDArray[Any]) -> None:
        self.host = host
        self.shape, self.dtype, self.nbytes = host.shape, host.dtype, host.nbytes

    def __getitem__(self, index: int) -> "Array":
        return Array(self.host[index])

    def data_ptr(self) -> int:
        """Where the memory begins."""
        return self.host.ctypes.data

    def untyped_storage(self) -> "Array":
        """The memory, which the interpreter copies to main memory and back: it is there already."""
        return self

    cpu = untyped_storage

    def copy_(self, other: "Array") -> None:
        """Takes the interpreter's copy back, which is the memory itself."""
        assert other.data_ptr() == self.data_ptr()

    def new_empty(self, *_: object, **__: object) -> "Array":
        """What the interpreter then sets to the copy."""
        return Array(self.host)

    def set_(self, *_: object) -> None:
        """Sets this array to the interpreter's copy, which it is."""

    def storage_offset(self) -> int:
        """Where in its storage the array begins."""
        return 0

    def size(self) -> tuple[int, ...]:
        """The array's shape."""
        return self.host.shape

    def stride(self) -> tuple[int, ...]:
        """Not looked at, since `set_` has nothing to set."""
        return ()


class Kernel:
    """A kernel with its constants."""

    def __init__(self, recipe: Recipe) -> None:
        self._function = getattr(importlib.import_module(recipe.module), recipe.name)
        self._constants = dict(recipe.constants)

    def __call__(self, grid: tuple[int, ...], *args: "Array | int") -> None:
        """Runs it for every program of the grid, one after the other."""
        self._function[grid](*args, **self._constants)


def zeros(shape: int | tuple[int, ...], dtype: DTypeLike) -> Array:
    """Memory filled with 0."""
    return Array(np.zeros(shape, dtype))


def clear(array: Array) -> None:
    """Fills an array with 0."""
    array.host[...] = 0


def send(array: Array, host: NDArray[Any]) -> None:
    """Copies from NumPy."""
    array.host.reshape(-1)[: host.size] = host.reshape(-1)


def fetch(array: Array) -> NDArray[Any]:
    """A copy as NumPy has it."""
    return array.host.copy()


def fetch_part(array: Array, rows: slice, columns: slice) -> NDArray[Any]:
    """A copy of some rows and columns [C, rows, columns] of planes [C, H, W]."""
    return array.host[:, rows, columns].copy()


def copy(target: Array, source: Array) -> None:
    """Copies between arrays of one size."""
    target.host[...] = source.host


def synchronize() -> None:
    """Returns when all is done, which it is."""
