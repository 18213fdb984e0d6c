"""Players by the networks of PPO, without torch: `ppo`, and any model that stable-baselines3 saved.

Their acts are those that an actor network finds likeliest, in any ruleset that the network was made for.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from big2_agents.first_answers import one_view
from big2_agents.kernels.feature_layout import check_learnable
from big2_agents.learned.actor import Actor, load_actor
from big2_agents.models import shipped_ppo_weights
from big2_env.advice import Advice
from big2_env.climbing.actions import action_space
from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.errors import ConfigError

if TYPE_CHECKING:
    from big2_agents.kernels.features import OneView
    from big2_env.kernels.opponents import Opponent


class ActorPlayer:
    """Plays the act that the network finds likeliest; nothing is random.

    Args:
        actor: the network; `None` where `_actor_for` finds one for each ruleset.
        name: what messages call it.
    """

    finishes = False
    """Whether it plays a sure win where it sees one, before the network is asked."""

    def __init__(self, actor: Actor | None, name: str) -> None:
        self._given = actor
        self._name = name
        self._served: tuple[RuleSet, int] | None = None

    def check(self, ruleset: RuleSet, num_players: int) -> None:
        """See if the network fits a game.

        Raises:
            ConfigError: it does not, or there is none.
        """
        if self._served is not None and self._served[0] is ruleset and self._served[1] == num_players:
            return
        actor, layout, actions = (
            self._actor_for(ruleset, num_players),
            ObservationLayout(ruleset, num_players),
            action_space(ruleset),
        )
        if actor.size != (layout.size, actions.n):
            raise ConfigError(
                f"{self._name}: expected {layout.size} inputs and {actions.n} actions for {ruleset.name}, "
                f"got {actor.size[0]} and {actor.size[1]}"
            )
        self._actor, self._layout, self._actions, self._served = actor, layout, actions, (ruleset, num_players)

    def _actor_for(self, ruleset: RuleSet, num_players: int) -> Actor:
        """The network for a game."""
        assert self._given is not None
        return self._given

    def batched(self, ruleset: RuleSet, num_players: int) -> Opponent:
        """The same player for many games at once.

        Raises:
            ConfigError: as `check`.
        """
        from big2_agents.learned.rows import ActorRows

        self.check(ruleset, num_players)
        return ActorRows(self._actor, ruleset, num_players, finishes=self.finishes)

    def reset(self, seed: int) -> None:
        """Start a game; nothing the agent does is random."""

    def _prepare(self, view: View, legal: LegalPlays) -> None:
        view.check(legal)
        self.check(view.ruleset, view.num_players)

    def scores(self, view: View, legal: LegalPlays) -> tuple[list[Play], npt.NDArray[np.float32]]:
        """The legal acts, the pass among them, and the network's score of each, float32 (n,).

        Raises:
            ConfigError: as `check`.
        """
        self._prepare(view, legal)
        return list(legal), self._actor.scores(self._layout.encode(view), np.array(self._actions.ids(legal)))

    def act(self, view: View, legal: LegalPlays) -> Play:
        """The likeliest act."""
        plays, scores = self.scores(view, legal)
        return plays[int(scores.argmax())]

    def advise(self, view: View, legal: LegalPlays) -> list[Advice]:
        """The legal acts with score and probability, the one that is played first."""
        best = self.act(view, legal)
        plays, scores = self.scores(view, legal)
        chances = np.exp(scores - scores.max())
        found = [
            Advice(play, score=score, probability=chance)
            for play, score, chance in zip(plays, scores.tolist(), (chances / chances.sum()).tolist(), strict=True)
        ]
        return sorted(found, key=lambda advice: (advice.play != best, -(advice.probability or 0.0)))


class Sb3Agent(ActorPlayer):
    """Plays as a PPO or MaskablePPO model that stable-baselines3 saved does by `predict(deterministic=True)`.

    Its policy is an MLP or `LegalPolicy`. Any ruleset and number of players that it was trained in.

    Raises:
        ConfigError: a file that is none, or a model whose acts cannot be reproduced; by `act`, one of another game.
        ImportError: torch is not installed.
    """

    def __init__(self, path: str) -> None:
        from big2_agents.learned.sb3_zip import load_sb3

        super().__init__(load_sb3(path), f"model {path}")

    def __repr__(self) -> str:
        return f"Sb3Agent({self._name.removeprefix('model ')!r})"


class PpoAgent(ActorPlayer):
    """Plays a sure win where it sees one, else the act that a network trained by MaskablePPO finds likeliest.

    Weights are those shipped for the game's ruleset, or a file of your own.

    Raises:
        ConfigError: a weights file that is none; by `act`, weights that do not fit the ruleset, or none for it.
    """

    finishes = True

    def __init__(self, weights: str | Path | None = None) -> None:
        super().__init__(None if weights is None else load_actor(weights), "ppo weights")
        self._path = None if weights is None else Path(weights)
        self._view: OneView | None = None
        self._ruleset: RuleSet | None = None

    def __getstate__(self) -> dict[str, Any]:
        """What was asked for: the records of views are made again for the next game."""
        return self.__dict__ | {"_view": None, "_ruleset": None}

    def weights_file(self, ruleset: RuleSet, num_players: int) -> Path:
        """Return the file of the weights that play a game.

        Raises:
            ConfigError: No weights are shipped for the ruleset.
        """
        return self._path or shipped_ppo_weights(ruleset)

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
