"""Rule 4 at the table: when a shuffle is due, whom the dealer offers the cut, what is burned."""

import msgspec
import pytest

from controller.cards import Card
from controller.events import (
    AnswerAlarm,
    Ask,
    Asked,
    CardOut,
    CuttingCardOut,
    CuttingCardSeen,
    NewCards,
    NewShoe,
    NotBurned,
    Use,
)
from controller.game.moves import Cleared, NoMoreBets, Stand
from controller.game.options import Game
from controller.game.play import RoundState
from controller.game.shuffle import Cut, Load, RefuseCut, Shuffle, Shuffled, ShuffleState
from controller.outcomes import Burned, Flagged, Prompted
from controller.table.decide import decide
from controller.table.decision import Decision
from controller.table.roles import ROLES, SUPERVISORS
from controller.table.view import view
from tests.controller.game.rounds import NEW_ZEALAND
from tests.controller.table.fitted import SHUFFLER, fitted
from tests.controller.table.tale import BLACKJACK, PONTOON, SUPERVISOR, Tale, refused, started

SEATS = ((1, "ann"), (3, "bob"), (7, "cam"))
NOBODY = sorted(set(ROLES) - SUPERVISORS)


def sit(tale: Tale) -> Tale:
    """Let ann, bob and cam wager on boxes 1, 3 and 7."""
    for box, player in SEATS:
        tale.wager(box, player)
    return tale


def cutting_card(tale: Tale) -> Decision:
    """Let the cutting card come out of the shoe."""
    return tale.take(CuttingCardOut(device="shoe"))


def finish(tale: Tale) -> Tale:
    """Let everybody stand and the dealer draw to 19, and clear the table."""
    while not refused(tale.ask(Stand())):
        pass
    tale.deal("TD")
    assert tale.state.play.state is RoundState.FINAL_SETTLEMENT
    tale.ask(Cleared())
    return tale


def due_shuffle(tale: Tale) -> Shuffle:
    """Return the shuffle that is due."""
    assert tale.state.shuffle is not None
    return tale.state.shuffle


def prompts(decision: Decision) -> list[str]:
    """Return the clauses of what the dealer is told to do."""
    return [one.rule for one in decision.outcomes if isinstance(one, Prompted)]


def cut_offered(tale: Tale) -> list[str]:
    """Shuffle, let everybody refuse the cut, and return in which order they were asked."""
    asked = []
    tale.ask(Shuffled())
    while (who := view(tale.state)["shuffle"]["offered_to"]) is not None:
        asked.append(who["player"])
        tale.ask(RefuseCut())
    return asked


# --- who is offered the cut -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dealt", "rule", "order"),
    [
        ("TS", "4.2.2", "bob cam ann"),  # the second card is bob's
        ("TS TH", "4.2.2", "cam ann bob"),
        ("TS TH TC", "4.2.3", "cam ann bob"),  # the dealer's first card is due
        ("TS TH TC 9D", "4.2.2", "ann bob cam"),
        ("TS TH TC 9D 9S 9H 9C", "4.2.2", "ann bob cam"),  # box 1 is in turn
    ],
)
def test_4_2_the_cut_goes_first_to_where_the_cutting_card_came(
    dealt: str, rule: str, order: str
) -> None:
    tale = sit(Tale())
    tale.ask(NoMoreBets())
    tale.deal(dealt)
    cutting_card(tale)
    for card in ["TS", "TH", "TC", "9D", "9S", "9H", "9C"][len(dealt.split()) :]:
        tale.deal(card)
    finish(tale)
    assert due_shuffle(tale).rule == rule
    assert cut_offered(tale) == order.split()


def test_4_2_3_on_the_dealers_hand_the_player_farthest_right_cuts() -> None:
    tale = sit(Tale())
    tale.ask(NoMoreBets())
    tale.deal("TS TH TC 9D 9S 9H 9C")
    for _ in SEATS:
        tale.ask(Stand())
    told = cutting_card(tale)
    assert due_shuffle(tale).rule == "4.2.3"
    assert [one.rule for one in told.outcomes if isinstance(one, Flagged)] == ["4.1.3"]
    tale.deal("TD")
    tale.ask(Cleared())
    assert cut_offered(tale) == ["cam", "ann", "bob"]


@pytest.mark.parametrize("called", [False, True])
def test_4_2_4_as_the_first_card_the_player_farthest_right_cuts(called: bool) -> None:
    tale = sit(Tale())
    if called:
        tale.ask(NoMoreBets())
    told = cutting_card(tale)
    assert due_shuffle(tale).rule == "4.2.4"
    assert [one.rule for one in told.outcomes if isinstance(one, Flagged)] == ["4.1.2"]
    assert cut_offered(tale) == ["cam", "ann", "bob"]


def test_4_2_5_with_new_cards_the_player_farthest_right_cuts() -> None:
    tale = sit(Tale())
    tale.ask(NoMoreBets())
    tale.deal("TS TH TC 9D 9S 9H 9C")
    cutting_card(tale)
    finish(tale)
    told = tale.ask(NewCards(), SUPERVISOR)
    assert prompts(told) == ["3.3", "4.1"]
    assert due_shuffle(tale).rule == "4.2.5"
    assert cut_offered(tale) == ["cam", "ann", "bob"]


def test_4_2_1_as_the_game_begins_the_first_to_the_table_cuts() -> None:
    """Bob's wager was the first, wherever he sits; the others follow clockwise (4.3)."""
    tale = Tale(cards_ready=False)
    for box, player in ((3, "bob"), (1, "ann"), (7, "cam")):
        tale.wager(box, player)
    assert due_shuffle(tale).rule == "4.2.1"
    assert cut_offered(tale) == ["bob", "cam", "ann"]


def test_4_1_1_a_game_begins_with_shuffle_cut_and_burn_and_the_next_round_asks_none() -> None:
    tale = Tale(cards_ready=False)
    assert prompts(tale.ask(Shuffled())) == ["4.2.1", "4.4"]
    assert view(tale.state)["next"] == "Offer the cut to the first player to the table"
    assert refused(tale.ask(Cut())) == "4.3", "nobody is there who could"
    tale.wager(3, "bob")
    assert view(tale.state)["shuffle"]["offered_to"] == {"box": 3, "player": "bob"}
    tale.ask(Cut())
    tale.ask(Load())
    told = tale.deal("2S")
    assert [one.rule for one in told.outcomes if isinstance(one, Burned)] == ["4.7"]
    told = tale.deal("TS")
    assert not [one for one in told.outcomes if isinstance(one, Flagged) and one.rule[0] == "4"]
    assert view(tale.state)["shuffle"] is None


def test_4_1_1_a_game_that_begins_without_is_flagged() -> None:
    tale = Tale(cards_ready=False)
    tale.wager()
    told = tale.deal("TS")
    assert "4.1.1" in [one.rule for one in told.outcomes if isinstance(one, Flagged)]


def test_4_6_1_a_game_begins_at_a_shuffling_device_with_cards_mixed_by_hand_and_no_cut() -> None:
    shuffler = msgspec.structs.replace(
        started(BLACKJACK, cards_ready=False), devices=dict(SHUFFLER), source="shuffler-1"
    )
    opened = decide(None, shuffler)
    assert prompts(opened) == ["3.3", "4.6.1"]
    loaded = decide(opened.state, Asked(ask=Shuffled()))
    assert (loaded.state.shuffle, loaded.state.ledger.burn_is_due) == (None, True)
    assert refused(decide(opened.state, Asked(ask=Cut()))) == "4.6.3"


def test_4_3_every_player_on_a_box_is_offered_the_cut() -> None:
    tale = Tale()
    for player in ("ann", "bob", "cam"):
        tale.wager(2, player)
    cutting_card(tale)
    assert sorted(cut_offered(tale)) == ["ann", "bob", "cam"]


def test_4_3_a_player_on_two_boxes_refuses_once() -> None:
    tale = Tale()
    for box, player in ((1, "ann"), (2, "bob"), (3, "ann")):
        tale.wager(box, player)
    cutting_card(tale)
    assert cut_offered(tale) == ["ann", "bob"]


# --- step by step ---------------------------------------------------------------------------------


def test_4_the_dealer_is_told_every_step_and_the_view_shows_it() -> None:
    tale = sit(Tale())
    assert view(tale.state)["shuffle"] is None
    seen = []
    steps: list[Ask] = [Shuffled(), RefuseCut(), Cut(), Load()]
    for step in (cutting_card(tale), *map(tale.ask, steps)):
        told = [one for one in step.outcomes if isinstance(one, Prompted)]
        seen += [one.rule for one in told]
        shown = view(step.state)
        assert shown["next"] == told[0].what
        if shown["shuffle"] is not None:
            assert shown["shuffle"]["words"] == told[0].what
    assert seen == ["4.1", "4.2.4", "4.4", "4.3", "4.5", "4.7"]


def test_4_3_the_offer_is_in_the_view_and_in_the_words() -> None:
    tale = sit(Tale())
    cutting_card(tale)
    tale.ask(Shuffled())
    shown = view(tale.state)
    assert shown["shuffle"]["offered_to"] == {"box": 7, "player": "cam"}
    assert "cam" in shown["next"]
    assert "box 7" in shown["next"]


def test_4_3_after_all_have_refused_a_supervisor_cuts_and_does_not_refuse() -> None:
    tale = sit(Tale())
    cutting_card(tale)
    cut_offered(tale)
    assert "supervisor cuts" in view(tale.state)["next"]
    assert refused(tale.ask(RefuseCut())) == "4.3"
    assert refused(tale.ask(Cut())) == "4.3", "not the dealer"
    tale.ask(Cut(), by="game-supervisor")
    assert due_shuffle(tale).cut_by == "the game supervisor"


def test_4_5_loaded_is_a_new_shoe_whose_first_card_is_burned() -> None:
    tale = sit(Tale())
    tale.deal("TS")
    before = tale.state.ledger.shoe
    tale = sit(Tale())
    cutting_card(tale)
    for step in (Shuffled(), Cut(), Load()):
        tale.ask(step)
    assert tale.state.shuffle is None
    assert tale.state.ledger.shoe == before + 1
    assert not tale.state.ledger.cutting_card
    (burned,) = tale.deal("KC").outcomes
    assert burned == Burned(card=Card("KC"), rule="4.7", face_down=True)


@pytest.mark.parametrize("step", [Shuffled(), RefuseCut(), Cut(), Load()])
def test_4_1_without_a_shuffle_due_there_is_no_step(step: Shuffled) -> None:
    assert refused(sit(Tale()).ask(step)) == "4.1"


def test_4_1_3_in_the_round_the_cutting_card_waits_for_its_end() -> None:
    tale = sit(Tale())
    tale.deal("TS TH")
    cutting_card(tale)
    assert refused(tale.ask(Shuffled())) == "4.1.3"
    assert due_shuffle(tale).state is ShuffleState.DUE
    tale.deal("TC 9D 9S 9H 9C")
    finish(tale)
    assert not refused(tale.ask(Shuffled()))


def test_4_1_3_a_round_that_begins_before_the_shuffle_is_refused_or_flagged() -> None:
    tale = sit(Tale())
    tale.deal("TS TH")
    cutting_card(tale)
    tale.deal("TC 9D 9S 9H 9C")
    finish(tale)
    sit(tale)
    called = tale.ask(NoMoreBets())
    first = tale.deal("TS")
    flags = [one.rule for one in (*called.outcomes, *first.outcomes) if isinstance(one, Flagged)]
    assert refused(called) or "4.1.3" in flags


def test_4_1_a_second_cutting_card_begins_no_second_shuffle() -> None:
    """A casino may lay two of them into the shoe (nz:3.3(b))."""
    tale = sit(Tale())
    tale.deal("TS TH")
    cutting_card(tale)
    first = due_shuffle(tale)
    tale.deal("TC")
    assert not prompts(cutting_card(tale))
    assert due_shuffle(tale) == first


def test_4_1_the_dealer_may_see_the_cutting_card_where_the_device_does_not() -> None:
    tale = sit(Tale())
    assert prompts(tale.ask(CuttingCardSeen())) == ["4.1"]
    assert view(tale.state)["shoe"]["cutting_card"]


def test_4_3_whoever_left_with_the_last_round_is_asked_as_the_last_round_had_it() -> None:
    tale = sit(Tale())
    tale.deal("TS TH TC 9D 9S 9H 9C")
    finish(tale)
    cutting_card(tale)  # nobody has wagered again yet
    assert cut_offered(tale) == ["cam", "ann", "bob"]


# --- the shuffling device -------------------------------------------------------------------------


@pytest.mark.parametrize("game", [BLACKJACK, NEW_ZEALAND])
def test_4_6_with_a_shuffling_device_nothing_is_cut_and_the_first_card_is_burned(
    game: Game,
) -> None:
    """At New Zealand's tables too, which may have an automatic shuffler (nz:3.3(e))."""
    tale = fitted(SHUFFLER, game)
    tale.ask(Use("shuffler-1"))
    tale.take(CardOut(device="shuffler-1", card=Card("2C")))
    told = tale.ask(NewCards(), SUPERVISOR)
    assert prompts(told) == ["3.3", "4.6.1"]
    for step in (RefuseCut(), Cut(), Load()):
        assert refused(tale.ask(step))
    assert prompts(tale.ask(Shuffled())) == ["4.7"]
    assert tale.state.shuffle is None
    (burned,) = tale.take(CardOut(device="shuffler-1", card=Card("KC"))).outcomes
    assert burned == Burned(card=Card("KC"), rule="4.7", face_down=True)


def test_16_9_a_forgotten_burn_leaves_the_shuffle_due() -> None:
    tale = sit(Tale())
    tale.deal("TS")
    cutting_card(tale)
    shuffle = due_shuffle(tale)
    tale.ask(NotBurned())
    assert tale.state.shuffle == shuffle


def test_nz_3_4_in_a_round_the_discards_are_of_the_set_in_play() -> None:
    tale = Tale(NEW_ZEALAND)
    tale.ask(NewShoe("blue"))
    tale.deal("2C")
    tale.ask(NewShoe())
    assert tale.state.ledger.set == "", "between two rounds it may be the other set"
    tale.ask(NewShoe("red"))
    sit(tale)
    tale.deal("2C 9S 9H")
    tale.ask(NewShoe())
    assert tale.state.ledger.set == "red"


# --- new cards ------------------------------------------------------------------------------------


def test_3_4_1_with_a_shoe_cards_are_replaced_only_after_the_cutting_cards_round() -> None:
    tale = sit(Tale())
    tale.deal("TS TH TC 9D 9S 9H 9C")
    finish(tale)
    assert refused(tale.ask(NewCards(), SUPERVISOR)) == "3.4.1"
    cutting_card(tale)
    assert not refused(tale.ask(NewCards(), SUPERVISOR))


def test_3_4_2_with_a_shuffling_device_cards_are_replaced_after_any_round() -> None:
    tale = fitted(SHUFFLER)
    tale.ask(Use("shuffler-1"))
    tale.take(CardOut(device="shuffler-1", card=Card("2C")))
    assert not refused(tale.ask(NewCards(), SUPERVISOR))


def test_3_4_cards_are_not_replaced_in_a_round() -> None:
    tale = sit(Tale())
    tale.deal("TS TH")
    cutting_card(tale)
    assert refused(tale.ask(NewCards(), SUPERVISOR)) == "3.4"
    waiting = sit(Tale())
    cutting_card(waiting)
    assert refused(waiting.ask(NewCards(), SUPERVISOR)) == "3.4"


@pytest.mark.parametrize("role", NOBODY)
def test_3_4_only_a_casino_supervisor_has_cards_replaced(role: str) -> None:
    assert refused(Tale().ask(NewCards(), role)) == "3.4"


@pytest.mark.parametrize("role", sorted(SUPERVISORS))
def test_3_4_every_casino_supervisor_has_cards_replaced(role: str) -> None:
    assert not refused(Tale().ask(NewCards(), role))


# --- alarms ---------------------------------------------------------------------------------------


def alarmed() -> Tale:
    """Return a table with two alarms: tens at Pontoon."""
    tale = Tale(PONTOON)
    tale.wager()
    tale.deal("TS TH")
    assert len(tale.state.alarms) == 2
    return tale


@pytest.mark.parametrize("role", NOBODY)
def test_3_3_an_alarm_is_answered_by_a_casino_supervisor_only(role: str) -> None:
    tale = alarmed()
    before = tale.state
    assert refused(tale.ask(AnswerAlarm("seen"), role)) == "3.3"
    assert tale.state == msgspec.structs.replace(before, keyed=())


@pytest.mark.parametrize("role", sorted(SUPERVISORS))
def test_3_3_alarms_are_answered_one_after_the_other(role: str) -> None:
    tale = alarmed()
    second = tale.state.alarms[1]
    tale.ask(AnswerAlarm("a ten of another table"), role)
    assert tale.state.alarms == (second,)
    tale.ask(AnswerAlarm("the same"), role)
    assert view(tale.state)["alarms"] == []
    assert refused(tale.ask(AnswerAlarm("once more"), role)) == "3.3"


def test_3_3_a_dealers_word_of_a_new_shoe_is_no_answer_to_an_alarm() -> None:
    tale = alarmed()
    tale.ask(NewShoe(), "dealer")
    assert tale.state.alarms
