"""`EvalCallback` of Stable-Baselines3 over duplicate deals instead of episodes. Needs the extra `sb3`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback, EventCallback

from big2_agents.evaluation import Evaluation, evaluate
from big2_env.climbing.ruleset import RuleSet
from big2_env.envs.opponents import OpponentLike
from big2_env.runs.atomic_files import replace_file


class DealEvalCallback(EventCallback):
    """Evaluate a model on the same deals while it learns, and keep the best one.

    Logs `eval/mean_reward` in points per game, `eval/win_rate` and half of its 95% interval, `eval/win_rate_interval`.

    Args:
        opponents: As for `evaluate`.
        callback_on_new_best: Callback that is called when a model is better than all before.
        callback_after_eval: Callback that is called after each evaluation.
        n_eval_deals: Number of deals, each played from every seat.
        eval_freq: Calls of the callback, steps of the vector environment, between two evaluations.
        log_path: Folder of `evaluations.npz`: `timesteps` (N,), `results` in points (N, deals), `wins` (N, deals).
        best_model_save_path: Folder of `best_model.zip`.
        seed: Seed of the first deal.
        ruleset: As for `evaluate`; by default ruleset and seats of the training environment.
        num_players: Number of seats of a given `ruleset`.
        verbose: 1 to print results.

    Attributes:
        best_mean_reward: Highest points per game so far.
        last_mean_reward: Points per game of the last evaluation.
    """

    def __init__(
        self,
        opponents: OpponentLike | Sequence[OpponentLike] = "greedy",
        callback_on_new_best: BaseCallback | None = None,
        callback_after_eval: BaseCallback | None = None,
        n_eval_deals: int = 200,
        eval_freq: int = 10_000,
        log_path: str | Path | None = None,
        best_model_save_path: str | Path | None = None,
        *,
        seed: int = 10_000_000,
        ruleset: str | RuleSet | None = None,
        num_players: int | None = None,
        verbose: int = 1,
    ) -> None:
        super().__init__(callback_after_eval, verbose=verbose)
        self.callback_on_new_best = callback_on_new_best
        if callback_on_new_best is not None:
            callback_on_new_best.parent = self
        self.eval_freq = eval_freq
        self.best_mean_reward = self.last_mean_reward = -math.inf
        self._log_path, self._best_model_save_path = log_path, best_model_save_path
        self._opponents, self._deals, self._seed = opponents, n_eval_deals, seed
        self._ruleset, self._num_players = ruleset, num_players
        self._found: list[tuple[int, Evaluation]] = []

    def _init_callback(self) -> None:
        if self.callback_on_new_best is not None:
            self.callback_on_new_best.init_callback(self.model)

    def _on_step(self) -> bool:
        if self.eval_freq < 1 or self.n_calls % self.eval_freq:
            return True
        rules, seats = self._ruleset, self._num_players
        if rules is None:
            rules, seats = (self.training_env.get_attr(name)[0] for name in ("ruleset", "num_players"))
        found = evaluate(self.model, self._opponents, self._deals, seed=self._seed, ruleset=rules, num_players=seats)
        self._found.append((self.num_timesteps, found))
        self.last_mean_reward = found.payoff.mean
        self._report(found)
        goes_on = True
        if self.last_mean_reward > self.best_mean_reward:
            self.best_mean_reward = self.last_mean_reward
            if self._best_model_save_path is not None:
                self.model.save(Path(self._best_model_save_path) / "best_model")
            if self.callback_on_new_best is not None:
                goes_on = self.callback_on_new_best.on_step()
        return goes_on and (self.callback is None or self.callback.on_step())

    def _report(self, found: Evaluation) -> None:
        """Print and log an evaluation, and write all of them to the file."""
        if self.verbose:
            print(f"{self.num_timesteps:,} steps: {found}")
        for name, value in (
            ("mean_reward", found.payoff.mean),
            ("win_rate", found.wins.mean),
            ("win_rate_interval", found.wins.half_width),
        ):
            self.logger.record(f"eval/{name}", value)
        self.logger.record("time/total_timesteps", self.num_timesteps, exclude="tensorboard")
        self.logger.dump(self.num_timesteps)
        if self._log_path is not None:
            Path(self._log_path).mkdir(parents=True, exist_ok=True)
            arrays: dict[str, Any] = {
                "timesteps": np.array([steps for steps, _ in self._found]),
                "results": np.array([one.paid for _, one in self._found]),
                "wins": np.array([one.won for _, one in self._found]),
            }
            with replace_file(Path(self._log_path) / "evaluations.npz") as new, new.open("wb") as file:
                np.savez(file, **arrays)
