"""Opponents accepted by all environments, and their batched forms.

| opponent | in batches |
| --- | --- |
| `"random"` | drawn inside the compiled loop |
| a name (`"lowest"`, `"greedy"`, `"heuristic"`, `"learned"`, `"learned:PATH"`, ...), an `Agent`, a class or function that makes one | its batched form if the agent has a method `batched(ruleset, num_players)`, otherwise called once per view (slow) |
| a batch function `opponent(observations, masks, rng) -> actions` | called for all rows in which it is to move |
| a `League` | draws a member for each game |
"""  # noqa: E501  # a table's row is one line

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from big2_env.agents.interface import Agent, check_seats, make_agent, move_text
from big2_env.agents.seeds import start_seed
from big2_env.base.errors import ConfigError, repr_text
from big2_env.base.rng import hashed
from big2_env.climbing.actions import action_space
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.envs.league import League, Member
from big2_env.kernels.batch import mixed
from big2_env.kernels.opponents import Opponent, RowGames, RowPlayer, RowRandom, ask, one_each, uses_history

Array: TypeAlias = npt.NDArray[Any]
OpponentLike: TypeAlias = "str | Agent | League | RowPlayer | Callable[..., Any]"


def is_batch_function(given: Any) -> bool:
    """Return whether an opponent is a function of observations, masks and random draws."""
    if isinstance(given, type | str | RowPlayer) or _is_agent(given) or not callable(given):
        return False
    return takes(given, 3)


def takes(function: Callable[..., Any], number: int) -> bool:
    """Return whether something can be called with this number of positional arguments."""
    try:
        inspect.signature(function).bind(*[None] * number)
    except TypeError:
        return False
    except ValueError:  # some built-in functions have no signature
        return True
    return True


def own_method(agent: Any, name: str) -> Any:
    """Return an optional method of an agent, `None` if it has none, or if it belongs to a base class with another `act`."""
    found, kinds = getattr(agent, name, None), type(agent).__mro__
    owners = [next((kind for kind in kinds if one in vars(kind)), None) for one in (name, "act")]
    if found is None or "act" in getattr(agent, "__dict__", {}):
        return None
    return found if None in owners or issubclass(*owners) else None  # type: ignore[arg-type]  # both are classes then


def _is_agent(given: Any) -> bool:
    """Return whether something is an agent object. Classes have an agent's methods but are not agents."""
    return not isinstance(given, type) and isinstance(given, Agent)


def resolve_agent(given: Any) -> Agent:
    """Return the agent for a name, an agent, or a class or function that makes one.

    Raises:
        ConfigError: If no agent has that name, or `given` is not an agent.
    """
    made = make_agent(given) if isinstance(given, str) else given
    if _is_agent(made):
        agent: Agent = made
        return agent
    if not callable(made) or not takes(made, 0):
        raise ConfigError(
            "expected the name of an agent, an agent with reset and act, what makes one, a function of observations, masks and "
            f"draws, or a League, got opponent {made!r}"
        )
    agent = made()
    if not _is_agent(agent):
        raise ConfigError(f"expected opponent {given!r} to make an agent with reset and act, got a {type(agent).__name__}")
    return agent


def copy_agent(given: Any) -> Agent:
    """Return an agent as `resolve_agent` does, but copy agent objects so that seats do not share one."""
    made = resolve_agent(given)
    return deepcopy(made) if made is given else made


def batch_opponents(given: OpponentLike | Sequence[OpponentLike], ruleset: RuleSet, num_players: int) -> tuple[Opponent, ...]:
    """Return a batch's opponents, one per seat after the learner's.

    The same name or object on several seats becomes one opponent, called once for all of them.

    Args:
        given: One opponent for all other seats, or one per seat.
        ruleset: Ruleset of the games.
        num_players: Number of seats per game.

    Raises:
        ConfigError: If the number of opponents does not match; otherwise as `batch_opponent`.
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
    """Return the batched form of an opponent.

    Args:
        given: The opponent.
        ruleset: Ruleset of the games.
        num_players: Number of seats per game.
        number: Index that makes several leagues at one table draw independently.

    Raises:
        ConfigError: As `resolve_agent`; or if the agent cannot play the ruleset, with its reason.
    """
    if isinstance(given, RowPlayer) or is_batch_function(given) or given == "random":
        return given  # type: ignore[return-value]  # a function of batches, as was just seen
    if isinstance(given, League):
        return LeagueRows(given, ruleset, num_players, number)
    agent = resolve_agent(given)
    check_seats([agent], ruleset, num_players)
    batched = own_method(agent, "batched")
    if batched is not None:
        try:
            found: Opponent = batched(ruleset, num_players)
        except ConfigError:  # more shapes than its compiled tables hold, say: then as any other agent
            pass
        else:
            return found
    return AgentRows(given, ruleset, num_players)


class AgentRows(RowPlayer):
    """Adapter that calls any agent once per row and view.

    Each seat of each row has its own agent, and views contain the game's complete history. Agents are reset for each game
    with `agents.seeds.start_seed` and the game's salt.

    Args:
        given: A name, an agent (copied for each seat), or a class or function that makes one.
        ruleset: Ruleset of the games.
        num_players: Number of seats per game.
    """

    uses_history = True

    def __init__(self, given: OpponentLike, ruleset: RuleSet, num_players: int) -> None:
        self._given, self._ruleset, self._num_players = given, ruleset, num_players
        self._space = action_space(ruleset)
        self._games: dict[int, tuple[int, int, Game]] = {}
        """By row: number of the game, number of moves before the agents' last one, and the game."""
        self._agents: dict[tuple[int, int], tuple[Game, Agent]] = {}
        """By row and seat: the game and the agent that plays it."""

    def __repr__(self) -> str:
        return repr(self._given)

    def moves(self, engine: RowGames, rows: Array, rng: RowRandom) -> npt.ArrayLike:
        """Return the agent's action for each row, int64 (M,).

        Raises:
            ConfigError: If an agent returns an illegal play.
        """
        salts, history = engine.salts, engine.history
        seeds, numbers = engine.deal_seeds, engine.game_numbers
        actions = np.zeros(len(rows), np.int64)
        for n, row in enumerate(rows.tolist()):
            game = self._follow_game(engine, row, int(numbers[row]), int(seeds[row]), history[row])
            agent = self._agent_to_move(row, game, int(salts[row]))
            legal = game.legal_plays()
            play = agent.act(game.view(), legal)
            if play not in legal:
                where = f"opponent {repr_text(agent)} on seat {game.turn} of game {row}"
                raise ConfigError(f"expected a legal play from {where}, got {move_text(play)}")
            actions[n] = self._space.of_play(play, game.position.hands[game.turn])
        return actions

    def _agent_to_move(self, row: int, game: Game, salt: int) -> Agent:
        """Return the agent of the seat to move, reset if a new game has begun."""
        known, agent = self._agents.get((row, game.turn), (None, None))
        if agent is None:
            agent = copy_agent(self._given)
        if known is not game:
            agent.reset(start_seed(game, game.turn, salt=salt))
            self._agents[row, game.turn] = game, agent
        return agent

    def _follow_game(self, engine: RowGames, row: int, number: int, seed: int, moves: Array) -> Game:
        """Return the row's game with its history. A game whose position was set by hand has no earlier history."""
        steps = int(engine.games.steps[row])
        known, done, game = self._games.get(row, (None, 0, None))
        if game is None or known != number or done > steps:
            game = Game.deal(self._ruleset, seed, self._num_players)
            done = len(game.history)
        while done < steps and not game.is_over:
            play = self._space.play(int(moves[done]), game.legal_plays())
            if play is None:
                break
            game.push(play)
            done += 1
        position = engine.position(row)
        if _position_key(game.position) != _position_key(position):
            game = Game(self._ruleset, position)
        self._games[row] = number, steps, game
        return game


def _position_key(position: Any) -> tuple[Any, ...]:
    """Return the parts that distinguish positions of games."""
    return position.hands, position.turn, position.top, position.passed


class LeagueRows(RowPlayer):
    """League in every row: each game draws a member when the league first moves in it.

    The deal's seed determines the draw. No agent receives that number. Leagues with different `number`s draw
    independently.

    Args:
        league: The league.
        ruleset: Ruleset of the games.
        num_players: Number of seats per game.
        number: Index of the league among several at one table.

    Raises:
        ConfigError: If a member cannot play.
    """

    def __init__(self, league: League, ruleset: RuleSet, num_players: int, number: int = 0) -> None:
        self._ruleset, self._num_players, self._number = ruleset, num_players, number
        self._made: list[tuple[Member, Opponent]] = []
        """Members that play somewhere or can be drawn, with their batched forms."""
        self._dealt: Array = np.zeros(0, np.int64)
        """By row: number of the game for which a member was drawn."""
        self._drawn: Array = np.zeros(0, np.int64)
        """By row: index in `_made` of the row's member, -1 for none."""
        self.draw_from(league)

    def draw_from(self, league: League) -> None:
        """Replace the league, from the next draw of each row on. Raises as the class."""
        for member in league.members:
            self._place_of(member)
        self.league = league

    @property
    def uses_history(self) -> bool:  # type: ignore[override]  # members may come that use it
        """True if a member needs `BatchEngine.history`. Raises as the class."""
        players = [self._made[self._place_of(member)][1] for member in self.league.members]
        return any(map(uses_history, players))

    def __repr__(self) -> str:
        return repr(self.league)

    def _place_of(self, member: Member) -> int:
        """Return a member's index in `_made`, adding it if needed."""
        for place, (known, _) in enumerate(self._made):
            if known.opponent is member.opponent:
                return place
        self._made.append((member, batch_opponent(member.opponent, self._ruleset, self._num_players)))
        return len(self._made) - 1

    def moves(self, engine: RowGames, rows: Array, rng: RowRandom) -> npt.ArrayLike:
        """Return the actions of the members that play in these rows, int64 (M,)."""
        if len(self._drawn) != engine.num_games:
            self._dealt, self._drawn = np.zeros(engine.num_games, np.int64), np.full(engine.num_games, -1)
        dealt = engine.game_numbers[rows]
        begun = (self._drawn[rows] < 0) | (self._dealt[rows] != dealt)
        if begun.any():
            self._draw(rows[begun], engine.deal_seeds[rows[begun]])
            self._dealt[rows] = dealt
        drawn, actions = self._drawn[rows], np.zeros(len(rows), np.int64)
        for place in np.unique(drawn).tolist():
            mine, opponent = np.flatnonzero(drawn == place), self._made[place][1]
            actions[mine] = ask(engine, opponent, rows[mine], rng[mine])
        return actions

    def _draw(self, rows: Array, deals: Array) -> None:
        """Draw members for the games that have begun in these rows."""
        self._forget_those_gone()
        numbers = RowRandom(mixed(deals ^ np.uint64(hashed(self._number)))).random()
        places = np.array([self._place_of(member) for member in self.league.members])
        self._drawn[rows] = places[self.league.draw(numbers)]

    def leave(self, rows: Array) -> None:
        """Release the members of these rows, int64 (M,), whose games have ended."""
        if len(self._drawn):
            self._drawn[rows] = -1

    def _forget_those_gone(self) -> None:
        """Drop former members that no longer play in any row."""
        if len(self._made) <= 2 * len(self.league.members):
            return
        may_come = {id(member.opponent) for member in self.league.members}
        plays = set(self._drawn.tolist())
        kept = [place for place, (member, _) in enumerate(self._made) if place in plays or id(member.opponent) in may_come]
        new_place = np.full(len(self._made) + 1, -1)
        new_place[kept] = np.arange(len(kept))
        self._made, self._drawn = [self._made[place] for place in kept], new_place[self._drawn]
