"""The protocol big2-bench v1: what is played so that strengths told by different people, at different times, can be compared.

An agent sits alone against three copies of each opponent, in two rulesets. Every opponent meets it on the same deals, each in
all four rotations. Told are the share of games won (par 25 %) and the mean payoff a game by the ruleset's own scoring (par 0),
with 95 % intervals over deals (Student's; a deal with its four games is one observation).

Nothing here changes any more: whatever would change a figure makes a new version. Opponents are pinned by a hash of their
choices in a fixed set of positions, so that one that plays otherwise than it did is noticed before it is played against.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from big2_agents.arena.results import Config
from big2_agents.arena.schedule import Schedule
from big2_env.agents import Agent, make_agent
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.errors import ConfigError
from big2_env.rng import SplitMix64, derived

NAME: Final = "big2-bench v1"
DEALS: Final = 2000
SEED: Final = 36926500117487
"""Of deal 0, as `Game.deal` takes it; deal k has SEED + k. It is the first 6 bytes of the SHA-256 of the name."""
SCORINGS: Final[Mapping[str, str]] = {"big2": "winner", "hong_kong": "cards"}
"""The rulesets and what the score counts in each: what the ruleset pays."""
OPPONENTS: Final = ("random", "greedy", "heuristic")
AGENTS: Final[Mapping[str, str]] = {"heuristic": "heuristic:first"}
"""The agents that play the opponents whose names mean others by now."""
PIN_DEALS: Final = 24
"""How many games the positions of a pin come from."""
PINS: Final[Mapping[str, Mapping[str, str]]] = {
    "big2": {"random": "f228cc9ead4ac663", "greedy": "d055dbbb636f69b8", "heuristic": "6c1b59c151a8ca26"},
    "hong_kong": {"random": "5d2b05a523ff906e", "greedy": "a6b0e1d0f0cb784b", "heuristic": "1afdf79c098c9f92"},
}
"""By ruleset and opponent: `fingerprint` of the one that v1 means."""


def protocol() -> dict[str, Any]:
    """Everything that v1 fixes, as JSON values."""
    return {
        "name": NAME,
        "rulesets": dict(SCORINGS),
        "deals": DEALS,
        "seed": SEED,
        "schedule": Schedule.ALONE.value,
        "opponents": {name: {ruleset: pins[name] for ruleset, pins in PINS.items()} for name in OPPONENTS},
    }


def protocol_hash() -> str:
    """Twelve digits that stand for the protocol: figures with other digits are not to be compared."""
    text = json.dumps(protocol(), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def config_of(agent: str, ruleset: str) -> Config:
    """What is played for an agent in a ruleset: it is agent 0, and the opponents follow.

    Raises:
        ConfigError: a ruleset that the protocol does not have.
    """
    if ruleset not in SCORINGS:
        raise ConfigError(f"unknown ruleset {ruleset!r} of {NAME}; expected one of {', '.join(SCORINGS)}")
    others = [AGENTS.get(name, name) for name in OPPONENTS]
    return Config((agent, *others), ruleset, SCORINGS[ruleset], SEED, Schedule.ALONE.value)


def positions(ruleset: RuleSet) -> Iterator[Game]:
    """The positions of pins, each a game with a real choice: from games whose acts are all drawn from a stream of their own."""
    for deal in range(PIN_DEALS):
        seed = derived(SEED, deal)
        game = Game.deal(ruleset, seed)
        rng = SplitMix64(seed)
        while game.outcome is None:
            acts = list(game.legal_plays())
            if len(acts) > 1:
                yield game
            game.push(acts[rng.below(len(acts))])


def fingerprint(agent: Agent, ruleset: RuleSet) -> str:
    """Sixteen digits that stand for an agent's choices in `positions`; it is reset before each."""
    digest = hashlib.sha256()
    for number, game in enumerate(positions(ruleset)):
        view = game.view()
        agent.reset(derived(SEED, number))
        play = agent.act(view, view.legal_plays())
        digest.update(f"{play.mask:x} {play.pattern};".encode())
    return digest.hexdigest()[:16]


def check_opponents(ruleset: str) -> None:
    """Refuse opponents that are not those of v1.

    Raises:
        ConfigError: one plays otherwise than it is pinned.
    """
    rules = ruleset_named(ruleset)
    for name, pin in PINS[ruleset].items():
        found = fingerprint(make_agent(AGENTS.get(name, name)), rules)
        if found != pin:
            raise ConfigError(f"expected {name} to play in {ruleset} as {NAME} has it (choices {pin}), got {found}")
