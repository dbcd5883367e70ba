import importlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from app import backend
from app.backend import BackendError, Choice, check_memory, choose, free_memory
from kernels.simulation import BACKENDS
from kernels.world import World

GIB = 2**30
CPU = Choice("cpu", False, "2 CPU threads", "")


@pytest.fixture
def no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise OSError(name)

    monkeypatch.setattr(backend.ctypes, "CDLL", missing)


@pytest.fixture
def a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "nvidia_gpus", lambda: ["NVIDIA Toy"])
    monkeypatch.setattr(backend, "_installed", lambda name: True)


@pytest.mark.usefixtures("no_driver")
def test_no_driver_means_cpu() -> None:
    choice = choose()
    assert (choice.backend, choice.interop) == ("cpu", False)
    assert choice.reason.endswith("because CUDA cannot be used: NVIDIA's driver is not installed.")
    with pytest.raises(BackendError, match=r"^CUDA cannot be used: NVIDIA's driver is not installed\.$"):
        choose("cuda")


def test_what_is_asked_for_is_taken() -> None:
    assert choose("cpu").backend == "cpu"
    assert choose("reference").backend == "reference"
    with pytest.raises(BackendError, match="'metal' is not allowed; it takes auto, cuda or cpu"):
        choose("metal")


def test_the_cpu_path_imports_neither_torch_nor_triton() -> None:
    said = "from app.backend import choose; import sys; print(choose('cpu').backend, *sys.modules)"
    ran = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("cpu ")
    assert not {"torch", "triton", "numba", "moderngl"} & set(ran.stdout.split())


@pytest.mark.usefixtures("a_gpu")
@pytest.mark.parametrize(
    ("missing", "said"),
    [
        (("triton",), "triton for NVIDIA Toy is not installed"),
        (("cuda.bindings.runtime",), "cuda-bindings for NVIDIA Toy is not installed"),
        (("triton", "cuda.bindings.runtime"), "triton and cuda-bindings for NVIDIA Toy are not installed"),
    ],
)
def test_a_gpu_without_its_libraries(
    monkeypatch: pytest.MonkeyPatch, missing: tuple[str, ...], said: str
) -> None:
    monkeypatch.setattr(backend, "_installed", lambda name: name not in missing)
    choice = choose()
    assert choice.backend == "cpu"
    assert f"{said}; pip install 'physarium[cuda]'" in choice.reason


def test_a_module_of_a_missing_package_is_not_installed() -> None:
    assert not backend._installed("no_such_package.part")
    assert not backend._installed("kernels.no_such_part")
    assert backend._installed("kernels.params")


@pytest.mark.usefixtures("no_driver")
def test_no_driver_has_no_version() -> None:
    with pytest.raises(BackendError, match="driver is not installed"):
        backend.cuda_version()


@pytest.mark.parametrize("version", [12080, 13000])
def test_the_driver_tells_its_cuda(monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    class Driver:
        def cuDriverGetVersion(self, answer: Any) -> int:  # noqa: N802
            answer._obj.value = version
            return 0

    monkeypatch.setattr(backend.ctypes, "CDLL", lambda name: Driver())
    assert backend.cuda_version() == version


@pytest.mark.usefixtures("a_gpu")
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RuntimeError("cudaSetDevice failed with cudaErrorInsufficientDriver"), "'cuda-bindings<13'"),
        (RuntimeError("cudaMalloc failed with cudaErrorECCUncorrectable"), "cudaErrorECCUncorrectable"),
        (ImportError("cannot import name 'x' from 'triton'"), "pip install -U 'physarium[cuda]'"),
        (AttributeError("module 'triton' has no attribute 'knobs'"), "has no attribute 'knobs'"),
        (OSError("libcupti.so.13: cannot open"), "libcupti.so.13"),
        (ZeroDivisionError(), "ZeroDivisionError"),
    ],
)
def test_a_failed_trial_names_the_cure(monkeypatch: pytest.MonkeyPatch, error: Exception, said: str) -> None:
    def fail(*args: object) -> None:
        raise error

    monkeypatch.setattr(backend, "Simulation", fail)
    choice = choose()
    assert choice.backend == "cpu"
    assert said in choice.reason
    assert "\n" not in choice.reason
    with pytest.raises(BackendError, match=r"^CUDA cannot be used: "):
        choose("cuda")


@pytest.mark.usefixtures("a_gpu")
def test_a_gpu_that_computes_something_else_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong:
        def __init__(self, world: World, params: object, name: str) -> None:
            self.name = name

        def step(self, n: int) -> None: ...

        def digest(self) -> str:
            return self.name

    monkeypatch.setattr(backend, "Simulation", Wrong)
    assert "differ from the reference's" in choose().reason
    monkeypatch.setattr(Wrong, "digest", lambda self: "same")
    assert choose() == Choice(
        "cuda", True, "NVIDIA Toy", "CUDA on NVIDIA Toy steps the world, sharing its picture with OpenGL."
    )
    assert not choose(interop=False).interop


def test_free_memory_is_plausible() -> None:
    assert 2**24 < free_memory("cpu") < 2**50


@pytest.mark.parametrize("choice", [CPU, Choice("reference", False, "NumPy", "")], ids=["cpu", "reference"])
@pytest.mark.parametrize(
    ("shares", "beside"), [((1.0,), 4 + 2 + 11), ((1.0, 1.0), 16 + 2 + 11)], ids=["one species", "two"]
)
def test_a_world_that_does_not_fit(
    monkeypatch: pytest.MonkeyPatch, choice: Choice, shares: tuple[float, ...], beside: int
) -> None:
    world = World(16384, 16384, 2**27, shares=shares)
    needed = importlib.import_module(BACKENDS[choice.backend]).bytes_needed(world) + beside * 2**28
    monkeypatch.setattr(backend, "free_memory", lambda name: needed)
    check_memory(world, choice)
    monkeypatch.setattr(backend, "free_memory", lambda name: needed - 1)
    sentence = f"16384x16384 with 134217728 agents needs {needed / GIB:.1f} GiB of main"
    with pytest.raises(BackendError, match=sentence):
        check_memory(world, choice)
    with pytest.raises(MemoryError):
        check_memory(world, choice)


def test_agents_and_maps_of_cuda_start_in_main_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BACKENDS, "cuda", "kernels.reference")
    cuda = Choice("cuda", True, "NVIDIA Toy", "")
    free = {"cuda": 2**40, "cpu": 8 * 2**27 + 11 * 2**24}
    monkeypatch.setattr(backend, "free_memory", free.__getitem__)
    check_memory(World(4096, 4096, 2**27), cuda)
    with pytest.raises(BackendError, match=r"8\.2 GiB of main memory"):
        check_memory(World(4096, 4096, 2**30), cuda)


@pytest.mark.parametrize("name", ["cpu", "reference"])
@pytest.mark.parametrize("world", [World(64, 64, 500_000), World(1000, 700, 100)], ids=["agents", "cells"])
def test_memory_is_foretold(name: str, world: World) -> None:
    module = importlib.import_module(BACKENDS[name])
    arrays = [value for value in vars(module.allocate(world)).values() if isinstance(value, np.ndarray)]
    taken = sum(array.nbytes for array in arrays) + 8 * world.agents  # what `load` is given
    assert 0.95 * taken < module.bytes_needed(world) + 2**18 < 1.3 * taken + 2**19
