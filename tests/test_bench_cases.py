import json
from pathlib import Path

import numpy as np
import pytest
from small_bench import TINY
from small_bench import tiny as tiny  # a fixture

from app.bench import cases, check
from kernels import reference
from kernels.params import Params
from kernels.simulation import Simulation
from kernels.world import World, scatter

KEPT = Path(cases.__file__).parent
EVERY = cases.STANDARD + cases.OVER_AGENTS + cases.OVER_CELLS
PROMISED = {
    "1M-1024x1024-uniform", "1M-1024x1024-developed", "1M-1024x1024-clustered", "2M-1920x1080-developed",
    "10M-4096x4096-developed", "16M-4096x4096-uniform", "16M-4096x4096-developed",
    "16M-4096x4096-clustered", "100M-8192x8192-developed", "1.07G-16384x16384-developed",
}  # fmt: skip
FIGURES = {
    "agents", "width", "height", "state", "ms_per_step", "floor_ms", "ratio_to_floor", "torch_ms", "digest",
}  # fmt: skip


def test_the_cases_are_what_was_promised() -> None:
    assert len({case.name for case in EVERY}) == len(set(EVERY))
    assert [case.world.agents for case in EVERY] == [case.agents for case in EVERY]
    assert {case.state for case in EVERY} == set(cases.STATES)
    assert {case.name for case in EVERY} >= PROMISED
    densities = {case.agents / (case.width * case.height) for case in cases.OVER_CELLS}
    assert len(densities) == 1
    assert {(case.width, case.height) for case in cases.OVER_AGENTS} == {(2048, 2048)}


@pytest.mark.parametrize(
    "world", [World(1024, 1024, 30_000), World(1920, 1080, 20_000), World(16, 32768, 5000)], ids=str
)
def test_a_clustered_start_is_dense_and_distinct(world: World) -> None:
    words = cases.cluster(world)
    assert len(np.unique(words)) == world.agents
    x, y, _ = reference.unpack(words)
    columns, rows = (np.unique(place >> world.fraction_bits) for place in (x, y))
    across, down = world.width // 10, world.height // 10
    assert (np.ptp(columns) + 1, np.ptp(rows) + 1) == (across, down)
    assert across * down <= world.width * world.height / 100
    assert abs(columns[0] + columns[-1] + 1 - world.width) <= 1
    assert abs(rows[0] + rows[-1] + 1 - world.height) <= 1


def test_scattered_and_clustered_agents_differ_only_in_place() -> None:
    world = World(320, 200, 4000)
    before, after = reference.unpack(scatter(world)), reference.unpack(cases.cluster(world))
    assert np.array_equal(before[2], after[2])
    assert np.array_equal(before[0] & 0xFF, after[0] & 0xFF)


@pytest.mark.parametrize("pattern", ["64", "700-64x48-*", "*UNIFORM"])
def test_cases_are_chosen_by_pattern(pattern: str) -> None:
    fitting = [case.name for case in TINY if "uniform" in case.name or "700" in pattern]
    if pattern == "64":
        with pytest.raises(ValueError, match="no such case"):
            cases.chosen([pattern])
    else:
        assert [case.name for case in cases.chosen([pattern])] == fitting


@pytest.mark.parametrize("name", ["bench-h200.json", "bench-cpu2.json"])
def test_kept_figures_are_whole_and_of_these_results(name: str, smallest: tuple[cases.Case, str]) -> None:
    path = KEPT / name
    if not path.exists():
        pytest.skip(f"{name} is not kept here")
    found = json.loads(path.read_text("utf-8"))
    assert found["device"]
    assert found["date"]
    assert {"python", "numpy"} <= found["versions"].keys()
    assert not found["interrupted"]
    measured = {case["name"]: case for case in found["cases"]}
    assert measured.keys() <= {case.name for case in EVERY}
    assert [case["name"] for case in found["cases"] if not case.keys() >= FIGURES] == []
    case, digest = smallest
    assert measured[case.name]["digest"] == digest


@pytest.fixture(scope="module")
def smallest() -> tuple[cases.Case, str]:
    """The smallest case of all, and the digest that the CPU gives of it."""
    case = min(EVERY, key=lambda case: (case.width * case.height, case.agents))
    assert case.name == "250k-512x512-developed"
    simulation = Simulation(case.world, Params(), "cpu")
    simulation.step(case.lead + check.STEPS)
    return case, simulation.digest()
