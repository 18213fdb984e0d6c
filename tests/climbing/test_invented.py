"""Invented rulesets: reproducible, playable, saved by their seed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from big2_env import BIG2, ConfigError, Game
from big2_env.agents.interface import make_agent, play_out, reset_seats
from big2_env.climbing.invented import invented
from big2_env.climbing.ruleset_data import digest, dump_ruleset, read_ruleset
from big2_env.climbing.rulesets import available_rulesets, named, ruleset
from big2_env.climbing.saved_rules import SavedRules, identity
from big2_env.climbing.vocabulary import Vocabulary, Word
from big2_env.kernels.compile import check_compiles
from big2_env.text.patterns import is_ambiguous

SEEDS = range(12)
GOLDEN = {0: "db1c7d3aef956247", 3: "cebef17cd3400e14", 7: "2eb63387dd46e2be"}
"""Digests of some rulesets, which saved results contain. Another drawing needs another start of their names."""


@pytest.mark.parametrize(("seed", "expected"), GOLDEN.items())
def test_invented__is_the_same_in_every_version(seed: int, expected: str) -> None:
    rules = invented(seed)
    assert digest(rules) == expected
    invented.cache_clear()
    assert invented(seed) == rules


def test_digests__cover_the_english_names() -> None:
    rules = invented(7)
    assert rules.vocabulary is not None
    words = replace(rules.vocabulary, ranks=rules.vocabulary.ranks[::-1])
    assert digest(replace(rules, vocabulary=words)) != digest(rules)


def test_invented__differs_by_seed_and_can_be_compiled() -> None:
    rulesets = [invented(seed) for seed in SEEDS]
    assert len({digest(rules) for rules in rulesets}) == len({rules.vocabulary for rules in rulesets}) == len(SEEDS)
    assert {rules.ranks_only for rules in rulesets} == {rules.suits_compare for rules in rulesets} == {True, False}
    assert not any(map(is_ambiguous, rulesets))
    for rules in rulesets[:5]:
        check_compiles(rules)


def test_names__find_invented_rulesets() -> None:
    assert named("invented_7") is ruleset("invented:7") is ruleset("invented_7") is invented(7)
    assert named("invented_07") is named("invented_x") is None
    for wrong in ("invented:", "invented:-1", "invented:07", f"invented:{10**18}"):
        with pytest.raises(ConfigError, match="expected invented:SEED"):
            ruleset(wrong)
    assert "invented_7" not in available_rulesets()


def test_saved_games__are_read_by_the_seed() -> None:
    rules = invented(7).with_scoring("cards")
    saved = identity(rules)
    assert saved["ruleset"] == "invented_7"
    assert "vocabulary" not in str(saved)
    assert SavedRules().of(saved) == rules
    saved["rules"]["digest"] = "0" * 16
    with pytest.raises(ConfigError, match="recorded under other rules"):
        SavedRules().of(saved)


def test_ruleset_files__hold_the_vocabulary(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(dump_ruleset(replace(invented(3), name="mine")), encoding="utf-8")
    assert replace(read_ruleset(path, {}), name="invented_3") == invented(3)


def test_agents__play_invented_games() -> None:
    for seed in (2, 3):
        game = Game.deal(invented(seed), seed=1)
        seats = [make_agent(("greedy", "random", "lowest", "heuristic")[seat % 4]) for seat in range(game.num_players)]
        reset_seats(seats, game)
        assert sum(play_out(game, seats).payoffs) == pytest.approx(0)


def test_vocabularies__are_checked() -> None:
    words = invented(7).vocabulary
    assert words is not None
    with pytest.raises(ConfigError, match="expected 13 ranks and 4 suits, got 12 and 4"):
        Vocabulary(words.ranks[1:], words.suits, ())
    with pytest.raises(ConfigError, match="different initials of ranks and suits"):
        Vocabulary((replace(words.ranks[0], en=f"{words.ranks[1].en[0]}xx"), *words.ranks[1:]), words.suits, ())
    with pytest.raises(ConfigError, match="letters a-z"):
        Word("Two", "二")
    with pytest.raises(ConfigError, match="no name for the pattern"):
        replace(BIG2, vocabulary=Vocabulary(words.ranks, words.suits, ()))
    with pytest.raises(ConfigError, match="one deck without jokers"):
        replace(ruleset("dou_dizhu"), vocabulary=words)
