"""The picture: the trails as an OpenGL texture, drawn through exposure, tone curve and palettes."""

import functools
import math

import moderngl
import numpy as np
from numpy.typing import NDArray

import shaders
from app.palette import colours, food, stone
from app.view import View
from kernels.contract import mean_trail
from kernels.maps import dish
from kernels.params import MAX_SPECIES, Params, own_name
from kernels.simulation import Simulation
from kernels.world import World

LOOK_SIZE = 2048  # entries of the look-up table
MOST_TAPS = 8  # along each side of a pixel that covers several cells


class DisplayError(RuntimeError):
    """OpenGL cannot show this world; the message is a plain sentence."""


class Display:
    """Owns the trail texture of one world and draws it, and its map where there is one.

    Args:
        ctx: The OpenGL context, 3.3 or newer.
        world: Its size and species become the texture's.

    Attributes:
        world: Whose density the exposure is relative to; only what `fits` may change.
        texture: [H, W] R32F of one species, or RGBA32F of up to four; row 0 is the top of the picture.
            `upload` writes it from memory; `app.interop` lets CUDA write it in place.
        map_texture: RG8 [H, W] of food and walls; None while there is nothing on the map.

    Raises:
        DisplayError: The world is larger than a texture may be.
    """

    def __init__(self, ctx: moderngl.Context, world: World) -> None:
        limit = ctx.info["GL_MAX_TEXTURE_SIZE"]
        if max(world.width, world.height) > limit:  # drivers may accept it silently and draw nothing
            raise DisplayError(
                f"size = {world.width}x{world.height} is not allowed; "
                f"this OpenGL shows at most {limit} px a side."
            )
        self.ctx = ctx
        self.world = world
        shape = (world.height, world.width, 1 if world.species == 1 else MAX_SPECIES)
        self.texels = np.zeros(shape, np.float32)  # what several species are interleaved in
        self.texture = ctx.texture(self.size, shape[2], self.texels.data, dtype="f4")
        self.map_texture: moderngl.Texture | None = None
        self.map_shown = 0  # which `Simulation.maps_version` it holds
        self.triangles = {
            (name, False): self._triangle(name) for name in ("EXACT", "TILED", "SMOOTH", "AREA")
        }
        self.uniforms_set: dict[tuple[str, bool], dict[str, object]] = {}  # in each program
        self.look_texture = ctx.texture((LOOK_SIZE, world.species), 3, alignment=1)
        self.look_shown: object = None  # the palettes and gamma it holds
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
        layers = np.stack([simulation.maps.food, simulation.maps.wall], 2)
        if simulation.params.boundary == "dish":
            layers[dish(*self.size), 1] = 255
        if not layers.any():
            self._drop_map()
        elif self.map_texture:
            self.map_texture.write(layers)
        else:
            self.map_texture = self.ctx.texture(self.size, 2, layers, alignment=1)

    def draw(self, view: View, params: Params) -> None:
        """Draws into the bound framebuffer, whose size is `view.target`."""
        self._update_look(params)
        sampling, uniforms = self._sampling(view)
        uniforms["exposure"] = self._exposure(params)
        with_map = self.map_texture is not None and params.map_opacity > 0
        if self.map_texture and with_map:
            uniforms["map_opacity"] = params.map_opacity
            uniforms |= {"food": food(params.palette), "stone": stone(params.palette)}
            self.map_texture.use(2)
        key = sampling, with_map
        if key not in self.triangles:
            self.triangles[key] = self._triangle(*key)
        triangle = self.triangles[key]
        if uniforms != self.uniforms_set.get(key):
            set_uniforms(triangle.program, **uniforms)
            self.uniforms_set[key] = uniforms
        self.texture.use(0)
        self.look_texture.use(1)
        self.ctx.disable(moderngl.BLEND | moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        triangle.render(moderngl.TRIANGLES, vertices=3)

    def _update_look(self, params: Params) -> None:
        """Brings the look-up texture up to date, a row for each species."""
        palettes = [getattr(params, own_name("palette", species)) for species in range(self.world.species)]
        if (palettes, params.gamma) != self.look_shown:
            self.look_texture.write(np.stack([look_up(palette, params.gamma) for palette in palettes]))
            self.look_shown = palettes, params.gamma

    def _exposure(self, params: Params) -> float | tuple[float, ...]:
        """What each species' trail is multiplied by: in balance, all together are as bright as one alone."""
        species = self.world.species
        means = [mean_trail(params, self.world, k) for k in range(species)]
        exposures = [params.exposure / mean / species for mean in means]
        return exposures[0] if species == 1 else (*exposures, *(MAX_SPECIES - species) * [0.0])

    def _sampling(self, view: View) -> tuple[str, dict[str, object]]:
        """How the shader looks at the trail in a view, and the uniforms that say where."""
        sides = tuple(zip(view.centre, view.target, self.size, strict=True))
        rows = {"rows": view.target[1]}
        if view.scale == 1:
            corner = tuple(math.floor(centre - target / 2 + 0.5) % side for centre, target, side in sides)
            fits = all(target <= side for _, target, side in sides)
            return "EXACT" if fits else "TILED", rows | {"corner": corner, "field": self.size}
        taps = min(MOST_TAPS, math.ceil(1 / view.scale - 1e-6))
        origin, stride = view.in_field()
        return "SMOOTH" if taps == 1 else "AREA", rows | {"origin": origin, "stride": stride, "taps": taps}

    def picture(self, params: Params, view: View | None = None) -> NDArray[np.uint8]:
        """The picture as sRGB bytes [H, W, 3], top row first. Leaves no framebuffer bound.

        Args:
            params: Exposure, gamma, palettes and the map's opacity.
            view: What to show and at which size; left out, the field at its own size.
        """
        view = view or View(self.size, self.size)
        canvas = self._use_canvas(view.target)
        self.draw(view, params)
        pixels = np.frombuffer(canvas.read(components=3, alignment=1), np.uint8)
        return np.flipud(pixels.reshape(view.target[1], view.target[0], 3))

    def _use_canvas(self, size: tuple[int, int]) -> moderngl.Framebuffer:
        """Binds what `picture` draws into. Kept between pictures, for a bound one must not be freed."""
        old = self.canvas
        if old is None or old.size != size:
            self.canvas = self.ctx.framebuffer(self.ctx.renderbuffer(size, 4))
        assert self.canvas
        self.canvas.use()
        if old is not None and old is not self.canvas:
            _release_canvas(old)
        return self.canvas

    def release(self) -> None:
        """Frees what it holds on the GPU."""
        if self.canvas:
            _release_canvas(self.canvas)
        for triangle in self.triangles.values():
            triangle.program.release()
            triangle.release()
        self._drop_map()
        self.look_texture.release()
        self.texture.release()

    def _drop_map(self) -> None:
        if self.map_texture:
            self.map_texture.release()
            self.map_texture = None

    def _triangle(self, sampling: str, with_map: bool = False) -> moderngl.VertexArray:
        """What covers the target, with the shader compiled for one way of sampling, with or without a map."""
        defines = [sampling, f"LOOK_SIZE {LOOK_SIZE}", f"SPECIES {self.world.species}"] + ["MAP"] * with_map
        head = "\n".join(["#version 330", *(f"#define {define}" for define in defines)])
        fragment = shaders.source("display.frag").replace("#version 330", head, 1)
        program = self.ctx.program(shaders.source("display.vert"), fragment)
        set_uniforms(program, trail=0, look=1, map=2)  # their texture units
        return self.ctx.vertex_array(program, [])


def set_uniforms(program: moderngl.Program, **values: object) -> None:
    """Sets those of the uniforms that the compiler kept."""
    for name, value in values.items():
        if name in program:
            program[name] = value


def look_up(palette: str, gamma: float) -> NDArray[np.uint8]:
    """The colours [LOOK_SIZE, 3] of a trail, from none to endless, as the shader looks them up.

    Entry i stands for an exposed trail x with sqrt(x / (1 + x)) = i / (LOOK_SIZE - 1), which is dense where
    trails are faint. Its tone is (1 - exp(-x)) ** (1 / gamma), the place in the palette. A table
    spares each pixel an exponential and a power, half the time of a frame in software OpenGL.
    """
    tone = _light() ** (1 / gamma)
    ramp = colours(palette).astype(float)
    place = tone * (len(ramp) - 1)
    channels = [np.interp(place, np.arange(len(ramp)), channel) for channel in ramp.T]
    return np.round(np.stack(channels, 1)).astype(np.uint8)


@functools.cache
def _light() -> NDArray[np.float64]:
    """What `look_up` raises to a power [LOOK_SIZE]."""
    ratio = np.linspace(0, 1, LOOK_SIZE) ** 2
    exposed = np.append(ratio[:-1] / (1 - ratio[:-1]), np.inf)
    light: NDArray[np.float64] = 1 - np.exp(-exposed)
    return light


def _release_canvas(canvas: moderngl.Framebuffer) -> None:
    for attachment in canvas.color_attachments:
        attachment.release()
    canvas.release()
