"""Who plays the other seats of one game at a time: agents, functions of batches that are asked about one row, leagues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from big2_env.agent_seeds import start_seed
from big2_env.climbing.play import Play
from big2_env.envs.league import League
from big2_env.envs.opponents import Given, is_of_batches, made_agent
from big2_env.envs.turn_engine import TurnEngine
from big2_env.errors import ConfigError, IllegalPlayError, repr_text
from big2_env.kernels.opponents import RowPlayer, RowRandom, one_each
from big2_env.rng import SplitMix64, hashed


class SeatPlayers:
    """The opponents of one learner's seat.

    Raises:
        ConfigError: another number of opponents than one or one for each other seat; a name that no agent has, or what is none.
    """

    def __init__(self, given: Given | Sequence[Given], number: int) -> None:
        self.given = tuple(one if isinstance(one, League) else _player(one) for one in one_each(given, number))
        """Agents, functions of batches and leagues, the first one on the seat after the learner's."""
        self._members: dict[tuple[int, int], tuple[Any, Any]] = {}
        """By seat and member of a league: what was given, and the player made of it."""
        self._playing: list[tuple[Any, bool]] = []
        """By seat: who plays this game, and whether that is a function of batches."""

    def choose(self, seeds: Sequence[int]) -> None:
        """Choose who plays the next game: leagues draw their members by these seeds, one for each opponent.

        No opponent receives its seed.
        """
        numbers: dict[int, float] = {}  # a league on several seats draws once
        self._playing = []
        for place, (one, seed) in enumerate(zip(self.given, seeds, strict=True)):
            player: Any = one
            if isinstance(one, League):
                number = numbers.setdefault(id(one), SplitMix64(seed).next() / 2**64)
                player = self._member(place, one, number)
            self._playing.append((player, is_of_batches(player)))

    def begin(self, engine: TurnEngine, learner: int) -> None:
        """Reset the agents for the game that was dealt, in which the learner has a seat."""
        for place, (player, is_function) in enumerate(self._playing):
            if not is_function:
                player.reset(start_seed(engine.game, (learner + place + 1) % engine.num_players))

    def _member(self, place: int, league: League, number: float) -> Any:
        """The player that a league puts on a seat."""
        opponent = league.members[int(league.draw([number])[0])].opponent
        key = place, id(opponent)
        if key not in self._members:
            present = {id(member.opponent) for one in self.given if isinstance(one, League) for member in one.members}
            self._members = {key: made for key, made in self._members.items() if key[1] in present}
            self._members[key] = opponent, _player(opponent)
        return self._members[key][1]

    def act(self, engine: TurnEngine, place: int) -> None:
        """Make the act of the seat to move, whose opponent is the `place`-th.

        Raises:
            ConfigError: what the opponent gives is no act.
            IllegalPlayError: it is not legal.
        """
        (player, is_function), seat = self._playing[place], engine.turn
        try:
            if is_function:
                self._act_by_function(engine, player)
                return
            play = player.act(engine.game.view(), engine.game.legal_plays())
            if not isinstance(play, Play):
                raise ConfigError(f"expected one of the legal plays, got a {type(play).__name__}")
            engine.play(play)
        except ConfigError as error:
            raise ConfigError(f"opponent {repr_text(player)} on seat {seat}: {error}") from None
        except IllegalPlayError as error:
            raise IllegalPlayError(f"opponent {repr_text(player)} on seat {seat}: {error}", error.refusal) from None

    def _act_by_function(self, engine: TurnEngine, player: Any) -> None:
        """Let a function of batches act in this one game."""
        observation, mask = engine.observe(engine.turn)
        game = engine.game
        rng = RowRandom(np.array([hashed(game.turn, game.position.hands[game.turn], len(game.history))], np.uint64))
        given = np.asarray(player(observation[None], mask[None], rng))
        if given.shape != (1,) or given.dtype.kind not in "iu":
            raise ConfigError(f"expected 1 integer, got {given.dtype} {given.shape}")
        engine.act(int(given[0]))


def _player(given: Given) -> Any:
    """An agent, or a function of batches as it is.

    Raises:
        ConfigError: neither.
    """
    if isinstance(given, RowPlayer):
        raise ConfigError(
            f"expected an agent or a function of observations, masks and draws, got {given!r}, which plays in batches"
        )
    return given if is_of_batches(given) else made_agent(given)
