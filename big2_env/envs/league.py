"""A pool of opponents as a value: who is in it, how often each is drawn, when the learner's earlier selves join."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from big2_env.errors import ConfigError


@dataclass(frozen=True, eq=False)
class Member:
    """One opponent of a league."""

    name: str
    opponent: Any
    """What an environment takes as an opponent: a name, an agent, a class or function that makes one, a function of batches."""
    weight: float = 1.0
    """How often it is drawn, in proportion to the others."""

    def __post_init__(self) -> None:
        if not isinstance(self.weight, Real) or not 0.0 <= self.weight < float("inf"):
            raise ConfigError(f"expected a weight of 0 or more for {self.name}, got {self.weight!r}")


class League:
    """Opponents of which each game draws one, by weights, from the game's own stream.

    Given as `opponents=` to `SeatEnv`, `BatchEnv` (`make`, `make_vec`), `SeatVecEnv` and `SelfPlayVecEnv`. One league for all
    seats puts the same member on all of them in a game; a list of leagues draws for each seat. Games that run keep their
    members when the league changes.

    Snapshots of the learner join by `take`, which drops the oldest beyond `keep`; `is_due` says when, by steps of training.
    `big2_env.envs.sb3.SnapshotCallback` does both for Stable-Baselines3.

    Args:
        members: one opponent, or several, each drawn as often as any other; or a mapping of opponents to weights; or `Member`s.
        every: training steps from one snapshot to the next; `None` for no schedule.
        keep: how many snapshots stay.
        snapshot_weight: the weight of each of them.

    Raises:
        ConfigError: two members of one name, a weight that is negative or no number, a schedule that cannot be kept.

    >>> league = League({"random": 1.0, "greedy": 3.0}, every=1000, keep=2)
    >>> [(member.name, member.weight) for member in league.members]
    [('random', 1.0), ('greedy', 3.0)]
    >>> league.is_due(999), league.is_due(1000)
    (False, True)
    """

    def __init__(
        self,
        members: Any = (),
        *,
        every: int | None = None,
        keep: int = 5,
        snapshot_weight: float = 1.0,
    ) -> None:
        if every is not None and not (isinstance(every, int | np.integer) and every >= 1):
            raise ConfigError(f"expected at least 1 step between snapshots, got {every!r}")
        if not isinstance(keep, int | np.integer) or keep < 1:
            raise ConfigError(f"expected to keep at least 1 snapshot, got {keep!r}")
        self.every, self.keep, self.snapshot_weight = every, keep, Member("snapshots", None, snapshot_weight).weight
        pairs = members.items() if isinstance(members, Mapping) else ((member, 1.0) for member in _several(members))
        found = tuple(one if isinstance(one, Member) else Member(_name(one), one, weight) for one, weight in pairs)
        self._fixed = _with_names_of_their_own(found)
        self._snapshots: tuple[Member, ...] = ()
        self._last = 0

    def __repr__(self) -> str:
        return f"League({', '.join(member.name for member in self.members)})"

    @property
    def members(self) -> tuple[Member, ...]:
        """Everybody who may be drawn: those that were given, then the snapshots, the oldest first."""
        return self._fixed + self._snapshots

    def is_due(self, steps: int) -> bool:
        """True if a snapshot is due after so many steps of training."""
        return self.every is not None and steps - self._last >= self.every

    def take(self, steps: int, opponent: Any) -> Member:
        """Let a snapshot of the learner join: an opponent that later learning does not change. Returns the member.

        Args:
            steps: how many steps of training it has seen; part of its name.
            opponent: as of `Member`.

        Raises:
            ConfigError: steps that are no number of steps.
        """
        if not isinstance(steps, int | np.integer) or steps < 0:
            raise ConfigError(f"expected steps of training, 0 or more, got {steps!r}")
        member = Member(f"snapshot_{steps}", opponent, self.snapshot_weight)
        kept = tuple(one for one in self._snapshots if one.name != member.name)
        self._snapshots, self._last = (*kept, member)[-self.keep :], steps
        return member

    def set_weight(self, name: str, weight: float) -> None:
        """Draw a member more or less often from the next deals on.

        Raises:
            ConfigError: there is no such member; a negative weight.
        """
        if name not in (member.name for member in self.members):
            raise ConfigError(f"expected a member of {self!r}, got {name!r}")
        self._fixed, self._snapshots = (
            tuple(Member(one.name, one.opponent, weight) if one.name == name else one for one in group)
            for group in (self._fixed, self._snapshots)
        )

    def drawn(self, numbers: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """The places in `members` that numbers from [0, 1) draw, float64 (M,): int64 (M,).

        Raises:
            ConfigError: nobody can be drawn.
        """
        sums = np.cumsum([member.weight for member in self.members])
        if not len(sums) or sums[-1] == 0.0:
            raise ConfigError(f"expected a league with a member of positive weight, got {self!r}")
        places = np.searchsorted(sums, np.asarray(numbers) * sums[-1], side="right")
        found: npt.NDArray[np.int64] = np.minimum(places, np.flatnonzero(np.diff(sums, prepend=0.0))[-1]).astype(np.int64)
        return found


def _several(members: Any) -> Iterable[Any]:
    """One opponent or many, as many."""
    return members if isinstance(members, Iterable) and not isinstance(members, str) else (members,)


def _name(opponent: Any) -> str:
    if isinstance(opponent, str):
        return opponent
    return str(getattr(opponent, "__name__", type(opponent).__name__))


def _with_names_of_their_own(members: tuple[Member, ...]) -> tuple[Member, ...]:
    """The members; unnamed ones that would have one name get numbers.

    Raises:
        ConfigError: a name is given twice.
    """
    found: dict[str, Member] = {}
    for member in members:
        name = member.name
        if name in found and not isinstance(member.opponent, str):
            name = next(f"{name}_{number}" for number in range(2, len(members) + 2) if f"{name}_{number}" not in found)
        if name in found:
            raise ConfigError(f"expected members with names of their own, got {name!r} twice")
        found[name] = Member(name, member.opponent, member.weight)
    return tuple(found.values())
