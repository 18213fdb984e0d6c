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


def card_words(card: int, tr: Words) -> str:
    """A card: in notation in English, in words in Chinese."""
    if tr.language is Language.EN:
        return card_text(card)
    return face(card, tr).name


def colour_words(colour: int, tr: Words) -> str:
    """A colour, 0 to 3."""
    return tr(f"side_tables.{COLOUR_NAMES[colour]}")


def cards_words(cards: Iterable[int], tr: Words) -> str:
    """Cards in the order given."""
    return " ".join(card_words(card, tr) for card in cards)


def act_words(act: int, tr: Words) -> str:
    """An act; a wild card with the colour that it names."""
    if act >= DRAW:
        return tr("uno.draw" if act == DRAW else "uno.keep")
    if tr.language is Language.EN:
        return act_text(act)
    card = played_card(act)
    named = card_words(card, tr)
    return named if card == act else tr("uno.names", card=named, colour=colour_words(act // NUM_FACES, tr))


def turn_text(game: UnoGame, act: int, tr: Words) -> str:
    """An act before it is made: who makes it, with which hand, on what."""
    return tr(
        "uno.turn",
        seat=game.turn,
        hand=cards_words(game.hands[game.turn], tr),
        top=top_text(game, tr),
        act=act_words(act, tr),
    )


def top_text(game: UnoGame, tr: Words) -> str:
    """The last card played and the colour in force."""
    if tr.language is Language.EN:
        return game.text()
    if game.face < WILD:
        return card_words(card_of(game.colour, game.face), tr)
    named = card_words(card_of(Colour.BLANK, game.face), tr)
    return named if game.colour == Colour.BLANK else tr("uno.names", card=named, colour=colour_words(game.colour, tr))


def outcome_text(outcome: UnoOutcome, tr: Words) -> str:
    """How a game ended, who won, and the points left."""
    seats = tr("uno.and").join(map(str, outcome.winners))
    points = " ".join(map(str, outcome.scores))
    return tr("uno.won", reason=tr(_ENDS[outcome.reason]), seats=seats, points=points)
