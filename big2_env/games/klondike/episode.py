"""What an episode of Klondike pays, and when it is broken off."""

from __future__ import annotations

from typing import Final

from big2_env.errors import ConfigError

REWARDS: Final = ("win", "score")
"""What an act may pay: 1 if it wins, or what it adds to the score."""
MAX_ACTS: Final = 2**31 - 1
"""Most acts that a game may be allowed."""


def check_episode(reward: str, max_acts: int) -> None:
    """Refuse what no episode can be made of.

    Raises:
        ConfigError: an unknown reward, or another number of acts than 1 to `MAX_ACTS`.
    """
    if reward not in REWARDS:
        raise ConfigError(f"unknown reward {reward!r}; expected one of {', '.join(map(repr, REWARDS))}")
    if type(max_acts) is not int or not 1 <= max_acts <= MAX_ACTS:
        raise ConfigError(f"expected max_acts of 1 to {MAX_ACTS:,}, got {max_acts!r}")
