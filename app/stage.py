"""Where a world becomes a picture: its texture, and how the trail gets there."""

import dataclasses
from typing import Any

import moderngl

from app.backend import Choice
from app.display import Display
from app.session import Session
from kernels.world import World


class Stage:
    """Holds the display of the current world, shared with CUDA where that works.

    Args:
        ctx: The OpenGL context.
        choice: The backend, and whether to try sharing.
        world: The first world.

    Attributes:
        display: Draws the picture.
        how: How the trail reaches the texture, in a sentence.

    Raises:
        DisplayError: OpenGL cannot show a world of this size.
    """

    def __init__(self, ctx: moderngl.Context, choice: Choice, world: World) -> None:
        self.ctx = ctx
        self.choice = choice
        self.how = choice.reason
        self.shared: Any = None
        self._open(world)

    def _open(self, world: World) -> None:
        self.display = Display(self.ctx, world)
        if self.choice.interop:
            from app.interop import InteropError, SharedTexture  # needs cuda-python

            try:
                self.shared = SharedTexture(self.display.texture)
            except InteropError as error:
                self.choice = dataclasses.replace(self.choice, interop=False)  # do not try again
                self.how = (
                    f"CUDA on {self.choice.device} steps the world; pictures go through the host. {error}"
                )

    def step(self, session: Session, steps: int) -> None:
        """Advances the session and brings its trail into the texture.

        With sharing, the last step's kernel stores into the texture and nothing is copied.
        """
        if session.world != self.display.world:
            self.release()
            self._open(session.world)
        if self.shared:
            with self.shared.map(session.simulation.stream()) as surface:
                session.advance(steps, surface)
        else:
            session.advance(steps)
            self.display.upload(session.simulation.trail)

    def release(self) -> None:
        """Frees the texture; the sharing first, as CUDA demands."""
        if self.shared:
            self.shared.close()
            self.shared = None
        self.display.release()
