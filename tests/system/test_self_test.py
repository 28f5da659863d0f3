"""What a table looks at before it opens, what it says of it, and which devices it uses."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.processes import PROGRAM, eventually, started
from tests.system.table import Running
from tests.system.terminal import Terminal

BUTTONS = '[devices.buttons]\ndriver = "reference-buttons"\nport = "{port}"\nserial = "{serial}"\n'


@pytest.fixture
def buttons(folder: Path) -> Iterator[str]:
    """A button box on a bench of its own; its serial is ``buttons``.  Gives its port."""
    arguments = [*(PROGRAM[0], "-m", "drivers.simulated"), folder / "more", "--devices", "buttons"]
    errors = folder / "more.err"
    with started([*arguments, "--until-stdin-closes"], errors=errors) as bench:
        assert bench.stdout is not None
        ready = json.loads(bench.stdout.readline())
        yield ready["ports"]["buttons"]


def looked_at(table: Running) -> dict[str, tuple[bool, str]]:
    """Return what the view has of the self-test."""
    view = table.watch.look()
    return {one["name"]: (one["ok"], one["words"]) for one in view["self_test"]}


def journal(table: Running) -> list[dict[str, object]]:
    """Return what the journal has of the self-tests."""
    lines = [json.loads(line) for line in table.errors.read_text().splitlines() if line[0] == "{"]
    return [line for line in lines if line["event"] == "self-test"]


def test_a_table_looks_at_itself_before_it_hears_of_anything(table: Running) -> None:
    kinds = [row["kind"] for row in table.rows()]
    assert kinds.index("self-tested") < kinds.index("device-online")
    (row,) = table.rows("self-tested")
    checks = {one["name"]: one for one in row["body"]["checks"]}

    assert list(checks) == ["log", "configuration", "disk", "clock"]
    assert all(one["ok"] for one in checks.values())
    assert checks["log"]["words"] == "new: nothing is recorded yet"
    assert str(table.config) in checks["configuration"]["words"]
    assert str(table.state) in checks["disk"]["words"]
    assert {line["name"] for line in journal(table)} >= checks.keys()


def test_it_is_shown_until_the_first_card(table: Running) -> None:
    assert set(looked_at(table)) == {"log", "configuration", "disk", "clock"}
    with Terminal([*PROGRAM, "watch", "--socket", table.socket]) as terminal:
        terminal.until("✓ log: new", "✓ configuration:", "✓ disk:", "✓ clock:")
        table.deal()
        assert looked_at(table) == {}
        terminal.until("Box 2 has 15")
        terminal.forget()
        table.finish()
        assert "✓ disk" not in terminal.until("Shuffle the cards")
    table.kill()
    table.start()

    assert "events, intact since the last checkpoint" in looked_at(table)["log"][1]


def test_a_changed_configuration_is_told_with_both_digests(table: Running) -> None:
    table.stop()
    table.start()
    (ok, words) = looked_at(table)["configuration"]
    assert ok
    assert words.endswith(", as before")
    before = words.split(": ")[1].split(",")[0]
    table.stop()
    table.config.write_text(table.config.read_text() + "[game]\nminimum = 25\n")
    table.start()

    (ok, words) = looked_at(table)["configuration"]
    now = table.rows("started")[-1]["body"]["config"][: len(before)]
    assert f"has changed since the last run: it was {before}, it is {now}" in words
    assert now != before


def test_a_missing_device_is_told_and_keeps_nothing_from_opening(
    table: Running, folder: Path
) -> None:
    table.stop()
    table.config.write_text(table.config.read_text().replace("/shoe", "/no-shoe"))
    table.start(online=False)
    view = table.watch.until(lambda view: len(view["self_test"]) > 4, "a device is missing")

    missing = view["self_test"][-1]
    assert (missing["name"], missing["ok"]) == ("shoe", False)
    assert "is missing" in missing["words"]
    assert "cards have to be entered by hand" in missing["words"]
    eventually(lambda: len(table.rows("self-tested")) == 3, "it is recorded")
    found = {one["name"]: one["ok"] for one in table.rows("self-tested")[-1]["body"]["checks"]}
    assert found == {"shoe": False, "pedal": True, "keys": True}
    command = [*PROGRAM, "watch", "--socket", table.socket]
    with started(command, errors=folder / "watch.err") as watching:
        assert watching.stdout is not None

        assert b"self-test: shoe: is missing" in watching.stdout.readline()


def start_with_buttons(table: Running, port: str, serial: str) -> None:
    table.stop()
    table.config.write_text(table.config.read_text() + BUTTONS.format(port=port, serial=serial))
    table.start()


def test_the_unit_with_the_right_serial_is_used(table: Running, buttons: str) -> None:
    start_with_buttons(table, buttons, "buttons")

    view = table.until_online("buttons")
    assert "buttons" in view["devices"]["buttons"]["identity"].split()


def test_a_unit_with_another_serial_is_not_used_and_both_are_named(
    table: Running, buttons: str
) -> None:
    start_with_buttons(table, buttons, "SN-4711")
    view = table.watch.until(lambda view: view["devices"]["buttons"]["trouble"], "wrong unit")

    device = view["devices"]["buttons"]
    assert device["online"] is False
    assert "serial SN-4711 is wanted for the buttons" in device["trouble"]
    assert "buttons buttons " in device["trouble"], "what was found"
    assert "devices.buttons.serial" in device["trouble"]
    assert [row["body"]["code"] for row in table.rows("device-fault")] == ["wrong-unit"]
    assert all(row["body"]["device"] != "buttons" for row in table.rows("device-online"))
    table.go_on()
    table.deal()
    table.finish()
