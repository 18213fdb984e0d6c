"""Rendering of side game environments: the moves of the current game as text, or the table as a picture."""

from __future__ import annotations

from collections.abc import Sequence

from big2_env.base.language import Language, words
from big2_env.base.side_game import SideGame
from big2_env.envs.screen import Picture, check_render_mode, picture, warn_of_no_mode


class SideScreen:
    """Render mode of an environment, with the text of the current game in modes `ansi` and `human`.

    Args:
        render_mode: One of `RENDER_MODES`, or `None`.
        names: One name per seat.
        scoring: Scoring of the payoffs in pictures.

    Raises:
        RenderModeError: If the mode is unknown, or needs an extra that is not installed.
    """

    def __init__(self, render_mode: str | None, names: Sequence[str], scoring: str) -> None:
        self.render_mode = check_render_mode(render_mode)
        self.is_text = render_mode in ("ansi", "human")
        """True in modes `ansi` and `human`."""
        self._names, self._scoring, self._tr = tuple(names), scoring, words(Language.EN)
        self._log: list[str] = []

    def start(self, game: SideGame, viewer: int | None = None) -> None:
        """Start a new game."""
        self._log = []
        if self.is_text:
            self._add(game.opening_text(self._tr))
            self._show(game, viewer)

    def move(self, game: SideGame, seat: int, move: int, viewer: int | None = None) -> None:
        """Add a move that was made, and the result if it ended the game."""
        if not self.is_text:
            return
        self._add(f"{self._names[seat]}: {game.move_text(move)}" if game.num_players > 1 else game.move_text(move))
        self._show(game, viewer)
        if game.is_over:
            self._add(game.result_text(self._names, self._tr))

    def _show(self, game: SideGame, viewer: int | None) -> None:
        """Print the position in mode `human`, if the game has a text for it."""
        if self.render_mode == "human" and viewer is not None and (text := game.position_text(viewer, self._tr)):
            print(text, flush=True)

    def _add(self, line: str) -> None:
        if line and self.render_mode == "ansi":
            self._log.append(line)
        elif line:
            print(line, flush=True)

    def render(self, game: SideGame, viewer: int | None = None) -> Picture | None:
        """Return the moves so far in mode `ansi`, a picture in modes `svg` and `rgb_array`, otherwise `None`.

        Args:
            game: Game to render.
            viewer: Seat whose view is shown; `None` for all hands open.
        """
        if self.render_mode is None:
            warn_of_no_mode()
        if self.render_mode == "ansi":
            own = None if viewer is None else game.position_text(viewer, self._tr)
            return "".join(line + "\n" for line in self._log) if own is None else own
        shown = game.scene(viewer, open_hands=viewer is None, names=self._names, scoring=self._scoring)
        return picture(self.render_mode, shown)
