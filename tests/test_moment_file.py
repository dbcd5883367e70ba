"""Files of moments: they go on bit for bit on every backend, and no damaged one does any harm."""

import copy
import dataclasses
import errno
import hashlib
import json
import zlib
from pathlib import Path

import numpy as np
import pytest
from commands import TINY, digest_of, empty_home, refused, runner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_moments import CHOICE, LOOK, WALL, WORLD, goes_on, lived

from app import moment_file
from app.moment_file import HEAD, MAGIC, read, write
from app.moments import Moment
from app.record import RecordError
from app.session import Session
from app.studio import Studio
from kernels.scene import Food, Map
from kernels.world import World


@pytest.fixture(scope="module")
def moment() -> Moment:
    return lived(Session(LOOK, WORLD, "reference")).moment()


@pytest.fixture(scope="module")
def file(moment: Moment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("moments") / "a.physarium", moment)


def test_a_file_holds_all_of_a_moment(moment, file) -> None:
    again = read(file)
    for name in ("preset", "world", "step", "events", "complete", "params", "other"):
        assert getattr(again, name) == getattr(moment, name), name
    for part, expected in zip(again.snapshot.parts, moment.snapshot.parts, strict=True):
        assert part.dtype == expected.dtype
        np.testing.assert_array_equal(part, expected)
    for layer in ("food", "wall", "mask"):
        np.testing.assert_array_equal(getattr(again.maps, layer), getattr(moment.maps, layer))
    assert vars(again.meter) == vars(moment.meter)


@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_a_run_goes_on_from_a_file_bit_for_bit(backend, moment, file) -> None:
    straight = Session(LOOK, WORLD, "reference")
    straight.return_to(moment)
    session = Session(LOOK, World(40, 30, 9), backend)
    session.return_to(read(file))
    assert goes_on(session) == goes_on(straight)


@pytest.mark.parametrize("step", [0, 1])
def test_the_first_steps(step, tmp_path) -> None:
    session = Session(LOOK, WORLD, "reference")
    session.mark(WALL, begins=True)
    session.advance(step)
    again = Session(LOOK, WORLD, "cpu")
    again.return_to(read(write(tmp_path / "a.physarium", session.moment())))
    assert again.simulation.digest() == session.simulation.digest()
    assert goes_on(again) == goes_on(session)


def test_a_file_is_written_beside_another(moment, tmp_path) -> None:
    paths = [write(tmp_path / "a.physarium", moment) for _ in range(2)]
    assert [path.name for path in paths] == ["a.physarium", "a-2.physarium"]


def test_a_log_too_long_to_read_leaves_the_rest(moment, tmp_path, monkeypatch) -> None:
    whole = len(moment_file.to_text(moment))
    monkeypatch.setattr(moment_file, "MAX_TEXT", whole - 1)
    again = read(write(tmp_path / "a.physarium", moment))
    assert (again.complete, again.events, again.params) == (False, (), moment.params)
    session = Session(LOOK, WORLD, "reference")
    session.return_to(again)
    assert session.record("").lacks
    studio = Studio(again, WORLD, CHOICE, tmp_path)
    studio.restart()  # what was painted is not lost, though no log tells of it
    np.testing.assert_array_equal(studio.session.simulation.maps.wall, moment.maps.wall)
    np.testing.assert_array_equal(session.simulation.maps.wall, moment.maps.wall)


def message(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    with pytest.raises(RecordError) as refused:
        read(path)
    said = str(refused.value)
    assert said.startswith(f"{path}: ")
    assert said.endswith(".")
    assert "\n" not in said
    return said


def test_foreign_and_short_files(file, tmp_path) -> None:
    data, path = file.read_bytes(), tmp_path / "b.physarium"
    assert "no snapshot" in message(path, b"")
    assert "no snapshot" in message(path, data.replace(b"\r\n", b"\n", 1))
    assert "too early" in message(path, data[:20])
    assert "checksum" in message(path, data[:-1])
    assert "checksum" in message(path, data + b"x")
    assert "checksum" in message(path, data[:200] + b"\0" + data[201:])
    newer = MAGIC + HEAD.pack(2, *HEAD.unpack_from(data, len(MAGIC))[1:]) + data[len(MAGIC) + HEAD.size :]
    assert "newer Physarium" in message(path, newer)
    with pytest.raises(RecordError, match="there is no such file"):
        read(tmp_path / "none.physarium")
    with pytest.raises(RecordError, match="it is a folder"):
        read(tmp_path)


def forged(file: Path, change) -> bytes:
    """The file with another table or arrays, and a checksum that fits."""
    data = file.read_bytes()
    start = len(MAGIC) + HEAD.size
    _, length, _ = HEAD.unpack_from(data, len(MAGIC))
    table = json.loads(zlib.decompress(data[start : start + length]))
    arrays, at = [], start + length
    for size in table["arrays"]:
        arrays.append(data[at : at + size])
        at += size
    change(table, arrays)
    text = zlib.compress(json.dumps(table).encode())
    body = text + b"".join(arrays)
    return MAGIC + HEAD.pack(1, len(text), hashlib.sha256(body).digest()) + body


def array(number: int, made):
    """Puts another array in the place of one."""

    def change(table, arrays) -> None:
        arrays[number] = made(arrays[number])
        table["arrays"][number] = len(arrays[number])

    return change


def packed(values, kind: str) -> bytes:
    return moment_file._packed(np.asarray(values), kind)


TRAIL = np.zeros((2, 48, 64))
FORGED = {
    "its text lacks": lambda table, arrays: table.pop("look"),
    "its exposure": lambda table, arrays: table.update(meter=["a", 1.0]),
    "lengths": lambda table, arrays: table.update(arrays=[1, 2]),
    "width": lambda table, arrays: table.update(record=table["record"].replace('"width": 64', '"width": 9')),
    "its trail": array(0, lambda _: packed(np.where(TRAIL == 0, np.nan, 0), "<f4")),
    "trail cannot": array(0, lambda _: packed(TRAIL - 1, "<f4")),
    "its trail cannot": array(0, lambda _: packed(np.zeros((2, 48, 65)), "<f4")),
    "its trail cannot be": array(0, lambda old: old[:-9]),
    "trail cannot be": array(0, lambda _: b"nonsense"),
    "its agents": array(1, lambda _: packed(np.full(600, 64 << 13), "<u8")),
    "its agents cannot": array(1, lambda _: packed(np.full(600, 1 << 55), "<u8")),
    "its wall": array(3, lambda _: packed(np.full((48, 64), 7), "u1")),
}


@pytest.mark.parametrize("said", FORGED)
def test_what_was_forged_is_refused(said, file, tmp_path) -> None:
    assert said in message(tmp_path / "c.physarium", forged(file, FORGED[said]))


def test_memory_is_checked_before_it_is_taken(file, tmp_path, monkeypatch) -> None:
    def grow(table, arrays) -> None:
        table["record"] = table["record"].replace('"agents": 600', '"agents": 1073741824')

    monkeypatch.setattr(moment_file, "free_memory", lambda backend: 1 << 30)
    assert "needs 8.0 GiB" in message(tmp_path / "d.physarium", forged(file, grow))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_other_byte_is_one_sentence(data, file, tmp_path) -> None:
    good = file.read_bytes()
    at = data.draw(st.integers(0, len(good) - 1))
    cut = data.draw(st.booleans())
    byte = good[at] ^ data.draw(st.integers(1, 255))
    message(tmp_path / "e.physarium", good[:at] if cut else good[:at] + bytes([byte]) + good[at + 1 :])


def test_a_studio_writes_and_opens_files(moment, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("app.rewinder.capture_folder", lambda: tmp_path)
    studio = Studio(LOOK, WORLD, CHOICE, tmp_path)
    lived(studio.session)
    studio.snapshot(to_disk=True)
    assert studio.close_disk() == []
    (path,) = tmp_path.glob("*.physarium")
    digest = goes_on(studio.session)
    other = Studio(LOOK, World(32, 32, 50), CHOICE, tmp_path)
    other.open(path)
    assert goes_on(other.session) == digest
    other.undo()
    assert other.session.world == World(32, 32, 50)
    path.write_bytes(path.read_bytes()[:-5])
    other.open(path)
    assert "checksum" in other.notices.current()[-1]
    began = Studio(moment, WORLD, CHOICE, tmp_path)
    assert (began.session.steps, began.offer) == (moment.step, None)


def test_a_full_disk_is_said(tmp_path, monkeypatch) -> None:
    def full(*_args, **_named):
        raise OSError(errno.ENOSPC, "full", "a.physarium")

    monkeypatch.setattr("app.rewinder.capture_folder", lambda: tmp_path)
    monkeypatch.setattr(moment_file, "write_atomically", full)
    studio = Studio(LOOK, WORLD, CHOICE, tmp_path)
    studio.snapshot(to_disk=True)
    (problem,) = studio.close_disk()
    assert "the disk is full" in problem


def test_render_goes_on_from_a_file(tmp_path, monkeypatch, capsys) -> None:
    work = empty_home(tmp_path, monkeypatch)
    command = runner(capsys)
    size = 160, 120
    look = dataclasses.replace(LOOK, map=Map((Food(),)))
    session = Session(look, look.world(*size), "cpu")
    session.change(sensor_angle=60.0)
    session.advance(20)
    path = write(work / "a.physarium", copy.copy(session.moment()))
    session.advance(20)
    digest = "digest " + session.simulation.digest()
    trail = "--out", str(work / "a.npy"), "--backend", "cpu"
    assert digest_of(command("render", str(path), *trail, "--steps", "40")) == digest
    session.restart_from(session.record(""))
    session.advance(10)
    early = "digest " + session.simulation.digest()
    assert digest_of(command("render", str(path), *trail, "--steps", "10")) == early
    path.write_bytes(b"nothing")
    refused(command("render", str(path), "--out", str(work / "b.png"), *TINY), "a.physarium", "no snapshot")
