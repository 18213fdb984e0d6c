"""Big Two (大老二) for reinforcement learning: rules, text format and environments.

The names below are the rules and the text format, in plain Python without heavy imports. Import environments from
`big2_env.envs`, or create them by id: the ids are registered with Gymnasium and PettingZoo as soon as those are imported.
"""

from __future__ import annotations

from big2_env import registration
from big2_env.base.cards import DECK_52, DECK_54, DECK_108, Card, CardSet, Deck, Rank, Suit
from big2_env.base.errors import AmbiguousPlayError, ConfigError, IllegalPlayError, NotationError, Refusal
from big2_env.climbing.auction import Auction, Bid, CallRob
from big2_env.climbing.game import EndReason, Game, Move, Outcome, Phase
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.patterns import Pattern, available_patterns
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import (
    Chop,
    Ending,
    LastCard,
    Lead,
    Multiplier,
    NextLead,
    PassLock,
    PatternRule,
    Refill,
    RefillOrder,
    Rest,
    RuleSet,
)
from big2_env.climbing.rulesets import BIG2, HONG_KONG, available_rulesets, ruleset
from big2_env.climbing.settlement import (
    SCORINGS,
    CapturedPoints,
    CardsLeft,
    Doubling,
    FinishingOrder,
    PairwiseDifference,
    PenaltySettlement,
    Settlement,
    StepTable,
    TeamStake,
    When,
    WinnerTakesOne,
)
from big2_env.climbing.shapes import Kickers, Shape, Suits
from big2_env.climbing.view import View
from big2_env.text.session import Session

__version__ = "0.1.0"

__all__ = [
    "BIG2",
    "DECK_52",
    "DECK_54",
    "DECK_108",
    "HONG_KONG",
    "PASS",
    "SCORINGS",
    "AmbiguousPlayError",
    "Auction",
    "Bid",
    "CallRob",
    "CapturedPoints",
    "Card",
    "CardSet",
    "CardsLeft",
    "Chop",
    "ConfigError",
    "Deck",
    "Doubling",
    "EndReason",
    "Ending",
    "FinishingOrder",
    "Game",
    "IllegalPlayError",
    "Kickers",
    "LastCard",
    "Lead",
    "LegalPlays",
    "Move",
    "Multiplier",
    "NextLead",
    "NotationError",
    "Outcome",
    "PairwiseDifference",
    "PassLock",
    "Pattern",
    "PatternRule",
    "PenaltySettlement",
    "Phase",
    "Play",
    "Position",
    "Rank",
    "Refill",
    "RefillOrder",
    "Refusal",
    "Rest",
    "RuleSet",
    "Session",
    "Settlement",
    "Shape",
    "StepTable",
    "Suit",
    "Suits",
    "TeamStake",
    "View",
    "When",
    "WinnerTakesOne",
    "available_patterns",
    "available_rulesets",
    "ruleset",
]

registration.install()
