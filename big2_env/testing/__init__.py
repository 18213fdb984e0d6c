"""Checks that you can run on your own patterns, rulesets and environments.

| name | purpose |
| --- | --- |
| `check_masks` | check the action masks of an AEC or Gymnasium environment |
| `big2_env.testing.ruleset_checks.check_ruleset` | try a ruleset in every part of the package; also `big2 rules GAME --check` |
| `big2_env.testing.differential.compare` | compare the compiled engine with the readable rules in games of any ruleset |
| `big2_env.testing.interpreted.replay_interpreted` | replay a game with interpreted kernels and the readable rules |
| `big2_env.testing.random_play.play` | check invariants of any ruleset in random games |
| `big2_env.testing.random_positions` | generate random positions and endings of any ruleset for your own checks |

>>> from big2_env.envs.aec import raw_env
>>> check_masks(raw_env(), games=1) > 0
True
"""

from __future__ import annotations

from big2_env.testing.masks import check_masks

__all__ = ["check_masks"]
