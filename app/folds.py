"""Which headings of the panel are folded, from one start to the next; imgui's own file leaves that out."""

from collections.abc import Iterable

from imgui_bundle import imgui


def keep_folds(headings: Iterable[str], groups: dict[str, bool]) -> None:
    """Brings headings to how they were, and notes which a person has folded or opened since.

    Call it in their window before they are drawn.

    Args:
        headings: What stands behind "###" in each one's label.
        groups: Whether those were open that were ever folded or opened by hand; added to.
    """
    storage = imgui.get_state_storage()  # imgui keeps there what was clicked, and nothing before that
    for heading in headings:
        name = imgui.get_id(f"###{heading}")
        is_open = storage.get_int(name, -1)
        if is_open >= 0:
            groups[heading] = bool(is_open)
        elif heading in groups:
            storage.set_int(name, groups[heading])
