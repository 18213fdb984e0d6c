"""One person at a table of agents: one deal after another, with undo, advice and a running score. Shells draw it and ask it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from big2_env.advice import Advice, advice_of
from big2_env.agent_seeds import agent_seed
from big2_env.agents import Agent, check_seats, make_agent, play_turn, reset_seats
from big2_env.cards import Card, CardsLike, as_mask
from big2_env.climbing.events import Event
from big2_env.climbing.game import Game, decks_of
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.errors import ConfigError, IllegalPlayError, Refusal
from big2_env.language import Language, words
from big2_env.notation.records import GameRecord
from big2_env.notation.transcript import Transcript
from big2_env.play.selection import Selection, select_cards
from big2_env.rng import drawn_seed
from big2_env.show import Scene, ShownAdvice, scene
from big2_env.text.events import event_text
from big2_env.text.names import numbered_words

DEFAULT_OPPONENT: Final = "heuristic"
DEFAULT_ADVISER: Final = "heuristic"


class Sitting:
    """A person's place at a table, and the game that is played there now.

    Nothing here waits, prints or starts threads: `advance` makes one act of an agent, which may take a while, so a shell that
    must not stand still calls it in a thread of its own.

    Args:
        ruleset: the game.
        opponents: an agent for each other seat, from the seat after the person's on; by default heuristic ones.
        seat: where the person sits.
        seed: Seed of the first deal; the next deal's is one higher. By default each deal's seed is drawn.
        name: what the person is called; by default `you` in records, and in scenes the word of their language.
        adviser: the agent that is asked for advice.
        auto_pass: True if the person passes without being asked where nothing else is legal.
        keep: what is called with the sitting after every act and undo, such as a `keeper.Keeper`.

    Raises:
        ConfigError: no such seat or agent, an agent that cannot play the game, or a number of players that is not allowed.
    """

    def __init__(
        self,
        ruleset: RuleSet,
        opponents: Sequence[str] = (),
        *,
        seat: int = 0,
        seed: int | None = None,
        name: str | None = None,
        adviser: str = DEFAULT_ADVISER,
        auto_pass: bool = True,
        keep: Callable[[Sitting], None] | None = None,
    ) -> None:
        others = list(opponents) or [DEFAULT_OPPONENT] * (ruleset.default_players - 1)
        number = ruleset.seats(len(others) + 1)
        if not 0 <= seat < number:
            raise ConfigError(f"expected a seat from 0 to {number - 1}, got {seat}")
        self.ruleset = ruleset
        """The game's rules."""
        self.seat = seat
        """Where the person sits."""
        self.opponents = tuple(others)
        """The agents by name, from the seat after the person's on."""
        self.adviser = adviser
        """The agent that is asked for advice."""
        self.auto_pass = auto_pass
        """True if the person passes without being asked where nothing else is legal."""
        specs = [others[(each - seat) % number - 1] for each in range(number)]
        self.keep = keep
        """What is called with the sitting after every act and undo."""
        self.name = name
        """What the person is called, where a name was given."""
        self.names = tuple((name or "you") if each == seat else spec for each, spec in enumerate(_numbered(specs, seat)))
        """What each seat is called."""
        self._agents: list[Agent | None] = [None if each == seat else make_agent(spec) for each, spec in enumerate(specs)]
        check_seats([agent for agent in self._agents if agent is not None], ruleset, number)
        self.scores = [0.0] * number
        """What the deals that are over have paid, by seat."""
        self.deals = 0
        """How many deals are over."""
        self.dealt = 0
        """How many deals were begun."""
        self._counts_seeds = seed is not None
        self._deal(drawn_seed() if seed is None else seed)

    def _deal(self, seed: int) -> None:
        deck, *redeals = map(tuple, decks_of(self.ruleset, seed))
        self.start(Game.from_deck(self.ruleset, deck, len(self.names), redeals), seed, deck)

    def start(
        self,
        game: Game,
        seed: int,
        deck: tuple[Card, ...] | None = None,
        before: tuple[Sequence[float], int] | None = None,
    ) -> None:
        """Play this game from where it stands: a deal, a position, or a game that was broken off.

        Args:
            game: the game.
            seed: Seed of the deal, if the game was dealt.
            deck: the deck from bottom to top, where it is known.
            before: the value of `before` when this very game was left: then what it pays counts even if it is over already.
        """
        if before is not None:
            self.scores, self.deals = list(before[0]), before[1]
        self.seed = seed
        """Seed of the present deal. Agents never receive it: theirs follow from their hands."""
        self.deck = deck
        """The deck from bottom to top, where it is known."""
        self.transcript = Transcript(game, self.names)
        self.before: tuple[Sequence[float], int] = (self.scores, self.deals)
        """The running score, and how many deals were over, before the present game."""
        self._is_old = game.is_over and before is None
        self.dealt += 1
        self.undone = 0
        """How many of the person's choices were taken back in the present game."""
        self.hints = 0
        """How often advice was asked for in the present game."""
        reset_seats([agent or _Nobody() for agent in self._agents], game)
        self._count()

    @property
    def shown_seed(self) -> int | None:
        """The seed of the present deal, if a table may show it: one that the person chose, or that of a game that is over."""
        return self.seed if self._counts_seeds or self.is_over else None

    @property
    def game(self) -> Game:
        """The present game, hidden cards included: for the table, not for a shell to show."""
        return self.transcript.game

    @property
    def view(self) -> View:
        """What the person may know."""
        return self.game.view(self.seat)

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
        return not self.is_over and self.game.turn == self.seat and not (self.auto_pass and self.is_forced_pass)

    @property
    def is_forced_pass(self) -> bool:
        """True if the person is to move and can only pass."""
        return not self.is_over and self.game.turn == self.seat and not _can_choose(self.game)

    def advance(self) -> Play | None:
        """Make one act for whoever is to move but the person: an agent's, or the person's pass where nothing else is legal.

        Returns:
            The act; `None` where the game waits for the person or is over.

        Raises:
            ConfigError: the agent gives what is no legal act; nothing is done.
        """
        if self.is_over or self.is_asked:
            return None
        if self.game.turn == self.seat:
            play = self.game.pass_()
        else:
            play = play_turn(self.game, [agent or _Nobody() for agent in self._agents])
        self._changed()
        return play

    def play(self, cards: CardsLike | Play = 0, pattern: str | None = None) -> Play:
        """The person's act: cards, no cards for a pass, or with the word of an auction as `pattern`.

        Raises:
            IllegalPlayError: the act is not legal, or it is not the person's turn; nothing is done.
            AmbiguousPlayError: the cards can be read in several ways, and `pattern` names none.
            NotationError: no cards.
        """
        if self.is_over:
            raise IllegalPlayError("the game is over", Refusal.GAME_OVER)
        if self.game.turn != self.seat:
            raise IllegalPlayError(f"it is {self.names[self.game.turn]}'s turn", Refusal.NOT_YOUR_TURN)
        play = self.game.play(cards, pattern)
        self._changed()
        return play

    def select_cards(self, cards: CardsLike, lang: Language) -> Selection:
        """What some cards of the person's hand are now: a play that covers, or why they cannot be played."""
        return select_cards(self.legal, as_mask(cards), words(lang))

    @property
    def legal(self) -> LegalPlays:
        """What is legal for the person; while others are to move, what would be if it were their turn, to choose ahead."""
        view = self.view
        if view.is_on_turn:
            return view.legal_plays()
        return LegalPlays(view.ruleset, view.hand, view.top, view.obligation, view.outcome is not None)

    @property
    def can_undo(self) -> bool:
        """True if the person has made a choice in this game that can be taken back."""
        return self._last_choice() is not None

    def undo(self) -> bool:
        """Take back everything since the person's last choice, that choice included; forced passes are no choices.

        Agents are told nothing: they see the position as it stands, and draw from where their randomness was.

        Returns:
            True if there was one.
        """
        ply = self._last_choice()
        if ply is None:
            return False
        while len(self.game.history) > ply:
            self.game.undo()
        self.transcript = Transcript(self.game, self.names)
        self.undone += 1
        self._changed()
        return True

    def _last_choice(self) -> int | None:
        """The ply of the person's last act that was a choice."""
        game = self.game.copy()
        while game.history:
            seat, _ = game.undo()
            if seat == self.seat and _can_choose(game):
                return len(game.history)
        return None

    def advise(self) -> list[Advice]:
        """What the adviser thinks of the person's legal acts, best first; an agent that gives no advice names its own act.

        Raises:
            ConfigError: there is no such agent, it cannot play this game, or it is not the person's turn.
        """
        view = self.view
        if not view.is_on_turn:
            raise ConfigError("it is not your turn")
        asked = make_agent(self.adviser)
        check_seats([asked], self.ruleset, len(self.names))
        self.hints += 1
        asked.reset(agent_seed(view))
        return advice_of(asked, view, view.legal_plays())

    def next_deal(self) -> None:
        """Deal again, with the next seed or a newly drawn one. A game that is not over is given up and pays nothing."""
        self._deal(self.seed + 1 if self._counts_seeds else drawn_seed())

    def record(self, **extra: Any) -> GameRecord:
        """The present game as a record, to be kept, read again, and gone on with.

        Args:
            extra: further keys with JSON values.
        """
        kept: dict[str, Any] = {"seed": self.seed, "seat": self.seat, "agents": list(self.opponents)}
        if self._counts_seeds:
            kept["seed_counts"] = True  # the next deal's seed is one higher, also after the game is resumed
        kept |= {key: number for key, number in (("undone", self.undone), ("hints", self.hints)) if number}
        return GameRecord(self.transcript, self.deck, kept | extra)

    def scene(self, lang: Language, advice: Iterable[ShownAdvice] = (), last: int = 8) -> Scene:
        """What the person may see now."""
        names = self.names_in(lang)
        return scene(self.game, self.seat, names=names, lang=lang, last=last, advice=advice, scores=self.scores)

    def lines_of(self, events: Iterable[Event], lang: Language) -> list[str]:
        """Events of the present game in words, a line each; those that need none are left out."""
        tr, names = words(lang), self.names_in(lang)
        return [line for event in events if (line := event_text(self.ruleset, names, event, tr)) is not None]

    def names_in(self, lang: Language) -> list[str]:
        """What each seat is called in a language."""
        tr, number = words(lang), len(self.names)
        specs = (self.opponents[(seat - self.seat) % number - 1] for seat in range(number))
        names = [numbered_words(spec, name, tr) for spec, name in zip(specs, self.names, strict=True)]
        names[self.seat] = self.name or tr("table.you")
        return names

    def _changed(self) -> None:
        self._count()
        if self.keep is not None:
            self.keep(self)

    def _count(self) -> None:
        """Add what the present game has paid to the running score, or take it off again."""
        outcome = None if self._is_old else self.game.outcome
        paid = (0.0,) * len(self.names) if outcome is None else outcome.payoffs
        self.scores = [score + each for score, each in zip(self.before[0], paid, strict=True)]
        self.deals = self.before[1] + (outcome is not None)


def _can_choose(game: Game) -> bool:
    """True if the seat to move can do more than pass."""
    legal = game.legal_plays()
    return not legal.can_pass or bool(legal.calls) or next(legal.ruleset.table.plays(legal.hand, legal.top), None) is not None


class _Nobody:
    """Who sits where the person does: never asked."""

    def reset(self, seed: int) -> None:
        """Nothing about a person follows from a seed."""

    def act(self, view: View, legal: object) -> Play:
        """No act is made for a person."""
        raise AssertionError("the person is asked by the shell")


def _numbered(specs: Sequence[str], person: int) -> list[str]:
    """The agents' names, with a number where several seats have the same."""
    others = [seat for seat in range(len(specs)) if seat != person]
    names = list(specs)
    for spec in set(specs):
        same = [seat for seat in others if specs[seat] == spec]
        if len(same) > 1:
            for number, seat in enumerate(same, start=1):
                names[seat] = f"{spec}{number}"
    return names
