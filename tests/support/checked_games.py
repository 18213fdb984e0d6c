"""Games of a ruleset and of its compiled players, for runs under `NUMBA_BOUNDSCHECK=1`, where every index is looked at."""

from __future__ import annotations

import sys
from typing import Any

import numba as nb
import numpy as np
from index_checks import write_notes

from big2_agents.kernels.codes import GREEDY, HEURISTIC, NET, RANDOM
from big2_agents.kernels.selfplay import PlayedGames
from big2_env.agents.interface import make_agent
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset
from big2_env.kernels.engine import BatchEngine

ROWS = 8


@nb.njit
def outside(array: Any) -> Any:
    """An entry that an array does not have."""
    return array[len(array)]


def play(rules: RuleSet) -> int:
    """Play games at random and between compiled players to their ends; how many acts there were."""
    engine = BatchEngine(rules, ROWS)
    engine.reset(1)
    engine.play_random(100)
    engine.masks()
    engine.look_at(np.arange(ROWS))
    engine.rollouts()
    games, number = PlayedGames(rules, ROWS), 100 * ROWS
    games.deal(np.arange(ROWS), np.tile([NET, RANDOM, HEURISTIC, GREEDY][: games.seats], (ROWS, 1)))
    rng = np.random.default_rng(1)
    while len(rows := games.advance()):
        games.features(rows, hidden=True)
        games.choose(rows, (rng.random(len(rows)) * games.candidates.count[rows]).astype(np.int64))
        number += len(rows)
    game, agent = Game.deal(rules, 1), make_agent("search:12")
    agent.reset(1)
    while not game.is_over:
        game.push(agent.act(game.view(), game.legal_plays()))
        number += 1
    return number


if __name__ == "__main__":
    write_notes()  # one of `outside`, and none after it
    try:
        outside(np.zeros(3))
    except IndexError:
        print(f"{sys.argv[1]}: {play(ruleset(sys.argv[1]))} acts, every index looked at")
    else:
        sys.exit("expected NUMBA_BOUNDSCHECK=1, got a numba that looks at no index")
