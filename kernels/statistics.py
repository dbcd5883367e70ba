"""What a trail looks like, in a few numbers: alive or frozen, stripes or cells, and how far from another.

All of it is measured on tones, which do not change when the whole trail is multiplied: a look has the
same statistics at any deposit. It needs nothing but the trail, and a sample of it will do: a few
hundred cells a side, cut out, not thinned. `Statistics` of worlds of different size compare, because
lengths are in cells throughout.
"""

import dataclasses
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Trail = NDArray[np.float32]

RINGS = 14  # half octaves of wavelength, 2 to 256 px
TONES = 64  # histogram columns of the entropy: few enough for the cells of a small sample to fill
BLOCK = 8  # px: `order` sees a line from its two sides within one block, and not its bends
EVEN = 1e-12  # variance of tones that is only rounding
STEPS_APART = 25  # between the samples of `motion`, where its size is to mean the same elsewhere

# Where a picture has failed. Measured on regimes whose pictures we know, on the shipped presets, and on
# agents that do not sense, at densities from 0.05 to 2.
FAINT = 1e-5  # level: a hundredth of what the faintest deposit and decay leave; nothing is there
LONELY = 0.003  # coverage: all agents in a dot or two; the sparsest networks and swarms cover 0.1
FLAT = 0.06  # contrast: dense agents that do not sense stay below; the palest labyrinth has 0.075
FROZEN = 0.005  # motion: nets and spots that stand have less; the slowest that still grow, 0.007
STRIPED = 0.75  # stripes: crossed and branching bands stay below 0.7; wavy ones have 0.75, straight 0.8 to 1
LOOSE = 0.45  # order: agents that do not sense stay below; so do spots and foam, but of their variance
COARSE = 0.5  # more than this share lies in wavelengths from 16 px up,
PEAKED = 1 / 3  # or more than this in one ring: grain has a broad spectrum, or a peak below 4 px
COARSE_RING, GRAIN_RINGS = 6, 2  # where the rings of 16 px begin, and those of 4 px

# How much of each makes clearly another picture: two to three times what other seeds and sizes make.
SCALES = {
    "coverage": 0.2,
    "contrast": 0.08,
    "entropy": 0.2,
    "mixing": 0.3,
    "stripes": 0.5,
    "order": 0.2,
}
MOTION_SCALE = 0.35  # of its square root: 0.01 and 0.2 look as different as 0.2 and 0.65
SPECTRUM_SCALE = 0.6  # octaves that the variance has moved


@dataclasses.dataclass(frozen=True, slots=True)
class Statistics:
    """A trail in numbers.

    Attributes:
        level: Mean trail of a cell, all species together; the one that depends on deposit.
        coverage: Share of the cells with more than half the mean trail, 0 to 1.
        contrast: Standard deviation of the tones, 0 to about 0.5.
        entropy: How evenly all tones are used, 0 to 1.
        motion: 1 - correlation with an earlier sample: 0 frozen, 1 unrelated, at most 2.
        order: How much of the structure runs in one direction locally: lines 0.7 to 1, spots 0.4, grain 0.3.
        mixing: Whether species share cells: 0 each its own (or one species), 1 all everywhere alike.
        stripes: How much of the structure runs in one direction, 0 to 1.
        spectrum: Shares of the variance by wavelength, as `radial_spectrum` gives them.
    """

    level: float
    coverage: float
    contrast: float
    entropy: float
    motion: float
    order: float
    mixing: float
    stripes: float
    spectrum: tuple[float, ...]

    @property
    def length_scale(self) -> float:
        """Typical wavelength in px; 0 when there is no structure."""
        return length_scale(self.spectrum)


def tones(trail: Trail) -> NDArray[np.float64]:
    """How bright each cell is beside the mean: trail / (trail + mean), 0 to 1, [C, H, W].

    The logistic function of log(trail / mean): a logarithmic scale that also takes 0, and that a few
    blazing cells cannot rule. All species share one mean, so that one that died out stays dark.

    Args:
        trail: [H, W], or [C, H, W] for several species; 0 or more.
    """
    channels = trail.reshape(-1, *trail.shape[-2:]).astype(np.float64)
    mean = channels.mean()
    return channels / (channels + mean) if mean > 0 else channels


def coverage(trail: Trail) -> float:
    """Share of the cells with more than half the mean trail, species together.

    Half the mean lies in the gap between ground and pattern for veins and spots; a fixed level would
    follow the deposit, and the median would always give one half.
    """
    total = _total(trail)
    return float((total > total.mean() / 2).mean())


def contrast(trail: Trail) -> float:
    """Standard deviation of the tones over the field; of species, the root of their variances' sum."""
    return float(np.sqrt(tones(trail).var((1, 2)).sum()))


def entropy(trail: Trail) -> float:
    """Shannon entropy of the histogram of tones, over its largest value: 0 one tone, 1 all alike."""
    counts = np.bincount((TONES * tones(_total(trail))).astype(int).ravel())  # a tone is never 1
    shares = counts[counts > 0] / counts.sum()
    return max(0.0, float(-(shares * np.log2(shares)).sum() / np.log2(TONES)))


def motion(before: Trail, after: Trail) -> float:
    """1 - correlation of the tones of two samples of one place: 0 the same picture, 1 unrelated, to 2.

    Args:
        before: [H, W] or [C, H, W].
        after: The same cells some steps later; `STEPS_APART` where it is to mean the same elsewhere.
    """
    a, b = (t - t.mean((1, 2), keepdims=True) for t in (tones(before), tones(after)))
    scale = float(np.sqrt((a * a).mean() * (b * b).mean()))
    if scale <= EVEN:
        return 0.0 if (a * a).mean() <= EVEN and (b * b).mean() <= EVEN else 1.0
    return float(np.clip(1 - (a * b).mean() / scale, 0, 2))


def mixing(trail: Trail) -> float:
    """How alike the species' shares of each cell are, weighted by trail: 0 apart, 1 equal everywhere.

    The chance that two bits of trail from one cell are of different species, over its largest value.
    """
    channels = trail.reshape(-1, *trail.shape[-2:]).astype(np.float64)
    species, total = len(channels), channels.sum(0)
    if species == 1 or total.max() == 0:
        return 0.0
    same = (channels**2).sum(0) / np.where(total > 0, total, 1)  # times total: the weight of the cell
    return float(np.clip((1 - same.sum() / total.sum()) * species / (species - 1), 0, 1))


def order(trail: Trail) -> float:
    """Coherence of the structure tensor within blocks of `BLOCK` px: lines 0.7 to 1, dots and grain less.

    Each block counts by the strength of its gradients. Grain of a pixel is smoothed away first.
    Species add their tensors (Di Zenzo, "A note on the gradient of a multi-image", CVGIP 33, 1986).
    """
    picture = tones(trail)
    picture = picture[:, :-2] + picture[:, 1:-1] + picture[:, 2:]
    picture = picture[:, :, :-2] + picture[:, :, 1:-1] + picture[:, :, 2:]
    across, down = picture[:, 1:-1, 2:] - picture[:, 1:-1, :-2], picture[:, 2:, 1:-1] - picture[:, :-2, 1:-1]
    directed = np.hypot(_blocks((across**2 - down**2).sum(0)), 2 * _blocks((across * down).sum(0))).sum()
    strength = _blocks((across**2 + down**2).sum(0)).sum()
    return float(directed / strength) if strength > EVEN * across.size else 0.0


class Waves(NamedTuple):
    """The power of the tones' waves.

    Attributes:
        power: [H, W // 2 + 1], species summed; waves that the half plane stands for twice count double.
        frequency: Cycles per px, [H, W // 2 + 1].
        direction: exp(2i angle), the same for a wave and its opposite, [H, W // 2 + 1].
    """

    power: NDArray[np.float64]
    frequency: NDArray[np.float64]
    direction: NDArray[np.complex128]


def waves(trail: Trail) -> Waves:
    """The spectrum of the tones, their mean removed, faded out to the edges (Hann) as a cut-out needs it."""
    picture = tones(trail)
    height, width = picture.shape[1:]
    window = np.hanning(height + 2)[1:-1, None] * np.hanning(width + 2)[1:-1]
    window /= window.sum()
    picture = picture - (picture * window).sum((1, 2), keepdims=True)
    power = (np.abs(np.fft.rfft2(picture * window)) ** 2).sum(0)
    power[:, 1 : (width + 1) // 2] *= 2
    wave = np.fft.rfftfreq(width) + 1j * np.fft.fftfreq(height)[:, None]
    frequency = np.abs(wave)
    return Waves(power, frequency, np.divide(wave, frequency, where=frequency > 0, out=0 * wave) ** 2)


def radial_spectrum(of: Waves, rings: int = RINGS) -> NDArray[np.float64]:
    """Shares of the variance by wavelength [rings], from fine to coarse; they sum to 1, or are all 0.

    Ring k holds wavelengths of 2 * 2**(k / 2) px to half an octave more (the first also the shorter
    diagonal ones, the last all longer ones): fixed in px, so that worlds of any size compare. Shares
    of the variance, rather than the mean power of a ring, because a coarse ring has only a few waves.
    """
    octaves = -np.log2(np.maximum(2 * of.frequency, 1e-9))
    ring = np.clip(2 * octaves, 0, rings - 1).astype(int)
    power = np.where(of.frequency > 0, of.power, 0)
    total = power.sum()
    if total <= EVEN / power.size:
        return np.zeros(rings)
    return np.asarray(np.bincount(ring.ravel(), power.ravel(), rings) / total)


def length_scale(spectrum: NDArray[np.float64] | tuple[float, ...]) -> float:
    """The spectrum's centroid as a wavelength in px, on the scale of octaves; 0 when there is nothing."""
    shares = np.asarray(spectrum)
    middle = (np.arange(len(shares)) + 0.5) / 2
    return float(2 * 2 ** (shares @ middle)) if shares.any() else 0.0


def stripes(of: Waves) -> float:
    """Coherence of the gradients' structure tensor: 1 all one way (parallel stripes), 0 all ways alike.

    Bigun and Granlund, "Optimal orientation detection of linear symmetry", ICCV 1987, in the frequency
    domain. There gradients weigh a wave by the square of its frequency, which lets the grain outvote
    the pattern; here it weighs by the frequency. Square and hexagonal nets give 0.
    """
    weight = of.power * of.frequency
    total = weight.sum()
    return float(abs((weight * of.direction).sum()) / total) if total > EVEN / weight.size else 0.0


def describe(before: Trail, after: Trail) -> Statistics:
    """All statistics of `after`; `before` is the same place `STEPS_APART` steps earlier.

    Args:
        before: [H, W], or [C, H, W] for several species, at least 16 x 16.
        after: The same shape.
    """
    found = waves(after)
    return Statistics(
        level=float(_total(after).mean()),
        coverage=coverage(after),
        contrast=contrast(after),
        entropy=entropy(after),
        motion=motion(before, after),
        order=order(after),
        mixing=mixing(after),
        stripes=stripes(found),
        spectrum=tuple(radial_spectrum(found).tolist()),
    )


def distance(a: Statistics, b: Statistics) -> float:
    """How differently two pictures look: 0 alike, 0.7 other seeds of one, from 1 clearly another.

    The root of the squares' sum of all differences, each in units of `SCALES`. That of the spectra is
    the earth mover's: how many octaves the variance would have to move. The level is left out.
    """
    moved = np.abs(np.cumsum(np.subtract(a.spectrum, b.spectrum))).sum() / 2
    parts = [(getattr(a, name) - getattr(b, name)) / scale for name, scale in SCALES.items()]
    parts += [(a.motion**0.5 - b.motion**0.5) / MOTION_SCALE, moved / SPECTRUM_SCALE]
    return float(np.linalg.norm(parts))


def verdict(of: Statistics) -> str:
    """What is wrong with a picture, in a word or two: "" when it is alive.

    "no trail", "saturated" (nearly the same everywhere), "frozen", "stripes" (parallel ones, where most
    worlds that wrap round end), or "noise" (no structure beyond the agents' own grain).
    """
    patterned = sum(of.spectrum[COARSE_RING:]) > COARSE or max(of.spectrum[GRAIN_RINGS:]) > PEAKED
    failures = {
        "no trail": of.level < FAINT or of.coverage < LONELY,
        "saturated": of.contrast < FLAT,
        "frozen": of.motion < FROZEN,
        "stripes": of.stripes > STRIPED,
        "noise": of.order < LOOSE and not patterned,
    }
    return next((word for word, failed in failures.items() if failed), "")


def _blocks(a: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums over whole blocks of `BLOCK` x `BLOCK` cells; what is left at the far edges is dropped."""
    rows, columns = (side // BLOCK for side in a.shape)
    whole = a[: rows * BLOCK, : columns * BLOCK]
    return np.asarray(whole.reshape(rows, BLOCK, columns, BLOCK).sum((1, 3)))


def _total(trail: Trail) -> Trail:
    """The trail of all species together [H, W]."""
    return np.asarray(trail.reshape(-1, *trail.shape[-2:]).sum(0))
