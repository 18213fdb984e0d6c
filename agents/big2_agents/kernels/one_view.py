"""The records of one seat's decisions, for plain Python that asks interpreted kernels about one view at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_agents.formula import Weights
from big2_agents.kernels.candidate_plays import CandidatePlays
from big2_agents.kernels.features import feature_record, write_choice
from big2_agents.kernels.finish import DEPTH, finish_of
from big2_agents.kernels.from_view import Memory
from big2_agents.kernels.heuristic_tables import heuristic_record
from big2_agents.kernels.plays import candidates_dtype, find_acts
from big2_agents.kernels.track import track_dtype
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect.records import as_record
from big2_env.kernels.variants import variant_of


class OneView:
    """Candidates, sure wins and features of views of one game, one view after the other.

    Raises:
        ConfigError: the kernels do not serve the ruleset.
    """

    def __init__(self, ruleset: RuleSet, num_players: int, weights: Weights | None) -> None:
        variant = variant_of(ruleset)
        candidates = candidates_dtype(variant.by_slots, variant.words)
        self._tables: Any = compile_tables(ruleset, num_players, numbers_acts=False)
        self._heuristic: Any = heuristic_record(ruleset, weights, num_players)
        self.layout: Any = feature_record(ruleset, num_players)
        """The `feature_record`."""
        self._game: Any = np.zeros((), variant.game)
        self._track: Any = np.zeros((), track_dtype(variant.seats))
        self._candidates: Any = as_record(np.zeros((), candidates))
        self._stack: Any = np.zeros(DEPTH, candidates)
        self._patterns = {rule.pattern.name: i for i, rule in enumerate(ruleset.patterns)}
        self._plays, self._memory = CandidatePlays(ruleset, self._tables), Memory()

    def read(self, view: View) -> int:
        """List the candidates of the seat to move; returns how many there are. Raises as `View.check`."""
        self._memory.update(self._tables, view, self._patterns, self._game, self._track)
        find_acts(self._tables, self._game, self._candidates)
        return int(self._candidates.count)

    def sure_win(self) -> int:
        """The candidate that begins a sure win, -1 where none is found."""
        return int(finish_of(self._tables, self._game, self._track.left, self._candidates, self._stack))

    def features(self) -> tuple[bytearray, list[bytearray]]:
        """Of the state and of the candidates, two or more, which get the kickers that the hand needs least."""
        state, feats = bytearray(int(self.layout.state_size)), self.layout
        plays = [bytearray(int(feats.play_size)) for _ in range(self._candidates.count)]
        write_choice(self._tables, self._game, self._track, self._candidates, self._heuristic, feats, [state], 0, plays, 0)
        return state, plays

    def play(self, view: View, legal: LegalPlays, i: int) -> Play:
        """A candidate as a legal act."""
        return self._plays.verified(view, legal, self._candidates, i)
