"""A game of UNO in words; English has the cards in notation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from big2_env.games.uno.actions import DRAW, act_text, played_card
from big2_env.games.uno.cards import NUM_FACES, SKIP, WILD, Colour, card_of, card_text, colour_of, face_of, is_wild
from big2_env.games.uno.game import UnoEnd, UnoGame, UnoOutcome
from big2_env.language import Language, Words

_FACES: Final = ("skip", "reverse", "draw_two", "wild", "wild_four")
_ENDS: Final = {UnoEnd.OUT: "uno.hand_empty", UnoEnd.EXHAUSTED: "uno.pile_empty"}


def card_words(card: int, say: Words) -> str:
    """A card: in notation in English, in words in Chinese."""
    if say.language is Language.EN:
        return card_text(card)
    face = face_of(card)
    named = str(face) if face < SKIP else say.name("uno", _FACES[face - SKIP])
    return named if is_wild(card) else say.name("uno", str(int(colour_of(card)))) + named


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
    return named if card == act else say("uno.names", card=named, colour=say.name("uno", str(act // NUM_FACES)))


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
    return named if game.colour == Colour.BLANK else say("uno.names", card=named, colour=say.name("uno", str(int(game.colour))))


def outcome_text(outcome: UnoOutcome, say: Words) -> str:
    """How a game ended, who won, and the points left."""
    seats = say("uno.and").join(map(str, outcome.winners))
    points = " ".join(map(str, outcome.scores))
    return say("uno.won", reason=say(_ENDS[outcome.reason]), seats=seats, points=points)
