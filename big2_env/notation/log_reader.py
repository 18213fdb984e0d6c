"""The reader of the text format's log: the text back to the same game, and to the same bytes.

A log names players and does not number them: whoever is asked first becomes seat 0, unless `names` says who sits where. The
hands come from each player's first turn. What a refused attempt was is not in the log, so its indices are not known; nor is
which of several readings a play had, so the first legal one is taken, as for input. Everything else is there, and every line is
checked against the rules.

A log may stop anywhere. Where it stops before a seat was asked, that seat's hand is not known (but a single hand that is
missing from a full deal is what is left of the deck); where it stops within lines that belong together, they are the `tail`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from big2_env.cards import as_mask
from big2_env.climbing.game import Game
from big2_env.climbing.hands import first_legal
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import BIG2
from big2_env.errors import ConfigError, IllegalPlayError, NotationError, quoted
from big2_env.notation import log
from big2_env.notation.lines import Lines, TextSource
from big2_env.notation.log_items import Item, parse
from big2_env.notation.transcript import Happening, Transcript, check_name


@dataclass(frozen=True)
class GameLog:
    """A log as read."""

    names: tuple[str | None, ...]
    """The name of each seat, `None` where neither the log nor the caller gives it."""
    hands: tuple[int | None, ...]
    """The cards dealt to each seat, as masks, `None` where they are not known."""
    events: tuple[Happening, ...]
    """Everything the log tells, in order."""
    full_width: bool
    """Whether its messages have the full-width comma."""
    tail: str
    """The lines at its end that are only part of an event; empty as a rule."""
    _played: Transcript = field(repr=False)
    """The game played again; the hands and names that are not known are made up, which no event shows."""

    @property
    def transcript(self) -> Transcript:
        """The same game.

        Raises:
            NotationError: the log stops before some seat was asked, so that its cards or its name are not known.
        """
        unknown = [seat for seat, hand in enumerate(self.hands) if hand is None or self.names[seat] is None]
        if unknown:
            seats = " and ".join(map(str, unknown))
            raise NotationError(
                f"the log stops before every player was asked: the cards or the names of seat {seats} are not in it, "
                "so there is no whole game to make of it"
            )
        return self._played

    def dumps(self) -> str:
        """The log again, byte for byte; blank lines, CRLF and the like are gone."""
        ruleset, names = self._played.game.ruleset, self._played.names
        text = (log.event_text(event, ruleset, names, full_width=self.full_width) for event in self.events)
        return "".join(text) + self.tail


def loads(text: str, ruleset: RuleSet = BIG2, names: Sequence[str] | None = None) -> GameLog:
    """The game of one log. Arguments and errors are those of `load`.

    Raises:
        NotationError: also when the text holds no log, or more than one.
    """
    logs = list(load(text, ruleset, names))
    if len(logs) != 1:
        raise NotationError(f"expected one log, got {len(logs)}")
    return logs[0]


def load(source: TextSource, ruleset: RuleSet = BIG2, names: Sequence[str] | None = None) -> Iterator[GameLog]:
    """The games of logs that stand one after another; each but the last has to be finished.

    Args:
        source: a text, an open file, or lines. A byte order mark, CRLF, blank lines and both commas are accepted.
        ruleset: the rules that the games were played by.
        names: who sits in which seat; needed where the number of players is not the ruleset's own.

    Raises:
        NotationError: a line that no log has at that place, or that the rules contradict; with the line number.
        ConfigError: a ruleset whose deal no log shows (two decks, a draw pile, an auction), or an unsuitable number of names.
    """
    if not log.is_readable(ruleset):
        raise ConfigError(
            f"a log of {ruleset.name} cannot be read back: it does not tell equal cards apart, nor what is drawn or "
            "given to the landlord; read its record instead"
        )
    number = len(names) if names is not None else ruleset.default_players
    is_open = ruleset.players is None and ruleset.min_players < ruleset.max_players
    if not ruleset.min_players <= number <= ruleset.max_players or (names is None and is_open):
        given = "no names" if names is None else f"{number} names"
        raise ConfigError(f"{given}: {ruleset.name} has {ruleset.min_players} to {ruleset.max_players} players")
    seated = None if names is None else tuple(map(check_name, names))
    lines = Lines.of(source)
    while True:
        items, tail = parse(lines, ruleset)
        if items:
            yield _replay(items, tail, ruleset, number, seated)
        elif tail:
            raise lines.error(f"{quoted(tail)}: the log stops before anybody was asked")
        if not items or items[-1].kind != "end":
            return


def _replay(items: list[Item], tail: str, ruleset: RuleSet, number: int, names: tuple[str, ...] | None) -> GameLog:
    """The game that the items tell, every one of them checked against the rules."""
    first_turns = [item for item in items if item.kind == "turn"][:number]
    if not first_turns:
        raise NotationError(f"line {items[-1].number}: the log stops before anybody was asked")
    opener = 0 if names is None else _opener(first_turns, names)
    dealt: list[int | None] = [None] * number
    known: list[str | None] = [None] * number if names is None else list(names)
    for i, item in enumerate(first_turns):
        seat = (opener + i) % number
        dealt[seat], known[seat] = item.cards, item.name
    hands, dealt = _fill(ruleset, dealt)
    try:
        game = Game.from_hands(ruleset, hands)
    except ConfigError as error:
        raise NotationError(f"line {first_turns[-1].number}: the hands up to here: {error}") from None
    transcript = Transcript(game, [name or "?" for name in known])
    logged = _Logged(transcript)
    num_logged = 0
    for num_logged, item in zip(count(1), items, strict=False):
        try:
            _check(logged, num_logged - 1, item)
        except NotationError:
            if item is not items[-1] or item.is_whole:
                raise
            num_logged, tail = num_logged - 1, item.text[:-1]
    return GameLog(
        names=tuple(known),
        hands=tuple(dealt),
        events=tuple(logged.events[:num_logged]),
        full_width=any(item.full_width for item in items),
        tail=tail,
        _played=transcript,
    )


def _opener(first_turns: list[Item], names: tuple[str, ...]) -> int:
    """The seat of the player asked first: the one from which the names come in the order of the turns."""
    asked = [item.name for item in first_turns]
    for seat in range(len(names)):
        if [names[(seat + i) % len(names)] for i in range(len(asked))] == asked:
            return seat
    raise NotationError(
        f"line {first_turns[-1].number}: asked are, in this order, {', '.join(asked)}; the seats are {', '.join(names)}"
    )


def _fill(ruleset: RuleSet, dealt: list[int | None]) -> tuple[list[int], list[int | None]]:
    """Whole hands to play with, and those that are known: one that is missing from a full deal is what the others left."""
    shown = [hand for hand in dealt if hand is not None]
    rest = ruleset.order.sort(ruleset.deck.mask & ~_union(shown))
    missing = len(dealt) - len(shown)
    is_full = all(hand.bit_count() == ruleset.hand_size for hand in shown) and len(rest) == missing * ruleset.hand_size
    size = ruleset.hand_size if is_full else 1
    hands = []
    for hand in dealt:
        made_up = [rest.pop() for _ in range(min(size, len(rest)))] if hand is None else []
        hands.append(as_mask(made_up) if hand is None else hand)
    return hands, list(hands) if is_full and missing == 1 else dealt


def _union(masks: list[int]) -> int:
    union = 0
    for mask in masks:
        union |= mask
    return union


class _Logged:
    """The events of a game that a log has lines for."""

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        self._events: list[Happening] = []
        self._read = 0

    @property
    def events(self) -> list[Happening]:
        """Those up to now; the list grows as the game goes on."""
        happened = self.transcript.events
        self._events += [event for event in happened[self._read :] if not isinstance(event, log.NOT_LOGGED)]
        self._read = len(happened)
        return self._events


def _check(logged: _Logged, place: int, item: Item) -> None:
    """Play an item where it is an act, and hold its text against what the rules say happens at that place."""
    game = logged.transcript.game
    if place == len(logged.events) and not game.is_over:
        _act(logged.transcript, item)
    if place == len(logged.events):
        raise NotationError(f"line {item.number}: {quoted(item.text.strip())}: the player who is asked has to act first")
    expected = log.event_text(logged.events[place], game.ruleset, logged.transcript.names)
    if expected == item.text:
        return
    pairs = zip(count(item.number), expected.split("\n"), item.text.split("\n"), strict=False)
    number, should, given = next((pair for pair in pairs if pair[1] != pair[2]), (item.number, expected, item.text))
    raise NotationError(f"line {number}: {quoted(given)}: by the rules the game goes on with {quoted(should)}")


def _act(transcript: Transcript, item: Item) -> None:
    game = transcript.game
    try:
        if item.kind == "bad play":
            transcript.refuse(None)
        elif item.kind == "bad pass" and not game.can_pass:
            transcript.refuse(())
        elif item.kind == "bad pass":
            raise NotationError(f"line {item.number}: a pass is refused where it is legal")
        elif item.kind == "pass":
            game.pass_()
        elif item.kind == "play":
            game.push(first_legal(game.legal_plays(), item.cards, item.patterns))
    except IllegalPlayError as error:
        raise NotationError(f"line {item.number}: {error}") from None
