"""UNO players that see one seat's view, for any environment or table.

Kernels are interpreted until compiled ones are ready; the searching player compiles at its first move.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from big2_agents.uno.weights import load_weights
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.rules import UnoRules
from big2_env.games.uno.view import UnoView
from big2_env.kernels.dialect.loader import load
from big2_env.kernels.switch import Compilation, Switch

if TYPE_CHECKING:
    from big2_agents.uno.view_moves import ViewMoves


class LearnedPlayer:
    """The learned player: a small network trained by playouts."""

    is_stochastic = False

    def __init__(self) -> None:
        load_weights()  # weights that are not there are missed before a game

    def __call__(self, view: UnoView, rng: np.random.Generator) -> int:
        """Return the move to make, one of `view.moves`; the generator is not used."""
        return _SWITCH.ask(lambda moves: moves.learned(view))


class RulePlayer:
    """RLCard's rule model `uno-rule-v1`."""

    def __call__(self, view: UnoView, rng: np.random.Generator) -> int:
        """Return the move to make, one of `view.moves`."""
        drawn = int(_drawn(rng))
        return _SWITCH.ask(lambda moves: moves.rule_v1(view, drawn))


@cache
def _interpreted() -> ViewMoves:
    found: ViewMoves = load(frozenset()).module("big2_agents.uno.view_moves").ViewMoves(load_weights().tolist())
    return found


@cache
def _compiled() -> ViewMoves:
    # Imported where it is used: numba takes half a second to load.
    from big2_agents.uno.view_moves import ViewMoves

    return ViewMoves(load_weights().tolist())


def _compile() -> None:
    """Compile or load everything that an answer needs."""
    view = UnoGame.deal(UnoRules(), 0).view()
    _compiled().learned(view)
    _compiled().rule_v1(view, 0)


_SWITCH: Final = Switch(Compilation(_compile), _interpreted, _compiled, is_shared=True)


class SearchPlayer:
    """The searching player: plays each move out on guesses of the hidden cards.

    Args:
        tries: Number of guesses per decision, as text; 200 by default.

    Raises:
        ConfigError: The budget is malformed.
    """

    def __init__(self, tries: str = "") -> None:
        # Imported where it is used: numba takes half a second to load.
        from big2_agents.uno.match import player_number

        self.tries = player_number(f"search:{tries}")[1]
        """Number of guesses per decision."""

    @staticmethod
    def takes_from_record(argument: str) -> bool:
        """Return True: an argument can only be a budget, never a file."""
        return True

    def __call__(self, view: UnoView, rng: np.random.Generator) -> int:
        """Return the move to make, one of `view.moves`; the guesses follow from the generator."""
        if len(view.moves) == 1:
            return view.moves[0]
        guess, drawn = int(_drawn(rng)), int(_drawn(rng))
        return _compiled().search(view, guess, drawn, self.tries)


def _drawn(rng: np.random.Generator) -> np.uint64:
    return rng.integers(0, 2**64, dtype=np.uint64)
