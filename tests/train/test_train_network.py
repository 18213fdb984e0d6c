"""The networks in torch: padded batches say the same as single choices, copies for play the same as what they copy."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import torch

from big2_agents.kernels.features import CARD_SIZES
from big2_agents.kernels.selfplay import Features
from big2_agents.train.network import Critic, Decisions, Policy, sample


def test_padded__has_few_lengths_and_the_rows_first() -> None:
    network, lengths = Critic(8), set()
    assert len(network.padded(torch.ones(17, 3))) == 17
    with network.precision(True):
        for number in range(1, 5000):
            longer = network.padded(torch.ones(number, 1, dtype=torch.int8))
            assert number <= len(longer) < max(number + 16, 1.25 * number)
            lengths.add(len(longer))
            assert longer[:number].all()
            assert not longer[number:].any()
        assert sorted(lengths)[:10] == [16, 32, 48, 64, 80, 96, 112, 128, 160, 192]
        assert len(lengths) < 40
        assert len(network.padded(torch.ones(0, 3))) == 0
        assert network.padded(torch.ones(17)).tolist() == [1.0] * 17 + [0.0] * 15


@pytest.mark.parametrize("bfloat16", [False, True])
def test_forward__says_of_many_choices_what_it_says_of_each(bfloat16: bool) -> None:
    torch.manual_seed(3)
    policy, critic = Policy(16, 16, 8, 8), Critic(16)
    torch.nn.init.normal_(policy.head2.weight)
    rng = np.random.default_rng(3)
    counts = rng.integers(1, 6, 21)
    shapes = (21, CARD_SIZES.state), (21, CARD_SIZES.hidden), (counts.sum(), CARD_SIZES.play)
    states, hidden, plays = (torch.from_numpy(rng.integers(0, 2, shape).astype(np.int8)) for shape in shapes)
    owner = torch.arange(21).repeat_interleave(torch.from_numpy(counts))
    with torch.no_grad(), policy.precision(bfloat16):
        many = policy(policy.as_input(states), policy.as_input(plays), owner)
        values = critic(critic.as_input(states), critic.as_input(hidden))
        assert many.shape == (counts.sum(),)
        for i in range(21):
            own = plays[owner == i]
            one = policy(policy.as_input(states[[i]]), policy.as_input(own), torch.zeros(len(own), dtype=torch.int64))
            assert one.numpy() == pytest.approx(many[owner == i].numpy(), rel=0.05 if bfloat16 else 1e-4, abs=1e-3)
            value = critic(critic.as_input(states[[i]]), critic.as_input(hidden[[i]]))
            assert value.numpy() == pytest.approx(values[[i]].numpy(), rel=0.05 if bfloat16 else 1e-4, abs=1e-3)


def test_forward__rows_of_padding_teach_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(3)
    policy = Policy(16, 16, 8, 8)
    torch.nn.init.normal_(policy.head2.weight)
    states, plays, owner = torch.rand(17, CARD_SIZES.state), torch.rand(17, CARD_SIZES.play), torch.arange(17)
    grads = []
    for length in (32, 17):
        policy.zero_grad()
        with policy.precision(True):
            assert len(policy.padded(states)) == length
            policy(states, plays, owner).sum().backward()
        grads.append([parameter.grad for parameter in policy.parameters() if parameter.grad is not None])
        monkeypatch.setattr(Policy, "padded", lambda self, rows: rows)
    for with_padding, without in zip(*grads, strict=True):
        assert (with_padding - without).norm() < 0.01 * without.norm()


def test_for_play__is_a_copy_that_says_the_same_where_layers_compute_in_bfloat16() -> None:
    torch.manual_seed(3)
    policy, states, plays = Policy(16, 16, 8, 8), torch.rand(5, CARD_SIZES.state), torch.rand(5, CARD_SIZES.play)
    assert policy.for_play() is policy
    with torch.no_grad(), policy.precision(True):
        copy = policy.for_play()
        assert copy is not policy
        assert {parameter.dtype for parameter in copy.parameters()} == {torch.bfloat16}
        assert {parameter.dtype for parameter in policy.parameters()} == {torch.float32}
        args = states.bfloat16(), plays.bfloat16(), torch.arange(5)
        assert torch.equal(copy(*args), policy(*args))


def decisions(rng: np.random.Generator, counts: np.ndarray) -> Decisions:
    """Decisions with random features, of which each has a number of plays."""
    shapes = (len(counts), 7), (len(counts), 5), (counts.sum(), 3)
    states, hidden, plays = (rng.integers(0, 100, shape).astype(np.int8) for shape in shapes)
    return Decisions.of(Features(states, hidden, plays, np.array([0, *np.cumsum(counts)])), torch.device("cpu"))


def test_decisions__are_taken_apart_joined_and_sent_with_their_plays() -> None:
    rng = np.random.default_rng(4)
    counts = rng.integers(1, 6, 40)
    whole, rows = decisions(rng, counts), rng.permutation(40)
    parts = [whole.subset(part) for part in np.array_split(rows, 3)]
    joined = Decisions.joined([part for part, _ in parts])
    for name, value in vars(Decisions.joined(list(joined.split(7)))).items():
        assert torch.equal(value, getattr(joined, name))
    assert len(joined) == 40
    assert joined.offsets.diff().tolist() == counts[rows].tolist()
    assert joined.owner.tolist() == np.repeat(np.arange(40), counts[rows]).tolist()
    for n, row in enumerate(rows):
        assert torch.equal(joined.states[n], whole.states[row])
        assert torch.equal(joined.hidden[n], whole.hidden[row])
        own = slice(whole.offsets[row], whole.offsets[row + 1])
        assert torch.equal(joined.plays[joined.owner == n], whole.plays[own])
    assert torch.equal(torch.cat([whole.plays[places] for _, places in parts]), joined.plays)
    chosen = rng.integers(0, counts)
    assert (whole.owner.numpy()[whole.places(chosen)] == np.arange(40)).all()
    sent = pickle.loads(pickle.dumps(whole))
    assert all(torch.equal(value, getattr(whole, name)) for name, value in vars(sent).items())
    assert set(whole.__getstate__()) == {"states", "hidden", "plays", "offsets"}


def test_sample__draws_plays_by_their_probabilities_or_takes_the_first_best_one() -> None:
    rng = np.random.default_rng(5)
    score = np.tile(np.log([0.5, 0.3, 0.2]) + 3, 20_000).astype(np.float32)
    chosen, log_prob = sample(score, np.arange(20_001) * 3, rng)
    assert np.bincount(chosen) / 20_000 == pytest.approx([0.5, 0.3, 0.2], abs=0.02)
    assert np.exp(log_prob) == pytest.approx(np.tile([0.5, 0.3, 0.2], 20_000), abs=1e-5)
    few = np.array([-9.0, 0.0, 1.0, 1.0, 2.0, -np.inf], np.float32)
    assert sample(few, np.array([0, 1, 4, 6]), None)[0].tolist() == [0, 1, 0]
