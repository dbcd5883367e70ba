import dataclasses
import json
import re
from pathlib import Path

import pytest
from small_bench import DEVELOPED, WORLD, Run, moment
from small_bench import run as run  # fixtures
from small_bench import standing_in as standing_in
from small_bench import tiny as tiny

from app.bench import ablation, timing
from app.bench.moment import Moment
from kernels.params import Params
from kernels.simulation import Simulation, digest
from kernels.world import World


def test_every_way_without_an_idea_gives_the_same_bits() -> None:
    start, expected = moment()
    found = ablation.variants("cpu")
    assert next(iter(found)) == ablation.WHOLE
    own = {ablation.WHOLE, "without order", "one thread", "one plain loop"}
    assert set(found) - {ablation.PLAIN} == own
    for name, make in found.items():
        subject = make(WORLD, Params(), start)
        subject.step(25)
        assert digest(subject.state()) == expected, name


def test_leaving_out_the_sort_leaves_it_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from kernels import cpu

    start, _ = moment()
    subject = ablation.variants("cpu")["without order"](WORLD, Params(), start)
    monkeypatch.setattr(cpu, "sort", None)  # calling it would fail
    subject.step(2 * timing.CADENCE)


def test_an_ablation_is_told(run: Run) -> None:
    status, out, err = run("--case", DEVELOPED.name, "--ablate", "--json", "a.json")
    assert status == 0, err
    (ablated,) = json.loads(Path("a.json").read_text())["ablation"]
    whole, *others = ablated["variants"]
    assert (whole["variant"], whole["times_slower"]) == (ablation.WHOLE, 1.0)
    assert all(variant["ms_per_step"] > 0 and variant["digest_equal"] for variant in others)
    assert [variant["variant"] for variant in others if variant["variant"] not in out] == []


def test_a_wrong_variant_has_no_figures(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def elsewhere(world: World, params: Params, start: Moment) -> Simulation:
        return ablation._simulated("cpu", world, params, dataclasses.replace(start, trail=start.trail + 1))

    found = ablation._cpu_variants()
    others = {"another trail": elsewhere, "one plain loop": found["one plain loop"]}
    monkeypatch.setattr(ablation, "_cpu_variants", lambda: others)
    status, out, err = run("--case", DEVELOPED.name, "--ablate", "--json", "a.json")
    assert status == 1
    assert err.splitlines()[-1].startswith(f"physarium: {DEVELOPED.name}, another trail: the results differ")
    (ablated,) = json.loads(Path("a.json").read_text())["ablation"]
    figures = [tuple(variant.values())[1:] for variant in ablated["variants"]]
    assert figures[1] == (None, None, False)
    assert [equal for _, _, equal in figures] == [True, False, True]
    assert figures[2][0] > 0
    assert re.search(r"^ *another trail +- +-$", out, re.MULTILINE)
