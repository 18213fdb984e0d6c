"""`big2 advise`: an agent's view of the legal moves at positions of a game, as a table or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Final, NamedTuple

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from big2_agents.review.analysis import payoff_unit
from big2_agents.review.decision import Decision, Judge, Mark, prepare_many
from big2_env.agents.advice import Advice, Adviser, advice_of, adviser, default_adviser, seat_players
from big2_env.agents.interface import aside
from big2_env.agents.seeds import agent_seed
from big2_env.agents.time_limit import TimeLimit
from big2_env.base.errors import ConfigError
from big2_env.base.language import Words
from big2_env.cli._options import RULES_HELP, SOURCE_HELP, Back, Lang, MoveLimit, print_table, stdin_bytes, words_of
from big2_env.cli._seating import print_weights_notes
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.climbing.view import View
from big2_env.notation import sources
from big2_env.notation.lines import Lines
from big2_env.notation.records import GameRecord
from big2_env.notation.sources import STDIN, Moment, opened, parted
from big2_env.notation.transcript import game_at
from big2_env.runs.progress import waiting
from big2_env.tables.session.move_reasons import MoveFacts, sentences
from big2_env.text.events import play_text
from big2_env.text.names import seat_words
from big2_env.text.seating import players_of
from big2_env.text.values import ValueText


class Turn(NamedTuple):
    """A decision with the advice on it."""

    game: int
    """Index of the game in the file, from 0."""
    move: int
    """Number of moves made before it."""
    names: Sequence[str]
    view: View
    decision: Decision
    """The advice and the move that was made."""
    mark: Mark
    lacks_values: bool = False
    """True if values are missing because the agent's playouts are not compiled."""

    @property
    def advice(self) -> Sequence[Advice]:
        """The agent's advice, best first."""
        return self.decision.advice

    @property
    def loss(self) -> float | None:
        """Loss of the move made compared with the best: by values, else by the agent's own score, `None` if it has neither."""
        chosen, loss = self.decision.chosen, self.decision.loss
        if chosen is None or (loss is not None and chosen.value is not None):
            return loss
        scores = [one.score for one in self.advice if one.score is not None]
        return None if chosen.score is None else max(scores) - chosen.score

    def loss_text(self, tr: Words) -> str | None:
        """Return the loss in the unit of values or scores."""
        if self.loss is None:
            return None
        if self.decision.chosen is None or self.decision.chosen.value is None:
            return f"{self.loss:.2f}"
        value_text = ValueText(self.view.ruleset, self.view.num_players)
        return value_text.difference(self.loss, tr) if value_text.is_chance else f"{self.loss:.3f}"


def heading(turn: Turn, tr: Words) -> str:
    """Return a line with the player to move, the hand, and the play to beat."""
    view, names = turn.view, seat_words(turn.names, tr)
    rules, who = view.ruleset, names[view.seat]
    task = tr("advise.bids" if view.bidding else "advise.leads", name=who)
    if view.top is not None and view.top_seat is not None:
        task = tr("advise.beats", name=who, play=play_text(rules, view.top, tr), other=names[view.top_seat])
    left = [tr("advise.left", name=name, cards=cards) for name, cards in zip(names, view.cards_left, strict=True)]
    moment = tr("advise.move", move=turn.move)
    if turn.game:
        moment = tr("advise.game", game=turn.game + 1, move=moment)
    return tr("advise.heading", moment=moment, task=task, hand=rules.text(view.hand), left=tr("rules.list").join(left))


def table_of(turn: Turn, top: int, tr: Words) -> Table:
    """Return a table of the best moves and the move made: the columns that this agent fills, and a sentence on each move."""
    advice, chosen = turn.advice, turn.decision.chosen
    rows = [*advice[:top], *(one for one in advice[top:] if one is chosen)]
    table = Table(box=box.SIMPLE, pad_edge=False)
    table.add_column("")
    table.add_column(tr("advise.play"))
    value_text = ValueText(turn.view.ruleset, turn.view.num_players)

    def written(value: float) -> str:
        return value_text.level(value, tr) if value_text.is_chance else f"{value:+.3f}"

    columns = {
        "score": [None if a.score is None else f"{a.score:.2f}" for a in rows],
        "probability": [None if a.probability is None else f"{a.probability:.1%}" for a in rows],
        "value": [None if a.value is None else written(a.value) for a in rows],
        "interval": [
            None if a.interval is None else tr("advise.from_to", low=written(a.interval[0]), high=written(a.interval[1]))
            for a in rows
        ],
        "playouts": [str(a.playouts) if a.playouts else None for a in rows],
        "loss": [turn.loss_text(tr) if a is chosen else None for a in rows],
    }
    if any(columns["probability"]):
        del columns["score"]  # the same thing on another scale
    filled = {name: cells for name, cells in columns.items() if any(cells)}
    for name in filled:
        table.add_column(tr(f"advise.{name}"), justify="right")
    table.add_column(tr("advise.why"))
    said = sentences(turn.view, rows, tr)
    for i, found in enumerate(rows):
        text = play_text(turn.view.ruleset, found.play, tr)
        if found.alike:
            text = tr("advise.alike", play=text, number=len(found.alike))
        made = tr("advise.played", mark=turn.mark.value).strip() if found is chosen else ""
        table.add_row(made, text, *(cells[i] or "" for cells in filled.values()), said[i])
    if rest := sum(1 + len(a.alike) for a in advice) - sum(1 + len(a.alike) for a in rows):
        table.caption = tr("advise.more", number=rest)
    return table


MEASURES: Final = ("score", "probability", "value", "interval", "playouts", "stakes", "behind")
"""Numbers of advice in JSON, in their order."""
COMPILING: Final = "big2 warm --agents learned"
"""Command that compiles the playouts of the learned agent."""


def command(
    file: Annotated[str, typer.Argument(metavar="[FILE[:N]]", help=f"{SOURCE_HELP} Standard input if omitted or -.")] = STDIN,
    agent: Annotated[
        str | None, typer.Option(help="Agent that advises: NAME or NAME:ARGUMENT.", show_default="learned, else heuristic")
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="Number of moves shown per position.")] = 5,
    everywhere: Annotated[bool, typer.Option("--all", help="Advice on every decision instead of the last position.")] = False,
    move: Annotated[int | None, typer.Option(min=0, help="Number of moves before the position, same as FILE:N.")] = None,
    back: Back = 0,
    as_json: Annotated[bool, typer.Option("--json", help="JSON output, with every legal move.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the agent's random choices.")] = 0,
    limit: MoveLimit = None,
    ruleset: Annotated[str, typer.Option("--ruleset", "--game", help=f"{RULES_HELP} A record names its own.")] = "big2",
    lang: Lang = None,
) -> None:
    """Show an agent's evaluation of every legal move, at one position or at every decision.

    The input is a position, a record (JSON lines), an input text or a log, in any format that big2 convert reads. The agent
    sees only what the seat to move sees. Each move has a sentence on what it does, with numbers: the probability that the agent
    chooses it, the mean payoff of playouts with its 95% interval, and for agents without probabilities a score in their own
    unit; higher is better. The learned agent shows values once its playouts are compiled (big2 warm --agents learned). Plays
    that differ only in suits that the agent ignores share a row.

    The move that was made is always listed with its loss against the best move: by values if the agent has them, else by its
    own score. The marks ?! ? ?? grade losses of value, and appear only if the loss is certain.

    Examples:
        big2 advise game.in:20
        big2 advise game.in --back 4
        big2 advise game.in --all --top 2 --agent heuristic
        big2 match greedy greedy greedy greedy --log jsonl | big2 advise --all --agent search:400 --json
    """
    file, ply = parted(file)
    places = {"--all": everywhere, "--move": move is not None, "FILE:N": ply is not None, "--back": everywhere and back > 0}
    if len(given := [name for name, is_given in places.items() if is_given]) > 1:
        raise ConfigError(f"expected one of --all, --move and FILE:N, got {' and '.join(given)}")
    rules = ruleset_named(ruleset)
    if agent is not None:
        with aside():
            adviser(agent)  # one that gives no advice is refused before anything is read
    moment = Moment(move if ply is None else ply, back)
    wanted = Wanted(agent, seed, moment, everywhere, top, None if limit is None else TimeLimit(limit))
    with opened(file, stdin_bytes()) as lines:
        _answer(lines, rules, wanted, as_json, words_of(lang))


class Wanted(NamedTuple):
    """Options of the command."""

    agent: str | None
    salt: int
    """Seed of the agent's random choices."""
    moment: Moment
    everywhere: bool
    top: int
    limit: TimeLimit | None
    """Time limit of each advice; `None` for none."""


def _answer(lines: Lines, rules: RuleSet, wanted: Wanted, as_json: bool, tr: Words) -> None:
    turns = _advised(lines, rules, wanted, tr)
    if as_json:
        found = list(turns)
        print(json.dumps([_as_json(turn) for turn in found], ensure_ascii=False))
        _remark(found, tr)
        return
    shown = []
    console = Console(highlight=False, markup=False, emoji=False)
    for turn in turns:
        shown.append(turn)
        console.print(heading(turn, tr), soft_wrap=not console.is_terminal)
        print_table(table_of(turn, wanted.top, tr), console)
    _remark(shown, tr)


def _remark(turns: Sequence[Turn], tr: Words) -> None:
    """Print why values are missing, and the command that helps."""
    if any(turn.lacks_values for turn in turns):
        typer.echo(f"big2: {tr('advise.lacks_values', command=COMPILING)}", err=True)


def _advised(lines: Lines, rules: RuleSet, wanted: Wanted, tr: Words) -> Iterator[Turn]:
    """Yield the requested positions with advice."""
    noted: set[tuple[str, RuleSet]] = set()
    for number, record in enumerate(sources.load(lines, rules)[1]):
        game = record.game
        with aside():
            name = wanted.agent or default_adviser(game.ruleset, game.num_players)
            agent = adviser(name)
            if (name, game.ruleset) not in noted:
                noted.add((name, game.ruleset))
                print_weights_notes({name: agent}, game.ruleset, game.num_players, tr)
        seat_players(agent, players_of(record))
        moments = _moments(record, wanted.everywhere, wanted.moment)
        if moments and isinstance(agent, Judge) and (wanted.everywhere or number):  # one answer compiles nothing
            with waiting(), aside():
                prepare_many(agent, game_at(game, moments[0]).view())
        for at in moments:
            view = game_at(game, at).view()
            played = view.legal_plays().listed(game.history[at].play if at < len(game.history) else None)
            with waiting(), aside():
                agent.reset(agent_seed(view, salt=wanted.salt))
                advice = _advice(agent, view, played, wanted.limit)
                decision = Decision(at, view.seat, played, tuple(advice))
                mark = decision.mark(payoff_unit(view.ruleset, view.num_players)) if decision.is_certain else Mark.NONE
            lacks_values = getattr(agent, "lacks_values", False) is True
            yield Turn(number, at, record.transcript.names, view, decision, mark, lacks_values)


def _advice(agent: Adviser, view: View, played: Play | None, limit: TimeLimit | None) -> list[Advice]:
    """Return the advice on a decision; agents that compare values also try the move that was made to the end."""
    legal = view.legal_plays()

    def ask() -> list[Advice]:
        if isinstance(agent, Judge) and len(legal) > 1:
            return agent.judge(view, legal, [] if played is None else [played])
        return advice_of(agent, view, legal)

    return ask() if limit is None else limit.run(ask, "advice")


def _moments(record: GameRecord, everywhere: bool, moment: Moment) -> Sequence[int]:
    """Return the numbers of moves after which advice is wanted."""
    game = record.game
    moves = len(game.history)
    if everywhere:
        return range(moves + (not game.is_over))
    at = moment.of(moves) if moment.ply is None or moment.ply <= moves else moment.ply
    if at > moves or (at == moves and game.is_over):
        ended = f"the game is over after {moves} moves" if game.is_over else f"the game stands after {moves} moves"
        last = moves - 1 if game.is_over else moves
        raise ConfigError(f"expected --all, or --move 0 to {last}, got move {at}: {ended}")
    return [at]


def _text(ruleset: RuleSet, play: Play) -> str:
    return f"{play.pattern} {ruleset.text(play.mask)}" if play.mask else play.pattern


def _as_json(turn: Turn) -> dict[str, Any]:
    view, rules = turn.view, turn.view.ruleset
    facts = MoveFacts(view)
    return {
        "game": turn.game,
        "move": turn.move,
        "seat": view.seat,
        "player": turn.names[view.seat],
        "hand": rules.text(view.hand),
        "to_beat": None if view.top is None else _text(rules, view.top),
        "cards_left": list(view.cards_left),
        "played": None if turn.decision.played is None else _text(rules, turn.decision.played),
        "loss": turn.loss,
        "mark": turn.mark.value or None,
        "advice": [
            {
                "play": _text(rules, found.play),
                **{name: getattr(found, name) for name in MEASURES},
                "basis": None if found.basis is None else asdict(found.basis),
                "sure": found.sure,
                "reason": facts.because(found.play, sure=found.sure, is_best=found is turn.advice[0]).reason.value,
                "alike": [_text(rules, play) for play in found.alike],
            }
            for found in turn.advice
        ],
    }
