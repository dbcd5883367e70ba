"""The machine code Triton makes of the kernels, read without a GPU: what would break or slow a step.

Triton must not be loaded after Mesa's OpenGL, see `app.backend`. So the compiling is done in a process of
its own, which is this file as a script.
"""

import importlib.util
import json
import re
import subprocess
import sys
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("torch", "triton")),
    reason="torch and triton are not installed",
)

POINTERS = {"agents_ptr": "*i64", "trail_ptr": "*fp32", "next_trail_ptr": "*fp32", "values_ptr": "*fp32"}


@pytest.fixture(scope="module")
def ptx() -> dict[str, str]:
    """The PTX of each kernel by name."""
    ran = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    code: dict[str, str] = json.loads(ran.stdout)
    return code


def test_arithmetic_is_exact(ptx: dict[str, str]) -> None:
    """Additions and products round on their own; nothing is fused, approximated or flushed."""
    for name in ("update_agents", "diffuse"):
        operations = set(re.findall(r"\b(\w+(?:\.\w+)*)\.f32\b", ptx[name]))
        assert {"add.rn", "mul.rn"} <= operations
        assert not [name for name in operations if re.search(r"fma|approx|ftz|full|div|sqrt|^mad", name)]
        assert not {"add", "sub", "mul"} & operations, "left to the assembler to fuse"


def test_deposits_are_relaxed_and_addressed_by_their_own_thread(ptx: dict[str, str]) -> None:
    agents = ptx["update_agents"]
    assert len(re.findall(r"\b(?:atom|red)\.global\.gpu\.relaxed\.add\.u32\b", agents)) == 1
    assert "acq_rel" not in agents
    assert ".shared" not in agents
    assert "bar.sync" not in agents


def test_the_surface_takes_the_trail(ptx: dict[str, str]) -> None:
    assert "sust.b.2d.b32.zero" in ptx["diffuse"]
    assert "sust.b.2d.b32.zero" in ptx["show"]


def compiled(kernel: Any, **constants: int) -> str:
    """PTX of a kernel for compute capability 9.0, with the types its launcher gives it."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    from kernels import gpu

    def kind(name: str) -> str:
        if name in constants:
            return "constexpr"
        if name.endswith("_ptr"):
            return POINTERS.get(name, "*i32")
        return "i64" if name == "surface" else "i32"

    source = ASTSource(
        fn=kernel,
        signature={name: kind(name) for name in kernel.arg_names},
        constexprs={(kernel.arg_names.index(name),): value for name, value in constants.items()},
    )
    options = {"num_warps": gpu.WARPS, "enable_fp_fusion": False}
    code: str = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options).asm["ptx"]
    return code


def main() -> None:
    from kernels import gpu, gpu_step

    cells = {"STRIPS": gpu.STRIPS, "ROWS": gpu.ROWS, "COLUMNS": gpu.COLUMNS}
    code = {
        "update_agents": compiled(gpu_step.update_agents, BLOCK=gpu.BLOCK),
        "diffuse": compiled(gpu_step.diffuse, **cells),
        "show": compiled(gpu_step.show, COLUMNS=gpu.COLUMNS),
    }
    print(json.dumps(code))


if __name__ == "__main__":
    main()
