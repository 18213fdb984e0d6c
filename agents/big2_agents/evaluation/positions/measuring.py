"""Measurement of agents in frozen decisions, for `big2 bench --positions`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from big2_agents.evaluation.positions.answering import ANSWERS, Answer, Asked, answered
from big2_agents.evaluation.positions.decisions import decisions, positions_rulesets
from big2_agents.evaluation.positions.regrets import RegretRow, answers_path
from big2_env.agents.interface import aside, can_play, check_seats, make_agent
from big2_env.base.errors import ConfigError
from big2_env.base.language import Words
from big2_env.cli._endpoint_options import files_beside
from big2_env.cli._options import counted
from big2_env.cli._seating import print_weights_notes
from big2_env.runs.executors import Executor
from big2_env.runs.rows import write_row


def measured(
    specs: Sequence[str],
    protocol: str,
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
        protocol: Name of the version.
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
    rulesets = [decisions(name, protocol) for name in (positions_rulesets(protocol) if ruleset is None else [ruleset])]
    for asked in rulesets:
        if number is not None and number > len(asked.items):
            raise ConfigError(f"expected at most {len(asked.items)} decisions, got --decisions {number}")
    with aside():
        agents = {spec: make_agent(spec) for spec in specs}
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
                asks = Asked.of(spec, agents[spec], asked)
                done: list[Answer] = []
                with ANSWERS.open(path, asks, done.append, resume=resume, overwrite=overwrite) as write:
                    last = len(asked.items) if number is None else number
                    with (
                        counted("decisions", len(done), last, path, tr, title=f"{asked.ruleset.name}, {spec}") as advance,
                        answered(asks, range(len(done), last), executor, limit, at_once if waits else None) as found,
                    ):
                        for answer in found:
                            write(answer)
                            advance(1)
            rows.append(RegretRow.of(path))
            write_row(path.with_suffix(".json"), rows[-1].as_json())
    return rows
