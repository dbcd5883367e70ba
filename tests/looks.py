"""Values that several tests share: looks and settings for the equality of backends, and texts."""

import dataclasses

from hypothesis import strategies as st

from kernels.params import SPECS, Params, own_name
from kernels.scene import Food, Layers, Map
from kernels.simulation import Simulation
from kernels.spec import Spec, Value
from kernels.world import World


def another(spec: Spec) -> Value:
    """An allowed value that is not the default."""
    if spec.curve:
        return "0 1, 0.5 0.25, 1 0"
    if spec.choices:
        return next(choice for choice in spec.choices if choice != spec.default)
    end = spec.high if spec.default < spec.high else spec.low
    return type(spec.default)((spec.default + end) / 2)


def texts(longest: int) -> st.SearchStrategy[str]:
    """Any text that `kernels.params.is_text` takes."""
    return st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=longest)


LOOKS = {
    "default": Params(),
    "mesh": Params(sensor_angle=45.0, rotation_angle=45.0, sensor_distance=22.5, decay=0.03, diffusion=0.6),
    "fleeing": Params(
        rotation_angle=-130.0, sensor_angle=112.0, step_size=3.7, deposit=0.07, decay=0.02, diffusion=0.0
    ),
    "extreme": Params(
        sensor_angle=180.0, sensor_distance=200.0, rotation_angle=180.0, step_size=20.0,
        deposit=100.0, decay=0.95,
    ),
    # From here on each has one rule more than a plain step.
    "responses": Params(
        sensor_distance_amplitude=30.0, sensor_angle_amplitude=-50.0, sensor_angle_exponent=0.4,
        rotation_angle_amplitude=-90.0, rotation_angle_curve="0 0, 0.3 1, 1 0.2", step_size_amplitude=-2.5,
        step_size_exponent=7.0, sense_offset=3.0, sense_scale=0.1,
    ),
    "life": Params(sense_threshold=0.3, wander=20.0, turn_chance=0.02, respawn=150.0, lifetime=90.0),
    "capped": Params(deposit_curve="capped", deposit_bend=2.0),
    "liking": Params(attraction_to_1=-0.7, rotation_angle=60.0),
    "reflect": Params(boundary="reflect", step_size=3.0),
    "turn": Params(boundary="turn", step_size=3.0, sensor_distance=25.0),
    "dish": Params(boundary="dish"),
    "respawn": Params(boundary="respawn", sense_offset=40.0, sensor_angle_amplitude=40.0),
    "crowded": Params(crowding="one per cell", step_size=1.4),
    "wide sensors": Params(sensor_width=4),
    # And here all at once: what the values of each mean matters less than that they meet.
    "everything": Params(
        boundary="turn", crowding="one per cell", sensor_width=3, deposit_curve="logarithmic", wander=9.0,
        respawn=200.0, lifetime=300.0, sense_threshold=0.01, turn_chance=0.01, attraction_to_1=1.7,
        sensor_distance_amplitude=9.0, rotation_angle_amplitude=45.0, step_size_amplitude=1.5,
        sensor_angle_amplitude=15.0, sense_offset=-4.0,
    ),
    # Every parameter there is, off its default: one that a backend forgets cannot hide.
    "other": Params(**{name: another(spec) for name, spec in SPECS.items()}),  # type: ignore[arg-type]
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Setting:
    """What a run needs besides its size: parameters, and what the world begins with."""

    params: Params = dataclasses.field(default_factory=Params)
    shares: tuple[float, ...] = (1.0,)
    map: Map = dataclasses.field(default_factory=Map)
    other: Params | None = None

    def simulation(self, backend: str, width: int, height: int, agents: int, seed: str = "7") -> Simulation:
        """A run on some backend."""
        world = World(width, height, agents, seed, self.shares, map=self.map)
        return Simulation(world, self.params, backend, self.other)


def _map(*, wall: bool) -> Map:
    """Food in two lumps and in an image, with a wall across if asked for, and a mask."""
    image = bytes(
        value
        for y in range(10)
        for x in range(16)
        for value in (16 * x, 255 * (wall and x == 9 and y > 2), 25 * y)
    )
    return Map((Food(0.2, 0.3, 20.0), Food(0.8, 0.6, 12.0, 0.5)), Layers(16, 10, image))


def _each(**traits: list[Value]) -> Params:
    """Parameters from values of each species in turn."""
    named = {own_name(name, k): value for name, values in traits.items() for k, value in enumerate(values)}
    return Params(**named)  # type: ignore[arg-type]


_FOUR = {
    "decay": [0.1, 0.05, 0.2, 0.3],
    "sensor_angle": [30.0, 45.0, 20.0, 70.0],
    "step_size": [1.0, 1.5, 0.7, 2.0],
    "deposit": [1.0, 2.0, 0.5, 0.1],
    "attraction_to_1": [1.0, -1.0, 0.3, 0.0],
    "attraction_to_2": [-0.4, 1.2, -2.0, 0.5],
    "attraction_to_3": [0.2, -0.6, 0.8, -0.1],
    "attraction_to_4": [-0.1, 0.4, -0.9, 1.5],
}
_CHASE = {
    "joins": ["2", "3", "4", "1"],
    "join_threshold": [0.5, 0.2, 1.0, 0.05],
    "join_chance": [0.1, 0.02, 0.3, 1.0],
}
_SHARES = 1.0, 0.5, 2.0, 0.7

SETTINGS = {
    "two species": Setting(_each(**_FOUR), _SHARES[:2]),
    "three species join": Setting(_each(**_FOUR, **_CHASE), _SHARES[:3]),
    "four species": Setting(_each(**_FOUR), _SHARES),
    "four species join": Setting(_each(**_FOUR, **_CHASE), _SHARES),
    "food": Setting(map=_map(wall=False)),
    "walls": Setting(Params(food=-3.0), map=_map(wall=True)),
    "blend": Setting(map=_map(wall=False), other=LOOKS["fleeing"]),
    "blend of rules": Setting(
        _each(**_FOUR, **_CHASE), _SHARES, _map(wall=True),
        dataclasses.replace(LOOKS["everything"], joins="3", sense_offset_2=8.0, deposit_curve_3="power"),
    ),
    "everything": Setting(
        dataclasses.replace(LOOKS["everything"], joins="2", joins_2="1", join_threshold=0.1), _SHARES[:2],
        _map(wall=True), LOOKS["responses"],
    ),
    "other": Setting(LOOKS["other"], _SHARES, _map(wall=True), LOOKS["responses"]),
}  # fmt: skip
