"""Limits: on the sign, altered, announced, of one player (6, 14.3, 18.14.3)."""

import msgspec
import pytest

from controller.events import (
    Started,
)
from controller.game.house import (
    EndOwnLimits,
    Reject,
    RemoveNotice,
    SetLimits,
    SetOwnLimits,
    ShowNotice,
)
from controller.game.moves import NoMoreBets, Wager
from controller.game.options import Game, build
from controller.table.roles import ROLES, SUPERVISORS
from controller.table.view import view
from tests.controller.table.around import INSPECTOR, MINUTE, SUPERVISOR, at, flags, prompts, why
from tests.controller.table.tale import BLACKJACK, PONTOON, Tale, refused, started


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
