"""Widgets, textures, sizes and the life of an overlay."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import moderngl
import numpy as np
import pytest
from imgui_bundle import imgui
from moderngl_window.context.headless import Window
from overlay_scene import LEFT, NO_MODIFIERS, PANEL, SIZE, Keys, inside, outside, pixels, show
from overlay_scene import overlay as overlay  # fixtures
from overlay_scene import window as window

from app import overlay as overlay_module
from app.overlay import Overlay, display_scale


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


def test_more_vertices_than_16_bits_count(window: Window, overlay: Overlay) -> None:
    columns, rows = 190, 132  # squares of a pixel; 100,320 vertices

    def grid() -> None:
        brush = imgui.get_window_draw_list()
        for i in range(columns * rows):
            x, y = 15 + i % columns, 15 + i // columns
            brush.add_rect_filled((x, y), (x + 1, y + 1), 0xFF0000FF)

    show(overlay)
    (mesh,) = overlay.meshes
    small = mesh.vertices.size
    show(overlay, grid)
    assert mesh.vertices.size >= 4 * columns * rows * imgui.VERTEX_SIZE > small
    assert (pixels(window)[15 : 15 + rows, 15 : 15 + columns] == (255, 0, 0, 255)).all()


def test_every_draw_list_is_drawn(window: Window, overlay: Overlay) -> None:
    def draw() -> None:
        imgui.get_background_draw_list().add_rect_filled((220, 10), (240, 30), 0xFF0000FF)
        imgui.get_window_draw_list().add_rect_filled((20, 20), (40, 40), 0xFF00FF00)
        imgui.get_foreground_draw_list().add_rect_filled((220, 50), (240, 70), 0xFFFF0000)

    show(overlay, draw, frames=2)
    image = pixels(window)[..., :3]
    assert (image[10:30, 220:240] == (255, 0, 0)).all()
    assert (image[20:40, 20:40] == (0, 255, 0)).all()
    assert (image[50:70, 220:240] == (0, 0, 255)).all()


def test_clip_rectangles_cut(window: Window, overlay: Overlay) -> None:
    def draw() -> None:
        brush = imgui.get_window_draw_list()
        brush.push_clip_rect((50, 60), (70, 90))
        brush.add_rect_filled((0, 0), SIZE, 0xFFFFFFFF)
        brush.pop_clip_rect()

    show(overlay, draw, frames=2)
    white = (pixels(window)[..., :3] == 255).all(axis=2)
    assert white[60:90, 50:70].all()
    assert white.sum() == 20 * 30


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
    def picture_of(text: str) -> np.ndarray:
        window.clear()
        show(overlay, lambda: imgui.text(text))
        return pixels(window)

    texts = ["aaa", "§ü°", "ŵĸß", "aaa"]
    show(overlay)
    at_first = [picture_of(text) for text in texts]
    texture = next(iter(overlay.textures.values()))
    assert overlay.textures == {texture.glo: texture}
    overlay.close()
    overlay.__init__(window.ctx, window, None)  # whose first texture has all the letters
    show(overlay, lambda: imgui.text("".join(texts)))
    assert all((picture_of(text) == image).all() for text, image in zip(texts, at_first, strict=True))
    assert (at_first[0] == at_first[3]).all()
    assert (at_first[0] != at_first[1]).any()


def test_font_file_missing(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.overlay_style.FONT", Path("no such font"))
    overlay = Overlay(window.ctx, window, None)
    sizes = []

    def draw() -> None:
        imgui.text("22.5°")
        sizes.append(imgui.get_font_size())

    show(overlay, draw, frames=2)
    assert sizes == [16, 16]
    assert inside(pixels(window))[..., :3].max() > 200
    overlay.close()


def test_a_frame_without_widgets(window: Window, overlay: Overlay) -> None:
    window.clear(0.0, 1.0, 0.0, 1.0)
    with overlay.frame(1 / 60):
        pass
    assert (pixels(window) == (0, 255, 0, 255)).all()


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
    window.clear(0.0, 1.0, 0.0, 1.0)
    show(overlay, imgui.show_style_editor, frames=2)
    if min(size) == 0:
        assert (pixels(window) == (0, 255, 0, 255)).all()
    resize(window, SIZE)
    show(overlay)
    assert tuple(imgui.get_io().display_size) == SIZE
    assert tuple(imgui.get_io().display_framebuffer_scale) == (1, 1)


@pytest.mark.parametrize(
    ("native", "ratio", "scale"),
    [(1.0, 1.0, 1.0), (1.5, 1.0, 1.5), (2.0, 2.0, 1.0), (0.75, 1.0, 1.0), (40.0, 1.0, 4.0)],
)
def test_display_scale_leaves_out_what_the_framebuffer_adds(
    native: float, ratio: float, scale: float
) -> None:
    window: Any = SimpleNamespace(name="pyglet", _window=SimpleNamespace(scale=native))
    assert display_scale(window, ratio) == scale


def test_text_follows_the_display(overlay: Overlay, monkeypatch: pytest.MonkeyPatch) -> None:
    heights = []

    def measure() -> None:
        heights.append((imgui.get_font_size(), imgui.get_frame_height()))

    for scale in 1.0, 1.5, 2.0, 1.0:
        monkeypatch.setattr(overlay_module, "display_scale", lambda _window, _ratio, scale=scale: scale)
        show(overlay, measure)
    assert heights == [(16, 24), (24, 36), (32, 48), (16, 24)]


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
