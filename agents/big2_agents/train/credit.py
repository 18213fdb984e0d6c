"""Credit of each choice for what came of it: along the game as it went, and of plays looked at without being made."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from big2_env.kernels.dialect.kernel import kernel

Array = npt.NDArray[Any]


@kernel(entry=True)
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


@kernel(entry=True)
def gains(
    offsets: Array,
    chosen: Array,
    log_prob: Array,
    looked_at: Array,
    value: Array,
    advantage: Array,
    led_to: Array,
) -> Array:
    """What a policy gains by each play, as far as it is known: an estimate of the slope of its payoff in the play's score.

    Every play looked at counts by its probability, made or not: the mean over the policy in place of a draw (Asadi et al.,
    arXiv 1709.00503). The others count as the critic's value of the choice; where one of them is made it has its advantage
    besides, as has every play made in a choice that is not looked at. What came after the chosen play led to is added to that
    play alone. On average over the draw this is the slope that plain advantages give.

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
        Float32 (m,), 0 for the plays not made of choices that were not looked at.
    """
    out = np.zeros(len(log_prob), np.float32)
    for n in range(len(chosen)):
        pick, mean = offsets[n] + chosen[n], np.float32(0)
        for i in range(offsets[n], offsets[n + 1]):
            if not np.isnan(looked_at[i]):
                out[i] = (led_to[n] if i == pick else looked_at[i]) - value[n]
                mean += np.exp(log_prob[i]) * out[i]
        rest = advantage[n] - out[pick]  # all of it where the play was not looked at
        for i in range(offsets[n], offsets[n + 1]):
            out[i] = np.exp(log_prob[i]) * (out[i] - mean)
        out[pick] += rest
    return out
