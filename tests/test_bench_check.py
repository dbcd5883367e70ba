import dataclasses
from types import ModuleType

import pytest
from small_bench import DEVELOPED, WORLD, moment, spoil, unlimited
from small_bench import run as run  # fixtures
from small_bench import standing_in as standing_in
from small_bench import tiny as tiny

from app.backend import choose
from app.bench import cases, check, measure, race
from app.bench.cases import Case
from app.bench.moment import moment_of, resume
from kernels.params import Params
from kernels.simulation import Simulation, digest


@pytest.mark.parametrize("feature", cases.FEATURES, ids=lambda feature: feature.name)
@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_a_run_goes_on_from_a_moment(backend: str, feature: cases.Feature) -> None:
    world = dataclasses.replace(WORLD, shares=feature.shares, map=feature.map)
    whole = Simulation(world, feature.params, "reference")
    whole.step(30)
    other = Simulation(world, feature.params, backend)
    resume(other, moment_of(whole))
    for simulation in (whole, other):
        simulation.step(20)
    assert other.digest() == whole.digest()


@pytest.mark.parametrize("steps", [0, 40])
def test_plain_pytorch_gives_the_same_bits(steps: int) -> None:
    pytest.importorskip("torch")
    from app.bench.plain import Plain

    start, expected = moment(steps)
    model = Plain(WORLD, Params(), start, "cpu")
    model.step(24)
    assert digest(model.state()) != expected
    model.step()
    assert digest(model.state()) == expected


@pytest.mark.gpu
def test_plain_pytorch_gives_the_same_bits_on_cuda() -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch finds no GPU")
    from app.bench.plain import Plain

    start, expected = moment()
    model = Plain(WORLD, Params(), start, "cuda")
    model.step(25)
    assert digest(model.state()) == expected


def test_plain_pytorch_with_other_results_has_no_figures(
    standing_in: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    from app.bench import plain

    monkeypatch.setattr(plain, "TINY", 1.0)
    with pytest.raises(check.Wrong, match="plain PyTorch gives other results"):
        measure.measure(DEVELOPED, choose("cpu"), unlimited(), lambda _: None)


def test_who_can_race(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    large = Case(20_000_001, 512, 512)
    monkeypatch.setattr(race, "free_memory", lambda _backend: 2**40)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert [race.can_race(DEVELOPED, backend) for backend in ("cpu", "cuda")] == [True, True]
    assert [race.can_race(large, backend) for backend in ("cpu", "cuda")] == [False, True]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert [race.can_race(DEVELOPED, backend) for backend in ("cpu", "cuda")] == [True, False]
    monkeypatch.setattr(race, "free_memory", lambda _backend: 2**10)
    assert not race.can_race(DEVELOPED, "cpu")


class Watched:
    """In the place of plain PyTorch; counts how many of it there are."""

    alive = 0

    def __init__(self, *_: object) -> None:
        Watched.alive += 1

    def __del__(self) -> None:
        Watched.alive -= 1

    def step(self, n: int = 1) -> None: ...

    def wait(self) -> None: ...


class Full(Watched):
    def step(self, n: int = 1) -> None:
        import torch

        raise torch.OutOfMemoryError


@pytest.mark.parametrize("model", [Watched, Full])
def test_pytorchs_memory_is_given_back_once_its_model_is_gone(
    monkeypatch: pytest.MonkeyPatch, model: type
) -> None:
    torch = pytest.importorskip("torch")
    alive = []
    monkeypatch.setattr("app.bench.plain.Plain", model)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: alive.append(Watched.alive))
    seconds = race.race(DEVELOPED, "cuda", moment(0)[0], None)
    assert (seconds is None) == (model is Full)
    assert alive == [0]


def test_each_case_has_a_fitting_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    def judge(agents: int, backend: str) -> str:
        return check.judge_of(Case(agents, 512, 512), backend)

    assert judge(2_000_000, "cuda") == judge(20_000_000, "cpu") == "reference"
    assert judge(20_000_001, "cpu") == judge(200_000_001, "cuda") == "counts"
    monkeypatch.setattr("app.backend.free_memory", lambda _backend: 2**40)
    assert judge(2_000_001, "cuda") == judge(200_000_000, "cuda") == "cpu"
    monkeypatch.setattr("app.backend.free_memory", lambda _backend: 2**20)
    assert judge(2_000_001, "cuda") == "counts"


def test_the_cpu_backend_may_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "BY_REFERENCE", 0)
    simulation = Simulation(DEVELOPED.world, Params(), "reference")
    simulation.step(5)
    start = moment_of(simulation)
    simulation.step(check.STEPS)
    assert check.check(DEVELOPED, simulation, start) == ("cpu", simulation.digest())
    with pytest.raises(check.Wrong, match="differ from those of cpu"):
        check.check(DEVELOPED, simulation, dataclasses.replace(start, trail=start.trail + 1))


def test_a_wrong_cpu_backend_may_not_judge(standing_in: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    check._check_the_judge.cache_clear()
    monkeypatch.setattr(check, "BY_REFERENCE", 0)
    simulation = Simulation(DEVELOPED.world, Params(), "reference")
    start = moment_of(simulation)
    spoil(standing_in)
    with pytest.raises(check.Wrong, match="cannot check others"):
        check.check(DEVELOPED, simulation, start)


def test_where_nothing_can_judge_agents_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = Simulation(DEVELOPED.world, Params(), "reference")
    simulation.step(check.STEPS)
    assert check.check(DEVELOPED, simulation, None) == ("counts", simulation.digest())
    monkeypatch.setattr(check, "DIGESTED", 1)
    assert check.check(DEVELOPED, simulation, None) == ("counts", None)
    simulation.buffers.counts[0, 0, 0] += 1
    with pytest.raises(check.Wrong, match="lost or counted twice"):
        check.check(DEVELOPED, simulation, None)
