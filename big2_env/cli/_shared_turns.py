"""Turns at a shared table, at a prompt: what a person sees on their turn, and the requests that a typed line makes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Final, Protocol

from rich.text import Text

from big2_env.cli._prompt import card_readings
from big2_env.cli._terminal import CARDS_TOO, hand_lines, table_lines
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.rulesets import named
from big2_env.errors import ConfigError, IllegalPlayError, NotationError, quoted
from big2_env.games import SIDE_GAMES
from big2_env.language import Words
from big2_env.notation import typed
from big2_env.scene import CardFace, Scene, scene_of
from big2_env.show.terminal import Styles
from big2_env.side_game import SideGame
from big2_env.web.messages import Refused, cards_in

PASSES: Final = typed.PASSES - {"", "n", "no", "否"}
"""Words that pass; a no to a question that is over does not."""
CALLS: Final = typed.YES - {"y", "yes", "是"}
"""Words that call in an auction; a yes to a question that is over does not."""


class Talk(Protocol):
    """The prompt, as turns use it."""

    tr: Words
    state: dict[str, Any]
    by_index: bool
    is_lost: bool
    is_terminal: bool
    signs: bool
    styles: Styles

    @property
    def width(self) -> int:
        """Columns of the terminal."""

    def send(self, act: str, **body: Any) -> bool:
        """Ask for a change, show what has become of the table, and return whether the change was made."""

    def ask(self, act: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """Return the server's answer, `None` if it refuses, which is printed."""

    def print(self, text: str) -> None:
        """Print a text with cards in notation."""

    def write(self, line: Text) -> None:
        """Print a line."""


def side_kind(game: str) -> type[SideGame] | None:
    """Return the class of a side game that people play at shared tables, `None` for other games.

    Args:
        game: Name of the game.
    """
    return next((one.kind() for one in SIDE_GAMES if one.name == game and one.players[1] > 1), None)


def turns_of(game: str, talk: Talk) -> Turns:
    """Return the turns of a game.

    Args:
        game: Name of the game.
        talk: The prompt.
    """
    kind = side_kind(game)
    return ClimbingTurns(talk) if kind is None else SideTurns(talk, kind)


def hand_of(scene: Scene) -> tuple[CardFace, ...]:
    """Return the viewer's hand; empty without one."""
    return (scene.seats[scene.viewer].hand or ()) if scene.viewer is not None else ()


class Turns(ABC):
    """Turns of one game.

    Args:
        talk: The prompt.
    """

    def __init__(self, talk: Talk) -> None:
        self.talk = talk
        """The prompt."""

    @abstractmethod
    def help(self) -> str:
        """Return what can be typed."""

    def reads_as_card(self, word: str) -> bool:
        """Return whether a word that is also a command names a card now.

        Args:
            word: Word in lower case.
        """
        return False

    @abstractmethod
    def show(self, scene: Scene) -> None:
        """Print the table and the choices of the person whose turn it is.

        Args:
            scene: The table as the person sees it.
        """

    @abstractmethod
    def show_hand(self, scene: Scene) -> None:
        """Print the person's hand.

        Args:
            scene: The table as the person sees it.
        """

    @abstractmethod
    def move(self, line: str) -> None:
        """Make the move that a line names; if it names none, print the reason.

        Args:
            line: Line that was typed, not empty.
        """

    def forget(self) -> None:  # noqa: B027  # most games have nothing to forget
        """Forget a line that needs another one, because the table has changed."""

    def _show_table(self, scene: Scene) -> None:
        talk = self.talk
        for shown in table_lines(scene, talk.tr, talk.signs, talk.styles):
            talk.write(shown)


class ClimbingTurns(Turns):
    """Turns of a climbing game. The server finds out what the typed cards are."""

    def __init__(self, talk: Talk) -> None:
        super().__init__(talk)
        self._reading: list[str] | None = None

    def help(self) -> str:
        """Return what can be typed."""
        return self.talk.tr("join.help" if self.talk.by_index else "join.help_points")

    def reads_as_card(self, word: str) -> bool:
        """Return whether a word names a card: a few do if ranks name cards; see `Turns.reads_as_card`."""
        return word in CARDS_TOO and not (self.talk.by_index or self.talk.state["bidding"])

    def show(self, scene: Scene) -> None:
        """Print the table, the hand, and the calls of an auction; see `Turns.show`."""
        talk = self.talk
        self._show_table(scene)
        if talk.state["bidding"]:
            names = [f"{call['word']} ({call['words']})" for call in talk.state["calls"]]
            talk.print(talk.tr("prompt.calls", words=" / ".join([*names, "pass"])))
        self.show_hand(scene)

    def show_hand(self, scene: Scene) -> None:
        """Print the hand, with indices if they name cards."""
        talk, hand = self.talk, hand_of(scene)
        for shown in hand_lines(hand, talk.width, talk.signs, talk.by_index, talk.styles) if hand else ():
            talk.write(shown)

    def forget(self) -> None:
        """Forget cards that can be read in several ways."""
        self._reading = None

    def move(self, line: str) -> None:
        """Make the move that a line names; see `Turns.move`."""
        talk, word = self.talk, line.strip()
        if self._reading is not None and word.isascii() and word.isdecimal() and len(word) < 3:
            if talk.send("play", cards=self._reading, reading=max(0, int(word) - 1)) or not talk.is_lost:
                self._reading = None
            return
        self._reading = None
        if talk.state["bidding"]:
            self._call(word)
        elif word.lower() in PASSES:
            talk.send("play", cards=[])
        else:
            self._play(word)

    def _call(self, word: str) -> None:
        talk = self.talk
        offered = [str(call["word"]) for call in talk.state["calls"]]
        named_call = f"bid_{word}" if word.isascii() and word.isdecimal() else word
        if word.lower() in PASSES:
            talk.send("play", cards=[])
        elif named_call in offered or (word.lower() in CALLS and offered):
            talk.send("say", word=named_call if named_call in offered else offered[0])
        else:
            talk.print(talk.tr("prompt.calls", words=" / ".join([*offered, "pass"])))

    def _play(self, line: str) -> None:
        talk, tr = self.talk, self.talk.tr
        scene = scene_of(talk.state["scene"])
        rules = named(scene.game)
        if rules is None:
            raise ConfigError(f"--join: the game {quoted(scene.game)} is not installed here; open the link in a browser")
        try:
            hand = cards_in(0, [face.text for face in hand_of(scene)])
        except Refused as error:
            raise ConfigError(f"--join: the server sent an unknown card: {error}") from None
        try:
            found = card_readings(line.split(), None, LegalPlays(rules, hand, None), talk.by_index)
        except NotationError:
            talk.print(tr("prompt.no_index", last=hand.bit_count() - 1, given=quoted(line, 20)))
            return
        except IllegalPlayError:
            talk.print(tr("prompt.not_held", given=quoted(line, 20)))
            return
        if not found[0].mask:
            talk.print(tr("prompt.no_card", given=quoted(line, 20), help=self.help()))
            return
        fitting, problem = [], ""
        for one in found:
            look = talk.ask("look", {"cards": [str(card) for card in rules.order.sort(one.mask)]})
            if look is None:
                return
            if look.get("legal"):
                fitting.append((one, look))
            problem = problem or str(look.get("words", ""))
        if not fitting:
            talk.print(problem)
            return
        if len(fitting) > 1:
            talk.print("\n".join([tr("prompt.which_cards", count=len(fitting)), *(f"  {one.text}" for one, _ in fitting)]))
            return
        [(one, look)] = fitting
        cards = [str(card) for card in rules.order.sort(one.mask)]
        if readings := look.get("readings"):
            self._reading = cards
            named_readings = (f"  {number}  {each['words']}" for number, each in enumerate(readings, start=1))
            talk.print("\n".join([tr("join.which", count=len(readings)), *named_readings]))
            return
        talk.send("play", cards=cards)


class SideTurns(Turns):
    """Turns of a side game. The server lists the legal moves in the notation of records.

    Args:
        talk: The prompt.
        kind: Class of the game, which reads and writes moves.
    """

    def __init__(self, talk: Talk, kind: type[SideGame]) -> None:
        super().__init__(talk)
        self._kind = kind

    def help(self) -> str:
        """Return what can be typed."""
        return self.talk.tr("join.help_side")

    def show(self, scene: Scene) -> None:
        """Print the table, the hand and the legal moves; see `Turns.show`."""
        talk = self.talk
        self._show_table(scene)
        self.show_hand(scene)
        moves = (
            f"{number}:{text}" if text == words else f"{number}:{text} ({words})" for number, (text, words) in self._moves()
        )
        talk.print(talk.tr("join.moves", moves=", ".join(moves)))

    def show_hand(self, scene: Scene) -> None:
        """Print the hand."""
        hand = hand_of(scene)
        for shown in hand_lines(hand, self.talk.width, self.talk.signs, indices_too=False) if hand else ():
            self.talk.write(shown)

    def _moves(self) -> list[tuple[int, tuple[str, str]]]:
        """Return the legal moves with their numbers, as texts in notation and in words."""
        return list(enumerate((str(move["text"]), str(move["words"])) for move in self.talk.state["moves"]))

    def move(self, line: str) -> None:
        """Make the move that a line names by its number, in notation or in words; see `Turns.move`."""
        talk, word = self.talk, line.strip()
        wanted = {word.casefold(), self._written(word).casefold()}
        bare = [str(move["text"]) for move in talk.state["moves"] if not move["cards"]]
        found = [text for number, (text, words) in self._moves() if {str(number), text.casefold(), words.casefold()} & wanted]
        if not found and word.lower() in PASSES and len(bare) == 1:
            found = bare
        if len(found) == 1:
            talk.send("move", moves=found)
        else:
            choices = ", ".join(text for _, (text, _) in self._moves())
            talk.print(talk.tr("side_play.expected_move", given=quoted(word, 20), choices=choices))

    def _written(self, word: str) -> str:
        """Return a move as records write it; other texts as they are."""
        try:
            return self._kind.move_text(self._kind.parse_move(word))
        except NotationError:
            return word
