"""A serial device's life over real ptys."""

import os
import time
import tty
from dataclasses import replace

import pytest

from drivers import angel_eye
from drivers.angel_eye import AngelEyeCodec
from drivers.angel_eye_wire import report
from drivers.backoff import FLAPS
from drivers.commands import LockShoe, UnlockShoe
from drivers.errors import LinkLost, LocalProtocolError
from drivers.events import CardOut, Fault, Gap, LockState, Lost, Online
from drivers.registry import BUILT_IN
from drivers.simulated.pty_end import PtyEnd
from drivers.simulated.refused import Refused
from drivers.spoiled import MOST_IN_A_ROW, NOT_UNDERSTOOD, NOTHING_YET

CARD = report("1", "D", b"\x81\xb8")
NEXT = report("2", "D", b"\x81\xc1")


def test_cards_are_told_in_order_after_online(bench, watching) -> None:
    async def story(watch) -> None:
        shoe = watch.attend("shoe", "angel-eye", bench.port("shoe"))
        assert shoe.health().state == "waiting"
        await watch.count("shoe", Online)
        for card in ("7S", "??", "TD"):
            bench.ask("draw", device="shoe", card=card)
        await watch.count("shoe", CardOut, 3)
        await watch.until(lambda: shoe.health().counters["frames"] == 9, "all copies are heard")

        assert watch.of("shoe")[0] == Online(bench.port("shoe"), "angel-eye", "")
        assert watch.cards("shoe") == ["7S", None, "TD"]
        health = shoe.health()
        assert (health.state, health.reconnects) == ("online", 0)
        assert (health.counters["frames"], health.counters["duplicates"]) == (9, 6)

    watching(story)


def test_an_unplug_is_one_lost_and_a_new_node_one_online(bench, watching) -> None:
    async def story(watch) -> None:
        shoe = watch.attend("shoe", "angel-eye", bench.port("shoe"))
        await watch.count("shoe", Online)
        bench.ask("draw", device="shoe", card="7S")
        await watch.count("shoe", CardOut)
        bench.ask("unplug", device="shoe")
        (lost,) = await watch.count("shoe", Lost)
        assert bench.port("shoe") in lost.why
        bench.ask("draw", device="shoe", card="8S")
        await watch.a_moment(0.7)
        assert shoe.health().state == "lost"
        assert "is not there" in shoe.health().detail or "node is gone" in shoe.health().detail

        plugged_at = time.monotonic()
        bench.ask("plug", device="shoe")
        await watch.count("shoe", Online, 2)
        assert time.monotonic() - plugged_at < 1.0
        bench.ask("draw", device="shoe", card="9S")
        await watch.count("shoe", CardOut, 2)

        assert watch.kinds("shoe") == ["Online", "CardOut", "Lost", "Online", "CardOut"]
        assert watch.cards("shoe") == ["7S", "9S"]
        assert shoe.health().reconnects == 1

    watching(story)


def test_an_unplug_between_any_two_bytes_is_one_lost_and_no_wrong_card(tmp_path, watching) -> None:
    stream = CARD * 3

    async def story(watch) -> None:
        ends = {f"shoe-{cut}": PtyEnd(tmp_path / f"{cut}", print) for cut in range(len(stream) + 1)}
        for cut, (name, end) in enumerate(ends.items()):
            end.plug()
            watch.attend(name, "angel-eye", str(tmp_path / f"{cut}"))
        for cut, (name, end) in enumerate(ends.items()):
            await watch.count(name, Online)
            end.send([stream[:cut]])
            if cut >= len(CARD):
                await watch.count(name, CardOut)
            end.unplug()
        for name, end in ends.items():
            await watch.count(name, Lost)
            end.plug()
        for name, end in ends.items():
            await watch.count(name, Online, 2)
            end.send([NEXT])
        await watch.until(lambda: all("AH" in watch.cards(name) for name in ends), "the next card")
        for cut, (name, end) in enumerate(ends.items()):
            told = ["Online", *["CardOut"] * (cut >= len(CARD)), "Lost", "Online", "CardOut"]
            assert watch.kinds(name) == told, cut
            end.unplug()

    watching(story)


def test_a_device_that_comes_later_is_waited_for_in_silence(bench, watching) -> None:
    async def story(watch) -> None:
        bench.ask("unplug", device="shoe")
        shoe = watch.attend("shoe", "angel-eye", bench.port("shoe"))
        await watch.until(lambda: shoe.health().detail != "", "a reason")
        await watch.a_moment(0.5)
        assert watch.told == []
        assert shoe.health().state == "waiting"
        assert "is the device plugged in" in shoe.health().detail

        bench.ask("plug", device="shoe")
        await watch.count("shoe", Online)
        assert shoe.health().reconnects == 0

    watching(story)


def test_a_line_in_use_is_waited_for_and_told(bench, watching) -> None:
    async def story(watch) -> None:
        first = watch.attend("shoe", "angel-eye", bench.port("shoe"))
        await watch.count("shoe", Online)
        second = watch.attend("double", "angel-eye", bench.port("shoe"))
        await watch.until(lambda: "in use by" in second.health().detail, "in use")

        assert second.health().state == "waiting"
        assert first.health().state == "online"
        assert watch.of("double") == []

    watching(story)


def test_a_flood_of_garbage_is_counted_and_cards_come_through(bench, watching) -> None:
    junk = bytes([0x05, 0x31, 0x44, 0x03, 0x30, 0x15, 0x06, 0x02, 0x81, 0xFF]) * 50

    async def story(watch) -> None:
        shoe = watch.attend("shoe", "angel-eye", bench.port("shoe"))
        await watch.count("shoe", Online)
        for number in range(40):
            skipped = shoe.health().counters["bytes_skipped"]
            bench.ask("raw", device="shoe", hex=junk.hex())
            # What a host leaves unread for too long is lost, cards and all.
            await watch.until(
                lambda: shoe.health().counters["bytes_skipped"] > skipped + 200,  # noqa: B023
                "the junk is read",
            )
            if number % 10 == 0:
                bench.ask("draw", device="shoe", card="7S")
        await watch.count("shoe", CardOut, 4)

        # A card may have been among the junk: that is asked, and no card comes of it.
        assert watch.cards("shoe") == ["7S"] * 4
        kinds = watch.kinds("shoe")
        assert set(kinds) <= {"Online", "CardOut", "Gap", "Fault", "FaultCleared"}
        assert kinds.count("Gap") <= 4 * (MOST_IN_A_ROW + 1)
        counters = shoe.health().counters
        assert counters["bytes_skipped"] > 5000
        assert counters["bad_frame"] + counters["bad_check"] > 100

    watching(story)


@pytest.mark.parametrize(
    ("switch", "value"),
    [("fragment", 1), ("merge", 3), ("drop", 3), ("flip", 30), ("junk", "41 54 0d 00 05")],
)
def test_a_bad_cable_loses_no_card(bench, watching, switch, value) -> None:
    async def story(watch) -> None:
        watch.attend("shoe", "angel-eye", bench.port("shoe"))
        await watch.count("shoe", Online)
        for card in ("7S", "8S", "9S"):
            bench.ask("switch", device="shoe", name=switch, value=value)
            bench.ask("draw", device="shoe", card=card)
        await watch.count("shoe", CardOut, 3)

        assert watch.kinds("shoe") == ["Online", *["CardOut"] * 3]
        assert watch.cards("shoe") == ["7S", "8S", "9S"]

    watching(story)


def test_a_card_whose_copies_are_all_damaged_shows_as_a_gap(bench, watching) -> None:
    async def story(watch) -> None:
        watch.attend("shoe", "angel-eye", bench.port("shoe"))
        await watch.count("shoe", Online)
        bench.ask("draw", device="shoe", card="7S")
        bench.ask("switch", device="shoe", name="wrong-check", value=True)
        bench.ask("draw", device="shoe", card="8S")
        bench.ask("switch", device="shoe", name="wrong-check", value=False)
        bench.ask("draw", device="shoe", card="9S")
        await watch.count("shoe", CardOut, 2)

        assert watch.kinds("shoe") == ["Online", "CardOut", "Gap", "CardOut"]

    watching(story)


def test_garbage_in_place_of_a_card_is_told_though_no_other_card_comes(bench, watching) -> None:
    async def story(watch) -> None:
        shoe = watch.attend("shoe", "angel-eye", bench.port("shoe"))
        await watch.count("shoe", Online)
        bench.ask("draw", device="shoe", card="7S")
        await watch.count("shoe", CardOut)
        bench.ask("switch", device="shoe", name="wrong-check", value=True)
        bench.ask("draw", device="shoe", card="8S")
        bench.ask("switch", device="shoe", name="wrong-check", value=False)
        await watch.count("shoe", Gap)
        assert shoe.health().state == "online"

        bench.ask("draw", device="shoe", card="9S")
        await watch.count("shoe", CardOut, 2)
        assert watch.kinds("shoe") == ["Online", "CardOut", "Gap", "CardOut"]

    watching(story)


def test_garbage_is_no_sign_of_a_device(bench, watching) -> None:
    async def story(watch) -> None:
        shoe = watch.attend("shoe", "angel-eye", bench.port("shoe"))
        await watch.count("shoe", Online)
        for loss in range(1, MOST_IN_A_ROW + 1):
            bench.ask("raw", device="shoe", hex=b"[Game]<Card:4S> ".hex())
            await watch.count("shoe", Gap, loss)
        (fault,) = await watch.count("shoe", Fault)
        assert fault.code == NOT_UNDERSTOOD
        await watch.until(lambda: shoe.health().state == "quiet", "it is not well")
        assert shoe.health().detail == fault.text

        bench.ask("draw", device="shoe", card="7S")
        await watch.count("shoe", CardOut)
        assert watch.kinds("shoe")[-2:] == ["FaultCleared", "CardOut"]
        assert (shoe.health().state, shoe.health().detail) == ("online", "")

    watching(story)


@pytest.mark.parametrize(
    "garbage", [b"\xf8\x80", b"garbage of another unit \r\n"], ids=["another speed", "another unit"]
)
@pytest.mark.parametrize(
    "driver", [name for name, one in sorted(BUILT_IN.items()) if "serial" in one.ports]
)
def test_bytes_that_are_no_message_of_the_devices_are_told(
    watching, driver: str, garbage: bytes
) -> None:
    ours, theirs = os.openpty()
    tty.setraw(theirs)

    async def story(watch) -> None:
        device = watch.attend("device", driver, os.ttyname(theirs))

        def is_told() -> bool:
            os.write(ours, garbage)
            return NOTHING_YET in device.health().detail

        await watch.until(is_told, "it is told")
        assert device.health().state in {"quiet", "waiting"}

    watching(story)
    os.close(theirs)
    os.close(ours)


def test_commands_are_sent_and_their_effect_is_told(bench, watching) -> None:
    async def story(watch) -> None:
        shoe = watch.attend("shoe", "angel-eye", bench.port("shoe"), commands=True)
        with pytest.raises(LinkLost, match="shoe is not connected, LockShoe not sent"):
            await shoe.send(LockShoe())
        await watch.count("shoe", Online)
        await shoe.send(LockShoe())
        await watch.count("shoe", LockState)
        with pytest.raises(Refused, match="locked"):
            bench.ask("draw", device="shoe", card="7S")
        await shoe.send(UnlockShoe())
        states = await watch.count("shoe", LockState, 2)

        assert [state.locked for state in states] == [True, False]
        assert shoe.health().counters["acks"] == 2

    watching(story)


def test_commands_are_off_unless_switched_on(bench, watching) -> None:
    async def story(watch) -> None:
        shoe = watch.attend("shoe", "angel-eye", bench.port("shoe"))
        await watch.count("shoe", Online)
        with pytest.raises(LocalProtocolError, match="commands is off"):
            await shoe.send(LockShoe())
        assert watch.kinds("shoe") == ["Online"]

    watching(story)


def test_a_command_that_cannot_leave_ends_the_link(tmp_path, watching) -> None:
    class Longwinded(AngelEyeCodec):
        def encode(self, command, command_id=None) -> bytes:
            return bytes(1 << 20)

    driver = replace(angel_eye.DRIVER, make=Longwinded)
    master, slave = os.openpty()  # and nobody reads

    async def story(watch) -> None:
        shoe = watch.attend("shoe", driver, os.ttyname(slave))
        await watch.count("shoe", Online)
        with pytest.raises(LinkLost, match="Write timeout"):
            await shoe.send(LockShoe())
        (lost,) = await watch.count("shoe", Lost)
        assert "Write timeout" in lost.why

    try:
        watching(story)
    finally:
        os.close(master)
        os.close(slave)


def test_a_quiet_link_is_not_shown_as_well(bench, watching) -> None:
    async def story(watch) -> None:
        driver = replace(angel_eye.DRIVER, quiet_after=0.3)
        shoe = watch.attend("shoe", driver, bench.port("shoe"))
        await watch.count("shoe", Online)
        await watch.until(lambda: shoe.health().state == "quiet", "quiet")
        bench.ask("draw", device="shoe", card="7S")
        await watch.count("shoe", CardOut)
        assert shoe.health().state == "online"

    watching(story)


def test_a_link_that_keeps_breaking_is_told_and_left_alone_longer(tmp_path, watching) -> None:
    end = PtyEnd(tmp_path / "shoe", print)

    async def story(watch) -> None:
        shoe = watch.attend("shoe", "angel-eye", str(tmp_path / "shoe"))
        for loss in range(1, FLAPS + 2):
            end.plug()
            await watch.count("shoe", Online, loss)
            end.unplug()
            await watch.count("shoe", Lost, loss)

        assert f"lost {FLAPS + 1} times lately" in shoe.health().detail
        end.plug()
        plugged_at = time.monotonic()
        await watch.count("shoe", Online, FLAPS + 2)
        assert time.monotonic() - plugged_at > 0.6
        end.unplug()

    watching(story)
