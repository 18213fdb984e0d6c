"""TextArena adapter: climbing games for language models, in all seats or in one seat against agents.

`agents/examples/textarena_game.py` plays a whole game, and `verifiers_game.py` another one through `verifiers`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from operator import index
from statistics import fmean
from typing import Any, Literal

from big2_env.agents.interface import Agent, check_seats, play_turn, reset_seats
from big2_env.base.errors import ConfigError, needing
from big2_env.base.language import Language, as_language, words
from big2_env.base.salts import Salts
from big2_env.base.validated import Copied
from big2_env.climbing.forfeit import ForfeitError, forfeit
from big2_env.climbing.game import Game
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_of
from big2_env.climbing.view import View
from big2_env.envs.opponents import OpponentLike, copy_agent
from big2_env.kernels.opponents import one_each
from big2_env.text.answers import Played, fault_name, fault_text, read_answer
from big2_env.text.names import example_cards
from big2_env.text.observation import check_history, observation, page_lines
from big2_env.text.rules import rules_page

with needing("big2_env.envs.textarena needs TextArena: pip install 'big2_env[textarena]'"):
    import textarena as ta


class TextArenaEnv(Copied, ta.Env):  # type: ignore[misc]  # TextArena is untyped
    """TextArena environment of a climbing game, for all seats or for one seat against agents.

    Observations: before its first move a player gets its task and the rules, and before every move all that its seat may
    know. Answers are not shown to other players.

    Actions: any text that `big2_env.text.answers.read_answer` reads as a legal move. Every other answer is TextArena's
    invalid move: the player gets the reason and is asked again. After `error_allowance` repetitions it forfeits the game
    (`big2_env.climbing.forfeit`). No answer is ever replaced by another move.

    Rewards: the payoff of each player when the game ends; with `regrets` minus the mean regret of its moves.

    Infos: `step` returns the `fault` of a refused answer: `illegal`, `unreadable` or `ambiguous`, and with `regrets` the
    `regret` of a move. `close` returns the number of each fault for each player, next to TextArena's own entries.

    Args:
        ruleset: Ruleset name, `RuleSet`, path to a ruleset file (`*.json`, `*.toml`) or `MODULE:NAME`.
        opponents: In games of one player, the agent of all other seats or of each of them: a name, an `Agent`, or a class or
            function that makes one.
        agent_seed: Number from 0 to 2**63 - 1 for other random choices of opponents in the same games; `None` for none.
        language: Language of the texts.
        legal: True to list the legal moves.
        history: `"full"` for all moves so far, `"trick"` for the current trick.
        error_allowance: Number of times that a player is asked again for the same move.
        regrets: Function that returns the regret of each legal move of a view in points, such as
            `big2_agents.data.chat.Teacher("learned", BIG2, 4).regrets`. A player that gives up gets the largest.

    Raises:
        ConfigError: If an argument is invalid. Opponents are checked by `reset`.
    """

    def __init__(
        self,
        ruleset: str | RuleSet = "big2",
        *,
        opponents: OpponentLike | Sequence[OpponentLike] = "random",
        agent_seed: int | None = None,
        language: str | Language = Language.EN,
        legal: bool = False,
        history: Literal["full", "trick"] = "full",
        error_allowance: int = 2,
        regrets: Callable[[View], Sequence[float]] | None = None,
    ) -> None:
        check_history(history)
        self._salts = Salts(agent_seed)
        self.ruleset, self.opponents, self.error_allowance = ruleset_of(ruleset), opponents, _allowance(error_allowance)
        self.regrets = regrets
        self.tr, self.legal, self.history = words(as_language(language)), legal, history

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Deal a game.

        Args:
            num_players: Number of seats that are asked; 1 for seat 0 against `opponents`.
            seed: Seed of the deal; `None` draws it from Python's `random`, which TextArena's runners seed.

        Raises:
            ConfigError: If the ruleset does not allow that number of players, or an opponent is unknown or cannot play it.
        """
        given, agents = self.opponents, list[Agent]()
        others = len(given) + 1 if isinstance(given, Sequence) and not isinstance(given, str) else None
        seats = self.ruleset.seats(others if num_players == 1 else num_players)
        if num_players == 1:
            agents = [copy_agent(one) for one in ("random", *one_each(given, seats - 1))]  # seat 0's is never asked
            check_seats(agents, self.ruleset, seats)
        deal = random.getrandbits(63) if seed is None else seed  # what is refused draws nothing
        game = Game.deal(self.ruleset, deal, seats)
        reset_seats(agents, game, salt=self._salts.first(deal))
        self.game, self._agents = game, agents
        self.state = ta.MinimalMultiPlayerState(num_players=num_players, error_allowance=self.error_allowance)
        self._lost: list[list[float]] = [[] for _ in range(num_players)]
        self.state.reset(game_state={}, player_prompt_function=self._prompt)
        for info in self.state.game_info.values():
            info.update(dict.fromkeys(("illegal", "unreadable", "ambiguous"), 0))
        self._advance()

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Make the move that an answer states, or refuse the answer.

        Returns:
            Whether the game is over, and an info dict: empty, or with the `fault` and its `reason`.
        """
        if self.state.done:
            return True, {}
        answer = read_answer(action, self.game.view(), self.tr.language)
        if isinstance(answer, Played):
            self._note_regret(answer.play)
            self.game.push(answer.play)
        else:
            self._refuse(fault_name(answer), fault_text(answer, self.tr))
        is_refused, (_, info) = self.state.made_invalid_move, self.state.step()
        if not is_refused:
            self._advance()
        return self.state.done, info

    def _prompt(self, player_id: int, game_state: dict[str, Any]) -> str:
        example = f"<answer>{example_cards(self.ruleset)}</answer>"
        task = self.tr("observation.task", cards=example, skip="<answer>pass</answer>")
        return "\n".join([task, "", *page_lines(rules_page(self.ruleset, self.tr.language))])

    def _refuse(self, fault: str, reason: str) -> None:
        """Count a fault, then ask again or end the game with a forfeit."""
        player = self.state.current_player_id
        self.state.step_info.update(fault=fault, reason=reason)
        self.state.game_info[player][fault] += 1
        if self.state.set_invalid_move(reason):
            self._note_regret(None)
            self._end(forfeit(self.ruleset, self.game.position, reason).payoffs, f"Player {player} forfeits. {reason}")

    def _note_regret(self, play: Play | None) -> None:
        """Note the regret of the move of the player to move, the largest if it gave up."""
        view = self.game.view()
        if self.regrets is not None and len(legal := view.legal_plays()) > 1:
            found, move = self.regrets(view), legal.listed(play)
            self.state.step_info["regret"] = regret = max(found) if move is None else found[list(legal).index(move)]
            self._lost[view.seat].append(regret)

    def _advance(self) -> None:
        """Let agents move until a player is asked or the game is over."""
        game = self.game
        try:
            while not game.is_over and self._agents and game.turn:
                play_turn(game, self._agents)
        except ForfeitError as error:
            self._end(forfeit(self.ruleset, game.position, "").payoffs, f"Seat {game.turn} forfeits. {error}")
        if game.outcome is not None:
            self._end(game.outcome.payoffs, game.outcome.reason.value)
        elif not self.state.done:
            self.state.manually_set_current_player_id(game.turn)
        for seat in range(self.state.num_players) if self.state.done else (game.turn,):
            text = observation(game.view(seat), self.tr.language, legal=self.legal, history=self.history)
            self.state.add_observation(text, ta.ObservationType.GAME_BOARD, to_id=seat)

    def _end(self, payoffs: Sequence[float], reason: str) -> None:
        if self.regrets is not None:
            payoffs = [-fmean(lost or [0.0]) for lost in self._lost]
        self.state.set_game_outcome(dict(enumerate(payoffs[: self.state.num_players])), reason)


def _allowance(given: Any) -> int:
    """Return an `error_allowance`.

    Raises:
        ConfigError: It is not a whole number of 0 or more.
    """
    try:
        number = -1 if isinstance(given, bool) else index(given)
    except TypeError:
        number = -1
    if number < 0:
        raise ConfigError(f"error_allowance: expected a whole number of 0 or more, got {given!r}")
    return number
