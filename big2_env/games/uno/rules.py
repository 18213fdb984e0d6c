"""Rules of UNO as values. Each point that the article leaves open is an option whose default is the recommended reading.

Sources: 疯狂的UNO, and the printed Mattel rules for points that it does not mention.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from big2_env.base.enums import Named
from big2_env.base.errors import ConfigError
from big2_env.base.language import Language, Words, language, words
from big2_env.base.scene import RulesPage
from big2_env.games.uno.cards import NUM_NUMBERS

MIN_PLAYERS: Final = 2
MAX_PLAYERS: Final = 14
"""Most players; with one more, fewer than ten cards would be left after the deal."""
HAND_SIZE: Final = 7
MAX_TURNS: Final = 10_000
"""Limit on turns per game; only `empty_pile="reshuffle"` can reach it."""

CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "colour_order": ("numbers_first", "draw_order", "actions_first"),
    "effects": ("mattel", "draw_only", "none"),
    "wild_four": ("no_colour", "free", "last_resort"),
    "wild_order": ("draw_order", "wild_first", "four_first"),
    "empty_pile": ("end", "reshuffle"),
    "pile_test": ("turn_start", "at_once"),
    "ties": ("shared", "lowest_seat"),
    "pick": ("oldest", "highest", "hardest"),
}
"""Options with named values, default first."""


@dataclass(frozen=True)
class UnoRules:
    """Rule options of a game. The defaults are the recommended readings of the article.

    Args:
        players: Number of players, 2 to 14.
        colour_order: Automatic player's preference within the current color: `numbers_first`, `draw_order` or `actions_first`.
        effects: `mattel` (after a skip, draw two or wild draw four the next player loses the turn), `draw_only` (a player who
            has to draw still plays) or `none`.
        pure_direction: True if a reverse with two players changes only the direction, instead of skipping the opponent.
        official_first_card: True to turn up one card and apply its effect (a wild draw four goes back into the pile); False to
            turn up the first number card from the top.
        match_zero: True if a 0 matches a 0 of another color.
        match_wild: True if the automatic player also matches wild cards by face in its first step.
        blank_is_any: True if any card may follow a wild card; False if the player of the wild card names a color.
        wild_four: When a wild draw four is legal: `no_colour` (without a card of the current color), `free` (always) or
            `last_resort` (if nothing else is playable).
        wild_order: Automatic player's preference among wild cards: `draw_order` (oldest first), or a plain wild or a wild draw
            four first.
        play_drawn: True if a drawn card may be played at once; False if drawing ends the turn.
        draw_when_able: True if a player with a playable card may draw. The automatic player never does.
        last_card_acts: True if a draw two or wild draw four that empties a hand still makes the next player draw, which raises
            that player's score.
        empty_pile: `end` (an empty pile ends the game) or `reshuffle` (the played cards except the last one form a new pile).
        pile_test: When an empty pile takes effect: `turn_start`, or `at_once` when its last card is taken.
        ties: `shared` (all seats with the lowest score win) or the lowest of these seats alone.
        pick: Automatic player's choice among equally preferred cards: `oldest`, `highest` (most points) or `hardest` (matched
            by the fewest unseen cards); ties go to the oldest. The article uses `oldest` and suggests the others as exercises.

    Raises:
        ConfigError: An option has an invalid value.
    """

    players: int = 2
    colour_order: str = "numbers_first"
    effects: str = "mattel"
    pure_direction: bool = False
    official_first_card: bool = False
    match_zero: bool = True
    match_wild: bool = False
    blank_is_any: bool = False
    wild_four: str = "no_colour"
    wild_order: str = "draw_order"
    play_drawn: bool = False
    draw_when_able: bool = True
    last_card_acts: bool = False
    empty_pile: str = "end"
    pile_test: str = "turn_start"
    ties: str = "shared"
    pick: str = "oldest"

    def __post_init__(self) -> None:
        if not isinstance(self.players, int) or isinstance(self.players, bool):
            raise ConfigError(f"expected {MIN_PLAYERS} to {MAX_PLAYERS} players, got {self.players!r}")
        if not MIN_PLAYERS <= self.players <= MAX_PLAYERS:
            few = (
                f": {self.players} hands of {HAND_SIZE} leave fewer than ten of the 108 cards"
                if self.players > MAX_PLAYERS
                else ""
            )
            raise ConfigError(f"expected {MIN_PLAYERS} to {MAX_PLAYERS} players, got {self.players}{few}")
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in CHOICES:
                if value not in CHOICES[field.name]:
                    raise ConfigError(f"unknown {field.name} {value!r}; expected one of {', '.join(CHOICES[field.name])}")
            elif field.name != "players" and not isinstance(value, bool):
                raise ConfigError(f"{field.name}: expected True or False, got {value!r}")

    def having(self, **changes: Any) -> UnoRules:
        """Return the same rules with some options changed.

        Args:
            **changes: New values by option name.

        Raises:
            ConfigError: An option is unknown or its value invalid.
        """
        known = [field.name for field in fields(self)]
        if unknown := sorted(set(changes) - set(known)):
            raise ConfigError(f"unknown rule {', '.join(unknown)}; expected {', '.join(known)}")
        return replace(self, **changes)

    def changed(self) -> dict[str, Any]:
        """Return the options that differ from the recommended rules, by name; always includes `players`."""
        default = UnoRules()
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in found.items() if name == "players" or value != getattr(default, name)}


PRESETS: Final = {
    "article": UnoRules(),
    "letter": UnoRules(
        colour_order="draw_order",
        pure_direction=True,
        match_zero=False,
        blank_is_any=True,
        wild_four="free",
        pile_test="at_once",
    ),
    "table": UnoRules(play_drawn=True),
    "mattel": UnoRules(play_drawn=True, official_first_card=True, last_card_acts=True, empty_pile="reshuffle"),
    "rlcard": UnoRules(pure_direction=True, official_first_card=True, wild_four="last_resort", draw_when_able=False),
}
"""Rules by preset name.

* `article`: the recommended readings.
* `letter`: the article taken literally, even if the result is odd. Faces match only from 1 to 12, so a 0 does not match a 0.
  The bracketed remark on action cards has no effect. A reverse only changes the direction, any card may follow a wild card,
  wild cards are always legal, and an empty pile ends the game at once. Everything else is as in `article`.
* `table`: `article`, but a drawn card may be played; the default of the environments.
* `mattel`: the printed rules, as far as this package implements them.
* `rlcard`: the legal actions of RLCard's `uno`; its transitions differ.
"""


def uno_rules(rules: str | UnoRules = "article", **changes: Any) -> UnoRules:
    """Return rules by preset name, or as given, with some options changed.

    Args:
        rules: Rules, or the name of a preset.
        **changes: New values by option name.

    Raises:
        ConfigError: The preset or an option is unknown, or a value is invalid.

    >>> uno_rules("mattel", players=4).empty_pile
    'reshuffle'
    """
    if isinstance(rules, str):
        if rules not in PRESETS:
            raise ConfigError(f"unknown UNO rules {rules!r}; expected one of {', '.join(PRESETS)}")
        rules = PRESETS[rules]
    if not isinstance(rules, UnoRules):
        raise ConfigError(f"expected the name of UNO rules or UnoRules, got {rules!r}")
    return rules.having(**changes)


class UnoEnd(Named):
    """Reason for the end of a game."""

    OUT = "a hand is empty"
    EXHAUSTED = "the pile is empty"


@dataclass(frozen=True)
class UnoOutcome:
    """Result of a game."""

    reason: UnoEnd
    """Reason for the end."""
    scores: tuple[int, ...]
    """Points of the cards left, by seat."""
    winners: tuple[int, ...]
    """Winning seats: all with the lowest score, or only the lowest of them, depending on the rules."""

    @classmethod
    def of(cls, rules: UnoRules, reason: UnoEnd, scores: Sequence[int]) -> UnoOutcome:
        """Return the result for the points left by each seat."""
        winners = tuple(seat for seat, score in enumerate(scores) if score == min(scores))
        return cls(reason, tuple(scores), winners if rules.ties == "shared" else winners[:1])

    @property
    def winner(self) -> int:
        """Winning seat; the lowest one of several."""
        return self.winners[0]

    def payoffs(self, scoring: str = "winner") -> tuple[float, ...]:
        """Return the payoff of each seat; payoffs sum to 0.

        Args:
            scoring: `"winner"` (each loser pays 1 / (players - 1)) or `"points"` (each loser pays the difference between its
                score and the lowest one). The winners share the sum.

        Raises:
            ConfigError: The scoring is unknown.
        """
        if scoring not in SCORINGS:
            raise ConfigError(f"unknown scoring {scoring!r}; expected one of {', '.join(SCORINGS)}")
        pay = SCORINGS[scoring]
        paid = [0.0 if seat in self.winners else pay(self, seat) for seat in range(len(self.scores))]
        share = sum(paid) / len(self.winners)
        return tuple(share if seat in self.winners else -paid[seat] for seat in range(len(paid)))


SCORINGS: Final[dict[str, Callable[[UnoOutcome, int], float]]] = {
    "winner": lambda outcome, seat: 1 / (len(outcome.scores) - 1),
    "points": lambda outcome, seat: float(outcome.scores[seat] - min(outcome.scores)),
}
"""Payment of a losing seat, by name of the scoring."""


def rules_page(rules: UnoRules | None = None, lang: Language | None = None) -> RulesPage:
    """Return the rules of UNO in words.

    Args:
        rules: Rules of the game; by default the recommended ones.
        lang: Language; by default the user's.
    """
    given, tr = UnoRules() if rules is None else rules, words(language() if lang is None else lang)
    topics = {
        "cards": _cards(given, tr),
        "turns": _turns(given, tr),
        "end": _end(given, tr),
        "score": _score(given, tr),
        "automatic": _automatic(given, tr),
    }
    return RulesPage.of("uno", tr.name("game", "uno"), topics, tr)


def _cards(rules: UnoRules, tr: Words) -> Iterator[str]:
    yield tr("rules_uno.players", players=rules.players, hand=HAND_SIZE)
    yield tr("rules_uno.deck")
    yield tr("rules_uno.first_official" if rules.official_first_card else "rules_uno.first_number")
    if not rules.official_first_card and HAND_SIZE * rules.players >= NUM_NUMBERS:
        yield tr("rules_uno.dealt_again")


def _turns(rules: UnoRules, tr: Words) -> Iterator[str]:
    yield tr("rules_uno.match")
    if not rules.match_zero:
        yield tr("rules_uno.no_match_zero")
    yield tr("rules_uno.wild_any" if rules.blank_is_any else "rules_uno.wild_colour")
    yield tr(f"rules_uno.wild_four_{rules.wild_four}")
    yield tr("rules_uno.draw" if rules.draw_when_able else "rules_uno.draw_unable")
    yield tr("rules_uno.drawn_playable" if rules.play_drawn else "rules_uno.drawn_ends")
    yield tr(f"rules_uno.effects_{rules.effects}")
    if rules.effects != "none" and rules.players == 2 and not rules.pure_direction:
        yield tr("rules_uno.reverse_skips")


def _end(rules: UnoRules, tr: Words) -> Iterator[str]:
    yield tr("rules_uno.end_hand")
    if rules.last_card_acts:
        yield tr("rules_uno.last_card_acts")
    if rules.empty_pile == "reshuffle":
        yield tr("rules_uno.reshuffle")
    else:
        yield tr("rules_uno.end_pile_at_once" if rules.pile_test == "at_once" else "rules_uno.end_pile_turn")


def _score(rules: UnoRules, tr: Words) -> Iterator[str]:
    yield tr("rules_uno.score")
    yield tr("rules_uno.ties_shared" if rules.ties == "shared" else "rules_uno.ties_lowest")


def _automatic(rules: UnoRules, tr: Words) -> Iterator[str]:
    yield tr("rules_uno.auto")
    if rules.match_wild:
        yield tr("rules_uno.auto_match_wild")
    if rules.colour_order != "draw_order":
        yield tr(f"rules_uno.auto_{rules.colour_order}")
    if rules.wild_order != "draw_order":
        yield tr(f"rules_uno.auto_{rules.wild_order}")
    yield tr(f"rules_uno.auto_{rules.pick}")
