"""UNO on screen: scenes, and moves in words. English texts show cards in notation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from big2_env.base.errors import NotationError, quoted
from big2_env.base.language import Language, Words, language, words
from big2_env.base.scene import Area, CardFace, Scene, ShownMove, ShownSeat
from big2_env.base.side_game import SideMove
from big2_env.games.uno.cards import (
    COLOURS,
    DRAW,
    FACE_NAMES,
    KEEP,
    NUM_COLOURS,
    NUM_FACES,
    WILD,
    Colour,
    card_of,
    card_text,
    colour_of,
    face_of,
    is_wild,
    move_text,
    parse_typed,
    play_of,
    played_card,
)
from big2_env.games.uno.rules import UnoEnd, UnoOutcome, UnoRules
from big2_env.games.uno.view import UnoView
from big2_env.notation.transcript import seat_names
from big2_env.text.events import won_text
from big2_env.text.marked import PASSES

COLOUR_NAMES: Final = ("red", "yellow", "blue", "green", "any")
"""Catalogue keys of the colors, by number."""
_ACTION_NAMES: Final = dict(zip(range(10, 15), ("skip", "reverse", "draw_two", "wild", "wild_four"), strict=True))
LAST_EVENTS: Final = 8


def view_scene(
    view: UnoView,
    viewer: int | None = None,
    *,
    hands: Mapping[int, Sequence[int]] | None = None,
    history: Sequence[SideMove] = (),
    outcome: UnoOutcome | None = None,
    names: Sequence[str] | None = None,
    lang: Language | None = None,
    last: int = LAST_EVENTS,
    scoring: str = "winner",
    scores: Sequence[float] | None = None,
) -> Scene:
    """Return the scene of a view.

    Args:
        view: The viewer's view; for a spectator, the view of any seat.
        viewer: Seat of the viewer; `None` for a spectator, who sees no hand.
        hands: Open hands by seat; by default the viewer's.
        history: Moves so far.
        outcome: Result of a finished game.
        names: Name of each seat; by default `player_0`, `player_1`, ...
        lang: Language; by default the user's.
        last: Number of recent moves to include as events.
        scoring: Scoring of the payoffs of a finished game, as in `UnoOutcome.payoffs`.
        scores: Running score of each seat.

    Raises:
        ConfigError: The number of names differs from the number of seats.
    """
    tr = words(language() if lang is None else lang)
    count = len(view.cards_left)
    called = seat_names(names, count)
    opened = ({} if viewer is None else {viewer: view.hand}) if hands is None else hands
    paid = None if outcome is None else outcome.payoffs(scoring)
    moves: dict[int, ShownMove] = {}
    for seat, move in reversed(history):
        moves.setdefault(seat, shown_move(seat, move, tr, view.rules))
        if len(moves) == count:
            break
    return Scene(
        game="uno",
        title=tr.name("game", "uno"),
        language=tr.language,
        seats=tuple(
            ShownSeat(
                seat=seat,
                name=called[seat],
                count=view.cards_left[seat],
                hand=tuple(face(card, tr) for card in sorted(opened[seat])) if seat in opened else None,
                is_viewer=seat == viewer,
                is_turn=not view.is_over and seat == view.turn,
                labels=() if outcome is None else (tr("side_tables.points_left", points=outcome.scores[seat]),),
                act=moves.get(seat),
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
        ply=len(history),
        status=_status(view, called, outcome, tr),
        facts=(
            tr("side_tables.colour_in_force", colour=colour_words(view.colour, tr)),
            tr("side_tables.forward" if view.direction == 1 else "side_tables.backward"),
        ),
        events=tuple(
            tr("table.said", name=called[seat], words=shown_move(seat, move, tr, view.rules).words)
            for seat, move in history[max(0, len(history) - last) :]
        ),
        is_over=view.is_over,
    )


def face(card: int, tr: Words) -> CardFace:
    """Return a face-up card."""
    colour, number = colour_of(card), face_of(card)
    named = tr(f"side_tables.{_ACTION_NAMES[number]}") if number in _ACTION_NAMES else str(number)
    if is_wild(card):
        return CardFace(card_text(card), FACE_NAMES[number], "", named)
    key = COLOUR_NAMES[colour]
    name = f"{tr(f'side_tables.{key}')} {named}" if tr.language is Language.EN else f"{tr(f'side_tables.{key}')}{named}"
    return CardFace(card_text(card), FACE_NAMES[number], key, name)


def shown_move(seat: int, move: int, tr: Words, rules: UnoRules) -> ShownMove:
    """Return a move in the form that screens show; a drawn card is not named."""
    if move >= DRAW:
        return ShownMove(seat, tr("side_tables.draws" if move == DRAW else "side_tables.keeps"), (), "pass")
    card = played_card(move)
    shown = face(card, tr)
    return ShownMove(seat, shown.name if rules.blank_is_any else _in_force(card, move // NUM_FACES, tr), (shown,))


def _in_force(card: int, colour: int, tr: Words) -> str:
    """Return a played card in words, with the color that a wild card names."""
    named = face(card, tr).name
    return tr("side_tables.naming", card=named, colour=tr(f"side_tables.{COLOUR_NAMES[colour]}")) if is_wild(card) else named


def _status(view: UnoView, names: Sequence[str], outcome: UnoOutcome | None, tr: Words) -> str:
    if view.is_over:
        return tr("side_tables.over") if outcome is None else won_text(names, outcome.winners, tr)
    name = names[view.turn]
    about = "side_play.you_{}" if name == tr("table.you") else "side_tables.{}"
    if view.naming:
        return tr(about.format("names_colour"), name=name)
    if view.drawn is not None:
        return tr(about.format("drew"), name=name)
    colour = Colour.BLANK if view.face >= WILD else view.colour
    return tr(about.format("plays_on"), name=name, card=_in_force(card_of(colour, view.face), view.colour, tr))


_ENDS: Final = {UnoEnd.OUT: "uno.hand_empty", UnoEnd.EXHAUSTED: "uno.pile_empty"}


def card_words(card: int, tr: Words) -> str:
    """Return a card: in notation in English, in words in Chinese."""
    if tr.language is Language.EN:
        return card_text(card)
    return face(card, tr).name


def colour_words(colour: int, tr: Words) -> str:
    """Return the name of a color."""
    return tr(f"side_tables.{COLOUR_NAMES[colour]}")


def move_words(move: int, tr: Words, rules: UnoRules | None = None) -> str:
    """Return a move in words; for a wild card, with the color that it names unless the rules let it name none."""
    if move >= DRAW:
        return tr("uno.draw" if move == DRAW else "uno.keep")
    if tr.language is Language.EN:
        return move_text(move)
    card = played_card(move)
    named = card_words(card, tr)
    if card == move or (rules is not None and rules.blank_is_any):
        return named
    return tr("uno.names", card=named, colour=colour_words(move // NUM_FACES, tr))


def turn_text(view: UnoView, move: int, tr: Words) -> str:
    """Return a move about to be made as text, with its seat, the hand and the current card."""
    return tr(
        "uno.turn",
        seat=view.turn,
        hand=" ".join(card_words(card, tr) for card in view.hand),
        top=top_text(view.colour, view.face, tr),
        move=move_words(move, tr, view.rules),
    )


def top_text(colour: int, number: int, tr: Words) -> str:
    """Return the current card, and the current color after a wild card."""
    if number < WILD:
        return card_words(card_of(colour, number), tr)
    named = card_words(card_of(Colour.BLANK, number), tr)
    if tr.language is Language.EN:
        return f"{named} {'RYBGW'[colour]}"
    return named if colour == Colour.BLANK else tr("uno.names", card=named, colour=colour_words(colour, tr))


def outcome_text(outcome: UnoOutcome, tr: Words, names: Sequence[str] = ()) -> str:
    """Return the result as text: reason, winners and points left. Seats appear by name if names are given."""
    winners = [names[seat] if names else str(seat) for seat in outcome.winners]
    given = {"reason": tr(_ENDS[outcome.reason]), "points": " ".join(map(str, outcome.scores))}
    return tr("uno.won_by" if names else "uno.won", seats=tr("uno.and").join(winners), **given)


_DRAWS: Final = ("d", "draw", "draw a card", "draw card", "i draw", "摸", "摸牌", "抽牌")
_KEEPS: Final = ("k", "keep", "keep it", "i keep it", "pass", "留", "留牌", "不出")


def typed_move(line: str, view: UnoView, tr: Words) -> int:
    """Return the legal move that a person typed: an index in the sorted hand, one of `PASSES`, or as in `stated_moves`.

    Raises:
        NotationError: The line is not a legal move; the message is for people.
    """
    word, hand = line.strip().lower(), sorted(view.hand)
    index, _, colour = word.replace(",", " ").partition(" ")
    if view.naming:
        moves = view.moves[int(word) - 1 :][:1] if word in ("1", "2", "3", "4") else stated_moves(word, view)
        if not moves:
            raise NotationError(_which_colour(view.moves, tr))
    elif word in PASSES:
        moves = tuple(move for move in view.moves if move >= DRAW) or (DRAW,)
    elif index.isascii() and index.isdigit() and not colour:
        if len(index) > 4 or int(index) >= len(hand):
            raise NotationError(tr("side_play.uno_no_index", last=len(hand) - 1, given=quoted(index, 10)))
        moves = _moves_of(hand[int(index)])
    elif index.isascii() and index.isdigit() and len(index) < 4 and int(index) < len(hand) and is_wild(hand[int(index)]):
        moves = stated_moves(f"{card_text(hand[int(index)])} {colour}", view)
    else:
        moves = stated_moves(word, view)
    if not moves:
        raise NotationError(tr("side_play.uno_unclear", given=quoted(word, 20), help=tr("side_play.uno_help")))
    playable = [move for move in moves if move in view.moves]
    if not playable:
        raise NotationError(refusal_text(moves[0], view, tr))
    if len(playable) > 1:
        raise NotationError(_which_colour(playable, tr))
    return playable[0]


def _moves_of(card: int) -> tuple[int, ...]:
    """Return the moves that play a card."""
    return tuple(play_of(card, colour) for colour in range(NUM_COLOURS)) if is_wild(card) else (card,)


def stated_moves(text: str, view: UnoView) -> tuple[int, ...]:
    """Return the moves that a text can name as a whole, legal or not: several for a wild card without a color.

    `green draw 2` is the draw two; if that is legal, it may be the green 2 as well.

    >>> from big2_env.games.uno.game import UnoGame
    >>> view = UnoGame.usual(3).view()
    >>> stated_moves("Red seven", view), stated_moves("wild draw four, yellow", view), stated_moves("I draw a 7", view)
    ((7,), (29,), ())
    """
    word = text.strip().lower()
    if word in _DRAWS or word in _KEEPS:
        return (DRAW if word in _DRAWS else KEEP,)
    if view.naming and (colour := COLOURS.get(word)) is not None:
        return (play_of(card_of(Colour.BLANK, view.face), colour),)
    try:
        found = parse_typed(word)
    except NotationError:
        return ()
    first, *others = (_moves_of(card) if named is None else (play_of(card, named),) for card, named in found)
    return sum(others, first) if any(move in view.moves for move in first) else first


def refusal_text(move: int, view: UnoView, tr: Words) -> str:
    """Return the reason in words why the seat to move may not make a move."""
    if view.naming:
        return _which_colour(view.moves, tr)
    if move == DRAW and view.drawn is None:
        return tr("side_play.may_not_draw")
    if move >= DRAW:
        return tr("side_play.refused")
    card = face(played_card(move), tr).name
    if played_card(move) not in view.hand:
        return tr("side_play.uno_not_held", card=card)
    return tr("side_play.fits_not" if view.drawn is None else "side_play.only_drawn", card=card)


def _which_colour(moves: Sequence[int], tr: Words) -> str:
    """Return the question that asks for a color, or for a card if the moves play several."""
    is_one = len({played_card(move) for move in moves}) == 1
    choices = " / ".join(colour_words(move // NUM_FACES, tr) if is_one else move_words(move, tr) for move in moves)
    return tr("side_play.uno_which_colour" if is_one else "side_play.uno_which_card", choices=choices)
