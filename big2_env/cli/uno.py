"""`big2 uno`: UNO as the article has it, one game or very many."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from big2_env.cli import Family
from big2_env.cli._kept import Out, Overwrite, Resume, check_found, check_kept, say_stopped
from big2_env.cli._options import Lang, OnRay, executor_of, words_of
from big2_env.cli._uno_play import Options, Players, Preset, parse_rules, play, print_outcome
from big2_env.games.uno import records
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.rules import CHOICES, MAX_PLAYERS, MIN_PLAYERS, PRESETS, UnoRules
from big2_env.games.uno.texts import top_text, turn_text
from big2_env.language import Words

if TYPE_CHECKING:
    from big2_env.games.uno.simulate import UnoSimulation


def simulate(
    players: Players = None,
    games: Annotated[int, typer.Option(min=1, help="How many games.")] = 100_000,
    preset: Preset = "article",
    option: Options = None,
    seed: Annotated[int, typer.Option(help="Seed of the first game; the next one's is one higher.")] = 0,
    out: Out = None,
    resume: Resume = False,
    overwrite: Overwrite = False,
    jobs: Annotated[int, typer.Option(min=0, max=1024, help="How many threads play; 0 for one on each core.")] = 0,
    ray: OnRay = None,
    as_json_: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
    lang: Lang = None,
) -> None:
    """Let automatic players play many games, on all cores, and print lengths, endings, scores and seats.

    The automatic player plays a card of the same face, else of the same colour, else a wild card, else it draws; of several
    the oldest. --option pick=highest takes the one that counts most in hand, pick=hardest the one that the next player can
    hardly follow. A turn is a play or a draw. Intervals are of 95 %. The figures do not depend on where they are played.

    The same command with --resume goes on where a run with --out was stopped or killed. A run that is stopped prints what it
    has found so far.

    Examples:
        big2 uno simulate --players 4 --games 200000
        big2 uno simulate --games 50000 --option colour_order=draw_order --option match_zero=no
        big2 uno simulate --players 6 --rules mattel --json
        big2 uno simulate --players 4 --option pick=hardest
        big2 uno simulate --games 100000 --out uno.jsonl
        big2 uno simulate --games 200000 --out uno.jsonl --resume
    """
    from big2_env.games.uno.simulate import UnoSimulation, new_total, run_of, simulated
    from big2_env.runs.progress import counting
    from big2_env.runs.resumable import kept

    def show(found: UnoSimulation) -> None:
        if as_json_:
            print(json.dumps(as_json(found)))
        else:
            _print_simulation(found, tr)

    tr = words_of(lang)
    check_kept(out, resume, overwrite)
    rules, total = parse_rules(preset, players, option), new_total()
    with kept(out, run_of(rules, seed), {"games": total}, resume=resume, overwrite=overwrite):
        check_found("games", total.number, games, out)
        try:
            with counting(tr("runs.games"), games, total.number) as advance:
                simulated(rules, games, seed=seed, executor=executor_of(ray, jobs), progress=advance, total=total)
        except KeyboardInterrupt:
            say_stopped("games", total.number, games, out, tr)
            if total.number:
                show(UnoSimulation(rules, seed, total.number, total.sums))
            raise
    show(UnoSimulation(rules, seed, total.number, total.sums))


def as_json(found: UnoSimulation) -> dict[str, Any]:
    """A simulation's figures, with standard errors."""
    named = {"turns": found.turns, "exhausted": found.exhausted, "left": found.left}
    seats = {"wins": found.wins, "firsts": found.firsts, "scores": found.scores}
    return {
        "rules": found.rules.changed(),
        "seed": found.seed,
        "games": found.games,
        "shortest": found.shortest,
        "median": found.percentile(0.5),
        "longest": found.longest,
        **{name: {"mean": one.mean, "error": one.error} for name, one in named.items()},
        **{name: [{"mean": one.mean, "error": one.error} for one in each] for name, each in seats.items()},
    }


def _print_simulation(found: UnoSimulation, tr: Words) -> None:
    from rich.console import Console
    from rich.table import Table

    rules = ", ".join(f"{name} {value}" for name, value in found.rules.changed().items())
    ends = ", ".join(f"{percent} %: {found.percentile(percent / 100)}" for percent in (5, 25, 50, 75, 95))
    print(tr("figures.uno_title", games=f"{found.games:,}", seed=found.seed, rules=rules))
    print(tr("figures.uno_turns", mean=f"{found.turns:.2f}", least=found.shortest, most=found.longest))
    print(tr("figures.uno_percentiles", shares=ends))
    print(tr("figures.uno_exhausted", share=f"{found.exhausted:.2%}"))
    print(tr("figures.uno_left", mean=f"{found.left:.1f}"))
    table = Table()
    for column in ("seat", "uno_wins", "uno_firsts", "points_left"):
        table.add_column(tr(f"figures.{column}"), justify="right")
    for seat, (won, first, score) in enumerate(zip(found.wins, found.firsts, found.scores, strict=True)):
        shares = [f"{one:.2%}" for one in (won, first)]
        table.add_row(str(seat), *shares, f"{score:.2f}")
    Console(soft_wrap=True).print(table)


def replay(
    file: Annotated[Path, typer.Argument(help="Records, a game a line.")],
    log: Annotated[bool, typer.Option("--log", help="Print every act.")] = False,
    lang: Lang = None,
) -> None:
    """Check records by playing them again; a record that the rules contradict is refused.

    Examples:
        big2 uno replay uno.jsonl
    """
    number, tr = 0, words_of(lang)
    with file.open("rb") as stream:
        for record in records.load(stream):
            number += 1
            if log:
                game = UnoGame(record.game.rules, record.game.deck, record.game.stream)
                print(tr("uno.line_turned_up", line=number, card=top_text(game, tr)))
                for move in record.game.history:
                    print(turn_text(game, move.act, tr))
                    game.play(move.act)
                print_outcome(game, tr)
    print(tr("side_play.replayed", number=number))


def rules(lang: Lang = None) -> None:
    """Print the rules that may be chosen, their values and presets.

    Examples:
        big2 uno rules
    """
    tr = words_of(lang)
    numbers = tr("figures.from_to", low=MIN_PLAYERS, high=MAX_PLAYERS)
    for name, value in vars(UnoRules()).items():
        allowed = CHOICES.get(name, (numbers,) if name == "players" else ("no", "yes"))
        shown = {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value
        print(tr("figures.uno_rule", name=f"{name:<20}", value=f"{shown!s:<14}", choices=", ".join(allowed)))
    for name, preset in PRESETS.items():
        changed = ", ".join(f"{key}={value}" for key, value in preset.changed().items())
        print(tr("figures.uno_preset", name=name, rules=changed))


command = Family(
    """UNO 疯狂的UNO: automatic players, very many games, records.

    Examples:
        big2 uno simulate --players 4 --games 200000
        big2 uno play --seed 7
    """,
    simulate=simulate,
    play=play,
    replay=replay,
    rules=rules,
)
