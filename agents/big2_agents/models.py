"""The weights that are shipped: which rulesets there are any for, and where they lie."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import available_rulesets
from big2_env.errors import ConfigError


def models_folder() -> Path:
    """Where the weights lie."""
    return Path(str(files("big2_agents"))) / "models"


def learned_rulesets() -> list[str]:
    """The names of the rulesets that weights are shipped for, sorted."""
    return sorted(path.stem for path in models_folder().glob("*.npz") if path.stem in available_rulesets())


def shipped_weights(ruleset: RuleSet, num_players: int | None = None) -> Path:
    """The file of the shipped weights for a ruleset: any scoring will do, but its patterns and players must be those learned.

    Raises:
        ConfigError: none are shipped.
    """
    if ruleset.name not in learned_rulesets():
        known = ", ".join(learned_rulesets()) or "no ruleset"
        raise ConfigError(f"no learned player for {ruleset.name}: there are weights for {known}")
    preset = available_rulesets()[ruleset.name]
    given, learned = ([rule.pattern.name for rule in rules.patterns] for rules in (ruleset, preset))
    if given != learned:
        raise ConfigError(f"no learned player for {ruleset.name} with {', '.join(given)}: it learned {', '.join(learned)}")
    if (num_players or ruleset.default_players) != preset.default_players:
        raise ConfigError(f"no learned player for {num_players} players: it learned with {preset.default_players}")
    return models_folder() / f"{ruleset.name}.npz"


def shipped_ppo_weights(ruleset: RuleSet) -> Path:
    """The file of the shipped weights of the player that MaskablePPO trained.

    Raises:
        ConfigError: none are shipped.
    """
    path = models_folder() / f"{ruleset.name}_ppo.npz"
    if not path.exists():
        raise ConfigError(f"no ppo player for {ruleset.name}: expected ppo:PATH with weights that big2 train ppo made for it")
    return path


def critic_beside(weights: str | Path) -> Path:
    """The file of the critic that belongs to a file of policy weights."""
    path = Path(weights)
    return path.with_name(f"{path.stem}_critic.npz")
