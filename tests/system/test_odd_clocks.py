"""Time zones that are none, clocks that cannot be right, and times at the ends of the calendar."""

import time
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path

import msgspec
import pytest

from controller.eventlog import Content
from tests.forger import Change
from tests.system import forged
from tests.system.processes import tablekeeper
from tests.system.shims import WallClock, running_under
from tests.system.table import Running, config

DO_NOT_START = 78
NO_ZONES = ("Nowhere/Land", ":/dev/zero", "", ":", "/etc/passwd", "/etc", "AAA24", "Australia")


@pytest.mark.parametrize("zone", NO_ZONES)
def test_a_table_does_not_begin_a_day_by_a_zone_that_is_none(folder: Path, zone: str) -> None:
    file = folder / "table.toml"
    file.write_text(config(folder, {"shoe": str(folder / "shoe")}))
    done = tablekeeper("run", "--rehearsal", "--config", file, environment={"TZ": zone})

    assert done.returncode == DO_NOT_START, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"tablekeeper: TZ={zone!r} is no time zone of this machine: name one")
    assert not (folder / "state" / "log").exists()


@pytest.mark.parametrize(
    "command", [("log", "rounds", "STATE"), ("log", "show", "STATE"), ("demo", "--rounds", "1")]
)
def test_no_command_tells_times_by_a_zone_that_is_none(
    folder: Path, command: tuple[str, ...]
) -> None:
    words = [word.replace("STATE", str(folder)) for word in command]
    done = tablekeeper(*words, environment={"TZ": "Nowhere/Land", "HOME": str(folder)})

    assert (done.returncode, done.stdout) == (DO_NOT_START, "")
    assert "TZ='Nowhere/Land' is no time zone" in done.stderr


ZONES = ("UTC", "UTC0", ":UTC", "<+1030>-10:30", "AEST-10AEDT,M10.1.0,M4.1.0/3", "Etc/GMT+12")


@pytest.mark.parametrize("zone", ZONES)
def test_a_zone_may_be_written_in_every_way_that_the_system_knows(zone: str) -> None:
    assert tablekeeper("rules", "18.9.5", environment={"TZ": zone}).returncode == 0


@pytest.fixture
def clock(folder: Path) -> WallClock:
    return WallClock(folder)


def seconds_until(year: int, *rest: int) -> int:
    """Return by how many seconds the clock must be off to show a time."""
    return int(datetime(year, *rest, tzinfo=UTC).timestamp() - time.time())  # type: ignore[misc]


OFF = {
    "at the epoch": lambda: -int(time.time()) + 5,
    "in the future": lambda: seconds_until(2262, 1, 2),
}
BEYOND = {
    "at the end of the calendar": lambda: seconds_until(9999, 12, 31, 23, 59, 50),
    "beyond the calendar": lambda: seconds_until(9999, 12, 31, 23, 59, 59) + 3600,
}


@pytest.mark.parametrize("name", OFF)
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Etc/GMT+12"])
def test_a_table_says_that_its_clock_is_wrong_and_plays(
    folder: Path, clock: WallClock, name: str, zone: str
) -> None:
    clock.set(OFF[name]())
    with running_under(folder, {**clock.environment, "TZ": zone}) as table:
        tested = table.watch.look()["self_test"]
        (said,) = [check for check in tested if check["name"] == "clock"]
        assert not said["ok"]
        assert said["words"].endswith(": set it")
        table.deal()
        table.finish()
        assert table.stop() == 0
        assert "Traceback" not in table.errors.read_text()
        for command in ("rounds", "show", "export", "verify"):
            environment = {**clock.environment, "TZ": zone}
            done = tablekeeper("log", command, table.state, environment=environment)
            assert (done.returncode, done.stderr) == (0, ""), command


@pytest.mark.parametrize("name", BEYOND)
def test_with_a_clock_that_no_program_can_tell_nothing_starts_and_that_is_said(
    folder: Path, clock: WallClock, name: str
) -> None:
    clock.set(BEYOND[name]())
    file = folder / "table.toml"
    file.write_text(config(folder, {"shoe": str(folder / "shoe")}))
    done = tablekeeper("run", "--rehearsal", "--config", file, environment=clock.environment)

    assert done.returncode == DO_NOT_START
    said = "tablekeeper: the clock of this PC shows a time that cannot be: set it\n"
    assert done.stderr == said


@pytest.mark.parametrize("name", [*OFF, *BEYOND])
def test_a_clock_that_jumps_to_where_no_clock_can_be_stops_nobody(
    folder: Path, clock: WallClock, name: str
) -> None:
    with running_under(folder, clock.environment) as table:
        table.watch.must("wager", box=2, player="ann", main=1000)
        clock.set({**OFF, **BEYOND}[name]())
        table.watch.event("clock-stepped")
        table.go_on()
        table.draw("KS", "9H", "5D")
        clock.set(0)
        table.watch.event("clock-stepped")
        table.finish()
        assert table.stop() == 0
        assert "Traceback" not in table.errors.read_text()
    assert tablekeeper("log", "verify", table.state).returncode == 0


@pytest.mark.parametrize(
    "when",
    [
        ("--until", "9999-12-31"),
        ("--since", "0999-01-01"),
        ("--since", "0002-01-01", "--until", "9999-12-30"),
        ("--until", "9999-12-30 23:59"),
    ],
)
def test_rounds_are_found_by_the_ends_of_the_calendar(
    shared_table: Running, when: tuple[str, ...]
) -> None:
    expected = tablekeeper("log", "rounds", shared_table.state)
    done = tablekeeper("log", "rounds", *when, shared_table.state)

    assert (done.returncode, done.stdout) == (0, expected.stdout), done.stderr
    assert len(done.stdout.splitlines()) > 1
    assert tablekeeper("log", "export", *when, shared_table.state).returncode == 0


@pytest.mark.parametrize("option", ["--since", "--until"])
@pytest.mark.parametrize("when", ["10000-01-01", "0000-01-01", "9999-12-32", "-0001-01-01"])
def test_a_day_beyond_the_calendar_is_answered_in_words(
    shared_table: Running, option: str, when: str
) -> None:
    done = tablekeeper("log", "rounds", f"{option}={when}", shared_table.state)

    assert (done.returncode, done.stdout) == (2, "")
    assert "is no time: write a day" in done.stderr


TIMES = {
    "at the end of the calendar": "9999-12-31T23:59:59.999999Z",
    "beyond the calendar": "10000-01-01T00:00:00.000000Z",
    "before the calendar": "0000-12-31T23:59:59.000000Z",
    "at its beginning": "0001-01-01T00:00:00.000000Z",
    "nothing": "",
    "without a zone": "2026-05-09T07:35:25.123456",
    "words": "yesterday",
}


def timed(seq: int, at: str) -> Change:
    """Return what gives a row another time."""

    def change(content: Content) -> Content:
        return msgspec.structs.replace(content, at=at) if content.seq == seq else content

    return change


@pytest.mark.parametrize("name", TIMES)
def test_a_row_whose_time_is_none_ends_nothing_with_a_traceback(table: Running, name: str) -> None:
    table.deal()
    table.stop()
    forged.rewrite(table.state, timed(table.rows()[-1]["seq"], TIMES[name]))

    zones = cycle(("Pacific/Kiritimati", "Etc/GMT+12"))
    for command in (("rounds",), ("rounds", "--since", "today"), ("show",), ("show", "1"),
                    ("export",), ("verify",)):  # fmt: skip
        done = tablekeeper("log", *command, table.state, environment={"TZ": next(zones)})
        assert "Traceback" not in done.stderr, command
        assert done.returncode in {0, 1, 3}, done.stderr
    looked_at = ("doctor", "--config", table.config)
    assert "Traceback" not in tablekeeper(*looked_at, environment={"TZ": next(zones)}).stderr
    started = starts(table)
    assert "Traceback" not in table.errors.read_text()
    if not started:
        assert table.controller.returncode == DO_NOT_START
        assert f"event {table.rows()[-1]['seq']}" in table.errors.read_text()


def starts(table: Running) -> bool:
    """Start the table; tell whether it opened."""
    try:
        table.start()
    except AssertionError:
        return False
    table.watch.must("confirm-layout")
    assert table.stop() == 0
    return True
