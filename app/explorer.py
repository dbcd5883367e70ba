"""A run that is explored: what finds new looks, compares them, and goes back and forth between them."""

import dataclasses
import functools
import secrets
from collections.abc import Callable, Collection

import presets
from app import easing
from app.backend import Choice
from app.morph import Morph
from app.mutate import PARTS, mutate, randomise
from app.painter import Painter
from app.record import Record
from kernels.params import SPECS, Params
from kernels.world import World
from presets import Preset

SIDES = "AB"
CORNERS = "veins", "cells", "rings", "labyrinth"  # of the pad, row by row, until others are chosen


def toggle(names: Collection[str], locked: set[str]) -> None:
    """Puts names among those that are locked; when all of them are there already, takes them out."""
    if locked.issuperset(names):
        locked.difference_update(names)
    else:
        locked.update(names)


class Explorer(Painter):
    """What `app.studio.Studio` does to find looks.

    Args:
        source: The preset to start with, or the record of a run to come back to.
        world: Size, agents, seed, species, start and map.
        choice: The backend that was chosen.
        largest_side: The longest side in pixels that can be shown.

    Attributes:
        locked: Names of the parameters that chance, presets, morphs and the pad leave as they are.
        strength: How far `mutate` moves parameters, 0 to 1.
        part: What chance moves, one of `mutate.PARTS`.
        wake: Whether chance may turn on what is off, and off what is on.
        side: The one of `SIDES` that is shown, 0 or 1.
        morph: The way to another look that is being gone, or None.
        seconds, easing: How long that takes, and one of `easing.EASINGS`.
        pad: Where between the corners the pad was left, 0 to 1 to the right and down.
    """

    def __init__(
        self, source: Preset | Record, world: World, choice: Choice, largest_side: int = 16384
    ) -> None:
        super().__init__(source, world, choice, largest_side)
        self.locked: set[str] = set()
        self.strength = 0.3
        self.part = PARTS[0]
        self.wake = False
        self.side = 0
        self.other_side: tuple[Params, Params | None] | None = None
        self.morph: Morph | None = None
        self.seconds, self.easing = 5.0, "smooth"
        self.pad = 0.5, 0.5

    def before_restart(self) -> None:
        """Ends a morph: it belongs to the world that ends."""
        self.stop_morph()

    def become(self, params: Params) -> None:
        """Changes all parameters that differ."""
        self.stop_morph()
        now = self.session.params
        changed = {name: new for name in SPECS if (new := getattr(params, name)) != getattr(now, name)}
        if changed:
            self.change(**changed)

    # Locks

    def lock(self, names: Collection[str]) -> None:
        """Locks parameters; when all of them are locked already, unlocks them."""
        toggle(names, self.locked)

    def with_locks(self, params: Params) -> Params:
        """Other parameters, but for the locked ones, which stay as they are now."""
        kept = {name: getattr(self.session.params, name) for name in self.locked}
        return dataclasses.replace(params, **kept)

    def as_wanted(self, preset: Preset) -> Preset:
        """A preset as it is to be shown: with what is locked."""
        return dataclasses.replace(preset, params=self.with_locks(preset.params))

    # Chance

    def mutate(self) -> None:
        """Moves the look at random, as far as `strength` says."""
        self._by_chance(mutate, self.strength)

    def randomise(self) -> None:
        """Draws the look anew."""
        self._by_chance(randomise)

    def _by_chance(self, drawn: Callable[..., Params], *strength: float) -> None:
        params, species = self.session.params, self.session.world.species
        seed = secrets.token_hex(8)
        chosen = drawn(params, *strength, self.locked, seed, part=self.part, species=species, wake=self.wake)
        self.become(chosen)

    def vary(self, anew: bool = False) -> None:
        """Mutates the look, or draws it anew."""
        if anew:
            self.randomise()
        else:
            self.mutate()

    # Two looks compared

    def flip(self) -> None:
        """Shows the other of two looks, A and B; at first both are the same."""
        here = self.session.params, self.session.other
        params, other = self.other_side or here
        self.other_side, self.side = here, 1 - self.side
        self.become(params)
        if other != self.session.other:
            self.blend_with(other)

    def copy_side(self) -> None:
        """Makes the look that is not shown the same as the one that is."""
        self.other_side = self.session.params, self.session.other
        self.notices.say(
            f"{SIDES[1 - self.side]} is as {SIDES[self.side]} now; change one, and B flips them."
        )

    def compare(self, copy: bool = False) -> None:
        """Flips between the two looks, or makes them the same."""
        if copy:
            self.copy_side()
        else:
            self.flip()

    # Morphs

    @property
    def morphing(self) -> bool:
        """Whether a morph is going on."""
        return self.morph is not None

    def morph_to(self, preset: Preset, seconds: float | None = None, easing: str | None = None) -> None:
        """Goes to a preset's look in the living world.

        Args:
            preset: Where to; of its world, nothing is taken.
            seconds: How long it takes while the world keeps its pace; left out, `self.seconds`.
            easing: One of `easing.EASINGS`; left out, `self.easing`.
        """
        self.stop_morph()
        self._end_replay()
        seconds = self.seconds if seconds is None else seconds
        params, steps = self.session.params, self.session.steps
        self.morph = Morph(params, self.as_wanted(preset), seconds, easing or self.easing, steps)

    def go_on_with_morph(self) -> None:
        """One frame's share of a morph."""
        if (morph := self.morph) is None:
            return
        session = self.session
        if session.steps < morph.seen:  # an earlier moment, or another world
            self.stop_morph()
            return
        if changed := morph.changes(session.params, session.steps):
            self.change(**changed)
        if morph.turns() and morph.target.other != session.other:
            self.blend_with(morph.target.other)
        if morph.done >= 1:
            self.stop_morph()
            self.name_after(morph.target)

    def stop_morph(self) -> None:
        """Stays where a morph has come to."""
        self.morph = None

    def name_after(self, preset: Preset) -> None:
        """Calls the living world by a preset whose look it has taken on."""
        begun = self.session.preset
        self.session.name_after(dataclasses.replace(preset, start=begun.start, words=begun.words))

    def settle(self, busy: bool = False) -> None:
        """See `Rewinder.settle`; a morph is one gesture."""
        super().settle(busy or self.morphing)

    # The pad

    @functools.cached_property
    def corners(self) -> list[Preset]:
        """The presets at the pad's corners, row by row."""
        return [presets.find(name) for name in CORNERS]

    def blend(self, x: float, y: float) -> None:
        """Goes to a place on the pad: the look that lies so far between its corners.

        Args:
            x: From the left, 0, to the right, 1; what is beyond is held there.
            y: From the top, 0, to the bottom, 1.
        """
        x, y = self.pad = min(max(x, 0.0), 1.0), min(max(y, 0.0), 1.0)
        upper_left, upper_right, lower_left, lower_right = (preset.params for preset in self.corners)
        upper = easing.morph(upper_left, upper_right, x)
        self.become(self.with_locks(easing.morph(upper, easing.morph(lower_left, lower_right, x), y)))
