"""Verb `big2 train`: training by self-play, in a folder from which later calls continue."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, TypeVar

import typer

from big2_agents.train.card import write_card
from big2_agents.train.curve import check_plots, draw_curve, read_curve
from big2_agents.train.fit.command import weights
from big2_agents.train.hyper_parameters import (
    CandidatePpoParameters,
    LearnerParameters,
    PpoParameters,
    config_path,
    in_panels,
    read_phases,
)
from big2_agents.train.progress import ProgressBar, interruption, interrupts
from big2_env.base.errors import ConfigError, needing, quoted
from big2_env.base.language import Words
from big2_env.base.user_modules import imported
from big2_env.cli import Family
from big2_env.cli._options import Lang, OnRay, words_of, workers_of
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.runs.intervals import student

L = TypeVar("L", bound=LearnerParameters)

Seeds = Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="Runs with consecutive seeds, each in a folder SEED.")]
Log = Annotated[str, typer.Option(metavar="MODULE:NAME", help="Function of yours that receives each row of the CSV files.")]
Png = Annotated[Path | None, typer.Option(metavar="FILE", help="PNG file for a picture of the learning curve.")]


@in_panels
def candidate_ppo(
    *,
    args: CandidatePpoParameters,
    ctx: typer.Context,
    config: Annotated[
        str, typer.Option(metavar="FILE", help="TOML file with the phases of a run, or name of a shipped model.")
    ] = "",
    seeds: Seeds = 1,
    log: Log = "",
    png: Png = None,
    ray: OnRay = None,
    lang: Lang = None,
) -> None:
    """Train a network that scores candidate plays, by PPO; the method of the shipped agents.

    Works for any ruleset, including your own. Opponents are rule-based agents and snapshots of the learner. An evaluation plays
    one seat against copies of random, greedy and heuristic.

    The folder receives checkpoint.pt, progress.csv (a row per iteration), curve.csv (a row per evaluation), tensorboard/ and,
    at the end, the weights RULESET.npz and RULESET_critic.npz with the card: RULESET.md, RULESET.card.json and
    RULESET.curve.svg. The weights play without torch, as learned:DIR/RULESET.npz.

    To continue a run or to add minutes, run the same command again. Ctrl-C finishes the iteration and saves; a second Ctrl-C
    stops at once. With --choices instead of --minutes, the same seed gives the same weights.

    With --workers, other processes play the games while this one learns; with --ray, a cluster does. The result depends on
    --staleness, but not on the number of workers.

    A config file describes all phases of a run. Options override it, and --minutes ends the run early.

    Examples:
        big2 train candidate-ppo --minutes 3 --games 512 --png curve.png --out runs/first
        big2 train candidate-ppo --ruleset dou_dizhu --minutes 60 --workers 4
        big2 train candidate-ppo --config dou_dizhu --out runs/again
        big2 train candidate-ppo --init shipped --heuristic-features --league shipped --minutes 60
    """
    phases, tr = [args], words_of(lang)
    if config:
        given = {name: getattr(args, name) for name in vars(args) if _is_given(ctx, name)}
        phases = read_phases(config_path(config), given)
    rules, executor, log_row = ruleset_named(phases[-1].ruleset), workers_of(ray, args.workers), _log_named(log)
    if png:
        check_plots(png)
    _require("torch")
    from big2_agents.train.candidate_ppo import train
    from big2_agents.train.export import export, to_critic, to_network

    _note_tensorboard(phases[-1], tr)

    def run(phases: Sequence[CandidatePpoParameters]) -> None:
        args = phases[-1]
        with interrupts() as signals, ProgressBar(tr, args.out) as progress:
            learner = train(
                phases, progress.report, lambda: bool(signals), executor, progress.begin, progress.note_precision, log_row
            )
        _show_curve(progress, args, rules, png, seeds)
        if signals:
            raise interruption(learner, tr)
        policy_weights, critic_weights = args.out / f"{rules.name}.npz", args.out / f"{rules.name}_critic.npz"
        export(to_network(learner.final_policy()), policy_weights, rules)
        export(to_critic(learner.critic, learner.scale), critic_weights)
        write_card(phases, [policy_weights, critic_weights], config, has_auction=rules.auction is not None)
        print(tr("train.done", file=policy_weights, minutes=f"{learner.minutes:.1f}", choices=f"{learner.choices:,}"))
        _suggest_arena(f"learned:{policy_weights}", args, tr)

    _run_seeds(run, phases, seeds, tr)


def _run_seeds(run: Callable[[Sequence[L]], None], phases: Sequence[L], seeds: int, tr: Words) -> None:
    """Make a run, or one for each of several seeds; then print the means of their last win rates.

    Args:
        run: Function of the phases of a run.
        phases: The phases for the first seed.
        seeds: Number of seeds; each of several has a folder inside the folder of the run.
        tr: The texts of the user's language.
    """
    if seeds == 1:
        return run(phases)
    out, ends = phases[0].out, []
    for seed in range(phases[0].seed, phases[0].seed + seeds):
        run([replace(phase, seed=seed, out=out / str(seed)) for phase in phases])
        ends.append(read_curve(out / str(seed))[-1].wins)
    wins = tr("rules.list").join(f"{name} {student([end[name] for end in ends]):.1%}" for name in ends[0])
    print(tr("train.seeds", seeds=seeds, wins=wins))


def _log_named(spec: str) -> Callable[[str, Mapping[str, float]], object]:
    """Return the function MODULE:NAME, imported also from the current directory; one that does nothing for no name."""
    if not spec:
        return lambda table, row: None
    module, _, name = spec.partition(":")
    refused = f"--log: expected a function as MODULE:NAME, got {quoted(spec)}"
    try:
        found: Any = getattr(imported(module), name, None)
    except (ImportError, ConfigError) as error:
        raise ConfigError(f"{refused}: {error}") from error
    if not callable(found):
        raise ConfigError(refused)
    return found  # type: ignore[no-any-return]


def _note_tensorboard(args: LearnerParameters, tr: Words) -> None:
    """Print how to get events for TensorBoard if it is missing and the user has not decided."""
    from big2_agents.train.loop import has_tensorboard

    if args.tensorboard is None and not has_tensorboard():
        remedy, folder = "pip install 'big2_env[tensorboard]'", args.out / "tensorboard"
        print(f"big2: {tr('train.missing', name='TensorBoard', folder=folder, remedy=remedy)}", file=sys.stderr)


def _show_curve(progress: ProgressBar, args: LearnerParameters, rules: RuleSet, png: Path | None, seeds: int) -> None:
    """Print the learning curve of a run, and draw it if asked to: in FILE, or with several seeds in FILE_SEED."""
    progress.print_curve()
    if png:
        png = png if seeds == 1 else png.with_stem(f"{png.stem}_{args.seed}")
        draw_curve(read_curve(args.out), png, rules, f"big2 train {args.method}, {rules.name}")


def _suggest_arena(agent: str, args: LearnerParameters, tr: Words) -> None:
    """Print the command that compares a new player with others, by the payoffs it was trained for."""
    game = "" if args.ruleset == "big2" else f" --ruleset {quote(args.ruleset)}"
    command = f"big2 arena {quote(agent)} heuristic greedy random{game} --out {quote(str(args.out / 'arena.jsonl'))}"
    print(f"big2: {tr('train.try', command=command)}", file=sys.stderr)


def _is_given(ctx: typer.Context, name: str) -> bool:
    """Return True if an option was given on the command line."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _require(library: str) -> None:
    """Import a library, which takes seconds, before a folder is made.

    Raises:
        ImportError: The library is not installed; the message names the extra.
    """
    with needing(f"big2 train needs {library}: pip install 'big2_env[sb3]'"):
        import_module(library)


@in_panels
def ppo(*, args: PpoParameters, seeds: Seeds = 1, log: Log = "", png: Png = None, ray: OnRay = None, lang: Lang = None) -> None:
    """Train MaskablePPO of sb3-contrib in self-play; every seat learns from its own decisions.

    Some seats are played by snapshots of the learner. An evaluation plays one seat against three copies of random, greedy and
    heuristic.

    The folder receives checkpoint.pt, progress.csv (a row per iteration), curve.csv (a row per evaluation), tensorboard/ and,
    at the end, the weights RULESET.npz with the card: RULESET.md, RULESET.card.json and RULESET.curve.svg. The weights play
    without torch, as ppo:DIR/RULESET.npz.

    To continue a run or to add minutes, run the same command again. Ctrl-C finishes the iteration and saves; a second Ctrl-C
    stops at once.

    With --workers, other processes play the games while this one learns; with --ray, a cluster does. The result depends on
    --staleness, but not on the number of workers.

    Examples:
        big2 train ppo --minutes 3 --png curve.png --out runs/first
        big2 train ppo --ruleset hong_kong --minutes 60 --width 512 --seed 2
        big2 train ppo --minutes 60 --workers 4
    """
    tr, rules, executor, log_row = words_of(lang), ruleset_named(args.ruleset), workers_of(ray, args.workers), _log_named(log)
    if png:
        check_plots(png)
    _require("sb3_contrib")
    from big2_agents.train.export import export_actor, to_actor
    from big2_agents.train.ppo import train

    _note_tensorboard(args, tr)

    def run(phases: Sequence[PpoParameters]) -> None:
        [args] = phases
        with interrupts() as signals, ProgressBar(tr, args.out) as progress:
            learner = train(args, progress.report, lambda: bool(signals), executor, progress.begin, log_row)
        _show_curve(progress, args, rules, png, seeds)
        if signals:
            raise interruption(learner, tr)
        weights = args.out / f"{rules.name}.npz"
        export_actor(to_actor(learner.model.policy), weights, rules)
        write_card(args, [weights])
        print(tr("train.done", file=weights, minutes=f"{learner.minutes:.1f}", choices=f"{learner.choices:,}"))
        _suggest_arena(f"ppo:{weights}", args, tr)

    _run_seeds(run, [args], seeds, tr)


command = Family(
    """Train an agent by self-play.

    candidate-ppo trained the shipped agents; ppo is MaskablePPO of sb3-contrib; weights fits the heuristic agent to the payoffs
    of a ruleset.

    Examples:
        big2 train candidate-ppo --minutes 3 --games 512 --png curve.png --out runs/first
        big2 train ppo --ruleset hong_kong --minutes 60 --out runs/ppo
    """,
    candidate_ppo=candidate_ppo,
    ppo=ppo,
    weights=weights,
)
"""Verb `big2 train METHOD`."""
