"""The panel's section on what was: a strip of moments to go back to, and what can be undone."""

from imgui_bundle import imgui

from app.moments import Kept, mebibytes, size
from app.overlay_style import ACCENT
from app.panel_cards import colour
from app.panel_pictures import Pictures
from app.sliders import LOG, tip
from app.studio import Studio

STRIP, LIST = 4.2, 11.0  # heights in font sizes
SLOWEST = 120.0  # seconds between moments of the clock
LEAST, MOST = 16, 1 << 14  # MiB of the budget
NOW = imgui.ImVec4(*ACCENT, 1.0)
OF_HAND, OF_CLOCK = (*ACCENT, 0.9), (1.0, 1.0, 1.0, 0.18)  # frames


class HistoryPanel:
    """Holds the textures of the strip."""

    def __init__(self) -> None:
        self.pictures: Pictures[int] = Pictures()
        self.shown: object = None  # the latest moment that was scrolled to
        self.at = 0  # the entry that was

    def draw(self, studio: Studio) -> None:
        """The section's content."""
        self.pictures.begin()
        _draw_buttons(studio)
        self._draw_strip(studio)
        self._draw_entries(studio)
        _draw_budget(studio)

    def _draw_strip(self, studio: Studio) -> None:
        """A picture of each moment, the latest at the right."""
        strip = studio.moments.strip
        if not strip:
            imgui.text_disabled("Moments to go back to appear here while the world goes on.")
            return
        high = imgui.get_font_size() * STRIP
        room = imgui.ImVec2(-1, high + imgui.get_style().scrollbar_size + 2)
        imgui.begin_child("##strip", room, 0, imgui.WindowFlags_.horizontal_scrollbar)
        chosen: Kept | None = None
        for number, kept in enumerate(strip):
            if number:
                imgui.same_line(0, 3)
            if self._draw_moment(studio, kept, high):
                chosen = kept
        if strip[-1] is not self.shown:
            self.shown = strip[-1]
            imgui.set_scroll_here_x(1.0)
        imgui.end_child()
        if chosen:
            studio.go_back_to(chosen)

    def _draw_moment(self, studio: Studio, kept: Kept, high: float) -> bool:
        """One picture; returns whether it was clicked."""
        shape = kept.picture.shape[1] / kept.picture.shape[0] if kept.picture is not None else 1.5
        area = imgui.ImVec2(high * shape, high)
        corner = imgui.get_cursor_screen_pos()
        clicked: bool = imgui.invisible_button(f"##{kept.number}", area)
        end = imgui.ImVec2(corner.x + area.x, corner.y + area.y)
        draw = imgui.get_window_draw_list()
        if imgui.is_item_visible() and (picture := self.pictures.get(kept.number, lambda: kept.picture)):
            draw.add_image(picture.texture, corner, end)
        else:
            draw.add_rect_filled(corner, end, colour(1, 1, 1, 0.05))
        here = kept is studio.here or imgui.is_item_hovered()
        frame = (1.0, 1.0, 1.0, 0.9) if here else OF_HAND if kept.by == "hand" else OF_CLOCK
        draw.add_rect(corner, end, colour(*frame), thickness=2.0 if here or kept.by == "hand" else 1.0)
        moment = kept.moment
        how = "kept by hand" if kept.by == "hand" else "kept by the clock"
        tip(
            f"{moment.preset.title}, step {moment.step:,}\n{how}, {mebibytes(size([moment]))}\n\n"
            "Click to go on from here; that can be undone. Right-click to let it go."
        )
        if imgui.is_item_clicked(1):
            studio.moments.forget(kept)
        return clicked

    def _draw_entries(self, studio: Studio) -> None:
        """What was done, the latest below; what was undone is dim."""
        history = studio.history
        half = (imgui.get_content_region_avail().x - imgui.get_style().item_spacing.x) / 2
        imgui.begin_disabled(not history.at)
        if imgui.button("Undo", imgui.ImVec2(half, 0)):
            studio.undo()
        imgui.end_disabled()
        tip("Takes the last gesture back (Ctrl+Z).")
        imgui.same_line()
        imgui.begin_disabled(history.at == len(history.entries))
        if imgui.button("Redo", imgui.ImVec2(-1, 0)):
            studio.redo()
        imgui.end_disabled()
        tip("Does again what was undone (Ctrl+Shift+Z or Ctrl+Y).")
        lines = min(len(history.entries) + 1, LIST / 1.2)
        high = imgui.get_text_line_height_with_spacing() * lines + imgui.get_style().window_padding.y
        imgui.begin_child("##entries", imgui.ImVec2(-1, high))
        wanted = history.at
        for number, label in enumerate(["beginning", *(entry.label for entry in history.entries)]):
            if _draw_entry(number, label, history.at):
                wanted = number
            if number == history.at != self.at:
                imgui.set_scroll_here_y(0.5)
        self.at = history.at
        imgui.end_child()
        if wanted != history.at:
            studio.go_to_entry(wanted)


def _draw_entry(number: int, label: str, at: int) -> bool:
    """A line of the list; returns whether it was clicked."""
    part = imgui.Col_.text_disabled if number > at else imgui.Col_.text
    ink = NOW if number == at else imgui.get_style().color_(part)
    imgui.push_style_color(imgui.Col_.text, ink)
    clicked: bool = imgui.selectable(f"{label}##{number}", number == at)[0]
    imgui.pop_style_color()
    tip("This is where you are." if number == at else "Click to go there.")
    return clicked


def _draw_buttons(studio: Studio) -> None:
    """To keep a moment by hand."""
    half = (imgui.get_content_region_avail().x - imgui.get_style().item_spacing.x) / 2
    if imgui.button("Snapshot", imgui.ImVec2(half, 0)):
        studio.snapshot()
    tip("Keeps this moment, agents and trail, in memory (S). Backspace goes back to it.")
    imgui.same_line()
    if imgui.button("Save to disk", imgui.ImVec2(-1, 0)):
        studio.snapshot(to_disk=True)
    tip("Writes this moment to a file (Shift+S). Drop that on the window to go on from it, bit for bit.")


def _draw_budget(studio: Studio) -> None:
    """How often the clock keeps a moment, and how much memory all of them take and may take."""
    moments = studio.moments
    text = "never" if moments.seconds < 1 else "every %.0f s"
    moved, seconds = imgui.slider_float("by the clock", moments.seconds, 0.0, SLOWEST, text, LOG)
    if moved:
        moments.seconds = seconds if seconds >= 1 else 0.0
    tip("How often a moment is kept while the world goes on; less often where that would cost time.")
    taken, budget = moments.size, moments.budget
    width = imgui.calc_item_width()
    imgui.progress_bar(taken / max(1, budget), imgui.ImVec2(width, 0), f"{mebibytes(taken)} taken")
    tip("What moments take, of what they may. The oldest of the clock go first, those kept by hand last.")
    moved, mib = imgui.slider_int("budget", budget >> 20, LEAST, MOST, "%d MiB", LOG)
    if moved:
        moments.budget = mib << 20
        moments.fit()
    where = "the GPU's memory" if studio.choice.backend == "cuda" else "main memory"
    tip(f"How much of {where} moments may take, those to undo to among them.")
