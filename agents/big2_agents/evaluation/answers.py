"""Counts of an agent's answers that a language model or another endpoint gave, and their price."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from big2_env.base.errors import ConfigError, quoted

COUNTS: Final = (
    "decisions",
    "calls",
    "illegal",
    "unreadable",
    "ambiguous",
    "cut_off",
    "withheld",
    "retries",
    "fallbacks",
    "failures",
    "tokens_in",
    "tokens_out",
    "tokens_cached",
    "tokens_reasoning",
    "seconds",
)
"""Names of the counts of a game, in the order of reports."""


def price_of_environment() -> tuple[float, float] | None:
    """Return the price of a token of prompts and of answers, in dollars; None if it is not given.

    Raises:
        ConfigError: The value is malformed.
    """
    text = os.environ.get("BIG2_LLM_PRICE")
    if not text:
        return None
    number = r"([0-9]{1,6}(?:\.[0-9]{1,6})?)"
    if not (found := re.fullmatch(f"{number},{number}", text)):
        raise ConfigError(f"--price: expected dollars per million tokens as IN,OUT, such as 0.5,2, got {quoted(text)}")
    return float(found[1]) / 1e6, float(found[2]) / 1e6


@dataclass(frozen=True)
class Answers:
    """Answers of an agent."""

    counts: Mapping[str, float]
    """Sums by the names in `COUNTS`."""
    price: tuple[float, float] | None
    """Dollars per token of prompts and of answers; None if it is not given."""

    @property
    def cost(self) -> float | None:
        """Dollars for the tokens, None without a price."""
        if self.price is None:
            return None
        return self.price[0] * self.counts["tokens_in"] + self.price[1] * self.counts["tokens_out"]

    def share(self, fault: str) -> float | None:
        """Return the share of answers with a fault, None without answers."""
        return self.counts[fault] / self.counts["calls"] if self.counts["calls"] else None

    def as_json(self) -> dict[str, float]:
        """Return the counts, and the cost with a price."""
        return {name: round(self.counts[name], 3) for name in COUNTS} | ({} if self.cost is None else {"cost": self.cost})
