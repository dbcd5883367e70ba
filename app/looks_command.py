"""What `physarium looks` prints."""

from app.files import user_folder
from presets import looks
from presets.disk import told

Printed = tuple[str, tuple[str, ...]]  # a text, and warnings


def listed() -> Printed:
    """All looks, a line each."""
    entries = looks.listing(looks.look_folder(user_folder()))
    width = max(len(entry.name) for entry in entries)
    lines: list[str] = []
    warnings: list[str] = []
    for entry in entries:
        title = told(entry.preset.title if entry.preset else str(entry.error))
        more = f" [{told(', '.join(entry.preset.tags))}]" if entry.preset and entry.preset.tags else ""
        lines.append(f"  {entry.name:<{width}}  {title}{more}{' (yours)' if entry.own else ''}\n")
        warnings += entry.preset.warnings if entry.preset else ()
    return "".join(lines), tuple(warnings)


def shown(name: str) -> Printed:
    """A look as a TOML file.

    Raises:
        PresetError: There is none of that name, or its file is broken.
    """
    look = looks.find(name, looks.look_folder(user_folder()))
    return looks.dump(look), look.warnings
