"""The heuristic asked about one view at a time, compiled or interpreted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from big2_agents.formula import Weights
from big2_agents.kernels.candidate_plays import CandidatePlays
from big2_agents.kernels.from_view import NUM_FACTS, fill_facts, pack_facts, unpack_game
from big2_agents.kernels.heuristic import choose_by_heuristic, heuristic_act, score_acts
from big2_agents.kernels.heuristic_tables import heuristic_record
from big2_agents.kernels.plays import find_acts
from big2_env.climbing.actions import action_space
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.errors import ConfigError
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect.bits import borrowed
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.dialect.records import COMPILED, as_array, as_record, numbers, set_of
from big2_env.kernels.tables import Tables
from big2_env.kernels.variants import variant_of


@kernel(entry=True)
def _act(tables: Any, facts: Any, games: Any, left: Any, players: Any, scratches: Any) -> Any:
    """The id of the heuristic's act in the position of a view."""
    tab, game = borrowed(tables)[0], borrowed(games)[0]
    unpack_game(tab, borrowed(facts), game)
    return heuristic_act(tab, game, borrowed(left), borrowed(players)[0], borrowed(scratches)[0])


@kernel
def _choose(tab: Tables, facts: Any, game: Any, left: Any, heur: Any) -> Any:
    """The place of the heuristic's act among the candidates of a view, which are left in `heur.candidates`."""
    unpack_game(tab, facts, game)
    cand = heur.candidates
    find_acts(tab, game, cand)
    return choose_by_heuristic(tab, game, left, cand, heur) if cand.count > 1 else 0


class ViewScores:
    """The heuristic for views of one ruleset and number of seats.

    Raises:
        ConfigError: the kernels do not serve the ruleset.
    """

    def __init__(self, ruleset: RuleSet, weights: Weights | None = None, num_players: int | None = None) -> None:
        variant, self.ruleset, self._num_players = variant_of(ruleset), ruleset, ruleset.seats(num_players)
        self._tables: Any = compile_tables(ruleset, num_players, numbers_acts=COMPILED)
        self._heuristic: Any = heuristic_record(ruleset, weights, num_players)
        self._game: Any = as_record(np.zeros((), variant.game))
        self._left = np.zeros(variant.seats, np.int32)
        self._scratch = as_record(np.zeros((), variant.scratch))
        self._facts = np.zeros(NUM_FACTS, np.int64)
        self._patterns = {rule.pattern.name: i for i, rule in enumerate(ruleset.patterns)}
        self._words, self._by_slots = variant.words, variant.by_slots
        self._plays = CandidatePlays(ruleset, self._tables)
        self._space = action_space(ruleset) if COMPILED else None
        self._arrays = [as_array(record) for record in (self._tables, self._game, self._heuristic, self._scratch)]

    def act(self, view: View, legal: LegalPlays) -> Play:
        """The act with the highest score: by places the first of equals in the order of the legal list."""
        if self._by_slots or (view.bidding and not COMPILED):
            return self._best(view, list(legal))
        tables, game, heuristic, scratch = self._arrays
        self._read(view)
        if self._space is not None:
            action = int(_act(tables, self._facts, game, self._left, heuristic, scratch))
            return self._space.verify(action, legal)
        candidates = self._heuristic.candidates
        chosen = _choose(self._tables, self._facts, self._game, self._left, self._heuristic)
        return self._plays.verified(view, legal, candidates, chosen)

    def _best(self, view: View, acts: list[Play]) -> Play:
        """The same by places: few acts, which are looked at one by one. The game itself needs not be compiled for that."""
        if len(acts) == 1:
            return acts[0]
        if not view.pile_left and not view.bidding:
            for play in acts:
                if play.mask == view.hand:
                    return play
        scores = self(view, acts)
        return acts[scores.index(max(scores))]

    def __call__(self, view: View, acts: Sequence[Play]) -> list[float]:
        """The score of each of these legal acts of the seat to move."""
        self._read(view)
        places = [self._plays.places(act.mask) for act in acts]
        cards = np.array(places if self._words == 1 else [set_of(each, 2) for each in places], np.uint64)
        categories = np.array([act.category if act else -1 for act in acts], np.int64)
        # In an auction the pass says 0.
        powers, scores = np.array([max(act.power, 0) for act in acts], np.int64), np.zeros(len(acts))
        tab, heur = self._tables, self._heuristic
        fill_facts(tab, self._facts, self._game)
        score_acts(tab, self._game, self._left, heur, cards, categories, powers, scores)
        return numbers(scores)

    def _read(self, view: View) -> None:
        is_same = view.ruleset is self.ruleset or view.ruleset == self.ruleset
        if not is_same or view.num_players != self._num_players:
            expected, given = f"{self.ruleset.name} with {self._num_players}", f"{view.ruleset.name} with {view.num_players}"
            raise ConfigError(f"expected a view of {expected} players, got one of {given}")
        pack_facts(view, self._patterns, self._facts)
        self._left[: view.num_players] = view.cards_left
