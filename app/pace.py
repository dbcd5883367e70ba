"""The pace of frames: one is drawn while the next is made, and no more are under way."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

import moderngl


class TwoFrames:
    """Lets one frame be drawn while the next is made, as a screen with two buffers does.

    moderngl-window's headless window waits for the end of every frame instead, so that Python and the
    GPU take turns, which no screen asks of them. On a screen, drivers differ in how many frames they let
    wait; each holds steps of CUDA, so that a slow world would answer late.

    Args:
        ctx: The context that draws.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self._free = deque(ctx.query(time=True) for _ in range(2))
        self._drawing: deque[moderngl.Query] = deque()

    @contextmanager
    def frame(self) -> Iterator[None]:
        """Waits until the frame before the last is drawn; the block then asks for the next."""
        if not self._free:
            oldest = self._drawing.popleft()
            _ = oldest.elapsed  # OpenGL answers once everything inside the query is done
            self._free.append(oldest)
        self._drawing.append(self._free.popleft())
        with self._drawing[-1]:
            yield
