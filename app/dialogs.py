"""What appears over the picture by itself: questions, notices, the brush."""

import time
from pathlib import Path

from imgui_bundle import imgui

from app.autosave import Lost
from app.sliders import tip
from app.studio import Studio

MARGIN = 0.75  # of the font size, between things and the window's edge
FIXED = (
    imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_resize
    | imgui.WindowFlags_.no_collapse
    | imgui.WindowFlags_.no_saved_settings
)
TOAST = (
    FIXED
    | imgui.WindowFlags_.no_title_bar
    | imgui.WindowFlags_.always_auto_resize
    | imgui.WindowFlags_.no_inputs
)

# Of the brush's ring, on each layer.
TINTS = {
    "trail": (1.0, 1.0, 1.0),
    "food": (0.70, 0.95, 0.35),
    "wall": (1.0, 0.62, 0.45),
    "mask": (0.72, 0.62, 1.0),
}


def draw_questions(studio: Studio) -> None:
    """What the program asks: to quit, to go to a picture's step, or what a picture is for."""
    if studio.asking_to_quit:
        centre("##quit")
        imgui.text("Quit Physarium?")
        if imgui.button("Quit"):
            studio.quit()
        imgui.same_line()
        if imgui.button("Stay"):
            studio.escape()
        imgui.end()
    lost = studio.autosave.lost if studio.autosave else None
    if lost:
        _ask_about(studio, lost)
    elif studio.offer:
        centre("##offer")
        imgui.text(f"This picture was taken at step {studio.offer.step:,}.")
        if studio.offer.lacks:
            imgui.text_disabled(studio.offer.lacks)
        if imgui.button("Go there"):
            studio.accept_offer()
        imgui.same_line()
        if imgui.button("Start from the beginning"):
            studio.decline_offer()
        imgui.end()
    if studio.picture:
        _ask_what_for(studio, studio.picture)
    if studio.replay:
        centre("##goal")
        imgui.text("Repeating the run ...")
        imgui.progress_bar(
            studio.replay.done, imgui.ImVec2(imgui.get_font_size() * 16, 0), f"step {studio.session.steps:,}"
        )
        imgui.end()


def _ask_about(studio: Studio, lost: Lost) -> None:
    """Whether to bring back what a crash has ended."""
    centre("##lost")
    record, when = lost.record, time.strftime("%x %H:%M", time.localtime(lost.saved))
    imgui.text("Physarium was not closed in good order last time.")
    imgui.text_disabled(f"{record.preset.title}, step {record.step:,}, saved {when}")
    if imgui.button("Restore"):
        studio.restore_lost()
    tip("Steps through that run again, up to where it was saved last.")
    imgui.same_line()
    if imgui.button("Start fresh"):
        studio.leave_lost()
    tip("Leaves it; its file is kept for a while.")
    imgui.end()


def _ask_what_for(studio: Studio, picture: Path) -> None:
    """What a dropped picture is to be used as."""
    centre("##picture")
    imgui.text(f"Use {picture.name} as")
    imgui.text_disabled("Its bright parts count. The world starts again.")
    for label, use in (("Start", "start"), ("Food", "food"), ("Walls", "wall"), ("Mask", "mask")):
        if imgui.button(label):
            studio.use_picture(use)
        imgui.same_line()
    if imgui.button("Nothing"):
        studio.decline_picture()
    imgui.end()


def draw_notices(studio: Studio) -> None:
    """Sentences at the bottom, for a few seconds."""
    texts = studio.notices.current()
    if not texts:
        return
    viewport, edge = imgui.get_main_viewport(), imgui.get_font_size() * MARGIN
    where = imgui.ImVec2(viewport.size.x / 2, viewport.size.y - edge)
    imgui.set_next_window_pos(where, pivot=imgui.ImVec2(0.5, 1.0))
    imgui.begin("##notices", None, TOAST)
    imgui.push_text_wrap_pos(min(viewport.size.x * 0.8, imgui.get_font_size() * 48))
    for text in texts:
        imgui.text_wrapped(text)
    imgui.pop_text_wrap_pos()
    imgui.end()


def draw_brush(studio: Studio) -> None:
    """A ring of the brush's size at the cursor, over the picture only; inside, where its edge begins."""
    io = imgui.get_io()
    if io.want_capture_mouse or not imgui.is_mouse_pos_valid() or not studio.panel:
        return
    pixels_per_point = studio.view.target[0] / max(1.0, io.display_size.x)
    radius = studio.brush.radius * studio.view.scale / pixels_per_point
    red, green, blue = TINTS[studio.layer]
    draw = imgui.get_background_draw_list()
    ring = imgui.color_convert_float4_to_u32(imgui.ImVec4(red, green, blue, 0.6))
    draw.add_circle(io.mouse_pos, radius, ring, 0, 1.0)
    if studio.layer != "trail":  # whose strokes have one shape
        core = imgui.color_convert_float4_to_u32(imgui.ImVec4(red, green, blue, 0.3))
        draw.add_circle(io.mouse_pos, radius * studio.brush.hardness / 100, core, 0, 1.0)


def centre(name: str) -> None:
    """Begins a small window in the middle; "##" before its name hides the title."""
    viewport = imgui.get_main_viewport()
    middle = imgui.ImVec2(viewport.size.x / 2, viewport.size.y / 2)
    imgui.set_next_window_pos(middle, pivot=imgui.ImVec2(0.5, 0.5))
    flags = FIXED | imgui.WindowFlags_.always_auto_resize
    imgui.begin(name, None, flags | (imgui.WindowFlags_.no_title_bar if name.startswith("##") else 0))
