"""Playouts of legal moves by a player for each seat, on sampled deals that are the same for all moves."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_agents.kernels.codes import HEURISTIC, NET
from big2_agents.kernels.features import feature_record
from big2_agents.kernels.from_view import Memory
from big2_agents.kernels.heuristic_tables import WEIGHTS, heuristic_record, weights_record
from big2_agents.kernels.playouts import choose, sample_deal, search_dtype
from big2_agents.kernels.plays import find_moves
from big2_agents.kernels.rule_players import Player
from big2_agents.kernels.track import make_tracked, move_tracked
from big2_agents.learned.likely_deals import LikelyDeals
from big2_agents.learned.plain_learned import WeightsSource
from big2_agents.learned.policy import LearnedPolicy, Scorer, decide
from big2_agents.learned.weights import no_network
from big2_agents.models.formula import DEFAULT_WEIGHTS, Weights
from big2_agents.rule_based.search import PROPOSALS
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect.bits import borrowed, random_next
from big2_env.kernels.dialect.cardsets import get, put
from big2_env.kernels.dialect.kernel import copied, kernel
from big2_env.kernels.dialect.records import as_record
from big2_env.kernels.tables import Tables
from big2_env.kernels.turn import payoff
from big2_env.kernels.variants import variant_of

Floats = npt.NDArray[np.float32]
STATE_WORK: Final = 5
"""Number of candidates that take as long as the state before a decision."""
HEURISTIC_CANDIDATES: Final = 3
"""Number of candidates that a heuristic player scores while the network scores one."""


@kernel(entry=True)
def play_out_actions(
    tab: Tables,
    search: Any,
    scorer: Any,
    codes: Any,
    rival: Any,
    rivals: Any,
    deals: Any,
    actions: Any,
    paid: Any,
    scratch: Any,
) -> Any:
    """Play actions out on sampled deals, and return the work: `STATE_WORK` per decision of the network, 1 per candidate.

    Candidates of heuristic players count less, see `HEURISTIC_CANDIDATES`.

    Args:
        tab: Tables of the ruleset.
        search: Record of the search, whose root is the position; games and random streams are written.
        scorer: The network, as a `Scorer`.
        codes: Code of the player in each seat after the action, int64 (seats,).
        rival: A `heuristic_record` for the seats of heuristic players.
        rivals: Weights of the heuristic player in each seat, `WEIGHTS` (seats,); ignored elsewhere. The usual values of
            hands in an auction are written into them.
        deals: Hands on each deal, sets of cards (number of deals, seats); none to sample them.
        actions: Ids of legal actions at the root, int64 (n,).
        paid: Output, float32 (n, number of deals, seats): payoff of each seat.
        scratch: Scratch of the variant.
    """
    actions, paid, codes, rivals = borrowed(actions), borrowed(paid), borrowed(codes), borrowed(rivals)
    deals = borrowed(deals)
    work = np.int64(0)
    for deal in range(paid.shape[1]):
        if len(deals):
            search.sample = copied(search.root)
            for seat in range(tab.num_players):
                put(search.sample.hands, seat, get(deals[deal], seat))
        else:
            sample_deal(tab, search, scratch)
        search.root.rng, stream = random_next(search.root.rng)
        for i in range(len(actions)):
            search.game = copied(search.sample)
            search.track = copied(search.root_track)
            game, track, cand = search.game, search.track, search.candidates
            move_tracked(tab, game, track, actions[i], scratch)
            game.rng = stream
            while game.winner < 0:
                find_moves(tab, game, cand)
                best, code = np.int64(0), codes[game.turn]
                if cand.count > 1 and code == NET:
                    best, _ = decide(tab, game, track, cand, search.stack, scorer)
                    work += STATE_WORK + cand.count
                elif cand.count > 1:
                    if code == HEURISTIC:
                        rival.weights = copied(rivals[game.turn])
                        work += cand.count // HEURISTIC_CANDIDATES
                    best = choose(tab, game, track.left, cand, code, rival)
                    if tab.auction and code == HEURISTIC:
                        rivals[game.turn] = rival.weights
                make_tracked(tab, game, track, cand, best, scratch)
            for seat in range(tab.num_players):
                paid[i, deal, seat] = payoff(tab, game, seat)
    return work


class PolicyPlayouts:
    """Playouts of legal moves by a player for each seat.

    Args:
        ruleset: The rules of the games.
        num_players: Number of seats.
        weights: Weights of the network, see `WeightsSource`; by default the shipped ones.
        players: Player of each seat, by default the network in all seats: `NET`, `RANDOM`, `LOWEST` or `GREEDY`, or the weights
            of a heuristic player. Weights of the network are read only if it sits in a seat.

    Raises:
        ConfigError: The kernels do not support the ruleset, or no weights fit.
    """

    def __init__(
        self,
        ruleset: RuleSet,
        num_players: int,
        weights: str | Path | WeightsSource | None = None,
        players: Sequence[Player] = (),
    ) -> None:
        variant = variant_of(ruleset)
        self._tables: Any = compile_tables(ruleset, num_players, numbers_moves=True)
        self._patterns = {rule.pattern.name: i for i, rule in enumerate(ruleset.patterns)}
        self._search: Any = as_record(np.zeros((), search_dtype(variant)))
        self._search.proposals = PROPOSALS
        self._scratch = as_record(np.zeros((), variant.scratch))
        self._rival: Any = heuristic_record(ruleset, num_players=num_players)
        players = players or [NET] * num_players
        if NET in players:
            policy = LearnedPolicy(weights)
            policy.prepare(Game.deal(ruleset, 0, num_players).view())
            self._scorer = policy.scorer
        else:
            layout, most = feature_record(ruleset, num_players), len(self._search.candidates.score)
            self._scorer = Scorer.new(heuristic_record(ruleset, num_players=num_players), layout, no_network(), most)
        self._deals = LikelyDeals(variant, self._tables, self._patterns, self._search, self._scratch)
        self.work = 0
        """Work of playouts since `open`, in candidates; see `play_out_actions`."""
        self.seat_players(players)

    def seat_players(self, players: Sequence[Player]) -> None:
        """Replace the player of each seat."""
        heuristics = [player if isinstance(player, Weights) else DEFAULT_WEIGHTS for player in players]
        self._codes = np.array([HEURISTIC if isinstance(player, Weights) else player for player in players], np.int64)
        self._rivals = np.array([weights_record(each) for each in heuristics], WEIGHTS)

    def open(self, view: View, seed: int, weighed: Collection[int] = ()) -> None:
        """Begin a decision.

        Args:
            view: View of the seat to move.
            seed: Seed of the deals.
            weighed: Seats whose moves so far the network made: deals count by how likely these are (`LikelyDeals`).
        """
        search = self._search
        Memory().update(self._tables, view, self._patterns, search.root, search.root_track)
        search.root.rng = seed
        self._deals.open(view, weighed)
        self.work = 0

    def more(self, actions: npt.ArrayLike, deals: int) -> Floats:
        """Return each seat's payoff for each action on each of the next sampled deals, float32 (n, deals, seats).

        Args:
            actions: Ids of legal actions, (n,).
            deals: Number of sampled deals. They do not depend on the actions.
        """
        chosen = np.asarray(actions, np.int64)
        paid = np.zeros((len(chosen), deals, len(self._codes)), np.float32)
        players, sampled = (self._scorer, self._codes, self._rival, self._rivals), self._deals.more(deals, self._scorer)
        self.work += int(play_out_actions(self._tables, self._search, *players, sampled, chosen, paid, self._scratch))
        return paid

    def payoffs(self, view: View, actions: npt.ArrayLike, deals: int, seed: int, weighed: Collection[int] = ()) -> Floats:
        """Return the result of `more` from the beginning of a decision."""
        self.open(view, seed, weighed)
        return self.more(actions, deals)
