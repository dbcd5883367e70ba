"""The machine code Triton makes of the kernels, read without a GPU: what would break or slow a step.

Triton must not be loaded after Mesa's OpenGL, see `app.backend`. So the compiling is done in a process of
its own, which is this file as a script: `python test_gpu_code.py CAPABILITY ...`.
"""

import importlib.util
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import pytest
from beside import begun, give_way

from kernels import gpu_build
from kernels.world import World

INSTALLED = all(importlib.util.find_spec(name) for name in ("triton", "cuda"))
pytestmark = pytest.mark.skipif(not INSTALLED, reason="triton or cuda-bindings is not installed")

# From the RTX 20 series to the RTX 50 series, and the servers between them. The H200 is 90.
CAPABILITIES = 75, 80, 86, 89, 90, 100, 120
# Two processes that take about as long as each other.
BESIDE = [
    (__file__, *map(str, capabilities)) for capabilities in (CAPABILITIES[:4], CAPABILITIES[4:]) if INSTALLED
]
# Large and small, with a width that is a multiple of 16 and one that is not; only the last for other GPUs.
WORLDS = World(4096, 4096, 1), World(4095, 4096, 1), World(400, 257, 1), World(401, 257, 1)
# Rules on top of each other, for one species and for four; only for some GPUs.
RULED = {
    "one species": {"responses": True, "life": True, "crowds": True, "boundary": "reflect", "ground": True},
    "four species": {
        "species": 4, "responses": True, "life": True, "joins": True, "crowds": True, "boundary": "respawn",
        "ground": True, "blend": True, "crowded": True, "sensor_width": 3,
    },
}  # fmt: skip
FOR_RULES = 75, 90
KERNELS = {
    "update_agents", "diffuse", "diffuse_and_show", "show", "paint", "survey", "find_starts", "put_in_order",
}  # fmt: skip


@dataclass(frozen=True)
class Made:
    """What became of a kernel.

    Attributes:
        kernel: Its name in `gpu_launch.Kernels`.
        rules: One of `RULED`, or "" for the plain step.
        capability: Of the GPU it is for.
        ptx: What the assembler was given.
        registers: Of a thread.
        stack: Bytes of a thread, where registers are spilled.
        shared: Bytes of shared memory, of its own and at launch.
    """

    kernel: str
    rules: str
    capability: int
    ptx: str
    registers: int
    stack: int
    shared: int


@pytest.fixture(scope="module")
def made() -> list[Made]:
    """All kernels for all GPUs, and for all fields on one of them."""
    scripts = [begun(*command) for command in BESIDE]
    ended = [(*script.communicate(), script.returncode) for script in scripts]
    assert [status for *_, status in ended] == [0, 0], ended
    return [Made(**about) for out, *_ in ended for about in json.loads(out)]


def of(made: list[Made], *names: str) -> list[Made]:
    """Those of some kernels of the plain step."""
    found = [code for code in made if code.kernel in names and not code.rules]
    assert len({code.capability for code in found}) == len(CAPABILITIES)
    return found


AGREE = """
from kernels import gpu_launch, gpu_order, gpu_window
assert gpu_launch.AGENTS["BLOCK"] == gpu_window.THREADS.value
assert gpu_launch.AGENTS["BLOCK"] * gpu_launch.AGENTS["ROUNDS"] < 2**16
assert gpu_launch.ORDER["BLOCK"] == gpu_order.WINDOW.value ** 2
assert gpu_order.WINDOW.value == 1 << gpu_order.WINDOW_BITS.value
"""


def test_launches_fit_the_kernels() -> None:
    """Some constants follow from one another."""
    ran = subprocess.run([sys.executable, "-c", AGREE], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_every_kernel_compiles_for_every_gpu(made: list[Made]) -> None:
    for capability in CAPABILITIES:
        plain = {code.kernel for code in made if code.capability == capability and not code.rules}
        assert plain == KERNELS


def test_rules_add_kernels_and_take_none(made: list[Made]) -> None:
    found = {rules: {code.kernel for code in made if code.rules == rules} for rules in RULED}
    assert found["one species"] == KERNELS | {"mix"}
    assert found["four species"] == KERNELS - {"diffuse_and_show"} | {"claim", "mix", "mix_and_show"}


def test_arithmetic_is_exact(made: list[Made]) -> None:
    """Additions and products round on their own; nothing is fused, approximated or flushed."""
    ruled = [
        code for code in made if code.rules and code.kernel in ("claim", "update_agents", "diffuse", "mix")
    ]
    assert len(ruled) == 7 * len(FOR_RULES)
    for code in ruled + of(made, "update_agents", "diffuse", "diffuse_and_show", "paint"):
        operations = set(re.findall(r"\b(\w+(?:\.\w+)*)\.f32(?:x2)?\b", code.ptx))
        assert {"add.rn", "mul.rn"} <= operations
        assert not [name for name in operations if re.search(r"fma|approx|ftz|full|div|sqrt|^mad", name)]
        assert not {"add", "sub", "mul"} & operations, "left to the assembler to fuse"


def test_atomics_are_relaxed(made: list[Made]) -> None:
    for code in of(made, "update_agents", "put_in_order"):
        atomics = re.findall(r"\b(?:atom|red)\.global\S*", code.ptx)
        assert {name.partition(".")[2] for name in atomics} == {"global.gpu.relaxed.add.u32"}
        assert not re.search(r"acq_rel|\bmembar|\bfence", code.ptx)


def test_atomics_of_rules_are_relaxed(made: list[Made]) -> None:
    for code in made:
        atomics = re.findall(r"\b(?:atom|red)\.global\S*", code.ptx) if code.rules else []
        kinds = {name.partition(".")[2] for name in atomics}
        assert kinds <= {"global.gpu.relaxed.add.u32", "global.gpu.relaxed.max.u64"}
        assert ("global.gpu.relaxed.max.u64" in kinds) == (code.kernel == "claim")
        assert not re.search(r"acq_rel|\bmembar|\bfence", code.ptx)


def test_most_deposits_stay_in_shared_memory(made: list[Made]) -> None:
    """One addition a lap there, one where that is not possible, and two for each word of the window."""
    for code in of(made, "update_agents"):
        assert len(re.findall(r"\bred\.shared\.add\.u32\b", code.ptx)) == 1
        assert len(re.findall(r"\b(?:atom|red)\.global\b", code.ptx)) == 1 + 2 * 4
        assert len(re.findall(r"\bbar\.sync\b", code.ptx)) == 2
        assert code.shared <= 8192 + 1024


def test_a_multiprocessor_can_be_full_of_agents(made: list[Made]) -> None:
    """It has 65,536 registers, for 1,024 to 2,048 threads; none is spilled."""
    for code in of(made, "update_agents"):
        assert code.registers * gpu_build.THREADS.get(code.capability, 2048) <= gpu_build.REGISTERS
        assert code.stack == 0


def test_field_and_order_spill_nothing(made: list[Made]) -> None:
    ruled = [code for code in made if code.rules and code.kernel not in ("claim", "update_agents", "diffuse")]
    for code in ruled + of(made, *KERNELS - {"update_agents"}):
        assert code.stack == 0, code.kernel
        assert code.registers <= 64, code.kernel


def test_the_field_is_read_straight_into_registers(made: list[Made]) -> None:
    for code in of(made, "diffuse", "diffuse_and_show"):
        assert code.shared == 0
        assert not re.search(r"\bbar\.|\.shared\b", code.ptx)


def test_the_surface_takes_the_trail_where_it_is_shown(made: list[Made]) -> None:
    for code in made:
        shown = code.kernel in ("diffuse_and_show", "mix_and_show", "show")
        four = code.rules == "four species"
        assert bool(re.search(r"\bsust\.b\.2d\.b32\.zero\b", code.ptx)) == (shown and not four), code.kernel
        assert bool(re.search(r"\bsust\.b\.2d\.v4\.b32\.zero\b", code.ptx)) == (shown and four), code.kernel


def kernels_made(capability: int) -> Iterator[Made]:
    """Compiles all there is to compile for a GPU, as a first start does."""
    import triton

    from kernels import gpu_build, gpu_launch
    from kernels.contract import Features

    results: list[Any] = []
    compiling = triton.compile

    def noted(*args: object, **options: object) -> Any:
        results.append(compiling(*args, **options))
        return results[-1]

    triton.compile = noted
    done = set()
    asked = [(world, "") for world in (WORLDS if capability == 90 else WORLDS[-1:])]
    asked += [(WORLDS[0], rules) for rules in RULED] if capability in FOR_RULES else []
    for world, rules in asked:
        features = Features(**RULED.get(rules, {}))
        for name, kernel in vars(gpu_launch.kernels_for(world, features)).items():
            if kernel and (name, rules, kernel.recipe) not in done:
                done.add((name, rules, kernel.recipe))
                code = gpu_build.compiled(kernel.recipe, capability)
                yield about(name, rules, capability, results.pop().asm["ptx"], code)
    triton.compile = compiling


def about(name: str, rules: str, capability: int, ptx: str, code: Any) -> Made:
    """What NVIDIA's tool, which comes with Triton, says of a kernel."""
    import triton

    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(code.binary)
        file.flush()
        tool = [triton.knobs.nvidia.cuobjdump.path, "-res-usage", file.name]
        said = subprocess.run(tool, capture_output=True, text=True, check=True).stdout
    registers, stack, shared = (
        int(re.search(rf"\b{what}:(\d+)", said)[1])  # type: ignore[index]
        for what in ("REG", "STACK", "SHARED")
    )
    return Made(name, rules, capability, ptx, registers, stack, shared + code.shared)


if __name__ == "__main__":
    give_way()
    print(json.dumps([asdict(code) for each in sys.argv[1:] for code in kernels_made(int(each))]))
