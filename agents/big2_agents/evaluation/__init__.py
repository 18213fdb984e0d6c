"""Comparison of players, and evaluation of a policy in one seat: every deal from every seat, with intervals by deal.

| file | contents |
| --- | --- |
| `arena/` | agents on the same deals, in every seat |
| `positions/` | frozen positions with the values of their moves |
| `deals.py` | `evaluate`, for functions, Stable-Baselines3 models and agents |
| `callback.py` | a callback for Stable-Baselines3 that evaluates while a model learns, and keeps the best one |
| `answers.py` | counts of what language models answer |
| `parquet.py` | pyarrow, if it is installed |
"""

from big2_agents.evaluation.deals import Evaluation, evaluate

__all__ = ["Evaluation", "evaluate"]
