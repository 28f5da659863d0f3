"""Shuffling devices over real ptys, with everything that can go wrong with them."""

import asyncio
import time

import pytest

from drivers.commands import AskState, CancelError
from drivers.errors import LinkLost
from drivers.events import (
    Acknowledged,
    CardOut,
    DeviceState,
    Fault,
    Gap,
    Lost,
    Online,
    Restarted,
)
from drivers.reference_wire import Type, frame
from drivers.simulated.pack import Pack
from drivers.simulated.pty_end import PtyEnd
from drivers.simulated.refused import Refused
from drivers.simulated.shuffler import SimulatedShuffler

CARDS = ["7S", "TD", "AH", "KC"]
GREETING = len(b"".join(SimulatedShuffler(1, "s", Pack()).receive(frame(0, Type.ASK_HELLO))))


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


def states(watch, name) -> list[str]:
    return [event.state for event in watch.of(name) if isinstance(event, DeviceState)]


# --- cards and states -----------------------------------------------------------------------------


def test_a_shuffler_is_online_when_it_has_said_who_it_is(bench, watching) -> None:
    async def story(watch) -> None:
        port = bench.port("shuffler-1")
        watch.attend("shuffler", "reference-shuffler", port)
        await watch.count("shuffler", DeviceState)
        for _ in range(2):
            bench.ask("draw", device="shuffler-1")
        bench.ask("draw", device="shuffler-1", card="??")
        await watch.count("shuffler", CardOut, 3)

        online, ready = watch.of("shuffler")[:2]
        assert online == Online(port, "reference-shuffler", "shuffler shuffler-1 sim-1.0")
        assert (ready.state, ready.cards_inside, ready.colour) == ("ready", 4, "red")
        assert cards(watch, "shuffler") == ["7S", "TD", None]
        assert states(watch, "shuffler") == ["ready", "delivering"]
        status = bench.ask("status")["devices"]["shuffler-1"]
        assert (status["state"], status["left"], status["serial"]) == (
            "delivering",
            1,
            "shuffler-1",
        )

    watching(story)


def test_a_card_is_inside_until_it_is_told_to_be_out(bench, watching) -> None:
    async def story(watch) -> None:
        name = "shuffler-1"
        device = watch.attend(name, "reference-shuffler", bench.port(name))
        await watch.count(name, DeviceState)
        for card in (None, "TD", "2C", "??"):  # the next, another one, one not of the pack, unread
            bench.ask("draw", device=name, card=card)
        await watch.count(name, CardOut, 4)
        bench.ask("load", device=name, cards=CARDS)
        bench.ask("take-out", device=name, number=3)
        await device.send(AskState())
        await watch.count(name, DeviceState, 7)
        bench.ask("take-out", device=name)
        await watch.count(name, DeviceState, 8)

        told = [one for one in watch.of(name) if isinstance(one, DeviceState)]
        assert [(one.state, one.cards_out, one.cards_inside) for one in told] == [
            ("ready", 0, 4),
            ("delivering", 0, 4),
            ("idle", 4, 0),
            ("loading", 4, 4),
            ("shuffling", 4, 4),
            ("ready", 4, 4),
            ("ready", 4, 1),  # what a hand takes out is told when it is asked for
            ("idle", 4, 0),
        ]

    watching(story)


def test_a_device_in_trouble_does_not_notice_that_it_was_emptied(bench, watching) -> None:
    async def story(watch) -> None:
        name = "shuffler-1"
        watch.attend(name, "reference-shuffler", bench.port(name))
        await watch.count(name, DeviceState)
        bench.ask("fault", device=name, code="jam")
        assert bench.ask("take-out", device=name)["sent"] is False
        with pytest.raises(Refused, match="1 cards cannot be taken out of 0"):
            bench.ask("take-out", device=name, number=1)
        bench.ask("clear", device=name, code="jam")
        await watch.count(name, DeviceState, 3)

        told = [one for one in watch.of(name) if isinstance(one, DeviceState)]
        assert [(one.state, one.cards_inside) for one in told] == [
            ("ready", 4),
            ("jam", 4),
            ("idle", 0),
        ]

    watching(story)


@pytest.mark.parametrize(
    ("fault", "more"),
    [
        ("jam", {"retry": 2}),
        ("count-mismatch", {"expected": 416, "got": 415}),
        ("duplicate-card", {"card": "TD"}),
        ("unreadable-card", {}),
        ("damaged-card", {"card": "AH"}),
    ],
)
def test_a_fault_is_told_and_cleared_by_command(bench, watching, fault, more) -> None:
    async def story(watch) -> None:
        name = "multishuffler"
        device = watch.attend(name, f"reference-{name}", bench.port(name), commands=True)
        await watch.count(name, DeviceState)
        bench.ask("fault", device=name, code=fault, **more)
        _, told = await watch.count(name, DeviceState, 2)
        assert told.state == fault
        assert {key: getattr(told, key) for key in more} == more
        with pytest.raises(Refused, match=f"no card leaves while the device is {fault}"):
            bench.ask("draw", device=name)
        await device.send(CancelError(fault), 7)
        await watch.count(name, DeviceState, 3)
        await watch.count(name, Acknowledged)

        assert states(watch, name) == ["ready", fault, "ready"]
        assert bench.ask("draw", device=name)["card"] == "7S"

    watching(story)


@pytest.mark.parametrize("state", ["offline", "loading", "shuffling", "door-open", "service"])
def test_every_other_state_is_told(bench, watching, state) -> None:
    async def story(watch) -> None:
        watch.attend("shuffler", "reference-shuffler", bench.port("shuffler-1"))
        await watch.count("shuffler", DeviceState)
        bench.ask("state", device="shuffler-1", state=state)
        bench.ask("state", device="shuffler-1", state="ready")
        await watch.count("shuffler", DeviceState, 3)
        assert states(watch, "shuffler") == ["ready", state, "ready"]

    watching(story)


def test_a_restart_is_told(bench, watching) -> None:
    async def story(watch) -> None:
        watch.attend("shuffler", "reference-shuffler", bench.port("shuffler-1"))
        await watch.count("shuffler", DeviceState)
        bench.ask("switch", device="shuffler-1", name="reboot", value=True)
        bench.ask("draw", device="shuffler-1")
        await watch.count("shuffler", Restarted)
        await watch.count("shuffler", DeviceState, 2)
        bench.ask("draw", device="shuffler-1")
        await watch.count("shuffler", CardOut)

        assert "Lost" not in watch.kinds("shuffler")

    watching(story)


# --- the right device -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("port", "options", "why"),
    [
        ("multishuffler", {}, "a shuffler is wanted here, but this is multishuffler"),
        ("buttons", {}, "a shuffler is wanted here, but this is buttons buttons"),
        ("shuffler-2", {"serial": "shuffler-1"}, "shuffler shuffler-1 is wanted here, but this is"),
    ],
)
def test_a_wrong_device_is_told_and_not_online(bench, watching, port, options, why) -> None:
    async def story(watch) -> None:
        device = watch.attend("shuffler", "reference-shuffler", bench.port(port), **options)
        (fault,) = await watch.count("shuffler", Fault)
        assert fault.code == "wrong-device"
        assert why in fault.text
        assert device.health().state == "waiting"
        assert device.health().detail == fault.text
        with pytest.raises(LinkLost, match="shuffler is not connected, AskState not sent"):
            await device.send(AskState())
        if port == "shuffler-2":
            bench.ask("draw", device=port)
        await asyncio.sleep(0.5)
        assert watch.kinds("shuffler") == ["Fault"]

    watching(story)


def test_two_swapped_shufflers_are_told_apart_until_they_are_put_right(bench, watching) -> None:
    async def story(watch) -> None:
        for name, serial in (("shuffler-1", "shuffler-2"), ("shuffler-2", "shuffler-1")):
            bench.ask("switch", device=name, name="serial", value=serial)
        for name in ("shuffler-1", "shuffler-2"):
            watch.attend(name, "reference-shuffler", bench.port(name), serial=name)
        for name in ("shuffler-1", "shuffler-2"):
            await watch.count(name, Fault)
            bench.ask("unplug", device=name)
            bench.ask("switch", device=name, name="serial", value=None)
            bench.ask("plug", device=name)
        for name in ("shuffler-1", "shuffler-2"):
            await watch.count(name, DeviceState)
            assert watch.kinds(name) == ["Fault", "Online", "DeviceState"]

    watching(story)


def test_a_port_at_which_nobody_answers_is_waited_at_and_told(bench, watching) -> None:
    async def story(watch) -> None:
        shuffler = watch.attend(
            "shuffler", "reference-shuffler", bench.port("bee-tek-shoe"), silent_ms=500
        )
        await watch.until(lambda: "nothing was heard" in shuffler.health().detail, "silence")
        assert watch.told == []
        assert shuffler.health().state == "waiting"

    watching(story)


# --- losing and finding ---------------------------------------------------------------------------


def test_an_unplug_at_every_moment_of_the_greeting_is_made_up_for(tmp_path, watching) -> None:
    async def story(watch) -> None:
        devices = {}
        for cut in range(GREETING + 1):
            path = tmp_path / f"s{cut}"
            device = SimulatedShuffler(1, "S-1", Pack())
            device.load(CARDS, "blue")
            left = [cut]

            def received(data, device=device, left=left, name=f"s{cut}") -> None:
                answer = b"".join(device.receive(data))
                end = devices[name]
                end.send([answer[: left[0]]])
                left[0] -= len(answer)
                if left[0] <= 0:
                    end.unplug()
                    left[0] = 10_000
                    asyncio.get_running_loop().call_later(0.05, end.plug)

            devices[f"s{cut}"] = PtyEnd(path, received)
            devices[f"s{cut}"].plug()
            watch.attend(f"s{cut}", "reference-shuffler", str(path))
        for name in devices:
            await watch.count(name, DeviceState)
        for name, end in devices.items():
            kinds = watch.kinds(name)
            assert kinds.count("Online") == kinds.count("Lost") + 1, name
            assert kinds[-2:] == ["Online", "DeviceState"], name
            assert set(kinds) <= {"Online", "Lost", "DeviceState"}, name
            end.unplug()

    watching(story)


def test_a_device_that_falls_silent_is_lost_and_found_again(bench, watching) -> None:
    async def story(watch) -> None:
        port = bench.port("shuffler-1")
        watch.attend("shuffler", "reference-shuffler", port, silent_ms=1500)
        await watch.count("shuffler", DeviceState)
        bench.ask("switch", device="shuffler-1", name="silent", value=True)
        (lost,) = await watch.count("shuffler", Lost)
        assert "nothing was heard" in lost.why
        bench.ask("draw", device="shuffler-1")
        bench.ask("switch", device="shuffler-1", name="silent", value=False)
        await watch.count("shuffler", Online, 2)
        state = (await watch.count("shuffler", DeviceState, 2))[-1]
        # How many cards left meanwhile can be seen, and that is all.
        assert (state.cards_out, cards(watch, "shuffler")) == (1, [])

    watching(story)


def test_replugged_under_another_node_its_first_event_comes_within_a_second(
    bench, watching
) -> None:
    async def story(watch) -> None:
        watch.attend("shuffler", "reference-shuffler", bench.port("shuffler-1"))
        await watch.count("shuffler", DeviceState)
        old = (bench.folder / "shuffler-1").resolve()
        with old.open("rb", buffering=0):  # keeps the number of the old node in use
            bench.ask("unplug", device="shuffler-1")
            await watch.count("shuffler", Lost)
            bench.ask("draw", device="shuffler-1")
            plugged_at = time.monotonic()
            bench.ask("plug", device="shuffler-1")
            await watch.count("shuffler", DeviceState, 2)
            took = time.monotonic() - plugged_at
            assert (bench.folder / "shuffler-1").resolve() != old
        assert took < 1.0
        bench.ask("draw", device="shuffler-1")
        await watch.count("shuffler", CardOut)

        kinds = watch.kinds("shuffler")
        assert kinds == ["Online", "DeviceState", "Lost", "Online", "DeviceState", "CardOut"]
        assert cards(watch, "shuffler") == ["TD"]

    watching(story)


@pytest.mark.parametrize("after", [0, 1, 7, 12, 13, 20])
def test_an_unplug_in_the_middle_of_a_card_is_one_lost_and_no_wrong_card(
    bench, watching, after
) -> None:
    async def story(watch) -> None:
        watch.attend("shuffler", "reference-shuffler", bench.port("shuffler-1"))
        await watch.count("shuffler", DeviceState)
        bench.ask("draw", device="shuffler-1")
        await watch.count("shuffler", CardOut)
        bench.ask("switch", device="shuffler-1", name="no-heartbeat", value=True)
        bench.ask("switch", device="shuffler-1", name="unplug-after", value=after)
        bench.ask("draw", device="shuffler-1")
        if after > 12:
            bench.ask("draw", device="shuffler-1")
        await watch.count("shuffler", Lost)
        bench.ask("switch", device="shuffler-1", name="no-heartbeat", value=False)
        bench.ask("plug", device="shuffler-1")
        await watch.count("shuffler", DeviceState, 3)

        assert cards(watch, "shuffler") in (["7S"], ["7S", "TD"])
        assert watch.kinds("shuffler").count("Lost") == 1

    watching(story)


# --- the cable ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("switch", "value"),
    [
        ("fragment", 1),
        ("merge", 2),
        ("duplicate", 3),
        ("junk", "41 54 0d 00 a5 01 00"),
        ("delay", 30),
        ("slow", 2),
        ("echo", True),
        ("seq-skip", 300),
    ],
)
def test_a_cable_that_only_annoys_loses_nothing(bench, watching, switch, value) -> None:
    async def story(watch) -> None:
        bench.ask("switch", device="shuffler-1", name=switch, value=value)
        shuffler = watch.attend("shuffler", "reference-shuffler", bench.port("shuffler-1"))
        await watch.count("shuffler", DeviceState)
        for _ in range(3):
            bench.ask("draw", device="shuffler-1")
        await watch.count("shuffler", CardOut, 3)
        await shuffler.send(AskState(), 1)
        await watch.count("shuffler", Acknowledged)

        assert cards(watch, "shuffler") == ["7S", "TD", "AH"]
        assert "Gap" not in watch.kinds("shuffler")

    watching(story)


@pytest.mark.parametrize(
    ("switch", "value"),
    [("drop", 3), ("flip", 70), ("wrong-check", True), ("length", True), ("reorder", True)],
)
def test_a_cable_that_loses_a_card_is_told_as_a_gap(bench, watching, switch, value) -> None:
    async def story(watch) -> None:
        watch.attend("shuffler", "reference-shuffler", bench.port("shuffler-1"))
        await watch.count("shuffler", DeviceState)
        bench.ask("draw", device="shuffler-1")
        await watch.count("shuffler", CardOut)
        bench.ask("switch", device="shuffler-1", name="no-heartbeat", value=True)
        bench.ask("switch", device="shuffler-1", name=switch, value=value)
        bench.ask("draw", device="shuffler-1")
        if switch == "wrong-check":
            bench.ask("switch", device="shuffler-1", name=switch, value=None)
        bench.ask("draw", device="shuffler-1")
        bench.ask("switch", device="shuffler-1", name="no-heartbeat", value=False)
        await watch.count("shuffler", Gap)

        assert set(cards(watch, "shuffler")) <= {"7S", "TD", "AH"}

    watching(story)


def test_half_a_frame_and_an_unplug(bench, watching) -> None:
    async def story(watch) -> None:
        watch.attend("shuffler", "reference-shuffler", bench.port("shuffler-1"))
        await watch.count("shuffler", DeviceState)
        bench.ask("switch", device="shuffler-1", name="half", value=True)
        bench.ask("draw", device="shuffler-1")
        await watch.count("shuffler", Lost)
        bench.ask("plug", device="shuffler-1")
        await watch.count("shuffler", Online, 2)
        assert cards(watch, "shuffler") == []

    watching(story)
