"""UNO players by what one seat may know, for any environment and table: the compiled players behind a view."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_agents.uno.guess_search import search_act
from big2_agents.uno.match import player_number
from big2_agents.uno.players import SCRATCH, learned_act, rule_v1_act
from big2_agents.uno.seen_game import seen_game
from big2_agents.uno.weights import load_weights
from big2_env.games.uno.kernels.dtypes import new_games, rules_record
from big2_env.games.uno.view import UnoView


class LearnedPlayer:
    """The learned player."""

    def __init__(self) -> None:
        self._weights, self._scratch = load_weights(), _scratch()

    def __call__(self, view: UnoView, rng: np.random.Generator) -> int:
        """The act to make, one of `view.acts`; the generator is left alone."""
        rules = rules_record(view.rules)
        return int(learned_act(rules, seen_game(view, rules, 0), self._weights, self._scratch))


class RulePlayer:
    """RLCard's rule model `uno-rule-v1`."""

    def __init__(self) -> None:
        self._scratch = _scratch()

    def __call__(self, view: UnoView, rng: np.random.Generator) -> int:
        """The act to make, one of `view.acts`."""
        rules = rules_record(view.rules)
        self._scratch.rng = _drawn(rng)
        return int(rule_v1_act(rules, seen_game(view, rules, 0), self._scratch))


class SearchPlayer:
    """The searching player.

    Args:
        tries: how many guesses of the hidden cards each act is played out in, as text; by default 200.

    Raises:
        ConfigError: another budget.
    """

    def __init__(self, tries: str = "") -> None:
        self.tries = player_number(f"search:{tries}")[1]
        """How many guesses each act is played out in."""
        self._weights, self._scratch = load_weights(), _scratch()

    @staticmethod
    def takes_from_record(argument: str) -> bool:
        """Return True: every argument is a budget or refused, none is a file."""
        return True

    def __call__(self, view: UnoView, rng: np.random.Generator) -> int:
        """The act to make, one of `view.acts`; the guesses follow from the generator."""
        if len(view.acts) == 1:
            return view.acts[0]
        rules, games = rules_record(view.rules), new_games(3)
        games[0] = seen_game(view, rules, int(_drawn(rng)))
        self._scratch.rng = _drawn(rng)
        return int(search_act(rules, games, self._weights, self._scratch, self.tries))


def _scratch() -> Any:
    return np.zeros(1, SCRATCH).view(np.recarray)[0]


def _drawn(rng: np.random.Generator) -> np.uint64:
    return rng.integers(0, 2**64, dtype=np.uint64)
