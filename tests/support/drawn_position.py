"""A position in the middle of a game, drawn by hand."""

from __future__ import annotations

from big2_env import BIG2, Position
from big2_env.base.cards import as_mask

# Seat 0 led the pair of sixes, seat 1 passed, seat 2 is to move.
#
#           hand                      played
#   seat 0  S[2]                      C[4] D[6] H[6]
#   seat 1  C[3] S[K]                 S[4]
# > seat 2  D[8] H[8] C[A]
#   seat 3  H[4] D[10] S[10] D[2]     S[5]
HANDS = ("S[2]", "C[3] S[K]", "D[8] H[8] C[A]", "H[4] D[10] S[10] D[2]")
PLAYED = ("C[4] D[6] H[6]", "S[4]", "", "S[5]")
TOP = BIG2.play("D[6] H[6]")
DRAWN = Position(
    hands=tuple(map(as_mask, HANDS)), turn=2, top=TOP, top_seat=0, passed=0b0010, played=tuple(map(as_mask, PLAYED))
)  # fmt: skip
