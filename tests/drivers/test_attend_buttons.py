"""Button boxes, the Bee-Tek shoe and acknowledged commands over real ptys; and all together."""

import asyncio
import time

import pytest

from drivers.commands import Arm, AskState, Eject, Lamps, LockDoor
from drivers.errors import LinkLost, LocalProtocolError
from drivers.events import (
    Acknowledged,
    CardOut,
    DeviceState,
    Fault,
    Lost,
    NotAcknowledged,
    Online,
    Press,
)
from drivers.simulated.refused import Refused

CARDS = ["7S", "TD", "AH", "KC"]


@pytest.fixture
def bench(start_program):
    """A bench of shuffling devices and buttons."""
    devices = "shuffler-1,shuffler-2,multishuffler,buttons,bee-tek-shoe"
    bench = start_program("--devices", devices).wait_until_ready()
    for device in ("shuffler-1", "shuffler-2", "multishuffler"):
        bench.ask("load", device=device, cards=CARDS, colour="red")
    return bench


def cards(watch, name) -> list[str | None]:
    return [event.card for event in watch.of(name) if isinstance(event, CardOut)]


# --- buttons --------------------------------------------------------------------------------------


def test_buttons_lamps_and_the_shared_button(bench, watching) -> None:
    async def story(watch) -> None:
        device = watch.attend("buttons", "reference-buttons", bench.port("buttons"))
        await watch.count("buttons", Online)
        await device.send(Lamps(frozenset({"surrender-3", "jackpot"})), 1)
        await device.send(Arm(5), 2)
        await watch.count("buttons", Acknowledged, 2)
        status = bench.ask("status")["devices"]["buttons"]
        assert (status["lit"], status["armed"]) == (["jackpot", "surrender-3"], 5)
        for button, hold in (("surrender-3", 0.05), ("jackpot", 0.05), ("jackpot-1", 0.8)):
            bench.ask("press", device="buttons", control=button, hold=hold)
        told = await watch.count("buttons", Press, 3)

        assert told == [
            Press("surrender-3", held=False),
            Press("jackpot-5", held=False),
            Press("jackpot-1", held=True),
        ]

    watching(story)


def test_a_button_held_at_the_start_never_fires_and_a_bounce_is_one_press(bench, watching) -> None:
    async def story(watch) -> None:
        bench.ask("down", device="buttons", control="surrender-1")
        watch.attend("buttons", "reference-buttons", bench.port("buttons"), hold_ms=300)
        await watch.count("buttons", Online)
        await asyncio.sleep(0.5)
        bench.ask("up", device="buttons", control="surrender-1")
        bench.ask("switch", device="buttons", name="bounce", value=4)
        bench.ask("press", device="buttons", control="surrender-2")
        await watch.count("buttons", Press)
        await asyncio.sleep(0.2)

        assert watch.of("buttons")[1:] == [Press("surrender-2", held=False)]

    watching(story)


def test_a_press_in_progress_at_an_unplug_is_not_counted(bench, watching) -> None:
    async def story(watch) -> None:
        watch.attend("buttons", "reference-buttons", bench.port("buttons"))
        await watch.count("buttons", Online)
        bench.ask("down", device="buttons", control="surrender-1")
        bench.ask("unplug", device="buttons")
        await watch.count("buttons", Lost)
        bench.ask("up", device="buttons", control="surrender-1")
        bench.ask("plug", device="buttons")
        await watch.count("buttons", Online, 2)
        bench.ask("press", device="buttons", control="surrender-2")
        await watch.count("buttons", Press)

        assert watch.kinds("buttons") == ["Online", "Lost", "Online", "Press"]

    watching(story)


# --- commands -------------------------------------------------------------------------------------


def test_commands_are_acknowledged_over_the_wire(bench, watching) -> None:
    async def story(watch) -> None:
        name = "shuffler"
        device = watch.attend(name, "reference-shuffler", bench.port("shuffler-1"), commands=True)
        with pytest.raises(LinkLost, match="not connected"):
            await device.send(LockDoor(), 1)
        await watch.count(name, DeviceState)
        await device.send(LockDoor(), 2)
        await device.send(Eject(), 3)
        told = await watch.count(name, Acknowledged, 2)
        assert [each.command_id for each in told] == [2, 3]
        bench.ask("switch", device="shuffler-1", name="nak", value=3)
        await device.send(Eject(), 4)
        (refused,) = await watch.count(name, NotAcknowledged)
        assert refused == NotAcknowledged(4, "refused: not in its present state")
        bench.ask("switch", device="shuffler-1", name="deaf", value=True)
        await device.send(Eject(), 5)
        _, unanswered = await watch.count(name, NotAcknowledged, 2)
        assert unanswered == NotAcknowledged(5, "EJECT: no answer")
        assert bench.ask("status")["devices"]["shuffler-1"]["locked"]

    watching(story)


def test_a_busy_device_is_asked_again(bench, watching) -> None:
    async def story(watch) -> None:
        device = watch.attend("shuffler", "reference-shuffler", bench.port("shuffler-1"))
        await watch.count("shuffler", DeviceState)
        bench.ask("switch", device="shuffler-1", name="busy", value=2)
        await device.send(AskState(), 1)
        await watch.count("shuffler", Acknowledged)
        with pytest.raises(LocalProtocolError, match="commands is off"):
            await device.send(Eject(), 2)

    watching(story)


# --- bee-tek, and all together --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("switch", "value"),
    [
        (None, None),
        ("fragment", 1),
        ("merge", 3),
        ("slow", 2),
        ("junk", "41 54 0d"),
        ("echo", True),
    ],
)
def test_the_bee_tek_shoe_over_a_wire(bench, watching, switch, value) -> None:
    async def story(watch) -> None:
        watch.attend("shoe", "bee-tek", bench.port("bee-tek-shoe"))
        await watch.count("shoe", Online)
        if switch:
            bench.ask("switch", device="bee-tek-shoe", name=switch, value=value)
        bench.ask("load", device="bee-tek-shoe", cards=["TH"])
        bench.ask("draw", device="bee-tek-shoe")
        bench.ask("draw", device="bee-tek-shoe", card="??")
        bench.ask("switch", device="bee-tek-shoe", name="burn-cards", value=True)
        bench.ask("draw", device="bee-tek-shoe", card="9C")
        await watch.count("shoe", CardOut, 3)
        assert cards(watch, "shoe") == ["TH", None, "9C"]
        assert watch.kinds("shoe")[1:] == ["CardOut"] * 3

    watching(story)


def test_a_broken_word_is_a_gap_and_an_alarm_is_a_fault(bench, watching) -> None:
    async def story(watch) -> None:
        watch.attend("shoe", "bee-tek", bench.port("bee-tek-shoe"))
        await watch.count("shoe", Online)
        bench.ask("switch", device="bee-tek-shoe", name="drop", value=13)
        bench.ask("draw", device="bee-tek-shoe", card="TH")
        bench.ask("fault", device="bee-tek-shoe", code="alarm-e3")
        await watch.count("shoe", Fault)
        assert watch.kinds("shoe") == ["Online", "Gap", "Fault"]
        with pytest.raises(Refused, match="no check that could be wrong"):
            bench.ask("switch", device="bee-tek-shoe", name="wrong-check", value=True)

    watching(story)


def test_the_loss_of_one_leaves_the_others_running(bench, watching) -> None:
    drivers = {
        "shuffler-1": "reference-shuffler",
        "multishuffler": "reference-multishuffler",
        "buttons": "reference-buttons",
        "bee-tek-shoe": "bee-tek",
    }

    async def story(watch) -> None:
        for name, driver in drivers.items():
            watch.attend(name, driver, bench.port(name))
        for name in drivers:
            await watch.count(name, Online)
        bench.ask("unplug", device="multishuffler")
        await watch.count("multishuffler", Lost)
        bench.ask("draw", device="shuffler-1")
        bench.ask("draw", device="bee-tek-shoe", card="7S")
        bench.ask("press", device="buttons", control="jackpot-1")
        await watch.count("shuffler-1", CardOut)
        await watch.count("bee-tek-shoe", CardOut)
        await watch.count("buttons", Press)
        for name in drivers:
            assert ("Lost" in watch.kinds(name)) == (name == "multishuffler")

    watching(story)


def test_idling_takes_next_to_no_time_of_the_processor(bench, watching) -> None:
    async def story(watch) -> None:
        watch.attend("shuffler", "reference-shuffler", bench.port("shuffler-1"))
        watch.attend("buttons", "reference-buttons", bench.port("buttons"))
        watch.attend("gone", "reference-buttons", bench.port("buttons") + "-2")
        await watch.count("shuffler", DeviceState)
        await watch.count("buttons", Online)
        used = time.process_time()
        await asyncio.sleep(1.0)
        assert time.process_time() - used < 0.06

    watching(story)
