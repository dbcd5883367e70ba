"""The panel's list of presets: found by title or tag, started, saved, deleted."""

from imgui_bundle import imgui

from app.gallery import favourites_first, fits
from app.panel_cards import CLICKS, mark_favourite, start
from app.sliders import tip
from app.studio import Studio
from presets import Entry

LINES = 7  # of the list that are seen at once
TAGS = 9.0  # font sizes from the list's edge to a preset's tags, where its title leaves room


class PresetsPanel:
    """Keeps what a person is typing, and which preset was to be deleted."""

    def __init__(self) -> None:
        self.wanted = self.title = self.deleting = ""

    def draw(self, studio: Studio) -> None:
        """The section's content."""
        imgui.set_next_item_width(-imgui.get_font_size() * 6)
        _, self.wanted = imgui.input_text_with_hint("##wanted", "find a title or tag", self.wanted)
        imgui.same_line()
        if imgui.button("Wall", imgui.ImVec2(-1, 0)):
            studio.toggle_gallery()
        tip("All presets as pictures (P).")
        lines = min(len(studio.presets), LINES) + 0.3
        if imgui.begin_list_box(
            "##presets", imgui.ImVec2(-1, lines * imgui.get_text_line_height_with_spacing())
        ):
            for entry in favourites_first(studio.presets, studio.settings.favourites):
                if fits(entry, self.wanted):
                    self._draw_entry(studio, entry)
            imgui.end_list_box()
        tip(f"{CLICKS} Favourites stand first; they are marked on the wall.")
        self._draw_saving(studio)

    def _draw_saving(self, studio: Studio) -> None:
        imgui.set_next_item_width(-imgui.get_font_size() * 6)
        entered, self.title = imgui.input_text_with_hint(
            "##title", "name of your look", self.title, imgui.InputTextFlags_.enter_returns_true
        )
        imgui.same_line()
        title = self.title.strip()
        replaces = bool(title) and studio.replaces(title)
        imgui.begin_disabled(not title)
        pressed = imgui.button("Replace" if replaces else "Save as", imgui.ImVec2(-1, 0))
        if (pressed or (entered and title and not replaces)) and studio.save_preset(title, replaces):
            self.title = ""
        imgui.end_disabled()

    def _draw_entry(self, studio: Studio, entry: Entry) -> None:
        imgui.push_id(entry.name)
        if entry.preset is None:
            imgui.text_disabled(f"{entry.name} (broken)")
            tip(entry.error or "")
        else:
            here = entry.name == studio.session.preset.name
            clicked, _ = imgui.selectable(entry.preset.title, here, imgui.SelectableFlags_.allow_overlap)
            if entry.name in studio.settings.favourites:
                mark_favourite(entry.preset.title)
            if clicked:
                start(studio, entry.preset)
            if entry.preset.tags:
                size = imgui.get_font_size()
                imgui.same_line(max(TAGS * size, imgui.calc_text_size(entry.preset.title).x + size))
                imgui.text_disabled(", ".join(entry.preset.tags))
        if entry.own:
            imgui.same_line(imgui.get_content_region_avail().x - imgui.get_font_size() * 3.5)
            sure = self.deleting == entry.name
            if imgui.small_button("sure?" if sure else "delete"):
                self.deleting = "" if sure else entry.name
                if sure:
                    studio.delete_preset(entry.name)
        imgui.pop_id()
