"""Scenes of the fishing game: what whoever watches may know, for renderers.

Nobody looks into a hand of this game, its own player neither: the front card is played whatever it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from big2_env.games.fishing.cards import RANKS
from big2_env.games.fishing.game import FishingGame, FishingPlay
from big2_env.language import Language, Words, language, words
from big2_env.notation.seat_names import seat_names
from big2_env.scene import Area, CardFace, Scene, ShownAct, ShownSeat


def scene(
    game: FishingGame,
    plays: Sequence[FishingPlay] = (),
    *,
    open_hands: bool = False,
    names: Sequence[str] | None = None,
    lang: Language | None = None,
) -> Scene:
    """What one may know of a fishing game now.

    Args:
        game: the game.
        plays: its last plays, as `FishingGame.play` returned them, for the game keeps none; they are the scene's events.
        open_hands: True if both hands lie open, front cards first.
        names: a name for each seat; by default `player_0` and `player_1`.
        lang: the language; by default the user's.

    Raises:
        ConfigError: not one name for each seat.

    >>> game = FishingGame.of_hands("2 3 2 3 | 3 J 3 2")
    >>> plays = [game.play() for _ in range(3)]
    >>> shown = scene(game, plays, lang=Language.EN)
    >>> shown.status, [seat.count for seat in shown.seats], [card.text for card in shown.areas[0].cards]
    ('player_0 plays the front card', [4, 3], ['2'])
    """
    tr = words(language() if lang is None else lang)
    called = seat_names(names, len(game.hands))
    is_over = game.loser is not None
    acts = {play.seat: _act(play, tr) for play in plays}
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
                is_turn=not is_over and seat == game.turn,
                act=acts.get(seat),
                payoff=None if game.loser is None else (-1.0 if seat == game.loser else 1.0),
            )
            for seat, hand in enumerate(game.hands)
        ),
        areas=(Area("board", tr("side_tables.board"), faces(game.board, tr), len(game.board), "row", "centre"),),
        turn=None if is_over else game.turn,
        ply=game.plays,
        status=(
            tr("side_tables.next_play", name=called[game.turn])
            if game.loser is None
            else tr("side_tables.lost", name=called[game.loser])
        ),
        facts=(tr("side_tables.plays", count=game.plays),),
        events=tuple(_line(play, called, tr) for play in plays),
        is_over=is_over,
    )


def face(card: int, tr: Words) -> CardFace:
    """A card that lies face up."""
    rank = RANKS[card]
    return CardFace(rank, rank, "", tr("side_tables.joker") if rank == "W" else rank)


def faces(cards: Iterable[int], tr: Words) -> tuple[CardFace, ...]:
    """Cards that lie face up, in the order given."""
    return tuple(face(card, tr) for card in cards)


def _act(play: FishingPlay, tr: Words) -> ShownAct:
    card = face(play.card, tr)
    key = "captures" if play.captured else "no_capture"
    fields = {"count": len(play.captured)} if play.captured else {}
    return ShownAct(play.seat, tr(f"side_tables.{key}", card=card.name, **fields), (card,))


def _line(play: FishingPlay, names: Sequence[str], tr: Words) -> str:
    return tr("table.said", name=names[play.seat], words=_act(play, tr).words)
