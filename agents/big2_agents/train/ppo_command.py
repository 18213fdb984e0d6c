"""`big2 train ppo`: MaskablePPO in self-play, in a folder that a later call goes on from."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from big2_agents.train.shown import Shown, interrupts, stopped
from big2_env.cli import RULES_HELP
from big2_env.climbing.rulesets import ruleset as ruleset_named


class PolicyName(StrEnum):
    """Policies of MaskablePPO."""

    LEGAL = "legal"
    MLP = "mlp"


def ppo(
    ruleset: Annotated[str, typer.Option("--ruleset", "--game", help=RULES_HELP)] = "big2",
    minutes: Annotated[float, typer.Option(min=0.0, help="Training time, over all calls that share the folder.")] = 60.0,
    out: Annotated[Path | None, typer.Option(help="The run's folder; runs/ppo-RULESET by default.")] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Seed of the weights and the games.")] = 1,
    games: Annotated[int, typer.Option(min=2, max=1 << 14, help="Games side by side.")] = 128,
    steps: Annotated[int, typer.Option(min=8, max=1 << 14, help="Choices of each game in an iteration.")] = 64,
    policy: Annotated[PolicyName, typer.Option(help="legal, or sb3-contrib's MlpPolicy: the same network, slower.")] = (
        PolicyName.LEGAL
    ),
    width: Annotated[int, typer.Option(min=4, max=4096, help="Width of the layers.")] = 256,
    layers: Annotated[int, typer.Option(min=1, max=6, help="Layers of the actor and of the critic.")] = 2,
    learning_rate: Annotated[float, typer.Option(min=0.0, help="At the start; it falls to a tenth.")] = 1e-3,
    share: Annotated[float, typer.Option(min=0.0, max=1.0, help="Share of the games with an earlier self.")] = 0.3,
    evaluate_every: Annotated[float, typer.Option(min=0.0, help="Minutes between evaluations, each with a checkpoint.")] = 5.0,
    evaluation_deals: Annotated[int, typer.Option(min=1, max=1 << 16, help="Deals of an evaluation.")] = 1000,
    tensorboard: Annotated[
        bool | None, typer.Option(help="Write events for TensorBoard; by default where it is installed.")
    ] = None,
) -> None:
    """Train by MaskablePPO of sb3-contrib: self-play in which every seat learns from its own choices.

    The folder gets checkpoint.pt, progress.csv (a line for each iteration), curve.csv (a line for each evaluation: alone
    against three random, greedy and heuristic players), tensorboard/ and, in the end, the weights RULESET.npz. The same
    command goes on from the checkpoint where a run was killed or is given more minutes. Ctrl-C finishes the iteration and
    saves; pressed twice it stops at once.

    The weights play as ppo:DIR/RULESET.npz, without torch.

    Examples:
        big2 train ppo --ruleset big2 --minutes 60 --out runs/ppo
        big2 train ppo --ruleset hong_kong --minutes 60 --width 512 --seed 2
    """
    try:
        import sb3_contrib  # noqa: F401 (the line that fails is the one that says what to install)
    except ImportError as error:
        raise ImportError(f"big2 train ppo needs sb3-contrib: pip install 'big2_env[sb3]' ({error})") from None
    from big2_agents.train.export import export_ppo, to_ppo_network
    from big2_agents.train.ppo import Args, train

    rules = ruleset_named(ruleset)
    name = rules.name
    folder = out or Path("runs") / f"ppo-{name}"
    args = Args(
        ruleset=rules,
        minutes=minutes,
        out=folder,
        seed=seed,
        games=games,
        steps=steps,
        policy=policy.value,
        width=width,
        layers=layers,
        learning_rate=learning_rate,
        share=share,
        evaluate_every=evaluate_every,
        evaluation_deals=evaluation_deals,
        tensorboard=tensorboard,
    )
    with interrupts() as signals, Shown(minutes) as shown:
        learner = train(args, shown.report, lambda: bool(signals))
    if signals:
        raise stopped(learner, minutes)
    export_ppo(to_ppo_network(learner.model.policy), folder / f"{name}.npz")
    print(f"{folder / f'{name}.npz'}: {learner.minutes:.1f} minutes, {learner.choices:,} choices")
