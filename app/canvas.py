"""What a film's frames are drawn on."""

from typing import Any

import moderngl
import numpy as np
from numpy.typing import NDArray

from app.display import Display
from app.programs import Covering, Target
from app.timeline import Camera
from kernels.params import Params

IMAGE, OTHER = 0, 1  # texture units


class Canvas:
    """Draws a frame, and lets it fade into another.

    Args:
        ctx: The OpenGL context.
        size: Of the frames, in pixels.
        supersample: How many pixels are drawn, along each side, to be averaged to one.
    """

    def __init__(self, ctx: moderngl.Context, size: tuple[int, int], supersample: int = 1) -> None:
        self.size, self.times = size, supersample
        self.covering = Covering(
            ctx, "frame.frag", include=("srgb.glsl",), units={"image": IMAGE, "other": OTHER}
        )
        self.drawn, self.faded, self.other = (Target(ctx, size, 4, "f1") for _ in range(3))
        self.target = self.drawn
        large = size[0] * supersample, size[1] * supersample
        self.large = Target(ctx, large, 4, "f2") if supersample > 1 else None

    @property
    def texture(self) -> moderngl.Texture:
        """The frame: RGBA8 of sRGB, rows as OpenGL draws them."""
        return self.target.texture

    @property
    def framebuffer(self) -> moderngl.Framebuffer:
        """The frame, to be read back."""
        return self.target.framebuffer

    def draw(self, display: Display, look: Params, camera: Camera) -> None:
        """Draws what a camera sees of the world that is shown."""
        self.target = self.drawn
        into = self.large or self.drawn
        into.framebuffer.use()
        view = camera.view(display.size, into.size)
        display.draw(view, look, output="light" if self.large else "screen")
        if self.large:
            self.drawn.framebuffer.use()
            self.large.texture.use(IMAGE)
            self.covering.draw(("AVERAGE",), {"times": self.times})

    def keep(self) -> bytes:
        """The frame, for `fade`."""
        pixels: bytes = self.framebuffer.read(components=4, alignment=1)
        return pixels

    def fade(self, kept: bytes, share: float) -> None:
        """Gives the frame a share of another one's light in the place of its own."""
        self.other.texture.write(kept, alignment=1)
        self.faded.framebuffer.use()
        self.drawn.texture.use(IMAGE)
        self.other.texture.use(OTHER)
        self.covering.draw((), {"share": share})
        self.target = self.faded

    def picture(self) -> NDArray[np.uint8]:
        """The frame [H, W, 3], the top row first."""
        width, height = self.size
        return upright(np.frombuffer(self.keep(), np.uint8).reshape(height, width, 4))

    def release(self) -> None:
        """Frees what it holds on the GPU."""
        for target in (self.drawn, self.faded, self.other, self.large):
            if target:
                target.release()
        self.covering.release()


def upright(pixels: NDArray[Any]) -> NDArray[Any]:
    """A picture [H, W, 3], the top row first, of pixels [H, W, 4] as OpenGL has them."""
    return pixels[::-1, :, :3]
