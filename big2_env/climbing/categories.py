"""The categories of a ruleset's plays, and which of them covers which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from big2_env.errors import ConfigError


class Category(NamedTuple):
    """Plays that compare directly: one comparison group, one number of cards, one bomb level.

    Chops split a category: the plays that a chop covers, or that make it, are a category of their own, a rival of the rest.
    """

    group: str
    size: int
    bomb: int
    chops: tuple[int, ...] = ()
    """Indices in `RuleSet.chops` of the chops that these plays make."""
    chopped: tuple[int, ...] = ()
    """Indices in `RuleSet.chops` of the chops that cover these plays."""


Categories: TypeAlias = tuple[Category, ...]
Covers: TypeAlias = tuple[frozenset[int], ...]
"""By category: the categories that cover it, by their index."""


def coverers_of(categories: Categories) -> Covers:
    """The categories whose every play covers a category: higher bombs, chops."""
    return tuple(
        frozenset(i for i, other in enumerate(categories) if other.bomb > one.bomb or set(other.chops) & set(one.chopped))
        for one in categories
    )


def rivals_of(categories: Categories, extra_covers: Sequence[tuple[str, str]]) -> Covers:
    """The categories whose plays cover a category with a higher power: its own, and those of groups that cover its group."""
    rivals = []
    for one in categories:
        groups = {coverer for coverer, covered in extra_covers if covered == one.group}
        found = {j for j, other in enumerate(categories) if other.group in groups and other.size == one.size}
        rivals.append(frozenset(found | {j for j, other in enumerate(categories) if other[:3] == one[:3]}))
    return tuple(rivals)


def check_strict(categories: Categories, coverers: Covers, rivals: Covers) -> None:
    """Refuse chops with which two plays cover each other.

    Raises:
        ConfigError: there are such plays.
    """
    for i, above in enumerate(coverers):
        for j in above:
            chops = set(categories[j].chops) & set(categories[i].chopped)
            if chops and (i in coverers[j] or i in rivals[j]):
                one, other = categories[i], categories[j]
                both = f"{one.size} cards ({one.group}) and of {other.size} cards ({other.group})"
                raise ConfigError(f"chops: plays of {both} cover each other")
