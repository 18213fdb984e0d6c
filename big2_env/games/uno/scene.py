"""Scenes of UNO: what one viewer may know, for renderers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from big2_env.errors import ConfigError
from big2_env.games.uno.actions import DRAW, played_card
from big2_env.games.uno.cards import FACE_NAMES, NUM_FACES, WILD, Colour, card_of, card_text, colour_of, face_of, is_wild
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.view import UnoView
from big2_env.language import Language, Words, language, words
from big2_env.notation.seat_names import seat_names
from big2_env.scene import Area, CardFace, Scene, ShownAct, ShownSeat
from big2_env.text.events import won_text

COLOUR_NAMES: Final = ("red", "yellow", "blue", "green", "any")
"""The colours' keys in the catalogue, by number."""
_ACTION_NAMES: Final = dict(zip(range(10, 15), ("skip", "reverse", "draw_two", "wild", "wild_four"), strict=True))
LAST_EVENTS: Final = 8


def scene(
    source: UnoGame | UnoView,
    viewer: int | None = None,
    *,
    open_hands: bool = False,
    names: Sequence[str] | None = None,
    lang: Language | None = None,
    last: int = LAST_EVENTS,
    scoring: str = "winner",
    scores: Sequence[float] | None = None,
) -> Scene:
    """What a viewer may know of a game of UNO now.

    Args:
        source: the game; or one seat's view of it, which also says who the viewer is, and knows no acts.
        viewer: the seat whose eyes this is; `None` for a spectator, who sees no hand before the game is over.
        open_hands: True if all hands lie open.
        names: a name for each seat; by default `player_0`, `player_1`, ...
        lang: the language; by default the user's.
        last: how many of the last acts are named.
        scoring: how a game that is over pays, as in `UnoOutcome.payoffs`.
        scores: a running score for each seat.

    Raises:
        ConfigError: no such seat, not one name for each seat, or open hands asked of a view.

    >>> from big2_env.games.uno.rules import UnoRules
    >>> shown = scene(UnoGame.deal(UnoRules(), seed=7), viewer=0, lang=Language.EN)
    >>> [seat.hand is None for seat in shown.seats], shown.status
    ([False, True], 'player_0 plays on green 3')
    """
    tr = words(language() if lang is None else lang)
    if isinstance(source, UnoView):
        if open_hands:
            raise ConfigError("a view knows one hand only: give the game to show all hands")
        game, view, viewer = None, source, source.seat
    else:
        game, view = source, source.view(viewer)
    count = len(view.cards_left)
    called = seat_names(names, count)
    hands = {} if viewer is None else {viewer: view.hand}
    if game is not None and (open_hands or game.is_over):
        hands = dict(enumerate(map(tuple, game.hands)))
    outcome = None if game is None else game.outcome
    paid = None if outcome is None else outcome.payoffs(scoring)
    acts = _acts(game, tr)
    return Scene(
        game="uno",
        title=tr.name("game", "uno"),
        language=tr.language,
        seats=tuple(
            ShownSeat(
                seat=seat,
                name=called[seat],
                count=view.cards_left[seat],
                hand=tuple(face(card, tr) for card in sorted(hands[seat])) if seat in hands else None,
                is_viewer=seat == viewer,
                is_turn=not view.is_over and seat == view.turn,
                labels=() if outcome is None else (tr("side_tables.points_left", points=outcome.scores[seat]),),
                act=acts.get(seat),
                payoff=None if paid is None else paid[seat],
                score=None if scores is None else scores[seat],
            )
            for seat in range(count)
        ),
        areas=(
            Area("draw_pile", tr("side_tables.pile"), (), view.pile, "pile", "centre"),
            Area(
                "discards",
                tr("side_tables.discards"),
                tuple(face(card, tr) for card in view.discards[-1:]),
                len(view.discards),
                "pile",
                "centre",
            ),
        ),
        viewer=viewer,
        turn=None if view.is_over else view.turn,
        ply=0 if game is None else len(game.history),
        status=_status(view, called, game, tr),
        facts=tuple(_facts(view, tr)),
        events=() if game is None else tuple(_events(game, called, last, tr)),
        is_over=view.is_over,
    )


def face(card: int, tr: Words) -> CardFace:
    """A card that lies face up."""
    colour, number = colour_of(card), face_of(card)
    named = tr(f"side_tables.{_ACTION_NAMES[number]}") if number in _ACTION_NAMES else str(number)
    if is_wild(card):
        return CardFace(card_text(card), FACE_NAMES[number], "", named)
    key = COLOUR_NAMES[colour]
    name = f"{tr(f'side_tables.{key}')} {named}" if tr.language is Language.EN else f"{tr(f'side_tables.{key}')}{named}"
    return CardFace(card_text(card), FACE_NAMES[number], key, name)


def shown_act(seat: int, act: int, tr: Words) -> ShownAct:
    """An act of a seat; a card that it drew is not named."""
    if act >= DRAW:
        return ShownAct(seat, tr("side_tables.draws" if act == DRAW else "side_tables.keeps"), (), "pass")
    card = played_card(act)
    return ShownAct(seat, _in_force(card, act // NUM_FACES, tr), (face(card, tr),))


def _in_force(card: int, colour: int, tr: Words) -> str:
    """A played card in words, and the colour that a wild one names."""
    named = face(card, tr).name
    return tr("side_tables.naming", card=named, colour=tr(f"side_tables.{COLOUR_NAMES[colour]}")) if is_wild(card) else named


def _acts(game: UnoGame | None, tr: Words) -> dict[int, ShownAct]:
    """What each seat did last."""
    acts: dict[int, ShownAct] = {}
    for move in () if game is None else reversed(game.history):
        acts.setdefault(move.seat, shown_act(move.seat, move.act, tr))
        if game is not None and len(acts) == game.rules.players:
            break
    return acts


def _events(game: UnoGame, names: Sequence[str], last: int, tr: Words) -> list[str]:
    moves = game.history[max(0, len(game.history) - last) :]
    return [tr("table.said", name=names[seat], words=shown_act(seat, act, tr).words) for seat, act in moves]


def _status(view: UnoView, names: Sequence[str], game: UnoGame | None, tr: Words) -> str:
    if view.is_over:
        if game is None or game.outcome is None:
            return tr("side_tables.over")
        paid = game.outcome.winners
        return won_text(names, paid, tr)
    name = names[view.turn]
    about = "side_play.you_{}" if name == tr("table.you") else "side_tables.{}"
    if view.naming:
        return tr(about.format("names_colour"), name=name)
    if view.drawn is not None:
        return tr(about.format("drew"), name=name)
    colour = Colour.BLANK if view.face >= WILD else view.colour
    return tr(about.format("plays_on"), name=name, card=_in_force(card_of(colour, view.face), view.colour, tr))


def _facts(view: UnoView, tr: Words) -> list[str]:
    colour = tr("side_tables.colour_in_force", colour=tr(f"side_tables.{COLOUR_NAMES[view.colour]}"))
    return [colour, tr("side_tables.forward" if view.direction == 1 else "side_tables.backward")]
