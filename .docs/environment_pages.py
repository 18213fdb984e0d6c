"""A page for each environment id: picture, spaces, rewards, versions."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium
from readme_tables import ENGLISH, players, summary, table, windows

from big2_env import RuleSet, ruleset
from big2_env.base.language import Language
from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.climbing.game import Game
from big2_env.climbing.settlement import SCORINGS
from big2_env.drawing import scene
from big2_env.drawing.table_svg import table_svg
from big2_env.envs.aec import raw_env
from big2_env.registration import env_ids, self_play_id

VERSIONS = {0: "Initial version."}
"""What changed in each version of an environment."""
SIDE = {
    "big2/Uno-v0": (
        "UNO",
        "One seat of UNO against given opponents; with PettingZoo, all seats turn by turn.",
        "big2/UnoSelfPlay-v0",
    ),
    "big2/Klondike-v0": (
        "Klondike",
        "Klondike solitaire, drawing one card at a time. Gymnasium only, as it has one player.",
        "",
    ),
}
"""Environments without a ruleset: title, summary, id of self-play."""


def pages() -> Iterator[tuple[str, str, str]]:
    """Yield the name, the Markdown text and the picture (SVG) of each page."""
    warnings.simplefilter("ignore")
    for identifier, name in env_ids().items():
        yield climbing_page(identifier, name)
    for identifier in SIDE:
        yield side_page(identifier)


def file_name(identifier: str) -> str:
    """Return the name of an environment's page: `big2/Big2-v0` becomes `big2-v0`."""
    return identifier.partition("/")[2].lower()


def versions(identifier: str) -> str:
    """Return the version history of an environment."""
    current = int(identifier.rpartition("-v")[2])
    rows = ([f"v{number}", VERSIONS[number]] for number in range(current + 1))
    return "\n## Versions\n\n" + table(["version", "change"], *rows)


def usage(identifier: str, self_play: str, *, has_aec: bool = True) -> str:
    """Return the calls that make an environment."""
    lines = [
        "import gymnasium, big2_env",
        "",
        f'env = gymnasium.make("{identifier}")',
        f'envs = gymnasium.make_vec("{identifier}", num_envs=64)',
    ]
    if self_play:
        lines += ["", "# One policy plays all seats.", f'envs = gymnasium.make_vec("{self_play}", num_envs=64)']
    if has_aec:
        lines += ["", "import pettingzoo", "", "# All seats, turn by turn.", f'env = pettingzoo.make("aec", "{identifier}")']
    return "```python\n" + "\n".join(lines) + "\n```\n\n"


def climbing_page(identifier: str, name: str) -> tuple[str, str, str]:
    """Return the page of a climbing game."""
    rules = ruleset(name)
    env = raw_env(name)
    agent = env.possible_agents[0]
    space, seen = env.action_space(agent), env.observation_space(agent)
    lines = [
        f"# {ENGLISH.game(name, rules.zh)} ({rules.zh})\n\n",
        f"`{identifier}` plays the ruleset `{name}`.\n\n",
        f"![A deal of {name}, seen from one seat]({file_name(identifier)}.svg)\n\n",
        usage(identifier, self_play_id(name)),
        "## Spaces\n\n",
        table(
            ["what", "value"],
            ["players", players(rules)],
            ["action space", f"`{space}`"],
            ["action mask", f"`int8`, shape `{seen['action_mask'].shape}`, 1 for legal"],
            ["observation", f"`int8`, shape `{seen['observation'].shape}`, zeros and ones"],
            ["state (all hands)", f"shape `{env.state_space.shape}`"],
        ),
        "\nWindows of the observation, in order:\n\n",
        windows(ObservationLayout(rules)),
        "\n## Patterns\n\n"
        + ", ".join(f"`{rule.pattern.name}` {rules.zh_of(rule.pattern.name)}" for rule in rules.patterns)
        + "\n\n",
        "## Rewards\n\n",
        "Rewards are 0 until the game ends; then every seat receives its payoff.\n\n",
        table(["`scoring`", "payoff"], *rewards(rules)),
        versions(identifier),
    ]
    picture = table_svg(scene(Game.deal(rules, seed=7), viewer=0, lang=Language.EN))
    return file_name(identifier), "".join(lines), picture


def rewards(rules: RuleSet) -> list[list[str]]:
    """Return the scorings of a ruleset: its own first, then those with a name."""
    named = [[f"`{name}`", summary(type(value))] for name, value in SCORINGS.items()]
    return [["default", summary(type(rules.scoring))], *named]


def side_page(identifier: str) -> tuple[str, str, str]:
    """Return the page of UNO or Klondike."""
    title, summary, self_play = SIDE[identifier]
    env = gymnasium.make(identifier, render_mode="svg")
    env.reset(seed=7)
    picture = env.render()
    spaces = [["action space", f"`{env.action_space}`"], *observation_rows(env.observation_space)]
    lines = [
        f"# {title}\n\n{summary}\n\n",
        f"![{title}]({file_name(identifier)}.svg)\n\n",
        usage(identifier, self_play, has_aec=identifier != "big2/Klondike-v0"),
        "## Spaces\n\n" + table(["what", "value"], *spaces),
        "\n## Rewards\n\n" + doc_section(type(env.unwrapped)) + "\n\n",
        versions(identifier),
    ]
    return file_name(identifier), "".join(lines), picture


def observation_rows(space: Any) -> list[list[str]]:
    """Return rows for an observation space."""
    if isinstance(space, gymnasium.spaces.Dict):
        return [[f"`{key}`", f"shape `{one.shape}`, `{one.dtype}`"] for key, one in space.items()]
    return [["observation", f"shape `{space.shape}`, `{space.dtype}`"]]


def doc_section(cls: type) -> str:
    """Return the docstring of an environment up to its arguments."""
    return (cls.__doc__ or "").partition("Args:")[0].strip().replace("\n    ", "\n")
