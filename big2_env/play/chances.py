"""How likely somebody beats a play, as far as one seat can know."""

from __future__ import annotations

from collections.abc import Sequence

from big2_env.cards import iter_cards
from big2_env.climbing.play import Play
from big2_env.climbing.view import View
from big2_env.rng import SplitMix64


def beaten_chances(view: View, plays: Sequence[Play], samples: int = 200, seed: int = 0) -> list[float]:
    """For each play, the share of sampled deals in which an opponent holds cards that cover it.

    Unseen cards are dealt uniformly to the other seats, as many as each holds; cards of the landlord's bottom that are not
    played lie in the landlord's hand. Team mates and seats that are out of the trick do not count. A pass has no chance of
    being beaten: 0.

    Args:
        view: the seat's view.
        plays: legal acts of that seat.
        samples: how many deals are sampled; the standard error is at most `0.5 / samples ** 0.5`.
        seed: what the samples follow from.
    """
    rng = SplitMix64(seed)
    known = [0] * view.num_players
    if view.landlord is not None and view.landlord != view.seat:
        known[view.landlord] = view.bottom & ~view.played[view.landlord]
    unseen = list(iter_cards(view.unseen & ~sum(known)))
    rivals = [
        seat
        for seat in range(view.num_players)
        if seat not in view.team and view.cards_left[seat] and not view.passed >> seat & 1
    ]
    found = [0] * len(plays)
    for _ in range(samples):
        rng.shuffle(unseen)
        hands, start = {}, 0
        for seat in range(view.num_players):
            if seat != view.seat:
                end = start + view.cards_left[seat] - known[seat].bit_count()
                hands[seat] = known[seat] | sum(1 << card for card in unseen[start:end])
                start = end
        for i, play in enumerate(plays):
            if play and any(next(view.ruleset.table.plays(hands[seat], play), None) is not None for seat in rivals):
                found[i] += 1
    return [count / samples for count in found]
