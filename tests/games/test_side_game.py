"""The protocol of side games: a game that has nothing else gets records, replays, sessions, a prompt, a table, environments."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import numpy as np
import pytest
from high_card import CARDS, HighCard
from pettingzoo.test import api_test
from terminal_table import Driven, drive

from big2_env.base.errors import ConfigError, NotationError
from big2_env.base.language import Language, words
from big2_env.base.side_game import SideGame, random_player, seeded_move
from big2_env.base.side_games import side_games
from big2_env.drawing.replay_page import replay_page
from big2_env.drawing.replays import side_replay
from big2_env.envs.side_aec import GameStepper, SideAEC
from big2_env.envs.side_screen import SideScreen as RenderedScreen
from big2_env.envs.side_seat import SideSeatEnv
from big2_env.notation.side_records import SideRecord, dump, dumps, load, loads
from big2_env.tables.prompt.side_play import SidePrompt, replay_records
from big2_env.tables.session.own_file import OwnFile
from big2_env.tables.session.side_session import SideSession, resumed
from big2_env.tables.terminal.side_screen import SideScreen
from big2_env.text.observation import side_observation

KINDS: dict[str, type[SideGame]] = {"high_card": HighCard, **{entry.name: entry.kind() for entry in side_games()}}
TR = words(Language.EN)


def played(game: SideGame, moves: int, salt: int = 0) -> SideGame:
    """Play random moves, at most so many."""
    for _ in range(moves):
        if game.is_over:
            break
        game.play(seeded_move(random_player, game.view(), salt=salt))
    return game


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("moves", [0, 5, 40])
def test_game__comes_back_from_its_record(name: str, moves: int) -> None:
    kind = KINDS[name]
    game = played(kind.usual(3), moves)
    line = dumps(SideRecord(game, {"seed": 3}))
    again = loads(line, kind)
    assert dumps(again) == line
    assert again.extra == {"seed": 3}
    if kind.has_choices:
        assert again.game.view() == game.view()
    data = json.loads(line)
    for wrong in ({"schema": 2}, {"game": "bridge"}, *({key: 1.5} for key in game.result_data())):
        with pytest.raises((NotationError, ConfigError)):
            loads(json.dumps(data | wrong), kind)
    with pytest.raises(ConfigError, match="is a key of the record itself"):
        SideRecord(game, {"schema": 1})


def test_records__of_the_largest_size_are_written_and_read(monkeypatch: pytest.MonkeyPatch) -> None:
    record = SideRecord(played(HighCard.usual(3), 5))
    line = dumps(record)
    for limit, largest in (("max_record", len(line)), ("max_moves", 5)):
        monkeypatch.setattr(HighCard, limit, largest)
        assert loads(dumps(record), HighCard).game.view() == record.game.view()
    monkeypatch.setattr(HighCard, "max_moves", 4)
    with pytest.raises(NotationError, match=r"^too many moves: 5 \(limit 4\)$"):
        loads(line, HighCard)
    monkeypatch.setattr(HighCard, "max_record", len(line) - 1)
    for refused in (lambda: dumps(record), lambda: loads(line, HighCard)):
        with pytest.raises((ConfigError, NotationError), match=rf"^the record is too long: {len(line)} characters"):
            refused()


@pytest.mark.parametrize("name", KINDS)
def test_moves__have_a_text_both_ways_and_rewind(name: str) -> None:
    game = played(KINDS[name].usual(5), 30)
    for made in game.history:
        assert game.parse_move(game.move_text(made.move)) == made.move
    half = game.rewound(len(game.history) // 2)
    assert len(half.history) == len(game.history) // 2
    for made in game.history[len(half.history) :]:
        assert made.move in half.legal_moves()
        half.play(made.move)
    assert (half.view(), half.result_data()) == (game.view(), game.result_data())
    with pytest.raises(ConfigError):
        game.checked_scoring("beauty")
    with pytest.raises(NotationError):
        game.parse_move("castle")


@pytest.mark.parametrize("name", KINDS)
def test_replay__has_a_frame_for_every_position(name: str) -> None:
    game = played(KINDS[name].usual(7), 12)
    shown = side_replay(game, lang=Language.EN)
    if game.has_choices:
        assert len(shown.frames) == len(game.history) + 1
    assert len(shown.moves) == len(shown.frames) - 1
    assert replay_page([shown]).startswith("<!doctype html>")


def test_session__plays_takes_back_saves_and_resumes(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIG2_DATA", str(tmp_path))
    file = OwnFile()
    session = SideSession(HighCard.usual, seat=1, seed=4)
    session.keep = file
    session.advance()
    assert session.is_asked
    before = session.view
    session.play(session.view.moves[0])
    session.advance()
    assert session.undo() is not None
    assert session.view == before
    session.play(session.view.moves[-1])
    assert file.path is not None
    again = resumed(HighCard, lambda _: HighCard.usual, file.path, OwnFile(), lambda name: name == "random")
    assert (again.game.view(1), again.seat, again.seed, again.against) == (session.game.view(1), 1, 4, "random")
    with pytest.raises(ConfigError, match="expected a player that opens no file"):
        resumed(HighCard, lambda _: HighCard.usual, file.path, OwnFile(), lambda name: False)
    while not again.is_over:
        if again.advance() is None:
            again.play(again.view.moves[0])
    again.next_deal()
    assert (again.seed, again.dealt, sum(again.scores)) == (5, 2, pytest.approx(0))


def test_prompt__plays_a_whole_deal_through_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    session = SideSession(HighCard.usual, seed=4)
    hand = [HighCard.move_text(move) for move in session.view.moves]
    typed = ["?", "hint", "99", "u", hand[0], "u", *hand, "q"]
    SidePrompt(session, TR, StringIO("\n".join(typed) + "\n")).run()
    assert session.is_over
    out = capsys.readouterr().out
    for said in ("seed 4", "no adviser", "c15, got '99'", "taken back", "tricks ["):
        assert said in out


def test_screen__goes_through_the_moves_and_makes_one() -> None:
    table = SideScreen(SideSession(HighCard.usual, seed=4), Language.EN, 0.0)

    async def steps(on: Driven) -> None:
        await on.press("enter")
        assert not table.session.game.history
        await on.press("tab", "tab", "enter")
        assert len(table.session.game.history) >= 3
        await on.press("u", "h", "r", "escape")
        assert not table.session.game.history
        for _ in range(5):
            await on.press("tab", "enter")
        assert table.session.is_over

    drive(steps, table)


def test_verbs__read_records_and_print_every_move(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        assert dump([SideRecord(played(HighCard.usual(seed), 15)) for seed in range(2)], stream) == 2
    replay_records(path, HighCard, True, TR)
    out = capsys.readouterr().out
    assert out.count("tricks [") == 2
    assert "records replayed: 2" in out
    assert len(list(load(path.read_text("utf-8"), HighCard))) == 2


@pytest.mark.filterwarnings("ignore::UserWarning")  # of PettingZoo's test, about options and dict spaces
def test_environments__serve_the_game() -> None:
    api_test(SideAEC(GameStepper(HighCard.usual)), num_cycles=60)
    env = SideSeatEnv(HighCard.usual, seat="rotate", render_mode="ansi")
    for seed in range(4):
        seen, info = env.reset(seed=seed)
        assert (seen.shape, info["action_mask"].shape) == ((2 * CARDS,), (CARDS,))
        ended, total = False, 0.0
        while not ended:
            seen, reward, ended, truncated, info = env.step(int(np.flatnonzero(env.action_masks())[0]))
            total += reward
        assert not truncated
        assert total == pytest.approx(info["payoffs"][env.seat])
        assert sum(info["payoffs"]) == pytest.approx(0)
        assert str(env.render()).count("player_") == 15
    env.reset(seed=1)
    assert env.step(int(np.flatnonzero(~env.action_masks())[0]))[1:3] == (-1.0, True)


def test_renderer__for_people_prints_the_opening_and_each_position(capsys: pytest.CaptureFixture[str]) -> None:
    for name, kind in KINDS.items():
        game = kind.usual(3)
        renderer = RenderedScreen("human", ["you"] * game.num_players, "winner")
        renderer.start(game, 0)
        expected = [game.opening_text(TR), game.position_text(0, TR)]
        assert capsys.readouterr().out == "".join(f"{text}\n" for text in expected if text), name
        seat, move = game.turn, next(iter(game.legal_moves()))
        text = game.move_text(move)
        game.play(move)
        renderer.move(game, seat, move, 0)
        expected = [f"you: {text}" if game.num_players > 1 else text, game.position_text(0, TR)]
        assert capsys.readouterr().out == "".join(f"{text}\n" for text in expected if text), name
        assert not game.is_over


@pytest.mark.parametrize("name", ["high_card", "uno"])
def test_hidden_cards__that_are_exchanged_change_nothing_that_a_seat_receives(name: str) -> None:
    """Two hands that a seat does not see are exchanged where they have the same size."""
    for seed in range(20):
        game = KINDS[name].usual(seed)
        twin = exchanged(game)
        viewer = 0
        assert twin.view(viewer) == game.view(viewer)
        assert np.array_equal(twin.observe(twin.view(viewer)), game.observe(game.view(viewer)))
        assert twin.scene(viewer, lang=Language.EN) == game.scene(viewer, lang=Language.EN)
        assert side_observation(twin, viewer, legal=True) == side_observation(game, viewer, legal=True)
        assert twin.hint_text(viewer, TR) == game.hint_text(viewer, TR)
        assert twin.prompt_help(TR) == game.prompt_help(TR) or game.turn != viewer
        sessions = []
        for one in (game, twin):
            session = SideSession(KINDS[name].usual, seat=viewer, seed=seed)
            session.game = one
            sessions.append(session)
        if game.turn == viewer:
            first, second = (seeded_move(one.player("random"), one.view(viewer)) for one in (game, twin))
            assert first == second
        assert len({repr(session.scene(Language.EN)) for session in sessions}) == 1


def exchanged(game: Any) -> Any:
    """The game with other hidden cards: of High Card the hands of seats 1 and 2, of UNO the opponent's hand and the pile."""
    if isinstance(game, HighCard):
        return HighCard([game.start[0], game.start[2], game.start[1]])
    twin = game.restarted()
    number = len(twin.hands[1])
    twin.hands[1], twin.pile[:number] = twin.pile[:number], twin.hands[1]
    return twin
