"""`big2 train critic`: the critic that a search by the network asks, fitted to a finished run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from big2_agents.train.hyper_parameters import CandidatePpoParameters, CriticParameters
from big2_agents.train.options import verb
from big2_agents.train.run_folder import read_args, rules_of_run
from big2_agents.train.shown import Shown, interrupts, stopped
from big2_env.cli._options import Lang, OnRay, words_of, workers_of
from big2_env.errors import ConfigError, NotationError


@verb(CriticParameters)
def critic(
    run: Annotated[Path, typer.Argument(help="The folder of a run of `big2 train candidate-ppo`.")],
    ray: OnRay = None,
    lang: Lang = None,
    *,
    args: CriticParameters,
) -> None:
    """Fit the critic of a finished run to positions that a search asks about.

    All seats play the run's policy; in each game one of them makes one play that it would hardly have made. The folder gets
    critic.pt and critic.csv, and in the end a new RULESET_critic.npz beside the weights, which learned-search uses. The same
    command goes on where a fit was stopped.

    With --workers the games are played by other processes, with --ray by a cluster, while this one learns; --staleness says how
    old the critic is that is asked about them.

    Examples:
        big2 train critic runs/big2 --minutes 15
        big2 train critic runs/big2 --minutes 15 --workers 4
    """
    tr = words_of(lang)
    try:
        import torch  # noqa: F401 (the line that fails is the one that says what to install)
    except ImportError as error:
        raise ImportError(f"big2 train needs torch: pip install 'big2_env[sb3]' ({error})") from None
    from big2_agents.train.candidate_ppo import Learner
    from big2_agents.train.critic import fit
    from big2_agents.train.export import export, to_critic, to_network

    made = read_args(run)
    try:
        rules, width = rules_of_run(made), int(made["width"])
    except NotationError as error:
        raise ConfigError(f"{run}: no folder of a run of big2 train candidate-ppo ({error})") from None
    except (ValueError, LookupError, TypeError) as error:
        raise ConfigError(f"{run}: no folder of a run of big2 train candidate-ppo ({type(error).__name__})") from None
    name = rules.name
    init = str(made.get("init") or "")
    learner = Learner(CandidatePpoParameters(ruleset=name, width=width, out=run, games=4, device=args.device, init=init), rules)
    if not learner.load():
        raise ConfigError(f"{run}: the run has no checkpoint yet")
    with interrupts() as signals, Shown(args.minutes, tr) as shown:
        done = fit(args, learner, shown.report, lambda: bool(signals), workers_of(ray, args.workers))
    if signals:
        raise stopped(done, args.minutes, tr)
    export(to_network(learner.policy), run / f"{name}.npz", rules)
    export(to_critic(done.critic, done.scale), run / f"{name}_critic.npz", fitted=True)
    file = run / f"{name}_critic.npz"
    print(tr("train.critic_done", file=file, minutes=f"{done.minutes:.1f}", rounds=done.iteration))
