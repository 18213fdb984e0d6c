"""Checks that users can run on their own patterns, rulesets and environments.

| name | what it checks |
| --- | --- |
| `check_masks` | the laws of action masks, on an AEC or Gymnasium environment |
| `big2_env.testing.random_endings` | nothing itself: endings of any game for whoever checks what is played there |
| `big2_env.testing.differential.compare` | the compiled engine against the reference engine, on games of any ruleset |
"""

from __future__ import annotations

from big2_env.testing.masks import check_masks

__all__ = ["check_masks"]
