"""Answers of an agent to frozen decisions: a results file that a killed run can continue.

| line | keys |
| --- | --- |
| first | `schema` 1, `kind` "big2 bench --positions", `version`, `protocol`, `hash`, `ruleset`, `agent`, and `agent_protocol` |
| | of a language model |
| others | `decision` (counting from 0), `action`, `regret`; without a legal answer, the action is null and |
| | `fault` has the reason; `counts` of a language model |

The lines are in the order of the decisions. An answer without a legal move has the largest regret of the decision's moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from itertools import count
from typing import Any, Final, NamedTuple

from big2_agents.evaluation.arena.concurrent_games import done_at_once
from big2_agents.evaluation.arena.results import is_counts
from big2_agents.evaluation.positions.decisions import Decisions, decisions
from big2_env import __version__
from big2_env.agents.interface import Agent, aside, make_agent, naming_game
from big2_env.agents.seeds import agent_seed
from big2_env.agents.time_limit import Limited, TimeLimit
from big2_env.base.errors import NotationError, one_line
from big2_env.base.json_values import shown, text_at
from big2_env.climbing.actions import action_space
from big2_env.climbing.forfeit import ForfeitError
from big2_env.runs.batches import Task
from big2_env.runs.executors import Executor
from big2_env.runs.resumable import Format

KIND: Final = "big2 bench --positions"
MAX_LINE: Final = 1 << 16
"""Maximum length of a line in bytes."""


class Answer(NamedTuple):
    """Answer of an agent to a decision."""

    number: int
    """Number of the decision, counting from 0."""
    action: int | None
    """Id of the move; `None` for no legal answer."""
    regret: float
    """Regret in points."""
    fault: str = ""
    """Reason for a missing move."""
    counts: dict[str, float] | None = None
    """Counts of a language model."""

    def line(self) -> dict[str, Any]:
        """Return the line of the answer."""
        head: dict[str, Any] = {"decision": self.number, "action": self.action, "regret": self.regret}
        return head | ({"fault": self.fault} if self.fault else {}) | ({"counts": self.counts} if self.counts else {})


class Answerer:
    """Agent that answers the decisions of a ruleset, one by one.

    Args:
        spec: Specification of the agent.
        ruleset: Name of the ruleset.
        protocol: Name of the version.
        limit: Maximum seconds per move; `None` for no limit.
    """

    def __init__(self, spec: str, ruleset: str, protocol: str, limit: float | None = None) -> None:
        self._spec, self._decisions = spec, decisions(ruleset, protocol)
        with aside():
            self._agent: Agent = make_agent(spec)
        if limit is not None:
            self._agent = Limited(self._agent, TimeLimit(limit))

    def __call__(self, number: int) -> Answer:
        """Return the answer to a decision.

        Raises:
            ConfigError: The agent fails, takes too long or makes an illegal move; the message names the decision.
        """
        asked, rules = self._decisions.items[number], self._decisions.ruleset
        game = asked.game(rules, self._decisions.num_players)
        view = game.view()
        legal = view.legal_plays()
        with aside(), naming_game(f"decision {number}", [self._spec] * game.num_players, game):
            self._agent.reset(agent_seed(view))
            try:
                play = self._agent.act(view, legal)
            except ForfeitError as error:
                return Answer(number, None, round(asked.worst, 6), one_line(str(error)), self._counts())
            game.push(play)  # an illegal move is an error here
        action = action_space(rules).of_play(play, view.hand)
        return Answer(number, action, round(asked.regret(action), 6), "", self._counts())

    def _counts(self) -> dict[str, float] | None:
        found = getattr(self._agent, "counts", None)
        return dict(found) if found else None


class Asked(NamedTuple):
    """Agent that is asked the decisions of a ruleset; what decides its answers."""

    version: str
    """Version of big2_env."""
    protocol: str
    hash: str
    """Digits of the decisions."""
    ruleset: str
    agent: str
    agent_protocol: str | None = None
    """Hash of the prompts and options of a language model."""

    @classmethod
    def of(cls, spec: str, agent: Agent, asked: Decisions) -> Asked:
        """Return an agent that is asked decisions."""
        protocol = getattr(agent, "protocol", None)
        own = None if protocol is None else str(protocol)
        return cls(__version__, asked.protocol, asked.hash, asked.ruleset.name, spec, own)

    def header(self) -> dict[str, Any]:
        """Return the settings in the first line of the results file."""
        return {name: value for name, value in self._asdict().items() if value is not None}


def _asked(data: dict[str, Any]) -> Asked:
    return Asked(*(text_at(data, key) for key in Asked._fields if key in data or key != "agent_protocol"))


def _answers(asked: Asked) -> Callable[[dict[str, Any]], Answer]:
    """Return the function that reads the lines of a file, in the order of the decisions."""
    numbers, found = count(), decisions(asked.ruleset, asked.protocol)
    return lambda data: _answer(data, next(numbers), found)


ANSWERS: Final = Format(KIND, Asked.header, _asked, _answers, Answer.line, MAX_LINE)
"""Format of the results files."""


def _answer(data: dict[str, Any], number: int, asked: Decisions) -> Answer:
    """Return the answer in a line.

    Raises:
        NotationError: The line is malformed, belongs to another decision, or its action is not legal.
    """
    legal = asked.items[number].actions if number < len(asked.items) else ()
    match data:
        case {"decision": int(given), "action": int() | None as action, "regret": int() | float() as regret} if (
            given == number
            and (action in legal or (action is None and legal))
            and isinstance(data.get("fault", ""), str)
            and is_counts(data.get("counts", {}))
        ):
            return Answer(number, action, float(regret), data.get("fault", ""), data.get("counts"))
    raise NotationError(f"expected decision {number} with a legal action and its regret, got {shown(data)}")


def answered(
    asked: Asked, numbers: range, executor: Executor, limit: float | None, at_once: int | None
) -> AbstractContextManager[Iterator[Answer]]:
    """Return a context with the answers to decisions, in order and as they are finished.

    Args:
        asked: The agent, and its decisions.
        numbers: Numbers of the decisions.
        executor: Processes of agents that do not wait for an endpoint.
        limit: Maximum seconds per move; `None` for no limit.
        at_once: Threads of an agent that waits for an endpoint; `None` for other agents.
    """
    which = asked.agent, asked.ruleset, asked.protocol
    if at_once is not None:
        return done_at_once(lambda: Answerer(*which), numbers, at_once)
    return executor.map(Task(Answerer.__call__, Answerer, (*which, limit)), numbers)
