import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = "app", "kernels", "presets", "shaders"

# Within the kernels a module only imports what stands before it.
ORDER = (
    "handles",
    "gradients",
    "spec",
    "params",
    "scene",
    "direction",
    "start",
    "world",
    "maps",
    "stroke",
    "curves",
    "contract",
    "statistics",
    "reference_rules",
    "reference_moves",
    "reference",
    "cache",
    "cpu_model",
    "cpu_scene",
    "cpu_rules",
    "cpu_responses",
    "cpu_moves",
    "cpu_crowd",
    "cpu_agents",
    "cpu_scent",
    "cpu_field",
    "cpu_order",
    "cpu_memory",
    "cpu",
    "gpu_layout",
    "gpu_math",
    "gpu_rules",
    "gpu_mix",
    "gpu_window",
    "gpu_agents",
    "gpu_field",
    "gpu_order",
    "gpu_build",
    "cuda",
    "interpreted",
    "gpu_device",
    "gpu_watch",
    "gpu_buffers",
    "gpu_launch",
    "gpu_state",
    "gpu",
    "simulation",
)

TRITON = (
    "gpu_agents", "gpu_build", "gpu_field", "gpu_math", "gpu_mix", "gpu_order", "gpu_rules", "gpu_window",
)  # fmt: skip

# What else each package may import of ours and of others'; the longest matching name counts.
OURS = {
    "kernels": ("kernels",),
    "presets": (
        "presets",
        "kernels.handles",
        "kernels.params",
        "kernels.spec",
        "kernels.scene",
        "kernels.world",
    ),
    "shaders": (),
    "app": PACKAGES,
}
OTHERS = {
    "kernels": {"numpy"},
    "kernels.handles": set(),
    "kernels.gradients": set(),
    "kernels.spec": set(),
    "kernels.params": set(),
    "kernels.scene": set(),
    **{f"kernels.{name}": {"numba", "numpy"} for name in ORDER if name.startswith("cpu")},
    **{f"kernels.{name}": {"triton"} for name in TRITON},
    "kernels.cuda": {"cuda", "numpy"},
    "presets": {"tomlkit"},
    "presets.pictures": {"PIL"},  # only when there is one
    "shaders": set(),
    "app": {
        "PIL", "av", "cmap", "cuda", "imgui_bundle", "moderngl", "moderngl_window", "numba", "numpy",
        "platformdirs", "pyglet", "tqdm",
    },
    "app.bench": {"matplotlib", "numba", "numpy", "torch", "tqdm"},
    "app.bench.ablated_kernels": {"triton"},
}  # fmt: skip


def modules() -> Iterator[tuple[str, Path]]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"), path


MODULES = dict(modules())


def imported(path: Path) -> set[str]:
    """Names of the modules a file imports, at its top or inside a function."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= {name if name in MODULES else str(node.module) for name in whole}
    return names


def longest(table: dict, module: str):
    parts = module.split(".")
    names = [".".join(parts[:n]) for n in range(len(parts), 0, -1)]
    return next(table[name] for name in names if name in table)


def inside(module: str, package: str) -> bool:
    return f"{module}.".startswith(f"{package}.")


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_one_way(module: str) -> None:
    names = imported(MODULES[module])
    ours = {name for name in names if name.split(".")[0] in PACKAGES}
    others = {name.split(".")[0] for name in names - ours} - sys.stdlib_module_names
    assert {name for name in ours if not any(inside(name, p) for p in longest(OURS, module))} == set()
    assert others - longest(OTHERS, module) == set()


@pytest.mark.parametrize("name", ORDER)
def test_kernels_import_what_stands_before_them(name: str) -> None:
    before = {f"kernels.{other}" for other in ORDER[: ORDER.index(name)]}
    ours = {found for found in imported(MODULES[f"kernels.{name}"]) if found.startswith("kernels.")}
    assert ours <= before


def test_every_kernel_module_has_its_place() -> None:
    assert {name for name in MODULES if name.startswith("kernels.")} == {f"kernels.{name}" for name in ORDER}


def loaded(*commands: str) -> set[str]:
    """Top-level modules that are loaded after running the commands in a fresh Python."""
    ending = "import json, sys; print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    script = "\n".join((*commands, ending))
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return set(json.loads(ran.stdout.splitlines()[-1]))


def cli(*words: str) -> tuple[str, str]:
    return "from app.cli import main", f"assert main({list(words)!r}) == 0"


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        ("kernels.scene", {"numpy", "numba", "torch", "triton"}),
        ("kernels.cpu", {"torch", "triton"}),
        ("kernels.gpu_build", {"numpy", "torch", "triton", "cuda"}),
        ("kernels.simulation", {"numba", "torch", "triton", "moderngl"}),
        ("presets", {"numpy", "numba", "torch", "moderngl", "PIL"}),
        ("app.studio", {"moderngl", "imgui_bundle", "pyglet", "numba", "torch"}),
        ("app.render", {"imgui_bundle", "moderngl_window", "pyglet", "torch", "triton"}),
    ],
)
def test_an_import_pulls_in_no_more_than_it_needs(module: str, unwanted: set[str]) -> None:
    assert loaded(f"import {module}") & unwanted == set()


FAKE_CUDA = (
    "import sys, unittest.mock",
    "sys.modules |= dict.fromkeys(('cuda', 'cuda.bindings'), unittest.mock.MagicMock())",
)
INTERPRETED = ("import os", "os.environ['TRITON_INTERPRET'] = '1'")


@pytest.mark.parametrize(
    ("before", "unwanted"),
    [(FAKE_CUDA, {"torch", "triton", "numba"}), (INTERPRETED, {"torch", "triton", "numba", "cuda"})],
    ids=["compiled", "interpreted"],
)
def test_cuda_loads_triton_only_to_compile(before: tuple[str, ...], unwanted: set[str]) -> None:
    ask = "from kernels import gpu, world; gpu.bytes_needed(world.World(64, 64, 9))"
    assert loaded(*before, ask) & unwanted == set()


@pytest.mark.parametrize("words", [("--help",), ("run", "--help"), ("--version",)])
def test_help_is_instant(words: tuple[str, ...]) -> None:
    assert loaded(*cli(*words)) & {"numpy", "numba", "moderngl", "torch", "PIL", "tqdm"} == set()


def test_rendering_on_the_cpu_needs_neither_cuda_nor_imgui(tmp_path: Path) -> None:
    out = str(tmp_path / "a.png")
    command = cli("render", "--size", "64x48", "--steps", "2", "--backend", "cpu", "--out", out)
    names = loaded(*command)
    assert Path(out).stat().st_size > 0
    assert "numba" in names
    assert names & {"torch", "triton", "cuda", "imgui_bundle", "moderngl_window", "pyglet"} == set()
