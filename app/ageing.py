"""The trail as it was lately, for pictures that colour by age."""

import math

import moderngl

from app.passes import TRAIL
from app.programs import Covering, Target


class Memory(Target):
    """What a trail was lately [H, W], R32F: all species together, each in balance with its own mean.

    Args:
        ctx: The OpenGL context.
        size: Width and height of the field.
        program: `Passes.ageing`.
    """

    def __init__(self, ctx: moderngl.Context, size: tuple[int, int], program: Covering) -> None:
        super().__init__(ctx, size, 1, "f4")
        self.ctx = ctx
        self.program = program

    def blend(
        self, trail: moderngl.Texture, balance: float | tuple[float, ...], steps: int, memory: float
    ) -> None:
        """Blends a trail in; what is bound stays bound.

        Args:
            trail: Of as many cells.
            balance: What each species' trail is multiplied by.
            steps: How many have been done since the last time; 0 to begin with what is there now.
            memory: In how many steps all but 1/e of the old is forgotten.
        """
        before = self.ctx.fbo
        self.framebuffer.use()
        trail.use(TRAIL)
        self.ctx.disable(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        self.ctx.enable(moderngl.BLEND)
        self.ctx.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA
        share = 1 - math.exp(-steps / memory) if steps else 1.0
        self.program.draw((), {"balance": balance, "share": share})
        self.ctx.disable(moderngl.BLEND)
        if before:  # nothing is bound off screen, to begin with
            before.use()
