"""Where the engines disagree over a random ruleset, the smallest ruleset over which they do is named."""

from __future__ import annotations

from itertools import count

import pytest
import random_family as family
from random_family import compare_family, random_family
from shrinking import shrunk

from big2_env import RuleSet
from big2_env.testing.differential import Compared, DisagreementError


def test_shrunk__keeps_what_fails_and_nothing_else() -> None:
    rules = random_family(40)
    assert len(rules.chops) > 1
    assert len(rules.patterns) > 2
    small = shrunk(rules, lambda one: bool(one.chops))
    assert len(small.chops) == 1
    assert {rule.pattern.name for rule in small.patterns} <= {small.chops[0].pattern, small.chops[0].over}
    assert (small.draw_pile, small.auction, small.must_cover, small.hand_size) == (False, None, False, 1)


def test_comparison__that_fails_names_the_seed_and_the_smallest_ruleset(monkeypatch: pytest.MonkeyPatch) -> None:
    def compared(rules: RuleSet, *_: int) -> Compared:
        if rules.must_cover:
            raise DisagreementError("another hand")
        return Compared()

    seed = next(seed for seed in count() if random_family(seed).must_cover)
    monkeypatch.setattr(family, "compare_rules", compared)
    with pytest.raises(DisagreementError) as found:
        compare_family(seed, games=1, positions=1)
    first, second, third = str(found.value).splitlines()
    assert (first.split(",")[0], second) == (f"the ruleset is random_family.random_family({seed})", "another hand")
    assert third.startswith("as small as it can be: RuleSet(")
    assert third.count("PatternRule(") == 1
    assert "must_cover=True" in third
