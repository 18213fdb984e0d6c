"""Results of agents in the deals of coming days, computed when the pages are written.

They are kept in the user's cache, one file per game and version of rules, agents and weights, so another build computes only
what is missing, and a build that was stopped continues.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

from big2_env.base.errors import NotationError
from big2_env.base.json_values import parse_object
from big2_env.tables.session.deals import Comparison, DealPlayers, NamedDeal, named_deal, players_of, results_in, row_of
from big2_env.tables.session.par import can_play_through
from big2_env.tables.site.bundle import Bundle

FOLDER: Final = "deals"
"""Folder of the files, among the agents' data files and in the cache."""
DECIDING: Final = (
    "big2_agents",
    "big2_env.agents",
    "big2_env.base.cards",
    "big2_env.base.rng",
    "big2_env.climbing",
    "big2_env.kernels",
    "big2_env.tables.session.deals",
    "big2_env.tables.session.par",
)
"""Beginnings of the names of modules that decide which agents play, and how."""


def version_of(modules: Bundle, game: str) -> str:
    """Return a digest of everything that decides the results of a game."""
    deal = named_deal(game, "0")
    digest = hashlib.sha256(json.dumps([deal.compared, deal.opponents]).encode())
    for name, source in modules.sources(DECIDING):
        digest.update(name.encode() + b"\0" + source)
    for by_game in modules.data_files().values():
        for file in by_game.get(game, ()):
            digest.update(file.path.read_bytes())
    return digest.hexdigest()[:16]


def days_from(first: date, number: int) -> Iterator[str]:
    """Yield the names of the deals of some days."""
    yield from ((first + timedelta(place)).isoformat() for place in range(number))


def day_results(
    game: str, days: list[str], cache: Path, version: str, advance: Callable[[int], object] = lambda number: None
) -> dict[str, Any]:
    """Return the results of agents in deals of days: the names of the `agents`, and for each of the `days` its seat and row.

    Days have a par too if the opponents can sample their moves: its temperature and standings.

    Args:
        game: Name of the game.
        days: Names of the deals.
        cache: Folder of the cache, created if it does not exist.
        version: Digest of everything that decides the results.
        advance: Called with the number of further days whose results are known.

    Raises:
        ConfigError: An agent fails.
        OSError: The cache cannot be written.
    """
    deals = [named_deal(game, day) for day in days]
    agents = deals[0].compared if deals else []
    path = cache / FOLDER / f"{game}-{version}.jsonl"
    known = dict(_kept(path, agents))
    has_par = bool(deals) and can_play_through(deals[0].opponents[0])
    missing = [deal for deal in deals if deal.name not in known or (has_par and known[deal.name]["par"] is None)]
    advance(len(deals) - len(missing))
    if missing:
        path.parent.mkdir(parents=True, exist_ok=True)
        players = players_of(missing[0].ruleset)
        players.prepare(missing[0])
        with path.open("a", encoding="utf-8") as file:
            for deal in missing:
                known[deal.name] = {"seat": deal.seat, "row": _row(deal, players, agents), "par": None}
                if has_par:
                    par = players.par(deal)
                    known[deal.name]["par"] = [par.temperature, [list(one) for one in par.standings]]
                file.write("\n" + json.dumps({"day": deal.name, **known[deal.name]}))
                file.flush()
                advance(1)
    return {"agents": agents, "days": {day: known[day] for day in days}}


def _row(deal: NamedDeal, players: DealPlayers, agents: list[str]) -> list[Any]:
    found = Comparison(deal, players)
    found.has_par = False
    while not found.is_done:
        found.step()
    return row_of(found.results, agents)


def _kept(path: Path, agents: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the days in a file of the cache with their rows. Half a line of a build that was stopped is left out."""
    if not path.is_file():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            data = parse_object(line)
        except NotationError:
            continue
        if isinstance(data.get("day"), str) and results_in(data.get("row"), agents):
            yield data.pop("day"), data
