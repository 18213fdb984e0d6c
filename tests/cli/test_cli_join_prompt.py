"""The prompt at a table with friends, with a client whose answers a test decides."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from rich.cells import cell_len
from run_cli import run_cli

from big2_env.cli import _join
from big2_env.cli._join import SharedPrompt
from big2_env.cli._shared_client import RefusalError, harmless, read_link
from big2_env.cli._terminal import end_lines
from big2_env.climbing.rulesets import ruleset
from big2_env.errors import ConfigError
from big2_env.language import Language, words
from big2_env.play import Sitting
from big2_env.play.shared_sitting import SharedGame
from big2_env.scene import scene_of
from big2_env.web import shared_answers
from big2_env.web.shared_places import Place
from big2_env.web.shared_table import SharedTable

LINK = "http://127.0.0.1:1/#/join/abcdefghijkl/abcdefghijkl"
LEGAL = {"legal": True, "words": "a single"}
GONE = ConfigError("gone")
NO_SIGHTS: dict[str, Any] = {"watching": [], "wishes": [], "sight": None, "sights": []}


def state(version: int = 1, phase: str = "playing", asked: bool = True, undo: Any = None) -> dict[str, Any]:
    """A state of a table of two people, of whom the reader is the first."""
    sitting = Sitting(ruleset("big2"), ["lowest"], seed=7)
    while not sitting.is_asked or (phase == "over" and not sitting.is_over):
        if sitting.is_asked:
            sitting.play(next(iter(sitting.legal)))
        elif sitting.is_over:
            break
        else:
            sitting.advance()
    return {
        "version": version,
        "deal": 1,
        "asked": asked and phase == "playing",
        "can_undo": True,
        "bidding": False,
        "calls": [],
        "scene": sitting.scene(Language.EN).as_json(),
        "shared": {
            "phase": phase,
            "you": 0,
            "host": 0,
            "seats": [{"name": "Ann", "invite": None}, {"name": "Bo", "invite": None}],
            "undo": undo,
            **NO_SIGHTS,
            "clock": {"left": None},
        },
    }


class Client:
    """Answers in order, and states that come by themselves."""

    def __init__(self, *answers: Any, states: tuple[Any, ...] = ()) -> None:
        self.invitation = read_link(LINK)
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.gone = Event()
        self._answers = list(answers)
        self._states = states

    def ask(self, act: str, body: dict[str, Any]) -> Any:
        self.asked.append((act, body))
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def states(self) -> Iterator[Any]:
        yield from self._states
        self.gone.wait(60)

    @property
    def acts(self) -> list[str]:
        return [act for act, _ in self.asked]


def play(client: Client, first: dict[str, Any], typed: str, *, by_index: bool = True, is_terminal: bool = True) -> None:
    lines: Any = SimpleNamespace(buffer=io.BytesIO(typed.encode()), isatty=lambda: is_terminal)
    prompt = SharedPrompt(client, words(Language.EN), lines, by_index=by_index, letters=True)  # type: ignore[arg-type]
    try:
        prompt.run(first)
    finally:
        client.gone.set()


@pytest.mark.parametrize("lost", ["look", "play"])
def test_prompt__keeps_the_turn_if_the_server_is_away(lost: str, capsys: pytest.CaptureFixture[str]) -> None:
    client = Client(*([GONE] if lost == "look" else [LEGAL, GONE]), LEGAL, state(2, asked=False))
    play(client, state(), "0\n0\nq\n")
    assert client.acts[-2:] == ["look", "play"]
    assert "connection lost" in capsys.readouterr().out


@pytest.mark.parametrize("lost", ["look", "play"])
def test_prompt__sends_a_line_of_a_pipe_again(
    lost: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_join, "PAUSE", 0.01)
    client = Client(*([GONE, GONE] if lost == "look" else [LEGAL, GONE]), LEGAL, state(2, asked=False))
    play(client, state(), "0\n", is_terminal=False)
    assert client.acts[-2:] == ["look", "play"]
    assert capsys.readouterr().out.count("connection lost") == 1


UNDO = {"by": 1, "waiting": [0]}
STALE = RefusalError(409, "stale", "another version", state(2))
STALE_BY_UNDO = RefusalError(409, "stale", "another version", state(2, undo=UNDO))
BUSY = RefusalError(429, "busy", "too many requests")
NOT_SAVED = RefusalError(503, "not_saved", "the server could not save the move")


@pytest.mark.parametrize(
    ("answers", "typed", "acts"),
    [
        ([LEGAL, STALE], "0\n1\n", ["look", "play"]),
        ([BUSY, BUSY], "0\n1\n", ["look", "look"]),
        ([LEGAL, NOT_SAVED, LEGAL, NOT_SAVED], "0\n1\n", ["look", "play", "look", "play"]),
        ([LEGAL, STALE_BY_UNDO, state(3)], "0\nn\n1\n", ["look", "play", "consent"]),
        ([LEGAL, STALE_BY_UNDO, BUSY, state(3)], "0\nn\n1\n", ["look", "play", "consent", "consent"]),
    ],
)
def test_prompt__sends_a_line_of_a_pipe_again_after_a_refusal(
    answers: list[Any], typed: str, acts: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_join, "PAUSE", 0.01)
    end = state(9, asked=False)
    end["shared"]["phase"] = "over"
    client = Client(*answers, LEGAL, end)
    play(client, state(), typed, is_terminal=False)
    assert client.acts == [*acts, "look", "play"]
    looks = [body["cards"] for act, body in client.asked if act != "consent"]
    assert all(cards == looks[0] for cards in looks)
    out = capsys.readouterr().out
    hand = scene_of(state()["scene"]).seats[0].hand or ()
    assert out.count(hand[-1].text) == 1  # the turn is not shown again to a program that has answered it
    assert all(out.count(str(answer)) == 1 for answer in answers if isinstance(answer, RefusalError))


def test_prompt__does_not_send_a_line_again_after_a_move() -> None:
    moved = state(2)
    moved["scene"]["events"] = [*moved["scene"]["events"], "Bo passes"]
    client = Client(LEGAL, RefusalError(409, "stale", "another version", moved), LEGAL, state(3, "over"))
    play(client, state(), "0\n1\n", is_terminal=False)
    first, second = (body["cards"] for act, body in client.asked if act == "look")
    assert first != second


def test_prompt__does_not_wait_for_ever_for_a_server_that_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_join, "PAUSE", 0.01)
    monkeypatch.setattr(_join, "PATIENCE", 0.03)
    with pytest.raises(RefusalError, match="could not save"):
        play(Client(*[LEGAL, NOT_SAVED] * 100), state(), "0\n", is_terminal=False)


@pytest.mark.parametrize("command", ["h", "hint", "提示", "v", "r", "review", "state"])
def test_prompt__plays_no_card_by_a_command_that_it_does_not_have(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    client = Client()
    play(client, state(), f"{command}\nq\n")
    assert client.acts == []
    assert capsys.readouterr().out.count("indices of cards (0 2 5)") == 2


def test_prompt__asks_and_ends_again(capsys: pytest.CaptureFixture[str]) -> None:
    client = Client()
    prompt = SharedPrompt(client, words(Language.EN), io.StringIO(), by_index=True, letters=True)  # type: ignore[arg-type]
    for version in (1, 3):
        prompt._take(state(version, asked=False, undo=UNDO))
        prompt._take(state(version + 1, asked=False))
    assert capsys.readouterr().out.count("Bo wants to take back a move") == 2
    for version, deal in ((5, 1), (6, 1), (7, 2), (8, 3)):
        prompt._take(state(version, "playing" if version == 7 else "over", asked=False) | {"deal": deal})
    assert capsys.readouterr().out.count("the game is over") == 2


def test_prompt__says_why_cards_cannot_be_looked_at(capsys: pytest.CaptureFixture[str]) -> None:
    play(Client(RefusalError(409, "illegal", "another version")), state(), "0\nq\n")
    assert "another version" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("typed", "acts"), [("n\n\nno\ny\nq\n", []), ("p\n", ["play"]), ("不出\n", ["play"]), ("PASS\n", ["play"])]
)
def test_prompt__passes_only_by_words_that_pass(typed: str, acts: list[str]) -> None:
    client = Client(state(2, asked=False))
    play(client, state(), typed)
    assert client.acts == acts


def test_prompt__repeats_a_question_about_undoing(capsys: pytest.CaptureFixture[str]) -> None:
    client = Client(state(2))
    play(client, state(undo={"by": 1, "waiting": [0]}), "0\nn\nq\n")
    assert [(act, body["yes"]) for act, body in client.asked] == [("consent", 0)]
    assert capsys.readouterr().out.count("Bo wants to take back a move: y or n") == 2


def test_prompt__reads_commands_that_are_no_ranks(capsys: pytest.CaptureFixture[str]) -> None:
    client = Client(state(2), {"legal": False, "words": "too low"})
    play(client, state(), "u\nq\nquit\np\n", by_index=False)
    assert client.acts[0] == "undo"
    assert "play" not in client.acts
    assert "undo asks to take back" in " ".join(capsys.readouterr().out.split())


def test_prompt__shows_the_hand_before_the_first_turn(capsys: pytest.CaptureFixture[str]) -> None:
    first = state(asked=False)
    play(Client(), first, "q\n")
    out = capsys.readouterr().out
    hand = scene_of(first["scene"]).seats[0].hand or ()
    assert len(hand) > 10
    assert all(out.count(face.text) == 1 for face in hand)


def test_prompt__plays_from_a_pipe_that_joins_between_deals() -> None:
    client = Client(LEGAL, state(3, "over"), states=(state(2),))
    play(client, state(1, "over"), "0\n", is_terminal=False)
    assert client.acts == ["look", "play"]


def test_prompt__skips_states_that_are_not_the_newest(capsys: pytest.CaptureFixture[str]) -> None:
    client = Client()
    prompt = SharedPrompt(client, words(Language.EN), io.StringIO(), by_index=True, letters=True)  # type: ignore[arg-type]
    for version in range(1, 100):
        shown = state(version, "open") if version in (1, 99) else {"version": version}
        prompt._keep_newest(shown)
    assert prompt._received.qsize() == 1
    prompt._take_newest()
    assert capsys.readouterr().out.count("waiting for the start: Ann, Bo") == 1


def test_terminal__aligns_names_by_their_width() -> None:
    scene = scene_of(state(phase="over")["scene"])
    seats = tuple(replace(seat, name=name, payoff=2.0) for seat, name in zip(scene.seats, ("小明", "Ann"), strict=True))
    first, second = end_lines(replace(scene, seats=seats), signs=False)
    assert first.plain[:8].split() == ["小明"]
    assert cell_len(first.plain.partition("2")[0]) == cell_len(second.plain.partition("2")[0])


def test_names__may_be_pictures_of_several_characters() -> None:
    assert harmless("👩\u200d💻\u202e") == "👩\u200d💻�"
    answer = run_cli("play", "--lang", "en", "--join", LINK, "--name", "👩\u200d💻")
    assert "does not answer" in answer.err


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("greedy",), "AGENT"),
        (("--seed", "3", "--daily"), "--seed, --daily"),
        (("--resume",), "--resume"),
        (("--game", "uno"), "--game"),
        (("--record", "file.jsonl"), "--record"),
    ],
)
def test_play__refuses_what_contradicts_an_invitation(options: tuple[str, ...], named: str) -> None:
    answer = run_cli("play", *options, "--join", LINK, "--name", "Ann")
    assert answer.status == 2
    assert answer.err == f"big2: --join: expected no {named} too, as the host of the table chooses the game\n"


def uno(version: int = 1, asked: bool = True) -> dict[str, Any]:
    """The server's state of a table of UNO, with the moves that the reader may make."""
    people = [Place("random", owner, name) for owner, name in (("a" * 64, "Ann"), ("b" * 64, "Bo"))]
    table = SharedTable("k" * 16, SharedGame("uno"), people)
    table.start(Language.EN)
    assert table.sitting is not None
    table.sitting.seed = 5
    table.sitting.deal()
    table.version = version
    found = shared_answers.state(table, "a" * 64, lambda _: True, 0.0, Language.EN)
    return found if asked else found | {"asked": False, "moves": []}


def test_prompt__makes_moves_of_side_games_by_number_notation_or_words(capsys: pytest.CaptureFixture[str]) -> None:
    offered = uno()["moves"]
    play_of_card, draw = offered[0], offered[-1]
    assert not draw["cards"]
    for typed, move in (
        ("0", play_of_card),
        (play_of_card["text"].lower(), play_of_card),
        (play_of_card["words"], play_of_card),
        ("p", draw),
        (str(len(offered) - 1), draw),
    ):
        client = Client(uno(2, asked=False))
        play(client, uno(), f"{typed}\nq\n")
        assert client.asked == [("move", {"version": 1, "moves": [move["text"]]})]
    out = capsys.readouterr().out
    assert f"0:{play_of_card['text']} ({play_of_card['words']})" in " ".join(out.split())
    client = Client()
    play(client, uno(), f"{len(offered)}\nB99\nq\n")
    assert client.asked == []
    assert capsys.readouterr().out.count("expected one of") == 2


def test_prompt__plays_side_games_if_ranks_name_cards(capsys: pytest.CaptureFixture[str]) -> None:
    client = Client(uno(2, asked=False))
    play(client, uno(), "h\npoints\nindices\n0\nq\n", by_index=False)
    assert client.acts == ["move"]
    assert capsys.readouterr().out.count("number of a move, or the move itself") == 4


def test_prompt__sends_a_move_of_a_side_game_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_join, "PAUSE", 0.01)
    client = Client(BUSY, uno(9, asked=False))
    play(client, uno(), "0\n", is_terminal=False)
    assert client.acts == ["move", "move"]


def test_prompt__shows_a_hand_to_spectators_and_hides_it(capsys: pytest.CaptureFixture[str]) -> None:
    first = state()
    first["shared"] |= {"wishes": [{"name": "Eve", "number": 7}]}
    shown = state(1)
    shown["shared"] |= {"watching": [{"name": "Eve", "seat": 0, "number": 7}]}
    client = Client(shown, state(1))
    play(client, first, "show Bo\nshow Eve\n?\nhide Eve\nq\n")
    assert client.asked == [("show", {"number": 7, "yes": 1}), ("show", {"number": 7, "yes": 0})]
    out = " ".join(capsys.readouterr().out.split())
    for text in (
        "Eve asks to see your cards; type: show Eve, or hide Eve",
        "no spectator called 'Bo' has asked to see your cards",
        "Eve sees Ann's cards",
        "hide NAME does not",
    ):
        assert text in out


def test_prompt__asks_for_a_hand_as_a_spectator(capsys: pytest.CaptureFixture[str]) -> None:
    first, shown = state(asked=False), state(asked=False)
    first["shared"] |= {"you": None, "sights": [0, 1]}
    first["scene"] |= {"viewer": None}
    hand = scene_of(shown["scene"]).seats[0].hand or ()
    for seat in first["scene"]["seats"]:
        seat |= {"hand": None, "is_viewer": False}
    shown["shared"] |= {"you": None, "sight": {"seat": 0, "allowed": True}, "sights": [0]}
    client = Client(shown, first)
    play(client, first, "watch\n?\nwatch Ann\nwatch\nq\n")
    assert client.asked == [("watch", {"seat": 0}), ("watch", {"seat": None})]
    out = capsys.readouterr().out
    assert out.count("watch alone ends it") == 1
    assert "type: watch Bo" in " ".join(out.split())
    assert all(out.count(face.text) == 1 for face in hand)


@pytest.mark.parametrize(
    ("shared", "typed"),
    [
        ({"watching": [{"name": "Eve", "seat": 0}]}, "hide Eve"),
        ({"you": None, "sights": [99], "sight": {"seat": 0, "allowed": True}}, "watch Ann"),
    ],
)
def test_prompt__says_that_a_server_sends_no_table(shared: dict[str, Any], typed: str) -> None:
    first = state(asked=False)
    first["shared"] |= shared
    with pytest.raises(ConfigError, match="expected the state of a shared table"):
        play(Client(), first, f"{typed}\nq\n")


def test_prompt__says_that_a_server_sends_no_moves() -> None:
    first = uno()
    first["moves"] = [{"text": "draw", "words": "draws"}]
    with pytest.raises(ConfigError, match="expected the state of a shared table"):
        play(Client(), first, "0\nq\n")


def test_prompt__shows_a_host_the_links_of_free_seats_once(capsys: pytest.CaptureFixture[str]) -> None:
    rooms = [state(version, "open") for version in (1, 2)]
    for room in rooms:
        room["shared"]["seats"][1] = {"name": "", "invite": "s" * 22}
    play(Client(states=(rooms[1],)), rooms[0], "q\n")
    assert capsys.readouterr().out.count(f"/#/join/abcdefghijkl/{'s' * 22}") == 1
