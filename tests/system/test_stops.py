"""How a table ends and begins again: told to stop, killed, left by whoever started it."""

import signal

import pytest

from tests.system.processes import eventually, tablekeeper
from tests.system.table import Running


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
def test_told_to_stop_it_records_that_and_ends_well(table: Running, how: signal.Signals) -> None:
    table.deal()
    layout = table.layout()

    assert table.stop(how) == 0

    assert table.rows()[-1]["kind"] == "stopped"
    assert not table.socket.exists()
    assert "Traceback" not in table.errors.read_text()
    assert tablekeeper("log", "verify", table.state).returncode == 0
    table.start()
    assert table.layout() == layout


def test_left_by_whoever_started_it_it_stops_in_good_order(table: Running) -> None:
    table.deal()
    assert table.controller.stdin is not None
    table.controller.stdin.close()

    assert table.ended() == 0
    assert table.rows()[-1]["kind"] == "stopped"


def test_the_next_start_asks_for_the_layout_and_goes_on_with_the_round(table: Running) -> None:
    table.deal()
    table.stop()
    table.start()

    assert table.watch.look()["in_doubt"]
    refused = table.watch.ask("stand")
    assert (refused["accepted"], refused["rule"]) == (False, "16.6")
    table.go_on()
    assert not table.watch.look()["in_doubt"]
    assert table.finish()["round"] == 2


def test_killed_in_the_middle_of_a_round_the_round_is_still_there(table: Running) -> None:
    table.deal()
    layout = table.layout()
    table.kill()
    done = tablekeeper("log", "verify", table.state)
    assert done.returncode == 3, done.stdout

    table.start()

    assert table.layout() == layout
    table.go_on()
    table.finish()
    assert table.stop() == 0
    assert tablekeeper("log", "verify", table.state).returncode == 0


def test_killed_after_every_single_step_of_a_round_it_ends_as_it_would_have(
    table: Running,
) -> None:
    def killed() -> None:
        table.kill()
        table.start()
        table.go_on()

    table.watch.must("wager", box=2, player="ann", main=1000)
    killed()
    table.go_on()
    killed()
    for card in ("KS", "9H", "5D"):
        table.draw(card)
        killed()
    table.finish()
    killed()

    (settled,) = table.rows("settled")
    assert settled["body"]["row"]["rule"] == "18.12.1.9"
    assert table.watch.look()["round"] == 2


def test_nothing_is_pressed_by_a_foot_that_rests_on_the_pedal_at_the_start(table: Running) -> None:
    table.watch.must("wager", box=2, player="ann", main=1000)
    table.stop()
    table.hands.ask("down", device="pedal", control="middle")
    table.start()
    table.watch.must("confirm-layout")
    table.hands.ask("up", device="pedal", control="middle")
    table.press("keys", "3")

    assert [row["body"]["control"] for row in table.rows("pressed")] == ["3"]
    assert table.watch.look()["state"] == "wagers"


def test_the_socket_that_a_killed_table_left_does_not_stop_the_next(table: Running) -> None:
    table.kill()
    assert table.socket.exists()
    table.start()

    assert table.watch.look()["table"] == "Test 1"
    table.stop()
    eventually(lambda: not table.socket.exists(), "the socket is gone")


def test_a_table_starts_without_its_devices_and_takes_them_when_they_come(table: Running) -> None:
    table.stop()
    for device in ("shoe", "pedal", "keys"):
        table.hands.ask("unplug", device=device)
    table.start(online=False)
    view = table.watch.look()
    assert [view["devices"][name]["online"] for name in ("shoe", "pedal", "keys")] == [False] * 3
    table.watch.must("confirm-layout")

    for device in ("shoe", "pedal", "keys"):
        table.hands.ask("plug", device=device)
    table.until_online("shoe", "pedal", "keys")

    table.deal()
    table.finish()
