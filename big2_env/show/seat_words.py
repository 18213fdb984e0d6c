"""What seats are called in a language: agents by the catalogue's file `agent`, a person by their own name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from big2_env.language import Words
from big2_env.language.words import catalogue

PERSON: Final = "you"
"""What a person is called in records who gave no name."""


def agent_words(name: str, tr: Words) -> str:
    """What an agent is called: in the catalogue's words, or as it was typed where it has an argument or comes from outside."""
    return tr.name("agent", name) if f"agent.{name}" in catalogue() else name


def seat_words(names: Iterable[str], tr: Words) -> tuple[str, ...]:
    """The names of a record's seats in a language: `heuristic2` is the second heuristic agent. Other names stay.

    >>> from big2_env.language import Language, words
    >>> seat_words(["you", "heuristic1", "learned:a_b.npz", "Ann"], words(Language.EN))
    ('you', 'Heuristic 1', 'learned:a_b.npz', 'Ann')
    """
    return tuple(_called(name, tr) for name in names)


def numbered_words(spec: str, name: str, tr: Words) -> str:
    """What the seat of an agent is called whose name in records is the agent's, with a number where several have the same."""
    return f"{agent_words(spec, tr)} {name.removeprefix(spec)}".strip()


def _called(name: str, tr: Words) -> str:
    if name == PERSON:
        return tr("table.you")
    agent = re.sub(r"\d+$", "", name)
    return numbered_words(agent, name, tr) if f"agent.{agent}" in catalogue() else name
