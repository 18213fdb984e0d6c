"""One person at a table of automatic or other players: one deal of UNO after another, with undo and a running score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from big2_env.errors import ConfigError, IllegalPlayError, Refusal
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.named_players import seeded_act, uno_player
from big2_env.games.uno.records import UnoRecord
from big2_env.games.uno.rules import UnoRules
from big2_env.games.uno.scene import scene
from big2_env.games.uno.view import UnoView, checked_salt
from big2_env.language import Language, words
from big2_env.rng import drawn_seed
from big2_env.scene import Scene

LAST_EVENTS: Final = 8


class UnoSitting:
    """A person's place at a table of computer players, and the game that is played there now.

    Args:
        rules: the rules.
        seat: where the person sits.
        seed: Seed of the first deal; the next deal's is one higher. By default each deal's seed is drawn.
        against: the name of the player on all other seats, as `named_players.uno_player` knows it.
        agent_seed: salt of that player's random numbers, which otherwise follow from what each seat sees.
        keep: what is called with the record of every deal that is left, over or given up, if anything was played in it.
        changed: what is called with the sitting after every act and undo.

    Raises:
        ConfigError: there is no such seat, or no such player.
    """

    def __init__(
        self,
        rules: UnoRules,
        *,
        seat: int = 0,
        seed: int | None = None,
        against: str = "automatic",
        agent_seed: int = 0,
        keep: Callable[[UnoRecord], None] | None = None,
        changed: Callable[[UnoSitting], None] | None = None,
    ) -> None:
        if not 0 <= seat < rules.players:
            raise ConfigError(f"expected a seat from 0 to {rules.players - 1}, got {seat}")
        self.rules = rules
        """The rules."""
        self.seat = seat
        """Where the person sits."""
        self._counts_seeds = seed is not None
        self.seed = drawn_seed() if seed is None else seed
        """Seed of the present deal."""
        self.against = against
        """The name of the player on all other seats."""
        self.agent_seed = checked_salt(agent_seed)
        """The salt of the other players' random numbers."""
        self._player = uno_player(against)
        self.dealt = 1
        """How many deals were begun."""
        self.keep = keep
        """What is called with the record of every deal that is left."""
        self.changed = changed
        """What is called with the sitting after every act and undo."""
        self.before = (0.0,) * rules.players
        """What the deals before the present one have paid, by seat."""
        self.game = UnoGame.deal(rules, self.seed)
        """The present game, hidden cards included: for the table, not for a shell to show."""

    @property
    def view(self) -> UnoView:
        """What the person may know."""
        return self.game.view(self.seat)

    @property
    def scores(self) -> tuple[float, ...]:
        """What the deals that are over have paid, by seat."""
        paid = (0.0,) * len(self.before) if self.game.outcome is None else self.game.outcome.payoffs()
        return tuple(before + each for before, each in zip(self.before, paid, strict=True))

    @property
    def turn(self) -> int:
        """The seat to move; the last one to move once the present game is over."""
        return self.game.turn

    @property
    def is_over(self) -> bool:
        """True once the present game is over."""
        return self.game.is_over

    @property
    def is_asked(self) -> bool:
        """True if the game waits for the person to choose."""
        return not self.is_over and self.game.turn == self.seat

    def advance(self) -> int | None:
        """Make one act for a computer player; the act, `None` where the game waits for the person or is over.

        Raises:
            ConfigError: the player fails, or gives what is no legal act; nothing is done.
        """
        if self.is_over or self.is_asked:
            return None
        act = seeded_act(self._player, self.game.view(), self.against, salt=self.agent_seed)
        self.game.play(act)
        self._changed()
        return act

    def play(self, act: int) -> None:
        """The person's act.

        Raises:
            ConfigError: no act has that number.
            IllegalPlayError: the act is not legal, or it is not the person's turn; nothing is done.
        """
        if not self.is_over and self.game.turn != self.seat:
            raise IllegalPlayError("it is another player's turn", Refusal.NOT_YOUR_TURN)
        self.game.play(act)
        self._changed()

    def undo(self) -> bool:
        """Take back everything since the person's last act, that act included; False if there is none."""
        history = self.game.history
        ply = next((ply for ply in reversed(range(len(history))) if history[ply].seat == self.seat), None)
        if ply is None:
            return False
        again = UnoGame(self.rules, self.game.deck, self.game.stream)
        for move in history[:ply]:
            again.play(move.act)
        self.game = again
        self._changed()
        return True

    def _changed(self) -> None:
        if self.changed is not None:
            self.changed(self)

    def start(self, game: UnoGame, seed: int) -> None:
        """Go on with a game that was begun before.

        Args:
            game: the game, by the sitting's rules.
            seed: the seed of its deal.
        """
        self.game, self.seed = game, seed

    @property
    def shown_seed(self) -> int | None:
        """The seed of the present deal, if a table may show it: one that the person chose, or that of a game that is over."""
        return self.seed if self._counts_seeds or self.is_over else None

    def next_deal(self) -> None:
        """Deal again, with the next seed or a newly drawn one. A game that is not over is given up and pays nothing."""
        self.leave()
        self.before = self.scores
        self.seed = self.seed + 1 if self._counts_seeds else drawn_seed()
        self.dealt += 1
        self.game = UnoGame.deal(self.rules, self.seed)

    def leave(self) -> None:
        """Keep the present game, if anything was played in it."""
        if self.keep is not None and self.game.history:
            self.keep(self.record())

    def record(self, **extra: Any) -> UnoRecord:
        """The present game as a record, with further keys that have JSON values."""
        other = "article" if self.against == "automatic" else self.against
        players = ["person" if seat == self.seat else other for seat in range(self.rules.players)]
        counts = {"seed_counts": True} if self._counts_seeds else {}
        salted = {"agent_seed": self.agent_seed} if self.agent_seed else {}
        return UnoRecord(self.game, {"seed": self.seed, **counts, "players": players, **salted, **extra})

    def scene(self, lang: Language, *, last: int = LAST_EVENTS) -> Scene:
        """What the person may see now."""
        return scene(self.game, self.seat, names=self.names(lang), lang=lang, last=last, scores=self.scores)

    def names(self, lang: Language) -> list[str]:
        """What each seat is called in a language."""
        tr, players = words(lang), self.rules.players
        others = (tr("side_play.computer", number=(seat - self.seat) % players) for seat in range(players))
        return [tr("table.you") if seat == self.seat else name for seat, name in enumerate(others)]
