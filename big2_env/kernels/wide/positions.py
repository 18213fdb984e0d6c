"""Positions of the reference engine to game records of the wide engine, and back."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from big2_env.cards import CARDS, NUM_CARDS, iter_cards
from big2_env.climbing.order import CardOrder
from big2_env.climbing.outcome import is_over
from big2_env.climbing.play import Play
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError
from big2_env.kernels.wide.compile import factor_bits, lanes
from big2_env.kernels.wide.records import GAME
from big2_env.kernels.wide.tables import BYTE

_WORD: Final = (1 << 64) - 1


def _places(order: CardOrder) -> list[int]:
    """The place of each card, by card id; -1 for one that the deck lacks."""
    places = [-1] * NUM_CARDS
    for value, rank in enumerate(order.ranks):
        for i, card in enumerate(order.sort(order.rank_masks[rank])):
            places[card] = BYTE * value + i
    return places


def pack(ruleset: RuleSet, position: Position, game: Any) -> None:
    """Write a position over a game record; the game's own stream stays.

    Raises:
        ConfigError: more further decks than the auction has, or a stake that may come to more than 63 bits.
    """
    deals = 1 if ruleset.auction is None else ruleset.auction.deals
    if len(position.redeals) >= deals:
        raise ConfigError(f"{len(position.redeals)} further decks: {ruleset.name} has {deals} deals at most")
    if (position.stake * position.factor).bit_length() + factor_bits(ruleset) > 63:
        raise ConfigError(f"stake {position.stake} times {position.factor}: with what may multiply it, more than 63 bits")
    stream, places = int(game.rng), _places(ruleset.order)
    record = np.zeros((), GAME)

    def write(field: Any, mask: int) -> None:
        bits = sum([1 << places[card] for card in iter_cards(mask)])
        field[0], field[1] = bits & _WORD, bits >> 64

    def write_play(name: str, prefix: str, play: Play | None) -> None:
        write(record[name], 0 if play is None else play.mask)
        names = [rule.pattern.name for rule in ruleset.patterns]
        told = (-1, -1, -1) if play is None else (play.category, play.power, names.index(play.pattern))
        for field, number in zip(("category", "power", "pattern"), told, strict=True):
            record[f"{prefix}_{field}"] = number

    for seat, hand in enumerate(position.hands):
        write(record["hands"][seat], hand)
        write(record["played"][seat], position.played[seat])
        write(record["captured"][seat], position.captured[seat] if position.captured else 0)
        record["held"][seat] = hand.bit_count()
        if ruleset.ranks_only:
            counts = [(hand & ruleset.order.rank_masks[rank]).bit_count() for rank in ruleset.order.ranks]
            record["lanes"][seat] = np.array(lanes(counts), np.uint64)
            record["nibbles"][seat] = sum(number << 4 * value for value, number in enumerate(counts))
    write_play("top", "top", position.top)
    write_play("lead_over", "lead", position.lead_over)
    for name in ("obligation", "bottom", "circle"):
        write(record[name], getattr(position, name))
    for name, what in (("top_seat", position.top_seat), ("landlord", position.landlord)):
        record[name] = -1 if what is None else what
    for name in ("stake", "factor", "turn", "passed", "bidding"):
        record[name] = getattr(position, name)
    record["acted"][: len(position.acted)] = position.acted
    record["num_said"], record["num_finished"] = len(position.said), len(position.finished)
    for i, (seat, value) in enumerate(position.said):
        record["said_seat"][i], record["said_value"][i] = seat, value
    record["finished"][: len(position.finished)] = position.finished
    record["num_pile"], record["num_redeals"] = len(position.pile), len(position.redeals)
    record["pile"][: len(position.pile)] = [places[card] for card in position.pile]
    for i, deck in enumerate(position.redeals):
        record["redeals"][i, : len(deck)] = deck
    record["players"], record["actor"] = len(position.hands), -1
    record["winner"] = position.finished[0] if is_over(ruleset, position) else -1
    record["rng"] = stream
    for name in GAME.names or ():
        game[name] = record[name]


def unpack(ruleset: RuleSet, game: Any) -> Position:
    """The position that a game record stands for; its seats are those that the hands tell."""
    card_at = {place: card for card, place in enumerate(_places(ruleset.order)) if place >= 0}
    seats, names = range(int(game.players)), [rule.pattern.name for rule in ruleset.patterns]

    def cards(words: Any) -> int:
        bits = int(words[0]) | int(words[1]) << 64
        return sum([1 << card for place, card in card_at.items() if bits >> place & 1])

    def play(words: Any, prefix: str) -> Play | None:
        category, power, pattern = (int(game[f"{prefix}_{field}"]) for field in ("category", "power", "pattern"))
        return None if category < 0 else Play(names[pattern], cards(words), category, power)

    said = zip(game.said_seat[: game.num_said].tolist(), game.said_value[: game.num_said].tolist(), strict=True)
    size = ruleset.deck.size
    return Position(
        hands=tuple(cards(game.hands[seat]) for seat in seats),
        turn=int(game.turn),
        top=play(game.top, "top"),
        top_seat=None if game.top_seat < 0 else int(game.top_seat),
        passed=int(game.passed),
        obligation=cards(game.obligation),
        played=tuple(cards(game.played[seat]) for seat in seats),
        pile=tuple(CARDS[card_at[place]] for place in game.pile[: game.num_pile].tolist()),
        finished=tuple(game.finished[: game.num_finished].tolist()),
        lead_over=play(game.lead_over, "lead"),
        bidding=bool(game.bidding),
        said=tuple((seat, value) for seat, value in said),
        landlord=None if game.landlord < 0 else int(game.landlord),
        bottom=cards(game.bottom),
        redeals=tuple(tuple(CARDS[card] for card in deck[:size]) for deck in game.redeals[: game.num_redeals].tolist()),
        stake=int(game.stake),
        factor=int(game.factor),
        acted=tuple(game.acted[: len(seats)].tolist()) if ruleset.auction else (),
        circle=cards(game.circle),
        captured=tuple(cards(game.captured[seat]) for seat in seats) if ruleset.scoring.captures else (),
    )
