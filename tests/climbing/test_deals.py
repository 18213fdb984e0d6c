"""The deal: numbers of players, cards left over, decks with cards taken out; the duty to beat; what is paid by cards left."""

from __future__ import annotations

from dataclasses import replace

import pytest
from house_rules import ODD_CARD, SHORT_DECK
from random_games import random_games

from big2_env import (
    BIG2,
    DECK_52,
    HONG_KONG,
    PASS,
    Card,
    CardSet,
    ConfigError,
    Deck,
    Game,
    IllegalPlayError,
    NotationError,
    Rank,
    Refusal,
    Rest,
    RuleSet,
    available_rulesets,
    ruleset,
)
from big2_env.base.language import Language
from big2_env.climbing.game import decks_of
from big2_env.climbing.order import CardOrder
from big2_env.climbing.settlement import Standing
from big2_env.notation import log, log_reader, positions, records, spec_input
from big2_env.notation.lines import Lines
from big2_env.notation.records import GameRecord
from big2_env.notation.transcript import Transcript
from big2_env.testing.differential import compare
from big2_env.text.rules import rules_page

THREES = [BIG2, HONG_KONG, ruleset("chu_da_di")]
PDK, TIEN_LEN = ruleset("pao_de_kuai"), ruleset("tien_len")


@pytest.mark.parametrize("rules", THREES, ids=lambda rules: rules.name)
@pytest.mark.parametrize("number", [2, 3])
def test_big_two__with_fewer_players_sets_the_rest_aside(rules: RuleSet, number: int) -> None:
    assert (rules.default_players, Game.deal(rules, 1).num_players) == (4, 4)
    assert rules.cards_aside(number) == 52 - 13 * number
    game = Game.deal(rules, 5, number)
    hands = game.position.hands
    assert [hand.bit_count() for hand in hands] == [13] * number
    lowest = rules.order.lowest(sum(hands))
    assert (game.position.obligation, hands[game.turn] >> lowest & 1) == (1 << lowest, 1)
    assert game.view(0).unseen.bit_count() == 39
    assert game.position.pile == ()
    [deck] = decks_of(rules, 5)
    assert hands[0] == sum(1 << deck[-1 - number * i] for i in range(13))
    for game in random_games(rules, range(8), number):
        if (outcome := game.outcome) is not None:
            assert sum(outcome.payoffs) == pytest.approx(0)
    if rules is BIG2:
        assert sorted(outcome.payoffs) == pytest.approx([-1 / (number - 1)] * (number - 1) + [1])


def test_big_two__of_four_is_dealt_as_ever() -> None:
    closed = replace(BIG2, min_players=4, players=None, rest=type(BIG2.rest).NONE)
    for seed in range(20):
        assert Game.deal(BIG2, seed).position == Game.deal(closed, seed).position
    for number in (1, 5):
        with pytest.raises(ConfigError, match=f"big2 needs 2 to 4 players, got {number}"):
            Game.deal(BIG2, 1, number)


@pytest.mark.parametrize("rules", [*THREES, ODD_CARD, TIEN_LEN], ids=lambda rules: rules.name)
def test_logs_and_records__of_two_and_three_players_come_back(rules: RuleSet) -> None:
    for number in range(rules.min_players, min(rules.max_players, 3) + 1):
        names = ["Ann", "Bo", "Cy"][:number]
        *_, game = random_games(rules, [number], number)
        transcript = Transcript(game, names)
        text = log.dumps(transcript)
        read = log_reader.loads(text, rules, names)
        assert read.hands == game.start.hands
        assert read.events == tuple(event for event in transcript.events if not isinstance(event, log.NOT_LOGGED))
        deck = tuple(decks_of(rules, number)[0])
        for record in (GameRecord(transcript), GameRecord(transcript, deck)):
            again = records.loads(records.dumps(record), {rules.name: rules}).game
            assert (again.start, again.history) == (game.start, game.history)
        typed = Lines(spec_input.dumps(transcript))
        again = spec_input.read_start(typed, rules, number)
        while (action := spec_input.read_action(typed)) is not None:
            again.act(action)
        assert log.dumps(again) == text
        while len(game.history) > 5:
            game.undo()
        line = positions.dumps(game)
        assert positions.loads(line, {rules.name: rules}).position == game.position


def test_log__of_another_number_of_players_needs_no_names() -> None:
    *_, game = random_games(BIG2, [1], 3)
    found = log_reader.loads(log.dumps(Transcript(game))).transcript
    assert (found.game.num_players, len(found.game.history)) == (3, len(game.history))


def test_positions__refuse_cards_that_are_nowhere() -> None:
    *_, game = random_games(BIG2, [1], 3)
    game.undo()
    line, put_down = positions.dumps(game), str(CardSet(game.position.played[0]))
    with pytest.raises(NotationError, match=r"not the whole deck besides the 13 set aside: missing are .*"):
        positions.loads(line.replace(put_down, put_down.partition(" ")[2]))


def test_odd_card__goes_to_the_holder_of_the_lowest_dealt_card() -> None:
    seen = set()
    for seed in range(20):
        [deck] = decks_of(ODD_CARD, seed)
        if seed % 2:  # the lowest card of all is left over
            deck.remove(0)
            deck.insert(0, Card(0))
        odd, dealt = deck[0], deck[1:]
        game = Game.from_deck(ODD_CARD, deck)
        lowest = min(dealt)
        holder = (len(deck) - 1 - deck.index(lowest)) % 3
        hands = game.position.hands
        assert [hand.bit_count() for hand in hands] == [18 if seat == holder else 17 for seat in range(3)]
        assert (game.turn, hands[holder] >> odd & 1) == (holder, 1)
        assert game.position.obligation == 1 << min(deck)  # the odd card, where it is lower still
        seen.add(odd < lowest)
    assert seen == {False, True}
    assert ODD_CARD.max_hand == 18


def test_odd_card__is_in_one_hand_only() -> None:
    texts = ["", "", ""]
    for place, card in enumerate(DECK_52.cards):
        texts[place % 3] += f"{card} "
    assert [hand.bit_count() for hand in Game.from_hands(ODD_CARD, texts).position.hands] == [18, 17, 17]
    with pytest.raises(ConfigError, match=r"position: expected hands of at most 17 cards, got \[18, 18, 16\]"):
        Game.from_hands(ODD_CARD, [texts[0], texts[1] + texts[2][:4], texts[2][5:]])
    with pytest.raises(ConfigError, match=r"position: expected hands of at most 17 cards, got \[19, 16, 17\]"):
        Game.from_hands(ODD_CARD, [texts[0] + texts[1][:4], texts[1][5:], texts[2]])


# Decks with cards taken out.


def test_deck__with_cards_taken_out() -> None:
    deck = PDK.deck
    assert (deck.size, len(deck.cards), deck.mask.bit_count()) == (48, 48, 48)
    assert not set(deck.cards) & set(deck.without)
    assert deck.parse(" ".join(map(str, deck.cards))) == list(deck.cards)
    assert sorted(deck.shuffled(1)) == list(deck.cards)
    with pytest.raises(NotationError, match="S\\[A\\] is not a card of this 48-card deck"):
        deck.parse("S[A]")
    for make, says in [
        (lambda: Deck(without=(Card("S[2]"), Card("C[3]"))), "ascending and each once, got S\\[2\\] C\\[3\\]"),
        (lambda: Deck(without=(Card("S[2]"), Card("S[2]"))), "each once"),
        (lambda: Deck(without=(Card("LJ"),)), "cards of the deck to take out"),
        (lambda: Deck(copies=2, without=(Card("S[2]"),)), "deck of one copy only"),
        (lambda: Deck(without=DECK_52.cards), "no card is left"),
    ]:
        with pytest.raises(NotationError, match=says):
            make()
    with pytest.raises(ConfigError, match="value order"):
        CardOrder(Deck(without=tuple(Card(i) for i in range(4))))


def test_patterns__have_no_shape_that_the_deck_lacks() -> None:
    table = SHORT_DECK.table
    held = [mask.bit_count() for mask in SHORT_DECK.order.rank_masks]
    assert (held[Rank.THREE], held[Rank.TWO]) == (3, 1)
    for row in table.rows:
        assert all(number <= have for number, have in zip(row.shape.counts, held, strict=True))
    pairs = {row.shape.key for row in table.rows if row.pattern == "pair"}
    assert pairs == set(Rank) - {Rank.TWO, Rank.LITTLE_JOKER, Rank.BIG_JOKER}
    assert SHORT_DECK.table.is_unbeatable(SHORT_DECK.play("D[2]"))  # the only two of the deck
    assert not SHORT_DECK.table.is_unbeatable(SHORT_DECK.play("S[A]"))
    assert SHORT_DECK.table.is_unbeatable(SHORT_DECK.play("C[A] S[A]"))
    six_up = replace(BIG2, deck=Deck(without=DECK_52.cards[:12]), ranks=BIG2.ranks[3:], hand_size=10)
    assert {row.shape.key for row in six_up.table.rows} == set(Rank) - {*list(Rank)[:3], *list(Rank)[13:]}
    assert Game.deal(six_up, 1).position.obligation == 1 << Card("C[6]")


# The duty to beat.


@pytest.mark.parametrize("rules", [PDK, ODD_CARD, SHORT_DECK], ids=lambda rules: rules.name)
def test_must_beat__a_pass_is_legal_only_where_nothing_beats(rules: RuleSet) -> None:
    seen = set()
    for game in random_games(rules, range(6)):
        if game.is_over or game.top is None:
            continue
        legal = game.legal_plays()
        beating = list(rules.table.plays(game.position.hands[game.turn], game.top))
        assert list(legal) == (beating or [PASS])
        assert (legal.can_pass, PASS in legal, legal.can("")) == (not beating,) * 3
        assert game.view().legal_plays().can_pass is (not beating)
        seen.add(bool(beating))
        if beating:
            with pytest.raises(IllegalPlayError, match="pass: you must beat the top play if you can, as with ") as caught:
                game.pass_()
            assert caught.value.refusal is Refusal.MUST_COVER
    assert seen == {False, True}


def test_pao_de_kuai__pays_by_cards_left() -> None:
    def paid(*left: int) -> tuple[float, ...]:
        hands = tuple((1 << number) - 1 for number in left)
        return PDK.scoring.payoffs(Standing(hands, (left.index(0),)))

    assert paid(0, 1, 5) == (5, 0, -5)  # nothing for the last card
    assert paid(15, 0, 16) == (-15, 47, -32)  # double where nothing was played


def test_games__of_new_rules_are_announced() -> None:
    assert {"pao_de_kuai", "tien_len"} <= set(available_rulesets())
    assert (PDK.default_players, PDK.hand_size, PDK.must_cover) == (3, 16, True)
    for seed in range(20):
        for rules in (PDK, TIEN_LEN):
            assert Game.deal(rules, seed).position.obligation == 1 << Card("S[3]")


# The use of the cards left over, by number of players.

THREE = replace(HONG_KONG, hand_sizes=((3, 17),), rests=((3, Rest.LOWEST_HOLDER),))


def test_rests__are_another_use_of_the_cards_left_over_with_some_numbers_of_players() -> None:
    hands = {number: Game.deal(THREE, 1, number).position.hands for number in (2, 3, 4)}
    assert {number: sorted(map(int.bit_count, held)) for number, held in hands.items()} == {
        2: [13, 13],
        3: [17, 17, 18],
        4: [13] * 4,
    }
    assert [THREE.cards_aside(number) for number in (2, 3, 4)] == [26, 0, 0]
    assert (THREE.max_hand, THREE.largest_hand(2)) == (18, 13)
    page = str(rules_page(THREE, Language.EN))
    assert "set aside face down" in page
    assert "With 3 players one card is left over. The holder of the lowest dealt card takes it." in page
    two = replace(HONG_KONG, rests=((2, Rest.LOWEST_HOLDER),))
    assert "With 2 players: The holder of the lowest dealt card also takes the 26 cards" in str(rules_page(two, Language.EN))


@pytest.mark.parametrize("number", [2, 3])
def test_rests__are_dealt_alike_by_both_engines(number: int) -> None:
    compare(THREE, 4, every=32, num_players=number)


def test_rests__refuse_numbers_that_cannot_play_and_games_that_use_the_rest() -> None:
    with pytest.raises(ConfigError, match=r"rests: expected each number of players once, from those allowed, got \[5\]"):
        replace(HONG_KONG, rests=((5, Rest.ASIDE),))
    with pytest.raises(ConfigError, match="expected hands that use up the deck"):
        replace(HONG_KONG, rests=((2, Rest.NONE),))
    with pytest.raises(ConfigError, match="rest 'aside' with a draw pile"):
        replace(ruleset("wu_gua_pi"), rests=((2, Rest.ASIDE),))
