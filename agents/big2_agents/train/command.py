"""`big2 train`: players trained from nothing, in a folder that a later call goes on from."""

from __future__ import annotations

from big2_agents.fit.command import weights
from big2_agents.train.card import write_card
from big2_agents.train.critic_command import critic
from big2_agents.train.hyper_parameters import CandidatePpoParameters
from big2_agents.train.options import verb
from big2_agents.train.ppo_command import ppo
from big2_agents.train.shown import Shown, interrupts, stopped
from big2_env.cli import Family
from big2_env.climbing.rulesets import ruleset as ruleset_named


@verb(CandidatePpoParameters)
def candidate_ppo(args: CandidatePpoParameters) -> None:
    """Train by PPO over candidate plays, beside rule players and earlier selves: the method of the shipped players.

    The folder gets checkpoint.pt, progress.csv (a line for each iteration), curve.csv (a line for each evaluation: alone
    against three random, greedy and heuristic players) and, in the end, the weights RULESET.npz and RULESET_critic.npz with
    their card RULESET.md. The same command goes on from the checkpoint where a run was killed or is given more minutes. Ctrl-C
    finishes the iteration and saves; pressed twice it stops at once.

    The weights play as learned:DIR/RULESET.npz, without torch.

    Examples:
        big2 train candidate-ppo --ruleset big2 --minutes 60 --out runs/big2
        big2 train candidate-ppo --ruleset hong_kong --minutes 120 --out runs/hong_kong --seed 2 --win-bonus 0.8
        big2 train candidate-ppo --opponents heuristic=2,greedy=1 --minutes 60 --out runs/against_the_heuristic
    """
    try:
        import torch  # noqa: F401 (the line that fails is the one that says what to install)
    except ImportError as error:
        raise ImportError(f"big2 train needs torch: pip install 'big2_env[sb3]' ({error})") from None
    from big2_agents.train.candidate_ppo import train
    from big2_agents.train.export import export, to_critic, to_network

    rules = ruleset_named(args.ruleset)
    with interrupts() as signals, Shown(args.minutes) as shown:
        learner = train(args, shown.report, lambda: bool(signals))
    if signals:
        raise stopped(learner, args.minutes)
    policy_weights, critic_weights = args.out / f"{rules.name}.npz", args.out / f"{rules.name}_critic.npz"
    export(to_network(learner.policy), policy_weights, rules)
    export(to_critic(learner.critic, learner.scale), critic_weights)
    write_card(args, [policy_weights, critic_weights])
    print(f"{policy_weights}: {learner.minutes:.1f} minutes, {learner.choices:,} choices")


command = Family(
    """Train a player by self-play, from nothing.

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
