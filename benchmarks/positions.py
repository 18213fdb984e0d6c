"""Frozen decisions of the protocol big2-positions, with the values of their moves.

    OMP_NUM_THREADS=1 python benchmarks/positions.py big2 --out runs/positions/big2.jsonl

This command made `VERSION/RULESET.jsonl` in `agents/big2_agents/evaluation/positions`, which do not change any more. A stopped
run is continued. A ruleset takes about four minutes on one core.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer
from choosing import chosen, quota_of

from big2_agents.evaluation.positions.decisions import PROTOCOLS, Kind, seed_of
from big2_agents.learned.playouts import PolicyPlayouts
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.climbing.saved_rules import identity
from big2_env.runs.progress import counting
from big2_env.runs.resumable import opened

DEALS = 64
"""Sampled deals per decision."""


def main(
    ruleset: Annotated[str, typer.Argument(help="Ruleset of the decisions.")],
    out: Annotated[Path, typer.Option(help="File for the decisions.")],
    protocol: Annotated[str, typer.Option(help="Name of the version.")] = PROTOCOLS[-1],
) -> None:
    """Choose the decisions of a ruleset, and value their moves."""
    rules = ruleset_named(ruleset)
    number = rules.default_players
    head = {
        "schema": 1,
        "kind": "big2 positions",
        "protocol": protocol,
        "ruleset": rules.name,
        "identity": identity(rules),
        "players": number,
        "judge": "learned",
        "deals": DEALS,
    }
    found: Counter[Kind] = Counter()
    games = [-1]

    def take(line: dict[str, Any]) -> None:
        found[Kind(line["kind"])] += 1
        games.append(line["game"])

    total = sum(quota_of(rules).values())
    judge = PolicyPlayouts(rules, number)
    with opened(out, head, block=take, max_line=1 << 20, resume=out.exists()) as write:
        have = sum(found.values())
        with counting("decisions", total, have) as advance:
            for line in chosen(rules, judge, DEALS, seed_of(protocol), games[-1] + 1, dict(found)):
                write(line)
                advance(1)


if __name__ == "__main__":
    typer.run(main)
