"""The picture: the trails as an OpenGL texture, drawn through exposure, tone, palettes and light."""

import dataclasses
from typing import Any, Literal

import moderngl
import numpy as np
from numpy.typing import NDArray

from app.ageing import Memory
from app.agent_field import AgentField
from app.palette import food, stone
from app.passes import AGE, AGENTS, GLOW, LOOK, MAP, TRAIL, Passes, lamp
from app.programs import Uniforms
from app.sampling import sampling
from app.tone import LOOK_SIZE, look_up
from app.view import View
from kernels.contract import mean_trail
from kernels.maps import dish
from kernels.params import MAX_SPECIES, Params, own_name
from kernels.simulation import Simulation
from kernels.world import World

Output = Literal["screen", "srgb", "light"]
Within = tuple[int, int, int, int]
OUTPUTS: dict[int, Output] = {8: "screen", 16: "srgb", 32: "light"}  # by bits


class DisplayError(RuntimeError):
    """OpenGL cannot show this world; the message is a plain sentence."""


class Display:
    """Owns the trail texture of one world and draws it, and its map where there is one.

    Args:
        ctx: The OpenGL context, 3.3 or newer.
        world: Its size and species become the texture's.
        passes: Programs that it shares with other displays; left out, its own.

    Attributes:
        world: Whose density the exposure is relative to; only what `fits` may change.
        texture: [H, W] R32F of one species, or RGBA32F of up to four; row 0 is the top of the picture.
            `upload` writes it from memory; `app.interop` lets CUDA write it in place.
        map_texture: RG8 [H, W] of food and walls; None while there is nothing on the map.
        step: The step that is shown: grain differs in each.

    Raises:
        DisplayError: The world is larger than a texture may be.
    """

    def __init__(self, ctx: moderngl.Context, world: World, passes: Passes | None = None) -> None:
        limit = ctx.info["GL_MAX_TEXTURE_SIZE"]
        if max(world.width, world.height) > limit:  # drivers may accept it silently and draw nothing
            raise DisplayError(
                f"size = {world.width}x{world.height} is not allowed; "
                f"this OpenGL shows at most {limit} px a side."
            )
        self.ctx = ctx
        self.world = world
        self.step = 0
        shape = (world.height, world.width, 1 if world.species == 1 else MAX_SPECIES)
        self.texels = np.zeros(shape, np.float32)  # what several species are interleaved in
        self.texture = ctx.texture(self.size, shape[2], self.texels.data, dtype="f4")
        self.map_texture: moderngl.Texture | None = None
        self.map_shown = 0  # which `Simulation.maps_version` it holds
        self.agents: AgentField | None = None  # brought by `app.stage` while the look shows them
        self.age: Memory | None = None
        self.passes = passes or Passes(ctx, world.species)
        self.shares_passes = passes is not None
        self.covering, self.glow = self.passes.covering, self.passes.glow
        rows = LOOK_SIZE, 2 * world.species
        self.looks = {linear: ctx.texture(rows, 4, dtype="f4") for linear in (False, True)}
        self.looks_shown: dict[bool, object] = {}  # the parameters that each holds
        self.canvas: moderngl.Framebuffer | None = None  # what `picture` draws into

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the field."""
        return self.world.width, self.world.height

    def fits(self, world: World) -> bool:
        """Whether its texture can hold the trails of that world."""
        return (self.size, self.world.species) == ((world.width, world.height), world.species)

    def upload(self, trail: NDArray[np.float32]) -> None:
        """Copies a trail [C, H, W] from memory into the texture."""
        if len(trail) == 1:
            self.texture.write(np.ascontiguousarray(trail[0]))
            return
        for species, channel in enumerate(trail):
            self.texels[..., species] = channel
        self.texture.write(self.texels)

    def upload_map(self, simulation: Simulation) -> None:
        """Copies food and walls into their texture, if they have changed; outside of a dish is wall."""
        if self.map_shown == simulation.maps_version:
            return
        self.map_shown = simulation.maps_version
        maps = simulation.maps
        layers = np.stack([maps.food, maps.wall], 2)
        if simulation.params.boundary == "dish":
            layers[dish(*self.size), 1] = 255
        if not layers.any():
            self._drop_map()
        elif self.map_texture:
            self.map_texture.write(layers)
        else:
            self.map_texture = self.ctx.texture(self.size, 2, layers, alignment=1)

    def remember(self, params: Params, steps: int) -> None:
        """Blends the trail that is shown into the memory that `colour_by = "age"` shows.

        Args:
            params: `age_memory` is how many steps it takes until all but 1/e of the old is forgotten.
            steps: How many have been done since the last time; 0 to begin with what is there now.
        """
        if self.age is None:
            self.age = Memory(self.ctx, self.size, self.passes.ageing)
            steps = 0
        self.age.blend(self.texture, self._exposure(params, 1.0), steps, params.age_memory)

    def draw(
        self,
        view: View,
        params: Params,
        *,
        output: Output = "screen",
        within: Within | None = None,
    ) -> None:
        """Draws into the bound framebuffer.

        Args:
            view: What to show; its target is the size of the whole picture.
            params: The look, as `Session.look` gives it.
            output: sRGB for bytes ("screen": finished with dither) or for more bits ("srgb"), or linear
                light without an upper end and without grain ("light").
            within: x, y, width and height of the part of the picture that is drawn, which is the
                framebuffer's size; left out, all of it.
        """
        self.ctx.disable(moderngl.BLEND | moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        glow = self._glow(view, params) if params.bloom > 0 else None
        finish: Uniforms = {}
        if glow or params.vignette > 0 or params.grain > 0:
            finish = {
                "bloom": params.bloom, "vignette": params.vignette, "grain": params.grain,
                "moment": self.step, "dither": 1 / 255 if output == "screen" else 0.0,
                "target": view.target,
            }  # fmt: skip
        variant, uniforms = self._seen(view, params)
        plain = self.world.species == 1 and output == "screen" and not (finish or len(variant) > 1)
        if finish:
            variant.append("FINISH")
        if not plain:
            variant += ["LIGHT"] if output == "light" else ["LIGHT", "SRGB"]
        self._use_look(params, linear=not plain)
        if glow:
            glow.use(GLOW)
        x, y, _, height = within or (0, 0, *view.target)
        self.covering.draw(tuple(variant), uniforms | finish | {"rows": height, "tile": (x, y)})

    def _glow(self, view: View, params: Params) -> moderngl.Texture:
        """Draws what glows in a view, and blurs it."""
        before = self.ctx.fbo
        size = self.glow.size_for(view.target)
        small = dataclasses.replace(view, target=size)
        small.zoom *= view.scale * size[1] / view.target[1] / small.scale
        one_field = view.angle == 0 and all(
            abs(side * view.scale - target) < 0.5
            for side, target in zip(view.field, view.target, strict=True)
        )
        self.glow.begin(size, one_field)
        variant, uniforms = self._seen(small, params)
        uniforms |= {"threshold": params.bloom_threshold, "rows": size[1], "tile": (0, 0)}
        uniforms["knee"] = params.bloom_threshold * params.bloom_knee
        self._use_look(params, linear=True)
        self.covering.draw((*variant, "LIGHT", "GLOWING"), uniforms)
        blurred = self.glow.finish(params.bloom_radius / 100)
        before.use()
        return blurred

    def _seen(self, view: View, params: Params) -> tuple[list[str], Uniforms]:
        """The variant and the uniforms of the field: how it is sampled, and what is made of it."""
        ridge, by = params.ridge > 0, params.colour_by
        way, uniforms = sampling(view, neighbours=ridge or by == "heading")
        variant = [way]
        uniforms |= {
            "exposure": self._exposure(params, params.exposure),
            "brightness": params.exposure,
        }
        if by != "density":
            if by == "age" and self.age is None:
                self.remember(params, 0)
            variant.append(by.upper())
            if by == "age" and self.age:
                self.age.texture.use(AGE)
        if params.sparkle > 0 and self.agents:
            variant.append("AGENTS")
            self.agents.texture.use(AGENTS)
            uniforms |= {"sparkle": params.sparkle, "sides": view.field, "grain_size": view.scale}
        if ridge:
            variant.append("RIDGE")
            uniforms |= lamp(params, view.scale)
        if self.map_texture and params.map_opacity > 0:
            variant.append("MAP")
            self.map_texture.use(MAP)
            uniforms |= {
                "food": food(params.palette), "stone": stone(params.palette),
                "map_opacity": params.map_opacity,
            }  # fmt: skip
        self.texture.use(TRAIL)
        return variant, uniforms

    def _use_look(self, params: Params, linear: bool) -> None:
        """Binds the look-up texture and brings it up to date, two rows for each species."""
        palettes = [getattr(params, own_name("palette", species)) for species in range(self.world.species)]
        shown = palettes, params.tone, params.gamma, params.contrast
        if self.looks_shown.get(linear) != shown:
            rows = [look_up(params, species, linear) for species in range(self.world.species)]
            self.looks[linear].write(np.concatenate(rows))
            self.looks_shown[linear] = shown
        self.looks[linear].use(LOOK)

    def _exposure(self, params: Params, brightness: float) -> float | tuple[float, ...]:
        """What each species' trail is multiplied by: in balance, all together are as bright as one alone."""
        species = self.world.species
        means = [mean_trail(params, self.world, k) for k in range(species)]
        exposures = [brightness / mean / species for mean in means]
        return exposures[0] if species == 1 else (*exposures, *(MAX_SPECIES - species) * [0.0])

    def picture(
        self, params: Params, view: View | None = None, bits: int = 8, within: Within | None = None
    ) -> NDArray[Any]:
        """The picture [H, W, 3], uint8, uint16 or float32, top row first. Leaves no framebuffer bound.

        Args:
            params: The look, as `Session.look` gives it.
            view: What to show and at which size; left out, the field at its own size.
            bits: 8 or 16: sRGB as whole numbers; 32: linear light as floats, 1 for white, without grain.
            within: x, y, width and height of a part of the picture; left out, all of it.
        """
        view = view or View(self.size, self.size)
        width, height = within[2:] if within else view.target
        canvas = self._use_canvas((width, height), "f1" if bits == 8 else "f4")
        self.draw(view, params, output=OUTPUTS[bits], within=within)
        kind = "f1" if bits == 8 else "f4"
        pixels = canvas.read(components=3, alignment=1, dtype=kind)
        read = np.frombuffer(pixels, np.uint8 if bits == 8 else np.float32).reshape(height, width, 3)
        if bits == 16:
            read = np.rint(np.clip(read, 0, 1) * 65535).astype(np.uint16)
        return np.flipud(read)

    def _use_canvas(self, size: tuple[int, int], kind: str) -> moderngl.Framebuffer:
        """Binds what `picture` draws into. Kept between pictures, for a bound one must not be freed."""
        old = self.canvas
        if old is None or old.size != size or old.color_attachments[0].dtype != kind:
            self.canvas = self.ctx.framebuffer(self.ctx.renderbuffer(size, 4, dtype=kind))
        assert self.canvas
        self.canvas.use()
        if old is not None and old is not self.canvas:
            _release(old)
        return self.canvas

    def release(self) -> None:
        """Frees what it holds on the GPU."""
        if self.canvas:
            _release(self.canvas)
        for kept in (self.age, self.agents):
            if kept:
                kept.release()
        if not self.shares_passes:
            self.passes.release()
        for texture in (*self.looks.values(), self.texture):
            texture.release()
        self._drop_map()

    def _drop_map(self) -> None:
        if self.map_texture:
            self.map_texture.release()
            self.map_texture = None


def _release(framebuffer: moderngl.Framebuffer) -> None:
    for attachment in framebuffer.color_attachments:
        attachment.release()
    framebuffer.release()
