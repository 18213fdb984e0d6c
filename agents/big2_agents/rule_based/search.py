"""Determinized search: candidate moves are played out on sampled deals that fit the public information; the best mean wins.

`SearchAgent` plays deals out with the heuristic and solves endings exactly, in every ruleset. `learned.search` tries candidates
that a policy network proposes. `estimates.SequentialHalving` allocates the budget. Both make a forced win without search,
unless the budget is large and bombs multiply the stake: then a bomb may be worth more than winning now. Both use only the
seat's view.

The heuristic's score serves as a prior: one turn less of score costs `PRIOR_SLOPE` standard deviations of the payoff. During an
auction its scores are in stakes, which are payoffs already.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

from big2_agents.kernels.estimates import Candidates, Estimate, SequentialHalving, Trials, kind_of, of_estimates
from big2_agents.rule_based.simple import GreedyAgent, or_greedy
from big2_env.agents.advice import Advice
from big2_env.agents.interface import Agent, is_hurried
from big2_env.base.errors import ConfigError
from big2_env.base.one_call import OneCall, one_at_a_time
from big2_env.base.rng import derived
from big2_env.climbing.game import Game
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.kernels.dialect.loader import interpreted
from big2_env.kernels.switch import Compilation, Switch

if TYPE_CHECKING:
    from big2_agents.kernels.playouts import RuleTrials

PRIOR_SLOPE: Final = 0.12
"""Value of one turn of the heuristic's score, in standard deviations of the payoff; fitted to means of 2,000 samples."""
PRIOR_WEIGHT: Final = 100.0
"""Weight of the prior, in samples."""
PROPOSALS: Final = 4
"""Number of proposed deals from which one sample is drawn."""
EXACT_CARDS: Final = 14
"""Number of cards left in all hands at which exact solving of sampled deals starts."""
FULL_PLAYOUTS: Final = 1000
"""Number of playouts per decision from which a search is large enough to compare everything that may be best."""
MOST_PLAIN: Final = 1000
"""Largest number of playouts per decision run in plain Python; a larger number takes longer than compiling."""

MEANWHILE: Final = "300ms"
"""Budget of the interpreted search that moves for a hurried caller while playouts are compiled."""


class SearchAgent:
    """Determinized search: plays candidate moves out on sampled deals, with rule-based agents in every seat.

    Playouts run in plain Python until compiled code is ready. Compilation starts in the background once a process has asked for
    enough moves. A budget in playouts gives the same moves either way; a budget in time allows fewer playouts in plain Python.

    Args:
        budget: Playouts (`400`) or time (`50ms`) per decision. As a specification: `search`, `search:400`, `search:50ms`.
        candidates: Maximum number of moves to try, the best by the heuristic's score.
        trust: Weight of the heuristic's score as a prior, in samples.
        proposals: Number of proposed deals from which one sample is drawn, weighted by how well it explains the passes.
        exact: Solve sampled deals exactly once this few cards remain in all hands, if that is quick; 0 disables.

    Raises:
        ConfigError: The budget is neither a number of playouts nor a time.

    >>> SearchAgent("50ms").milliseconds
    50.0
    """

    slope, gap = PRIOR_SLOPE, math.inf
    stakes: float | None = 1.0
    """Payoff of a score difference of 1 in an auction; `None` for `slope` standard deviations, as elsewhere."""

    def __init__(
        self,
        budget: str | int = 400,
        *,
        candidates: int = 6,
        trust: float = PRIOR_WEIGHT,
        proposals: int = PROPOSALS,
        exact: int = EXACT_CARDS,
    ) -> None:
        self.playouts, self.milliseconds = _budget(budget)
        self.width, self.trust, self.exact = candidates, trust, exact
        self._proposals = proposals
        self._kept_trials: Switch[Trials] | None = None
        self._seed = 0
        self.one_call = OneCall()

    def __getstate__(self) -> dict[str, Any]:
        """Return the settings only; compiled records are rebuilt, not copied."""
        return self.__dict__ | {"_kept_trials": None}

    @staticmethod
    def takes_from_record(argument: str) -> bool:
        """Return True if the argument is a budget; it never names a file."""
        return _is_budget(argument)

    @property
    def plays_by_time(self) -> bool:
        """True if moves depend on the speed of the machine."""
        return self.milliseconds is not None

    def reset(self, seed: int) -> None:
        """Start a game; deals are sampled from `seed`."""
        self._seed = seed % 2**64

    def prepare(self, view: View) -> None:
        """Compile the code for games like the one in `view` now instead of in the background."""
        _compilation(view.ruleset, view.num_players).finish()

    @one_at_a_time
    def estimates(self, view: View, legal: LegalPlays | None = None) -> list[Estimate]:
        """Return the estimates of the candidates: those tried longest first, and of these the best first.

        The only legal move is returned alone, without playouts, and so is a forced win, unless another move may pay more.
        """
        legal = view.legal_plays() if legal is None else legal
        view.check(legal)

        def find(trials: Trials) -> list[Estimate]:
            opened = self._open(trials, view, legal)
            if len(opened.plays) == 1:
                return [Estimate(opened.plays[0], 0.0, 0.0, 0)]
            if opened.sure < 0:
                return self._try(trials, view, opened)
            win = opened.plays[opened.sure]
            if view.ruleset.auction is None or self.playouts is None or self.playouts < FULL_PLAYOUTS:
                return [Estimate(win, math.inf, 0.0, 0)]
            found = self._try(trials, view, opened, [opened.sure])
            least = next(one.high for one in found if one.play == win)
            return sorted(found, key=lambda one: one.play != win and one.low <= least)

        return self._ask(view, find)

    def advise(self, view: View, legal: LegalPlays) -> list[Advice]:
        """Return every legal move in the order of `estimates`; the moves that were tried have values."""
        return of_estimates(self.estimates(view, legal), legal)

    @one_at_a_time
    def judge(self, view: View, legal: LegalPlays, also: Sequence[Play] = ()) -> list[Advice]:
        """Return advice with comparable values; unlike `advise`, it plays out forced wins too.

        All candidates tried to the end are played out on the same sampled deals, so their values can be compared. A single call
        does not trigger compilation if plain Python can answer; call `prepare` before judging a whole game.

        Args:
            view: View of the seat to move.
            legal: Its legal moves.
            also: Moves that are tried to the end in any case.
        """
        view.check(legal)
        trials = self._trials(view)
        opened = self._open(trials, view, legal)
        plays, sure = opened.plays, opened.sure
        if len(plays) == 1:
            return of_estimates([Estimate(plays[0], 0.0, 0.0, 0)], legal)
        kinds = {kind_of(play) for play in also}
        kept = [number for number, play in enumerate(plays) if kind_of(play) in kinds or number == sure]
        found = of_estimates(self._try(trials, view, opened, kept), legal)
        if sure < 0:
            return found
        found.sort(key=lambda each: each.play != plays[sure])
        return [replace(found[0], sure=True), *found[1:]]

    def act(self, view: View, legal: LegalPlays) -> Play:
        """Return the legal move with the best estimate.

        For a caller that is hurried (`interface.hurried`), a quicker player moves while playouts are compiled.
        """
        meanwhile = self._meanwhile(view)
        return self.estimates(view, legal)[0].play if meanwhile is None else meanwhile.act(view, legal)

    def _meanwhile(self, view: View) -> Agent | None:
        """Return the player that moves for this one now, `None` for itself. A time limit needs none."""
        if not is_hurried() or self.milliseconds is not None or not _compilation(view.ruleset, view.num_players).makes_wait():
            return None
        found = SearchAgent(MEANWHILE, candidates=self.width)
        found.reset(self._seed)
        return found

    def _open(self, trials: Trials, view: View, legal: LegalPlays) -> Candidates:
        """Return the candidates of a decision."""
        return trials.open(view, legal, derived(self._seed, len(view.history)))

    def _try(self, trials: Trials, view: View, opened: Candidates, kept: Sequence[int] = ()) -> list[Estimate]:
        """Return estimates of the candidates; those in `kept` are tried as long as the best one."""
        exact = self.exact if sum(view.cards_left) <= self.exact else 0
        if exact:
            trials.forget()

        def play_out(chosen: Sequence[int], samples: int, totals: list[float], squares: list[float]) -> tuple[float, float]:
            return trials.play_out(chosen, samples, exact, totals, squares)

        halving = SequentialHalving(self.playouts, self.milliseconds, self.width, self.trust, self.slope, self.gap)
        return halving.compare(opened.plays, opened.scores, play_out, self.stakes if view.bidding else None, kept)

    def _trials(self, view: View) -> Trials:
        """Return the current trials for a view, interpreted or compiled."""
        return self._switch(view).form

    def _ask(self, view: View, find: Callable[[Trials], list[Estimate]]) -> list[Estimate]:
        """Return the result of `find` with the current trials, counting its time towards compilation."""
        return self._switch(view).ask(find)

    def _switch(self, view: View) -> Switch[Trials]:
        """Return the trials for a view; compile now if plain Python would take longer than that."""
        if self._kept_trials is None or not self._kept_trials.serves(view):
            game = view.ruleset, view.num_players
            forms = partial(_interpreted, *game, self._proposals), partial(_compiled, *game, self._proposals)
            self._kept_trials = Switch(_compilation(*game), *forms, game=game)
        if self.playouts is not None and self.playouts > MOST_PLAIN:
            self._kept_trials.compilation.finish()
        else:
            self._kept_trials.compilation.load()
        return self._kept_trials


class GreedyTrials:
    """The greedy move as the only candidate, for rulesets that the kernels do not serve."""

    def open(self, view: View, legal: LegalPlays, seed: int) -> Candidates:
        """Return the candidate."""
        return Candidates([GreedyAgent().act(view, legal)], [0.0], -1)

    def forget(self) -> None:
        """Do nothing: nothing is solved."""

    def play_out(
        self, chosen: Sequence[int], samples: int, exact: int, totals: list[float], squares: list[float]
    ) -> tuple[float, float]:
        """Do nothing: one candidate needs no playouts."""
        return 0.0, 0.0


def _interpreted(ruleset: RuleSet, num_players: int, proposals: int) -> Trials:
    return or_greedy(lambda: rule_trials(ruleset, num_players, proposals), GreedyTrials())


def rule_trials(ruleset: RuleSet, num_players: int, proposals: int) -> RuleTrials:
    """Return playouts of a game's candidates by heuristic players, interpreted.

    Args:
        ruleset: The rules of the game.
        num_players: Number of seats.
        proposals: Number of proposed deals from which one sample is drawn.

    Raises:
        ConfigError: The kernels do not support the ruleset.
    """
    module = interpreted(ruleset).module("big2_agents.kernels.playouts")
    found: RuleTrials = module.RuleTrials(ruleset, num_players, proposals)
    return found


def _compiled(ruleset: RuleSet, num_players: int, proposals: int) -> Trials:
    from big2_agents.kernels.playouts import RuleTrials  # numba takes a second to load

    return RuleTrials(ruleset, num_players, proposals)


def try_once(trials: Trials, ruleset: RuleSet, num_players: int) -> None:
    """Run one playout so that everything the trials need is compiled."""
    view = Game.deal(ruleset, 0, num_players).view()
    number = len(trials.open(view, view.legal_plays(), 0).plays)
    trials.play_out([0], 1, EXACT_CARDS, [0.0] * number, [0.0] * number)


@lru_cache(maxsize=64)
def _compilation(ruleset: RuleSet, num_players: int) -> Compilation:
    """Return the compilation of playouts by heuristic players."""

    def prepare() -> None:
        try_once(_compiled(ruleset, num_players, 1), ruleset, num_players)

    def kind() -> str:
        from big2_env.kernels.variants import variant_of

        return variant_of(ruleset).name

    return Compilation(prepare, "big2_agents.kernels.playouts.play_out_by_rules", kind=kind)


def _budget(given: str | int) -> tuple[int | None, float | None]:
    """Return the budget as playouts and milliseconds, one of which is `None`."""
    text = str(given)
    if not _is_budget(text):
        raise ConfigError(f"expected a search budget in play-outs, as 400, or milliseconds, as 50ms, got {given!r}")
    number = int(text.removesuffix("ms"))
    return (None, float(number)) if text.endswith("ms") else (number, None)


def _is_budget(text: str) -> bool:
    """Return True if a text is a number of play-outs or milliseconds."""
    number = text.removesuffix("ms")
    return number.isdecimal() and len(number) < 10 and 1 <= int(number) <= 10**7
