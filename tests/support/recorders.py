"""Agents that note everything they receive."""

from __future__ import annotations

from typing import Any

from big2_env import LegalPlays, Play, View
from big2_env.agents.advice import Advice

NOTES: list[Any] = []
"""What the recorders of this process have received, in order."""


class Recorder:
    """Plays its first legal play, gives advice and judges, and notes seeds, views and legal plays."""

    def reset(self, seed: int) -> None:
        NOTES.append(("seed", seed))

    def act(self, view: View, legal: LegalPlays) -> Play:
        NOTES.append(("act", repr(view), [repr(play) for play in legal]))
        return next(iter(legal))

    def advise(self, view: View, legal: LegalPlays) -> list[Advice]:
        NOTES.append(("advise", repr(view), [repr(play) for play in legal]))
        return [Advice(play, score=0.0) for play in legal]

    def judge(self, view: View, legal: LegalPlays, also: Any = ()) -> list[Advice]:
        NOTES.append(("judge", repr(view), [repr(play) for play in legal], repr(also)))
        return [Advice(play, value=0.0, interval=(0.0, 0.0)) for play in legal]


def noted(kind: str = "") -> list[Any]:
    """What was noted since the last call, of one kind or all; it is forgotten then."""
    found = [note for note in NOTES if not kind or note[0] == kind]
    NOTES.clear()
    return found
