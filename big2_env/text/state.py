"""State of a climbing game as text with all hands open, at any time, with all its rounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from big2_env.base.language import Language, Words, words
from big2_env.base.scene import Scene, ShownSeat
from big2_env.climbing.events import Dealt
from big2_env.climbing.game import Game
from big2_env.text.climbing_scene import scene
from big2_env.text.events import settled_text
from big2_env.text.observation import area_lines, cards_line, round_lines
from big2_env.text.patterns import card_numbers


def state_text(game: Game, *, names: Sequence[str] | None = None, lang: Language | None = None) -> str:
    """Return a game with all hands open, and every round so far, as lines of text. `observation` is the text for one seat.

    Args:
        game: The game.
        names: Name of each seat; None for `player_0`, `player_1`, ...
        lang: Language; None for the user's.

    Raises:
        ConfigError: The number of names does not fit.

    >>> from big2_env import BIG2
    >>> game = Game.deal(BIG2, seed=7)
    >>> _ = game.play("C[3]")
    >>> lines = state_text(game, lang=Language.EN).splitlines()
    >>> lines[:2], lines[-1]
    (['Big Two: Started (in play)', 'player_2 to beat single C[3] (player_1)'], 'Round 1: C[3] (player_1)')
    """
    shown = scene(game, open_hands=True, names=names, lang=lang)
    return "\n".join(_lines(game, shown, words(shown.language)))


def _lines(game: Game, shown: Scene, tr: Words) -> Iterator[str]:
    yield tr("state.title", title=shown.title, phase=tr.name("state_phase", game.phase.value))
    yield settled_text(shown)
    yield from shown.facts
    for seat in shown.seats:
        yield _seat(seat, tr)
    yield from area_lines(shown, tr)
    names = [seat.name for seat in shown.seats]
    if lowest := tr("rules.list").join(_lowest(game, names, tr)):
        yield tr("state.line", label=tr("state.preparatory"), text=lowest)
    yield from round_lines(game.view(), names, tr)


def _lowest(game: Game, names: Sequence[str], tr: Words) -> Iterator[str]:
    """Yield the lowest dealt card of each seat; none in games with an auction, or that began after some plays."""
    if game.ruleset.auction is None and not any(game.start.played):
        [dealt] = [event for event in game.events if isinstance(event, Dealt)]
        for name, hand in zip(names, dealt.hands, strict=True):
            if hand:
                yield tr("state.by", text=game.ruleset.order.lowest(hand), name=name)


def _seat(seat: ShownSeat, tr: Words) -> str:
    """Return a seat with its labels and cards."""
    label = tr("rules.list").join([seat.name, *seat.labels, card_numbers([seat.count], tr)])
    return tr("state.line", label=label, text=cards_line(seat.hand)) if seat.hand else label
