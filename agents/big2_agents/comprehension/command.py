"""`big2 bench --comprehension`: ask whether moves are legal, and why not.

The results file of an agent is JSON lines:

| line | keys |
| --- | --- |
| first | `schema` 1, `kind` "big2 comprehension", `agent`, `items` (hash of the questions), `protocol` |
| others | `item` from 0, `answer`: a letter, or null for an answer without one |
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from big2_agents.arena.concurrent_games import done_at_once
from big2_agents.arena.report import show
from big2_agents.comprehension.asking import Answerer, answerer, language_of, protocol
from big2_agents.comprehension.items import ITEMS_DIGEST, LETTERS, Item, items
from big2_agents.comprehension.scores import Score, table
from big2_agents.language_model.settings import files_beside
from big2_env.errors import NotationError
from big2_env.json_values import shown
from big2_env.language import Words
from big2_env.runs.atomic_files import replace_file
from big2_env.runs.progress import counting
from big2_env.runs.resumable import opened

KIND: Final = "big2 comprehension"
MAX_LINE: Final = 1 << 12


def run(agents: Sequence[str], paths: Sequence[Path], at_once: int, *, resume: bool, overwrite: bool, tr: Words) -> list[Score]:
    """Ask agents all questions.

    Args:
        agents: Names of the answerers.
        paths: Results file of each.
        at_once: Number of questions at a time.
        resume: True to continue existing files.
        overwrite: True to replace existing files.
        tr: Texts in the user's language.

    Raises:
        ConfigError: An agent is unknown, an endpoint fails, or a file belongs to another run.
    """
    for agent in agents:
        language_of(agent)  # refuses a wrong name before anything is written
    return [_asked(agent, path, at_once, resume, overwrite, tr) for agent, path in zip(agents, paths, strict=True)]


def _asked(agent: str, path: Path, at_once: int, resume: bool, overwrite: bool, tr: Words) -> Score:
    """Return the score of one agent."""
    answers: list[str | None] = []
    header = {"schema": 1, "kind": KIND, "agent": agent, "items": ITEMS_DIGEST, "protocol": protocol(agent)}
    with files_beside(path):
        ask = answerer(agent)
        with (
            opened(path, header, block=partial(_take, answers), max_line=MAX_LINE, resume=resume, overwrite=overwrite) as write,
            counting(tr("comprehension.questions"), len(items()), len(answers)) as advance,
        ):
            for letter in _answers(ask, items(), len(answers), at_once):
                write({"item": len(answers), "answer": letter})
                answers.append(letter)
                advance(1)
    score = Score.of(agent, language_of(agent), protocol(agent), items(), answers)
    with replace_file(path.with_suffix(".json")) as new:
        new.write_text(json.dumps(score.as_json(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return score


def _take(answers: list[str | None], data: dict[str, Any]) -> None:
    """Add the answer in a line."""
    letter = data.get("answer")
    if data.get("item") != len(answers) or len(answers) >= len(items()):
        raise NotationError(f"expected item {len(answers)} of {len(items())}, got {shown(data.get('item'))}")
    if letter is not None and (not isinstance(letter, str) or letter not in tuple(LETTERS)):
        raise NotationError(f"answer: expected a letter from {LETTERS[0]} to {LETTERS[-1]} or null, got {shown(letter)}")
    answers.append(letter)


def _answers(ask: Answerer, asked: Sequence[Item], start: int, at_once: int) -> Iterator[str | None]:
    """Yield the answers from a question on, in order, of which several are asked at once."""
    with done_at_once(lambda: lambda number: ask(number, asked[number]), range(start, len(asked)), at_once) as answers:
        yield from answers


def print_scores(scores: Sequence[Score], as_json: bool, tr: Words) -> None:
    """Print scores as a table, or as JSON.

    Args:
        scores: At least one score.
        as_json: True for JSON.
        tr: Texts in the user's language.
    """
    if as_json:
        print(json.dumps([score.as_json() for score in scores], ensure_ascii=False))
    else:
        show([table(scores, tr)])
