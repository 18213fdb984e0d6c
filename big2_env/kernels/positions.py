"""Positions of the reference engine to game records of the batch engine, and back."""

from __future__ import annotations

from typing import Any

from big2_env.cards import iter_cards
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.state import GAME


def pack(ruleset: RuleSet, position: Position, game: Any) -> None:
    """Write a position over a game record; the game's own stream stays."""
    place_of = ruleset.order.positions

    def places(mask: int) -> int:
        return sum([1 << place_of[card] for card in iter_cards(mask)])

    for seat, (hand, played) in enumerate(zip(position.hands, position.played, strict=True)):
        game.hands[seat], game.played[seat] = places(hand), places(played)
    top = position.top
    game.top = 0 if top is None else places(top.mask)
    game.obligation = places(position.obligation)
    game.turn = position.turn
    game.top_category, game.top_power = (-1, -1) if top is None else (top.category, top.power)
    names = [rule.pattern.name for rule in ruleset.patterns]
    game.top_pattern = -1 if top is None else names.index(top.pattern)
    game.top_seat = -1 if position.top_seat is None else position.top_seat
    game.passed = position.passed
    game.winner = position.finished[0] if position.finished else -1
    game.steps = 0


def unpack(ruleset: RuleSet, game: Any) -> Position:
    """The position that a game record stands for."""
    card_at, players = ruleset.order.cards, ruleset.default_players
    fields = dict(zip(GAME.names or (), game.item(), strict=True))

    def cards(places: int) -> int:
        return sum([1 << card_at[place] for place in iter_cards(places)])

    return Position(
        hands=tuple([cards(places) for places in fields["hands"].tolist()[:players]]),
        turn=fields["turn"],
        top=ruleset.play(cards(fields["top"])) if fields["top_category"] >= 0 else None,
        top_seat=fields["top_seat"] if fields["top_seat"] >= 0 else None,
        passed=fields["passed"],
        obligation=cards(fields["obligation"]),
        played=tuple([cards(places) for places in fields["played"].tolist()[:players]]),
        finished=(fields["winner"],) if fields["winner"] >= 0 else (),
    )
