"""Where a world becomes a picture: its texture, and how the trail gets there."""

import moderngl

from app.backend import Choice
from app.display import Display
from app.session import Session
from kernels.world import World


class Stage:
    """Holds the display of the current world, shared with CUDA where that works.

    Args:
        ctx: The OpenGL context.
        choice: The backend; its `interop` is switched off here when sharing fails.
        world: The first world.

    Attributes:
        display: Draws the picture.
    """

    def __init__(self, ctx: moderngl.Context, choice: Choice, world: World) -> None:
        self.ctx = ctx
        self.choice = choice
        self._open(world)

    def _open(self, world: World) -> None:
        self.display = Display(self.ctx, world)
        self.shared = None
        if self.choice.interop:
            from app.interop import SharedTexture  # needs cuda-python

            self.shared = SharedTexture(self.display.texture)

    def step(self, session: Session, steps: int) -> None:
        """Advances the session and brings its trail into the texture.

        With sharing, the last step's kernel stores into the texture and nothing is copied.
        """
        if session.world != self.display.world:
            self.release()
            self._open(session.world)
        if self.shared:
            with self.shared.map() as surface:
                session.advance(steps, surface)
        else:
            session.advance(steps)
            self.display.upload(session.simulation.trail)

    def release(self) -> None:
        """Frees the texture; the sharing first, as CUDA demands."""
        if self.shared:
            self.shared.close()
        self.display.release()
