import json
import re
from pathlib import Path
from types import ModuleType

import pytest
from small_bench import DEVELOPED, TINY, Run, unlimited
from small_bench import run as run  # fixtures
from small_bench import standing_in as standing_in
from small_bench import tiny as tiny

from app.backend import choose
from app.bench import cases, check, features
from app.bench.run import LeftOut, Limits
from kernels import contract, maps
from kernels.simulation import Simulation


@pytest.fixture(autouse=True)
def soon_developed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "DEVELOPED", 20)


def test_each_feature_is_what_its_name_says() -> None:
    found = {}
    for feature in cases.FEATURES:
        simulation = Simulation(cases.Case(700, 64, 48, feature=feature).world, feature.params, "reference")
        found[feature.name] = simulation.buffers.numbers.features
    assert found == {
        "the plain step": contract.Features(),
        "response curves": contract.Features(responses=True),
        "four species": contract.Features(species=4),
        "walls and food": contract.Features(ground=True),
    }


def test_four_species_like_or_flee_each_other() -> None:
    feature = next(feature for feature in cases.FEATURES if len(feature.shares) == 4)
    world = cases.Case(700, 64, 48, feature=feature).world
    values = contract.numbers(feature.params, world).values[0]
    assert all(values[:, contract.SLOT[f"attraction_{k}"]].all() for k in range(4))


@pytest.mark.parametrize("size", [(64, 48), (1024, 1024)])
def test_rooms_have_walls_doors_and_food(size: tuple[int, int]) -> None:
    ground = maps.rasterise(cases.FEATURES[-1].map, *size).ground()
    assert 0.05 < (ground < 0).mean() < 0.2
    assert (ground == 1).any()
    assert (ground[:, 0] < 0).any()
    assert (ground[:, 0] >= 0).any()


def test_features_are_told(run: Run, standing_in: ModuleType) -> None:
    status, out, err = run("--case", DEVELOPED.name, "--features", "--json", "a.json")
    assert status == 0, err
    (compared,) = json.loads(Path("a.json").read_text("utf-8"))["features"]
    assert compared["name"] == DEVELOPED.name
    plain, *others = compared["features"]
    assert (plain["feature"], plain["times_plain"]) == ("the plain step", 1.0)
    assert [row["feature"] for row in others] == [feature.name for feature in cases.FEATURES[1:]]
    for row in others:
        assert row["times_plain"] == pytest.approx(row["ms_per_step"] / plain["ms_per_step"], rel=1e-3)
        assert row["checked"] == "reference"
    assert len({row["digest"] for row in (plain, *others)}) == len(cases.FEATURES)
    assert re.search(rf"^{DEVELOPED.name} +ms a step +times the plain step$", out, re.MULTILINE)
    assert [row["feature"] for row in others if row["feature"] not in out] == []


def test_the_cases_compared_are_those_of_the_issue(run: Run, standing_in: ModuleType) -> None:
    status, _, err = run("--quick", "--features", "--json", "a.json")
    assert status == 0, err
    found = json.loads(Path("a.json").read_text("utf-8"))
    assert [compared["name"] for compared in found["features"]] == [DEVELOPED.name]


def test_a_feature_with_wrong_results_has_no_figures(
    run: Run, standing_in: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standing_in, "set_maps", lambda *_: None)  # the judge sees walls
    status, _, err = run("--case", DEVELOPED.name, "--features", "--json", "a.json")
    assert status == 1
    assert f"{DEVELOPED.name} with walls and food: the results differ from those of reference" in err
    found = json.loads(Path("a.json").read_text("utf-8"))
    assert (len(found["cases"]), found["features"]) == (1, [])


def test_states_that_pass_and_long_ones_are_left_out(standing_in: ModuleType) -> None:
    passing = next(case for case in TINY if not case.lead)
    with pytest.raises(LeftOut, match="developed states only"):
        features.compare(passing, choose("cpu"), unlimited(), lambda _: None)
    with pytest.raises(LeftOut, match="it would take about"):
        features.compare(DEVELOPED, choose("cpu"), Limits(1e-9, 1e9), lambda _: None)


def test_a_judge_is_checked_in_what_it_judges(
    standing_in: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    check._check_the_judge.cache_clear()
    check._check_the_judge(cases.PLAIN)
    monkeypatch.setattr(standing_in, "set_maps", lambda *_: None)
    check._check_the_judge(cases.FEATURES[1])
    with pytest.raises(check.Wrong, match="cannot check others"):
        check._check_the_judge(cases.FEATURES[-1])
