"""UNO's rules as a value: every point that the article leaves open is a field, and its default the recommended reading.

Source: 疯狂的UNO, and the printed Mattel rules where it is silent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from big2_env.errors import ConfigError
from big2_env.games.uno.cards import NUM_NUMBERS
from big2_env.language import Language, Words, language, words
from big2_env.named import Named
from big2_env.scene import RulesPage, RulesSection

MIN_PLAYERS: Final = 2
MAX_PLAYERS: Final = 14
"""With one more, fewer than ten cards would be left after the deal."""
HAND_SIZE: Final = 7
MAX_TURNS: Final = 10_000
"""A game ends then, which only `empty_pile="reshuffle"` can reach."""

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
"""The fields that are names, and the names allowed; the first is the default."""


@dataclass(frozen=True)
class UnoRules:
    """The rules of a game.

    Raises:
        ConfigError: a value that is not allowed.
    """

    players: int = 2
    """2 to 14."""
    colour_order: str = "numbers_first"
    """What the automatic player takes within the colour in force: `numbers_first`, `draw_order` or `actions_first`."""
    effects: str = "mattel"
    """`mattel`: skip, draw two and wild four cost the next player the turn; `draw_only`: who draws still plays; `none`."""
    pure_direction: bool = False
    """With two players a reverse only turns the direction, instead of being a skip."""
    official_first_card: bool = False
    """Turn up one card and do what it says (a wild four stays in the pile), instead of the first number card from the top."""
    match_zero: bool = True
    """A 0 fits a 0 of another colour."""
    match_wild: bool = False
    """The automatic player's first step matches a wild card by its face, too."""
    blank_is_any: bool = False
    """After a wild card anything fits, instead of the colour named."""
    wild_four: str = "no_colour"
    """When a wild four is legal: without a card of the colour in force; `free`; or `last_resort`, when nothing else is."""
    wild_order: str = "draw_order"
    """Which wild card the automatic player takes: the oldest, a plain one first, or a wild four first."""
    play_drawn: bool = False
    """A card drawn may be played at once, instead of ending the turn."""
    draw_when_able: bool = True
    """Drawing is legal for who could play. The automatic player never does."""
    last_card_acts: bool = False
    """A draw two or wild four that empties a hand still makes the next player draw, which raises what that one has left."""
    empty_pile: str = "end"
    """`end`: the game is over when the pile is empty; `reshuffle`: the played cards but the last become the pile."""
    pile_test: str = "turn_start"
    """When the pile is found empty: at the start of a turn, or at once when its last card is taken."""
    ties: str = "shared"
    """Seats with the lowest score win together, or the lowest of them alone."""
    pick: str = "oldest"
    """Which card the automatic player takes among those of its step. `highest`: the one that counts most in a hand; `hardest`:
    the one that the fewest cards it has not seen fit, by colour or face; of equals the oldest. The article has `oldest`, and
    the other two as exercises."""

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
        """These rules with other values.

        Raises:
            ConfigError: a field that there is none of, or a value that is not allowed.
        """
        known = [field.name for field in fields(self)]
        if unknown := sorted(set(changes) - set(known)):
            raise ConfigError(f"unknown rule {', '.join(unknown)}; expected {', '.join(known)}")
        return replace(self, **changes)

    def changed(self) -> dict[str, Any]:
        """What differs from the recommended rules, by name; the players always."""
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
"""`article`: the recommended readings. `letter`: the article word for word, also where that is odd: a face matches for K from 1
to 12 alone, the remark in brackets on action cards says nothing, a reverse only turns the direction, anything fits a blank
card, a wild card of either kind is always legal, and the game ends as soon as the pile is empty; what the words do not say is
as in `article`. `table`: `article` with the drawn card playable, as in the environments. `mattel`: the printed rules as far as
this room has them. `rlcard`: the legal acts of RLCard's `uno` (its transitions differ)."""


def uno_rules(rules: str | UnoRules = "article", **changes: Any) -> UnoRules:
    """Rules by the name of a preset, or as given, with changes.

    Raises:
        ConfigError: a preset, field or value that there is none of.

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
    """How a game ended."""

    OUT = "a hand is empty"
    EXHAUSTED = "the pile is empty"


@dataclass(frozen=True)
class UnoOutcome:
    """The result of a game."""

    reason: UnoEnd
    """How it ended."""
    scores: tuple[int, ...]
    """What the cards left count, by seat."""
    winners: tuple[int, ...]
    """The seats that win: those with the lowest score, or by the rules the lowest of them alone."""

    @classmethod
    def of(cls, rules: UnoRules, reason: UnoEnd, scores: Sequence[int]) -> UnoOutcome:
        """The result that the cards left by each seat give."""
        winners = tuple(seat for seat, score in enumerate(scores) if score == min(scores))
        return cls(reason, tuple(scores), winners if rules.ties == "shared" else winners[:1])

    @property
    def winner(self) -> int:
        """The winner, the lowest seat of several."""
        return self.winners[0]

    def payoffs(self, scoring: str = "winner") -> tuple[float, ...]:
        """What each seat gets; the sum is 0.

        `winner`: each loser pays 1 / (players - 1), the winners share it. `points`: each loser pays what its score exceeds the
        lowest one by, the winners share it.

        Raises:
            ConfigError: another scoring.
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
"""The scorings by name: what a losing seat pays."""


def rules_page(rules: UnoRules | None = None, lang: Language | None = None) -> RulesPage:
    """The rules of UNO in words.

    Args:
        rules: the rules; by default the article's.
        lang: the language; by default the user's.
    """
    given, tr = UnoRules() if rules is None else rules, words(language() if lang is None else lang)
    subjects = {
        "cards": _cards(given, tr),
        "turns": _turns(given, tr),
        "end": _end(given, tr),
        "score": _score(given, tr),
        "automatic": _automatic(given, tr),
    }
    sections = tuple(RulesSection(tr.name("rules_title", name), tuple(lines)) for name, lines in subjects.items())
    return RulesPage("uno", tr.name("game", "uno"), tr.language, sections)


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
