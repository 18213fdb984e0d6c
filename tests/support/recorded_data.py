"""The recorded numbers of the browser's first page: `python tests/support/recorded_data.py` updates them.

A test fails when they are stale. Results of agents come from the newest big2-bench of a ruleset, and from
`benchmarks/results/arena.json` for agents without a row there. Minutes follow from the lengths of games between greedy agents.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

import measurements
from places import BENCHMARKS, ROOT
from readme_tables import newest_rows, shipped

from big2_env.agents.interface import can_play, make_agent
from big2_env.base.plugins import AGENTS
from big2_env.climbing.game import Game
from big2_env.climbing.rulesets import own_rulesets

FILE: Final = ROOT / "big2_env" / "tables" / "browser" / "data" / "recorded.json"
RIVAL: Final = "greedy"
RANKED_IN: Final = "big2"
"""Game whose results order the agents."""
SEARCHED: Final = {"search": "heuristic", "learned-search": "learned"}
"""Agents that are a little better than another, which plays in their search; used if they were not measured."""
ARENA_ROW: Final = re.compile(rf"wins of ([\w-]+) against (?:two|three) {RIVAL} in (\w+)")
GAMES: Final = 10
SECONDS: Final = (10.0, 1.5)
"""Seconds of a person's move and of another seat's at the usual pace."""


def wins() -> dict[tuple[str, str], float]:
    """The share of games won in one seat against the rival in all others, by game and agent."""
    found = {key: row.against[RIVAL].wins.mean for key, row in newest_rows().items()}
    for row in measurements.listed(BENCHMARKS / "results" / "arena.json"):
        if (match := ARENA_ROW.fullmatch(row["name"])) is not None:
            found.setdefault((match[2], match[1]), row["value"] / 100)
    return found


def plays(agent: str, game: str, *, any_number: bool = False) -> bool:
    """Whether an agent plays a game of the usual number of seats, or of every number."""
    rules = own_rulesets()[game]
    numbers = range(rules.min_players, rules.max_players + 1) if any_number else [rules.default_players]
    return all(can_play(make_agent(agent), rules, number) for number in numbers)


def minutes(game: str) -> int:
    """How long a game lasts if one of its players is a person."""
    rules = own_rulesets()[game]
    own, others, agent = 0, 0, make_agent(RIVAL)
    for seed in range(GAMES):
        dealt = Game.deal(rules, seed)
        while not dealt.is_over:
            view = dealt.view()
            own, others = own + (dealt.turn == 0), others + (dealt.turn != 0)
            dealt.push(agent.act(view, view.legal_plays()))
    return max(1, math.ceil((own * SECONDS[0] + others * SECONDS[1]) / GAMES / 60))


def recorded() -> dict[str, Any]:
    """The content of the file."""
    games = sorted(own_rulesets())
    found = wins()

    def strength(agent: str) -> tuple[float, bool]:
        measured = found.get((RANKED_IN, agent))
        return (found[RANKED_IN, SEARCHED[agent]], True) if measured is None else (measured, False)

    def rounded(agent: str, game: str) -> float | None:
        share = found.get((game, agent))
        return None if share is None else round(share, 4)

    return {
        "rival": RIVAL,
        "minutes": {game: minutes(game) for game in games},
        "any_number": [agent for agent in sorted(shipped(AGENTS)) if plays(agent, RANKED_IN, any_number=True)],
        "agents": {
            agent: {game: rounded(agent, game) for game in games if plays(agent, game)}
            for agent in sorted(shipped(AGENTS), key=strength, reverse=True)
        },
    }


def text() -> str:
    """The file as it should be."""
    return json.dumps(recorded(), indent=1) + "\n"


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(text(), encoding="utf-8")
