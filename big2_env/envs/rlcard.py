"""RLCard adapter: every ruleset as an RLCard environment, for its agents DMC, DQN, NFSP and CFR.

    from big2_env.envs import rlcard
    env = rlcard.make("big2", seed=1)
    env = rlcard.make("mini6", allow_step_back=True)  # for CFR

After the import, `rlcard.make("big2", config={"game_ruleset": "mini6"})` of RLCard does the same.
"""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_env.cards import RANK_NAMES
from big2_env.climbing.actions import ActionSpace, HandSlots, RankTable, action_space
from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.climbing.game import Game
from big2_env.climbing.outcome import check_exact
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_of
from big2_env.climbing.settlement import Settlement
from big2_env.envs.chance import Recall, move_text
from big2_env.errors import ConfigError

try:
    from rlcard.envs.env import Env
    from rlcard.envs.registration import register, registry
except ImportError as error:
    raise ImportError(f"big2_env.envs.rlcard needs RLCard: pip install 'big2_env[rlcard]' ({error})") from error

ENV_ID: Final = "big2"
"""Id for `rlcard.make`."""
MAX_CARDS_BACK: Final = 12
"""Largest deck whose games have `step_back`, which RLCard's CFR needs to go through the whole tree."""


def make(
    ruleset: str | Path | RuleSet = "big2",
    *,
    seed: int | None = None,
    num_players: int | None = None,
    scoring: str | Settlement | None = None,
    allow_step_back: bool = False,
    perfect_recall: bool | None = None,
) -> ClimbingEnv:
    """Return an RLCard environment.

    Args:
        ruleset: Ruleset name, `RuleSet`, path to a ruleset file (`*.json`, `*.toml`) or `MODULE:NAME`.
        seed: Seed of the deals; None for an unpredictable one.
        num_players: Number of players; None for the ruleset's default.
        scoring: `"winner"`, `"cards"` or a `Settlement`; None for the ruleset's own.
        allow_step_back: True to take moves back, in mini games only.
        perfect_recall: True for observations with all moves in order (`big2_env.envs.chance.Recall`); None for the value of
            `allow_step_back`.

    Raises:
        ConfigError: An argument is invalid.
    """
    given = {"ruleset": ruleset, "num_players": num_players, "scoring": scoring, "perfect_recall": perfect_recall}
    return ClimbingEnv({"seed": seed, "allow_step_back": allow_step_back} | {f"game_{key}": given[key] for key in given})


class TextGame:
    """Game as RLCard environments keep it: moves are texts, states are plain data.

    Args:
        ruleset: Rules of the game.
        num_players: Number of seats.

    Attributes:
        np_random: Random generator of the deals, which the environment sets.
        allow_step_back: True if moves can be taken back.
    """

    def __init__(self, ruleset: RuleSet, num_players: int) -> None:
        self.ruleset, self.num_players = ruleset, num_players
        self.np_random = np.random.RandomState()
        self.allow_step_back = False
        self.game = Game.deal(ruleset, 0, num_players)

    def init_game(self) -> tuple[dict[str, Any], int]:
        """Deal a game, and return the state of the seat to move with that seat."""
        high, low = self.np_random.randint(1 << 32, size=2, dtype=np.int64).tolist()
        self.game = Game.deal(self.ruleset, high << 32 | low, self.num_players)
        return self.get_state(self.game.turn), self.game.turn

    def legal(self) -> dict[str, Play]:
        """Return the legal moves of the seat to move by their texts."""
        return {move_text(self.ruleset, play): play for play in self.game.legal_plays()}

    def step(self, action: str) -> tuple[dict[str, Any], int]:
        """Make a move, and return the state of the next seat with that seat.

        Args:
            action: The move as text.

        Raises:
            ConfigError: The move is not legal.
        """
        play = self.legal().get(action)
        if play is None:
            raise ConfigError(f"expected one of {', '.join(self.legal()) or 'no move'}, got {action!r}")
        self.game.push(play)
        return self.get_state(self.game.turn), self.game.turn

    def step_back(self) -> bool:
        """Take back the last move. Return False at the start of the game."""
        if not self.game.history:
            return False
        self.game.undo()
        return True

    def get_state(self, player: int) -> dict[str, Any]:
        """Return the knowledge of a seat as plain data, as in RLCard's `raw_obs`.

        Args:
            player: The seat.
        """
        rules, view = self.ruleset, self.game.view(player)
        return {
            "player": player,
            "current_player": view.turn,
            "hand": rules.text(view.hand),
            "top": None if view.top is None else move_text(rules, view.top),
            "top_player": view.top_seat,
            "cards_left": list(view.cards_left),
            "played_cards": [rules.text(mask) for mask in view.played],
            "landlord": view.landlord,
            "trace": [(seat, move_text(rules, play)) for seat, play in view.history],
            "actions": list(self.legal()) if player == self.game.turn and not self.game.is_over else [],
        }

    def get_player_id(self) -> int:
        """Return the seat to move."""
        return self.game.turn

    def get_num_players(self) -> int:
        """Return the number of seats."""
        return self.num_players

    def get_num_actions(self) -> int:
        """Return the number of actions."""
        return action_space(self.ruleset).n

    def is_over(self) -> bool:
        """Return True if the game is over."""
        return self.game.is_over


class _Observation(np.ndarray[Any, Any]):
    """Array with the method `tostring` of older versions of numpy, which RLCard's CFR calls."""

    def tostring(self) -> bytes:
        """Return the bytes of the array."""
        return self.tobytes()


class ClimbingEnv(Env):  # type: ignore[misc]  # RLCard is untyped
    """RLCard environment of a ruleset. `run`, `step`, `step_back` and the other methods are RLCard's own.

    States: dicts of `obs`, the observation of the PettingZoo environment or with perfect recall, int8; `legal_actions`, a dict
    of the legal actions with their features, which DMC uses; `raw_obs`, the same knowledge as plain data; `raw_legal_actions`,
    the moves as texts; and `action_record`, the moves so far. A seat that is not to move has no legal actions.

    Actions: the ids of the PettingZoo environment. With `raw_action=True` `step` takes a text from `raw_legal_actions`.

    Payoffs: `get_payoffs` returns the payoff of every seat once the game is over.

    Args:
        config: RLCard's `seed` and `allow_step_back`, and the arguments of `make` with the prefix `game_`.

    Raises:
        ConfigError: An argument is invalid, or one with the prefix is unknown.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        given = {key.removeprefix("game_"): config[key] for key in config if key.startswith("game_")}
        known = ("ruleset", "num_players", "scoring", "perfect_recall")
        if unknown := set(given) - set(known):
            raise ConfigError(f"expected {', '.join(f'game_{key}' for key in known)}, got game_{min(unknown)}")
        rules, scoring = ruleset_of(given.get("ruleset", "big2")), given.get("scoring")
        rules = rules if scoring is None else rules.with_scoring(scoring)
        number = rules.seats(given.get("num_players"))
        check_exact(rules, number)
        steps_back = bool(config.get("allow_step_back", False))
        if steps_back and rules.deck.size > MAX_CARDS_BACK:
            raise ConfigError(
                f"expected allow_step_back with a mini game of at most {MAX_CARDS_BACK} cards, got {rules.name} with "
                f"{rules.deck.size}"
            )
        self.name, self.ruleset = rules.name, rules
        self.game = TextGame(rules, number)
        super().__init__({"seed": config.get("seed"), "allow_step_back": steps_back})
        wanted = given.get("perfect_recall")
        self._recall = Recall(rules, number) if (steps_back if wanted is None else wanted) else None
        self.layout = ObservationLayout(rules, number)
        """Layout of observations without perfect recall."""
        self.actions = action_space(rules)
        self._features = ActionFeatures(self.actions)
        size = self.layout.size if self._recall is None else self._recall.size
        self.state_shape = [[size] for _ in range(number)]
        self.action_shape = [[self._features.size] for _ in range(number)]

    def _extract_state(self, state: dict[str, Any]) -> dict[str, Any]:
        game, player = self.game.game, state["player"]
        if self._recall is not None:
            obs: npt.NDArray[np.int8] = np.zeros(self._recall.size, np.int8)
            self._recall.encode(game, player, obs)
        else:
            obs = self.layout.encode(game.view(player))
        legal = self._legal_ids() if state["actions"] else {}
        return {
            "obs": obs.view(_Observation) if self.allow_step_back else obs,
            "legal_actions": OrderedDict((action, self._features.of(action)) for action in legal),
            "raw_obs": state,
            "raw_legal_actions": list(legal.values()),
            "action_record": self.action_recorder,
        }

    def _legal_ids(self) -> dict[int, str]:
        """Return the legal moves as texts by action, ascending."""
        legal = self.game.legal()
        hand = self.game.game.view().hand
        return dict(sorted((self.actions.of_play(play, hand), text) for text, play in legal.items()))

    def _get_legal_actions(self) -> list[int]:
        return list(self._legal_ids())

    def _decode_action(self, action_id: int) -> str:
        legal = self._legal_ids()
        if int(action_id) not in legal:
            raise ConfigError(f"expected one of the legal actions {', '.join(map(str, legal))}, got {action_id}")
        return legal[int(action_id)]

    def get_action_feature(self, action: int) -> npt.NDArray[np.int8]:
        """Return the features of an action, int8: its positions in the hand, or its ranks and their numbers.

        Args:
            action: Action id.
        """
        return self._features.of(int(action))

    def get_payoffs(self) -> npt.NDArray[np.float64]:
        """Return the payoff of each seat; zeros during a game."""
        outcome = self.game.game.outcome
        return np.zeros(self.num_players) if outcome is None else np.array(outcome.payoffs, np.float64)

    def get_perfect_information(self) -> dict[str, Any]:
        """Return everything about the game, with all hands."""
        game = self.game.game
        known = self.game.get_state(game.turn)
        return known | {"hands": [self.ruleset.text(hand) for hand in game.position.hands]}


class ActionFeatures:
    """Features of actions that do not depend on the hand, for DMC.

    In games with hand slots they are the positions. In other games they are the number of cards of each rank in unary, the rank
    that decides the strength, and the pattern. A pass and each decision of an auction have one entry more.

    Args:
        space: The action space.

    Attributes:
        size: Number of entries.
    """

    def __init__(self, space: ActionSpace) -> None:
        self._space = space
        rules = space.ruleset
        self._patterns = [rule.pattern.name for rule in rules.patterns]
        self._most = max((mask.bit_count() for mask in rules.order.rank_masks), default=0)
        cards = space.hand_size if isinstance(space, HandSlots) else len(RANK_NAMES) * (self._most + 1) + len(self._patterns)
        self._cards = cards
        self.size = cards + 1 + len(space.calls)
        self._kept: dict[int, npt.NDArray[np.int8]] = {}

    def of(self, action: int) -> npt.NDArray[np.int8]:
        """Return the features of an action, int8 `(size,)`, which must not be changed.

        Args:
            action: Action id.
        """
        if action not in self._kept:
            if len(self._kept) >= 1 << 12:
                self._kept.clear()
            self._kept[action] = self._made(action)
        return self._kept[action]

    def _made(self, action: int) -> npt.NDArray[np.int8]:
        space, found = self._space, np.zeros(self.size, np.int8)
        if not 0 < action < space.first_call:
            found[self._cards + (action - space.first_call + 1 if action else 0)] = 1
        elif isinstance(space, HandSlots):
            found[list(space.slots(action))] = 1
        elif isinstance(space, RankTable):
            row = space.ruleset.table.rows[space.rows[action - 1]]
            for rank, number in space.ranks(action):
                found[rank * self._most : rank * self._most + number] = 1
            keys = len(RANK_NAMES) * self._most
            found[keys + row.shape.key] = found[keys + len(RANK_NAMES) + self._patterns.index(row.pattern)] = 1
        return found


if ENV_ID not in registry.env_specs:
    register(env_id=ENV_ID, entry_point="big2_env.envs.rlcard:ClimbingEnv")
