"""Hyper-parameters of `big2 train`: each is a dataclass field, a command-line option and a key of config files.

A config file is TOML. Its top level has hyper-parameters of `CandidatePpoParameters` by name. Each table `[[phase]]` changes
some of them for its own `minutes`; the hyper-parameters in `WHOLE_RUN` cannot change. A file without phases is a run of one
phase.
"""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Callable, Collection, Mapping
from copy import copy
from dataclasses import dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, TypeVar, get_args, get_type_hints

from big2_agents.models import models_folder
from big2_env.base.errors import ConfigError, quoted, reason_text
from big2_env.base.json_values import parse_toml, shown
from big2_env.base.outside import read_text
from big2_env.cli._options import RULES_HELP, grouped, set_options
from big2_env.runs.intervals import FEWEST

T = TypeVar("T")

RULE_PLAYERS: Final = ("greedy", "heuristic", "random", "lowest")
"""Rule-based agents of the opponent pool."""
OPPONENTS: Final = "greedy=4,heuristic=4,random=3,lowest=1"
"""Default sampling weights of rule-based opponents; snapshots of the learner together have a weight of 3."""
MAX_SEED: Final = 2**31 - 1
SHORT_RUN: Final = 10.0
"""Minutes below which a run is evaluated every half minute."""
UNNAMED: Final = Path()
"""Placeholder for a folder named after method and ruleset."""
WHOLE_RUN: Final = (
    "ruleset",
    "seed",
    "width",
    "choices",
    "init",
    "league",
    "rivals",
    "out",
    "workers",
    "staleness",
    "heuristic_features",
)
"""Hyper-parameters that a phase cannot change."""
MAX_CONFIG_BYTES: Final = 1 << 16
_WEIGHT: Final = re.compile(r"\d{1,2}", re.ASCII)


class Device(StrEnum):
    """Where networks compute; `auto` is a GPU if torch finds one."""

    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"


class PolicyName(StrEnum):
    """Policies of MaskablePPO."""

    LEGAL = "legal"
    MLP = "mlp"


class Panel(StrEnum):
    """Heading of a group of options in `--help`."""

    EVALUATION = "Evaluation"
    OUTPUT = "Output"
    OPPONENTS = "Games and opponents"
    LEARNING = "Learning"
    COMPUTATION = "Computation"


PANELS: Final = {"png": Panel.OUTPUT, "log": Panel.OUTPUT, "workers": Panel.COMPUTATION, "ray": Panel.COMPUTATION}
"""Panels of options that are not hyper-parameters, by parameter."""


def option(
    default: T,
    help: str,  # noqa: A002
    *,
    min: float | None = None,  # noqa: A002
    max: float | None = None,  # noqa: A002
    panel: Panel | None = None,
    metavar: str | None = None,
    show_default: bool | str = True,
    names: tuple[str, ...] = (),
) -> T:
    """Declare a dataclass field together with its command-line option.

    Args:
        default: Default of the field.
        help: Help of the option.
        min: Lower bound.
        max: Upper bound.
        panel: Group of the option in `--help`; by default the general one.
        metavar: Placeholder of the value; by default its type.
        show_default: False to hide the default in `--help`, or a text to show instead.
        names: Names of the option; by default the name of the field.
    """
    metadata = {"help": help, "min": min, "max": max, "show_default": show_default, "param_decls": names}
    metadata |= {"metavar": metavar, "rich_help_panel": panel and panel.value}
    made: Any = field(default=default, metadata=metadata)
    return made  # type: ignore[no-any-return]


def number(default: T, help: str, panel: Panel | None = Panel.LEARNING, **settings: Any) -> T:  # noqa: A002
    """Declare a field of a number; arguments as of `option`."""
    return option(default, help, panel=panel, metavar="N", **settings)


def fraction(default: float, help: str, panel: Panel | None = Panel.LEARNING, *, min: float = 0) -> float:  # noqa: A002
    """Declare a field of a number up to 1; arguments as of `option`."""
    return option(default, help, panel=panel, metavar="X", min=min, max=1)


def workers_option() -> int:
    """Declare the number of rollout workers."""
    return number(0, "Rollout processes; 0: none, or with --ray one per core.", Panel.COMPUTATION, min=0)


def staleness_option() -> int | None:
    """Declare the staleness of rollouts."""
    help_text, default = "Updates by which the weights of rollouts lag behind.", "workers - 1, at least 1"
    return number(None, help_text, Panel.COMPUTATION, min=0, max=1000, show_default=default)


@dataclass
class RunParameters:
    """Hyper-parameters of every training run."""

    method: ClassVar[str] = ""
    """Verb of `big2 train`."""
    fixed: ClassVar[tuple[str, ...]] = ("ruleset", "seed")
    """Hyper-parameters that cannot change when a run continues."""

    ruleset: str = option("big2", RULES_HELP, metavar="RULESET", names=("--ruleset", "--game"))
    minutes: float = number(60.0, "Training time in minutes, over all calls with this folder.", None, min=0)
    out: Path = option(UNNAMED, "Folder of the run.", metavar="DIR", show_default="runs/METHOD-RULESET")
    seed: int = number(1, "Seed of initial weights and of games.", None, min=0, max=MAX_SEED)

    def __post_init__(self) -> None:
        if self.out == UNNAMED:
            self.out = Path("runs") / f"{self.method}-{Path(self.ruleset).stem}"

    def command_line(self, config: str = "", given: Collection[str] = ()) -> str:
        """Return the command that repeats the run, without options at their defaults.

        Args:
            config: Config file with the other options.
            given: Names of the options that override the config file.
        """
        words = ["big2", "train", self.method, *(["--config", config] if config else [])]
        for each in fields(self):
            value = getattr(self, each.name)
            is_shown = each.name in given if config else each.name in ("ruleset", "minutes", "seed") or value != each.default
            if is_shown and each.name != "out":
                name, text = each.name.replace("_", "-"), f"{value:g}" if each.name == "minutes" else str(value)
                words += [f"--{'' if value else 'no-'}{name}"] if isinstance(value, bool) else [f"--{name}", text]
        return shlex.join(words)


@dataclass
class LearnerParameters(RunParameters):
    """Hyper-parameters of both PPO methods."""

    choices: int = number(
        0, "Decisions to learn from, instead of minutes; the same seed then gives the same weights.", None, min=0
    )
    evaluate_every: float | None = number(
        None,
        "Minutes between evaluations, each with a checkpoint.",
        Panel.EVALUATION,
        min=0,
        show_default="0.5 in runs under ten minutes, else 5",
    )
    evaluation_deals: int = number(
        1000, "Deals per evaluation and opponent, played once from every seat.", Panel.EVALUATION, min=1, max=1 << 16
    )
    pool_size: int = number(
        12, "Latest snapshots of the learner to keep in the opponent pool.", Panel.OPPONENTS, min=0, max=1000
    )
    learning_rate: float = number(1e-3, "Initial learning rate, decayed linearly to a tenth.", min=0)
    clip_range: float = number(0.2, "PPO clip range of the probability ratio.", min=0)
    tensorboard: bool | None = option(
        None, "TensorBoard events in the run's folder.", panel=Panel.OUTPUT, show_default="if installed"
    )

    @property
    def evaluation_interval(self) -> float:
        """Minutes between evaluations; a short run has more of them, so that its curve is worth drawing."""
        if self.evaluate_every is not None:
            return self.evaluate_every
        return 0.5 if self.minutes < SHORT_RUN else 5.0


@dataclass
class CandidatePpoParameters(LearnerParameters):
    """Hyper-parameters of PPO over candidate plays."""

    method: ClassVar[str] = "candidate-ppo"
    fixed: ClassVar[tuple[str, ...]] = ("ruleset", "seed", "width", "heuristic_features")

    games: int = number(2048, "Games per iteration.", Panel.OPPONENTS, min=4, max=1 << 16)
    width: int = number(512, "Hidden units per layer of policy and critic.", min=4, max=4096)
    init: str = option(
        "",
        "Initial weights: a path, with the critic next to it if there is one; shipped; or shipped:RULESET.",
        metavar="WEIGHTS",
    )
    league: str = option(
        "",
        "Weights of trained opponents, comma-separated; each as for --init.",
        panel=Panel.OPPONENTS,
        metavar="WEIGHTS",
    )
    rivals: str = option(
        "",
        "Weights of agents for paired evaluations; as for --league.",
        panel=Panel.EVALUATION,
        metavar="WEIGHTS",
    )
    # With them the policy soon follows the heuristic, and most of what it wins is not its own.
    heuristic_features: bool = option(
        False, "Heuristic's ranking of the plays as inputs; otherwise cards and history only.", panel=Panel.LEARNING
    )
    # A player that starts at the heuristic's level needs no hours to get there.
    heuristic_prior: float = number(
        4.0, "Initial score bonus of the heuristic's choice with --heuristic-features; 0: random weights.", min=0, max=20
    )
    epochs: int = number(2, "Policy passes over each iteration's decisions; the critic makes one.", min=1, max=100)
    minibatch: int = number(2048, "Decisions per gradient step.", min=1)
    # At a quarter of this a player stops trying plays that are better than its own.
    ent_coef: float = number(0.04, "Initial entropy coefficient, decayed linearly to a fifth.", min=0)
    # Low, because a critic that sees all hands tells more than how one game ended.
    gae_lambda: float = fraction(0.6, "Lambda of generalized advantage estimation and of the critic's targets.")
    opponent_share: float = fraction(0.9, "Fraction of games with opponents in some seats.", Panel.OPPONENTS)
    # Low for a player that has to hold its own against several copies of itself.
    solo_share: float = fraction(0.9, "Fraction of opponent games in which the learner holds one seat.", Panel.OPPONENTS)
    # A farmer that only ever has a rule player as its partner does not learn what its own kind would do.
    team_share: float = fraction(0.5, "Fraction of one-seat games in which it also plays its partners.", Panel.OPPONENTS)
    # A learner that bids well is never the landlord with a poor hand.
    random_auctions: float = fraction(0.0, "Fraction of games whose auction is random.", Panel.OPPONENTS)
    opponents: str = option(OPPONENTS, "Sampling weights of rule-based opponents.", panel=Panel.OPPONENTS, metavar="NAME=N,...")
    # Where payoffs are cards, they reward winning little.
    win_bonus: float = number(0.4, "Bonus for beating rule-based agents, in units of scaled payoff.", min=0)
    min_prob: float = fraction(0.01, "Lowest probability at which an unplayed candidate gets a value.")
    # Half of a policy's decisions are nearly certain and tell it nothing.
    noise: float = fraction(0.05, "Relative variance that leaving decisions out may add to the policy's gradients.")
    critic_noise: float = fraction(0.2, "Relative variance that leaving decisions out may add to the critics' gradients.")
    # Only differences of scores matter, so nothing else keeps scores near 0, and bfloat16 is coarse far from 0.
    z_loss: float = number(1e-3, "Coefficient of the squared log normalizer of scores (arXiv 2204.02311).", min=0)
    # The last iterations move a policy back and forth around what it has learned.
    averaging: float = fraction(
        0.0, "Weight of the past in an exponential mean of the policy's weights, which is evaluated and exported."
    )
    # Otherwise the policy would follow a critic that knows nothing yet.
    warm_up: int = number(8, "Initial iterations that train only the critic.", min=0)
    snapshot_every: int = number(25, "Iterations between snapshots of the learner.", Panel.OPPONENTS, min=1)
    device: Device = option(Device.AUTO, "Device of the networks; auto prefers a GPU.", panel=Panel.COMPUTATION)
    bfloat16: bool | None = option(
        None, "Layers in bfloat16 or float32.", panel=Panel.COMPUTATION, show_default="the faster in a one-second trial"
    )
    workers: int = workers_option()
    staleness: int | None = staleness_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        opponent_names(self.opponents)


@dataclass
class PpoParameters(LearnerParameters):
    """Hyper-parameters of MaskablePPO in self-play."""

    method: ClassVar[str] = "ppo"
    fixed: ClassVar[tuple[str, ...]] = ("ruleset", "seed", "policy", "width", "layers")

    games: int = number(128, "Games played in parallel.", Panel.OPPONENTS, min=2, max=1 << 14)
    steps: int = number(64, "Decisions per game and iteration.", Panel.OPPONENTS, min=8, max=1 << 14)
    policy: PolicyName = option(
        PolicyName.LEGAL, "Policy class; mlp: sb3-contrib's MlpPolicy, the same network, slower.", panel=Panel.LEARNING
    )
    width: int = number(256, "Hidden units per layer.", min=4, max=4096)
    layers: int = number(2, "Hidden layers of the actor, and of the critic.", min=1, max=6)
    epochs: int = number(3, "Passes over each iteration's decisions.", min=1, max=100)
    minibatch: int = number(1024, "Most decisions per gradient step.", min=1)
    ent_coef: float = number(0.01, "Initial entropy coefficient, decayed linearly to a fifth.", min=0)
    gae_lambda: float = fraction(0.95, "Lambda of generalized advantage estimation.")
    opponent_share: float = fraction(0.3, "Fraction of games with a snapshot in one to three seats.", Panel.OPPONENTS)
    snapshot_every: int = number(20, "Iterations between snapshots of the learner.", Panel.OPPONENTS, min=1)
    workers: int = workers_option()
    staleness: int | None = staleness_option()


@dataclass
class FitParameters(RunParameters):
    """Hyper-parameters of fitting the heuristic's weights."""

    method: ClassVar[str] = "weights"
    fixed: ClassVar[tuple[str, ...]] = ("ruleset", "seed", "population", "deals", "sigma")

    minutes: float = number(10.0, "Search time in minutes, over all calls with this folder.", None, min=0)
    generations: int = number(0, "Generations to search, instead of minutes; then the result is repeatable.", None, min=0)
    population: int = number(14, "Points per generation.", min=4, max=1000)
    deals: int = number(48, "Deals per generation, played by every point.", min=6, max=1 << 16)
    sigma: float = number(0.7, "Initial spread of points around the mean, in steps.", min=0.01, max=10)
    measured_deals: int = number(2000, "Deals of the final measurement.", min=FEWEST, max=1 << 20)


def in_panels(function: Callable[..., None]) -> Callable[..., None]:
    """Return a command as `grouped` does, with its options in the order of their panels."""
    command = grouped(function)
    set_options(command, sorted(map(_in_panel, inspect.signature(command).parameters.values()), key=_panel_rank))
    return command


def _in_panel(parameter: inspect.Parameter) -> inspect.Parameter:
    """Return a typer parameter in the panel that `PANELS` names for it."""
    if parameter.name not in PANELS:
        return parameter
    kind, given = get_args(parameter.annotation)
    settings = copy(given)
    settings.rich_help_panel = PANELS[parameter.name].value
    return parameter.replace(annotation=Annotated[kind, settings])


def _panel_rank(parameter: inspect.Parameter) -> int:
    """Return the place of a typer parameter's panel in `--help`; options without a panel come first."""
    settings = getattr(parameter.annotation, "__metadata__", (None,))[0]
    panel = getattr(settings, "rich_help_panel", None)
    return 1 + list(Panel).index(panel) if panel in list(Panel) else 0


def opponent_names(text: str) -> list[str]:
    """Return the names of weighted rule-based agents such as `greedy=2,random=1`, each repeated by its weight.

    Raises:
        ConfigError: A name is unknown, a weight is not between 0 and 99, or all weights are 0.
    """
    names: list[str] = []
    for part in text.split(","):
        name, _, weight = part.strip().partition("=")
        if name not in RULE_PLAYERS or not _WEIGHT.fullmatch(weight):
            names = []
            break
        names += [name] * int(weight)
    if not names:
        known = ", ".join(RULE_PLAYERS)
        raise ConfigError(f"expected opponents among {known} with weights up to 99, as {OPPONENTS}, got {text!r}")
    return names


def config_path(name: str) -> Path:
    """Return the path of a config file given by path or by the name of a shipped model."""
    shipped = models_folder() / f"{name}.toml"
    if Path(name).is_file() or not shipped.is_file():
        return Path(name)
    return shipped


def read_phases(path: Path, changes: Mapping[str, Any]) -> list[CandidatePpoParameters]:
    """Return the phases of a config file, with `minutes` counted from the start of the run.

    Args:
        path: The TOML file.
        changes: Hyper-parameters that override the file; `minutes` ends the run early.

    Raises:
        ConfigError: The file is missing or broken, a hyper-parameter is unknown, or a value has a wrong type or size.
    """
    try:
        data = parse_toml(read_text(path, MAX_CONFIG_BYTES))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: no training config: {reason_text(error)}") from None
    tables = data.pop("phase", [{}])
    if not (isinstance(tables, list) and tables and all(isinstance(table, dict) for table in tables)):
        raise ConfigError(f"{path}: expected tables [[phase]], got {shown(tables)}")
    if len(tables) > 1 and (changes.get("choices") or data.get("choices")):
        raise ConfigError(f"{path}: expected minutes in a file with phases, got choices")
    found, start, last = [], 0.0, float(changes.get("minutes", "inf"))
    for table in tables:
        if misplaced := set(table) & set(WHOLE_RUN):
            raise ConfigError(f"{path}: expected {', '.join(sorted(misplaced))} at the top of the file, got it in a phase")
        phase = _parameters(path, {**data, **table, **{name: value for name, value in changes.items() if name != "minutes"}})
        start += phase.minutes
        phase.minutes = min(start, last)
        found.append(phase)
        if start >= last:
            break
    return found


def _parameters(path: Path, given: Mapping[str, Any]) -> CandidatePpoParameters:
    """Check the hyper-parameters of a phase and return them."""
    types, declared = get_type_hints(CandidatePpoParameters), {each.name: each for each in fields(CandidatePpoParameters)}
    made: dict[str, Any] = {}
    for name, value in given.items():
        if name not in declared:
            raise ConfigError(f"{path}: expected hyper-parameters ({', '.join(declared)}), got {quoted(name)}")
        made[name] = _converted(path, name, value, types[name])
        limits = declared[name].metadata
        if limits.get("min") is not None and made[name] < limits["min"]:
            raise ConfigError(f"{path}: expected {name} from {limits['min']} on, got {shown(value)}")
        if limits.get("max") is not None and made[name] > limits["max"]:
            raise ConfigError(f"{path}: expected {name} up to {limits['max']}, got {shown(value)}")
    return CandidatePpoParameters(**made)


def _converted(path: Path, name: str, value: Any, kind: type) -> Any:
    """Return a TOML value in the type of its hyper-parameter."""
    kinds = [each for each in get_args(kind) or (kind,) if each is not type(None)]
    kind = kinds[0]
    if isinstance(value, kind) and not (isinstance(value, bool) and kind is not bool):
        return value
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind is float and is_number:
        return float(value)
    if kind not in (int, float, bool) and isinstance(value, str):  # a path or a choice
        try:
            return kind(value)
        except ValueError:
            pass
    expected = getattr(kind, "__name__", str(kind)).lower()
    raise ConfigError(f"{path}: expected a {expected} for {name}, got {shown(value)}")
