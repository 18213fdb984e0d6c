"""Replays with the results of a review in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from big2_agents.review.analysis import MAX_CARDS, Review
from big2_agents.review.decision import THRESHOLDS, Decision, Mark
from big2_agents.review.verdict import Stage, verdict_of
from big2_env.advice import Advice
from big2_env.climbing.events import Said
from big2_env.climbing.game import Game
from big2_env.climbing.play import Play
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.language import Language, Words, words
from big2_env.notation.transcript import Transcript, replay
from big2_env.scene import ShownAdvice
from big2_env.show.replay_page import Curve, Remark, Replay
from big2_env.solve.ending import gains_by_first_out
from big2_env.text.events import play_text, said_text
from big2_env.text.names import estimate, points, seat_words, shown_act

TOP: Final = 5
"""Number of moves listed per decision, not counting the move made and the best one."""
NOTICEABLE: Final = 0.03
"""Smallest difference, in units, worth a remark."""


def judged_replay(
    shown: Replay,
    transcript: Transcript,
    review: Review,
    lang: Language,
    viewer: int | None = None,
    *,
    person: int | None = None,
    stage: Stage = Stage.DEEP,
) -> Replay:
    """Return a game's replay with the results of its review.

    Args:
        shown: Replay without judgement.
        transcript: The same game with the names of its players.
        review: The review.
        lang: Language of the texts.
        viewer: The seat that sees only its own hand; `None` if all hands are open.
        person: Seat of the reader, whose decisions the verdict is about; `None` for the decisions of all seats.
        stage: Origin of the values.
    """
    game, tr = transcript.game, words(lang)
    names = seat_words(transcript.names, tr)
    number = len(game.history)
    decisions = [*review.decisions, *[None] * (number + 1 - len(review.decisions))]
    positions = [frame.position for frame in replay(game)]
    frames = [
        frame if decision is None else replace(frame, advice=shown_advice(position, game.ruleset, decision, tr))
        for frame, position, decision in zip(shown.frames, positions, decisions, strict=True)
    ]
    remarks = []
    for ply, (position, decision) in enumerate(zip(positions, decisions, strict=True)):
        estimated = estimate_remarks(position, game.ruleset, names, decision, review.unit_at(ply), tr)
        remarks.append((*estimated, *proof_remarks(names, review, game, ply, tr)))
    curves = [
        Curve(name, tuple((each.means[seat], *each.intervals[seat]) for each in review.prospects))
        for seat, name in enumerate(names)
    ]
    return replace(
        shown,
        frames=tuple(frames),
        marks=tuple(review.mark(ply).value for ply in range(number)),
        losses=tuple(None if one is None else one.loss for one in decisions[:number]),
        remarks=tuple(remarks),
        curves=tuple(curves) if review.prospects else (),
        proven=tuple(proof is not None and bool(proof.seats) for proof in review.proofs),
        summary=tuple(summary_rows(names, review, game, tr)),
        notes=tuple(notes(names, review, game, tr, viewer)),
        verdict=verdict_of(names, review, game, tr, viewer if person is None else person, stage),
    )


def shown_advice(position: Position, ruleset: RuleSet, decision: Decision, tr: Words) -> tuple[ShownAdvice, ...]:
    """Return the best moves of a decision by value, always including the judge's favorite and the move made.

    Args:
        position: Position of the decision.
        ruleset: The rules of the game.
        decision: The decision.
        tr: Words of the language.
    """
    best, favourite = decision.best, decision.advice[0] if decision.advice else None
    listed = sorted(decision.top(TOP), key=lambda one: (one.value is None, -(one.value or 0.0)))
    shown = []
    for one in listed:
        remarks = [
            tr("review.best") if one is best and one.value is not None else "",
            tr("review.favourite") if one is favourite else "",
            tr("review.sure") if one.sure else "",
            tr("review.alike", count=len(one.alike)) if one.alike else "",
        ]
        is_played = one is decision.chosen
        play = decision.played if is_played and decision.played is not None else one.play
        act = shown_act(ruleset, decision.seat, play, tr, _said(position, ruleset, decision.seat, play, tr))
        shown.append(
            ShownAdvice(
                act,
                value=one.value,
                interval=one.interval,
                playouts=one.playouts,
                is_proof=one.sure,
                is_played=is_played,
                note="; ".join(filter(None, remarks)),
            )
        )
    return tuple(shown)


def estimate_remarks(
    position: Position, ruleset: RuleSet, names: Sequence[str], decision: Decision | None, unit: float, tr: Words
) -> Iterable[Remark]:
    """Yield remarks about the estimates of a decision.

    Args:
        position: Position of the decision.
        ruleset: The rules of the game.
        names: Names of the players.
        decision: The decision, `None` if not judged.
        unit: Unit of losses.
        tr: Words of the language.
    """
    if decision is None or decision.best is None:
        return
    chosen, best, loss = decision.chosen, decision.best, decision.loss

    def named(play: Play) -> str:
        return _said(position, ruleset, position.turn, play, tr) or play_text(ruleset, play, tr)

    if chosen is not None and chosen.value is not None and loss is not None and decision.played is not None:
        if decision.mark(unit) is not Mark.NONE:
            fields = {"played": named(decision.played), "best": named(best.play), "loss": estimate(loss, signed=False)}
            less, value = estimate(chosen.value), estimate(_value(best))
            yield Remark(tr("review.lost", name=names[decision.seat], **fields, value=value, less=less))
        elif not decision.is_certain and loss >= NOTICEABLE * unit:
            fields = {"played": named(decision.played), "best": named(best.play), "loss": estimate(loss, signed=False)}
            yield Remark(tr("review.too_close", **fields))
    if decision.favourite_loss >= NOTICEABLE * unit or decision.is_favourite_worse_for_certain:
        key = "review.favourite_worse" if decision.is_favourite_worse_for_certain else "review.favourite_close"
        fields = {"favourite": named(decision.advice[0].play), "best": named(best.play)}
        yield Remark(tr(key, **fields, loss=estimate(decision.favourite_loss, signed=False)))


def proof_remarks(names: Sequence[str], review: Review, game: Game, ply: int, tr: Words) -> Iterable[Remark]:
    """Yield remarks about the proof of a moment.

    Args:
        names: Names of the players.
        review: The review.
        game: The game.
        ply: Number of moves made before.
        tr: Words of the language.
    """
    proof = review.proofs[ply] if ply < len(review.proofs) else None
    if proof is None:
        return
    what = "win" if gains_by_first_out(game.ruleset) else "gain"
    if not proof.seats:
        yield Remark(tr(f"review.nobody_forces_{what}"), "proof")
    lost = review.given_away(ply)
    for key, seats in (("given_away", lost), ("forced", [seat for seat in proof.seats if seat not in lost])):
        if seats:
            yield Remark(tr(f"review.{key}_{what}", names=tr("review.and").join(names[seat] for seat in seats)), "proof")


def summary_rows(names: Sequence[str], review: Review, game: Game, tr: Words) -> Iterable[tuple[str, ...]]:
    """Yield the rows of the summary table, headings first.

    Args:
        names: Names of the players.
        review: The review.
        game: The game.
        tr: Words of the language.
    """
    whole = game.is_over and review.upto == len(game.history)
    marks = (Mark.DUBIOUS, Mark.MISTAKE, Mark.BLUNDER)
    keys = ["start", "decisions_cost", "rest", "result" if whole else "now"] if review.prospects else ["decisions_cost"]
    heads = [tr(f"review.{key}") for key in ("seat", *keys, "judged")]
    yield (*heads, *(mark.value for mark in marks))
    for seat in review.seats:
        cost = f"{estimate(-seat.loss)} ± {estimate(seat.loss_half_width, signed=False)}"
        cells = [cost]
        if seat.start is not None and seat.rest is not None and seat.now is not None:
            now = points(seat.now) if seat.now == round(seat.now) else estimate(seat.now)
            cells = [estimate(seat.start), cost, estimate(seat.rest), now]
        yield (names[seat.seat], *cells, str(seat.decisions), *(str(seat.marks[mark]) for mark in marks))


def notes(names: Sequence[str], review: Review, game: Game, tr: Words, viewer: int | None) -> Iterable[str]:
    """Yield notes on the method of the review, its limits, and its extent.

    Args:
        names: Names of the players.
        review: The review.
        game: The game.
        tr: Words of the language.
        viewer: The seat that sees only its own hand; `None` if all hands are open.
    """
    if review.upto < len(game.history):
        yield tr("review.note_upto", upto=review.upto, all=len(game.history))
    if viewer is not None:
        yield tr("review.note_seat", name=names[viewer])
    tried = [one.playouts for decision in review.decisions if decision for one in _tried(decision)]
    low, high = min(tried, default=0), max(tried, default=0)
    times = str(high) if low == high else tr("replay.to", low=low, high=high)
    yield tr("review.note_judge", judge=review.judge, times=times)
    if review.remark:
        yield tr(f"review.{review.remark}")
    blunder, mistake, dubious = (estimate(least * review.unit, signed=False) for least, _ in THRESHOLDS)
    unit = estimate(review.unit, signed=False)
    yield tr("review.note_marks", dubious=dubious, mistake=mistake, blunder=blunder, unit=unit)
    if review.prospects:
        yield tr("review.note_rest")
        yield tr("review.note_prospects", playouts=max(one.playouts for one in review.prospects))
    if any(review.proofs):
        yield tr("review.note_proofs", cards=MAX_CARDS)


def _said(position: Position, ruleset: RuleSet, seat: int, play: Play, tr: Words) -> str | None:
    """Return the name of a call in an auction, `None` outside one."""
    if not position.bidding or ruleset.auction is None:
        return None
    return said_text(ruleset, Said(seat, play, ruleset.auction.zh(play, position.said)), tr)


def _tried(decision: Decision) -> Iterable[Advice]:
    """Yield the moves that were tried to the end."""
    return (one for one in (decision.best, decision.chosen) if one is not None and one.playouts)


def _value(advice: Advice) -> float:
    return 0.0 if advice.value is None else advice.value
