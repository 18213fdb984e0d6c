"""Evaluation of a policy in one seat against other players: every deal from every seat, with intervals by deal.

| file | contents |
| --- | --- |
| `deals.py` | `evaluate`, for functions, Stable-Baselines3 models and agents |
| `callback.py` | a callback for Stable-Baselines3 that evaluates while a model learns, and keeps the best one |
"""

from big2_agents.evaluation.deals import Evaluation, evaluate

__all__ = ["Evaluation", "evaluate"]
