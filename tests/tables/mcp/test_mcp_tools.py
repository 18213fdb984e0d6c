"""The tools through the SDK's client in memory: whole games, hidden cards, malformed calls, bounds."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import anyio
import pytest
from hidden_cards import exchanged, random_moment
from mcp import Client, MCPError
from mcp_games import first_move, play_out, text_of
from one_language import strangers

from big2_env import Game, available_rulesets
from big2_env.base.language import Language, words
from big2_env.base.side_games import side_games
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.view import View
from big2_env.games.klondike import KlondikeGame
from big2_env.games.uno import UnoGame
from big2_env.tables.mcp.seats import ClimbingSeat, Seat, SideSeat
from big2_env.tables.mcp.server import mcp_server
from big2_env.tables.mcp.tools import IDLE, MAX_MOVE, Settings, Tools
from big2_env.tables.session.side_session import SideSession
from big2_env.tables.session.table_session import TableSession
from big2_env.text.answers import Played, read_answer, read_side_answer
from big2_env.text.names import move_text

RULES = available_rulesets()
Found = TypeVar("Found")


class Passer:
    """An agent whose moves show nothing but cards: it passes whenever it may."""

    def reset(self, seed: int) -> None:
        pass

    def act(self, view: View, legal: LegalPlays) -> Play:
        return next((play for play in legal if play.is_pass), next(iter(legal)))


def with_client(tools: Tools, act: Callable[[Client], Awaitable[Found]]) -> Found:
    """What a client of the SDK finds out."""

    async def run() -> Found:
        async with Client(mcp_server(tools)) as client:
            return await act(client)

    return anyio.run(run)


@pytest.mark.parametrize("game", ["big2", "dou_dizhu", "uno"])
def test_tools__play_a_whole_game(game: str) -> None:
    wanted: dict[str, Any] = {"game": game, "opponents": ["random"] if game == "uno" else ["lowest", "random"]}

    async def act(client: Client) -> None:
        table, answer = await play_out(client, **wanted)
        state = answer.structured_content
        assert state is not None
        assert state["payoffs"] is not None
        assert any(state["payoffs"]), state
        result = text_of(await client.call_tool("result", {"table": table}))
        assert "(you " in result
        for name, more in (("play", {"move": "pass"}), ("advise", {})):
            refused = await client.call_tool(name, {"table": table, **more})
            assert refused.is_error
            assert "the game is over" in text_of(refused)
        assert text_of(await client.call_tool("legal", {"table": table})) == result

    with_client(Tools(Settings(seed=5)), act)


def test_tools__are_the_listed_ones_and_advice_can_be_left_out() -> None:
    async def names(client: Client) -> list[str]:
        return [tool.name for tool in (await client.list_tools()).tools]

    listed = with_client(Tools(Settings()), names)
    assert listed == ["new_game", "view", "legal", "play", "rules", "result", "advise"]
    without = Tools(Settings(advises=False))
    assert with_client(without, names) == listed[:-1]
    opened = without.call("new_game", {}).state
    assert opened is not None
    refused = without.call("advise", {"table": opened["table"]})
    assert refused.is_error
    assert refused.text.startswith("unknown tool 'advise'; expected one of new_game, view")


@pytest.mark.parametrize("lang", Language)
@pytest.mark.parametrize("game", ["big2", "uno", "fishing", "klondike"])
def test_tools__answer_in_one_language(game: str, lang: Language) -> None:
    tools = Tools(Settings(lang=lang, seed=3))
    opened = tools.call("new_game", {"game": game})
    assert opened.state is not None
    table = opened.state["table"]
    texts = [opened.text.partition("\n")[2], tools.call("rules", {"game": game}).text]
    texts += [tools.call(name, {"table": table}).text for name in ("advise", "result")]
    names = frozenset(("draw", "play", "deal", "reverse", "skip", "wild", "UNO", "ten", "Klondike"))
    assert [found for text in texts for found in strangers(text, lang, names) if found not in ("TD", "QS")] == []


# One seat's view only.

WRITTEN = ["pass", "3H 3S", "nothing", "bid 9", "call", "LJ BJ", *(f"{suit}[{rank}]" for suit in "CDHS" for rank in "37A2")]


def at_table(seat: Seat) -> tuple[Tools, str]:
    """Tools with a table at which a game is under way, and its name."""
    tools = Tools(Settings())
    return tools, tools.tables.add(seat)


def climbing_seat(game: Game) -> ClimbingSeat:
    """The seat to move among agents that pass whenever they may."""
    session = TableSession(game.ruleset, [f"{__name__}:Passer"] * (game.num_players - 1), seat=game.turn, auto_pass=False)
    session.start(game.copy(), 0)
    return ClimbingSeat(session, Language.EN)


def side_seat(game: Any) -> SideSeat:
    return SideSeat(SideSession(type(game).usual, start=game, seat=game.turn), Language.EN)


def answers(seat: Seat, moves: list[str]) -> list[tuple[str, str]]:
    """Everything that the tools return about a table, then the answers to some moves."""
    tools, table = at_table(seat)

    async def act(client: Client) -> list[tuple[str, str]]:
        calls = [(name, {"table": table}) for name in ("view", "legal", "result", "advise")]
        calls += [("play", {"table": table, "move": move}) for move in moves]
        found = [await client.call_tool(name, arguments) for name, arguments in calls]
        return [(text_of(one), repr(one.structured_content).replace(table, "")) for one in found]

    return with_client(tools, act)


def refused(game: Game) -> list[str]:
    """Written moves that are not legal for the seat to move."""
    return [text for text in WRITTEN if not isinstance(read_answer(text, game.view()), Played)]


@pytest.mark.parametrize("name", ["big2", "dou_dizhu", "three_two_one"])
def test_tools__show_nothing_that_depends_on_hidden_cards(name: str) -> None:
    found = compared = 0
    for seed in range(60):
        game = random_moment(RULES[name], seed)
        if (twin := exchanged(game, game.turn, 1000 * seed)) is None:
            continue
        found += 1
        moves = refused(game)
        assert answers(climbing_seat(game), moves) == answers(climbing_seat(twin), moves)
        seats = [climbing_seat(one) for one in (game, twin)]
        move = move_text(max(game.legal_plays(), key=lambda play: play.power), game.legal_plays(), words(Language.EN))
        texts = [answers(seat, [move])[-1] for seat in seats]
        made = [seat.session.game.history[len(game.history) + 1 :] for seat in seats]
        if all(play.is_pass for moves_after in made for _, play in moves_after):
            assert texts[0] == texts[1]
            compared += 1
        if compared or name != "big2":
            return
    raise AssertionError(f"expected games whose hidden cards can be exchanged, got {found}")


def test_tools__show_nothing_that_depends_on_hidden_cards_of_side_games() -> None:
    uno = UnoGame.usual(3)
    deck = list(uno.deck)
    twins = []
    for other in range(1, len(deck)):
        turned = [*deck]
        turned[0], turned[other] = turned[other], turned[0]
        twin = UnoGame(uno.rules, turned, uno.stream)
        if (twin.hands[0], twin.discards, twin.turn) == (uno.hands[0], uno.discards, uno.turn) and turned != deck:
            twins.append(twin)
    klondike = KlondikeGame.usual(5)
    assert klondike.deck is not None
    cards = list(klondike.deck)
    hidden = [at for at, card in enumerate(cards) if card not in {pile[-1] for pile in klondike.state.piles}]
    turned = [*cards]
    for at, source in zip(hidden, hidden[1:] + hidden[:1], strict=True):
        turned[at] = cards[source]
    for game, twin in ((uno, twins[0]), (uno, twins[-1]), (klondike, KlondikeGame(turned))):
        moves = ["nothing", "W[+4]", "R[0]", "9S>F", "KD>1"]
        moves = [text for text in moves if not isinstance(read_side_answer(text, game), Played)]
        assert answers(side_seat(game), moves) == answers(side_seat(twin), moves)


# Malformed calls.


def junk(rng: random.Random, depth: int = 0) -> Any:
    """A random value that JSON can hold, or nearly."""
    kinds: list[Callable[[], Any]] = [
        lambda: None,
        lambda: rng.random() < 0.5,
        lambda: rng.choice([-1, 0, 15, 2**31, 2**63, -(2**70), 10**400, 1e308, float("nan"), -0.5]),
        lambda: "".join(
            chr(rng.choice([rng.randrange(32), rng.randrange(0x20, 0x3000), 0x1F0A1, 0x202E, 0])) for _ in range(9)
        ),
        lambda: rng.choice(["", "x", "3"]) * rng.choice([1, 300, 20_000]),
        lambda: rng.choice(["os:system", "../../etc/passwd", "learned:/etc/passwd", "%s%n", "{0}", "<answer>", "\\boxed{"]),
    ]
    if depth < 4:
        kinds.append(lambda: [junk(rng, depth + 1) for _ in range(rng.randrange(4))])
        kinds.append(lambda: {str(junk(rng, 4)): junk(rng, depth + 1) for _ in range(rng.randrange(4))})
    if not depth:
        kinds.append(lambda: nested(rng.choice([20, 150])))
    return rng.choice(kinds)()


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def malformed(rng: random.Random, tools: Tools, table: str) -> tuple[str, dict[str, Any]]:
    """A call that no tool accepts."""
    name = rng.choice(list(tools.tools))
    valid: dict[str, Any] = {"table": table, "move": "nothing"}
    fields = tools.tools[name].fields
    given = {key: valid[key] for key in fields if key in valid}
    match rng.randrange(5):
        case 0:
            return str(junk(rng)), given
        case 1:
            return name, given | {f"x{junk(rng, 4)}": junk(rng)}
        case 2 if "table" in fields:
            return name, given | {"table": junk(rng)}
        case 3 if "table" in fields:
            return name, {key: one for key, one in given.items() if key != rng.choice([*given])} | {"x": 1}
        case 4 if name == "play":
            return name, given | {"move": junk(rng)}
    key = rng.choice([*fields])
    bad = junk(rng)
    while bad is None or bad != bad or (type(bad) is int and 0 <= bad < 14) or bad in ("", []):  # allowed, or null in JSON
        bad = junk(rng)
    return name, given | {key: bad}


def test_tools__answer_2000_malformed_calls_with_one_line() -> None:
    rng, tools = random.Random(46), Tools(Settings(seed=1))

    async def act(client: Client) -> None:
        answer = await client.call_tool("new_game", {})
        assert answer.structured_content is not None
        table = {"table": answer.structured_content["table"]}
        before = text_of(await client.call_tool("view", table))
        for _ in range(2000):
            name, arguments = malformed(rng, tools, table["table"])
            refused = await client.call_tool(name, arguments)
            text = text_of(refused)
            assert refused.is_error, (name, arguments)
            assert len(text.splitlines()) == 1, (name, arguments, text)
            assert len(text) <= 1000
            assert "Traceback" not in text
        assert len(tools.tables) == 1
        assert text_of(await client.call_tool("view", table)) == before
        legal = text_of(await client.call_tool("legal", table))
        assert not (await client.call_tool("play", table | {"move": first_move(legal)})).is_error

    with_client(tools, act)


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("deal", {}, "unknown tool 'deal'; expected one of new_game, view, legal, play, rules, result, advise"),
        ("new_game", {"game": "big3"}, "game: unknown ruleset 'big3'; did you mean big2? (big2 games lists all)"),
        ("new_game", {"game": 2}, "game: expected a text, got '2'"),
        ("new_game", {"game": "big2:BIG2"}, "game: unknown ruleset 'big2:BIG2'; expected big2, "),
        ("new_game", {"seed": 1}, "unknown key 'seed'; expected game, opponents, players, seat, language"),
        ("new_game", {"players": 5}, "big2 needs 2 to 4 players, got 5"),
        ("new_game", {"players": 15}, "players: expected a number from 0 to 14, got '15'"),
        ("new_game", {"seat": 4}, "expected a seat from 0 to 3, got 4"),
        ("new_game", {"opponents": ["ppo:model.npz"]}, "opponents: expected names of "),
        ("new_game", {"opponents": ["x" * 41]}, "opponents: expected texts of at most 40 characters"),
        ("new_game", {"players": 2, "opponents": ["random"] * 2}, "expected at most 1 agents for a table of 2, got 2"),
        ("new_game", {"game": "uno", "players": 3}, "players: expected 2 in uno, got 3"),
        ("new_game", {"game": "uno", "opponents": ["learned:x"]}, "opponents: expected at most one name of a uno player"),
        ("new_game", {"language": "de"}, "expected en, zh-Hant, zh-Hans, got 'de'"),
        ("view", {}, "table: expected a text, got nothing"),
        ("view", {"table": "T"}, "table: expected a name that new_game returned, got 'T'"),
        ("play", {"move": "x" * (MAX_MOVE + 1)}, "move: expected at most 4000 characters, got 4001"),
        (
            "play",
            {"move": "nothing\nat all"},
            r"'nothing\nat all': The answer states no move; expected cards of the hand",
        ),
        ("rules", {"game": "chess"}, "game: unknown ruleset 'chess'; expected big2, "),
    ],
)
def test_tools__say_what_was_given_and_what_is_expected(name: str, arguments: dict[str, Any], message: str) -> None:
    tools = Tools(Settings(seed=2))
    state = tools.call("new_game", {}).state
    assert state is not None
    given = {"table": state["table"]} if name == "play" else {}
    answer = tools.call(name, given | arguments)
    assert answer.is_error
    assert answer.text.startswith(message)
    assert len(tools.tables) == 1


# Bounds.


def test_tables__are_bounded_and_say_why_they_ended() -> None:
    now = [0.0]
    tools = Tools(Settings(most=2, clock=lambda: now[0], seed=1))
    names = []
    for _ in range(3):
        state = tools.call("new_game", {"opponents": ["lowest"]}).state
        assert state is not None
        names.append(state["table"])
        now[0] += 1
        tools.call("view", {"table": names[0]})  # the first is used last
        now[0] += 1
    assert len(tools.tables) == 2
    gone = tools.call("view", {"table": names[1]})
    assert gone.is_error
    assert gone.text == f"table {names[1]} has ended, because more than 2 tables were open; new_game opens another"
    assert not tools.call("view", {"table": names[0]}).is_error
    now[0] += IDLE + 1
    assert tools.call("view", {"table": names[0]}).text == (
        f"table {names[0]} has ended, because it was not used for 60 minutes; new_game opens another"
    )
    assert len(tools.tables) == 0


def test_tables__never_deal_the_same_cards_to_a_client_twice() -> None:
    tools, hands = Tools(Settings(seed=9)), set()
    for seat in range(4):
        text = tools.call("new_game", {"seat": seat, "opponents": ["lowest"]}).text
        hands.update(line.partition(": ")[2] for line in text.splitlines() if line.startswith("Your hand"))
    assert len(hands) == 4
    dealt = {Game.deal(RULES["big2"], 9).view(seat).hand for seat in range(1, 4)}
    assert not {RULES["big2"].text(mask) for mask in dealt} & hands


@pytest.mark.parametrize("arguments", [{"seat": 9}, {"opponents": ["nobody"]}, {"players": 9}, {"game": "uno", "players": 9}])
def test_tools__keep_the_next_deal_if_a_table_is_refused(arguments: dict[str, Any]) -> None:
    first, second = Tools(Settings(seed=7)), Tools(Settings(seed=7))
    assert second.call("new_game", arguments).is_error
    expected, dealt = (tools.call("new_game", {}).text.splitlines()[1:] for tools in (first, second))
    assert dealt == expected


def test_tools__name_only_agents_that_the_server_allows() -> None:
    passer = f"{__name__}:Passer"
    assert Tools(Settings()).call("new_game", {"opponents": [passer]}).is_error
    assert not Tools(Settings(agents=(passer,))).call("new_game", {"opponents": [passer]}).is_error


def test_server__describes_games_agents_and_languages_as_choices() -> None:
    async def act(client: Client) -> None:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        asked = listed["new_game"].input_schema["properties"]
        assert asked["game"]["enum"] == [*available_rulesets(), *(one.name for one in side_games())]
        assert asked["language"]["enum"] == ["en", "zh-Hant", "zh-Hans"]
        assert {"greedy", "search:8", "rule-v1"} <= {*asked["opponents"]["items"]["enum"]}
        assert [tool.title for tool in listed.values()] == [
            "New game", "View", "Legal moves", "Play", "Rules", "Result", "Advice",
        ]  # fmt: skip
        for game in asked["game"]["enum"]:
            answer = await client.call_tool("new_game", {"game": game, "opponents": []})
            state = answer.structured_content
            assert state is not None
            assert state["your_turn"] == bool(state["legal"])
            assert all(card in state["text"] for card in state["hand"])
            played = await client.call_tool("play", {"table": state["table"], "move": state["legal"][0]})
            assert not played.is_error, text_of(played)

    with_client(Tools(Settings(seed=3, agents=("search:8",))), act)


def test_state__has_the_play_to_beat() -> None:
    tools = Tools(Settings(seed=7))
    state = tools.call("new_game", {"game": "big2", "opponents": ["greedy"]}).state
    assert state is not None
    assert state["to_beat"] == "C[6] D[6]"
    assert state["legal"] == ["S[7] H[7]", "D[8] C[8]", "H[Q] C[Q]", "pass"]
    assert (len(state["hand"]), state["scores"]) == (13, [0.0] * 4)


def test_rules__are_resources() -> None:
    async def act(client: Client) -> None:
        listed = (await client.list_resources()).resources
        assert [one.uri for one in listed] == [
            f"rules://{name}" for name in (*available_rulesets(), *(one.name for one in side_games()))
        ]
        for one in listed:
            assert one.title
            [found] = (await client.read_resource(one.uri)).contents
            rules = await client.call_tool("rules", {"game": one.uri.removeprefix("rules://")})
            assert found.text == text_of(rules)  # type: ignore[union-attr]
        with pytest.raises(MCPError, match="game: unknown ruleset 'bridge'"):
            await client.read_resource("rules://bridge")

    with_client(Tools(Settings()), act)


def test_fishing__addresses_the_person() -> None:
    tools = Tools(Settings(seed=7))
    opened = tools.call("new_game", {"game": "fishing"})
    assert "you play the front card" in opened.text
    assert "you plays" not in opened.text
