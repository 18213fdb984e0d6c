"""Language models as agents: requests, faults of answers and of endpoints, files, budgets, and secrets that stay secret."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Condition
from unittest.mock import patch

import pytest
from loopback_endpoint import KEY, NAME, Loopback, Say, first_legal, loopback, set_key_alone
from run_cli import run_cli

from big2_agents.evaluation.answers import COUNTS
from big2_agents.language_model import endpoint
from big2_agents.language_model.agent import LanguageModelAgent
from big2_agents.language_model.asking import asking
from big2_agents.language_model.faults import IllegalPolicy
from big2_agents.language_model.protocol import SYSTEM, Options, complaint, protocol_hash
from big2_agents.language_model.replies import HEADER, Reply, ReplyFile
from big2_agents.language_model.settings import Settings
from big2_agents.rule_based.simple import LowestAgent
from big2_env import BIG2, ConfigError, Game, NotationError, ruleset
from big2_env.agents.interface import make_agent, play_out, play_turn, reset_seats, takes_from_record
from big2_env.base.language import Language, words
from big2_env.climbing.forfeit import ForfeitError
from big2_env.notation import records
from big2_env.runs.resumable import encoded
from big2_env.text.answers import Ambiguous, Illegal, Unreadable
from big2_env.text.names import move_text


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch) -> None:
    set_key_alone(monkeypatch)


def agent(server: Loopback, monkeypatch: pytest.MonkeyPatch, name: str = NAME, **settings: object) -> LanguageModelAgent:
    for setting, value in {"URL": server.url, **settings}.items():
        monkeypatch.setenv(f"BIG2_LLM_{setting}", str(value))
    made = make_agent(name)
    assert isinstance(made, LanguageModelAgent)
    return made


def lines(path: Path) -> Iterator[dict[str, object]]:
    return map(json.loads, path.read_text(encoding="utf-8").splitlines())


def one_move(say: Say, monkeypatch: pytest.MonkeyPatch, **settings: object) -> tuple[Loopback, LanguageModelAgent]:
    """The opening of one game by a model."""
    with loopback(say) as server:
        made = agent(server, monkeypatch, **settings)
        game = Game.deal(BIG2, 7)
        reset_seats([made] * 4, game)
        play_turn(game, [made] * 4)
    return server, made


@pytest.mark.parametrize("content", [None, "", "The lowest card."])
def test_agent__reads_tool_calls(content: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    def say(messages: list[str], number: int) -> dict[str, object]:
        call = {"name": "play_cards", "arguments": json.dumps({"move": "3 (clubs)"})}
        calls = [{"id": "call_1", "type": "function", "function": call}]
        return {"role": "assistant", "content": content, "tool_calls": calls}

    _, made = one_move(say, monkeypatch)
    assert (made.counts["decisions"], made.counts["calls"], made.counts["unreadable"]) == (1, 1, 0)


def test_agent__plays_a_whole_game(monkeypatch: pytest.MonkeyPatch) -> None:
    with loopback() as server:
        models = [agent(server, monkeypatch) for _ in range(4)]
        game = Game.deal(BIG2, 7)
        reset_seats(models, game)
        outcome = play_out(game, models)
    same = Game.deal(BIG2, 7)
    assert outcome == play_out(same, [LowestAgent()] * 4)
    assert server.calls == sum(model.counts["calls"] for model in models) == sum(model.counts["decisions"] for model in models)
    assert sum(model.counts["tokens_in"] for model in models) == 100 * server.calls
    assert all(tuple(model.counts) == COUNTS for model in models)
    body = json.loads(next(iter(server.asked)))
    assert body["model"] == "tiny"
    assert body["max_tokens"] == 32_000
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert body["messages"][0]["content"] == SYSTEM


@pytest.mark.parametrize(
    ("answer", "fault", "message"),
    [
        ("<answer>2S 2H</answer>", "illegal", "Your move is not legal: "),
        ("I would rather not.", "unreadable", "No move was found in your answer. Expected "),
        ("", "unreadable", "No move was found in your answer. Expected "),
        ({"role": "assistant", "content": None, "reasoning_content": "C[3] it is"}, "unreadable", "No move was found"),
    ],
)
def test_fault__is_named_to_the_model__which_may_correct_it(
    answer: object, fault: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts: list[str] = []

    def say(messages: list[str], number: int) -> object:
        prompts.append(messages[-1])
        return answer if number == 0 else first_legal(messages)

    server, made = one_move(say, monkeypatch)
    assert server.calls == 2
    assert prompts[1].startswith(message) or f"\n\n{message}" in prompts[1]
    assert (made.counts[fault], made.counts["retries"], made.counts["calls"]) == (1, 1, 2)


def body_of(content: str | None, finish: str, **message: object) -> bytes:
    """A reply that ends for a reason."""
    choice = {"finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}
    details = {"prompt_tokens_details": {"cached_tokens": 64}, "completion_tokens_details": {"reasoning_tokens": 5}}
    usage = {"prompt_tokens": 100, "completion_tokens": 7, **details}
    return json.dumps({"choices": [choice], "usage": usage}).encode()


@pytest.mark.parametrize(
    ("body", "fault", "message"),
    [
        (body_of("I could play the 3C, but", "length"), "cut_off", "Your answer was too long and was cut off."),
        (body_of(None, "length"), "cut_off", "Your answer was too long"),
        (body_of("", "content_filter"), "withheld", "Your answer was not received."),
        (body_of(None, "stop", refusal="I cannot help with gambling."), "withheld", "Your answer was not received."),
    ],
)
def test_unfinished_answer__is_a_fault_of_its_own(
    body: bytes, fault: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[list[str]] = []

    def say(messages: list[str], number: int) -> object:
        sent.append(messages)
        return body if number == 0 else first_legal(messages)

    _, made = one_move(say, monkeypatch)
    assert message in sent[1][-1]
    assert all(text.strip() for text in sent[1])
    assert (made.counts[fault], made.counts["unreadable"], made.counts["calls"]) == (1, 0, 2)
    assert (made.counts["tokens_cached"], made.counts["tokens_reasoning"]) == (64, 5)


def test_answer__that_was_cut_off_behind_its_move__is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    _, made = one_move(lambda messages, number: body_of("<answer>3C</answer> because", "length"), monkeypatch)
    assert (made.counts["calls"], made.counts["cut_off"]) == (1, 0)


def test_options__reach_the_request_and_the_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'm,legal,effort=low,timeout=7,extra={"top_k": 20, "stop": ["a,b"]},tokens=99'
    options = Options.parse(text)
    assert options.request([]) == {
        "model": "m",
        "messages": [],
        "max_tokens": 99,
        "reasoning_effort": "low",
        "timeout": 7.0,
        "extra_body": {"top_k": 20, "stop": ["a,b"]},
    }
    bare = Options.parse("m,legal,tokens=99")
    assert protocol_hash(options, IllegalPolicy()) != protocol_hash(bare, IllegalPolicy())
    with loopback() as server:
        set_key_alone(monkeypatch)
        monkeypatch.setenv("BIG2_LLM_URL", server.url)
        game = Game.deal(BIG2, 7)
        play_turn(game, [LanguageModelAgent(text)] * 4)
        [body] = server.asked
    data = json.loads(body)
    assert (data["top_k"], data["stop"], data["reasoning_effort"]) == (20, ["a,b"], "low")
    assert "timeout" not in data


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("m,timeout=0", "expected a timeout from 0 to 3600 seconds, got 0"),
        ("m,extra={", "expected options"),
        ('m,extra={"a": }', "invalid JSON"),
        ('m,extra={"model": "n"}', "extra: model is set by the agent itself"),
        ("m,effort=LOW", "expected options"),
    ],
)
def test_options__that_are_wrong__are_named(text: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        Options.parse(text)


def test_endpoint__that_is_overloaded__gets_half_as_many_calls_at_the_same_time() -> None:
    calls_of_round, changed = [0], Condition()

    def answer(body: str, key: str) -> tuple[int, list[bytes]]:
        with changed:
            number = len(calls_of_round)
            calls_of_round[-1] += 1
            changed.notify_all()
            if number < 5:
                assert changed.wait_for(lambda: len(calls_of_round) > number, 60)
        return (429, [b"{}"]) if number < 4 else (200, [body_of("3C", "stop")])

    with loopback() as server, patch.object(server, "answer", answer), patch.object(endpoint, "PAUSE", 0.01):
        called = endpoint.Endpoint(server.url, "a key", 90)
        request = {"model": "m", "messages": [{"role": "user", "content": "?"}], "max_tokens": 5}
        with ThreadPoolExecutor(16) as pool:
            replies = [pool.submit(called.call, request, lambda: None) for _ in range(16)]
            for expected in (16, 8, 4, 2):
                with changed:
                    assert changed.wait_for(lambda at_once=expected: calls_of_round[-1] >= at_once, 60)
                time.sleep(0.05)  # in which further calls would arrive
                with changed:
                    calls_of_round.append(0)
                    changed.notify_all()
            assert {reply.result().answer for reply in replies} == {"3C"}
        called.close()
    assert calls_of_round[:4] == [16, 8, 4, 2]


@pytest.mark.parametrize(("policy", "calls"), [("forfeit", 1), ("retry:1", 2), ("retry:2", 3)])
def test_policy__forfeits_after_its_retries(policy: str, calls: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with loopback(lambda messages, number: "hm") as server:
        made = agent(server, monkeypatch, ILLEGAL=policy)
        with pytest.raises(ForfeitError, match=f"no legal move in {calls} answers?, at last unreadable: expected"):
            play_turn(Game.deal(BIG2, 7), [made] * 4)
    assert server.calls == made.counts["unreadable"] == calls
    assert made.counts["retries"] == calls - 1


@pytest.mark.parametrize("policy", ["lowest", "random"])
def test_policy__moves_instead(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    server, made = one_move(lambda messages, number: "hm", monkeypatch, ILLEGAL=policy)
    assert (server.calls, made.counts["fallbacks"], made.counts["retries"]) == (1, 1, 0)


@pytest.mark.parametrize(
    "faults",
    [[500], [429, 503], [b"rubbish"], [b"{}", b"[1]", b'{"choices": []}'], [b'{"choices": [{"message": {"content": 5}}]}']],
)
def test_endpoint__that_fails__is_asked_again(faults: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    server, made = one_move(
        lambda messages, number: faults[number] if number < len(faults) else first_legal(messages), monkeypatch
    )
    assert server.calls == len(faults) + 1
    assert (made.counts["calls"], made.counts["failures"], made.counts["illegal"]) == (1, len(faults), 0)


@pytest.mark.parametrize(
    ("said", "calls", "message"),
    [
        (500, 6, "the endpoint failed 6 times, at last: HTTP status 500"),
        (404, 1, "the endpoint refuses the request with HTTP status 404"),
        (
            b"x" * (endpoint.MAX_BODY + 1),
            6,
            "failed 6 times, at last: no connection, or an unfinished reply .expected at most 1,048,576 bytes, got more",
        ),
    ],
)
def test_endpoint__that_does_not_answer__stops_the_run_without_the_key(
    said: object, calls: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with loopback(lambda messages, number: said) as server:
        made = agent(server, monkeypatch)
        with pytest.raises(ConfigError, match=message) as raised:
            play_turn(Game.deal(BIG2, 7), [made] * 4)
    assert not isinstance(raised.value, ForfeitError)
    assert server.calls == calls
    assert KEY not in str(raised.value)
    assert raised.value.__cause__ is None


@pytest.mark.parametrize("slow", [None, [b" "] * 20], ids=["hangs", "trickles"])
def test_endpoint__that_takes_too_long__is_left_in_time(slow: object, monkeypatch: pytest.MonkeyPatch) -> None:
    server, made = one_move(lambda messages, number: slow if number == 0 else first_legal(messages), monkeypatch, TIMEOUT=0.25)
    assert (server.calls, made.counts["failures"]) == (2, 1)


def test_endpoint__without_a_connection__is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with loopback() as server:
        pass
    made = agent(server, monkeypatch)
    with pytest.raises(ConfigError, match="the endpoint failed 6 times, at last: no connection"):
        play_turn(Game.deal(BIG2, 7), [made] * 4)


@pytest.mark.parametrize("key", [KEY, "x"])
def test_endpoint__that_knows_only_the_other_limit__gets_it(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = json.dumps({"error": {"message": "use max_completion_tokens instead"}}).encode()

    with loopback() as server:

        def answer(body: str, key: str) -> tuple[int, list[bytes]]:
            server.asked[body] += 1
            if "max_tokens" in json.loads(body):
                return 400, [wanted]
            return 200, [json.dumps({"choices": [{"message": {"content": "3C"}}]}).encode()]

        with patch.object(server, "answer", answer):
            monkeypatch.setenv("OPENAI_API_KEY", key)
            made = agent(server, monkeypatch)
            play_turn(Game.deal(BIG2, 7), [made] * 4)
    assert [("max_tokens" in json.loads(body)) for body in server.asked] == [True, False]


def test_endpoint__that_knows_only_the_other_limit__gets_it_from_calls_at_the_same_time() -> None:
    """Each call is repeated by what it sent itself: four are refused before any of them knows."""
    wanted, all_sent = json.dumps({"error": {"message": "use max_completion_tokens instead"}}).encode(), Barrier(4)
    spent: list[str] = []

    def answer(body: str, key: str) -> tuple[int, list[bytes]]:
        if "max_tokens" in json.loads(body):
            all_sent.wait(20)
            return 400, [wanted]
        return 200, [json.dumps({"choices": [{"message": {"content": "3C"}}]}).encode()]

    with loopback() as server, patch.object(server, "answer", answer):
        called = endpoint.Endpoint(server.url, "a key", 30)
        request = {"model": "m", "messages": [{"role": "user", "content": "?"}], "max_tokens": 5}
        with ThreadPoolExecutor(4) as pool:
            replies = list(pool.map(lambda _: called.call(request, lambda: spent.append("a call")), range(4)))
        called.close()
    assert [(reply.answer, reply.attempts) for reply in replies] == [("3C", 1)] * 4
    assert len(spent) == 8  # the refused ones count too


def test_cache__answers_without_an_endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "replies.jsonl"
    with loopback() as server:
        options = ("match", NAME, "lowest", "--seed", "7", "--log", "jsonl", "--llm-cache", str(cache))
        first = run_cli(*options, "--llm-url", server.url)
        assert first.status == 0, first.err
        calls = server.calls
        again = run_cli(*options, "--llm-url", server.url)
        assert server.calls == calls > 0
    monkeypatch.delenv("OPENAI_API_KEY")
    with patch.dict("sys.modules", openai=None):
        taped = run_cli(*options, "--llm-url", "cache")
    assert first.out == again.out == taped.out
    missing = run_cli(*options[:4], "8", *options[5:], "--llm-url", "cache")
    assert missing.status == 2
    assert "no reply to this request; it was made with another model, protocol, deal or seed" in missing.err
    assert len(missing.err.splitlines()) == 2


def test_record__names_the_model_only__and_never_starts_it(tmp_path: Path) -> None:
    with loopback() as server:
        done = run_cli("match", NAME, "lowest", "--seed", "7", "--log", "jsonl", "--llm-url", server.url)
        calls = server.calls
        record = next(iter(records.load(done.out)))
        assert server.calls == calls
    assert record.extra["agents"] == [NAME, "lowest", NAME, "lowest"]
    assert server.url not in done.out
    assert KEY not in done.out
    assert not takes_from_record(NAME)


def test_transcript__has_a_line_per_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "transcript.jsonl"

    def say(messages: list[str], number: int) -> object:
        said = {"role": "assistant", "content": f"{KEY} <answer>3C</answer>", "reasoning": f"low \ud800 {KEY}"}
        return "hm" if number == 0 else said

    _, made = one_move(say, monkeypatch, TRANSCRIPT=path)
    first, second = lines(path)
    assert first["verdict"].startswith("unreadable: expected ")  # type: ignore[attr-defined]
    assert (second["verdict"], second["retry"], second["cached"]) == ("played single C[3]", 1, False)
    assert (second["reasoning"], second["answer"]) == ("low ? [key]", "[key] <answer>3C</answer>")
    assert second["protocol"] == made.protocol
    assert [message["role"] for message in second["prompt"]] == ["user", "assistant", "user"]  # type: ignore[attr-defined]
    assert (second["agent"], second["seat"], second["move"], second["tokens"]) == (NAME, 1, 0, [100, 7, 0, 0])


@pytest.mark.parametrize(
    ("budget", "message"), [("3", "the budget of 3 calls is used up"), ("99,250", "of 250 tokens is used up")]
)
def test_budget__stops_the_run(budget: str, message: str) -> None:
    with loopback() as server:
        done = run_cli("match", NAME, "--seed", "7", "--llm-url", server.url, "--llm-budget", budget, "--log", "jsonl")
    assert (done.status, server.calls) == (2, 3)
    assert message in done.err


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("llm", (), "agent llm: expected a model, llm:MODEL, got none"),
        ("llm:", (), "expected the name of a model, llm:MODEL"),
        ("llm:m,loud", (), "expected options legal, no-rules, history=trick"),
        ("llm:m,legal,legal", (), "each once"),
        ("llm:m,temperature=3", (), "expected temperature from 0 to 2"),
        ("llm:m,language=xx", (), "llm:m: "),
        (
            "llm:m",
            ("--illegal", "retry:99"),
            "illegal answers: expected forfeit, retry:N to 20, lowest or random, got 'retry:99'",
        ),
        (
            "llm:m",
            ("--llm-url", "localhost"),
            "endpoint: expected a URL such as http://localhost:8000/v1, or cache",
        ),
        (
            "llm:m",
            ("--llm-url", f"http://me:{KEY}@host/v1"),
            "endpoint: expected a URL without user and password",
        ),
        (
            "llm:m",
            ("--llm-url", "cache"),
            "endpoint cache: expected --llm-cache or BIG2_LLM_CACHE with the file of replies",
        ),
        (
            "llm:m",
            ("--llm-url", "cache", "--llm-cache", "none.jsonl"),
            "expected a file of replies, but none.jsonl does not exist",
        ),
        ("llm:m", ("--llm-budget", "few"), "--llm-budget or BIG2_LLM_BUDGET: expected CALLS or CALLS,TOKENS, got 'few'"),
    ],
)
def test_bad_input__gets_one_line(name: str, options: tuple[str, ...], message: str) -> None:
    done = run_cli("match", name, *options)
    assert done.status != 0
    assert message in done.err
    assert len(done.err.splitlines()) == 1
    assert KEY not in done.err


def test_bad_environment__is_named_where_there_is_no_option(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BIG2_LLM_URL", "localhost")
    done = run_cli("export", "llm:m", "--out", str(tmp_path / "data"))
    assert done.status != 0
    assert "endpoint: expected a URL such as http://localhost:8000/v1, or cache, got 'localhost'" in done.err
    assert "--llm-url" not in done.err


def test_without_key_and_url__the_message_names_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ConfigError, match="--llm-url or BIG2_LLM_URL, or a key in OPENAI_API_KEY, got neither"):
        make_agent("llm:m")


def test_without_the_client__the_message_names_the_extra() -> None:
    with patch.dict("sys.modules", openai=None), pytest.raises(ImportError, match=re.escape("pip install 'big2_env[llm]'")):
        make_agent("llm:m")


def test_settings__do_not_show_the_key() -> None:
    assert KEY not in repr(Settings.of_environment())


@pytest.mark.parametrize("language", Language)
def test_prompts__use_one_notation_and_one_language(language: Language) -> None:
    options, rules = Options.parse(f"m,legal,language={language.value}"), ruleset("dou_dizhu")
    game = Game.deal(rules, 3)
    system, asked = (message["content"] for message in options.conversation(game.view()))
    tr = words(language)
    assert (
        tr("observation.calls", words=f"{move_text(game.legal_plays().calls[0], game.legal_plays(), tr)} / ") in asked + " / "
    )
    game.play(0, "call")
    for _ in range(2):
        game.play(0)
    for cards in ("", ""):
        game.push(next(iter(game.legal_plays())))
        game.play(cards)
        game.play(cards)
    game.push(next(iter(game.legal_plays())))
    asked = options.prompt(game.view())
    assert not re.search(r"[CDHS]\[", asked)
    assert [line[:2] for line in asked.splitlines() if line.startswith(("Trick", "第"))] == [
        tr("observation.nth_trick", number="")[:2]
    ] * 3
    assert tr("observation.partner") in asked
    refused = [complaint(one, language) for one in (Illegal("-"), Unreadable("-"), Ambiguous(("H[3]", "3S")))]
    assert "3H" in refused[2]
    if language is not Language.EN:
        assert not [text for text in (system, asked, *refused) if re.search("[a-z]{4}", re.sub("</?answer>|pass", "", text))]


def test_protocol__is_identified_by_everything_that_decides_a_request() -> None:
    variants = ["m", "n", "m,legal", "m,no-rules", "m,history=trick", "m,language=zh-Hans", "m,temperature=0", "m,tokens=100"]
    hashes = [protocol_hash(Options.parse(one), IllegalPolicy()) for one in variants]
    hashes.append(protocol_hash(Options.parse("m"), IllegalPolicy(1)))
    assert len(set(hashes)) == len(hashes)
    assert protocol_hash(Options.parse("m"), IllegalPolicy()) == hashes[0]


def test_replies__survive_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    file = ReplyFile(path)
    for number in range(3):
        file.add(f"{number:032x}", "m", Reply(f"answer {number}", None, "stop", 5, 6, 0.5, 2))
    file.close()
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"key":"half')
    again = ReplyFile(path)
    assert len(again) == 3
    assert again.get(f"{1:032x}") == Reply("answer 1", None, "stop", 5, 6, 0.5, 2, is_cached=True)
    assert again.get(f"{7:032x}") is None
    again.add(f"{7:032x}", "m", Reply("late"))
    with pytest.raises(ConfigError, match="is being written by another process"):
        ReplyFile(path)
    again.close()
    assert path.read_bytes().startswith(whole)
    tape = ReplyFile(path, is_tape=True)
    assert len(tape) == 4
    tape.close()


def test_replies__of_an_earlier_run_in_this_process__are_shared(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    first, second = (asking(Settings(url="http://localhost:9/v1", cache=path, calls=calls)) for calls in (1, 2))
    assert first is not second
    del first
    path.unlink()
    asking(Settings(url="http://localhost:9/v1", cache=path, calls=3))
    assert path.read_bytes() == encoded(HEADER)
    del second


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"schema":1,"kind":"big2 arena"}\n', "expected a file of replies .big2 replies., got kind"),
        (b"my notes", "expected a file of replies .big2 replies., got another file"),
        (encoded(HEADER) + b"{}\n", "line 2: expected a reply with key, answer, tokens"),
        (encoded(HEADER) + b"nonsense\n", "line 2: invalid JSON"),
        (encoded(HEADER) + b"\xff\n", "line 2: expected text in UTF-8, got the byte 0xff"),
    ],
)
def test_replies__that_are_none__are_refused_and_kept(tmp_path: Path, text: bytes, message: str) -> None:
    path = tmp_path / "other.jsonl"
    path.write_bytes(text)
    for is_tape in (False, True):
        with pytest.raises((ConfigError, NotationError), match=message):
            ReplyFile(path, is_tape=is_tape)
    assert path.read_bytes() == text


PIECES = re.compile(r"[A-Za-z]+|\d+| (?=\d)|[^\sA-Za-z\d]+|\n")
"""Pieces of a text, as many as OpenAI's o200k has tokens for prompts of games, within 1.5%."""


@pytest.mark.parametrize("agent", ["greedy", "heuristic"])
@pytest.mark.parametrize(("name", "most"), [("big2", 390), ("dou_dizhu", 460)])
def test_prompts_of_whole_games_are_short(name: str, most: int, agent: str) -> None:
    counts, options = [], Options.parse("model,no-rules")
    for seed in range(10):
        game = Game.deal(ruleset(name), seed)
        seats = [make_agent(agent) for _ in range(game.view().num_players)]
        reset_seats(seats, game)
        while not game.is_over:
            counts.append(sum(len(PIECES.findall(message["content"])) for message in options.conversation(game.view())))
            play_turn(game, seats)
    assert sum(counts) / len(counts) < most
