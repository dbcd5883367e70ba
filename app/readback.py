"""Pixels on their way from the GPU: copied into a buffer there, and fetched once they have arrived."""

from collections import deque
from collections.abc import Callable
from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

KINDS: dict[str, type] = {"f1": np.uint8, "u1": np.uint8, "u2": np.uint16, "f4": np.float32}
DEEP = 3  # pictures on their way at once: the GPU draws one, copies one, and has done with one

Then = Callable[[NDArray[Any]], object]


class Pixels:
    """What a framebuffer holds at this moment.

    Args:
        framebuffer: All of it is brought over.
        components: How many it has.
        dtype: As moderngl names it, one of `KINDS`.
        buffer: Of that many bytes, to be used again; left out, a new one.

    Attributes:
        array: [H, W, components], or [H, W] of one; rows as OpenGL has them. Whole once `fetch` says so.
        buffer: Where the pixels are until then; whoever has fetched them releases it.
    """

    def __init__(
        self,
        framebuffer: moderngl.Framebuffer,
        components: int,
        dtype: str,
        buffer: moderngl.Buffer | None = None,
    ) -> None:
        width, height = framebuffer.size
        shape = (height, width) if components == 1 else (height, width, components)
        self.array: NDArray[Any] = np.empty(shape, KINDS[dtype])
        self.fetched = 0
        if buffer is None or buffer.size != self.array.nbytes:
            buffer = framebuffer.ctx.buffer(reserve=self.array.nbytes)
        self.buffer = buffer
        framebuffer.read_into(buffer, components=components, alignment=1, dtype=dtype)

    def fetch(self, most: int) -> bool:
        """Brings so many bytes over, and says whether that was the last of them."""
        size = min(most, self.array.nbytes - self.fetched)
        self.buffer.read_into(self.array.data, size, offset=self.fetched, write_offset=self.fetched)
        self.fetched += size
        return self.fetched == self.array.nbytes


class Readback:
    """Brings pictures over some time after they have been drawn, so that nobody waits for the GPU."""

    def __init__(self) -> None:
        self._coming: deque[tuple[Pixels, Then]] = deque()
        self._free: list[moderngl.Buffer] = []

    def send(self, framebuffer: moderngl.Framebuffer, components: int, dtype: str, then: Then) -> None:
        """Sends what a framebuffer holds on its way, and takes in the oldest where too many are.

        Args:
            framebuffer: What has been drawn.
            components: As `Pixels` takes it.
            dtype: As `Pixels` takes it.
            then: Called with the array once it is here, in the order of the sending.
        """
        if len(self._coming) == DEEP:
            self._take_in()
        buffer = self._free.pop() if self._free else None
        self._coming.append((Pixels(framebuffer, components, dtype, buffer), then))

    def drain(self) -> None:
        """Takes in all that is on its way."""
        while self._coming:
            self._take_in()

    def _take_in(self) -> None:
        pixels, then = self._coming.popleft()
        pixels.fetch(pixels.array.nbytes)
        self._free.append(pixels.buffer)
        then(pixels.array)

    def release(self) -> None:
        """Frees what it holds on the GPU; what is still on its way is lost."""
        for buffer in (*self._free, *(pixels.buffer for pixels, _ in self._coming)):
            buffer.release()
        self._free.clear()
        self._coming.clear()
