"""Compiles the Triton kernels ahead of time, and keeps the machine code for later starts.

A kernel's arguments get their types from their names, and nothing else about them is built in, except that
`width` may be known to be a multiple of 16. So one build serves every world and every slider, on every later
start: what is kept is found without importing Triton, which takes longer than all other preparations.
"""

import contextlib
import hashlib
import importlib
import importlib.metadata
import importlib.util
import json
import logging
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterable
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
    "smell_ptr": "*fp32",
    "scent_ptr": "*fp32",
    "ground_ptr": "*fp32",
    "mask_ptr": "*fp32",
    "crowds_ptr": "*fp32",
    "responses_ptr": "*i64",
    "births_ptr": "*i64",
    "claims_ptr": "*u64",
}  # any other *_ptr holds int32, and what is no pointer is one
SOURCES = (
    "gpu_agents.py",
    "gpu_build.py",
    "gpu_field.py",
    "gpu_layout.py",
    "gpu_math.py",
    "gpu_mix.py",
    "gpu_order.py",
    "gpu_rules.py",
    "gpu_window.py",
    "contract.py",
    "curves.py",
    "direction.py",
    "world.py",
)

REGISTERS = 65536  # of a multiprocessor
THREADS = {75: 1024, 86: 1536, 87: 1536, 89: 1536, 120: 1536, 121: 1536}  # it holds; any other one 2,048

BUILDER = """
import pickle, sys
from kernels.gpu_build import build
recipes, capability = pickle.load(sys.stdin.buffer)
for recipe in recipes:
    build(recipe, capability)
"""

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
    path = _kept_at(recipe, capability)
    code = _read(path) if path else None
    if code is None:
        code = compiled(recipe, capability)
        if path:
            keep(path, _packed(code))
    return code


def build_ahead(recipes: Iterable[Recipe], capability: int) -> None:
    """Has other processes compile what is not kept, all at once, so that `build` finds it.

    So a first start is short, and Triton stays out of this process: loaded once OpenGL is open, as when
    somebody turns on what no kernel has done yet, it may crash (see `app.backend`). Where nothing can be
    kept, or a process fails, `build` does it in this one, and says what is wrong.
    """
    missing = [recipe for recipe in dict.fromkeys(recipes) if not _is_kept(recipe, capability)]
    python = "" if getattr(sys, "frozen", False) else sys.executable
    if not python or "triton" in sys.modules:
        return
    processes = min(len(missing), os.cpu_count() or 1)
    started = [_building(python, missing[first::processes], capability) for first in range(processes)]
    for process in started:
        process.wait()


def _building(python: str, recipes: list[Recipe], capability: int) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen(
        [python, "-c", BUILDER],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin
    with contextlib.suppress(BrokenPipeError), process.stdin:
        process.stdin.write(pickle.dumps((recipes, capability)))
    return process


def _is_kept(recipe: Recipe, capability: int) -> bool:
    """Whether it is, or cannot be."""
    path = _kept_at(recipe, capability)
    return path is None or _read(path) is not None


def _kept_at(recipe: Recipe, capability: int) -> Path | None:
    """Where a kernel's code is kept, or will be; None where nothing is."""
    folder = cache_folder("triton-" + _fingerprint())
    about = hashlib.sha256(f"{recipe} {capability}".encode() + _source(recipe.module)).hexdigest()
    return folder / f"{recipe.name}-{about[:16]}.cubin" if folder else None


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
