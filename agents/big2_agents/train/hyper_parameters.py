"""The hyper-parameters of the learners, each declared here and nowhere else; `big2 train` has an option for every one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from big2_agents.train.device import Device
from big2_agents.train.options import option
from big2_env.cli import RULES_HELP

OPPONENTS: Final = "greedy=4,heuristic=4,random=3,lowest=1"
"""Rule players beside the learner, with weights; earlier selves have one of three."""
MAX_SEED: Final = 2**31 - 1
UNNAMED: Final = Path()
"""A folder that is still to be named after the ruleset."""


class PolicyName(StrEnum):
    """Policies of MaskablePPO."""

    LEGAL = "legal"
    MLP = "mlp"


def workers_option() -> int:
    """How many rollout workers there are."""
    return option(
        0, "Rollout workers that play the games; 0 plays them in the learner's process, with --ray one a core.", min=0
    )


def staleness_option() -> int | None:
    """How old the weights are that play."""
    return option(
        None, "Updates that the weights of a round are behind, with workers; by default one less than these.", min=0, max=1000
    )


@dataclass
class RunParameters:
    """Hyper-parameters of every training run."""

    ruleset: str = option("big2", RULES_HELP, names=("--ruleset", "--game"))
    minutes: float = option(60.0, "Training time, over all calls that share the folder.", min=0.0)
    out: Path = option(UNNAMED, "The run's folder; by default runs/METHOD-RULESET.", show_default=False)
    seed: int = option(1, "Seed of the weights and the games.", min=0, max=MAX_SEED)
    learning_rate: float = option(1e-3, "At the start; it falls to a tenth.", min=0.0)
    clip: float = option(0.2, "How far a probability ratio may move with effect.", min=0.0)
    evaluate_every: float = option(5.0, "Minutes between evaluations, each with a checkpoint.", min=0.0)
    evaluation_deals: int = option(
        1000, "Deals of an evaluation, each in every seat against each rule player.", min=1, max=1 << 16
    )
    pool: int = option(12, "Earlier selves in the opponent pool, the latest ones.", min=0, max=1000)

    def __post_init__(self) -> None:
        if self.out == UNNAMED:
            folders = [Path("runs") / f"{name}-{Path(self.ruleset).stem}" for name in (self.method, *self.earlier_names)]
            self.out = next((folder for folder in folders if folder.exists()), folders[0])

    @property
    def method(self) -> str:
        """The verb of `big2 train`."""
        return ""

    @property
    def earlier_names(self) -> tuple[str, ...]:
        """What the verb was called before: a run in a folder of that name goes on there."""
        return ()


@dataclass
class CandidatePpoParameters(RunParameters):
    """Hyper-parameters of PPO over candidate plays."""

    games: int = option(2048, "Games an iteration.", min=4, max=1 << 16)
    width: int = option(512, "Width of the policy's trunk and of the critic.", min=4, max=4096)
    init: str = option("", "Weights of a policy to begin with, their critic beside them: a path, `shipped`, `shipped:RULESET`.")
    league: str = option("", "Weights of players in the opponent pool, paths with commas; `shipped` as for --init.")
    # A player that begins where the heuristic ends needs no hours to get there.
    prior: float = option(4.0, "What the heuristic's choice scores more at the start; 0 begins at random.", min=0.0, max=20.0)
    epochs: int = option(2, "Passes of the policy over each iteration's choices; the critic makes one.", min=1, max=100)
    minibatch: int = option(2048, "Choices a step.", min=1)
    # At a quarter of this a player stops trying plays that are better than its own.
    entropy: float = option(0.04, "Weight of the entropy at the start; it falls to a fifth.", min=0.0)
    # Low, for a critic that sees all hands tells more than how one game went on.
    decay: float = option(0.6, "Lambda of the generalised advantage and of the critic's targets.", min=0.0, max=1.0)
    share: float = option(0.9, "Share of the games with rule players or earlier selves in some seats.", min=0.0, max=1.0)
    # Low, for a player that is to hold its own where a single opponent sits among its like.
    alone: float = option(
        0.9, "Share of these games where it is alone among opponents, and not one of several.", min=0.0, max=1.0
    )
    # What a farmer that knows its own kind plays, none learns beside a rule player.
    partners: float = option(0.5, "Share of the games alone where it plays for its partners too, if any.", min=0.0, max=1.0)
    # Who bids well is never the landlord with a hand that is not.
    drawn: float = option(0.0, "Share of the games whose auction, if any, is left to chance.", min=0.0, max=1.0)
    opponents: str = option(OPPONENTS, "Rule players of the opponent pool, with weights.", names=("--opponents", "--guests"))
    # Where payoffs are cards, they reward winning little.
    win_bonus: float = option(0.4, "What winning against rule players counts beside the scaled payoff.", min=0.0)
    # Tells more of each choice and takes longer: for players that are strong and sure already.
    play_out: float = option(0.0, "Weight of games played out, the critic has the rest; for strong players.", min=0.0, max=1.0)
    floor: float = option(0.01, "Plays less likely than this are not looked at without being made.", min=0.0, max=1.0)
    certain: float = option(0.99, "A choice of a play more likely than this teaches the policy little.", min=0.0, max=1.0)
    kept: float = option(0.2, "Share of such choices that the policy learns from all the same.", min=0.001, max=1.0)
    # Only differences of scores count, so nothing else keeps them near 0, and far from it bfloat16 cannot tell them apart.
    level: float = option(1e-3, "Weight of the squared level of a choice's scores (arXiv 2204.02311).", min=0.0)
    # A policy would follow a critic that knows nothing yet.
    warm_up: int = option(8, "Iterations at the start in which the critic learns alone.", min=0)
    snapshot_every: int = option(25, "Iterations between earlier selves.", min=1)
    device: Device = option(Device.AUTO, "Where the networks compute; auto is a GPU if there is one.")
    bfloat16: bool = option(True, "Compute the layers in bfloat16, fast on processors that have it.")
    workers: int = workers_option()
    staleness: int | None = staleness_option()

    @property
    def method(self) -> str:
        """The verb of `big2 train`."""
        return "candidate-ppo"

    @property
    def earlier_names(self) -> tuple[str, ...]:
        """`big2 train candidate-ppo`."""
        return ("strong",)


@dataclass
class PpoParameters(RunParameters):
    """Hyper-parameters of MaskablePPO in self-play."""

    games: int = option(128, "Games side by side.", min=2, max=1 << 14)
    steps: int = option(64, "Choices of each game in an iteration.", min=8, max=1 << 14)
    policy: PolicyName = option(PolicyName.LEGAL, "legal, or sb3-contrib's MlpPolicy: the same network, slower.")
    width: int = option(256, "Width of the layers.", min=4, max=4096)
    layers: int = option(2, "Layers of the actor and of the critic.", min=1, max=6)
    epochs: int = option(3, "Passes over each iteration's choices.", min=1, max=100)
    minibatch: int = option(1024, "Choices a step, at most.", min=1)
    entropy: float = option(0.01, "Weight of the entropy at the start; it falls to a fifth.", min=0.0)
    decay: float = option(0.95, "Lambda of the generalised advantage.", min=0.0, max=1.0)
    share: float = option(0.3, "Share of the games with an earlier self on one to three seats.", min=0.0, max=1.0)
    snapshot_every: int = option(20, "Iterations between earlier selves.", min=1)
    tensorboard: bool | None = option(None, "Write events for TensorBoard; by default where it is installed.")
    workers: int = workers_option()
    staleness: int | None = staleness_option()

    @property
    def method(self) -> str:
        """The verb of `big2 train`."""
        return "ppo"


@dataclass
class CriticParameters:
    """Hyper-parameters of the fit of a critic to a finished run of PPO over candidate plays."""

    minutes: float = option(15.0, "Time of the fit, over all calls.", min=0.01)
    seed: int = option(1, "Seed of the games.", min=0, max=MAX_SEED)
    games: int = option(4096, "Games a round.", min=4, max=1 << 16)
    learning_rate: float = option(1e-3, "At the start; it falls to 0.", min=0.0)
    minibatch: int = option(2048, "Positions a step.", min=1)
    decay: float = option(0.95, "Lambda of the targets.", min=0.0, max=1.0)
    odd_choices: int = option(8, "The odd play is one of a seat's first choices, as many as this.", min=1, max=1000)
    flatter: float = option(4.0, "What the policy's scores are divided by where the odd play is drawn.", min=1.0)
    device: Device = option(Device.AUTO, "Where the networks compute; auto is a GPU if there is one.")
    bfloat16: bool = option(True, "Compute the layers in bfloat16, fast on processors that have it.")
    workers: int = workers_option()
    staleness: int | None = staleness_option()
