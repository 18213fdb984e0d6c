"""Measurement of agents in frozen decisions, for `big2 bench --positions`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from big2_agents.language_model.settings import files_beside
from big2_agents.positions.answering import Answer, answer_file, answered, header
from big2_agents.positions.decisions import Decisions, decisions, positions_rulesets
from big2_agents.positions.regrets import RegretRow, answers_path, write_row
from big2_env.agents import aside, can_play, check_seats, make_agent
from big2_env.cli._options import say_stopped
from big2_env.cli._seating import print_weights_notes
from big2_env.errors import ConfigError
from big2_env.language import Words
from big2_env.runs.executors import Executor
from big2_env.runs.progress import counting


def measured(
    specs: Sequence[str],
    ruleset: str | None,
    out: Path,
    number: int | None,
    executor: Executor,
    limit: float | None,
    at_once: int,
    *,
    resume: bool,
    overwrite: bool,
    tr: Words,
) -> list[RegretRow]:
    """Let agents answer frozen decisions, and return their rows. Rulesets that an agent cannot play are left out.

    Args:
        specs: Specifications of the agents.
        ruleset: Name of the ruleset, `None` for all that have decisions.
        out: Folder for answers and rows.
        number: Number of decisions per ruleset, `None` for all.
        executor: Processes that answer.
        limit: Maximum seconds per move; `None` for no limit.
        at_once: Number of calls at a time of agents that wait for an endpoint.
        resume: Continue the answers of an earlier run.
        overwrite: Replace the answers of an earlier run.
        tr: Words of the language.

    Raises:
        ConfigError: An agent cannot play the ruleset, fails, or a file may be neither continued nor replaced.
    """
    rulesets = [decisions(ruleset)] if ruleset is not None else [decisions(name) for name in positions_rulesets()]
    for asked in rulesets:
        if number is not None and number > len(asked.items):
            raise ConfigError(f"expected at most {len(asked.items)} decisions, got --decisions {number}")
    with aside():
        agents = {spec: make_agent(spec) for spec in dict.fromkeys(specs)}
        wanted = [
            (asked, spec)
            for asked in rulesets
            for spec in agents
            if ruleset is None and can_play(agents[spec], asked.ruleset, asked.num_players)
        ] or [(asked, spec) for asked in rulesets for spec in agents]
        for asked, spec in wanted:
            check_seats([agents[spec]], asked.ruleset, asked.num_players)
            print_weights_notes({spec: agents[spec]}, asked.ruleset, asked.num_players, tr)
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    with executor.running():
        for asked, spec in wanted:
            path = answers_path(out, asked.ruleset.name, spec)
            waits = getattr(agents[spec], "waits", False)
            with files_beside(path) if waits else nullcontext():
                first = header(spec, asked, agents[spec])
                done: list[Answer] = []
                with answer_file(path, first, asked, done, resume=resume, overwrite=overwrite) as write:
                    _answer(spec, asked, done, number, executor, limit, at_once if waits else None, path, write, tr)
            rows.append(RegretRow.of(path))
            write_row(rows[-1], path.with_suffix(".json"))
    return rows


def _answer(
    spec: str,
    asked: Decisions,
    done: list[Answer],
    number: int | None,
    executor: Executor,
    limit: float | None,
    at_once: int | None,
    path: Path,
    write: Callable[[dict[str, Any]], None],
    tr: Words,
) -> None:
    """Let an agent answer the decisions that its file lacks."""
    asked_number = len(asked.items) if number is None else number
    if len(done) > asked_number:
        raise ConfigError(f"{path} has {len(done)} decisions: expected --decisions {len(done)} or more, got {asked_number}")
    todo = range(len(done), asked_number)
    try:
        with (
            counting(f"{asked.ruleset.name}, {spec}", asked_number, len(done)) as advance,
            answered(spec, asked.ruleset.name, todo, executor, limit, at_once) as found,
        ):
            for answer in found:
                write(answer.line())
                done.append(answer)
                advance(1)
    except KeyboardInterrupt:
        say_stopped("decisions", len(done), asked_number, path, tr)
        raise
