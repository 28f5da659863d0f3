"""``tablekeeper devices``: what is plugged in, configured, and how it does."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.system.processes import tablekeeper
from tests.system.table import Running, config


def devices(*words: object) -> dict[str, Any]:
    """Return what is told as JSON."""
    done = tablekeeper("devices", "--json", *words)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def of(table: Running) -> dict[str, dict[str, Any]]:
    told = devices("--config", table.config, "--simulated", table.folder / "dev")
    return {each["name"]: each for each in told["configured"]}


def test_a_running_table_tells_health_and_counters_and_keeps_its_devices(table: Running) -> None:
    table.draw("KS")
    told = devices("--config", table.config, "--simulated", table.folder / "dev")
    found = {each["name"]: each for each in told["configured"]}
    health = table.watch.look()["health"]

    assert (told["table"], told["running"]) == ("Test 1", True)
    assert {name: each["role"] for name, each in found.items()} == {
        "shoe": "shoe",
        "pedal": "pedal",
        "keys": "keys",
    }
    for name, each in found.items():
        assert (each["state"], each["there"]) == ("online", True)
        assert each["counters"] == health[name]["counters"]
    assert found["shoe"]["counters"]["frames"] == 3
    assert found["pedal"]["unit"] == "0c45:7404"
    # Looked at, not touched: each is still the table's, and none was lost.
    assert table.hands.ask("status")["devices"]["pedal"]["host"] is True
    assert all(one["reconnects"] == 0 and one["state"] == "online" for one in health.values())
    assert len(table.draw("5D")) > 0


def test_what_can_serve_what_is_plugged_in(table: Running) -> None:
    told = devices("--config", table.config, "--simulated", table.folder / "dev")
    found = {each["port"]: each for each in told["plugged"]}
    pedal, keys, shoe = (found[table.ports[name]] for name in ("pedal", "keys", "shoe"))

    assert (pedal["device"], pedal["drivers"], pedal["known"]) == ("pedal", ["pcsensor"], True)
    assert (keys["device"], keys["drivers"], keys["known"]) == ("keys", ["boot-keyboard"], False)
    assert shoe["device"] == "shoe"
    assert {"angel-eye", "bee-tek", "alpha"} <= set(shoe["drivers"])


def test_a_device_that_is_pulled_out_is_lost_and_not_there(table: Running) -> None:
    table.hands.ask("unplug", device="pedal")
    table.watch.until(lambda view: not view["devices"]["pedal"]["online"], "the pedal is lost")
    pedal = of(table)["pedal"]

    assert (pedal["state"], pedal["there"]) == ("lost", False)
    assert pedal["detail"]


def test_people_read_a_table(table: Running) -> None:
    table.draw("KS")
    done = tablekeeper("devices", "--config", table.config, "--simulated", table.folder / "dev")
    lines = done.stdout.splitlines()

    assert done.returncode == 0
    assert lines[0] == "Test 1 · its table runs"
    assert lines[2].split() == ["device", "driver", "port", "state", "counted"]
    assert lines[3].split()[:4] == ["shoe", "angel-eye", table.ports["shoe"], "online"]
    assert "frames 3, duplicates 2" in lines[3]


def test_without_a_table_that_runs_the_machine_is_looked_at(folder: Path) -> None:
    file = folder / "table.toml"
    there = folder / "shoe"
    there.write_text("")
    file.write_text(config(folder, {"shoe": str(there), "pedal": "usb:0c45:7404@9-9"}))
    told = devices("--config", file)

    assert told["running"] is False
    assert [(each["name"], each["there"], each["state"]) for each in told["configured"]] == [
        ("shoe", True, ""),
        ("pedal", False, ""),
    ]
    text = tablekeeper("devices", "--config", file).stdout
    assert text.startswith("Test 1 · no table runs\n")
    assert "not there" in text


def test_a_driver_that_there_is_not_is_told_beside_its_device(folder: Path) -> None:
    file = folder / "table.toml"
    file.write_text(config(folder, {"shoe": "/dev/x"}).replace("angel-eye", "angel-ey"))

    assert "there is no driver 'angel-ey'" in devices("--config", file)["configured"][0]["fault"]


def test_without_a_configuration(folder: Path) -> None:
    told = devices("--socket", folder / "none")

    assert (told["table"], told["running"], told["configured"]) == ("", False, [])


@pytest.mark.parametrize(("words", "status"), [(["--jsn"], 2), (["--config", "/none.toml"], 78)])
def test_bad_usage(words: list[str], status: int) -> None:
    done = tablekeeper("devices", *words)

    assert (done.returncode, done.stdout) == (status, "")
    assert "Traceback" not in done.stderr
