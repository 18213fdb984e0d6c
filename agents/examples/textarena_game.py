"""TextArena: a whole game between language models that are scripted here. Replace `model` with a call of your own.

    python agents/examples/textarena_game.py --ruleset dou_dizhu --seed 7

Prints every answer and the payoff of each player. Needs textarena.
"""

from __future__ import annotations

import argparse
import re

import textarena

from big2_env import ruleset
from big2_env.registration import env_id

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("--ruleset", default="big2")
parser.add_argument("--players", type=int, help="1: seat 0 against random agents; by default the ruleset's number")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()


def model(prompt: str) -> str:
    """Name the first legal move of the newest list in the prompt; a language model needs no list."""
    listed = re.findall(r"^- (?:[^:\n]+: )?(.+)$", prompt[prompt.rindex("Legal moves, ") :], re.MULTILINE)
    return f"I play the first legal move.\n<answer>{listed[0].split(' | ')[0]}</answer>"


env = textarena.make(env_id(args.ruleset), legal=True)
env.reset(num_players=args.players or ruleset(args.ruleset).default_players, seed=args.seed)
is_over = False
while not is_over:
    player, prompt = env.get_observation()
    answer = model(prompt)
    is_over, info = env.step(answer)
    print(f"player {player}: {answer.splitlines()[-1]} {info.get('reason', '')}".rstrip())
rewards, infos = env.close()
for player, reward in rewards.items():
    print(f"player {player}: payoff {reward:+.3f}, {infos[player]['turn_count']} moves")
