"""`big2 train`: players trained from nothing, in a folder that a later call goes on from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from big2_agents.train.critic_command import critic
from big2_agents.train.device import Device
from big2_agents.train.ppo_command import ppo
from big2_agents.train.shown import Shown, interrupts, stopped
from big2_env.cli import RULES_HELP, Family
from big2_env.climbing.rulesets import ruleset as ruleset_named


def strong(
    ruleset: Annotated[str, typer.Option("--ruleset", "--game", help=RULES_HELP)] = "big2",
    minutes: Annotated[float, typer.Option(min=0.0, help="Training time, over all calls that share the folder.")] = 60.0,
    out: Annotated[Path | None, typer.Option(help="The run's folder; runs/strong-RULESET by default.")] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Seed of the weights and the games.")] = 1,
    games: Annotated[int, typer.Option(min=4, max=1 << 16, help="Games an iteration.")] = 2048,
    width: Annotated[int, typer.Option(min=4, max=4096, help="Width of the widest layers.")] = 512,
    learning_rate: Annotated[float, typer.Option(min=0.0, help="At the start; it falls to a tenth.")] = 1e-3,
    guests: Annotated[
        str, typer.Option(help="Rule players beside the learner, with weights.")
    ] = "greedy=4,heuristic=4,random=3,lowest=1",
    win_bonus: Annotated[float, typer.Option(min=0.0, help="What winning against them counts beside the scaled payoff.")] = 0.4,
    play_out: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Weight of games played out, the critic has the rest; for strong players.")
    ] = 0.0,
    evaluate_every: Annotated[float, typer.Option(min=0.0, help="Minutes between evaluations, each with a checkpoint.")] = 5.0,
    evaluation_deals: Annotated[int, typer.Option(min=1, max=1 << 16, help="Deals of an evaluation.")] = 1000,
    device: Annotated[Device, typer.Option(help="Where the networks compute; auto is a GPU if there is one.")] = Device.AUTO,
    bfloat16: Annotated[bool, typer.Option(help="Compute the layers in bfloat16, fast on processors that have it.")] = True,
) -> None:
    """Train by PPO over candidate plays, beside rule players and earlier selves: the method of the shipped players.

    The folder gets checkpoint.pt, progress.csv (a line for each iteration), curve.csv (a line for each evaluation: alone
    against three random, greedy and heuristic players) and, in the end, the weights RULESET.npz and RULESET_critic.npz. The
    same command goes on from the checkpoint where a run was killed or is given more minutes. Ctrl-C finishes the iteration
    and saves; pressed twice it stops at once.

    The weights play as learned:DIR/RULESET.npz, without torch.

    Examples:
        big2 train strong --ruleset big2 --minutes 60 --out runs/big2
        big2 train strong --ruleset hong_kong --minutes 120 --out runs/hong_kong --seed 2 --win-bonus 0.8
        big2 train strong --guests heuristic=2,greedy=1 --minutes 60 --out runs/against_the_heuristic
    """
    try:
        import torch  # noqa: F401 (the line that fails is the one that says what to install)
    except ImportError as error:
        raise ImportError(f"big2 train needs torch: pip install 'big2_env[sb3]' ({error})") from None
    from big2_agents.train.export import export, to_critic, to_network
    from big2_agents.train.strong import Args, train

    rules = ruleset_named(ruleset)
    name = rules.name
    folder = out or Path("runs") / f"strong-{name}"
    args = Args(
        ruleset=rules,
        minutes=minutes,
        out=folder,
        seed=seed,
        games=games,
        width=width,
        learning_rate=learning_rate,
        guests=guests,
        win_bonus=win_bonus,
        play_out=play_out,
        evaluate_every=evaluate_every,
        evaluation_deals=evaluation_deals,
        bfloat16=bfloat16,
        device=device.value,
    )
    with interrupts() as signals, Shown(minutes) as shown:
        learner = train(args, shown.report, lambda: bool(signals))
    if signals:
        raise stopped(learner, minutes)
    export(to_network(learner.policy), folder / f"{name}.npz", rules)
    export(to_critic(learner.critic, learner.scale), folder / f"{name}_critic.npz")
    print(f"{folder / f'{name}.npz'}: {learner.minutes:.1f} minutes, {learner.choices:,} choices")


command = Family(
    """Train a player by self-play, from nothing.

    strong is the method of the shipped players; critic makes a finished run ready for search; ppo is MaskablePPO of
    sb3-contrib.

    Examples:
        big2 train strong --ruleset big2 --minutes 60 --out runs/big2
        big2 train ppo --ruleset big2 --minutes 60 --out runs/ppo
    """,
    strong=strong,
    critic=critic,
    ppo=ppo,
)
"""`big2 train METHOD`."""
