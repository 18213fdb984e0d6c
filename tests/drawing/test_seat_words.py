"""One name for one agent: in the terminal, the browser and on pages alike."""

from __future__ import annotations

import pytest
from run_cli import run_cli

from big2_env import BIG2
from big2_env.agents.interface import available_agents
from big2_env.base.language import Language, words
from big2_env.base.language.words import catalogue
from big2_env.drawing.replays import game_replay
from big2_env.notation import records
from big2_env.tables.session.table_session import TableSession
from big2_env.text.names import agent_words, seat_words

SPECS = ["lowest", "greedy", "lowest"]
CALLED = {
    Language.EN: ("you", "Thrifty 1", "Greedy", "Thrifty 2"),
    Language.HANT: ("你", "阿省1", "阿貪", "阿省2"),
    Language.HANS: ("你", "阿省1", "阿贪", "阿省2"),
}


@pytest.mark.parametrize("lang", list(Language))
def test_seats__are_called_alike_at_every_table_and_in_the_record(lang: Language) -> None:
    session = TableSession(BIG2, SPECS, seed=3)
    terminal = tuple(seat.name for seat in session.scene(lang).seats)
    kept = records.loads(records.dumps(session.record()))
    page = tuple(seat.name for seat in game_replay(kept.transcript, lang=lang).frames[0].seats)
    assert terminal == page == CALLED[lang]


@pytest.mark.parametrize("lang", list(Language))
def test_match__calls_agents_by_the_same_names(lang: Language) -> None:
    done = run_cli("match", "lowest", "greedy", "lowest", "random", "--seed", "0", "--log", "text", "--lang", lang.value)
    assert (done.status, done.err) == (0, "")
    for name in CALLED[lang][1:]:
        assert name in done.out
    assert "lowest1" not in done.out


@pytest.mark.parametrize("lang", list(Language))
def test_names__that_a_person_typed_stay(lang: Language) -> None:
    typed = ["Ann", "learned:runs/my_run.npz", "search:400", "sb3:a_1.zip", "player_2", "module:Class1"]
    assert list(seat_words(typed, words(lang))) == typed
    assert [agent_words(name, words(lang)) for name in typed] == typed


def test_agents__of_the_package_have_words() -> None:
    assert [name for name in available_agents() if f"agent.{name}" not in catalogue()] == []


@pytest.mark.parametrize(
    ("lang", "name", "said"),
    [
        (Language.HANT, "老手2", "輪到老手2領出：任何牌型"),
        (Language.HANS, "老手2", "轮到老手2领出：任何牌型"),
        (Language.HANS, "Ann", "轮到 Ann 领出：任何牌型"),
        (Language.EN, "Veteran 2", "Veteran 2 to lead: any pattern"),
    ],
)
def test_sentences__have_no_space_around_a_chinese_name(lang: Language, name: str, said: str) -> None:
    assert words(lang)("table.lead", name=name) == said


def test_sentences__keep_the_space_before_a_latin_word() -> None:
    assert words(Language.HANT)("table.passes", name="老手2") == "老手2 PASS"
    assert words(Language.HANS)("you.to_beat", owner="老手2", play="单张 H[3]") == "你要压过老手2的单张 H[3]"
