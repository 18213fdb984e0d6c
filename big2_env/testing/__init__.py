"""Checks that users can run on their own patterns, rulesets and environments.

| name | what it checks |
| --- | --- |
| `check_masks` | the invariants of action masks, on an AEC or Gymnasium environment |
| `big2_env.testing.differential.compare` | the compiled engine against the readable rules, on games of any ruleset |
| `big2_env.testing.random_positions` | nothing by itself: random positions and endings of any ruleset, for your own checks |
"""

from __future__ import annotations

from big2_env.testing.masks import check_masks

__all__ = ["check_masks"]
