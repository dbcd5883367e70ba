"""How the shader looks at the field in a view."""

import math

from app.programs import Uniforms
from app.view import View

MOST_TAPS = 16  # along each side of a pixel that covers several cells
CLOSE = 2.0  # pixels per cell from which on bilinear samples would show the cells' corners


def sampling(view: View, neighbours: bool = False) -> tuple[str, Uniforms]:
    """A way of sampling that display.frag knows, and the uniforms that say where.

    Args:
        view: What is shown, and at which size.
        neighbours: Whether the shader looks beside a pixel too.
    """
    origin, stride = view.in_field()
    uniforms: Uniforms = {"origin": origin, "stride": stride}
    if view.scale == 1 and view.angle == 0:
        sides = tuple(zip(view.centre, view.target, view.field, strict=True))
        corner = tuple(math.floor(centre - target / 2 + 0.5) % side for centre, target, side in sides)
        fits = all(target <= side for _, target, side in sides) and not neighbours
        return "EXACT" if fits else "TILED", uniforms | {"corner": corner, "field": view.field}
    taps = min(MOST_TAPS, math.ceil(1 / view.scale - 1e-6))
    if taps > 1:
        return "AREA", uniforms | {"taps": taps}
    if view.scale < CLOSE:
        return "SMOOTH", uniforms
    return "CUBIC", uniforms | {"cells": view.field}
