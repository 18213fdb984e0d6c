"""The lines of a log as items, one for each event, not yet held against the rules."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from big2_env.cards import as_mask
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import NotationError, quoted
from big2_env.notation import log
from big2_env.notation.lines import Lines

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
