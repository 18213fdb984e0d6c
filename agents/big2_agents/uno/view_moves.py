"""Moves of UNO players from one seat's view, by compiled or interpreted kernels.

Each move is chosen in a game made from the view, with the hidden cards at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from big2_agents.uno.guess_search import search_move
from big2_agents.uno.players import SCRATCH, learned_move, rule_v1_move
from big2_agents.uno.playouts import guess_hidden, recount
from big2_env.games.uno.cards import DECK
from big2_env.games.uno.kernels.dtypes import CARDS, ONE, new_games, rules_record
from big2_env.games.uno.kernels.pile import note_played
from big2_env.games.uno.view import UnoView
from big2_env.kernels.dialect.bits import U
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.dialect.records import COMPILED, records


class ViewMoves:
    """UNO players behind views; calls from several threads are safe."""

    is_compiled: Final = COMPILED

    def __init__(self, weights: Sequence[float]) -> None:
        self._weights = np.array(weights, np.float64)

    def learned(self, view: UnoView) -> int:
        """Return the learned player's move."""
        rules = rules_record(view.rules)
        return int(learned_move(rules, seen_game(view, rules, 0), self._weights, _scratch(0)))

    def rule_v1(self, view: UnoView, seed: int) -> int:
        """Return the move of RLCard's `uno-rule-v1`, with random numbers from a seed."""
        rules = rules_record(view.rules)
        return int(rule_v1_move(rules, seen_game(view, rules, 0), _scratch(seed)))

    def search(self, view: UnoView, guess: int, seed: int, tries: int) -> int:
        """Return the searching player's move.

        Args:
            view: The seat's view.
            guess: Seed of the initial hidden cards.
            seed: Seed of the guesses.
            tries: Number of guesses.
        """
        rules, games = rules_record(view.rules), new_games(3)
        games[0] = seen_game(view, rules, guess)
        return int(search_move(rules, games, self._weights, _scratch(seed), tries))


def _scratch(seed: int) -> Any:
    """Return the scratch of one answer, with the random stream of a seed."""
    scratch = records(1, SCRATCH)[0]
    scratch.rng = U(seed)
    return scratch


def seen_game(view: UnoView, rules: Any, seed: int) -> Any:
    """Return a game with the same view from one seat as another game.

    The played cards have the lowest ages, followed by the viewer's hand, both in their order. The seed determines who holds
    which hidden card. Turns are counted from 0.

    Args:
        view: A seat's view of an unfinished game.
        rules: Its rules as a record, `rules_record`.
        seed: Seed of the hidden cards, below 2**64.

    Returns:
        A record of dtype `GAME`.
    """
    game = new_games(1)[0]
    seats = range(view.rules.players)
    known = (*view.discards, *view.hand)
    unseen = list(DECK)
    for card in known:
        unseen.remove(card)
    codes = np.array([card + card // 15 for card in (*known, *unseen)], np.int64)
    held = np.array([view.cards_left[seat] for seat in seats], np.int64)
    game.turn, game.direction, game.colour, game.face = view.turn, view.direction, view.colour, view.face
    game.naming, game.winner, game.left = view.naming, -1, view.pile
    game.taken = CARDS - view.pile
    game.drawn = -1 if view.drawn is None else len(known) - 1
    for seat in seats:
        game.seats[seat].held = held[seat]
        game.seats[seat].fresh = sum(((1 << number) - 1) << 8 * colour for colour, number in enumerate(view.fresh[seat]))
    _lay(rules, game, codes, np.int64(len(view.discards)), np.int64(view.seat), held)
    guess_hidden(rules, game, np.int64(view.seat), U(seed))
    return game


@kernel(entry=True)
def _lay(rules: Any, game: Any, codes: Any, played: Any, me: Any, held: Any) -> None:
    """Put cards, by their codes int64 (108,), on the table, into the hand of seat `me`, into other hands, and into the pile."""
    for age in range(played):
        note_played(game, codes[age])
    for age in range(game.taken):
        game.codes[age] = codes[age]
    for place in range(game.left):
        game.deck[place] = codes[game.taken + place]
    at = played
    for distance in range(rules.players):
        seat = me + distance
        seat = seat - rules.players if seat >= rules.players else seat
        hand = game.seats[U(seat)]
        for _ in range(held[seat]):
            if at < 64:
                hand.low |= ONE << U(at)
            else:
                hand.high |= ONE << U(at - 64)
            at += 1
        recount(game, seat)
