"""Dear ImGui drawn by moderngl over the picture.

moderngl-window's own integration stops at imgui 1.91; this one speaks the texture protocol of 1.92
(https://github.com/ocornut/imgui/blob/master/docs/BACKENDS.md): imgui asks for textures to be created,
updated and destroyed, and fonts are rasterised at the size and density they are drawn with.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ctypes import string_at
from pathlib import Path
from typing import Any

import moderngl
import numpy as np
from imgui_bundle import imgui
from moderngl_window.context.base import BaseWindow

from app.overlay_input import OverlayInput
from app.overlay_style import rescale, style
from shaders import source

SHORTEST_FRAME = 1e-4  # seconds; imgui refuses a frame that takes no time
# As separate factors, so that a window's own alpha stays 1 under translucent widgets.
BLENDING = (moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA)


class Overlay(OverlayInput):
    """An imgui context bound to a window: takes its events, draws into its framebuffer.

    Draw with imgui inside `with overlay.frame(dt):`; the widgets appear when the block ends. Framebuffer,
    viewport, blending and the other switches are then as they were; scissor and the sampler and texture
    of unit 0 are not, and nothing else may rely on them.

    Args:
        ctx: The window's context.
        window: A moderngl-window window, on a screen or headless.
        ini_path: Where imgui keeps window positions and folded groups; None keeps nothing.
    """

    def __init__(self, ctx: moderngl.Context, window: BaseWindow, ini_path: Path | None) -> None:
        context = imgui.create_context()
        imgui.set_current_context(context)  # create_context keeps an older one current
        super().__init__(window, context)
        self.ctx = ctx
        self.io.set_ini_filename(ini_name(ini_path))
        self.io.backend_flags |= (
            imgui.BackendFlags_.renderer_has_textures | imgui.BackendFlags_.renderer_has_vtx_offset
        )
        platform = imgui.get_platform_io()
        platform.renderer_texture_max_width = platform.renderer_texture_max_height = ctx.info[
            "GL_MAX_TEXTURE_SIZE"
        ]
        style()

        self.program = ctx.program(source("overlay.vert"), source("overlay.frag"))
        self.vertices = ctx.buffer(reserve=imgui.VERTEX_SIZE * 4096, dynamic=True)
        self.indices = ctx.buffer(reserve=4 * 8192, dynamic=True)
        self.mesh = ctx.vertex_array(
            self.program, [(self.vertices, "2f 2f 4f1", "position", "uv", "colour")], self.indices
        )
        self.textures: dict[int, moderngl.Texture] = {}  # imgui's own, by GL name
        self.shown: dict[int, moderngl.Texture] = {}  # the caller's, this frame

    @contextmanager
    def frame(self, dt: float) -> Iterator[None]:
        """One frame of widgets, drawn at the end unless the block raises.

        Args:
            dt: Seconds since the last frame.
        """
        if self.context is None:
            raise RuntimeError("The overlay is closed.")
        imgui.set_current_context(self.context)
        self.follow_window()
        self.io.delta_time = max(dt, SHORTEST_FRAME)
        imgui.new_frame()
        try:
            yield
        except BaseException:
            abandon_frame(self.io)
            raise
        imgui.render()
        self.draw(imgui.get_draw_data())
        self.shown.clear()

    def texture_id(self, texture: moderngl.Texture) -> imgui.ImTextureRef:
        """What `imgui.image` takes to show a texture. Ask anew in every frame that shows it."""
        self.shown[texture.glo] = texture
        return imgui.ImTextureRef(texture.glo)

    def draw(self, data: imgui.ImDrawData) -> None:
        """Answers imgui's texture requests, then draws its triangles into the window's framebuffer."""
        for request in data.textures:
            self.serve(request)
        width, height = framebuffer_size(self.window)
        if min(width, height, *data.display_size) <= 0:  # minimised
            return
        self.upload(data)
        self.program["display_size"] = data.display_size.x, data.display_size.y
        with gl_state(self.ctx, self.window.fbo, (width, height)) as target:
            self.draw_commands(data, target, height)

    def draw_commands(self, data: imgui.ImDrawData, target: moderngl.Framebuffer, height: int) -> None:
        """Draws every command inside its clip rectangle, in framebuffer pixels from the bottom left."""
        data.scale_clip_rects(data.framebuffer_scale)
        first = 0
        for commands in data.cmd_lists:
            for command in commands.cmd_buffer:
                left, top, right, bottom = (round(edge) for edge in command.clip_rect)
                left, top = max(left, 0), max(top, 0)
                if right > left and bottom > top:
                    name = command.get_tex_id()
                    (self.textures.get(name) or self.shown[name]).use(0)
                    target.scissor = left, height - bottom, right - left, bottom - top
                    self.mesh.render(moderngl.TRIANGLES, command.elem_count, first)
                first += command.elem_count

    def upload(self, data: imgui.ImDrawData) -> None:
        """Puts all draw lists behind each other into the two buffers, growing them as needed.

        GL 3.3 through moderngl draws without a base vertex, so each command's is added to its indices,
        widened to 32 bits.
        """
        vertices, indices = [], []
        base = 0
        for commands in data.cmd_lists:
            vertices.append(memory(commands.vtx_buffer, imgui.VERTEX_SIZE))
            local = np.frombuffer(memory(commands.idx_buffer, imgui.INDEX_SIZE), f"u{imgui.INDEX_SIZE}")
            for command in commands.cmd_buffer:
                used = local[command.idx_offset : command.idx_offset + command.elem_count]
                indices.append((used + np.uint32(base + command.vtx_offset)).tobytes())
            base += commands.vtx_buffer.size()
        for buffer, content in (self.vertices, b"".join(vertices)), (self.indices, b"".join(indices)):
            # A fresh store instead of the old one: never waits for the frame before, and grows in place.
            buffer.orphan(max(buffer.size, len(content)))
            buffer.write(content)

    def serve(self, request: imgui.ImTextureData) -> None:
        """Does what imgui asks for one of its textures."""
        status = imgui.ImTextureStatus
        if request.status == status.want_create:
            texture = self.ctx.texture((request.width, request.height), 4, request.get_pixels_array())
            texture.repeat_x = texture.repeat_y = False
            self.textures[texture.glo] = texture
            request.set_tex_id(texture.glo)
            request.set_status(status.ok)
        elif request.status == status.want_updates:
            box = request.update_rect
            pixels = request.get_pixels_array().reshape(request.height, request.width, 4)
            part = np.ascontiguousarray(pixels[box.y : box.y + box.h, box.x : box.x + box.w])
            self.textures[request.get_tex_id()].write(part, viewport=(box.x, box.y, box.w, box.h))
            request.set_status(status.ok)
        elif request.status == status.want_destroy:
            self.textures.pop(request.get_tex_id()).release()
            request.set_tex_id(0)
            request.set_status(status.destroyed)

    def follow_window(self) -> None:
        """Tells imgui the window's size and its framebuffer's pixels per window unit."""
        size, pixels = self.window.size, framebuffer_size(self.window)
        self.io.display_size = imgui.ImVec2(*size)
        if min(*size, *pixels) > 0:
            self.io.display_framebuffer_scale = imgui.ImVec2(pixels[0] / size[0], pixels[1] / size[1])
            scale = display_scale(self.window, pixels[0] / size[0])
            if abs(scale - imgui.get_style().font_scale_dpi) > 0.01:
                rescale(scale)

    def close(self) -> None:
        """Releases what the overlay holds and saves the ini file. A second call does nothing."""
        if self.context is None:
            return
        self.detach()
        imgui.set_current_context(self.context)
        for request in imgui.get_platform_io().textures:
            request.set_tex_id(0)
            request.set_status(imgui.ImTextureStatus.destroyed)
        for texture in self.textures.values():
            texture.release()
        self.textures.clear()
        self.io.backend_flags &= ~imgui.BackendFlags_.renderer_has_textures
        imgui.destroy_context(self.context)
        self.context = None
        for held in self.mesh, self.indices, self.vertices, self.program:
            held.release()


def abandon_frame(io: imgui.IO) -> None:
    """Ends a frame whose block was cut short: the windows it left open are no error of their own."""
    io.config_error_recovery_enable_assert = io.config_error_recovery_enable_debug_log = False
    imgui.end_frame()
    io.config_error_recovery_enable_assert = io.config_error_recovery_enable_debug_log = True


@contextmanager
def gl_state(
    ctx: moderngl.Context, target: moderngl.Framebuffer, size: tuple[int, int]
) -> Iterator[moderngl.Framebuffer]:
    """Sets what drawing widgets needs and puts back what was there.

    moderngl cannot tell the blend function: its default is left, and blending off where it was off.
    """
    viewport, wireframe = target.viewport, ctx.wireframe
    scope = ctx.scope(target, moderngl.BLEND)
    with scope:
        target.viewport = (0, 0, *size)
        ctx.wireframe = False
        ctx.blend_equation = moderngl.FUNC_ADD, moderngl.FUNC_ADD
        ctx.blend_func = BLENDING  # type: ignore[assignment]
        ctx.clear_samplers(0, 1)
        try:
            yield target
        finally:
            ctx.blend_func = moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA
            ctx.wireframe = wireframe
            target.scissor = None  # type: ignore[assignment]
            target.viewport = viewport
    scope.release()  # moderngl keeps what is not released: some 200 bytes a frame


def memory(vector: Any, item_size: int) -> bytes:
    """A copy of the items of an imgui vector."""
    return string_at(vector.data_address(), vector.size() * item_size)


def framebuffer_size(window: BaseWindow) -> tuple[int, int]:
    """Pixels (width, height); a resized headless window tells its first size as `buffer_size`."""
    return window.fbo.size if window.headless else window.buffer_size


def display_scale(window: BaseWindow, ratio: float) -> float:
    """How much larger than its window units a window wants its text.

    Args:
        window: Any window; only pyglet's tell the display's scale.
        ratio: Framebuffer pixels per window unit, which imgui scales text by already.
    """
    native = window._window.scale if window.name == "pyglet" else 1.0  # type: ignore[attr-defined]
    return float(min(max(native / ratio, 1.0), 4.0))


def ini_name(path: Path | None) -> str | None:
    """What imgui takes for a path, its folder made; imgui ignores a place it cannot write to."""
    if path is not None:
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
    return str(path) if path else None
