import ctypes
import ctypes.util
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import moderngl
import numpy as np
import pytest
from imgui_bundle import imgui
from moderngl_window.context.base import BaseKeys
from moderngl_window.context.headless import Window

from app.overlay import Overlay

SIZE = (320, 240)
PANEL = (10, 10, 200, 150)  # x, y, width, height
CANVAS = (300, 220)
LEFT, RIGHT = 1, 2


class Keys(BaseKeys):
    """Key codes for a headless window, which has none of its own."""

    LEFT_CTRL, LEFT_SHIFT, ENTER, A, C, V, X, RIGHT, F12, NUMBER_1, NUMPAD_1 = range(11)


NO_MODIFIERS = SimpleNamespace(ctrl=False, shift=False, alt=False)
CTRL = SimpleNamespace(ctrl=True, shift=False, alt=False)


@pytest.fixture
def window() -> Iterator[Window]:
    window = Window(size=SIZE, gl_version=(3, 3), backend="egl")
    window.keys = Keys
    assert window.ctx.error == "GL_NO_ERROR"
    yield window
    assert window.ctx.error == "GL_NO_ERROR"
    window.destroy()


@pytest.fixture
def overlay(window: Window) -> Iterator[Overlay]:
    overlay = Overlay(window.ctx, window, None)
    yield overlay
    overlay.close()


def panel(draw: Callable[[], Any] = lambda: None) -> None:
    imgui.set_next_window_pos(PANEL[:2])
    imgui.set_next_window_size(PANEL[2:])
    imgui.begin("panel", flags=imgui.WindowFlags_.no_decoration)
    draw()
    imgui.end()


def show(overlay: Overlay, draw: Callable[[], Any] = lambda: None, frames: int = 1) -> None:
    for _ in range(frames):
        with overlay.frame(1 / 60):
            panel(draw)


def pixels(window: Window) -> np.ndarray:
    """What the window shows, [H, W, 4] bytes, top row first."""
    width, height = window.fbo.size
    return np.frombuffer(window.fbo.read(components=4), np.uint8).reshape(height, width, 4)[::-1]


def inside(image: np.ndarray, edge: int = 0) -> np.ndarray:
    x, y, width, height = PANEL
    return image[y + edge : y + height - edge, x + edge : x + width - edge]


def outside(image: np.ndarray) -> np.ndarray:
    x, y, width, height = PANEL
    rest = image.copy()
    rest[y : y + height, x : x + width] = 0
    return rest


def picture(window: Window) -> moderngl.VertexArray:
    """A pass that covers the window with half-transparent white and sets no state: any leak shows."""
    corner = "vec4(ivec2(gl_VertexID, gl_VertexID / 2) % 2 * 4 - 1, 0, 1)"
    program = window.ctx.program(
        f"#version 330\nvoid main() {{ gl_Position = {corner}; }}",
        "#version 330\nout vec4 pixel;\nvoid main() { pixel = vec4(1, 1, 1, 0.5); }",
    )
    return window.ctx.vertex_array(program, [])


def test_panel_is_drawn_and_nothing_else(window: Window, overlay: Overlay) -> None:
    show(overlay)  # a window that appears is hidden for its first frame
    window.clear(0.2, 0.4, 0.6, 1.0)
    before = pixels(window)
    show(overlay, lambda: imgui.text("sensor angle 22.5°"))
    after = pixels(window)
    assert (outside(before) == outside(after)).all()
    assert (inside(before, 1)[6:-6] != inside(after, 1)[6:-6]).any(axis=2).all(), "all but the round corners"
    assert (after[..., 3] == 255).all()
    assert inside(after)[..., :3].max() > 200, "the text is bright"
    assert np.median(inside(after)[..., :3]) < 50, "the panel is dark"


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
    "scissor box": 0x0C10,
    "framebuffer": 0x8CA6,
    "polygon mode": 0x0B40,
    "active texture": 0x84E0,
    "sampler": 0x8919,
    "unpack alignment": 0x0CF5,
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
    ctx.enable_only(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
    ctx.wireframe = True
    show(overlay)
    before = gl_state()
    assert before["polygon mode"][0] == 0x1B01, "the numbers are GL's"
    assert before["viewport"] == (3, 4, 50, 40)
    show(overlay, lambda: imgui.text("text"), frames=2)
    assert gl_state() == before
    assert window.fbo.viewport == (0, 0, *SIZE)
    ctx.wireframe = False


def test_state_set_by_others_does_not_change_the_panel(window: Window, overlay: Overlay) -> None:
    show(overlay, imgui.show_style_editor, frames=2)
    window.clear()
    show(overlay, imgui.show_style_editor)
    expected = inside(pixels(window))
    ctx = window.ctx
    window.clear()
    ctx.enable(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
    ctx.front_face = "cw"
    ctx.wireframe = True
    ctx.blend_equation = moderngl.MAX
    ctx.blend_func = moderngl.ZERO, moderngl.ZERO
    ctx.sampler(filter=(moderngl.NEAREST, moderngl.NEAREST)).use(0)
    ctx.scissor = (0, 0, 5, 5)
    ctx.simple_framebuffer((16, 16)).use()
    show(overlay, imgui.show_style_editor)
    assert (inside(pixels(window)) == expected).all()


def test_more_vertices_than_16_bits_count(window: Window, overlay: Overlay) -> None:
    columns, rows = 190, 132  # squares of a pixel; 100,320 vertices

    def grid() -> None:
        brush = imgui.get_window_draw_list()
        for i in range(columns * rows):
            x, y = 15 + i % columns, 15 + i // columns
            brush.add_rect_filled((x, y), (x + 1, y + 1), 0xFF0000FF)

    show(overlay)
    small = overlay.vertices.size
    show(overlay, grid)
    assert overlay.vertices.size >= 4 * columns * rows * imgui.VERTEX_SIZE > small
    assert (pixels(window)[15 : 15 + rows, 15 : 15 + columns] == (255, 0, 0, 255)).all()


def test_textures_follow_what_imgui_asks(overlay: Overlay) -> None:
    letters = "".join(map(chr, range(0x21, 0x17F)))

    def text(font_size: float) -> None:
        imgui.push_font(None, font_size)
        imgui.text(letters)
        imgui.pop_font()

    seen: dict[int, moderngl.Texture] = {}
    sizes = []
    for font_size in range(12, 72, 4):
        show(overlay, lambda size=font_size: text(size), frames=3)
        assert len(overlay.textures) == 1, "outgrown ones are destroyed"
        seen |= {id(texture): texture for texture in overlay.textures.values()}
        sizes.append(next(iter(overlay.textures.values())).size)
    assert len(seen) > 1, "the atlas grew"
    assert sizes[-1] > sizes[0]
    released = [texture for texture in seen.values() if isinstance(texture.mglo, moderngl.InvalidObject)]
    assert len(released) == len(seen) - 1


def test_new_glyphs_reach_the_texture(window: Window, overlay: Overlay) -> None:
    show(overlay, lambda: imgui.text("aaa"), frames=2)
    plain = inside(pixels(window)).copy()
    window.clear()
    show(overlay, lambda: imgui.text("§§§"))
    assert (inside(pixels(window))[..., :3] > 200).any(), "a letter first shown now is legible at once"
    assert (inside(pixels(window)) != plain).any()


def test_own_texture_is_shown(window: Window, overlay: Overlay) -> None:
    colours = bytes((255, 0, 0, 255, 0, 255, 0, 255))
    texture = window.ctx.texture((2, 1), 4, colours)
    texture.filter = moderngl.NEAREST, moderngl.NEAREST
    show(overlay, lambda: imgui.image(overlay.texture_id(texture), (100, 50)), frames=2)
    image = pixels(window)
    assert (image[40, 30] == (255, 0, 0, 255)).all()
    assert (image[40, 110] == (0, 255, 0, 255)).all()
    assert overlay.shown == {}, "nothing keeps a texture alive after the frame"


@pytest.mark.parametrize("ratio", [2, 1.25])
def test_hidpi(window: Window, overlay: Overlay, ratio: float) -> None:
    window._width, window._height = (round(side / ratio) for side in SIZE)
    show(overlay, lambda: imgui.text("text"), frames=2)
    image = pixels(window)
    x, y, width, height = (round(side * ratio) for side in PANEL)
    background = image[0, 0]
    assert tuple(imgui.get_io().display_framebuffer_scale) == (ratio, ratio)
    right, bottom = min(x + width, SIZE[0]), min(y + height, SIZE[1])
    assert (image[bottom - 12, x : right - 1] != background).any(axis=1).all()
    assert (image[bottom - 12, : x - 1] == background).all()
    assert (image[bottom - 12, right + 1 :] == background).all()
    sharp = np.abs(np.diff(image[..., 1].astype(int), axis=1)).max()
    assert sharp > 150, "text is rasterised at the framebuffer's density, not stretched"


def resize(window: Window, size: tuple[int, int]) -> None:
    if min(size) > 0:
        window.size = size
    else:  # minimised: the framebuffer stays
        window._width, window._height = size
    window.use()
    _ = window.ctx.error  # moderngl-window deletes the framebuffer that is bound


@pytest.mark.parametrize("size", [(1, 1), (0, 0), (0, 200), (2000, 3)])
def test_odd_sizes(window: Window, overlay: Overlay, size: tuple[int, int]) -> None:
    show(overlay, imgui.show_style_editor)
    resize(window, size)
    show(overlay, imgui.show_style_editor, frames=2)
    resize(window, SIZE)
    show(overlay)
    assert tuple(imgui.get_io().display_size) == SIZE
    assert tuple(imgui.get_io().display_framebuffer_scale) == (1, 1)


@pytest.mark.parametrize("dt", [0.0, -1.0, 5.0])
def test_any_frame_time(overlay: Overlay, dt: float) -> None:
    with overlay.frame(dt):
        assert imgui.get_io().delta_time == pytest.approx(max(dt, 1e-4))


def test_a_failing_panel_leaves_the_next_frame_whole(window: Window, overlay: Overlay) -> None:
    def fail() -> None:
        imgui.push_id("open")
        raise KeyError("panel")

    with pytest.raises(KeyError, match="panel"):
        show(overlay, fail)
    show(overlay, lambda: imgui.text("text"), frames=2)
    assert inside(pixels(window))[..., :3].max() > 200


def test_keys_and_modifiers_arrive(overlay: Overlay) -> None:
    io = imgui.get_io()
    overlay.on_key_event(Keys.LEFT_CTRL, Keys.ACTION_PRESS, NO_MODIFIERS)  # as X11 tells it
    show(overlay)
    assert io.key_ctrl
    assert imgui.is_key_down(imgui.Key.left_ctrl)
    overlay.on_key_event(Keys.A, Keys.ACTION_PRESS, CTRL)
    show(overlay)
    assert imgui.is_key_chord_pressed(imgui.Key.mod_ctrl | imgui.Key.a)
    overlay.on_key_event(Keys.A, Keys.ACTION_RELEASE, CTRL)
    overlay.on_key_event(Keys.LEFT_CTRL, Keys.ACTION_RELEASE, CTRL)
    show(overlay, frames=2)
    assert not io.key_ctrl
    assert not imgui.is_key_down(imgui.Key.a)
    overlay.on_key_event(Keys.A, Keys.ACTION_PRESS, SimpleNamespace(ctrl=False, shift=True, alt=True))
    show(overlay)
    assert io.key_shift
    assert io.key_alt


def test_key_map_by_name(overlay: Overlay) -> None:
    key = imgui.Key
    assert overlay.key_map == {
        Keys.LEFT_CTRL: key.left_ctrl,
        Keys.LEFT_SHIFT: key.left_shift,
        Keys.ENTER: key.enter,
        Keys.A: key.a,
        Keys.C: key.c,
        Keys.V: key.v,
        Keys.X: key.x,
        Keys.RIGHT: key.right_arrow,
        Keys.F12: key.f12,
        Keys.NUMBER_1: key._1,
        Keys.NUMPAD_1: key.keypad1,
    }


def click(overlay: Overlay, draw: Callable[[], Any], x: int, y: int, button: int = LEFT) -> tuple[bool, bool]:
    """Moves, presses and releases with a frame between; what the press and the release answered."""
    overlay.on_mouse_position_event(x, y, 0, 0)
    show(overlay, draw)
    pressed = overlay.on_mouse_press_event(x, y, button)
    show(overlay, draw)
    released = overlay.on_mouse_release_event(x, y, button)
    show(overlay, draw)
    return pressed, released


def type_key(overlay: Overlay, draw: Callable[[], Any], key: int, modifiers: Any = NO_MODIFIERS) -> None:
    overlay.on_key_event(key, Keys.ACTION_PRESS, modifiers)
    show(overlay, draw)
    overlay.on_key_event(key, Keys.ACTION_RELEASE, modifiers)
    show(overlay, draw)


class Slider:
    value = 0.5

    def __call__(self) -> None:
        _, self.value = imgui.slider_float("##decay", self.value, 0.0, 1.0)


def test_ctrl_click_on_a_slider_takes_a_typed_number(overlay: Overlay) -> None:
    slider = Slider()
    show(overlay, slider, frames=2)
    overlay.on_key_event(Keys.LEFT_CTRL, Keys.ACTION_PRESS, NO_MODIFIERS)
    click(overlay, slider, 60, 30)
    overlay.on_key_event(Keys.LEFT_CTRL, Keys.ACTION_RELEASE, CTRL)
    show(overlay, slider)
    assert overlay.wants_keyboard
    assert overlay.on_unicode_char_entered("0.25")
    show(overlay, slider, frames=2)
    type_key(overlay, slider, Keys.ENTER)
    assert slider.value == 0.25
    assert not overlay.wants_keyboard


class Field:
    text = ""

    def __call__(self) -> None:
        _, self.text = imgui.input_text("##name", self.text)


def test_text_of_any_script(overlay: Overlay) -> None:
    field = Field()
    show(overlay, field, frames=2)
    click(overlay, field, 60, 30)
    surrogates = "\ud83c\udf44"  # a mushroom, in halves as Windows sends it
    for text in "r", "é漢", "\r", surrogates[0], surrogates[1], "🧫":
        overlay.on_unicode_char_entered(text)
        show(overlay, field)
    assert field.text == "ré漢🍄🧫"


def test_clipboard_round_trip(overlay: Overlay) -> None:
    field = Field()
    show(overlay, field, frames=2)
    click(overlay, field, 60, 30)
    overlay.on_unicode_char_entered("veins ü")
    show(overlay, field, frames=2)
    type_key(overlay, field, Keys.A, CTRL)
    type_key(overlay, field, Keys.X, CTRL)
    assert field.text == ""
    assert imgui.get_clipboard_text() == "veins ü"
    type_key(overlay, field, Keys.V, CTRL)
    type_key(overlay, field, Keys.V, CTRL)
    assert field.text == "veins üveins ü"


def test_a_key_belongs_to_whoever_got_its_press(overlay: Overlay) -> None:
    field = Field()
    show(overlay, field, frames=2)
    assert not overlay.on_key_event(Keys.A, Keys.ACTION_PRESS, NO_MODIFIERS)
    click(overlay, field, 60, 30)
    assert not overlay.on_key_event(Keys.A, Keys.ACTION_RELEASE, NO_MODIFIERS)
    assert overlay.on_key_event(Keys.ENTER, Keys.ACTION_PRESS, NO_MODIFIERS)
    show(overlay, field, frames=2)
    assert not overlay.wants_keyboard
    assert overlay.on_key_event(Keys.ENTER, Keys.ACTION_RELEASE, NO_MODIFIERS)


def test_the_panel_keeps_its_clicks_and_the_canvas_its_own(overlay: Overlay) -> None:
    slider = Slider()
    show(overlay, slider, frames=2)
    assert click(overlay, slider, *CANVAS) == (False, False)
    assert click(overlay, slider, 60, 30) == (True, True)
    assert click(overlay, slider, 60, 30, RIGHT) == (True, True)
    assert overlay.on_mouse_scroll_event(0, 1)
    overlay.on_mouse_position_event(*CANVAS, 0, 0)
    assert not overlay.on_mouse_scroll_event(0, 1)


def test_a_stroke_over_the_panel_stays_a_stroke(overlay: Overlay) -> None:
    slider = Slider()
    show(overlay, slider, frames=2)
    assert not overlay.on_mouse_press_event(*CANVAS, LEFT)
    assert not overlay.on_mouse_drag_event(60, 30, 0, 0)
    show(overlay, slider, frames=2)
    assert not overlay.wants_mouse
    assert not overlay.on_mouse_drag_event(70, 30, 0, 0)
    assert not overlay.on_mouse_press_event(70, 30, RIGHT), "a second button joins the first"
    assert not overlay.on_mouse_release_event(70, 30, RIGHT)
    show(overlay, slider)
    assert not overlay.on_mouse_release_event(70, 30, LEFT)
    show(overlay, slider, frames=2)
    assert slider.value == 0.5
    assert overlay.wants_mouse


def test_a_slider_dragged_over_the_canvas_stays_a_slider(overlay: Overlay) -> None:
    slider = Slider()
    show(overlay, slider, frames=2)
    assert overlay.on_mouse_press_event(60, 30, LEFT)
    show(overlay, slider, frames=2)
    assert overlay.on_mouse_drag_event(*CANVAS, 0, 0)
    show(overlay, slider)
    assert overlay.wants_mouse
    assert overlay.on_mouse_release_event(*CANVAS, LEFT)
    show(overlay, slider, frames=2)
    assert slider.value == 1.0
    assert not overlay.wants_mouse


def test_a_press_in_the_frame_it_reached_the_panel(overlay: Overlay) -> None:
    slider = Slider()
    overlay.on_mouse_position_event(*CANVAS, 0, 0)
    show(overlay, slider, frames=2)
    assert overlay.on_mouse_press_event(60, 30, LEFT), "the last frame saw the mouse on the canvas"
    overlay.on_mouse_release_event(60, 30, LEFT)
    show(overlay, slider, frames=3)
    assert not overlay.on_mouse_press_event(*CANVAS, LEFT), "the last frame saw it on the panel"


def test_a_lost_focus_lets_everything_go(overlay: Overlay) -> None:
    show(overlay, frames=2)
    overlay.on_key_event(Keys.LEFT_CTRL, Keys.ACTION_PRESS, NO_MODIFIERS)
    overlay.on_mouse_press_event(*CANVAS, LEFT)
    show(overlay, frames=2)
    overlay.lose_focus()
    show(overlay, frames=2)
    assert not imgui.get_io().key_ctrl
    assert not imgui.is_mouse_down(0)
    assert overlay.on_mouse_press_event(60, 30, RIGHT), "no button is held any more"


def test_ini_file(window: Window, tmp_path: Path) -> None:
    path = tmp_path / "new" / "imgui.ini"
    overlay = Overlay(window.ctx, window, path)
    with overlay.frame(1 / 60):
        imgui.set_next_window_pos((33, 44))
        imgui.begin("kept")
        imgui.end()
    overlay.close()
    assert "Pos=33,44" in path.read_text()
    path.write_bytes(b"[Window][kept]\nPos=\xff\xfe\n\x00[[[garbage")
    overlay = Overlay(window.ctx, window, path)
    show(overlay)
    overlay.close()


def test_ini_path_that_cannot_be_written(window: Window, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    overlay = Overlay(window.ctx, window, tmp_path / "file" / "imgui.ini")
    show(overlay)
    overlay.close()
    assert (tmp_path / "file").read_text() == "not a folder"


def test_no_ini_path_writes_nothing(
    window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    overlay = Overlay(window.ctx, window, None)
    show(overlay, frames=2)
    overlay.close()
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")


def test_close_after_the_context_is_gone() -> None:
    window = Window(size=SIZE, gl_version=(3, 3), backend="egl")
    overlay = Overlay(window.ctx, window, None)
    show(overlay)
    window.destroy()
    overlay.close()


def test_close_twice_then_another(window: Window) -> None:
    for _ in range(2):
        overlay = Overlay(window.ctx, window, None)
        show(overlay, lambda: imgui.text("text"), frames=2)
        textures = list(overlay.textures.values())
        overlay.close()
        overlay.close()
        assert all(isinstance(texture.mglo, moderngl.InvalidObject) for texture in textures)
        assert imgui.get_current_context() is None
        assert not overlay.wants_mouse
        assert not overlay.wants_keyboard
        assert not overlay.on_mouse_press_event(20, 20, LEFT)
        assert not overlay.on_key_event(Keys.A, Keys.ACTION_RELEASE, NO_MODIFIERS)
        with pytest.raises(RuntimeError, match="closed"), overlay.frame(1 / 60):
            pass
