"""Auctions: who speaks, who gets the deal at which stake, deals that nobody wants, what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from big2_env import CardSet, ConfigError, Game, IllegalPlayError, Phase, Refusal, RuleSet, ruleset
from big2_env.climbing.game import decks_of

DD, FOUR, CDD = map(ruleset, ["dou_dizhu", "dou_dizhu_4p", "chu_da_di"])

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
    assert game.view((seat + 1) % 3).team == tuple(other for other in range(3) if other != seat)
    while game.history:
        game.undo()
    assert game == Game.deal(DD, seed=3)


@pytest.mark.parametrize("rules", [DD, FOUR])
def test_auction__is_dealt_anew_where_nobody_wants_it_and_forced_at_last(rules: RuleSet) -> None:
    number = rules.default_players
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
    assert [str(call) for call in game.view().calls] == ["call"]
    game.play(0, "call")
    game.pass_()
    game.pass_()
    assert game.view().calls == ()
    with pytest.raises(IllegalPlayError, match="expected cards of the hand, got call") as caught:
        game.play(0, "call")
    assert caught.value.refusal is Refusal.NO_AUCTION
    assert before in game._positions
    with pytest.raises(ConfigError, match="2 decks: chu_da_di has 1 deal at most"):
        Game.from_deck(CDD, CDD.deck.cards, redeals=[CDD.deck.cards])


def test_first_speaker__is_uniform_and_follows_from_the_deck() -> None:
    for rules in (DD, FOUR):
        turns = [Game.deal(rules, seed).turn for seed in range(400)]
        number = rules.default_players
        assert all(abs(turns.count(seat) - 400 / number) < 45 for seat in range(number))


BIDDING = Game.deal(DD, seed=3).position


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"landlord": 0}, "an auction after its end: a landlord or cards played"),
        ({"top": DD.play("C[3]"), "top_seat": (BIDDING.turn + 1) % 3}, "an auction after its end: a landlord or cards played"),
        ({"played": (1, 0, 0)}, "an auction after its end: a landlord or cards played"),
        ({"bottom": BIDDING.bottom & BIDDING.bottom - 1}, "expected 3 bottom cards, got 2"),
        ({"said": ((BIDDING.turn, 0),)}, f"turn {BIDDING.turn}, which is not the seat to decide"),
        ({"said": ((BIDDING.turn, 7),)}, f"decision 0 of the auction, 7 of seat {BIDDING.turn}, is not one that can be"),
        ({"redeals": ((0, 1, 2),)}, "a further deck that is not the whole deck"),
        ({"acted": (0, 0)}, "numbers of plays of 2 seats, there are 3 hands"),
        ({"stake": 0}, "expected stake and factor of at least 1, got 0 and 1"),
        ({"factor": 0}, "expected stake and factor of at least 1, got 1 and 0"),
        ({"stake": 2**300, "factor": 2**300}, r"expected a stake that with its factor is below 2\*\*512, got more"),
    ],
)
def test_position__in_an_auction_names_every_fault(change: dict[str, Any], says: str) -> None:
    assert Game.from_position(DD, BIDDING._replace(stake=2**511, redeals=(DD.deck.cards,))).phase is Phase.DEALT
    with pytest.raises(ConfigError, match=says):
        Game.from_position(DD, BIDDING._replace(**change))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"landlord": None}, "expected a landlord of 0 to 2, got None"),
        ({"landlord": 3}, "expected a landlord of 0 to 2, got 3"),
        ({"bottom": 1}, "bottom cards that the landlord neither holds nor has played"),
        ({"said": ((1, 1), (2, 0), (0, 0))}, "landlord 0 for 1 times 1, the decisions .* 1 for 1 times 1"),
        ({"said": ((0, 1), (1, 0), (2, 0)), "stake": 2}, "landlord 0 for 2 times 1, the decisions .* 0 for 1 times 1"),
        ({"said": ((0, 1), (1, 1), (2, 0), (0, 0)), "factor": 3}, "landlord 0 for 1 times 3, the decisions .* 1 for 1 times 2"),
    ],
)
def test_position__after_an_auction_names_every_fault(change: dict[str, Any], says: str) -> None:
    start = BIDDING._replace(hands=(BIDDING.hands[0] | BIDDING.bottom, *BIDDING.hands[1:]), turn=0, landlord=0, bidding=False)
    assert Game.from_position(DD, start._replace(said=((0, 1), (1, 0), (2, 0)), factor=3)).phase is Phase.ASSIGNED
    with pytest.raises(ConfigError, match=says):
        Game.from_position(DD, start._replace(**change))


@pytest.mark.parametrize(
    "change", [{"bidding": True}, {"said": ((0, 1),)}, {"landlord": 0}, {"bottom": 1}, {"redeals": (CDD.deck.cards,)}]
)
def test_position__of_a_game_without_an_auction_has_no_trace_of_one(change: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="an auction, chu_da_di has none"):
        Game.from_position(CDD, Game.deal(CDD, 1).position._replace(**change))
