"""Cables are pulled and put back in while the PC runs, and not always where they were."""

from pathlib import Path

from tests.pc.table import NAMES, SOCKETS, Table


def again(table: Table, *names: str) -> None:
    """Pull devices and plug them in again; what lies on the table stays."""
    lay = table.lies()
    table.unplug(*names)
    table.until_gone(*names)
    table.plug(*names)
    table.until_online(*names)
    assert table.lies() == lay
    table.as_shown()


def test_devices_are_pulled_and_put_back_in_every_phase_of_a_round(
    table: Table, folder: Path
) -> None:
    table.plug(*NAMES)
    table.until_online(*NAMES)
    again(table, *NAMES)
    table.must("wager", box=2, player="ann", main=1000)
    again(table, *NAMES)
    table.must("no-more-bets")
    again(table, *NAMES)
    table.draw("KS")
    again(table, *NAMES)
    table.draw("9H", "5D")
    table.watch.until(lambda view: view["turn"] == {"box": 2, "hand": 1}, "ann is in turn")
    again(table, *NAMES)
    table.must("stand")
    again(table, *NAMES)
    table.draw("8C")
    view = table.watch.until(lambda view: view["state"] == "final settlement", "it is over")
    assert [(row["player"], row["result"]) for row in view["settlements"]] == [("ann", "lose")]
    again(table, *NAMES)
    table.must("cleared")
    again(table, *NAMES)
    table.recorded(folder / "record")


def test_a_line_is_found_by_its_socket_whatever_its_number(table: Table) -> None:
    def number(name: str) -> str:
        return table.pc.sh(f"readlink -f /dev/tablekeeper/*usb-0:{SOCKETS[name]}:1.0").strip()

    shoe, buttons = table.devices.unit("shoe"), table.devices.on_ftdi("buttons")
    table.plug_unit(SOCKETS["shoe"], shoe)
    table.until_online("shoe")
    table.plug_unit(SOCKETS["buttons"], buttons)
    table.until_online("buttons")
    assert (number("shoe"), number("buttons")) == ("/dev/ttyUSB0", "/dev/ttyUSB1")

    table.unplug("shoe", "buttons")
    table.until_gone("shoe", "buttons")
    table.plug_unit(SOCKETS["buttons"], buttons)
    table.until_online("buttons")
    table.plug_unit(SOCKETS["shoe"], shoe)
    table.until_online("shoe")
    assert (number("buttons"), number("shoe")) == ("/dev/ttyUSB0", "/dev/ttyUSB1")
    table.as_shown()
    table.deal()
    table.devices.hands.ask("press", device="buttons", control="surrender-9")
    table.watch.event("pressed")
    table.finish()


def test_a_wrong_unit_in_the_right_socket_is_told_and_plays_nothing(table: Table) -> None:
    table.plug("shoe")
    table.deal()
    lay = table.lies()
    table.unplug("shoe")
    table.until_gone("shoe")
    table.plug_unit(SOCKETS["shoe"], table.devices.on_ftdi("buttons"))
    table.devices.hands.ask("press", device="buttons", control="surrender-2")
    view = table.watch.until(
        lambda view: view["devices"]["shoe"]["trouble"] or not view["devices"]["shoe"]["online"],
        "the wrong unit is told",
    )
    assert table.lies() == lay
    table.unplug("shoe")
    table.plug("shoe")
    table.until_online("shoe")
    assert table.lies() == lay
    table.finish()
    assert view
