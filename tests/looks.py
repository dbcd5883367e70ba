"""Values that several tests share: looks for the equality of backends, and texts."""

from hypothesis import strategies as st

from kernels.params import SPECS, Params, Spec, Value


def another(spec: Spec) -> Value:
    """An allowed value that is not the default."""
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
    # Every parameter there is, off its default: one that a backend forgets cannot hide.
    "other": Params(**{name: another(spec) for name, spec in SPECS.items()}),  # type: ignore[arg-type]
}  # fmt: skip
