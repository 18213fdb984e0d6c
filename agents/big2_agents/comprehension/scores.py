"""Scores of answers, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from big2_agents.comprehension.items import ITEMS_DIGEST, LETTERS, Item
from big2_agents.comprehension.reasons import Reason
from big2_env.language import Words
from big2_env.runs.intervals import wilson


@dataclass(frozen=True)
class Share:
    """A share of right answers.

    Args:
        right: Right answers.
        of: Questions.
    """

    right: int
    of: int

    def as_json(self) -> dict[str, Any]:
        """Return the share and its 95% interval."""
        low, high = wilson(self.right, self.of)
        return {"right": self.right, "of": self.of, "share": self.right / self.of, "low": low, "high": high}

    def __str__(self) -> str:
        low, high = wilson(self.right, self.of)
        return f"{100 * self.right / self.of:.1f} ({100 * low:.1f} to {100 * high:.1f})"


@dataclass(frozen=True)
class Score:
    """Score of an answerer.

    Args:
        agent: Name of the answerer.
        language: Tag of the language in which it was asked; empty for a baseline.
        protocol: Hash of the prompts and options.
        legality: Questions in which legal and not legal moves were told apart.
        invented: The same for invented rulesets alone.
        reason: Questions about moves that are not legal, whose reason was right.
        reasons: The same for each reason.
        unreadable: Number of answers without a letter, which count as wrong.
    """

    agent: str
    language: str
    protocol: str
    legality: Share
    invented: Share
    reason: Share
    reasons: Mapping[Reason, Share]
    unreadable: int

    @classmethod
    def of(cls, agent: str, language: str, protocol: str, asked: Sequence[Item], answers: Sequence[str | None]) -> Score:
        """Return the score of answers.

        Args:
            agent: Name of the answerer.
            language: Tag of the language.
            protocol: Hash of the prompts and options.
            asked: The questions.
            answers: A letter for each question; None for an answer without one.
        """
        pairs = [
            (item, False if letter is None else item.options[LETTERS.index(letter)])
            for item, letter in zip(asked, answers, strict=True)
        ]
        judged = [(item, given is not False and (given is None) is (item.answer is None)) for item, given in pairs]
        why = [(item.answer, given is item.answer) for item, given in pairs if item.answer is not None]
        return cls(
            agent=agent,
            language=language,
            protocol=protocol,
            legality=_share([right for _, right in judged]),
            invented=_share([right for item, right in judged if item.view.ruleset.vocabulary is not None]),
            reason=_share([right for _, right in why]),
            reasons={one: _share([right for reason, right in why if reason is one]) for one in Reason},
            unreadable=list(answers).count(None),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the score as JSON values."""
        return {
            "agent": self.agent,
            "language": self.language,
            "items": ITEMS_DIGEST,
            "protocol": self.protocol,
            "legality": self.legality.as_json(),
            "invented": self.invented.as_json(),
            "reason": self.reason.as_json(),
            "reasons": {reason.value: share.as_json() for reason, share in self.reasons.items()},
            "unreadable": self.unreadable,
        }


def _share(right: Sequence[bool]) -> Share:
    return Share(sum(right), len(right))


def table(scores: Sequence[Score], tr: Words) -> Table:
    """Return scores as a table for people.

    Args:
        scores: At least one score.
        tr: Texts in the user's language.
    """
    first = scores[0]
    made = Table(
        title=tr("comprehension.title", number=first.legality.of, hash=ITEMS_DIGEST),
        caption=tr("comprehension.caption", illegal=first.reason.of),
    )
    made.add_column(tr("bench.agent"), no_wrap=True)
    made.add_column(tr("comprehension.language"), no_wrap=True)
    for name in ("legality", "invented", "reason", "unreadable"):
        made.add_column(tr(f"comprehension.{name}"), justify="right", no_wrap=True)
    for one in scores:
        made.add_row(one.agent, one.language, str(one.legality), str(one.invented), str(one.reason), str(one.unreadable))
    return made
