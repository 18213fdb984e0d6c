"""Model cards: a JSON file with everything known about trained weights, and the page and picture drawn from it.

`NAME.card.json` is the source; `NAME.md` and `NAME.curve.svg` follow from it. `python -m big2_agents.train.card FILE...` writes
both for the JSON files that it is given.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from big2_agents.evaluation.arena.bench import PROTOCOLS
from big2_agents.evaluation.arena.report import pays_only_wins
from big2_agents.learned.npz import open_arrays
from big2_agents.learned.weights import read_array
from big2_agents.train.curve import csv_rows, par
from big2_agents.train.curve_picture import curve_picture, thinned
from big2_agents.train.hyper_parameters import LearnerParameters
from big2_agents.train.run_folder import origin
from big2_env import __version__
from big2_env.base.language import Language, words
from big2_env.base.outside import file_digest
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset
from big2_env.runs.atomic_files import write_text
from big2_env.runs.rows import read_row
from big2_env.text.rules import settling

Run: TypeAlias = LearnerParameters | Sequence[LearnerParameters]
"""Hyper-parameters of a run, or of each of its phases."""
ENDING: Final = ".card.json"
PHASE_PARAMETERS: Final = (
    "opponents",
    "opponent_share",
    "solo_share",
    "team_share",
    "random_auctions",
    "games",
    "learning_rate",
    "ent_coef",
    "win_bonus",
)
"""Hyper-parameters that the card lists for each phase."""
OF_AUCTIONS: Final = ("team_share", "random_auctions")
"""Hyper-parameters that matter only in games with an auction."""
METHODS: Final = {
    "candidate-ppo": "PPO over candidate plays",
    "ppo": "MaskablePPO of sb3-contrib, in self-play",
}
"""Methods by the verb of `big2 train`."""
TITLES: Final = {"candidate-ppo": "Trained agent", "ppo": "MaskablePPO agent"}
ABOUT: Final = {
    "candidate-ppo": "A network that scores every candidate play and plays the best one.",
    "ppo": "A network with one output per action that plays the most likely legal one.",
}
CHANGED: Final = (
    " Gaps: from there on the opponent `heuristic` is a newer, stronger version; values left and right are not comparable."
)
OF_HEURISTIC: Final = {"wins": "games won by `heuristic`", "points": "points of `heuristic`"}
"""Headings of the columns for comparison."""
USE: Final = "An opponent for people and agents, a baseline for research, or the start of further training (`--init`)."


def write_card(args: Run, files: Sequence[Path], command: str = "", *, has_auction: bool = False) -> dict[str, Any]:
    """Write the card of a finished run next to its weights: JSON, page and picture, named after the first file.

    Args:
        args: Hyper-parameters of the run, or of each phase; minutes count from the start of the run.
        files: Weights files, the policy first.
        command: Command that repeats the run; by default from `args`.
        has_auction: True if games start with an auction; otherwise hyper-parameters of auctions are left out.

    Returns:
        The data of the card.
    """
    path, data = files[0].with_suffix(ENDING), card(args, files, command, has_auction=has_auction)
    write_text(path, card_json(data))
    render(path)
    return data


def render(path: Path) -> None:
    """Write the page and the picture of a card.

    Args:
        path: `NAME.card.json`.
    """
    data, stem = read_row(path, dict), path.name.removesuffix(ENDING)
    write_text(path.with_name(f"{stem}.md"), card_page(data))
    if data["curve"]:
        write_text(path.with_name(f"{stem}.curve.svg"), card_picture(data))


def card(args: Run, files: Sequence[Path], command: str = "", *, has_auction: bool = False) -> dict[str, Any]:
    """Return the data of a run's card, from its `progress.csv` and `curve.csv`, by the arguments of `write_card`.

    Returns:
        JSON values. `results` is empty: rows of measurements that are made later.
    """
    phases = [args] if isinstance(args, LearnerParameters) else args
    last = phases[-1]
    progress, curve = csv_rows(last.out / "progress.csv"), csv_rows(last.out / "curve.csv")
    return {
        "ruleset": last.ruleset,
        "agent": f"{'ppo' if last.method == 'ppo' else 'learned'}:{files[0]}",
        "method": last.method,
        "heuristic_features": getattr(last, "heuristic_features", False),
        "command": command or last.command_line(),
        "version": __version__,
        "origin": origin(),
        "minutes": _minutes(last, progress),
        "decisions": int(progress[-1]["choices"]) if progress else 0,
        "files": [file_entry(path) for path in files],
        "phases": _phases(phases, progress, has_auction),
        "curve": [_point(row, last.evaluation_deals) for row in thinned(curve)],
        "results": [],
    }


def _repeats(data: Mapping[str, Any]) -> str:
    """Return what the command of a run repeats."""
    if "--choices" in data["command"]:
        return "repeats the run, with the same weights on the same processor with the same versions"
    return "repeats the settings, not the exact weights: a faster machine makes more decisions"


def _minutes(phase: LearnerParameters, progress: Sequence[Mapping[str, str]]) -> float:
    """Return the minutes until the end of a phase; a run with a number of choices has taken as many as it needed."""
    return float(progress[-1]["minutes"]) if phase.choices and progress else phase.minutes


def file_entry(path: Path) -> dict[str, Any]:
    """Return what a card lists of a weights file: name, size, hash, number of parameters, shapes of the matrices."""
    with open_arrays(path) as file:
        arrays = {name.removesuffix(".npy"): read_array(file, name) for name in file.namelist()}
    floats = {name: array for name, array in arrays.items() if array.dtype.kind == "f" and name != "scale"}
    return {
        "name": path.name,
        "bytes": path.stat().st_size,
        "sha256": file_digest(path),
        "dtype": str(next(iter(floats.values())).dtype),
        "parameters": sum(array.size for array in floats.values()),
        "shapes": {name: list(array.shape) for name, array in floats.items() if array.ndim == 2},
    }


def _phases(
    phases: Sequence[LearnerParameters], progress: Sequence[Mapping[str, str]], has_auction: bool
) -> list[dict[str, Any]]:
    """Return the phases with the decisions that each was trained on."""
    names = [name for name in PHASE_PARAMETERS if hasattr(phases[0], name) and (has_auction or name not in OF_AUCTIONS)]
    found, before = [], 0
    for phase in phases:
        done = [row for row in progress if phase is phases[-1] or float(row["minutes"]) <= phase.minutes]
        decisions = int(done[-1]["choices"]) if done else 0
        values = {name: getattr(phase, name) for name in names}
        found.append({"until_minute": _minutes(phase, progress), "decisions": decisions - before, **values})
        before = decisions
    return found


def _point(row: Mapping[str, str], deals: int) -> dict[str, float]:
    """Return a point of the curve: wins (0 to 1) and payoff of one agent against copies of each opponent."""
    results = {name: float(value) for name, value in row.items() if name.startswith(("wins_", "payoff_"))}
    return {"minutes": float(row["minutes"]), "decisions": int(row["choices"]), "deals": deals, **results}


def card_json(data: Mapping[str, Any]) -> str:
    """Return the text of a card's JSON file: one line per entry, and per element of its lists."""
    lines = []
    for key, value in data.items():
        if isinstance(value, list) and value:
            elements = ",\n".join(f"  {json.dumps(element, ensure_ascii=False)}" for element in value)
            lines.append(f" {json.dumps(key)}: [\n{elements}\n ]")
        else:
            lines.append(f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def card_picture(data: Mapping[str, Any]) -> str:
    """Return the curve of a card as SVG."""
    rules = ruleset(data["ruleset"])
    return curve_picture(data["curve"], data.get("heuristic_changed", ()), par(rules))


def card_page(data: Mapping[str, Any]) -> str:
    """Return the Markdown page of a card.

    Args:
        data: Values of the JSON file. Texts written by hand are optional: `about`, `training`, `hardware`, `results_text` (a
            list of paragraphs), `use`, `limits`, `license`. `architecture_of` names a card with networks of the same shapes.
    """
    stem = Path(data["files"][0]["name"]).stem
    rules = ruleset(data["ruleset"])
    games = f"`{rules.name}`" + (f" ({rules.zh})" if rules.zh else "")
    own = f"plays only `{rules.name}` with {rules.default_players} players and that ruleset's patterns; any scoring is accepted"
    lines = [
        f"# {TITLES[data['method']]} for {games}",
        "",
        _wrapped(data.get("about", ABOUT[data["method"]])),
        "",
        "```console",
        f"$ big2 arena {data['agent']} heuristic --ruleset {data['ruleset']} --deals 100 --out {stem}.jsonl",
        "```",
        "",
        _wrapped(_first_run(data)),
        "",
        "## Architecture",
        "",
        *_architecture(data),
        "",
        "## Training",
        "",
        _wrapped(_training(data)),
        "",
        _wrapped(
            f"[{stem}{ENDING}]({stem}{ENDING}) has the settings of the run, the curve, the hashes of the files and the origin "
            f"of every result. After `pip install 'big2_env[sb3]'`, this command {_repeats(data)}."
        ),
        "",
        "```console",
        f"$ {data['command']}",
        "```",
    ]
    if data["curve"]:
        lines += [
            "",
            f"![Wins and points by minutes of training]({stem}.curve.svg)",
            "",
            _wrapped(
                "One agent against copies of an opponent during training. Dashed: equal strength."
                + _start(data)
                + (CHANGED if "heuristic_changed" in data else "")
            ),
        ]
    if data["results"]:
        lines += ["", "## Results", "", *_results(data, f"{stem}{ENDING}", rules)]
    lines += [
        "",
        "## Intended use, limits and license" if "license" in data else "## Intended use and limits",
        "",
        _wrapped(data.get("use", USE)),
        "",
        *(_wrapped(f"* {text[0].upper()}{text[1:]}.") for text in [own, *data.get("limits", ())]),
    ]
    if "license" in data:
        lines.append(f"* License: {data['license']}.")
    return "\n".join(lines) + "\n"


def _wrapped(text: str) -> str:
    """Return a paragraph or an item of a list in lines of a page's width."""
    indent = "  " if text.startswith("* ") else ""
    whole = re.sub(r"`[^`]*`|\[[^]]*\]", lambda found: found[0].replace(" ", "\0"), text)
    filled = textwrap.fill(whole, 140, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return filled.replace("\0", " ")


def _first_run(data: Mapping[str, Any]) -> str:
    """Return the sentences about running the example."""
    text = f"`{data['agent']}` plays this network. To compile in advance: `big2 warm --game {data['ruleset']}`."
    return f"{text} [Results](#results) of 1,000 deals are more precise." if data["results"] else text


def _start(data: Mapping[str, Any]) -> str:
    """Return a sentence about the first point of the curve if the initial weights play as the heuristic does."""
    first = data["curve"][0]
    if first["decisions"] or first.get("payoff_heuristic") != 0 or not data.get("heuristic_features", True):
        return ""
    return " The agent began as the heuristic (`--heuristic-prior`)."


def _architecture(data: Mapping[str, Any]) -> list[str]:
    """Return a line for each file, from the shapes of its matrices."""
    if other := data.get("architecture_of"):
        [file] = data["files"]
        size = _millions(file["parameters"])
        return [_wrapped(f"`{file['name']}` has the [architecture of `{other}`]({other}.md#architecture): {size} parameters.")]
    found = []
    for file in data["files"]:
        shapes, end = file["shapes"], f"{_millions(file['parameters'])} parameters, {file['dtype']}."
        if "trunk1" in shapes:
            ranking = "including" if data.get("heuristic_features", True) else "without"
            (inputs, width), (plays, joint) = shapes["trunk1"], shapes["play"]
            (_, deep), (_, head) = shapes["deep"], shapes["head1"]
            text = (
                f"* Policy, `{file['name']}`: {inputs:,} inputs describe the state and {plays} each candidate play, {ranking} "
                f"the heuristic's ranking. The state passes three layers of {width} units, the last two residual. State and "
                f"play are then projected to {joint} units each and added. A layer of {deep} units follows, and a head of"
                f" {head} units reads the sum and this layer. It returns the score of the play."
            )
        elif "action" in shapes:
            (inputs, units), actions = shapes["layer1"], shapes["action"][0]
            layers = sum(name.startswith("layer") for name in shapes)
            hidden = f"{layers} hidden layers" if layers > 1 else "1 hidden layer"
            text = f"* Policy, `{file['name']}`: {inputs:,} inputs, {hidden} of {units} units, {actions:,} actions."
        else:
            widths = [shape[1] for shape in shapes.values()]
            text = (
                f"* Critic, `{file['name']}`, for training only: {shapes['layer1'][0]:,} inputs, including the hands of all "
                f"seats. Layers of {', '.join(map(str, widths[:-1]))} and {widths[-1]} units follow."
            )
        found.append(_wrapped(f"{text} {end}"))
    return found


def _millions(number: int) -> str:
    """Return a number in millions with two digits, or as it is if it is small.

    >>> _millions(558_337)
    '0.56 million'
    """
    return f"{number / 1e6:.2g} million" if number >= 10_000 else f"{number:,}"


def _training(data: Mapping[str, Any]) -> str:
    """Return the sentences about training."""
    phases, decisions = len(data["phases"]), data["decisions"]
    parts = [
        f"{METHODS[data['method']]}: {data['minutes']:g} minutes",
        f"{decisions / 1e6:.3g} million decisions" if decisions >= 1e6 else f"{decisions:,} decisions",
        *([f"{phases} phases"] if phases > 1 else []),
    ]
    text = ", ".join(parts) + "."
    return " ".join([text, *(data[name] for name in ("hardware", "training") if name in data)])


def _results(data: Mapping[str, Any], source: str, rules: RuleSet) -> list[str]:
    """Return the table of the protocol's rows: wins and points side by side, each with a link to its row."""
    rows = {row["name"]: row for row in data["results"]}
    contests = [
        contest
        for what, _, contest in (name.partition(", ") for name in rows)
        if what == "wins" and f"points, {contest}" in rows and rows[f"wins, {contest}"]["command"].startswith("big2 bench ")
    ]
    columns = {"wins": "games won"}
    if not pays_only_wins(rules):
        columns["points"] = "points per game"
    if contests and f"wins of heuristic, {contests[0]}" in rows:
        columns |= {f"{what} of heuristic": text for what, text in OF_HEURISTIC.items() if what in columns}
    command = next((rows[f"wins, {contest}"]["command"] for contest in contests), f"big2 bench {data['agent']}")
    version = next((version for version in PROTOCOLS if f"--protocol {version}" in command), "v3")
    frozen, has_pairs = PROTOCOLS[version].heuristic, any(contest.startswith("two ") for contest in contests)
    lines = [
        _wrapped(
            f"Measured by [{PROTOCOLS[version].name}](../../../benchmarks/bench_{version}/README.md): 1,000 deals, each played "
            f"in every seat, with 95% intervals. The opponent `{frozen}` never changes; the current `heuristic` may be "
            f"stronger. To repeat: `{command}`."
        ),
        "",
        _wrapped(_scale(rules, has_pairs, frozen if "wins of heuristic" in columns else "")),
        "",
        f"| seats | opponents | {' | '.join(columns.values())} |",
        "| --- " * (2 + len(columns)) + "|",
    ]
    for contest in contests:
        seats, _, opponent = contest.rpartition(" ")
        shown = f"`{frozen if opponent == 'heuristic' else opponent}`"
        cells = (seats, shown, *(_quote(rows[f"{what}, {contest}"], source) for what in columns))
        lines.append(f"| {' | '.join(cells)} |")
    scoring = [] if pays_only_wins(rules) else ["Scoring: " + " ".join(settling(rules, words(Language.EN)))]
    return lines + [part for text in [*scoring, *data.get("results_text", ())] for part in ("", _wrapped(text))]


def _scale(rules: RuleSet, has_pairs: bool, frozen: str) -> str:
    """Return the sentences that say what the numbers of the table mean.

    Args:
        rules: Rules of the game.
        has_pairs: True if two copies of the agent share a table.
        frozen: Heuristic whose results the table has; empty for none.
    """
    equal, others = par(rules), "two" if rules.default_players == 4 else "one"
    if equal is None:
        text = (
            "Compare points per game; equal strength is 0. Games won also depend on the auction: as a farmer, a seat may win "
            "together with its opponents."
        )
    elif pays_only_wins(rules):
        text = f"Equal strength: {equal:.0%}. Only winning is paid, so points follow from the games won."
    else:
        text = f"Equal strength: {equal:.0%} and 0 points."
    if has_pairs and equal is not None:
        text += f" Two-against-{others} rows count each seat separately, so a perfect pair scores 50%."
    return f"{text} On the right is `{frozen}` in the same seats; *par* is its result against itself." if frozen else text


def _quote(row: Mapping[str, Any], source: str) -> str:
    """Return the value of a row with its half-width, as a link to the row; "par" for equal agents' exact result."""
    value, half = row["value"], (row["interval"][1] - row["interval"][0]) / 2
    if half == 0 and (value == 0 if row["unit"] != "%" else row["name"].startswith("wins of heuristic")):
        return "par"
    text = f"{value:.1f} ± {half:.1f}%" if row["unit"] == "%" else f"{value:+.2f} ± {half:.2f}"
    return f"[{text}]({source}#{re.sub(r'[^a-z0-9 _-]', '', row['name'].lower()).replace(' ', '-')})"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        render(Path(name))
