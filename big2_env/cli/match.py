"""`big2 match`: agents play each other, and the games are printed."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, TextIO

import typer

from big2_env.agents import Agent, make_agent, play_out, play_turn, reset_seats
from big2_env.cli import RULES_HELP
from big2_env.climbing.game import Game, Outcome, decks_of
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.notation import records
from big2_env.notation.log import LogWriter
from big2_env.notation.transcript import Transcript
from big2_env.runs.progress import waiting


class LogFormat(StrEnum):
    """What is printed of each game."""

    SPEC = "spec"
    JSONL = "jsonl"


def command(
    agents: Annotated[list[str], typer.Argument(metavar="AGENT...", help="An agent for each seat: NAME or NAME:ARGUMENT.")],
    seed: Annotated[int, typer.Option(help="Seed of the first game's deal and agents; the next game's is one higher.")] = 0,
    log: Annotated[LogFormat, typer.Option(help="The text format's log, or a JSON record a line.")] = LogFormat.SPEC,
    games: Annotated[int, typer.Option(min=1, help="How many games.")] = 1,
    ruleset: Annotated[str, typer.Option("--ruleset", "--game", help=RULES_HELP)] = "big2",
    scoring: Annotated[str | None, typer.Option(help="What a game pays: winner or cards; else the ruleset's own.")] = None,
) -> None:
    """Let agents play each other and print the games.

    Seats are fixed: the first agent sits at seat 0. To compare agents, which needs the same deals in all seats, see big2 arena.

    Examples:
        big2 match heuristic greedy greedy random --seed 7
        big2 match random random random random --games 1000 --log jsonl > games.jsonl
    """
    rules = ruleset_named(ruleset) if scoring is None else ruleset_named(ruleset).with_scoring(scoring)
    players = [make_agent(spec) for spec in agents]
    names = seat_names(agents)
    outcomes = []
    for game_seed in range(seed, seed + games):
        deck, *redeals = map(tuple, decks_of(rules, game_seed))
        transcript = Transcript(Game.from_deck(rules, deck, len(players), redeals), names)
        reset_seats(players, game_seed)
        if log is LogFormat.SPEC:
            outcomes.append(_play_aloud(transcript, players, sys.stdout))
        else:
            with waiting():
                outcomes.append(play_out(transcript.game, players))
            records.dump([records.GameRecord(transcript, deck, {"agents": agents, "seed": game_seed})], sys.stdout)
    if games > 1:
        _print_summary(names, outcomes, sys.stderr)


def seat_names(specs: Sequence[str]) -> list[str]:
    """A name for each seat: the agent's, with a number where several seats have the same.

    >>> seat_names(["heuristic", "greedy", "greedy"])
    ['heuristic', 'greedy1', 'greedy2']
    """
    again = Counter(specs)
    return [spec if again[spec] == 1 else f"{spec}{specs[: seat + 1].count(spec)}" for seat, spec in enumerate(specs)]


def _play_aloud(transcript: Transcript, players: Sequence[Agent], out: TextIO) -> Outcome:
    """How the game ends; its log is written act by act."""
    log, game = LogWriter(transcript), transcript.game
    while (outcome := game.outcome) is None:
        out.write(log.read_new())
        out.flush()
        with waiting():
            play_turn(game, players)
    out.write(log.read_new())
    return outcome


def _print_summary(names: Sequence[str], outcomes: Sequence[Outcome], err: TextIO) -> None:
    """Wins and mean payoffs by seat."""
    number = len(outcomes)
    width = max(map(len, names))
    print(f"{number} games, seats fixed", file=err)
    for seat, name in enumerate(names):
        wins = sum(seat in outcome.winners for outcome in outcomes)
        paid = sum(outcome.payoffs[seat] for outcome in outcomes) / number
        print(f"  {name:<{width}}  {wins:>6} wins ({wins / number:6.1%})  mean payoff {paid:+.3f}", file=err)
