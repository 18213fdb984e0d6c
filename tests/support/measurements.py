"""Compare the numbers that pages quote with the rows of measurements; `python -m measurements PAGE...` prints what is wrong.

A page quotes a number as a link to its row: `[1,500 times](../benchmarks/results/engine.json#name-of-the-row)`. The number
must be the row's value at the precision that it is quoted with, and a half-width after ± half of the row's interval. Tables
between `<!-- generated: ... -->` and `<!-- end -->` come from data and are skipped. Any other result of a measurement is
refused, as are commits, load and, next to a quoted number, commands: the row has them.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from prose import CODE, INDENTED

NUMBER = r"[+-]?\d[\d,]*(?:\.\d+)?"
GENERATED = re.compile(r"<!-- generated: .*?<!-- end -->", re.S)
QUOTE = re.compile(r"\[([^\]]*)\]\(([^)#\s]+\.json)#([\w-]+)\)")
HASH = r"(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7}"
UNITS = "games|decisions|plays|steps|moves|choices|positions"
REFUSED = {
    "a commit": re.compile(rf"\b(?:revisions?|commit) `?[0-9a-f]{{7}}\b|\b{HASH}\b"),
    "the load of a machine": re.compile(
        r"\b(?:quiet|busy|idle) (?:core|machine|processor)s?\b|\b(?:at|with) (?:a )?load (?:of )?\d"
    ),
    "a speed that is not a row": re.compile(
        rf"{NUMBER} (?:million )?(?:{UNITS})(?:/s| per second| a second)|{NUMBER} ?(?:ms|µs)\b"
        rf"|{NUMBER} times (?:as fast|faster|OpenSpiel|RLCard)"
    ),
    "a strength that is not a row": re.compile(
        rf"{NUMBER} ?%? ?± ?\d|\b(?:wins?|won) {NUMBER} ?%|{NUMBER} ?% of (?:the |its )?(?:games|deals)"
    ),
}
RANGE = re.compile(r", range of (?:\d+ )?(?:rounds|runs)$")
"""End of the name of a row whose interval is no confidence interval."""
COMMAND = re.compile(r"`(?:python|big2|pytest) [^`]*`")
FIELDS = {"name", "value", "interval", "unit", "command", "commit", "processor", "load", "date"}


def slug(name: str) -> str:
    """Return the name of a heading or a row as links give it."""
    return re.sub(r"[^\w -]", "", name.lower()).replace(" ", "-")


def listed(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file: a list of rows, or the list `results` of an object."""
    data = json.loads(path.read_text("utf-8"))
    return data["results"] if isinstance(data, dict) else data


def rows(path: Path) -> dict[str, dict[str, Any]]:
    """Return the rows of a file by their slug."""
    return {slug(row["name"]): row for row in listed(path)}


def bad_rows(path: Path) -> list[str]:
    """Return the rows of a file that lack a field or have a value of another type."""
    found, given = [], listed(path)
    for row in given:
        interval = row.get("interval")
        bounds = interval is None or (len(interval) == 2 and interval[0] <= row["value"] <= interval[1])
        if set(row) != FIELDS or not isinstance(row["value"], (int, float)) or not bounds:
            found.append(f"{path.name}: {row.get('name')}")
    names = [slug(row["name"]) for row in given]
    return found + [f"{path.name}: twice: {name}" for name in sorted({name for name in names if names.count(name) > 1})]


def shown(row: dict[str, Any]) -> str:
    """Return the value of a row for a table with three digits, and its half-width, or the ends of a range."""

    def text(number: float) -> str:
        return f"{float(f'{number:.3g}'):,.0f}" if abs(number) >= 100 else f"{number:.3g}"

    if row["interval"] is None:
        return text(row["value"])
    low, high = row["interval"]
    if RANGE.search(row["name"]):
        return f"{text(row['value'])} ({text(low)} to {text(high)})"
    return f"{text(row['value'])} ± {text((high - low) / 2)}"


def is_rounded(text: str, value: float) -> bool:
    """Return whether a number is a value rounded to the digits that it has; zeros at its end may be rounded too."""
    digits = text.replace(",", "").lstrip("+-")
    decimals = len(digits.partition(".")[2])
    zeros = 0 if decimals else len(digits) - len(digits.rstrip("0"))
    number = float(text.replace(",", ""))
    return abs(number - value) <= 0.5 * 10.0 ** (zeros - decimals) * (1 + 1e-9)


def wrong_quote(text: str, row: dict[str, Any]) -> str:
    """Return what differs between a quoted number and its row, "" if nothing does."""
    found = re.search(rf"({NUMBER})%?(?: ?± ?({NUMBER}))?", text)
    if found is None:
        return "no number is quoted"
    if not is_rounded(found[1], row["value"]):
        return f"quoted {found[1]}, the row has {row['value']}"
    if found[2]:
        if row["interval"] is None:
            return "the row has no interval"
        half = (row["interval"][1] - row["interval"][0]) / 2
        if not is_rounded(found[2], half):
            return f"quoted ± {found[2]}, the row has ± {half:.4g}"
    return ""


def problems(page: Path) -> list[str]:
    """Return what is wrong with the measurements of a page."""
    found = []
    text = GENERATED.sub("", page.read_text("utf-8"))
    for quote in QUOTE.finditer(text):
        path = (page.parent / quote[2]).resolve()
        row = rows(path).get(quote[3]) if path.exists() else None
        wrong = "no such row" if row is None else wrong_quote(quote[1], row)
        if wrong:
            found.append(f"{quote[0]}: {wrong}")
    for paragraph in re.split(r"\n\s*\n", INDENTED.sub("", text)):
        if QUOTE.search(paragraph) and (command := COMMAND.search(paragraph)) and not paragraph.startswith("|"):
            found.append(f"{command[0]}: a command next to a quoted number; the row has it")
        bare = CODE.sub("X", QUOTE.sub("X", paragraph))
        found += [f"{hit[0]}: {what}" for what, pattern in REFUSED.items() for hit in pattern.finditer(bare)]
    return found


if __name__ == "__main__":
    for name in sys.argv[1:]:
        for problem in problems(Path(name).resolve()):
            print(f"{name}: {problem}")
