"""The CUDA backend without one of its ideas: all with the same bits, and each without that idea.

Triton is kept out of the tests' own process (see `test_gpu_code`), so what needs it runs in one of its own,
which is this file as a script, begun beside the other tests (`beside.py`): `python test_ablation.py code` or
`python test_ablation.py equal VARIANT ...`.
"""

import importlib.util
import json
import os
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from beside import begun, give_way
from pairs import gpu_modules, hurry_interpreter

from app.bench import ablation
from app.bench.moment import Moment, moment_of
from kernels import gpu_build
from kernels.params import Params
from kernels.simulation import Simulation, digest
from kernels.world import World

INSTALLED = all(importlib.util.find_spec(name) for name in ("triton", "cuda"))
needs_triton = pytest.mark.skipif(not INSTALLED, reason="triton and cuda-bindings are not installed")

WORLD = World(97, 61, 3000, "5")  # several programs, none of them full
PARAMS = Params(step_size=15.0)  # so long that agents are put in order every 4 steps
STEPS = 1, 5, 1  # to the moment, over the orders after steps 1 and 5, and to the other half of the grids

# What each variant launches in the place of what the backend does, and the constants it is built with.
WITHOUT: dict[str, tuple[set[str], set[str], dict[str, Any]]] = {
    "without relaxed atomics": (set(), set(), {"SEM": "acq_rel"}),
    "without the window": (set(), set(), {"SHARED": False}),
    "without order": ({"survey", "find_starts", "put_in_order"}, set(), {}),
    "without the fused field pass": ({"diffuse"}, {"add_deposits", "blur", "decay"}, {}),
    "without packing": (
        {"update_agents"}, {"update_unpacked_agents", "pack_agents", "unpack_agents"}, {}
    ),
}  # fmt: skip
BACKENDS_OWN = {"update_agents", "diffuse", "survey", "find_starts", "put_in_order"}
NAMES = list(WITHOUT)
EQUAL, CODE = (__file__, "equal", *NAMES), (__file__, "code")
BESIDE = [EQUAL, CODE] if INSTALLED else []


@pytest.fixture(scope="module")
def code() -> dict[str, str]:
    """The PTX of each kernel that only the ablation has, by the name of its recipe."""
    return finished(CODE)


@needs_triton
def test_every_variant_gives_the_same_bits_without_its_idea() -> None:
    _, *digests = expected()
    found = finished(EQUAL)
    assert list(found) == NAMES
    for name, (gone, instead, constants) in ((name, WITHOUT[name]) for name in found):
        assert found[name]["digests"] == digests, name
        launched = found[name]["launched"]
        assert launched.keys() == BACKENDS_OWN - gone | instead, name
        updating = launched.get("update_agents") or launched["update_unpacked_agents"]
        assert updating | constants == updating, name


@needs_triton
def test_every_idea_has_its_variant() -> None:
    pytest.importorskip("cuda.bindings")
    assert set(ablation.variants("cuda")) - {ablation.PLAIN} == {ablation.WHOLE, "without graphs", *WITHOUT}


@needs_triton
def test_variants_compute_as_exactly_as_the_backend(code: dict[str, str]) -> None:
    for name, ptx in code.items():
        operations = set(re.findall(r"\b(\w+(?:\.\w+)*)\.f32\b", ptx))
        assert not [word for word in operations if re.search(r"fma|approx|ftz|full|div|sqrt|^mad", word)], (
            name
        )
        assert not {"add", "sub", "mul"} & operations, f"{name}: left to the assembler to fuse"
    for name in ("UNPACKED", "ADD_DEPOSITS", "BLUR", "DECAY"):
        assert "add.rn.f32" in code[name], name


@needs_triton
def test_the_code_is_without_the_ideas(code: dict[str, str]) -> None:
    assert "acq_rel" in code["STRICT"]
    assert "relaxed" not in code["STRICT"]
    assert "red.shared" in code["STRICT"]
    assert "relaxed" in code["DIRECT"]
    assert ".shared" not in code["DIRECT"]
    assert "red.shared" in code["UNPACKED"]
    words = r"\b(?:ld|st)\.global\S*\.b64"
    assert re.search(words, code["STRICT"])
    assert not re.search(words, code["UNPACKED"])


def test_code_from_an_older_module_is_not_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(gpu_build, "cache_folder", lambda _: tmp_path)
    monkeypatch.setattr(
        gpu_build, "compiled", lambda recipe, _: gpu_build.Code("name", 0, source.read_bytes())
    )
    source = tmp_path / "elsewhere.py"
    recipe = gpu_build.Recipe("elsewhere", "kernel", 4, ())
    for text in (b"old", b"old", b"new"):
        source.write_bytes(text)
        assert gpu_build.build(recipe, 90).binary == text
    assert len(list(tmp_path.glob("*.cubin"))) == 2


@pytest.mark.gpu
def test_every_variant_gives_the_same_bits_on_a_gpu() -> None:
    gpu_modules()
    world = World(401, 257, 30_011)
    moment, *digests = expected(world, Params(), (3, 61, 4))
    for name, make in ablation.variants("cuda").items():
        if name == ablation.PLAIN:  # `test_bench_check` has it
            continue
        subject = make(world, Params(), moment)
        for steps, right in zip((61, 4), digests, strict=True):
            subject.step(steps)
            assert digest(subject.state()) == right, name
        if isinstance(subject, Simulation):
            assert bool(subject.buffers.graphs) == (name != "without graphs"), name


def finished(command: tuple[str, ...]) -> Any:
    """What this file as a script said, which was begun before the first test."""
    process = begun(*command)
    out, err = process.communicate()
    assert process.returncode == 0, out + err
    return json.loads(out)


def expected(
    world: World = WORLD, params: Params = PARAMS, steps: tuple[int, int, int] = STEPS
) -> tuple[Moment, str, str]:
    """A moment of the reference, and its digests after some steps and some more."""
    simulation = Simulation(world, params, "reference")
    simulation.step(steps[0])
    moment = moment_of(simulation)
    simulation.step(steps[1])
    first = simulation.digest()
    simulation.step(steps[2])
    return moment, first, simulation.digest()


def step_all(names: list[str]) -> dict[str, Any]:
    """For each of the variants its digests, and which kernels it launched, with which constants."""
    from kernels import gpu_launch, interpreted

    hurry_interpreter()
    gpu_launch.AGENTS.update(BLOCK=1024, ROUNDS=2)
    launched: dict[str, dict[str, Any]] = {}
    launch = interpreted.Kernel.__call__

    def watched(kernel: Any, grid: tuple[int, ...], *args: Any) -> None:
        launched[kernel._function.fn.__name__] = kernel._constants
        launch(kernel, grid, *args)

    interpreted.Kernel.__call__ = watched  # type: ignore[method-assign]
    moment, _, _ = expected()
    makers, found = ablation.variants("cuda"), {}
    for name in names:
        launched.clear()
        subject, digests = makers[name](WORLD, PARAMS, moment), []
        for steps in STEPS[1:]:
            subject.step(steps)
            digests.append(digest(subject.state()))
        found[name] = {"digests": digests, "launched": dict(launched)}
    return found


def compile_all() -> dict[str, str]:
    """PTX for compute capability 9.0 of every recipe of `app.bench.without`, by its name there."""
    import triton

    from app.bench import without
    from kernels.gpu_build import Recipe, compiled

    made: list[Any] = []
    make = triton.compile
    triton.compile = lambda *args, **options: made.append(make(*args, **options)) or made[-1]
    found = {}
    for name, recipe in vars(without).items():
        if isinstance(recipe, Recipe):
            code = compiled(recipe, 90)
            assert code.name == recipe.name
            assert code.binary == made[-1].asm["cubin"]
            found[name] = made[-1].asm["ptx"]
    return found


if __name__ == "__main__":
    what, *words = sys.argv[1:]
    os.environ["TRITON_INTERPRET"] = str(int(what == "equal"))  # before Triton is loaded
    give_way()
    warnings.simplefilter("error")
    print(json.dumps(step_all(words) if what == "equal" else compile_all()))
