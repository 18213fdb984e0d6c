"""Credit of each choice for what came of it: along the game as it went, and of plays looked at without being made."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@nb.njit(cache=True)
def advantages(key: Array, value: Array, final: Array, decay: float) -> tuple[Array, Array, Array]:
    """Generalised advantages of each seat's own trajectory: the reward comes once, when its game ends; no discount.

    Source: Schulman et al., arXiv 1506.02438.

    Args:
        key: game * 4 + seat of each choice, int64 (n,), in the order in which they were made.
        value: what the critic says of each, float32 (n,).
        final: what each seat got in the end, by key, float32.
        decay: lambda.

    Returns:
        Float32 (n,) each: the advantages; what the critic should have said; and what each choice led to, the critic's value
        of the seat's next one or what it got.
    """
    n = len(key)
    advantage, led_to = np.empty(n, np.float32), np.empty(n, np.float32)
    next_value, next_advantage = final.copy(), np.zeros(len(final), np.float32)
    for i in range(n - 1, -1, -1):
        led_to[i] = next_value[key[i]]
        delta = led_to[i] - value[i]
        next_advantage[key[i]] = advantage[i] = delta + decay * next_advantage[key[i]]
        next_value[key[i]] = value[i]
    return advantage, advantage + value, led_to


@nb.njit(cache=True)
def gains(
    offsets: Array,
    chosen: Array,
    log_prob: Array,
    looked_at: Array,
    value: Array,
    advantage: Array,
    led_to: Array,
) -> Array:
    """What a policy gains by each play, as far as it is known: the slope of its payoff in the log probability of the play.

    A choice that was not looked at has the advantage of its play, a draw of that slope. Of a choice that was, every play looked
    at counts with its probability: the mean over the policy in place of a draw, so that chance has no say in which of them are
    judged. The rest of the probability counts as the critic's value of the choice. What came after the chosen play led
    to is added to that play alone.

    Args:
        offsets: where the plays of each choice begin, int64 (n + 1,), with their end, m.
        chosen: index of the chosen play among those of its choice, int64 (n,).
        log_prob: of every play, float32 (m,).
        looked_at: what every play leads to, float32 (m,), NaN for plays that were not looked at. Any number will do for the
            chosen play: `led_to` has its value.
        value: what the critic says of each choice, float32 (n,).
        advantage: of the chosen plays, float32 (n,).
        led_to: what the chosen plays led to, float32 (n,).

    Returns:
        Float32 (m,), 0 for plays that nothing is known of.
    """
    out = np.zeros(len(log_prob), np.float32)
    for n in range(len(chosen)):
        plays = range(offsets[n], offsets[n + 1])
        pick = offsets[n] + chosen[n]
        if np.isnan(looked_at[pick]):
            out[pick] = advantage[n]
            continue
        mean = value[n]
        for i in plays:
            if not np.isnan(looked_at[i]):
                mean += np.exp(log_prob[i]) * ((led_to[n] if i == pick else looked_at[i]) - value[n])
        for i in plays:
            if not np.isnan(looked_at[i]):
                out[i] = np.exp(log_prob[i]) * ((led_to[n] if i == pick else looked_at[i]) - mean)
        out[pick] += advantage[n] - (led_to[n] - value[n])
    return out
