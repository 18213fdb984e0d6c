from __future__ import annotations

import hashlib
import pickle
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import SUPPORT
from random_games import random_games

from big2_env import (
    BIG2,
    DECK_52,
    PASS,
    CardSet,
    ConfigError,
    EndReason,
    Game,
    IllegalPlayError,
    Move,
    NotationError,
    Outcome,
    Play,
    Position,
    Refusal,
)
from big2_env.base.cards import as_mask
from big2_env.base.rng import SplitMix64

SHORT = ["C[3] D[3] S[K]", "D[4] H[4]", "S[3] H[3] C[5]", "C[2] D[2]"]
"""Four short hands; seat 0 opens."""


def test_from_deck__deals_the_last_card_to_seat_0() -> None:
    deck = list(DECK_52.cards)
    game = Game.from_deck(BIG2, deck)
    for seat in range(4):
        assert game.position.hands[seat] == as_mask(deck[51 - seat :: -4])
    assert game.position.hands[0] == as_mask([51 - 4 * i for i in range(13)])
    assert game.turn == 3  # C[3] is the first card of the line, the last one dealt


def test_deal__is_the_seeds_and_nothing_elses() -> None:
    assert Game.deal(BIG2, 7) == Game.deal(BIG2, 7) != Game.deal(BIG2, 8)
    assert Game.deal(BIG2, 7).position == Game.from_deck(BIG2, DECK_52.shuffled(7)).position
    openers = [Game.deal(BIG2, seed).turn for seed in range(400)]
    assert all(70 < openers.count(seat) < 130 for seat in range(4))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Game.from_deck(BIG2, DECK_52.cards[:51]), "expected a deck with each of the 52 cards once, got 51 cards"),
        (lambda: Game.from_deck(BIG2, [*DECK_52.cards[:51], DECK_52.cards[0]]), "each of the 52 cards once"),
        (lambda: Game.deal(BIG2, 1, num_players=5), "big2 needs 2 to 4 players, got 5"),
        (lambda: Game.deal("big2", 1), r"^expected a RuleSet, as big2_env\.ruleset\('big2'\) gives it, got 'big2'$"),
        (lambda: Game.deal(BIG2, "7"), "^expected an integer as seed, got '7'$"),
        (lambda: Game.deal(BIG2, 7.0), r"^expected an integer as seed, got 7\.0$"),
        (lambda: Game.from_hands(BIG2, SHORT[:1]), "position: expected 2 to 4 hands for big2, got 1"),
        (lambda: Game.from_hands(BIG2, []), r"expected hands of at least one card, got \[\] cards"),
        (
            lambda: Game.from_hands(BIG2, ["C[3]", "C[4]", "", "C[5]"]),
            r"expected hands of at least one card, got \[1, 1, 0, 1\] cards",
        ),
        (lambda: Game.from_hands(BIG2, ["C[3]", "C[4]", "C[5]", "C[3] C[6]"]), r"C\[3\] twice"),
        (lambda: Game.from_hands(BIG2, ["C[3]", "C[4]", "C[5]", "LJ"]), "cards outside the deck"),
        (lambda: Game.deal(BIG2, 1).view(4), "expected a seat of 0 to 3, got 4"),
        (lambda: Game.deal(BIG2, 1).view(-1), "expected a seat of 0 to 3, got -1"),
    ],
)
def test_making_a_game__says_what_is_wrong(make: object, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        make()


HANDS = tuple(map(as_mask, SHORT))
TOP = BIG2.play("C[4]")
GOOD = Position(HANDS, turn=1, top=TOP, top_seat=0, passed=0b1000)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"hands": (*HANDS[:3], 0)}, r"position: expected finished seats \[3\] in some order, from the hands and"),
        (
            {"hands": (HANDS[0], HANDS[1], 0, 0), "finished": (2, 3)},
            r"expected at most one empty hand, for big2 ends with the first, got empty hands of seats \[2, 3\]",
        ),
        ({"finished": (2,)}, r"position: expected finished seats \[\] in some order, from the hands and"),
        ({"hands": (as_mask(range(20, 34)), *HANDS[1:])}, r"position: expected hands of at most 13 cards, got \[14, 2, 3, 2\]"),
        ({"pile": DECK_52.cards[-1:]}, "a draw pile, big2 has none"),
        ({"played": (0, 0)}, "played cards of 2 seats, there are 4 hands"),
        ({"played": (1, 0, 0, 0)}, r"C\[3\] twice"),
        ({"turn": 4}, "position: expected a turn of a seat that holds cards, got 4"),
        ({"turn": -1}, "position: expected a turn of a seat that holds cards, got -1"),
        ({"passed": 0b0010}, "position: expected passed bits of seats that are not to move, got 0b10"),
        ({"passed": 0b10000}, "position: expected passed bits of seats that are not to move, got 0b10000"),
        ({"top": BIG2.play("C[K]"), "top_seat": None}, "position: expected a top player other than the seat to move, got None"),
        ({"top_seat": 1}, "position: expected a top player other than the seat to move, got 1"),
        ({"top": replace(TOP, power=9)}, r"top play single C\[4\], which is no play of big2"),
        ({"top": BIG2.play("S[K]")}, r"top play single S\[K\] still in a hand"),
        ({"obligation": 1, "top": None}, r"the obligatory card C\[3\] is not in the hand to move"),
        ({"obligation": as_mask("D[4]")}, "an obligatory card after the first play"),
        (
            {"turn": 7, "passed": -1, "obligation": 1, "top": None},
            "position: expected a turn of a seat that holds cards, got 7; the",
        ),
    ],
)
def test_from_position__names_every_fault(change: dict[str, object], says: str) -> None:
    assert Game.from_position(BIG2, GOOD).position == GOOD._replace(played=(0, 0, 0, 0))
    with pytest.raises(ConfigError, match=says):
        Game.from_position(BIG2, GOOD._replace(**change))


def test_from_position__takes_no_negative_masks() -> None:
    with pytest.raises(NotationError, match="expected a card mask with bits 0 to 107, got -0x1"):
        Game.from_position(BIG2, GOOD._replace(hands=(-1, -1, 1, 2)))


def test_from_position__goes_on_from_any_point_of_a_game() -> None:
    for game in random_games(BIG2, range(8)):
        again = Game.from_position(BIG2, game.position)
        assert list(again.legal_plays()) == list(game.legal_plays())
        assert (again.is_over, again.outcome) == (game.is_over, game.outcome)


# One trick, step by step.


def test_trick__three_passes_end_it_and_passing_locks_nobody_out() -> None:
    game = Game.from_hands(BIG2, SHORT)
    assert (game.turn, game.top, game.can_pass) == (0, None, False)
    game.play("C[3]")
    game.play("D[4]")
    assert game.pass_() is PASS
    game.play("C[2]")
    assert game.turn == 0
    game.pass_()
    game.pass_()
    assert (game.turn, game.can_pass) == (2, True)  # seat 2 has passed before and is asked again
    game.pass_()
    assert (game.turn, game.top, game.can_pass) == (3, None, False)
    assert game.position.passed == 0
    game.play("D[2]")
    assert game.outcome == Outcome(3, EndReason.EMPTY_HAND, (2, 1, 3, 0), (-1 / 3, -1 / 3, -1 / 3, 1.0))
    assert [move.seat for move in game.history] == [0, 1, 2, 3, 0, 1, 2, 3]
    assert game.history[2] == Move(2, PASS)


def test_trick__a_second_play_after_a_pass_is_taken() -> None:
    game = Game.from_hands(BIG2, SHORT)
    for cards in ("C[3]", "D[4]", "", "", "S[K]", "", "", "C[2]"):
        game.play(cards)
    assert game.history[-1] == Move(3, BIG2.play("C[2]"))  # seat 3 had passed on D[4]


@pytest.mark.parametrize("scoring", ["winner", "cards"])
def test_outcome__pays_by_the_scoring(scoring: str) -> None:
    game = Game.from_hands(BIG2.with_scoring(scoring), ["C[3] D[3]", "D[4] H[4]", "S[3] H[3] C[5]", "C[2]"])
    game.play("C[3] D[3]")
    expected = {"winner": (1, -1 / 3, -1 / 3, -1 / 3), "cards": (6, -2, -3, -1)}[scoring]
    assert game.outcome == Outcome(0, EndReason.EMPTY_HAND, (0, 2, 3, 1), pytest.approx(expected))


# Refusals.


def opened(*moves: str) -> Game:
    game = Game.from_hands(BIG2, SHORT)
    for cards in moves:
        game.play(cards)
    return game


@pytest.mark.parametrize(
    ("game", "cards", "refusal", "says"),
    [
        (opened(), "", Refusal.MUST_PLAY, "the leader must play"),
        (opened(), "S[3]", Refusal.NOT_IN_HAND, r"S\[3\]: not in the hand C\[3\] D\[3\] S\[K\]"),
        (opened(), "C[3] S[3]", Refusal.NOT_IN_HAND, r"^S\[3\]: not in the hand"),
        (opened(), "LJ", Refusal.NOT_IN_HAND, "LJ: not in the hand"),
        (opened(), "C[3] S[K]", Refusal.NO_PATTERN, r"C\[3\] S\[K\]: no pattern of big2 \(single, pair"),
        (opened(), "S[K]", Refusal.MISSES_OPENING_CARD, r"S\[K\]: the first play .* contain C\[3\]"),
        (opened("C[3]"), "D[4] H[4]", Refusal.DOES_NOT_COVER, r"pair D\[4\] H\[4\] does not beat single C\[3\]"),
        (opened("C[3]", "D[4]"), "S[3]", Refusal.DOES_NOT_COVER, r"single S\[3\] does not beat single D\[4\]"),
        (opened("C[3]", "", "", ""), "", Refusal.MUST_PLAY, "the leader must play"),
        (opened("C[3]", "", "", "C[2]", "", "", "", "D[2]"), "D[3]", Refusal.GAME_OVER, "the game is over"),
        (opened("C[3]", "", "", "C[2]", "", "", "", "D[2]"), "", Refusal.GAME_OVER, "the game is over"),
    ],
)
def test_refused_moves__change_nothing_and_say_why(game: Game, cards: str, refusal: Refusal, says: str) -> None:
    before = game.copy()
    with pytest.raises(IllegalPlayError, match=says) as caught:
        game.play(cards)
    assert caught.value.refusal is refusal
    assert pickle.loads(pickle.dumps(caught.value)).refusal is refusal
    assert not game.can_play(cards)
    assert game == before
    assert game.position == before.position
    if not cards:
        assert not game.can_pass
        with pytest.raises(IllegalPlayError, match=says):
            game.pass_()


def test_play__takes_cards_in_every_form_and_plays_of_the_list() -> None:
    for cards in ("D[3] C[3]", CardSet("C[3] D[3]"), 0b11, [1, 0], BIG2.play("C[3] D[3]"), Play("pair", 0b11)):
        game = Game.from_hands(BIG2, SHORT)
        assert game.play(cards) == BIG2.play("C[3] D[3]") == game.top
    with pytest.raises(NotationError, match=r"S\[1\]"):
        game.play("S[1]")
    with pytest.raises(IllegalPlayError, match="no pattern of big2"):
        Game.from_hands(BIG2, SHORT).play(Play("straight", 0b11))


# Undo, copy, length.


@given(st.integers(0, 2**64 - 1), st.lists(st.integers(0, 2**16), max_size=210))
def test_game__any_line_keeps_the_cards_and_is_undone_to_the_start(seed: int, choices: list[int]) -> None:
    game = Game.deal(BIG2, seed)
    positions = [game.position]
    for choice in choices:
        plays = list(game.legal_plays())
        if not plays:
            break
        game.push(plays[choice % len(plays)])
        positions.append(game.position)
        hands, played = game.position.hands, game.position.played
        assert sum(hands) + sum(played) == DECK_52.mask  # as a sum: no card twice
        assert sum(hand.bit_count() for hand in (*hands, *played)) == 52
    moves = list(game.history)
    for position, move in zip(reversed(positions[:-1]), reversed(moves), strict=True):
        assert game.undo() == move
        assert game.position == position
    assert game == Game.deal(BIG2, seed)
    with pytest.raises(IndexError):
        game.undo()


def test_copy__is_independent_and_equal() -> None:
    game = opened("C[3]", "D[4]")
    other = game.copy()
    assert other == game
    other.play("C[5]")
    assert other != game
    assert (game.turn, len(game.history), game.top) == (2, 2, BIG2.play("D[4]"))
    game.undo()
    assert len(other.history) == 3
    assert other.start == game.start
    assert pickle.loads(pickle.dumps(other)) == other
    assert game != "game"
    with pytest.raises(TypeError):
        hash(game)


def test_length__at_most_208_decisions_and_about_77_by_random_play() -> None:
    lengths = [len(game.history) for game in random_games(BIG2, range(300)) if game.is_over]
    assert len(lengths) == 300
    assert max(lengths) <= 208
    assert 72 < sum(lengths) / len(lengths) < 82


def test_length__at_most_208_decisions_of_players_who_like_to_pass() -> None:
    for seed in range(60):
        rng, game = SplitMix64(seed), Game.deal(BIG2, seed)
        while not game.is_over:
            moves = [play for play in game.legal_plays() if len(play) < 2]
            game.push(PASS if game.can_pass and rng.below(10) < 7 else moves[0])
        assert 13 <= len(game.history) <= 208


def test_same_seed__same_game_as_ever() -> None:
    lines = (
        " ".join(f"{move.seat}:{move.play}" for move in game.history) for game in random_games(BIG2, range(20)) if game.is_over
    )
    assert (
        hashlib.sha256("\n".join(lines).encode()).hexdigest()
        == "8092e9c9cd8273ac3228a1de8a8de53c4279e4641634683f8d29ffba1aed8306"
    )


def test_repr__says_where_the_game_stands() -> None:
    assert repr(opened("C[3]")) == "<Game of big2: 1 acts, seat 1 to move>"
    assert repr(opened("C[3]").legal_plays()) == "<LegalPlays of big2: single D[4], single H[4], pass>"
    assert repr(opened("C[3]", "", "", "C[2]", "", "", "", "D[2]")) == "<Game of big2: 8 acts, over>"


def test_import__loads_nothing_heavy() -> None:
    script = (
        "import sys, big2_env; big2_env.Game.deal(big2_env.BIG2, 1).legal_plays();"
        "print([m for m in ('numpy', 'numba', 'torch', 'gymnasium', 'pettingzoo', 'stable_baselines3') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=SUPPORT)
    assert done.stdout.strip() == "[]", done.stdout
