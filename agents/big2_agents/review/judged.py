"""Replays with the results of a review in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from big2_agents.review.analysis import MAX_CARDS, Review
from big2_agents.review.decision import THRESHOLDS, Decision, Mark
from big2_agents.review.verdict import Stage, verdict_of
from big2_env.agents.advice import Basis
from big2_env.base.language import Language, Words, words
from big2_env.base.scene import ShownAdvice
from big2_env.climbing.events import Said
from big2_env.climbing.game import Game
from big2_env.climbing.play import Play
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.drawing.replay_page import Curve, Remark, Replay
from big2_env.notation.transcript import Transcript, replay
from big2_env.solve.ending import gains_by_first_out
from big2_env.text.events import play_text, said_text
from big2_env.text.names import agent_words, estimate, points, seat_words, shown_move
from big2_env.text.values import ValueText

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
    unit = ValueText(game.ruleset, game.num_players)
    names = seat_words(transcript.names, tr)
    number = len(game.history)
    decisions = [*review.decisions, *[None] * (number + 1 - len(review.decisions))]
    positions = [frame.position for frame in replay(game)]
    frames = [
        frame if decision is None else replace(frame, advice=shown_advice(position, game.ruleset, unit, decision, tr))
        for frame, position, decision in zip(shown.frames, positions, decisions, strict=True)
    ]
    remarks = []
    for ply, (position, decision) in enumerate(zip(positions, decisions, strict=True)):
        estimated = estimate_remarks(position, game.ruleset, unit, names, decision, review.unit, tr)
        remarks.append((*estimated, *proof_remarks(names, review, game, ply, tr)))
    curves = [
        Curve(name, tuple((unit.of(each.means[seat]), *unit.ends(each.intervals[seat])) for each in review.prospects))
        for seat, name in enumerate(names)
    ]
    return replace(
        shown,
        frames=tuple(frames),
        marks=tuple(review.mark(ply).value for ply in range(number)),
        is_chance=unit.is_chance,
        losses=tuple(None if one is None else one.loss for one in decisions[:number]),
        remarks=tuple(remarks),
        curves=tuple(curves) if review.prospects else (),
        proven=tuple(proof is not None and bool(proof.seats) for proof in review.proofs),
        summary=tuple(summary_rows(names, review, game, tr)),
        notes=tuple(notes(names, review, game, tr, viewer)),
        verdict=verdict_of(names, review, game, tr, viewer if person is None else person, stage),
    )


def shown_advice(
    position: Position, ruleset: RuleSet, value_text: ValueText, decision: Decision, tr: Words
) -> tuple[ShownAdvice, ...]:
    """Return the judge's choice and further moves by value, always including the move made."""
    shown = []
    for one in decision.top(TOP):
        remarks = [
            tr("review.best") if one is decision.advice[0] else "",
            tr("review.sure") if one.sure else "",
            tr("review.alike", count=len(one.alike)) if one.alike else "",
        ]
        is_played = one is decision.chosen
        play = decision.played if is_played and decision.played is not None else one.play
        move = shown_move(ruleset, decision.seat, play, tr, _said(position, ruleset, decision.seat, play, tr))
        shown.append(
            ShownAdvice(
                move,
                value=None if one.value is None else value_text.of(one.value),
                interval=None if one.interval is None else value_text.ends(one.interval),
                is_chance=value_text.is_chance,
                playouts=one.playouts,
                is_proof=one.sure,
                is_played=is_played,
                note="; ".join(filter(None, remarks)),
            )
        )
    return tuple(shown)


def estimate_remarks(
    position: Position,
    ruleset: RuleSet,
    value_text: ValueText,
    names: Sequence[str],
    decision: Decision | None,
    unit: float,
    tr: Words,
) -> Iterable[Remark]:
    """Yield remarks about the estimates of a decision.

    Args:
        position: Position of the decision.
        ruleset: The rules of the game.
        value_text: Unit of values.
        names: Names of the players.
        decision: The decision, `None` if not judged.
        unit: The ruleset's unit of losses.
        tr: Words of the language.
    """
    if decision is None or decision.best is None:
        return
    chosen, best, loss = decision.chosen, decision.best, decision.loss

    def named(play: Play) -> str:
        return _said(position, ruleset, position.turn, play, tr) or play_text(ruleset, play, tr)

    if chosen is None or chosen.value is None or best.value is None or loss is None or decision.played is None:
        return
    fields = {"played": named(decision.played), "best": named(best.play), "loss": value_text.difference(loss, tr)}
    if decision.mark(unit) is not Mark.NONE:
        less, value = value_text.level(chosen.value, tr), value_text.level(best.value, tr)
        yield Remark(tr("review.lost", name=names[decision.seat], **fields, value=value, less=less))
    elif not decision.is_certain and loss >= NOTICEABLE * decision.unit(unit):
        yield Remark(tr("review.too_close", **fields))


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
    """Yield the rows of the summary table, headings first."""
    whole = game.is_over and review.upto == len(game.history)
    marks, value_text = (Mark.DUBIOUS, Mark.MISTAKE, Mark.BLUNDER), ValueText(game.ruleset, game.num_players)
    keys = ["start", "decisions_cost", "rest", "result" if whole else "now"] if review.prospects else ["decisions_cost"]
    heads = [tr(f"review.{key}") for key in ("seat", *keys, "judged")]
    yield (*heads, *(mark.value for mark in marks))

    def shown(value: float, *, is_level: bool = False, signed: bool = True) -> str:
        if value_text.is_chance:
            share = round(value_text.of(value) if is_level else value_text.size(value))
            return f"{share:+d} %" if signed and share and not is_level else f"{share:d} %"
        return points(value) if is_level and whole and value == round(value) else estimate(value, signed=signed)

    for seat in review.seats:
        cost = f"{shown(-seat.loss)} ± {shown(seat.loss_half_width, signed=False)}"
        cells = [cost]
        if seat.start is not None and seat.rest is not None and seat.now is not None:
            cells = [shown(seat.start, is_level=True), cost, shown(seat.rest), shown(seat.now, is_level=True)]
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
    best = [decision.best for decision in review.decisions if decision is not None]
    judged = next((one for one in best if one is not None and one.playouts), None)
    if judged is not None:
        players = _players(judged.basis, review, names, tr)
        yield tr("review.note_judge", judge=agent_words(review.judge, tr), times=judged.playouts, players=players)
    if review.remark:
        yield tr(f"review.{review.remark}")
    if judged is not None:
        value_text = ValueText(game.ruleset, game.num_players)
        blunder, mistake, dubious, unit = (
            value_text.difference(part * review.unit, tr) for part in (*(least for least, _ in THRESHOLDS), 1.0)
        )
        yield tr("review.note_marks", dubious=dubious, mistake=mistake, blunder=blunder, unit=unit)
    if review.prospects:
        yield tr("review.note_rest")
        yield tr("review.note_prospects", playouts=max(one.playouts for one in review.prospects))
    if any(review.proofs):
        yield tr("review.note_proofs", cards=MAX_CARDS)


def _players(basis: Basis | None, review: Review, names: Sequence[str], tr: Words) -> str:
    """Return the players of the other seats in playouts, in words."""
    if basis is None:
        return agent_words(review.judge, tr)
    own = [agent_words(player, tr) for seat, player in enumerate(basis.players) if seat not in basis.substitutes]
    named = tr("rules.list").join(dict.fromkeys(own))
    if not basis.substitutes:
        return named
    player = agent_words(basis.players[basis.substitutes[0]], tr)
    if not own:
        return player
    return tr(
        "review.substitutes", players=named, player=player, names=tr("rules.list").join(names[s] for s in basis.substitutes)
    )


def _said(position: Position, ruleset: RuleSet, seat: int, play: Play, tr: Words) -> str | None:
    """Return the name of a call in an auction, `None` outside one."""
    if not position.bidding or ruleset.auction is None:
        return None
    return said_text(ruleset, Said(seat, play, ruleset.auction.zh(play, position.said)), tr)
