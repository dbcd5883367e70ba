"""Where a world becomes a picture: its texture, and how the trail gets there."""

import dataclasses
from typing import Any

import moderngl

from app.agent_field import AgentField
from app.backend import Choice
from app.display import Display
from app.passes import Passes
from app.session import Session
from app.veil import Veil
from kernels.world import World

AGE_STEPS = 16  # between two looks of the memory that colours by age, at the multiples of this


class Stage:
    """Holds the display of the current world, shared with CUDA where that works.

    Args:
        ctx: The OpenGL context.
        choice: The backend, and whether to try sharing.
        world: The first world.
        passes: Programs that it shares with other stages, whose worlds have as many species.

    Attributes:
        display: Draws the picture; another one for another size or number of species.
        veil: Draws the mask over the picture.
        how: How the trail reaches the texture, in a sentence.

    Raises:
        DisplayError: OpenGL cannot show a world of this size.
    """

    def __init__(
        self, ctx: moderngl.Context, choice: Choice, world: World, passes: Passes | None = None
    ) -> None:
        self.ctx = ctx
        self.passes = passes
        self.choice = choice
        self.how = choice.reason
        self.shared: Any
        self.remembered_to = -1  # the step up to which the display's memory has seen all
        self._open(world)
        self.veil = Veil(ctx)

    def _open(self, world: World) -> None:
        self.display = Display(self.ctx, world, self.passes)
        self.shared = None
        if self.choice.interop:
            from app.interop import InteropError, SharedTexture  # needs cuda-bindings

            try:
                self.shared = SharedTexture(self.display.texture)
            except InteropError as error:
                self.choice = dataclasses.replace(self.choice, interop=False)  # do not try again
                self.how = (
                    f"CUDA on {self.choice.device} steps the world; pictures go through the host. {error}"
                )

    def step(self, session: Session, steps: int) -> None:
        """Advances the session and brings its trail, and a map that changed, into the textures.

        With sharing, the last step's kernel stores into the texture and nothing is copied.
        """
        if not self.display.fits(session.world):
            old_display, old_shared = self.display, self.shared
            self._open(session.world)
            _release(old_display, old_shared)
        self.display.world = session.world
        beside = session.steps == self.remembered_to + 1  # a step that was done beside the frames
        if beside:
            self.remembered_to += 1
            self._advance(session, 0)
            if session.params.colour_by == "age" and session.steps % AGE_STEPS == 0:
                self.display.remember(session.params, AGE_STEPS)
        if session.params.colour_by == "age":
            while steps > (span := AGE_STEPS - session.steps % AGE_STEPS):
                self._advance(session, span)
                steps -= span
        if steps or not beside:
            self._advance(session, steps)
        self.display.upload_map(session.simulation)

    def _advance(self, session: Session, steps: int) -> None:
        """Steps up to the next look of the memory."""
        before = session.steps
        if self.shared:
            with self.shared.map(session.simulation.stream()) as surface:
                session.advance(steps, surface)
        else:
            session.advance(steps)
            self.display.upload(session.simulation.trail)
        self.display.step = session.steps
        if session.params.sparkle > 0 and AgentField.possible(self.ctx, session.world):
            if self.display.agents is None:
                self.display.agents = AgentField(self.ctx, session.world, bool(self.shared))
            self.display.agents.bring(session.simulation)
        if session.params.colour_by == "age":
            if before != self.remembered_to or session.steps <= AGE_STEPS:
                self.display.remember(session.params, 0)
            elif session.steps > before and session.steps % AGE_STEPS == 0:
                self.display.remember(session.params, AGE_STEPS)
            self.remembered_to = session.steps

    def release(self) -> None:
        """Frees the textures; the sharing first, as CUDA demands."""
        _release(self.display, self.shared)
        self.veil.release()


def _release(display: Display, shared: Any) -> None:
    if shared:
        shared.close()
    display.release()
