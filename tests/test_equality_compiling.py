"""Compiled code of the CPU backend: made once, kept by its sources, made again where it is damaged."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from test_equality import AWKWARD, ROOT, python, run

from kernels import cpu, cpu_model
from kernels.params import Params
from kernels.simulation import Simulation


def test_compiles_once_and_runs_without_a_cache_folder(tmp_path: Path) -> None:
    """One compilation serves all worlds; a cache folder that cannot be made is said, and no matter."""
    (tmp_path / "file").write_text("not a folder")
    script = """
assert cpu_model.CACHE_FOLDER == ""
for world in World(16, 16, 1), World(1040, 30, 3000, "b"), AWKWARD:
    simulation = Simulation(world, Params(rotation_angle=-180.0, diffusion=0.0), "cpu")
    simulation.step(2)
    simulation.paint(Stroke(5000, 5000, 1000, 100))
    simulation.set(Params())
    simulation.step(2)
    simulation.reset()
simulation.step(2)
print(simulation.digest())
modules = (
    cpu, cpu_agents, cpu_crowd, cpu_field, cpu_model, cpu_moves, cpu_order, cpu_responses, cpu_rules,
    cpu_scene, cpu_scent,
)
compiled = [f for module in modules for f in vars(module).values() if hasattr(f, "signatures")]
assert len(compiled) > 50
assert all(len(f.signatures) <= 1 for f in compiled), [f for f in compiled if len(f.signatures) > 1]
run = cpu_agents.update_plainly, cpu_field.update_field, cpu_order.sort, cpu_model.recount
assert all(len(f.signatures) == 1 for f in run)
assert not cpu_agents.update_by_rules.signatures  # no plain world waits for rules
"""
    cache = str(tmp_path / "file")
    ran = python(script, NUMBA_CACHE_DIR=cache)
    assert ran.stdout.strip() == run(Simulation(AWKWARD, Params(), "reference"), [2]).digest()
    assert ran.stderr.startswith("Compiled code is not kept, so each start compiles: ")
    assert cache in ran.stderr


def test_compiled_code_is_kept_by_the_sources_it_was_made_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numba only looks at the file a function stands in, so all of the package names the folder."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    for source in (ROOT / "kernels").glob("*.py"):
        (tmp_path / source.name).write_bytes(source.read_bytes())
    before = Path(cpu_model._cache_folder())
    monkeypatch.setattr(cpu_model, "__file__", str(tmp_path / "cpu_model.py"))
    assert Path(cpu_model._cache_folder()) == before
    assert before.parent == tmp_path / "cache"
    (tmp_path / "contract.py").write_text("SIN = 0")
    assert Path(cpu_model._cache_folder()) != before


def doubled(number):
    return number + number


@pytest.mark.parametrize(("suffix", "left"), [(".nbi", 0), (".nbi", 30), (".nbc", 100)])
def test_damaged_code_is_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, left: int
) -> None:
    for module in (cpu, cpu_model):
        monkeypatch.setattr(module, "CACHE_FOLDER", str(tmp_path / "cache"))
    results = []

    def build() -> None:
        results.append(cpu_model.serial(doubled)(21))

    build()
    (file,) = (tmp_path / "cache").rglob(f"*{suffix}")
    whole = file.stat().st_size
    file.write_bytes(file.read_bytes()[:left])
    with pytest.raises(Exception):  # noqa: B017, PT011  (whatever Numba says of it: else nothing is tested)
        build()
    cpu._with_a_sound_cache(build)
    assert results == [42, 42]
    assert file.stat().st_size == whole


@pytest.mark.slow
def test_a_damaged_cache_is_thrown_away(tmp_path: Path) -> None:
    code = (
        "from kernels.simulation import Simulation\n"
        "from kernels.world import World\n"
        "from kernels.params import Params\n"
        "s = Simulation(World(32, 16, 99), Params()); s.step(3); print(s.digest())"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    said = []
    for damage in (False, True):
        for file in tmp_path.rglob("*.nb?") if damage else ():
            file.write_bytes(file.read_bytes()[:100] if file.suffix == ".nbc" else b"")
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        said.append(done.stdout)
    assert said[0] == said[1]
