"""The folder for compiled code, and the files in it: `kernels.cache`."""

import logging
import os
import time
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

import pytest

from kernels import cache

Usage = namedtuple("Usage", "total used free")


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Forgets the folders found so far, before and after."""
    cache.cache_folder.cache_clear()
    yield
    cache.cache_folder.cache_clear()


def test_a_folder_is_made_in_the_users_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cache.sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "deep" / "er"))
    folder = cache.cache_folder("code-1")
    assert folder == tmp_path / "deep" / "er" / "physarium" / "code-1"
    assert folder.is_dir()
    assert list(folder.iterdir()) == []
    assert cache.cache_folder("code-2") == folder.with_name("code-2")


def test_a_folder_is_made_where_it_is_asked_for(tmp_path: Path) -> None:
    assert cache.cache_folder("code", str(tmp_path / "mine")) == tmp_path / "mine" / "code"


@pytest.mark.parametrize(
    ("platform", "variable", "expected"),
    [
        ("linux", "", "home/.cache"),
        ("darwin", "", "home/Library/Caches"),
        ("win32", "", "home/AppData/Local"),
        ("win32", "LOCALAPPDATA", "elsewhere"),
        ("linux", "XDG_CACHE_HOME", "elsewhere"),
    ],
)
def test_every_system_has_its_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, platform: str, variable: str, expected: str
) -> None:
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    if variable:
        monkeypatch.setenv(variable, str(tmp_path / "elsewhere"))
    monkeypatch.setattr(cache.sys, "platform", platform)
    monkeypatch.setattr(cache.Path, "home", lambda: tmp_path / "home")
    assert cache.cache_folder("code") == tmp_path / expected / "physarium" / "code"


@pytest.mark.parametrize("trouble", ["a file in the way", "a full disk", "no home"])
def test_no_folder_is_one_warning(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture, trouble: str
) -> None:
    parent = tmp_path / "parent"
    if trouble == "a file in the way":
        parent.touch()
    elif trouble == "a full disk":
        monkeypatch.setattr(cache.shutil, "disk_usage", lambda _folder: Usage(2**30, 2**30, 2**20))
    else:
        parent = Path()
        monkeypatch.setattr(cache, "_user_cache", lambda: Path("~nobody-of-that-name").expanduser())
    for _ in range(2):
        assert cache.cache_folder("code", str(parent) if parent.name else "") is None
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert record.message.startswith("Compiled code is not kept, so each start compiles: ")


def test_a_file_is_kept_whole(tmp_path: Path) -> None:
    path = tmp_path / "code"
    for content in (b"first", b"", b"second\n" * 100_000):
        cache.keep(path, content)
        assert path.read_bytes() == content
        assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("function", ["replace", "fdopen"])
def test_a_file_that_cannot_be_kept_is_a_warning(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture, function: str
) -> None:
    path = tmp_path / "code"
    path.write_bytes(b"before")

    def full(handle: object, *_args: object) -> None:
        if isinstance(handle, int):
            os.close(handle)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache.os, function, full)
    cache.keep(path, b"after")
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]
    assert "No space left on device" in caplog.text


def test_a_folder_that_is_gone_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache.keep(tmp_path / "gone" / "code", b"after")
    assert "not kept" in caplog.text


def test_code_of_other_versions_goes_when_nobody_uses_it(tmp_path: Path) -> None:
    month = 31 * 86400
    for name, age in (("kind-old", month), ("kind-new", 60), ("other-old", month), ("kind-mine", month)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "code").touch()
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    assert cache.cache_folder("kind-mine", str(tmp_path)) == tmp_path / "kind-mine"
    assert {path.name for path in tmp_path.iterdir()} == {"kind-mine", "kind-new", "other-old"}
    assert time.time() - (tmp_path / "kind-mine").stat().st_mtime < month
