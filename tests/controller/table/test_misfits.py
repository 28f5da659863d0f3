"""Limits and restrictions that are altered while wagers lie are held against them at once (6.2)."""

from collections.abc import Callable

import pytest

from controller.events import ConfirmLayout, NewShoe, TakeBack
from controller.game.house import (
    EndOwnLimits,
    InspectorNotified,
    Lift,
    Limit,
    Reject,
    Release,
    Reserve,
    Restrict,
    SetLimits,
    SetMostPlayers,
    SetOwnLimits,
    ShowNotice,
)
from controller.game.moves import NoMoreBets, Wager, Withdraw
from controller.game.options import Game, build
from controller.outcomes import Accepted, Flagged, Prompted
from controller.table.decision import Decision
from controller.table.misfits import misfits as found
from controller.table.view import view
from tests.controller.table.around import DUTY_MANAGER, NZ, SUPERVISOR, at, flags, play_round
from tests.controller.table.tale import BLACKJACK, Tale, started

Told = list[tuple[str, str]]


def named(decision: Decision) -> Told:
    """Return what a decision names to the dealer about wagers that do not fit any more."""
    return [
        (one.rule, one.what.removesuffix(": reject it, or have it changed"))
        for one in decision.outcomes
        if isinstance(one, Prompted) and one.what.endswith(": reject it, or have it changed")
    ]


def played(decision: Decision) -> Told:
    """Return what a decision flags as played though it does not fit."""
    return [
        (one.rule, one.what.removesuffix("; it was not rejected and is played"))
        for one in decision.outcomes
        if isinstance(one, Flagged) and one.what.endswith("; it was not rejected and is played")
    ]


def close_wagers(tale: Tale) -> None:
    """Call "no more bets" where somebody wagers and it was not called."""
    if tale.state.play.boxes and not tale.state.play.no_more_bets:
        tale.ask(NoMoreBets())


def raised_minimum() -> tuple[Tale, Decision]:
    tale = Tale()
    at(tale, 0, ShowNotice(2000))
    tale.wager(1, "ann", 1000)
    tale.wager(2, "bob", 2000)
    return tale, at(tale, 20, SetLimits(2000, 100_000))


def lowered_maximum() -> tuple[Tale, Decision]:
    tale = Tale()
    tale.wager(1, "ann", 6000)
    tale.wager(2, "bob", 5000)
    return tale, tale.ask(SetLimits(500, 5000), SUPERVISOR)


def a_unit() -> tuple[Tale, Decision]:
    tale = Tale()
    tale.wager(1, "ann", 1700)
    tale.wager(2, "bob", 1500)
    return tale, tale.ask(SetLimits(500, 100_000, 500), SUPERVISOR)


def own_limits() -> tuple[Tale, Decision]:
    tale = Tale()
    tale.wager(1, "ann", 1000)
    tale.wager(2, "bob", 1000)
    return tale, tale.ask(SetOwnLimits("ann", 10_000, 500_000), SUPERVISOR)


def own_limits_end() -> tuple[Tale, Decision]:
    tale = Tale()
    tale.ask(SetOwnLimits("ann", 10_000, 500_000), SUPERVISOR)
    tale.wager(1, "ann", 400_000)
    tale.wager(2, "bob", 1000)
    return tale, tale.ask(EndOwnLimits("ann"), SUPERVISOR)


def restricted(to: Limit, game: Game = BLACKJACK, by: str = DUTY_MANAGER) -> tuple[Tale, Decision]:
    """Restrict bob, who missed the first round and has $10 on box 2 and $5 on box 3."""
    tale = Tale(game)
    play_round(tale, "ann")
    tale.wager(1, "ann", 1000)
    tale.wager(2, "bob", 1000)
    tale.wager(3, "bob", 500)
    return tale, tale.ask(Restrict("bob", to), by)


def held_to_the_minimum() -> tuple[Tale, Decision]:
    return restricted("minimum", by=SUPERVISOR)


def held_in_further_shoes() -> tuple[Tale, Decision]:
    tale, told = restricted("further-shoes")
    assert named(told) == [], "it waits for the inspector"
    return tale, tale.ask(InspectorNotified("bob"), DUTY_MANAGER)


def held_to_one_box() -> tuple[Tale, Decision]:
    tale, told = restricted("one-box")
    assert named(told) == [], "it waits for the inspector"
    return tale, tale.ask(InspectorNotified("bob"), DUTY_MANAGER)


def held_at_a_new_zealand_table() -> tuple[Tale, Decision]:
    return restricted("minimum", NZ, SUPERVISOR)


def reserved() -> tuple[Tale, Decision]:
    tale = Tale()
    tale.wager(1, "ann")
    tale.wager(2, "bob")
    tale.ask(NoMoreBets())
    return tale, tale.ask(Reserve("ann", (1, 2)), SUPERVISOR)


def fewer_on_a_box() -> tuple[Tale, Decision]:
    tale = Tale()
    for player in ("ann", "bob", "cam"):
        tale.wager(1, player)
    tale.wager(2, "dan")
    return tale, tale.ask(SetMostPlayers(2, 1), SUPERVISOR)


def fewer_on_every_box() -> tuple[Tale, Decision]:
    tale = Tale()
    for player in ("ann", "bob"):
        tale.wager(1, player)
    return tale, tale.ask(SetMostPlayers(1), SUPERVISOR)


def another_configuration() -> tuple[Tale, Decision]:
    tale = Tale()
    tale.wager(1, "ann", 1000)
    tale.wager(2, "bob", 2000)
    told = tale.take(started(build("blackjack-nsw", {"minimum": "20"})))
    tale.ask(ConfirmLayout())
    return tale, told


CHANGES: tuple[tuple[Callable[[], tuple[Tale, Decision]], Told], ...] = (
    (raised_minimum, [("6.2", "ann's $10 on box 1 is outside $20 to $1,000")]),
    (lowered_maximum, [("6.2", "ann's $60 on box 1 is outside $5 to $50")]),
    (a_unit, [("6.1", "ann's $17 on box 1 is not $5 and a multiple of $5")]),
    (own_limits, [("6.2", "ann's $10 on box 1 is outside $100 to $5,000")]),
    (own_limits_end, [("6.2", "ann's $4,000 on box 1 is outside $5 to $1,000")]),
    (held_to_the_minimum, [("5.10", "bob's wager on box 2 is not the minimum of $5")]),
    (held_in_further_shoes, [("5.11", "bob's wager on box 2 is not the minimum of $5")]),
    (
        held_to_one_box,
        [
            ("5.12", "bob's wager on box 2 is not the minimum of $5"),
            ("5.12", "bob is limited to one box and plays boxes 2 and 3"),
        ],
    ),
    (
        held_at_a_new_zealand_table,
        [("nz:5.8(a)", "bob's wager on box 2 is not the minimum of $5")],
    ),
    (reserved, [("5.13", "bob wagers on box 2, which is reserved for ann")]),
    (fewer_on_a_box, [("5.4", "cam is one too many on box 1: at most 2 to wager")]),
    (fewer_on_every_box, [("5.4", "bob is one too many on box 1: at most 1 to wager")]),
    (another_configuration, [("6.2", "ann's $10 on box 1 is outside $20 to $1,000")]),
)
"""How something is altered while wagers lie, and what is named then."""


def every_change(function: Callable[..., None]) -> Callable[..., None]:
    """Give the test each change with what is named by it."""
    mark = pytest.mark.parametrize(("change", "told"), CHANGES, ids=lambda one: _name(one))
    return mark(function)


def _name(one: object) -> str:
    return getattr(one, "__name__", "")


@every_change
def test_6_2_5_4_5_10_5_11_5_12_5_13_a_wager_that_no_longer_fits_is_named_at_once(
    change: Callable[[], tuple[Tale, Decision]], told: Told
) -> None:
    tale, decision = change()
    assert named(decision) == told
    for _, what in told:
        assert what in view(tale.state)["next"], "until the first card the dealer sees it"


@every_change
def test_6_2_and_it_is_flagged_if_it_is_played(
    change: Callable[[], tuple[Tale, Decision]], told: Told
) -> None:
    tale, _ = change()
    close_wagers(tale)
    assert played(tale.deal("TS")) == told
    assert played(tale.deal("TH")) == [], "once"
    assert "reject" not in view(tale.state)["next"]


@every_change
def test_6_2_what_was_rejected_is_not_played(
    change: Callable[[], tuple[Tale, Decision]], told: Told
) -> None:
    tale, _ = change()
    rules = {rule for rule, _ in told}
    while misfits := list(found(tale.state)):
        rejected = tale.ask(Reject(misfits[-1].box, misfits[-1].player))
        accepted = rejected.outcomes[0]
        assert isinstance(accepted, Accepted)
        assert {accepted.rule} <= {rule.replace("6.1", "6.2") for rule in rules}
    close_wagers(tale)
    assert played(tale.deal("TS")) == []


def test_6_2_what_fits_again_is_not_flagged() -> None:
    tale, _ = lowered_maximum()
    tale.wager(1, "ann", 4000)
    assert played(tale.deal("TS")) == []
    tale, _ = lowered_maximum()
    tale.ask(SetLimits(500, 6000), SUPERVISOR)
    assert "reject" not in view(tale.state)["next"]
    assert played(tale.deal("TS")) == []
    tale, _ = lowered_maximum()
    tale.ask(Withdraw(1, "ann"))
    assert played(tale.deal("TS")) == []
    tale, _ = fewer_on_a_box()
    tale.ask(Withdraw(1, "ann"))
    assert played(tale.deal("TS")) == []
    tale, _ = reserved()
    tale.ask(Release((2,)), SUPERVISOR)
    assert played(tale.deal("TS")) == []
    tale, _ = held_to_the_minimum()
    tale.ask(Lift("bob"), SUPERVISOR)
    assert played(tale.deal("TS")) == []
    tale, _ = held_to_the_minimum()
    tale.ask(NewShoe())  # the restriction ends with the reshuffle (5.10)
    tale.deal("2S")
    assert played(tale.deal("TS")) == []


def test_6_2_it_is_named_once_and_again_only_by_another_clause() -> None:
    tale, _ = lowered_maximum()
    assert named(tale.ask(SetLimits(500, 4000), SUPERVISOR)) == [
        ("6.2", "bob's $50 on box 2 is outside $5 to $40")
    ]
    assert [what for _, what in played(tale.deal("TS"))] == [
        "ann's $60 on box 1 is outside $5 to $40",
        "bob's $50 on box 2 is outside $5 to $40",
    ]


def test_6_2_a_wager_placed_outside_the_limits_is_flagged_when_it_is_placed_and_not_named() -> None:
    tale = Tale()
    assert list(flags(tale.wager(1, "ann", 200_000))) == ["6.2"]
    assert named(tale.wager(2, "bob", 1000)) == []
    assert named(tale.ask(SetLimits(500, 90_000), SUPERVISOR)) == []
    assert played(tale.deal("TS")) == []


def test_6_2_limits_that_change_after_the_first_card_leave_the_wagers_alone() -> None:
    tale = Tale()
    tale.wager(1, "ann", 6000)
    tale.deal("TS")
    told = tale.ask(SetLimits(500, 5000), SUPERVISOR)
    assert (named(told), flags(told)) == ([], {})
    assert flags(tale.deal("9D")) == {}


def test_6_2_with_the_first_card_taken_back_the_wagers_are_judged_by_the_limits_now() -> None:
    tale = Tale()
    tale.wager(1, "ann", 6000)
    tale.deal("TS")
    tale.ask(SetLimits(500, 5000), SUPERVISOR)
    assert [rule for rule, _ in named(tale.ask(TakeBack()))] == ["6.2"]


def test_6_2_a_box_followed_in_odds_fits_whatever_the_limits_are() -> None:
    tale = Tale()
    tale.ask(Wager(box=1, player="ann"))
    assert named(tale.ask(SetLimits(100, 200), SUPERVISOR)) == []
    assert played(tale.deal("TS")) == []


def test_6_2_the_next_round_begins_without() -> None:
    tale, _ = lowered_maximum()
    tale.ask(NoMoreBets())
    tale.deal("KS KH 9D QS QH")
    tale.pedal()
    tale.pedal()
    tale.deal("JD")
    tale.pedal()
    assert tale.state.house.named == ()
    assert "reject" not in view(tale.state)["next"]
