"""Compiled kernels are kept, found again, and never taken when they are not the ones: `kernels.gpu_build`.

Triton itself is asked in processes of its own only: it must not be loaded after Mesa's OpenGL.
"""

import dataclasses
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from test_imports import MODULES, imported

from kernels import cache, gpu_build
from kernels.gpu_build import Code, Recipe

RECIPE = Recipe("kernels.gpu_mix", "show", 4, (("COLUMNS", 512), ("SPECIES", 1)), even=True)


class Builder:
    """Stands in for `gpu_build.compiled`: notes what it is asked for, and makes something else each time."""

    def __init__(self) -> None:
        self.asked: list[tuple[Recipe, int]] = []

    def __call__(self, recipe: Recipe, capability: int) -> Code:
        self.asked.append((recipe, capability))
        return Code(recipe.name, 8192, bytes([len(self.asked)]) + b"\n{}\n" + bytes(range(256)) * 20)


@pytest.fixture
def builder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Builder]:
    """What compiles in a test, with an empty folder for what is kept."""
    builder = Builder()
    monkeypatch.setattr(gpu_build, "compiled", builder)
    monkeypatch.setattr(cache, "_user_cache", lambda: tmp_path)
    cache.cache_folder.cache_clear()
    yield builder
    cache.cache_folder.cache_clear()


def kept(tmp_path: Path) -> list[Path]:
    return sorted(path for path in tmp_path.rglob("*") if path.is_file())


def test_code_is_compiled_once(builder: Builder, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    first = gpu_build.build(RECIPE, 90)
    assert builder.asked == [(RECIPE, 90)]
    assert gpu_build.build(RECIPE, 90) == first
    assert builder.asked == [(RECIPE, 90)]
    (path,) = kept(tmp_path)
    assert path.name.startswith("show-")
    assert caplog.records == []


def test_other_code_is_another_file(builder: Builder, tmp_path: Path) -> None:
    other = {
        "module": "kernels.gpu_order",
        "name": "survey",
        "warps": 8,
        "constants": (("COLUMNS", 256),),
        "even": False,
        "full": True,
    }
    assert set(other) == {field.name for field in dataclasses.fields(Recipe)}
    recipes = [RECIPE, *(dataclasses.replace(RECIPE, **{name: value}) for name, value in other.items())]
    asked = [*((recipe, 90) for recipe in recipes), (RECIPE, 86)]
    codes = [gpu_build.build(*ask) for ask in asked]
    assert builder.asked == asked
    assert len(kept(tmp_path)) == len(asked)
    assert [gpu_build.build(*ask) for ask in asked] == codes
    assert builder.asked == asked


def flipped(place: float) -> Callable[[bytes], bytes]:
    """Flips a bit, at a place from 0 to 1."""

    def flip(content: bytes) -> bytes:
        index = int(place * (len(content) - 1))
        return content[:index] + bytes([content[index] ^ 1]) + content[index + 1 :]

    return flip


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "a line only": lambda content: content.partition(b"\n")[0],
    "half": lambda content: content[: len(content) // 2],
    "one byte short": lambda content: content[:-1],
    "one byte more": lambda content: content + b"\0",
    "zeros": lambda content: bytes(len(content)),
    "other JSON": lambda content: b"[1, 2]\n" + content,
    "a number": lambda content: b"7\n" + content,
    "not JSON": lambda content: b"{\n" + content,
    "not text": lambda content: b"\xff\xfe\n" + content,
    "another name": lambda content: content.replace(b"show", b"shaw", 1),
    "another size": lambda content: content.replace(b"8192", b"4096", 1),
    **{f"a bit at {place}": flipped(place) for place in (0, 0.001, 0.005, 0.01, 0.1, 0.5, 1)},
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_code_is_compiled_again(
    builder: Builder, tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    gpu_build.build(RECIPE, 90)
    (path,) = kept(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(DAMAGE[damage](whole))
    assert path.read_bytes() != whole
    second = gpu_build.build(RECIPE, 90)
    assert len(builder.asked) == 2
    (record,) = caplog.records
    assert str(path) in record.message
    assert record.message.endswith("its kernel is compiled again.")
    assert gpu_build.build(RECIPE, 90) == second
    assert len(builder.asked) == 2
    assert kept(tmp_path) == [path]


def test_a_folder_in_place_of_the_file(
    builder: Builder, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    gpu_build.build(RECIPE, 90)
    (path,) = kept(tmp_path)
    path.unlink()
    path.mkdir()
    assert gpu_build.build(RECIPE, 90).name == "show"
    assert len(builder.asked) == 2
    assert "compiled again" in caplog.text


def test_without_a_folder_each_start_compiles(
    builder: Builder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(cache, "_user_cache", lambda: Path(os.devnull))
    for times in (1, 2):
        assert gpu_build.build(RECIPE, 90).name == "show"
        assert len(builder.asked) == times
    assert [record.message.partition(":")[0] for record in caplog.records] == [
        "Compiled code is not kept, so each start compiles"
    ]


def test_a_folder_that_goes_away_is_no_failure(
    builder: Builder, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    gpu_build.build(RECIPE, 90)
    shutil.rmtree(kept(tmp_path)[0].parent)
    assert gpu_build.build(RECIPE, 90).name == "show"
    assert "not kept" in caplog.text


def test_another_triton_compiles_again(
    builder: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = gpu_build.build(RECIPE, 90)
    with monkeypatch.context() as patch:
        patch.setattr(gpu_build, "_triton_version", lambda: "99.0")
        assert gpu_build.build(RECIPE, 90) != first
    assert gpu_build.build(RECIPE, 90) == first
    assert len(builder.asked) == 2
    assert len({path.parent for path in kept(tmp_path)}) == 2


@pytest.mark.parametrize("name", gpu_build.SOURCES)
def test_other_sources_compile_again(
    builder: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    first = gpu_build.build(RECIPE, 90)
    sources = shutil.copytree(Path(gpu_build.__file__).parent, tmp_path / "sources")
    monkeypatch.setattr(gpu_build, "__file__", str(sources / "gpu_build.py"))
    assert gpu_build.build(RECIPE, 90) == first
    with (sources / name).open("a") as file:
        file.write("# another line\n")
    assert gpu_build.build(RECIPE, 90) != first


def test_sources_are_all_that_kernels_are_made_of() -> None:
    kernels = [
        name
        for name in MODULES
        if name.startswith("kernels.gpu_") and "triton.language" in imported(MODULES[name])
    ]
    made_of = {found for name in kernels for found in (name, *imported(MODULES[name]))}
    assert {f"{name.removeprefix('kernels.')}.py" for name in made_of if name.startswith("kernels.")} <= set(
        gpu_build.SOURCES
    )


def test_every_argument_has_a_type() -> None:
    assert gpu_build.type_of("agents_ptr") == "*i64"
    assert gpu_build.type_of("next_trail_ptr") == "*fp32"
    assert gpu_build.type_of("next_counts_ptr") == "*i32"
    assert gpu_build.type_of("claims_ptr") == "*u64"
    assert gpu_build.type_of("width") == "i32"


# Ahead, by other processes


@pytest.fixture
def builders(monkeypatch: pytest.MonkeyPatch) -> list[list[Recipe]]:
    """What each of the processes is asked for, that are not started."""
    asked: list[list[Recipe]] = []

    def building(python: str, recipes: list[Recipe], capability: int) -> SimpleNamespace:
        assert (python, capability) == (sys.executable, 90)
        asked.append(recipes)
        return SimpleNamespace(wait=lambda: 0)

    monkeypatch.setattr(gpu_build, "_building", building)
    monkeypatch.setattr(gpu_build.os, "cpu_count", lambda: 2)
    monkeypatch.delitem(sys.modules, "triton", raising=False)
    return asked


def test_only_what_is_not_kept_is_built_ahead(builder: Builder, builders: list[list[Recipe]]) -> None:
    recipes = [dataclasses.replace(RECIPE, warps=warps) for warps in (1, 2, 4, 8)]
    gpu_build.build(recipes[1], 90)
    gpu_build.build_ahead([*recipes, recipes[0]], 90)
    assert builders == [[recipes[0], recipes[3]], [recipes[2]]]
    for recipe in recipes:
        gpu_build.build(recipe, 90)
    gpu_build.build_ahead(recipes, 90)
    assert len(builders) == 2


@pytest.mark.parametrize("why", ["frozen", "no Python", "Triton is here", "nothing is kept"])
def test_nothing_is_built_ahead_where_it_cannot_be(
    builder: Builder, builders: list[list[Recipe]], monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    match why:
        case "frozen":
            monkeypatch.setattr(sys, "frozen", True, raising=False)
        case "no Python":
            monkeypatch.setattr(sys, "executable", "")
        case "Triton is here":
            monkeypatch.setitem(sys.modules, "triton", SimpleNamespace())
        case "nothing is kept":
            monkeypatch.setattr(cache, "_user_cache", lambda: Path(os.devnull))
    gpu_build.build_ahead([RECIPE], 90)
    assert builders == []


# With Triton

BUILD = f"""
import hashlib, sys
from kernels.gpu_build import Code, Recipe, build, build_ahead
if "ahead" in sys.argv:
    build_ahead([{RECIPE!r}], 90)
code = build({RECIPE!r}, 90)
assert code.binary[:4] == b"\\x7fELF", code.binary[:4]
print(code.name, hashlib.sha256(code.binary).hexdigest(), *sorted({{"torch", "triton"}} & set(sys.modules)))
"""


def building(folder: Path, *how: str) -> subprocess.Popen[str]:
    """Begins to build in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", BUILD, *how],
        env=os.environ | {"XDG_CACHE_HOME": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> list[str]:
    out, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    return out.split()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the cache's place is set as on Linux")
@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="triton is not installed")
def test_two_starts_at_once_and_a_later_one(tmp_path: Path) -> None:
    first, second = [ended(process) for process in [building(tmp_path), building(tmp_path)]]
    assert first[0] == "show"
    assert "triton" in first
    (path,) = kept(tmp_path)
    later = ended(building(tmp_path))
    assert later in (first[:2], second[:2])
    assert path.suffix == ".cubin"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the cache's place is set as on Linux")
@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="triton is not installed")
def test_what_is_built_ahead_needs_no_triton_here(tmp_path: Path) -> None:
    said = ended(building(tmp_path, "ahead"))
    assert said[0] == "show"
    assert len(said) == 2, "no Triton, no PyTorch"
    assert len(kept(tmp_path)) == 1
