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
from typing import Final, Literal, NamedTuple

from big2_env.cards import as_mask
from big2_env.climbing.game import Game
from big2_env.climbing.hands import first_legal
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import BIG2
from big2_env.errors import ConfigError, IllegalPlayError, NotationError, quoted
from big2_env.notation import log
from big2_env.notation.lines import Lines, TextSource
from big2_env.notation.transcript import Happening, Transcript, check_name

MAX_EVENTS: Final = 100_000
"""Most events that one log may have."""
MAX_TEXT: Final = 1 << 25
"""Most characters that one log may have."""

_TURN_HEAD, _TURN_TAIL = log.TURN.split("{name}")
_BAD_PLAYS: Final = tuple(log.BAD_PLAY.format(comma=comma) for comma in (log.COMMA, log.FULL_WIDTH_COMMA))
_ENDED_HEADS: Final = tuple(log.ENDED.format(comma=comma, name="") for comma in (log.COMMA, log.FULL_WIDTH_COMMA))


class Item(NamedTuple):
    """The lines of one event, not yet held against the rules."""

    number: int
    """Number of its first line."""
    kind: Literal["trick", "turn", "bad play", "bad pass", "play", "pass", "end"]
    text: str
    """The lines as the writer would give them, with the ASCII comma."""
    name: str = ""
    """Who is asked (of a turn)."""
    cards: int = 0
    """The cards in hand (of a turn) or on the table (of a play), as a mask."""
    patterns: tuple[str, ...] = ()
    """The patterns that have the label of a play."""
    full_width: bool = False
    """Whether it has the full-width comma."""
    is_whole: bool = True
    """Whether its last line ended with a newline."""


class _PartialError(Exception):
    """The log stops within the lines of one event."""


def parse(lines: Lines, ruleset: RuleSet) -> tuple[list[Item], str]:
    """The items of one log, up to and with its end, and the text of a partial one after them."""
    labels: dict[str, tuple[str, ...]] = {}
    for rule in ruleset.patterns:
        label = ruleset.zh_of(rule.pattern.name)
        labels[label] = (*labels.get(label, ()), rule.pattern.name)
    items: list[Item] = []
    name, size = "", 0
    while (line := lines.next_filled()) is not None:
        if len(items) == MAX_EVENTS:
            raise lines.error(f"more than {MAX_EVENTS} events in one log")
        block = [line]
        try:
            item = _item(lines, block, name, labels, ruleset)._replace(is_whole=lines.is_whole)
        except _PartialError:
            return items, _text(block) if lines.is_whole else "\n".join(block)
        except NotationError:
            if lines.is_whole or next(lines, None) is not None:
                raise
            return items, "\n".join(block)  # the writer was stopped within its last line
        size += len(item.text)
        if size > MAX_TEXT:
            raise lines.error(f"more than {MAX_TEXT} characters in one log")
        items.append(item)
        if item.kind == "turn":
            name = item.name
        if item.kind == "end":
            break
    return items, ""


def _item(lines: Lines, block: list[str], name: str, labels: dict[str, tuple[str, ...]], ruleset: RuleSet) -> Item:
    """The item that begins with the line in `block`, which grows by the lines read. `name` is the player who was asked last."""
    line, number = block[0], lines.number
    if line == log.NOTE:
        raise lines.error("this log cannot be read back, as it says: expected the game's record (JSON lines)")
    played = log.PLAYED.format(name=name, play="")
    if line == log.TRICK:
        return Item(number, "trick", f"{line}\n")
    if line.startswith(_TURN_HEAD) and line.endswith(_TURN_TAIL) and len(line) > len(_TURN_HEAD + _TURN_TAIL):
        asked = line.removeprefix(_TURN_HEAD).removesuffix(_TURN_TAIL)
        cards = _hand(lines, block, ruleset)
        return Item(number, "turn", _text(block), asked, cards)
    if line in _BAD_PLAYS:
        _hand(lines, block, ruleset)
        return Item(number, "bad play", _text([_BAD_PLAYS[0], *block[1:]]), full_width=line != _BAD_PLAYS[0])
    if line == log.BAD_PASS:
        _hand(lines, block, ruleset)
        return Item(number, "bad pass", _text(block))
    if name and line == log.PASSED.format(name=name):
        return Item(number, "pass", f"{line}\n")
    if name and line.startswith(played):
        for label, patterns in labels.items():
            if line.startswith(f"{played}{label} "):
                try:
                    cards = as_mask(line.removeprefix(f"{played}{label} "))
                except NotationError as error:
                    raise lines.error(str(error)) from None
                return Item(number, "play", f"{line}\n", cards=cards, patterns=patterns)
        raise lines.error(f"expected one of the patterns {' '.join(labels)}, got {quoted(line.removeprefix(played))}")
    for head in _ENDED_HEADS:
        if line.startswith(head):
            text = f"{_ENDED_HEADS[0]}{line.removeprefix(head)}\n"
            return Item(number, "end", text, full_width=head != _ENDED_HEADS[0])
    raise lines.error(f"{quoted(line)} is no line of a log, or not of the player who is asked")


def _text(block: list[str]) -> str:
    return "".join(f"{line}\n" for line in block)


def _hand(lines: Lines, block: list[str], ruleset: RuleSet) -> int:
    """The cards of the two hand lines that follow, as a mask; the lines are added to `block`."""
    for _ in range(2):
        line = lines.next_filled()
        if line is None:
            raise _PartialError
        block.append(line)
    try:
        cards = as_mask(block[2])
    except NotationError as error:
        raise lines.error(str(error)) from None
    if cards & ~ruleset.deck.mask or log.hand_lines(ruleset, cards).split("\n") != block[1:]:
        raise lines.error("expected a hand: cards from low to high, the indices right above them")
    return cards


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
