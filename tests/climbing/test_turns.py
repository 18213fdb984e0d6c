"""Who moves next: leads, pass locks, refills and players who are out, traced by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from house_rules import DRAWING, LAST_OUT, LOCKED

from big2_env import BIG2, CardSet, EndReason, Game, IllegalPlayError, Lead, PassLock, Position, Refusal, RuleSet
from big2_env.base.cards import as_mask, parse_cards


def trace(game: Game, *moves: str) -> list[int]:
    """The seat to move before each act, and after the last one."""
    turns = []
    for cards in moves:
        turns.append(game.turn)
        game.play(cards)
    return [*turns, game.turn]


# Leads.

FOUR = ["C[3] D[3] H[4] S[9]", "S[5] C[7]", "C[6] D[8]", "C[4] C[8]"]


def exact(auto: bool) -> RuleSet:
    return replace(BIG2, lead=Lead.EXACT, auto_lead=auto)


@pytest.mark.parametrize(
    ("rules", "plays"),
    [
        (BIG2, ["single C[3]", "pair C[3] D[3]"]),
        (replace(BIG2, lead=Lead.ANY), ["single C[3]", "single D[3]", "single H[4]", "single S[9]", "pair C[3] D[3]"]),
        (exact(auto=False), ["single C[3]"]),
    ],
    ids=["contains", "any", "exact"],
)
def test_lead__decides_the_first_play_only(rules: RuleSet, plays: list[str]) -> None:
    game = Game.from_hands(rules, [FOUR[1], FOUR[0], *FOUR[2:]])
    assert game.turn == 1
    assert list(map(str, game.legal_plays())) == plays
    trace(game, "C[3]", "", "", "")
    assert (game.turn, len(game.legal_plays())) == (1, 3)


def test_lead__exact_refuses_a_pair_with_the_card() -> None:
    with pytest.raises(IllegalPlayError, match=r"be or contain C\[3\] alone") as caught:
        Game.from_hands(exact(auto=False), FOUR).play("C[3] D[3]")
    assert caught.value.refusal is Refusal.MISSES_OPENING_CARD


def test_lead__the_engine_makes_it_where_the_rules_say_so() -> None:
    game = Game.from_hands(exact(auto=True), FOUR)
    assert [(move.seat, str(move.play)) for move in game.history] == [(0, "single C[3]")]
    assert game.turn == 1
    assert Game.from_position(game.ruleset, game.position).history == []
    game.undo()
    assert (game.turn, game.position) == (0, game.start)


# Pass locks.


@pytest.mark.parametrize(
    ("lock", "moves", "turns"),
    [
        (PassLock.NONE, ["", "", ""], [1, 2, 3, 0]),  # everybody is asked about the nine
        (PassLock.TRICK, ["", "C[10]", ""], [2, 0, 1, 2]),  # seat 2 alone is, then all are free
        (PassLock.ROUND, ["", "C[10]", "C[5]"], [2, 0, 0, 1]),  # the ten beats the nine: still alone; the five does not
    ],
)
def test_pass_lock__none_trick_round(lock: PassLock, moves: list[str], turns: list[int]) -> None:
    """Seats 1 and 3 pass on a six, seat 0 plays a nine, and what follows is the lock's doing."""
    hands = ["C[3] C[5] S[9] C[10] C[J]", "S[5] C[7] S[2]", "C[6] D[8] D[9]", "C[4] C[8] D[7]"]
    game = Game.from_hands(replace(BIG2, pass_lock=lock), hands)
    assert trace(game, "C[3]", "", "C[6]", "") == [0, 1, 2, 3, 0]
    assert trace(game, "S[9]", *moves) == [0, *turns]


def test_pass_lock__round_lets_one_player_run_unopposed() -> None:
    """44, 55, 66 from one hand: a lead that beats the last play keeps the others locked; the nine frees them."""
    hands = ["D[3] D[4] C[4] D[5] C[5] D[6] C[6] D[9] D[K]", "D[7] C[7] C[10]", "D[8] C[8] C[J]", "D[10] H[10] C[Q]"]
    game = Game.from_hands(LOCKED, hands)
    assert trace(game, "D[3]", "", "", "") == [0, 1, 2, 3, 0]
    assert trace(game, "D[4] C[4]", "", "", "") == [0, 1, 2, 3, 0]  # a pair does not beat a single: a new round
    assert trace(game, "D[5] C[5]") == [0, 0]
    assert (game.position.passed, game.can_pass) == (0b1110, False)
    assert trace(game, "D[6] C[6]", "D[9]") == [0, 0, 1]
    assert game.position.passed == 0
    assert trace(game, "C[10]", "", "C[Q]", "") == [1, 2, 3, 0, 1]
    assert trace(game, "") == [1, 3]
    game.play("D[10] H[10]")
    assert game.outcome is not None
    assert game.outcome.cards_left == (1, 2, 3, 0)


def test_pass_lock__round_starts_anew_where_the_lead_is_no_stronger() -> None:
    hands = ["D[3] D[4] S[4] D[5]", "D[7] C[7]", "D[8] C[8]", "D[10] C[Q]"]
    game = Game.from_hands(LOCKED, hands)
    assert trace(game, "D[3]", "", "", "", "D[4]") == [0, 1, 2, 3, 0, 0]  # the four beats the three
    assert trace(game, "S[4]") == [0, 1]  # equal ranks are equal: suits do not compare here


# Out of cards: the next holder leads.


def test_last_holder__the_next_one_leads_for_who_is_out() -> None:
    game = Game.from_hands(LAST_OUT, ["C[3] S[2]", "C[5]", "C[6] C[9]", "C[4] C[8]"])
    assert trace(game, "C[3]", "", "", "C[4]", "S[2]") == [0, 1, 2, 3, 0, 1]
    assert (game.is_over, game.position.finished, game.outcome) == (False, (0,), None)
    assert trace(game, "", "", "") == [1, 2, 3, 1]  # seat 0 has no cards to lead with
    assert (game.top, game.can_pass) == (None, False)
    assert trace(game, "C[5]", "C[6]", "C[8]") == [1, 2, 3, 2]  # seats 0 and 1 are skipped, seat 3 is out and ends it
    assert game.is_over
    outcome = game.outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason, outcome.cards_left) == (0, EndReason.LAST_HOLDER, (0, 0, 1, 0))
    assert (game.position.finished, outcome.payoffs) == ((0, 1, 3), (1.0, 1.0, -3.0, 1.0))
    assert list(game.legal_plays()) == []


def test_last_holder__who_leads_for_another_is_not_locked_by_an_old_pass() -> None:
    rules = replace(LAST_OUT, pass_lock=PassLock.ROUND)
    game = Game.from_hands(rules, ["C[3] S[2]", "C[5] C[7]", "C[6] C[9]", "C[4] C[8]"])
    trace(game, "C[3]", "", "", "", "S[2]")
    assert (game.turn, game.position.finished) == (1, (0,))
    assert game.position.passed == 0b1100
    assert trace(game, "C[5]") == [1, 2]  # no stronger than the two: a new round


# The draw pile. Here 6 is the lowest card.


def drawing(hands: list[str], pile: str, turn: int = 0) -> Game:
    return Game.from_position(DRAWING, Position(tuple(map(as_mask, hands)), turn, pile=tuple(parse_cards(pile))))


def test_refill__the_winner_draws_first_and_up_to_the_hand_size() -> None:
    game = drawing(["C[6] C[7] C[8]", "S[6] S[7] S[8] S[9]"], pile="D[J] D[Q] D[K] D[A]")
    assert trace(game, "C[6]", "S[6]") == [0, 1, 0]
    assert game.position.pile == tuple(parse_cards("D[J] D[Q] D[K] D[A]"))  # nobody draws inside a trick
    assert trace(game, "") == [0, 1]
    hands = [CardSet(hand) for hand in game.position.hands]
    assert hands == [CardSet("C[7] C[8] D[Q] D[J]"), CardSet("S[7] S[8] S[9] D[A] D[K]")]
    assert game.position.pile == ()
    assert game.position.finished == ()


def test_refill__leaves_the_rest_for_the_next_trick() -> None:
    game = drawing(["C[6] C[7] C[8] C[9] C[10]", "S[6] S[7] S[8] S[9] S[10]"], pile="D[J] D[Q] D[K] D[A]")
    trace(game, "C[10]", "")
    assert game.position.pile == tuple(parse_cards("D[J] D[Q] D[K]"))
    assert CardSet(game.position.hands[0]) == CardSet("C[6] C[7] C[8] C[9] D[A]")
    view = game.view(1)
    assert (view.pile_left, view.unseen.bit_count()) == (3, 54 - 5 - 1)
    assert not view.hand & view.unseen


def test_refill__who_has_no_cards_waits_for_it() -> None:
    game = drawing(["C[6]", "S[6] S[7] S[8]"], pile="D[J] D[Q]")
    game.play("C[6]")
    assert (game.turn, game.is_over, game.position.finished) == (1, False, ())
    game.pass_()
    assert (game.turn, CardSet(game.position.hands[0])) == (0, CardSet("D[J] D[Q]"))


def test_refill__who_finds_the_pile_empty_is_out() -> None:
    """Both play their last cards; the winner draws the only one, so the other is out and the winner is the last holder."""
    game = drawing(["C[6]", "S[6]"], pile="D[J]")
    assert trace(game, "C[6]", "S[6]") == [0, 1, 1]
    assert game.is_over
    assert game.position.finished == (0,)
    outcome = game.outcome
    assert outcome is not None
    assert (outcome.winner, outcome.cards_left, outcome.payoffs) == (0, (0, 1), (1.0, -1.0))


@pytest.mark.parametrize("number", range(2, 11))
def test_draw_pile__is_what_the_deal_leaves(number: int) -> None:
    game = Game.deal(DRAWING, 3, number)
    position = game.position
    assert [hand.bit_count() for hand in position.hands] == [5] * number
    assert len(position.pile) == 54 - 5 * number
    assert sum(position.hands) + as_mask(position.pile) == DRAWING.deck.mask
    lowest = DRAWING.order.lowest(sum(position.hands))
    assert position.hands[position.turn] >> lowest & 1
    assert all(play.mask >> lowest & 1 for play in game.legal_plays())
