"""Players by the networks of PPO, without torch: `ppo`, and any model that stable-baselines3 saved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from big2_agents.first_answers import one_view
from big2_agents.kernels.feature_layout import check_learnable
from big2_agents.learned.actor import Actor, load_actor
from big2_agents.learned.actor_player import ActorPlayer
from big2_agents.models import shipped_ppo_weights
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.errors import ConfigError

if TYPE_CHECKING:
    from big2_agents.kernels.one_view import OneView


class PpoAgent(ActorPlayer):
    """Plays a sure win where it sees one, else the act that a network trained by MaskablePPO finds likeliest.

    Weights are those shipped for the game's ruleset, or a file of your own.

    Raises:
        ConfigError: a weights file that is none; by `act`, weights that do not fit the ruleset, or none for it.
    """

    finishes = True

    def __init__(self, weights: str | Path | None = None) -> None:
        super().__init__(None if weights is None else load_actor(weights), "ppo weights")
        self._view: OneView | None = None
        self._ruleset: RuleSet | None = None

    def __getstate__(self) -> dict[str, Any]:
        """What was asked for: the records of views are made again for the next game."""
        return self.__dict__ | {"_view": None, "_ruleset": None}

    def _actor_for(self, ruleset: RuleSet, num_players: int) -> Actor:
        if num_players != ruleset.default_players:
            raise ConfigError(f"expected a table of {ruleset.default_players} players for ppo, got {num_players}")
        check_learnable(ruleset)
        return self._given or load_actor(shipped_ppo_weights(ruleset))

    def act(self, view: View, legal: LegalPlays) -> Play:
        """An act that begins a sure win, else the likeliest one."""
        self._prepare(view, legal)
        if self._view is None or self._ruleset is not view.ruleset:
            self._view, self._ruleset = one_view(view.ruleset, view.num_players), view.ruleset
        sure = self._view.sure_win() if self._view.read(view) > 1 else -1
        return self._view.play(view, legal, sure) if sure >= 0 else super().act(view, legal)
