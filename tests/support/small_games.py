"""Small games that every test can judge by hand."""

from __future__ import annotations

from collections.abc import Sequence

from big2_env import BIG2, Game
from big2_env.agents.advice import Advice
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.view import View
from big2_env.notation.transcript import Transcript

HANDS = ("C[3] C[7] S[2]", "C[9] D[9]", "H[9] H[10]", "C[K] C[A]")
MOVES = ("C[7]", "C[9]", "H[10]", "C[A]", "S[2]", "", "", "", "C[3]")


def small_game(moves: Sequence[str] = MOVES) -> Transcript:
    """Four seats with nine cards; seat 0 opens and wins after nine acts."""
    start = Game.from_hands(BIG2, HANDS)
    game = Game.from_position(BIG2, start.position._replace(obligation=0))
    for cards in moves:
        game.play(cards)
    return Transcript(game, ("Ada", "Ben", "Cai", "Dee"))


class StubJudge:
    """Gives each act the value that a test wants, by its text; others are worth nothing. Intervals are as wide as asked."""

    def __init__(self, values: dict[str, float], half_width: float = 0.05) -> None:
        self._values, self._half = values, half_width
        self.asked: list[tuple[View, list[Play]]] = []

    def reset(self, seed: int) -> None:
        """Nothing follows from a seed."""

    def seat_players(self, players: Sequence[str | None]) -> None:
        """Remember who sits at the table."""
        self.players = tuple(players)

    def act(self, view: View, legal: LegalPlays) -> Play:
        """The best move."""
        return self.judge(view, legal)[0].play

    def judge(self, view: View, legal: LegalPlays, also: Sequence[Play] = ()) -> list[Advice]:
        """The legal acts by their values, the best first."""
        self.asked.append((view, list(also)))
        found = []
        for play in legal:
            text = view.ruleset.text(play.mask) if play else "pass"
            value = self._values.get(text, 0.0)
            found.append(Advice(play, value=value, interval=(value - self._half, value + self._half), playouts=100))
        found.sort(key=lambda one: -(one.value or 0.0))
        return found
