"""Players of UNO by name: built-in ones, and those announced by installed packages (`big2_env.uno_players`).

A player is a function `(view, rng) -> move` that returns one of `view.moves`, based on one seat's view. It works in any
environment:

    from big2_env.games.uno.aec import raw_env
    env, learned = raw_env(players=2), uno_player("learned")
    env.reset(seed=1)
    env.step(learned(env.game.view(), rng))

A player whose moves do not depend on the generator has the attribute `is_stochastic = False`, as agents do
(`big2_env.agents.is_stochastic`).

`automatic` is the article's player. It plays a card of the same face, else of the same color, else a wild card, else it draws.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from big2_env.base.errors import ConfigError, failure_text, quoted
from big2_env.base.plugins import UNO_PLAYERS, plugins
from big2_env.base.side_game import Player, random_player
from big2_env.games.uno.cards import (
    DECK,
    DRAW,
    FOUR,
    NUM_COLOURS,
    PLAIN,
    SKIP,
    WILD,
    Colour,
    colour_of,
    face_of,
    is_wild,
    play_of,
    points_of,
)
from big2_env.games.uno.rules import UnoRules
from big2_env.games.uno.view import UnoView

if TYPE_CHECKING:
    import numpy as np


def automatic_move(view: UnoView) -> int:
    """Return the automatic player's move, one of `view.moves`."""
    card = PLAIN if view.naming else view.drawn
    if card is None:
        card = automatic_card(view.rules, view.hand, view.colour, view.face, view.discards)
    named = Colour.RED if view.rules.blank_is_any else most_frequent(view.hand)
    return DRAW if card is None else play_of(card, named)


def automatic_card(
    rules: UnoRules, hand: tuple[int, ...], colour: int, face: int, discards: tuple[int, ...] = ()
) -> int | None:
    """Return the card that the automatic player plays; `None` if it draws.

    Args:
        rules: Rules of the game.
        hand: Its cards in drawing order.
        colour: Current color.
        face: Current face.
        discards: Played cards, used only by `pick="hardest"`.
    """
    same_face = [card for card in hand if face_of(card) == face]
    matched = face > 0 or rules.match_zero
    if face >= WILD:  # a wild four only where it is legal whatever else is held
        matched = rules.match_wild and (face == WILD or rules.wild_four == "free")
    if same_face and matched:
        return same_face[0] if face >= WILD else _picked(rules, same_face, hand, discards)
    same = [card for card in hand if not is_wild(card) and colour in (colour_of(card), Colour.BLANK)]
    if same:
        if rules.colour_order != "draw_order":
            actions_first = rules.colour_order == "actions_first"
            same = [card for card in same if (face_of(card) >= SKIP) is actions_first] or same
        return _picked(rules, same, hand, discards)
    wild = [card for card in hand if is_wild(card)]
    if rules.wild_order != "draw_order" or rules.wild_four == "last_resort":
        plain_first = rules.wild_order == "wild_first" or rules.wild_four == "last_resort"
        wild.sort(key=lambda card: (card == FOUR) is plain_first)  # keeps the order of drawing else
    return wild[0] if wild else None


def _picked(rules: UnoRules, cards: list[int], hand: tuple[int, ...], discards: tuple[int, ...]) -> int:
    """Return the card that `rules.pick` selects from colored cards in drawing order."""
    if rules.pick == "highest":
        return max(cards, key=points_of)  # the first of the largest
    if rules.pick == "hardest":
        unseen = Counter(DECK)
        unseen.subtract((*hand, *discards))
        return min(cards, key=lambda card: _followers(rules, card, unseen))
    return cards[0]


def _followers(rules: UnoRules, card: int, unseen: Counter[int]) -> int:
    """Return the number of unseen colored cards that match a colored card."""
    has_face = face_of(card) > 0 or rules.match_zero
    return sum(
        number
        for other, number in unseen.items()
        if colour_of(other) == colour_of(card) or (has_face and face_of(other) == face_of(card))
    )


def most_frequent(hand: tuple[int, ...]) -> int:
    """Return the most frequent color of a hand; ties go to the first color."""
    return max(range(NUM_COLOURS), key=lambda colour: sum(colour_of(card) == colour for card in hand))


class AutomaticPlayer:
    """The article's player."""

    is_stochastic = False

    def __call__(self, view: UnoView, rng: np.random.Generator) -> int:
        """Return the move to make, one of `view.moves`; the generator is not used."""
        return automatic_move(view)


BUILT_IN: Final[dict[str, Player]] = {"random": random_player, "automatic": AutomaticPlayer()}
"""Players available without other packages."""


AT_ONCE: Final = ("learned", "automatic", "rule-v1", "random")
"""Players that answer without compiled code, the strongest first."""


def opponents() -> tuple[str, ...]:
    """Return the installed players that answer at once, the strongest first."""
    installed = (*BUILT_IN, *plugins(UNO_PLAYERS))
    return tuple(name for name in AT_ONCE if name in installed)


def uno_player(name: str) -> Player:
    """Return the player with this name.

    Args:
        name: `random`, `automatic`, or NAME or NAME:ARGUMENT of a plugin's class, which receives the argument as a string.

    Raises:
        ConfigError: The name is unknown, or the player cannot be created.
    """
    if name in BUILT_IN:
        return BUILT_IN[name]
    kind, colon, argument = name.partition(":")
    entry = plugins(UNO_PLAYERS).get(kind)
    if entry is None:
        known = ", ".join([*BUILT_IN, *plugins(UNO_PLAYERS)])
        raise ConfigError(f"expected one of {known} as UNO player, got {quoted(name)}")
    make = entry.load()
    try:
        player = make(argument) if colon else make()
    except (ConfigError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise ConfigError(f"UNO player {quoted(name)} cannot be made: {failure_text(error)}") from error
    if not callable(player):
        raise ConfigError(f"{entry}: expected what makes a function (view, rng) -> act, got a {type(player).__name__}")
    made: Player = player
    return made


def takes_from_record(name: str) -> bool:
    """Return True if a record from an untrusted source may name this player, because that opens no file named in the record.

    Such a player has no argument, or one that its class accepts from records (`Plugin.takes_from_record`).
    """
    kind, colon, argument = name.partition(":")
    entry = plugins(UNO_PLAYERS).get(kind)
    return name in BUILT_IN or not colon or (entry is not None and entry.takes_from_record(argument))
