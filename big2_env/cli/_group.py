"""The typer application, which imports only the verb that is called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from big2_env.base.errors import ConfigError
from big2_env.cli import _verbs
from big2_env.cli._help import asked, for_typer, in_language, only_help
from big2_env.cli._status import answer

COMMAND_LINE: Final = "big2.command_line"
"""Key of all arguments in the metadata of a context."""


class VerbCommand(TyperCommand):
    """A verb whose help follows `--lang`."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help."""
        with in_language(self, ctx, asked(ctx.meta.get(COMMAND_LINE, ()))):
            super().format_help(ctx, formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments of the verb. `-:N`, which is standard input after move N, is not an option."""
        ctx.ignore_unknown_options = any(arg.startswith("-:") for arg in args)  # others become one argument too many
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the verb. Two of its options must not name the same file, as one result would overwrite the other."""
        files: dict[Path, str] = {}
        for option in self.params:
            value, name = ctx.params.get(option.name), option.opts[0]
            if not isinstance(value, Path) or not name.startswith("-") or (value.exists() and not value.is_file()):
                continue  # what is no file, such as /dev/null or a folder, may be named twice
            if (other := files.setdefault(value.resolve(), name)) != name:
                raise ConfigError(f"{name}: expected another file than {other}, got {value}")
        return super().invoke(ctx)


class FamilyGroup(TyperGroup):
    """Verbs whose list follows `--lang`, before or after `--help`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options of the group and return the arguments of the verb."""
        ctx.meta.setdefault(COMMAND_LINE, tuple(args))  # parsing empties the list
        return super().parse_args(ctx, ["--help"] if only_help(args) else args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help."""
        with in_language(self, ctx, asked(ctx.meta.get(COMMAND_LINE, ()))):
            super().format_help(ctx, formatter)


class ListedVerb(TyperCommand):
    """A verb whose module is imported when the verb runs or its own help is shown.

    Args:
        name: Name of the verb.
        documentation: Its docstring.
        build: Function that returns the command itself.
    """

    def __init__(self, name: str, documentation: str, build: Callable[[], Any]) -> None:
        super().__init__(name, help=for_typer(documentation))
        self._build = build

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """Return the context of the command itself."""
        return self._build().make_context(*args, **kwargs)


class VerbGroup(FamilyGroup):
    """Group of all verbs, found by `_verbs`."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all verbs, sorted."""
        return _verbs.available_verbs()

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | None:
        """Return a verb by name, without importing it."""
        listed = _listed(cmd_name)
        if listed is None and not ctx.resilient_parsing and not cmd_name.startswith("-"):
            ctx.fail(f"unknown verb {cmd_name!r}: expected one of {', '.join(_verbs.available_verbs())}")
        return listed

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the group's options and return the arguments of the verb.

        typer has no options with an optional value, so `--ray` is rewritten first.
        """
        if "--ray" in args:
            from big2_env.cli._options import with_ray_address

            args = with_ray_address(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> None:
        """Run the verb; its exceptions become exit statuses."""
        raise typer.Exit(answer(lambda: super(VerbGroup, self).invoke(ctx)))


def _listed(name: str) -> ListedVerb | None:
    """Return a verb that is not imported yet, `None` if it does not exist."""
    documentation = _verbs.documentation(name)
    return None if documentation is None else ListedVerb(name.rpartition(".")[2], documentation, lambda: _command(name))


def _command(name: str) -> Any:
    """Return the typer command of a verb, and import the verb."""
    function: Any = _verbs.load_verb(name)
    is_family = isinstance(function, _verbs.Family)
    single = typer.Typer(name=name, add_completion=False, rich_markup_mode="rich", no_args_is_help=is_family)
    if not isinstance(function, _verbs.Family):
        single.command(name, cls=VerbCommand, help=for_typer(function.__doc__))(function)
        return get_command(single)
    single.callback(cls=FamilyGroup, help=for_typer(function.__doc__))(lambda: None)
    for member, verb in function.verbs.items():
        single.command(member, cls=VerbCommand, help=for_typer(verb.__doc__))(verb)
    group: Any = get_command(single)
    for member in _verbs.family_verbs(name, function):
        if member not in group.commands:
            group.add_command(_listed(f"{name}.{member}"), member)
    group.commands = dict(sorted(group.commands.items()))
    return group


app = typer.Typer(
    name="big2",
    cls=VerbGroup,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from big2_env import __version__

        print(f"big2_env {__version__}")
        raise typer.Exit


_HELP: Final = """
Play, record, analyze and learn Big Two (大老二) and other card games.

Examples:
    big2 play                 play against agents
    big2 match heuristic greedy greedy random --seed 7
                              let four agents play a game
    big2 run game.in          print the log of a game given as text

Each verb has its own examples: big2 VERB --help
"""


@app.callback(help=for_typer(_HELP))
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Handle the options of `big2` itself."""
