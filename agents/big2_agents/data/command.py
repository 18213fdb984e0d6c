"""`big2 export`: write games of agents as data for learning, with a README that describes the data set."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from big2_agents.data.chat import CHAT_COLUMNS, teacher_of
from big2_agents.data.files import load, write_piece
from big2_agents.data.minari_copy import import_minari, write_minari
from big2_agents.data.plan import (
    CHAT,
    LIST,
    MAX_GAMES,
    MAX_PIECES,
    Piece,
    Plan,
    lists,
)
from big2_agents.data.playing import GameRecorder
from big2_agents.evaluation.parquet import pyarrow
from big2_env.agents.interface import make_agent
from big2_env.base.errors import ConfigError, NotationError
from big2_env.base.language import Words
from big2_env.cli._endpoint_options import plays_models
from big2_env.cli._options import KeptOptions, Lang, MoveLimit, RulesetName, counted, grouped, words_of
from big2_env.cli._seating import Players, players_options, print_seating, print_weights_notes
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.climbing.saved_rules import identity
from big2_env.runs.atomic_files import remove_leftovers, write_text
from big2_env.runs.batches import Task
from big2_env.runs.executors import Local
from big2_env.runs.progress import counting, waiting
from big2_env.text.seating import seated

HUB_ENDINGS: Final = {"parquet": "parquet", CHAT: "jsonl"}
"""Endings of the files that the Hugging Face Hub can show, by format."""
HUB_SIZES: Final = (
    *((10**n, name) for n, name in ((3, "n<1K"), (4, "1K<n<10K"), (5, "10K<n<100K"), (6, "100K<n<1M"))),
    *((10**n, name) for n, name in ((7, "1M<n<10M"), (8, "10M<n<100M"), (9, "100M<n<1B"))),
)
"""Size categories of the Hugging Face Hub, with the number of rows from which they no longer apply."""
COLUMNS: Final = (
    ("game", "int64 (n,)", "number of the game; game k is dealt by seed + k"),
    ("seat", "int8 (n,)", "seat that decided"),
    ("agent", "int8 (n,)", "index of its agent in the list of agents"),
    ("action", "int32 (n,)", "id of the action taken"),
    ("return", "float32 (n,)", "payoff of the seat at the end of the game"),
    (
        "observation",
        "uint8 (n, ceil(size / 8))",
        "observation of the seat: zeros and ones, eight to a byte, the first in the lowest bit",
    ),
    ("legal", "int32 (total,)", "legal actions of all rows, ascending, one row after another"),
    (
        "legal_start",
        "int64 (n + 1,)",
        "start of each row's legal actions: row i has `legal[legal_start[i]:legal_start[i + 1]]`",
    ),
    (
        "final_observation",
        "uint8 (games, seats, ceil(size / 8))",
        "observation of each seat at the end of each game, packed likewise",
    ),
)
"""Arrays of an npz file: name, dtype with shape, meaning."""
PARQUET_COLUMNS: Final = (
    *COLUMNS[:5],
    ("observation", "fixed_size_list<int8>[size]", "observation of the seat, zeros and ones"),
    ("legal", "list<int32>", "legal actions, ascending"),
)
"""Columns of a Parquet file: name, type, meaning."""


ALL_COLUMNS: Final = {"npz": COLUMNS, "parquet": PARQUET_COLUMNS, CHAT: CHAT_COLUMNS}
"""Columns by format."""
READ: Final = {
    "npz": "from big2_agents.data import load\nrows = load(FOLDER).rows()",
    "parquet": "from glob import glob\nimport pyarrow.dataset\n"
    'table = pyarrow.dataset.dataset(sorted(glob(f"{FOLDER}/*.parquet"))).to_table()',
    CHAT: "from glob import glob\nimport json\n"
    'lines = [json.loads(line) for name in sorted(glob(f"{FOLDER}/part-*.jsonl")) for line in open(name, encoding="utf-8")]',
}
"""Code that reads a folder, by format."""
_ARRAY_FACTS: Final = """* Observations have {size:,} entries, there are {actions:,} actions
* Forced passes are included: rows with one legal action were no choice"""
_CHAT_FACTS: Final = "* Forced moves are left out: every line was a choice"


def column_table(columns: tuple[tuple[str, str, str], ...]) -> str:
    """Return columns as a Markdown table."""
    rows = [
        ("column", "type", "meaning"),
        ("---", "---", "---"),
        *((f"`{name}`", f"`{kind}`", text) for name, kind, text in columns),
    ]
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


def command_line(plan: Plan) -> str:
    """Return the command that repeats a data set; for a ruleset file of your own, replace the ruleset's name."""
    agents = plan.agents[:1] if len(set(plan.agents)) == 1 else plan.agents
    words = ["big2", "export", *agents, "--game", plan.rules.name, *players_options(plan.players, len(agents), plan.rules)]
    scoring = identity(plan.rules).get("scoring")
    words += ["--scoring", scoring] if scoring else []
    words += ["--games", str(plan.games), "--piece", str(plan.games_per_piece), "--seed", str(plan.seed)]
    words += ["--format", plan.format]
    if plan.format == CHAT:
        words += ["--lang", plan.language, *(["--values", plan.values] if plan.values else [])]
    return shlex.join(words)


def card(plan: Plan, pieces: list[Piece]) -> str:
    """Return the README of a finished data set, in Markdown, with the front matter that the Hugging Face Hub reads."""
    rows = sum(piece.rows for piece in pieces)
    digest = identity(plan.rules)["rules"]["digest"]
    read = READ[plan.format]
    return f"""{front_matter(plan, rows)}
# Games of {", ".join(plan.agents)}

{plan.games:,} games of `{plan.rules.name}`, {rows:,} decisions in {len(pieces)} files.

* Command: `{command_line(plan)}`
* Made with big2_env {plan.version}; rules `{digest}`
* Agents by their index in column `agent`: {", ".join(f"{i} `{agent}`" for i, agent in enumerate(plan.agents))}
* Game k is dealt by seed {plan.seed} + k; agent c is at seat (c + k) mod {plan.players}
{_CHAT_FACTS if plan.format == CHAT else _ARRAY_FACTS.format(size=plan.observation_size, actions=plan.num_actions)}
* `{LIST}` has the same for programs, with the SHA-256 of every file

{column_table(ALL_COLUMNS[plan.format])}
```python
{read}
```
"""


def front_matter(plan: Plan, rows: int) -> str:
    """Return the YAML metadata of a data set for the Hugging Face Hub (https://huggingface.co/docs/hub/datasets-cards)."""
    is_chat = plan.format == CHAT
    lines = ["---", f"pretty_name: {json.dumps(f'{plan.rules.name}, games of ' + ', '.join(dict.fromkeys(plan.agents)))}"]
    lines += ["task_categories:", f"- {'text-generation' if is_chat else 'reinforcement-learning'}"]
    lines += ["tags:", "- card-game", "- big-two", f"- {json.dumps(plan.rules.name)}"]
    lines += ["size_categories:", f"- {next((name for limit, name in HUB_SIZES if rows < limit), '1B<n<10B')}"]
    if is_chat:
        lines += ["language:", f"- {plan.language.partition('-')[0]}"]
    if ending := HUB_ENDINGS.get(plan.format):
        lines += ["configs:", "- config_name: default", f"  data_files: part-*.{ending}"]
    else:
        lines.append("viewer: false")
    return "\n".join([*lines, "---", ""])


class Format(StrEnum):
    """File format."""

    NPZ = "npz"
    PARQUET = "parquet"
    MINARI = "minari"
    CHAT = "chat"


@grouped
def command(
    agents: Annotated[
        list[str], typer.Argument(metavar="AGENT...", help="Agents, repeated around the table: NAME or NAME:ARGUMENT.")
    ],
    *,
    out: Annotated[Path, typer.Option(help="Folder of the data set, created if missing.")],
    games: Annotated[int, typer.Option(min=1, max=MAX_GAMES, help="Number of games.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the first game, counting up.")] = 0,
    format_: Annotated[
        Format,
        typer.Option("--format", help="File format; parquet and minari need their extras."),
    ] = Format.NPZ,
    values: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT",
            help="Agent that values moves with --format chat: learned, search:N or learned-search:N.",
            show_default="no values",
        ),
    ] = None,
    piece: Annotated[int, typer.Option(min=1, help="Games per file.")] = 200,
    ruleset: RulesetName = "big2",
    players: Players = None,
    scoring: Annotated[
        str | None, typer.Option(help="Scoring of returns: winner or cards.", show_default="the ruleset's")
    ] = None,
    jobs: Annotated[int, typer.Option(min=0, help="Number of processes, 0 for one per core.")] = 0,
    limit: MoveLimit = None,
    earlier: KeptOptions,
    lang: Lang = None,
) -> None:
    """Write games of agents as data for learning, one row per decision.

    A row has the seat's observation, the legal actions, the action taken and the return, which is the seat's final payoff.
    Agents rotate from game to game. The folder also gets a README.md that describes the columns and the origin of the data.

    --resume continues a run that was stopped or killed. The files do not depend on the number of processes; the same seed gives
    the same bytes. Read npz files with big2_agents.data.load(FOLDER).

    --format chat writes JSON lines with the prompt of llm:MODEL and the move made as the answer, in the language of --lang, for
    fine-tuning. --values adds the expected payoff of the move and its regret, by playouts.

    Examples:
        big2 export heuristic --games 1000 --out data/heuristic
        big2 export heuristic greedy greedy random --games 100 --format parquet --out data/mixed
        big2 export heuristic greedy --players 2 --games 100 --out data/two
        big2 export greedy --game dou_dizhu --games 10 --out data/landlords
        big2 export learned --games 100 --format chat --values learned --out data/chat
    """
    tr = words_of(lang)
    earlier.check(out)
    rules = ruleset_named(ruleset) if scoring is None else ruleset_named(ruleset).with_scoring(scoring)
    table = seated(agents, rules, players)
    jobs = 1 if plays_models(agents, jobs=jobs > 1, limit=limit) else jobs
    if values is not None and format_ is not Format.CHAT:
        raise ConfigError(f"--values: expected --format chat, got --format {format_.value}")
    kind = "npz" if format_ is Format.MINARI else format_.value
    plan = Plan(tuple(table), rules, seed, games, piece, kind)
    if format_ is Format.CHAT:
        plan = replace(plan, language=tr.language.value, values=values)
    if plan.num_pieces > MAX_PIECES:
        raise ConfigError(f"expected at most {MAX_PIECES:,} files, got {plan.num_pieces:,}: give a larger --piece")
    needs = {Format.PARQUET: pyarrow, Format.MINARI: import_minari, Format.CHAT: lambda: teacher_of(plan)}
    needs.get(format_, lambda: None)()
    GameRecorder(rules, plan.agents, seed)  # agents that cannot play are refused before a folder is made
    print_weights_notes({spec: make_agent(spec) for spec in plan.agents}, rules, len(table), tr)
    print_seating(agents, table, tr)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise ConfigError(f"expected a folder to write, {out} is a file") from None
    pieces = write_pieces(plan, out, jobs, limit, **earlier.kept, tr=tr)
    write_text(out / "README.md", card(plan, pieces))
    size = sum(plan.file(out, one.number).stat().st_size for one in pieces)
    counts = {"games": games, "decisions": sum(one.rows for one in pieces), "bytes": size, "files": len(pieces)}
    print(tr("export.done", folder=out, **{name: f"{count:,}" for name, count in counts.items()}))
    if format_ is Format.MINARI:
        with counting(tr("export.into_minari"), games) as advance:
            print(write_minari(load(out, {rules.name: rules}), advance))


def write_pieces(
    plan: Plan,
    out: Path,
    jobs: int,
    limit: float | None = None,
    *,
    resume: bool = False,
    overwrite: bool = False,
    tr: Words | None = None,
) -> list[Piece]:
    """Write the missing pieces and return all of them.

    Args:
        plan: The data set.
        out: Its folder.
        jobs: Number of processes, 0 for one per core.
        limit: Maximum seconds per action; `None` for no limit.
        resume: Continue the data set in the folder.
        overwrite: Replace the data set in the folder.
        tr: Texts of progress; by default in the user's language.

    Raises:
        ConfigError: The folder holds another data set, or one that may be neither resumed nor overwritten. An agent fails,
            takes too long or makes an illegal move.
        NotationError: A line of the list is malformed.
    """
    done: list[Piece] = []
    tr, game = tr or words_of(None), (plan.rules, plan.agents, plan.seed)

    def take(one: Piece) -> None:
        if not plan.file(out, one.number).is_file():
            raise NotationError(f"{plan.file(out, one.number).name} is missing; give --overwrite")
        done.append(one)

    with lists().open(out / LIST, plan, take, resume=resume, overwrite=overwrite) as write:
        if not done:
            for old in out.glob("part-[0-9][0-9][0-9][0-9][0-9].*"):  # of the data set that is overwritten
                old.unlink()
        todo = range(len(done), plan.num_pieces)
        if todo:  # not before it is known that the folder may be written: compiling takes a while
            with waiting(tr("prompt.waiting")):
                GameRecorder(*game).warm_up()
        with (
            counted("files", len(done), plan.num_pieces, out, tr) as advance,
            Local(jobs).map(Task(partial(_write, plan, out), GameRecorder, (*game, limit)), todo) as finished,
        ):
            for one in finished:
                write(one)
                done.append(one)
                advance(1)
        remove_leftovers(out, age=0.0)
    return done


def _write(plan: Plan, out: Path, recorder: GameRecorder, piece: int) -> Piece:
    return write_piece(recorder.record(*plan.games_of(piece)), plan, out, piece)
