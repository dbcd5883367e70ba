"""The wall of variations without its drawing: small living worlds, each a mutation of their parents."""

import dataclasses
from collections.abc import Collection

from app.backend import Choice
from app.differences import differences
from app.mutate import breed, mutate
from app.worlds import Worlds, small_world
from kernels.params import Params
from kernels.world import World
from presets import Preset

SIDES = 2, 3, 4, 5
SIDE, STRENGTH, PART = 3, 0.2, "both"  # to begin with
YOUNG, HURRY = 400, 16  # until this step a world may take so many steps a frame: patterns take time to grow


@dataclasses.dataclass(frozen=True, slots=True)
class Generation:
    """What a wall's looks follow from.

    Attributes:
        parents: One, whose mutations they are, or two, whose children.
        seed: What tells them from those of other generations.
        strength: How far mutations go, 0 to 1.
        part: What they move, of `mutate.PARTS`.
    """

    parents: tuple[Params, ...]
    seed: str
    strength: float
    part: str


class Wall:
    """A square of worlds: parents unchanged, and around them what becomes of them.

    Args:
        look: What the parent looks like now, and what all have in common.
        world: The world it lives in.
        choice: What computes the small ones.
        target: Width and height in framebuffer pixels that there are for all.
        locked: Names of parameters that stay as they are.
        seed: All looks follow from it, and from what is chosen.

    Attributes:
        side: How many stand side by side, of `SIDES`.
        generations: All there have been; the last is shown.
        worlds: Those that live now, row by row.
        looks: The parameters of each.
        hovered: The place under the mouse, or None.
        marked: The place that was chosen first to breed, or None.
        picture: Width and height in framebuffer pixels that each is shown in.

    Raises:
        MemoryError: The worlds do not fit.
    """

    def __init__(
        self, look: Preset, world: World, choice: Choice, target: tuple[int, int],
        locked: Collection[str] = (), seed: str = "1",
    ) -> None:  # fmt: skip
        self.look, self.world, self.choice = look, world, choice
        self.target = target
        self.locked = locked
        self.seed = seed
        self.hovered: int | None = None
        self.marked: int | None = None
        self.generations = [Generation((look.params,), f"{seed}.0", STRENGTH, PART)]
        self.made = 0  # generations, those gone back from included
        self._build(SIDE)

    def _build(self, side: int) -> None:
        """Worlds for another size of the square; all begin."""
        self.side = side
        self.picture = max(1, self.target[0] // side), max(1, self.target[1] // side)
        small = small_world(self.world, side * side, self.picture, self.choice)
        self.worlds = Worlds(self.look, small, side * side, self.choice)
        self._show()

    @property
    def generation(self) -> Generation:
        """The one that is shown."""
        return self.generations[-1]

    @property
    def homes(self) -> list[int]:
        """The places of the parents: from the middle on, or from the first where there is none."""
        first = self.side * self.side // 2 if self.side % 2 else 0
        return list(range(first, first + len(self.generation.parents)))

    def resize(self, side: int) -> None:
        """Shows more worlds, or fewer and larger ones."""
        if side != self.side:
            self._build(side)

    def _show(self, kept: Collection[int] = ()) -> None:
        """Lets all worlds of the generation begin, but those at the places that are kept."""
        self.marked = None
        self._look_anew()
        for place, params in enumerate(self.looks):
            if place not in kept:
                self.worlds.begin(place, params)

    def _look_anew(self) -> None:
        self.looks = self._offspring()
        self.told: dict[int, list[str]] = {}  # what tells each from its parent, once somebody asked

    def _offspring(self) -> list[Params]:
        """The look of each place; a child's follows from its number, wherever the parents stand."""
        generation, species = self.generation, self.world.species
        parents = generation.parents
        children = []
        for number in range(self.side * self.side - len(parents)):
            own = f"{generation.seed}/{number}"
            if len(parents) == 1:
                child = mutate(
                    parents[0], generation.strength, self.locked, own, part=generation.part, species=species
                )
            else:
                child = breed(parents[0], parents[1], own, self.locked, species=species)
            children.append(child)
        for place, parent in zip(self.homes, parents, strict=True):
            children.insert(place, parent)
        return children

    # What a person does

    def choose(self, place: int) -> None:
        """Makes a look the parent; its world lives on in the parent's place."""
        self._beget((self.looks[place],), place)

    def mark(self, place: int) -> None:
        """Chooses a look to breed; with the second, both become parents."""
        if self.marked is None:
            self.marked = place
        elif self.marked == place:
            self.marked = None
        else:
            self._beget((self.looks[self.marked], self.looks[place]), self.marked, place)

    def again(self) -> None:
        """Other children of the same parents."""
        self._beget(self.generation.parents, *self.homes)

    def _beget(self, parents: tuple[Params, ...], *places: int) -> None:
        """Goes on to a generation whose parents live at these places now."""
        self.made += 1
        self.generations.append(
            dataclasses.replace(self.generation, parents=parents, seed=f"{self.seed}.{self.made}")
        )
        for number, home in enumerate(self.homes):
            place = places[number]
            self.worlds.swap(home, place)
            places = tuple(place if other == home else other for other in places)
        self._show(kept=self.homes)

    def back(self) -> bool:
        """Goes back a generation; returns whether there was one."""
        if len(self.generations) > 1:
            self.generations.pop()
            self._show()
            return True
        return False

    def adjust(self, strength: float, part: str) -> None:
        """Changes how far mutations are from the parent, or in which part, while they live."""
        self.generations[-1] = dataclasses.replace(self.generation, strength=strength, part=part)
        self._look_anew()
        for place, params in enumerate(self.looks):
            self.worlds.change(place, params)

    # In each frame

    def due(self, paused: bool = False) -> dict[int, int]:
        """How many steps each world takes in this frame, by place; those that want to begin do."""
        self.worlds.prepare()
        ages = [session.steps for session in self.worlds.living.values()]
        if paused or not ages:
            return {}
        calm = self.look.params.steps_per_frame
        return self.worlds.due(max(calm, HURRY) if min(ages) < YOUNG else calm)

    def caption(self, place: int, most: int = 1) -> list[str]:
        """What tells a look from its parent most, in words; of a parent, that it is one."""
        if place in self.homes:
            return ["parent"]
        if place not in self.told:
            self.told[place] = differences(self.generation.parents[0], self.looks[place], self.world)
        return self.told[place][:most]
