"""Measure the units of losses anew for shipped rulesets whose rules or rule-based players have changed.

    PYTHONPATH=tests/support python -m payoff_units

Writes `agents/big2_agents/models/payoff_units.json` and `tests/data/payoff_units.json`, what they were measured with.
`tests/agents/test_made_with.py` names what is out of date.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from places import DATA

from big2_agents.models import models_folder
from big2_agents.models.formula import weights_of
from big2_agents.review.prospects import UNIT_DEALS, measured_unit
from big2_env import RuleSet
from big2_env.climbing.ruleset_data import digest
from big2_env.climbing.rulesets import own_rulesets
from big2_env.runs.progress import counting

FILE: Final = models_folder() / "payoff_units.json"
MADE_WITH: Final = DATA / "payoff_units.json"
"""What the units of each ruleset were measured with, as `made_with` gives it."""


def made_with(rules: RuleSet) -> str:
    """Sixteen digits of a hash of what a unit depends on: the rules, the formula of the players, the number of deals."""
    return sha256(f"{digest(rules)} {weights_of(rules)!r} {UNIT_DEALS}".encode()).hexdigest()[:16]


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def write(path: Path, found: dict[str, Any]) -> None:
    """Write a line for each ruleset."""
    lines = (f'  "{name}": {json.dumps(found[name])}' for name in sorted(found))
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def out_of_date() -> list[str]:
    """The rulesets whose units were not measured by today's rules and players."""
    made = read(MADE_WITH)
    return [name for name, rules in own_rulesets().items() if made.get(name) != made_with(rules)]


def main() -> None:
    units, made, old = read(FILE), read(MADE_WITH), out_of_date()
    with counting("rulesets", len(old)) as advance:
        for name in old:
            rules = own_rulesets()[name]
            numbers = range(rules.min_players, rules.max_players + 1)
            units[name] = {str(number): measured_unit(rules, number) for number in numbers}
            made[name] = made_with(rules)
            advance(1)
    write(FILE, units)
    write(MADE_WITH, made)


if __name__ == "__main__":
    main()
