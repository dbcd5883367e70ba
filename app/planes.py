"""Pictures as a film's encoder wants them: luma and chroma in planes, converted on the GPU."""

import dataclasses

import moderngl
import numpy as np
from numpy.typing import NDArray

from app.programs import Covering, Target, Uniforms


@dataclasses.dataclass(frozen=True, slots=True)
class Layout:
    """How the planes of a pixel format are laid out.

    Attributes:
        tall: Rows of luma for one of chroma.
        bits: Of each number.
    """

    tall: int
    bits: int

    @property
    def dtype(self) -> str:
        """As moderngl names it."""
        return "u1" if self.bits == 8 else "u2"

    def split(self, planes: NDArray[np.unsignedinteger]) -> tuple[NDArray[np.unsignedinteger], ...]:
        """Luma [H, W], and Cb and Cr [H / tall, W / 2], from what `Planes` draws."""
        width = planes.shape[1]
        height = planes.shape[0] * self.tall // (self.tall + 1)
        return planes[:height], planes[height:, : width // 2], planes[height:, width // 2 :]


LAYOUTS = {"yuv420p": Layout(2, 8), "yuv422p10le": Layout(1, 10)}  # by FFmpeg's names


def even(size: tuple[int, int]) -> tuple[int, int]:
    """The size of the frames for pictures of a size: films have even sides."""
    return size[0] + size[0] % 2, size[1] + size[1] % 2


class Planes:
    """Converts pictures of one size.

    Args:
        ctx: The OpenGL context.
        size: Of the pictures; frames of an odd side do their last line twice.
        layout: One of `LAYOUTS`.

    Attributes:
        framebuffer: What has been converted, [H + H / tall, W] whole numbers, the top row first.
    """

    def __init__(self, ctx: moderngl.Context, size: tuple[int, int], layout: Layout) -> None:
        self.layout, self.size = layout, even(size)
        width, height = self.size
        self.covering = Covering(ctx, "planes.frag", units={"image": 0})
        self.target = Target(ctx, (width, height + height // layout.tall), 1, layout.dtype)
        self.framebuffer = self.target.framebuffer
        self.uniforms: Uniforms = {
            "last": (size[0] - 1, size[1] - 1),
            "size": self.size,
            "tall": layout.tall,
            "codes": 2.0 ** (layout.bits - 8),
        }

    def convert(self, picture: moderngl.Texture) -> None:
        """Draws the planes of an sRGB picture, whose rows are as OpenGL draws them."""
        (width, height), rows = self.size, self.target.size[1]
        picture.use(0)
        for variant, top, bottom in (("LUMA", 0, height), ("CHROMA", height, rows)):
            self.framebuffer.viewport = 0, top, width, bottom - top
            self.framebuffer.use()
            self.covering.draw((variant,), self.uniforms)

    def release(self) -> None:
        """Frees what it holds on the GPU."""
        self.target.release()
        self.covering.release()
