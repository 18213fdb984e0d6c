"""`big2 train`: players trained by self-play, in a folder that a later call goes on from."""

from __future__ import annotations

from typing import Annotated

import typer

from big2_agents.fit.command import weights
from big2_agents.train.card import write_card
from big2_agents.train.critic_command import critic
from big2_agents.train.hyper_parameters import CandidatePpoParameters
from big2_agents.train.options import verb
from big2_agents.train.phases import config_path, read_phases
from big2_agents.train.ppo_command import ppo
from big2_agents.train.shown import Shown, interrupts, stopped
from big2_env.cli import Family
from big2_env.cli._options import Lang, OnRay, words_of, workers_of
from big2_env.climbing.rulesets import ruleset as ruleset_named


@verb(CandidatePpoParameters)
def candidate_ppo(
    ctx: typer.Context,
    config: Annotated[str, typer.Option(help="A TOML file with phases of a run, or the name of a shipped model.")] = "",
    ray: OnRay = None,
    lang: Lang = None,
    *,
    args: CandidatePpoParameters,
) -> None:
    """Train by PPO over candidate plays, beside rule players and earlier selves: the method of the shipped players.

    Any ruleset is learned, one of your own too. The folder gets checkpoint.pt, progress.csv (a line for each iteration),
    curve.csv (a line for each evaluation: alone against random, greedy and heuristic agents) and, in the end, the weights
    RULESET.npz and RULESET_critic.npz with their card RULESET.md. The same command goes on from the checkpoint where a run was
    killed or is given more minutes. Ctrl-C finishes the iteration and saves; pressed twice it stops at once.

    With --workers the games are played by other processes, with --ray by a cluster, while this one learns; --staleness says how
    old the weights are that play. What is learned depends on it, but not on how many workers there are or where they are.

    A config file says all of a run, its phases too; options beside it stand before what it says, and --minutes ends it there.

    The weights play as learned:DIR/RULESET.npz, without torch.

    Examples:
        big2 train candidate-ppo --ruleset dou_dizhu --minutes 60 --out runs/dou_dizhu
        big2 train candidate-ppo --config dou_dizhu --out runs/again
        big2 train candidate-ppo --ruleset hong_kong --init shipped --league shipped --minutes 60 --out runs/stronger
        big2 train candidate-ppo --ruleset dou_dizhu --minutes 60 --workers 4
        big2 train candidate-ppo --opponents heuristic=2,greedy=1 --minutes 60 --out runs/against_the_heuristic
    """
    phases, tr = [args], words_of(lang)
    if config:
        given = {name: getattr(args, name) for name in vars(args) if _is_given(ctx, name)}
        phases = read_phases(config_path(config), given)
    args = phases[-1]
    rules, executor = ruleset_named(args.ruleset), workers_of(ray, args.workers)
    from big2_agents.train.seating import opponents_named  # not above: it takes a second, and help needs none of it

    for phase in phases:
        opponents_named(phase.opponents)  # a wrong name is refused before torch is loaded, which takes seconds
    try:
        import torch  # noqa: F401 (the line that fails is the one that says what to install)
    except ImportError as error:
        raise ImportError(f"big2 train needs torch: pip install 'big2_env[sb3]' ({error})") from None
    from big2_agents.train.candidate_ppo import train
    from big2_agents.train.export import export, to_critic, to_network

    with interrupts() as signals, Shown(args.minutes, tr) as shown:
        learner = train(phases, shown.report, lambda: bool(signals), executor)
    if signals:
        raise stopped(learner, args.minutes, tr)
    policy_weights, critic_weights = args.out / f"{rules.name}.npz", args.out / f"{rules.name}_critic.npz"
    export(to_network(learner.policy), policy_weights, rules)
    export(to_critic(learner.critic, learner.scale), critic_weights)
    write_card(phases, [policy_weights, critic_weights], config, has_auction=rules.auction is not None)
    print(tr("train.done", file=policy_weights, minutes=f"{learner.minutes:.1f}", choices=f"{learner.choices:,}"))


def _is_given(ctx: typer.Context, name: str) -> bool:
    """True if an option stands on the command line."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


command = Family(
    """Train a player by self-play.

    candidate-ppo is the method of the shipped players; critic makes a finished run ready for search; ppo is MaskablePPO of
    sb3-contrib; weights fits the heuristic to what a ruleset pays.

    Examples:
        big2 train candidate-ppo --ruleset big2 --minutes 60 --out runs/big2
        big2 train ppo --ruleset big2 --minutes 60 --out runs/ppo
    """,
    aliases={"strong": candidate_ppo},
    candidate_ppo=candidate_ppo,
    critic=critic,
    ppo=ppo,
    weights=weights,
)
"""`big2 train METHOD`."""
