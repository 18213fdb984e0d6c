"""Weighted opponent pools with a schedule for snapshots of the learner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from big2_env.base.errors import ConfigError


@dataclass(frozen=True, eq=False)
class Member:
    """Opponent of a league with its weight.

    Args:
        name: Name within the league.
        opponent: Anything that environments accept: a name, an agent, a class or function that makes one, or a batch
            function.
        weight: Relative probability of being drawn, 0 or more.

    Raises:
        ConfigError: If the weight is negative, infinite or not a number.
    """

    name: str
    opponent: Any
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.weight, Real) or not 0.0 <= self.weight < float("inf"):
            raise ConfigError(f"expected a weight of 0 or more for {self.name}, got {self.weight!r}")


class League:
    """Opponent pool from which each game draws a member by weight, from its own random stream.

    Pass it as `opponents=` to `SeatEnv`, `BatchEnv` (`make`, `make_vec`), `SeatVecEnv` or `SelfPlayVecEnv`. One league fills
    all opponent seats of a game with the same member. A list of leagues draws for each seat separately. A change of the league
    affects games that start later.

    `add_snapshot` adds a snapshot of the learner and drops the oldest beyond `max_snapshots`; `snapshot_due` tells when the
    schedule asks for one. `big2_env.envs.sb3.SnapshotCallback` calls both for Stable-Baselines3.

    Args:
        members: One opponent, or several with equal weights; a mapping of opponents to weights; or `Member`s.
        snapshot_interval: Training steps between snapshots; `None` for no schedule.
        max_snapshots: Snapshots kept, the latest ones.
        snapshot_weight: Weight of each snapshot.

    Raises:
        ConfigError: Duplicate names, a negative weight, an interval or a limit below 1.

    >>> league = League({"random": 1.0, "greedy": 3.0}, snapshot_interval=1000, max_snapshots=2)
    >>> [(member.name, member.weight) for member in league.members]
    [('random', 1.0), ('greedy', 3.0)]
    >>> league.snapshot_due(999), league.snapshot_due(1000)
    (False, True)
    """

    def __init__(
        self,
        members: Any = (),
        *,
        snapshot_interval: int | None = None,
        max_snapshots: int = 5,
        snapshot_weight: float = 1.0,
    ) -> None:
        if snapshot_interval is not None and not (isinstance(snapshot_interval, int | np.integer) and snapshot_interval >= 1):
            raise ConfigError(f"expected at least 1 step between snapshots, got {snapshot_interval!r}")
        if not isinstance(max_snapshots, int | np.integer) or max_snapshots < 1:
            raise ConfigError(f"expected to keep at least 1 snapshot, got {max_snapshots!r}")
        self.snapshot_interval, self.max_snapshots = snapshot_interval, max_snapshots
        self.snapshot_weight = Member("snapshots", None, snapshot_weight).weight
        pairs = members.items() if isinstance(members, Mapping) else ((member, 1.0) for member in _several(members))
        found = tuple(one if isinstance(one, Member) else Member(_name(one), one, weight) for one, weight in pairs)
        self._fixed = _with_unique_names(found)
        self._snapshots: tuple[Member, ...] = ()
        self._last = 0

    def __repr__(self) -> str:
        return f"League({', '.join(member.name for member in self.members)})"

    @property
    def members(self) -> tuple[Member, ...]:
        """All members: the given ones, then the snapshots, oldest first."""
        return self._fixed + self._snapshots

    def snapshot_due(self, steps: int) -> bool:
        """Return whether the schedule asks for a snapshot after `steps` training steps."""
        return self.snapshot_interval is not None and steps - self._last >= self.snapshot_interval

    def add_snapshot(self, steps: int, opponent: Any) -> Member:
        """Add a frozen snapshot of the learner, `snapshot_STEPS`, and return its `Member`.

        Drops the oldest snapshot beyond `max_snapshots`.

        Args:
            steps: Training steps so far.
            opponent: As of `Member`; later learning must not change it.

        Raises:
            ConfigError: `steps` is negative or not an integer.
        """
        if not isinstance(steps, int | np.integer) or steps < 0:
            raise ConfigError(f"expected steps of training, 0 or more, got {steps!r}")
        member = Member(f"snapshot_{steps}", opponent, self.snapshot_weight)
        kept = tuple(one for one in self._snapshots if one.name != member.name)
        self._snapshots, self._last = (*kept, member)[-self.max_snapshots :], steps
        return member

    def set_weight(self, name: str, weight: float) -> None:
        """Change the weight of a member, for games that start later.

        Raises:
            ConfigError: No such member, or a negative weight.
        """
        if name not in (member.name for member in self.members):
            raise ConfigError(f"expected a member of {self!r}, got {name!r}")
        self._fixed, self._snapshots = (
            tuple(Member(one.name, one.opponent, weight) if one.name == name else one for one in group)
            for group in (self._fixed, self._snapshots)
        )

    def draw(self, numbers: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Return indices into `members`, int64 (M,), drawn by uniform `numbers` from [0, 1), float64 (M,).

        Raises:
            ConfigError: No member has a positive weight.
        """
        sums = np.cumsum([member.weight for member in self.members])
        if not len(sums) or sums[-1] == 0.0:
            raise ConfigError(f"expected a league with a member of positive weight, got {self!r}")
        places = np.searchsorted(sums, np.asarray(numbers) * sums[-1], side="right")
        found: npt.NDArray[np.int64] = np.minimum(places, np.flatnonzero(np.diff(sums, prepend=0.0))[-1]).astype(np.int64)
        return found


def _several(members: Any) -> Iterable[Any]:
    """Return one opponent or several as an iterable."""
    return members if isinstance(members, Iterable) and not isinstance(members, str) else (members,)


def _name(opponent: Any) -> str:
    if isinstance(opponent, str):
        return opponent
    return str(getattr(opponent, "__name__", type(opponent).__name__))


def _with_unique_names(members: tuple[Member, ...]) -> tuple[Member, ...]:
    """Return the members, with numbers added to equal names of opponents that were not given by name.

    Raises:
        ConfigError: A name is given twice.
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
