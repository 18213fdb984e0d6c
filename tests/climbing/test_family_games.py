"""Refills, skips, rules that cannot be, and a golden playthrough of every game of the family."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from places import DATA

from big2_env import (
    Card,
    CardSet,
    ConfigError,
    Game,
    IllegalPlayError,
    Multiplier,
    NotationError,
    Position,
    Refill,
    RefillOrder,
    RuleSet,
    available_rulesets,
    ruleset,
)
from big2_env.base.cards import NUM_FACES, as_mask, parse_cards
from big2_env.base.rng import SplitMix64
from big2_env.climbing.auction import Bid, CallRob
from big2_env.climbing.game import decks_of, max_moves
from big2_env.climbing.play import PASS
from big2_env.notation import records
from big2_env.notation.records import GameRecord
from big2_env.notation.transcript import Transcript

DD, CDD, WGP = map(ruleset, ["dou_dizhu", "chu_da_di", "wu_gua_pi"])


@pytest.mark.parametrize(
    ("refill", "order", "first", "second", "left"),
    [
        (Refill.TRICK_END, RefillOrder.WINNER_FULL, "D[9] D[J] D[Q] D[K]", "D[10]", 0),
        (Refill.TRICK_END, RefillOrder.ROUND_ROBIN, "D[9] D[J] D[K]", "D[10] D[Q]", 0),
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


def test_text__names_the_copy_that_the_hand_holds() -> None:
    """Copies of two decks have one name; ids stay exact."""
    four = ruleset("dou_dizhu_4p")
    second = CardSet([card + NUM_FACES for card in CardSet("D[4] S[9]")])
    game = Game.from_hands(four, [second | CardSet("S[9] C[7]"), CardSet("C[3]"), CardSet("D[3]"), CardSet("H[3]")], landlord=0)
    assert game.copy().play("D[4]").mask == 1 << Card("D[4]") + NUM_FACES
    assert game.copy().play("S[9] S[9]").pattern == "pair"
    assert four.play("D[4] D[4]").pattern == "pair"
    for wrong in ("C[7] C[7]", "S[9] S[9] S[9]", "D[4] D[4]", "D[5]", CardSet("D[4]")):
        with pytest.raises((IllegalPlayError, NotationError)):
            game.play(wrong)


@pytest.mark.parametrize("game_name", ["dou_dizhu", "pao_de_kuai", "three_two_one", "big2"])
def test_listed__is_the_move_of_the_list_with_the_same_ranks(game_name: str) -> None:
    rules, others = ruleset(game_name), 0
    game, rng = Game.deal(rules, 3), SplitMix64(3)
    while not game.is_over:
        legal = game.legal_plays()
        move = rng.one(list(legal))
        assert legal.listed(move) == move
        if move:
            held, cards = list(reversed(rules.order.sort(legal.hand))), list[Card]()
            for card in move.cards:
                cards.append(next(one for one in held if one.rank == card.rank and one not in cards))
            name = rules.reading_name(move)
            if rules.ranks_only and as_mask(cards) != move.mask and legal.can(cards, name):
                others += 1
                other = legal.verify(cards, name)
                assert other not in list(legal)
                assert legal.listed(other) == move
                move = other
        game.play(move)
    assert (others > 0) == rules.ranks_only
    assert game.legal_plays().listed(PASS) is None


def test_auto_skip__asks_nobody_about_what_nothing_beats() -> None:
    skipping = replace(CDD, auto_skip_unbeatable=True)
    hands = ["D[3] S[2] C[9]", "D[5] D[6]", "D[7] D[8]", "D[9] D[10]"]
    for rules, turns in [(CDD, [0, 1, 2, 3, 0, 1]), (skipping, [0, 1, 2, 3, 0, 0])]:
        game, seen = Game.from_hands(rules, hands), []
        for played in ["D[3]", "", "", "", "S[2]"]:
            seen.append(game.turn)
            game.play(played)
        assert [*seen, game.turn] == turns
    assert game.position.is_leading
    assert [move.seat for move in game.history] == [0, 1, 2, 3, 0]
    assert skipping.table.is_unbeatable(skipping.play("S[2]"))
    assert not skipping.table.is_unbeatable(skipping.play("H[2]"))
    assert DD.table.is_unbeatable(DD.play("LJ BJ"))
    assert not DD.table.is_unbeatable(DD.play("BJ"))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: replace(DD, auction=None, hand_size=18), "multipliers and stakes of a landlord need an auction"),
        (lambda: replace(DD, hand_size=18), "no cards left over"),
        (lambda: replace(DD, lead=CDD.lead), "an auction cannot go with lead 'contains'"),
        (lambda: replace(DD, scoring=WGP.scoring), r"an auction cannot go with the settlement FinishingOrder\(\)"),
        (lambda: replace(DD, draw_pile=True, ending=WGP.ending), "an auction cannot go with a draw pile, ending 'last_holder'"),
        (
            lambda: replace(DD, multipliers=(Multiplier("quad"),)),
            "multiplier of unknown pattern 'quad'; expected one of single, pair,",
        ),
        (lambda: replace(DD, spring=0), "spring 0, anti_spring 2"),
        (lambda: replace(DD, suits_compare=True), "ranks_only needs suits_compare=False"),
        (lambda: DD.with_patterns("flush").table, "patterns flush look at suits and need ranks_only=False"),
        (lambda: Multiplier("bomb", 0), "multiplier of bomb: expected factors of at least 1, got 0 and None"),
        (lambda: CallRob(deals=0), "expected 1 to 100 deals, got 0"),
        (lambda: CallRob(rob_factor=0), "expected stake and rob_factor of at least 1, got 1 and 0"),
        (lambda: Bid(most=0), "expected bids up to 1 to 100 and forced_stake of at least 1, got 0 and 1"),
        (lambda: Game.from_hands(CDD, ["C[3]"] * 4, landlord=1), "landlord 1: chu_da_di has none"),
        (lambda: Game.from_position(DD, Game.deal(DD, 1).position._replace(turn=0, said=((1, 2),))), "is not one that can be"),
        (
            lambda: Game.from_position(DD, Game.deal(DD, 1).position._replace(bottom=0)),
            "position: expected 3 bottom cards, got 0",
        ),
        (
            lambda: Game.from_position(DD, Game.deal(DD, 1).position._replace(bidding=False)),
            "position: expected a landlord of 0 to 2, got None",
        ),
        (lambda: Game.from_position(CDD, Game.deal(CDD, 1).position._replace(landlord=1)), "an auction, chu_da_di has none"),
    ],
)
def test_parts__that_contradict_each_other_are_refused(make: object, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        make()


GOLDEN = (DATA / "family.jsonl").read_text(encoding="utf-8").splitlines()
"""The record of one game of random acts for each game of the family."""


def played(rules: RuleSet) -> str:
    """The record of a game of random acts."""
    seed, rng = sum(map(ord, rules.name)), SplitMix64(12)
    deck, *redeals = decks_of(rules, seed)
    game = Game.from_deck(rules, deck, redeals=redeals)
    while not game.is_over:
        moves = list(game.legal_plays())
        game.push(moves[rng.below(len(moves))])
    return records.dumps(GameRecord(Transcript(game), tuple(deck)))


@pytest.mark.parametrize("line", GOLDEN, ids=lambda line: json.loads(line)["ruleset"])
def test_golden__playthrough(line: str) -> None:
    """The same seed is the same game, today and in the next release, move for move; and its record is read again."""
    rules = ruleset(json.loads(line)["ruleset"])
    today = json.loads(played(rules))
    assert list(today.pop("rules")) == ["digest"]  # which records of earlier revisions do not have
    assert list(today.items()) == list(json.loads(line).items())
    game = records.loads(line).game
    assert game.outcome is not None
    assert len(game.history) <= max_moves(rules, game.num_players)


def test_golden__has_every_game() -> None:
    assert {json.loads(line)["ruleset"] for line in GOLDEN} == set(available_rulesets()) - {"big2", "hong_kong"}
