"""The wall of presets: all of them as pictures, found by word, tag and star, started by mouse or keys."""

import dataclasses
from pathlib import Path

from imgui_bundle import imgui

from app import gallery
from app.dialogs import FIXED
from app.gallery import Card, Filter
from app.overlay_style import ACCENT
from app.panel_cards import (
    SHAPE,
    SMALL,
    bring_into_sight,
    chip,
    colour,
    draw_error,
    draw_hints,
    draw_palette,
    draw_star,
    draw_waiting,
    draw_words,
    frame,
    over_star,
    start,
)
from app.panel_pictures import Picture, Pictures
from app.sliders import tip
from app.studio import Studio
from app.thumbnails import Thumbnails

CARD, GAP, MARGIN = 13.2, 0.9, 1.5  # a card's least width, what is between cards, the wall's edge; font sizes
INSET = 0.2  # font sizes from the edge of what scrolls to the cards
LARGE = 1.6  # of the font size
FADE = 0.25  # seconds in which a picture appears
PAGE = 3  # rows
SETTLING = 3  # frames that imgui takes until it knows how far can be scrolled
HINTS = (
    ("Click or Enter", "starts"),
    ("Shift", "the agents live on"),
    ("Ctrl", "morphs"),
    ("F", "favourite"),
    ("/", "finds"),
    ("Esc", "closes"),
)

WALL = FIXED | imgui.WindowFlags_.no_title_bar | imgui.WindowFlags_.no_scrollbar
STEPS = {
    imgui.Key.left_arrow: (-1, 0),
    imgui.Key.right_arrow: (1, 0),
    imgui.Key.up_arrow: (0, -1),
    imgui.Key.down_arrow: (0, 1),
    imgui.Key.page_up: (0, -PAGE),
    imgui.Key.page_down: (0, PAGE),
    imgui.Key.home: (-(10**6), 0),
    imgui.Key.end: (10**6, 0),
}


class GalleryPanel:
    """Fills the window while `Studio.gallery` is true; holds pictures only meanwhile.

    Args:
        folder: Where pictures of a person's own presets are kept; left out, the platform's.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.thumbnails = Thumbnails(folder)
        self.pictures: Pictures[Path] = Pictures()
        self.asked: set[str] = set()  # presets whose picture was looked for
        self.lacking: set[str] = set()  # and those of them that have none yet
        self.open = False
        self.wanted = Filter()
        self.at = 0  # the card that the keys are on
        self.cards: list[Card] = []
        self.rows: gallery.Rows = []
        self.follow = 0  # frames in which that card is still brought into sight
        self.typing = False  # go to the field of words

    def draw(self, studio: Studio) -> None:
        """One frame of the wall, if it is shown."""
        self.pictures.begin()
        self.thumbnails.work()
        if not studio.gallery:
            if self.open:
                self.pictures.clear()
                self.open = False
            return
        self._choose(studio)
        if not self.open:
            self._begin(studio)
        else:
            self._keys(studio)
        imgui.set_next_frame_want_capture_keyboard(studio.gallery)
        viewport, size = imgui.get_main_viewport(), imgui.get_font_size()
        imgui.set_next_window_pos(imgui.ImVec2(0, 0))
        imgui.set_next_window_size(viewport.size)
        imgui.push_style_var(imgui.StyleVar_.window_rounding, 0.0)
        imgui.push_style_var(imgui.StyleVar_.window_border_size, 0.0)
        imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(size * MARGIN, size))
        imgui.begin("##gallery", None, WALL)
        imgui.pop_style_var(3)
        self._draw_head(studio)
        self._draw_tags(studio)
        foot = imgui.get_text_line_height_with_spacing()
        imgui.begin_child("##cards", imgui.ImVec2(0, -foot))
        self._draw_families(studio)
        imgui.end_child()
        draw_hints(HINTS)
        imgui.end()

    def close(self) -> None:
        """Ends what works beside the show."""
        self.thumbnails.close()

    def _begin(self, studio: Studio) -> None:
        """The wall opens: all presets, and the keys are on the one that is shown."""
        self.open, self.follow = True, SETTLING
        self.wanted = Filter()
        self.asked.clear()
        self._choose(studio)
        self.at = gallery.place_of(self.cards, lambda card: card.name == studio.session.preset.name)

    def _choose(self, studio: Studio) -> None:
        self.cards = gallery.chosen(studio.presets, self.wanted, studio.settings.favourites)
        self.at = min(self.at, max(0, len(self.cards) - 1))

    def _look_for(self, wanted: Filter) -> None:
        if wanted != self.wanted:
            self.wanted, self.at, self.follow = wanted, 0, SETTLING

    # Keys

    def _keys(self, studio: Studio) -> None:
        """What keys do; while words are typed most belong to the field."""
        io = imgui.get_io()
        typing = io.want_text_input
        for key, (across, down) in STEPS.items():
            if imgui.is_key_pressed(key) and self.rows and self.cards and not (typing and across):
                self.at = gallery.moved(self.rows, self.at, across, down)
                self.follow = SETTLING
        if _pressed(imgui.Key.enter, imgui.Key.keypad_enter) and self.cards:
            self._start(studio, self.cards[self.at])
        if typing:
            return
        if _pressed(imgui.Key.escape, imgui.Key.p):
            studio.gallery = False
        if _pressed(imgui.Key.slash) or (io.key_ctrl and _pressed(imgui.Key.f)):
            self.typing = True
        elif _pressed(imgui.Key.f) and self.cards and self.cards[self.at].preset:
            studio.settings.toggle_favourite(self.cards[self.at].name)

    def _start(self, studio: Studio, card: Card) -> None:
        """Shows a preset, and closes the wall."""
        if card.preset:
            studio.gallery = False
            start(studio, card.preset)

    # Head

    def _draw_head(self, studio: Studio) -> None:
        """Title, the field of words, how many there are, and a way out."""
        size = imgui.get_font_size()
        imgui.push_font(None, imgui.get_style().font_size_base * LARGE)
        imgui.text("Presets")
        imgui.pop_font()
        imgui.same_line(0, size * 1.5)
        imgui.set_cursor_pos_y(imgui.get_cursor_pos_y() + size * (LARGE - 1) * 0.2)
        imgui.set_next_item_width(size * 17)
        if self.typing:
            imgui.set_keyboard_focus_here()
            self.typing = False
        _, words = imgui.input_text_with_hint("##words", "find a title or tag", self.wanted.words)
        tip("Words of titles and tags, in any order. Press / to come here from the keys.")
        self._look_for(dataclasses.replace(self.wanted, words=words))
        imgui.same_line(0, size)
        imgui.align_text_to_frame_padding()
        there = len(studio.presets)
        imgui.text_disabled(f"{len(self.cards)} of {there}" if len(self.cards) < there else f"{there} looks")
        imgui.same_line(imgui.get_window_width() - size * MARGIN - imgui.get_frame_height())
        if imgui.button("x##close", imgui.ImVec2(imgui.get_frame_height(), 0)):
            studio.gallery = False
        tip("Back to the picture (Esc or P).")

    def _draw_tags(self, studio: Studio) -> None:
        """What can be looked for by a click: favourites, the person's own, and all tags."""
        stars, own = self.wanted.favourites, self.wanted.own
        left = {tag for card in self.cards for tag in gallery.tags_of(card)}
        if chip("favourites", "Only those with a star.", stars, bool(studio.settings.favourites), first=True):
            self._look_for(dataclasses.replace(self.wanted, favourites=not stars))
        if chip("yours", "Only those you saved.", own, any(card.own for card in studio.presets)):
            self._look_for(dataclasses.replace(self.wanted, own=not own))
        for tag in gallery.tags(studio.presets):
            if chip(tag, "Only those with this tag.", tag in self.wanted.tags, tag in left):
                self._look_for(self.wanted.toggled(tag))
        imgui.dummy(imgui.ImVec2(0, imgui.get_font_size() * 0.2))

    # Cards

    def _draw_families(self, studio: Studio) -> None:
        """All cards under their headings."""
        size = imgui.get_font_size()
        imgui.indent(size * INSET)  # what frames a card is seen whole
        width, gap = imgui.get_content_region_avail().x - size * 2 * INSET, size * GAP
        columns = gallery.columns(width, size * CARD, gap)
        card_width = (width - gap * (columns - 1)) / columns
        area = imgui.ImVec2(card_width, card_width / SHAPE + size * (1.25 + SMALL))
        whole = self.wanted == Filter()  # what is found stands together, without headings
        groups = gallery.families(self.cards) if whole else [("", self.cards)] if self.cards else []
        self.rows = gallery.rows([len(group) for _, group in groups], columns)
        if not self.cards:
            imgui.dummy(imgui.ImVec2(0, size * 2))
            imgui.text_disabled("No preset has all of these.")
        index = 0
        for heading, group in groups:
            imgui.dummy(imgui.ImVec2(0, size * 0.3))
            if heading:
                imgui.text_colored(imgui.ImVec4(*ACCENT, 1), heading)
            for column, card in enumerate(group):
                if column % columns:
                    imgui.same_line(0, gap)
                self._draw_card(studio, card, index, area)
                index += 1
        imgui.unindent(size * INSET)
        self.follow = max(0, self.follow - 1)

    def _draw_card(self, studio: Studio, card: Card, index: int, area: imgui.ImVec2) -> None:
        """A preset's picture, star, title and tags."""
        if self.follow and index == self.at:
            bring_into_sight(area)
        imgui.push_id(card.name)
        corner = imgui.get_cursor_screen_pos()
        clicked = imgui.invisible_button("card", area)
        if imgui.is_item_visible():
            over = imgui.is_item_hovered()
            on_star = over and card.preset is not None and over_star(corner, area)
            if clicked and on_star:
                studio.settings.toggle_favourite(card.name)
            elif clicked:
                self.at = index
                self._start(studio, card)
            self._draw_picture(card, corner, area, over)
            draw_words(card, card.name == studio.session.preset.name, self.wanted != Filter(), corner, area)
            starred = card.name in studio.settings.favourites
            if card.preset and (starred or over or index == self.at):
                draw_star(corner, area, starred, on_star)
            if index == self.at:
                frame(corner, area, ACCENT, 1.0)
            elif over:
                frame(corner, area, (1.0, 1.0, 1.0), 0.5)
            tip(gallery.about(card))
        imgui.pop_id()

    def _draw_picture(self, card: Card, corner: imgui.ImVec2, area: imgui.ImVec2, over: bool) -> None:
        draw, rounding = imgui.get_window_draw_list(), imgui.get_style().frame_rounding
        end = imgui.ImVec2(corner.x + area.x, corner.y + area.x / SHAPE)
        picture = self._picture(card)
        shown = min(1.0, (imgui.get_time() - picture.since) / FADE) if picture else 0.0
        if card.preset is None:
            draw.add_rect_filled(corner, end, colour(0.25, 0.09, 0.06, 0.5), rounding)
            draw_error(card.error or "", corner, end)
        elif shown < 1:
            draw_palette(card.preset.params.palette, corner, end)
            if card.name in self.lacking and self.thumbnails.pending(card):
                draw_waiting(corner, end)
        if picture:
            tint = colour(1, 1, 1, shown * (1.0 if over else 0.94))
            nought, whole = imgui.ImVec2(0, 0), imgui.ImVec2(1, 1)
            draw.add_image_rounded(picture.texture, corner, end, nought, whole, tint, rounding)

    def _picture(self, card: Card) -> Picture | None:
        """The card's picture, if it is there and there is time for it in this frame."""
        if card.name not in self.asked:  # looking for one takes as long as loading one
            if self.pictures.room <= 0:
                return None
            self.pictures.room -= 1
            self.asked.add(card.name)
        path = self.thumbnails.path(card)
        (self.lacking.discard if path else self.lacking.add)(card.name)
        return self.pictures.get(path, lambda: self.thumbnails.pixels(path)) if path else None


def _pressed(*keys: imgui.Key) -> bool:
    return any(imgui.is_key_pressed(key, False) for key in keys)
