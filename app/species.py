"""One species more or one less: what becomes of everybody's traits."""

from kernels.params import PALETTES, SPECS, TRAITS, Params, check_params, of_species, own_name
from kernels.spec import Value

FRESH = "palette", "joins", *(name for name in TRAITS if name.startswith("attraction_to_"))


def with_one_more(params: Params, species: int) -> Params:
    """Traits for one species more: the last one's, but for its palette and whom it likes.

    So it grows a pattern of its own beside the others, and keeps away from them.

    Args:
        params: The traits of all there are.
        species: How many those are.
    """
    model = of_species(params, species - 1)
    values: dict[str, Value] = {own_name(name, species): getattr(model, name) for name in TRAITS}
    values |= {name: SPECS[name].default for name in (own_name(name, species) for name in FRESH)}
    taken = [of_species(params, k).palette for k in range(species)]
    if values[own_name("palette", species)] in taken:
        values[own_name("palette", species)] = next(name for name in PALETTES if name not in taken)
    return check_params(values, params)


def with_one_less(params: Params, species: int, gone: int) -> Params:
    """Traits without those of a species; the later ones move up.

    Args:
        params: The traits of all there are.
        species: How many those are, 2 or more.
        gone: Which one goes, from 0.
    """
    left = [k for k in range(species) if k != gone]
    values: dict[str, Value] = {}
    for place, k in enumerate(left):
        own = of_species(params, k)
        values |= {own_name(name, place): getattr(own, name) for name in TRAITS}
        for column, other in enumerate(left):
            liking = getattr(own, f"attraction_to_{other + 1}")
            values[own_name(f"attraction_to_{column + 1}", place)] = liking
        values[own_name("joins", place)] = _joined(own.joins, left)
    return check_params(values, params)


def _joined(joins: str, left: list[int]) -> str:
    """Whom a species joins, by the number it has once only those of `left` are there."""
    whom = int(joins) - 1 if joins != "none" else None
    return str(left.index(whom) + 1) if whom in left else "none"
