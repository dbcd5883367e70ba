"""Worlds: what they take, where agents start, how far agents get."""

import dataclasses
import math

import numpy as np
import pytest
from numpy.typing import NDArray

from kernels import reference
from kernels.params import Params
from kernels.scene import STARTS, Start
from kernels.simulation import Simulation
from kernels.world import BIRTHS, MAX_AGENTS, World, births, pack, scatter, species_of

SEEDS = [
    "",
    "0",
    "-0",
    "-1",
    "1",
    "1.5",
    "1e400",
    str(2**64),
    "nan",
    "abc",
    "Abc",
    "\N{SLOT MACHINE}",
]


def places(words: NDArray[np.uint64], world: World) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Coordinates [N] in pixels."""
    x, y, _ = reference.unpack(words)
    unit = 1 << world.fraction_bits
    return x / unit, y / unit


def test_scatter_is_pinned() -> None:
    words = scatter(World(401, 257, 5, "7"))
    assert [hex(word) for word in words.tolist()] == [
        "0x4004570000236000",
        "0x1e14c9793714e7b1",
        "0xbc1594f36e316162",
        "0x9a0d8d6da6160513",
        "0xf805bde6dd24e0c4",
    ]


@pytest.mark.parametrize("seed", ["1", "2", ""])
def test_no_two_agents_start_alike(seed: str) -> None:
    """Also on a field so small that positions alone would repeat."""
    for side in (16, 1024):
        words = scatter(World(side, side, 1_100_000, seed))
        assert len(np.unique(words)) == 1_100_000


@pytest.mark.parametrize("kind", [kind for kind in STARTS if kind != "image"])
@pytest.mark.parametrize("shares", [(1.0,), (1.0, 2.0, 0.5, 1.0)], ids=len)
def test_no_two_agents_start_alike_in_any_shape(kind: str, shares: tuple[float, ...]) -> None:
    world = World(64, 48, 200_000, shares=shares, start=Start(kind, radius=0.01))
    assert len(np.unique(scatter(world))) == world.agents


def test_scatter_depends_on_the_seed_and_on_nothing_else() -> None:
    world = World(401, 257, 3000, "7")
    assert np.array_equal(scatter(world), scatter(dataclasses.replace(world)))
    more = scatter(dataclasses.replace(world, agents=1 << 21))
    assert np.array_equal(scatter(world), more[:3000])
    assert np.count_nonzero(scatter(world) == scatter(dataclasses.replace(world, seed="8"))) < 3


@pytest.mark.parametrize(("width", "height"), [(401, 257), (16, 32768), (1024, 64)])
def test_scatter_is_even(width: int, height: int) -> None:
    """A sixteenth of the agents in each sixteenth of width, height and circle, within 5 deviations."""
    world = World(width, height, 400_000)
    words = scatter(world)
    x, y = places(words, world)
    _, _, heading = reference.unpack(words)
    for part in (x / width, y / height, heading / 65536):
        assert part.min() >= 0
        assert part.max() < 1
        counts = np.bincount((part * 16).astype(int), minlength=16)
        assert np.abs(counts - 25_000).max() < 5 * math.sqrt(25_000)


@pytest.mark.parametrize("seed", SEEDS)
def test_any_text_is_a_seed(seed: str) -> None:
    world = World(64, 48, 500, seed)
    assert all(0 <= word < 2**32 for word in world.seed_words)
    simulation = Simulation(world, Params(), "cpu")
    simulation.step(3)
    again = Simulation(world, Params(), "cpu")
    again.step(3)
    assert simulation.digest() == again.digest()


def test_seeds_are_told_apart() -> None:
    assert len({World(16, 16, 1, seed).seed_words for seed in SEEDS}) == len(SEEDS)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"width": 15}, "width = 15 is not allowed"),
        ({"height": 32769}, "height = 32769 is not allowed"),
        ({"agents": 0}, "agents = 0 is not allowed"),
        ({"agents": MAX_AGENTS + 1}, f"agents = {MAX_AGENTS + 1} is not allowed"),
        ({"seed": "s" * 201}, "200 characters"),
        ({"shares": ()}, "0 numbers. is not allowed; it takes 1 to 4 of them"),
        ({"shares": (1.0,) * 5}, "5 numbers. is not allowed"),
        ({"shares": (1.0, 0.0)}, "shares = 0.0 is not allowed; it takes numbers from 0.001 to 1000"),
        ({"shares": (float("nan"),)}, "shares = nan is not allowed"),
    ],
)
def test_what_a_world_refuses(changes: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        dataclasses.replace(World(64, 48, 500), **changes)
    World(32768, 32768, MAX_AGENTS, "s" * 200)


@pytest.mark.parametrize("side", [16, 17, 1024, 1025, 2048, 2049, 32768])
@pytest.mark.parametrize(("shares", "bits"), [((1.0,), 24), ((1.0, 1.0), 23)], ids=["one", "two"])
def test_coordinates_use_their_bits(side: int, shares: tuple[float, ...], bits: int) -> None:
    world = World(side, 16, 1, shares=shares)
    assert world.position_bits == bits
    assert side << world.fraction_bits <= 1 << bits
    assert world.fraction_bits == 13 or side << world.fraction_bits > 1 << bits - 1


def test_agents_are_dealt_out_by_shares() -> None:
    assert World(64, 48, 10, shares=(1.0, 1.0, 1.0)).bounds == [0, 3, 7, 10]
    assert World(64, 48, 1, shares=(1.0,) * 4).bounds[-1] == 1  # and some species have none
    world = World(64, 48, 1001, shares=(3.0, 1.0, 0.001, 500.0))
    dealt = np.bincount(species_of(scatter(world), world), minlength=4)
    assert dealt.tolist() == np.diff(world.bounds).tolist()
    assert dealt.sum() == 1001


def test_births_are_where_agents_begin_and_of_no_species() -> None:
    disc = Start("disc", radius=0.1)
    for shares in ((1.0,), (1.0, 5.0, 1.0)):
        world = World(200, 100, 9, shares=shares, start=disc)
        words = births(world)
        assert len(words) == BIRTHS
        assert (species_of(words, world) == 0).all()
        x, y, _ = reference.unpack(words, world.position_bits)
        unit = 1 << world.fraction_bits
        assert np.hypot(x / unit - 100, y / unit - 50).max() < 10.1


def test_words_are_packed_and_unpacked() -> None:
    x, y, heading = (
        np.array(part, np.uint32) for part in ([0, 0xFFFFFF, 5], [0xFFFFFF, 0, 9], [0, 65535, 258])
    )
    assert [hex(word) for word in pack(x, y, heading).tolist()] == [
        "0xffffff00000000",
        "0xff000000ffffffff",
        "0x100000902000005",
    ]
    assert all(
        np.array_equal(*pair)
        for pair in zip(reference.unpack(pack(x, y, heading)), (x, y, heading), strict=True)
    )


def test_two_bits_of_a_word_name_the_species() -> None:
    world = World(2048, 16, 1, shares=(1.0,) * 4)
    place = np.full(4, (1 << world.position_bits) - 1, np.uint32)
    words = pack(place, place, np.full_like(place, 65535), np.arange(4))
    assert species_of(words, world).tolist() == [0, 1, 2, 3]
    x, y, heading = reference.unpack(words, world.position_bits)
    assert (x == place).all()
    assert (y == place).all()
    assert (heading == 65535).all()


# What agents do


@pytest.mark.parametrize(("width", "height"), [(32768, 16), (16, 8192), (401, 257)])
def test_slow_agents_move_as_far_as_told(width: int, height: int) -> None:
    """Where coordinates are coarse, as on wide fields, they do not freeze: 100 steps of 0.05 px are 5 px."""
    world = World(width, height, 4000)
    simulation = Simulation(world, Params(step_size=0.05, rotation_angle=0.0), "reference")
    before = places(simulation.state()[2], world)
    simulation.step(100)
    after = places(simulation.state()[2], world)
    moved = [
        (there - here + side / 2) % side - side / 2
        for here, there, side in zip(before, after, (width, height), strict=True)
    ]
    distance = np.hypot(*moved)
    assert distance.mean() == pytest.approx(5, rel=0.005)
    assert distance.min() > 4.8
    assert distance.max() < 5.2


@pytest.mark.parametrize("backend", ["reference", "cpu"])
@pytest.mark.parametrize("start", [0, 10_000_000])
def test_agents_that_start_in_one_place_part(start: int, backend: str) -> None:
    """Random numbers come from an agent's own bits and the step, so a crowd on one cell disperses.

    Noise for a trail makes agents find the way ahead worst a third of the time; then they draw a side.
    """
    world = World(300, 280, 10_000)
    number = np.arange(world.agents, dtype=np.uint32)
    unit = 1 << world.fraction_bits
    words = pack(150 * unit + number % 100, 140 * unit + number // 100, np.full_like(number, 12345))
    still = Params(diffusion=0.0, decay=0.001, deposit=0.01, sensor_angle=45.0, rotation_angle=45.0)
    simulation = Simulation(world, still, backend)
    b = simulation.buffers
    simulation.backend.load(b, world, words)
    b.step = start
    b.trail[:] = np.random.default_rng(3).random(b.trail.shape, np.float32) * 1000
    simulation.step(1)
    assert np.count_nonzero(simulation.state()[1]) == 1
    simulation.step(9)
    assert 2000 < simulation.state()[1].max() < 3000  # of 10,000, after two draws
    simulation.step(490)
    assert np.count_nonzero(simulation.state()[1]) > 8000


@pytest.mark.parametrize("seed", ["\udcff", "a\0b", "x" * 201])
def test_seeds_that_no_file_or_screen_can_hold_are_refused(seed: str) -> None:
    with pytest.raises(
        ValueError, match=r"^seed = .* is not allowed; it takes a text of at most 200 characters.$"
    ):
        World(16, 16, 1, seed)
