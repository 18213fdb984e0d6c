"""Agents that play the actor network of a PPO model without torch: `ppo`, and any model saved by stable-baselines3.

They make the most probable move, in any ruleset that the network was trained for.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from big2_agents.kernels.feature_layout import check_learnable
from big2_agents.learned.actor import Actor, load_actor
from big2_agents.learned.plain_learned import one_view
from big2_agents.learned.weights import TrainingRules
from big2_agents.models import shipped_ppo_weights
from big2_env.agents.advice import Advice
from big2_env.base.errors import ConfigError
from big2_env.base.one_call import OneCall, one_at_a_time
from big2_env.climbing.actions import action_space
from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import available_rulesets, preset
from big2_env.climbing.view import View

if TYPE_CHECKING:
    from big2_agents.kernels.features import ViewFeatures
    from big2_env.kernels.opponents import Opponent


class ActorPlayer:
    """Base class of agents that make an actor network's most probable move; nothing is random.

    Args:
        actor: The network; `None` if `_actor_for` finds one per ruleset.
        name: Name of the network in messages.
    """

    is_stochastic = False
    finishes = False
    """True if it plays a forced win that it finds before asking the network."""

    def __init__(self, actor: Actor | None, name: str) -> None:
        self._given = actor
        self.one_call = OneCall()
        self._name = name
        self._served: tuple[RuleSet, int] | None = None

    def check(self, ruleset: RuleSet, num_players: int) -> None:
        """Check that the network fits the rules and the number of seats.

        Raises:
            ConfigError: It does not fit, or there is none.
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
                f"got {actor.size[0]} and {actor.size[1]}{_owners(actor.size, ruleset)}"
            )
        self._actor, self._layout, self._actions, self._served = actor, layout, actions, (ruleset, num_players)

    def _actor_for(self, ruleset: RuleSet, num_players: int) -> Actor:
        """Return the network for a game."""
        assert self._given is not None
        return self._given

    def batched(self, ruleset: RuleSet, num_players: int) -> Opponent:
        """Return the compiled version of this agent for many games at once.

        Raises:
            ConfigError: The network does not fit the game, or there is none.
        """
        from big2_agents.learned.rows import ActorRows

        self.check(ruleset, num_players)
        return ActorRows(self._actor, ruleset, num_players, finishes=self.finishes)

    def reset(self, seed: int) -> None:
        """Start a game; the seed is ignored, since nothing is random."""

    def _prepare(self, view: View, legal: LegalPlays) -> None:
        view.check(legal)
        self.check(view.ruleset, view.num_players)

    @one_at_a_time
    def scores(self, view: View, legal: LegalPlays) -> tuple[list[Play], npt.NDArray[np.float32]]:
        """Return the legal moves, including the pass, and the network's score of each, float32 (n,).

        Raises:
            ConfigError: The network does not fit the game, or there is none.
        """
        self._prepare(view, legal)
        return list(legal), self._actor.scores(self._layout.encode(view), np.array(self._actions.ids(legal)))

    def act(self, view: View, legal: LegalPlays) -> Play:
        """Return the most probable move."""
        plays, scores = self.scores(view, legal)
        return plays[int(scores.argmax())]

    def advise(self, view: View, legal: LegalPlays) -> list[Advice]:
        """Return the legal moves with score and probability, the move that is played first."""
        best = self.act(view, legal)
        plays, scores = self.scores(view, legal)
        chances = np.exp(scores - scores.max())
        found = [
            Advice(play, score=score, probability=chance)
            for play, score, chance in zip(plays, scores.tolist(), (chances / chances.sum()).tolist(), strict=True)
        ]
        return sorted(found, key=lambda advice: (advice.play != best, -(advice.probability or 0.0)))


def _owners(size: tuple[int, int], refused: RuleSet) -> str:
    """Return the rest of a message, which names the rulesets with these numbers of inputs and actions.

    The number of players is named if it is not the default one, or if the refused game has the same ruleset.

    Args:
        size: Number of inputs, and of actions.
        refused: Ruleset of the game that was refused.
    """
    fitting = [
        name if seats == rules.default_players and name != refused.name else f"{name} with {seats} players"
        for name, rules in available_rulesets().items()
        if action_space(rules).n == size[1]
        for seats in range(rules.min_players, rules.max_players + 1)
        if ObservationLayout(rules, seats).size == size[0]
    ]
    return f", as for {' or '.join(fitting)}" if fitting else ""


class Sb3Agent(ActorPlayer):
    """Plays a PPO or MaskablePPO model saved by stable-baselines3, as `predict(deterministic=True)` does.

    The policy is an MLP or `LegalPolicy`. The model plays the rulesets and numbers of players that it was trained with.

    Args:
        path: The zip written by `model.save`. As a specification: `sb3:PATH.zip`.

    Raises:
        ConfigError: The file is not a model, or its moves cannot be reproduced. `act` raises it for a model of another game.
        ImportError: torch is not installed.
    """

    def __init__(self, path: str) -> None:
        from big2_agents.learned.sb3_zip import load_sb3

        super().__init__(load_sb3(path), f"model {path}")

    def __repr__(self) -> str:
        return f"Sb3Agent({self._name.removeprefix('model ')!r})"


class PpoAgent(ActorPlayer):
    """Plays the most probable move of a network trained by MaskablePPO, or a forced win if it finds one.

    Args:
        weights: A file written by `big2 train ppo`. By default, the shipped weights for the ruleset. As a specification: `ppo`,
            `ppo:PATH.npz`.

    Raises:
        ConfigError: The file holds no weights. `act` raises it if there are none for the ruleset, or if they do not fit it.
    """

    finishes = True

    def __init__(self, weights: str | Path | None = None) -> None:
        super().__init__(None if weights is None else load_actor(weights), "ppo weights")
        self._path = None if weights is None else Path(weights)
        self._view: ViewFeatures | None = None
        self._ruleset: RuleSet | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return the settings only; records of views are rebuilt for the next game."""
        return self.__dict__ | {"_view": None, "_ruleset": None}

    def trained_for(self, ruleset: RuleSet, num_players: int) -> RuleSet | None:
        """Return the rules that the weights for a game were trained for; None if they do not name them."""
        return preset(ruleset.name) if self._path is None else TrainingRules(str(self._path)).rules

    def _actor_for(self, ruleset: RuleSet, num_players: int) -> Actor:
        if num_players != ruleset.default_players:
            raise ConfigError(f"expected a table of {ruleset.default_players} players for ppo, got {num_players}")
        check_learnable(ruleset)
        return self._given or load_actor(shipped_ppo_weights(ruleset))

    @one_at_a_time
    def act(self, view: View, legal: LegalPlays) -> Play:
        """Return a move that starts a forced win, else the most probable move."""
        self._prepare(view, legal)
        if self._view is None or self._ruleset is not view.ruleset:
            self._view, self._ruleset = one_view(view.ruleset, view.num_players), view.ruleset
        sure = self._view.sure_win() if self._view.read(view) > 1 else -1
        return self._view.play(view, legal, sure) if sure >= 0 else super().act(view, legal)
