"""Klondike: the moves and scores of the rules text, undo, the published check, acts as numbers and text."""

from __future__ import annotations

import random
from typing import Any

import pytest
from klondike_states import random_states, state_of

from big2_env import ConfigError, IllegalPlayError, NotationError
from big2_env.games.klondike import (
    DEAL,
    FOUNDATION,
    NUM_MOVES,
    Branch,
    KlondikeGame,
    KlondikePosition,
    card_move,
    cards_text,
    move_of,
    move_text,
    moves_text,
    parse_card,
    parse_move,
    parse_moves,
    published_check,
)
from big2_env.games.klondike.cards import is_black, rank_of, shuffled, suit_of
from big2_env.games.klondike.moves import after, is_stuck, legal_moves


def test_deal__goes_pile_by_pile_from_the_front_of_the_deck() -> None:
    game = KlondikeGame(range(52))
    assert [cards_text(pile) for pile in game.state.piles][:3] == ["AC", "2C 3C", "4C 5C 6C"]
    assert game.state.down == (0, 1, 2, 3, 4, 5, 6)
    assert game.state.dealer == tuple(range(28, 52))
    assert KlondikeGame.deal(3).deck == shuffled(3) != shuffled(4)
    with pytest.raises(ConfigError, match="expected a deck with each of the 52 cards once, got 52 cards, 1 of the 52"):
        KlondikeGame([0, *range(51)])


SCORES = [
    ("deal", "(2C) KS | 9H", "5H 8S", "", 0),
    ("8S>2", "KS | 9H", "8S 5H", "", 10),  # dealer to tableau
    ("AD>F", "KS", "AD 5H", "", 25),  # dealer to foundation
    ("AD>F", "KS AD | 9H", "", "", 15),  # tableau to foundation
    ("AD>F", "(KS) AD | 9H", "", "", 20),  # with the flip
    ("8S>2", "(KS) 8S 7H | 9H", "", "", 5),  # a run, with the flip
    ("7H>2", "KC 8S 7H | 8C", "", "", 0),  # part of a run
    ("2H>1", "3S | 9H", "", "hearts", -15),  # worrying back
    ("KH>3", "(2C) KH QS | 9S", "", "", 5),  # a king to an empty pile
]


@pytest.mark.parametrize(("move", "piles", "dealer", "up", "points"), SCORES)
def test_moves__score_as_the_rules_say(move: str, piles: str, dealer: str, up: str, points: int) -> None:
    # The last pile keeps the game from being done.
    piles = "|".join([*(piles.split("|") + [""] * 6)[:6], "(TC) TS"])
    state = state_of(piles, dealer, (0, 0, 2, 0) if up else (0, 0, 0, 0), len(dealer.split()) if move != "deal" else 0)
    assert parse_move(move) in legal_moves(state)
    assert after(state, parse_move(move)).score == points


REFUSED = [
    ("7H>1", "nothing to put it on", "allowed onto 9H"),
    ("8S>4", "an empty pile", "8S onto pile 4, which is empty: only a king goes there"),
    ("2C>3", "face down", "cannot be taken"),
    ("AC>F", "undealt", "cannot be taken"),
    ("8S>2", "its own pile", "it is already there"),
    ("8S>F", "a card on it", "another card covers it"),
    ("9H>F", "not next", "9H to its foundation: expected the next one, AH"),
    ("AD>F", "there already", "is already on its foundation"),
]


@pytest.mark.parametrize(("move", "why", "message"), REFUSED)
def test_moves__that_are_not_legal_say_why_and_change_nothing(move: str, why: str, message: str) -> None:
    game = KlondikeGame.deal(0)
    game.state = state_of("9H | (2C) 8S 7H | (3C) TS", "5C 6C 7C 8C AC", (0, 1, 0, 0), 4)
    before = game.state
    with pytest.raises(IllegalPlayError, match=message):
        game.play(parse_move(move))
    assert game.state == before
    assert not game.history


def test_dealer__any_of_the_last_three_and_the_next_card_slides_in() -> None:
    state = state_of("(2C) KS|QH|QD|TH|TD", "JS 9S JC 9C KH", dealt=3)
    assert {move_text(move) for move in legal_moves(state)} >= {"JS>2", "JS>3", "9S>4", "9S>5", "JC>2", "JC>3"}
    taken = after(state, parse_move("9S>4"))
    assert (cards_text(taken.window), taken.dealt, taken.seen) == ("JS JC 9C", 3, 3)
    for _ in range(2):
        taken = after(taken, DEAL)
    assert taken.dealt == 0
    assert taken.window == ()
    assert taken.seen == 4
    last = after(state_of("(2C) KS|QH", "JS", dealt=1), parse_move("JS>2"))
    assert (last.dealer, last.dealt) == ((), 0)
    assert DEAL not in legal_moves(last)


def test_end__all_face_up_is_a_win_with_its_bonus() -> None:
    state = after(state_of("(2C) 9H | TS", "5H 6H 7H"), parse_move("9H>2"))
    assert state.is_won
    assert (state.score, state.final_score) == (5, 5 + 3 * 35 + 3 * 20)
    assert legal_moves(state) == ()
    with pytest.raises(IllegalPlayError, match="the game is over"):
        after(state, DEAL)


def test_double_click__foundation_first_then_the_first_pile() -> None:
    game = KlondikeGame.deal(0)
    game.state = state_of("3S | 3C | (KD) 2H | (KS) 5D", "", (0, 0, 1, 0))
    assert game.double_click(parse_card("2H")) == 20
    game.undo()
    game.state = game.state._replace(foundations=(0, 0, 0, 0))
    assert game.double_click(parse_card("2H")) == 5
    assert move_text(game.history[-1].move) == "2H>1"
    with pytest.raises(IllegalPlayError, match="fits nowhere"):
        game.double_click(parse_card("KS"))  # face down


def test_random_games__keep_every_law() -> None:
    """The 52 cards stay, legal is what is accepted, undo goes back through every act, ids and texts go both ways."""
    for seed in range(6):
        game, rng = KlondikeGame.deal(seed), random.Random(seed)
        states = []
        for number in range(250):
            states.append(game.state.checked())
            legal = game.legal_moves()
            if not legal:
                break
            for move in range(NUM_MOVES) if number % 40 == 5 else ():
                try:
                    after(game.state, move)
                    accepted = True
                except IllegalPlayError:
                    accepted = False
                assert accepted == (move in legal), move_text(move)
            assert all(parse_move(move_text(move)) == move for move in legal)
            move = rng.choice(legal[1:] if len(legal) > 1 and rng.random() < 0.8 else legal)
            unknown = set(game.view().unknown)
            game.play(move)
            assert set(game.view().unknown) <= unknown
        assert game.score == (game.state.final_score if game.is_won else sum(move.points for move in game.history))
        while game.history:
            game.undo()
            assert game.state == states[len(game.history)]
        with pytest.raises(IllegalPlayError, match="nothing to take back"):
            game.undo()


def test_view__says_nothing_of_hidden_cards() -> None:
    """Games that differ only in what has not been seen have one view."""
    for state in random_states(5, 80):
        assert view_of(exchanged(state, 1)) == view_of(state)


def exchanged(state: KlondikePosition, seed: int) -> KlondikePosition:
    """Return the position with the hidden cards in other places."""
    hidden = list(view_of(state).unknown)
    random.Random(seed).shuffle(hidden)
    piles = tuple(
        tuple(hidden.pop() for _ in range(down)) + pile[down:] for pile, down in zip(state.piles, state.down, strict=True)
    )
    return state._replace(piles=piles, dealer=state.dealer[: state.seen] + tuple(hidden)).checked()


def view_of(state: KlondikePosition) -> Any:
    game = KlondikeGame.deal(0)
    game.state = state
    return game.view()


def published(state: KlondikePosition) -> str:
    """The check once more, straight from the rules text."""
    last = [pile[-1] if pile else None for pile in state.piles]
    for card in last:
        if card is not None:
            if rank_of(card) == 0:
                return "ace"
            if any((rank_of(c) + 1, is_black(c)) == (rank_of(card), not is_black(card)) for c in state.dealer):
                return "dealer"
    for number, pile in enumerate(state.piles):
        if state.down[number] and rank_of(lowest := pile[state.down[number]]) != 12:
            others = [c for other, c in enumerate(last) if other != number and c is not None]
            if any((rank_of(c) - 1, is_black(c)) == (rank_of(lowest), not is_black(lowest)) for c in others):
                return "run"
    for suit, count in enumerate(state.foundations):
        if count < 13 and (13 * suit + count in state.dealer or 13 * suit + count in last):
            return "foundation"
    return "nothing"


NAMES = {
    "ace": Branch.ACE,
    "dealer": Branch.DEALER_FITS,
    "run": Branch.RUN_FITS,
    "foundation": Branch.FOUNDATION,
    "nothing": Branch.NOTHING,
}


def test_check__answers_as_the_rules_text_with_its_branch() -> None:
    found = set()
    for state in random_states(2, 400, games=8):
        answer = published_check(state)
        assert answer.branch is NAMES[published(state)]
        assert bool(answer) == (answer.branch is not Branch.NOTHING)
        found.add(answer.branch)
    assert found == set(Branch)


CHECKS = [
    ("AC", "", (0, 0, 0, 0), Branch.ACE),
    ("9H", "8S", (0, 0, 0, 0), Branch.DEALER_FITS),
    ("(2C) 9H | TS", "", (0, 0, 0, 0), Branch.RUN_FITS),
    ("9H | TS", "", (0, 0, 0, 0), Branch.NOTHING),  # nothing lies face down under the 9
    ("(2C) 9H 8S | TS", "", (0, 0, 0, 0), Branch.RUN_FITS),
    ("(2C) KS", "", (0, 0, 0, 0), Branch.NOTHING),  # a king to an empty pile does not count
    ("(9H) KS", "QD", (0, 0, 0, 0), Branch.DEALER_FITS),
    ("(2C) 9H", "5D", (0, 4, 0, 0), Branch.FOUNDATION),
    ("(2C) 9H | 5D", "", (0, 4, 0, 0), Branch.FOUNDATION),
    ("", "", (13, 13, 13, 13), Branch.NOTHING),  # finished
]


@pytest.mark.parametrize(("piles", "dealer", "foundations", "branch"), CHECKS)
def test_check__cases(piles: str, dealer: str, foundations: tuple[int, ...], branch: Branch) -> None:
    answer = published_check(state_of(piles, dealer, foundations))
    assert answer.branch is branch
    assert answer.alive == (branch is not Branch.NOTHING)


def lost_game() -> KlondikeGame:
    """A random game at the end of which only deals are left."""
    game, rng = KlondikeGame.deal(251), random.Random(251)
    while not game.is_over:
        legal = game.legal_moves()
        game.play(rng.choice(legal[1:]) if len(legal) > 1 and rng.random() < 0.9 else legal[0])
    return game


def test_stuck__says_so_only_where_no_deal_helps() -> None:
    for state in (*random_states(9, 300, games=6)[::7], lost_game().state):
        later, useful = state, False
        for _ in range(len(state.dealer) + 2):
            legal = legal_moves(later)
            useful = useful or any(move != DEAL for move in legal) or later.is_won
            if DEAL not in legal:
                break
            later = after(later, DEAL)
        assert is_stuck(state) == (not useful and state.seen == len(state.dealer))


def test_stuck__is_the_same_however_hidden_cards_are_exchanged() -> None:
    """A lost game, at each place of the first pass through the dealer area."""
    lost = lost_game().state
    assert is_stuck(lost)
    for seen in range(lost.dealt, len(lost.dealer)):
        state = lost._replace(seen=seen)
        assert not any(is_stuck(other) for other in (state, *(exchanged(state, seed) for seed in range(20))))


def test_moves__are_417_with_names() -> None:
    assert NUM_MOVES == 417
    assert card_move(move_of(51, FOUNDATION)) == (51, FOUNDATION)
    assert suit_of(card_move(416).card) == 3  # type: ignore[union-attr]
    for text in ("", "KH", "KH>8", "KH>0", "1H>2", "deal>1"):
        with pytest.raises(NotationError, match=r"expected a( move: deal,| card, a rank)"):
            parse_move(text)
    with pytest.raises(ConfigError, match="expected an action of 0 to 416"):
        card_move(417)


def test_moves__of_a_text_count_deals() -> None:
    moves = [DEAL, move_of(51, 2), *[DEAL] * 12, move_of(0, FOUNDATION)]
    assert moves_text(moves) == "deal KS>3 deal*12 AC>F"
    assert parse_moves(moves_text(moves)) == tuple(moves) == parse_moves(" ".join(map(move_text, moves)))
    for text in ("deal*0", "deal*x", "deal*-1", "AC>F*2", "deal*"):
        with pytest.raises(NotationError, match=r"expected a( move: deal,| card, a rank)"):
            parse_moves(text)
    with pytest.raises(NotationError, match="too many moves"):
        parse_moves("deal*9999 deal*2")
