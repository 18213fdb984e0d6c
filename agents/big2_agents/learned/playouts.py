"""Play-outs by a policy network up to the searching seat's next real choice, where a critic judges the sampled deal."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from big2_agents.kernels.feature_layout import has_card_features
from big2_agents.kernels.features import write_choice, write_hidden, write_state
from big2_agents.kernels.mark import AGENTS_MARK
from big2_agents.kernels.playouts import begin_playout, sample_deal
from big2_agents.kernels.plays import find_acts
from big2_agents.kernels.track import make_tracked
from big2_agents.learned.critic import CriticNetwork, value_of
from big2_agents.learned.network import score_plays
from big2_agents.learned.network_arrays import Network
from big2_agents.learned.weights import MAX_WIDTH
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.dialect.bits import borrowed, random_next
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.settle import payoff
from big2_env.kernels.tables import Tables
from big2_env.kernels.variants import variant_of


def compiled_mark(ruleset: RuleSet, num_players: int, *, by_critic: bool) -> Path:
    """The file, beside numba's cache, that says that a search with a network has been compiled for games like this one.

    With a critic it plays out as here, else as `kernels.playouts` does.
    """
    folder, kind = Path(play_out_by_network.stats.cache_path), "cards" if has_card_features(ruleset, num_players) else "ranks"
    name = "network" if by_critic else "rated"
    return folder / f"{name}_playouts-{AGENTS_MARK}-{variant_of(ruleset).name}-{kind}-numba{version('numba')}.compiled"


class Buffers:
    """Scratch of the play-outs, the arrays that the kernels write into: for a layout of features and so many candidates."""

    def __init__(self, layout: Any, candidates: int) -> None:
        self.state = np.zeros((1, int(layout.state_size)), np.int8)
        self.plays = np.zeros((candidates, int(layout.play_size)), np.int8)
        self.hidden = np.zeros((1, int(layout.hidden_size)), np.int8)
        self.scores = np.zeros(candidates, np.float32)
        self.work = np.zeros((4, MAX_WIDTH), np.float32)


@kernel(entry=True)
def _draw(scores: Any, count: Any, number: Any) -> Any:
    """An index drawn by the softmax of scores; `number` is a uniform uint64."""
    highest = scores[0]
    for i in range(1, count):
        highest = max(highest, scores[i])
    total = np.float32(0)
    for i in range(count):
        total += np.exp(scores[i] - highest)
    rest = np.float64(number >> np.uint64(11)) * (1.0 / 9007199254740992.0) * total
    for i in range(count):
        rest -= np.exp(scores[i] - highest)
        if rest < 0:
            return i
    return count - 1


@kernel(entry=True)
def play_out_by_network(
    tab: Tables,
    search: Any,
    heur: Any,
    feats: Any,
    net: Network,
    critic: CriticNetwork,
    state: Any,
    plays: Any,
    hidden: Any,
    scores: Any,
    work: Any,
    chosen: Any,
    samples: Any,
    totals: Any,
    squares: Any,
    scratch: Any,
) -> Any:
    """As `play_out_by_rules`, with the network in all seats and the critic at the end.

    `heur` is a `heuristic_record`, `feats` a `feature_record`.
    """
    state, plays, hidden, scores, work = borrowed(state), borrowed(plays), borrowed(hidden), borrowed(scores), borrowed(work)
    chosen, totals, squares = borrowed(chosen), borrowed(totals), borrowed(squares)
    seat = search.root.turn
    weights = squared_weights = 0.0
    for _ in range(samples):
        weight = sample_deal(tab, search, scratch)
        weights += weight
        squared_weights += weight * weight
        search.root.rng, stream = random_next(search.root.rng)
        for i in range(search.root_candidates.count):
            if not chosen[i]:
                continue
            begin_playout(tab, search, i, scratch)
            game, track, cand = search.game, search.track, search.candidates
            game.rng = stream
            value = np.float64(0)
            while True:
                if game.winner >= 0:
                    value = payoff(tab, game, seat)
                    break
                find_acts(tab, game, cand)
                best = np.int64(0)
                if cand.count > 1:
                    count = cand.count
                    if game.turn == seat:
                        write_hidden(tab, game, cand, feats, hidden, 0)
                        write_state(tab, game, track, cand, feats, state, 0)
                        value = np.float64(value_of(critic, state[0], hidden[0], work))
                        break
                    write_choice(tab, game, track, cand, heur, feats, state, 0, plays, 0)
                    score_plays(net, state[0], plays[:count], scores, work)
                    game.rng, number = random_next(game.rng)
                    best = _draw(scores, count, number)
                make_tracked(tab, game, track, cand, best, scratch)
            totals[i] += weight * value
            squares[i] += weight * value * value
    return weights, squared_weights
