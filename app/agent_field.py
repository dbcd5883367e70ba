"""The agents themselves as a texture, for pictures that show them on their trails."""

from typing import Any

import moderngl

from kernels.simulation import Simulation
from kernels.world import World


class AgentField:
    """How many agents stand on each cell.

    Args:
        ctx: The OpenGL context.
        world: Its size and species become the texture's.
        sharing: Whether CUDA may write OpenGL's textures here.

    Attributes:
        texture: R32I [C * H, W], the species below one another.
    """

    def __init__(self, ctx: moderngl.Context, world: World, sharing: bool) -> None:
        self.texture = ctx.texture((world.width, world.species * world.height), 1, dtype="i4")
        self.texture.filter = moderngl.NEAREST, moderngl.NEAREST  # others are not allowed of whole numbers
        self.shared: Any = None
        if sharing:
            from app.interop import SharedTexture  # needs cuda-bindings

            self.shared = SharedTexture(self.texture)

    @staticmethod
    def possible(ctx: moderngl.Context, world: World) -> bool:
        """Whether a texture may be as high as all species' fields together."""
        limit: int = ctx.info["GL_MAX_TEXTURE_SIZE"]
        return world.species * world.height <= limit

    def bring(self, simulation: Simulation) -> None:
        """Brings the counts after the last step into the texture: on the GPU, or by one upload."""
        if self.shared:
            with self.shared.map(simulation.stream()):
                simulation.show_counts(self.shared.array)
        else:
            self.texture.write(simulation.counts())

    def release(self) -> None:
        """Frees the texture; the sharing first."""
        if self.shared:
            self.shared.close()
        self.texture.release()
