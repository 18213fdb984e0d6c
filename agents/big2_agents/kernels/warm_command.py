"""`big2 warm`: compile code in advance, for a machine or a container image."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Final

import typer

from big2_env.agents.interface import aside, available_agents, check_seats, make_agent, play_turn, reset_seats
from big2_env.base.compile_note import NOTE
from big2_env.base.errors import ConfigError
from big2_env.base.language import Words
from big2_env.cli._options import Lang, words_of
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import available_rulesets
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.runs.progress import counting

ALL: Final = "all"
"""Argument that selects every ruleset."""
TURNS: Final = 2
"""Turns of each seat that an agent plays: one lead and one answer."""


def command(
    game: Annotated[
        list[str] | None, typer.Option("--game", "--ruleset", help=f"Ruleset, or {ALL}; repeatable.", show_default="big2")
    ] = None,
    agents: Annotated[
        list[str] | None,
        typer.Option("--agents", "--agent", help="Agent to compile; repeatable.", show_default="all that are installed"),
    ] = None,
    lang: Lang = None,
) -> None:
    """Compile code for environments, the arena and agents in advance, so that later commands start at once.

    numba caches compiled code next to the modules, or in the folder NUMBA_CACHE_DIR. If everything is cached already, the
    command says so. In a container image, run it as the last step, with the user and on the kind of processor used later.

    Examples:
        big2 warm --agents lowest
        big2 warm --game all
        big2 warm --game big2 --game dou_dizhu --agents heuristic --agents search
    """
    tr = words_of(lang)
    asked = game or ["big2"]
    rulesets = list(available_rulesets().values()) if ALL in asked else [ruleset_named(name) for name in asked]
    with aside():
        for name in agents or ():
            make_agent(name)  # one that there is not is refused before anything is compiled
    work = [
        (rules, what, move)
        for rules in rulesets
        for what, move in _steps(rules, agents or available_agents(), agents is None, tr)
    ]
    from big2_env.kernels.dialect.kernel import compiled_by  # numba takes half a second to load

    began, compiled = time.perf_counter(), 0
    with counting(tr("runs.functions"), len(work)) as advance, NOTE.in_background():  # these lines say more than the note
        for rules, what, move in work:
            title = tr.game(rules.name, rules.zh)
            started = time.perf_counter()
            try:
                functions = compiled_by(move)
            except ConfigError as error:
                typer.echo(tr("warm.left_out", game=title, what=what, reason=error))
            else:
                seconds = f"{time.perf_counter() - started:.1f}"
                key = "warm.did" if functions else "warm.was_there"
                typer.echo(tr(key, game=title, what=what, functions=functions, seconds=seconds))
                compiled += functions
            advance(1)
    seconds = f"{time.perf_counter() - began:.1f}"
    key = "warm.total" if compiled else "warm.nothing"
    typer.echo(tr(key, functions=compiled, seconds=seconds, place=_place(tr)))


def _place(tr: Words) -> str:
    """Return the folder in which numba keeps compiled code."""
    from big2_env.kernels.dialect.kernel import cache_folder

    return cache_folder() or tr("warm.beside", folder="__pycache__", variable="NUMBA_CACHE_DIR")


def _steps(rules: RuleSet, agents: list[str], skip: bool, tr: Words) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the name and the function of each compilation step; `skip` leaves out agents that cannot play the ruleset."""
    yield tr("warm.environments"), lambda: _environments(rules)
    yield tr("warm.arena"), lambda: _arena(rules)
    for name in agents:
        if not (skip and _cannot_play(name, rules)):
            yield tr("warm.agent", name=name), lambda name=name: _agent(rules, name)  # type: ignore[misc]


def _cannot_play(name: str, rules: RuleSet) -> bool:
    try:
        check_seats([make_agent(name)], rules, rules.default_players)
    except (ConfigError, ImportError):
        return True
    return False


def _environments(rules: RuleSet) -> None:
    from big2_env.envs.vector import BatchEnv

    for mode in ("self_play", "seat"):
        games = BatchEnv(1, mode=mode, ruleset=rules)
        games.engine.finish_compiling()
        games.reset(seed=1)
        games.step(games.random_actions())


def _arena(rules: RuleSet) -> None:
    from big2_agents.kernels.rule_players import RuleGames
    from big2_agents.rule_based.heuristic import player_of

    made = (make_agent(name) for name in ("random", "lowest", "greedy", "heuristic"))
    seated = [player for agent in made if (player := player_of(agent, rules)) is not None]
    games = RuleGames(rules, seated, rules.default_players)
    games.play(0, [games.code_of(seated[seat % len(seated)]) for seat in range(rules.default_players)], 0)


def _agent(rules: RuleSet, name: str) -> None:
    """Let an agent make a few moves, and give advice if it can."""
    with aside():
        game = Game.deal(rules, 0)
        seats: list[Any] = [make_agent(name)] * game.num_players
        check_seats(seats[:1], rules, game.num_players)
        reset_seats(seats, game)
        if hasattr(seats[0], "prepare"):  # one that answers in plain Python until it is compiled
            seats[0].prepare(game.view())
        for _ in range(TURNS * game.num_players):
            if game.outcome is None:
                play_turn(game, seats)
        if game.outcome is None and hasattr(seats[0], "advise"):
            seats[0].advise(game.view(), game.view().legal_plays())
