"""Count clumsy turns of phrase in pages, docstrings, help texts, errors and the English catalogue.

`PYTHONPATH=tests/support python -m prose` prints totals, with `PATH...` each hit in these files; `--write` stores counts.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

from places import DATA, ROOT

PATTERNS = {
    name: re.compile(pattern, re.M) for name, pattern in tomllib.loads((DATA / "tics.toml").read_text("utf-8"))["tics"].items()
}
COUNTS = DATA / "prose_counts.json"
MAX_WORDS = 30
"""Words of the longest sentence on a page."""
CODE = re.compile(r"^ *(```|~~~).*?^ *\1|<!--.*?-->|``.+?``|`[^`\n]*(?:\n[^`\n]+)?`|^ *(?:>>>|\.\.\.) .*$", re.M | re.S)
INDENTED = re.compile(r"(?:\A|(?<=\n\n))(?: {4}.*\n?)+")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
SENTENCE_END = re.compile(r"(?<=[.!?:])[\"')*_]*\s+|\n\s*\n|\n *(?=[*|#-])|\|")


def without_code(text: str) -> str:
    """Return prose without code blocks, code spans (a placeholder stays), comments and targets of links."""
    return LINK.sub(r"\1", CODE.sub("X", text))


def page_prose(text: str) -> str:
    """Return the prose of a Markdown page."""
    return without_code(INDENTED.sub("", text))


def strings(node: ast.AST) -> Iterator[str]:
    """Yield the texts of a string, f-string or expression of them; `{}` stands for a value."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def source_prose(text: str) -> Iterator[tuple[str, str]]:
    """Yield the kind ("docstrings" or "messages") and the text of each docstring, `help=` and `raise` of a module.

    A string that is a statement of its own documents the attribute before it, so it counts as a docstring.
    """
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield "docstrings", without_code(node.value.value)
        elif isinstance(node, ast.keyword) and node.arg == "help":
            yield from (("messages", without_code(part)) for part in strings(node.value))
        elif isinstance(node, ast.Raise) and node.exc is not None:
            yield from (("messages", without_code(part)) for part in strings(node.exc))


def catalogue_prose(text: str) -> Iterator[str]:
    """Yield the English texts of a catalogue file."""
    values = [tomllib.loads(text)]
    while values:
        value = values.pop()
        if isinstance(value, dict):
            english = value.get("en")
            yield from (without_code(part) for part in ([english] if isinstance(english, str) else english or []))
            values += value.values()


def prose(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each piece of prose in a file."""
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        yield "pages", page_prose(text)
    elif path.suffix == ".py":
        yield from source_prose(text)
    elif path.suffix == ".toml":
        yield from (("messages", part) for part in catalogue_prose(text))


def files(root: Path = ROOT) -> list[Path]:
    """Return the files that hold prose for users and contributors; Chinese pages are left out."""
    command = ["git", "-c", "core.quotepath=off", "ls-files", "-co", "--exclude-standard"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    listed = {root / line for line in done.stdout.splitlines()} if done.returncode == 0 else set(root.rglob("*.*"))
    packages = ("big2_env/", "agents/", "benchmarks/", "notebooks/")
    return sorted(
        path
        for path in listed
        if path.exists()
        and ".zh-" not in path.name
        and (
            path.suffix == ".md"
            or (path.suffix == ".py" and path.relative_to(root).as_posix().startswith(packages))
            or (path.suffix == ".toml" and path.parent.name == "catalogue")
        )
    )


def hits(path: Path) -> list[tuple[str, str, str]]:
    """Return the kind, the name of the pattern and the words around each hit in a file."""
    return [
        (kind, name, " ".join(text[max(0, hit.start() - 30) : hit.end() + 30].split()))
        for kind, text in prose(path)
        for name, pattern in PATTERNS.items()
        for hit in pattern.finditer(text)
    ]


def long_sentences(page: str) -> list[str]:
    """Return the sentences of a page that have more than `MAX_WORDS` words."""
    return [
        " ".join(words)
        for sentence in SENTENCE_END.split(page_prose(page))
        if len(words := re.findall(r"[^\W_][\w'-]*", sentence)) > MAX_WORDS
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, help="files or folders; all by default")
    parser.add_argument("--write", action="store_true", help="store the counts")
    args = parser.parse_args()
    counts: dict[str, int] = {}
    long: dict[str, int] = {}
    totals: dict[str, int] = {}
    asked = [path.resolve() for path in args.paths]
    for path in files():
        if asked and not any(path.is_relative_to(one) for one in asked):
            continue
        found = hits(path)
        name = path.relative_to(ROOT).as_posix()
        if found:
            counts[name] = len(found)
        for kind, pattern, words in found:
            totals[kind] = totals.get(kind, 0) + 1
            if asked:
                print(f"{name}: {pattern}: {words}")
        if path.suffix == ".md":
            sentences = long_sentences(path.read_text("utf-8"))
            if sentences:
                long[name] = len(sentences)
            for sentence in sentences if asked else ():
                print(f"{name}: over {MAX_WORDS} words: {sentence}")
    if args.write:
        COUNTS.write_text(json.dumps({"clumsy phrases": counts, "long sentences": long}, indent=1) + "\n", "utf-8")
    print(totals, "in", len(counts), "files;", sum(long.values()), "long sentences")


if __name__ == "__main__":
    main()
