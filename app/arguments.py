"""The command line: what may stand on it."""

import argparse
from typing import Any, NoReturn

from app.argument_types import (
    START_KINDS,
    STILLS,
    WORDS,
    beginning,
    count,
    picture,
    setting,
    size,
    whole,
    writable,
)  # fmt: skip
from app.files import user_folder
from app.film_arguments import FILM, film_options, output
from app.keys import KEYS, MOUSE
from app.version import VERSION
from kernels.params import MAX_SPECIES

MOST_SUPERSAMPLE = 8

COMMANDS = {
    "run": "open the window; what happens when no command is given",
    "render": "step a world without a window and write its picture",
    "presets": "list the presets, show one as a file to start your own from, or import another program's",
    "looks": "list the looks that pictures can have, or show one as a file to start your own from",
    "bench": "measure how fast this machine steps, check that it is right, and race plain PyTorch",
    "doctor": "say what this machine has and what would be used, and check that its results are right",
}

EXAMPLES = """\
examples:
  physarium                                        the first preset, in a window
  physarium veins --size 1920x1080 --seed 7        a preset, a size and a seed
  physarium veins --set decay=0.2 --agents 2M      one parameter and the number of agents changed
  physarium picture.png                            back to the run that a captured PNG came from
  physarium veins --start text:HELLO               agents begin on words, or on an image's bright places
  physarium veins --map walls.png --blend cells    food, walls and a mask from an image; two looks blended
  physarium render veins --steps 2k --out a.png    a picture without a window
  physarium render veins --out a.exr --picture 8192x8192     any size, in linear light
  physarium presets show veins > mine.toml         a preset of your own to begin with
  physarium bench --quick                          how fast this machine is, within a minute
"""


IMPORT = """\
presets import reads what other programs after "36 Points" save: a text of rows of 15 numbers (base, exponent
and amplitude of sensor distance, sensor angle, rotation angle and move distance; bias 1, bias 2, scale), or
JSON that names them sd0, sde, sda, ... sb1, sb2, dsf
"""

BENCH = """\
what the table says:
  ms a step     median over windows of steps on the wall clock; sorting agents is shared out over all steps
  5 % to 95 %   percentiles over the windows
  GB/s          the bytes a step must move at least (16 an agent, 16 a cell), by that time
  floor ms      the same bytes at the speed at which this device copies, measured now
  x floor       how many times longer a step takes (caches can make a small world faster than the floor)
  PyTorch ms    the same model with the same results, written in plain PyTorch, from the same state
  checked by    what a case was compared with, bit for bit, before it was timed; "counts": just agents counted

states: uniform (as a run starts), developed (after 1,000 steps), clustered (all agents in 1 % of the cells)

examples:
  physarium bench --quick                            within a minute
  physarium bench --json mine.json --plot mine.png   all that fits this machine: ten to twenty minutes
  physarium bench --quick --features                 what the parts of the model cost
  physarium bench --case '1M-*' --trace --ablate     one size, pass by pass, and idea by idea
"""


class UsageError(Exception):
    """What was asked for cannot be done; the message is one plain sentence."""


class Parser(argparse.ArgumentParser):
    """Says a problem in one sentence instead of printing the usage; takes no abbreviations."""

    def __init__(self, **options: Any) -> None:
        formatter = argparse.RawDescriptionHelpFormatter
        super().__init__(formatter_class=formatter, allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        """Refuses the command line."""
        raise UsageError(message if message.endswith((".", "?")) else f"{message}.")


def command_line() -> Parser:
    """The parser of the whole command line; `command` is one of `COMMANDS` afterwards."""
    parser = Parser(
        prog="physarium",
        usage="%(prog)s [run] [PRESET|FILE] [OPTION ...]\n       %(prog)s COMMAND [OPTION ...]",
        description="Living slime-mould patterns in a window, turned and painted while they run.",
        epilog="\n".join(
            (EXAMPLES, _keys(), _places(), "physarium COMMAND --help tells a command's options.")
        ),
    )
    parser.add_argument("--version", action="version", version=f"physarium {VERSION}")
    parsers = parser.add_subparsers(
        prog="physarium", dest="command", metavar="COMMAND", title="commands", required=True
    )
    for name, does in COMMANDS.items():
        sentence = f"{does[0].upper()}{does[1:]}."
        epilogs = {"run": _keys(), "render": FILM, "bench": BENCH, "presets": f"{IMPORT}\n{_places()}"}
        epilog = epilogs.get(name, _places())
        command = parsers.add_parser(name, help=does, description=sentence, epilog=epilog)
        command.add_argument("--debug", action="store_true", help="show where a failure comes from")
        if name in ("run", "render"):
            _world_options(command)
            (_run_options if name == "run" else _render_options)(command)
        elif name == "presets":
            _presets_options(command)
        elif name == "looks":
            _looks_options(command)
        elif name == "bench":
            _bench_options(command)
    return parser


def _world_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    preset_help = "a preset's name, a preset file, a captured PNG, or a saved moment"
    add("preset", nargs="?", metavar="PRESET|FILE", help=preset_help)
    add("--size", type=size, metavar="WxH", help="the field in pixels, such as 1920x1080")
    add("--agents", type=count, metavar="N", help="how many agents live in it, such as 300k or 2M")
    add("--seed", metavar="TEXT", help="a number or any words; the same seed gives the same run")
    setting_help = "a parameter's value, such as decay=0.2; may be given again"
    add("--set", type=setting, action="append", default=[], metavar="NAME=VALUE", help=setting_help)
    look_help = "how the picture looks, whatever the preset; physarium looks lists them"
    add("--look", metavar="NAME|FILE", help=look_help)
    starts = ", ".join(START_KINDS)
    start_help = f"where agents begin: {starts}; an image, on its bright places; or {WORDS} and words"
    add("--start", type=beginning, metavar="KIND|IMAGE|text:WORDS", help=start_help)
    species_help = "how many species live in it, with as many agents each"
    add("--species", type=whole(1, MAX_SPECIES), metavar="N", help=species_help)
    map_help = "what is red is food, what is green a wall, what is blue the mask; words are the mask"
    add("--map", metavar="IMAGE|text:WORDS", help=map_help)
    blend_help = "another look, that holds where the mask is; without a mask it grows to the right"
    add("--blend", metavar="PRESET|FILE", help=blend_help)
    add("--no-interop", action="store_true", help="let CUDA hand pictures over through main memory")
    _backend_options(parser)


def _presets_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    what_help = "print a preset, or import looks of another program"
    add("what", nargs="?", choices=("show", "import"), metavar="show|import", help=what_help)
    add("name", nargs="?", metavar="NAME|FILE", help="the preset to print as a TOML file; the file to import")
    add("--out", metavar="FOLDER", help="where imported presets go; left out, to yours")


def _looks_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("what", nargs="?", choices=("show",), metavar="show", help="print a look")
    add("name", nargs="?", metavar="NAME|FILE", help="the look to print as a TOML file")


def _backend_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    backends = "auto", "cuda", "cpu"
    add("--backend", choices=backends, default="auto", help="what computes; the results are the same")
    add("--threads", type=whole(1, 256), metavar="N", help="CPU threads; the results are the same")


def _run_options(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(steps=None)  # only a rendering ends somewhere
    add = parser.add_argument
    add("--fullscreen", action="store_true", help="fill the screen; F goes there and back")
    frames_help = "stop after N frames; print how long they and the start took, and the digest"
    add("--frames", type=whole(1, 10**9), metavar="N", help=frames_help)
    add(
        "--headless",
        action="store_true",
        help="draw off screen through EGL, at the field's size, at most 4096 px a side; needs --frames",
    )


def _render_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    steps_help = "where to stop; left out, 600, or where a captured PNG was taken; films begin there, or at 0"
    add("--steps", type=whole(0, 10**9), metavar="N", help=steps_help)
    out_help = (
        "what to write: a still (.png, .exr; .npy: the trail), or a film (.mp4, .mov, .webm, %%05d.png)"
    )
    add("--out", type=output, required=True, metavar="FILE", help=out_help)
    picture_help = "the picture's size; the field covers it; left out, the field's own size"
    add("--picture", type=size, metavar="WxH", help=picture_help)
    bits = sorted({some for kind in STILLS.values() for some in kind})
    bits_help = "of each colour: 8 or 16 in a .png, 32 or 16 (floating point) in an .exr"
    add("--bits", type=int, choices=bits, help=bits_help)
    finer_help = "draw the picture N times as large and average it, in linear light"
    add("--supersample", type=whole(1, MOST_SUPERSAMPLE), metavar="N", help=finer_help)
    film_options(parser)


def _bench_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--quick", action="store_true", help="a few small cases, within a minute")
    case_help = "only this case, such as 1M-1024x1024-developed or '16M-*'; may be given again"
    add("--case", action="append", default=[], metavar="NAME", help=case_help)
    add("--json", type=writable, metavar="FILE", help="write all figures to a file")
    add("--plot", type=picture, metavar="FILE.png", help="draw ms a step over agents and over cells")
    add("--trace", action="store_true", help="show what each pass of a step takes as well")
    features_help = "measure what response curves, species, and walls and food cost, beside the plain step"
    add("--features", action="store_true", help=features_help)
    add("--ablate", action="store_true", help="measure what each idea is worth as well, by leaving it out")
    _backend_options(parser)


def _keys() -> str:
    width = max(len(key.label) for key in KEYS + MOUSE)
    lines = (f"  {key.label:<{width}}  {key.help}" for key in KEYS + MOUSE)
    return "\n".join(("keys in the window:", *lines, ""))


def _places() -> str:
    return f"your presets lie in {user_folder()}\ncaptures go to Physarium in your folder of pictures\n"
