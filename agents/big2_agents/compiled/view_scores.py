"""The compiled heuristic asked about one view at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numba as nb
import numpy as np

from big2_agents.compiled.from_view import NUM_FACTS, as_array, fill_facts, pack_facts, unpack_game
from big2_agents.compiled.heuristic import heuristic_act, score_acts
from big2_agents.compiled.heuristic_tables import heuristic_record
from big2_agents.formula import Weights
from big2_env.climbing.actions import action_space
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.errors import ConfigError
from big2_env.kernels.bits import borrowed
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.packing import Positions
from big2_env.kernels.tables import as_record
from big2_env.kernels.variants import variant_of

_WORD = (1 << 64) - 1


@nb.njit(cache=True)
def _act(tables: Any, facts: Any, games: Any, left: Any, players: Any, scratches: Any) -> Any:
    """The id of the heuristic's act in the position of a view."""
    t, g = borrowed(tables)[0], borrowed(games)[0]
    unpack_game(t, borrowed(facts), g)
    return heuristic_act(t, g, borrowed(left), borrowed(players)[0], borrowed(scratches)[0])


class ViewScores:
    """The heuristic for views of one ruleset and number of seats.

    Raises:
        ConfigError: the ruleset cannot be compiled.
    """

    def __init__(self, ruleset: RuleSet, weights: Weights | None = None, num_players: int | None = None) -> None:
        variant, self.ruleset, self._num_players = variant_of(ruleset), ruleset, ruleset.seats(num_players)
        self._tables: Any = compile_tables(ruleset, num_players)
        self._heuristic: Any = heuristic_record(ruleset, weights)
        self._game: Any = as_record(np.zeros((), variant.game))
        self._left = np.zeros(variant.seats, np.int32)
        self._scratch = as_record(np.zeros((), variant.scratch))
        self._facts = np.empty(NUM_FACTS, np.int64)
        self._patterns = {rule.pattern.name: i for i, rule in enumerate(ruleset.patterns)}
        self._space, self._words, self._by_slots = action_space(ruleset), variant.words, variant.by_slots
        self._places = Positions(ruleset, variant.game).places
        self._arrays = [as_array(record) for record in (self._tables, self._game, self._heuristic, self._scratch)]

    def act(self, view: View, legal: LegalPlays) -> Play:
        """The act with the highest score: by places the first of equals in the order of the legal list."""
        if self._by_slots:
            return self._best(view, list(legal))
        tables, game, heuristic, scratch = self._arrays
        self._read(view)
        return self._space.verify(int(_act(tables, self._facts, game, self._left, heuristic, scratch)), legal)

    def _best(self, view: View, acts: list[Play]) -> Play:
        """The same by places: few acts, which are looked at one by one. The game itself needs not be compiled for that."""
        if len(acts) == 1:
            return acts[0]
        if not view.pile_left:
            for play in acts:
                if play.mask == view.hand:
                    return play
        scores = self(view, acts)
        return acts[scores.index(max(scores))]

    def __call__(self, view: View, acts: Sequence[Play]) -> list[float]:
        """The score of each of these legal acts of the seat to move."""
        self._read(view)
        places = [self._places(act.mask) for act in acts]
        cards = np.array(places if self._words == 1 else [(p & _WORD, p >> 64) for p in places], np.uint64)
        categories = np.array([act.category if act else -1 for act in acts], np.int64)
        # In an auction the pass says 0.
        powers, scores = np.array([max(act.power, 0) for act in acts], np.int64), np.zeros(len(acts))
        t, h = self._tables, self._heuristic
        fill_facts(t, self._facts, self._game)
        score_acts(t, self._game, self._left, h, cards, categories, powers, scores)
        found: list[float] = scores.tolist()
        return found

    def _read(self, view: View) -> None:
        if view.ruleset is not self.ruleset or view.num_players != self._num_players:
            expected, given = f"{self.ruleset.name} with {self._num_players}", f"{view.ruleset.name} with {view.num_players}"
            raise ConfigError(f"expected a view of {expected} players, got one of {given}")
        pack_facts(view, self._patterns, self._facts)
        self._left[: view.num_players] = view.cards_left
