"""The programs that a picture is drawn with, and the texture units they read."""

import math

import moderngl

from app.glow import Glow
from app.programs import Covering, Uniforms
from app.tone import LOOK_SIZE
from kernels.params import Params

UNITS = {name: unit for unit, name in enumerate(("trail", "look", "map", "age", "glow", "agents"))}
TRAIL, LOOK, MAP, AGE, GLOW, AGENTS = UNITS.values()


class Passes:
    """One set serves all displays of as many species in a context.

    Args:
        ctx: The OpenGL context.
        species: How many trails a cell has.
    """

    def __init__(self, ctx: moderngl.Context, species: int) -> None:
        defines = f"SPECIES {species}", f"LOOK_SIZE {LOOK_SIZE}"
        self.covering = Covering(ctx, "display.frag", include=("srgb.glsl",), units=UNITS, defines=defines)
        self.ageing = Covering(ctx, "age.frag", units={"trail": TRAIL}, defines=defines[:1])
        self.glow = Glow(ctx)

    def release(self) -> None:
        """Frees them."""
        for each in (self.covering, self.ageing, self.glow):
            each.release()


def lamp(params: Params, scale: float) -> Uniforms:
    """The uniforms of the lamp over the landscape, at so many pixels per cell."""
    direction, height = math.radians(params.lamp_direction), math.radians(params.lamp_height)
    flat = math.cos(height)
    return {
        "ridge": params.ridge,
        "ridge_gloss": params.ridge_gloss,
        "ridge_slope": params.ridge_height * scale / 2,
        "lamp": (flat * math.cos(direction), -flat * math.sin(direction), math.sin(height)),
    }
