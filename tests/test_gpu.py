"""The CUDA backend on a GPU: `pytest -m gpu`. Kernels, graphs, sharing with OpenGL, choice, memory."""

import dataclasses
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import moderngl
import numpy as np
import pytest
from looks import LOOKS

from app.backend import BackendError, check_memory, choose, nvidia_gpus
from app.interop import InteropError, SharedTexture
from kernels import reference
from kernels.contract import step_key, step_values
from kernels.params import SPECS, Params
from kernels.simulation import Simulation
from kernels.stroke import Stroke, dab
from kernels.world import World, scatter

pytestmark = pytest.mark.gpu
try:
    nvidia_gpus()
except BackendError as missing:
    pytest.skip(str(missing), allow_module_level=True)
torch = pytest.importorskip("torch")
triton = pytest.importorskip("triton")
gpu: Any = pytest.importorskip("kernels.gpu")

Share = Callable[[int, int], tuple[moderngl.Texture, SharedTexture]]

AWKWARD = World(401, 257, 30011, "7")
SIZES = [
    World(16, 16, 1),
    World(16, 16, 4099),
    World(127, 17, 128),
    World(128, 33, 129),
    World(129, 31, 127),
    World(3001, 16, 5000),
    World(16, 3001, 5000),
    World(32768, 16, 1000),
    World(2048, 2050, 100_000),
]


def begin(module: Any, world: World, params: Params) -> Any:
    b = module.allocate(world)
    module.load(b, world, scatter(world))
    module.set_values(b, step_values(params, world))
    return b


def assert_equal(b: Any, expected: Any) -> None:
    assert b.step == expected.step
    for name, ours, theirs in zip(
        ("trail", "counts", "agents"), gpu.fetch(b), reference.fetch(expected), strict=True
    ):
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs), f"{name} differ after step {b.step}"


# The kernels


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
@pytest.mark.parametrize("seed", ["7", "-1e400"])
def test_equals_reference_for_500_steps(seed: str, look: Params) -> None:
    world = dataclasses.replace(AWKWARD, seed=seed)
    b, expected = begin(gpu, world, look), begin(reference, world, look)
    for span in (1, 9, 90, 400):
        gpu.advance(b, span)
        reference.advance(expected, span)
        assert_equal(b, expected)


@pytest.mark.parametrize("world", SIZES, ids=lambda w: f"{w.width}x{w.height}-{w.agents}")
def test_equals_reference_at_any_size(world: World) -> None:
    look = Params(sensor_distance=200.0, step_size=20.0, decay=0.95, deposit=100.0, sensor_angle=179.0)
    b, expected = begin(gpu, world, look), begin(reference, world, look)
    for _ in range(3):
        gpu.advance(b, 7)
        reference.advance(expected, 7)
        assert_equal(b, expected)


def test_strokes_and_changes_between_steps() -> None:
    """Also restarts with another seed in the same memory, from an odd step."""
    b, expected = begin(gpu, AWKWARD, Params()), begin(reference, AWKWARD, Params())
    for turn in range(12):
        look = dataclasses.replace(
            list(LOOKS.values())[turn % 3], decay=0.05 + turn / 20, sensor_angle=turn * 15.0
        )
        strength = 3 * 2**20 if turn % 2 else -(2**19)
        cells = dab(Stroke(turn * 9000 - 700, turn * 4000, 9 * 256, strength), AWKWARD)
        world = dataclasses.replace(AWKWARD, seed="new")
        for module, buffers in ((gpu, b), (reference, expected)):
            if turn == 6:
                module.load(buffers, world, scatter(world))
            module.set_values(buffers, step_values(look, world))
            module.advance(buffers, 2 * turn + 1)
            module.paint(buffers, *cells)
        assert_equal(b, expected)


def test_step_wraps_where_the_reference_wraps() -> None:
    """Numbers beyond 2**31 and 2**32, which a show of years would reach."""
    for start in (2**31 - 3, 2**32 - 3):
        b, expected = begin(gpu, AWKWARD, Params()), begin(reference, AWKWARD, Params())
        key = step_key(AWKWARD.seed_words, start)
        b.clock[:2] = torch.tensor(np.array([start % 2**32, key], np.uint32).view(np.int32))
        b.step = expected.step = start
        gpu.advance(b, 8)
        reference.advance(expected, 8)
        assert_equal(b, expected)


# CUDA graphs


def test_spans_and_graphs_change_nothing() -> None:
    whole, spans, plain = (begin(gpu, AWKWARD, Params()) for _ in range(3))
    assert len(whole.graphs) == 2
    plain.graphs = ()
    gpu.advance(whole, 60)
    gpu.advance(plain, 60)
    for span in (1, 1, 3, 0, 5, 2, 17, 4, 27):
        gpu.advance(spans, span)
    states = [gpu.fetch(b) for b in (whole, spans, plain)]
    assert all(np.array_equal(a, b) for other in states[1:] for a, b in zip(states[0], other, strict=True))


def test_runs_without_graphs(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def fail(*args: object) -> None:
        raise RuntimeError("no capturing today")

    monkeypatch.setattr(gpu, "_captured", fail)
    b, expected = begin(gpu, AWKWARD, Params()), begin(reference, AWKWARD, Params())
    assert b.graphs == ()
    assert "no capturing today" in caplog.text
    gpu.advance(b, 5)
    reference.advance(expected, 5)
    assert_equal(b, expected)


def test_a_slider_compiles_and_captures_nothing(monkeypatch: pytest.MonkeyPatch, share: Share) -> None:
    simulation = Simulation(AWKWARD, Params(), "cuda")
    shared = [share(AWKWARD.width, AWKWARD.height)[1] for _ in range(2)]
    compiled: list[object] = []
    captured: list[object] = []
    graph = torch.cuda.CUDAGraph

    def counted(*args: object) -> object:
        captured.append(args)
        return graph(*args)

    monkeypatch.setattr(triton.knobs.runtime, "jit_cache_hook", lambda **about: compiled.append(about))
    monkeypatch.setattr(torch.cuda, "CUDAGraph", counted)
    for name, spec in SPECS.items():
        if spec.choices:
            continue
        for value in {spec.low, spec.high, spec.default, 0, 1, 2, 15, 16, 17, 32}:
            if not spec.low <= value <= spec.high:
                continue
            params = dataclasses.replace(Params(), **{name: spec.check(value)})
            simulation.set(params)
            simulation.step(params.steps_per_frame)
            for texture in shared:
                with texture.map(gpu.stream()) as surface:
                    simulation.step(params.steps_per_frame, surface)
                    simulation.step(0, surface)
    simulation.reset("another seed")
    simulation.step(3)
    assert simulation.steps == 3
    assert not compiled
    assert not captured
    gpu.diffuse.device_caches.clear()
    Simulation(AWKWARD, Params(), "cuda")
    assert compiled, "the hook saw no compilation"
    assert captured, "the counter saw no capture"


# Sharing with OpenGL


@pytest.fixture
def share(gl: moderngl.Context) -> Iterator[Share]:
    """Makes shared textures of a width and a height, and closes them in the right order."""
    made = []

    def make(width: int, height: int) -> tuple[moderngl.Texture, SharedTexture]:
        texture = gl.texture((width, height), 1, dtype="f4")
        made.append((texture, SharedTexture(texture)))
        return made[-1]

    yield make
    for texture, shared in made:
        shared.close()
        texture.release()


VERTEX = """
#version 330
void main() { gl_Position = vec4(ivec2(gl_VertexID % 2, gl_VertexID / 2) * 4 - 1, 0, 1); }
"""
FRAGMENT = """
#version 330
uniform sampler2D trail;
out float value;
void main() { value = texelFetch(trail, ivec2(gl_FragCoord), 0).r; }
"""


def picture(texture: moderngl.Texture) -> np.ndarray:
    return np.frombuffer(texture.read(), np.float32).reshape(texture.height, texture.width)


@pytest.mark.parametrize("world", [AWKWARD, World(16, 16, 100), World(640, 360, 50_000)])
def test_surface_holds_the_trail(world: World, share: Share) -> None:
    texture, shared = share(world.width, world.height)
    simulation = Simulation(world, Params(), "cuda")
    for steps in (1, 2, 3, 1, 8, 5):
        texture.write(np.full((world.height, world.width), np.nan, np.float32))
        with shared.map(gpu.stream()) as surface:
            simulation.step(steps, surface)
        assert np.array_equal(picture(texture), simulation.trail)
    simulation.paint(Stroke(4000, 3000, 2000, 2**22))
    with shared.map(gpu.stream()) as surface:
        simulation.step(0, surface)
    assert np.array_equal(picture(texture), simulation.trail)
    expected = Simulation(world, Params(), "reference")
    expected.step(20)
    expected.paint(Stroke(4000, 3000, 2000, 2**22))
    assert np.array_equal(picture(texture), expected.trail)


def test_every_frame_is_whole_and_in_order(gl: moderngl.Context, share: Share) -> None:
    """OpenGL draws right after unmap, with no wait in between, and sees this frame all over."""
    texture, shared = share(1024, 1024)
    b = begin(gpu, World(1024, 1024, 1), Params())
    seen = gl.simple_framebuffer((1024, 1024), 1, dtype="f4")
    triangle = gl.vertex_array(gl.program(VERTEX, FRAGMENT), [])
    for frame in range(300):
        b.trails[0].fill_(frame)
        with shared.map(gpu.stream()) as surface:
            gpu.advance(b, 0, surface)
        seen.use()
        texture.use(0)
        triangle.render(moderngl.TRIANGLES, vertices=3)
        drawn = np.frombuffer(seen.read(components=1, dtype="f4"), np.float32)
        assert (drawn == frame).all()


def test_failures_leave_everything_usable(gl: moderngl.Context, share: Share) -> None:
    texture, shared = share(64, 48)
    nothing = SimpleNamespace(glo=999_999, components=1, ctx=gl)
    with pytest.raises(InteropError, match="do not share"):
        SharedTexture(nothing)
    assert gl.error in ("GL_NO_ERROR", "GL_INVALID_VALUE", "GL_INVALID_OPERATION")
    with pytest.raises(InteropError, match="3"):
        SharedTexture(gl.texture((8, 8), 3, dtype="f4"))
    with pytest.raises(ZeroDivisionError), shared.map():
        raise ZeroDivisionError
    with pytest.raises(InteropError), shared.map(), shared.map():
        pass
    refused: list[InteropError] = []

    def elsewhere() -> None:
        try:
            with shared.map():
                pass
        except InteropError as error:
            refused.append(error)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert refused
    world = World(64, 48, 1000)
    simulation, expected = Simulation(world, Params(), "cuda"), Simulation(world, Params(), "reference")
    with shared.map(gpu.stream()) as surface:
        simulation.step(100, surface)
    expected.step(100)
    assert np.array_equal(picture(texture), expected.trail)
    shared.close()
    shared.close()
    with pytest.raises(InteropError, match="closed"), shared.map():
        pass


def test_resizing_back_and_forth(gl: moderngl.Context) -> None:
    """Drivers hand out a deleted texture's number again; what is registered is the object."""
    sizes = (64, 48), (97, 31)
    states = [begin(gpu, World(*size, 1), Params()) for size in sizes]
    numbers = set()
    for turn in range(200):
        b = states[turn % 2]
        b.trails[0].fill_(turn)
        texture = gl.texture(sizes[turn % 2], 1, dtype="f4")
        numbers.add(texture.glo)
        shared = SharedTexture(texture)
        with shared.map(gpu.stream()) as surface:
            gpu.advance(b, 0, surface)
        assert (picture(texture) == turn).all()
        shared.close()
        texture.release()
    assert len(numbers) < 200, "no number was used twice"


def test_memory_stays_the_same_over_10000_frames(share: Share) -> None:
    world = World(512, 512, 100_000)
    _, shared = share(world.width, world.height)
    simulation = Simulation(world, Params(), "cuda")

    def frames(count: int) -> None:
        for frame in range(count):
            simulation.set(dataclasses.replace(Params(), decay=0.01 + frame % 50 / 100))
            if frame % 10 == 0:
                simulation.paint(Stroke(frame * 100, frame * 70, 4000, 2**20))
            with shared.map(gpu.stream()) as surface:
                simulation.step(1 + frame % 4, surface)
        torch.cuda.synchronize()

    frames(500)
    held, free = torch.cuda.memory_reserved(), torch.cuda.mem_get_info()[0]
    frames(10_000)
    assert torch.cuda.memory_reserved() == held
    assert torch.cuda.mem_get_info()[0] >= free


def test_rebuilding_gives_memory_back() -> None:
    worlds = World(640, 360, 50_000), World(401, 257, 30_011)
    for world in worlds:
        Simulation(world, Params(), "cuda").step(4)
    torch.cuda.synchronize()
    held, free = torch.cuda.memory_allocated(), torch.cuda.mem_get_info()[0]
    for turn in range(60):
        Simulation(worlds[turn % 2], Params(), "cuda").step(4)
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() == held
    assert torch.cuda.mem_get_info()[0] >= free - 2**21  # the driver's pages are this large


# The choice of a backend


def test_chooses_cuda() -> None:
    choice = choose()
    assert (choice.backend, choice.interop, choice.device) == ("cuda", True, nvidia_gpus()[0])
    assert choice.device in choice.reason
    apart = choose("cuda", interop=False)
    assert (apart.backend, apart.interop) == ("cuda", False)
    assert "host" in apart.reason


def test_refuses_a_world_larger_than_the_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    choice = choose("cuda")
    check_memory(AWKWARD, choice)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (1000, 2000))
    torch.cuda.empty_cache()
    with pytest.raises(BackendError, match=r"needs 28\.0 GiB of memory on NVIDIA"):
        check_memory(World(32768, 32768, 2**30 - 1), choice)


def test_out_of_memory_is_a_memory_error() -> None:
    hog = torch.empty(int(torch.cuda.mem_get_info()[0] * 0.95), dtype=torch.uint8, device="cuda")
    with pytest.raises(MemoryError, match="GiB of GPU memory"):
        gpu.allocate(World(32768, 32768, 2**30))
    del hog
    torch.cuda.empty_cache()
    Simulation(AWKWARD, Params(), "cuda").step(3)


CHOOSE = """
import sys
from app.backend import choose
choice = choose(*sys.argv[1:])
print(choice.backend, "torch" in sys.modules, choice.reason)
"""


def chosen(*wanted: str, **environment: str) -> str:
    ran = subprocess.run(
        [sys.executable, "-c", CHOOSE, *wanted],
        env={name: value for name, value in os.environ.items() if name != "CC"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.stdout.strip() or ran.stderr.strip().splitlines()[-1]


def test_cuda_hidden() -> None:
    assert chosen(CUDA_VISIBLE_DEVICES="").startswith("cpu False")
    assert "hides every GPU" in chosen(CUDA_VISIBLE_DEVICES="")
    assert "BackendError: CUDA cannot be used: CUDA_VISIBLE_DEVICES" in chosen(
        "cuda", CUDA_VISIBLE_DEVICES=""
    )


def test_unwritable_cache_folder() -> None:
    said = chosen(TRITON_CACHE_DIR="/dev/null/cache")
    assert said.startswith("cuda True")
    assert "/dev/null/cache cannot be written" in said


def test_no_c_compiler(tmp_path: Any) -> None:
    """A Triton that builds its launcher without one may take CUDA."""
    said = chosen(TRITON_CACHE_DIR=str(tmp_path), PATH="/nonexistent")
    assert said.startswith("cuda True") or ("cpu True" in said and "apt-get install gcc" in said)
