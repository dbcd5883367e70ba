"""Why a picture is dying, and what brings it back: what the watch says and offers."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tone import LOOK_SIZE, tones
from kernels.contract import mean_trail
from kernels.params import SPECS, Params, of_species, own_name
from kernels.spec import Value
from kernels.statistics import Statistics, verdict
from kernels.world import World

BLACK, WHITE = 0.1, 0.96  # tones beyond which a picture shows its ground, or its brightest colour, alone
BRIGHT, DIM = 99.5, 5.0  # percentiles: of a black picture not even its brightest parts are seen
WANTED = 2.0  # what the brightest are to be exposed to, on the scale of the tone curve
FAINT = 0.1  # deposits below this are hardly seen at an exposure that suits others
FLEETING = 0.7  # decays from here on leave agents nothing to follow; shipped presets stay below

WARNINGS = {
    "no trail": "The picture is almost empty: agents crowd in a dot or two. "
    "Respawn spreads them; sensors that look farther help.",
    "saturated": "The picture is nearly the same everywhere: agents find nothing to follow. "
    "Try a higher decay, a smaller wander or fewer agents.",
    "frozen": "The picture has frozen: it will stay as it is. A little wander or respawn keeps it moving.",
    "stripes": "The picture has become parallel stripes, and will stay so. "
    "Respawn, another boundary or a larger rotation angle breaks them.",
    "noise": "The picture is noise: agents do not follow the trail. "
    "Try a smaller wander or sense threshold, or another sensor angle.",
    "deposit": "The picture is black: agents leave next to no trail, for deposit is that small.",
    "decay": "The trail fades before agents can follow it, for decay is that high.",
    "dark": "The picture is black, although there is trail: exposure is too low for it.",
    "glaring": "All of the picture is as bright as can be: exposure is too high for this trail.",
}


class Fault(NamedTuple):
    """What is wrong with a picture.

    Attributes:
        name: One of `WARNINGS`; "" while it is alive.
        cure: Values of parameters that help; none where there is no simple cure.
    """

    name: str = ""
    cure: dict[str, Value] = {}  # noqa: RUF012 - of a tuple


def find_fault(
    found: Statistics,
    failing: list[int],
    trail: NDArray[np.float32],
    params: Params,
    world: World,
    look: Params,
) -> Fault:
    """What is wrong with a picture, and what would help.

    Args:
        found: Its statistics.
        failing: The species that a cure is for, from 0.
        trail: What was looked at [C, h, w].
        params: Those of the run.
        world: The run's.
        look: The parameters as the picture shows them, see `Session.look`.
    """
    own = {species: of_species(params, species) for species in failing}
    name, seen = verdict(found), exposed(trail, look, world)
    black = tone_of(np.percentile(seen, BRIGHT), look) < BLACK
    if black and all(traits.deposit < FAINT for traits in own.values()):
        return Fault("deposit", _for_each(own, "deposit", SPECS["deposit"].default))
    if name in ("no trail", "saturated", "noise") and all(each.decay >= FLEETING for each in own.values()):
        return Fault("decay", _for_each(own, "decay", SPECS["decay"].default))
    if black and seen.any():
        return Fault("dark", _better_exposed(seen, params, look))
    if not name and tone_of(np.percentile(seen, DIM), look) > WHITE:
        return Fault("glaring", _better_exposed(seen, params, look))
    return Fault(name, _cure_of(name, own))


def exposed(trail: NDArray[np.float32], look: Params, world: World) -> NDArray[np.float64]:
    """The trail [h, w] as it meets the tone curve, of all species [C, h, w] together."""
    means = [mean_trail(look, world, species) * world.species for species in range(world.species)]
    return np.asarray(look.exposure * np.tensordot(1 / np.array(means), trail, 1))


def tone_of(level: np.floating, look: Params) -> float:
    """The tone, 0 to 1, that an exposed trail is shown in."""
    at = np.sqrt(level / (1 + level))
    return float(np.interp(at, np.linspace(0, 1, LOOK_SIZE), tones(look)))


def _better_exposed(seen: NDArray[np.float64], params: Params, look: Params) -> dict[str, Value]:
    """An exposure that shows the brightest parts well; and a tone of its own where that would not help."""
    spec = SPECS["exposure"]
    factor = WANTED / max(float(np.percentile(seen, BRIGHT)), 1e-12)
    cure: dict[str, Value] = {"exposure": min(max(params.exposure * factor, spec.low), spec.high)}
    if not BLACK < tone_of(np.float64(WANTED), look) < WHITE:
        cure |= {name: SPECS[name].default for name in ("gamma", "contrast", "tone")}
    if params.auto_exposure:
        cure["auto_exposure"] = 0.0
    return cure


def _cure_of(name: str, own: dict[int, Params]) -> dict[str, Value]:
    """What helps against a fault of the pattern."""
    match name:
        case "no trail" | "stripes":
            return _for_each(own, "respawn", 300.0)
        case "frozen":
            return {own_name("wander", k): max(each.wander, 8.0) for k, each in own.items()}
        case "saturated":
            decays = {own_name("decay", k): min(2 * each.decay, 0.5) for k, each in own.items()}
            return decays | _for_each(own, "wander", 0.0)
        case "noise":
            return _for_each(own, "wander", 0.0) | _for_each(own, "sense_threshold", 0.0)
    return {}


def _for_each(own: dict[int, Params], trait: str, value: Value) -> dict[str, Value]:
    return {own_name(trait, species): value for species in own}
