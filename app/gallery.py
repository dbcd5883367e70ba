"""The wall of presets without its drawing: what is found, under which heading, and where a key leads."""

import dataclasses
from collections.abc import Callable, Collection, Iterable, Sequence

from presets import Entry, Preset

Card = Entry  # what the wall shows of one

OTHERS = "others"  # the heading of presets without a tag
BROKEN = "cannot be read"  # and of files that hold no preset

Rows = list[list[int]]  # of cards, by their place in the order that they are shown in


@dataclasses.dataclass(frozen=True, slots=True)
class Filter:
    """What a person is looking for.

    Attributes:
        words: Each has to be in the title or in a tag.
        tags: The preset has to have all of them.
        favourites: Only those with a star.
        own: Only the person's own.
    """

    words: str = ""
    tags: frozenset[str] = frozenset()
    favourites: bool = False
    own: bool = False

    def takes(self, card: Card, favourites: Collection[str]) -> bool:
        """Whether a preset is among those looked for.

        Args:
            card: The preset's line in the list.
            favourites: The names of those with a star.
        """
        return (
            (card.own or not self.own)
            and (card.name in favourites or not self.favourites)
            and self.tags.issubset(tags_of(card))
            and fits(card, self.words)
        )

    def toggled(self, tag: str) -> "Filter":
        """With a tag more, or without it."""
        return dataclasses.replace(self, tags=self.tags ^ {tag})


def title_of(card: Card) -> str:
    """What people call it; of a broken file, its name."""
    return card.preset.title if card.preset else card.name


def tags_of(card: Card) -> tuple[str, ...]:
    """What it is like; nothing is known of a broken file."""
    return card.preset.tags if card.preset else ()


def about(card: Card) -> str:
    """What is known of a preset, in a few lines; of a broken file, why it cannot be read."""
    if card.preset is None:
        return card.error or ""
    lines = card.preset.title, ", ".join(card.preset.tags), card.preset.credit and f"by {card.preset.credit}"
    return "\n".join(line for line in lines if line)


def family(preset: Preset) -> str:
    """The first of a preset's tags; "" when it has none."""
    return preset.tags[0] if preset.tags else ""


def fits(card: Card, wanted: str) -> bool:
    """Whether every word of what a person is looking for begins or is in the entry's title or tags."""
    words = " ".join((title_of(card), *tags_of(card)))
    return all(word in words.casefold() for word in wanted.casefold().split())


def tags(cards: Iterable[Card]) -> list[str]:
    """All tags there are, once: families in the order in which they come, then the others by name."""
    cards = list(cards)
    families = dict.fromkeys(family(card.preset) for card in cards if card.preset and card.preset.tags)
    others = {tag for card in cards for tag in tags_of(card)}.difference(families)
    return [*families, *sorted(others)]


def families(cards: Iterable[Card]) -> list[tuple[str, list[Card]]]:
    """The presets under their headings, in the order in which each family comes first; broken files last."""
    found: dict[str, list[Card]] = {}
    for card in cards:
        heading = family(card.preset) or OTHERS if card.preset else BROKEN
        found.setdefault(heading, []).append(card)
    last = {OTHERS: 1, BROKEN: 2}
    return sorted(found.items(), key=lambda group: last.get(group[0], 0))


def favourites_first(cards: Iterable[Card], favourites: Collection[str]) -> list[Card]:
    """The presets with a star before the others, else in their order."""
    return sorted(cards, key=lambda card: card.name not in favourites)


def columns(width: float, card: float, gap: float) -> int:
    """How many cards of at least a width stand side by side, with gaps between them."""
    return max(1, int((width + gap) // (card + gap)))


def rows(sizes: Iterable[int], columns: int) -> Rows:
    """The cards of each row: those of a family begin a new one.

    Args:
        sizes: How many cards each family has, 1 or more.
        columns: How many there are side by side, 1 or more.
    """
    found: Rows = []
    first = 0
    for size in sizes:
        found += [
            list(range(start, min(start + columns, first + size)))
            for start in range(first, first + size, columns)
        ]
        first += size
    return found


def moved(rows: Sequence[Sequence[int]], at: int, across: int, down: int) -> int:
    """The card that a key leads to: along the rows as one reads, up and down in the same column.

    Args:
        rows: The cards of each row; there is one card at least.
        at: The card where one is; one that is not there counts as the last.
        across: How many cards further; at both ends it stays.
        down: How many rows further; a shorter row's last card is taken, and it stays in the last row.
    """
    last = rows[-1][-1]
    at = min(max(at, 0), last)
    if across:
        return min(max(at + across, 0), last)
    row = next(index for index, cards in enumerate(rows) if at in cards)
    column = list(rows[row]).index(at)
    goal = rows[min(max(row + down, 0), len(rows) - 1)]
    return goal[min(column, len(goal) - 1)]


def chosen(cards: Iterable[Card], wanted: Filter, favourites: Collection[str]) -> list[Card]:
    """The presets that are looked for, in the order in which all stand under their headings."""
    return [card for _, group in families(cards) for card in group if wanted.takes(card, favourites)]


def place_of(cards: Sequence[Card], found: Callable[[Card], bool]) -> int:
    """Where the first such preset stands; 0 where there is none."""
    return next((index for index, card in enumerate(cards) if found(card)), 0)
