"""Verb `big2 train`: training by self-play, in a folder from which later calls continue."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, TypeAlias

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
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.runs.intervals import student

Phases: TypeAlias = Sequence[LearnerParameters]
"""Hyper-parameters of the phases of a run."""


@dataclass(frozen=True)
class TrainOptions:
    """Options of a run other than its hyper-parameters."""

    seeds: Annotated[
        int, typer.Option(metavar="N", min=1, max=1000, help="Runs with consecutive seeds, each in a folder SEED.")
    ] = 1
    log: Annotated[
        str, typer.Option(metavar="MODULE:NAME", help="Function of yours that receives each row of the CSV files.")
    ] = ""
    png: Annotated[Path | None, typer.Option(metavar="FILE", help="PNG file for a picture of the learning curve.")] = None
    ray: OnRay = None
    lang: Lang = None


@in_panels
def candidate_ppo(
    *,
    args: CandidatePpoParameters,
    ctx: typer.Context,
    config: Annotated[
        str, typer.Option(metavar="FILE", help="TOML file with the phases of a run, or name of a shipped model.")
    ] = "",
    options: TrainOptions,
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
    given = {name: getattr(args, name) for name in vars(args) if _is_given(ctx, name)}
    phases = read_phases(config_path(config), given) if config else [args]
    _train(phases, options, "torch", args.workers, config, given)


def _train(
    phases: Phases, options: TrainOptions, library: str, workers: int, config: str = "", given: Collection[str] = ()
) -> None:
    """Make the run of some phases, or one for each of several seeds, and export its weights.

    Args:
        phases: Hyper-parameters by phase.
        options: The other options.
        library: Library that the method needs. It is imported, which takes seconds, before a folder is made.
        workers: Number of rollout processes.
        config: File or name that the phases are from.
        given: Names of the hyper-parameters that override it.

    Raises:
        ImportError: The library is not installed; the message names the extra.
    """
    method, tr, png = phases[-1].method, words_of(options.lang), options.png
    rules, executor, log = ruleset_named(phases[-1].ruleset), workers_of(options.ray, workers), _log_named(options.log)
    if png:
        check_plots(png)
    with needing(f"big2 train needs {library}: pip install 'big2_env[sb3]'"):
        import_module(library)
    from big2_agents.train.loop import Callbacks

    train = import_module(f"big2_agents.train.{method.replace('-', '_')}").train
    _note_tensorboard(phases[-1], tr)

    def run(phases: Phases) -> None:
        args = phases[-1]
        with interrupts() as signals, ProgressBar(tr, args.out) as progress:
            callbacks = Callbacks(progress.report, lambda: bool(signals), progress.begin, progress.note_precision, log)
            learner = train(phases if len(phases) > 1 else args, callbacks, executor)
        progress.print_curve()
        if png:
            own = png if options.seeds == 1 else png.with_stem(f"{png.stem}_{args.seed}")
            draw_curve(read_curve(args.out), own, rules, f"big2 train {method}, {rules.name}")
        if signals:
            raise interruption(learner, tr)
        files = learner.export()
        command = args.command_line(config, [*given, "seed"] if options.seeds > 1 else given)
        made = write_card(phases, files, command, has_auction=rules.auction is not None)
        print(tr("train.done", file=files[0], minutes=f"{learner.minutes:.1f}", choices=f"{learner.choices:,}"))
        _suggest_arena(made["agent"], args, tr)

    _run_seeds(run, phases, options.seeds, tr)


def _run_seeds(run: Callable[[Phases], None], phases: Phases, seeds: int, tr: Words) -> None:
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
    common = [name for name in ends[0] if all(name in end for end in ends)]
    wins = tr("rules.list").join(f"{name} {student([end[name] for end in ends]):.1%}" for name in common)
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


def _suggest_arena(agent: str, args: LearnerParameters, tr: Words) -> None:
    """Print the command that compares a new player with others, by the payoffs it was trained for."""
    game = "" if args.ruleset == "big2" else f" --ruleset {quote(args.ruleset)}"
    command = f"big2 arena {quote(agent)} heuristic greedy random{game} --out {quote(str(args.out / 'arena.jsonl'))}"
    print(f"big2: {tr('train.try', command=command)}", file=sys.stderr)


def _is_given(ctx: typer.Context, name: str) -> bool:
    """Return True if an option was given on the command line."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


@in_panels
def ppo(*, args: PpoParameters, options: TrainOptions) -> None:
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
    _train([args], options, "sb3_contrib", args.workers)


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
