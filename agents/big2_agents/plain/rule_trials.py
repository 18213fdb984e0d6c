"""Candidates tried on sampled deals by heuristic players, in plain Python: number for number as `compiled_trials` does it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from big2_agents.formula import CERTAIN
from big2_agents.plain.candidates import Candidate, list_candidates
from big2_agents.plain.endgame import Endings, Payoffs
from big2_agents.plain.finish import find_finish
from big2_agents.plain.heuristic import PlainHeuristic
from big2_agents.plain.playouts import after
from big2_agents.plain.sampled_deals import SampledDeals
from big2_agents.trials import Opened
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.outcome import is_over, outcome_of
from big2_env.climbing.play import Play
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.rng import SplitMix64

POSITIONS: Final = 400
"""How many positions of an ending are looked at before it is played out after all."""


class PlainTrials:
    """Tries of one ruleset's candidates.

    Args:
        ruleset: the rules.
        proposals: of how many sampled deals one is drawn, by how well it fits the passes.
    """

    def __init__(self, ruleset: RuleSet, proposals: int) -> None:
        self._rules, self._proposals = ruleset, proposals
        self._heuristic = PlainHeuristic(ruleset)
        self._rows = self._heuristic.listing
        self._endings = Endings(self._rows)
        self._candidates: Sequence[Candidate] = ()
        self._acts: dict[tuple[int, int, tuple[int, int] | None], Sequence[Candidate]] = {}

    def open(self, view: View, legal: LegalPlays, seed: int) -> Opened:
        """Begin a decision: its candidates, and what the heuristic thinks of them; the deals follow from the seed."""
        self._acts.clear()
        self._seat, self._rng, self._deals = view.seat, SplitMix64(seed), SampledDeals(view)
        candidates = list_candidates(self._rows, view)
        scores, best = [0.0] * len(candidates), 0
        if len(candidates) > 1:
            rated = self._heuristic.rated(view, candidates)
            candidates, best = [*rated.candidates], rated.best
            scores = rated.scores or scores
        self._candidates = candidates
        plays = [legal.verify_reading(one.play) if one.play.mask else one.play for one in candidates]
        is_sure = not view.bidding and scores[best] > CERTAIN / 2
        return Opened(plays, scores, best if is_sure else find_finish(self._rows, view, candidates))

    def play_out(
        self, chosen: Sequence[int], samples: int, exact: int, totals: list[float], squares: list[float]
    ) -> tuple[float, float]:
        """As `trials.Trials.play_out`."""
        weights = squared = 0.0
        for _ in range(samples):
            deal, weight = self._deals.sample(self._rng, self._proposals)
            weights += weight
            squared += weight * weight
            self._rng.next()  # where compiled play-outs draw the stream of their players
            for i in sorted(chosen):
                paid = self._paid(after(self._rules, deal, self._candidates[i].play), exact)[self._seat]
                totals[i] += weight * paid
                squares[i] += weight * paid * paid
        return weights, squared

    def forget(self) -> None:
        """Begin a decision whose endings are solved."""
        self._endings.forget()

    def _paid(self, position: Position, exact: int) -> Payoffs:
        """What each seat is paid where heuristic players go on from a position."""
        rules = self._rules
        while not is_over(rules, position):
            if exact and sum([hand.bit_count() for hand in position.hands]) <= exact:
                exact = 0
                solved = self._endings.solve(position, POSITIONS)
                if solved is not None:
                    return solved
            position = after(rules, position, self._act(View.of_position(rules, position, position.turn)))
        return outcome_of(rules, position).payoffs

    def _act(self, view: View) -> Play:
        """The act of the heuristic player."""
        candidates = self._listed(view)
        if len(candidates) == 1:
            return candidates[0].play
        rated = self._heuristic.rated(view, candidates)
        return rated.candidates[rated.best].play

    def _listed(self, view: View) -> Sequence[Candidate]:
        """The candidates of a view: the play-outs of one decision come back to the same ones."""
        if view.bidding:
            return list_candidates(self._rows, view)
        top = view.top
        asked = view.hand, view.obligation, (top.category, top.power) if top else None
        found = self._acts.get(asked)
        if found is None:
            found = self._acts[asked] = list_candidates(self._rows, view)
        return found
