import errno
import gc
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app import files
from app.files import Writer, capture_folder, write_atomically
from presets.disk import sentence, unused

ROOT = Path(__file__).parent.parent
WAIT = 60  # seconds until a test gives up on a thread

SAVES = """
import sys
from pathlib import Path
print("ready", flush=True)
while True:
    for letter in b"ab":
        write_atomically(Path(sys.argv[1]), bytes([letter]) * 3_000_000)
"""


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_writing_replaces_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(b"a much longer old file")
    path.chmod(0o640)
    assert write_atomically(path, b"new") == path
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert names(tmp_path) == ["a.png"]


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").write_bytes(b"")
    write_atomically(tmp_path / "ours", b"")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target = tmp_path / "elsewhere" / "real"
    target.write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    with pytest.raises(FileExistsError):
        write_atomically(link, b"newer", "refuse")
    assert names(target.parent) == ["real"]


def test_refusing_and_writing_beside(tmp_path: Path) -> None:
    path = tmp_path / "a.b.png"
    assert write_atomically(path, b"1", "refuse") == path
    with pytest.raises(FileExistsError) as caught:
        write_atomically(path, b"2", "refuse")
    assert sentence(path, caught.value, "written") == f"{path} cannot be written: there is one already."
    assert write_atomically(path, b"2", "beside") == tmp_path / "a.b-2.png"
    assert write_atomically(path, b"3", "beside") == tmp_path / "a.b-3.png"
    assert [(tmp_path / name).read_bytes() for name in ("a.b.png", "a.b-2.png", "a.b-3.png")] == [
        b"1",
        b"2",
        b"3",
    ]
    assert len(names(tmp_path)) == 3


def test_no_two_ever_get_the_same_name(tmp_path: Path) -> None:
    barrier = threading.Barrier(8)

    def take(_: int) -> list[Path]:
        barrier.wait(WAIT)
        return [unused(tmp_path / "a.png") for _ in range(10)]

    with ThreadPoolExecutor(8) as pool:
        paths = [path for taken in pool.map(take, range(8)) for path in taken]
    assert len(set(paths)) == 80
    assert set(names(tmp_path)) == {"a.png", *(f"a-{n}.png" for n in range(2, 81))}


@pytest.mark.parametrize("existing", ["replace", "refuse", "beside"])
@pytest.mark.parametrize(("call", "code"), [("fsync", errno.ENOSPC), ("replace", errno.EROFS)])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    call: str, code: int, existing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    old, path = tmp_path / "old.png", tmp_path / ("new.png" if existing == "refuse" else "old.png")
    old.write_bytes(b"old")
    monkeypatch.setattr(os, call, fail)
    with pytest.raises(OSError, match=os.strerror(code)) as caught:
        write_atomically(path, b"new", existing)
    assert caught.value.filename == str(path)
    assert old.read_bytes() == b"old"
    assert names(tmp_path) == ["old.png"]


def test_a_full_disk(tmp_path: Path, full_disk: Path) -> None:
    path = full_disk / "a.png"
    write_atomically(path, b"old")
    with pytest.raises(OSError, match="No space left") as caught:
        write_atomically(path, b"x" * 300_000)
    assert sentence(path, caught.value, "written") == f"{path} cannot be written: the disk is full."
    assert path.read_bytes() == b"old"
    assert names(full_disk) == ["a.png"]


@pytest.fixture
def full_disk(tmp_path: Path):
    """A real disk of 64 KiB, for those who may mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("may not mount a disk; the failing fsync above stands for it")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_killing_it_leaves_the_old_file_or_the_new(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"a" * 3_000_000)
    for delay in (0.0, 0.011, 0.023, 0.04):
        command = [sys.executable, "-c", SAVES, str(path)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as saving:
            assert saving.stdout is not None
            saving.stdout.readline()
            time.sleep(delay)
            saving.send_signal(signal.SIGKILL)
        assert path.read_bytes() in (b"a" * 3_000_000, b"b" * 3_000_000)


def test_captures_go_where_they_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pictures, here, temporary = tmp_path / "Pictures", tmp_path / "here", tmp_path / "tmp"
    monkeypatch.setattr(files.platformdirs, "user_pictures_path", lambda: pictures)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    here.mkdir()
    temporary.mkdir()
    monkeypatch.chdir(here)
    assert capture_folder() == pictures / "Physarium"
    assert names(pictures / "Physarium") == []

    (pictures / "Physarium").rmdir()
    (pictures / "Physarium").write_bytes(b"a file in its place")
    assert capture_folder() == here
    here.rmdir()
    assert capture_folder() == temporary
    temporary.rmdir()
    temporary.write_bytes(b"")
    assert capture_folder() == pictures / "Physarium"  # then writing says why


def test_an_unknown_home_makes_no_folder_called_tilde(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files.platformdirs, "user_pictures_path", lambda: Path("~/Pictures"))
    monkeypatch.chdir(tmp_path)
    assert capture_folder() == tmp_path
    assert names(tmp_path) == []


def test_presets_live_in_the_platforms_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    if sys.platform.startswith("linux"):
        assert files.user_folder() == tmp_path / "physarium" / "presets"
    assert files.user_folder().parent == files.config_folder()
    assert names(tmp_path) == []


def fails(error: BaseException):
    def job() -> Path:
        raise error

    return job


def test_the_writer_tells_how_each_job_went(tmp_path: Path) -> None:
    writer = Writer(capacity=8)
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/disk/a.png")
    jobs = [
        lambda: write_atomically(tmp_path / "a.png", b"picture"),
        lambda: write_atomically(tmp_path / "none" / "a.png", b"picture"),
        fails(full),
        fails(OSError("encoder error")),
        fails(ValueError("veins.toml: decay = 7 is not allowed.")),
        fails(ZeroDivisionError("oops")),
        fails(SystemExit(3)),
        lambda: tmp_path / "last",
    ]
    assert [writer.submit(job) for job in jobs] == [True] * len(jobs)
    writer.close()
    paths, sentences = zip(*writer.poll(), strict=True)
    assert paths == (tmp_path / "a.png", None, None, None, None, None, None, tmp_path / "last")
    assert sentences == (
        None,
        f"{tmp_path / 'none' / 'a.png'} cannot be written: there is no such file or folder.",
        "/disk/a.png cannot be written: the disk is full.",
        "The file cannot be written: the system refused.",
        "veins.toml: decay = 7 is not allowed.",
        "The file could not be written: ZeroDivisionError: oops.",
        "The file could not be written: SystemExit: 3.",
        None,
    )
    assert writer.poll() == []


def test_a_busy_writer_refuses_at_once_and_counts(tmp_path: Path) -> None:
    writer = Writer(capacity=2)
    started, go_on = threading.Event(), threading.Event()

    def slow() -> Path:
        started.set()
        go_on.wait(WAIT)
        return tmp_path / "slow"

    def quick() -> Path:
        return tmp_path / "quick"

    assert writer.submit(slow)
    assert started.wait(WAIT)
    assert [writer.submit(quick) for _ in range(5)] == [True, True, False, False, False]
    assert writer.dropped == 3
    assert writer.poll() == []
    go_on.set()
    writer.close()
    assert writer.poll() == [(tmp_path / name, None) for name in ("slow", "quick", "quick")]


def test_a_closed_writer_takes_nothing_more(tmp_path: Path) -> None:
    writer = Writer()
    writer.close()
    writer.close()
    assert not writer.submit(lambda: tmp_path)
    assert writer.dropped == 1


def test_a_finished_picture_is_let_go(tmp_path: Path) -> None:
    class Picture:
        def write(self) -> Path:
            return tmp_path

    writer = Writer()
    picture = Picture()
    alive = weakref.ref(picture)
    writer.submit(picture.write)
    del picture
    deadline = time.monotonic() + WAIT
    while alive() and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.01)
    assert alive() is None
    writer.close()
