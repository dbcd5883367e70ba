"""Every shipped preset after 5,000 steps: alive, structured, neither black nor one stripe."""

import numpy as np
import pytest
from numpy.typing import NDArray

import presets
from kernels.contract import mean_trail
from kernels.simulation import Simulation
from kernels.world import World
from presets import Preset

SIZE = 192, 120
DIRECTIONS = 12


def tones(simulation: Simulation) -> NDArray[np.float32]:
    """How bright each pixel is before the palette, 0 to 1, as the display makes it."""
    params = simulation.params
    return 1 - np.exp(-params.exposure * simulation.trail / mean_trail(params.decay, simulation.world))


def share_of_one_direction(tones: NDArray[np.float32]) -> float:
    """How much of the picture's spectrum lies in its strongest direction, of twelve: near 1 for stripes."""
    power = np.abs(np.fft.fft2(tones - tones.mean())) ** 2
    y, x = (np.fft.fftfreq(side) for side in tones.shape)
    angle = np.arctan2(y[:, None], x[None, :]) % np.pi
    sector = np.minimum(angle / np.pi * DIRECTIONS, DIRECTIONS - 1).astype(int)
    energy = np.bincount(sector.ravel(), power.ravel(), DIRECTIONS)
    return float(energy.max() / energy.sum())


@pytest.mark.parametrize("preset", presets.shipped(), ids=presets.shipped_names())
def test_alive_after_5000_steps(preset: Preset) -> None:
    simulation = Simulation(World(*SIZE, preset.agents(*SIZE), "looks"), preset.params)
    simulation.step(4975)
    before = tones(simulation)
    simulation.step(25)
    after = tones(simulation)
    assert 0.05 < after.mean() < 0.9
    assert after.std() > 0.1
    assert share_of_one_direction(after) < 0.5
    assert np.corrcoef(before.ravel(), after.ravel())[0, 1] < 0.95


def test_stripes_would_be_noticed() -> None:
    x = np.arange(SIZE[0])
    stripes = np.tile(np.sin(x / 3), (SIZE[1], 1)).astype(np.float32)
    assert share_of_one_direction(stripes) > 0.9


def test_shipped_presets_say_what_they_are() -> None:
    shipped = presets.shipped()
    assert len(shipped) >= 8
    assert len({preset.title for preset in shipped}) == len(shipped)
    assert all(preset.credit for preset in shipped)
    assert len({preset.params for preset in shipped}) == len(shipped)
