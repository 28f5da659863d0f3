"""The table around the round: limits, restrictions, reserved boxes, who calls (5, 6, nz:5)."""

import io
from collections.abc import Iterable

import msgspec
import pytest
from rich.console import Console

from controller.cards import Card
from controller.console.screen import screen
from controller.eventlog.memory import MemoryLog
from controller.events import (
    AnyEvent,
    Ask,
    Asked,
    CardOut,
    ConfirmLayout,
    NewShoe,
    SameAgain,
    Started,
    Use,
)
from controller.game.house import (
    CallDecisions,
    EndOwnLimits,
    Handle,
    InspectorNotified,
    Lift,
    Limit,
    Reason,
    Reject,
    Release,
    RemoveNotice,
    Reserve,
    Restrict,
    SeatFound,
    SeatWanted,
    SetLimits,
    SetMostPlayers,
    SetOwnLimits,
    ShowNotice,
    SpokenWager,
)
from controller.game.moves import Cleared, Double, Insure, NoMoreBets, Stand, Wager, Withdraw
from controller.game.options import Game, build
from controller.outcomes import Flagged, Prompted
from controller.table.decision import Decision
from controller.table.owner import Table
from controller.table.resume import resume
from controller.table.roles import ROLES, SUPERVISORS
from controller.table.view import view
from tests.controller.table.fitted import SHUFFLER, fitted
from tests.controller.table.tale import BLACKJACK, PONTOON, Tale, refused, started

NZ = build("pontoon-nz", {})
SUPERVISOR = "casino-supervisor"
DUTY_MANAGER = "casino-duty-manager"
INSPECTOR = "inspector"
MINUTE = 60_000


def prompts(decision: Decision) -> dict[str, str]:
    """Return what a decision prompts, by clause."""
    return {one.rule: one.what for one in decision.outcomes if isinstance(one, Prompted)}


def flags(decision: Decision) -> dict[str, str]:
    """Return what a decision flags, by clause."""
    return {one.rule: one.what for one in decision.outcomes if isinstance(one, Flagged)}


def why(decision: Decision) -> str:
    """Return the words of a refusal."""
    (refusal,) = decision.outcomes
    return str(getattr(refusal, "why", ""))


def at(tale: Tale, minute: float, ask: Ask, by: str = SUPERVISOR) -> Decision:
    """Ask for something so many minutes after the machine's start."""
    return tale.take(Asked(ask=ask, by=by, mono=int(minute * MINUTE)))


def play_round(tale: Tale, *players: str) -> None:
    """Play a round of $10 wagers to its end: everybody has 20, the dealer 19."""
    for box, player in enumerate(players, start=1):
        assert not refused(tale.wager(box, player))
    tale.ask(NoMoreBets())
    tale.deal(" ".join(["KS", "KH", "KD"][: len(players)]))
    tale.deal("9D")
    tale.deal(" ".join(["QS", "QH", "QD"][: len(players)]))
    for _ in players:
        tale.ask(Stand())
    tale.deal("JD")
    assert not refused(tale.ask(Cleared()))


# --- 6.1 to 6.4: limits ---------------------------------------------------------------------------


def test_6_1_the_limits_on_the_sign_are_shown_and_prompted() -> None:
    tale = Tale()
    assert view(tale.state)["limits"] == {"minimum": 500, "maximum": 100_000, "unit": 0}
    told = tale.ask(SetLimits(200, 5000, 100), SUPERVISOR)
    assert prompts(told)["6.1"] == "Show $2 to $50 on the sign, in steps of $1"
    assert view(tale.state)["limits"] == {"minimum": 200, "maximum": 5000, "unit": 100}
    assert view(tale.state)["next"].startswith("Show $2 to $50")


def test_6_1_a_unit_above_the_minimum_is_watched() -> None:
    tale = Tale()
    tale.ask(SetLimits(500, 5000, 500), SUPERVISOR)
    assert flags(tale.wager(main=1500)) == {}
    assert "6.1" in flags(tale.wager(main=1700))


def test_6_1_without_a_unit_wagers_are_no_multiples() -> None:
    assert flags(Tale().wager(main=1700)) == {}


@pytest.mark.parametrize("by", ROLES)
def test_6_3_a_casino_supervisor_alters_the_limits(by: str) -> None:
    told = Tale().ask(SetLimits(200, 5000), by)
    assert refused(told) == ("" if by in SUPERVISORS else "6.3")


def test_6_3_limits_that_are_in_force_are_not_altered() -> None:
    assert refused(Tale().ask(SetLimits(500, 100_000), SUPERVISOR)) == "6.3"


def test_6_1_the_minimum_is_not_above_the_maximum() -> None:
    assert refused(Tale().ask(SetLimits(400, 300), SUPERVISOR)) == "6.1"


def test_6_3_limits_are_altered_at_any_time_also_in_a_round() -> None:
    tale = Tale()
    tale.wager()
    tale.deal("TS 9D")
    assert refused(tale.ask(SetLimits(200, 5000), SUPERVISOR)) == ""


def test_6_3_a_higher_minimum_needs_its_notice_for_twenty_minutes() -> None:
    tale = Tale()
    assert refused(at(tale, 0, SetLimits(2500, 100_000))) == "6.3"
    assert "6.3" in prompts(at(tale, 1, ShowNotice(2500)))
    early = at(tale, 20.9, SetLimits(2500, 100_000))
    assert refused(early) == "6.3"
    assert "19 minutes: 1 more" in why(early)
    late = at(tale, 21, SetLimits(2500, 100_000))
    assert refused(late) == ""
    assert tale.state.house.notice is None
    assert view(tale.state)["limits"]["minimum"] == 2500


def test_6_3_the_notice_is_of_that_minimum_and_no_other() -> None:
    tale = Tale()
    at(tale, 0, ShowNotice(1000))
    assert refused(at(tale, 30, SetLimits(2500, 100_000))) == "6.3"
    assert refused(at(tale, 30, SetLimits(1000, 100_000))) == ""


def test_6_3_a_notice_of_another_minimum_starts_anew() -> None:
    tale = Tale()
    at(tale, 0, ShowNotice(1000))
    at(tale, 15, ShowNotice(2500))
    assert refused(at(tale, 25, SetLimits(2500, 100_000))) == "6.3"
    assert refused(at(tale, 35, SetLimits(2500, 100_000))) == ""


def test_6_3_a_lower_minimum_and_another_maximum_need_no_notice() -> None:
    tale = Tale()
    assert refused(at(tale, 0, SetLimits(500, 50_000))) == ""
    assert refused(at(tale, 0, SetLimits(200, 50_000))) == ""


@pytest.mark.parametrize("minimum", [500, 400])
def test_6_3_what_is_no_higher_minimum_needs_no_notice(minimum: int) -> None:
    assert refused(at(Tale(), 0, ShowNotice(minimum))) == "6.3"


def test_6_3_a_notice_is_displayed_once_by_a_supervisor_and_taken_away() -> None:
    tale = Tale()
    assert refused(at(tale, 0, RemoveNotice())) == "6.3"
    assert refused(at(tale, 0, ShowNotice(1000), by="dealer")) == "6.3"
    at(tale, 0, ShowNotice(1000))
    assert refused(at(tale, 5, ShowNotice(1000))) == "6.3"
    assert refused(at(tale, 5, RemoveNotice(), by="dealer")) == "6.3"
    assert refused(at(tale, 5, RemoveNotice())) == ""
    assert refused(at(tale, 30, SetLimits(1000, 100_000))) == "6.3"


def test_6_3_it_is_prompted_once_when_the_time_has_come() -> None:
    tale = Tale()
    at(tale, 0, ShowNotice(1000))
    assert view(tale.state)["house"]["notice"] == {"minimum": 1000, "minutes_left": 20}
    wager = Wager(box=1, player="ann", main=1000)
    assert "6.3" not in prompts(at(tale, 19.9, wager, by="dealer"))
    assert "6.3" in prompts(at(tale, 20, wager, by="dealer"))
    assert "6.3" not in prompts(at(tale, 21, wager, by="dealer"))
    assert view(tale.state)["next"].startswith("The minimum may be $10 now")


def rebooted(game: Game, boot: str, minute: float) -> Started:
    return msgspec.structs.replace(started(game), boot=boot, mono=int(minute * MINUTE))


def test_6_3_after_the_machine_was_started_again_only_what_is_sure_counts() -> None:
    tale = Tale()
    at(tale, 100, ShowNotice(1000))
    at(tale, 112, SetLimits(1000, 100_000))  # refused: 12 minutes are sure
    tale.take(rebooted(BLACKJACK, "another", 2))
    assert view(tale.state)["house"]["notice"]["minutes_left"] == 6
    assert refused(at(tale, 7.9, SetLimits(1000, 100_000))) == "6.3"
    assert refused(at(tale, 8, SetLimits(1000, 100_000))) == ""


def test_6_3_after_the_controller_alone_was_started_again_the_time_ran_on() -> None:
    tale = Tale()
    at(tale, 100, ShowNotice(1000))
    tale.take(rebooted(BLACKJACK, "", 119))
    assert refused(at(tale, 119.9, SetLimits(1000, 100_000))) == "6.3"
    assert refused(at(tale, 120, SetLimits(1000, 100_000))) == ""


def test_6_3_an_event_that_was_taken_late_counts_no_time_twice() -> None:
    tale = Tale()
    at(tale, 100, ShowNotice(1000))
    for minute in (110, 100, 110, 100, 110):
        assert refused(at(tale, minute, SetLimits(1000, 100_000))) == "6.3"
    assert view(tale.state)["house"]["notice"]["minutes_left"] == 10


def test_6_3_a_configuration_that_raises_the_minimum_is_flagged_and_in_force() -> None:
    tale = Tale()
    tale.ask(SetLimits(200, 5000), SUPERVISOR)
    told = tale.take(started(build("blackjack-nsw", {"minimum": "10"})))
    assert flags(told)["6.3"] == "the configuration raised the minimum from $2 to $10"
    assert view(tale.state)["limits"]["minimum"] == 1000
    assert flags(tale.take(started(BLACKJACK))) == {}


def test_6_3_a_configuration_that_did_not_change_leaves_the_altered_limits() -> None:
    tale = Tale()
    tale.ask(SetLimits(200, 5000), SUPERVISOR)
    tale.take(started(BLACKJACK))
    assert view(tale.state)["limits"]["minimum"] == 200


def test_6_2_a_wager_outside_the_limits_is_flagged_and_may_be_rejected() -> None:
    tale = Tale()
    tale.wager(1, "ann")
    assert "6.2" in flags(tale.wager(2, "bob", 200_000))
    told = tale.ask(Reject(2, "bob"))
    assert prompts(told)["6.2"] == "Give bob back $2,000 from box 2"
    assert [box.number for box in tale.state.play.boxes] == [1]


def test_6_2_a_wager_within_the_limits_or_of_nobody_is_not_rejected() -> None:
    tale = Tale()
    tale.wager(1, "ann")
    tale.ask(Wager(box=2, player="bob"))
    assert refused(tale.ask(Reject(1, "ann"))) == "6.2"
    assert refused(tale.ask(Reject(2, "bob"))) == "6.2"
    assert refused(tale.ask(Reject(3, "cam"))) == "6.2"


def test_6_2_after_the_first_card_the_wager_is_valid() -> None:
    tale = Tale()
    tale.wager(1, "ann", 200_000)
    tale.ask(NoMoreBets())
    tale.deal("TS")
    assert refused(tale.ask(Reject(1, "ann"))) == "6.2"
    assert tale.state.play.boxes[0].bets[0].main == 200_000


def test_6_2_the_altered_limits_are_those_that_count() -> None:
    tale = Tale()
    tale.ask(SetLimits(500, 1000), SUPERVISOR)
    assert "6.2" in flags(tale.wager(1, "ann", 2000))
    assert refused(tale.ask(Reject(1, "ann"))) == ""


def test_6_4_a_player_with_a_sign_of_their_own_wagers_above_the_table() -> None:
    tale = Tale()
    told = tale.ask(SetOwnLimits("ann", 10_000, 500_000), SUPERVISOR)
    assert prompts(told)["6.4"] == "Place a sign for ann: $100 to $5,000"
    assert flags(tale.wager(1, "ann", 400_000)) == {}
    assert "6.2" in flags(tale.wager(1, "ann", 5000))
    assert "6.2" in flags(tale.wager(2, "bob", 400_000))
    assert view(tale.state)["house"]["own_limits"]["ann"]["maximum"] == 500_000
    tale.ask(EndOwnLimits("ann"), SUPERVISOR)
    assert "6.2" in flags(tale.wager(1, "ann", 400_000))


def test_6_4_own_limits_are_above_the_tables_and_in_order() -> None:
    tale = Tale()
    assert refused(tale.ask(SetOwnLimits("ann", 500, 100_000), SUPERVISOR)) == "6.4"
    assert refused(tale.ask(SetOwnLimits("ann", 600_000, 500_000), SUPERVISOR)) == "6.4"
    assert refused(tale.ask(SetOwnLimits("ann", 500, 200_000), INSPECTOR)) == "6.4"
    assert refused(tale.ask(EndOwnLimits("ann"), SUPERVISOR)) == "6.4"


def test_14_3_18_14_3_a_side_wager_below_its_sign_is_flagged() -> None:
    tale = Tale()
    aside = Wager(box=1, player="ann", main=1000, super_sevens=50, perfect_pairs=100)
    assert list(flags(tale.ask(aside))) == ["14.3"]
    tale = Tale(PONTOON)
    assert list(flags(tale.ask(Wager(box=1, player="ann", main=1000, pandemonium=50)))) == [
        "18.14.3"
    ]


# --- 5.10 to 5.12, nz:5.8: restricted players -----------------------------------------------------


def test_5_10_who_missed_the_first_round_is_held_to_the_minimum_until_the_reshuffle() -> None:
    tale = Tale()
    assert refused(tale.ask(Restrict("bob", "minimum"), SUPERVISOR)) == "5.10", "nothing missed"
    play_round(tale, "ann")
    assert refused(tale.ask(Restrict("ann", "minimum"), SUPERVISOR)) == "5.10"
    assert refused(tale.ask(Restrict("bob", "minimum"), "dealer")) == "5.10"
    told = tale.ask(Restrict("bob", "minimum"), "game-supervisor")
    assert prompts(told)["5.10"] == "Tell bob: the minimum only, until the reshuffle"
    too_much = tale.wager(2, "bob", 1000)
    assert refused(too_much) == "5.10"
    assert why(too_much).endswith("ask a casino supervisor")
    assert refused(tale.wager(2, "bob", 500)) == ""
    assert refused(tale.wager(1, "ann", 1000)) == ""
    tale.ask(NewShoe())
    assert view(tale.state)["house"]["restricted"] == {}
    assert refused(tale.wager(2, "bob", 1000)) == ""


def test_5_10_who_declines_a_round_is_one_too() -> None:
    tale = Tale()
    play_round(tale, "ann", "bob")
    assert refused(tale.ask(Restrict("bob", "minimum"), SUPERVISOR)) == "5.10"
    play_round(tale, "ann")
    play_round(tale, "ann", "bob")
    assert refused(tale.ask(Restrict("bob", "minimum"), SUPERVISOR)) == ""
    assert refused(tale.ask(Restrict("ann", "minimum"), SUPERVISOR)) == "5.10"


def test_5_10_a_new_shoe_forgets_who_missed_a_round() -> None:
    tale = Tale()
    play_round(tale, "ann")
    tale.ask(NewShoe())
    assert refused(tale.ask(Restrict("bob", "minimum"), SUPERVISOR)) == "5.10"
    tale.deal("2S")  # the burn card
    play_round(tale, "bob")
    assert refused(tale.ask(Restrict("bob", "minimum"), SUPERVISOR)) == "5.10"
    assert refused(tale.ask(Restrict("ann", "minimum"), SUPERVISOR)) == ""


def test_5_10_the_minimum_is_the_one_on_the_sign() -> None:
    tale = Tale()
    play_round(tale, "ann")
    tale.ask(Restrict("bob", "minimum"), SUPERVISOR)
    tale.ask(SetLimits(200, 5000), SUPERVISOR)
    assert refused(tale.wager(2, "bob", 500)) == "5.10"
    assert refused(tale.wager(2, "bob", 200)) == ""


def test_5_10_without_an_amount_the_dealer_is_prompted() -> None:
    tale = Tale()
    play_round(tale, "ann")
    tale.ask(Restrict("bob", "minimum"), SUPERVISOR)
    told = tale.ask(Wager(box=2, player="bob"))
    assert prompts(told)["5.10"] == "bob wagers the minimum of $5"


def test_5_10_same_again_does_not_go_round_a_restriction() -> None:
    tale = Tale()
    play_round(tale, "ann")
    play_round(tale, "ann", "bob")
    tale.ask(Restrict("bob", "minimum"), SUPERVISOR)
    assert refused(tale.ask(SameAgain())) == "5.10"
    assert tale.state.play.boxes == ()


@pytest.mark.parametrize(("to", "rule"), [("minimum", "5.10"), ("further-shoes", "5.11")])
def test_5_10_5_11_only_where_a_shoe_is_in_use(to: Limit, rule: str) -> None:
    tale = fitted(SHUFFLER)
    tale.ask(Use("shuffler-1"))
    tale.take(CardOut(device="shuffler-1", card=Card("2S")))
    tale.wager()
    tale.ask(NoMoreBets())
    tale.take(CardOut(device="shuffler-1", card=Card("3S")))
    assert refused(tale.ask(Restrict("bob", to), DUTY_MANAGER)) == rule


def test_5_11_for_further_shoes_once_an_inspector_was_notified() -> None:
    tale = Tale()
    assert refused(tale.ask(Restrict("bob", "further-shoes"), DUTY_MANAGER)) == "5.11"
    play_round(tale, "ann")
    assert refused(tale.ask(Restrict("bob", "further-shoes"), SUPERVISOR)) == "5.11"
    told = tale.ask(Restrict("bob", "further-shoes"), DUTY_MANAGER)
    assert prompts(told)["5.11"] == "Notify an inspector before bob is restricted"
    assert "Notify an inspector before bob" in view(tale.state)["next"]
    assert refused(tale.wager(2, "bob", 1000)) == "", "it does not hold yet"
    assert refused(tale.ask(InspectorNotified("bob"))) == "5.11"
    assert refused(tale.ask(InspectorNotified("bob"), INSPECTOR)) == ""
    assert refused(tale.wager(2, "bob", 1000)) == "5.11"
    tale.ask(NewShoe())
    late = tale.wager(2, "bob", 1000)
    assert refused(late) == "5.11"
    assert why(late).endswith("ask the casino duty manager")


@pytest.mark.parametrize("by", ROLES)
def test_5_12_a_casino_duty_manager_limits_to_one_box(by: str) -> None:
    told = Tale().ask(Restrict("bob", "one-box"), by)
    assert refused(told) == ("" if by == DUTY_MANAGER else "5.12")


def test_5_12_one_box_at_the_minimum_once_an_inspector_was_notified() -> None:
    tale = Tale()
    tale.ask(Restrict("bob", "one-box"), DUTY_MANAGER)
    assert view(tale.state)["house"]["restricted"]["bob"]["waits"]
    told = tale.ask(InspectorNotified("bob"), DUTY_MANAGER)
    assert prompts(told)["5.12"] == "Tell bob: one box at the minimum"
    assert refused(tale.wager(2, "bob", 1000)) == "5.12"
    assert refused(tale.wager(2, "bob", 500)) == ""
    assert refused(tale.wager(3, "bob", 500)) == "5.12"
    tale.ask(Withdraw(2, "bob"))
    assert refused(tale.wager(3, "bob", 500)) == ""


def test_5_11_5_12_nothing_is_confirmed_that_does_not_wait() -> None:
    assert refused(Tale().ask(InspectorNotified("bob"), INSPECTOR)) == "5.11"


def test_5_10_5_12_a_restriction_is_lifted_by_who_may_give_it() -> None:
    tale = Tale()
    assert refused(tale.ask(Lift("bob"), DUTY_MANAGER)) == "5.10"
    play_round(tale, "ann")
    tale.ask(Restrict("bob", "minimum"), SUPERVISOR)
    assert refused(tale.ask(Lift("bob"), "dealer")) == "5.10"
    assert refused(tale.ask(Lift("bob"), SUPERVISOR)) == ""
    tale.ask(Restrict("bob", "one-box"), DUTY_MANAGER)
    tale.ask(InspectorNotified("bob"), INSPECTOR)
    assert refused(tale.ask(Lift("bob"), SUPERVISOR)) == "5.12"
    assert refused(tale.ask(Lift("bob"), DUTY_MANAGER)) == ""
    assert refused(tale.wager(2, "bob", 1000)) == ""


def test_5_10_a_first_card_that_is_dealt_again_is_no_second_round() -> None:
    tale = Tale()
    play_round(tale, "ann", "bob")
    tale.wager(1, "ann")
    tale.wager(2, "bob")
    tale.ask(NoMoreBets())
    tale.deal("2S")
    tale.pedal("left", held=True)
    assert tale.state.in_hand == (Card("2S"),)
    attendance = tale.state.house.attendance
    tale.deal("3S")
    assert tale.state.house.attendance == attendance
    assert refused(tale.ask(Restrict("bob", "minimum"), SUPERVISOR)) == "5.10"


def nz_round(*players: str) -> Tale:
    """Return an NZ table after a round of these players."""
    tale = Tale(NZ)
    play_round(tale, *players)
    return tale


def test_nz_5_8_a_who_missed_the_first_round() -> None:
    tale = nz_round("ann")
    assert refused(tale.ask(Restrict("bob", "minimum"), "dealer")) == "nz:5.8"
    assert refused(tale.ask(Restrict("ann", "minimum"), SUPERVISOR)) == "nz:5.8"
    assert "nz:5.8(a)" in prompts(tale.ask(Restrict("bob", "minimum"), SUPERVISOR))
    assert refused(tale.wager(2, "bob", 1000)) == "nz:5.8(a)"


def test_nz_5_8_b_who_sat_a_round_out() -> None:
    tale = nz_round("ann", "bob")
    play_round(tale, "ann")
    tale.ask(Restrict("bob", "minimum"), SUPERVISOR)
    assert refused(tale.wager(2, "bob", 1000)) == "nz:5.8(b)"
    tale.ask(NewShoe())
    assert refused(tale.wager(2, "bob", 1000)) == ""


@pytest.mark.parametrize("to", ["further-shoes", "one-box"])
def test_nz_5_8_nobody_is_held_to_more_than_the_minimum(to: Limit) -> None:
    assert refused(nz_round("ann").ask(Restrict("bob", to), DUTY_MANAGER)) == "nz:5.8"


# --- 5.4, 5.8, 5.13: boxes and seats --------------------------------------------------------------


def test_5_4_fewer_than_three_players_on_a_box() -> None:
    tale = Tale()
    assert refused(tale.ask(SetMostPlayers(2, 1), "dealer")) == "5.4"
    assert refused(tale.ask(SetMostPlayers(2, 9), SUPERVISOR)) == "5.4"
    assert "5.4" in prompts(tale.ask(SetMostPlayers(2, 1), SUPERVISOR))
    for player in ("ann", "bob"):
        assert refused(tale.wager(1, player)) == ""
    third = tale.wager(1, "cam")
    assert refused(third) == "5.4"
    assert why(third) == "only 2 players wager on box 1: ask a casino supervisor"
    assert refused(tale.wager(1, "bob", 2000)) == "", "who is there may change the wager"
    for player in ("ann", "bob", "cam"):
        assert refused(tale.wager(2, player)) == ""


def test_5_4_on_every_box_until_it_is_three_again() -> None:
    tale = Tale()
    tale.ask(SetMostPlayers(1), SUPERVISOR)
    tale.wager(5, "ann")
    assert refused(tale.wager(5, "bob")) == "5.4"
    tale.ask(SetMostPlayers(3), SUPERVISOR)
    assert refused(tale.wager(5, "bob")) == ""
    assert view(tale.state)["house"]["most_players"] == {}


def test_5_13_reserved_boxes_are_for_one_player_alone() -> None:
    tale = Tale()
    assert refused(tale.ask(Reserve("ann", (3,)), "dealer")) == "5.13"
    assert refused(tale.ask(Reserve("ann", (8,)), SUPERVISOR)) == "5.13", "no such box"
    tale.ask(Reserve("ann", (3, 4)), SUPERVISOR)
    assert view(tale.state)["house"]["reserved"] == {"3": "ann", "4": "ann"}
    other = tale.wager(3, "bob")
    assert refused(other) == "5.13"
    assert why(other) == "box 3 is reserved for ann: ask a casino supervisor"
    assert refused(tale.wager(3, "ann")) == ""
    assert refused(tale.wager(2, "bob")) == ""
    assert refused(tale.ask(Reserve("bob", (4,)), SUPERVISOR)) == "5.13"
    tale.ask(Release((3, 4)), SUPERVISOR)
    assert refused(tale.wager(3, "bob")) == ""
    assert refused(tale.ask(Release((3,)), SUPERVISOR)) == "5.13"


def test_5_13_a_box_with_anothers_wager_is_not_reserved() -> None:
    tale = Tale()
    tale.wager(3, "bob")
    assert refused(tale.ask(Reserve("ann", (3,)), SUPERVISOR)) == "5.13"
    tale.ask(Withdraw(3, "bob"))
    assert refused(tale.ask(Reserve("ann", (3,)), SUPERVISOR)) == ""


def test_5_13_the_key_of_a_reserved_box_is_refused() -> None:
    tale = Tale()
    tale.ask(Reserve("ann", (3,)), SUPERVISOR)
    assert refused(tale.key("3")) == "5.13"


def test_5_8_who_plays_several_boxes_gives_one_up() -> None:
    tale = Tale()
    tale.wager(1, "ann")
    tale.wager(3, "ann")
    tale.wager(2, "bob")
    told = tale.ask(SeatWanted("cam"))
    assert prompts(told) == {"5.8": "ann plays boxes 1, 3 and gives one up: cam finds no seat"}
    assert view(tale.state)["next"].startswith("ann plays boxes 1, 3 and gives one up")
    assert refused(tale.ask(SeatWanted("cam"))) == "5.8"
    tale.ask(Withdraw(3, "ann"))
    assert "5.8" in prompts(tale.wager(4, "ann"))
    tale.ask(Withdraw(4, "ann"))
    assert prompts(tale.wager(3, "cam")) == {}
    assert view(tale.state)["house"]["seats_wanted"] == []
    assert prompts(tale.wager(4, "ann")) == {}


def test_5_8_who_wants_no_seat_any_more_asks_nobody_to_give_up() -> None:
    tale = Tale()
    assert refused(tale.ask(SeatFound("cam"))) == "5.8"
    tale.ask(SeatWanted("cam"))
    tale.ask(SeatFound("cam"))
    tale.wager(1, "ann")
    assert prompts(tale.wager(2, "ann")) == {}


def test_5_8_5_13_reserved_boxes_are_not_given_up() -> None:
    tale = Tale()
    tale.ask(Reserve("ann", (1, 2)), SUPERVISOR)
    tale.wager(1, "ann")
    tale.wager(2, "ann")
    assert prompts(tale.ask(SeatWanted("cam"))) == {}


# --- 5.5 to 5.7: who calls the decisions ----------------------------------------------------------


def shared(first: int = 1000, second: int = 2000) -> Tale:
    """Return a table with ann and bob on box 1."""
    tale = Tale()
    tale.wager(1, "ann", first)
    tale.wager(1, "bob", second)
    return tale


@pytest.mark.parametrize(
    ("stakes", "player", "because", "rule"),
    [
        ((1000, 2000), "ann", "seated", ""),
        ((1000, 2000), "bob", "highest", ""),
        ((1000, 2000), "ann", "highest", "5.5.2"),
        ((1000, 1000), "ann", "highest", "5.5.2"),
        ((1000, 1000), "bob", "nearest", ""),
        ((1000, 2000), "bob", "nearest", "5.5.3"),
        ((1000, 2000), "cam", "seated", "5.5"),
    ],
)
def test_5_5_1_5_5_2_5_5_3_who_calls_the_decisions(
    stakes: tuple[int, int], player: str, because: Reason, rule: str
) -> None:
    tale = shared(*stakes)
    assert refused(tale.ask(CallDecisions(1, player, because))) == rule
    assert tale.state.play.boxes[0].controls == ("ann" if rule else player)


def test_5_6_the_dealer_is_prompted_when_a_box_becomes_shared() -> None:
    tale = Tale()
    assert prompts(tale.wager(1, "ann")) == {}
    assert prompts(tale.wager(1, "bob"))["5.6"] == "Ask who calls the decisions for box 1"
    assert prompts(tale.wager(1, "bob", 1500)) == {}, "nobody new"


def test_5_6_nobody_asked_is_flagged_with_the_first_card() -> None:
    tale = shared()
    tale.ask(NoMoreBets())
    assert flags(tale.deal("TS"))["5.6"].endswith("for box 1: ann does")


def test_5_6_who_said_it_before_the_round_is_not_flagged() -> None:
    tale = shared()
    tale.ask(CallDecisions(1, "bob", "highest"))
    tale.ask(NoMoreBets())
    assert flags(tale.deal("TS")) == {}
    assert refused(tale.ask(CallDecisions(1, "ann", "seated"))) == "5.6"


def test_5_7_1_5_7_2_where_the_wagers_lie_is_prompted() -> None:
    told = shared().ask(CallDecisions(1, "bob", "highest"))
    assert prompts(told) == {
        "5.7.1": "bob's wager on box 1 lies nearest the dealer",
        "5.7.2": "The others' wagers lie in a line behind it",
    }


def test_5_5_a_player_alone_on_a_box_lies_nowhere_else() -> None:
    tale = Tale()
    tale.wager(1, "ann")
    assert prompts(tale.ask(CallDecisions(1, "ann", "seated"))) == {}


def test_5_5_a_voucher_stays_one_when_its_player_calls() -> None:
    tale = shared()
    tale.ask(Wager(box=1, player="bob", main=2000, voucher=True))
    tale.ask(CallDecisions(1, "bob", "highest"))
    assert tale.state.play.boxes[0].bets[1].voucher


# --- 5.3, nz:5.3 to nz:5.7: what is in time, and what is handled ----------------------------------


def test_nz_5_3_a_spoken_wager_with_chips_in_time() -> None:
    tale = Tale(NZ)
    told = tale.ask(SpokenWager(2, "bob", 1000, chips=True))
    assert prompts(told)["nz:5.3"] == "Place bob's $10 on box 2"
    assert tale.state.play.boxes[0].bets[0].main == 1000
    assert refused(tale.ask(SpokenWager(3, "cam", 1000, chips=False))) == "nz:5.3"
    tale.ask(NoMoreBets())
    assert refused(tale.ask(SpokenWager(3, "cam", 1000, chips=True))) == "nz:5.3"
    assert len(tale.state.play.boxes) == 1


def test_nz_5_3_a_spoken_wager_keeps_to_what_a_wager_keeps_to() -> None:
    tale = Tale(NZ)
    tale.ask(Reserve("ann", (3,)), SUPERVISOR)
    assert refused(tale.ask(SpokenWager(3, "bob", 1000, chips=True))) == "5.13"
    assert "6.2" in flags(tale.ask(SpokenWager(2, "bob", 100, chips=True)))


def test_5_1_a_spoken_wager_is_none_in_new_south_wales() -> None:
    assert refused(Tale().ask(SpokenWager(2, "bob", 1000, chips=True))) == "5.1"


def test_nz_5_5_a_nz_5_5_b_after_the_first_card_nothing_is_made_or_withdrawn() -> None:
    tale = Tale(NZ)
    tale.wager()
    tale.ask(NoMoreBets())
    assert refused(tale.wager(2, "bob")) == "", "no card is out"
    tale.deal("KS")
    assert refused(tale.wager(3, "cam")) == "nz:5.5(a)"
    assert refused(tale.ask(Withdraw(1, "ann"))) == "nz:5.5(b)"


def test_5_2_5_3_in_new_south_wales_by_its_own_clauses() -> None:
    tale = Tale()
    tale.wager()
    tale.deal("KS")
    assert refused(tale.wager(3, "cam")) == "5.2"
    assert refused(tale.ask(Withdraw(1, "ann"))) == "5.3"


def two_against(game: Game, dealer: str) -> Tale:
    """Return a table with ann on box 1 (and bob on box 2), both on twenty."""
    tale = Tale(game)
    tale.wager(1, "ann")
    tale.wager(2, "bob")
    tale.ask(NoMoreBets())
    tale.deal(f"KS KH {dealer} QS QH")
    return tale


@pytest.mark.parametrize(("game", "rule"), [(BLACKJACK, "5.3"), (NZ, "nz:5.5(b)")])
def test_5_3_nz_5_5_b_nobody_handles_a_wager_until_it_is_decided(game: Game, rule: str) -> None:
    tale = Tale(game)
    tale.wager(1, "ann")
    assert refused(tale.ask(Handle(1, "ann"))) == ""
    assert refused(tale.ask(Handle(2, "ann"))) == rule, "it is not there"
    tale.ask(NoMoreBets())
    tale.deal("KS 9D QS")
    assert refused(tale.ask(Handle(1, "ann"))) == rule
    tale.ask(Stand())
    tale.deal("JD")
    assert refused(tale.ask(Handle(1, "ann"))) == ""


def test_nz_5_6_an_optional_wager_is_not_handled_either() -> None:
    tale = two_against(NZ, "AD")
    tale.ask(Insure(1, "ann", 500))
    assert refused(tale.ask(Handle(1, "ann", "insurance"))) == "nz:5.6"
    tale = Tale(NZ)
    tale.wager(1, "ann")
    tale.deal("5S 9D 6S")
    tale.ask(Double())
    assert refused(tale.ask(Handle(1, "ann", "double"))) == "nz:5.6"


def test_nz_5_7_a_losing_wager_is_not_touched_and_winnings_wait_for_the_box() -> None:
    tale = two_against(NZ, "9D")
    tale.ask(Stand())
    tale.ask(Stand())
    told = tale.deal("AS")  # the dealer has twenty: all stand off
    assert prompts(told) == {
        "nz:5.7": "Winnings are taken when all winning wagers in the box are paid"
    }
    assert refused(tale.ask(Handle(1, "ann"))) == ""
    tale = Tale(NZ)
    tale.wager(1, "ann")
    tale.deal("KS 9D 8S")
    tale.ask(Stand())
    tale.deal("JD")
    assert refused(tale.ask(Handle(1, "ann"))) == "nz:5.7"


def test_nz_5_7_is_not_prompted_in_new_south_wales() -> None:
    tale = two_against(BLACKJACK, "9D")
    tale.ask(Stand())
    tale.ask(Stand())
    assert prompts(tale.deal("JD")) == {}


def test_nz_5_7_while_another_wager_on_the_box_is_open() -> None:
    tale = Tale(NZ)
    tale.wager(1, "ann")
    tale.deal("8S AD 8H")
    tale.ask(Insure(1, "ann", 500))
    tale.key("P")
    tale.deal("5S 8D")  # the first hand has 21
    assert tale.state.play.boxes[0].hands[0].cards == (Card("8S"), Card("5S"), Card("8D"))
    assert refused(tale.ask(Handle(1, "ann"))) == "nz:5.7"


# --- it survives ----------------------------------------------------------------------------------


def taken(events: Iterable[AnyEvent]) -> tuple[MemoryLog, Table]:
    log = MemoryLog()
    table = Table(log, lambda: "2026-05-09T07:35:25.123456Z")
    for event in events:
        table.take(event)
    return log, table


def whole_story() -> Tale:
    """Return a table to which nearly everything was said, a round after it."""
    tale = Tale()
    at(tale, 1, SetLimits(200, 50_000, 100))
    at(tale, 2, ShowNotice(1000))
    at(tale, 3, SetOwnLimits("ann", 5000, 500_000))
    at(tale, 4, Reserve("ann", (3, 4)))
    at(tale, 5, SetMostPlayers(2, 5))
    at(tale, 5, SetMostPlayers(2))
    at(tale, 6, SeatWanted("eve"))
    play_round(tale, "ann", "bob")
    at(tale, 8, Restrict("cam", "minimum"))
    at(tale, 8, Restrict("dan", "further-shoes"), DUTY_MANAGER)
    at(tale, 9, Restrict("fay", "one-box"), DUTY_MANAGER)
    at(tale, 9, InspectorNotified("fay"), INSPECTOR)
    return tale


def test_5_6_all_of_it_survives_a_restart_in_the_log_and_in_an_opening_row() -> None:
    """Limits (6.1, 6.3, 6.4), restrictions (5.10, 5.11, 5.12), boxes (5.4, 5.13), seats (5.8)."""
    tale = whole_story()
    log, table = taken(tale.events)
    assert resume(log) == table.state
    assert resume(log) == tale.state
    play_round(tale, "ann", "bob")
    log, table = taken(tale.events)
    back = resume(log)
    assert back == tale.state
    assert back is not None
    seen = view(back)
    assert seen["limits"] == {"minimum": 200, "maximum": 50_000, "unit": 100}
    assert seen["house"]["notice"] == {"minimum": 1000, "minutes_left": 13}
    assert set(seen["house"]["restricted"]) == {"cam", "dan", "fay"}
    assert seen["house"]["words"] == [
        "notice: minimum $10 in 13 minutes (6.3)",
        "ann: $50 to $5,000 (6.4)",
        "cam: the minimum (5.10)",
        "dan: the minimum, once an inspector was notified (5.11)",
        "fay: one box at the minimum (5.12)",
        "box 3 is reserved for ann (5.13)",
        "box 4 is reserved for ann (5.13)",
        "each box: at most 2 to wager (5.4)",
        "eve finds no seat (5.8)",
    ]


def test_5_10_5_13_6_4_it_is_all_on_the_screen() -> None:
    out = io.StringIO()
    seen = {**view(whole_story().state), "table": "Test 1", "trouble": ""}
    Console(file=out, width=120, color_system=None).print(screen(seen))
    for line in seen["house"]["words"]:
        assert line in out.getvalue()


def test_5_10_5_13_after_a_restart_it_is_refused_as_before() -> None:
    tale = whole_story()
    tale.take(started(BLACKJACK))
    for name in ("shoe", "pedal", "keys"):
        tale.take(msgspec.structs.replace(tale.events[1], device=name))
    tale.ask(ConfirmLayout())
    assert refused(tale.wager(1, "cam", 1000)) == "5.10"
    assert refused(tale.wager(3, "cam", 200)) == "5.13"
    assert refused(tale.wager(1, "fay", 300)) == "5.12"
    assert refused(tale.wager(1, "cam", 200)) == ""
