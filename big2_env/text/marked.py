r"""Answers in the output of a language model: the marked answer, or the lines that may be one.

| marked by | example |
| --- | --- |
| a tag | `<answer>3H</answer>`; without the closing tag, or with a cut one, everything up to the end |
| LaTeX | `\boxed{3H}`, `$\boxed{\text{3H}}$` |
| JSON | an object with one of `KEYS`: `{"reason": "lowest", "play": ["3H"]}`; several in a list are options |
| a tool call | an object with one of `WRAPPERS`: `{"name": "play", "arguments": {"move": "3H"}}` |
| a fenced block | three backticks before and after |
| a heading at the start of a line | `Answer: 3H`, `**Move:** 3H`, `答案：红桃3`; or in the next line or list |

Cards in JSON are texts or objects such as `{"rank": "10", "suit": "hearts"}`.

Only the last mark counts, and a mark within another narrows it. Reasoning in `<think>` tags is dropped first, and so is what
follows the token that ends a turn. In a text with
channels (`<|channel|>final<|message|>`), only the last final one counts. Without a mark, each of the last `MAX_LINES` lines is
a candidate, except items of a list, the bare number of an item that was cut off, titles of sections and lines with a cross.
The reader takes the last one that is a move as a whole. So a move in running prose is never found.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from typing import Any, Final, NamedTuple

MAX_TEXT: Final = 100_000
"""Maximum number of characters of an answer; longer ones are not read."""
MAX_LINES: Final = 500
"""Maximum number of lines of an unmarked answer that are read, from the end."""
MAX_MOVE: Final = 1000
"""Maximum number of characters of a move."""
KEYS: Final = ("play", "move", "answer", "action", "cards", "card")
"""Keys of JSON objects that contain an answer. Several in one object must agree."""
WRAPPERS: Final = ("tool_calls", "tool_call", "function_call", "function", "arguments", "parameters", "args", "input")
"""Keys of JSON objects that contain the object with the answer, or one in a list, or its text."""
_RANKS: Final = ("rank", "value", "card")
"""Keys of the rank in an object for a card."""
_NUMBERS: Final = ("count", "number", "quantity", "amount", "copies")
"""Keys of a number of cards, which is not read."""
_VERBS: Final = re.compile("(?:play|lead|put|make)[a-z_ ]*", re.IGNORECASE)
"""Actions and names of tools that say nothing but that something is played."""
PASSES: Final = frozenset(
    ("", "/", "\\", "-", "--", "-1", "要不起", "不出", "不打", "不叫", "不抢", "不搶", "pass", "p", "n", "no", "否")
)
"""Lines that a person types for a pass, and for no in an auction."""
_MAX_DEPTH: Final = 8
"""Maximum number of marks within each other."""
_MAX_OBJECTS: Final = 200
"""Maximum number of opening braces with a key behind them that are tried as JSON."""

_SIGNS: Final = str.maketrans("♧♢♡♤❤", "♣♦♥♠♥")
_EMOJI: Final = re.compile("[\u2600-\u265f\u2668-\u27bf\U0001f0cf\U0001f300-\U0001faff]")
_REMARKS: Final = "✅✔☑✓✨⭐🌟🎉🎊🎯🃏🎴🔥💪👍👉🏆🚀🤔😀😁😃😄😉😊😎🙂"
"""Emoji around an answer that add nothing."""
_INVISIBLE: Final = re.compile("[\u00ad\u200b-\u200f\u2060\ufe0e\ufe0f\ufeff]")
_THINK: Final = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_TAG: Final = re.compile(r"\\?<(/?)(?:answer|final_answer|final|move|play|action|decision|response|output)\\?>", re.IGNORECASE)
_CUT_TAG: Final = re.compile(r"\\?</[A-Za-z_]{0,12}\Z")
_CHANNEL: Final = re.compile(r"<\|channel\|>\s*([a-z]*)[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>", re.IGNORECASE)
_TURN_END: Final = re.compile(
    r"<\|(?:im_end|eot_id|eom_id|return|end|call|endoftext|end_of_text|end▁of▁sentence)\|>|</s>|<end_of_turn>|<eos>"
)
"""Tokens after which a model no longer writes its own answer."""
_BOXED: Final = re.compile(r"\\boxed\s?\{")
_FENCE: Final = "```"
_LANGUAGE: Final = re.compile(r"(?:json|text|txt|plaintext|python|markdown|md|yaml|bash|plain)?[ \t]*\n", re.IGNORECASE)
_NOUNS: Final = "answer|move|play|action|bid|decision|choice|response|result|output"
_HEADING: Final = re.compile(
    rf"[\W_]*(?:(?:so|thus|therefore|hence)\b[,\s]*)?(?:(?:the|my)\s+)?(?:(?:final|chosen|next)\s+)?"
    rf"(?:{_NOUNS}|final|i(?:'ll| will)? play)\b(?:\s+is)?[*_\s]*[:=][*_\s]*"
    r"|[\W_]*(?:(?:所以|因此)\W?)?(?:(?:我的)?(?:最终|最終|最后|最後)?"
    r"(?:答案|出牌|選擇|选择|行動|行动|動作|动作|决定|決定|回答)(?:是|为|為)?|我出|答)[*_\s]*[:=][*_\s]*",
    re.IGNORECASE,
)
_OPENING: Final = re.compile(r"\{\s{0,20}[\"']")
_TRAILING: Final = re.compile(r",\s*([\]}])")
_LATEX: Final = (
    (re.compile(r"\\(?:text|textbf|mathrm|mathbf|textit|mathtt|texttt)\s?\{([^{}]*)\}"), r"\1"),
    (re.compile(r"\\heartsuit\b"), "♥"),
    (re.compile(r"\\spadesuit\b"), "♠"),
    (re.compile(r"\\diamondsuit\b"), "♦"),
    (re.compile(r"\\clubsuit\b"), "♣"),
    (re.compile(r"\\[,;! ]"), " "),
)
_HTML: Final = re.compile(r"</?(?:b|i|em|strong|code|p|span|u|mark|h[1-6])>|<br ?/?>", re.IGNORECASE)
_EDGES: Final = f" \t\r\n*_`$\"'“”‘’.。!！,，;；{_REMARKS}"
_LINE_START: Final = re.compile(r"^\s*(?:#{1,6}\s|>\s?|=>|->|→)\s*")
_TITLE: Final = re.compile(r"\s*(#{1,6})\s")
_BULLET: Final = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+")
_NUMBER: Final = re.compile(r"[\s#*]*(\d{1,2})[.)]")
"""Number of an item or section."""
_CROSSES: Final = "❌✗✘✖❎⛔\U0001f6ab\U0001f44e"
_VERDICTS: Final = _CROSSES + "✅✔☑✓\U0001f44d"
"""Signs that a list of options begins its lines with."""


class Stated(NamedTuple):
    """Answer of a text.

    Args:
        moves: Texts that may be the move; the first that names one decides.
        is_marked: True if the text marks its answer. The only candidate is then final.
    """

    moves: tuple[str, ...]
    is_marked: bool


class _Mark(NamedTuple):
    """Marked part of a text."""

    start: int
    end: int
    content: str


def stated(text: str) -> Stated:
    r"""Return the marked answer of a text, or its lines from last to first.

    Args:
        text: Text of at most `MAX_TEXT` characters.

    >>> stated("Could I pass? No.\n<answer>3H</answer>")
    Stated(moves=('3H',), is_marked=True)
    >>> stated("I lead low.\n**3H 3S**")
    Stated(moves=('3H 3S', 'I lead low'), is_marked=False)
    """
    text = _CUT_TAG.sub("", _own_turn(_final(plain(html.unescape(text[:MAX_TEXT])))).rstrip())
    text = _without_reasoning(text)
    is_marked = False
    for _ in range(_MAX_DEPTH):
        mark = _last_mark(text)
        if mark is None:
            break
        text, is_marked = mark.content, True
    if is_marked:
        return Stated((bare(_BULLET.sub("", text, count=1)),), True)
    lines = [line for line in _without_pictured(text.splitlines()) if line.strip()]
    if len(lines) == 1:
        lines = [_BULLET.sub("", lines[0], count=1)]
    lines = [line for line in _without_titles(_without_cut_item(lines)) if not _BULLET.match(line)]  # one of several
    return Stated(tuple(move for line in lines[: -MAX_LINES - 1 : -1] if (move := bare(line))), False)


def plain(text: str) -> str:
    """Return a text with usual forms of letters and suits, without invisible characters."""
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).translate(_SIGNS)


def _without_pictured(lines: list[str]) -> list[str]:
    """Return the lines that neither begin with a cross nor are items of a list that has emoji for bullets."""
    signs = [line.lstrip()[:1] if _EMOJI.match(line.lstrip()) else "" for line in lines]
    bullets = ["", *("✅" if sign and sign in _VERDICTS else sign for sign in signs), ""]
    return [
        line
        for line, sign, before, one, after in zip(lines, signs, bullets, bullets[1:], bullets[2:], strict=False)
        if not sign or (sign not in _CROSSES and one not in (before, after))
    ]


def _without_cut_item(lines: list[str]) -> list[str]:
    """Return the lines without a last one that is only the number of the next item: `1. …`, `2. …`, `3.`."""
    last = _NUMBER.fullmatch(lines[-1].rstrip()) if lines else None
    if last is None:
        return lines
    numbers = {int(found[1]) for line in lines[:-1] if (found := _NUMBER.match(line))}
    return lines[:-1] if int(last[1]) - 1 in numbers else lines


def _without_titles(lines: list[str]) -> list[str]:
    """Return the lines that are not one of several Markdown headings of a level; the last line remains."""
    levels = [found[1] if (found := _TITLE.match(line)) else "" for line in lines]
    counts = Counter(levels)
    return [line for at, line in enumerate(lines) if at == len(lines) - 1 or not levels[at] or counts[levels[at]] == 1]


def bare(text: str) -> str:
    r"""Return a text without Markdown, LaTeX and HTML around it; empty if it is too long for a move.

    >>> bare("> **`3H`**."), bare(r"\text{3}\heartsuit")
    ('3H', '3♥')
    """
    if len(text) > MAX_MOVE:
        return ""
    for pattern, plain in _LATEX:
        text = pattern.sub(plain, text)
    text = _HTML.sub(" ", _LINE_START.sub("", text.strip(_EDGES), count=1)).strip(_EDGES)
    while len(text) > 1 and text[0] + text[-1] in ("[]", "()", "{}", "「」", "『』", "【】", "《》"):
        text = text[1:-1].strip(_EDGES)
    return re.sub(r"\*\*|__|`", "", text)


def _final(text: str) -> str:
    """Return what follows the last final channel, nothing if no channel is final, or a text without channels."""
    channels = list(_CHANNEL.finditer(text))
    ends = [found.end() for found in channels if found[1].lower() == "final"]
    if not ends:
        return "" if "<|channel|>" in text else text
    return text[ends[-1] :].partition("<|start|>")[0].partition("<|channel|>")[0]


def _own_turn(text: str) -> str:
    """Return a text up to the token that ends the model's turn."""
    end = _TURN_END.search(text)
    return text[: end.start()] if end is not None and text[: end.start()].strip() else text


def _without_reasoning(text: str) -> str:
    """Return a text without the parts in `<think>` tags: after the last closing tag, and before an opening one."""
    for tag in reversed(list(_THINK.finditer(text))):
        if tag[1]:
            return text[tag.end() :]
        text = text[: tag.start()]
    return text


def _last_mark(text: str) -> _Mark | None:
    """Return the last mark that is not within another one."""
    found = [mark for mark in (_tag(text), _boxed(text), _fence(text), _object(text), _heading(text)) if mark is not None]
    outer = [one for one in found if not any(_holds(other, one) for other in found)]
    return max(outer, key=lambda mark: mark.start, default=None)


def _holds(outer: _Mark, inner: _Mark) -> bool:
    return outer is not inner and outer.start <= inner.start and inner.end <= outer.end and outer[:2] != inner[:2]


def _tag(text: str) -> _Mark | None:
    last: re.Match[str] | None = None
    end: re.Match[str] | None = None
    length = len(text.rstrip(_EDGES))
    for tag in _TAG.finditer(text):
        if not tag[1]:
            if last is not None and end is None and tag.end() >= length:
                end = tag  # written instead of the closing tag
            else:
                last, end = tag, None
        elif end is None:
            end = tag
    if last is None:
        return None
    stop = len(text) if end is None else end.start()
    return _Mark(last.start(), len(text) if end is None else end.end(), text[last.end() : stop])


def _boxed(text: str) -> _Mark | None:
    places = list(_BOXED.finditer(text))
    if not places:
        return None
    last = places[-1]
    depth = 1
    for at in range(last.end(), len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if not depth:
            return _Mark(last.start(), at + 1, text[last.end() : at])
    return _Mark(last.start(), len(text), "")


def _fence(text: str) -> _Mark | None:
    places = [found.start() for found in re.finditer(_FENCE, text)]
    if not places:
        return None
    if len(places) % 2:
        start, end, after = places[-1], len(text), len(text)
    else:
        start, end = places[-2:]
        after = end + len(_FENCE)
    content = text[start + len(_FENCE) : end]
    return _Mark(start, after, content[found.end() :] if (found := _LANGUAGE.match(content)) else content)


def _object(text: str) -> _Mark | None:
    last: _Mark | None = None
    for start, end, data in _objects(text):
        if (content := _value(data)) is not None:
            is_next = last is not None and text[last.end : start].strip() == ","  # one of several in a list
            last = _Mark(start, end, "" if is_next else content)
    return last


def _objects(text: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield the JSON objects of a text that are not within others, with their places."""
    decoder, end = JSONDecoder(), 0
    for _ in range(_MAX_OBJECTS):
        found = _OPENING.search(text, end)
        if found is None:
            return
        start, end = found.start(), found.start() + 1
        try:
            data, end = decoder.raw_decode(text, start)
        except (JSONDecodeError, RecursionError, ValueError):
            data, end = _python_object(text, start)
        if isinstance(data, dict):
            yield start, end, data


def _python_object(text: str, start: int) -> tuple[object, int]:
    """Return the flat object with single quotes or trailing commas at a place and its end, or None and the next place."""
    close = text.find("}", start, start + MAX_MOVE) + 1
    try:
        return json.loads(_TRAILING.sub(r"\1", text[start:close].replace("'", '"'))), close
    except (JSONDecodeError, RecursionError, ValueError):
        return None, start + 1


def _value(data: dict[str, Any], depth: int = 0) -> str | None:
    """Return the answer in a JSON object, or None if it has no key for one; empty if it has several, or says how often."""
    named = {str(key).lower(): value for key, value in data.items()}
    wrapped = [named[key] for key in WRAPPERS if key in named]
    if named.keys() >= {"suit"} and (card := _card({key: named[key] for key in (*_RANKS, "suit") if key in named})):
        found = [card]
    else:
        found = [_words(named[key]) for key in KEYS if key in named]
    found += [text for value in wrapped if (text := _unwrapped(value, depth)) is not None]
    name = str(named.get("name", "")) if wrapped else ""
    if not found and not name:
        return None
    if not found or (name and name.lower() in PASSES):
        found.append(name)
    texts = {" ".join(text.replace(",", " ").split()): text for text in found if not _VERBS.fullmatch(text)}
    if len(texts) != 1 or any(named.get(key, 1) != 1 for key in _NUMBERS):
        return ""
    pattern = named.get("pattern")
    return f"{pattern}: {texts.popitem()[1]}" if isinstance(pattern, str) else texts.popitem()[1]


def _unwrapped(value: object, depth: int) -> str | None:
    """Return the answer in a part of a tool call; None without one, empty for several that differ."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (JSONDecodeError, RecursionError, ValueError):
            return str(value) or None
    if isinstance(value, dict):
        return _value(value, depth + 1) if depth < _MAX_DEPTH else ""
    if not isinstance(value, list):
        return None
    found: list[str | None] = [_unwrapped(one, depth + 1) if depth < _MAX_DEPTH else "" for one in value]
    return "" if len({*found}) > 1 else next(iter(found), None)


def _words(value: object) -> str:
    """Return a JSON value as the text of a move; empty for anything else. An empty list is a pass."""
    if isinstance(value, dict):
        return _card(value) or _words(next((value[key] for key in KEYS[:-1] if key in value), None))
    if isinstance(value, list):
        texts = [_card(one) if isinstance(one, dict) else _text(one) for one in value]
        return (", ".join(texts) if all(texts) else "") if texts else "pass"
    return _text(value)


def _text(value: object) -> str:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _card(data: dict[str, Any]) -> str:
    """Return the card of an object with a rank, a suit and nothing else; empty for another."""
    ranks = [_text(data[key]) for key in _RANKS if key in data]
    suit = data.get("suit")
    if len(ranks) != 1 or not ranks[0] or not data.keys() <= {*_RANKS, "suit"} or not ("suit" in data or "card" not in data):
        return ""
    return ranks[0] if suit is None else f"{ranks[0]} ({_text(suit)})"


def _heading(text: str) -> _Mark | None:
    """Return the rest of the last line with a heading; the next line that is not blank, or list, if nothing follows it."""
    last, at = None, 0
    for line in text.splitlines(keepends=True):
        if (head := _HEADING.match(line[:MAX_MOVE])) is not None:
            last = at, at + head.end(), at + len(line)
        at += len(line)
    if last is None:
        return None
    start, begin, end = last
    if not text[begin:end].strip(_EDGES):
        begin = end
        items: list[str] = []
        for line in text[end:].splitlines(keepends=True):
            if items and not _BULLET.match(line):
                break
            end += len(line)
            if _BULLET.match(line):
                items.append(line.strip())
            elif line.strip():
                break
        if len(items) > 1:
            return _Mark(start, end, _listed(items))
    return _Mark(start, end, text[begin:end])


def _listed(items: list[str]) -> str:
    """Return the cards that are listed with bullets; empty for numbered items, of which each is an option."""
    return "" if any(item[0].isdigit() for item in items) else " ".join(_BULLET.sub("", item) for item in items)
