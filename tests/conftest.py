"""What the tests share: hypothesis profiles, the rulesets that laws run over."""

from __future__ import annotations

import gc
import os
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import count
from zlib import crc32

import index_checks
import pytest
from check_changed import TIMES
from hypothesis import HealthCheck, settings
from outside_patterns import OUTSIDE

from big2_env import BIG2, RuleSet
from big2_env.base.compile_note import NOTE

_NUMBERS = count()
LONG_FILES = (
    "agents/test_from_view",
    "agents/test_search_rulesets",
    "browser/test_documentation_site",
    "cli/test_cli_fuzz",
    "climbing/test_tenth_game",
    "house/test_benchmarks",
    "house/test_every_ruleset",
    "house/test_learning_curve",
    "house/test_notebooks",
    "house/test_packaging",
    "house/test_page_commands",
    "kernels/test_family",
    "kernels/test_random_family",
)
"""Files whose tests are all long."""
COMPARISONS = (
    "agents/test_compiled_agents",
    "agents/test_compiled_wins",
    "agents/test_features",
    "agents/test_golden",
    "agents/test_search",
    "agents/test_trained_models",
    "evaluation/arena/test_arena_faults",
    "evaluation/arena/test_isolated",
    "browser/",
    "cli/test_cli_full_disk",
    "datasets/test_chat",
    "envs/test_copies",
    "envs/test_league",
    "envs/test_opponents_by_name",
    "envs/test_sb3.py",
    "examples/",
    "games/test_fishing_analysis",
    "games/test_interpreted_batches",
    "games/test_klondike_batch",
    "games/test_klondike_hint",
    "games/test_klondike_solve",
    "games/test_side_game_batches",
    "games/test_uno_compiled",
    "games/test_uno_kernel_game",
    "games/test_uno_named_players",
    "games/test_uno_players",
    "games/test_uno_view_players",
    "house/test_memory",
    "house/test_registration",
    "kernels/test_bounds",
    "kernels/test_compile_note",
    "kernels/test_differential",
    "kernels/test_plain_loops",
    "kernels/test_sources",
    "runs/test_executors",
    "solve/test_settlement_goal",
    "testing/test_differential_command",
    "train/test_fit_weights",
    "train/test_train_candidate_ppo",
    "train/test_train_device",
    "train/test_train_mini_games",
    "train/test_train_phases",
    "train/test_train_ppo_rollouts",
    "train/test_train_precision",
    "train/test_train_rollouts",
    "tables/terminal/test_table_app",
)
"""Files that compare engines or players over many games, train, or start many processes or a browser.

They are long; `release` only if marked.
"""
COMPILED_PACKAGES = ("agents/", "evaluation/arena/", "envs/", "kernels/", "train/")
"""Packages whose tests compile the kernels of the ruleset that they are about."""
OTHER_KINDS = re.compile(
    r"hong_kong|taiwan|pusoy_dos|capsa|dou_dizhu|three_two_one|wu_gua_pi|qi_gui|pao_de_kuai|last_out|drawing|teams|auction|(?<!com)pile|random_\d|up_to_the_bounds|-round"
)
"""Rulesets and parts of rules, in the names of tests, that need other kernels than `big2`, which take minutes to compile.

And its relatives such as `hong_kong`, which need the same: tests of each take as long again.
"""
RELEASE_FILES = (
    "agents/test_features",
    "agents/test_heuristic_weights",
    "agents/test_hostile_agents",
    "agents/test_interpreted_learned",
    "agents/test_interpreted_search",
    "agents/test_search_rulesets",
    "agents/test_trained_models",
    "evaluation/arena/test_arena_models",
    "evaluation/arena/test_bench",
    "browser/test_documentation_site",
    "browser/test_site",
    "datasets/",
    "envs/test_copies",
    "envs/test_hostile_envs",
    "envs/test_opponents_by_name",
    "house/test_benchmarks",
    "house/test_learning_curve",
    "kernels/test_hostile",
    "kernels/test_kernels_tables",
    "kernels/test_random_family",
    "tables/session/test_keepers_machine",
    "tables/session/test_session_machine",
    "review/test_payoff_units",
    "runs/test_disk_faults",
    "runs/test_kills",
    "tables/site/test_site_bundle",
    "tables/terminal/test_table_app",
)
"""Files whose long tests go through all rulesets or pages, kill runs, or start a Python in the browser, for `full`."""
RELEASE_PACKAGES = ("agents/", "envs/", "kernels/", "train/")
SCREENS = ("cli/", "notation/", "tables/session/", "solve/", "testing/", "tables/terminal/", "tables/browser/")
RELEASE_KINDS = re.compile(r"taiwan|pusoy_dos|capsa|dou_dizhu_(4p|x)|qi_gui|pao_de_kuai|wu_gua_pi")
"""Rulesets that CI leaves to `.ci/run full` in the names of long tests of `RELEASE_PACKAGES` and of all tests of `SCREENS`.

Their kernels take a minute each to compile, and screens of seven other rulesets are a sample. In CI `house/test_every_ruleset`
plays a part of the environments of each ruleset, and the hashes of `tests/support/behavior.py` compare what all agents play.
"""
WHOLE_FILES = ("house/test_every_ruleset", "house/test_playthroughs", "house/test_registration")
"""Files of which a sample has all tests: a case there is a ruleset or an id whose promises are checked nowhere else."""
NOTE.patience = 1e6  # which test compiles depends on the order and on the cache
settings.register_profile("dev", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("dev"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a run take a sample."""
    parser.addoption("--sample", type=int, metavar="N", help="of the selected tests of each file, run N that lie apart")


def pytest_configure(config: pytest.Config) -> None:
    """Under the bounds checks of numba, no index outside goes unseen."""
    if index_checks.looked_at():
        config.pluginmanager.register(index_checks)


@pytest.hookimpl(hookwrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Mark as long what compiles the kernels of other kinds of rulesets than Big Two's, and what takes long by itself.

    The house comes last: what its pages and docstrings use is compiled by then, and no two workers compile it at once.
    """
    for item in items:
        place = item.nodeid.removeprefix("tests/")
        is_other_kind = place.startswith(COMPILED_PACKAGES) and OTHER_KINDS.search(item.name)
        is_release_kind = place.startswith((*RELEASE_PACKAGES, *SCREENS)) and RELEASE_KINDS.search(item.name)
        is_rare_screen = place.startswith(SCREENS) and is_release_kind
        if place.startswith(LONG_FILES) or is_other_kind or is_rare_screen:
            item.add_marker(pytest.mark.long)
        if (place.startswith(RELEASE_FILES) or is_release_kind) and item.get_closest_marker("long"):
            item.add_marker(pytest.mark.release)
        if place.startswith(COMPARISONS) and not item.get_closest_marker("long"):
            item.add_marker(pytest.mark.long)
    items.sort(key=lambda item: item.nodeid.startswith("tests/house/"))
    yield  # -m selects by the marks
    if number := config.getoption("--sample"):
        kept = set(_sample(items, number))
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = [item for item in items if item in kept]


def _sample(items: list[pytest.Item], number: int) -> Iterator[pytest.Item]:
    """Of the tests of each file a number that lie apart; the file's name decides which is first."""
    files = defaultdict[str, list[pytest.Item]](list)
    for item in items:
        files[item.nodeid.partition("::")[0].removeprefix("tests/")].append(item)
    for name, found in files.items():
        first, size = crc32(name.encode()), len(found)
        places = range(size) if name.startswith(WHOLE_FILES) else {(first + i * size // number) % size for i in range(number)}
        yield from (found[place] for place in places)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Keep the seconds of each test file for `check_changed`."""
    if getattr(config, "cache", None) is None or hasattr(config, "workerinput"):
        return
    seconds: dict[str, float] = config.cache.get(TIMES, {})
    found: dict[str, float] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                file = report.nodeid.partition("::")[0]
                found[file] = found.get(file, 0.0) + report.duration
    config.cache.set(TIMES, seconds | {file: round(spent, 2) for file, spent in found.items()})


@pytest.fixture(autouse=True, scope="module")
def _old_objects_aside() -> None:
    """What earlier files and the compiler have left, millions of objects, is not searched for garbage again and again."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    """What was left open and forgotten is found at the end."""
    gc.unfreeze()


@pytest.fixture(autouse=True)
def _own_data_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the games of whoever runs it, or depends on their language."""
    monkeypatch.setenv("BIG2_DATA", str(tmp_path_factory.getbasetemp() / "data" / str(next(_NUMBERS))))
    monkeypatch.setenv("BIG2_LANG", "en")


@pytest.fixture(params=[BIG2, OUTSIDE], ids=["big2", "outside"])
def rules(request: pytest.FixtureRequest) -> RuleSet:
    """BIG2, and BIG2 with two patterns from outside the package."""
    return request.param
