"""The arena report as one HTML page that needs neither network nor scripts."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Iterator
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Final

from big2_agents.evaluation.arena.answer_counts import SHARES, AnswerRow, share_text
from big2_agents.evaluation.arena.report import Report, Row, against_text, largest_score, par, percent, signed
from big2_agents.evaluation.arena.schedule import Kind
from big2_agents.evaluation.arena.stats import Standing
from big2_env.base.language import Words
from big2_env.drawing.felt import colour_style, filled
from big2_env.runs.atomic_files import write_text
from big2_env.runs.intervals import NORMAL_95, Interval

LEVELS: Final = 3
"""Number of shades per color."""


def write_page(report: Report, path: Path, tr: Words) -> None:
    """Write the page of a report, atomically.

    Raises:
        OSError: The file cannot be written.
    """
    write_text(path, report_page(report, tr))


def report_page(report: Report, tr: Words) -> str:
    """Return the page of a report as an HTML document."""
    config = report.config
    rules = config.rules()
    title = tr("arena_page.title", game=tr.game(rules.name, rules.zh), agents=", ".join(dict.fromkeys(config.agents)))
    games = sum(number for seats in report.seats_won for _, number in seats) // report.seats
    parts = {
        "lang": tr.language.value,
        "title": escape(title),
        "style": colour_style() + _part("css"),
        "summary": escape(tr("arena_page.summary", deals=f"{report.deals:,}", games=f"{games:,}")),
        "sections": "\n".join(_sections(report, tr)),
    }
    return filled(_part("html"), parts.__getitem__)


def _part(kind: str) -> str:
    return (files(__package__) / "page" / f"report.{kind}").read_text(encoding="utf-8")


def _sections(report: Report, tr: Words) -> Iterator[str]:
    yield _section(tr("arena_page.ratings"), *_ratings(report, tr))
    kinds = list(dict.fromkeys(row.kind for row in report.rows))
    shown = tr("arena_page.par_score")
    if not report.config.rules().auction:
        first, second = report.in_order(f"{100 * par(report):.0f}%", shown)
        shown = tr("arena_page.par_both", first=first, second=second)
    for kind in kinds:
        rows = [row for row in report.rows if row.kind is kind]
        heading = tr(f"arena_page.{kind.value}")
        if kind is Kind.TABLE:
            yield _section(heading, tr("arena_page.list_how", par=shown), _list(report, rows, tr, heading))
        else:
            yield _section(heading, tr("arena_page.cell_how", par=shown), _cross(report, kind, rows, tr, heading))
    yield _section(tr("arena_page.seats_won"), tr("arena_page.seats_won_how"), _seats_won(report, tr))
    if report.differences:
        yield _section(tr("arena_page.differences"), tr("arena_page.differences_how"), _differences(report, tr))
    if report.played_out is not None:
        note = tr("arena_page.played_out_how", forfeits=f"{report.forfeits:,}")
        yield _section(tr("arena_page.played_out"), note, _played_out(report, report.played_out, tr))
    if report.answers:
        protocols = ", ".join(f"{name} {protocol}" for name, protocol in report.config.protocols.items())
        yield _section(tr("arena_page.answers"), tr("arena_page.answers_how", protocols=protocols), _answers(report, tr))
    yield _section(tr("arena_page.how"), "", _how(report, tr))


def _section(heading: str, note: str, content: str) -> str:
    text = f'<p class="soft">{escape(note)}</p>' if note else ""
    return f"<section><h2>{escape(heading)}</h2>{text}{content}</section>"


def _table(label: str, heads: Iterable[str], rows: Iterable[tuple[str, Iterable[str]]], *, is_full: bool = False) -> str:
    """Return an HTML table that scrolls if it is too wide; cells are HTML, headings and row names are text."""
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    body = "".join(f'<tr><th scope="row">{escape(name)}</th>{"".join(cells)}</tr>' for name, cells in rows)
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(label)}">'
        f"<table{' class=full' if is_full else ''}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _ratings(report: Report, tr: Words) -> tuple[str, str]:
    """Return the note and the table of the ratings, highest first."""
    if report.ratings is None:
        return tr("arena_page.no_ratings", command="pip install 'big2_env[arena]'"), ""
    ends = [(one.mean - NORMAL_95 * one.deviation, one.mean + NORMAL_95 * one.deviation) for one in report.ratings]
    low, high = min(each[0] for each in ends), max(each[1] for each in ends)
    width = (high - low) or 1.0

    def cells(agent: int) -> Iterator[str]:
        assert report.ratings is not None
        mean, (start, end) = report.ratings[agent].mean, ends[agent]
        a, b, m = (round(100 * (value - low) / width, 2) for value in (start, end, mean))
        yield f"<td>{mean:.1f}<small>± {end - mean:.1f}</small></td>"
        yield (
            f'<td class="bar"><svg viewBox="-2 0 104 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
            f'<line x1="{a}" y1="5" x2="{b}" y2="5"/><rect x="{m - 0.6:.2f}" y="0" width="1.2" height="10"/></svg></td>'
        )

    names, order = report.config.agents, report.strongest_first()
    heads = tr("arena_page.agent"), tr("arena_page.rating"), tr("arena_page.interval")
    table = _table(tr("arena_page.ratings"), heads, ((names[agent], cells(agent)) for agent in order), is_full=True)
    return tr("arena_page.ratings_how", model="Plackett-Luce"), table


def _cross(report: Report, kind: Kind, rows: list[Row], tr: Words, label: str) -> str:
    """Return the cross table, highest rating first."""
    names, found = report.config.agents, {(row.agent, row.others[0]): row.standing for row in rows}
    order, most = report.strongest_first(), largest_score(rows)
    columns = [other for other in order if any(key[1] == other for key in found)]
    heads = [tr("arena_page.agent"), *(against_text(kind, names[other], report.seats) for other in columns)]
    body = (
        (names[agent], [_cell(report, found.get((agent, other)), most) for other in columns])
        for agent in order
        if any(key[0] == agent for key in found)
    )
    return _table(label, heads, body)


def _list(report: Report, rows: list[Row], tr: Words, label: str) -> str:
    """Return the table of agents that sat together, best first."""
    most = largest_score(rows)
    heads = tr("arena_page.agent"), _result_head(report, tr), tr("arena_page.deals")
    ordered = sorted(rows, key=report.place)
    body = (
        (report.config.agents[row.agent], [_cell(report, row.standing, most), f"<td>{row.standing.wins.number:,}</td>"])
        for row in ordered
    )
    return _table(label, heads, body)


def _cell(report: Report, standing: Standing | None, most: float) -> str:
    """Return a cell with a color for a lead; near 0 it has none."""
    if standing is None or math.isnan(standing.score.mean):
        return "<td>–</td>"
    score, share = standing.score, standing.score.mean / most
    is_sure = abs(score.mean) > score.half_width  # false where there is no interval
    level = min(LEVELS, math.floor(abs(share) * LEVELS + 0.7))
    classes = [*([f"{'more' if share > 0 else 'less'}-{level}"] if level else []), *(["sure"] if is_sure else [])]
    kind = f' class="{" ".join(classes)}"' if classes else ""
    return f"<td{kind}>{_result(report, standing)}</td>"


def _result(report: Report, standing: Standing) -> str:
    """Return score and win rate as HTML, the second one small."""
    first, second = map(_minus, report.in_order(percent(standing.wins, " %"), signed(standing.score)))
    return f"{escape(first)}<small>{escape(second)}</small>"


def _result_head(report: Report, tr: Words) -> str:
    """Return the heading of a column of results."""
    return tr("rules.list").join(report.in_order(tr("arena_page.wins"), tr("arena_page.score")))


def _seats_won(report: Report, tr: Words) -> str:
    names = report.config.agents
    heads = [tr("arena_page.agent"), *(tr("arena_page.seat", seat=seat) for seat in range(report.seats))]

    def cell(won: int, games: int) -> str:
        counted = tr("arena_page.won_of", won=f"{won:,}", games=f"{games:,}")
        return f"<td>{100 * won / games:.1f} %<small>{escape(counted)}</small></td>" if games else "<td>–</td>"

    body = ((names[agent], [cell(*seat) for seat in report.seats_won[agent]]) for agent in report.strongest_first())
    return _table(tr("arena_page.seats_won"), heads, body)


def _played_out(report: Report, rows: Iterable[Row], tr: Words) -> str:
    """Return the table of results without deals that have a forfeited game."""
    heads = [*(tr(f"arena_page.{name}") for name in ("agent", "against", "deals")), _result_head(report, tr)]

    def cells(row: Row) -> list[str]:
        texts = escape(row.against), f"{row.standing.wins.number:,}", _result(report, row.standing)
        return [f"<td>{text}</td>" for text in texts]

    return _table(tr("arena_page.played_out"), heads, ((report.config.agents[row.agent], cells(row)) for row in rows))


def _answers(report: Report, tr: Words) -> str:
    """Return the table of the answers of language models."""
    sums = ("retries", "fallbacks")
    names = ("games", "forfeits", "calls", *SHARES, *sums, "tokens", "more_tokens", "seconds")
    heads = [tr("arena_page.agent"), "", _result_head(report, tr), *(tr(f"arena_page.answers_{name}") for name in names)]

    def cells(row: AnswerRow) -> Iterator[str]:
        counts = row.counts
        yield f"<td>{escape(_place(row.place, tr))}</td>"
        yield f"<td>{_result(report, row.standing)}</td>"
        yield from (f"<td>{number:,}</td>" for number in (row.games, row.forfeits, int(counts["calls"])))
        yield from (f"<td>{share_text(row, name)}</td>" for name in SHARES)
        yield from (f"<td>{counts[name]:,.0f}</td>" for name in sums)
        yield f"<td>{counts['tokens_in']:,.0f}<small>{counts['tokens_out']:,.0f}</small></td>"
        yield f"<td>{counts['tokens_cached']:,.0f}<small>{counts['tokens_reasoning']:,.0f}</small></td>"
        yield f"<td>{counts['seconds'] / max(1, counts['calls']):.1f}</td>"

    return _table(tr("arena_page.answers"), heads, ((report.config.agents[row.agent], cells(row)) for row in report.answers))


def _place(place: str, tr: Words) -> str:
    """Return the place of a row of answers in words."""
    kind, _, seat = place.partition(" ")
    return tr("arena_page.seat", seat=seat) if seat else tr(f"arena_page.answers_{kind}")


def _differences(report: Report, tr: Words) -> str:
    """Return a table for each kind of contest, with two agents per row and their opponent by column."""
    return "".join(_differences_of(kind, report, tr) for kind in dict.fromkeys(pair.kind for pair in report.differences))


def _differences_of(kind: Kind, report: Report, tr: Words) -> str:
    names = report.config.agents
    found = {(pair.agent, pair.minus, pair.against): pair.score for pair in report.differences if pair.kind is kind}
    met = {key[2] for key in found}
    columns = [other for other in (None, *report.strongest_first()) if other in met]
    heads = [
        tr("arena_page.one_table") if other is None else against_text(kind, names[other], report.seats) for other in columns
    ]
    body = (
        (f"{names[agent]} − {names[minus]}", [_difference(found.get((agent, minus, other))) for other in columns])
        for agent, minus in sorted({key[:2] for key in found})
    )
    return _table(tr("arena_page.differences"), [tr("arena_page.agents"), *heads], body)


def _difference(score: Interval | None) -> str:
    if score is None or math.isnan(score.mean):
        return "<td>–</td>"
    kind = ' class="sure"' if score.low > 0 or score.high < 0 else ""
    ends = "–" if math.isnan(score.low) else _minus(f"{score.low:+.2f} … {score.high:+.2f}")
    return f"<td{kind}>{_minus(f'{score.mean:+.2f}')}<small>{ends}</small></td>"


def _minus(text: str) -> str:
    """Return a number with a minus sign instead of a hyphen, and a dash for an interval that is not known."""
    return text.replace("± -", "± –").replace("-", "−")


def _how(report: Report, tr: Words) -> str:
    config, last = report.config, max(report.last_deal, 0)
    words = ["big2", "arena", *config.agents, "--deals", str(report.last_deal + 1), "--seed", str(config.seed)]
    words += ["--schedule", config.schedule, "--game", config.ruleset, "--scoring", config.scoring]
    known = {"first": config.deal_seed(0), "last": config.deal_seed(last)}
    which = "seeds_are" if isinstance(config.seed, int) else "seeds_drawn"
    seeds = tr(f"arena_page.{which}", deals=f"{report.deals:,}", seed=config.seed, **known)
    facts = {
        "command": f"<code>{escape(shlex.join(words))}</code>",
        "seeds": escape(seeds),
        "scoring": escape(f"{config.scoring}: {tr(f'arena_page.scoring_{config.scoring}')}"),
        "intervals": escape(tr("arena_page.intervals_are", name="Student")),
        "version": escape(f"big2_env {config.version}"),
    }
    items = (f"<dt>{escape(tr(f'arena_page.{name}'))}</dt><dd>{text}</dd>" for name, text in facts.items())
    return f"<dl>{''.join(items)}</dl>"
