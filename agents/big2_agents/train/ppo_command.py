"""`big2 train ppo`: MaskablePPO in self-play, in a folder that a later call goes on from."""

from __future__ import annotations

from big2_agents.train.card import write_card
from big2_agents.train.hyper_parameters import PpoParameters
from big2_agents.train.options import verb
from big2_agents.train.shown import Shown, interrupts, stopped
from big2_env.cli._options import Lang, OnRay, words_of, workers_of
from big2_env.climbing.rulesets import ruleset as ruleset_named


@verb(PpoParameters)
def ppo(ray: OnRay = None, lang: Lang = None, *, args: PpoParameters) -> None:
    """Train by MaskablePPO of sb3-contrib: self-play in which every seat learns from its own choices.

    The folder gets checkpoint.pt, progress.csv (a line for each iteration), curve.csv (a line for each evaluation: alone
    against three random, greedy and heuristic players), tensorboard/ and, in the end, the weights RULESET.npz with their card
    RULESET.md. The same
    command goes on from the checkpoint where a run was killed or is given more minutes. Ctrl-C finishes the iteration and
    saves; pressed twice it stops at once.

    With --workers the games are played by other processes, with --ray by a cluster, while this one learns; --staleness says how
    old the weights are that play. What is learned depends on it, but not on how many workers there are or where they are.

    The weights play as ppo:DIR/RULESET.npz, without torch.

    Examples:
        big2 train ppo --ruleset big2 --minutes 60 --out runs/ppo
        big2 train ppo --ruleset hong_kong --minutes 60 --width 512 --seed 2
        big2 train ppo --ruleset big2 --minutes 60 --workers 4
    """
    tr, rules, executor = words_of(lang), ruleset_named(args.ruleset), workers_of(ray, args.workers)
    try:
        import sb3_contrib  # noqa: F401 (the line that fails is the one that says what to install)
    except ImportError as error:
        raise ImportError(f"big2 train ppo needs sb3-contrib: pip install 'big2_env[sb3]' ({error})") from None
    from big2_agents.train.export import export_actor, to_actor
    from big2_agents.train.ppo import train

    with interrupts() as signals, Shown(args.minutes, tr) as shown:
        learner = train(args, shown.report, lambda: bool(signals), executor)
    if signals:
        raise stopped(learner, args.minutes, tr)
    weights = args.out / f"{rules.name}.npz"
    export_actor(to_actor(learner.model.policy), weights)
    write_card(args, [weights])
    print(tr("train.done", file=weights, minutes=f"{learner.minutes:.1f}", choices=f"{learner.choices:,}"))
