"""Contents of the page's first part: games, opponents with recorded results, and the visitor's own tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from typing import Any, Final

from big2_env.agents.interface import available_agents, can_play, make_agent
from big2_env.base.cards import as_mask
from big2_env.base.errors import ConfigError, NotationError
from big2_env.base.language import Language, Words, words
from big2_env.base.side_game import SideMove
from big2_env.base.side_games import SideGameEntry, side_entry, side_games
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import BIG2, available_rulesets, named
from big2_env.tables.browser.variants import TILES, page_data
from big2_env.tables.puzzles import shipped
from big2_env.tables.session.deals import daily_games
from big2_env.text.names import agent_words, faces
from big2_env.text.rules import rules_page

SEATED_ONE_BY_ONE: Final = frozenset({"ppo"})
"""Agents that learners are compared with, offered for single seats only."""
RECORDED: Final = page_data("recorded")
"""Recorded results of agents, and the usual minutes of a game."""


def start_page(lang: Language, tables: Sequence[tuple[str, dict[str, Any]]], default_opponent: str) -> dict[str, Any]:
    """Return the contents of the start page: games, agents, and the visitor's own tables.

    `first` has the game of a first visit by language or region.

    Agents are in the order of their strength, the strongest first. Their results are
    recorded measurements: shares of games won in one seat against `rival` in all others. `games` of an agent has its result
    in each game that it plays, `None` if it was not measured. Agents with `any_number` play games of every number of seats, the
    others only of the usual one. Agents of which nothing is recorded come last; they are asked what they play.

    Args:
        lang: Language of the texts.
        tables: The visitor's tables by key, as saved.
        default_opponent: Agent that is selected at first.
    """
    tr = words(lang)
    installed = available_agents()
    ordered = [name for name in RECORDED["agents"] if name in installed]
    ordered += [name for name in installed if name not in RECORDED["agents"]]
    rulesets = available_rulesets()
    return {
        "games": [
            *(_game(rules, tr) for rules in rulesets.values()),
            *(_side_game(entry, tr) for entry in side_games()),
        ],
        "tiles": [_tile(name, tile, tr) for name, tile in TILES.items()],
        "first": page_data("first_games"),
        "agents": [
            {
                "name": name,
                "title": agent_words(name, tr),
                "line": tr.name("agent_line", name, ""),
                "games": _games_of(name),
                "one_by_one": name in SEATED_ONE_BY_ONE,
                "any_number": name in RECORDED["any_number"] or name not in RECORDED["agents"],
            }
            for name in ordered
        ],
        "rival": agent_words(RECORDED["rival"], tr),
        "default_opponent": default_opponent,
        "puzzles": shipped.games(),
        "daily": [{"name": name, "title": tr.game(name, rulesets[name].zh)} for name in daily_games()],
        "tables": [found for key, data in tables if (found := _summary(key, data, tr)) is not None],
    }


@cache
def _games_of(agent: str) -> dict[str, float | None]:
    """Return the games that an agent plays with their usual number of seats, with recorded results."""
    rulesets = available_rulesets()
    if agent in RECORDED["agents"]:
        unrecorded = [name for name in rulesets if name not in RECORDED["minutes"]]
        found: dict[str, float | None] = RECORDED["agents"][agent]
        return found | dict.fromkeys(unrecorded if agent in RECORDED["any_number"] else [])
    try:
        made = make_agent(agent)
    except (ConfigError, ImportError):
        return {}
    return {name: None for name, rules in rulesets.items() if can_play(made, rules, rules.default_players)}


def _tile(name: str, tile: dict[str, Any], tr: Words) -> dict[str, Any]:
    """Return a picture: its title, its cards and its games."""
    rules, entry = available_rulesets().get(name), side_entry(name)
    if "moves" in tile and entry is not None:
        game = entry.kind().for_seats(entry.kind().seats[2])
        moves = (SideMove(0, entry.kind().parse_move(text)) for text in tile["moves"])
        cards = [card for move in moves for card in game.shown_move(move, tr).cards]
    else:
        cards = list(faces(rules or BIG2, as_mask(tile["cards"]), tr))
    return {
        "title": tr.name("game", name),
        "line": tr.name("game_line", name, ""),
        "cards": [asdict(card) for card in cards],
        "games": tile["games"],
    }


def _game(rules: RuleSet, tr: Words) -> dict[str, Any]:
    """Return an entry of the list of games."""
    return {
        "name": rules.name,
        "title": tr.game(rules.name, rules.zh),
        "variant": tr.name("variant", rules.name, ""),
        "line": tr.name("game_line", rules.name, ""),
        "least": rules.min_players,
        "most": rules.max_players,
        "default": rules.default_players,
        "minutes": RECORDED["minutes"].get(rules.name),
        "players": None,
        "watched": False,
    }


def _side_game(entry: SideGameEntry, tr: Words) -> dict[str, Any]:
    """Return an entry of the list of games for a side game. It names the players of the other seats, if there are any."""
    kind = entry.kind()
    least, most, usual = kind.seats if kind.has_choices else (1, 1, 1)
    names = kind.opponents() if most > 1 else ()
    return {
        "name": entry.name,
        "title": tr.name("game", entry.name),
        "variant": "",
        "line": tr.name("game_line", entry.name, ""),
        "least": least,
        "most": most,
        "default": usual,
        "minutes": RECORDED["minutes"].get(entry.name),
        "players": [
            {"name": name, "title": agent_words(name, tr), "line": tr.name("side_player_line", name, ""), "games": {}}
            for name in names
        ],
        "watched": not kind.has_choices,
    }


def rules_of(name: str, lang: Language) -> dict[str, Any] | None:
    """Return the rules of a game in words, and the address of what other tables play; `None` if the game does not exist."""
    if (rules := named(name)) is not None:
        return rules_page(rules, lang).as_json() | {"others": f"page/house_rules.{lang.value}.html"}
    entry = side_entry(name)
    return None if entry is None else entry.kind().for_seats(entry.kind().seats[2]).rules_page(lang).as_json()


def _summary(key: str, data: dict[str, Any], tr: Words) -> dict[str, Any] | None:
    """Return an entry of the visitor's list of tables; `None` if the saved data are not valid."""
    try:
        record, counts, watches = data["record"], data.get("practice") is not True, "watch" in data
        entry, agents = side_entry(record.get("game")), [str(agent) for agent in record["agents"]]
        if entry is None:
            name, is_over = record["ruleset"], record.get("reason") is not None
            title = tr.game(name, available_rulesets()[name].zh)
        else:
            name, is_over = entry.name, record["payoffs"] is not None
            title, agents = tr.name("game", name), agents if entry.kind().has_choices else []
        return {
            "table": key,
            "title": title,
            "opponents": [agent_words(agent, tr) for agent in agents],
            "score": float(data["score"]) if counts else 0.0,
            "deals": int(data["deals"]) + (is_over and counts),
            "over": is_over,
            "side": entry is not None,
            "practice": not counts,
            "watch": watches,
            "setup": {"game": name, "players": len(agents) + (not watches), "opponents": agents, "watch": watches},
        }
    except (KeyError, TypeError, ValueError, IndexError, NotationError):
        return None
