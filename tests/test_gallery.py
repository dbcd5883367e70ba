"""The wall of presets without its drawing: what is found, in which order, and where keys lead."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import presets
from app import gallery
from app.gallery import Filter
from presets import Preset
from presets.shelf import Entry

WORDS = st.sampled_from(["veins", "soft", "Fine", "Night", "moss", "cells"])
TAGS = st.lists(WORDS.map(str.lower), max_size=3, unique=True).map(tuple)


@st.composite
def cards(draw: st.DrawFn) -> Entry[Preset]:
    name = draw(st.text("abcdef", min_size=1, max_size=4))
    own = draw(st.booleans())
    if own and draw(st.integers(0, 4)) == 0:
        return Entry(name, Path(name), own, None, "It is broken.")
    title = " ".join(draw(st.lists(WORDS, min_size=1, max_size=3)))
    return Entry(name, Path(name), own, Preset(name, title, tags=draw(TAGS)))


LISTS = st.lists(cards(), max_size=12)


@given(LISTS, st.lists(WORDS, max_size=3))
def test_what_is_found_has_every_word_in_any_case_and_order(listed, words) -> None:
    found = gallery.chosen(listed, Filter(" ".join(words)), ())
    for card in listed:
        text = f"{gallery.title_of(card)} {' '.join(gallery.tags_of(card))}".casefold()
        assert (card in found) == all(word.casefold() in text for word in words)
    again = gallery.chosen(listed, Filter("  ".join(word.upper() for word in reversed(words))), ())
    assert again == found


def test_presets_are_found_by_title_and_tag() -> None:
    entry = Entry("mesh", Path("mesh.toml"), False, Preset("mesh", "Fine mesh", tags=("networks", "slow")))
    assert all(gallery.fits(entry, wanted) for wanted in ("", "MESH", "net", " slow fine "))
    assert not any(gallery.fits(entry, wanted) for wanted in ("cells", "mesh fast"))
    broken = Entry("odd", Path("odd.toml"), True, None, "It is broken.")
    assert gallery.fits(broken, "od")
    assert (gallery.about(broken), gallery.about(entry)) == ("It is broken.", "Fine mesh\nnetworks, slow")


@given(LISTS, st.text(max_size=6))
def test_typing_on_only_narrows_what_is_found(listed, text) -> None:
    before = listed
    for end in range(len(text) + 1):
        found = gallery.chosen(before, Filter(text[:end]), ())
        assert all(card in before for card in found)
        if not text[:end].endswith(tuple(" \t\n\r")):
            before = found


@given(LISTS, st.frozensets(WORDS.map(str.lower), max_size=2), st.booleans(), st.booleans())
def test_tags_stars_and_own_ones_narrow_together(listed, wanted, stars, own) -> None:
    favourites = {card.name for card in listed[::2]}
    found = gallery.chosen(listed, Filter(tags=wanted, favourites=stars, own=own), favourites)
    assert all(wanted <= set(gallery.tags_of(card)) for card in found)
    assert all(card.name in favourites for card in found if stars)
    assert all(card.own for card in found if own)
    everything = gallery.chosen(listed, Filter(), favourites)
    assert [card for card in everything if Filter("", wanted, stars, own).takes(card, favourites)] == found


def test_a_tag_clicked_twice_is_let_go() -> None:
    once = Filter("moss").toggled("soft")
    assert once == Filter("moss", frozenset({"soft"}))
    assert once.toggled("soft") == Filter("moss")


@given(LISTS)
def test_families_hold_each_preset_once_and_what_is_broken_stands_last(listed) -> None:
    groups = gallery.families(listed)
    assert sorted(id(card) for _, group in groups for card in group) == sorted(map(id, listed))
    headings = [heading for heading, _ in groups]
    assert len(set(headings)) == len(headings)
    assert gallery.BROKEN not in headings[:-1]
    for heading, group in groups:
        for card in group:
            assert heading == (
                gallery.BROKEN if card.preset is None else gallery.family(card.preset) or gallery.OTHERS
            )


def test_the_shipped_presets_stand_family_by_family() -> None:
    listed = presets.listing(None)
    groups = gallery.families(listed)
    assert [heading for heading, _ in groups][:3] == ["veins", "networks", "cells"]
    assert gallery.tags(listed)[: len(groups)] == [heading for heading, _ in groups]
    assert [card.name for card in gallery.favourites_first(listed, {"storm", "lace"})][:3] == [
        "lace",
        "storm",
        "veins",
    ]


SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=5)


@given(SIZES, st.integers(1, 6))
def test_rows_hold_all_cards_in_order_and_begin_anew_with_a_family(sizes, columns) -> None:
    rows = gallery.rows(sizes, columns)
    assert [card for row in rows for card in row] == list(range(sum(sizes)))
    starts = {row[0] for row in rows}
    assert all(sum(sizes[:family]) in starts for family in range(len(sizes)))
    assert all(1 <= len(row) <= columns for row in rows)


@given(
    SIZES, st.integers(1, 6), st.lists(st.sampled_from([(1, 0), (-1, 0), (0, 1), (0, -1), (0, 3), (999, 0)]))
)
def test_keys_stay_on_the_wall_and_keep_their_column(sizes, columns, keys) -> None:
    rows = gallery.rows(sizes, columns)
    at = 0
    for across, down in keys:
        before, at = at, gallery.moved(rows, at, across, down)
        assert 0 <= at < sum(sizes)
        if across:
            assert at == min(max(before + across, 0), sum(sizes) - 1)
        else:
            old, new = (next(row for row in rows if card in row) for card in (before, at))
            assert new.index(at) == min(old.index(before), len(new) - 1)
            assert rows.index(new) == min(max(rows.index(old) + down, 0), len(rows) - 1)


def test_a_card_that_is_gone_counts_as_the_last() -> None:
    assert gallery.moved([[0, 1], [2]], 7, 0, 0) == 2
    assert gallery.place_of([], lambda card: True) == 0


@pytest.mark.parametrize(
    ("width", "side_by_side"), [(10, 1), (99, 1), (100, 1), (210, 2), (209.9, 1), (650, 6)]
)
def test_as_many_columns_as_there_is_room_for(width, side_by_side) -> None:
    assert gallery.columns(width, 100, 10) == side_by_side
