"""`big2 uno play`: a person at a table of automatic players, or automatic players alone."""

from __future__ import annotations

import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from big2_env import tui
from big2_env.cli._options import AgentSeed, Lang, words_of
from big2_env.cli._pages import Html, write_page
from big2_env.cli._side_games_kept import say_kept, uno_kept, uno_resumed
from big2_env.cli._status import standard_input
from big2_env.cli._typed_lines import has_table, is_at_terminal
from big2_env.errors import ConfigError, quoted
from big2_env.games.uno import records
from big2_env.games.uno.automatic import automatic_act
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.rules import MAX_PLAYERS, MIN_PLAYERS, PRESETS, UnoRules, uno_rules
from big2_env.games.uno.sitting import UnoSitting
from big2_env.games.uno.texts import outcome_text, top_text, turn_text
from big2_env.language import Words
from big2_env.play.own_file import OwnFile
from big2_env.runs.replacing import append, check_place

Players = Annotated[int | None, typer.Option(help=f"Players, {MIN_PLAYERS} to {MAX_PLAYERS}; by default 2.")]
Preset = Annotated[str, typer.Option("--rules", help=f"The rules to begin with: {', '.join(PRESETS)}.")]
Options = Annotated[
    list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="A rule to change; may be given several times.")
]


class LogFormat(StrEnum):
    """What is printed of each game."""

    TEXT = "text"
    JSONL = "jsonl"


def parse_rules(preset: str, players: int | None, options: list[str] | None) -> UnoRules:
    """The rules that the command line names.

    Raises:
        ConfigError: an unknown option, or a value that is not allowed.
    """
    changes: dict[str, Any] = {} if players is None else {"players": players}
    for option in options or []:
        name, equals, value = option.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or name in changes:
            raise ConfigError(f"--option: expected NAME=VALUE, each name once, got {option!r}{' again' if equals else ''}")
        changes[name] = {"yes": True, "true": True, "no": False, "false": False}.get(value.lower(), value)
    return uno_rules(preset, **changes)


def play(
    kept: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="With --resume: the file.")] = None,
    players: Players = None,
    games: Annotated[int | None, typer.Option(min=1, help="How many games automatic players play; by default 1.")] = None,
    preset: Preset = "article",
    option: Options = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the first deal, the next one's is one higher; by default 0, for people drawn.")
    ] = None,
    seat: Annotated[int | None, typer.Option(help="Your seat: you play, also through a pipe. By default 0.")] = None,
    against: Annotated[
        str | None, typer.Option(help="Your opponents: automatic, learned, search, search:100, rule-v1 or random.")
    ] = None,
    agent_seed: AgentSeed = 0,
    log: Annotated[
        LogFormat | None, typer.Option(help="Automatic players play: print every act, or a JSON record a line.")
    ] = None,
    html: Html = None,
    record: Annotated[Path | None, typer.Option(help="Append the records of the games you play to this file.")] = None,
    plain: Annotated[bool, typer.Option("--plain", help="The prompt, also where the table could be shown.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the last game that was broken off.")] = False,
    lang: Lang = None,
) -> None:
    """Play against automatic or other players, or let automatic ones play.

    On a terminal you play: at a card table, if textual is installed (pip install 'big2_env[tui]'), else and with --plain at a
    prompt. With --games, --log or --html, and where output or input is no terminal, automatic players play alone.

    At the prompt a turn is the index of a card as it stands above your hand, or the card: r7, g+2, b skip, wild r. An empty
    line or p draws a card, or keeps the one just drawn; ? lists the rest.

    Game k of big2 uno simulate --seed S is the one of big2 uno play --seed (S + k).

    Examples:
        big2 uno play --players 4 --rules table
        big2 uno play --players 4 --seed 7 --log text
        big2 uno play --games 1000 --log jsonl > uno.jsonl
        big2 uno play --players 4 --html uno.html
        big2 uno play --resume
    """
    file = OwnFile()
    if resume:
        others = (players, games, option, seed, seat, against, log, html, record)
        if preset != "article" or agent_seed or any(one is not None for one in others):
            raise ConfigError("--resume: expected at most a file, --plain and --lang, for the game goes on as it was begun")
        sitting = uno_resumed(kept, file)
        again = [*_changes(sitting.rules), *([] if sitting.against == "automatic" else ["--against", sitting.against])]
        again += _salted(sitting)
        _play_with(sitting, file, None, plain, again, words_of(lang))
        return
    if kept is not None:
        raise ConfigError(f"expected a file with --resume only, got {quoted(str(kept))}")
    rules = parse_rules(preset, players, option)
    is_automatic = games is not None or log is not None or html is not None
    if is_automatic and (seat is not None or record is not None):
        raise ConfigError("expected one of --seat or --record, for people, and --games, --log or --html, got both")
    if is_automatic and against is not None:
        raise ConfigError("expected --against, for people, or --games, --log or --html, got both")
    if is_automatic or (seat is None and record is None and against is None and not is_at_terminal()):
        _play_alone(rules, range(seed or 0, (seed or 0) + (games or 1)), log or LogFormat.TEXT, html, words_of(lang))
        return
    sitting = UnoSitting(rules, seat=seat or 0, seed=seed, against=against or "automatic", agent_seed=agent_seed)
    again = [*_again(rules, preset, option), *([] if against is None else ["--against", against]), *_salted(sitting)]
    again += [] if record is None else ["--record", str(record)]
    _play_with(sitting, file, record, plain, again, words_of(lang))


def _again(rules: UnoRules, preset: str, option: list[str] | None) -> list[str]:
    """The options that name the same rules."""
    named = [] if preset == "article" else ["--rules", preset]
    return ["--players", str(rules.players), *named, *(part for one in option or [] for part in ("--option", one))]


def _salted(sitting: UnoSitting) -> list[str]:
    """Return the option that names the salt of the other players."""
    return ["--agent-seed", str(sitting.agent_seed)] if sitting.agent_seed else []


def _changes(rules: UnoRules) -> list[str]:
    """The options that name any rules."""
    changed = rules.changed()
    named = (f"{name}={str(value).lower()}" for name, value in changed.items() if name != "players")
    return ["--players", str(rules.players), *(part for one in named for part in ("--option", one))]


def _play_with(sitting: UnoSitting, file: OwnFile, record: Path | None, plain: bool, again: list[str], tr: Words) -> None:
    """Let a person play until they leave."""
    if record is not None:
        check_place(record)
        append(record, "")  # before the game, not after it

    def keep(kept: records.UnoRecord) -> None:
        if record is not None:
            append(record, records.dumps(kept) + "\n")

    lines = standard_input()
    sitting.keep, sitting.changed = None if record is None else keep, uno_kept(file)
    try:
        if has_table(plain):
            tui.run_uno(sitting, tr.language)
        else:
            from big2_env.cli._uno_prompt import UnoPrompt

            UnoPrompt(sitting, tr, lines).run()
    except KeyboardInterrupt:
        print()
        raise
    finally:
        sitting.leave()
        command = ["big2", "uno", "play", *again, "--seat", str(sitting.seat), "--seed", str(sitting.seed)]
        say_kept(file, tr, "uno" if file.has(sitting.dealt) and not sitting.is_over else None)
        print(tr("prompt.again", command=shlex.join(command)))


def _play_alone(rules: UnoRules, seeds: range, log: LogFormat, html: Path | None, tr: Words) -> None:
    """Let automatic players play a game for each seed."""
    replays = []
    for seed in seeds:
        game = UnoGame.deal(rules, seed)
        if log is LogFormat.TEXT:
            print(tr("uno.turned_up", seed=seed, card=top_text(game, tr)))
        while not game.is_over:
            act = automatic_act(game.view())
            if log is LogFormat.TEXT:
                print(turn_text(game, act, tr))
            game.play(act)
        if log is LogFormat.TEXT:
            print_outcome(game, tr)
        else:
            records.dump([records.UnoRecord(game, {"seed": seed, "players": ["article"] * rules.players})], sys.stdout)
        if html is not None:
            from big2_env.games.uno.replays import game_replay

            replays.append(game_replay(game, f"UNO {seed}", lang=tr.language))
    if html is not None:
        write_page(html, replays)


def print_outcome(game: UnoGame, tr: Words) -> None:
    """Print how a game ended, if it has."""
    if game.outcome is not None:
        print(outcome_text(game.outcome, tr))
