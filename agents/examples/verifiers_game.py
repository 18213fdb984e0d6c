"""verifiers by Prime Intellect: a game of seat 0 against random agents, through its TextArena environment.

    python agents/examples/verifiers_game.py --seed 7                          # by a scripted model, without a network
    python agents/examples/verifiers_game.py --url http://localhost:8000/v1 --model qwen3
    python agents/examples/verifiers_game.py --reward regret

Prints the conversation and the reward: the payoff, or minus the mean regret of the model's moves by playouts of `learned`. To
verifiers this file is a taskset, `verifiers_game`, if its folder is on PYTHONPATH. Needs verifiers[ta].
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
from collections.abc import Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Thread

import textarena
import verifiers.v1 as vf
from openai import AsyncOpenAI
from textarena.envs.registration import ENV_REGISTRY
from verifiers.v1.dialects.chat import message_to_wire
from verifiers.v1.tasksets.textarena import TextArenaData, TextArenaEnv, TextArenaEnvConfig, TextArenaTask

from big2_agents.data.chat import Teacher
from big2_env import BIG2  # registers the ids
from big2_env.climbing.view import View

__all__ = ["Big2Taskset", "ChatHarness", "TextArenaEnv"]


GAMES = {"payoff": "big2/Big2-v0", "regret": "big2/Big2Regret-v0"}


@cache
def teacher() -> Teacher:
    """Made with the first move, because it compiles."""
    return Teacher("learned", BIG2, 4)


def regrets(view: View) -> list[float]:
    return teacher().regrets(view)


if GAMES["regret"] not in ENV_REGISTRY:
    entry, wrappers = "big2_env.envs.textarena:TextArenaEnv", [textarena.wrappers.LLMObservationWrapper]
    textarena.register(GAMES["regret"], entry_point=entry, default_wrappers=wrappers, regrets=regrets)


class Big2Config(vf.TasksetConfig):
    game: str = GAMES["payoff"]


class Big2Taskset(vf.Taskset[TextArenaTask, Big2Config]):
    """Deals 0, 1, 2, ... of a game. Verifiers' own taskset accepts five word games only."""

    INFINITE = True

    def load(self) -> Iterator[TextArenaTask]:
        for seed in count():
            random.seed(seed)  # as TextArenaEnv does before the game
            game = textarena.make(self.config.game)
            game.reset(num_players=1)
            data = TextArenaData(
                name=f"{self.config.game}#{seed}",
                prompt=game.get_observation()[1],
                info={"game": self.config.game, "seed": seed},
            )
            yield TextArenaTask(data, self.config.task)


class ChatHarness(vf.Harness[vf.HarnessConfig]):
    """A chat in this process. Verifiers' own harness `null` starts a program, for which it needs uv."""

    APPENDS_SYSTEM_PROMPT = SUPPORTS_RESUME = True
    EXECUTES_CODE = NEEDS_CONTAINER = False

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data) -> vf.ProgramResult:
        prompt = data.prompt
        messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(map(message_to_wire, prompt))
        async with AsyncOpenAI(base_url=endpoint, api_key=secret) as client:
            await client.chat.completions.create(model=ctx.model, messages=messages)
        return vf.ProgramResult(0, "", "")


class ScriptedModel(BaseHTTPRequestHandler):
    """An OpenAI-compatible endpoint whose model plays the lowest card that it may, or passes."""

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = [message["content"] for message in request["messages"] if message["role"] == "user"]
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": move(texts)}}
        reply = {"id": "1", "object": "chat.completion", "created": 0, "model": request["model"], "choices": [choice]}
        body = json.dumps(reply | {"usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


def move(texts: list[str]) -> str:
    """The lowest card that beats a single card; a pass after a refusal and against other plays."""
    hand = re.findall(r"^Your hand, .*?: (.+)$", "\n".join(texts), re.MULTILINE)[-1].split()
    if "invalid move" in texts[-1]:
        return "<answer>pass</answer>"
    beaten = re.search(r"^You have to beat .* single (\S+)$", texts[-1], re.MULTILINE)
    if beaten:
        order = [
            f"{suit}[{rank}]" for rank in ("3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "2") for suit in "CDHS"
        ]
        hand = [card for card in hand if order.index(card) > order.index(beaten[1])]
    elif "You have to beat" in texts[-1]:
        hand = []
    return f"The lowest that I can.\n<answer>{hand[0] if hand else 'pass'}</answer>"


async def play(url: str, model: str, seed: int, reward: str) -> vf.Episode:
    taskset = {"id": "verifiers_game", "game": GAMES[reward]}
    player = {"harness": {"id": "verifiers_game"}, "runtime": {"type": "subprocess"}}
    env = vf.load_environment(TextArenaEnvConfig(taskset=taskset, player=player, interception={"type": "server"}))
    [task] = env.taskset.skip(seed).take(1)
    async with env.serving():
        endpoint = vf.EvalClientConfig(base_url=url, api_key_var="OPENAI_API_KEY")
        return await env.run_episode(task, vf.ModelContext(model, endpoint))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--url", help="endpoint of a model; by default one with a scripted model, started here")
    parser.add_argument("--model", default="scripted")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--reward", choices=GAMES, default="payoff")
    args = parser.parse_args()
    with ThreadingHTTPServer(("127.0.0.1", 0), ScriptedModel) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        episode = asyncio.run(play(args.url or f"http://127.0.0.1:{server.server_port}/v1", args.model, args.seed, args.reward))
        server.shutdown()
    for error in episode.errors:
        print(f"{error.type}: {error.message}")
    for trace in episode.traces:
        for message in trace.branches[-1].messages:
            print(f"[{message.role}] {message.content}")
        print(f"reward {trace.reward:+.3f}, {trace.info.get('game_outcome')}")


if __name__ == "__main__":
    main()
