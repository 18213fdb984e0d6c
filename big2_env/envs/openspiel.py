"""OpenSpiel adapter: every ruleset as the game `python_big2`.

    from big2_env.envs import openspiel
    game = openspiel.load_game("mini6")  # or pyspiel.load_game("python_big2(ruleset=mini6)")

Deals are explicit chance events: one event with all deals if there are few, as in `mini6` and `mini8`, otherwise one event for
each card. So algorithms that enumerate the tree and algorithms that sample it both run, and states can be saved; OpenSpiel
cannot save states of games in Python that sample chance themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from big2_env.agents.advice import Adviser, advice_of
from big2_env.agents.interface import Agent, check_seats, is_stochastic, make_agent
from big2_env.base.errors import ConfigError, needing, repr_text
from big2_env.climbing.actions import action_space
from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.climbing.game import max_moves
from big2_env.climbing.outcome import check_exact, payoff_range
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.ruleset_data import digest
from big2_env.climbing.rulesets import preset
from big2_env.climbing.rulesets import ruleset as ruleset_of
from big2_env.climbing.settlement import Settlement
from big2_env.climbing.view import View
from big2_env.envs.chance import CHANCE, ChanceGame, Recall, deals, layout_of, move_text

with needing("big2_env.envs.openspiel needs OpenSpiel: pip install 'big2_env[openspiel]'"):
    import pyspiel
    from open_spiel.python.policy import Policy

SHORT_NAME: Final = "python_big2"
PARAMETERS: Final = {"ruleset": "big2", "players": 0, "scoring": ""}
"""Parameters of the game: name of the ruleset, number of players (0: its default), settlement (empty: its own)."""
_given: Final[dict[str, RuleSet]] = {}
"""Rulesets without a name, by the name that the game's parameter has."""


def load_game(ruleset: str | Path | RuleSet = "big2", *, num_players: int | None = None, scoring: str | Settlement = "") -> Any:
    """Return a ruleset as an OpenSpiel game.

    Args:
        ruleset: Ruleset name, `RuleSet`, path to a ruleset file (`*.json`, `*.toml`) or `MODULE:NAME`.
        num_players: Number of players; None for the ruleset's default.
        scoring: `"winner"`, `"cards"` or a `Settlement`; empty for the ruleset's own.

    Returns:
        A `pyspiel.Game`. Games of rulesets without a name can be restored only in processes that have loaded them before.

    Raises:
        ConfigError: The ruleset does not exist, or does not allow that number of players.
    """
    rules = ruleset_of(ruleset)
    rules = rules.with_scoring(scoring) if scoring else rules
    rules.seats(num_players)
    name = rules.name if preset(rules.name) == rules else f"{rules.name}_{digest(rules)}"
    if name != rules.name:
        _given[name] = rules
    return pyspiel.load_game(SHORT_NAME, {"ruleset": name, "players": num_players or 0})


def _game_type(fewest: int, most: int) -> Any:
    """Return the declaration of the game with its numbers of players."""
    return pyspiel.GameType(
        short_name=SHORT_NAME,
        long_name="Big Two and other climbing games",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        min_num_players=fewest,
        max_num_players=most,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=False,
        parameter_specification=PARAMETERS,
    )


class Parts(NamedTuple):
    """Rules and layouts of a game.

    Args:
        ruleset: Rules of the game.
        recall: Layout of the information-state tensor.
        layout: Layout of the observation tensor.
    """

    ruleset: RuleSet
    recall: Recall
    layout: ObservationLayout


@lru_cache(maxsize=32)
def _parts_of(ruleset: str, players: int, scoring: str) -> Parts:
    """Return the parts of a game with the parameters in `PARAMETERS`."""
    rules = _given[ruleset] if ruleset in _given else ruleset_of(ruleset)
    rules = rules.with_scoring(scoring) if scoring else rules
    number = rules.seats(players or None)
    check_exact(rules, number)
    return Parts(rules, Recall(rules, number), layout_of(rules, number))


class ClimbingGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel is untyped
    """OpenSpiel game of a ruleset.

    Actions and observations are the same as in the PettingZoo environment; action 0 is the pass. Information states contain the
    dealt cards and every public move (`Recall`).

    Args:
        params: Parameters as in `PARAMETERS`.

    Raises:
        ConfigError: The ruleset does not exist, does not allow that number of players, or its payoffs are not exact in float64.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        parts = _parts_of(**(PARAMETERS | (params or {})))
        rules, number = parts.ruleset, parts.layout.num_players
        low, high = payoff_range(rules, number)
        info = pyspiel.GameInfo(
            num_distinct_actions=action_space(rules).n,
            max_chance_outcomes=len(deals(rules, number)) or max(rules.deck.cards) + 1,
            num_players=number,
            min_utility=low,
            max_utility=high,
            utility_sum=0.0,
            max_game_length=max_moves(rules, number),
        )
        super().__init__(_game_type(rules.min_players, rules.max_players), info, params or {})
        self._parts = parts

    @property
    def parts(self) -> Parts:
        """Rules and layouts, found again from the parameters in a game that was pickled."""
        found: Parts | None = self.__dict__.get("_parts")
        if found is None:
            found = self._parts = _parts_of(**(PARAMETERS | self.get_parameters()))
        return found

    @property
    def ruleset(self) -> RuleSet:
        """Rules of the game."""
        return self.parts.ruleset

    def new_initial_state(self) -> ClimbingState:
        """Return a state before the deal."""
        return ClimbingState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return the largest number of chance events in a game."""
        rules, number = self.ruleset, self.num_players()
        return 1 if deals(rules, number) else rules.deck.size * (1 if rules.auction is None else rules.auction.deals)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> ClimbingObserver | None:
        """Return an observer of states, None for other observations than public information with the viewer's own cards.

        Args:
            iig_obs_type: With or without perfect recall; None for without.
            params: None.

        Raises:
            ConfigError: There are parameters.
        """
        if params:
            raise ConfigError(f"expected no parameters of observations, got {params}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        is_served = kind.public_info and kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        return ClimbingObserver(self, perfect_recall=kind.perfect_recall) if is_served else None


class ClimbingState(pyspiel.State):  # type: ignore[misc]  # pyspiel is untyped
    """State of a game.

    Args:
        game: The game; call `game.new_initial_state()`.

    Attributes:
        table: The game with its chance events, which contains all hands.
    """

    def __init__(self, game: ClimbingGame) -> None:
        super().__init__(game)
        self.table = ChanceGame(game.ruleset, game.num_players())

    def view(self, seat: int | None = None) -> View:
        """Return what a seat sees, as agents of this package take it.

        Args:
            seat: Seat of the viewer; None for the seat to move.

        Raises:
            ConfigError: Cards have not been dealt yet.
        """
        if self.table.game is None:
            raise ConfigError("expected a state after the deal, got a state before it")
        return self.table.game.view(seat)

    def current_player(self) -> int:
        """Return the seat to move, or OpenSpiel's number for chance or the end."""
        return self.table.turn

    def is_terminal(self) -> bool:
        """Return True if the game is over."""
        return self.table.is_over

    def returns(self) -> list[float]:
        """Return the payoffs, zeros until the end."""
        return list(self.table.payoffs)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of a chance event with their probabilities."""
        found = self.table.outcomes()
        probability = 1 / len(found)
        return [(outcome, probability) for outcome in found]

    def _legal_actions(self, player: int) -> list[int]:
        return self.table.actions()

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Return the outcomes of a chance event, or the legal actions of a player, as OpenSpiel's method does but faster.

        Args:
            player: The player; None for the one to move.
        """
        table = self.table
        if player is None and table.turn == CHANCE:
            return list(table.outcomes())
        if table.turn >= 0 and player in (None, table.turn):
            return table.actions().copy()
        found: list[int] = super().legal_actions() if player is None else super().legal_actions(player)
        return found

    def observation_tensor(self, player: int | None = None) -> list[float]:
        """Return what a player sees as numbers, as OpenSpiel's method does but faster.

        Args:
            player: The player; None for the one to move.
        """
        seat = self.table.turn if player is None else player
        known = 0 <= seat < self.table.num_players
        found: list[float] = (self.table.observation(seat) * 1.0).tolist() if known else super().observation_tensor(seat)
        return found

    def resample_from_infostate(self, player_id: int, probability_sampler: Callable[[], float]) -> ClimbingState:
        """Return a state that the player cannot tell from this one: cards that it has not seen are dealt again.

        Args:
            player_id: The player.
            probability_sampler: Draws from 0 to 1, without 1.

        Raises:
            ConfigError: `ChanceGame.resampled` raises it.
        """
        found: ClimbingState = self.get_game().new_initial_state()
        for event in self.table.resampled(player_id, probability_sampler).events():
            if isinstance(event, Play):
                event = next(action for action, play in found.table.legal().items() if play == event)
            found.apply_action(event)
        return found

    def _apply_action(self, action: int) -> None:
        if not self.table.allows(action):
            legal = self.table.outcomes() if self.table.is_dealing else self.table.actions()
            expected = f"a legal action, such as {legal[0]}" if legal else "no action after the end"
            raise pyspiel.SpielError(f"expected {expected}, got {action}")
        (self.table.deal if self.table.is_dealing else self.table.act)(action)

    def _action_to_string(self, player: int, action: int) -> str:
        table = self.table
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {table.outcome_text(action)}"
        if table.turn == player and action in table.actions():
            return move_text(table.ruleset, table.legal()[action])
        return f"action {action}"

    def __str__(self) -> str:
        return str(self.table)


class ClimbingObserver:
    """Observer of states for one seat at a time, as OpenSpiel calls it.

    Args:
        game: The game.
        perfect_recall: True for the information state, False for what the seat sees now.

    Attributes:
        tensor: The observation, float32.
        dict: The same array by OpenSpiel's name for it.
    """

    def __init__(self, game: ClimbingGame, *, perfect_recall: bool) -> None:
        self._recall = game.parts.recall if perfect_recall else None
        size = game.parts.layout.size if self._recall is None else self._recall.size
        self.tensor = np.zeros(size, np.float32)
        self.dict = {"observation" if self._recall is None else "information_state": self.tensor}

    def set_from(self, state: ClimbingState, player: int) -> None:
        """Write a player's observation to `tensor`."""
        table = state.table
        if self._recall is not None:
            self._recall.encode(table.game, player, self.tensor)
        else:
            self.tensor[:] = table.observation(player)

    def string_from(self, state: ClimbingState, player: int) -> str:
        """Return a player's observation as text."""
        game = state.table.game
        if self._recall is not None:
            return self._recall.text(game, player)
        if game is None:
            return f"seat {player}"
        view = game.view(player)
        played = " | ".join(state.table.ruleset.text(mask) or "-" for mask in view.played)
        return f"{view}; played: {played}; seat {view.turn} to move"


class AgentPolicy(Policy):  # type: ignore[misc]  # pyspiel is untyped
    """OpenSpiel policy of an agent in all seats.

    An agent whose moves are random needs a method `probabilities(view, legal)` that returns the probability of each legal move
    in their order, as `random` has it. Other agents say `is_stochastic = False` and make one move in each information state.

    Args:
        game: The game.
        agent: Agent, or its name; see `big2_env.agents.make_agent`.
        stochastic: True to play the probabilities that the agent's advice gives, like a trained policy before the maximum.

    Raises:
        ConfigError: The agent does not exist, cannot play the game, or has no probabilities.
    """

    def __init__(self, game: ClimbingGame, agent: str | Agent, *, stochastic: bool = False) -> None:
        super().__init__(game, list(range(game.num_players())))
        self.agent = make_agent(agent)
        check_seats([self.agent], game.ruleset, game.num_players())
        self.stochastic = stochastic
        if stochastic and not isinstance(self.agent, Adviser):
            raise ConfigError(f"expected an agent whose advice has probabilities, got {agent!r}")
        self._draws = not stochastic and is_stochastic(self.agent)
        if self._draws and not hasattr(self.agent, "probabilities"):
            raise ConfigError(
                f"expected an agent with is_stochastic = False or a method probabilities(view, legal), got {agent!r}"
            )

    def action_probabilities(self, state: ClimbingState, player_id: int | None = None) -> dict[int, float]:
        """Return the probability of each legal action.

        Args:
            state: State in which a seat is to move.
            player_id: That seat, or None.
        """
        actions = {play: action for action, play in state.table.legal().items()}
        found = dict.fromkeys(actions.values(), 0.0)
        view = state.view()
        legal = view.legal_plays()
        self.agent.reset(0)
        if self._draws:
            chances = self.agent.probabilities(view, legal)  # type: ignore[attr-defined]  # as the constructor has seen
            return found | {actions[play]: chance for play, chance in zip(legal, chances, strict=True)}
        if len(actions) == 1 or not self.stochastic:
            play = legal.listed(given := self.agent.act(view, legal))
            if play is None:
                raise ConfigError(f"expected a legal play of agent {repr_text(self.agent)}, got {repr_text(given)}")
            return found | {actions[play]: 1.0}
        for one in advice_of(self.agent, view, legal):
            if one.probability is None:
                raise ConfigError(f"expected an agent whose advice has probabilities, got {self.agent!r}")
            found[actions[legal.listed(one.play) or one.play]] += one.probability
        return found


_BIG2: Final = ruleset_of(str(PARAMETERS["ruleset"]))
if SHORT_NAME not in pyspiel.registered_names():
    pyspiel.register_game(_game_type(_BIG2.min_players, _BIG2.max_players), ClimbingGame)
