"""Auctions, stakes, settlements, refills: the parts of the family's games, traced by hand."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from big2_env import (
    PASS,
    CapturedPoints,
    CardSet,
    ConfigError,
    Game,
    IllegalPlayError,
    Multiplier,
    Phase,
    Position,
    Refill,
    RefillOrder,
    Refusal,
    RuleSet,
    available_rulesets,
    ruleset,
)
from big2_env.cards import as_mask, parse_cards
from big2_env.climbing.actions import action_space
from big2_env.climbing.auction import Bid, CallRob
from big2_env.climbing.game import decks_of, max_acts
from big2_env.climbing.position import lead_position
from big2_env.climbing.settlement import PairwiseDifference, Standing
from big2_env.notation import records
from big2_env.notation.records import GameRecord
from big2_env.notation.transcript import Transcript
from big2_env.rng import SplitMix64

DD, X, FOUR, TTO, CDD, WGP, Q1 = map(
    ruleset, ["dou_dizhu", "dou_dizhu_x", "dou_dizhu_4p", "three_two_one", "chu_da_di", "wu_gua_pi", "qi_gui_521"]
)

# The auction of 斗地主: whoever said what, in the order of decisions, y for yes and n for no.

CALLS = [
    ("ynn", 0, 1),
    ("nyn", 1, 1),
    ("nny", 2, 1),  # the third alone
    ("yyny", 0, 4),  # the caller robs back: two robs
    ("yynn", 1, 2),
    ("ynyy", 0, 4),
    ("ynyn", 2, 2),
    ("yyyy", 0, 8),
    ("yyyn", 2, 4),  # the last who robbed
    ("nyyy", 1, 4),
    ("nyyn", 2, 2),
]


@pytest.mark.parametrize(("said", "landlord", "factor"), CALLS)
def test_call_rob__gives_the_deal_to_the_last_yes(said: str, landlord: int, factor: int) -> None:
    game = Game.deal(DD, seed=3)
    first, bottom, before = game.turn, game.position.bottom, game.position.hands
    assert (game.phase, bottom.bit_count(), game.view().bottom) == (Phase.DEALT, 3, 0)
    yes = 0
    for i, letter in enumerate(said):
        assert game.phase is Phase.DEALT
        assert [play.pattern for play in game.legal_plays()] == ["rob" if yes else "call", "pass"]
        caller = (first + said.index("y")) % 3 if "y" in said else None
        assert game.turn == ((first + i) % 3 if i < 3 else caller)
        game.play(0, "rob" if yes else "call") if letter == "y" else game.pass_()
        yes += letter == "y"
    seat = (first + landlord) % 3
    assert (game.phase, game.position.landlord, game.turn) == (Phase.ASSIGNED, seat, seat)
    assert (game.position.stake, game.position.factor) == (1, factor)
    assert game.position.hands[seat] == before[seat] | bottom
    assert [game.view(other).bottom for other in range(3)] == [bottom] * 3  # public from now on
    assert not game.can_pass
    assert game.position.obligation == 0
    assert game.view((seat + 1) % 3).side == tuple(other for other in range(3) if other != seat)
    while game.history:
        game.undo()
    assert game == Game.deal(DD, seed=3)


@pytest.mark.parametrize("rules", [DD, FOUR])
def test_auction__is_dealt_anew_where_nobody_wants_it_and_forced_at_last(rules: RuleSet) -> None:
    number = rules.min_players
    game = Game.deal(rules, seed=5)
    assert game.position.redeals == tuple(map(tuple, decks_of(rules, 5)[1:]))
    for deal in range(3):
        assert (game.view().redeals_left, game.position.said) == (2 - deal, ())
        assert game.position.hands == Game.from_deck(rules, decks_of(rules, 5)[deal]).position.hands
        first = game.turn
        for _ in range(number):
            game.pass_()
    assert game.position.landlord == first  # who decided first in the last deal
    assert (game.position.stake, game.position.factor, len(game.history)) == (1, 1, 3 * number)
    alone = Game.from_deck(rules, decks_of(rules, 5)[0])  # one deck is one deal
    first = alone.turn
    for _ in range(number):
        alone.pass_()
    assert alone.position.landlord == first


@pytest.mark.parametrize(
    ("said", "landlord", "stake"),
    [("3", 0, 3), ("123", 2, 3), ("1002", 3, 2), ("0001", 3, 1), ("1000", 0, 1), ("0200", 1, 2), ("0013", 3, 3)],
)
def test_bid__gives_the_deal_to_the_highest_and_stops_at_three(said: str, landlord: int, stake: int) -> None:
    game = Game.deal(FOUR, seed=1)
    first, highest = game.turn, 0
    for i, letter in enumerate(said):
        assert (game.phase, game.turn) == (Phase.DEALT, (first + i) % 4)
        assert [play.pattern for play in game.legal_plays()] == [*(f"bid_{n}" for n in range(highest + 1, 4)), "pass"]
        for low in range(1, highest + 1):  # lower or equal: refused, the same player asked again
            with pytest.raises(IllegalPlayError) as caught:
                game.play(0, f"bid_{low}")
            assert caught.value.refusal is Refusal.DOES_NOT_COVER
        game.play(0, f"bid_{letter}") if letter != "0" else game.pass_()
        highest = max(highest, int(letter))
    assert (game.position.landlord, game.position.stake, game.phase) == ((first + landlord) % 4, stake, Phase.ASSIGNED)
    assert game.position.hands[game.turn].bit_count() == 33


def test_auction__refuses_what_is_not_its_turn() -> None:
    game = Game.deal(DD, seed=3)
    before = game.position
    for cards, word, refusal in [
        (1 << next(iter(CardSet(game.view().hand))), None, Refusal.AUCTION_GOES_ON),
        (0, "rob", Refusal.DOES_NOT_COVER),
        (0, "bid_1", Refusal.NO_PATTERN),
        (0, "single", Refusal.NO_PATTERN),
    ]:
        with pytest.raises(IllegalPlayError, match="call, pass") as caught:
            game.play(cards, word)
        assert caught.value.refusal is refusal
    game.play(0, "call")
    game.pass_()
    game.pass_()
    with pytest.raises(IllegalPlayError, match="allowed are cards of the hand") as caught:
        game.play(0, "call")
    assert caught.value.refusal is Refusal.NO_AUCTION
    assert before in game._positions
    with pytest.raises(ConfigError, match="2 decks: chu_da_di has 1 deal at most"):
        Game.from_deck(CDD, CDD.deck.cards, redeals=[CDD.deck.cards])


def test_first_speaker__is_uniform_and_follows_from_the_deck() -> None:
    for rules in (DD, FOUR):
        turns = [Game.deal(rules, seed).turn for seed in range(400)]
        number = rules.min_players
        assert all(abs(turns.count(seat) - 400 / number) < 45 for seat in range(number))


# Stakes.


def play_down(rules: RuleSet, hands: list[str], acts: list[str], landlord: int = 0, stake: int = 1, factor: int = 1) -> Game:
    masks = tuple(map(as_mask, hands))
    game = Game.from_position(rules, lead_position(rules, masks, landlord, stake, factor))
    for act in acts:
        game.play(act)
    return game


def test_team_stake__doubles_for_bombs_springs_and_robs() -> None:
    bomb, low = "C[4] D[4] H[4] S[4]", "C[3]"
    cases = [
        (["D[3]", "C[5] C[6]", "C[7] C[8]"], ["D[3]"], 1 * 2, 0),  # spring
        (["D[3] D[9]", "C[5] C[6]", "C[7] C[8]"], ["D[3]", "C[5]", "", "D[9]"], 1, 0),
        (["D[3] D[4]", "C[5]", "C[7] C[8]"], ["D[3]", "C[5]"], 2, 1),  # anti-spring: the landlord played one hand
        (["D[3] D[4] D[9]", "C[5] C[10]", "C[7]"], ["D[3]", "C[5]", "", "D[9]", "C[10]"], 1, 1),
        ([f"{bomb} D[5]", "C[5] C[6]", "C[7] C[8]"], [bomb, "", "", "D[5]"], 4, 0),  # a bomb, and a spring
        ([f"{low} {bomb}", "C[5] C[6]", "C[7]"], [low, "C[5]", "", bomb], 2, 0),
        (["D[3] LJ BJ", "C[5] C[6]", "C[7]"], ["D[3]", "C[5]", "", "LJ BJ"], 2, 0),  # the rocket
    ]
    for hands, acts, multiplied, winner in cases:
        for robbed in (1, 4):
            game = play_down(DD, hands, acts, factor=robbed)
            outcome, unit = game.outcome, multiplied * robbed
            assert outcome is not None
            assert outcome.winner == winner
            assert outcome.winners == ((0,) if winner == 0 else (1, 2))
            assert outcome.payoffs == ((2 * unit, -unit, -unit) if winner == 0 else (-2 * unit, unit, unit)), acts
            assert game.phase is Phase.OVER


def test_team_stake__for_four_players() -> None:
    """A losing landlord pays every other; one hand may be all that is played; five cards double nothing, six do."""
    two = FOUR.order.sort(FOUR.order.rank_masks[1])  # the fours
    for size, factor in [(4, 1), (5, 1), (6, 2), (7, 2), (8, 3)]:
        bomb = as_mask(two[:size])
        hands = (bomb | 1 << 0, as_mask("C[5] C[6]"), as_mask("C[7]"), as_mask("C[8]"))
        game = Game.from_position(FOUR, lead_position(FOUR, hands, 0, stake=3))
        game.play(1)
        game.play("C[5]")
        game.pass_()
        game.pass_()
        game.play(bomb)
        assert game.outcome is not None
        assert game.outcome.payoffs == (9 * factor, -3 * factor, -3 * factor, -3 * factor)
    jokers = FOUR.order.rank_masks[13] | FOUR.order.rank_masks[14]
    hands = (1 | 1 << 4, as_mask("C[5] C[6]"), jokers, as_mask("C[8]"))
    game = Game.from_position(FOUR, lead_position(FOUR, hands, 0, stake=2))
    game.play(1)
    game.pass_()
    game.play(jokers)
    assert game.outcome is not None
    assert game.outcome.payoffs == (-3 * 12, 12, 12, 12)  # 2 x 3 for the jokers x 2 for the anti-spring
    hands = (1, as_mask("C[5] C[6]"), as_mask("C[7]"), as_mask("C[8]"))
    game = Game.from_position(FOUR, lead_position(FOUR, hands, 0))
    game.play(1)
    assert game.outcome is not None
    assert game.outcome.payoffs == (6, -2, -2, -2)


def test_multiplier__of_bombs_that_are_led_may_differ() -> None:
    rules = replace(DD, multipliers=(Multiplier("bomb", 2, led=1), Multiplier("joker_pair", 3)))
    bombs = [" ".join(f"{suit}[{point}]" for suit in "CDHS") for point in "345"]
    others = ["C[8] C[9] C[J]", "C[10] C[Q]"]
    game = play_down(rules, [" ".join([*bombs, "LJ BJ", "C[6]"]), *others], [bombs[0], "", ""])
    assert game.position.factor == 2  # the very first hand is a real bomb
    game.play(bombs[1])
    assert game.position.factor == 2  # one that is led is not
    game.pass_()
    game.pass_()
    game.play("C[6]")
    game.play("C[8]")
    game.pass_()
    game.play(bombs[2])
    game.pass_()
    game.pass_()
    assert game.position.factor == 4
    game.play("LJ BJ")
    assert (game.position.factor, game.outcome and game.outcome.payoffs) == (12, (24.0, -12.0, -12.0))


def test_named_scorings__share_among_a_side() -> None:
    for scoring, landlord_wins, landlord_loses in [
        ("winner", (1, -0.5, -0.5), (-1, 0.5, 0.5)),
        ("cards", (3, -2, -1), (-1, 0.5, 0.5)),
    ]:
        rules = DD.with_scoring(scoring)
        won = play_down(rules, ["D[3]", "C[5] C[6]", "C[7]"], ["D[3]"]).outcome
        lost = play_down(rules, ["D[3] D[4]", "C[5]", "C[7] C[8]"], ["D[3]", "C[5]"]).outcome
        assert won is not None
        assert lost is not None
        assert (won.payoffs, lost.payoffs) == (landlord_wins, landlord_loses)


# The other settlements.


def test_pairwise_difference__of_chu_da_di() -> None:
    scoring = CDD.scoring
    assert isinstance(scoring, PairwiseDifference)
    hands = ["", "C[3]", "S[2] C[3] C[4] C[5] C[6] C[7] C[8]", "H[2] D[2] D[3] D[4] D[5] D[6] D[7] D[8] D[9]"]
    masks = tuple(map(as_mask, hands))
    assert [scoring.worth(mask) for mask in masks] == [0, 1, 7 + 50, 9 * 2 + 40]
    total = 1 + 57 + 58
    assert scoring.payoffs(Standing(masks, (0,))) == (total, total - 4, total - 4 * 57, total - 4 * 58)
    assert [scoring.worth((1 << n) - 1) for n in (8, 9, 10, 12, 13)] == [16, 18, 30, 36, 52]
    left = [TTO.scoring.payoffs(Standing((0, (1 << n) - 1, 1, 1), (0,)))[1] for n in (1, 2, 5, 6, 9, 10, 12, 13)]
    assert left == [0, -1, -1, -2, -2, -3, -3, -5]


def test_captured_points__go_to_who_wins_the_circle() -> None:
    rules = replace(Q1, scoring=CapturedPoints())
    hands = tuple(map(as_mask, ["D[3] D[5] C[K]", "D[10] C[9]"]))
    game = Game.from_position(rules, Position(hands, 0, captured=(0, 0)))
    for act in ["D[3]", "D[10]", "D[5]", ""]:
        game.play(act)
    assert [CardSet(mask) for mask in game.view(1).captured] == [CardSet("D[3] D[10] D[5]"), CardSet()]
    game.play("C[K]")  # the last circle counts for who is ahead in it
    outcome = game.outcome
    assert outcome is not None
    assert outcome.payoffs == (25, -25)  # 2 x 25 - 25, 2 x 0 - 25


# Refills.


@pytest.mark.parametrize(
    ("refill", "order", "first", "second", "left"),
    [
        (Refill.CIRCLE_END, RefillOrder.WINNER_FULL, "D[9] D[J] D[Q] D[K]", "D[10]", 0),
        (Refill.CIRCLE_END, RefillOrder.ROUND_ROBIN, "D[9] D[J] D[K]", "D[10] D[Q]", 0),
        (Refill.AFTER_PLAY, RefillOrder.WINNER_FULL, "D[9] D[10] D[J] D[Q]", "D[K]", 0),
    ],
)
def test_refill__when_and_in_which_order(refill: Refill, order: RefillOrder, first: str, second: str, left: int) -> None:
    """Hands of up to five, a pile of K Q J 10 from the top; seat 0 plays one card and is not beaten."""
    rules = replace(WGP, refill=refill, refill_order=order)
    pile = tuple(parse_cards("D[10] D[J] D[Q] D[K]"))
    hands = tuple(map(as_mask, ["D[8] D[9] C[6]", "C[7] C[8] C[9]"]))
    game = Game.from_position(rules, Position(hands, 0, pile=pile))
    game.play("D[8]")
    if refill is Refill.AFTER_PLAY:
        assert len(game.position.pile) == 1
    game.pass_()
    held = [CardSet(mask) - CardSet("C[6] C[7] C[8] C[9]") for mask in game.position.hands]
    if refill is Refill.AFTER_PLAY:  # who only passed has not drawn
        assert (held[0], len(game.position.pile)) == (CardSet("D[9] D[J] D[Q] D[K]"), 1)
        return
    assert (held, len(game.position.pile)) == ([CardSet(first), CardSet(second)], left)


def test_auto_skip__asks_nobody_about_what_nothing_covers() -> None:
    skipping = replace(CDD, auto_skip_unbeatable=True)
    hands = ["D[3] S[2] C[9]", "D[5] D[6]", "D[7] D[8]", "D[9] D[10]"]
    for rules, turns in [(CDD, [0, 1, 2, 3, 0, 1]), (skipping, [0, 1, 2, 3, 0, 0])]:
        game, seen = Game.from_hands(rules, hands), []
        for act in ["D[3]", "", "", "", "S[2]"]:
            seen.append(game.turn)
            game.play(act)
        assert [*seen, game.turn] == turns
    assert game.position.is_leading
    assert [move.seat for move in game.history] == [0, 1, 2, 3, 0]
    assert skipping.table.is_unbeatable(skipping.play("S[2]"))
    assert not skipping.table.is_unbeatable(skipping.play("H[2]"))
    assert DD.table.is_unbeatable(DD.play("LJ BJ"))
    assert not DD.table.is_unbeatable(DD.play("BJ"))


# Rules that cannot be.


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: replace(DD, auction=None, hand_size=18), "multipliers and stakes of a landlord without an auction"),
        (lambda: replace(DD, hand_size=18), "no cards left over"),
        (lambda: replace(DD, lead=CDD.lead), "an auction with lead 'contains'"),
        (lambda: replace(DD, scoring=WGP.scoring), r"an auction with the settlement FinishingOrder\(\)"),
        (lambda: replace(DD, draw_pile=True, ending=WGP.ending), "an auction with a draw pile, ending 'last_holder'"),
        (lambda: replace(DD, multipliers=(Multiplier("quad"),)), "multiplier of 'quad': allowed are single"),
        (lambda: replace(DD, spring=0), "spring 0, anti_spring 2"),
        (lambda: replace(DD, suits_compare=True), "ranks_only with suits that compare"),
        (lambda: DD.with_patterns("flush").table, "patterns flush ask for suits"),
        (lambda: Multiplier("bomb", 0), "factors 0, None"),
        (lambda: CallRob(deals=0), "0 deals: allowed are 1 to 100"),
        (lambda: CallRob(rob_factor=0), "rob_factor 0"),
        (lambda: Bid(most=0), "bids up to 0"),
        (lambda: Game.from_hands(CDD, ["C[3]"] * 4, landlord=1), "landlord 1: chu_da_di has none"),
        (lambda: Game.from_position(DD, Game.deal(DD, 1).position._replace(turn=0, said=((1, 2),))), "is not one that can be"),
        (lambda: Game.from_position(DD, Game.deal(DD, 1).position._replace(bottom=0)), "0 bottom cards, allowed are 3"),
        (lambda: Game.from_position(DD, Game.deal(DD, 1).position._replace(bidding=False)), "landlord None"),
        (lambda: Game.from_position(CDD, Game.deal(CDD, 1).position._replace(landlord=1)), "an auction, chu_da_di has none"),
    ],
)
def test_parts__that_contradict_each_other_are_refused(make: object, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        make()


# Action spaces.

SPACES = {
    "big2": (1379, "5f001595"),
    "chu_da_di": (1665, "139c83d2"),
    "dou_dizhu": (27_474, "ad301ee6"),
    "dou_dizhu_4p": (7_955, "ad0fb659"),
    "dou_dizhu_x": (95_355, "36713873"),
    "hong_kong": (2_380, "019fd74e"),
    "qi_gui_521": (99, "c130aa3f"),
    "qi_gui_523": (99, "c130aa3f"),
    "three_two_one": (3_967, "d026146f"),
    "wu_gua_pi": (32, "d7e83bd6"),
}
"""How many actions, and the beginning of the SHA-256 of their labels, one a line; in large spaces of every so many."""


@pytest.mark.parametrize("name", SPACES)
def test_action_space__is_stable(name: str) -> None:
    assert set(SPACES) <= set(available_rulesets())
    space = action_space(ruleset(name))
    asked = range(0, space.n, 1 + space.n // 5000)
    labels = "\n".join(map(space.label, asked))
    assert len(set(labels.split("\n"))) == len(asked)
    assert (space.n, hashlib.sha256(labels.encode()).hexdigest()[:8]) == SPACES[name]
    assert space.label(0) == "pass"


def test_rank_table__of_dou_dizhu_is_that_of_the_literature() -> None:
    """27,472 acts with the pass, pattern by pattern as in the table of DouZero and RLCard; then the call and the rob."""
    space = action_space(DD)
    assert Counter(space.label(action).split(" by ")[0] for action in range(space.n)) == {
        **{"pass": 1, "single": 15, "pair": 13, "triple": 13, "triple_single": 182, "full_house": 156, "straight": 36},
        **{"pair_straight": 52, "triple_straight": 45, "triple_straight_singles": 21_822, "triple_straight_pairs": 2_939},
        **{"quad_two_singles": 1_326, "quad_two_pairs": 858, "bomb": 13, "joker_pair": 1, "call": 1, "rob": 1},
    }
    assert space.n == 27_472 + 2


@pytest.mark.parametrize("rules", [DD, X, FOUR, TTO], ids=lambda rules: rules.name)
def test_rank_table__names_every_legal_act_once_and_nothing_else(rules: RuleSet) -> None:
    space, rng = action_space(rules), SplitMix64(2)
    game = Game.deal(rules, 4)
    while not game.is_over:
        legal = game.legal_plays()
        acts, ids = list(legal), space.ids(legal)
        assert len(set(ids)) == len(acts)
        for act, action in zip(acts, ids, strict=True):
            assert space.verify(action, legal) == act
            assert space.cards(action, legal.hand) == act.mask
        for other in {rng.below(space.n) for _ in range(30)} - set(ids):
            with pytest.raises(IllegalPlayError):
                space.verify(other, legal)
            assert space.play(other, legal) is None
        game.push(acts[rng.below(len(acts))])
    for action in (-1, space.n):
        with pytest.raises(ConfigError, match=f"action {action}: allowed is 0 to {space.n - 1}"):
            space.verify(action, game.legal_plays())


def test_legal_plays__of_two_readings_are_two_actions() -> None:
    hand = as_mask(" ".join(f"{suit}[{point}]" for suit, point in product("CDHS", "34")) + " C[9]")
    game = Game.from_position(X, lead_position(X, (hand, 1 << 52, 1 << 53), 0))
    legal = game.legal_plays()
    both = [play for play in legal if len(play) == 8 and play.mask & 1 << 24 == 0]
    ids = {action_space(X).of_play(play, hand): play for play in both}
    assert len(ids) == len(both) == 3
    for action, play in ids.items():
        assert action_space(X).verify(action, legal) == play
        after = game.copy()
        after.play(play)
        assert after.top == play
    assert PASS not in legal


GOLDEN = (Path(__file__).parent / "data" / "family.jsonl").read_text(encoding="utf-8").splitlines()
"""The record of one game of random acts for each game of the family."""


def played(rules: RuleSet) -> str:
    """The record of a game of random acts."""
    seed, rng = sum(map(ord, rules.name)), SplitMix64(12)
    deck, *redeals = decks_of(rules, seed)
    game = Game.from_deck(rules, deck, redeals=redeals)
    while not game.is_over:
        acts = list(game.legal_plays())
        game.push(acts[rng.below(len(acts))])
    return records.dumps(GameRecord(Transcript(game), tuple(deck)))


@pytest.mark.parametrize("line", GOLDEN, ids=lambda line: json.loads(line)["ruleset"])
def test_golden__playthrough(line: str) -> None:
    """The same seed is the same game, today and in the next release, move for move; and its record is read again."""
    rules = ruleset(json.loads(line)["ruleset"])
    assert played(rules) == line
    game = records.loads(line).game
    assert game.outcome is not None
    assert len(game.history) <= max_acts(rules, game.num_players)


def test_golden__has_every_game() -> None:
    assert {json.loads(line)["ruleset"] for line in GOLDEN} == set(available_rulesets()) - {"big2", "hong_kong"}
