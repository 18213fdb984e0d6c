"""A game of UNO in words; English has the cards in notation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from big2_env.games.uno.actions import DRAW, act_text, played_card
from big2_env.games.uno.cards import NUM_FACES, WILD, Colour, card_of, card_text
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.outcome import UnoEnd, UnoOutcome
from big2_env.games.uno.scene import COLOUR_NAMES, face
from big2_env.language import Language, Words

_ENDS: Final = {UnoEnd.OUT: "uno.hand_empty", UnoEnd.EXHAUSTED: "uno.pile_empty"}


def card_words(card: int, say: Words) -> str:
    """A card: in notation in English, in words in Chinese."""
    if say.language is Language.EN:
        return card_text(card)
    return face(card, say).name


def colour_words(colour: int, say: Words) -> str:
    """A colour, 0 to 3."""
    return say(f"side_tables.{COLOUR_NAMES[colour]}")


def cards_words(cards: Iterable[int], say: Words) -> str:
    """Cards in the order given."""
    return " ".join(card_words(card, say) for card in cards)


def act_words(act: int, say: Words) -> str:
    """An act; a wild card with the colour that it names."""
    if act >= DRAW:
        return say("uno.draw" if act == DRAW else "uno.keep")
    if say.language is Language.EN:
        return act_text(act)
    card = played_card(act)
    named = card_words(card, say)
    return named if card == act else say("uno.names", card=named, colour=colour_words(act // NUM_FACES, say))


def turn_text(game: UnoGame, act: int, say: Words) -> str:
    """An act before it is made: who makes it, with which hand, on what."""
    return say(
        "uno.turn",
        seat=game.turn,
        hand=cards_words(game.hands[game.turn], say),
        top=top_text(game, say),
        act=act_words(act, say),
    )


def top_text(game: UnoGame, say: Words) -> str:
    """The last card played and the colour in force."""
    if say.language is Language.EN:
        return game.text()
    if game.face < WILD:
        return card_words(card_of(game.colour, game.face), say)
    named = card_words(card_of(Colour.BLANK, game.face), say)
    return named if game.colour == Colour.BLANK else say("uno.names", card=named, colour=colour_words(game.colour, say))


def outcome_text(outcome: UnoOutcome, say: Words) -> str:
    """How a game ended, who won, and the points left."""
    seats = say("uno.and").join(map(str, outcome.winners))
    points = " ".join(map(str, outcome.scores))
    return say("uno.won", reason=say(_ENDS[outcome.reason]), seats=seats, points=points)
