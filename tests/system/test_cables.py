"""Cables kicked out in the middle of a round, and put back."""

import pytest

from tests.system.table import DRIVERS, Running


def gone(table: Running, device: str) -> None:
    """Pull the cable and wait until the table has noticed."""
    table.hands.ask("unplug", device=device)
    table.watch.event("device-lost")
    assert not table.watch.view["devices"][device]["online"]


def back(table: Running, device: str) -> None:
    """Put the cable back and wait until the device speaks."""
    table.hands.ask("plug", device=device)
    table.watch.event("device-online")
    assert table.watch.view["devices"][device]["online"]


@pytest.mark.parametrize("device", DRIVERS)
def test_a_device_is_lost_and_comes_back_and_the_round_is_still_there(
    table: Running, device: str
) -> None:
    table.deal()
    layout, before = table.layout(), len(table.rows())

    gone(table, device)
    assert table.layout() == layout
    assert table.watch.look()["devices"][device]["trouble"]
    assert table.watch.look()["health"][device]["state"] == "lost"
    back(table, device)

    assert table.layout() == layout
    view = table.watch.look()
    assert view["devices"][device]["trouble"] == ""
    assert view["health"][device]["state"] == "online"
    assert view["health"][device]["reconnects"] == 1
    kinds = [row["kind"] for row in table.rows()[before:]]
    doubt = ["layout-in-doubt"] if device == "shoe" else []
    assert kinds == ["device-lost", "device-online", *doubt]
    if device == "shoe":
        table.go_on()
    table.finish()


def test_after_the_shoe_was_away_nothing_is_played_until_the_layout_is_confirmed(
    table: Running,
) -> None:
    table.deal()
    gone(table, "shoe")
    back(table, "shoe")

    view = table.watch.look()
    assert "shoe was away" in view["in_doubt"]
    assert view["labels"]["pedal.middle"] == "layout is as shown"
    for ask in ("stand", "double"):
        refused = table.watch.ask(ask)
        assert (refused["accepted"], refused["rule"]) == (False, "16.6")
    (confirmed,) = [row for row in table.go_on() if row["kind"] == "accepted"]
    assert confirmed["body"]["what"] == {"do": "confirm-layout"}
    assert table.watch.look()["in_doubt"] == ""
    table.finish()


def test_a_card_drawn_while_the_cable_was_out_is_entered_by_hand(table: Running) -> None:
    table.deal()
    gone(table, "shoe")
    assert table.hands.ask("draw", device="shoe", card="3C")["sent"] is False
    table.watch.must("enter-card", card="3C")
    back(table, "shoe")

    (box,) = table.watch.look()["boxes"]
    assert box["hands"][0]["cards"] == ["KS", "5D", "3C"]
    by_hand = table.rows("card-out", "asked")[-1]
    assert by_hand["body"]["ask"] == {"do": "enter-card", "card": "3C"}
    table.go_on()
    table.go_on()
    table.draw("8C")
    (row,) = table.watch.view["settlements"]
    assert (row["player"], row["result"]) == ("ann", "win")


def test_a_card_may_be_entered_after_the_shoe_is_back_until_the_layout_is_confirmed(
    table: Running,
) -> None:
    table.deal()
    gone(table, "shoe")
    table.hands.ask("draw", device="shoe", card="3C")
    back(table, "shoe")
    table.watch.must("enter-card", card="3C")
    table.go_on()

    refused = table.watch.ask("enter-card", card="4C")
    assert (refused["accepted"], refused["rule"]) == (False, "3.5")
    (box,) = table.watch.look()["boxes"]
    assert box["hands"][0]["total"] == "18"


def test_a_card_that_could_not_be_read_is_entered_and_the_round_goes_on(table: Running) -> None:
    table.deal()
    table.draw("??")
    assert table.watch.look()["unread"] == 1
    table.watch.must("read", card="3C")

    view = table.watch.look()
    assert (view["unread"], view["boxes"][0]["hands"][0]["total"]) == (0, "18")


@pytest.mark.parametrize(
    ("device", "held", "other"), [("pedal", "middle", "left"), ("keys", "D", "E")]
)
def test_a_foot_on_a_pedal_that_goes_is_lifted_and_nothing_is_pressed(
    table: Running, device: str, held: str, other: str
) -> None:
    table.deal()
    layout, before = table.layout(), len(table.rows("pressed"))
    table.hands.ask("down", device=device, control=held)
    gone(table, device)
    back(table, device)
    table.hands.ask("up", device=device, control=held)
    table.press(device, other)

    assert [row["body"]["control"] for row in table.rows("pressed")[before:]] == [other]
    assert table.layout() == layout


def test_all_cables_at_once(table: Running) -> None:
    table.deal()
    layout = table.layout()
    for _ in range(2):
        for device in DRIVERS:
            table.hands.ask("unplug", device=device)
        table.watch.until(
            lambda view: not any(one["online"] for one in view["devices"].values()), "all are gone"
        )
        for device in DRIVERS:
            table.hands.ask("plug", device=device)
        table.until_online(*DRIVERS)

    assert table.layout() == layout
    table.go_on()
    table.finish()


def test_the_controller_and_a_cable_go_together(table: Running) -> None:
    table.deal()
    layout = table.layout()
    table.hands.ask("unplug", device="shoe")
    table.kill()
    table.hands.ask("draw", device="shoe", card="3C")
    table.hands.ask("plug", device="shoe")
    table.start()

    assert table.layout() == layout
    table.watch.must("enter-card", card="3C")
    table.go_on()
    assert table.watch.look()["boxes"][0]["hands"][0]["total"] == "18"
    assert table.watch.look()["in_doubt"] == ""
