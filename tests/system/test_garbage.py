"""Garbage on a port: no card, no press, no round comes of it; on a card source it is asked for."""

import random
import select

import pytest

from drivers.angel_eye_wire import ETX, STX
from drivers.spoiled import MOST_IN_A_ROW
from tests.system.processes import eventually
from tests.system.table import Running

FRAMING = [STX, ETX, 0x06, 0x15, 0x3A]
MEGABYTE = 1 << 20
PIECE = 2500
"""Bytes at a time: less than a line keeps for a host that is slow."""


def counters(table: Running, device: str) -> dict[str, int]:
    found: dict[str, int] = table.watch.look()["health"][device]["counters"]
    return found


def say(table: Running, device: str, data: bytes) -> None:
    """Let the device's end of the line say something, at the pace of a host that listens."""
    for at in range(0, len(data), PIECE):
        table.hands.ask("raw", device=device, hex=data[at : at + PIECE].hex())
        table.watch.look()


TOLD = 0.8
"""Seconds after which garbage that has ended has been told."""

ASKED = {"cards-in-doubt", "layout-in-doubt", "device-fault"}
"""What is recorded of garbage on the line of a card source: a card may have been among it."""


def answered(table: Running, before: int) -> None:
    """Let the dealer say that the layout is as shown, when all of the garbage has been told.

    Since row *before* nothing was recorded but that it is asked for, not more than some times.
    """
    eventually(lambda: bool(table.watch.look()["in_doubt"]), "the layout is asked for")
    select.select([], [], [], TOLD)
    kinds = [row["kind"] for row in table.rows() if row["seq"] > before]
    assert set(kinds) <= ASKED
    assert len(kinds) <= 3 * MOST_IN_A_ROW
    table.watch.must("confirm-layout")


def noise(size: int, alphabet: list[int], seed: int) -> bytes:
    return bytes(random.Random(seed).choices(alphabet, k=size))


NOISE = {
    "any bytes": list(range(256)),
    "framing bytes": FRAMING,
    "framing bytes and digits": [*FRAMING, *b"0123456789ABCDEF"],
    "text": list(b"the quick brown fox"),
}


@pytest.mark.parametrize("kind", NOISE)
def test_noise_on_the_shoes_line_is_counted_and_never_a_card(table: Running, kind: str) -> None:
    table.deal()
    layout, before = table.layout(), table.rows()[-1]["seq"]
    skipped = counters(table, "shoe")["bytes_skipped"]
    say(table, "shoe", noise(20_000, NOISE[kind], seed=7))
    eventually(
        lambda: counters(table, "shoe")["bytes_skipped"] > skipped + 1_000, "garbage is counted"
    )

    answered(table, before)
    assert table.layout() == layout
    table.finish()


def test_noise_opens_no_round(table: Running) -> None:
    before = table.rows()[-1]["seq"]
    say(table, "shoe", noise(20_000, NOISE["framing bytes and digits"], seed=8))
    eventually(lambda: counters(table, "shoe")["bytes_skipped"] > 1_000, "garbage is counted")

    answered(table, before)
    assert table.watch.look()["shoe"]["out"] == 0


def test_a_megabyte_of_noise_leaves_the_table_playing(table: Running) -> None:
    table.deal()
    layout, before = table.layout(), table.rows()[-1]["seq"]
    flood = noise(MEGABYTE, list(range(256)), seed=9)
    for at in range(0, MEGABYTE, 100_000):
        table.hands.ask("raw", device="shoe", hex=flood[at : at + 100_000].hex())
        table.watch.look()
    eventually(lambda: counters(table, "shoe")["bytes_skipped"] > 0, "garbage is counted")

    answered(table, before)
    assert table.layout() == layout
    assert table.rows("card-out")[-1]["body"]["card"] == "5D"
    table.finish()


def test_garbage_in_place_of_a_card_is_asked_for_at_once(table: Running) -> None:
    table.deal()
    table.hands.ask("switch", device="shoe", name="wrong-check", value=True)
    table.hands.ask("draw", device="shoe", card="3C")
    table.hands.ask("switch", device="shoe", name="wrong-check", value=None)
    eventually(lambda: bool(table.watch.look()["in_doubt"]), "the layout is asked for")

    # It is not as shown: the card is entered, and then it is.
    table.watch.must("enter-card", card="3C")
    table.watch.must("confirm-layout")
    (box,) = table.watch.look()["boxes"]
    assert box["hands"][0]["cards"] == ["KS", "5D", "3C"]
    table.go_on()
    table.draw("8C")
    assert table.watch.view["dealer"]["cards"] == ["9H", "8C"]
    assert len(table.rows("cards-in-doubt")) == 1


def test_a_card_between_noise_is_a_card_once(table: Running) -> None:
    table.deal()
    table.hands.ask("switch", device="shoe", name="junk", value="0203ff02303a")
    table.draw("3C")
    table.hands.ask("switch", device="shoe", name="junk", value=None)

    (box,) = table.watch.look()["boxes"]
    assert box["hands"][0]["cards"] == ["KS", "5D", "3C"]
    table.go_on()
    table.draw("8C")
    assert table.watch.view["dealer"]["cards"] == ["9H", "8C"]


@pytest.mark.parametrize("switch", ["flip", "drop", "wrong-check"])
def test_a_damaged_frame_is_never_another_card(table: Running, switch: str) -> None:
    table.deal()
    table.hands.ask("switch", device="shoe", name=switch, value=True if "-" in switch else 4)
    table.hands.ask("draw", device="shoe", card="3C")
    table.hands.ask("switch", device="shoe", name=switch, value=None)
    table.hands.ask("tell-again", device="shoe")
    eventually(
        lambda: counters(table, "shoe")["frames"] > 9 or bool(table.rows("cards-in-doubt")),
        "the shoe was heard again",
    )

    assert {row["body"]["card"] for row in table.rows("card-out")} <= {"KS", "9H", "5D", "3C"}


def test_what_is_typed_with_ctrl_or_alt_on_a_keypad_is_no_press(table: Running) -> None:
    table.watch.must("wager", box=2, player="ann", main=1000)
    before = len(table.rows("pressed"))
    ctrl, alt, d, keypad_one = 0x01, 0x04, 0x07, 0x59
    for modifier, key in ((ctrl, d), (alt, keypad_one)):
        for report in (bytes([modifier]), bytes([modifier, 0, key]), bytes([modifier]), b""):
            table.hands.ask("raw", device="keys", hex=report.ljust(8, b"\0").hex())
            select.select([], [], [], 0.06)
    table.press("keys", "3")

    assert [row["body"]["control"] for row in table.rows("pressed")[before:]] == ["3"]


def test_reports_of_any_length_on_a_keypad_press_nothing_and_are_counted(table: Running) -> None:
    table.watch.must("wager", box=2, player="ann", main=1000)
    before = len(table.rows("pressed"))
    for size in (1, 2, 3, 7):
        table.hands.ask("raw", device="keys", hex=noise(size, list(range(256)), size).hex())
    table.hands.ask("switch", device="keys", name="rollover", value=True)
    table.hands.ask("down", device="keys", control="5")
    table.hands.ask("up", device="keys", control="5")
    table.hands.ask("switch", device="keys", name="rollover", value=None)
    table.press("keys", "3")

    assert [row["body"]["control"] for row in table.rows("pressed")[before:]] == ["3"]
    assert sum(counters(table, "keys").values()) > 0
