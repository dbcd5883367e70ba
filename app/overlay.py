"""Dear ImGui drawn by moderngl over the picture.

moderngl-window's own integration stops at imgui 1.91; this one speaks the texture protocol of 1.92
(https://github.com/ocornut/imgui/blob/master/docs/BACKENDS.md): imgui asks for textures to be created,
updated and destroyed, and fonts are rasterised at the size and density they are drawn with.
"""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import ClassVar

import moderngl
import numpy as np
from imgui_bundle import imgui, implot
from moderngl_window.context.base import BaseWindow
from numpy.typing import NDArray

from app.overlay_input import OverlayInput
from app.overlay_style import rescale, style
from shaders import source

SHORTEST_FRAME = 1e-4  # seconds; imgui refuses a frame that takes no time
# As separate factors, so that a window's own alpha stays 1 under translucent widgets.
BLENDING = (moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA)

Texture = moderngl.Texture
Pixels = NDArray[np.uint8]

memory_view = ctypes.pythonapi.PyMemoryView_FromMemory
memory_view.restype = ctypes.py_object
memory_view.argtypes = ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int
READ_ONLY = 0x100  # PyBUF_READ


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

    current: ClassVar["Overlay | None"] = None  # whose frame was begun last

    def __init__(self, ctx: moderngl.Context, window: BaseWindow, ini_path: Path | None) -> None:
        context = imgui.create_context()
        imgui.set_current_context(context)  # create_context keeps an older one current
        super().__init__(window, context)
        self.plots = implot.create_context()
        implot.set_current_context(self.plots)
        self.ctx = ctx
        self.io.set_ini_filename(ini_name(ini_path))
        self.io.backend_flags |= imgui.BackendFlags_.renderer_has_textures
        platform = imgui.get_platform_io()
        platform.renderer_texture_max_width = platform.renderer_texture_max_height = ctx.info[
            "GL_MAX_TEXTURE_SIZE"
        ]
        style()

        self.program = ctx.program(source("overlay.vert"), source("overlay.frag"))
        self.meshes: list[Mesh] = []  # of the draw lists, in their order
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
        implot.set_current_context(self.plots)
        Overlay.current = self
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

    @classmethod
    def in_frame(cls) -> "Overlay":
        """The overlay whose frame it is, as imgui's functions draw into its context."""
        if cls.current is None:
            raise RuntimeError("There is no frame.")
        return cls.current

    def texture(self, pixels: Pixels) -> Texture:
        """A texture of these pixels [H, W, 4], the caller's to release in a later frame than it was shown."""
        height, width = pixels.shape[:2]
        texture = self.ctx.texture((width, height), 4, np.ascontiguousarray(pixels))
        texture.repeat_x = texture.repeat_y = False
        return texture

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
        self.program["display_size"] = data.display_size.x, data.display_size.y
        data.scale_clip_rects(data.framebuffer_scale)
        lists = data.cmd_lists
        while len(self.meshes) < len(lists):
            self.meshes.append(Mesh(self.ctx, self.program))
        with gl_state(self.ctx, self.window.fbo, (width, height)) as target:
            for mesh, commands in zip(self.meshes, lists, strict=False):
                mesh.fill(commands)
                self.draw_list(mesh, commands, target, height)

    def draw_list(
        self, mesh: "Mesh", commands: imgui.ImDrawList, target: moderngl.Framebuffer, height: int
    ) -> None:
        """Draws every command inside its clip rectangle, in framebuffer pixels from the bottom left."""
        for command in commands.cmd_buffer:
            left, top, right, bottom = map(round, command.clip_rect)
            left, top = max(left, 0), max(top, 0)
            if right > left and bottom > top:
                name = command.get_tex_id()
                (self.textures.get(name) or self.shown[name]).use(0)
                target.scissor = left, height - bottom, right - left, bottom - top
                mesh.array.render(moderngl.TRIANGLES, command.elem_count, command.idx_offset)

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
        if Overlay.current is self:
            Overlay.current = None
        imgui.set_current_context(self.context)
        for request in imgui.get_platform_io().textures:
            request.set_tex_id(0)
            request.set_status(imgui.ImTextureStatus.destroyed)
        for texture in self.textures.values():
            texture.release()
        self.textures.clear()
        self.io.backend_flags &= ~imgui.BackendFlags_.renderer_has_textures
        implot.destroy_context(self.plots)
        imgui.destroy_context(self.context)
        self.context = None
        for mesh in self.meshes:
            mesh.release()
        self.program.release()


class Mesh:
    """The triangles of a draw list on the GPU, in buffers that grow with it.

    A list has its own, so that its indices are right as imgui counts them: GL 3.3 through moderngl draws
    without a base vertex. imgui-bundle's indices have 32 bits, which no list outgrows.
    """

    def __init__(self, ctx: moderngl.Context, program: moderngl.Program) -> None:
        self.vertices = ctx.buffer(reserve=imgui.VERTEX_SIZE * 4096, dynamic=True)
        self.indices = ctx.buffer(reserve=imgui.INDEX_SIZE * 8192, dynamic=True)
        layout = self.vertices, "2f 2f 4f1", "position", "uv", "colour"
        self.array = ctx.vertex_array(program, [layout], self.indices, index_element_size=imgui.INDEX_SIZE)

    def fill(self, commands: imgui.ImDrawList) -> None:
        """Copies a draw list straight from imgui's memory."""
        for buffer, items, item_size in (
            (self.vertices, commands.vtx_buffer, imgui.VERTEX_SIZE),
            (self.indices, commands.idx_buffer, imgui.INDEX_SIZE),
        ):
            if size := items.size() * item_size:
                # A fresh store instead of the old one: never waits for the frame before, and grows in place.
                buffer.orphan(max(buffer.size, size))
                buffer.write(memory_view(items.data_address(), size, READ_ONLY))

    def release(self) -> None:
        """Frees what it holds on the GPU."""
        for held in self.array, self.indices, self.vertices:
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
