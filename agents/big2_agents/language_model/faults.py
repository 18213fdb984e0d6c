"""Faults of answers: the action after them, and the counts of a game."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from big2_env.base.errors import ConfigError, quoted

MAX_RETRIES: Final = 20
"""Most retries per move that `--illegal retry:N` may allow."""


@dataclass(frozen=True)
class Unfinished:
    """An answer that the model did not finish, whatever it says.

    Args:
        name: Name of the fault, `cut_off` or `withheld`.
    """

    name: str


CUT_OFF: Final = Unfinished("cut_off")
"""An answer that reached the limit of tokens."""
WITHHELD: Final = Unfinished("withheld")
"""A refusal of the model, or an answer that a filter removed."""
_ENDS: Final = {"length": CUT_OFF, "max_tokens": CUT_OFF, "content_filter": WITHHELD, "refusal": WITHHELD}


def unfinished(answer: str, finish: str | None) -> Unfinished | None:
    """Return the fault of an answer that was not finished; None for a whole one, or one that has stated its move.

    Args:
        answer: The answer.
        finish: Reason of its end, as the endpoint names it.
    """
    return None if "</answer>" in answer else _ENDS.get(finish or "")


@dataclass(frozen=True)
class IllegalPolicy:
    """Action after an answer that is not a legal move, `--illegal`.

    Args:
        retries: Number of times that the model may correct itself.
        then: `forfeit`, or the agent that moves instead: `lowest` or `random`.
    """

    retries: int = 2
    then: str = "forfeit"

    @classmethod
    def parse(cls, text: str) -> IllegalPolicy:
        """Return the policy given as `forfeit`, `retry:N`, `lowest` or `random`.

        Raises:
            ConfigError: The text is malformed.

        >>> IllegalPolicy.parse("retry:3")
        IllegalPolicy(retries=3, then='forfeit')
        """
        if text in ("forfeit", "lowest", "random"):
            return cls(0, text)
        found = re.fullmatch("retry:([0-9]{1,2})", text)
        if not found or int(found[1]) > MAX_RETRIES:
            raise ConfigError(
                f"illegal answers: expected forfeit, retry:N to {MAX_RETRIES}, lowest or random, got {quoted(text)}"
            )
        return cls(int(found[1]))
