"""The panel's looks: a small picture of each to click, and the look of the moment to save."""

import functools

from imgui_bundle import imgui

from app.look_pictures import picture_of
from app.overlay_style import ACCENT
from app.panel_pictures import Pictures
from app.sliders import tip
from app.studio import Studio
from presets.looks import Entry

COLUMNS = 3
SHAPE = 16 / 9  # of a picture
GAP = 0.35  # font sizes between pictures
ROWS = 4.4  # that are seen at once


class LooksPanel:
    """Keeps what a person is typing, which look was to be deleted, and the pictures."""

    def __init__(self) -> None:
        self.title = self.deleting = ""
        self.pictures: Pictures[str] = Pictures()
        self.listed: list[Entry] = []  # of what the pictures are

    def draw(self, studio: Studio) -> None:
        """The section's content."""
        self.pictures.begin()
        if self.listed is not studio.wardrobe.entries:
            self.pictures.clear()
            self.listed = studio.wardrobe.entries
        size, width = imgui.get_font_size(), imgui.get_content_region_avail().x
        gap = GAP * size
        across = (width - imgui.get_style().scrollbar_size - (COLUMNS - 1) * gap) / COLUMNS
        area = imgui.ImVec2(across, across / SHAPE)
        worn = studio.wardrobe.name_of(studio.session.params)
        entries = studio.wardrobe.entries
        rows = min(ROWS, -(-len(entries) // COLUMNS))
        imgui.push_style_var(imgui.StyleVar_.item_spacing, imgui.ImVec2(gap, gap))
        imgui.begin_child("looks", imgui.ImVec2(0, rows * (area.y + gap)))
        for index, entry in enumerate(entries):
            if index % COLUMNS:
                imgui.same_line()
            self._draw_entry(studio, entry, area, entry.name == worn)
        imgui.end_child()
        imgui.pop_style_var()
        _, studio.wardrobe.kept = imgui.checkbox("keep it when the preset changes", studio.wardrobe.kept)
        tip("Presets you start are then seen in the look of now, instead of their own.")
        self._draw_saving(studio)
        self._draw_deleting(studio, next((e for e in entries if e.own and e.name == worn), None))

    def _draw_entry(self, studio: Studio, entry: Entry, area: imgui.ImVec2, worn: bool) -> None:
        """A look's picture, framed where it is the one on, with its title while the mouse is over it."""
        imgui.push_id(entry.name)
        clicked = imgui.invisible_button("look", area)
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        over = imgui.is_item_hovered()
        draw, rounding = imgui.get_window_draw_list(), imgui.get_style().frame_rounding
        look = entry.preset
        picture = self.pictures.get(entry.name, functools.partial(picture_of, entry)) if look else None
        if picture:
            nought, whole = imgui.ImVec2(0, 0), imgui.ImVec2(1, 1)
            draw.add_image_rounded(
                picture.texture, low, high, nought, whole, imgui.IM_COL32(255, 255, 255, 255), rounding
            )
        else:
            draw.add_rect_filled(low, high, imgui.get_color_u32(imgui.Col_.frame_bg), rounding)
        if worn or over:
            ring = imgui.ImVec4(*ACCENT, 1.0) if worn else imgui.ImVec4(1.0, 1.0, 1.0, 0.6)
            colour = imgui.color_convert_float4_to_u32(ring)
            draw.add_rect(low, high, colour, rounding, thickness=2.0 if worn else 1.0)
        if look:
            tip(look.title + (f"\n{', '.join(look.tags)}" if look.tags else ""))
        else:
            tip(entry.error or "")
        if clicked and look:
            studio.wear(look)
        imgui.pop_id()

    def _draw_saving(self, studio: Studio) -> None:
        imgui.set_next_item_width(-imgui.get_font_size() * 6)
        entered, self.title = imgui.input_text_with_hint(
            "##title of look", "name of this look", self.title, imgui.InputTextFlags_.enter_returns_true
        )
        tip("Saves exposure, tone, palettes, light and finish as they are now; any preset can be seen so.")
        imgui.same_line()
        title = self.title.strip()
        replaces = bool(title) and studio.wardrobe.replaces(title)
        imgui.begin_disabled(not title)
        pressed = imgui.button("Replace##look" if replaces else "Save as##look", imgui.ImVec2(-1, 0))
        tip("Writes a small file into your folder of looks.")
        if (pressed or (entered and title and not replaces)) and studio.save_look(title, replaces):
            self.title = ""
        imgui.end_disabled()

    def _draw_deleting(self, studio: Studio, own: Entry | None) -> None:
        """The way to delete the look that is on, if it is the person's own; it asks once."""
        if own is None:
            self.deleting = ""
            return
        sure = self.deleting == own.name
        if imgui.button("Sure?##look" if sure else "Delete this look of yours", imgui.ImVec2(-1, 0)):
            self.deleting = "" if sure else own.name
            if sure:
                studio.delete_look(own.name)
        tip("Deletes its file; the picture stays as it is.")
