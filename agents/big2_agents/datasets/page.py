"""The card of a data set for people: how it was made, what the columns are, how it is read."""

from __future__ import annotations

import shlex
from typing import Final

from big2_agents.datasets.plan import LIST, Piece, Plan
from big2_env.cli._seating import players_options
from big2_env.climbing.saved_rules import identity

COLUMNS: Final = (
    ("game", "int64 (n,)", "number of the game; game k is dealt by seed + k"),
    ("seat", "int8 (n,)", "the seat that decided"),
    ("agent", "int8 (n,)", "who sat there: the place in the list of agents"),
    ("action", "int32 (n,)", "id of the action taken"),
    ("return", "float32 (n,)", "what the seat got when the game ended"),
    (
        "observation",
        "uint8 (n, ceil(size / 8))",
        "what the seat saw: zeros and ones, eight to a byte, the first in the lowest bit",
    ),
    ("legal", "int32 (total,)", "the legal actions of all rows, ascending, one row after another"),
    ("legal_start", "int64 (n + 1,)", "where those of each row begin: row i has `legal[legal_start[i]:legal_start[i + 1]]`"),
    ("final_observation", "uint8 (games, seats, ceil(size / 8))", "what each seat saw when each game had ended, packed alike"),
)
"""The arrays of an npz file: name, dtype with shape, meaning."""
PARQUET: Final = (
    *COLUMNS[:5],
    ("observation", "fixed_size_list<int8>[size]", "what the seat saw, zeros and ones"),
    ("legal", "list<int32>", "the legal actions, ascending"),
)
"""The columns of a Parquet file: name, type, meaning."""


def column_table(columns: tuple[tuple[str, str, str], ...]) -> str:
    """The columns as a Markdown table."""
    rows = [
        ("column", "type", "meaning"),
        ("---", "---", "---"),
        *((f"`{name}`", f"`{kind}`", text) for name, kind, text in columns),
    ]
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


def command_line(plan: Plan) -> str:
    """The command that makes the data set again; where the rules are a file of one's own, its name is to be filled in."""
    agents = plan.agents[:1] if len(set(plan.agents)) == 1 else plan.agents
    words = ["big2", "export", *agents, "--game", plan.rules.name, *players_options(plan.players, len(agents), plan.rules)]
    scoring = identity(plan.rules).get("scoring")
    words += ["--scoring", scoring] if scoring else []
    words += [
        "--games",
        str(plan.games),
        "--piece",
        str(plan.games_per_piece),
        "--seed",
        str(plan.seed),
        "--format",
        plan.format,
    ]
    return shlex.join(words)


def page(plan: Plan, pieces: list[Piece]) -> str:
    """The card of a finished data set, Markdown."""
    rows = sum(piece.rows for piece in pieces)
    digest = identity(plan.rules)["rules"]["digest"]
    read = (
        "from big2_agents.datasets import load\nrows = load(FOLDER).rows()"
        if plan.format == "npz"
        else "from glob import glob\nimport pyarrow.dataset\n"
        'table = pyarrow.dataset.dataset(sorted(glob(f"{FOLDER}/*.parquet"))).to_table()'
    )
    return f"""# Games of {", ".join(plan.agents)}

{plan.games:,} games of `{plan.rules.name}`, {rows:,} decisions in {len(pieces)} files.

* Command: `{command_line(plan)}`
* Made with big2_env {plan.version}; rules `{digest}`
* Agents, by their numbers in column `agent`: {", ".join(f"{i} `{agent}`" for i, agent in enumerate(plan.agents))}
* Game k is dealt by seed {plan.seed} + k; agent c sits at seat (c + k) mod {plan.players}
* Observations have {plan.observation_size:,} entries, there are {plan.num_actions:,} actions
* Forced passes are among the decisions: rows with one legal action were no choice
* `{LIST}` has the same for programs, and the SHA-256 of every file

{column_table(COLUMNS if plan.format == "npz" else PARQUET)}
```python
{read}
```
"""
