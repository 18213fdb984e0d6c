"""Deals by name in the terminal: the deal of `big2 play --daily`, and the comparison with agents after it."""

from __future__ import annotations

from datetime import date

from rich.console import Console
from rich.table import Table

from big2_env.base.errors import ConfigError
from big2_env.base.language import Words
from big2_env.climbing.game import Game
from big2_env.runs.progress import waiting
from big2_env.tables.session.deals import Comparison, NamedDeal, named_deal, result_of, share_lines
from big2_env.tables.session.own_file import OwnFile
from big2_env.tables.session.table_session import TableSession
from big2_env.text.names import agent_words, points


def asked_deal(game: str, daily: bool, name: str | None, others: bool) -> NamedDeal | None:
    """Return the deal that the options name; `None` if they name none.

    Args:
        game: Name of the game.
        daily: True for the deal of today.
        name: Date or seed of `--deal`.
        others: True if options are given that a deal decides itself.

    Raises:
        ConfigError: The options contradict each other, or name an unknown deal.
    """
    if not daily and name is None:
        return None
    option = "--daily" if daily else "--deal"
    if daily and name is not None:
        raise ConfigError("expected --daily or --deal, got both")
    if others:
        raise ConfigError(
            f"{option}: expected no agents and no --seat, --seed, --players, --from, --back or --resume: the deal decides"
        )
    return named_deal(game, date.today().isoformat() if name is None else name)


class DealKeeper:
    """Callback of a session that also remembers how a deal ended, for the comparison after further deals."""

    def __init__(self, deal: NamedDeal, keep: OwnFile) -> None:
        self.deal = deal
        self.game: Game | None = None
        """The finished game; `None` before its end."""
        self.undone = self.hints = 0
        self._keep = keep

    @property
    def problem(self) -> str | None:
        """Reason why games are not saved; `None` if they are."""
        return self._keep.problem

    def __call__(self, session: TableSession) -> None:
        """Save the game, and remember it if it is the deal and over."""
        self._keep(session)
        if session.is_over and session.seed == self.deal.seed:
            self.game, self.undone, self.hints = session.game.copy(), session.undone, session.hints


def print_comparison(played: DealKeeper, tr: Words) -> None:
    """Print how agents do with the person's hand, and the lines to share, if the deal was played to its end.

    Args:
        played: The deal and how it ended.
        tr: Texts of the language.
    """
    deal, game = played.deal, played.game
    if game is None:
        return
    found = Comparison(deal)
    with waiting(tr("deals.comparing")):
        while not found.is_done:
            found.step()
    table = Table(title=tr("deals.title"), title_justify="left", box=None, pad_edge=False)
    for key in ("who", "left", "points"):
        table.add_column(tr(f"deals.{key}"), justify="left" if key == "who" else "right")
    results = [
        (tr("table.you"), result_of(game, deal.seat)),
        *((agent_words(name, tr), one) for name, one in found.rows()),
    ]
    for name, one in results:
        table.add_row(name, str(one.cards_left), points(one.payoff))
    print()
    Console(highlight=False, soft_wrap=True).print(table)
    print()
    print("\n".join(share_lines(deal, game, played.undone, played.hints, tr, deal.seat, found.par)))
    game_option = "" if deal.ruleset.name == "big2" else f" --game {deal.ruleset.name}"
    print(f"big2 play{game_option} --deal {deal.name}")
