"""The overlay and the GL state of everyone else."""

import ctypes
import ctypes.util
from typing import Any

import moderngl
from imgui_bundle import imgui
from moderngl_window.context.headless import Window
from overlay_scene import CANVAS, outside, pixels, show
from overlay_scene import overlay as overlay  # fixtures
from overlay_scene import window as window

from app.overlay import Overlay


def picture(window: Window) -> moderngl.VertexArray:
    """A pass that covers the window with half-transparent white and sets no state: any leak shows."""
    corner = "vec4(ivec2(gl_VertexID, gl_VertexID / 2) % 2 * 4 - 1, 0, 1)"
    program = window.ctx.program(
        f"#version 330\nvoid main() {{ gl_Position = {corner}; }}",
        "#version 330\nout vec4 pixel;\nvoid main() { pixel = vec4(1, 1, 1, 0.5); }",
    )
    return window.ctx.vertex_array(program, [])


def test_the_picture_below_is_the_same_in_every_frame(window: Window, overlay: Overlay) -> None:
    draw = picture(window)
    frames = []
    for _ in range(4):
        window.clear()
        draw.render(moderngl.TRIANGLES, 3)
        show(overlay, lambda: imgui.button("restart"))
        frames.append(pixels(window))
    assert (frames[0][CANVAS[1], CANVAS[0]] == (255, 255, 255, 128)).all(), "as without an overlay"
    assert all((outside(frame) == outside(frames[0])).all() for frame in frames)
    assert (frames[2] == frames[1]).all()
    assert (frames[3] == frames[1]).all()


GL_FLAGS = {"blend": 0x0BE2, "scissor": 0x0C11, "depth": 0x0B71, "cull": 0x0B44, "srgb": 0x8DB9}
GL_VALUES = {
    "source": 0x80C9,
    "destination": 0x80C8,
    "source alpha": 0x80CB,
    "destination alpha": 0x80CA,
    "equation": 0x8009,
    "equation alpha": 0x883D,
    "viewport": 0x0BA2,
    "framebuffer": 0x8CA6,
    "polygon mode": 0x0B40,
    "sampler": 0x8919,
}


def gl_state() -> dict[str, Any]:
    """The state as GL itself tells it, which moderngl does not expose."""
    gl = ctypes.CDLL(ctypes.util.find_library("GL") or ctypes.util.find_library("OpenGL"))
    state: dict[str, Any] = {name: gl.glIsEnabled(flag) for name, flag in GL_FLAGS.items()}
    for name, value in GL_VALUES.items():
        numbers = (ctypes.c_int * 4)()
        gl.glGetIntegerv(value, numbers)
        state[name] = tuple(numbers)
    return state


def test_gl_state_is_put_back(window: Window, overlay: Overlay) -> None:
    ctx = window.ctx
    target = ctx.simple_framebuffer((64, 48))
    target.use()
    target.viewport = (3, 4, 50, 40)
    window.fbo.viewport = (5, 6, 7, 8)
    ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
    ctx.wireframe = True
    before = gl_state()
    assert before["polygon mode"][0] == 0x1B01, "the numbers are GL's"
    assert before["viewport"] == (3, 4, 50, 40)
    show(overlay, lambda: imgui.text("text"), frames=3)
    assert gl_state() == before
    assert window.fbo.viewport == (5, 6, 7, 8)


def test_state_set_by_others_does_not_change_the_panel(window: Window, overlay: Overlay) -> None:
    ctx = window.ctx
    texture = ctx.texture((2, 1), 1, b"\x00\xff")  # enlarged, so that its filter shows

    def draw() -> None:
        imgui.image(overlay.texture_id(texture), (150, 20))
        imgui.show_style_selector("style")

    show(overlay, draw)
    window.clear()
    show(overlay, draw)
    expected = pixels(window)
    window.clear()
    ctx.enable(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
    ctx.front_face = "cw"
    ctx.wireframe = True
    ctx.blend_equation = moderngl.MAX
    ctx.blend_func = moderngl.ZERO, moderngl.ZERO
    ctx.sampler(filter=(moderngl.NEAREST, moderngl.NEAREST)).use(0)
    window.fbo.viewport = (0, 0, 40, 40)
    ctx.simple_framebuffer((16, 16)).use()
    show(overlay, draw)
    assert (pixels(window) == expected).all()
