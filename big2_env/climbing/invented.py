"""Invented rules: a ruleset and its vocabulary drawn from a seed, which no training set can contain.

`invented_SEED` names the ruleset of a seed, for example `invented_7`. A seed gives the same ruleset in every process; a version
that draws others refuses saved games by their digest.

A draw combines patterns with random lengths, comparison groups, tiers, top patterns (bombs), chops, turn rules and payments.
No cards have two readings. A draw is accepted if in `TRIALS` games of random moves

* each game has at least three tricks, and plays answer at least a quarter of the leads,
* the opener wins at most half of the games,
* and at least three patterns besides single cards are played.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from big2_env.base.cards import Rank
from big2_env.base.rng import SplitMix64, hashed
from big2_env.climbing.game import Game
from big2_env.climbing.parts import Chop, Lead, PassLock, PatternRule, Rest
from big2_env.climbing.patterns import Pattern
from big2_env.climbing.patterns.flush import Flush
from big2_env.climbing.patterns.four_of_a_kind import FourOfAKind
from big2_env.climbing.patterns.full_house import FullHouse
from big2_env.climbing.patterns.pair import Pair
from big2_env.climbing.patterns.pair_straight import PairStraight
from big2_env.climbing.patterns.pair_straight_single import PairStraightSingle
from big2_env.climbing.patterns.quad_single import QuadSingle
from big2_env.climbing.patterns.quad_two_pairs import QuadTwoPairs
from big2_env.climbing.patterns.quad_two_singles import QuadTwoSingles
from big2_env.climbing.patterns.single import Single
from big2_env.climbing.patterns.straight import Straight
from big2_env.climbing.patterns.straight_flush import StraightFlush
from big2_env.climbing.patterns.triple import Triple
from big2_env.climbing.patterns.triple_single import TripleSingle
from big2_env.climbing.patterns.triple_straight import TripleStraight
from big2_env.climbing.patterns.triple_two import TripleTwo
from big2_env.climbing.patterns.two_pair import TwoPair
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.runs import ValueRuns
from big2_env.climbing.settlement import CardsLeft, Doubling, Settlement, StepTable, When, WinnerTakesOne
from big2_env.climbing.shapes import Suits
from big2_env.climbing.vocabulary import INVENTED, Vocabulary, Word

TRIALS: Final = 8
"""Games of random moves that test a draw."""
_NAME: Final = re.compile(f"{INVENTED}(0|[1-9][0-9]{{0,17}})")
_STREAM: Final = 0x1A7E
"""Salt that makes these draws independent of deals with equal seeds."""


def invented_named(name: str) -> RuleSet | None:
    """Return the invented ruleset with exactly that name, or None."""
    found = _NAME.fullmatch(name)
    return None if found is None else invented(int(found[1]))


@lru_cache(maxsize=16)
def invented(seed: int) -> RuleSet:
    """Return the invented ruleset of a seed.

    Args:
        seed: Seed, at least 0.

    >>> rules = invented(7)
    >>> rules.name, len(rules.patterns) == len(rules.vocabulary.patterns)
    ('invented_7', True)
    """
    attempt = 0
    while not _is_playable(rules := _drawn(_Draw(hashed(_STREAM, seed, attempt)), seed)):
        attempt += 1
    return replace(rules, vocabulary=_vocabulary(_Draw(hashed(_STREAM, seed)), rules))


class _Draw(SplitMix64):
    """Random choices."""

    __slots__ = ()

    def percent(self, chance: int) -> bool:
        """Return True with a chance in percent."""
        return self.below(100) < chance


def _drawn(draw: _Draw, seed: int) -> RuleSet:
    """Return a ruleset without its vocabulary."""
    ranks_only = draw.percent(35)
    suits_compare = not ranks_only and draw.percent(75)
    patterns = _compared(draw, _rank_patterns(draw) if ranks_only else _suited_patterns(draw, suits_compare))
    players, cards, rest = draw.one(_RANK_DEALS if ranks_only else _SUITED_DEALS)
    return RuleSet(
        name=f"{INVENTED}{seed}",
        zh=f"新玩法{seed}",
        patterns=patterns,
        min_players=players,
        max_players=players,
        hand_size=cards,
        rest=rest,
        suits_compare=suits_compare,
        ranks_only=ranks_only,
        chops=tuple(_chops(draw, patterns)),
        must_cover=draw.percent(25),
        lead=draw.one((Lead.CONTAINS, Lead.CONTAINS, Lead.EXACT, Lead.ANY)),
        pass_lock=draw.one((PassLock.NONE, PassLock.TRICK)),
        auto_skip_unbeatable=draw.percent(25),
        scoring=_scoring(draw),
    )


_RANK_DEALS: Final = ((3, 17, Rest.LOWEST_HOLDER), (3, 15, Rest.ASIDE), (4, 13, Rest.NONE), (4, 12, Rest.ASIDE))
_SUITED_DEALS: Final = ((4, 13, Rest.NONE), (4, 12, Rest.ASIDE), (3, 13, Rest.ASIDE), (5, 10, Rest.ASIDE))
"""Deals: players, cards of each, and the cards left over. With suits, hands are small enough for the compiled engine."""


def _rank_patterns(draw: _Draw) -> list[Pattern]:
    """Return four to six patterns for a game without suits, of which no two read the same cards."""
    runs = _runs(draw)
    shortest = draw.one((3, 4, 5, 6))
    pairs = draw.one((2, 3))
    options: list[Pattern] = [
        Triple(),
        Straight(shortest, runs, longest=draw.one((None, shortest + 2, 10))),
        draw.one((TwoPair(), PairStraight(pairs, draw.one((None, pairs + 2)), runs), PairStraightSingle(3, None, runs))),
        draw.one((FullHouse(), TripleTwo(), TripleSingle())),
        draw.one((FourOfAKind(), QuadSingle(), QuadTwoSingles(), QuadTwoPairs())),
        TripleStraight(2, draw.one((None, 4)), runs),
    ]
    return draw.some(options, draw.one((4, 5, 5, 6)))


def _suited_patterns(draw: _Draw, suits_compare: bool) -> list[Pattern]:
    """Return four to seven patterns for a game with suits, of which no two read the same cards."""
    runs = _runs(draw)
    shortest = draw.one((3, 4, 5))
    longest = draw.one((None, None, shortest + 2))
    has_flush = draw.percent(60)
    key_suit = suits_compare and draw.percent(50)
    suit_first = suits_compare and draw.percent(40)
    options: list[Pattern] = [
        Triple(),
        Straight(shortest, runs, Suits.MIXED if has_flush else Suits.ANY, longest),
        draw.one((TwoPair(), PairStraight(2, None, runs, key_suit), PairStraight(3, draw.one((None, 4)), runs, key_suit))),
        draw.one((FullHouse(), TripleSingle())),
        draw.one((FourOfAKind(), QuadSingle())),
        TripleStraight(2, None, runs),
    ]
    chosen = draw.some(options, draw.one((4, 5, 5)))
    if has_flush:
        chosen += [Flush(shortest, runs, suit_first=suit_first), StraightFlush(shortest, runs, longest)]
    return draw.some(chosen, len(chosen))


def _runs(draw: _Draw) -> ValueRuns:
    """Return the runs of a game, which leave out up to three of the highest ranks."""
    return ValueRuns(cap=draw.one((Rank.QUEEN, Rank.KING, Rank.ACE, Rank.TWO)))


def _compared(draw: _Draw, patterns: list[Pattern]) -> tuple[PatternRule, ...]:
    """Return single cards, pairs and the given patterns with comparison groups, tiers and bomb levels."""
    bombs = patterns[: draw.one((0, 1, 1, 2))]
    others = patterns[len(bombs) :]
    is_grouped = draw.percent(70)
    rules = [PatternRule(one, bomb=level) for level, one in enumerate(bombs, start=1)]
    for tier, one in enumerate(draw.some(others, len(others))):
        rules.append(PatternRule(one, "joined" if is_grouped else "", tier if is_grouped else 0))
    return (PatternRule(Single()), PatternRule(Pair()), *draw.some(rules, len(rules)))


def _chops(draw: _Draw, patterns: Sequence[PatternRule]) -> list[Chop]:
    """Return at most one chop of the highest rank, alone or in pairs."""
    over = draw.one(("single", "pair"))
    other = draw.one([rule.pattern.name for rule in patterns[2:] if not rule.bomb])
    return [Chop(other, over, Rank.TWO if draw.percent(60) else None)] if draw.percent(40) else []


def _scoring(draw: _Draw) -> Settlement:
    """Return a settlement."""
    steps = draw.one((((4, 2), (9, 3)), ((7, 2),), ((10, 4),)))
    table = draw.one((((1, 1), (5, 3), (9, 7)), ((3, 2), (8, 5))))
    doubled = (Doubling(When.LEFT, rank=Rank.TWO),) if draw.percent(30) else ()
    return draw.one((CardsLeft(), CardsLeft(steps), CardsLeft(doublings=doubled), StepTable(table), WinnerTakesOne()))


def _is_playable(rules: RuleSet) -> bool:
    """Return True if random games of a ruleset meet the criteria at the top of this module."""
    won, seen, leads, answered = 0, set[str](), 0, 0
    for number in range(TRIALS):
        game, draw = Game.deal(rules, hashed(_STREAM, number)), _Draw(number)
        opener, tricks = game.turn, 0
        while not game.is_over:
            top, play = game.top, draw.one(list(game.legal_plays()))
            tricks += top is None
            answered += top is not None and bool(play)
            seen.add(play.pattern)
            game.play(play)
        assert game.outcome is not None
        won += game.outcome.winner == opener
        leads += tricks
        if tricks < 3:
            return False
    return won * 2 <= TRIALS and answered * 4 >= leads and len(seen - {"pass", "single"}) >= 3


_RANKS: Final = "bfglmnprvwxyz"
_SUITS: Final = "aeiu"
_VOWELS: Final = "aeiou"
_MIDDLES: Final = ("b", "d", "g", "k", "l", "m", "n", "r", "v", "z", "lk", "nd", "rb", "zg")
_STARTS: Final = ("d", "h", "j", "k", "s", "t", "dr", "kr", "tr", "kl", "sl", "sh", "sn", "th")
_CHINESE_RANKS: Final = "山水火木土石日月星雨雪竹米瓜豆羊牛虎鹿狐兔象舟弓笛碗杯刀帆雁蛙蟹"
_CHINESE_SUITS: Final = "青白紫灰棕粉"
_CHINESE_FIRST: Final = "明暗清古今高低深冷安久空"
_CHINESE_SECOND: Final = "波峰河谷林海岸崖泉沙冰霜城塔"
"""Characters that both scripts share, and that no standard card or pattern has."""


def _vocabulary(draw: _Draw, rules: RuleSet) -> Vocabulary:
    """Return names for the cards and patterns of a ruleset."""
    ranks = [f"{letter}{_rest(draw)}" for letter in draw.some(_RANKS, 13)]
    suits = [f"{letter}{draw.one('lnr')}{_rest(draw)}" for letter in draw.some(_SUITS, 4)]
    names = [f"{start}{_rest(draw)}{draw.one('kmnrvx')}" for start in draw.some(_STARTS, len(rules.patterns))]
    pairs = [first + second for first in _CHINESE_FIRST for second in _CHINESE_SECOND]
    return Vocabulary(
        ranks=tuple(map(Word, ranks, draw.some(_CHINESE_RANKS, 13))),
        suits=tuple(map(Word, suits, draw.some(_CHINESE_SUITS, 4))),
        patterns=tuple(
            (rule.pattern.name, Word(en, zh))
            for rule, en, zh in zip(rules.patterns, names, draw.some(pairs, len(names)), strict=True)
        ),
    )


def _rest(draw: _Draw) -> str:
    """Return a name without its first letter: a vowel, consonants and a vowel."""
    return draw.one(_VOWELS) + draw.one(_MIDDLES) + draw.one(_VOWELS)
