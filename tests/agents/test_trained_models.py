"""Models that stable-baselines3 saved, as agents: the same acts; nothing in the file is run; what cannot be is refused."""

from __future__ import annotations

import base64
import io
import json
import pickle
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import gymnasium
import numpy as np
import pytest
import torch
from random_games import random_games
from run_cli import run_cli
from sb3_contrib import MaskablePPO
from sb3_small import small
from stable_baselines3 import DQN
from stable_baselines3.common.torch_layers import FlattenExtractor
from stable_baselines3.common.vec_env import VecNormalize

from big2_agents.learned import sb3_zip
from big2_agents.learned.actor import ACTIVATIONS, Actor, load_actor, statistics_path
from big2_agents.learned.ppo import ActorPlayer
from big2_agents.train.export import export_actor, to_actor, write_statistics
from big2_env import BIG2, HONG_KONG, ConfigError, Game
from big2_env.agents.interface import available_agents, make_agent, play_out
from big2_env.climbing.rulesets import ruleset
from big2_env.envs.sb3 import LegalPolicy, SeatVecEnv, SelfPlayPPO, SelfPlayVecEnv

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")
CASES: dict[str, tuple[str, str, Any, dict[str, Any]]] = {
    "SB3's default": ("big2", "seat", "MlpPolicy", {}),
    "gymnasium.make": ("big2", "make", LegalPolicy, {}),
    "ReLU, three layers": ("big2", "self", LegalPolicy, {"net_arch": [24, 16, 8], "activation_fn": torch.nn.ReLU}),
    "Tanh, parted": ("big2", "self", LegalPolicy, {"net_arch": {"pi": [32], "vf": [8, 8]}, "activation_fn": torch.nn.Tanh}),
    "no layer": ("big2", "seat", "MlpPolicy", {"net_arch": []}),
    "no layer of the actor": ("big2", "seat", "MlpPolicy", {"net_arch": {"pi": [], "vf": [8]}}),
    "ELU, other ruleset": ("hong_kong", "seat", "MlpPolicy", {"net_arch": [16], "activation_fn": torch.nn.ELU}),
    "ranks, an auction": ("dou_dizhu", "seat", LegalPolicy, {"net_arch": [16], "activation_fn": torch.nn.ReLU}),
    **{
        name: ("big2", "seat", "MlpPolicy", {"activation_fn": getattr(torch.nn, name), "net_arch": [16, 16]})
        for name in ACTIVATIONS
    },
}


def model(game: str = "big2", mode: str = "seat", policy: Any = "MlpPolicy", policy_kwargs: Any = None) -> Any:
    """An untrained model whose choices are far apart."""
    venv: Any = SelfPlayVecEnv(2, ruleset=game) if mode == "self" else SeatVecEnv(2, ruleset=game)
    if mode == "make":
        venv = gymnasium.make("big2/Big2-v0", ruleset=game)
    kind = SelfPlayPPO if mode == "self" else MaskablePPO
    made = small(venv, kind, policy=policy, policy_kwargs=policy_kwargs or {}, n_steps=8, batch_size=16)
    torch.nn.init.normal_(made.policy.action_net.weight)
    for layer in made.policy.mlp_extractor.policy_net:
        if isinstance(layer, torch.nn.Linear):
            torch.nn.init.normal_(layer.weight, std=0.5)
            torch.nn.init.normal_(layer.bias, std=0.5)
    return made


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The zip of a small model."""
    path = tmp_path_factory.mktemp("saved") / "model.zip"
    model(policy_kwargs={"net_arch": [8]}).save(path)
    return path


@pytest.mark.parametrize("case", CASES)
def test_sb3__chooses_as_the_model_predicts__and_so_does_its_export(case: str, tmp_path: Path) -> None:
    game, mode, policy, kwargs = CASES[case]
    made = model(game, mode, policy, kwargs)
    made.save(tmp_path / "model.zip")
    export_actor(to_actor(made.policy), tmp_path / "model.npz")
    agent = make_agent(f"sb3:{tmp_path / 'model.zip'}")
    exported = ActorPlayer(load_actor(tmp_path / "model.npz"), "exported")
    assert isinstance(agent, ActorPlayer)
    compared = 0
    for position in random_games(ruleset(game), range(2)):
        view = position.view() if not position.is_over else None
        if view is None or len(legal := view.legal_plays()) == 1:
            continue
        play = agent.act(view, legal)
        assert play == exported.act(view, legal)
        seen, mask = agent._layout.encode(view), np.zeros(agent._actions.n, np.bool_)
        mask[agent._actions.ids(legal)] = True
        wanted, _ = made.predict(seen, action_masks=mask, deterministic=True)
        assert agent._actions.of_play(play, legal.hand) == wanted
        compared += 1
    assert compared > 15


def test_sb3__plays_and_advises_in_every_verb(saved: Path, tmp_path: Path) -> None:
    spec = f"sb3:{saved}"
    status, out, err = run_cli("match", spec, "greedy", "lowest", spec, "--seed", "3", "--log", "jsonl")
    assert (status, err) == (0, "")
    (tmp_path / "game.jsonl").write_text(out)
    status, out, err = run_cli("advise", "--agent", spec, str(tmp_path / "game.jsonl"), "--move", "5")
    assert (status, err) == (0, ""), err
    options = "--seed", "0", "--deals", "2", "--jobs", "1", "--out", str(tmp_path / "arena.jsonl")
    status, _, err = run_cli("arena", spec, "greedy", *options)
    assert (status, err) == (0, "")


def changed(path: Path, to: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """The same zip with other settings."""
    with ZipFile(path) as old, ZipFile(to, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "data":
                settings = json.loads(data)
                change(settings)
                data = json.dumps(settings).encode()
            new.writestr(name, data)


class Bomb:
    """What a pickle runs when it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


class OwnExtractor(FlattenExtractor):
    """One that somebody wrote."""


class OwnPolicy(LegalPolicy):
    """One that somebody wrote."""


def test_sb3__runs_nothing_that_is_in_the_file(saved: Path, tmp_path: Path) -> None:
    bomb = base64.b64encode(pickle.dumps(Bomb(tmp_path / "boom"))).decode()
    everywhere = {":type:": "<class 'x'>", ":serialized:": bomb}
    changed(saved, tmp_path / "data.zip", lambda data: data.update({"lr_schedule": everywhere, "clip_range": everywhere}))
    play_out(Game.deal(BIG2, 0), [make_agent(f"sb3:{tmp_path / 'data.zip'}")] * 4)
    changed(saved, tmp_path / "class.zip", lambda data: data.update({"policy_class": everywhere}))
    with pytest.raises(ConfigError, match=r"expected a policy of .*LegalPolicy, got a class of its own"):
        make_agent(f"sb3:{tmp_path / 'class.zip'}")
    weights = io.BytesIO()
    torch.save({"action_net.weight": Bomb(tmp_path / "boom")}, weights)
    rezip(saved, tmp_path / "weights.zip", weights.getvalue())
    with pytest.raises(ConfigError, match=r"model .*weights\.zip: ") as caught:
        make_agent(f"sb3:{tmp_path / 'weights.zip'}")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "boom").exists()


def rezip(path: Path, to: Path, weights: bytes) -> None:
    """The same zip with other weights."""
    with ZipFile(path) as old, ZipFile(to, "w", ZIP_DEFLATED) as new:
        new.writestr("data", old.read("data"))
        new.writestr("policy.pth", weights)


def with_state(path: Path, to: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    with ZipFile(path) as old:
        state = dict(torch.load(io.BytesIO(old.read("policy.pth")), weights_only=True))
    change(state)
    stream = io.BytesIO()
    torch.save(state, stream)
    rezip(path, to, stream.getvalue())


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda state: state["action_net.weight"].fill_(np.nan), "expected action to be finite as float32, got NaN"),
        (
            lambda state: state.pop("action_net.bias"),
            "expected an actor of linear layers with biases, got none for action_bias",
        ),
        (
            lambda state: state.update({"features_extractor.cnn.0.weight": torch.zeros(1)}),
            "got features_extractor.cnn.0.weight",
        ),
        (lambda state: state.update({"lstm_actor.weight_ih_l0": torch.zeros(1)}), "got lstm_actor"),
        (lambda state: state.update({"action_net.bias": torch.zeros(7)}), r"expected action to be float \(7, 8\), got"),
        (lambda state: state.update({"action_net.bias": torch.zeros(1).expand(1 << 40)}), "expected up to .* numbers in"),
        (lambda state: state.update({"action_net.bias": torch.zeros(1379, dtype=torch.int64)}), "action_bias to be float"),
    ],
)
def test_sb3__refuses_weights_that_do_not_fit(change: Any, says: str, saved: Path, tmp_path: Path) -> None:
    with_state(saved, tmp_path / "bad.zip", change)
    with pytest.raises(ConfigError, match=rf"model .*bad\.zip: .*{says}") as caught:
        make_agent(f"sb3:{tmp_path / 'bad.zip'}")
    assert "\n" not in str(caught.value)


def set_kwargs(**kwargs: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda data: data["policy_kwargs"].update(kwargs)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (set_kwargs(activation_fn="<class 'torch.nn.modules.activation.GELU'>"), "expected an activation of .*GELU"),
        (set_kwargs(activation_fn="functools.partial(<class 'torch.nn.LeakyReLU'>, 0.2)"), "expected an activation of "),
        (set_kwargs(features_extractor_class="<class 'own.Cnn'>"), "no feature extractor but FlattenExtractor, got own.Cnn"),
        (set_kwargs(n_lstm_layers=2), "without policy_kwargs of its own, got 'n_lstm_layers'"),
        (set_kwargs(use_sde=True), "without use_sde"),
        (lambda data: data["observation_space"].update({"_shape": [5]}), "expected weights for the spaces' .5, 1379. inputs"),
        (lambda data: data["observation_space"].update({":type:": "<class 'gymnasium.spaces.dict.Dict'>"}), "got .*Dict"),
        (lambda data: data["observation_space"].update({"low": "[-10. -10. -10.]"}), "observations of 0 and 1, got low '-10.'"),
        (lambda data: data["action_space"].update({"start": "3"}), "expected actions from 0 on, got start '3'"),
        (lambda data: data.update({"observation_space": None}), "expected Box observations"),
        (lambda data: data.update({"policy_class": {":serialized:": "§"}}), ""),
    ],
)
def test_sb3__refuses_settings_that_it_cannot_reproduce(change: Any, says: str, saved: Path, tmp_path: Path) -> None:
    changed(saved, tmp_path / "bad.zip", change)
    with pytest.raises(ConfigError, match=rf"model .*bad\.zip: .*{says}") as caught:
        make_agent(f"sb3:{tmp_path / 'bad.zip'}")
    assert "\n" not in str(caught.value)


def test_sb3__refuses_what_such_models_really_are(tmp_path: Path) -> None:
    made = {
        r"got test_trained_models\.OwnPolicy": model(policy=OwnPolicy),
        "got .*OwnExtractor": model(policy_kwargs={"features_extractor_class": OwnExtractor}),
        "expected a policy of .* got .*DQNPolicy": DQN("MlpPolicy", SeatVecEnv(2), buffer_size=10),
    }
    for says, each in made.items():
        each.save(tmp_path / "model.zip")
        with pytest.raises(ConfigError, match=says):
            make_agent(f"sb3:{tmp_path / 'model.zip'}")


def test_sb3__refuses_files_that_are_none_or_too_large(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text.zip").write_text("model")
    with ZipFile(tmp_path / "other.zip", "w") as other:
        other.writestr("readme", "x")
    rezip(saved, tmp_path / "bomb.zip", bytes(sb3_zip.MAX_POLICY + 1))
    for name, says in (("text", "not a zip file"), ("other", "got a zip without data"), ("bomb", "bytes of policy.pth, got")):
        with pytest.raises(ConfigError, match=rf"model .*{name}\.zip: .*{says}"):
            make_agent(f"sb3:{tmp_path / name}.zip")
    with pytest.raises(ConfigError, match="agent sb3: expected a file, sb3:PATH, got none"):
        make_agent("sb3")
    assert "sb3" not in available_agents()
    with pytest.raises(ConfigError, match="No such file"):
        make_agent(f"sb3:{tmp_path / 'missing.zip'}")
    with pytest.raises(ConfigError, match=r"model .*other: No such file or directory; expected .*other\.zip\?$"):
        make_agent(f"sb3:{tmp_path / 'other'}")
    with pytest.raises(ConfigError, match=r"552 inputs and 2380 actions for hong_kong, got 547 and 1379, as for big2$"):
        play_out(Game.deal(HONG_KONG, 0), [make_agent(f"sb3:{saved}")] * 4)
    two = ActorPlayer(Actor((), np.zeros((1379, 413), np.float32), np.zeros(1379, np.float32)), "model of two")
    with pytest.raises(ConfigError, match=r"547 inputs .* for big2, got 413 and 1379, as for big2 with 2 players$"):
        two.check(BIG2, 4)
    with pytest.raises(ConfigError, match=r"got 413 and 1379, as for big2 with 2 players$"):
        two.check(HONG_KONG, 4)
    with pytest.raises(ConfigError, match=r"model x{300}: File name too long$"):
        make_agent(f"sb3:{'x' * 300}")
    monkeypatch.setitem(sys.modules, "torch", None)
    status, _, err = run_cli("match", f"sb3:{saved}", "lowest", "lowest", "lowest")
    assert status == 2
    assert err.startswith("big2: sb3: agents need torch: pip install 'big2_env[sb3]' (")


@pytest.mark.parametrize(
    ("policy", "kwargs", "says"),
    [
        ("MlpPolicy", {"activation_fn": torch.nn.GELU}, r"expected one activation of ReLU\(\), Tanh\(\), .*, got GELU"),
        ("MlpPolicy", {"activation_fn": partial(torch.nn.LeakyReLU, 0.2)}, r"got LeakyReLU\(negative_slope=0.2\)"),
        (OwnPolicy, {}, "expected ActorCriticPolicy, .*, got .*OwnPolicy"),
        ("MlpPolicy", {"features_extractor_class": OwnExtractor}, "expected FlattenExtractor, got OwnExtractor"),
        ("MlpPolicy", {"net_arch": [8] * 7}, "expected up to 6 layers, got 7"),
    ],
)
def test_export__refuses_what_it_cannot_reproduce(policy: Any, kwargs: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        to_actor(model(policy=policy, policy_kwargs=kwargs).policy)


def test_export__with_another_activation_in_its_file_is_refused(tmp_path: Path) -> None:
    export_actor(to_actor(model().policy)._replace(activation="exec"), tmp_path / "bad.npz")
    with pytest.raises(ConfigError, match=r"expected an activation of ReLU, .*, got 'exec'"):
        load_actor(tmp_path / "bad.npz")


@pytest.mark.parametrize("net_arch", [[8], []])
def test_sb3__behind_vec_normalize_plays_with_the_statistics_beside_it_and_is_refused_without(
    net_arch: list[int], tmp_path: Path
) -> None:
    normalize = VecNormalize(SeatVecEnv(4, dtype="float32"), clip_obs=1.5)
    made = small(normalize, MaskablePPO, policy="MlpPolicy", policy_kwargs={"net_arch": net_arch}, n_steps=16, batch_size=64)
    made.learn(128)
    torch.nn.init.normal_(made.policy.action_net.weight)
    path = tmp_path / "model.zip"
    made.save(path)
    with pytest.raises(ConfigError, match=r"model .*: expected model\.normalize\.npz in the same folder, since it was trained"):
        make_agent(f"sb3:{path}")
    assert write_statistics(made.get_vec_normalize_env(), path) == tmp_path / "model.normalize.npz"
    agent = make_agent(f"sb3:{path}")
    assert isinstance(agent, ActorPlayer)
    for position in random_games(BIG2, range(2)):
        if position.is_over or len(legal := position.view().legal_plays()) == 1:
            continue
        plays, scores = agent.scores(position.view(), legal)
        seen, ids = agent._layout.encode(position.view()), agent._actions.ids(legal)
        inputs, _ = made.policy.obs_to_tensor(normalize.normalize_obs(seen.astype(np.float32)))
        with torch.no_grad():
            wanted = made.policy.action_net(made.policy.mlp_extractor.forward_actor(inputs.reshape(1, -1)))[0].numpy()
        np.testing.assert_allclose(scores, wanted[ids], rtol=1e-3, atol=1e-3)
        assert plays == list(legal)


def test_sb3__statistics_of_another_model_are_refused(saved: Path, tmp_path: Path) -> None:
    path = tmp_path / "model.zip"
    shutil.copy(saved, path)
    venv = VecNormalize(SeatVecEnv(2, ruleset="hong_kong"))
    write_statistics(venv, path)
    with pytest.raises(ConfigError, match=r"model .*: expected statistics of 547 inputs, got 552"):
        make_agent(f"sb3:{path}")
    statistics_path(path).write_text("x")
    with pytest.raises(ConfigError, match=r"^weights .*model\.normalize\.npz: "):
        make_agent(f"sb3:{path}")
    for wrapper, got in ((None, "NoneType"), (VecNormalize(SeatVecEnv(2), norm_obs=False), "norm_obs=False")):
        with pytest.raises(ConfigError, match=f"^statistics: expected a VecNormalize that normalises observations, got {got}$"):
            write_statistics(wrapper, path)
    trained = small(SeatVecEnv(2), MaskablePPO, policy="MlpPolicy", policy_kwargs={"net_arch": [4]}, n_steps=8, batch_size=16)
    trained.learn(16)
    trained.save(path)
    with pytest.raises(ConfigError, match=r"expected no model\.normalize\.npz for a model that was trained on zeros"):
        make_agent(f"sb3:{path}")
