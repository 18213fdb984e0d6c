"""What nobody should hand to the package, and what it has to refuse or to survive: arrays, views, copies made in every way."""

from dataclasses import replace
from typing import Any, Final

import numpy as np

from big2_agents.rule_based.heuristic import HeuristicAgent
from big2_env.climbing.game import Game, Move
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import BIG2, ruleset
from big2_env.climbing.view import View

RULESETS: Final = [BIG2, ruleset("dou_dizhu")]
"""One whose sets of cards take a word, and one whose sets take two."""


def hostile_arrays(size: int) -> list[Any]:
    """In place of an array of `size` numbers of games, seats or acts."""
    return [
        np.full(size, -1), np.full(size, 2**31), np.full(size, 2**62), np.full(size, 0.5), np.full(size, np.nan),
        np.zeros(size - 1, np.int64), np.zeros((size, 2), np.int64), np.zeros(2 * size, np.int64)[::2],
        np.zeros(size, np.int8), np.zeros(0, np.int64), np.zeros(size, object), [0] * size, None, "x",
        np.zeros((size, 1), np.int64), np.full(size, 2**63, np.uint64), np.full(size, 1e300), np.array(-5), np.array(0), np.nan,
        np.full(10 * size, 0), np.full(size, "0"), np.full(size, 1j), np.ones(size, np.bool_), np.zeros(size, ">i8"), -1,
    ]  # fmt: skip


def at_turn(rules: RuleSet, moves: int = 9) -> View:
    game, agent = Game.deal(rules, 11), HeuristicAgent()
    for _ in range(moves):
        game.push(agent.act(game.view(), game.legal_plays()))
    return game.view()


HOSTILE: dict[str, list[Any]] = {
    "seat": [-1, 4, 2**31, 0.5, None], "hand": [0, -1, 1 << 200, 2**62, None], "turn": [-1, 9, 2**40],
    "passed": [-1, 2**31, 15],
    "top": [None, Play("single", 1, 99, 5), Play("x", 1, 0, 0), Play("pair", 3, 1, 2**40), 7], "top_seat": [-1, 77, 2**31],
    "obligation": [-1, 1 << 107, 2**64], "cards_left": [(), (5,) * 12, (-1, 3, 3, 3), (10**9,) * 4, (13, 13, 13, 14)],
    "played": [(), (1, 1, 1, 1), (-1, 0, 0, 0), (1 << 120, 0, 0, 0)], "pile_left": [-1, 500, 2**40],
    "finished": [(0,) * 50, (9,)],
    "history": [(Move(99, Play("single", 1, 0, 0)),), (Move(0, Play("single", 1, 5000, 0)),),
                (Move(-3, Play("", 0, -1, -1)),) * 999],
    "lead_over": [Play("single", 1, 99, 2**31)], "said": [((0, 1),) * 60], "landlord": [-1, 9, 2**31], "bottom": [-1, 1 << 110],
    "redeals_left": [-1, 50], "stake": [2**70, -1], "factor": [2**63], "acted": [(1,) * 30], "captured": [(1,) * 30],
    "ruleset": RULESETS, "bidding": [True, 5],
}  # fmt: skip
"""In place of each field of a view."""


def edited_views(view: View) -> list[tuple[str, View]]:
    """Views with one field that no game shows."""
    return [(f"{name} = {value}", replace(view, **{name: value})) for name, values in HOSTILE.items() for value in values]
