"""Players by the networks of PPO, without torch: `ppo`, and any model that stable-baselines3 saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from big2_agents.compiled.features import check_learnable
from big2_agents.compiled.finish import DEPTH, find_finish
from big2_agents.compiled.from_view import fill_game, to_cards
from big2_agents.compiled.plays import CANDIDATES, find_candidates
from big2_agents.compiled.track import GAME
from big2_agents.learned.actor import Actor, load_actor
from big2_agents.learned.actor_player import ActorPlayer
from big2_agents.models import shipped_ppo_weights
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.errors import ConfigError
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.tables import as_record


class PpoAgent(ActorPlayer):
    """Plays a sure win where it sees one, else the act that a network trained by MaskablePPO finds likeliest.

    Weights are those shipped for the game's ruleset, or a file of your own.

    Raises:
        ConfigError: a weights file that is none; by `act`, weights that do not fit the ruleset, or none for it.
    """

    finishes = True

    def __init__(self, weights: str | Path | None = None) -> None:
        super().__init__(None if weights is None else load_actor(weights), "ppo weights")
        self._tables_of: Any = None
        self._game = as_record(np.zeros((), GAME))
        self._candidates = as_record(np.zeros((), CANDIDATES))
        self._stack = np.zeros(DEPTH, CANDIDATES).view(np.recarray)

    def _actor_for(self, ruleset: RuleSet, num_players: int) -> Actor:
        if num_players != ruleset.default_players:
            raise ConfigError(f"expected a table of {ruleset.default_players} players for ppo, got {num_players}")
        check_learnable(ruleset)
        return self._given or load_actor(shipped_ppo_weights(ruleset))

    def act(self, view: View, legal: LegalPlays) -> Play:
        """An act that begins a sure win, else the likeliest one."""
        self._prepare(view, legal)
        if view.ruleset is not self._tables_of:
            self._tables, self._tables_of = compile_tables(view.ruleset), view.ruleset
            self._patterns = {rule.pattern.name: i for i, rule in enumerate(view.ruleset.patterns)}
        t, g, c = self._tables, self._game, self._candidates
        fill_game(t, view, self._patterns, g)
        find_candidates(t, g.hands[view.seat], g.top_category, g.top_power, g.obligation[0], c)
        sure = 0 if c.count == 1 else int(find_finish(t, g, np.array(view.cards_left, np.int32), c, self._stack))
        if sure >= 0:
            mask = to_cards(t, int(c.mask[sure]))
            return legal.verify(mask) if mask else PASS
        return super().act(view, legal)
