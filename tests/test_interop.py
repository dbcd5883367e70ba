"""Sharing with CUDA where no GPU is needed: what is refused, and what is cleaned up; see test_gpu."""

import dataclasses
from types import SimpleNamespace
from typing import Any

import moderngl
import pytest

from app import interop
from app.interop import InteropError, SharedTexture, foreign_renderer

NVIDIA = SimpleNamespace(info={"GL_VENDOR": "NVIDIA Corporation", "GL_RENDERER": "NVIDIA Toy"})
INTEL = SimpleNamespace(info={"GL_VENDOR": "Intel", "GL_RENDERER": "Mesa Intel(R) Graphics (ADL GT2)"})
MESA = SimpleNamespace(info={"GL_VENDOR": "Mesa", "GL_RENDERER": "llvmpipe (LLVM 20)"})


class Status(int):
    name = "cudaErrorUnknown"


@dataclasses.dataclass
class Runtime:
    """Stands in for cuda.bindings.runtime; `fails` names the function that reports an error."""

    fails: str = ""
    resource: int = 7
    array: int = 11
    calls: list[str] = dataclasses.field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        if name in ("cudaResourceDesc",):
            return lambda: SimpleNamespace(res=SimpleNamespace(array=SimpleNamespace()))
        if name.startswith(("cudaGraphicsRegisterFlags", "cudaGLDeviceList", "cudaResourceType")):
            return SimpleNamespace(
                cudaGraphicsRegisterFlagsSurfaceLoadStore=4, cudaGLDeviceListAll=1, cudaResourceTypeArray=0
            )
        answers = {
            "cudaGLGetDevices": (1, [0, 0]),
            "cudaGraphicsGLRegisterImage": (self.resource,),
            "cudaGraphicsSubResourceGetMappedArray": (self.array,),
            "cudaCreateSurfaceObject": (100 + self.array,),
            "cudaGetErrorString": (b"unknown error",),
        }

        def call(*args: object) -> tuple[Any, ...]:
            self.calls.append(name.removeprefix("cuda"))
            return Status(999 if name == self.fails else 0), *answers.get(name, ())

        return call


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Runtime:
    runtime = Runtime()
    monkeypatch.setattr(interop, "_runtime", lambda: runtime)
    monkeypatch.setattr(interop, "_inside_wsl", lambda: False)
    return runtime


def texture(components: int = 1) -> Any:
    return SimpleNamespace(glo=3, components=components, ctx=NVIDIA)


def test_a_renderer_that_is_not_cudas_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interop, "_inside_wsl", lambda: False)
    assert foreign_renderer(NVIDIA) == ""
    assert "software (llvmpipe (LLVM 20))" in foreign_renderer(MESA)
    monkeypatch.setattr(interop.sys, "platform", "linux")
    assert "runs on Mesa Intel" in foreign_renderer(INTEL)
    assert "__NV_PRIME_RENDER_OFFLOAD=1 __GLX_VENDOR_LIBRARY_NAME=nvidia" in foreign_renderer(INTEL)
    monkeypatch.setattr(interop.sys, "platform", "win32")
    assert "High performance" in foreign_renderer(INTEL)
    monkeypatch.setattr(interop, "_inside_wsl", lambda: True)
    assert "WSL2" in foreign_renderer(NVIDIA)


def test_software_opengl_is_refused(gl: moderngl.Context) -> None:
    if "NVIDIA" in gl.info["GL_VENDOR"]:
        pytest.skip("OpenGL runs on an NVIDIA GPU here")
    with pytest.raises(InteropError, match="OpenGL runs"):
        SharedTexture(gl.texture((8, 8), 1, dtype="f4"))


def test_the_surface_is_made_once_for_an_array(runtime: Runtime) -> None:
    shared = SharedTexture(texture())
    for array, made in ((11, 1), (11, 1), (12, 2), (11, 3)):
        runtime.array = array
        with shared.map(5) as surface:
            assert surface == 100 + array
        assert runtime.calls.count("CreateSurfaceObject") == made
        assert runtime.calls.count("DestroySurfaceObject") == made - 1
    shared.close()
    shared.close()
    assert runtime.calls[-2:] == ["DestroySurfaceObject", "GraphicsUnregisterResource"]


def test_a_failing_block_gives_the_texture_back(runtime: Runtime) -> None:
    shared = SharedTexture(texture())
    with pytest.raises(ZeroDivisionError), shared.map():
        raise ZeroDivisionError
    assert runtime.calls[-1] == "GraphicsUnmapResources"
    runtime.fails = "cudaGraphicsSubResourceGetMappedArray"
    with pytest.raises(InteropError), shared.map():
        pass
    assert runtime.calls[-1] == "GraphicsUnmapResources"


def test_a_refusal_clears_the_pending_error(runtime: Runtime) -> None:
    runtime.fails = "cudaGraphicsGLRegisterImage"
    with pytest.raises(
        InteropError, match=r"unknown error \(cudaGraphicsGLRegisterImage, cudaErrorUnknown\)"
    ):
        SharedTexture(texture())
    assert "GetLastError" in runtime.calls


def test_what_cannot_be_registered_is_refused(runtime: Runtime) -> None:
    with pytest.raises(InteropError, match="not of 3"):
        SharedTexture(texture(components=3))
    with pytest.raises(InteropError, match="another GPU"):
        SharedTexture(texture(), device=1)
    runtime.resource = 0
    with pytest.raises(InteropError, match="update it"):
        SharedTexture(texture())
