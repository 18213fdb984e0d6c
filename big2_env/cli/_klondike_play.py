"""`big2 klondike play`: one game at the terminal, and what other verbs share with it."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from re import sub
from typing import Annotated

import typer

from big2_env import tui
from big2_env.cli import standard_input
from big2_env.cli._options import Lang, words_of
from big2_env.cli._side_games_kept import klondike_kept, klondike_resumed, say_kept
from big2_env.cli._typed_lines import COMMANDS, TypedLines, has_table
from big2_env.errors import ConfigError, IllegalPlayError, NotationError, quoted
from big2_env.games.klondike import records
from big2_env.games.klondike.actions import act_text, parse_act, parse_acts
from big2_env.games.klondike.cards import cards_text, parse_card, parse_cards
from big2_env.games.klondike.game import KlondikeGame
from big2_env.games.klondike.position_json import parse_position, position_text
from big2_env.games.klondike.texts import check_text, hint_text, refusal_text, view_text
from big2_env.language import Language, Words
from big2_env.notation.typed import PASSES
from big2_env.play.own_file import OwnFile
from big2_env.rng import drawn_seed
from big2_env.runs.replacing import append, check_place

Deck = Annotated[str | None, typer.Option(help="The 52 cards, AC to KS, instead of a seed's; pile 1 gets the first.")]
Position = Annotated[
    str | None, typer.Option(metavar="JSON", help="A position in place of a deal: keys piles, down, dealer, foundations.")
]
Acts = Annotated[str, typer.Option(help="Acts done first: 'deal*3 5H>3 AC>F'.")]


def game_of(seed: int, deck: str | None, acts: str, position: str | None = None) -> KlondikeGame:
    """The game that the command line names.

    Raises:
        ConfigError, NotationError, IllegalPlayError: there is none.
    """
    if position is None:
        game = KlondikeGame.deal(seed) if deck is None else KlondikeGame(parse_cards(deck))
    elif deck is None:
        game = KlondikeGame(parse_position(position))
    else:
        raise ConfigError("expected --deck or --position, got both")
    for number, act in enumerate(parse_acts(acts), start=1):
        try:
            game.play(act)
        except IllegalPlayError as error:
            raise IllegalPlayError(f"act {number}, {act_text(act)}: {error}", error.refusal) from None
    return game


def play(
    kept: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="With --resume: the file.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the deal; drawn where none is given.")] = None,
    deck: Deck = None,
    position: Position = None,
    record: Annotated[Path | None, typer.Option(help="Append the game's record to this file in the end.")] = None,
    plain: Annotated[bool, typer.Option("--plain", help="The prompt, also where the table could be shown.")] = False,
    letters: Annotated[bool, typer.Option("--letters", help="At the table, 3C instead of 3♣.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the last game that was broken off.")] = False,
    lang: Lang = None,
) -> None:
    """Play a game at the terminal: at a card table, if textual is installed (pip install 'big2_env[tui]').

    Otherwise, and with --plain, at a prompt that also reads pipes. There a turn is an act (5H>3 moves the five of hearts, and
    what lies on it, onto pile 3; AC>F the ace onto its foundation), acts one after another as a hint prints them (deal*7 3H>F),
    a card alone for the first place that fits it, or d to deal. u takes back as many acts as you like; h gives a hint from what
    you can see. Ctrl-C ends the game as q does and keeps the record.

    Examples:
        big2 klondike play --seed 7
        big2 klondike play --plain --record games.jsonl
        big2 klondike play --resume
    """
    lines, tr, file = TypedLines(standard_input()), words_of(lang), OwnFile()
    asked: int | None
    if resume:
        if seed is not None or deck is not None or position is not None or record is not None:
            raise ConfigError("--resume: expected at most a file, and no --seed, --deck, --position or --record")
        game, asked = klondike_resumed(kept, file)
    elif kept is not None:
        raise ConfigError(f"expected a file with --resume only, got {quoted(str(kept))}")
    else:
        asked = None if deck or position else drawn_seed() if seed is None else seed
        game = game_of(asked or 0, deck, "", position)
    if record is not None:
        check_place(record)
        append(record, "")  # before the game, not after it

    def keep(left: KlondikeGame, left_seed: int | None) -> None:
        if record is not None:
            kept_seed = {} if left_seed is None else {"seed": left_seed}
            append(record, records.dumps(records.KlondikeRecord(left, kept_seed)) + "\n")

    changed = klondike_kept(file)
    if has_table(plain):
        leave = keep if record else None
        last = tui.run_klondike(
            game, asked, tr.language, counts_seeds=seed is not None, letters=letters, keep=leave, changed=changed
        )
        game, asked = last.game, last.seed
    else:
        print(tr("klondike.help") if seed is None else tr("klondike.seed", seed=asked, help=tr("klondike.help")))
        print(view_text(game.view(), tr), end="", flush=True)
        try:
            _play_on(game, lines, tr, lambda: changed(game, asked))
        except KeyboardInterrupt:
            print()
    print(tr("klondike.won" if game.is_won else "klondike.stopped", score=game.score, acts=len(game.history)))
    say_kept(file, tr, "klondike" if file.has(game) and not (game.is_won or game.is_stuck) else None)
    print(tr("prompt.again", command=shlex.join(["big2", "klondike", "play", *_options(game, asked)])))
    keep(game, asked)


def _options(game: KlondikeGame, seed: int | None) -> list[str]:
    """Return the options that ask for the start of a game."""
    if seed is not None:
        return ["--seed", str(seed)]
    return ["--position", position_text(game.start)] if game.deck is None else ["--deck", cards_text(game.deck)]


def _play_on(game: KlondikeGame, lines: TypedLines, tr: Words, changed: Callable[[], None]) -> None:
    """Read turns until the game is won or left; `changed` is called after every turn."""
    while not game.is_won:
        line = lines.read()
        if line is None or COMMANDS.get(line.strip().lower()) == "quit":
            break
        word = sub(r"\s*>\s*", ">", sub(r"[\s,，、;；]+", " ", line).strip())
        try:
            shown = _turn(game, word, tr)
        except IllegalPlayError as error:
            print(f"  {refusal_text(error, tr)}")
            continue
        except NotationError as error:
            print(f"  {error if tr.language is Language.EN else tr('klondike.unclear', help=tr('klondike.help'))}")
            continue
        changed()
        print(shown or view_text(game.view(), tr), end="", flush=True)
        if game.is_stuck:
            print(tr("klondike.stuck"))


def _turn(game: KlondikeGame, word: str, tr: Words) -> str | None:
    """Do what a line says; what to print instead of the position, `None` for the position.

    Raises:
        NotationError, IllegalPlayError: it says nothing that can be done.
    """
    name = word.lower()
    asked = COMMANDS.get(name, "")
    if asked == "help":
        return f"{tr('klondike.help')}\n"
    if asked == "review":
        return f"{' | '.join(map(str, game.history)) or '-'}\n"
    if name == "check":
        return f"{check_text(game.published_check(), tr)}\n"
    if asked in ("hint", "values"):
        from big2_env.games.klondike.hint import hint as hinted

        return f"{hint_text(hinted(game.view()), tr)}\n"
    if asked == "undo":
        return f"{tr('klondike.taken_back', act=game.undo())}\n{view_text(game.view(), tr)}"
    if name in PASSES or name in ("d", "deal", "發牌", "发牌"):
        game.play(parse_act("deal"))
    elif ">" in word or name.startswith("deal"):
        _play_all(game, word)
    else:
        try:
            card = parse_card(word)
        except NotationError:
            raise NotationError(f"{quoted(word)}? {tr('klondike.help')}") from None
        game.double_click(card)
    return None


def _play_all(game: KlondikeGame, text: str) -> None:
    """Do several acts, or none of them.

    Raises:
        NotationError, IllegalPlayError: one cannot be read or done.
    """
    acts = parse_acts(text)
    for number, act in enumerate(acts):
        try:
            game.play(act)
        except IllegalPlayError as error:
            for _ in range(number):
                game.undo()
            raise IllegalPlayError(f"{act_text(act)}: {error}" if len(acts) > 1 else str(error), error.refusal) from None
