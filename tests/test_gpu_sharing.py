"""CUDA writes OpenGL's textures, on a GPU: whole, in order, and without a trace left. `pytest -m gpu`."""

import dataclasses
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import moderngl
import numpy as np
import pytest
from pairs import AWKWARD, gpu_modules

from app.interop import InteropError, SharedTexture
from kernels.params import SPECS, Params
from kernels.simulation import Simulation
from kernels.spec import Spec
from kernels.stroke import Stroke
from kernels.world import World

pytestmark = pytest.mark.gpu
cuda, gpu = gpu_modules("cuda", "gpu")

Share = Callable[..., tuple[moderngl.Texture, SharedTexture]]

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


@pytest.fixture
def share(gl: moderngl.Context) -> Iterator[Share]:
    """Makes shared textures of a width, a height and components, and closes them in the right order."""
    made = []

    def make(width: int, height: int, components: int = 1) -> tuple[moderngl.Texture, SharedTexture]:
        texture = gl.texture((width, height), components, dtype="f4")
        made.append((texture, SharedTexture(texture)))
        return made[-1]

    yield make
    for texture, shared in made:
        shared.close()
        texture.release()


def picture(texture: moderngl.Texture) -> np.ndarray:
    return np.frombuffer(texture.read(), np.float32).reshape(texture.height, texture.width)


def fill(simulation: Simulation, value: float) -> None:
    """Sets the trail to one value at step 0."""
    size = simulation.world.height, simulation.world.width
    cuda.send(simulation.buffers.trails[0], np.full(size, value, np.float32))


@pytest.mark.parametrize(
    "world", [AWKWARD, World(16, 16, 100), World(640, 360, 50_000), World(2064, 2048, 999)]
)
def test_surface_holds_the_trail(world: World, share: Share) -> None:
    """Whatever the span: the last step of each goes to the surface, before an order and after one."""
    texture, shared = share(world.width, world.height)
    simulation, expected = (Simulation(world, Params(), name) for name in ("cuda", "reference"))
    for steps in (1, 2, 3, 1, 8, 5, 16, 17, 1, 33):
        texture.write(np.full((world.height, world.width), np.nan, np.float32))
        with shared.map(gpu.stream()) as surface:
            simulation.step(steps, surface)
        assert np.array_equal(picture(texture), simulation.trail[0])
    stroke = Stroke(4000, 3000, 2000, 2**22)
    simulation.paint(stroke)
    with shared.map(gpu.stream()) as surface:
        simulation.step(0, surface)
    assert np.array_equal(picture(texture), simulation.trail[0])
    expected.step(simulation.steps)
    expected.paint(stroke)
    assert np.array_equal(picture(texture), expected.trail[0])


@pytest.mark.parametrize("species", [2, 3, 4])
@pytest.mark.parametrize("size", [(401, 257), (64, 48)], ids=str)
def test_a_surface_of_four_holds_all_trails(size: tuple[int, int], species: int, share: Share) -> None:
    """And 0 for the species there are not."""
    world = World(*size, 5000, shares=(1.0,) * species)
    texture, shared = share(*size, components=4)
    simulation, expected = (Simulation(world, Params(), name) for name in ("cuda", "reference"))

    def seen(steps: int) -> np.ndarray:
        texture.write(np.full((*size[::-1], 4), np.nan, np.float32))
        with shared.map(gpu.stream()) as surface:
            simulation.step(steps, surface)
        return np.frombuffer(texture.read(), np.float32).reshape(*size[::-1], 4)

    for steps in (1, 2, 3, 17):
        expected.step(steps)
        picture = seen(steps)
        assert np.array_equal(np.moveaxis(picture, 2, 0)[:species], expected.trail)
        assert not picture[..., species:].any()
    stroke = Stroke(4000, 3000, 2000, 2**22, species - 1)
    for each in (simulation, expected):
        each.paint(stroke)
    assert np.array_equal(np.moveaxis(seen(0), 2, 0)[:species], expected.trail)


def test_two_textures_in_turns(share: Share) -> None:
    """One captured graph serves any surface: its handle lies in memory."""
    simulation, expected = (Simulation(AWKWARD, Params(), name) for name in ("cuda", "reference"))
    textures = [share(AWKWARD.width, AWKWARD.height) for _ in range(2)]
    for turn in range(20):
        texture, shared = textures[turn % 2]
        with shared.map(gpu.stream()) as surface:
            simulation.step(1 + turn % 3, surface)
        expected.step(1 + turn % 3)
        assert np.array_equal(picture(texture), expected.trail[0])


def test_a_slider_compiles_and_captures_nothing(monkeypatch: pytest.MonkeyPatch, share: Share) -> None:
    """Not once the rules have been met that it turns on."""
    simulation = Simulation(AWKWARD, Params(), "cuda")
    shared = [share(AWKWARD.width, AWKWARD.height)[1] for _ in range(2)]
    counts: dict[str, int] = {}

    def count(name: str) -> None:
        function = getattr(cuda, name)
        counts[name] = 0

        def counted(*args: Any) -> Any:
            counts[name] += 1
            return function(*args)

        monkeypatch.setattr(cuda, name, counted)

    def move_all() -> None:
        for name, spec in SPECS.items():
            if not (spec.choices or spec.curve or spec.species > 1):
                move(name, spec)

    def move(name: str, spec: Spec) -> None:
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

    move_all()
    count("build")
    count("capture")
    move_all()
    simulation.sample()
    simulation.step(40)
    simulation.reset(dataclasses.replace(AWKWARD, seed="another"))
    simulation.step(3)
    assert simulation.steps == 3
    assert counts == {"build": 0, "capture": 0}
    cuda._loaded.cache_clear()
    Simulation(AWKWARD, Params(), "cuda")
    assert min(counts.values()) > 0, "a new world builds or finds its kernels, and captures them"


def test_every_frame_is_whole_and_in_order(gl: moderngl.Context, share: Share) -> None:
    """OpenGL draws right after unmap, with no wait in between, and sees this frame all over."""
    texture, shared = share(1024, 1024)
    simulation = Simulation(World(1024, 1024, 1), Params(), "cuda")
    seen = gl.simple_framebuffer((1024, 1024), 1, dtype="f4")
    triangle = gl.vertex_array(gl.program(VERTEX, FRAGMENT), [])
    for frame in range(300):
        fill(simulation, frame)
        with shared.map(gpu.stream()) as surface:
            simulation.step(0, surface)
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
    assert np.array_equal(picture(texture), expected.trail[0])
    shared.close()
    shared.close()
    with pytest.raises(InteropError, match="closed"), shared.map():
        pass


def test_resizing_back_and_forth(gl: moderngl.Context) -> None:
    """Drivers hand out a deleted texture's number again; what is registered is the object."""
    sizes = (64, 48), (97, 31)
    simulations = [Simulation(World(*size, 1), Params(), "cuda") for size in sizes]
    numbers = set()
    for turn in range(200):
        simulation = simulations[turn % 2]
        fill(simulation, turn)
        texture = gl.texture(sizes[turn % 2], 1, dtype="f4")
        numbers.add(texture.glo)
        shared = SharedTexture(texture)
        with shared.map(gpu.stream()) as surface:
            simulation.step(0, surface)
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
                simulation.sample()
            with shared.map(gpu.stream()) as surface:
                simulation.step(1 + frame % 4, surface)
        simulation.wait()

    frames(500)
    free = cuda.free_memory()
    frames(10_000)
    assert cuda.free_memory() >= free
