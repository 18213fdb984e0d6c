"""Compiled code of the evaluator and of prospects, made ready in the background.

Compiling takes a minute and would slow down the games that the same process serves. So another process with low priority
compiles into numba's cache, and this one loads the result in a few seconds.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache, partial
from threading import Thread

from big2_agents.review.analysis import MAX_CARDS
from big2_agents.review.decision import default_judge, judge_named, prepare_many
from big2_env.base.errors import ConfigError
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.kernels.switch import NICE, Compilation
from big2_env.solve import Goal, Solver
from big2_env.solve.ending import gains_by_first_out


def compile_review(rules: RuleSet, num_players: int) -> None:
    """Compile the code that reviews of a game and hints with values need, or load it from numba's cache.

    Raises:
        ConfigError: The ruleset cannot be compiled.
        ImportError: numba is not installed.
    """
    from big2_agents.review.prospects import OpenPlayouts  # numba takes a second to load

    judge, appraiser = judge_named(default_judge(rules, num_players)), OpenPlayouts(rules, num_players)
    game = Game.deal(rules, 0, num_players)
    opening = game.view()
    prepare_many(judge, opening)
    has_ended, is_first = False, True
    while not game.is_over:
        plays = list(game.legal_plays())
        cards = sum(hand.bit_count() for hand in game.position.hands) + len(game.position.pile)
        is_ending = not game.position.bidding and cards <= MAX_CARDS
        if is_first or (is_ending and len(plays) > 1):
            judge.reset(0)
            judge.judge(game.view(), game.legal_plays())
            appraiser.prospect(game, 1)
            is_first = False
        if is_ending and not has_ended:
            has_ended = True
            with suppress(ConfigError):  # an ending that the solver does not support
                goal = Goal.FIRST_OUT if gains_by_first_out(rules) else Goal.SETTLEMENT
                Solver(game, goal=goal, plain_positions=0).gains(1.0)
        game.push(max(plays, key=len))


@lru_cache(maxsize=64)
def deep_code(rules: RuleSet, num_players: int) -> Compilation:
    """Return the state of the code that a game's review needs."""
    prepare, elsewhere = partial(compile_review, rules, num_players), ("-m", __name__, rules.name, str(num_players))
    return Compilation(prepare, elsewhere=elsewhere, what=f"the review of {rules.name}")


def main(arguments: Sequence[str]) -> None:
    """Compile for a ruleset and a number of seats, at low priority.

    Args:
        arguments: Name of the ruleset, number of seats, and the process that waits for the code.
    """
    name, number, parent = arguments
    if hasattr(os, "nice"):
        os.nice(NICE)
        Thread(target=_end_with, args=(int(parent),), daemon=True).start()
    compile_review(ruleset_named(name), int(number))


def _end_with(parent: int) -> None:
    """Exit when the process that started this one has ended, which may have been before this one began."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
