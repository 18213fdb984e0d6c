"""What the seats of a game are called."""

from __future__ import annotations

from collections.abc import Sequence

from big2_env.errors import ConfigError


def seat_names(names: Sequence[str] | None, seats: int) -> tuple[str, ...]:
    """The names given, one for each seat; by default `player_0`, `player_1`, ...

    Raises:
        ConfigError: not one name for each seat.

    >>> seat_names(None, 2)
    ('player_0', 'player_1')
    """
    found = tuple(f"player_{seat}" for seat in range(seats)) if names is None else tuple(names)
    if len(found) != seats:
        raise ConfigError(f"expected a name for each of the {seats} seats, got {len(found)}")
    return found
