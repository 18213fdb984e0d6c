"""Options for agents that call an endpoint, such as `llm:MODEL`. They set environment variables for the run.

Agents in packages read the variables, so every verb that plays agents supports them, with or without these options.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from big2_env.base.errors import ConfigError


def _sets(variable: str, option: str, metavar: str, text: str, default: str | None = None) -> Any:
    """Return an option that sets an environment variable to its value until the command ends.

    Args:
        variable: The variable.
        option: Name of the option.
        metavar: Form of its value.
        text: Help.
        default: Value without the option, in words.
    """

    def set_variable(context: typer.Context, value: str | None) -> str | None:
        if value is not None and not context.resilient_parsing:
            before = os.environ.get(variable)
            os.environ[variable] = value

            def restore() -> None:
                if before is None:
                    os.environ.pop(variable, None)
                else:
                    os.environ[variable] = before

            context.call_on_close(restore)
        return value

    return typer.Option(option, metavar=metavar, callback=set_variable, help=text, show_default=default or True)


@dataclass(frozen=True)
class EndpointOptions:
    """Options of the endpoint. Their callbacks do all that they are for."""

    llm_url: Annotated[
        str | None,
        _sets(
            "BIG2_LLM_URL", "--llm-url", "URL|cache",
            "OpenAI-compatible endpoint of llm:MODEL; cache for saved replies only.", "BIG2_LLM_URL or OPENAI_BASE_URL",
        ),
    ] = None  # fmt: skip
    illegal: Annotated[
        str | None,
        _sets(
            "BIG2_LLM_ILLEGAL", "--illegal", "forfeit|retry:N|lowest|random",
            "Action after an answer of llm:MODEL without a legal move.", "retry:2, then forfeit",
        ),
    ] = None  # fmt: skip
    llm_cache: Annotated[
        str | None, _sets("BIG2_LLM_CACHE", "--llm-cache", "FILE", "File with replies of llm:MODEL (JSONL).")
    ] = None
    llm_transcript: Annotated[
        str | None,
        _sets("BIG2_LLM_TRANSCRIPT", "--llm-transcript", "FILE", "File for prompts and answers of llm:MODEL (JSONL)."),
    ] = None
    llm_budget: Annotated[
        str | None,
        _sets("BIG2_LLM_BUDGET", "--llm-budget", "CALLS[,TOKENS]", "Maximum calls and tokens of llm:MODEL in this run."),
    ] = None


LlmPrice = Annotated[str | None, _sets("BIG2_LLM_PRICE", "--price", "IN,OUT", "Dollars per million tokens, for the cost.")]


def plays_models(agents: Iterable[str], **elsewhere: object) -> bool:
    """Return True if an agent is a language model, which plays in this process: one cache and one budget are for all games.

    Args:
        agents: Specifications of the agents.
        elsewhere: Values of options by name that need other processes or a time limit; truthy if given.

    Raises:
        ConfigError: An agent is a language model, and such an option is given.
    """
    has_models = any(agent.startswith("llm:") for agent in agents)
    if has_models and any(elsewhere.values()):
        refused = ", ".join(f"--{name}" for name in elsewhere)
        raise ConfigError(f"agents llm:MODEL play in one process, without a time limit: expected no {refused}")
    return has_models


@contextmanager
def files_beside(out: Path) -> Iterator[None]:
    """Keep replies and transcript next to a results file during the block, unless the variables name other files.

    Args:
        out: The results file; with `arena.jsonl`, they are `arena.replies.jsonl` and `arena.transcript.jsonl`.
    """
    missing = [name for name in ("BIG2_LLM_CACHE", "BIG2_LLM_TRANSCRIPT") if not os.environ.get(name)]
    endings = {"BIG2_LLM_CACHE": ".replies.jsonl", "BIG2_LLM_TRANSCRIPT": ".transcript.jsonl"}
    os.environ |= {name: str(out.with_suffix(endings[name])) for name in missing}
    try:
        yield
    finally:
        for name in missing:
            del os.environ[name]
