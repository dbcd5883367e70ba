"""Compiles the Triton kernels ahead of time, and keeps the machine code for later starts.

A kernel's arguments get their types from their names, and nothing else about them is built in, except that
`width` may be known to be a multiple of 16. So one build serves every world and every slider, on every later
start: what is kept is found without importing Triton, which takes longer than all other preparations.
"""

import hashlib
import importlib
import importlib.metadata
import importlib.util
import json
import logging
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernels.cache import cache_folder, keep

TYPES = {
    "agents_ptr": "*i64",
    "trail_ptr": "*fp32",
    "next_trail_ptr": "*fp32",
    "values_ptr": "*fp32",
    "gain_ptr": "*fp32",
    "lift_ptr": "*fp32",
    "surface_ptr": "*i64",
}  # any other *_ptr holds int32, and what is no pointer is one
SOURCES = (
    "gpu_agents.py",
    "gpu_build.py",
    "gpu_field.py",
    "gpu_layout.py",
    "gpu_order.py",
    "gpu_window.py",
    "contract.py",
    "world.py",
)

REGISTERS = 65536  # of a multiprocessor
THREADS = {75: 1024, 86: 1536, 87: 1536, 89: 1536, 120: 1536, 121: 1536}  # it holds; any other one 2,048

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Code:
    """A kernel's machine code.

    Attributes:
        name: What it is called inside the code.
        shared: Bytes of shared memory to launch it with, besides its own.
        binary: The code, as CUDA loads it.
    """

    name: str
    shared: int
    binary: bytes


@dataclass(frozen=True)
class Recipe:
    """What to build.

    Attributes:
        module: The module of ours that defines the kernel.
        name: Its name there.
        warps: Warps of a program.
        constants: Values of its `tl.constexpr` arguments, by name.
        even: Whether `width` is a multiple of 16, so that rows may be read 16 bytes at a time.
        full: Whether a thread gets so few registers that as many run at once as can.
    """

    module: str
    name: str
    warps: int
    constants: tuple[tuple[str, Any], ...]
    even: bool = False
    full: bool = False


def build(recipe: Recipe, capability: int) -> Code:
    """A kernel's code for a GPU of a compute capability such as 90: what is kept, or from Triton.

    Raises:
        ImportError: Nothing is kept and Triton is not installed.
    """
    folder = cache_folder("triton-" + _fingerprint())
    about = hashlib.sha256(f"{recipe} {capability}".encode() + _source(recipe.module)).hexdigest()
    path = folder / f"{recipe.name}-{about[:16]}.cubin" if folder else None
    code = _read(path) if path else None
    if code is None:
        code = compiled(recipe, capability)
        if path:
            keep(path, _packed(code))
    return code


def _source(module: str) -> bytes:
    """A recipe's module as it stands, without importing it; the benchmark's are not among `SOURCES`."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"There is no {module} to build kernels from.")
    return Path(spec.origin).read_bytes()


def _fingerprint() -> str:
    """Names what code is made from: our sources and Triton's version."""
    here = Path(__file__).parent
    sources = b"".join((here / name).read_bytes() for name in SOURCES)
    return hashlib.sha256(sources + _triton_version().encode()).hexdigest()[:12]


def _triton_version() -> str:
    for name in ("triton", "triton-windows"):
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return "none"


def compiled(recipe: Recipe, capability: int) -> Code:
    """A kernel's code from Triton, which needs no GPU for it."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    kernel = getattr(importlib.import_module(recipe.module), recipe.name)
    constants, names = dict(recipe.constants), kernel.arg_names
    aligned = [name for name in names if name.endswith("_ptr") or (recipe.even and name == "width")]
    source = ASTSource(
        fn=kernel,
        signature={name: "constexpr" if name in constants else type_of(name) for name in names},
        constexprs={(names.index(name),): value for name, value in constants.items()},
        attrs={(names.index(name),): [["tt.divisibility", 16]] for name in aligned},
    )
    # A fused multiply-add rounds once where the reference rounds twice.
    options = {"num_warps": recipe.warps, "enable_fp_fusion": False}
    if recipe.full:
        options["maxnreg"] = REGISTERS // THREADS.get(capability, 2048) // 8 * 8
    with tempfile.TemporaryDirectory(prefix="physarium-") as scratch, triton.knobs.cache.scope():
        triton.knobs.cache.dir = scratch  # what it keeps itself nobody needs a second time
        made = triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options)
    return Code(made.metadata.name, made.metadata.shared, made.asm["cubin"])


def type_of(name: str) -> str:
    """Triton's word for the type of a kernel's argument."""
    return TYPES.get(name, "*i32" if name.endswith("_ptr") else "i32")


def _packed(code: Code) -> bytes:
    """A line with the hash of the rest, a line of JSON, then the code."""
    head = json.dumps({"name": code.name, "shared": code.shared}).encode()
    rest = head + b"\n" + code.binary
    return hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest


def _read(path: Path) -> Code | None:
    """What `_packed` wrote, or None where there is no such file or it is damaged."""
    try:
        line, _, rest = path.read_bytes().partition(b"\n")
        if line == hashlib.sha256(rest).hexdigest().encode():
            head, _, binary = rest.partition(b"\n")
            return Code(**json.loads(head), binary=binary)
        _log.warning("%s is damaged; its kernel is compiled again.", path)
    except FileNotFoundError:
        pass
    except OSError as problem:
        _log.warning("%s cannot be read (%s); its kernel is compiled again.", path, problem)
    return None
