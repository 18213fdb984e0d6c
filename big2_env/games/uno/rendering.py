"""What environments of UNO render: the acts of the present game as text, or the table as a picture."""

from __future__ import annotations

from collections.abc import Sequence

from big2_env.envs.screen import Picture, check_render_mode, picture, warn_of_no_mode
from big2_env.games.uno.actions import act_text
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.outcome import UnoOutcome
from big2_env.games.uno.scene import scene


class UnoScreen:
    """The render mode of an environment, and in modes `ansi` and `human` the acts of its present game.

    Args:
        render_mode: one of `RENDER_MODES`, or `None`.
        names: a name for each seat.
        scoring: how a game that is over pays, for pictures.

    Raises:
        RenderModeError: an unknown render mode, or one that needs an extra that is not installed.
    """

    def __init__(self, render_mode: str | None, names: Sequence[str], scoring: str) -> None:
        self.render_mode = check_render_mode(render_mode)
        self.tells = render_mode in ("ansi", "human")
        """True if acts are put into words as they happen."""
        self._names, self._scoring = tuple(names), scoring
        self._log: list[str] = []

    def start(self, game: UnoGame) -> None:
        """Begin a game."""
        self._log = []
        if self.tells:
            self._tell(f"{game.text()} is turned up")

    def act(self, seat: int, act: int) -> None:
        """Tell of an act."""
        if self.tells:
            self._tell(f"{self._names[seat]}: {act_text(act)}")

    def end(self, outcome: UnoOutcome) -> None:
        """Tell how the game ended."""
        if not self.tells:
            return
        winners = " and ".join(self._names[seat] for seat in outcome.winners)
        self._tell(f"{outcome.reason.value}: {winners} wins; points left {' '.join(map(str, outcome.scores))}")

    def _tell(self, line: str) -> None:
        if self.render_mode == "ansi":
            self._log.append(line)
        if self.render_mode == "human":
            print(line, flush=True)

    def render(self, game: UnoGame, viewer: int | None = None) -> Picture | None:
        """The acts so far in mode `ansi`, a picture in modes `svg` and `rgb_array`, otherwise `None`.

        Args:
            game: the game as it stands.
            viewer: whose eyes the picture is seen with; `None` for all hands open.
        """
        if self.render_mode is None:
            warn_of_no_mode()
        if self.render_mode == "ansi":
            return "".join(line + "\n" for line in self._log)
        shown = scene(game, viewer, open_hands=viewer is None, names=self._names, scoring=self._scoring)
        return picture(self.render_mode, shown)
