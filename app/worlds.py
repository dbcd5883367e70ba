"""Several small worlds of one shape, stepped together within a share of each frame."""

import dataclasses
import math
import time

from app.backend import Choice, WorldTooLarge, check_memory
from app.session import Session
from kernels.params import Params
from kernels.scene import Map
from kernels.world import MIN_SIDE, World
from presets import Preset

SHARE = 0.5 / 60  # seconds of a frame that are theirs; the rest is for the picture and the panel
CELLS = {"cuda": 25 * 512 * 512, "cpu": 360_000}  # of all worlds together
FEW_CELLS = 16_000  # on a backend that is slower still
ROW = 16  # cells: CUDA has kernels for rows of a multiple of it, and others


def small_world(world: World, count: int, picture: tuple[int, int], choice: Choice) -> World:
    """One of several worlds that together cost about what one is used to.

    The cells are as dense, so the pattern has the same lengths; of the field there is only a part.

    Args:
        world: The large one.
        count: How many there are to be.
        picture: Width and height in pixels of what one is shown in; it gives the shape.
        choice: What computes them.
    """
    most = CELLS.get(choice.backend, FEW_CELLS) / count
    cells = min(most, world.width * world.height, picture[0] * picture[1])
    odd = world.width % ROW  # so that no kernel has to be compiled for it
    width = max(1, round((math.sqrt(cells * picture[0] / picture[1]) - odd) / ROW)) * ROW + odd
    height = max(MIN_SIDE, round(cells / width))
    agents = max(1, round(world.density * width * height))
    shrink = math.sqrt(width * height / (world.width * world.height))
    food = [dataclasses.replace(lump, radius=max(1.0, lump.radius * shrink)) for lump in world.map.food]
    return dataclasses.replace(
        world, width=width, height=height, agents=agents, map=Map(tuple(food), world.map.image)
    )


class Worlds:
    """Worlds that differ in nothing but their parameters.

    They begin when there is time, one after the other; and where they all cost more than their share of
    a frame, they take turns.

    Args:
        look: What all have in common, but for the parameters.
        world: The size, agents and seed of each.
        count: How many.
        choice: What computes them.

    Attributes:
        sessions: The run at each place; None before it has begun.
        wanted: The places that begin again as soon as there is time, and with which parameters.

    Raises:
        WorldTooLarge: They do not fit into memory together.
    """

    def __init__(self, look: Preset, world: World, count: int, choice: Choice) -> None:
        tall = max(world.height, min(count * world.height, 32768))
        together = dataclasses.replace(world, height=tall, agents=count * world.agents, map=Map())
        try:
            check_memory(together, choice)
        except WorldTooLarge as error:
            raise WorldTooLarge(f"{count} small worlds do not fit: {error}") from error
        self.look = look
        self.world = world
        self.choice = choice
        self.sessions: list[Session | None] = [None] * count
        self.wanted: dict[int, Params] = {}
        self.turn = 0  # whose it is

    def begin(self, place: int, params: Params) -> None:
        """Lets the world at a place begin, or begin again."""
        self.wanted[place] = params

    def change(self, place: int, params: Params) -> None:
        """Changes the parameters of the world at a place while it lives."""
        session = self.sessions[place]
        if place in self.wanted or session is None:
            self.wanted[place] = params
            return
        now, then = dataclasses.asdict(session.params), dataclasses.asdict(params)
        if changed := {name: value for name, value in then.items() if value != now[name]}:
            session.change(**changed)

    def swap(self, here: int, there: int) -> None:
        """Exchanges the worlds of two places, and what they begin with."""
        sessions, other = self.sessions, {here: there, there: here}
        sessions[here], sessions[there] = sessions[there], sessions[here]
        self.wanted = {other.get(place, place): params for place, params in self.wanted.items()}

    def prepare(self, seconds: float = SHARE) -> None:
        """Begins those that want to: one at least, and more while there is time."""
        until = time.perf_counter() + seconds
        while self.wanted:
            place = next(iter(self.wanted))
            look = dataclasses.replace(self.look, params=self.wanted.pop(place))
            session = self.sessions[place]
            if session:
                session.restart(look, self.world)
            else:
                self.sessions[place] = Session(look, self.world, self.choice.backend)
            if time.perf_counter() > until:
                return

    @property
    def living(self) -> dict[int, Session]:
        """The runs that have begun, by place."""
        there = {place: session for place, session in enumerate(self.sessions) if session}
        return {place: session for place, session in there.items() if place not in self.wanted}

    def due(self, steps: int, seconds: float = SHARE) -> dict[int, int]:
        """How many steps each world takes in this frame, by place; who takes none is left out.

        What a step costs is known from those before, on a GPU as well, so nobody has to wait for it.

        Args:
            steps: As many as there is time for, up to these.
            seconds: What there is time for.
        """
        living = self.living
        costs = {place: session.simulation.step_seconds for place, session in living.items()}
        if not living or not steps:
            return {}
        if not all(costs.values()):
            return dict.fromkeys(living, 1)
        rounds = int(seconds / sum(costs.values()))
        if rounds:
            return dict.fromkeys(living, min(steps, rounds))
        places, taken = list(living), dict[int, int]()
        first = next((at for at, place in enumerate(places) if place >= self.turn), 0)
        for place in places[first:] + places[:first]:
            seconds -= costs[place]
            if taken and seconds < 0:
                self.turn = place
                break
            taken[place] = 1
        return taken
