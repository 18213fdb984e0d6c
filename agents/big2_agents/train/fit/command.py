"""`big2 train weights`: fits the heuristic's weights to the payoffs of a ruleset."""

from __future__ import annotations

import sys

from rich.progress import TaskProgressColumn, TimeElapsedColumn

from big2_agents.train.hyper_parameters import FitParameters, in_panels
from big2_agents.train.progress import interruption, interrupts
from big2_env.cli._options import Lang, OnRay, Workers, words_of, workers_of
from big2_env.runs.progress import bar, waiting


@in_panels
def weights(*, args: FitParameters, workers: Workers = 0, ray: OnRay = None, lang: Lang = None) -> None:
    """Fit the heuristic's weights to the payoffs of a ruleset, by evolution on the compiled engine; needs no torch.

    The points of a generation play the same deals in all seats: one seat against copies of the best and of the first weights,
    where payoffs count, and against greedy and random players, where they must not get weaker. In games with teams the roles
    are swapped as well.

    The folder gets generations.jsonl (a line per generation) and, at the end, RULESET.json: the weights with their gains on new
    deals. The same command continues a run that was stopped or killed, or is given more minutes. Ctrl-C finishes the
    generation; pressed twice it stops at once.

    With --workers other processes play the deals, with --ray a cluster does: the weights are the same.

    The weights play as heuristic:DIR/RULESET.json.

    Examples:
        big2 train weights --ruleset hong_kong --minutes 10 --out runs/weights
        big2 train weights --ruleset big2 --generations 200 --seed 2
        big2 train weights --ruleset tien_len --minutes 10 --workers 4
    """
    from big2_agents.train.fit.fitting import Fit, file_of
    from big2_agents.train.fit.scoring import scorer_of

    tr = words_of(lang)
    with waiting(tr("prompt.waiting")):
        fit = Fit(args)
    columns = TaskProgressColumn(), TimeElapsedColumn()
    with fit.opened() as write, scorer_of(fit.local, workers_of(ray, workers)) as fit.scorer:
        with interrupts() as signals, bar(*columns) as shown:
            task = shown.add_task(tr("runs.minutes"), total=1.0)

            def report(fit: Fit) -> None:
                text = tr("train.generation", generation=fit.iteration, games=f"{fit.games:,}")
                shown.update(task, completed=fit.completed, description=text)

            fit.run(report, lambda: bool(signals), write)
        if signals:
            raise interruption(fit, tr)
        print(tr("train.measuring", deals=f"{args.measured_deals:,}"), file=sys.stderr)
        found = file_of(fit)
    path = args.out / f"{fit.rules.name}.json"
    found.write(path)
    gain = "{mean:+.3f} ± {half_width:.3f}".format(**found.gain["first"])
    print(tr("train.weights_done", file=path, minutes=f"{fit.minutes:.1f}", games=f"{fit.games:,}", gain=gain))
