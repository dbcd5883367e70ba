"""What a step does beyond the plain rule, on a GPU, equal to the reference bit for bit. `pytest -m gpu`."""

import dataclasses
from typing import Any

import numpy as np
import pytest
from looks import LOOKS, SETTINGS, Setting
from pairs import Pair, gpu_modules

from kernels.contract import PASSES
from kernels.maps import Mark
from kernels.params import Params
from kernels.scene import Food, Map, Start
from kernels.stroke import Stroke
from kernels.world import World

pytestmark = pytest.mark.gpu
cuda, gpu = gpu_modules("cuda", "gpu")

ALL = {f"{name} alone": Setting(look) for name, look in LOOKS.items()} | SETTINGS
HARD = "everything", "other", "four species join", "blend of rules", "walls"
SIZES = [
    World(16, 16, 1), World(16, 16, 300), World(33, 130, 2500), World(400, 256, 30_011),
    World(16, 1031, 5000), World(1025, 16, 5000),
]  # fmt: skip


def pair_of(setting: Setting, world: World) -> Pair:
    world = dataclasses.replace(world, shares=setting.shares, map=setting.map)
    return Pair(world, setting.params, None, setting.other)


@pytest.mark.parametrize("name", ALL)
def test_equals_reference_for_300_steps(name: str) -> None:
    pair = pair_of(ALL[name], World(203, 131, 9001, "7"))
    pair.run(1, 2, 17, 80, 200)
    assert pair.ours.buffers.graphs


@pytest.mark.parametrize("name", ALL)
def test_equals_reference_without_graphs(name: str) -> None:
    pair = pair_of(ALL[name], World(203, 131, 9001, "8"))
    pair.ours.buffers.graphs.clear()
    pair.run(1, 39)


@pytest.mark.parametrize("world", SIZES, ids=lambda w: f"{w.width}x{w.height}-{w.agents}")
@pytest.mark.parametrize("name", HARD)
def test_equals_reference_at_any_size(name: str, world: World) -> None:
    pair_of(SETTINGS[name], world).run(1, 2, 37)


@pytest.mark.parametrize("name", HARD)
def test_passes_are_timed_without_changing_anything(name: str) -> None:
    pair = pair_of(SETTINGS[name], World(203, 131, 9001))
    for span in (3, 2, 40):
        pair.ours.sample()
        pair.run(span)
    assert list(pair.ours.pass_seconds) == list(PASSES)
    assert all(0 < taken < 1 for taken in pair.ours.pass_seconds.values())


@pytest.mark.parametrize("shares", [(1.0,), (1.0, 3.0, 0.5)], ids=["one", "three"])
def test_rules_come_and_go(shares: tuple[float, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is prepared once; what it keeps between steps is right again after steps without it."""
    wall, food = Mark("wall", 9000, 4000, 3000, 80, 255), Mark("food", 20000, 9000, 5000, 0, 200)
    mask, erased = Mark("mask", 12000, 9000, 8000, 10, 255), Mark("wall", 9000, 4000, 4000, 80, 0)
    pair = Pair(World(203, 131, 9001, shares=shares), Params())
    rounds: list[Any] = []
    for look in LOOKS.values():
        rounds += [look, 1, 18]
    rounds += [Params(), 2, food, 3, Stroke(4000, 5000, 3000, 2**19, len(shares) - 1), 1, wall, 3]

    def twice() -> None:
        pair.run(*rounds)
        for simulation in pair.both:
            simulation.set_other(LOOKS["responses"])
        pair.run(2, mask, 17, erased, 3)
        for simulation in pair.both:
            simulation.fill("mask", "left to right")
        pair.run(3)
        for simulation in pair.both:
            simulation.set_other(None)
            for layer in ("food", "wall", "mask"):
                simulation.fill(layer, "clear")
            simulation.reset(dataclasses.replace(simulation.world, seed="anew", start=Start("disc")))
        pair.run(LOOKS["life"], 5, Params(), 5)

    twice()
    captures = []
    capture = cuda.capture
    monkeypatch.setattr(cuda, "capture", lambda work: captures.append(work) or capture(work))
    twice()
    assert captures == []


def test_another_map_is_taken_from_the_next_step_on() -> None:
    world = World(203, 131, 9001, map=Map((Food(),)))
    pair = Pair(world, Params())
    pair.run(20)
    for simulation in pair.both:
        simulation.reset(dataclasses.replace(world, seed="2", map=Map((Food(0.1, 0.9, 60.0),))))
    pair.run(20)
    for simulation in pair.both:
        simulation.reset(dataclasses.replace(world, map=Map()))
    pair.run(20)


def test_rules_that_do_not_fit_leave_all_as_it_was() -> None:
    pair = Pair(World(2048, 2048, 10_000), Params())
    pair.run(3)
    ours = pair.ours
    hog = []
    for size in (2**30, 2**24, 2**21):
        try:
            while True:
                hog.append(cuda.Array((size,), np.dtype(np.uint8)))
        except MemoryError:
            continue
    with pytest.raises(MemoryError, match="GiB of GPU memory, more than is free"):
        ours.set(Params(crowding="one per cell"))
    ours.set(Params())
    pair.run(2)
    hog.clear()
    pair.run(Params(crowding="one per cell"), 2)
