"""Kernels of a single game, for the turn-based environment. They take few arguments, because each one costs time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from big2_env.games.uno.kernels.dtypes import CARDS, GAME, OUT, rules_array
from big2_env.games.uno.kernels.hands import hand_word, legal_of_hand, score
from big2_env.games.uno.kernels.observe import observe, write_mask
from big2_env.games.uno.kernels.turn import begin, deal, make_move
from big2_env.games.uno.rules import MAX_PLAYERS, UnoRules
from big2_env.kernels.dialect.bits import U, borrowed
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.dialect.records import COMPILED, numbers, rows_of


class OneGame:
    """Single game with the arrays that show it.

    Args:
        rules: Rules of the game.
        observation: Output of `show` and `act`, int8 (1, size).
        mask: Output of `show` and `act`, int8 (1, 62).
    """

    is_compiled: Final = COMPILED

    def __init__(self, rules: UnoRules, observation: Any, mask: Any) -> None:
        self._rules, self._games = rules_array(rules), np.zeros(1, GAME)
        words = np.zeros(observation.size // 64 + 4, np.uint64)
        self._given = self._rules, self._games, words, rows_of(observation), rows_of(mask)

    def deal(self, seed: int) -> int:
        """Deal the same game as `UnoGame.deal`. Returns the same value as `act`."""
        return deal_game(self._rules, self._games, U(seed))  # type: ignore[no-any-return]

    def start(self, deck: Sequence[int], stream: int) -> int:
        """Begin a game with a deck (bottom to top) and its generator state. Returns the same value as `act`."""
        codes = np.array([card + card // 15 for card in deck], np.uint8)
        return start_game(self._rules, self._games, codes, U(stream))  # type: ignore[no-any-return]

    def show(self, seat: int) -> None:
        """Write a seat's observation and legal actions; the mask is empty if it is not its turn."""
        show_seat(*self._given, seat)

    def act(self, move: int) -> int:
        """Make a legal move and show the next seat to move. Return that seat, plus `MAX_PLAYERS` if the game is over."""
        return move_in_game(*self._given, move)  # type: ignore[no-any-return]

    def result(self) -> tuple[bool, list[int]]:
        """Return True if a hand is empty, and the points left by each seat."""
        scores = np.zeros(self._rules[0]["players"], np.int64)
        return write_scores(self._rules, self._games, scores) == OUT, numbers(scores)


@kernel(entry=True)
def deal_game(rules: Any, games: Any, seed: Any) -> Any:
    """Deal a game; see `OneGame.deal`."""
    deal(rules[0], games[0], seed)
    return _stand(games[0])


@kernel(entry=True)
def start_game(rules: Any, games: Any, deck: Any, stream: Any) -> Any:
    """Begin a game; see `OneGame.start`. The deck consists of codes."""
    game = games[0]
    for place in range(CARDS):
        game.deck[place] = deck[place]
    game.shuffle = U(stream)
    game.settled = 0
    begin(rules[0], game)
    return _stand(game)


@kernel(entry=True)
def _stand(game: Any) -> Any:
    """Return the seat to move, plus `MAX_PLAYERS` if the game is over."""
    return np.int64(game.turn) + (MAX_PLAYERS if game.winner >= 0 else 0)


@kernel(entry=True)
def move_in_game(rule_records: Any, games: Any, words: Any, obs: Any, mask: Any, move: Any) -> Any:
    """Make a move; see `OneGame.act`. `words` is scratch."""
    rules, game = borrowed(rule_records)[0], borrowed(games)[0]
    make_move(rules, game, move)
    _show(rules, game, np.int64(game.turn), borrowed(words), borrowed(obs), borrowed(mask))
    return _stand(game)


@kernel(entry=True)
def show_seat(rules: Any, games: Any, words: Any, obs: Any, mask: Any, seat: Any) -> None:
    """Show a seat; see `OneGame.show`."""
    _show(borrowed(rules)[0], borrowed(games)[0], seat, borrowed(words), borrowed(obs), borrowed(mask))


@kernel(entry=True)
def _show(rules: Any, game: Any, seat: Any, words: Any, obs: Any, mask: Any) -> None:
    hand = hand_word(game, seat)
    observe(rules, game, seat, hand, words, obs, 0)
    write_mask(legal_of_hand(rules, game, hand) if seat == game.turn else U(0), mask, 0)


@kernel(entry=True)
def write_scores(rules: Any, games: Any, scores: Any) -> Any:
    """Write the points left by each seat, int64 (players,), and return the reason for the end."""
    for seat in range(rules[0].players):
        scores[seat] = score(games[0], seat)
    return np.int64(games[0].ended)
