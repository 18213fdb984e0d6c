"""The learned player: a network that scores the candidate plays of its own seat's view."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from big2_agents.compiled.features import PLAY_SIZE, STATE_SIZE, write_plays, write_state
from big2_agents.compiled.finish import DEPTH, find_finish
from big2_agents.compiled.from_view import Memory, fill_game, to_cards
from big2_agents.compiled.heuristic_tables import heuristic_record
from big2_agents.compiled.opinion import write_opinion
from big2_agents.compiled.plays import CANDIDATES, MAX_CANDIDATES, find_candidates
from big2_agents.compiled.track import TRACK
from big2_agents.learned.network import Network, load_network, score_plays
from big2_agents.learned.weights import MAX_WIDTH
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import available_rulesets
from big2_env.climbing.view import View
from big2_env.errors import ConfigError
from big2_env.kernels.state import GAME
from big2_env.kernels.tables import as_record, compile_tables


def _models() -> Path:
    return Path(str(files("big2_agents"))) / "models"


def learned_rulesets() -> list[str]:
    """The names of the rulesets that weights are shipped for, sorted."""
    return sorted(path.stem for path in _models().glob("*.npz") if path.stem in available_rulesets())


def shipped_weights(ruleset: RuleSet) -> Path:
    """The file of the shipped weights for a ruleset: any scoring will do, but its patterns must be those learned.

    Raises:
        ConfigError: none are shipped.
    """
    if ruleset.name in learned_rulesets():
        given, learned = (
            [rule.pattern.name for rule in rules.patterns] for rules in (ruleset, available_rulesets()[ruleset.name])
        )
        if given == learned:
            return _models() / f"{ruleset.name}.npz"
        raise ConfigError(f"no learned player for {ruleset.name} with {', '.join(given)}: it learned {', '.join(learned)}")
    known = ", ".join(learned_rulesets()) or "no ruleset"
    raise ConfigError(f"no learned player for {ruleset.name}: there are weights for {known}")


class LearnedAgent:
    """Plays a sure win where it sees one, else the candidate with the best score.

    Weights are those shipped for the game's ruleset, or a file of your own.

    Raises:
        ConfigError: a weights file that is none; by `act`, a ruleset without weights.
    """

    def __init__(self, weights: str | Path | None = None) -> None:
        self._given = None if weights is None else load_network(weights)
        self._network = self._given
        self._ruleset: Any = None
        self._game = as_record(np.zeros((), GAME))
        self._track = as_record(np.zeros((), TRACK))
        self._candidates = as_record(np.zeros((), CANDIDATES))
        self._states = np.zeros((1, STATE_SIZE), np.int8)
        self._plays = np.zeros((MAX_CANDIDATES, PLAY_SIZE), np.int8)
        self._scores = np.zeros(MAX_CANDIDATES, np.float32)
        self._work = np.zeros((4, MAX_WIDTH), np.float32)
        self._stack = np.zeros(DEPTH, CANDIDATES).view(np.recarray)
        self._memory = Memory()

    def reset(self, seed: int) -> None:
        """Start a game; nothing the agent does is random."""
        self._memory = Memory()

    @property
    def network(self) -> Network:
        """The network; it is loaded when the first view says for which ruleset."""
        assert self._network is not None
        return self._network

    def _prepare(self, view: View) -> None:
        if view.ruleset is not self._ruleset:
            self._tables = compile_tables(view.ruleset)
            self.heuristic: Any = heuristic_record(view.ruleset)
            self._patterns = {rule.pattern.name: i for i, rule in enumerate(view.ruleset.patterns)}
            self._network = self._given or load_network(shipped_weights(view.ruleset))
            self._ruleset = view.ruleset

    def scores(self, view: View) -> tuple[list[int], npt.NDArray[np.float32]]:
        """The candidate plays of the seat to move as card masks, 0 for the pass, and the score of each, float32 (n,)."""
        self._prepare(view)
        t, g, k, c = self._tables, self._game, self._track, self._candidates
        fill_game(t, view, self._patterns, g)
        self._memory.update(view, self._patterns, k)
        find_candidates(t, g.hands[view.seat], g.top_category, g.top_power, g.obligation, c)
        count = int(c.count)
        if count > 1:
            write_state(t, g, k, c, self._states, 0)
            write_plays(t, g, k, c, self._plays, 0)
            write_opinion(t, g, k, c, self.heuristic, self._plays, 0)
            score_plays(self.network, self._states[0], self._plays[:count], self._scores, self._work)
        else:
            self._scores[0] = 0.0
        return [to_cards(t, int(mask)) for mask in c.mask[:count]], self._scores[:count].copy()

    def act(self, view: View, legal: LegalPlays) -> Play:
        """A play that begins a sure win, else the legal play with the best score."""
        masks, scores = self.scores(view)
        sure = int(find_finish(self._tables, self._game, self._track.left, self._candidates, self._stack))
        mask = masks[sure if sure >= 0 else int(scores.argmax())]
        return legal.verify(mask) if mask else PASS
