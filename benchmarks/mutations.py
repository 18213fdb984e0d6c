"""Check that readers of files and messages accept or refuse damaged texts cleanly.

    python benchmarks/mutations.py --texts 10000

Records, logs, positions and rulesets are written; then bytes of them are changed, removed, doubled and moved, and the
readers that the commands use are called. Each must accept the text or refuse it with an error of one line. Any other
outcome is printed with its seed, and the exit status is 1.

The last lines count accepted and refused texts by reader. Needs nothing else; 10,000 texts take about a minute.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from big2_env import BIG2, ConfigError, Game, NotationError, available_rulesets, ruleset
from big2_env.base.errors import AmbiguousPlayError, IllegalPlayError
from big2_env.climbing import ruleset_data
from big2_env.climbing.game import decks_of
from big2_env.games.fishing import FishingGame
from big2_env.notation import log, positions, records, sources
from big2_env.notation.records import GameRecord
from big2_env.notation.side_records import SideRecord, dumps, loads
from big2_env.notation.transcript import Transcript
from big2_env.runs.progress import counting

REFUSALS = (ConfigError, NotationError, IllegalPlayError, AmbiguousPlayError)
STRANGE = (b"-1", b"9" * 30, b"NaN", b"1e999", b"null", b"[" * 2000, b'"', b"\n", b"")
MOST_GAMES = 5
"""Largest number of games to read of a damaged text."""


def read_games(text: bytes) -> None:
    """Read games in any form, as `convert` and `show` do."""
    _, games = sources.load(text.decode("utf-8", "replace"))
    for _ in islice(games, MOST_GAMES):
        pass


def read_position(text: bytes) -> None:
    """Read a position, as `solve` does."""
    positions.loads(text.decode("utf-8", "replace"))


def read_ruleset(text: bytes) -> None:
    """Read a ruleset file, as --ruleset does."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rules.json"
        file.write_bytes(text)
        ruleset_data.read_ruleset(file, available_rulesets())


def read_fishing(text: bytes) -> None:
    """Read a record of the fishing game."""
    loads(text.decode("utf-8", "replace"), FishingGame)


def readers() -> list[tuple[Callable[[bytes], None], bytes]]:
    """Return readers with texts that they accept."""
    found: list[tuple[Callable[[bytes], None], bytes]] = []
    for name in ("big2", "dou_dizhu", "three_two_one", "wu_gua_pi"):
        game, rng = Game.deal(ruleset(name), 7), random.Random(7)
        while not game.is_over:
            game.push(rng.choice(list(game.legal_plays())))
        transcript = Transcript(game)
        found.append((read_games, records.dumps(GameRecord(transcript, deck=tuple(decks_of(ruleset(name), 7)[0]))).encode()))
        if name == "big2":
            found.append((read_games, log.dumps(transcript).encode()))
        game.undo()
        found.append((read_position, positions.dumps(game).encode()))
        found.append((read_ruleset, ruleset_data.dump_ruleset(ruleset(name), BIG2).encode()))
    hands = FishingGame.of_hands("2 3 J 4 4 | J 2 3 5 5")
    found.append((read_fishing, dumps(SideRecord(hands)).encode()))
    return found


def damaged(text: bytes, rng: random.Random) -> bytes:
    """Return a text damaged in one to four places."""
    bytes_ = bytearray(text)
    for _ in range(rng.randint(1, 4)):
        place, length = rng.randrange(len(bytes_) + 1), rng.choice([1, 1, 1, 3, 20])
        part = bytes(bytes_[place : place + length])
        strange = rng.choice([bytes([rng.randrange(256)]), *STRANGE])
        bytes_[place : place + length] = rng.choice([b"", part * 2, strange, bytes(rng.sample(part, len(part)))])
    return bytes(bytes_)


def main(
    texts: Annotated[int, typer.Option(min=1, help="Number of damaged texts.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Seed of the first text; later ones count up.")] = 0,
) -> None:
    """Read damaged texts; exit with status 1 if one is neither accepted nor refused in one line."""
    given, counts, wrong = readers(), Counter[str](), 0
    for reader, text in given:
        reader(text)
    with counting("texts", texts) as advance:
        for number in range(seed, seed + texts):
            rng = random.Random(number)
            reader, text = given[number % len(given)]
            try:
                reader(damaged(text, rng))
                counts[f"{reader.__name__}: accepted"] += 1
            except REFUSALS as error:
                counts[f"{reader.__name__}: refused"] += 1
                if "\n" in str(error) or len(str(error)) > 1000:
                    wrong += 1
                    print(f"{reader.__name__}, seed {number}: {str(error)[:200]!r}")
            except Exception as error:
                wrong += 1
                print(f"{reader.__name__}, seed {number}: {type(error).__name__}: {str(error)[:200]}")
            advance(1)
    for name, count in sorted(counts.items()):
        print(f"{name} {count:,}")
    print(f"{texts:,} texts, {wrong} neither accepted nor refused in one line")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    typer.run(main)
