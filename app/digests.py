"""Digests of the shipped presets, kept in `presets/digests.json`: what a small run of each must give.

`python -m app.digests` writes them anew, computed by the reference.
"""

import json
from importlib.resources import files
from pathlib import Path

from tqdm import tqdm

import presets
from kernels.simulation import Simulation
from presets import Preset

SIZE = 192, 108  # px
STEPS = 300


def expected() -> dict[str, str]:
    """The digest of each shipped preset, by name."""
    kept: dict[str, str] = json.loads((files(presets) / "digests.json").read_text("utf-8"))
    return kept


def digest(preset: Preset, backend: str) -> str:
    """The digest of a preset's small run."""
    simulation = Simulation(preset.world(*SIZE), preset.params, backend, preset.other)
    simulation.step(STEPS)
    return simulation.digest()


def differing(backend: str) -> list[str]:
    """Names of the shipped presets that a backend computes differently; with a progress bar."""
    kept = expected()
    shipped = tqdm(presets.shipped(), desc=backend, unit="preset", leave=False)
    return [preset.name for preset in shipped if digest(preset, backend) != kept.get(preset.name)]


def write() -> None:
    """Computes all of them by the reference and writes the file."""
    kept = {preset.name: digest(preset, "reference") for preset in tqdm(presets.shipped(), unit="preset")}
    Path(str(files(presets) / "digests.json")).write_text(json.dumps(kept, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    write()
