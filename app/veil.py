"""The mask over the picture, for the eyes of whoever paints it: in the window, never in a picture taken."""

import moderngl

from app.palette import veil
from app.programs import Covering
from app.view import View
from kernels.simulation import Simulation


class Veil:
    """Draws a simulation's mask over what is there.

    It is no part of `Display`, which captures and renders draw with. Its texture follows the mask only while
    it is drawn, so that nobody pays for a mask that is not being looked at.

    Args:
        ctx: The OpenGL context, 3.3 or newer.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self.ctx = ctx
        self.texture: moderngl.Texture | None = None
        self.shown = 0  # which `Simulation.maps_version` it holds
        self.covering = Covering(ctx, "mask.frag", units={"mask": 0})

    def draw(self, view: View, simulation: Simulation) -> None:
        """Draws over the bound framebuffer, whose size is `view.target`; nothing where there is no mask."""
        if not simulation.has_mask:
            return
        texture = self._upload(simulation)
        origin, stride = view.in_field()
        colour = veil(simulation.params.palette)
        texture.use(0)
        self.ctx.enable_only(moderngl.BLEND)
        self.ctx.blend_func = moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA  # which leaves the target opaque
        self.covering.draw((), {"rows": view.target[1], "origin": origin, "stride": stride, "veil": colour})
        self.ctx.disable(moderngl.BLEND)

    def _upload(self, simulation: Simulation) -> moderngl.Texture:
        """The texture [H, W] of the mask as it is."""
        mask = simulation.maps.mask
        size = simulation.world.width, simulation.world.height
        if self.texture and self.texture.size != size:
            self.texture.release()
            self.texture = None
        if self.texture is None:
            self.texture = self.ctx.texture(size, 1, mask, alignment=1)
        elif self.shown != simulation.maps_version:
            self.texture.write(mask)
        self.shown = simulation.maps_version
        return self.texture

    def release(self) -> None:
        """Frees what it holds on the GPU."""
        if self.texture:
            self.texture.release()
        self.covering.release()
