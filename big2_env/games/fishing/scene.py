"""The fishing game as people see it: scenes, and plays in words.

Hands are hidden from everybody, their own players included: the front card is played whatever it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from big2_env.games.fishing.cards import RANKS, cards_text
from big2_env.games.fishing.plays import FishingEnd, FishingOutcome, FishingPlay, FishingState
from big2_env.language import Language, Words, language, words
from big2_env.notation.transcript import seat_names
from big2_env.scene import Area, CardFace, Scene, ShownAct, ShownSeat


def view_scene(
    hands: tuple[Sequence[int], Sequence[int]],
    board: Sequence[int],
    turn: int,
    number: int,
    loser: int | None,
    plays: Sequence[FishingPlay] = (),
    *,
    open_hands: bool = False,
    names: Sequence[str] | None = None,
    lang: Language | None = None,
    last: int = 8,
) -> Scene:
    """Return the scene of a position.

    Args:
        hands: By seat, front card first.
        board: The board, oldest card first.
        turn: The seat to play.
        number: How many plays were made.
        loser: The seat that has lost, if the game is over.
        plays: The last plays.
        open_hands: True to show both hands.
        names: A name for each seat; by default `player_0` and `player_1`.
        lang: The language; by default the user's.
        last: How many of the plays are events of the scene.

    Raises:
        ConfigError: not one name for each seat.
    """
    tr = words(language() if lang is None else lang)
    called = seat_names(names, len(hands))
    acts = {play.seat: shown_act(play, tr) for play in plays}
    return Scene(
        game="fishing",
        title=tr.name("game", "fishing"),
        language=tr.language,
        seats=tuple(
            ShownSeat(
                seat=seat,
                name=called[seat],
                count=len(hand),
                hand=faces(hand, tr) if open_hands else None,
                is_turn=loser is None and seat == turn,
                act=acts.get(seat),
                payoff=None if loser is None else (-1.0 if seat == loser else 1.0),
            )
            for seat, hand in enumerate(hands)
        ),
        areas=(Area("board", tr("side_tables.board"), faces(board, tr), len(board), "row", "centre"),),
        turn=None if loser is not None else turn,
        ply=number,
        status=tr("side_tables.next_play", name=called[turn]) if loser is None else tr("side_tables.lost", name=called[loser]),
        facts=(tr("side_tables.plays", count=number),),
        events=tuple(
            tr("table.said", name=called[play.seat], words=shown_act(play, tr).words)
            for play in plays[max(0, len(plays) - last) :]
        ),
        is_over=loser is not None,
    )


def face(card: int, tr: Words) -> CardFace:
    """A card that lies face up."""
    rank = RANKS[card]
    return CardFace(rank, rank, "", tr("side_tables.joker") if rank == "W" else rank)


def faces(cards: Iterable[int], tr: Words) -> tuple[CardFace, ...]:
    """Cards that lie face up, in the order given."""
    return tuple(face(card, tr) for card in cards)


def shown_act(play: FishingPlay, tr: Words) -> ShownAct:
    """A play as it is shown."""
    card = face(play.card, tr)
    key = "captures" if play.captured else "no_capture"
    fields = {"count": len(play.captured)} if play.captured else {}
    return ShownAct(play.seat, tr(f"side_tables.{key}", card=card.name, **fields), (card,))


def hand_text(seat: int, hand: Sequence[int], tr: Words) -> str:
    """What a seat was dealt, in one line."""
    return tr("fishing.holds", seat=seat, cards=cards_text(hand))


def play_text(play: FishingPlay, tr: Words) -> str:
    """One play in one line; in English it is `str(play)`.

    >>> from big2_env.language import Language, words
    >>> play = FishingPlay(1, 0, 0, (), None)
    >>> play_text(play, words(Language.EN)) == str(play)
    True
    """
    text = tr("fishing.plays", number=play.number, seat=play.seat, card=RANKS[play.card])
    if play.captured:
        text += tr("fishing.captures", cards=cards_text(play.captured))
    return text if play.loser is None else text + tr("fishing.loses", seat=play.loser)


def state_text(state: FishingState, tr: Words) -> str:
    """The board and the hands in one line, the front cards first."""
    board, *hands = (cards_text(cards) or "-" for cards in (state.board, *state.hands))
    return tr("fishing.state", board=board, first=hands[0], second=hands[1])


def outcome_text(outcome: FishingOutcome, begin: int | None, tr: Words) -> str:
    """How a game ended.

    Args:
        outcome: the end.
        begin: after how many plays a game that never ends is in its cycle; `None` where that is not known.
        tr: the texts of a language.
    """
    match outcome.end:
        case FishingEnd.EMPTY_HAND:
            return tr("fishing.wins", seat=outcome.winner, plays=outcome.plays)
        case FishingEnd.CYCLE:
            if begin is None:
                return tr("fishing.cycle_in_the_end", period=f"{outcome.period:,}")
            return tr("fishing.cycle", begin=begin + 1, period=f"{outcome.period:,}")
    return tr("fishing.undecided", plays=f"{outcome.plays:,}")
