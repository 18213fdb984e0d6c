"""A person at a table of agents: what every shell that a person plays in has in common (prompt, terminal table, browser)."""

from big2_env.play.selection import Selection, select_cards
from big2_env.play.sitting import Sitting

__all__ = ["Selection", "Sitting", "select_cards"]
