"""Chinese sentences: jokers by name, and no spaces between Chinese words."""

from __future__ import annotations

import re

import pytest

from big2_env import Game, ruleset
from big2_env.base.language import Language, words
from big2_env.base.language.words import NAME_FIELDS, catalogue
from big2_env.notation import log
from big2_env.notation.transcript import Transcript
from big2_env.tables.session.move_reasons import Because, Reason, said
from big2_env.text.events import event_text, play_text
from big2_env.text.rules import rules_page
from big2_env.text.state import state_text

CHINESE = (Language.HANS, Language.HANT)
TEXTS = {
    Language.EN: ("LJ", "single LJ", "rocket BJ LJ", "triple with a single H[3] C[3] D[3] BJ", "LJ < BJ"),
    Language.HANS: ("小王", "单张小王", "火箭 大王 小王", "三带一 H[3] C[3] D[3] 大王", "小王 < 大王"),
    Language.HANT: ("小鬼", "單張小鬼", "火箭 大鬼 小鬼", "三帶一 H[3] C[3] D[3] 大鬼", "小鬼 < 大鬼"),
}
"""By language: the little joker, plays with jokers, and the order of jokers."""


@pytest.mark.parametrize("lang", Language)
def test_jokers__have_their_chinese_names_in_sentences(lang: Language) -> None:
    tr, (little, single, *plays, _) = words(lang), TEXTS[lang]
    game = Game.from_hands(ruleset("dou_dizhu"), ["LJ BJ C[3] D[3] H[3] C[5]", "D[4]", "D[6]"])
    assert {single, *plays} <= {play_text(game.ruleset, play, tr) for play in game.legal_plays()}
    mask = game.play("LJ").mask
    played = next(event for event in game.events if type(event).__name__ == "Played")
    assert str(event_text(game.ruleset, ["Ann", "Bo", "Cy"], played, tr)).endswith(single)
    assert single in state_text(game, lang=lang).splitlines()[1]
    assert said(game.ruleset, Because(Reason.DECLINES, cards=mask), tr).endswith(little)
    assert "玩家 player_0 打出了 單張 LJ\n" in log.dumps(Transcript(game))  # the text format names no language


@pytest.mark.parametrize("lang", Language)
@pytest.mark.parametrize("name", ["dou_dizhu", "dou_dizhu_4p", "qi_gui_523"])
def test_jokers__have_their_chinese_names_in_rules(name: str, lang: Language) -> None:
    page = "\n".join(line for section in rules_page(ruleset(name), lang).sections for line in section.lines)
    assert TEXTS[lang][-1] in page.replace(" < 5 < ", " < ")
    if lang in CHINESE:  # but for the sentences that explain the codes
        assert not re.search("[LB]J", re.sub("（[LB]J）|[LB]J 是", "", page))


@pytest.mark.parametrize("lang", CHINESE)
def test_texts__have_no_spaces_between_chinese_words(lang: Language) -> None:
    for key, text in catalogue().items():
        assert not re.search(r"座位 (?=[\d{])", text[lang.value]), key
        fields = re.findall(r"\{(\w+)\}", text[lang.value])
        for field in fields:
            value = "座位3" if field in NAME_FIELDS else "顺子"
            filled = words(lang)(key, **{**dict.fromkeys(fields, "7"), field: value})
            assert not re.search(f"[一-鿿] {value}|{value} [一-鿿]", filled), key


@pytest.mark.parametrize(
    ("lang", "text"), [(Language.HANS, "座位3要压过座位2的对子 D[3] C[3]"), (Language.HANT, "座位3要壓過座位2的對子 D[3] C[3]")]
)
def test_seats__are_one_word_with_their_number(lang: Language, text: str) -> None:
    game = Game.from_hands(ruleset("big2"), ["C[5]", "C[6]", "C[3] D[3] C[7]", "C[8]"])
    game.play("C[3] D[3]")
    names = [words(lang)("observation.seat", seat=seat) for seat in range(4)]
    assert state_text(game, names=names, lang=lang).splitlines()[1] == text
    for key in ("advise.beats", "solve.to_beat"):
        filled = words(lang)(
            key, name=names[2], other=names[1], play=play_text(game.ruleset, game.history[0].play, words(lang))
        )
        assert " " not in filled.replace(" D[3] C[3]", "")
