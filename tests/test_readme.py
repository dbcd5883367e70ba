"""README's tables come from the declarations. `python tests/test_readme.py` writes them anew."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from app.keys import KEYS, MOUSE
from kernels.params import SPECS, Spec

README = Path(__file__).parent.parent / "README.md"


def row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join((row(*heads), row(*("---" for _ in heads)), *(row(*cells) for cells in rows)))


def parameter(spec: Spec) -> tuple[str, ...]:
    default = f"{spec.default:g}" if isinstance(spec.default, float) else str(spec.default)
    return f"`{spec.name}`", spec.group, default, spec.allowed, spec.help


def tables() -> Iterator[tuple[str, str]]:
    heads = "parameter", "group", "default", "takes", "what it does"
    yield "parameters", table(heads, (parameter(spec) for spec in SPECS.values()))
    yield "keys", table(("key or mouse", "does"), ((key.label, key.help) for key in KEYS + MOUSE))


def fill(text: str) -> str:
    """The text with each table between `<!-- NAME -->` and `<!-- /NAME -->` as it should be."""
    for name, content in tables():
        between = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        text, found = between.subn(lambda part, content=content: f"{part[1]}{content}\n{part[2]}", text)
        assert found == 1, f"README.md needs one place for its table of {name}"
    return text


def test_the_tables_are_those_of_the_declarations() -> None:
    text = README.read_text("utf-8")
    assert fill(text) == text, "README.md is stale: run make generate"


@pytest.mark.parametrize("stale", [next(iter(SPECS.values())).help, KEYS[0].help])
def test_a_stale_table_is_noticed(stale: str) -> None:
    changed = README.read_text("utf-8").replace(stale, "something else")
    assert fill(changed) != changed


def test_pictures_and_files_it_names_are_there() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README.read_text("utf-8"))
    assert {link for link in links if not (README.parent / link).exists()} == set()


if __name__ == "__main__":
    README.write_text(fill(README.read_text("utf-8")), "utf-8")
