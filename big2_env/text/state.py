"""State of a climbing game as text, at any time, with all its rounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from big2_env.climbing.events import Rounds, rounds_of
from big2_env.climbing.game import Game
from big2_env.climbing.hands import hand_order
from big2_env.climbing.play import Play
from big2_env.language import Language, Words, words
from big2_env.scene import CardFace, Scene, ShownSeat
from big2_env.text.climbing_scene import scene
from big2_env.text.events import said_text, settled_text
from big2_env.text.names import pattern_name
from big2_env.text.patterns import card_numbers


def state_text(
    game: Game,
    viewer: int | None = None,
    *,
    open_hands: bool = False,
    names: Sequence[str] | None = None,
    lang: Language | None = None,
) -> str:
    """Return a viewer's knowledge of a game, and every round so far, as lines of text.

    Args:
        game: The game.
        viewer: Seat of the viewer; None for a spectator, who sees no hand before the game is over.
        open_hands: True to show all hands.
        names: Name of each seat; None for `player_0`, `player_1`, ...
        lang: Language; None for the user's.

    Raises:
        ConfigError: `viewer` does not exist, or the number of names does not fit.

    >>> from big2_env import BIG2
    >>> game = Game.deal(BIG2, seed=7)
    >>> _ = game.play("C[3]")
    >>> lines = state_text(game, lang=Language.EN).splitlines()
    >>> lines[:2], lines[-1]
    (['Big Two: Started (in play)', 'player_2 to beat single C[3] (player_1)'], 'Round 1: C[3] (player_1)')
    """
    shown = scene(game, viewer, open_hands=open_hands, names=names, lang=lang)
    return "\n".join(_lines(game, shown, words(shown.language)))


def _lines(game: Game, shown: Scene, tr: Words) -> Iterator[str]:
    yield tr("state.title", title=shown.title, phase=tr.name("state_phase", game.phase.value))
    yield settled_text(shown)
    yield from shown.facts
    for seat in shown.seats:
        yield _seat(seat, tr)
    for area in shown.areas:
        cards = _cards(area.cards)
        counted = tr("state.area", label=area.label, cards=card_numbers([area.count], tr))
        yield tr("state.line", label=counted, text=cards) if cards else counted
    rounds = rounds_of(game.ruleset, game.events)
    if prepared := tr("rules.list").join(_preparatory(game, rounds, shown, tr)):
        yield tr("state.line", label=tr("state.preparatory"), text=prepared)
    for number, acts in enumerate(rounds.rounds, start=1):
        text = tr("state.arrow").join(_act(game, shown.seats[seat].name, play, tr) for seat, play in acts)
        yield tr("state.line", label=tr("state.round", number=number), text=text)


def _seat(seat: ShownSeat, tr: Words) -> str:
    """Return a seat with its labels, and with its cards if they are visible."""
    label = tr("rules.list").join([seat.name, *seat.labels, card_numbers([seat.count], tr)])
    return tr("state.line", label=label, text=_cards(seat.hand)) if seat.hand else label


def _cards(cards: Sequence[CardFace]) -> str:
    return " ".join(card.text for card in cards if not card.is_back)


def _preparatory(game: Game, rounds: Rounds, shown: Scene, tr: Words) -> Iterator[str]:
    """Yield the auction decisions, or the lowest dealt cards that the viewer knows."""
    for event in rounds.said:
        yield tr("state.by", text=said_text(game.ruleset, event, tr), name=shown.seats[event.seat].name)
    known = [card for card in rounds.lowest if card is not None]
    first = min(known, key=game.ruleset.order.positions.__getitem__, default=None)
    for seat, card in enumerate(rounds.lowest):
        if card is not None and (card == first or shown.seats[seat].hand is not None):
            yield tr("state.by", text=card, name=shown.seats[seat].name)


def _act(game: Game, name: str, play: Play, tr: Words) -> str:
    """Return a move: its cards in canonical order, or a pass."""
    text = " ".join(map(str, hand_order(game.ruleset, play))) or pattern_name(game.ruleset, play.pattern, tr)
    return tr("state.by", text=text, name=name)
