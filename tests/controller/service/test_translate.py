"""What a device says is one event of the table, and a row of the log is one command again."""

from typing import Any, get_args

import pytest

from controller.cards import UNREAD, Card
from controller.events import (
    AnyEvent,
    CardOut,
    CardsInDoubt,
    CommandDone,
    CommandFailed,
    CuttingCardOut,
    DeviceCleared,
    DeviceFault,
    DeviceLost,
    DeviceOnline,
    DeviceReports,
    DeviceRestarted,
    Pressed,
)
from controller.service.translate import command_of, translate
from drivers import events as said
from drivers.commands import Arm, ClearPrize, DeviceCommand, Lamps, ShowPrize

WORDS: list[tuple[said.DeviceEvent, AnyEvent | None]] = [
    (said.CardOut("7S", "1b0d"), CardOut(device="shoe", card=Card("7S"), raw="1b0d")),
    (said.CardOut(None, "1b0d"), CardOut(device="shoe", card=UNREAD, raw="1b0d")),
    (said.CuttingCard("1b"), CuttingCardOut(device="shoe")),
    (said.Press("left", held=True), Pressed(device="shoe", control="left", held=True)),
    (said.Press("left", held=False), Pressed(device="shoe", control="left")),
    (
        said.Online("/dev/ttyUSB0", "angel-eye", "v1"),
        DeviceOnline(device="shoe", port="/dev/ttyUSB0", identity="v1"),
    ),
    (said.Lost("unplugged"), DeviceLost(device="shoe", why="unplugged")),
    (said.Restarted(), DeviceRestarted(device="shoe")),
    (said.StandBy(), None),
    (
        said.Fault("jam", "a card is stuck", "1b"),
        DeviceFault(device="shoe", code="jam", text="a card is stuck"),
    ),
    (said.FaultCleared("jam", "1b"), DeviceCleared(device="shoe", code="jam")),
    (
        said.LockState(locked=True, raw=""),
        DeviceFault(device="shoe", code="locked", text="the shoe has locked itself"),
    ),
    (said.LockState(locked=False, raw=""), DeviceCleared(device="shoe", code="locked")),
    (said.Acknowledged(7), CommandDone(device="shoe", id=7)),
    (
        said.NotAcknowledged(7, "never answered"),
        CommandFailed(device="shoe", id=7, why="never answered"),
    ),
    (
        said.MeterSilent("no answer"),
        DeviceFault(device="shoe", code="silent", text="no answer"),
    ),
    (said.Shown("BOX 1  $25"), DeviceCleared(device="shoe", code="silent")),
    (
        said.DeviceState("jam", "a card is stuck", 290, 22, colour="blue", locked=True),
        DeviceReports(
            device="shoe", state="jam", detail="a card is stuck", cards_inside=290, colour="blue"
        ),
    ),
]
IN_WORDS = (said.Gap(2, ""), said.CardMismatch("7S", "8S", ""), said.Stuck("left"))
"""Their events tell it in a sentence, which is tested beside them."""


@pytest.mark.parametrize(("word", "event"), WORDS, ids=lambda one: type(one).__name__)
def test_a_devices_word_is_one_event_of_the_table(
    word: said.DeviceEvent, event: AnyEvent | None
) -> None:
    assert translate("shoe", word) == event


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        (said.Gap(None, ""), ("shoe", "lost")),
        (said.CardMismatch("7S", "8S", ""), ("shoe", "7S", "8S")),
        (said.CardMismatch(None, None, ""), ("shoe", "a card", "another")),
    ],
)
def test_16_6_what_may_have_hidden_a_card_puts_the_cards_in_doubt(
    word: said.DeviceEvent, parts: tuple[str, ...]
) -> None:
    event = translate("shoe", word)
    assert isinstance(event, CardsInDoubt)
    assert event.device == "shoe"
    assert all(part in event.why for part in parts)


def test_a_button_that_something_lies_on_is_a_fault_of_its_device() -> None:
    event = translate("buttons", said.Stuck("jackpot-1"))
    assert isinstance(event, DeviceFault)
    assert (event.device, event.code) == ("buttons", "stuck")
    assert "jackpot-1 of the buttons" in event.text


def test_every_word_that_a_device_has_is_tried_here() -> None:
    tried = {type(word) for word, _ in WORDS} | {type(word) for word in IN_WORDS}
    assert tried == set(get_args(said.DeviceEvent))


@pytest.mark.parametrize(
    ("what", "command"),
    [
        (
            {"do": "lamps", "lit": ["surrender-1", "jackpot-2"]},
            Lamps(frozenset({"jackpot-2", "surrender-1"})),
        ),
        ({"do": "lamps", "lit": []}, Lamps(frozenset())),
        ({"do": "arm", "box": 3}, Arm(3)),
        ({"do": "arm", "box": None}, Arm(None)),
        ({"do": "show-prize", "text": "BOX 1  $25"}, ShowPrize("BOX 1  $25")),
        ({"do": "clear-prize"}, ClearPrize()),
    ],
)
def test_18_14_6_a_row_of_the_log_is_the_devices_command(
    what: dict[str, Any], command: DeviceCommand
) -> None:
    assert command_of(what) == command
