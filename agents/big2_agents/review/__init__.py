"""Where a game was lost: each decision judged afterwards, each seat's prospects, and what the summary of a seat says."""

from big2_agents.review.analysis import Review, review
from big2_agents.review.decision import Decision, Mark, mark_of_loss

__all__ = ["Decision", "Mark", "Review", "mark_of_loss", "review"]
