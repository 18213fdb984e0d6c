"""The loops under `selfplay`: many games dealt, played on to the next real choice, written as features, settled."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_agents.kernels.acts import HEURISTIC, NET, RANDOM, simple_act
from big2_agents.kernels.features import write_choice, write_hidden, write_state
from big2_agents.kernels.finish import finish_of
from big2_agents.kernels.heuristic import heuristic_act
from big2_agents.kernels.plays import find_acts
from big2_agents.kernels.track import act_tracked, are_partners, make_tracked, start_track
from big2_env.kernels.agent_streams import start_stream
from big2_env.kernels.dialect.bits import U, borrowed, random_next
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.optional_parts import is_bidding, landlord_of
from big2_env.kernels.settle import payoff
from big2_env.kernels.tables import Tables
from big2_env.kernels.turn import deal


@kernel(entry=True)
def deal_all(tab: Tables, games: Any, tracks: Any, streams: Any, scratch: Any, seeds: Any) -> None:
    """Deal each game by its seed, and give each seat its stream."""
    games, tracks, streams = borrowed(games), borrowed(tracks), borrowed(streams)
    for i in range(games.shape[0]):
        deal(tab, games[i], seeds[i], scratch)
        start_track(tab, games[i], tracks[i])
        for seat in range(tab.num_players):
            streams[i, seat] = start_stream(tab, games[i], seat, U(0), U(0))


@kernel(entry=True)
def _agent_act(tab: Tables, game: Any, order: Any, heur: Any, left: Any, code: Any, number: Any, scratch: Any) -> Any:
    """The id of the act that the agent of a code makes."""
    if code == HEURISTIC:
        return heuristic_act(tab, game, left, heur, scratch)
    return simple_act(tab, game, order, code, number, scratch)


@kernel
def _join_partners(tab: Tables, game: Any, controllers: Any, i: Any) -> None:
    """Let a network play for its partners too, now that there is a landlord."""
    for seat in range(tab.num_players):
        for other in range(tab.num_players):
            if controllers[i, seat] == NET and are_partners(game, seat, other):
                controllers[i, other] = NET


@kernel(entry=True)
def advance(
    tab: Tables,
    games: Any,
    tracks: Any,
    candidates: Any,
    stack: Any,
    controllers: Any,
    joins: Any,
    is_drawn: Any,
    streams: Any,
    order: Any,
    heur: Any,
    scratch: Any,
) -> None:
    """Play each game on until it is over or a network has a real choice, whose candidates are then in `candidates`.

    A sure win is no choice: it is played. In the games that `is_drawn` marks the acts of an auction are drawn.
    """
    games, tracks, candidates, stack = borrowed(games), borrowed(tracks), borrowed(candidates), borrowed(stack)
    controllers, joins, is_drawn, streams = borrowed(controllers), borrowed(joins), borrowed(is_drawn), borrowed(streams)
    for i in range(games.shape[0]):
        game, track, cand = games[i], tracks[i], candidates[i]
        while game.winner < 0:
            if joins[i] and landlord_of(game) >= 0:
                _join_partners(tab, game, controllers, i)
                joins[i] = False
            code = np.int64(RANDOM if is_drawn[i] and is_bidding(tab, game) else controllers[i, game.turn])
            if code <= NET:
                find_acts(tab, game, cand)
                chosen = np.int64(0)
                if cand.count > 1:
                    chosen = finish_of(tab, game, track.left, cand, stack)
                    if chosen < 0:
                        break
                make_tracked(tab, game, track, cand, chosen, scratch)
            else:
                number = U(0)
                if code == RANDOM:
                    streams[i, game.turn], number = random_next(streams[i, game.turn])
                act_tracked(tab, game, track, _agent_act(tab, game, order, heur, track.left, code, number, scratch), scratch)


@kernel(entry=True)
def write_features(
    tab: Tables,
    games: Any,
    tracks: Any,
    candidates: Any,
    heur: Any,
    feats: Any,
    rows: Any,
    offsets: Any,
    states: Any,
    hidden: Any,
    plays: Any,
) -> None:
    """Write the features of the choices that some games stand at."""
    games, tracks, candidates = borrowed(games), borrowed(tracks), borrowed(candidates)
    rows, offsets, states, hidden, plays = (
        borrowed(rows),
        borrowed(offsets),
        borrowed(states),
        borrowed(hidden),
        borrowed(plays),
    )
    for n in range(rows.shape[0]):
        game, k, c = games[rows[n]], tracks[rows[n]], candidates[rows[n]]
        if hidden.shape[0]:
            write_hidden(tab, game, c, feats, hidden, n)
        if plays.shape[0]:
            write_choice(tab, game, k, c, heur, feats, states, n, plays, offsets[n])
        else:
            write_state(tab, game, k, c, feats, states, n)


@kernel(entry=True)
def choose(tab: Tables, games: Any, tracks: Any, candidates: Any, scratch: Any, rows: Any, chosen: Any) -> None:
    """Make the choices of some games, each an index among its candidates."""
    games, tracks, candidates = borrowed(games), borrowed(tracks), borrowed(candidates)
    for n in range(rows.shape[0]):
        i = rows[n]
        make_tracked(tab, games[i], tracks[i], candidates[i], np.int64(chosen[n]), scratch)


@kernel(entry=True)
def settle(tab: Tables, games: Any, paid: Any, won: Any) -> None:
    """Write payoffs and who won; a game that goes on leaves its row as it is."""
    games = borrowed(games)
    for i in range(games.shape[0]):
        game = games[i]
        if game.winner < 0:
            continue
        for seat in range(tab.num_players):
            paid[i, seat] = payoff(tab, game, seat)
        for seat in range(tab.num_players):
            won[i, seat] = seat == game.winner or (paid[i, seat] == paid[i, game.winner] and paid[i, seat] > 0)
