from __future__ import annotations

import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import gymnasium
import pytest

from big2_env import ConfigError, available_rulesets
from big2_env.climbing.mini_games import MINI_GAMES
from big2_env.registration import ENV_VERSION, SINGLE_PLAYER_IDS, UNO_ID, UNO_SELF_PLAY_ID, env_id, env_ids, self_play_id

IDS = [*env_ids(), UNO_ID]
ALONE = [*SINGLE_PLAYER_IDS, *map(self_play_id, env_ids().values()), UNO_SELF_PLAY_ID]
"""The ids that Gymnasium alone knows."""
WAITING = """
def waiting():
    return sorted(finder.big2_env_waits_for for finder in sys.meta_path if hasattr(finder, "big2_env_waits_for"))

def ids(registry):
    return [name for name in registry if name.startswith("big2/") and name not in ALONE]
"""


def run(code: str, *, warnings: str = "error") -> str:
    """What a fresh process prints that runs some code, with every warning an error."""
    code = f"import sys\nIDS = {IDS}\nCLIMBING = {list(env_ids())}\nALONE = {ALONE}\n{WAITING}\n{textwrap.dedent(code)}"
    done = subprocess.run(
        [sys.executable, "-W", warnings, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_ids__follow_the_names_of_the_rulesets() -> None:
    assert env_ids() == {env_id(name): name for name in (*available_rulesets(), *MINI_GAMES)}
    assert env_ids()["big2/Big2-v0"] == "big2"
    assert env_ids()["big2/HongKong-v0"] == "hong_kong"
    assert all(name.endswith(f"-v{ENV_VERSION}") for name in env_ids())


@pytest.mark.parametrize("identifier", [self_play_id("big2"), UNO_SELF_PLAY_ID])
def test_make__of_a_self_play_id_names_make_vec(identifier: str) -> None:
    said = r"^self-play ids are vectorized: use gymnasium\.make_vec\(\) without vectorization_mode, or pettingzoo\.make"
    for make in (lambda: gymnasium.make(identifier), lambda: gymnasium.make_vec(identifier, vectorization_mode="sync")):
        with pytest.raises(ConfigError, match=said):
            make()


def test_import__of_the_package_loads_nothing_heavy() -> None:
    run("""
        import big2_env
        heavy = {"numpy", "gymnasium", "pettingzoo", "numba", "torch", "scipy", "rich", "typer", "importlib.metadata"}
        assert not heavy & set(sys.modules), heavy & set(sys.modules)
        assert waiting() == ["gymnasium", "pettingzoo", "textarena"]
    """)


@pytest.mark.parametrize(
    ("imports", "left"),
    [
        ("big2_env gymnasium", ["pettingzoo", "textarena"]),
        ("big2_env pettingzoo", ["textarena"]),  # which imports gymnasium
        ("big2_env gymnasium pettingzoo", ["textarena"]),
        ("gymnasium big2_env", ["pettingzoo", "textarena"]),
        ("gymnasium big2_env pettingzoo", ["textarena"]),
        ("pettingzoo big2_env", ["textarena"]),
        ("gymnasium pettingzoo big2_env", ["textarena"]),
        ("big2_env textarena", ["gymnasium", "pettingzoo"]),
        ("textarena big2_env", ["gymnasium", "pettingzoo"]),
        ("big2_env.envs.seat", ["pettingzoo", "textarena"]),
        ("big2_env.envs.aec", ["textarena"]),
        ("big2_env big2_env gymnasium big2_env", ["pettingzoo", "textarena"]),
    ],
)
def test_import__in_any_order_registers_the_ids(imports: str, left: list[str]) -> None:
    run(f"""
        from importlib import import_module
        for name in {imports.split()}:
            import_module(name)
        gymnasium, pettingzoo = sys.modules.get("gymnasium"), sys.modules.get("pettingzoo")
        assert gymnasium is None or ids(gymnasium.registry) == IDS
        assert pettingzoo is None or ids(pettingzoo.aec_registry) == IDS
        textarena = sys.modules.get("textarena")
        assert textarena is None or ids(textarena.envs.registration.ENV_REGISTRY) == CLIMBING
        assert waiting() == {left}, waiting()
        assert gymnasium is None or "exec_module" not in vars(gymnasium.__spec__.loader)
        assert {"big2_env.envs" in imports} or not any(name.startswith("big2_env.envs") for name in sys.modules)
    """)


def test_import__twice_or_by_reload_changes_nothing() -> None:
    run("""
        import importlib, big2_env
        importlib.reload(big2_env)
        assert waiting() == ["gymnasium", "pettingzoo", "textarena"]
        for name in [name for name in sys.modules if name.partition(".")[0] == "big2_env"]:
            del sys.modules[name]
        import big2_env as again
        assert again is not big2_env
        assert waiting() == ["gymnasium", "pettingzoo", "textarena"]
        import gymnasium, pettingzoo
        importlib.reload(again)
        importlib.reload(sys.modules["big2_env.registration"]).install()
        importlib.reload(gymnasium)
        assert ids(gymnasium.registry) == ids(pettingzoo.aec_registry) == IDS
        assert waiting() == ["textarena"]
    """)


def test_import__that_is_only_looked_for_leaves_the_finder_waiting() -> None:
    run("""
        import importlib.util, big2_env
        for _ in range(2):
            spec = importlib.util.find_spec("gymnasium")
            assert type(spec.loader).__name__ == "SourceFileLoader"
        assert "gymnasium" not in sys.modules and waiting() == ["gymnasium", "pettingzoo", "textarena"]
        import gymnasium
        assert ids(gymnasium.registry) == IDS and set(ALONE) <= set(gymnasium.registry)
        assert waiting() == ["pettingzoo", "textarena"]
    """)


def test_import__of_a_library_that_is_missing_or_fails_is_as_without_us(tmp_path: Path) -> None:
    (tmp_path / "pettingzoo.py").write_text("raise ImportError('half installed')")
    run(f"""
        import big2_env
        sys.modules["gymnasium"] = None
        for library, says in (("gymnasium", "halted; None in sys.modules"), ("pettingzoo", "half installed")):
            sys.path.insert(0, {str(tmp_path)!r})
            try:
                __import__(library)
            except ImportError as error:
                assert says in str(error), error
            else:
                raise AssertionError(library)
        big2_env.registration.install()
        assert "pettingzoo" in waiting()
    """)


@pytest.mark.parametrize("library", ["gymnasium", "pettingzoo"])
def test_import__from_several_threads_registers_once(library: str) -> None:
    """One library at a time: threads that import both at once may find them half imported, without this package too."""
    run(f"""
        import collections.abc, threading  # threads may find the first half imported, with no library of ours too
        start = threading.Barrier(4)
        def load(name):
            start.wait()
            __import__(name)
        threads = [threading.Thread(target=load, args=[name]) for name in ({library!r}, "big2_env", {library!r}, {library!r})]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        import gymnasium, pettingzoo
        assert ids(gymnasium.registry) == ids(pettingzoo.aec_registry) == IDS and waiting() == ["textarena"]
    """)


def test_import__of_a_library_whose_loader_serves_many_modules(tmp_path: Path) -> None:
    """All modules at the top of a zip file have one loader."""
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("gymnasium/__init__.py", "registry = {}\nimport before\nfrom gymnasium.late import register\n")
        archive.writestr("gymnasium/late.py", "import gymnasium\ndef register(id, **kw): gymnasium.registry[id] = kw\n")
        archive.writestr("before.py", "")
    run(f"""
        sys.path.insert(0, {str(tmp_path / "all.zip")!r})
        import big2_env, gymnasium
        assert "all.zip" in gymnasium.__file__
        assert ids(gymnasium.registry) == IDS and waiting() == ["pettingzoo", "textarena"]
        assert gymnasium.registry["big2/Big2-v0"]["entry_point"] == "big2_env.envs.seat:SeatEnv"
    """)


def test_import__of_an_older_pettingzoo_is_quiet() -> None:
    run("""
        import pettingzoo
        del pettingzoo.register, pettingzoo.aec_registry
        import big2_env
        assert waiting() == ["textarena"]
        from big2_env.envs import aec
        aec.env().reset()
    """)


def test_import__survives_a_registry_that_refuses() -> None:
    code = """
        import gymnasium
        gymnasium.register("big2/Big2", entry_point="big2_env.envs.seat:SeatEnv")  # unversioned: no version may join it
        import warnings
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            import big2_env
        print([str(one.message) for one in caught])
    """
    assert "big2_env: no environment ids for gymnasium: RegistrationError: " in run(code)


def test_make__by_id() -> None:
    run(
        """
        import gymnasium, pettingzoo
        env = gymnasium.make("big2_env:big2/Big2-v0", opponents=["random", "greedy", "lowest"], seat=1, scoring="cards")
        assert type(env.unwrapped).__name__ == "SeatEnv" and env.unwrapped.ruleset.name == "big2"
        assert [type(agent).__name__ for agent in env.unwrapped.opponents] == ["RandomAgent", "GreedyAgent", "LowestAgent"]
        observation, info = env.reset(seed=1)
        assert (env.action_masks() == info["action_mask"]).all() and env is env.unwrapped
        done, rewards = False, []
        while not done:
            _, reward, done, _, info = env.step(env.action_space.sample(info["action_mask"]))
            rewards.append(reward)
        assert rewards[-1] == info["payoffs"][1] != 0
        assert gymnasium.spec("big2/Big2-v0").kwargs == {"ruleset": "big2"}
        assert gymnasium.make("big2/HongKong-v0").unwrapped.ruleset.name == "hong_kong"
        assert gymnasium.make("big2/Big2").spec.id == "big2/Big2-v0"

        for name in ("big2/Big2-v0", "big2/Big2_v0", "big2/Big2"):
            assert str(pettingzoo.make("aec", name)) == "big2_v0"
        assert str(pettingzoo.make("aec", "big2/HongKong-v0", render_mode="ansi")) == "hong_kong_v0"
        """,
        warnings="error:big2_env",  # gymnasium warns of an id without version
    )


def test_vector__in_processes_that_never_imported_us() -> None:
    run("""
        import gymnasium, numpy as np
        env = gymnasium.make_vec("big2_env:big2/Big2-v0", 2, "async", vector_kwargs={"context": "spawn"}, opponents="lowest")
        _, infos = env.reset(seed=3)
        paid = []
        for _ in range(80):
            assert infos["action_mask"].shape == (2, 1379) and infos["action_mask"].dtype == np.int8
            _, rewards, ended, _, infos = env.step(infos["action_mask"].argmax(1))  # 0 after an end, where it is not looked at
            assert ((rewards != 0) == ended).all() and not infos.get("_illegal", np.False_).any()
            paid += rewards[ended].tolist()
        assert len(paid) > 2 and set(np.round(paid, 3)) <= {1, -0.333}, paid
        env.close()
    """)


def test_vector__of_stable_baselines_in_processes_has_the_masks() -> None:
    run(
        """
        import torch
        torch.set_num_threads(1)
        from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
        from stable_baselines3.common.env_util import make_vec_env
        from stable_baselines3.common.vec_env import SubprocVecEnv
        env = make_vec_env("big2_env:big2/Big2-v0", 2, seed=5, vec_env_cls=SubprocVecEnv, env_kwargs={"opponents": "random"})
        env.reset()
        assert is_masking_supported(env)
        ended = 0
        for _ in range(40):
            masks = get_action_masks(env)
            assert masks.shape == (2, 1379) and masks.dtype == bool and masks.any(1).all()
            _, rewards, done, infos = env.step(masks.argmax(1))
            assert ((rewards != 0) == done).all() and not any("illegal" in info for info in infos)
            ended += done.sum()
        assert ended
        env.close()
        """,
        warnings="default",  # make_vec_env asks for a picture of the game, and gymnasium warns that there is none
    )
