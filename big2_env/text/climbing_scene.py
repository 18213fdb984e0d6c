"""Scenes of the climbing games."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice

from big2_env.base.errors import ConfigError
from big2_env.base.language import Language, Words, language
from big2_env.base.scene import Area, Scene, ShownAdvice, ShownMove, ShownSeat
from big2_env.climbing.events import Dealt, Event, LandlordFound, Passed, Played, Said, TrickOpened
from big2_env.climbing.game import Game
from big2_env.climbing.play import PASS
from big2_env.climbing.settlement import CapturedPoints
from big2_env.climbing.view import View
from big2_env.notation.transcript import seat_names
from big2_env.text.events import event_text, of_seat, play_text, said_text, won_text
from big2_env.text.names import cards_text, faces, shown_move, words_of

LAST_EVENTS = 8
"""Default number of events in a scene."""


def scene(
    source: Game | View,
    viewer: int | None = None,
    *,
    open_hands: bool = False,
    names: Sequence[str] | None = None,
    lang: Language | None = None,
    last: int = LAST_EVENTS,
    advice: Iterable[ShownAdvice] = (),
    scores: Sequence[float] | None = None,
    notes: Iterable[str] = (),
) -> Scene:
    """Return the scene of a climbing game for one viewer.

    Args:
        source: The game, or one seat's view of it, which also determines the viewer.
        viewer: Seat of the viewer; None for a spectator, who sees no hand before the game is over.
        open_hands: True to show all hands.
        names: Name of each seat; None for `player_0`, `player_1`, ...
        lang: Language; None for the user's.
        last: Number of latest events to include.
        advice: Evaluated moves to include.
        scores: Running score of each seat.
        notes: Lines before the first event.

    Raises:
        ConfigError: `viewer` does not exist, the number of names does not fit, or `open_hands` is set for a view.

    >>> from big2_env import BIG2
    >>> shown = scene(Game.deal(BIG2, seed=7), viewer=0, lang=Language.EN)
    >>> [seat.count for seat in shown.seats], [seat.hand is None for seat in shown.seats]
    ([13, 13, 13, 13], [False, True, True, True])
    >>> shown.status
    'player_1 to open the game with C[3]'
    """
    tr = words_of(source.ruleset, language() if lang is None else lang)
    if isinstance(source, View):
        if open_hands:
            raise ConfigError("a view knows one hand only: give the game to show all hands")
        game, view, viewer = None, source, source.seat
        hands: dict[int, int] = {source.seat: source.hand}
    else:
        game, view = source, source.view(viewer)
        seats = range(game.num_players)
        shown = seats if open_hands or game.is_over else [seat for seat in seats if seat == viewer]
        hands = {seat: game.position.hands[seat] for seat in shown}
    called = seat_names(names, view.num_players)
    moves = {} if game is None else _moves_of_events(game, tr)
    moves = moves or _moves_of_view(view, tr)  # a game that was set up has no moves from before
    if view.top_seat in moves and moves[view.top_seat].kind == "play":
        moves[view.top_seat] = replace(moves[view.top_seat], is_top=True)
    lines = [] if game is None else _last_lines(game, called, last, tr)
    return Scene(
        game=view.ruleset.name,
        title=tr.game(view.ruleset.name, view.ruleset.zh),
        language=tr.language,
        seats=tuple(
            ShownSeat(
                seat=seat,
                name=called[seat],
                count=count,
                hand=faces(view.ruleset, hands[seat], tr) if seat in hands else None,
                is_viewer=seat == viewer,
                is_turn=view.outcome is None and seat == view.turn,
                labels=tuple(_labels(view, seat, tr)),
                act=moves.get(seat),
                payoff=None if view.outcome is None else view.outcome.payoffs[seat],
                score=None if scores is None else scores[seat],
            )
            for seat, count in enumerate(view.cards_left)
        ),
        areas=tuple(_areas(view, tr)),
        viewer=viewer,
        turn=None if view.outcome is not None else view.turn,
        ply=len(view.history),
        status=status(view, called, tr),
        facts=tuple(_facts(view, tr)),
        events=(*notes, *lines)[-last:],
        advice=tuple(advice),
        is_over=view.outcome is not None,
    )


def _last_lines(game: Game, names: Sequence[str], last: int, tr: Words) -> list[str]:
    """Return the latest events in words, oldest first. Earlier events are not formatted, because scenes are made often."""
    texts = (event_text(game.ruleset, names, event, tr) for event in reversed(game.events))
    return list(islice(filter(None, texts), last))[::-1]


def status(view: View, names: Sequence[str], tr: Words) -> str:
    """Return one line with the seat to move and the play to beat, or the winner.

    Args:
        view: View of the game.
        names: Name of each seat.
        tr: Texts in the user's language.
    """
    rules, turn = view.ruleset, view.turn
    if view.outcome is not None:
        return won_text(names, view.outcome.winners, tr)
    if view.bidding:
        return of_seat("auction", names, turn, tr)
    if view.top is not None and view.top_seat is not None:
        top = play_text(rules, view.top, tr)
        if names[view.top_seat] == tr("table.you"):
            return tr("you.to_beat_yours", name=names[turn], play=top)
        return of_seat("to_beat", names, turn, tr, owner=names[view.top_seat], play=top)
    if view.obligation:
        return of_seat("open", names, turn, tr, cards=cards_text(rules, view.obligation))
    return of_seat("lead", names, turn, tr)


def _labels(view: View, seat: int, tr: Words) -> Iterable[str]:
    if seat == view.landlord:
        yield tr("table.landlord")
    if seat in view.finished:
        yield tr("table.out", place=view.finished.index(seat) + 1)
    elif view.passed >> seat & 1 and view.outcome is None:
        yield tr("table.passed")
    scoring = view.ruleset.scoring
    if view.captured and isinstance(scoring, CapturedPoints):
        yield tr("table.captured", points=scoring.points_of(view.captured[seat]))


def _areas(view: View, tr: Words) -> Iterable[Area]:
    rules = view.ruleset
    if rules.draw_pile:
        yield Area("draw_pile", tr("table.draw_pile"), (), view.pile_left, "pile")
    if rules.auction is not None:
        cards = faces(rules, view.bottom, tr)
        yield Area("bottom", tr("table.bottom"), cards, rules.deck.size - rules.hand_size * view.num_players)
    if aside := rules.cards_aside(view.num_players):
        yield Area("left_over", tr("table.left_over"), (), aside, "pile")


def _facts(view: View, tr: Words) -> Iterable[str]:
    if view.ruleset.auction is None:
        return
    key = "table.stake" if view.factor == 1 else "table.stake_multiplied"
    yield tr(key, stake=view.stake, factor=view.factor, total=view.stake * view.factor)
    if view.bidding and not any(value for _, value in view.said):
        yield tr("table.redeals_left" if view.redeals_left else "table.redeals_over", count=view.redeals_left)


def moves_of(game: Game, tr: Words) -> list[ShownMove]:
    """Return every move of a game, in order.

    Args:
        game: The game.
        tr: Texts in the user's language.
    """
    return [found for event in game.events if (found := _move(game, event, tr)) is not None]


def _moves_of_events(game: Game, tr: Words) -> dict[int, ShownMove]:
    """Return the last move of each seat in the current trick or auction, or in the last trick of a finished game."""
    moves: dict[int, ShownMove] = {}
    for event in reversed(game.events):
        found = _move(game, event, tr)
        if found is not None:
            moves.setdefault(found.seat, found)
        elif isinstance(event, TrickOpened | LandlordFound | Dealt):
            break
    return moves


def _move(game: Game, event: Event, tr: Words) -> ShownMove | None:
    match event:
        case Played(seat, play):
            return shown_move(game.ruleset, seat, play, tr)
        case Passed(seat):
            return shown_move(game.ruleset, seat, PASS, tr)
        case Said(seat, move):
            return ShownMove(seat, said_text(game.ruleset, event, tr), kind="pass" if move.is_pass else "say")
        case _:
            return None


def _moves_of_view(view: View, tr: Words) -> dict[int, ShownMove]:
    """Return the moves of the current trick that a view reveals: the top play and the seats locked out."""
    if view.top is None or view.top_seat is None:
        return {}
    passed = [seat for seat in range(view.num_players) if view.passed >> seat & 1]
    moves = {seat: shown_move(view.ruleset, seat, PASS, tr) for seat in passed}
    return moves | {view.top_seat: shown_move(view.ruleset, view.top_seat, view.top, tr)}
