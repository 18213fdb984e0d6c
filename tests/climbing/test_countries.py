"""`taiwan`, `pusoy_dos` and `capsa`: their rules with cards written out, and the rules that came with them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product
from math import comb

import pytest

from big2_env import (
    CardsLeft,
    ConfigError,
    Doubling,
    Game,
    IllegalPlayError,
    Lead,
    LegalPlays,
    PassLock,
    Rank,
    RuleSet,
    StepTable,
    When,
    ruleset,
)
from big2_env.base.cards import DECK_52, Card, as_mask
from big2_env.base.rng import SplitMix64
from big2_env.climbing.actions import action_space
from big2_env.climbing.earlier_rules import EARLIER
from big2_env.climbing.events import TrickOpened, TrickWon
from big2_env.climbing.parts import Ending, PatternRule, Rest
from big2_env.climbing.patterns.flush import Flush
from big2_env.climbing.patterns.straight import Straight
from big2_env.climbing.patterns.straight_flush import StraightFlush
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset_data import dump_ruleset, read_ruleset
from big2_env.climbing.runs import PointRuns
from big2_env.climbing.settlement import Standing
from big2_env.climbing.shapes import Suits
from big2_env.kernels.compile import check_compiles
from big2_env.kernels.engine import BatchEngine
from big2_env.testing.differential import compare
from big2_env.testing.interpreted import InterpretedGame
from big2_env.testing.random_positions import random_positions

TAIWAN, PUSOY, CAPSA = map(ruleset, ["taiwan", "pusoy_dos", "capsa"])
FINAL = replace(TAIWAN, top_single_final=True)
DOUBLE_TWOS, DOUBLE_ACES = (Doubling(When.LEFT, rank=rank) for rank in (Rank.TWO, Rank.ACE))
OLD_TAIWAN = EARLIER["taiwan"]
TWOS_DOUBLE = replace(OLD_TAIWAN, scoring=replace(OLD_TAIWAN.scoring, doublings=(DOUBLE_TWOS,)))


def of_suit(suit: str, *ranks: str) -> str:
    return " ".join(f"{suit}[{rank}]" for rank in ranks)


def cards(text: str) -> str:
    """`3C 10H` as `C[3] H[10]`."""
    return " ".join(f"{card[-1]}[{card[:-1]}]" for card in text.split())


def patterns_of(rules: RuleSet, text: str) -> list[str]:
    return [play.pattern for play in rules.table.classify(as_mask(cards(text)))]


# Plays.


def test_plays__are_as_many_as_combinatorics_counts() -> None:
    runs_of_five = 10  # A-2-3-4-5 to 10-J-Q-K-A
    common = {
        "single": 52,
        "pair": 13 * comb(4, 2),
        "straight": runs_of_five * (4**5 - 4),
        "full_house": 13 * comb(4, 3) * 12 * comb(4, 2),
        "quad_single": 13 * 48,
        "straight_flush": 4 * runs_of_five,
    }
    poker = common | {"triple": 13 * comb(4, 3), "flush": 4 * (comb(13, 5) - runs_of_five)}
    for rules, counts in ((TAIWAN, common), (PUSOY, poker), (CAPSA, poker)):
        plays = list(rules.table.plays(DECK_52.mask))
        assert Counter(play.pattern for play in plays) == counts
        assert rules.num_plays == len({play.mask for play in plays}) == sum(counts.values())


@pytest.mark.parametrize(
    ("text", "in_taiwan", "elsewhere"),
    [
        ("3C", "single", "single"),
        ("3C 3S", "pair", "pair"),
        ("3C 3D 3S", None, "triple"),
        ("3C 3D 3H 3S", None, None),
        ("3C 3D 4H 4S", None, None),  # two pairs
        ("3C 3D 4H 4S 5C", None, None),
        ("3C 4C 5C 6C 7D", "straight", "straight"),
        ("AC 2C 3C 4C 5D", "straight", "straight"),
        ("2C 3C 4C 5C 6D", "straight", "straight"),
        ("10C JC QC KC AD", "straight", "straight"),
        ("JC QC KC AC 2D", None, None),
        ("QC KC AC 2C 3D", None, None),
        ("KC AC 2C 3C 4D", None, None),
        ("3C 5C 7C 9C JC", None, "flush"),
        ("JC QC KC AC 2C", None, "flush"),
        ("3C 3D 3H 4C 4D", "full_house", "full_house"),
        ("3C 3D 3H 3S 4C", "quad_single", "quad_single"),
        ("3H 4H 5H 6H 7H", "straight_flush", "straight_flush"),
        ("AH 2H 3H 4H 5H", "straight_flush", "straight_flush"),
        ("2H 3H 4H 5H 6H", "straight_flush", "straight_flush"),
        ("3C 3D 3H 4C 5D", None, None),
        ("3H 4H 5H 6H 7H 8H", None, None),
    ],
)
def test_patterns__are_those_of_the_page(text: str, in_taiwan: str | None, elsewhere: str | None) -> None:
    for rules, pattern in ((TAIWAN, in_taiwan), (PUSOY, elsewhere), (CAPSA, elsewhere)):
        assert patterns_of(rules, text) == ([] if pattern is None else [pattern]), rules.name


def check_ladder(rules: RuleSet, rungs: list[str]) -> None:
    """Each rung beats every one before it, and nothing else."""
    plays = [rules.play(cards(rung)) for rung in rungs]
    for i, j in product(range(len(plays)), repeat=2):
        assert rules.beats(plays[i], plays[j]) == (i > j), (rules.name, rungs[i], rungs[j])


TAIWAN_STRAIGHTS = [
    *("AS 2S 3S 4S 5C", "AC 2C 3C 4C 5D", "AC 2C 3C 4C 5H", "AC 2C 3C 4H 5S"),  # by the suit of the 5
    *("3S 4S 5S 6S 7C", "3C 4C 5C 6D 7S", "4C 5C 6C 7D 8C", "9S 10S JS QS KC", "9C 10C JC QD KS"),
    *("10S JS QS KS AC", "10C JC QC KD AS"),
    *("2C 3S 4S 5S 6S", "2D 3C 4C 5C 6S", "2H 3C 4C 5C 6C", "2S 3C 4C 5D 6C"),  # by the suit of the 2
]


def test_taiwan__straights_go_from_ace_to_five_up_to_two_to_six() -> None:
    check_ladder(TAIWAN, TAIWAN_STRAIGHTS)
    one, two = TAIWAN.play(cards("AS 2S 3S 4S 5C")), TAIWAN.play(cards("AC 2C 3C 4D 5C"))
    assert not TAIWAN.beats(one, two)  # the same 5 decides both
    assert not TAIWAN.beats(two, one)


def test_taiwan__straight_flushes_go_up_like_straights() -> None:
    runs = [("A", *"2345"), tuple("34567"), ("9", "10", *"JQK"), ("10", *"JQKA"), tuple("23456")]
    rungs = [" ".join(f"{rank}{suit}" for rank in run) for run in runs for suit in "CDHS"]
    check_ladder(TAIWAN, rungs)


def test_taiwan__bombs_beat_everything_below_them_and_other_plays_only_their_own_pattern() -> None:
    fours = ["3C 3D 3H 3S 2S", "4C 4D 4H 4S 3C", "2C 2D 2H 2S 3C"]
    flushes = ["AC 2C 3C 4C 5C", "3D 4D 5D 6D 7D", "2S 3S 4S 5S 6S"]
    check_ladder(TAIWAN, [*fours, *flushes])
    others = ["2S", "2H 2S", "2C 3S 4S 5S 6S", "2C 2D 2H AC AS"]
    plays = [TAIWAN.play(cards(text)) for text in others]
    for bomb in map(TAIWAN.play, map(cards, [*fours, *flushes])):
        assert all(TAIWAN.beats(bomb, play) and not TAIWAN.beats(play, bomb) for play in plays)
    for one, two in product(plays, repeat=2):
        assert not TAIWAN.beats(one, two)


@pytest.mark.parametrize(
    ("rules", "suits", "straights"),
    [
        (PUSOY, "CSHD", ["3D 4D 5D 6D 7C", "10D JD QD KD AC", "AC 2C 3C 4D 5C", "2S 3C 4C 5C 6C", "AC 2H 3C 4C 5C"]),
        (CAPSA, "DCHS", ["3S 4S 5S 6S 7D", "10S JS QS KS AD", "AD 2D 3D 4C 5D", "2C 3D 4D 5D 6D", "AD 2H 3D 4D 5D"]),
    ],
)
def test_poker_fives__rank_by_tier_then_highest_card(rules: RuleSet, suits: str, straights: list[str]) -> None:
    low, *_, high = suits
    check_ladder(rules, [f"3{suit}" for suit in suits] + [f"4{low}", f"A{high}", f"2{low}", f"2{high}"])
    check_ladder(rules, [f"3{suits[0]} 3{suits[1]}", f"3{suits[0]} 3{high}", f"4{suits[0]} 4{suits[1]}", f"2{low} 2{high}"])
    flushes = [" ".join(f"{rank}{suit}" for rank in ranks) for ranks in ("35679", "3456A", "34572") for suit in suits]
    fulls = ["3C 3D 3H 2C 2D", "4C 4D 4H 3C 3D", "2C 2D 2H 3C 3D"]
    fours = ["3C 3D 3H 3S 2S", "2C 2D 2H 2S 3C"]
    runs = ("34567", ("10", *"JQKA"), ("A", *"2345"))
    check_ladder(
        rules, [*straights, *flushes, *fulls, *fours, *(" ".join(f"{r}{suit}" for r in run) for run in runs for suit in suits)]
    )
    same_two = [rules.play(cards(" ".join(f"{rank}{high}" for rank in run))) for run in (("A", *"2345"), tuple("23456"))]
    assert not rules.beats(*same_two)
    assert not rules.beats(*reversed(same_two))
    assert not rules.beats(rules.play(cards(fours[-1])), rules.play(cards(f"3{low}")))  # no bombs


def test_suits__of_pusoy_dos_put_spades_below_hearts_and_diamonds_highest() -> None:
    assert [str(card) for card in PUSOY.order.cards[-4:]] == ["C[2]", "S[2]", "H[2]", "D[2]"]
    assert [str(card) for card in CAPSA.order.cards[-4:]] == ["D[2]", "C[2]", "H[2]", "S[2]"]
    assert [str(card) for card in TAIWAN.order.cards[:4]] == ["C[3]", "D[3]", "H[3]", "S[3]"]


# House rules.


def test_house_rules__are_the_recipes_of_the_pages() -> None:
    with_triples = TAIWAN.with_patterns("triple")
    assert with_triples.play(cards("3C 3D 3S")).pattern == "triple"
    assert not with_triples.beats(with_triples.play(cards("4C 4D 4S")), with_triples.play(cards("3C")))
    assert with_triples.beats(with_triples.play(cards("3C 3D 3H 3S 4C")), with_triples.play(cards("4C 4D 4S")))
    assert patterns_of(PUSOY.without_patterns("triple"), "3C 3D 3S") == []
    two_pairs = CAPSA.with_patterns("two_pair")
    assert two_pairs.beats(two_pairs.play(cards("3C 3D 5D 5S")), two_pairs.play(cards("4C 4D 5C 5H")))  # S[5] over H[5]
    runs = PointRuns(wrap=2)
    more = PUSOY.with_patterns(
        PatternRule(Straight(runs=runs, suits=Suits.MIXED), "five", 1),
        PatternRule(Flush(runs=runs), "five", 2),
        PatternRule(StraightFlush(runs=runs), "five", 5),
    )
    assert patterns_of(more, "JC QC KC AC 2D") == ["straight"]
    assert patterns_of(more, "JC QC KC AC 2C") == ["straight_flush"]
    assert patterns_of(more, "QC KC AC 2C 3C") == ["flush"]
    four = replace(PUSOY, min_players=4, hand_sizes=(), rest=Rest.NONE)
    assert action_space(four).n == 1 + sum(comb(13, size) for size in (1, 2, 3, 5)) == 1_665


def test_low__of_a_straight_changes_only_the_run_that_begins_with_it() -> None:
    keys = {shape.key for shape in Straight(runs=PointRuns(wrap=1), low=Rank.ACE).shapes(TAIWAN.order)}
    plain = [shape.key for shape in Straight(runs=PointRuns(wrap=1)).shapes(TAIWAN.order)]
    assert plain.count(Rank.TWO) == 2
    assert keys == {Rank.FIVE, Rank.TWO, *plain}


# The first play, and passing.


@pytest.mark.parametrize(("rules", "lowest"), [(TAIWAN, "C[3]"), (PUSOY, "C[3]"), (CAPSA, "D[3]")])
def test_opening__is_a_play_that_contains_the_lowest_card(rules: RuleSet, lowest: str) -> None:
    for seed, number in product(range(5), range(rules.min_players, rules.max_players + 1)):
        game = Game.deal(rules, seed, number)
        card = Card(lowest)
        assert game.position.hands[game.turn] >> card & 1
        assert all(play.mask >> card & 1 for play in game.legal_plays())
        assert not game.can_pass


def test_passing__locks_a_player_out_of_the_trick_in_taiwan_only() -> None:
    hands = {"C[3] S[9] S[2]": 0, "C[4] D[9] H[2]": 1, "H[4] C[9] D[5]": 2, "H[5] H[9] D[6]": 3}
    for rules, asked in ((TAIWAN, 2), (replace(TAIWAN, pass_lock=PassLock.NONE), 1), (PUSOY, 1)):
        game = Game.from_hands(rules, hands)
        for text in ("C[3]", "", "H[4]", "H[5]", "S[9]"):
            game.play(text)
        assert game.turn == asked, rules.name


# Highest single.


def test_top_single_final__ends_the_trick_at_once_even_over_bombs() -> None:
    hands = ["C[3] S[2] C[5]", of_suit("D", *"45678") + " D[10]", "C[6] D[9] H[9] S[9] C[9]", "C[4] D[3]"]
    game, plain = Game.from_hands(FINAL, hands), Game.from_hands(TAIWAN, hands)
    for one in (game, plain):
        for text in ("C[3]", "", "", "C[4]", "S[2]"):
            one.play(text)
    assert (game.turn, game.top) == (0, None)  # leads again, and nobody was asked
    assert game.events[-3:-1] == [TrickWon(0, as_mask("C[3] C[4] S[2]")), TrickOpened(0)]
    assert (plain.turn, str(plain.top)) == (3, "single S[2]")  # seats 1 and 2 are locked
    free = Game.from_hands(replace(TAIWAN, pass_lock=PassLock.NONE), hands)
    for text in ("C[3]", "", "", "C[4]", "S[2]"):
        free.play(text)
    assert {play.pattern for play in free.legal_plays()} == {"straight_flush", "pass"}


def test_top_single_final__is_the_highest_card_alone_and_no_other_play() -> None:
    bomb, two = FINAL.play(cards("3C 3D 3H 3S 4C")), FINAL.play("S[2]")
    assert not FINAL.beats(bomb, two)
    assert TAIWAN.beats(bomb, two)
    assert FINAL.beats(bomb, FINAL.play("H[2]"))
    assert FINAL.beats(bomb, FINAL.play("H[2] S[2]"))
    assert FINAL.beats(two, FINAL.play("H[2]"))
    assert FINAL.table.is_unbeatable(two)
    assert not TAIWAN.table.is_unbeatable(two)
    assert [str(play) for play in LegalPlays(FINAL, bomb.mask, two)] == ["pass"]
    low_suit = replace(PUSOY, top_single_final=True)
    assert low_suit.table.is_final(low_suit.play("D[2]"))
    assert not low_suit.table.is_final(low_suit.play("S[2]"))


def test_top_single_final__as_the_last_card_wins() -> None:
    game = Game.from_hands(FINAL, ["C[3] S[2]", "C[4] C[5]", "C[6]", "C[7]"])
    game.play("C[3]")
    for _ in range(3):
        game.pass_()
    game.play("S[2]")
    assert game.is_over
    assert game.outcome.payoffs == (8, -4, -2, -2)  # a 2 decides the last play
    assert Game.from_position(FINAL, game.position).is_over
    going_on = Game.from_hands(
        replace(FINAL, ending=Ending.LAST_HOLDER, scoring=OLD_TAIWAN.scoring), ["C[3] S[2]", "C[4] C[5]", "C[6]", "C[7]"]
    )
    for text in ("C[3]", "", "", "", "S[2]"):
        going_on.play(text)
    assert (going_on.turn, going_on.top) == (1, None)


def test_top_single_final__refuses_what_it_cannot_go_with() -> None:
    with pytest.raises(ConfigError, match="top_single_final needs suits_compare=True"):
        replace(FINAL, suits_compare=False)
    with pytest.raises(ConfigError, match="top_single_final cannot go with pass_lock 'round'"):
        replace(FINAL, pass_lock=PassLock.ROUND)
    top = FINAL.play("S[2]")
    position = Position((8, 16, 32, 64), turn=1, top=top, top_seat=0, played=(top.mask, 0, 0, 0))
    with pytest.raises(ConfigError, match=r"top play single S\[2\], which ends its trick at once"):
        Game.from_position(FINAL, position)


@pytest.mark.parametrize("lock", [PassLock.NONE, PassLock.TRICK])
@pytest.mark.parametrize("skip", [False, True])
def test_engines__agree_on_a_final_single(lock: PassLock, skip: bool) -> None:
    rules = replace(FINAL, pass_lock=lock, auto_skip_unbeatable=skip)
    rng = SplitMix64(1)
    for start in (*range(6), *random_positions(rules, 4, seed=0)):
        game = InterpretedGame(rules, start)
        while not game.reference.is_over:
            game.check()
            ids = game.space.ids(game.reference.legal_plays())
            game.act(ids[rng.below(len(ids))])
        game.check()


# Payment.


def payoffs(rules: RuleSet, *hands: str) -> list[float]:
    masks = tuple(as_mask(cards(hand)) if hand else 0 for hand in hands)
    return list(rules.scoring.payoffs(Standing(masks, (masks.index(0),))))


SEVEN = "3C 4C 5C 6C 7C 8C 9C"


def ended(last: str, *losers: str) -> tuple[float, ...]:
    """What `taiwan` pays if seat 0 leads its last cards and the others hold these."""
    game = Game.from_hands(TAIWAN, [cards(last), *map(cards, losers)])
    game = Game.from_position(TAIWAN, game.position._replace(turn=0, obligation=0))
    game.play(cards(last))
    assert game.outcome is not None
    return game.outcome.payoffs


def test_payment__in_taiwan_doubles_by_cards_twos_bombs_and_the_last_play() -> None:
    nine, ten = "3C 4D 5C 6D 7C 8D 9C 10D JC", "3S 4H 5S 6H 7S 8H 9S 10H JS QH"
    assert ended("3D", nine, ten, "5H") == (30, -9, -20, -1)
    assert ended("3D", "2C 2S", "2H 4C", "5C 6C") == (14, -8, -4, -2)
    assert ended("3D", "7C 7D 7H 7S", "9C 10C JC QC KC", "5C") == (8 + 10 + 1, -8, -10, -1)
    assert ended("3D", "7C 7D 7H 7S 9C 10C JC QC KC", "5C", "5D") == (38, -36, -1, -1)
    for last, factor in (
        ("2D", 2),  # the 2 decides
        ("2D 2H", 2),
        ("2C 3D 4D 5D 6D", 2),
        ("AC 2C 3D 4D 5D", 1),  # the 5 does
        ("AC AD AH 2C 2D", 1),
        ("8C 8D 8H 8S 2C", 2),  # a bomb
        ("2C 2D 2H 2S 8C", 4),  # both
        ("9D 10D JD QD KD", 2),
        ("2D 3D 4D 5D 6D", 4),
    ):
        assert ended(last, "3S 4S", "6S", "6H") == (4 * factor, -2 * factor, -factor, -factor)


def test_payment__in_taiwan_was_by_cards_doubled_from_8_tripled_from_10_fourfold_at_13() -> None:
    for hand, paid in ((SEVEN, 7), (f"{SEVEN} 10C", 16), (f"{SEVEN} 10C JC", 18), (f"{SEVEN} 10C JC QC", 30)):
        assert payoffs(OLD_TAIWAN, "", hand, "3D", "4D") == [paid + 2, -paid, -1, -1]
    assert payoffs(OLD_TAIWAN, "3D", f"{SEVEN} 10C JC QC KC AC", f"{SEVEN} 10C JC QC KC AC 2C", "") == [-1, -36, -52, 89]


def test_payment__doubles_for_each_two_left_as_an_option() -> None:
    assert payoffs(OLD_TAIWAN, "", "2S 3C", "2H 2D 4C", "5C") == [6, -2, -3, -1]
    assert payoffs(TWOS_DOUBLE, "", "2S 3C", "2H 2D 4C", "5C") == [17, -4, -12, -1]
    assert payoffs(TWOS_DOUBLE, "", f"{SEVEN} 2S", "2C 2D 2H", "5C") == [16 * 2 + 3 * 8 + 1, -32, -24, -1]


def test_payment__in_pusoy_dos_is_by_the_points_of_the_ranks() -> None:
    assert payoffs(PUSOY, "", "10C JC QC KC", "AD 2D", "3C 9D") == [55, -40, -3, -12]
    assert payoffs(PUSOY, "AC", "", "3C 4C 5C 6C 7C 8C 9C") == [-1, 43, -42]
    whole = " ".join(f"{rank}H" for rank in ["3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "2"])
    assert payoffs(PUSOY, "", whole, "2C 2S 2H 2D", "AC AS AH AD") == [85 + 8 + 4, -85, -8, -4]


def test_payment__in_capsa_is_a_point_a_card() -> None:
    assert payoffs(CAPSA, "2S 2H", SEVEN, "", "3S") == [-2, -7, 10, -1]


def test_cards_left__takes_points_steps_and_doublings_together() -> None:
    scoring = CardsLeft(steps=((3, 1.5),), points=((Rank.KING, 10), (Rank.THREE, 0)), doublings=(DOUBLE_TWOS, DOUBLE_ACES))
    for hand, paid in (("KC", 10), ("3C", 0), ("3C 4C", 1), ("KC 4C 5C", 18), ("KC AC 2C 3C", 12 * 1.5 * 4)):
        assert scoring.owed(as_mask(cards(hand)), 4) == paid
    assert scoring.penalty(4, 4) == 6
    assert scoring.factor(2) == 1
    for wrong in (
        {"points": ((Rank.KING, -1),)},
        {"points": ((Rank.KING, 1), (Rank.KING, 2))},
        {"doublings": (DOUBLE_TWOS, DOUBLE_TWOS)},
        {"doublings": tuple(Doubling(When.LEFT, rank=rank) for rank in list(Rank)[:13])},
        {"points": ((Rank.KING, 10**16),)},
    ):
        with pytest.raises(ConfigError):
            CardsLeft(**wrong)


class ByCards(CardsLeft):
    """A settlement of one's own, by the cards themselves."""

    def owed(self, hand: int, num_players: int) -> float:
        """One for each three."""
        return float((hand & 15).bit_count())


def test_engine__does_not_compile_a_settlement_by_cards_that_it_does_not_know() -> None:
    assert BatchEngine(TWOS_DOUBLE, 2).ruleset == TWOS_DOUBLE
    with pytest.raises(ConfigError, match="taiwan cannot be compiled: it has the settlement"):
        check_compiles(TAIWAN.with_scoring(ByCards()))


@pytest.mark.parametrize(
    "rules",
    [
        TWOS_DOUBLE,
        replace(PUSOY, scoring=replace(PUSOY.scoring, steps=((8, 2), (10, 3)), doublings=(DOUBLE_TWOS, DOUBLE_ACES))),
    ],
    ids=["taiwan", "pusoy_dos"],
)
def test_engines__pay_alike_by_ranks_and_doublings(rules: RuleSet) -> None:
    for number in range(rules.min_players, rules.max_players + 1):
        compare(rules, 6, every=64, num_players=number)


# The deal of pusoy_dos.


def test_deal__of_pusoy_dos_gives_three_players_17_cards_and_the_odd_one_to_the_lowest_holder() -> None:
    deck = [card for card in DECK_52.cards if card != Card("H[K]")]
    deck.insert(0, Card("H[K]"))  # at the bottom: it is left over
    game = Game.from_deck(PUSOY, deck, 3)
    hands = game.position.hands
    holder = next(seat for seat in range(3) if hands[seat] & 1)
    assert [hand.bit_count() for hand in hands] == [18 if seat == holder else 17 for seat in range(3)]
    assert hands[holder] >> Card("H[K]") & 1
    assert (game.turn, game.position.obligation) == (holder, 1)
    top = list(reversed(deck))
    assert [hand & ~(1 << Card("H[K]")) for hand in hands] == [as_mask(top[seat:51:3]) for seat in range(3)]


def test_deal__of_pusoy_dos_with_the_club_3_left_over_gives_it_to_the_holder_of_the_spade_3() -> None:
    game = Game.from_deck(PUSOY, list(DECK_52.cards), 3)  # C[3] has id 0 and is at the bottom
    hand = game.position.hands[game.turn]
    assert hand >> Card("C[3]") & hand >> Card("S[3]") & 1  # spades are second in this game
    assert hand.bit_count() == 18
    assert game.position.obligation == 1 << Card("C[3]")
    assert all(play.mask & 1 for play in game.legal_plays())


def test_deal__of_pusoy_dos_gives_four_players_13_cards() -> None:
    assert [hand.bit_count() for hand in Game.deal(PUSOY, 3).position.hands] == [13] * 4
    assert PUSOY.default_players == 4
    assert [(PUSOY.cards_each(n), PUSOY.largest_hand(n), PUSOY.cards_aside(n)) for n in (3, 4)] == [(17, 18, 0), (13, 13, 0)]
    assert PUSOY.max_hand == 18
    assert action_space(PUSOY).n == 1 + sum(comb(18, size) for size in (1, 2, 3, 5)) == 9_556
    with pytest.raises(ConfigError, match=r"expected hands of at most 13 cards, got \[14, 1, 1, 1\]"):
        Game.from_hands(PUSOY, [of_suit("C", *"3456789JQKA2", "10") + " D[3]", "D[4]", "D[5]", "D[6]"])


def test_hand_sizes__refuse_deals_that_the_deck_does_not_make() -> None:
    for wrong, message in (
        ({"hand_sizes": ((3, 18),)}, "3 to 4 hands of 18 or 13 from 52 cards"),
        ({"hand_sizes": ((3, 0),)}, "hands of 0 or 13"),
        ({"hand_sizes": ((5, 10),)}, "hand_sizes: expected each number of players once, from those allowed, got \\[5\\]"),
        ({"hand_sizes": ((3, 17), (3, 17))}, "got \\[3, 3\\]"),
        ({"rest": Rest.NONE}, "expected hands that use up the deck"),
    ):
        with pytest.raises(ConfigError, match=message):
            replace(PUSOY, **wrong)
    with pytest.raises(ConfigError, match="hand_sizes cannot go with a draw pile"):
        replace(ruleset("wu_gua_pi"), hand_sizes=((3, 4),))
    aside = replace(PUSOY, rest=Rest.ASIDE, hand_sizes=((3, 16),))
    assert [aside.cards_aside(number) for number in (3, 4)] == [4, 0]
    compare(aside, 3, every=64, num_players=3)


# As data.


def test_rulesets__are_read_back_from_the_file_that_they_write(tmp_path) -> None:  # type: ignore[no-untyped-def]
    for rules in (TAIWAN, PUSOY, CAPSA, FINAL, TWOS_DOUBLE):
        path = tmp_path / f"{rules.name}.json"
        path.write_text(dump_ruleset(rules), encoding="utf-8")
        assert read_ruleset(path, {}) == rules


def test_step_table__still_pays_by_number() -> None:
    assert StepTable(((2, 1), (6, 2.5))).owed(as_mask(cards("2S 2H")), 4) == 1
    with pytest.raises(IllegalPlayError):
        TAIWAN.play(cards("3C 3D 3S"))
    assert Lead.CONTAINS is PUSOY.lead
