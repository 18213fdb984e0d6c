"""Shipped weights: the rulesets that have them, and their files; `formula` is what the weights of `heuristic` mean."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from big2_env.base.errors import ConfigError
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import available_rulesets, preset


def models_folder() -> Path:
    """Return the folder of the shipped weights."""
    return Path(str(files("big2_agents"))) / "models"


def learned_rulesets() -> list[str]:
    """Return the sorted names of the rulesets with shipped weights."""
    return sorted(path.stem for path in models_folder().glob("*.npz") if path.stem in available_rulesets())


def shipped_weights(ruleset: RuleSet, num_players: int | None = None) -> Path:
    """Return the file of the shipped weights for a ruleset.

    The scoring may differ from the preset's, but patterns and number of players must match the training.

    Args:
        ruleset: The rules to play.
        num_players: Number of seats, the ruleset's default if `None`.

    Raises:
        ConfigError: No weights are shipped for these rules.
    """
    path = models_folder() / f"{ruleset.name}.npz"
    learned_with = preset(ruleset.name) if path.exists() else None
    if learned_with is None:
        known = ", ".join(learned_rulesets()) or "no ruleset"
        raise ConfigError(f"no learned player for {ruleset.name}: there are weights for {known}")
    given, learned = ([rule.pattern.name for rule in rules.usual_patterns] for rules in (ruleset, learned_with))
    if given != learned:
        raise ConfigError(f"no learned player for {ruleset.name} with {', '.join(given)}: it learned {', '.join(learned)}")
    if (num_players or ruleset.default_players) != learned_with.default_players:
        raise ConfigError(f"no learned player for {num_players} players: it learned with {learned_with.default_players}")
    return path


def shipped_ppo_weights(ruleset: RuleSet) -> Path:
    """Return the file of the shipped MaskablePPO weights for a ruleset.

    Raises:
        ConfigError: None are shipped.
    """
    path = models_folder() / f"{ruleset.name}_ppo.npz"
    if not path.exists():
        raise ConfigError(f"no ppo player for {ruleset.name}: expected ppo:PATH with weights that big2 train ppo made for it")
    return path


def critic_beside(weights: str | Path) -> Path:
    """Return the file of the critic that belongs to a file of policy weights."""
    path = Path(weights)
    return path.with_name(f"{path.stem}_critic.npz")
