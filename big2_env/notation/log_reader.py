"""Reader of the text format's log. It rebuilds the game and checks every line against the rules.

The game that it returns writes the same log, byte for byte.

Some things are not in a log:

* Seat numbers. The player asked first becomes seat 0, unless `names` gives the seats.
* The number of players. All have been asked when one is asked again. A log that stops before that is read as one of the
  ruleset's default number, unless `names` gives the seats.
* Indices of a refused attempt. They stay unknown.
* Readings of ambiguous cards. The first legal one is taken, as for input.

Each player's hand is known from its first turn. If the log stops before that, the hand is unknown, unless it is the only one
missing from a full deal. If the log stops within the lines of an event, these lines become the `tail`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Final, Literal, NamedTuple

from big2_env.base.cards import as_mask, union
from big2_env.base.errors import ConfigError, IllegalPlayError, NotationError, quoted
from big2_env.climbing.game import Game
from big2_env.climbing.hands import first_legal, reading_mark, readings
from big2_env.climbing.parts import Lead
from big2_env.climbing.position import led_by
from big2_env.climbing.ruleset import NextLead, RuleSet
from big2_env.climbing.rulesets import BIG2
from big2_env.notation import log
from big2_env.notation.lines import Lines, TextSource
from big2_env.notation.transcript import Happening, Transcript, check_name

MAX_EVENTS: Final = 100_000
"""Maximum number of events in one log."""
MAX_TEXT: Final = 1 << 25
"""Maximum number of characters in one log."""

_TURN_HEAD, _TURN_TAIL = log.TURN.split("{name}")
_BAD_PLAYS: Final = tuple(log.BAD_PLAY.format(comma=comma) for comma in (log.COMMA, log.FULL_WIDTH_COMMA))
_ENDED_HEADS: Final = tuple(log.ENDED.format(comma=comma, name="") for comma in (log.COMMA, log.FULL_WIDTH_COMMA))


class Item(NamedTuple):
    """Lines of one event, not yet checked against the rules.

    Args:
        number: Number of the first line.
        kind: Kind of event.
        text: The lines as the writer would write them, with the ASCII comma.
        name: Player whose turn it is, for a turn.
        cards: Cards in the hand of a turn, or on the table for a play, as a mask.
        patterns: Names of the patterns with the label of a play.
        mark: Mark of a reading that is not the pattern's first.
        full_width: True if it has the full-width comma.
        is_whole: True if its last line ended with a newline.
    """

    number: int
    kind: Literal["trick", "turn", "bad play", "bad pass", "play", "pass", "end"]
    text: str
    name: str = ""
    cards: int = 0
    patterns: tuple[str, ...] = ()
    mark: str = ""
    full_width: bool = False
    is_whole: bool = True


class _PartialError(Exception):
    """The log stops within the lines of one event."""


def parse(lines: Lines, ruleset: RuleSet) -> tuple[list[Item], str]:
    """Return the items of one log, including its end, and the text of an incomplete item after them.

    Raises:
        NotationError: A line does not belong to a log, or the log is too long.
    """
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
    """Return the item that begins with the line in `block`, to which the lines read are added.

    `name` is the player whose turn it is.
    """
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
            if (found := re.fullmatch(f"{re.escape(played + label)}((?:#[1-9][0-9]?)?) (.*)", line)) is not None:
                try:
                    cards = as_mask(found[2])
                except NotationError as error:
                    raise lines.error(str(error)) from None
                return Item(number, "play", f"{line}\n", cards=cards, patterns=patterns, mark=found[1])
        raise lines.error(f"expected one of the patterns {' '.join(labels)}, got {quoted(line.removeprefix(played))}")
    for head in _ENDED_HEADS:
        if line.startswith(head):
            text = f"{_ENDED_HEADS[0]}{line.removeprefix(head)}\n"
            return Item(number, "end", text, full_width=head != _ENDED_HEADS[0])
    raise lines.error(f"{quoted(line)} is not a line of a log, or not by the player whose turn it is")


def _text(block: list[str]) -> str:
    return "".join(f"{line}\n" for line in block)


def _hand(lines: Lines, block: list[str], ruleset: RuleSet) -> int:
    """Return the cards of the next two lines as a mask, and add the lines to `block`."""
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
    """A log that has been read.

    Args:
        names: Name of each seat, or None if neither the log nor the caller gives it.
        hands: Cards dealt to each seat as masks, or None if unknown.
        events: All events in the log, in order.
        full_width: True if its messages have the full-width comma.
        tail: Lines of an incomplete event at the end; usually empty.
    """

    names: tuple[str | None, ...]
    hands: tuple[int | None, ...]
    events: tuple[Happening, ...]
    full_width: bool
    tail: str
    _played: Transcript = field(repr=False)
    """The replayed game. Unknown hands and names are invented, and no event shows them."""

    @property
    def transcript(self) -> Transcript:
        """The game as a transcript.

        Raises:
            NotationError: The log stops before every seat had a turn, so some cards or names are unknown.
        """
        unknown = [seat for seat, hand in enumerate(self.hands) if hand is None or self.names[seat] is None]
        if unknown:
            seats = " and ".join(map(str, unknown))
            raise NotationError(
                f"the log stops before every player was asked: the cards or the names of seat {seats} are not in it, "
                "so the game cannot be rebuilt"
            )
        return self._played

    def dumps(self) -> str:
        """Return the log again, byte for byte except for blank lines, CRLF and similar."""
        ruleset, names = self._played.game.ruleset, self._played.names
        text = (log.event_text(event, ruleset, names, full_width=self.full_width) for event in self.events)
        return "".join(text) + self.tail


def loads(text: str, ruleset: RuleSet = BIG2, names: Sequence[str] | None = None) -> GameLog:
    """Return the game of a text with one log.

    Args:
        text: The log.
        ruleset: Rules of the game.
        names: Player of each seat; see `load`.

    Raises:
        NotationError: The text does not hold exactly one log, or a line is wrong.
        ConfigError: The ruleset's logs cannot be read back, or the number of players does not fit.
    """
    logs = list(load(text, ruleset, names))
    if len(logs) != 1:
        raise NotationError(f"expected one log, got {len(logs)}")
    return logs[0]


def load(source: TextSource, ruleset: RuleSet = BIG2, names: Sequence[str] | None = None) -> Iterator[GameLog]:
    """Yield the games of consecutive logs. Each log except the last must be finished.

    Args:
        source: A text, an open file, or lines. A byte order mark, CRLF, blank lines and both commas are accepted.
        ruleset: Rules of the games.
        names: Player of each seat; None if the player asked first sits in seat 0. Required if the log stops before all players
            were asked, and their number is not the ruleset's default.

    Raises:
        NotationError: A line does not belong there, or contradicts the rules; the message gives its number.
        ConfigError: The ruleset's logs cannot be read back (two decks, draw pile, auction), or the number of players does
            not fit.
    """
    if not log.is_readable(ruleset):
        raise ConfigError(
            f"a log of {ruleset.name} cannot be read back: it does not tell equal cards apart, nor what is drawn or "
            "given to the landlord; read its record instead"
        )
    if names is not None and not ruleset.min_players <= len(names) <= ruleset.max_players:
        raise ConfigError(f"{len(names)} names: {ruleset.name} has {ruleset.min_players} to {ruleset.max_players} players")
    seated = None if names is None else tuple(map(check_name, names))
    lines = Lines.of(source)
    while True:
        items, tail = parse(lines, ruleset)
        if items:
            yield _replay(items, tail, ruleset, seated)
        elif tail:
            raise lines.error(f"{quoted(tail)}: the log stops before the first turn")
        if not items or items[-1].kind != "end":
            return


def _first_turns(items: list[Item]) -> tuple[list[Item], bool]:
    """Return the first turn of each player, and whether all players were asked: one is asked again after another."""
    found: list[Item] = []
    last = None
    for item in items:
        if item.kind == "turn":
            known = next((turn for turn in found if not item.cards & ~turn.cards), None)
            if known is not None and known is not last:
                return found, True
            last = known or item
            found += [item] if known is None else []
    return found, False


def _replay(items: list[Item], tail: str, ruleset: RuleSet, names: tuple[str, ...] | None) -> GameLog:
    """Return the game that the items describe, with each item checked against the rules."""
    first_turns, has_all = _first_turns(items)
    if not first_turns:
        raise NotationError(f"line {items[-1].number}: the log stops before the first turn")
    number = len(names) if names is not None else ruleset.seats(len(first_turns) if has_all else None)
    if names is None and not has_all and number <= len(first_turns) < ruleset.max_players:
        raise NotationError(
            f"line {items[-1].number}: the log stops before its number of players is known: expected their names"
        )
    del first_turns[number:]
    opener = 0 if names is None else _opener(first_turns, names)
    dealt: list[int | None] = [None] * number
    known: list[str | None] = [None] * number if names is None else list(names)
    for i, item in enumerate(first_turns):
        seat = (opener + i) % number
        dealt[seat], known[seat] = item.cards, item.name
    hands, dealt = _fill(ruleset, dealt)
    try:
        game = Game.from_hands(ruleset, hands)
        if ruleset.next_lead is NextLead.WINNER and (game.turn != opener or _leads_freely(game, items)):
            game = Game.from_position(ruleset, led_by(game.start, opener))
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


def _leads_freely(game: Game, items: list[Item]) -> bool:
    """Return True if the first play lacks the card that a first deal begins with: its player won the deal before."""
    card, lead = game.start.obligation, next((item.cards for item in items if item.kind == "play"), 0)
    return bool(lead) and (lead != card if game.ruleset.lead is Lead.EXACT else bool(card & ~lead))


def _opener(first_turns: list[Item], names: tuple[str, ...]) -> int:
    """Return the seat of the player asked first, from which the names appear in the order of the turns."""
    asked = [item.name for item in first_turns]
    for seat in range(len(names)):
        if [names[(seat + i) % len(names)] for i in range(len(asked))] == asked:
            return seat
    raise NotationError(
        f"line {first_turns[-1].number}: asked are, in this order, {', '.join(asked)}; the seats are {', '.join(names)}"
    )


def _fill(ruleset: RuleSet, dealt: list[int | None]) -> tuple[list[int], list[int | None]]:
    """Return complete hands to play with, and the known hands. The only hand missing from a full deal is known."""
    shown = [hand for hand in dealt if hand is not None]
    rest = ruleset.order.sort(ruleset.deck.mask & ~union(shown))
    missing = len(dealt) - len(shown)
    each = ruleset.cards_each(len(dealt))
    is_full = all(hand.bit_count() == each for hand in shown) and len(rest) == missing * each
    size = each if is_full else 1
    hands = []
    for hand in dealt:
        made_up = [rest.pop() for _ in range(min(size, len(rest)))] if hand is None else []
        hands.append(as_mask(made_up) if hand is None else hand)
    return hands, list(hands) if is_full and missing == 1 else dealt


class _Logged:
    """Events of a game that a log has lines for."""

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        self._events: list[Happening] = []
        self._read = 0

    @property
    def events(self) -> list[Happening]:
        """The events so far; the list grows with the game."""
        happened = self.transcript.events
        self._events += [event for event in happened[self._read :] if not isinstance(event, log.NOT_LOGGED)]
        self._read = len(happened)
        return self._events


def _check(logged: _Logged, place: int, item: Item) -> None:
    """Make the move of an item if it is one, and compare its text with the event that the rules give."""
    game = logged.transcript.game
    if place == len(logged.events) and not game.is_over:
        _move(logged.transcript, item)
    if place == len(logged.events):
        raise NotationError(f"line {item.number}: {quoted(item.text.strip())}: the player who is asked has to act first")
    expected = log.event_text(logged.events[place], game.ruleset, logged.transcript.names)
    if expected == item.text:
        return
    pairs = zip(count(item.number), expected.split("\n"), item.text.split("\n"), strict=False)
    number, should, given = next((pair for pair in pairs if pair[1] != pair[2]), (item.number, expected, item.text))
    raise NotationError(f"line {number}: {quoted(given)}: by the rules the game continues with {quoted(should)}")


def _move(transcript: Transcript, item: Item) -> None:
    game = transcript.game
    try:
        if item.kind == "bad play":
            transcript.refuse(None)
        elif item.kind == "bad pass" and not game.can_pass:
            transcript.refuse(())
        elif item.kind == "bad pass":
            raise NotationError(f"line {item.number}: a legal pass is refused")
        elif item.kind == "pass":
            game.pass_()
        elif item.kind == "play":
            legal, found = game.legal_plays(), readings(game.ruleset, item.cards, item.patterns)
            marked = (play for play in found if play in legal and reading_mark(game.ruleset, play) == item.mark)
            game.push(next(marked, None) or first_legal(legal, item.cards, item.patterns))
    except IllegalPlayError as error:
        raise NotationError(f"line {item.number}: {error}") from None
