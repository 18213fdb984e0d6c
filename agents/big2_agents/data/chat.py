"""Decisions as conversations for supervised fine-tuning of language models: JSON lines with `messages`.

`llm:MODEL` sends the same messages, so a model trained on them sees these prompts when it plays. The answer is the move
made. Forced moves are left out, since no model is asked for them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from big2_agents.data.plan import Plan
from big2_agents.data.rows import Rows
from big2_agents.language_model.protocol import Options
from big2_agents.learned.agent import LearnedAgent
from big2_agents.review.decision import Decision, judge_named, prepare_many
from big2_env.agents.advice import seat_players
from big2_env.agents.seeds import agent_seed
from big2_env.base.language import Language, words
from big2_env.climbing.actions import action_space
from big2_env.climbing.game import Game
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.notation.lines import write_lines
from big2_env.text.names import move_text

CHAT_COLUMNS: Final = (
    ("messages", "list", "system prompt; rules and view of the seat; the move made, as `<answer>MOVE</answer>`"),
    ("ruleset", "text", "name of the ruleset"),
    ("game", "number", "number of the game; game k is dealt by seed + k"),
    ("seat", "number", "seat that decided"),
    ("agent", "text", "its agent"),
    ("action", "number", "id of the action taken"),
    ("return", "number", "payoff of the seat at the end of the game"),
    ("value", "number or null", "expected payoff of the move by `--values`; null without it, or for a move it gives no value"),
    ("regret", "number or null", "value of the best move minus `value`"),
    ("basis", "object or null", "of a value by `learned`: the evaluator's `version`, `players`, `substitutes` and `deals`"),
)
"""Keys of a line: name, type, meaning."""
DEALS: Final = 32
"""Sampled deals of either half for values by `learned`, see `evaluator`."""


class Teacher:
    """Values of moves, for the lines of a data set and for rewards.

    Args:
        spec: Agent that gives comparable values; `learned` asks the evaluator.
        rules: Rules of the games.
        players: Number of seats.

    Raises:
        ConfigError: The agent is unknown, cannot play the game, or its values are not comparable.
    """

    def __init__(self, spec: str, rules: RuleSet, players: int) -> None:
        name, _, weights = spec.partition(":")
        self._judge = LearnedAgent(weights or None, deals=DEALS) if name == "learned" else judge_named(spec)
        prepare_many(self._judge, Game.deal(rules, 0, players).view())

    def judged(self, view: View, plays: Sequence[Play], players: Sequence[str | None] = ()) -> list[Decision]:
        """Return the decision for each of some moves, with values in points.

        Args:
            view: View of the seat to move.
            plays: Legal moves.
            players: Name of the agent in each seat, see `advice.seat_players`.
        """
        seat_players(self._judge, players)
        self._judge.reset(agent_seed(view))
        advice = tuple(self._judge.judge(view, view.legal_plays(), plays))
        return [Decision(len(view.history), view.seat, play, advice) for play in plays]

    def regrets(self, view: View, players: Sequence[str | None] = ()) -> list[float]:
        """Return the regret of each legal move in points, 0 for a move without a value; args as of `judged`."""
        return [one.loss or 0.0 for one in self.judged(view, list(view.legal_plays()), players)]


@lru_cache(maxsize=1)
def teacher_of(plan: Plan) -> Teacher | None:
    """Return the teacher of a data set, `None` without values; made once per process."""
    return None if plan.values is None else Teacher(plan.values, plan.rules, plan.players)


def chat_lines(rows: Rows, plan: Plan) -> Iterator[dict[str, Any]]:
    """Yield the line of each decision with a choice, as `CHAT_COLUMNS` describes it."""
    options, language = Options("", language=plan.language), words(Language(plan.language))
    space, teacher = action_space(plan.rules), teacher_of(plan)
    game, number = None, -1
    for row in range(len(rows.action)):
        if game is None or int(rows.game[row]) != number:
            number = int(rows.game[row])
            game = Game.deal(plan.rules, plan.seed + number, plan.players)
            mine = rows.game == number
            seated = dict(zip(rows.seat[mine].tolist(), rows.agent[mine].tolist(), strict=True))
            players = [plan.agents[seated[seat]] if seat in seated else None for seat in range(plan.players)]
        view, action = game.view(), int(rows.action[row])
        legal = view.legal_plays()
        play = space.verify(action, legal)
        if len(legal) > 1:
            one = None if teacher is None else teacher.judged(view, [play], players)[0]
            chosen = None if one is None else one.chosen
            answer = {"role": "assistant", "content": f"<answer>{move_text(play, legal, language)}</answer>"}
            yield {
                "messages": [*options.conversation(view), answer],
                "ruleset": plan.rules.name,
                "game": number,
                "seat": view.seat,
                "agent": plan.agents[int(rows.agent[row])],
                "action": action,
                "return": float(rows.payoff[row]),
                "value": None if chosen is None else chosen.value,
                "regret": None if one is None else one.loss,
                "basis": None if chosen is None or chosen.basis is None else asdict(chosen.basis),
            }
        game.push(play)


def write_chat(rows: Rows, plan: Plan, path: Path) -> int:
    """Write the lines of a piece, and return their number."""
    lines = (json.dumps(line, ensure_ascii=False, allow_nan=False) for line in chat_lines(rows, plan))
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        return write_lines(lines, stream)
