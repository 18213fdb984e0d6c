"""Search over the hidden cards: candidates are tried on sampled deals that fit what is public; the best mean is played.

`SearchAgent` plays them out with the heuristic and solves endings, in every ruleset; that of `learned.search` tries what a
policy network thinks of. `estimates.Halving` says how they are compared. Both play a sure win without search. Only the view is
looked at.

Each turn that the heuristic's score gives a play less counts `SLOPE` standard deviations of the payoff. In an auction its
scores are in stakes, which are payoffs already.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import Any, Final

from big2_agents.estimates import Estimate, Halving, Opened, Trials, kind_of, of_estimates
from big2_agents.first_answers import InterpretedThenCompiled, rule_trials
from big2_env.advice import Advice
from big2_env.climbing.game import Game
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.errors import ConfigError
from big2_env.rng import derived
from big2_env.runs.background_compile import BackgroundCompile

SLOPE: Final = 0.12
"""What a turn in the heuristic's score is worth, in standard deviations of the payoff; fitted to means of 2,000 samples."""
TRUST: Final = 100.0
"""How many samples the opinion of whoever lists the candidates counts for."""
PROPOSALS: Final = 4
"""Of how many sampled deals one is drawn."""
EXACT: Final = 14
"""Cards in all hands from which on sampled deals are solved."""
MOST_PLAIN: Final = 1000
"""Most play-outs a decision that plain Python makes: more take longer than compiling."""

LOOK_AGAIN: Final = 5.0
"""Seconds after which the disk is looked through again for play-outs that another process has compiled."""


class SearchAgent:
    """Tries candidates on sampled deals with rule players in all seats.

    Plain Python plays them out until compiled code is ready, which is compiled in the background, and only where a process asks
    much. Both find the same, so a number of play-outs gives the same choices; in milliseconds plain Python makes fewer of them.

    Args:
        budget: play-outs a decision, as in `400`, or milliseconds, as in `50ms`.
        candidates: how many candidates are tried at most, the best ones by the heuristic's own score.
        trust: how many samples the heuristic's own score counts for.
        proposals: of how many sampled deals one is drawn, by how well it fits the passes.
        exact: cards in all hands from which on sampled deals are solved, where that is quick; 0 for never.

    Raises:
        ConfigError: a budget that is neither.
    """

    slope, gap = SLOPE, math.inf

    def __init__(
        self,
        budget: str | int = 400,
        *,
        candidates: int = 6,
        trust: float = TRUST,
        proposals: int = PROPOSALS,
        exact: int = EXACT,
    ) -> None:
        self.playouts, self.milliseconds = _budget(budget)
        self.width, self.trust, self.exact = candidates, trust, exact
        self._proposals = proposals
        self._kept_trials: InterpretedThenCompiled[Trials] | None = None
        self._seed = 0

    def __getstate__(self) -> dict[str, Any]:
        """What was asked for: what tries candidates is made anew, for records of compiled code are not copied."""
        return self.__dict__ | {"_kept_trials": None}

    @staticmethod
    def takes_from_record(argument: str) -> bool:
        """Return True if the argument is a budget and names no file."""
        return _is_budget(argument)

    @property
    def plays_by_time(self) -> bool:
        """True if what it plays depends on how fast it is."""
        return self.milliseconds is not None

    def reset(self, seed: int) -> None:
        """Start a game; its deals are sampled by `seed`."""
        self._seed = seed % 2**64

    def prepare(self, view: View) -> None:
        """Compile now, not in the background, what acts in games like that of a view need; for callers that need many acts."""
        _compiling(view.ruleset, view.num_players).finish()

    def estimates(self, view: View, legal: LegalPlays | None = None) -> list[Estimate]:
        """What the search finds: those tried longest first, of those the best. A sure win, or an only act, stands alone."""
        legal = view.legal_plays() if legal is None else legal
        view.check(legal)

        def find(trials: Trials) -> list[Estimate]:
            opened = self._open(trials, view, legal)
            if len(opened.plays) == 1:
                return [Estimate(opened.plays[0], 0.0, 0.0, 0)]
            if opened.sure >= 0:
                return [Estimate(opened.plays[opened.sure], math.inf, 0.0, 0)]
            return self._try(trials, view, opened)

        return self._ask(view, find)

    def advise(self, view: View, legal: LegalPlays) -> list[Advice]:
        """The legal plays with the values of those that were tried, in the order of `estimates`."""
        return of_estimates(self.estimates(view, legal), legal)

    def judge(self, view: View, legal: LegalPlays, also: Sequence[Play] = ()) -> list[Advice]:
        """As `advise`, but a sure win has its value from play-outs as well, and the plays of `also` are tried to the end.

        All that are tried to the end have been played out on the same sampled deals, so their values can be compared.
        One answer compiles nothing that plain Python can give: whoever judges a whole game calls `prepare` first.
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
        """The legal play that the search likes best."""
        return self.estimates(view, legal)[0].play

    def _open(self, trials: Trials, view: View, legal: LegalPlays) -> Opened:
        """The candidates of a decision."""
        return trials.open(view, legal, derived(self._seed, len(view.history)))

    def _try(self, trials: Trials, view: View, opened: Opened, kept: Sequence[int] = ()) -> list[Estimate]:
        """What the search finds of the candidates; those of `kept` are tried as long as the best."""
        exact = self.exact if sum(view.cards_left) <= self.exact else 0
        if exact:
            trials.forget()

        def play_out(chosen: Sequence[int], samples: int, totals: list[float], squares: list[float]) -> tuple[float, float]:
            return trials.play_out(chosen, samples, exact, totals, squares)

        halving = Halving(self.playouts, self.milliseconds, self.width, self.trust, self.slope, self.gap)
        return halving.compare(opened.plays, opened.scores, play_out, 1.0 if view.bidding else None, kept)

    def _trials(self, view: View) -> Trials:
        """What tries the candidates of a view now."""
        return self._trials_for(view).current(self._compile(view))

    def _ask(self, view: View, find: Callable[[Trials], list[Estimate]]) -> list[Estimate]:
        """What is found with what tries the candidates of a view now."""
        return self._trials_for(view).ask(find, self._compile(view))

    def _trials_for(self, view: View) -> InterpretedThenCompiled[Trials]:
        if self._kept_trials is None or not self._kept_trials.serves(view):
            rules, number, proposals = view.ruleset, view.num_players, self._proposals
            self._kept_trials = InterpretedThenCompiled(
                rules,
                number,
                lambda: rule_trials(rules, number, proposals),
                lambda: _compiled_trials(rules, number, proposals),
                is_shared=False,
            )
        return self._kept_trials

    def _compile(self, view: View) -> BackgroundCompile:
        """Whether play-outs are compiled; they are now, where plain Python would take longer than that."""
        compiling = _compiling(view.ruleset, view.num_players)
        if not compiling.is_ready:
            if self.playouts is not None and self.playouts > MOST_PLAIN:
                compiling.finish()
            elif _may_be_compiled():
                compiling.is_at_hand()
        return compiling


def _compiled_trials(ruleset: RuleSet, num_players: int, proposals: int) -> Trials:
    from big2_agents.kernels.playouts import RuleTrials  # numba takes a second to load

    return RuleTrials(ruleset, num_players, proposals)


def _may_be_compiled() -> bool:
    """False if numba, which takes long to load, has lately kept no play-outs on the disk."""
    return _lies_on_disk(os.environ.get("NUMBA_CACHE_DIR", ""), int(monotonic() / LOOK_AGAIN))


@lru_cache(maxsize=1)
def _lies_on_disk(named: str, _period: int) -> bool:
    """True if numba's cache, which may be a named one, has the mark of play-outs. Looked up once a period."""
    kept = [Path(named)] if named else [Path(__file__).with_name("kernels"), Path.home() / ".cache" / "numba"]
    return any(next(folder.glob("*/rule_playouts-*.compiled"), None) for folder in kept)


def try_once(trials: Trials, ruleset: RuleSet, num_players: int) -> None:
    """Make one play-out, so that all that trials need is compiled."""
    view = Game.deal(ruleset, 0, num_players).view()
    number = len(trials.open(view, view.legal_plays(), 0).plays)
    trials.play_out([0], 1, EXACT, [0.0] * number, [0.0] * number)


@lru_cache(maxsize=64)
def _compiling(ruleset: RuleSet, num_players: int) -> BackgroundCompile:
    """Whether play-outs by heuristic players are compiled for a game."""

    def prepare() -> None:
        try_once(_compiled_trials(ruleset, num_players, 1), ruleset, num_players)

    def mark() -> Path:
        from big2_agents.kernels.playouts import compiled_mark

        return compiled_mark(ruleset)

    return BackgroundCompile(prepare, mark)


def _budget(given: str | int) -> tuple[int | None, float | None]:
    """Play-outs or milliseconds."""
    text = str(given)
    if not _is_budget(text):
        raise ConfigError(f"expected a search budget in play-outs, as 400, or milliseconds, as 50ms, got {given!r}")
    number = int(text.removesuffix("ms"))
    return (None, float(number)) if text.endswith("ms") else (number, None)


def _is_budget(text: str) -> bool:
    """Return True if a text is a number of play-outs or milliseconds."""
    number = text.removesuffix("ms")
    return number.isdecimal() and len(number) < 10 and 1 <= int(number) <= 10**7
