"""What a GPU is asked for: whether it is chosen, its memory, and a start without Triton. `pytest -m gpu`."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from looks import SETTINGS
from pairs import AWKWARD, gpu_modules

from app.backend import BackendError, check_memory, choose, nvidia_gpus
from kernels.params import Params
from kernels.simulation import Simulation
from kernels.world import World

pytestmark = pytest.mark.gpu
cuda, gpu = gpu_modules("cuda", "gpu")

TABLES = "responses", "crowds", "births"  # whose size no world changes
PAGE = 2**21  # bytes: what the driver takes and gives back at once
CHOOSE = """
import sys
from app.backend import choose
choice = choose(*sys.argv[1:])
print(choice.backend, *sorted({"torch", "triton"} & set(sys.modules)), choice.reason)
"""


def test_chooses_cuda() -> None:
    choice = choose()
    assert (choice.backend, choice.interop, choice.device) == ("cuda", True, nvidia_gpus()[0])
    assert choice.device in choice.reason
    apart = choose("cuda", interop=False)
    assert (apart.backend, apart.interop) == ("cuda", False)
    assert "host" in apart.reason


# Memory


@pytest.mark.parametrize(
    "world",
    [World(64, 64, 500_000), World(1000, 700, 100), World(16, 16, 1)],
    ids=lambda w: f"{w.width}x{w.height}",
)
def test_memory_is_foretold(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """With 20 bytes a cell and 16 an agent as the limit of a plain world."""
    taken = []
    zeros = cuda.zeros

    def counted(*args: object) -> object:
        array = zeros(*args)
        taken.append(array.nbytes)
        return array

    monkeypatch.setattr(cuda, "zeros", counted)
    Simulation(world, Params(), "cuda")
    assert gpu.bytes_needed(world) == sum(taken)
    assert gpu.bytes_needed(world) <= 16 * world.agents + 20 * world.width * world.height + 256


@pytest.mark.parametrize("name", SETTINGS)
def test_memory_for_rules_is_foretold_but_for_tables(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that takes room on a large field, unless a cell holds one agent."""
    taken = []
    zeros = cuda.zeros

    def counted(*args: object) -> object:
        array = zeros(*args)
        taken.append(array.nbytes)
        return array

    monkeypatch.setattr(cuda, "zeros", counted)
    free = SETTINGS[name]
    free = dataclasses.replace(
        free,
        params=dataclasses.replace(free.params, crowding="free"),
        other=free.other and dataclasses.replace(free.other, crowding="free"),
    )
    simulation = free.simulation("cuda", 640, 480, 1000)
    tables = [simulation.buffers.more[name].nbytes for name in TABLES if name in simulation.buffers.more]
    assert sum(taken) - sum(tables) <= gpu.bytes_needed(simulation.world)


def test_rebuilding_gives_memory_back() -> None:
    worlds = World(640, 360, 500_000), World(401, 257, 300_011)

    def rebuild(times: int) -> None:
        for turn in range(times):
            simulation = Simulation(worlds[turn % 2], Params(), "cuda")
            simulation.step(40)
            simulation.digest()
        simulation.wait()

    rebuild(10)
    free = cuda.free_memory()
    rebuild(60)
    assert cuda.free_memory() >= free - PAGE


def test_pinned_memory_stays_small_over_a_storm_of_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is taken from everybody: only what the present size needs stays."""
    held: dict[int, int] = {}
    allocate, free = cuda.runtime.cudaMallocHost, cuda.runtime.cudaFreeHost

    def counted_allocate(size: int) -> tuple[object, int]:
        status, address = allocate(size)
        held[int(address)] = size
        return status, address

    def counted_free(address: int) -> object:
        held.pop(address, None)
        return free(address)

    monkeypatch.setattr(cuda.runtime, "cudaMallocHost", counted_allocate)
    monkeypatch.setattr(cuda.runtime, "cudaFreeHost", counted_free)
    for turn in range(60):
        simulation = Simulation(World(640 + turn, 480 - turn, 1000), Params(), "cuda")
        for _ in range(5):
            simulation.step(3)
            trail = simulation.trail
        assert held
        assert len(held) <= 3
    assert sum(held.values()) <= 3 * trail.nbytes
    before = dict(held)
    for _ in range(100):
        trail = simulation.trail
    assert held == before, "the same memory serves every frame"


def test_a_picture_stays_when_the_next_is_fetched() -> None:
    simulation = Simulation(AWKWARD, Params(), "cuda")
    fetched, kept = [], []
    for _ in range(5):
        simulation.step()
        fetched.append(simulation.trail)
        kept.append(fetched[-1].copy())
    assert all(np.array_equal(a, b) for a, b in zip(fetched, kept, strict=True))


def test_refuses_a_world_larger_than_the_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    choice = choose("cuda")
    check_memory(AWKWARD, choice)
    monkeypatch.setattr(cuda, "free_memory", lambda: 1000)
    with pytest.raises(BackendError, match=r"needs 3\d\.\d GiB of memory on NVIDIA"):
        check_memory(World(32768, 32768, 2**30 - 1), choice)


def test_out_of_memory_is_a_memory_error() -> None:
    hog = cuda.Array((int(cuda.free_memory() * 0.95),), np.dtype(np.uint8))
    with pytest.raises(MemoryError, match=r"needs 32\.0 GiB of GPU memory"):
        gpu.allocate(World(32768, 32768, 2**30))
    free = cuda.free_memory()
    del hog
    assert cuda.free_memory() > free
    Simulation(AWKWARD, Params(), "cuda").step(3)


# Starts, each in a process of its own


def chosen(*wanted: str, **environment: str) -> tuple[str, str]:
    """What a new process chose, and what it warned of."""
    ran = subprocess.run(
        [sys.executable, "-c", CHOOSE, *wanted],
        env={name: value for name, value in os.environ.items() if name != "CC"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.stdout.strip(), ran.stderr.strip()


def test_cuda_hidden() -> None:
    said, _ = chosen(CUDA_VISIBLE_DEVICES="")
    assert said.startswith("cpu The CPU")
    assert "hides every GPU" in said
    _, refused = chosen("cuda", CUDA_VISIBLE_DEVICES="")
    assert "BackendError: CUDA cannot be used: CUDA_VISIBLE_DEVICES" in refused


def test_a_later_start_loads_neither_torch_nor_triton(tmp_path: Path) -> None:
    first, _ = chosen(XDG_CACHE_HOME=str(tmp_path))
    assert first.startswith("cuda CUDA on"), "others compiled"
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.cubin")}
    assert kept
    later, _ = chosen(XDG_CACHE_HOME=str(tmp_path))
    assert later.startswith("cuda CUDA on")
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.cubin")} == kept


def test_kept_code_that_is_damaged_is_built_again(tmp_path: Path) -> None:
    chosen(XDG_CACHE_HOME=str(tmp_path))
    for path in tmp_path.rglob("*.cubin"):
        path.write_bytes(path.read_bytes()[:-100])
    said, warned = chosen(XDG_CACHE_HOME=str(tmp_path))
    assert said.startswith("cuda CUDA on")
    assert "compiled again" in warned
    assert chosen(XDG_CACHE_HOME=str(tmp_path))[0].startswith("cuda CUDA on")


def test_without_a_folder_for_kept_code() -> None:
    said, warned = chosen(XDG_CACHE_HOME="/dev/null")
    assert "triton CUDA on" in said
    assert "not kept, so each start compiles" in warned


def test_no_c_compiler_is_needed(tmp_path: Path) -> None:
    said, _ = chosen(XDG_CACHE_HOME=str(tmp_path), PATH="/nonexistent")
    assert said.startswith("cuda CUDA on")
