"""Rules that are compiled beside the show, and what a person is told meanwhile: `app.ahead`."""

import dataclasses
import importlib
import json
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from looks import LOOKS, SETTINGS

import presets
from app import ahead, backend
from app.ahead import COMPILED, COMPILING, LONG, Ahead, FirstSteps, near, of_presets
from app.backend import Choice
from app.notices import Notices
from kernels import gpu_build
from kernels.contract import Features, features
from kernels.params import Params
from kernels.world import World
from presets import Preset

WORLD = World(64, 48, 600, "ahead")
CUDA = Choice("cuda", True, "NVIDIA Toy", "")
CPU = Choice("cpu", False, "2 CPU threads", "")


class Compiler:
    """Stands in for the process; ends when it is told to."""

    def __init__(self, backend: str, arguments: tuple[str, ...]) -> None:
        self.backend, self.arguments = backend, arguments
        self.returncode: int | None = None
        self.calls: list[str] = []

    def poll(self) -> int | None:
        return self.returncode

    def terminate(self) -> None:
        self.calls.append("terminate")

    def wait(self) -> None:
        self.calls.append("wait")


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Compiler]:
    """The processes that were started, but for that they are none."""
    found: list[Compiler] = []

    def start(backend: str, arguments: tuple[str, ...]) -> Compiler:
        found.append(Compiler(backend, arguments))
        return found[-1]

    monkeypatch.setattr(ahead, "_started", start)
    return found


def shown(rules: Features = Features(), width: int = 64) -> SimpleNamespace:  # noqa: B008
    """Stands in for a simulation."""
    return SimpleNamespace(world=SimpleNamespace(width=width), buffers=SimpleNamespace(features=rules))


def test_each_set_of_rules_has_its_neighbours_compiled_once(started) -> None:
    plain, lively = shown(), shown(Features(life=True))
    one = Ahead(CUDA, Notices())
    for simulation in (plain, plain, lively):  # the last, while the process is at the first
        one.follow(simulation, 0.0)
    (first,) = started
    assert (json.loads(first.arguments[0]), first.arguments[1]) == (dataclasses.asdict(Features()), "true")
    first.returncode = 0
    for simulation in (lively, plain, lively):
        one.follow(simulation, 1.0)
        started[-1].returncode = 0
    one.follow(shown(width=65), 2.0)
    assert [compiler.arguments[1] for compiler in started] == ["true", "true", "false"]
    assert json.loads(started[1].arguments[0])["life"]
    assert not one.notices.current()  # none of it took long


def test_what_takes_long_is_told_once_and_its_end(started) -> None:
    one = Ahead(CUDA, Notices())
    for now in (0.0, LONG - 0.1):
        one.follow(shown(), now)
    assert one.notices.current() == []
    for now in (LONG + 0.1, LONG + 1):
        one.follow(shown(), now)
    assert one.notices.current() == [COMPILING.format("a few seconds")]
    started[0].returncode = 0
    one.follow(shown(), LONG + 2)
    assert one.notices.current()[1:] == [COMPILED]


def test_a_compiler_that_fails_promises_nothing(started) -> None:
    one = Ahead(CUDA, Notices())
    for now in (0.0, LONG + 1):
        one.follow(shown(), now)
    started[0].returncode = 1
    for now in (LONG + 2, LONG + 3):
        one.follow(shown(), now)
    assert COMPILED not in one.notices.current()
    assert len(started) == 1


def test_the_process_ends_with_the_window(started) -> None:
    one = Ahead(CUDA, Notices())
    one.close()
    one.follow(shown(), 0.0)
    one.close()
    assert started[0].calls == ["terminate", "wait"]


@pytest.mark.parametrize("ready", [True, False])
def test_a_cpu_compiles_all_at_once_where_they_are_missing(started, monkeypatch, ready) -> None:
    monkeypatch.setattr(importlib.import_module("kernels.cpu"), "rules_are_ready", lambda: ready)
    one = Ahead(CPU, Notices())
    for now, width in enumerate((64, 64, 65, 70)):
        one.follow(shown(width=width), float(now))
        for compiler in started:
            compiler.returncode = 0
    assert [(compiler.backend, compiler.arguments) for compiler in started] == [("cpu", ())] * (not ready)


def test_the_reference_has_nothing_to_compile(started) -> None:
    Ahead(Choice("reference", False, "", ""), Notices()).follow(shown(), 0.0)
    assert not started


@pytest.mark.parametrize("why", ["frozen", "no Python"])
def test_without_a_python_nothing_is_started(monkeypatch, why) -> None:
    if why == "frozen":
        monkeypatch.setattr(sys, "frozen", True, raising=False)
    else:
        monkeypatch.setattr(sys, "executable", "")
    one = Ahead(CUDA, Notices())
    one.follow(shown(), 0.0)
    assert one.process is None
    one.close()


def test_a_real_process_gets_what_it_is_told(monkeypatch, tmp_path) -> None:
    out = tmp_path / "told"
    writes = f"import pathlib; pathlib.Path({str(out)!r}).write_text(repr((os.getpid(), sys.argv[1:])))"
    monkeypatch.setitem(ahead.BUILDERS, "cuda", writes)
    one = Ahead(CUDA, Notices())
    one.follow(shown(), 0.0)
    assert one.process
    assert one.process.wait() == 0
    told = json.dumps(dataclasses.asdict(Features())), "true"
    assert out.read_text() == repr((one.process.pid, list(told)))


# Which rules


def of(look: Params, other: Params | None = None, species: int = 1, ground: bool = False) -> Features:
    return features(look, other, World(64, 48, 600, shares=(1.0,) * species), ground, other is not None)


@pytest.mark.parametrize(
    "turned",
    [
        {"wander": 5.0}, {"respawn": 100.0}, {"deposit_curve": "power"}, {"sensor_angle_amplitude": 9.0},
        {"attraction_to_1": 0.5}, {"crowding": "one per cell"}, {"sensor_width": 7},
        {"boundary": "reflect"}, {"boundary": "turn"}, {"boundary": "respawn"}, {"boundary": "dish"},
    ],
    ids=str,
)  # fmt: skip
def test_a_slider_away_is_near(turned) -> None:
    there = Params(**turned)
    assert of(there) in near(of(Params()))
    back = dataclasses.replace(there, crowding="free", sensor_width=1, wander=0.0, respawn=0.0)
    if turned.get("boundary") != "dish":  # which leaves two things at once
        assert of(dataclasses.replace(back, **{name: getattr(Params(), name) for name in turned})) in near(
            of(there)
        )


def test_species_a_map_and_a_second_look_are_near() -> None:
    plain, pair = of(Params()), of(Params(), species=2)
    assert pair in near(plain)
    assert {of(Params(), species=n) for n in (1, 3)} <= set(near(pair))
    assert of(Params(joins="2"), species=2) in near(pair)
    assert of(Params(), ground=True) in near(plain)
    assert of(Params(), Params()) in near(plain)
    assert {rules.species for rules in near(of(Params(), species=4))} == {3, 4}


@pytest.mark.parametrize("name", [*LOOKS, *SETTINGS])
def test_what_is_near_can_be(name) -> None:
    setting = SETTINGS.get(name)
    rules = of(setting.params, setting.other, len(setting.shares)) if setting else of(LOOKS[name])
    for found in near(rules):
        assert not (found.joins and found.species == 1)
        assert not (found.attraction and found.species > 1)
        assert not found.blend or (found.responses and found.crowds)
        assert found.boundary != "dish"


def test_each_preset_has_its_rules(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(ahead, "user_folder", lambda: tmp_path)
    presets.save(Preset("", "Mine", params=Params(sensor_width=9)), tmp_path)
    (tmp_path / "broken.toml").write_text("[")
    found = list(of_presets())
    assert len(found) == len(presets.shipped()) + 1
    assert of(Params(sensor_width=9)) in found
    assert any(rules.ground for rules in found)


@pytest.fixture
def built(monkeypatch, tmp_path) -> Iterator[list[set[gpu_build.Recipe]]]:
    """The recipes that are asked for, a set of rules each, without a GPU."""
    asked: list[set[gpu_build.Recipe]] = []

    def build_ahead(recipes: list[gpu_build.Recipe], capability: int) -> None:
        assert capability == 87
        asked.append(set(recipes))

    monkeypatch.setattr(gpu_build, "build_ahead", build_ahead)
    monkeypatch.setattr(ahead, "gpu_capability", lambda: 87)
    monkeypatch.setattr(ahead, "of_presets", lambda: [Features(responses=True)])
    return asked


def test_presets_are_built_before_what_is_near(built) -> None:
    pytest.importorskip("cuda.bindings.driver")
    launch = pytest.importorskip("kernels.gpu_launch")
    if launch.INTERPRETED:
        pytest.skip("no recipes where Triton interprets")
    rules = Features(life=True)
    for even, width in (("true", 64), ("false", 65)):
        built.clear()
        ahead.build_gpu_rules(json.dumps(dataclasses.asdict(rules)), even)
        expected = dict.fromkeys([Features(responses=True), *near(rules)])
        assert len(built) == len(expected)
        for recipes, each in zip(built, expected, strict=True):
            kernels = vars(launch.kernels_for(World(width, 48, 9), each)).values()
            assert recipes == {kernel.recipe for kernel in kernels if kernel}


@pytest.mark.parametrize(("major", "minor"), [(9, 0), (8, 6), (12, 0)])
def test_the_driver_tells_the_capability(monkeypatch, major, minor) -> None:
    class Driver:
        def cuDeviceGet(self, device, number) -> int:  # noqa: N802
            device._obj.value = 7 + number
            return 0

        def cuDeviceGetAttribute(self, answer, attribute, device) -> int:  # noqa: N802
            assert device.value == 7
            answer._obj.value = {75: major, 76: minor}[attribute]
            return 0

    monkeypatch.setattr(backend, "nvidia_gpus", lambda: ["NVIDIA Toy"])
    monkeypatch.setattr(backend, "_driver", Driver)
    assert backend.gpu_capability() == 10 * major + minor


# The first steps


def test_the_first_steps_are_done_in_a_thread() -> None:
    first = FirstSteps(Preset("look", "Look"), Choice("reference", False, "", ""))
    first.thread.join()
    assert first.done()


def test_cuda_waits_until_people_can_read_why(monkeypatch) -> None:
    compiled: list[str] = []
    monkeypatch.setattr(FirstSteps, "_compile", lambda self: compiled.append(self.backend))
    first = FirstSteps(Preset("look", "Look"), CUDA)
    assert [first.done() for _ in range(ahead.FRAMES_SHOWN)] == [False] * ahead.FRAMES_SHOWN
    assert not compiled
    assert first.done()
    assert compiled == ["cuda"]


def test_a_failure_is_raised_by_the_frame_that_waits(monkeypatch) -> None:
    monkeypatch.setattr(ahead, "Simulation", lambda *_: 1 / 0)
    first = FirstSteps(Preset("look", "Look"), Choice("reference", False, "", ""))
    first.thread.join()
    with pytest.raises(ZeroDivisionError):
        first.done()
