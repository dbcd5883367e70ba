"""Shader programs that cover what they draw into, compiled when first used."""

import moderngl

import shaders

Uniforms = dict[str, object]


class Target:
    """A texture that can be drawn into.

    Args:
        ctx: The OpenGL context.
        size: Width and height in px.
        components: 1 to 4.
        dtype: As moderngl says it, such as "f2".
    """

    def __init__(self, ctx: moderngl.Context, size: tuple[int, int], components: int, dtype: str) -> None:
        self.size = size
        self.texture = ctx.texture(size, components, dtype=dtype)
        self.framebuffer = ctx.framebuffer(self.texture)

    def release(self) -> None:
        """Frees both."""
        self.framebuffer.release()
        self.texture.release()


class Covering:
    """A fragment shader drawn over a whole framebuffer, in as many variants as are asked for.

    Args:
        ctx: The OpenGL context.
        fragment: The shader's file; what it includes stands before it.
        include: Files of functions that it uses.
        units: The texture unit of each of its samplers.
        defines: What all variants define, such as "SPECIES 1".
    """

    def __init__(
        self,
        ctx: moderngl.Context,
        fragment: str,
        *,
        include: tuple[str, ...] = (),
        units: dict[str, int],
        defines: tuple[str, ...] = (),
    ) -> None:
        self.ctx = ctx
        self.source = "\n".join(shaders.source(name) for name in (*include, fragment))
        self.units = units
        self.defines = defines
        self.variants: dict[tuple[str, ...], moderngl.VertexArray] = {}
        self.set: dict[tuple[str, ...], Uniforms] = {}  # in each program

    def draw(self, variant: tuple[str, ...], uniforms: Uniforms) -> None:
        """Covers the bound framebuffer; only uniforms that differ from the last time are handed over.

        Args:
            variant: What this one defines, such as "AREA".
            uniforms: By name. Those that the variant does not use are left out.
        """
        if variant not in self.variants:
            self.variants[variant] = self._compile(variant)
        triangle, known = self.variants[variant], self.set.setdefault(variant, {})
        for name, value in uniforms.items():
            if known.get(name) != value:
                known[name] = value
                if name in triangle.program:
                    triangle.program[name] = value
        triangle.render(moderngl.TRIANGLES, vertices=3)

    def _compile(self, variant: tuple[str, ...]) -> moderngl.VertexArray:
        head = ["#version 330", *(f"#define {define}" for define in (*self.defines, *variant))]
        program = self.ctx.program(shaders.source("cover.vert"), "\n".join([*head, self.source]))
        for name, unit in self.units.items():
            if name in program:
                program[name] = unit
        return self.ctx.vertex_array(program, [])

    def release(self) -> None:
        """Frees the programs."""
        for triangle in self.variants.values():
            triangle.program.release()
            triangle.release()
        self.variants = {}
