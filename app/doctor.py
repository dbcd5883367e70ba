"""The command `physarium doctor`: what is here, what would be used, and whether it computes right."""

from app import digests, machine
from app.backend import choose


def doctor() -> int:
    """Prints the report, then what mends what is missing.

    Returns:
        The exit status: 1 when a backend gives other results than the reference.
    """
    choice = choose("auto")
    sections = {
        "Machine": machine.machine(),
        "Libraries": machine.libraries(),
        "Graphics": machine.graphics(),
        "Folders": machine.folders(),
        "Chosen": [(choice.backend, choice.reason)],
        "Results": [],
    }
    for title, rows in sections.items():
        print(title)
        for name, value in rows:
            print(f"  {name:<16} {value}", flush=True)
    backends = ("cpu", "cuda") if choice.backend == "cuda" else ("cpu",)
    right = [_computes_right(backend) for backend in backends]
    for what, command in machine.mends():
        print(f"{what}. This brings it:\n    {command}")
    return 0 if all(right) else 1


def _computes_right(backend: str) -> bool:
    try:
        wrong = digests.differing(backend)
        verdict = f"differ for {', '.join(wrong)}" if wrong else "right, bit for bit"
    except Exception as problem:  # whatever is broken here, the report goes on
        wrong, verdict = [backend], f"no results ({problem})"
    print(f"  {backend:<16} {verdict}")
    return not wrong
