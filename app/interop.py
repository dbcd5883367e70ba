"""An OpenGL texture that CUDA writes in place: registered once, mapped for each frame.

Everything here runs on the thread that owns the OpenGL context. CUDA guarantees the order: OpenGL
calls before `map` end before the kernels that follow on its stream begin, and those kernels end before
OpenGL calls after it begin. No other synchronisation is needed.
"""

import importlib
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import moderngl

GL_TEXTURE_2D = 0x0DE1


class InteropError(Exception):
    """CUDA cannot write OpenGL's textures here; the message is one plain sentence that says why."""


class SharedTexture:
    """A texture's storage in CUDA's hands.

    Create it with the texture's OpenGL context current and `close` it before the texture is released.
    It is tied to the texture object, never to its number, which drivers use again.

    Args:
        texture: 1, 2 or 4 components of 32 bits. Rows run as OpenGL stores them, row 0 first.
        device: The CUDA device that will write it.

    Attributes:
        array: CUDA's handle of the storage itself, valid while it is mapped.

    Raises:
        InteropError: CUDA refused; its pending error is cleared, so that later CUDA calls succeed.
    """

    def __init__(self, texture: moderngl.Texture, device: int = 0) -> None:
        self._resource: Any = None
        self.array = 0
        self._surface: Any = None
        self._thread = threading.get_ident()
        if texture.components == 3:
            raise InteropError("CUDA shares textures of 1, 2 or 4 components, not of 3.")
        reason = foreign_renderer(texture.ctx)
        if reason:
            raise InteropError(reason)
        self._cuda = _runtime()
        self._call("cudaSetDevice", device)
        self._check_device(device)
        flags = self._cuda.cudaGraphicsRegisterFlags.cudaGraphicsRegisterFlagsSurfaceLoadStore
        resource = self._call("cudaGraphicsGLRegisterImage", texture.glo, GL_TEXTURE_2D, flags)
        if not int(resource):  # cuda-bindings 12.9.3 reported success and gave none
            raise InteropError("This version of cuda-bindings gives no handle for a texture; update it.")
        self._resource = resource

    @contextmanager
    def map(self, stream: int = 0) -> Iterator[int]:
        """Gives CUDA the texture while the block runs, and takes it back also when the block fails.

        Args:
            stream: The CUDA stream the kernels of the block run on.

        Yields:
            A CUDA surface object, valid in this block only.

        Raises:
            InteropError: The texture cannot be mapped: it is mapped or closed already, or this is not
                the thread that registered it.
        """
        if self._resource is None:
            raise InteropError("The shared texture is closed.")
        if threading.get_ident() != self._thread:
            raise InteropError("A shared texture is mapped on the thread that owns OpenGL only.")
        self._call("cudaGraphicsMapResources", 1, self._resource, stream)
        try:
            yield self._mapped_surface()
        finally:
            self._call("cudaGraphicsUnmapResources", 1, self._resource, stream)

    def close(self) -> None:
        """Ends the sharing; a second call does nothing."""
        if self._resource is None:
            return
        resource, self._resource = self._resource, None
        self._drop_surface()
        self._call("cudaGraphicsUnregisterResource", resource)

    def _check_device(self, device: int) -> None:
        count, devices = self._call("cudaGLGetDevices", 64, self._cuda.cudaGLDeviceList.cudaGLDeviceListAll)
        if device not in list(devices)[:count]:
            raise InteropError("OpenGL runs on another GPU than CUDA, so CUDA cannot write its textures.")

    def _mapped_surface(self) -> int:
        array = self._call("cudaGraphicsSubResourceGetMappedArray", self._resource, 0, 0)
        if int(array) != self.array:
            self._drop_surface()
            content = self._cuda.cudaResourceDesc()
            content.resType = self._cuda.cudaResourceType.cudaResourceTypeArray
            content.res.array.array = array
            self._surface = self._call("cudaCreateSurfaceObject", content)
            self.array = int(array)
        return int(self._surface)

    def _drop_surface(self) -> None:
        surface, self._surface, self.array = self._surface, None, 0
        if surface is not None:
            self._call("cudaDestroySurfaceObject", surface)

    def _call(self, name: str, *args: object) -> Any:
        """What a runtime function returns besides its status.

        Raises:
            InteropError: The status is not success. Reading the pending error clears it.
        """
        status, *values = getattr(self._cuda, name)(*args)
        if int(status) != 0:
            self._cuda.cudaGetLastError()
            said = self._cuda.cudaGetErrorString(status)[1].decode()
            raise InteropError(f"CUDA and OpenGL do not share textures here: {said} ({name}, {status.name}).")
        return values[0] if len(values) == 1 else values


def foreign_renderer(context: moderngl.Context) -> str:
    """Why this OpenGL context cannot share with CUDA, judged by its driver's name; "" if it may."""
    renderer = context.info["GL_RENDERER"]
    if _inside_wsl():
        return "WSL2 does not let CUDA and OpenGL share textures."
    if "NVIDIA" in context.info["GL_VENDOR"]:
        return ""
    if any(name in renderer for name in ("llvmpipe", "softpipe", "SwiftShader", "GDI Generic")):
        return f"OpenGL runs in software ({renderer}), so CUDA cannot write its textures."
    return f"OpenGL runs on {renderer}, not on the NVIDIA GPU. {_offload_hint()}"


def _offload_hint() -> str:
    if sys.platform == "win32":
        return 'To share textures, give this Python "High performance" in Windows\' graphics settings.'
    return "To share textures, start with __NV_PRIME_RENDER_OFFLOAD=1 __GLX_VENDOR_LIBRARY_NAME=nvidia set."


def _inside_wsl() -> bool:
    version = Path("/proc/version")
    return version.exists() and "microsoft" in version.read_text().lower()


def _runtime() -> Any:
    """CUDA's runtime as cuda-bindings gives it; not imported before it is needed."""
    try:
        return importlib.import_module("cuda.bindings.runtime")
    except ImportError as error:
        raise InteropError(f"Sharing textures needs the package cuda-bindings ({error}).") from error
