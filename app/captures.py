"""Captures while the world lives: drawn in the frame, brought over in the next ones, written beside them.

A frame only has the GPU draw the picture and copy it into a buffer there. Each frame after it fetches a few
megabytes, so that even the largest capture stalls the window by no more than what drawing it takes.
"""

import dataclasses
import functools
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.display import OUTPUTS, Display
from app.files import Outcome, Writer, capture_folder
from app.readback import Pixels
from app.record import Record
from app.session import Session
from app.stills import Still, largest_target, save
from app.studio import Studio
from app.view import View
from kernels.simulation import State, digest
from presets import slug

KINDS = (("PNG", ".png", 8), ("PNG, 16 bit", ".png", 16), ("EXR", ".exr", 32), ("trail, .npy", ".npy", 32))
SIZES = "field", "window", "2 x field"

FETCHED = 1 << 24  # bytes a frame
WAITING = 4  # captures on their way at once
MOST_STATE = 192 << 20  # bytes of a state that a GPU hands over within a frame
MOST = 1 << 30  # bytes of a capture, twice of which it takes on the GPU
ROWS = 256  # of a band

Finish = Callable[[NDArray[Any]], Path]  # takes pixels as OpenGL has them, and writes the file
Coming = tuple[Pixels, Finish]


class Captures:
    """Takes the captures a studio asks for.

    Attributes:
        dropped: How many were not taken because too many were on their way.
    """

    def __init__(self) -> None:
        self.writer = Writer()
        self.coming: deque[Coming] = deque()
        self.dropped = 0
        self._refusals: list[Outcome] = []

    def serve(self, studio: Studio, display: Display) -> None:
        """Takes what was asked for, goes on with what is on its way, and says what has been written."""
        self._go_on(FETCHED)
        for _ in range(studio.captures):
            if len(self.coming) < WAITING:
                studio.notices.attempt(lambda: self.coming.append(_taken(studio, display)))
            else:
                self._drop()
        studio.captures = 0
        for path, problem in self._outcomes():
            studio.notices.say(problem or f"Saved {path}.")

    def _go_on(self, most: int) -> None:
        if self.coming and self.coming[0][0].fetch(most):
            pixels, finish = self.coming.popleft()
            pixels.buffer.release()
            if not self.writer.submit(functools.partial(finish, pixels.array)):
                self._drop()

    def _drop(self) -> None:
        self.dropped += 1
        self._refusals.append((None, "Too many captures at once; one was dropped."))

    def _outcomes(self) -> list[Outcome]:
        """What has become of captures since the last call."""
        refusals, self._refusals = self._refusals, []
        return refusals + self.writer.poll()

    def close(self) -> list[Outcome]:
        """Finishes what is on its way; returns what nobody has been told yet."""
        while self.coming:
            self._go_on(MOST)
        self.writer.close()
        return self._outcomes()


def _taken(studio: Studio, display: Display) -> Coming:
    """A capture of the moment.

    Raises:
        ValueError: It is too large; one sentence.
    """
    _, suffix, bits = KINDS[studio.capture_kind]
    view = _view(studio, display)
    session = studio.session
    still = Still(Path(f"x{suffix}"), view.target, bits)
    finish = functools.partial(_write, still, session.record(digest=""), _state(session))
    if not still.is_picture:
        return _trail(display), finish
    largest = largest_target(display.ctx)
    if max(view.target) > largest or _pixel_bytes(bits) * view.target[0] * view.target[1] > MOST:
        width, height = view.target
        raise ValueError(
            f"A picture of {width} x {height} is too large to capture from the window; "
            "physarium render --picture draws it."
        )
    return _picture(display, session, view, bits), finish


def _view(studio: Studio, display: Display) -> View:
    """What a capture shows: the window's view, or the whole field."""
    match SIZES[studio.capture_size]:
        case "window":
            return dataclasses.replace(studio.view)
        case "field":
            return View(display.size, display.size)
        case _:
            return View(display.size, (2 * display.size[0], 2 * display.size[1]))


def _state(session: Session) -> State | None:
    """A copy for the digest, since the world moves on; None where fetching it would take frames."""
    if session.backend != "cuda":
        trail, counts, agents = session.simulation.state()
        return trail.copy(), counts.copy(), agents.copy()
    world = session.world
    size = 8 * (world.width * world.height * world.species + world.agents)
    return session.simulation.state() if size <= MOST_STATE else None


def _trail(display: Display) -> Pixels:
    """The texture, which holds the trail of this moment."""
    framebuffer = display.ctx.framebuffer(display.texture)
    try:
        return Pixels(framebuffer, display.texture.components, "f4")
    finally:
        framebuffer.release()


def _pixel_bytes(bits: int) -> int:
    """What a pixel takes on its way: four bytes, or four floats for more than 8 bits."""
    return 4 if bits == 8 else 16


def _picture(display: Display, session: Session, view: View, bits: int) -> Pixels:
    """What the display draws into a framebuffer of its own."""
    bound = display.ctx.fbo  # the window's
    dtype = "f1" if bits == 8 else "f4"
    canvas = display.ctx.renderbuffer(view.target, 4, dtype=dtype)
    framebuffer = display.ctx.framebuffer(canvas)
    try:
        framebuffer.use()
        display.draw(view, session.look, output=OUTPUTS[bits])
        return Pixels(framebuffer, 4, dtype)
    finally:
        bound.use()
        framebuffer.release()
        canvas.release()


def _write(still: Still, record: Record, state: State | None, pixels: NDArray[Any]) -> Path:
    """Writes one capture, in the writer's thread: digest and compression take their time."""
    if state:
        record = dataclasses.replace(record, digest=digest(state))
    path = capture_folder() / f"{capture_name(record)}{still.kind}"
    still = dataclasses.replace(still, path=path)
    if still.is_picture:
        pixels = pixels[::-1]  # OpenGL begins at the bottom
    trail = np.moveaxis(np.atleast_3d(pixels), 2, 0)[: record.world.species]
    return save(still, record, trail, _bands(pixels, still.bits), "beside")


def _bands(pixels: NDArray[Any], bits: int) -> Iterator[NDArray[Any]]:
    """Rows [h, W, 3] from pixels [H, W, 4], both from the top."""
    for top in range(0, len(pixels), ROWS):
        band = pixels[top : top + ROWS, :, :3]
        yield np.rint(np.clip(band, 0, 1) * 65535).astype(np.uint16) if bits == 16 else band


def capture_name(record: Record) -> str:
    """A file name of preset, seed and step."""
    return f"{slug(record.preset.name)}-{slug(record.world.seed)}-{record.step:06d}"
