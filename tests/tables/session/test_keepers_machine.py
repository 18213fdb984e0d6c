"""Two players with one data folder and one file: whatever they do, and whenever the disk is full, no game is lost."""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

import pytest
from broken_disk import Disk, Fault, failing
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from hypothesis.strategies import booleans, integers, sampled_from, tuples
from resumed_games import continued

from big2_env import ConfigError
from big2_env.climbing.rulesets import ruleset
from big2_env.notation import records
from big2_env.notation.records import GameRecord
from big2_env.tables.session.own_file import OwnFile
from big2_env.tables.session.saved import games_folder, last_unfinished, saved_games
from big2_env.tables.session.table_session import TableSession

PLAYERS, GAMES = integers(0, 1), sampled_from(["big2", "dou_dizhu"])


def line_text(line: str) -> str:
    """What a line says, but for when the game began."""
    data = json.loads(line)
    data.pop("started", None)
    return json.dumps(data, sort_keys=True)


def record_text(path: Path | None, record: GameRecord) -> str:
    return f"{path}: {line_text(records.dumps(record))}"


@dataclass
class Deal:
    """What a player wrote of a deal, and what it is now."""

    there: str | None
    now: str | None


@dataclass
class Player:
    """A player at a table."""

    session: TableSession
    keep: OwnFile
    deals: dict[int, Deal] = field(default_factory=dict)
    """By the number of the deal: those in which they acted."""

    def text(self) -> str:
        """The line of the present game, and the file that has it."""
        return record_text(self.keep.path, self.session.record())

    def take(self) -> None:
        """Note the game as it stands, if it is one that is kept."""
        session = self.session
        if session.dealt in self.deals or any(move.seat == session.seat for move in session.game.history):
            self.deals.setdefault(session.dealt, Deal(None, None)).now = self.text()


class Keepers(RuleBasedStateMachine):
    """Players who sit down, play, take back, leave and resume, against what should be in their files."""

    def __init__(self) -> None:
        super().__init__()
        self.stack, self.full = ExitStack(), ExitStack()
        self.folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        self.stack.enter_context(patch.dict(os.environ, {"BIG2_DATA": str(self.folder / "data")}))
        self.shared = self.folder / "shared" / "games.jsonl"
        self.players: list[Player] = []
        self.expected: Counter[str] = Counter()
        self.is_full = False
        self.seed = 0

    def teardown(self) -> None:
        self.full.close()
        self.stack.close()

    def written(self) -> list[tuple[Path, str]]:
        """All lines of all files."""
        files = [*games_folder().glob("*.jsonl"), *self.shared.parent.glob("*.jsonl")]
        return [(path, line) for path in files for line in path.read_text().splitlines()]

    def called(self, player: Player) -> None:
        """A keeper was called: it replaces the lines that it wrote, or adds them where they are gone."""
        player.take()
        changed = [deal for deal in player.deals.values() if deal.now != deal.there]
        if self.is_full:
            assert not changed or (player.keep.problem or "").endswith(": No space left on device")
            return
        assert player.keep.problem is None
        for deal in changed:
            assert deal.now is not None
            if deal.there is not None and self.expected[deal.there]:
                self.expected[deal.there] -= 1
            self.expected[deal.now] += 1
            deal.there = deal.now

    def new(self, game: str, shares: bool) -> Player:
        """A player who has sat down."""
        self.seed += 1000
        keep, rules = OwnFile(self.shared if shares else None), ruleset(game)
        session = TableSession(rules, ["lowest"] * (rules.default_players - 1), seed=self.seed, keep=keep)
        return Player(session, keep)

    @initialize(games=tuples(GAMES, GAMES), share=tuples(booleans(), booleans()))
    def begin(self, games: tuple[str, str], share: tuple[bool, bool]) -> None:
        self.players = [self.new(game, shares) for game, shares in zip(games, share, strict=True)]
        for at in (0, 1):
            self.play(at, 0, 2)

    @rule(at=PLAYERS, game=GAMES, shares=booleans())
    def sit_down(self, at: int, game: str, shares: bool) -> None:
        self.players[at] = self.new(game, shares)

    @rule(at=PLAYERS, shares=booleans(), leaves=booleans())
    def resume(self, at: int, shares: bool, leaves: bool) -> None:
        folder = self.shared.parent if shares else games_folder()
        unfinished = [game for game in saved_games(folder) if game.payoff is None]
        try:
            path, line, record = last_unfinished(self.shared if shares else None)
        except (ConfigError, OSError):
            assert not unfinished
            return
        assert path in {game.path for game in unfinished}
        there, session = record_text(path, record), continued(path, line, record)
        assert isinstance(session.keep, OwnFile)
        self.players[at] = Player(session, session.keep, {session.dealt: Deal(there, there)})
        if leaves:
            self.next_deal(at)
            self.play(at, 0, 1)

    @rule(at=PLAYERS)
    def advance(self, at: int) -> None:
        player = self.players[at]
        if player.session.advance() is not None:
            self.called(player)

    @rule(at=PLAYERS, choice=integers(0, 99), moves=integers(1, 30))
    def play(self, at: int, choice: int, moves: int) -> None:
        player = self.players[at]
        while moves and not player.session.is_over:
            if player.session.advance() is None:
                legal = list(player.session.view.legal_plays())
                player.session.play(legal[choice % len(legal)])
                moves -= 1
            self.called(player)

    @rule(at=PLAYERS)
    def undo(self, at: int) -> None:
        player = self.players[at]
        if player.session.undo():
            self.called(player)

    @rule(at=PLAYERS)
    def next_deal(self, at: int) -> None:
        self.players[at].session.next_deal()

    @precondition(lambda self: not self.is_full)
    @rule(share=sampled_from([0.0, 0.5]))
    def fill_disk(self, share: float) -> None:
        self.full.enter_context(failing(Disk(self.folder, 0, Fault.FULL, share)))
        self.is_full = True

    @precondition(lambda self: self.is_full)
    @rule()
    def free_disk(self) -> None:
        self.full.close()
        self.is_full = False

    @invariant()
    def files_have_every_game_once(self) -> None:
        assert Counter(f"{path}: {line_text(line)}" for path, line in self.written()) == +self.expected

    @invariant()
    def lists_are_those_of_the_files(self) -> None:
        games = [*saved_games(), *saved_games(self.shared.parent)]
        data = [json.loads(line) for _, line in self.written()]
        assert sorted((game.ruleset, game.moves, game.payoff is None) for game in games) == sorted(
            (one["ruleset"], len(one["moves"]), one.get("payoffs") is None) for one in data
        )

    @invariant()
    def nothing_else_is_left(self) -> None:
        assert all(path.suffix == ".jsonl" for path in self.folder.rglob("*") if path.is_file())


TestKeepers = Keepers.TestCase
TestKeepers.settings = settings(max_examples=12, stateful_step_count=25)


@pytest.mark.long
class TestKeepersForLong(Keepers.TestCase):  # type: ignore[misc]
    """The same, many times over."""

    settings = settings(max_examples=200, stateful_step_count=50)
