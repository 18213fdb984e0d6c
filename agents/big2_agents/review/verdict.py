"""Result of a review in one sentence: the costliest decision of a seat, or the turning point of its game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from big2_agents.review.analysis import Review
from big2_agents.review.decision import THRESHOLDS, Decision, Mark
from big2_env.base.enums import Named
from big2_env.base.language import Words
from big2_env.climbing.certain_wins import certain_win
from big2_env.climbing.events import Said
from big2_env.climbing.game import Game
from big2_env.climbing.play import Play
from big2_env.drawing.replay_page import NamedMove, Verdict
from big2_env.notation.transcript import game_at
from big2_env.text.events import play_text, said_text
from big2_env.text.names import agent_words, cards_text
from big2_env.text.values import ValueText


class Stage(Named):
    """Origin of a review's results."""

    ORDER = "order"
    """Certain wins and the judge's order, without values; nothing better follows."""
    ORDER_FOLLOWS = "order_follows"
    """The same, until values are compiled."""
    DEEP = "deep"
    """Values of the judge that the review names."""


TURN: Final = 0.25
"""Smallest change of a seat's prospect, in units, that can be a turning point."""
LOST: Final = (Mark.MISTAKE, Mark.BLUNDER)
"""Marks of decisions that may have lost a game."""


def verdict_of(
    names: Sequence[str], review: Review, game: Game, tr: Words, person: int | None = None, stage: Stage = Stage.DEEP
) -> Verdict:
    """Return the result of a review in one sentence, with the costly decisions, the costliest first.

    Args:
        names: Names of the players.
        review: The review.
        game: The game.
        tr: Words of the language.
        person: Seat of the reader; `None` to consider the decisions of all seats.
        stage: Origin of the values.
    """
    if stage is not Stage.DEEP:
        return _of_order(review, game, tr, person, stage)
    verdict = _sentence(names, review, game, tr, person)
    if person is None:
        return verdict
    return replace(verdict, best=_best_move(review, game, tr, person), turn=_turning_point(names, review, game, tr, person))


def _of_order(review: Review, game: Game, tr: Words, person: int | None, stage: Stage) -> Verdict:
    """Return the verdict of a review without values: the first certain win of the reader that was missed."""
    source = tr(f"review.source_{stage.value}")
    own = [one for one in review.decisions if one is not None and person in (None, one.seat) and one.chosen is not None]
    for one in own:
        order = certain_win(game_at(game, one.ply).view()) if one.advice[0].sure and one.chosen is not one.advice[0] else ()
        if order and not _has_won(game, one):
            plays = tr("review.then").join(cards_text(game.ruleset, play.mask, tr) for play in order)
            text = tr("review.verdict_missed", number=one.ply + 1, order=plays)
            return Verdict(text, one.ply, source, (NamedMove(one.ply, text),))
    return Verdict(tr("review.verdict_order"), None, source)


def _has_won(game: Game, decision: Decision) -> bool:
    """Return True if the seat of a decision went out first anyway, or its next decision begins a certain win too."""
    if game.outcome is not None and game.outcome.winner == decision.seat:
        return True
    later = (ply for ply in range(decision.ply + 1, len(game.history)) if game.history[ply].seat == decision.seat)
    ply = next(later, None)
    return ply is not None and bool(certain_win(game_at(game, ply).view()))


def _sentence(names: Sequence[str], review: Review, game: Game, tr: Words, person: int | None) -> Verdict:
    """Return the verdict without the moves that it does not mention."""
    judged = [one for one in review.decisions if one is not None and person in (None, one.seat) and one.loss]
    costly = sorted((one for one in judged if review.mark(one.ply) is not Mark.NONE), key=lambda one: -(one.loss or 0.0))
    source = tr("review.source_deep", judge=agent_words(review.judge, tr))
    costs = tuple(NamedMove(one.ply, _cost_text(names, one, game, tr, person)) for one in costly)
    if not costly:
        return _without_mistake(names, review, game, tr, person, source)
    worst = costly[0]
    if person is None:
        key = "verdict_of"
    else:
        before = review.prospects[worst.ply].means[person] if worst.ply < len(review.prospects) else 0.0
        has_lost = game.outcome is not None and game.outcome.payoffs[person] < 0 <= before
        key = "verdict_lost" if has_lost and review.mark(worst.ply) in LOST else "verdict_costliest"
    fields = _fields(worst, game, tr) | {"name": names[worst.seat]}
    return Verdict(tr(f"review.{key}", **fields), worst.ply, source, costs)


def _without_mistake(names: Sequence[str], review: Review, game: Game, tr: Words, person: int | None, source: str) -> Verdict:
    """Return the verdict on a game without a costly decision: with another player's turning point, if there is one."""
    if person is None:
        return Verdict(tr("review.no_marks"), None, source)
    ply = _turn(review, game, person)
    if ply is None:
        return Verdict(tr("review.verdict_none"), None, source)
    return Verdict(tr("review.verdict_turn", **_turn_fields(names, review, game, tr, person, ply)), ply, source)


def _best_move(review: Review, game: Game, tr: Words, person: int) -> NamedMove | None:
    """Return the person's decision with the largest certain gain over the second best move, the game's last move excepted."""
    gains = {one.ply: one.gain for one in review.decisions if one is not None and one.seat == person}
    ply = max((ply for ply in gains if ply < len(game.history) - 1), key=gains.__getitem__, default=None)
    decision = None if ply is None else review.decisions[ply]
    if ply is None or decision is None or gains[ply] < THRESHOLDS[-1][0] * decision.unit(review.unit):
        return None
    assert decision.played is not None
    assert decision.second is not None
    fields = {
        "number": ply + 1,
        "play": _named(game, ply, decision.played, tr),
        "other": _named(game, ply, decision.second.play, tr),
        "gain": _value_text(game).difference(gains[ply], tr),
    }
    return NamedMove(ply, tr("review.best_move", **fields))


def _turning_point(names: Sequence[str], review: Review, game: Game, tr: Words, person: int) -> NamedMove | None:
    """Return another player's turning point, once the expectations of the whole game are known."""
    ply = _turn(review, game, person) if len(review.prospects) > len(game.history) else None
    if ply is None:
        return None
    return NamedMove(ply, tr("review.turning_point", **_turn_fields(names, review, game, tr, person, ply)))


def _turn(review: Review, game: Game, person: int) -> int | None:
    """Return the number of moves before another player's that changed a person's expected payoff most; `None` if none did much.

    The person's own decisions have marks instead: an expectation knows all hands, so a good decision may lower it.
    """
    pairs = zip(game.history, pairwise(one.means[person] for one in review.prospects), strict=False)
    changes = [abs(after - before) if move.seat != person else 0.0 for move, (before, after) in pairs]
    most = max(changes, default=0.0)
    return changes.index(most) if most >= TURN * review.unit else None


def _turn_fields(names: Sequence[str], review: Review, game: Game, tr: Words, person: int, ply: int) -> dict[str, object]:
    """Return the move that was a turning point, and the person's expected payoffs around it, in words."""
    move = game.history[ply]
    return {
        "number": ply + 1,
        "name": names[move.seat],
        "play": _named(game, ply, move.play, tr),
        "change": _value_text(game).change(review.prospects[ply].means[person], review.prospects[ply + 1].means[person], tr),
    }


def _cost_text(names: Sequence[str], decision: Decision, game: Game, tr: Words, person: int | None) -> str:
    key = "review.cost" if person is not None else "review.cost_of"
    return tr(key, **_fields(decision, game, tr), name=names[decision.seat])


def _fields(decision: Decision, game: Game, tr: Words) -> dict[str, object]:
    """Return the move made, the best one, and the loss in words."""
    best, chosen = decision.best, decision.chosen
    assert best is not None
    assert best.value is not None
    assert chosen is not None
    assert chosen.value is not None
    assert decision.played is not None
    return {
        "number": decision.ply + 1,
        "played": _named(game, decision.ply, decision.played, tr),
        "best": _named(game, decision.ply, best.play, tr),
        "loss": _value_text(game).change(best.value, chosen.value, tr),
    }


def _value_text(game: Game) -> ValueText:
    return ValueText(game.ruleset, game.num_players)


def _named(game: Game, ply: int, play: Play, tr: Words) -> str:
    """Return a move as a noun: its cards, with the name of the pattern if it has several."""
    rules, position = game.ruleset, game_at(game, ply).position
    if position.bidding and rules.auction is not None:
        return said_text(rules, Said(position.turn, play, rules.auction.zh(play, position.said)), tr)
    if not play:
        return tr("review.passing")
    return cards_text(rules, play.mask, tr) if len(play) == 1 else play_text(rules, play, tr)
