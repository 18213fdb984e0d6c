"""A game's events: complete, in order, and true to the positions, whatever is undone, copied or asked for late."""

from __future__ import annotations

import pickle
from itertools import pairwise

import pytest
from random_games import random_games

from big2_env import BIG2, CardSet, Game, available_rulesets, ruleset
from big2_env.base.rng import SplitMix64
from big2_env.climbing import game as game_module
from big2_env.climbing.auction import bid
from big2_env.climbing.events import (
    Dealt,
    Ended,
    LandlordFound,
    Passed,
    Played,
    Redealt,
    Refilled,
    Said,
    SeatOut,
    StakeMultiplied,
    TrickOpened,
    TrickWon,
    TurnStarted,
)
from big2_env.climbing.game import decks_of


def final_games(name: str, count: int) -> list[Game]:
    """Random games of a ruleset that have ended, with the most players."""
    rules = ruleset(name)
    return [game for game in random_games(rules, range(count), rules.max_players) if game.is_over]


@pytest.mark.parametrize("name", available_rulesets())
def test_events__rebuild_everything_that_the_positions_say(name: str) -> None:
    """A reader that knows no rule follows hands, turns, winners of tricks, seats out and the stake by the events alone."""
    for game in final_games(name, 12):
        hands: list[int] = []
        moves, out, factor, ends, trick, turn = [], [], 1, 0, 0, -1
        captured = [0] * game.num_players
        for event in game.events:
            match event:
                case Dealt(dealt, _):
                    hands = list(dealt)
                case TrickOpened(seat):
                    trick, turn = 0, seat
                case TurnStarted(seat, hand):
                    assert hand == hands[seat] == game._positions[len(moves)].hands[seat]
                    assert seat == game._positions[len(moves)].turn
                    turn = seat
                case Played(seat, play):
                    moves.append((seat, play))
                    assert seat == turn
                    hands[seat] &= ~play.mask
                    trick |= play.mask
                case Passed(seat):
                    moves.append((seat, game.history[len(moves)].play))
                case Said(seat, move, zh):
                    moves.append((seat, move))
                    assert zh
                case LandlordFound(seat, bottom, stake, by):
                    hands[seat] |= bottom
                    assert (stake, seat) == (game.position.stake, game.position.landlord)
                    factor = by
                case StakeMultiplied(_, by):
                    factor *= by
                case Refilled(seat, cards):
                    assert cards
                    assert not any(cards & hand for hand in hands)
                    hands[seat] |= cards
                case SeatOut(seat):
                    assert not hands[seat]
                    out.append(seat)
                case TrickWon(seat, cards):
                    assert cards == trick
                    captured[seat] |= cards
                case Redealt():
                    pass
                case Ended(outcome):
                    assert outcome == game.outcome
                    ends += 1
        assert (moves, tuple(hands), tuple(out)) == (game.history, game.position.hands, game.position.finished)
        assert (factor, ends) == (game.position.factor, 1)
        assert isinstance(game.events[-1], Ended)
        everything = 0
        for cards in captured:
            assert not everything & cards
            everything |= cards
        assert everything == sum(play.mask for _, play in game.history)


def test_events__come_in_a_fixed_order() -> None:
    turns = (TrickOpened, TurnStarted, Ended)
    ranks = {Played: 0, Passed: 0, StakeMultiplied: 1, TrickWon: 2, Refilled: 3, SeatOut: 4, TrickOpened: 5, TurnStarted: 6}
    for name in ("big2", "wu_gua_pi", "qi_gui_521"):
        for game in final_games(name, 6):
            assert [type(event) for event in game.events[:3]] == [Dealt, TrickOpened, TurnStarted]
            for one, two in pairwise(game.events[2:]):
                starts_move = isinstance(two, Played | Passed)
                assert starts_move == isinstance(one, TurnStarted)
                assert starts_move or isinstance(two, Ended) or ranks[type(one)] <= ranks[type(two)]
                assert not isinstance(two, TrickOpened) or not isinstance(one, turns)


def test_events__of_an_auction_that_nobody_wants_at_first() -> None:
    rules = ruleset("dou_dizhu_4p")
    deck, *redeals = decks_of(rules, 4)
    game = Game.from_deck(rules, deck, redeals=redeals)
    first_hands = game.position.hands
    for _ in range(4):
        game.pass_()
    game.play(bid(3))
    kinds = [type(event) for event in game.events]
    declined = [TurnStarted, Said]
    assert kinds == [Dealt, *declined * 4, Redealt, Dealt, *declined, LandlordFound, TrickOpened, TurnStarted]
    assert game.events[0] == Dealt(first_hands, game.start.bottom)
    assert game.events[kinds.index(LandlordFound)] == LandlordFound(game.turn, game.position.bottom, 3, 1)


def test_events__of_a_bomb_tell_the_stake() -> None:
    hands = ["C[3] D[3] H[3] S[3] C[9]", "C[4] D[4]", "C[5] D[5]"]
    game = Game.from_hands(ruleset("dou_dizhu"), hands, landlord=0)
    game.play("C[3] D[3] H[3] S[3]", "bomb")
    assert StakeMultiplied(0, 2) in game.events
    assert TrickOpened(0) in game.events
    for _ in range(2):
        game.pass_()
    won = [event for event in game.events if isinstance(event, TrickWon)]
    assert won == [TrickWon(0, CardSet("C[3] D[3] H[3] S[3]").mask)]


def test_events__follow_undo_copies_and_pickles() -> None:
    for game in random_games(BIG2, range(6)):
        if len(game.history) not in (3, 17, 30) and not game.is_over:
            continue
        whole = list(game.events)
        copy = game.copy()
        assert list(pickle.loads(pickle.dumps(game)).events) == list(copy.events) == whole
        rng = SplitMix64(len(game.history))
        undone = []
        while copy.history:
            undone.append(copy.undo().play)
            if rng.below(3) == 0:
                assert list(copy.events) == whole[: len(copy.events)]
        assert list(copy.events) == list(Game.from_position(BIG2, copy.start).events)
        for play in reversed(undone):
            copy.push(play)
        assert list(copy.events) == whole == list(game.events)
        assert copy == game


def test_events__are_one_list_that_grows_and_no_rule_runs_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    rule = game_module.after_play

    def counted(*args: object) -> object:
        calls.append(args)
        return rule(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(game_module, "after_play", counted)
    game = Game.deal(BIG2, 7)
    events = game.events
    game.play("C[3]")
    assert game.events is events
    assert [type(event) for event in events] == [Dealt, TrickOpened, TurnStarted, Played, TurnStarted]
    assert len(calls) == 1


def test_events__of_a_game_that_begins_in_the_middle_of_a_trick() -> None:
    game = Game.deal(BIG2, 7)
    game.play("C[3]")
    later = Game.from_position(BIG2, game.position)
    assert [type(event) for event in later.events] == [Dealt, TurnStarted]
    for _ in range(3):
        later.pass_()
    assert [event for event in later.events if isinstance(event, TrickWon)] == [TrickWon(game.history[0].seat, 0)]
