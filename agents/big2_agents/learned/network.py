"""Forward pass of the policy in numba, with the arrays of `weights`.

For a state s and each candidate play p:

    trunk = relu(W1 s + b1)
    trunk += relu(W trunk + b)                                            twice
    joint = relu(Ws trunk + bs + Wp p)
    score = w2 relu(H [joint, relu(D joint + d)] + h) + b

Most inputs are zero, so the first layers add up rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from big2_agents.learned.weights import Network
from big2_env.kernels.dialect.kernel import kernel, store

Array = npt.NDArray[Any]


@kernel(fastmath=True)
def add_rows(inputs: Array, weights: Array, out: Array, places: Array) -> None:
    """Add the rows of a matrix to `out`, each multiplied by its input; inputs of 0 are skipped.

    Four rows are added at a time, because reading and writing `out` for every row would cost as much as the rows.

    Args:
        inputs: Any numbers, (n,).
        weights: Matrix, float32 (n, outputs).
        out: Sums, float32 (outputs,).
        places: Scratch, int64, at least (n,).
    """
    number = 0
    for j in range(len(inputs)):
        places[number] = j
        number += inputs[j] != 0
    done = number & ~3
    for k in range(0, done, 4):
        j0, j1, j2, j3 = places[k], places[k + 1], places[k + 2], places[k + 3]
        x0, x1, x2, x3 = np.float32(inputs[j0]), np.float32(inputs[j1]), np.float32(inputs[j2]), np.float32(inputs[j3])
        row0, row1, row2, row3 = weights[j0], weights[j1], weights[j2], weights[j3]
        for o in range(len(out)):
            out[o] += x0 * row0[o] + x1 * row1[o] + x2 * row2[o] + x3 * row3[o]
    for k in range(done, number):
        x, row = np.float32(inputs[places[k]]), weights[places[k]]
        for o in range(len(out)):
            out[o] += x * row[o]


@kernel(fastmath=True)
def score_plays(net: Network, state: Array, plays: Array, scores: Array, work: Array) -> None:
    """Write the score of each candidate play of one state.

    Args:
        net: Weights.
        state: Features of the state, int8 (state size,).
        plays: Features of the candidates, int8 (n, play size).
        scores: Output, float32 (n,).
        work: Scratch, float32 (4, MAX_WIDTH).
    """
    width, joint, deep, head = len(net.trunk1_bias), len(net.state_bias), len(net.deep_bias), len(net.head1_bias)
    first, second, base, both = work[0, :width], work[1, :width], work[2, :joint], work[3, :joint]
    places = np.empty(max(len(state), width, plays.shape[1], joint, deep), np.int64)
    store(first, net.trunk1_bias)
    add_rows(state, net.trunk1, first, places)
    for o in range(width):
        first[o] = max(first[o], np.float32(0))
    for weights, bias in ((net.trunk2, net.trunk2_bias), (net.trunk3, net.trunk3_bias)):
        store(second, bias)
        add_rows(first, weights, second, places)
        for o in range(width):
            first[o] += max(second[o], np.float32(0))
    store(base, net.state_bias)
    add_rows(first, net.state, base, places)
    inner, last = work[0, :deep], work[1, :head]  # the trunk is in `base` by now
    for i in range(len(plays)):
        store(both, base)
        add_rows(plays[i], net.play, both, places)
        for o in range(joint):
            both[o] = max(both[o], np.float32(0))
        store(inner, net.deep_bias)
        add_rows(both, net.deep, inner, places)
        for o in range(deep):
            inner[o] = max(inner[o], np.float32(0))
        store(last, net.head1_bias)
        add_rows(both, net.head1[:joint], last, places)
        add_rows(inner, net.head1[joint:], last, places)
        total = net.head2_bias[0]
        for o in range(head):
            total += max(last[o], np.float32(0)) * net.head2[o]
        scores[i] = total
