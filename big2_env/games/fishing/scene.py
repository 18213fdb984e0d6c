"""Fishing game on screen: scenes, and plays in words.

All hands stay hidden, even from their owners, because the front card is played whatever it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from big2_env.base.language import Words
from big2_env.base.scene import Area, CardFace, Scene, ShownMove, ShownSeat
from big2_env.base.side_game import Look
from big2_env.games.fishing.cards import RANKS, cards_text
from big2_env.games.fishing.plays import FishingEnd, FishingOutcome, FishingPlay, FishingState
from big2_env.notation.transcript import seat_names


def view_scene(state: FishingState, number: int, loser: int | None, plays: Sequence[FishingPlay], look: Look) -> Scene:
    """Return the scene of a position.

    Args:
        state: The position.
        number: Number of plays made.
        loser: Seat that has lost, if the game is over.
        plays: Most recent plays.
        look: Options of the scene.

    Raises:
        ConfigError: The number of names differs from the number of seats.
    """
    tr, called = look.tr, seat_names(look.names, len(state.hands))
    moves = {play.seat: shown_move(play, tr) for play in plays}
    return Scene(
        game="fishing",
        title=tr.name("game", "fishing"),
        language=tr.language,
        seats=tuple(
            ShownSeat(
                seat=seat,
                name=called[seat],
                count=len(hand),
                hand=faces(hand, tr) if look.open_hands else None,
                is_turn=loser is None and seat == state.turn,
                act=moves.get(seat),
                payoff=None if loser is None else (-1.0 if seat == loser else 1.0),
            )
            for seat, hand in enumerate(state.hands)
        ),
        areas=(Area("board", tr("side_tables.board"), faces(state.board, tr), len(state.board), "row", "centre"),),
        turn=None if loser is not None else state.turn,
        ply=number,
        status=_status("next_play", called[state.turn], tr) if loser is None else _status("lost", called[loser], tr),
        facts=(tr("side_tables.plays", count=number),),
        events=tuple(
            tr("table.said", name=called[play.seat], words=shown_move(play, tr).words)
            for play in plays[max(0, len(plays) - look.last) :]
        ),
        is_over=loser is not None,
    )


def face(card: int, tr: Words) -> CardFace:
    """Return a face-up card."""
    rank = RANKS[card]
    return CardFace(rank, rank, "", tr("side_tables.joker") if rank == "W" else rank)


def faces(cards: Iterable[int], tr: Words) -> tuple[CardFace, ...]:
    """Return face-up cards in the given order."""
    return tuple(face(card, tr) for card in cards)


def _status(key: str, name: str, tr: Words) -> str:
    return tr(f"side_play.you_{key}" if name == tr("table.you") else f"side_tables.{key}", name=name)


def shown_move(play: FishingPlay, tr: Words) -> ShownMove:
    """Return a play in the form that screens show."""
    card = face(play.card, tr)
    key = "captures" if play.captured else "no_capture"
    fields = {"count": len(play.captured)} if play.captured else {}
    return ShownMove(play.seat, tr(f"side_tables.{key}", card=card.name, **fields), (card,))


def play_text(play: FishingPlay, tr: Words) -> str:
    """Return a play as one line. In English it equals `str(play)`.

    >>> from big2_env.base.language import Language, words
    >>> play = FishingPlay(1, 0, 0, (), None)
    >>> play_text(play, words(Language.EN)) == str(play)
    True
    """
    text = tr("fishing.plays", number=play.number, seat=play.seat, card=RANKS[play.card])
    if play.captured:
        text += tr("fishing.captures", cards=cards_text(play.captured))
    return text if play.loser is None else text + tr("fishing.loses", seat=play.loser)


def state_text(state: FishingState, tr: Words) -> str:
    """Return the board and both hands as one line, front cards first."""
    board, *hands = (cards_text(cards) or "-" for cards in (state.board, *state.hands))
    return tr("fishing.state", board=board, first=hands[0], second=hands[1])


def outcome_text(outcome: FishingOutcome, begin: int | None, tr: Words) -> str:
    """Return the outcome of a game in words.

    Args:
        outcome: Outcome of the game.
        begin: Number of plays before the cycle starts, for a game that never ends; `None` if unknown.
        tr: Texts in one language.
    """
    match outcome.end:
        case FishingEnd.EMPTY_HAND:
            return tr("fishing.wins", seat=outcome.winner, plays=outcome.plays)
        case FishingEnd.CYCLE:
            if begin is None:
                return tr("fishing.cycle_in_the_end", period=f"{outcome.period:,}")
            return tr("fishing.cycle", begin=begin + 1, period=f"{outcome.period:,}")
    return tr("fishing.undecided", plays=f"{outcome.plays:,}")
