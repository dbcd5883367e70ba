"""Small worlds as textures: stepped, drawn as the window draws, and shown side by side."""

import moderngl
import numpy as np
from numpy.typing import NDArray

from app.agent_field import AgentField
from app.backend import Choice
from app.display import Display
from app.passes import Passes
from app.programs import Target
from app.session import Session
from app.stage import Stage
from app.surveyor import Surveyor
from app.sweep import PREVIEW, Sweep
from app.view import View
from app.wall import Wall
from kernels.params import Params
from kernels.simulation import Simulation

Size = tuple[int, int]


class Thumbs:
    """Holds the textures of a wall or a map while one is shown, and nothing at other times.

    Args:
        ctx: The OpenGL context.
        choice: The backend, and whether to try sharing.

    Attributes:
        textures: RGBA8 of each place, and of `sweep.PREVIEW`; rows as OpenGL draws them, from the lowest.
    """

    def __init__(self, ctx: moderngl.Context, choice: Choice) -> None:
        self.ctx = ctx
        self.choice = choice
        self.shown: object = None  # the `Worlds` or the `Sweep` that all of this belongs to
        self._clear()

    def _clear(self) -> None:
        self.passes: Passes | None = None
        self.display: Display | None = None  # of results
        self.stages: dict[Session, Stage] = {}
        self.brought: dict[Session, int] = {}  # the step that each stage holds
        self.targets: dict[object, Target] = {}
        self.drawn: dict[object, object] = {}  # what each target shows
        self.textures: dict[int, moderngl.Texture] = {}

    def follow(self, studio: Surveyor) -> None:
        """One frame of what is shown; when nothing is, everything is freed. Another framebuffer is bound."""
        wall, sweep = studio.wall, studio.sweep
        shown = wall.worlds if wall else sweep
        if shown is not self.shown:
            self.release()
            self.shown = shown

        def work() -> None:
            if wall:
                self._follow_wall(wall, studio.paused)
            elif sweep:
                self._follow_sweep(sweep)

        if not studio.notices.attempt(work):
            studio.close_survey()

    def _follow_wall(self, wall: Wall, paused: bool) -> None:
        """Steps all worlds before any is drawn, so that a GPU turns to CUDA and back only once."""
        due = wall.due(paused)
        living = wall.worlds.living
        for place, session in living.items():
            stage = self._stage(session)
            if place in due or self.brought.get(session) != session.steps:
                stage.step(session, due.get(place, 0))
                self.brought[session] = session.steps
        self.textures = {}
        for place, run in enumerate(wall.worlds.sessions):
            if run and place in living:
                self._draw(run, self.stages[run].display, run, wall.picture)
            if run in self.targets:
                self.textures[place] = self.targets[run].texture

    def _stage(self, session: Session) -> Stage:
        if session not in self.stages:
            self.passes = self.passes or Passes(self.ctx, session.world.species)
            self.stages[session] = Stage(self.ctx, self.choice, session.world, self.passes)
            self.choice = self.stages[session].choice  # where sharing failed once it is not tried again
        return self.stages[session]

    def _draw(self, key: object, display: Display, session: Session, size: Size) -> None:
        """Draws a living world into a target of its own, if it has changed."""
        now = session.steps, session.look, size, session.simulation.maps_version
        if self.drawn.get(key) != now:
            self._target(key, size).framebuffer.use()
            display.draw(View(display.size, size), session.look)
            self.drawn[key] = now

    def _target(self, key: object, size: Size) -> Target:
        target = self.targets.get(key)
        if target is None or target.size != size:
            if target:
                target.release()
            target = self.targets[key] = Target(self.ctx, size, 4, "f1")
        return target

    def _follow_sweep(self, sweep: Sweep) -> None:
        """Draws what is done, and what is under way where its trail lies in main memory anyway."""
        sweep.advance()
        if self.display is None:
            self.display = Display(self.ctx, sweep.worlds.world)
            as_begun = Simulation(sweep.worlds.world, sweep.look.params, "reference")
            self.display.upload_map(as_begun)  # which is that of all cells
        for place, result in sweep.results.items():
            if self.drawn.get(place) != (result, sweep.picture):
                self._draw_result(sweep, place, place, sweep.picture)
        if self.choice.backend != "cuda":
            for place, session in sweep.under_way.items():
                living, look = session.simulation, session.look
                self._show(look, living.trail, living.counts() if look.sparkle > 0 else None)
                self._draw(place, self.display, session, sweep.picture)
        self.textures = {key: target.texture for key, target in self.targets.items() if isinstance(key, int)}
        if sweep.hovered in sweep.results:
            self._draw_result(sweep, sweep.hovered, PREVIEW, sweep.preview)
            self.textures[PREVIEW] = self.targets[PREVIEW].texture
        else:
            self.textures.pop(PREVIEW, None)

    def _draw_result(self, sweep: Sweep, place: int, key: int, size: Size) -> None:
        result = sweep.results[place]
        if self.drawn.get(key) == (result, size):
            return
        self._show(result.look, result.trail, result.counts)
        assert self.display
        self._target(key, size).framebuffer.use()
        self.display.draw(View(self.display.size, size), result.look)
        self.drawn[key] = result, size

    def _show(self, look: Params, trail: NDArray[np.float32], counts: NDArray[np.int32] | None) -> None:
        """Brings a result into the one display of all; of what was before, it remembers nothing."""
        assert self.display
        self.display.upload(trail)
        if look.colour_by == "age":
            self.display.remember(look, 0)
        if counts is not None:
            agents = self.display.agents or AgentField(self.ctx, self.display.world, sharing=False)
            agents.texture.write(counts)
            self.display.agents = agents

    def release(self) -> None:
        """Frees all there is."""
        for stage in self.stages.values():
            stage.release()
        for target in self.targets.values():
            target.release()
        for each in (self.display, self.passes):
            if each:
                each.release()
        self.shown = None
        self._clear()
