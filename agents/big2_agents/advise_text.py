"""Advice as a person reads it: a line about the decision and a table, in a language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich import box
from rich.table import Table

from big2_agents.review.decision import Decision, Mark
from big2_env.advice import Advice
from big2_env.climbing.view import View
from big2_env.language import Words
from big2_env.text.events import play_text
from big2_env.text.names import seat_words


class Turn(NamedTuple):
    """A decision and the advice on it."""

    game: int
    """Which game of the file, from 0."""
    move: int
    """How many moves had been made."""
    names: Sequence[str]
    view: View
    decision: Decision
    """The advice, and what was played."""
    mark: Mark
    """The mark of what was played."""
    lacks_values: bool = False
    """True if the advice has no values because the agent's play-outs are not compiled."""

    @property
    def advice(self) -> Sequence[Advice]:
        """What the agent thinks, best first."""
        return self.decision.advice

    @property
    def loss(self) -> float | None:
        """What the act made costs against the best: by values, else in the agent's own score; `None` without either."""
        chosen, loss = self.decision.chosen, self.decision.loss
        if chosen is None or (loss is not None and chosen.value is not None):
            return loss
        scores = [one.score for one in self.advice if one.score is not None]
        return None if chosen.score is None else max(scores) - chosen.score

    @property
    def shown_loss(self) -> str | None:
        """The loss with as many decimals as values or scores have."""
        if self.loss is None:
            return None
        chosen = self.decision.chosen
        return f"{self.loss:.2f}" if chosen is not None and chosen.value is None else f"{self.loss:.3f}"


def heading(turn: Turn, tr: Words) -> str:
    """Who is to move with what, and what has to be beaten."""
    view, names = turn.view, seat_words(turn.names, tr)
    rules, who = view.ruleset, names[view.seat]
    task = tr("advise.bids" if view.bidding else "advise.leads", name=who)
    if view.top is not None and view.top_seat is not None:
        task = tr("advise.beats", name=who, play=play_text(rules, view.top, tr), other=names[view.top_seat])
    left = [tr("advise.left", name=name, cards=cards) for name, cards in zip(names, view.cards_left, strict=True)]
    moment = tr("advise.move", move=turn.move)
    if turn.game:
        moment = tr("advise.game", game=turn.game + 1, move=moment)
    return tr("advise.heading", moment=moment, task=task, hand=rules.text(view.hand), left=tr("rules.list").join(left))


def table_of(turn: Turn, top: int, tr: Words) -> Table:
    """A row for each of the best pieces of advice and for the act made; columns that this agent fills."""
    advice, chosen = turn.advice, turn.decision.chosen
    rows = [*advice[:top], *(one for one in advice[top:] if one is chosen)]
    table = Table(box=box.SIMPLE, pad_edge=False)
    table.add_column("")
    table.add_column(tr("advise.play"))
    columns = {
        "score": [None if a.score is None else f"{a.score:.2f}" for a in rows],
        "probability": [None if a.probability is None else f"{a.probability:.1%}" for a in rows],
        "value": [None if a.value is None else f"{a.value:+.3f}" for a in rows],
        "interval": [
            None if a.interval is None else tr("advise.from_to", low=f"{a.interval[0]:+.3f}", high=f"{a.interval[1]:+.3f}")
            for a in rows
        ],
        "playouts": [str(a.playouts) if a.playouts else None for a in rows],
        "loss": [turn.shown_loss if a is chosen else None for a in rows],
        "": [tr("advise.sure") if a.sure else None for a in rows],
    }
    if any(columns["probability"]):
        del columns["score"]  # the same thing on another scale
    filled = {name: cells for name, cells in columns.items() if any(cells)}
    for name in filled:
        table.add_column(tr(f"advise.{name}") if name else "", justify="right")
    for i, found in enumerate(rows):
        text = play_text(turn.view.ruleset, found.play, tr)
        if found.alike:
            text = tr("advise.alike", play=text, number=len(found.alike))
        made = tr("advise.played", mark=turn.mark.value).strip() if found is chosen else ""
        table.add_row(made, text, *(cells[i] or "" for cells in filled.values()))
    if rest := sum(1 + len(a.alike) for a in advice) - sum(1 + len(a.alike) for a in rows):
        table.caption = tr("advise.more", number=rest)
    return table
