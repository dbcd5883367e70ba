import sys

import pytest

import presets
from app import backend, digests, doctor, machine
from presets import Preset


def test_every_shipped_preset_has_its_digest() -> None:
    assert sorted(digests.expected()) == sorted(preset.name for preset in presets.shipped())


@pytest.mark.parametrize("preset", presets.shipped(), ids=lambda preset: preset.name)
def test_the_cpu_gives_the_kept_digests(preset: Preset) -> None:
    assert digests.digest(preset, "cpu") == digests.expected()[preset.name]


@pytest.mark.gpu
def test_cuda_gives_the_kept_digests() -> None:
    try:
        backend.choose("cuda")
    except backend.BackendError as reason:
        pytest.skip(str(reason))
    assert digests.differing("cuda") == []


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The kept digests of a few presets, to be spoilt; runs are short and on the CPU."""
    few = presets.shipped()[::9]
    monkeypatch.setattr(presets, "shipped", lambda: few)
    monkeypatch.setattr(digests, "STEPS", 3)
    right = {preset.name: digests.digest(preset, "reference") for preset in few}
    monkeypatch.setattr(digests, "expected", lambda: right)
    monkeypatch.setattr(doctor, "choose", lambda _wanted: backend.choose("cpu"))
    return right


def test_doctor_finds_all_well(kept: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor.doctor() == 0
    out, _ = capsys.readouterr()
    assert "right, bit for bit" in out
    for title in ("Machine", "Libraries", "Graphics", "Folders", "Chosen", "Results"):
        assert f"{title}\n" in out
    assert "llvmpipe" in out or "OpenGL" in out


def test_doctor_names_what_differs(kept: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    name = presets.shipped()[0].name
    kept[name] = "sha256:" + "0" * 64
    assert doctor.doctor() == 1
    assert f"differ for {name}\n" in capsys.readouterr().out


def test_doctor_survives_a_broken_backend(
    kept: dict[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_backend: str) -> list[str]:
        raise ImportError("numba does not load")

    monkeypatch.setattr(digests, "differing", broken)
    assert doctor.doctor() == 1
    assert "no results (numba does not load)\n" in capsys.readouterr().out


def test_missing_libraries_name_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "LINUX", True)
    monkeypatch.setattr(machine, "LIBRARIES", {"libnothing.so.0": "libnothing0"})
    assert machine.missing_packages() == ["libnothing0", *machine.DRIVERS]
    assert next(machine.mends())[1] == f"sudo apt-get install libnothing0 {' '.join(machine.DRIVERS)}"


def test_a_missing_driver_names_its_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "LINUX", True)
    monkeypatch.setattr(machine, "LIBRARIES", {})
    monkeypatch.setattr(machine, "OPENGL", "raise SystemExit('no driver')")
    assert machine.missing_packages() == [*machine.DRIVERS]
    assert machine.opengl() == (False, "no driver")


def test_a_crashing_driver_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "OPENGL", "import os; os.abort()")
    works, why = machine.opengl()
    assert not works
    assert "crashed with status" in why


@pytest.mark.parametrize(
    ("driver", "installed", "lacking"),
    [
        (13000, "", "'triton>=3.6' 'cuda-bindings>=12.9.4'"),
        (13010, "13.4.4", ""),
        (12080, "", "'triton>=3.6' 'cuda-bindings>=12.9.4,<13'"),
        (12080, "12.9.4", ""),
        (12080, "9.0", "'cuda-bindings>=12.9.4,<13'"),
        (12080, "12.9.3", "'cuda-bindings>=12.9.4,<13'"),
        (12080, "12.10.0.post1", ""),
        (13000, "12.9.3", "'cuda-bindings>=12.9.4'"),
        (13000, "12.9.4+local", ""),
        (12080, "13.0.1", "'cuda-bindings>=12.9.4,<13'"),
        (12080, "13", "'cuda-bindings>=12.9.4,<13'"),
    ],
)
def test_a_gpu_that_is_not_used_is_told_how_to_be(
    monkeypatch: pytest.MonkeyPatch, driver: int, installed: str, lacking: str
) -> None:
    versions = {"triton>=3.6": "3.6.0", "cuda-bindings>=12.9.4": installed} if installed else {}
    monkeypatch.setattr(machine, "missing_packages", lambda: [])
    monkeypatch.setattr(machine, "nvidia_gpus", lambda: ["some GPU"])
    monkeypatch.setattr(machine, "cuda_version", lambda: driver)
    monkeypatch.setattr(machine, "requirements", lambda _extra: ["triton>=3.6", "cuda-bindings>=12.9.4"])
    monkeypatch.setattr(machine, "version", lambda need: versions.get(need.removesuffix(",<13")))
    commands = [command for _, command in machine.mends()]
    assert commands == ([f"{sys.executable} -m pip install {lacking}"] if lacking else [])


@pytest.mark.parametrize(("installed", "enough"), [("3.5.1", False), ("3.6", True), ("3.10.0", True)])
def test_a_library_must_be_new_enough(monkeypatch: pytest.MonkeyPatch, installed: str, enough: bool) -> None:
    monkeypatch.setattr(machine, "missing_packages", lambda: [])
    monkeypatch.setattr(machine, "nvidia_gpus", lambda: ["some GPU"])
    monkeypatch.setattr(machine, "cuda_requirements", lambda: ["triton>=3.6"])
    monkeypatch.setattr(machine, "version", lambda _: installed)
    assert [command.split()[-1] for _, command in machine.mends()] == ([] if enough else ["'triton>=3.6'"])


def test_a_gpu_needs_what_the_extra_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "cuda_version", lambda: 12080)
    assert machine.cuda_requirements() != machine.requirements("cuda")
    monkeypatch.setattr(machine, "cuda_version", lambda: 13000)
    assert machine.cuda_requirements() == machine.requirements("cuda")


def test_libraries_are_those_of_the_package() -> None:
    versions = dict(machine.libraries())
    assert {"numpy", "numba", "moderngl", "pyglet", "cuda-bindings"} <= versions.keys()
    assert "pytest" not in versions
    assert versions["numpy"][0].isdigit()
