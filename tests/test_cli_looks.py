"""What the command line makes of looks: starts, species, maps, a second look, and imports."""

from pathlib import Path

import numpy as np
import pytest
from commands import TINY, Run, digest_of, empty_home, refused, runner
from PIL import Image

import presets
from app.files import user_folder
from app.record import Record, read
from kernels.params import Params, check_params
from kernels.scene import Food, Layers, Map, Start
from presets import Preset
from presets.pictures import draw_text


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return empty_home(tmp_path, monkeypatch)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


def made(answer: tuple[int, str, str]) -> Record:
    """The record in the picture that a command made."""
    digest_of(answer)
    return read(Path("a.png"))


def test_a_start_may_be_a_shape_words_or_an_image(run: Run, home: Path) -> None:
    Image.new("RGB", (60, 40), "white").save(home / "light.bmp")
    asked = "render", "veins", *TINY, "--out", "a.png"
    shape = made(run(*asked, "--start", "ring in"))
    assert shape.world.start == Start("ring in")
    words = made(run(*asked, "--start", "text:Hello"))
    assert words.world.start == Start("image", image=draw_text("Hello"))
    assert words.preset.words == "Hello"
    image = made(run(*asked, "--start", "light.bmp")).world.start.image
    assert (image.width, image.height, set(image.pixels)) == (60, 40, {255})
    assert len({shape.digest, words.digest}) == 2


def test_species_are_dealt_out_equally(run: Run) -> None:
    record = made(run("render", "veins", *TINY, "--species", "3", "--set", "decay_3=0.5", "--out", "a.png"))
    assert record.world.shares == record.preset.shares == (1.0, 1.0, 1.0)
    veins = presets.find("veins").params  # and take after the one there is
    assert record.preset.params.sensor_angle_3 == veins.sensor_angle  # type: ignore[attr-defined]
    assert record.preset.params.decay_3 == 0.5  # type: ignore[attr-defined]
    again = run("render", "a.png", "--backend", "cpu", "--out", "b.png")
    assert digest_of(again) == f"digest {record.digest}"


def test_a_map_comes_from_an_image(run: Run, home: Path) -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (12, 16, 3), np.uint8)
    Image.fromarray(pixels).save(home / "map.png")
    saved = presets.save(Preset("", "Fed", map=Map((Food(),))), home)
    record = made(run("render", str(saved), *TINY, "--map", "map.png", "--out", "a.png"))
    assert record.world.map == Map((Food(),), Layers(16, 12, pixels.tobytes()))


def test_a_second_look_is_blended_in_where_the_mask_is(run: Run, home: Path) -> None:
    asked = "render", "veins", *TINY, "--blend", "cells", "--out", "a.png"
    record = made(run(*asked))
    assert record.preset.other == presets.find("cells").params
    assert record.world.map.image.pixels[2::3] == bytes(range(256))
    mask = Layers(2, 1, bytes((0, 9, 0, 0, 9, 200)))
    for kept, image in ((True, mask), (False, Layers(2, 1, bytes((7, 9, 0, 7, 9, 0))))):
        saved = presets.save(Preset("", "Masked", map=Map(image=image)), home, overwrite=True)
        pixels = made(run("render", str(saved), *asked[2:])).world.map.image.pixels
        assert pixels == (image.pixels if kept else bytes((7, 9, 0, 7, 9, 255)))


def test_a_picture_lends_its_map_and_its_second_look(run: Run, home: Path) -> None:
    made(run("render", "veins", *TINY, "--blend", "cells", "--start", "disc", "--out", "a.png"))
    first = read(home / "a.png")
    lent = made(run("render", "a.png", "--seed", "other", "--backend", "cpu", "--out", "a.png"))
    assert (lent.preset.other, lent.world.map) == (first.preset.other, first.world.map)
    assert (lent.world.start, lent.world.seed, lent.step) == (Start("disc"), "other", first.step)


NEWER = """\
format = 1
title = "Newer"
tempo = 3
[params]
decya = 0.2
"""


def test_what_a_file_says_that_is_unknown_is_told(run: Run, home: Path) -> None:
    (home / "newer.toml").write_text(NEWER, "utf-8")
    told = (
        "newer.toml: unknown key 'tempo' is left out.\n",
        "newer.toml: unknown key 'decya' in [params] is left out; did you mean decay",
    )
    for words in (("render", "newer.toml", *TINY, "--out", "a.png"), ("presets", "show", "newer.toml")):
        status, _, err = run(*words)
        assert status == 0
        assert [sentence for sentence in told if sentence not in err] == []


def test_presets_are_listed_by_family(run: Run) -> None:
    for title, tags in {"One": ("dust", "fine", "slow"), "Two": ("dust",), "Three": ()}.items():
        presets.save(Preset("", title, tags=tags), user_folder())
    status, out, _ = run("presets")
    assert status == 0
    lines = [" ".join(line.split()) for line in out.splitlines()]
    place = lines.index("dust:")
    own = [line for line in lines[place + 1 :] if line.endswith("(yours)")]
    assert own[:2] == ["one One [fine, slow] (yours)", "two Two (yours)"]
    assert "three Three (yours)" in lines[lines.index("others:") :]


ROW = "{9.5, 2.5, 0.1, 0.5, 4.0, -0.25, 1.25, 0.5, 0.125, 1.75, 3.0, 0.004, 5.0, 6.0, 20.0}\n"


def test_looks_of_another_program_are_imported(run: Run, home: Path) -> None:
    (home / "point.txt").write_text(ROW * 2)
    status, out, err = run("presets", "import", "point.txt")
    assert status == 0
    assert out.splitlines() == [str(user_folder() / f"point-{number}.toml") for number in (1, 2)]
    assert err.count("sb1 = 5 is left out") == 2
    assert presets.find("point 2", user_folder()).params.sensor_distance == 9.5
    status, out, _ = run("presets", "import", "point.txt", "--out", "sub")
    assert (status, out.splitlines()[0]) == (0, str(home / "sub" / "point-1.toml"))
    refused(run("presets", "import", "none.txt"), "none.txt", "no such file")
    (home / "point.txt").write_text("1 2 3")
    refused(run("presets", "import", "point.txt"), "point.txt", "3 numbers", "15")
    refused(run("presets", "import"), "FILE")
    refused(run("presets", "show", "veins", "--out", "sub"), "--out")


def test_the_parameters_of_any_species_can_be_set(run: Run) -> None:
    record = made(run("render", "veins", *TINY, "--set", "respawn_4=50", "--out", "a.png"))
    veins = presets.find("veins").params
    assert record.preset.params == check_params({"respawn_4": 50.0}, veins) != Params()
