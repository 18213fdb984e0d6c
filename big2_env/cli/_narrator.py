"""A game between agents as a person reads it: coloured lines in one language, act by act."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from big2_env.climbing.events import Dealt, Ended, Event, Passed, StakeMultiplied, TrickOpened
from big2_env.climbing.game import Game
from big2_env.language import Words
from big2_env.show import Scene, scene
from big2_env.show.card_text import QUIET, coloured
from big2_env.text.events import event_text, settled_text


class Narrator:
    """Prints what has happened in a game since it was last asked. All hands lie open.

    Args:
        game: the game, which its owner plays.
        names: a name for each seat.
        tr: the texts of one language.
        console: where the lines go.
    """

    def __init__(self, game: Game, names: Sequence[str], tr: Words, console: Console) -> None:
        self._game, self._names, self._say, self._console = game, names, tr, console
        self._read = 0
        self._tricks = 0

    def print_new(self) -> None:
        """Print what no earlier call printed."""
        events = self._game.events
        fresh, self._read = events[self._read :], len(events)
        for event in fresh:
            for line in self._lines(event):
                self._console.print(line, soft_wrap=True)

    def _lines(self, event: Event) -> Iterator[Text]:
        rules, tr = self._game.ruleset, self._say
        match event:
            case Dealt(hands):
                for name, hand in zip(self._names, hands, strict=True):
                    yield coloured(tr("state.line", label=name, text=rules.text(hand)))
            case TrickOpened():
                self._tricks += 1
                yield Text("")
                yield Text(tr("narration.trick", number=self._tricks), "bold")
            case Passed():
                yield coloured(f"  {event_text(rules, self._names, event, tr)}", QUIET)
            case StakeMultiplied():
                yield coloured(f"  {event_text(rules, self._names, event, tr)}", QUIET)
                yield from (coloured(f"  {fact}", QUIET) for fact in self._now().facts)
            case Ended():
                yield Text("")
                yield Text(settled_text(self._now()), "bold")
                yield from (coloured(line, QUIET) for line in self._left())
            case _:
                if line := event_text(rules, self._names, event, tr):
                    yield coloured(f"  {line}")

    def _now(self) -> Scene:
        return scene(self._game, open_hands=True, names=self._names, lang=self._say.language)

    def _left(self) -> Iterator[str]:
        """The cards that hands have left in the end."""
        position = self._game.position
        for name, hand in zip(self._names, position.hands, strict=True):
            if hand:
                yield self._say("narration.left", name=name, cards=self._game.ruleset.text(hand))
