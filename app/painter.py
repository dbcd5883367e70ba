"""A run that is drawn on: with the brush, with fills, and with pictures."""

import dataclasses
from collections.abc import Iterable
from pathlib import Path

from app.argument_types import WORDS
from app.backend import Choice
from app.record import Record
from app.rewinder import Rewinder
from kernels.contract import mean_trail
from kernels.maps import FULL, Mark, rasterise
from kernels.params import Brush, Params, of_species
from kernels.scene import LAYERS, Map
from kernels.stroke import MAX_NUMBER, POINT, STRENGTH, Stroke
from kernels.world import World
from presets import Preset
from presets.pictures import draw_layers, read_brightness, read_layers

PAINTED = ("trail", *LAYERS)  # what the brush can be on
USES = ("start", *LAYERS)  # what a picture can be used as


class Painter(Rewinder):
    """What `app.studio.Studio` does to the trail and the maps by hand.

    Args:
        source: The preset to start with, or the record of a run to come back to.
        world: Size, agents, seed, species, start and map.
        choice: The backend that was chosen.
        largest_side: The longest side in pixels that can be shown.

    Attributes:
        brush: What the mouse paints with.
        layer: What it paints on, one of `PAINTED`.
        species: Whose traits are shown and whose trail is painted, from 0; see `shown`.
        picture: An image file that waits for an answer what to use it as, or None.
    """

    def __init__(
        self, source: Preset | Record, world: World, choice: Choice, largest_side: int = 16384
    ) -> None:
        super().__init__(source, world, choice, largest_side)
        self.brush = Brush()
        self.layer = PAINTED[0]
        self.species = 0
        self.picture: Path | None = None

    # The brush

    @property
    def shown(self) -> int:
        """The species whose traits are shown, from 0; always one that there is."""
        return min(self.species, self.session.world.species - 1)

    def use_layer(self, layer: str) -> None:
        """Paints on a layer from now on, one of `PAINTED`."""
        self.layer = layer

    def paint(self, places: Iterable[tuple[float, float]], erase: bool, begins: bool) -> None:
        """Dabs of the brush.

        Args:
            places: Where, in field pixels from the left and from the top.
            erase: Take away rather than add.
            begins: Whether a gesture begins with the first, which `undo` takes back as a whole.
        """
        self._end_replay()
        if begins:
            self.history.settle(self.session)
        self.notices.attempt(lambda: self._paint(places, erase, begins))

    def _paint(self, places: Iterable[tuple[float, float]], erase: bool, begins: bool) -> None:
        if self.layer == "trail":
            self.history.leave(self.session)
            for x, y in places:
                self.session.paint(self._stroke(x, y, erase))
        else:
            self.history.touch(self.session)
            self.session.mark(*(self._mark(x, y, erase) for x, y in places), begins=begins)

    def _stroke(self, x: float, y: float, erase: bool) -> Stroke:
        world, brush, species = self.session.world, self.brush, self.shown
        params = self.session.params
        mean = of_species(params, species).deposit * mean_trail(params, world, species)
        strength = -min(brush.strength, 1.0) if erase else brush.strength * mean
        whole = min(round(strength * STRENGTH), MAX_NUMBER) or (-1 if erase else 1)
        return Stroke(round(x * POINT), round(y * POINT), round(brush.radius * POINT), whole, species)

    def _mark(self, x: float, y: float, erase: bool) -> Mark:
        brush = self.brush
        value = FULL if self.layer == "wall" else round(brush.value / 100 * FULL)
        place = round(x * POINT), round(y * POINT), round(brush.radius * POINT)
        return Mark(self.layer, *place, round(brush.hardness), 0 if erase else value)

    def fill(self, kind: str) -> None:
        """Fills the layer with one of `maps.FILLS`; the trail has none."""
        if self.layer != "trail":
            self._end_replay()
            self.history.settle(self.session)
            self.history.touch(self.session)
            self.notices.attempt(lambda: self.session.fill(self.layer, kind))

    def blend_with(self, other: Params | None) -> None:
        """The look that the mask blends in; None for none."""
        self._end_replay()
        self.history.touch(self.session)
        self.notices.attempt(lambda: self.session.set_other(other))

    # Pictures

    def use_picture(self, use: str, path: Path | None = None) -> bool:
        """Starts again with a picture as one of `USES`: where agents start, or a layer of the map.

        Args:
            use: What it becomes.
            path: The file; left out, the one that was dropped.

        Returns:
            Whether it could be used.
        """
        path, self.picture = path or self.picture, None
        if path is None:
            return False

        worlds: list[World] = []

        def read() -> None:
            world = self.as_painted()
            if use == "start":
                start = dataclasses.replace(world.start, kind="image", image=read_brightness(path))
                worlds.append(dataclasses.replace(world, start=start))
            else:
                worlds.append(dataclasses.replace(world, map=self._with_layer(use, path)))

        return self.notices.attempt(read) and self.rebuild(worlds[0])

    def _with_layer(self, layer: str, path: Path) -> Map:
        """The map as it is now, but for one layer: a picture's brightness, or words after `WORDS`."""
        world = self.session.world
        words = str(path).removeprefix(WORDS)
        image = read_layers(path, layer) if words == str(path) else draw_layers(words, layer)
        fresh = rasterise(Map(image=image), world.width, world.height)
        maps = dataclasses.replace(self.session.simulation.maps, **{layer: getattr(fresh, layer)})
        return Map(image=maps.layers())

    def decline_picture(self) -> None:
        """Leaves the dropped picture alone."""
        self.picture = None
