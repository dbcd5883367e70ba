"""What a preset is."""

import dataclasses
import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from kernels.params import Params
from kernels.scene import Map, Start
from kernels.spec import Spec

if TYPE_CHECKING:
    from kernels.world import World

FORMAT = 1
MAX_TEXT = 500  # characters of a title or a credit
MAX_TAGS = 8
MAX_TAG = 24  # characters
MOST_LISTED = 12  # of known words, where none is near
DENSITY = Spec("density", 0.4, 0.001, 50.0, "agents per px", "World", "How crowded the field is.", "log")


@dataclasses.dataclass(frozen=True, slots=True)
class Preset:
    """A look: parameters, and the world they were made for, at any size.

    Attributes:
        name: What commands call it: the stem of its file.
        title: What people call it; any text of at most 500 characters.
        credit: Who made it.
        density: Agents per field pixel, 0.001 to 50, so that it looks alike at any size.
        params: The parameters.
        tags: What it is like, at most 8 words; the first is its family.
        shares: How the agents are dealt out to species, see `World`.
        start: Where they begin.
        map: The food, walls and mask that the field begins with.
        other: The look that the mask blends in, or None.
        words: What the start's image was made from, if it was words: a note.
        warnings: Sentences about what its file said and this version does not know.
    """

    name: str
    title: str
    credit: str = ""
    density: float = 0.4
    params: Params = dataclasses.field(default_factory=Params)
    tags: tuple[str, ...] = ()
    shares: tuple[float, ...] = (1.0,)
    start: Start = dataclasses.field(default_factory=Start)
    map: Map = dataclasses.field(default_factory=Map)
    other: Params | None = None
    words: str = ""
    warnings: tuple[str, ...] = dataclasses.field(default=(), compare=False)

    def with_density(self, density: float) -> "Preset":
        """The same look for another density, or the nearest one that a preset may have."""
        return dataclasses.replace(self, density=min(max(density, DENSITY.low), DENSITY.high))

    def agents(self, width: int, height: int) -> int:
        """How many agents a field of this size in pixels takes."""
        return max(1, round(self.density * width * height))

    def world(self, width: int, height: int, seed: str = "1", agents: int | None = None) -> "World":
        """A world to live in.

        Args:
            width: In px, 16 to 32768.
            height: In px, 16 to 32768.
            seed: Any text of at most 200 characters.
            agents: How many; left out, what the density says.

        Raises:
            ValueError: One of them is out of range.
        """
        from kernels.world import World  # NumPy comes with it: not for those who just list presets

        agents = self.agents(width, height) if agents is None else agents
        return World(width, height, agents, seed, self.shares, self.start, self.map)


def near(word: str, known: Iterable[str]) -> str:
    """Asks whether a known word was meant: "did you mean decay?"; "" where none is near."""
    found = difflib.get_close_matches(word.casefold(), list(known), 3, 0.6)
    return f"did you mean {' or '.join(found)}?" if found else ""


def nearest(word: str, known: Iterable[str]) -> str:
    """Ends a sentence about an unknown word: what was meant, or else what there is."""
    known = list(known)
    listed = ", ".join(known[:MOST_LISTED])
    more = f" and {len(known) - MOST_LISTED} more" if len(known) > MOST_LISTED else ""
    return near(word, known) or f"there are {listed}{more}."
