"""People at side games: the prompt, one line per turn, and the verbs that all side games share."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from big2_env.base.errors import ConfigError, IllegalPlayError, NotationError, quoted
from big2_env.base.language import Language, Words
from big2_env.base.side_game import Player, SideGame, SideMove, seeded_move
from big2_env.cli._options import shows_signs, write_page
from big2_env.cli._status import standard_input
from big2_env.drawing.replays import side_replay
from big2_env.drawing.terminal import with_short_signs
from big2_env.notation.side_records import SideRecord, dump, dumps, load
from big2_env.runs.atomic_files import append_text, check_writable
from big2_env.tables import terminal as tui
from big2_env.tables.prompt.table_prompt import TablePrompt
from big2_env.tables.prompt.terminal import COMMANDS, hand_lines, has_table, table_lines
from big2_env.tables.session.own_file import OwnFile
from big2_env.tables.session.side_session import SideSession
from big2_env.text.observation import side_observation

Kept = Annotated[Path | None, typer.Argument(metavar="[FILE]", help="Record file to continue, with --resume.")]
Record = Annotated[Path | None, typer.Option(help="File to append records of your games to.")]
Plain = Annotated[bool, typer.Option("--plain", help="Use the prompt even if a table can be shown.")]
Resume = Annotated[bool, typer.Option("--resume", help="Continue the last unfinished game.")]
RecordFile = Annotated[Path, typer.Argument(help="Record file, one game per line.")]


class SidePrompt(TablePrompt):
    """A person who plays a side game at the prompt.

    Args:
        session: The person's seat at the table.
        tr: Texts of the language.
        lines: Stream of typed lines.
    """

    def __init__(self, session: SideSession[Any], tr: Words, lines: TextIO) -> None:
        super().__init__(session, tr, lines)
        self._signs = shows_signs()

    def _help(self) -> str:
        found: str = self.session.game.prompt_help(self.tr)
        return found

    def _answer(self, line: str) -> bool:
        # Imported where it is used: its patterns take a hundredth of a second, and other verbs need none.
        from big2_env.text.answers import read_side_line

        try:
            self.session.play(*read_side_line(line, self.session.game, self.session.seat, self.tr))
        except IllegalPlayError as error:
            self._print(self._drawn(f"  {error if self.tr.language is Language.EN else self.tr('side_play.refused')}"))
        except NotationError as error:
            self._print(str(error))
        else:
            return True
        return False

    def _undone_text(self, undone: Any) -> str:
        """Return an undone move as text, in the game's own notation if it has one."""
        return self.session.game.move_text(undone.move) if type(undone) is SideMove else str(undone)

    def _show_position(self) -> None:
        session = self.session
        text = session.game.position_text(session.seat, self.tr)
        if text is not None:
            print(self._drawn(text), end="", flush=True)
            return
        scene = session.scene(self.tr.language)
        hand = scene.seats[session.seat].hand or ()
        for line in [*table_lines(scene, self.tr, signs=True), *hand_lines(hand, self._console.width, signs=True)]:
            self._console.print(line)

    def _command(self, line: str) -> str:
        asked, game, tr = COMMANDS.get(line.strip().lower(), ""), self.session.game, self.tr
        if asked == "undo":
            if (undone := self.session.undo()) is not None:
                self._print(self._drawn(tr("side_play.taken_back", move=self._undone_text(undone))))
                self._shown = len(self.session.game.history)
                return "changed"
            self._print(tr("side_play.nothing_to_undo" if game.num_players == 1 else "tui.nothing_to_undo"))
        elif asked == "review":
            for text in self.session.scene(tr.language, last=10_000).events or ("-",):
                self._print(self._drawn(f"  {text}"))
        elif asked == "state":
            self._print(side_observation(game, self.session.seat, tr.language))
        elif asked in ("hint", "values"):
            self._print(self._drawn(game.hint_text(self.session.seat, tr)))
        elif asked and asked != "quit":
            self._print(self._help())
        elif not asked and (answer := game.answer(line.strip().lower(), tr)):
            self._print(answer)
            return "help"
        return asked

    def _show_events(self) -> None:
        made = len(self.session.game.history)
        if made > self._shown and self.session.game.num_players > 1:
            for line in self.session.scene(self.tr.language, last=made - self._shown).events:
                self._print(line)
        self._shown = made

    def _drawn(self, text: str) -> str:
        """Return a text with suit symbols on a terminal that can show them."""
        return with_short_signs(text) if self._signs else text


def refuse_with_resume(kept: Path | None, resume: bool, others: Iterable[object], rest: str) -> None:
    """Refuse a file without `--resume`, and other options with it.

    Args:
        kept: File argument.
        resume: True with `--resume`.
        others: Values of the other options; truthy if given.
        rest: Options that are allowed with `--resume`, for the message.

    Raises:
        ConfigError: The options contradict each other.
    """
    if not resume and kept is not None:
        raise ConfigError(f"expected a file with --resume only, got {quoted(str(kept))}")
    if resume and any(others):
        raise ConfigError(f"--resume: expected at most a file, {rest}, because the game continues with its own options")


def play_with_person(
    session: SideSession[Any],
    file: OwnFile,
    again: Sequence[str],
    tr: Words,
    *,
    record: Path | None = None,
    plain: bool = False,
    letters: bool = False,
) -> None:
    """Let a person play until the person leaves.

    Args:
        session: The person's seat at the table.
        file: Record file of each deal.
        again: Options that name the same game, without its seed.
        tr: Texts of the language.
        record: File to which the records of the games are appended.
        plain: True for the prompt even if a table can be shown.
        letters: True for suits as letters at the table.
    """
    if record is not None:
        check_writable(record)
        append_text(record, "")  # before the game, not after it

        def keep(kept: SideRecord[Any]) -> None:
            append_text(record, dumps(kept) + "\n")

        session.ended = keep
    verb, lines = session.game.name, standard_input()
    session.keep = file
    try:
        if has_table(plain):
            tui.show(session.game.name, session, lang=tr.language, letters=letters)
        else:
            SidePrompt(session, tr, lines).run()
    except KeyboardInterrupt:
        print()
        raise
    finally:
        session.leave()
        if session.game.num_players == 1:
            print(session.game.result_text((), tr))
        say_kept(file, tr, verb if file.has(session.dealt) and not session.is_over else None)
        seat = ["--seat", str(session.seat)] if session.game.num_players > 1 else []
        seed = [] if session.seed is None else ["--seed", str(session.seed)]
        print(tr("prompt.again", command=shlex.join(["big2", verb, "play", *again, *seat, *seed])))


def play_alone(
    games: Iterable[tuple[int, SideGame]], player: Player, saved_as: str, log: bool | None, html: Path | None, tr: Words
) -> None:
    """Let computer players play games, and print them.

    Args:
        games: Seed and game of each deal.
        player: Player of all seats.
        saved_as: Name of the player in records.
        log: True for every move in words, False for a record per line, `None` for nothing.
        html: Page to write.
        tr: Texts of the language.
    """
    replays = []
    for seed, game in games:
        if log:
            print(tr("side_play.opening", seed=seed, text=_opening(game, tr)))
        while not game.is_over:
            move = seeded_move(player, game.view())
            if log:
                print(game.turn_text(move, tr))
            game.play(move)
        if log:
            print(game.result_text((), tr))
        elif log is not None:
            dump([SideRecord(game, {"seed": seed, "players": [saved_as] * game.num_players})], sys.stdout)
        if html is not None:
            replays.append(side_replay(game, f"{game.scene(lang=tr.language).title} {seed}", lang=tr.language))
    if html is not None:
        write_page(html, replays)


def print_log(played: SideGame, number: int, tr: Words) -> None:
    """Print every move of a game, and its result.

    Args:
        played: Finished or unfinished game.
        number: Line number of its record.
        tr: Texts of the language.
    """
    game = played.restarted()
    print(tr("side_play.line", line=number, text=_opening(game, tr)))
    for made in played.history:
        print(game.turn_text(made.move, tr))
        game.play(made.move)
    if game.is_over:
        print(game.result_text((), tr))


def replay_records(
    file: Path, kind: type[SideGame], log: bool, tr: Words, show: Callable[[Any, int, Words], None] = print_log
) -> None:
    """Replay records and print how many there are.

    Args:
        file: Record file.
        kind: Class of the game.
        log: True to print every move as well.
        tr: Texts of the language.
        show: Function that prints every move of a game, with the line number of its record.
    """
    number = 0
    with file.open("rb") as stream:
        for number, record in enumerate(load(stream, kind), start=1):
            if log:
                show(record.game, number, tr)
    print(tr("side_play.replayed", number=number))


def _opening(game: SideGame, tr: Words) -> str:
    """Return the known facts before the first move, at least the game's name."""
    return game.opening_text(tr) or tr.name("game", game.name)


def say_kept(file: OwnFile, tr: Words, verb: str | None) -> None:
    """Print the file of the last deal, or why it was not saved, and the command that continues it.

    Args:
        file: Record file of the deal.
        tr: Texts of the language.
        verb: Verb of the game, `None` if there is nothing to continue.
    """
    if file.problem is not None:
        print(tr("tui.not_kept", problem=file.problem))
    elif file.path is not None:
        print(tr("prompt.kept", path=file.path))
        if verb is not None:
            print(tr("prompt.go_on", command=shlex.join(["big2", verb, "play", "--resume", str(file.path)])))
