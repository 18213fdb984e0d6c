"""Rules of the fishing game 金钩钓鱼 as values: the article's program, and other readings of its prose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, Final

from big2_env.base.errors import ConfigError, NotationError
from big2_env.base.json_values import shown, text_at
from big2_env.base.language import Language, Words, language, words
from big2_env.base.scene import RulesPage
from big2_env.games.fishing.cards import DECK_52, DECK_54, RANKS, FishingDeck


class CaptureOrder(StrEnum):
    """Order in which captured cards go under a hand, and so in which they are played again."""

    BOARD = "board"
    """Oldest card of the board first."""
    REVERSED = "reversed"
    """Newest card of the board first."""


@dataclass(frozen=True)
class FishingRules:
    """Rule options of a game. The defaults match the article's program.

    Args:
        deck: Cards in play.
        order: Order in which captured cards go under the hand.
        empty_first: True if playing the last card loses even when it would capture.
        j_on_empty: True if a J on an empty board captures itself and its player plays again. Most such games never end.
        j_power: True if a J captures the whole board.
        again: True if a player who captures plays again.

    Raises:
        ConfigError: An option has the wrong type, or `j_on_empty` is combined with `j_power=False`.

    >>> FishingRules()
    FishingRules()
    >>> FishingRules(empty_first=True).with_deck("52")
    FishingRules(deck=FishingDeck.parse('52'), empty_first=True)
    """

    deck: FishingDeck = DECK_54
    order: CaptureOrder = CaptureOrder.BOARD
    empty_first: bool = False
    j_on_empty: bool = False
    j_power: bool = True
    again: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.deck, FishingDeck):
            raise ConfigError(f"expected a FishingDeck as deck, got {self.deck!r}")
        if not isinstance(self.order, CaptureOrder):
            raise ConfigError(f"unknown order {self.order!r}; expected one of {', '.join(map(repr, CaptureOrder))}")
        if self.j_on_empty and not self.j_power:
            raise ConfigError("j_on_empty needs j_power=True: a J without power captures nothing")

    def __repr__(self) -> str:
        parts = []
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                shown = f"FishingDeck.parse({str(value)!r})" if field.name == "deck" else str(value)
                parts.append(f"{field.name}={f'CaptureOrder.{value.name}' if field.name == 'order' else shown}")
        return f"FishingRules({', '.join(parts)})"

    def with_deck(self, deck: str | FishingDeck) -> FishingRules:
        """Return the same rules with another deck, given as a value or as text.

        Raises:
            ConfigError: The text is not a valid deck.
        """
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return FishingRules(**values | {"deck": FishingDeck.parse(deck) if isinstance(deck, str) else deck})


LISTING: Final = FishingRules()
"""Rules of the article's program: 54 cards, board order, captures before the check for an empty hand."""

READINGS: Final = {
    "listing": LISTING,
    "52 cards": FishingRules(deck=DECK_52),
    "reversed": FishingRules(order=CaptureOrder.REVERSED),
    "empty first": FishingRules(empty_first=True),
    "j on empty": FishingRules(j_on_empty=True),
    "j on empty, empty first": FishingRules(j_on_empty=True, empty_first=True),
    "j without power": FishingRules(j_power=False),
    "turn passes": FishingRules(again=False),
}
"""Readings by name. Each one changes one or two options of the article's program."""


def check_cycles_watched(rules: FishingRules, watch_cycles: bool) -> None:
    """Check that a reading with many endless games has cycle detection.

    Raises:
        ConfigError: `j_on_empty` without cycle detection.
    """
    if rules.j_on_empty and not watch_cycles:
        raise ConfigError("j_on_empty needs cycle detection, because most such games never end")


FLAGS: Final = ("empty_first", "j_on_empty", "j_power", "again")
"""Names of the boolean options."""


def rules_data(rules: FishingRules) -> dict[str, Any]:
    """Return rules as JSON values: `deck` and `order` as strings, the rest as booleans.

    >>> rules_data(LISTING)["deck"]
    '54'
    """
    return {"deck": str(rules.deck), "order": rules.order.value} | {flag: getattr(rules, flag) for flag in FLAGS}


def rules_of(data: Any) -> FishingRules:
    """Return the rules for JSON values.

    Raises:
        NotationError: The value does not have the form of `rules_data`.
        ConfigError: The options are invalid.
    """
    if (
        not isinstance(data, dict)
        or set(data) != {"deck", "order", *FLAGS}
        or not all(type(data[flag]) is bool for flag in FLAGS)
    ):
        raise NotationError(f"rules: expected deck, order, and true or false for {', '.join(FLAGS)}, got {shown(data)}")
    order = text_at(data, "order", 20)
    if order not in list(CaptureOrder):
        raise NotationError(f"unknown order {shown(order)}; expected one of {', '.join(CaptureOrder)}")
    flags = {flag: data[flag] for flag in FLAGS}
    return FishingRules(order=CaptureOrder(order), **flags).with_deck(text_at(data, "deck", 100))


def rules_page(rules: FishingRules = LISTING, lang: Language | None = None) -> RulesPage:
    """Return the rules of the fishing game in words.

    Args:
        rules: Rule options; by default the rules of the article's program.
        lang: Language; by default the user's.
    """
    tr = words(language() if lang is None else lang)
    topics = {
        "aim": [tr("rules_fishing.aim")],
        "cards": _cards(rules, tr),
        "turns": _turns(rules, tr),
        "end": [tr("rules_fishing.end_first" if rules.empty_first else "rules_fishing.end")],
    }
    return RulesPage.of("fishing", tr.name("game", "fishing"), topics, tr)


def _cards(rules: FishingRules, tr: Words) -> Iterator[str]:
    by_count: dict[int, list[str]] = {}
    for rank, count in zip(RANKS, rules.deck.counts, strict=True):
        by_count.setdefault(count, []).append(rank)
    by_count.pop(0, None)
    parts = [tr("rules_fishing.deck_part", ranks=" ".join(ranks), count=count) for count, ranks in by_count.items()]
    yield tr("rules_fishing.players")
    yield tr("rules_fishing.deck", number=sum(rules.deck.counts), cards=tr("rules_fishing.and").join(parts))
    if rules.deck.counts[RANKS.index("W")]:
        yield tr("rules_fishing.joker_ordinary")


def _turns(rules: FishingRules, tr: Words) -> Iterator[str]:
    yield tr("rules_fishing.play")
    yield tr("rules_fishing.capture")
    if not rules.j_power:
        yield tr("rules_fishing.jack_ordinary")
    else:
        yield tr("rules_fishing.jack")
        yield tr("rules_fishing.jack_empty_takes" if rules.j_on_empty else "rules_fishing.jack_empty")
    yield tr("rules_fishing.order_board" if rules.order is CaptureOrder.BOARD else "rules_fishing.order_reversed")
    yield tr("rules_fishing.again" if rules.again else "rules_fishing.not_again")
