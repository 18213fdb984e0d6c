"""Positions of the reference engine to game records of the batch engine, and back."""

from __future__ import annotations

from typing import Any

from big2_env.cards import iter_cards
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.tables import Tables


def to_places(t: Tables, mask: int) -> int:
    """A mask of card ids as a mask of places in the ruleset's order."""
    return sum(1 << int(t.place_of[card]) for card in iter_cards(mask))


def to_cards(t: Tables, places: int) -> int:
    """A mask of places in the ruleset's order as a mask of card ids."""
    return sum(1 << int(t.card_at[place]) for place in iter_cards(places))


def pack(ruleset: RuleSet, t: Tables, position: Position, game: Any) -> None:
    """Write a position over a game record; the game's own stream stays."""
    for seat, (hand, played) in enumerate(zip(position.hands, position.played, strict=True)):
        game.hands[seat], game.played[seat] = to_places(t, hand), to_places(t, played)
    top = position.top
    game.top = 0 if top is None else to_places(t, top.mask)
    game.obligation = to_places(t, position.obligation)
    game.turn = position.turn
    game.top_category, game.top_power = (-1, -1) if top is None else (top.category, top.power)
    names = [rule.pattern.name for rule in ruleset.patterns]
    game.top_pattern = -1 if top is None else names.index(top.pattern)
    game.top_seat = -1 if position.top_seat is None else position.top_seat
    game.passed = position.passed
    game.winner = position.finished[0] if position.finished else -1
    game.steps = 0


def unpack(ruleset: RuleSet, t: Tables, game: Any) -> Position:
    """The position that a game record stands for."""
    players = int(t.num_players)
    top = ruleset.play(to_cards(t, int(game.top))) if game.top_category >= 0 else None
    return Position(
        hands=tuple(to_cards(t, int(hand)) for hand in game.hands[:players]),
        turn=int(game.turn),
        top=top,
        top_seat=int(game.top_seat) if game.top_seat >= 0 else None,
        passed=int(game.passed),
        obligation=to_cards(t, int(game.obligation)),
        played=tuple(to_cards(t, int(played)) for played in game.played[:players]),
        finished=(int(game.winner),) if game.winner >= 0 else (),
    )
