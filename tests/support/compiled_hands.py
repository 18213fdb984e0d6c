"""Hands and rulesets for tests of the compiled agents, and their kernels called from Python."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from outside_patterns import OUTSIDE

from big2_agents.kernels.endgame import DEPTH, endgame_dtype
from big2_agents.kernels.plays import candidates_dtype, find_candidates
from big2_agents.kernels.track import track_dtype
from big2_env import BIG2, Game, PassLock, PatternRule, Play, RuleSet, Suits
from big2_env.climbing.patterns.flush import Flush
from big2_env.climbing.patterns.four_of_a_kind import FourOfAKind
from big2_env.climbing.patterns.straight import Straight
from big2_env.climbing.patterns.straight_flush import StraightFlush
from big2_env.climbing.rulesets import HONG_KONG
from big2_env.climbing.runs import RING
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect.bits import U
from big2_env.kernels.dialect.records import as_record
from big2_env.kernels.packing import Positions
from big2_env.kernels.variants import FEW_SEATS, Variant

PLAIN = Variant(True, 1, FEW_SEATS, False)
"""Rulesets without optional parts, and the records of their games."""
GAME, TRACK = PLAIN.game, track_dtype(FEW_SEATS)
CANDIDATES, ENDGAME = candidates_dtype(), endgame_dtype(PLAIN)

BOMBS = HONG_KONG.with_patterns(
    PatternRule(FourOfAKind(), "four", 1, bomb=1),
    PatternRule(Straight(suits=Suits.MIXED), "five", 0),
    PatternRule(Flush(runs=RING), "five", 1),
    PatternRule(StraightFlush(), "five", 3),
)
"""Four cards beat everything, those of five cards too; runs go round the corner."""
RULES = pytest.mark.parametrize("rules", [BIG2, HONG_KONG, OUTSIDE, BOMBS], ids=["big2", "hong_kong", "outside", "bombs"])


LOCKED = replace(BIG2, pass_lock=PassLock.TRICK)


@cache
def workplace(rules: RuleSet) -> Any:
    """Tables and scratch of a ruleset."""
    return SimpleNamespace(
        tables=compile_tables(rules),
        game=as_record(np.zeros((), GAME)),
        track=as_record(np.zeros((), TRACK)),
        candidates=as_record(np.zeros((), CANDIDATES)),
        stack=np.zeros(DEPTH, CANDIDATES).view(np.recarray),
        patterns={rule.pattern.name: i for i, rule in enumerate(rules.patterns)},
    )


def list_candidates(rules: RuleSet, game: Game) -> Any:
    """The workplace of a ruleset with a game's position and its candidates."""
    at = workplace(rules)
    g = at.game
    Positions(rules, GAME).pack(game.position, g)
    at.track.left[:] = [hand.bit_count() for hand in game.position.hands]
    find_candidates(at.tables, g.hands[g.turn], g.top_category, g.top_power, g.obligation[0], at.candidates)
    return at


def places(rules: RuleSet, mask: int) -> Any:
    return U(Positions(rules, GAME).places(mask))


def to_cards(tab: Any, places: int) -> int:
    """Cards of a set of places, as a mask."""
    return sum(1 << int(tab.card_at[place]) for place in range(places.bit_length()) if places >> place & 1)


def played(record: Any) -> int:
    return sum(int(mask).bit_count() for mask in record.played)


def missing_move(at: Any, game: Game, record: Any) -> Play:
    """The act that a batch made by itself: the only one there is, or a play of the cards that have gone since."""
    moves = list(game.legal_plays())
    if len(moves) == 1:
        return moves[0]
    gone = to_cards(at.tables, int(record.played[game.turn])) & ~game.position.played[game.turn]
    return next(play for play in moves if play.mask and not play.mask & ~gone)
