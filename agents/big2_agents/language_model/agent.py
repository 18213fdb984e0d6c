"""A language model as an agent: `llm:MODEL`, with options as in `llm:MODEL,legal,temperature=0`."""

from __future__ import annotations

from itertools import islice

from big2_agents.evaluation.answers import COUNTS
from big2_agents.language_model.asking import asking
from big2_agents.language_model.faults import Unfinished, unfinished
from big2_agents.language_model.protocol import Options, complaint, corrected, protocol_hash, verdict_text
from big2_agents.language_model.replies import Reply
from big2_agents.language_model.settings import Settings, policy_of_environment
from big2_env.base.errors import one_line
from big2_env.base.language import Language
from big2_env.base.rng import SplitMix64
from big2_env.climbing.forfeit import ForfeitError
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.view import View
from big2_env.text.answers import Answer, Played, fault_name, read_answer


class LanguageModelAgent:
    """Asks a language model over an OpenAI-compatible endpoint, except in positions with one legal move.

    Args:
        argument: Name of the model and options, see `protocol.Options`.

    Raises:
        ConfigError: An option or setting is invalid.
        ImportError: The client is not installed.
    """

    argument = "MODEL"
    """Argument of the agent, for messages."""
    waits = True
    """True for agents that wait for an endpoint: their games are played at once in one process."""

    def __init__(self, argument: str) -> None:
        self._name = f"llm:{argument}"
        self._options = Options.parse(argument)
        self._policy = policy_of_environment()
        self._asking = asking(Settings.of_environment())
        self._seed, self._rng = 0, SplitMix64(0)
        self.counts: dict[str, float] = {}
        """Counts of the current game, by the names in `COUNTS`; empty before the first decision."""

    @property
    def protocol(self) -> str:
        """Hash of prompts, options and policy. Results with different hashes are not comparable."""
        return protocol_hash(self._options, self._policy)

    def reset(self, seed: int) -> None:
        """Start a game.

        Args:
            seed: Seed of random moves after illegal answers, and part of the identity of each request in the cache.
        """
        self._seed, self._rng = seed, SplitMix64(seed)
        self.counts = {}

    def act(self, view: View, legal: LegalPlays) -> Play:
        """Return the move that the model states.

        Raises:
            ForfeitError: The model states no legal move, and the policy is to forfeit.
            ConfigError: The endpoint fails, or the budget is used up.
        """
        first = list(islice(legal, 2))
        if len(first) == 1:
            return first[0]
        if not self.counts:
            self.counts = dict.fromkeys(COUNTS, 0)
        self.counts["decisions"] += 1
        messages = self._options.conversation(view)
        for retry in range(self._policy.retries + 1):
            reply = self._asking.reply(self._options.request(messages), self._seed)
            verdict = unfinished(reply.answer, reply.finish) or read_answer(reply.answer, view, self._options.language)
            self._count(reply, verdict)
            self._log(view, messages, retry, reply, verdict)
            if isinstance(verdict, Played):
                return verdict.play
            messages = corrected(messages, reply.answer, complaint(verdict, Language(self._options.language)))
            self.counts["retries"] += retry < self._policy.retries
        if self._policy.then == "forfeit":
            answers = f"{retry + 1} answer{'s' * (retry > 0)}"
            raise ForfeitError(f"no legal move in {answers}, at last {one_line(verdict_text(verdict), 150)}")
        self.counts["fallbacks"] += 1
        if self._policy.then == "lowest":
            return first[0]
        moves = list(legal)
        return moves[self._rng.below(len(moves))]

    def _count(self, reply: Reply, verdict: Answer | Unfinished) -> None:
        counts = self.counts
        counts["calls"] += 1
        counts["failures"] += reply.attempts - 1
        for name in ("tokens_in", "tokens_out", "tokens_cached", "tokens_reasoning"):
            counts[name] += getattr(reply, name)
        counts["seconds"] = round(counts["seconds"] + reply.seconds, 3)
        if not isinstance(verdict, Played):
            counts[verdict.name if isinstance(verdict, Unfinished) else fault_name(verdict)] += 1

    def _log(self, view: View, messages: list[dict[str, str]], retry: int, reply: Reply, verdict: Answer | Unfinished) -> None:
        """Write an answer to the transcript, if there is one."""
        if (file := self._asking.transcript) is None:
            return
        position = {"ruleset": view.ruleset.name, "seat": view.seat, "move": len(view.history), "seed": self._seed}
        took = {"tokens": reply.tokens, "seconds": reply.seconds, "attempts": reply.attempts}
        said = {"answer": reply.answer, "reasoning": reply.reasoning, "verdict": verdict_text(verdict)}
        file.add(
            {"agent": self._name, "protocol": self.protocol, **position, "retry": retry, "prompt": messages[1:]}
            | said
            | took
            | {"finish": reply.finish, "cached": reply.is_cached}
        )

    def __repr__(self) -> str:
        return self._name
