"""Who may be an opponent, in every environment: what a name, an agent, a function or a league becomes where games are batched.

| opponent | in batches |
| --- | --- |
| `"random"` | drawn inside the compiled loop |
| a name (`"lowest"`, `"greedy"`, `"heuristic"`, `"learned"`, `"learned:PATH"`, ...), an `Agent`, what makes one | its own batched form, where the agent has a method `batched(ruleset, num_players)`; else it is asked one view at a time, which is slow |
| a function `opponent(observations, masks, rng) -> actions` | asked about all rows where it is to move |
| a `League` | each game draws a member |
"""  # noqa: E501  # a table's row is one line

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from big2_env.agent_seeds import start_seed
from big2_env.agents import Agent, act_text, check_seats, make_agent
from big2_env.climbing.actions import action_space
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.envs.league import League, Member
from big2_env.errors import ConfigError, repr_text
from big2_env.kernels.batch import mixed
from big2_env.kernels.opponents import Opponent, RowGames, RowPlayer, RowRandom, ask, one_each, uses_history
from big2_env.rng import hashed

Array: TypeAlias = npt.NDArray[Any]
OpponentLike: TypeAlias = "str | Agent | League | RowPlayer | Callable[..., Any]"


def is_batch_function(given: Any) -> bool:
    """True if an opponent is a function of observations, masks and draws."""
    if isinstance(given, type | str | RowPlayer) or _is_agent(given) or not callable(given):
        return False
    return _takes(given, 3)


def _takes(function: Callable[..., Any], number: int) -> bool:
    """True if something can be called with this number of positional arguments."""
    try:
        inspect.signature(function).bind(*[None] * number)
    except TypeError:
        return False
    except ValueError:  # some built-in functions have no signature
        return True
    return True


def _is_agent(given: Any) -> bool:
    """True if something is an agent itself: a class has the methods of its objects, and is none."""
    return not isinstance(given, type) and isinstance(given, Agent)


def resolve_agent(given: Any) -> Agent:
    """The agent that a name, an agent, or a class or function that makes one gives.

    Raises:
        ConfigError: a name that no agent has, or something that is no agent.
    """
    made = make_agent(given) if isinstance(given, str) else given
    if _is_agent(made):
        agent: Agent = made
        return agent
    if not callable(made) or not _takes(made, 0):
        raise ConfigError(
            "expected the name of an agent, an agent with reset and act, what makes one, a function of observations, masks and "
            f"draws, or a League, got opponent {made!r}"
        )
    agent = made()
    if not _is_agent(agent):
        raise ConfigError(f"expected opponent {given!r} to make an agent with reset and act, got a {type(agent).__name__}")
    return agent


def copy_agent(given: Any) -> Agent:
    """As `resolve_agent`, but of an agent a copy, so that several seats do not share one."""
    made = resolve_agent(given)
    return deepcopy(made) if made is given else made


def batch_opponents(given: OpponentLike | Sequence[OpponentLike], ruleset: RuleSet, num_players: int) -> tuple[Opponent, ...]:
    """The opponents of a batch of games, for the seats after the learner's in their order.

    The same name, or the same thing, on several seats is one opponent, which is asked once about all of them.

    Raises:
        ConfigError: another number of them than one or one for each other seat; as `batch_opponent`.
    """
    made: dict[Any, Opponent] = {}
    found = []
    for one in one_each(given, num_players - 1):
        key = one if isinstance(one, str) else id(one)
        if key not in made:
            made[key] = batch_opponent(one, ruleset, num_players, number=len(made))
        found.append(made[key])
    return tuple(found)


def batch_opponent(given: OpponentLike, ruleset: RuleSet, num_players: int, *, number: int = 0) -> Opponent:
    """An opponent as a batch of games asks it; `number` tells several leagues at one table apart, which draw for themselves.

    Raises:
        ConfigError: as `resolve_agent`; an agent that cannot play the ruleset, with its reason.
    """
    if isinstance(given, RowPlayer) or is_batch_function(given) or given == "random":
        return given  # type: ignore[return-value]  # a function of batches, as was just seen
    if isinstance(given, League):
        return LeagueRows(given, ruleset, num_players, number)
    agent = resolve_agent(given)
    check_seats([agent], ruleset, num_players)
    batched = getattr(agent, "batched", None)
    if batched is not None:
        try:
            found: Opponent = batched(ruleset, num_players)
        except ConfigError:  # more shapes than its compiled tables hold, say: then as any other agent
            pass
        else:
            return found
    return AgentRows(given, ruleset, num_players)


class AgentRows(RowPlayer):
    """Any agent in every row, asked about one view at a time.

    Each seat of each row has an agent of its own, with the game's whole history in its view. It starts each game by
    `agent_seeds.start_seed`.

    Args:
        given: a name, an agent that is copied for each seat, or what makes one.
        ruleset: the games' rules.
        num_players: how many seats a game has.
    """

    uses_history = True

    def __init__(self, given: OpponentLike, ruleset: RuleSet, num_players: int) -> None:
        self._given, self._ruleset, self._num_players = given, ruleset, num_players
        self._space = action_space(ruleset)
        self._games: dict[int, tuple[int, int, Game]] = {}
        """By row: the number that the game was dealt by, how many of its acts were followed, and the game."""
        self._agents: dict[tuple[int, int], tuple[Game, Agent]] = {}
        """By row and seat: the game that the agent plays, and the agent."""

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._given, self._ruleset, self._num_players)  # what it remembers follows from the games

    def __repr__(self) -> str:
        return repr(self._given)

    def acts(self, engine: RowGames, rows: Array, rng: RowRandom) -> npt.ArrayLike:
        """The act of each row's agent, int64 (M,).

        Raises:
            ConfigError: an agent gives what is no legal play.
        """
        seeds, history = engine.deal_seeds, engine.history
        actions = np.zeros(len(rows), np.int64)
        for n, row in enumerate(rows.tolist()):
            game = self._follow_game(engine, row, int(seeds[row]), history[row])
            agent = self._agent_to_move(row, game)
            legal = game.legal_plays()
            play = agent.act(game.view(), legal)
            if play not in legal:
                where = f"opponent {repr_text(agent)} on seat {game.turn} of game {row}"
                raise ConfigError(f"expected a legal play from {where}, got {act_text(play)}")
            actions[n] = self._space.of_play(play, game.position.hands[game.turn])
        return actions

    def _agent_to_move(self, row: int, game: Game) -> Agent:
        """Return the agent of the seat to move, reset if a new game has begun."""
        known, agent = self._agents.get((row, game.turn), (None, None))
        if agent is None:
            agent = copy_agent(self._given)
        if known is not game:
            agent.reset(start_seed(game, game.turn))
            self._agents[row, game.turn] = game, agent
        return agent

    def _follow_game(self, engine: RowGames, row: int, seed: int, acts: Array) -> Game:
        """The row's game with its history; one that was put somewhere by hand has none from before."""
        steps = int(engine.games.steps[row])
        dealt_by, done, game = self._games.get(row, (None, 0, None))
        if game is None or dealt_by != seed or done > steps:
            game = Game.deal(self._ruleset, seed, self._num_players)
            done = len(game.history)
        while done < steps and not game.is_over:
            play = self._space.play(int(acts[done]), game.legal_plays())
            if play is None:
                break
            game.push(play)
            done += 1
        position = engine.position(row)
        if _position_key(game.position) != _position_key(position):
            game = Game(self._ruleset, position)
        self._games[row] = seed, steps, game
        return game


def _position_key(position: Any) -> tuple[Any, ...]:
    """What tells positions of games apart."""
    return position.hands, position.turn, position.top, position.passed


class LeagueRows(RowPlayer):
    """A league in every row: a member for each game, drawn by the deal's seed when the league is first asked there.

    No agent receives the number that a member is drawn by. Leagues of different numbers draw independently.

    Raises:
        ConfigError: a member cannot play.
    """

    def __init__(self, league: League, ruleset: RuleSet, num_players: int, number: int = 0) -> None:
        self.league = league
        self._ruleset, self._num_players, self._number = ruleset, num_players, number
        self._made: list[tuple[Member, Opponent]] = []
        """Members that play somewhere or may be drawn, as these games ask them."""
        self._deals: Array = np.zeros(0, np.uint64)
        """By row: the seed of the deal that a member was drawn for."""
        self._drawn: Array = np.zeros(0, np.int64)
        """By row: the place in `_made` of the member that plays there, -1 for none."""
        self.uses_history = any(uses_history(self._opponent_of(member)) for member in league.members)

    def __repr__(self) -> str:
        return repr(self.league)

    def __reduce__(self) -> tuple[Any, ...]:
        state = {name: self.__dict__[name] for name in ("_made", "_deals", "_drawn", "uses_history")}
        return _league_rows, (self.league, self._ruleset, self._num_players, self._number), state

    def _opponent_of(self, member: Member) -> Opponent:
        return self._made[self._place_of(member)][1]

    def _place_of(self, member: Member) -> int:
        """The place of a member in `_made`."""
        for place, (known, _) in enumerate(self._made):
            if known.opponent is member.opponent:
                return place
        self._made.append((member, batch_opponent(member.opponent, self._ruleset, self._num_players)))
        return len(self._made) - 1

    def acts(self, engine: RowGames, rows: Array, rng: RowRandom) -> npt.ArrayLike:
        """The acts of the members that play in these rows, int64 (M,)."""
        if len(self._drawn) != engine.num_games:
            self._deals, self._drawn = np.zeros(engine.num_games, np.uint64), np.full(engine.num_games, -1)
        deals = engine.deal_seeds[rows]
        begun = (self._drawn[rows] < 0) | (self._deals[rows] != deals)
        if begun.any():
            self._draw(rows[begun], deals[begun])
        drawn, actions = self._drawn[rows], np.zeros(len(rows), np.int64)
        for place in np.unique(drawn).tolist():
            mine, opponent = np.flatnonzero(drawn == place), self._made[place][1]
            if uses_history(opponent):
                engine.keep_history()
            actions[mine] = ask(engine, opponent, rows[mine], rng[mine])
        return actions

    def _draw(self, rows: Array, deals: Array) -> None:
        """Draw a member for the games that have begun in these rows."""
        self._forget_those_gone()
        numbers = RowRandom(mixed(deals ^ np.uint64(hashed(self._number)))).random()
        places = np.array([self._place_of(member) for member in self.league.members])
        self._drawn[rows] = places[self.league.draw(numbers)]
        self._deals[rows] = deals

    def leave(self, rows: Array) -> None:
        """Note that the games of these rows, int64 (M,), have ended, so that members that play nowhere else can go."""
        if len(self._drawn):
            self._drawn[rows] = -1

    def _forget_those_gone(self) -> None:
        """Let snapshots go that left the league and play nowhere any more."""
        if len(self._made) <= 2 * len(self.league.members):
            return
        may_come = {id(member.opponent) for member in self.league.members}
        plays = set(self._drawn.tolist())
        kept = [place for place, (member, _) in enumerate(self._made) if place in plays or id(member.opponent) in may_come]
        new_place = np.full(len(self._made) + 1, -1)
        new_place[kept] = np.arange(len(kept))
        self._made, self._drawn = [self._made[place] for place in kept], new_place[self._drawn]


def _league_rows(league: League, ruleset: RuleSet, num_players: int, number: int) -> LeagueRows:
    found = object.__new__(LeagueRows)
    found.league, found._ruleset, found._num_players, found._number = league, ruleset, num_players, number
    return found
