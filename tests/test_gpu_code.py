"""The machine code Triton makes of the kernels, read without a GPU: what would break or slow a step."""

import re
from typing import Any

import pytest

triton = pytest.importorskip("triton")
pytest.importorskip("torch")

from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402

from kernels import gpu, gpu_step  # noqa: E402

POINTERS = {"agents_ptr": "*i64", "trail_ptr": "*fp32", "next_trail_ptr": "*fp32", "values_ptr": "*fp32"}


def ptx(kernel: Any, **constants: int) -> str:
    """PTX of a kernel for compute capability 9.0, with the types its launcher gives it."""

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


@pytest.fixture(scope="module")
def agents() -> str:
    return ptx(gpu_step.update_agents, BLOCK=gpu.BLOCK)


@pytest.fixture(scope="module")
def field() -> str:
    return ptx(gpu_step.diffuse, STRIPS=gpu.STRIPS, ROWS=gpu.ROWS, COLUMNS=gpu.COLUMNS)


def test_arithmetic_is_exact(agents: str, field: str) -> None:
    """Additions and products round on their own; nothing is fused, approximated or flushed."""
    for code in (agents, field):
        operations = set(re.findall(r"\b(\w+(?:\.\w+)*)\.f32\b", code))
        assert {"add.rn", "mul.rn"} <= operations
        assert not [name for name in operations if re.search(r"fma|approx|ftz|full|div|sqrt|^mad", name)]
        assert not re.search(r"\b(add|sub|mul)\.f32\b", code), "left to the assembler to fuse"


def test_deposits_are_relaxed_and_addressed_by_their_own_thread(agents: str) -> None:
    assert len(re.findall(r"\b(?:atom|red)\.global\.gpu\.relaxed\.add\.u32\b", agents)) == 1
    assert "acq_rel" not in agents
    assert ".shared" not in agents
    assert "bar.sync" not in agents


def test_the_surface_takes_the_trail(field: str) -> None:
    assert "sust.b.2d.b32.zero" in field
    assert "sust.b.2d.b32.zero" in ptx(gpu_step.show, COLUMNS=gpu.COLUMNS)
