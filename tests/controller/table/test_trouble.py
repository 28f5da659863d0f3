"""Devices that come and go, a layout in doubt, and faults of the program itself."""

import msgspec
import pytest

from controller.cards import Card
from controller.events import (
    CardOut,
    CardsInDoubt,
    ConfirmLayout,
    DeviceCleared,
    DeviceFault,
    DeviceLost,
    DeviceOnline,
    DeviceReports,
    DeviceRestarted,
    EnterCard,
    Resume,
)
from controller.game.moves import Stand
from controller.outcomes import Undecided
from controller.table.decide import decide
from controller.table.view import is_complete, view
from tests.controller.table.tale import (
    BLACKJACK,
    DEVICES,
    Tale,
    dealt,
    kinds,
    refused,
    started,
)


def test_after_a_start_the_layout_is_in_doubt_until_it_is_confirmed() -> None:
    tale = dealt("TS 9D 9S")
    assert kinds(tale.take(started(BLACKJACK))) == ["LayoutInDoubt"]
    for name in DEVICES:
        tale.take(DeviceOnline(device=name, port="test"))
    assert refused(tale.ask(Stand())) == "16.6"
    assert tale.state.play.boxes[0].hands[0].stood is False
    assert kinds(tale.ask(ConfirmLayout())) == ["Accepted"]
    assert kinds(tale.ask(Stand())) == ["Accepted", "Reached"]


def test_nothing_is_confirmed_that_is_not_in_doubt() -> None:
    assert refused(Tale().ask(ConfirmLayout())) == "16.6"


def test_trouble_is_of_the_unit_that_is_there() -> None:
    """One behind a converter is exchanged: no link is lost, the other one says that it starts."""
    tale = Tale()
    tale.take(DeviceFault(device="shoe", code="error-7", text="It is jammed."))
    assert tale.state.devices["shoe"].trouble == "It is jammed."
    tale.take(DeviceRestarted(device="shoe"))
    assert tale.state.devices["shoe"].trouble == ""


@pytest.mark.parametrize(("identity", "trouble"), [("SN-1 1.0", True), ("SN-2 1.0", False)])
def test_what_one_unit_reported_is_not_another_units_trouble(identity: str, trouble: bool) -> None:
    tale = Tale()
    tale.take(DeviceOnline(device="shoe", port="test", identity="SN-1 1.0"))
    tale.take(DeviceReports(device="shoe", state="jam", detail="a card is stuck"))
    assert tale.state.devices["shoe"].trouble
    tale.take(DeviceLost(device="shoe", why="unplugged"))
    tale.take(DeviceOnline(device="shoe", port="test", identity=identity))
    assert bool(tale.state.devices["shoe"].trouble) is trouble
    assert bool(tale.state.devices["shoe"].fault) is trouble


GAPS = {
    "the shoe was away": [
        DeviceLost(device="shoe", why="unplugged"), DeviceOnline(device="shoe", port="test"),
    ],
    "the shoe started again": [DeviceRestarted(device="shoe")],
    "messages were lost": [CardsInDoubt(device="shoe", why="messages of the shoe were lost")],
}  # fmt: skip


@pytest.mark.parametrize("gap", GAPS.values(), ids=GAPS)
def test_a_gap_in_a_card_source_puts_the_layout_in_doubt(gap: list[DeviceLost]) -> None:
    tale = dealt("TS 9D 9S")
    for event in gap:
        last = tale.take(event)
    assert kinds(last) == ["LayoutInDoubt"]
    assert view(tale.state)["in_doubt"]
    assert view(tale.state)["go_on"] == {"do": "confirm-layout"}
    tale.pedal()
    assert not view(tale.state)["in_doubt"]


@pytest.mark.parametrize("device", ["pedal", "keys"])
def test_a_gap_in_another_device_does_not(device: str) -> None:
    tale = dealt("TS 9D 9S")
    tale.take(DeviceLost(device=device, why="unplugged"))
    assert view(tale.state)["devices"][device]["trouble"] == "unplugged"
    assert kinds(tale.take(DeviceOnline(device=device, port="test"))) == []
    assert kinds(tale.take(DeviceRestarted(device=device))) == []
    assert not tale.state.in_doubt


def test_cards_that_come_while_the_layout_is_in_doubt_are_dealt_all_the_same() -> None:
    tale = dealt("TS 9D")
    tale.take(DeviceRestarted(device="shoe"))
    assert kinds(tale.deal("9S")) == ["Dealt", "Reached"]


def test_a_fault_is_kept_with_its_device_until_it_is_cleared() -> None:
    tale = Tale()
    tale.take(DeviceFault(device="shoe", code="jam", text="a card is stuck"))
    assert view(tale.state)["devices"]["shoe"]["trouble"] == "a card is stuck"
    tale.take(DeviceCleared(device="shoe", code="jam"))
    assert not view(tale.state)["devices"]["shoe"]["trouble"]


def test_3_5_cards_are_entered_only_where_the_shoe_does_not_tell_them() -> None:
    tale = dealt("TS 9D")
    assert refused(tale.ask(EnterCard(Card("9S")))) == "3.5"
    tale.take(DeviceLost(device="shoe", why="unplugged"))
    assert kinds(tale.ask(EnterCard(Card("9S")))) == ["Dealt", "Reached"]
    tale.take(DeviceOnline(device="shoe", port="test"))
    assert kinds(tale.ask(EnterCard(Card("2S")))) == ["Dealt", "Reached"], "pulled meanwhile"
    tale.ask(ConfirmLayout())
    assert refused(tale.ask(EnterCard(Card("3S")))) == "3.5"


# --- a fault of this program ----------------------------------------------------------------------

BROKEN = CardOut(device="shoe", card=Card("1Z"))
"""No driver tells such a card: deciding it is a fault of the program."""


def test_a_fault_of_the_program_suspends_the_round_and_loses_nothing() -> None:
    tale = dealt("TS 9D 9S")
    before = tale.state
    (told,) = tale.take(BROKEN).outcomes
    assert isinstance(told, Undecided)
    assert "1Z" in told.error or "KeyError" in told.error
    assert tale.state == msgspec.structs.replace(before, suspended=told.error)
    assert view(tale.state)["next"].startswith("Stop. The round is suspended")
    assert not is_complete(view(tale.state))


def test_16_6_a_suspended_round_takes_no_decision_until_a_supervisor_lets_it_go_on() -> None:
    tale = dealt("TS 9D 9S")
    tale.take(BROKEN)
    assert refused(tale.ask(Stand())) == "16.6"
    assert kinds(tale.ask(Resume(), by="casino-supervisor")) == ["Accepted", "LayoutInDoubt"]
    tale.ask(ConfirmLayout())
    assert kinds(tale.ask(Stand())) == ["Accepted", "Reached"]


def test_nothing_is_resumed_that_is_not_suspended() -> None:
    assert refused(Tale().ask(Resume(), by="casino-supervisor")) == "16.6"


def test_the_first_event_of_a_table_may_not_fail_silently() -> None:
    with pytest.raises(ValueError, match="begins with Started"):
        decide(None, BROKEN)
