"""Playouts of every legal move by `learned` in all seats, on sampled deals that are the same for all moves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from big2_agents.kernels.from_view import Memory
from big2_agents.kernels.playouts import next_sample, search_dtype
from big2_agents.kernels.plays import find_acts
from big2_agents.kernels.track import act_tracked, make_tracked
from big2_agents.learned.policy import LearnedPolicy, decide
from big2_agents.learned.weights import Network
from big2_agents.search import PROPOSALS
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect.bits import borrowed
from big2_env.kernels.dialect.kernel import copied, kernel
from big2_env.kernels.dialect.records import as_record
from big2_env.kernels.tables import Tables
from big2_env.kernels.turn import payoff
from big2_env.kernels.variants import variant_of

Floats = npt.NDArray[np.float32]


@kernel(entry=True)
def play_out_actions(
    tab: Tables,
    search: Any,
    heur: Any,
    feats: Any,
    net: Network,
    states: Any,
    plays: Any,
    scores: Any,
    work: Any,
    actions: Any,
    paid: Any,
    scratch: Any,
) -> None:
    """Play actions out on sampled deals; after the action, the network's agent plays every seat.

    Args:
        tab: Tables of the ruleset.
        search: Record of the search, whose root is the position; games and random streams are written.
        heur: A `heuristic_record`.
        feats: A `feature_record`.
        net: Weights.
        states: Scratch of `decide`, like the next three.
        plays: Scratch.
        scores: Scratch.
        work: Scratch.
        actions: Ids of legal actions at the root, int64 (n,).
        paid: Output, float32 (n, number of deals): payoff of the root's seat.
        scratch: Scratch of the variant.
    """
    actions, paid, states, plays = borrowed(actions), borrowed(paid), borrowed(states), borrowed(plays)
    scores, work = borrowed(scores), borrowed(work)
    seat = np.int64(search.root.turn)
    for deal in range(paid.shape[1]):
        _, stream = next_sample(tab, search, scratch)
        for i in range(len(actions)):
            search.game = copied(search.sample)
            search.track = copied(search.root_track)
            game, track, cand = search.game, search.track, search.candidates
            act_tracked(tab, game, track, actions[i], scratch)
            game.rng = stream
            while game.winner < 0:
                find_acts(tab, game, cand)
                best, _ = decide(tab, game, track, cand, search.stack, heur, feats, net, states, plays, scores, work)
                make_tracked(tab, game, track, cand, best, scratch)
            paid[i, deal] = payoff(tab, game, seat)


class LearnedPlayouts:
    """Playouts of legal moves by `learned` in all seats.

    Args:
        ruleset: The rules of the games.
        num_players: Number of seats.
        weights: A file of weights, see `WeightsSource`. By default, the shipped weights.

    Raises:
        ConfigError: The kernels do not support the ruleset, or no weights fit.
    """

    def __init__(self, ruleset: RuleSet, num_players: int, weights: str | Path | None = None) -> None:
        policy = LearnedPolicy(weights)
        policy.prepare(Game.deal(ruleset, 0, num_players).view())
        self._policy, variant = policy, variant_of(ruleset)
        self._tables: Any = compile_tables(ruleset, num_players, numbers_acts=True)
        self._patterns = {rule.pattern.name: i for i, rule in enumerate(ruleset.patterns)}
        self._search: Any = as_record(np.zeros((), search_dtype(variant)))
        self._search.proposals = PROPOSALS
        self._scratch = as_record(np.zeros((), variant.scratch))

    def payoffs(self, view: View, actions: npt.ArrayLike, deals: int, seed: int) -> Floats:
        """Return the payoff of the seat to move for each action on each sampled deal, float32 (n, deals).

        Args:
            view: View of the seat to move.
            actions: Ids of legal actions, (n,).
            deals: Number of sampled deals.
            seed: Seed of the deals.
        """
        search, policy, own = self._search, self._policy, self._policy.buffers
        chosen = np.asarray(actions, np.int64)
        Memory().update(self._tables, view, self._patterns, search.root, search.root_track)
        search.root.rng = seed
        paid = np.zeros((len(chosen), deals), np.float32)
        play_out_actions(
            self._tables, search, policy.heuristic, policy.layout, policy.network, own.states, own.plays, own.scores, own.work,
            chosen, paid, self._scratch,
        )  # fmt: skip
        return paid
