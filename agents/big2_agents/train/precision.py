"""Choice of the layers' precision: by timing float32 and bfloat16 on the machine at hand, or by the processor's instructions.

Without instructions for it, bfloat16 takes several times as long as float32. With them it is faster.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, NamedTuple

import torch

INSTRUCTIONS: Final = ("avx512bf16", "amx-bf16", "bf16")
"""Features of processors that multiply in bfloat16, by LLVM's names: AVX-512, AMX, Arm."""
TRIAL_SECONDS: Final = 1.0
"""Seconds after which a trial ends, if both precisions have had `MIN_ROUNDS`."""
MIN_ROUNDS: Final = 2
"""Fewest measurements of each precision."""
TRIAL_GAMES: Final = 32
"""Games whose decisions a trial uses on a processor. Batches of a few games take as long in bfloat16 as in float32."""


class Timing(NamedTuple):
    """Shortest seconds of the same work in both precisions."""

    float32: float
    bfloat16: float

    @property
    def prefers_bfloat16(self) -> bool:
        """True if bfloat16 is faster."""
        return self.bfloat16 < self.float32


def time_both(work: Callable[[bool], None], device: torch.device) -> Timing:
    """Time work in both precisions alternately.

    On a processor, the time of the calling thread counts, so other threads and processes change little. The first round is not
    counted, because it loads code.

    Args:
        work: Function of `bfloat16`.
        device: Device of the networks.
    """
    clock = time.thread_time if device.type == "cpu" else time.perf_counter
    for bfloat16 in (False, True):
        work(bfloat16)
    seconds: dict[bool, list[float]] = {False: [], True: []}
    end = clock() + TRIAL_SECONDS
    while len(seconds[True]) < MIN_ROUNDS or clock() < end:
        for bfloat16, measured in seconds.items():
            start = clock()
            work(bfloat16)
            measured.append(clock() - start)
    return Timing(min(seconds[False]), min(seconds[True]))
