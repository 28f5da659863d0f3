"""The program itself: started, asked, killed, and started again."""

import json
import signal
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from drivers.simulated.client import Client
from drivers.simulated.refused import Refused

ENDS_WITHIN = 10


def nodes(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def test_it_says_when_it_is_ready_and_where_everything_is(bench) -> None:
    folder = bench.folder

    assert bench.ready == {
        "ready": True,
        "ports": {
            "shoe": f"{folder}/shoe",
            "pedal": f"simulated:{folder}/pedal.usb",
            "keys": f"simulated:{folder}/keys.usb",
        },
        "control": f"{folder}/control.sock",
    }
    assert (folder / "shoe").is_symlink()
    assert stat.S_ISCHR((folder / "shoe").stat().st_mode)
    assert nodes(folder) == ["control.sock", "keys.usb", "pedal.usb", "shoe"]


def test_it_can_have_some_devices_only(start_program) -> None:
    bench = start_program("--devices", "pedal").wait_until_ready()

    assert nodes(bench.folder) == ["control.sock", "pedal.usb"]
    assert set(bench.ask("status")["devices"]) == {"pedal"}
    with pytest.raises(Refused, match="no device 'shoe' here; there are pedal"):
        bench.ask("draw", device="shoe")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_and_leaves_nothing(bench, number) -> None:
    bench.process.send_signal(number)

    assert bench.process.wait(ENDS_WITHIN) == 0
    assert nodes(bench.folder) == []
    assert bench.process.stderr.read() == b""


def test_it_can_end_with_whoever_started_it(start_program) -> None:
    bench = start_program("--until-stdin-closes").wait_until_ready()
    bench.process.stdin.close()

    assert bench.process.wait(ENDS_WITHIN) == 0
    assert nodes(bench.folder) == []


def test_it_stays_when_standard_input_is_nothing_to_it(start_program) -> None:
    bench = start_program().wait_until_ready()
    bench.process.stdin.close()

    assert bench.ask("status")["ok"]


@pytest.mark.parametrize("arguments", [["--devices", "shoe,toaster"], ["--nonsense"]])
def test_bad_arguments_are_told_and_nothing_is_made(start_program, arguments) -> None:
    bench = start_program(*arguments)

    assert bench.process.wait(ENDS_WITHIN) == 2
    assert bench.process.stderr.read()
    assert not bench.folder.exists()


def test_two_cannot_share_a_folder(bench, start_program) -> None:
    second = start_program()

    assert second.process.wait(ENDS_WITHIN) == 2
    assert b"other simulated devices are running in" in second.process.stderr.read()
    assert bench.ask("status")["ok"]
    assert len(nodes(bench.folder)) == 4


def test_a_folder_too_deep_for_a_socket_is_refused(start_program, tmp_path) -> None:
    bench = start_program(folder=tmp_path / ("x" * 100))

    assert bench.process.wait(ENDS_WITHIN) == 2
    assert b"too long for a socket" in bench.process.stderr.read()


def test_what_a_killed_one_left_is_taken_over(bench, start_program) -> None:
    bench.process.kill()
    bench.process.wait()
    assert len(nodes(bench.folder)) == 4

    again = start_program().wait_until_ready()
    assert again.ask("draw", device="shoe", card="7S")["sent"]


def test_a_pack_is_drawn_with_its_cutting_card(bench) -> None:
    loaded = bench.ask("load", device="shoe", cards=["7S", "TD"], cutting_card=1)
    assert loaded == {"ok": True, "left": 2, "drawn": 0}

    draws = [bench.ask("draw", device="shoe") for _ in range(3)]
    assert draws == [
        {"ok": True, "card": "7S", "sent": True, "left": 1, "drawn": 1},
        {"ok": True, "cutting_card": True, "sent": True, "left": 1, "drawn": 1},
        {"ok": True, "card": "TD", "sent": True, "left": 0, "drawn": 2},
    ]
    with pytest.raises(Refused, match="used up"):
        bench.ask("draw", device="shoe")
    unread = bench.ask("draw", device="shoe", card="??")
    assert unread == {"ok": True, "card": "??", "sent": True, "left": 0, "drawn": 3}


def test_no_card_is_dealt_twice_over_a_kill(start_program, tmp_path) -> None:
    state = ("--state", str(tmp_path / "pack.json"))
    cards = [rank + suit for suit in "SHDC" for rank in "A23456789TJQK"]
    dealt: list[str] = []
    start_program(*state).wait_until_ready().ask("load", device="shoe", cards=cards)
    for _ in range(4):
        bench = start_program(*state, folder=tmp_path / f"bench{len(dealt)}").wait_until_ready()
        dealt += [bench.ask("draw", device="shoe")["card"] for _ in range(5)]
        bench.process.kill()
        bench.process.wait()

    assert dealt == cards[:20]


def test_a_card_leaves_an_unplugged_shoe_too_but_nobody_is_told(bench) -> None:
    bench.ask("load", device="shoe", cards=["7S"])
    bench.ask("unplug", device="shoe")

    assert nodes(bench.folder) == ["control.sock", "keys.usb", "pedal.usb"]
    drawn = bench.ask("draw", device="shoe")
    assert (drawn["card"], drawn["sent"]) == ("7S", False)


def test_plugging_in_makes_another_node_of_the_same_name(bench) -> None:
    shoe = bench.folder / "shoe"
    first = shoe.resolve()
    with first.open("rb", buffering=0):  # keeps the number of the old node in use
        bench.ask("unplug", device="shoe")
        bench.ask("unplug", device="shoe")
        assert not shoe.is_symlink()
        bench.ask("plug", device="shoe")
        bench.ask("plug", device="shoe")

        assert shoe.resolve() != first
    assert bench.ask("status")["devices"]["shoe"]["plugged"]


def test_a_press_without_a_host_is_answered_at_once(bench) -> None:
    assert bench.ask("press", device="pedal", control="middle", hold=0) == {
        "ok": True,
        "taken": False,
    }


def test_status_tells_how_everything_is(bench) -> None:
    bench.ask("down", device="pedal", control="left")
    bench.ask("switch", device="pedal", name="bounce", value=3)
    bench.ask("switch", device="shoe", name="duplicate", value=1)
    bench.ask("fault", device="shoe", code="cannot-read")
    bench.ask("unplug", device="keys")

    assert bench.ask("status")["devices"] == {
        "shoe": {
            "plugged": True,
            "left": 0,
            "drawn": 0,
            "locked": False,
            "faults": ["cannot-read"],
            "switches": {"duplicate": 1},
        },
        "pedal": {"plugged": True, "host": False, "down": ["left"], "switches": {"bounce": 3}},
        "keys": {"plugged": False, "host": False, "down": [], "switches": {}},
    }


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"hello", "not a request"),
        (b"{}", "not a request"),
        (b'{"do": "dance"}', "not a request.*dance"),
        (b'{"do": "draw"}', "not a request.*device"),
        (b'{"do": "draw", "device": "shoe", "cards": 1}', "not a request.*cards"),
        (b'{"do": "draw", "device": "toaster"}', "no device 'toaster' here; there are shoe"),
        (b'{"do": "draw", "device": "pedal"}', "only a shoe can do that"),
        (b'{"do": "press", "device": "shoe", "control": "x"}', "a shoe cannot do that"),
        (b'{"do": "draw", "device": "shoe", "card": "10S"}', "'10S' is no card"),
        (b'{"do": "raw", "device": "shoe", "hex": "5"}', "hexadecimal"),
        (b'{"do": "up", "device": "pedal", "control": "left"}', "left is not down"),
        (b'{"do": "press", "device": "pedal", "control": "left", "hold": 99}', "hold is from 0"),
    ],
)
def test_what_cannot_be_done_is_answered_with_the_reason(steady_bench, line, why) -> None:
    with socket.socket(socket.AF_UNIX) as client, client.makefile("rb") as answers:
        client.connect(steady_bench.ready["control"])
        client.sendall(line + b"\n" + b'{"do": "status"}\n')
        answer = json.loads(answers.readline())
        assert json.loads(answers.readline())["ok"]

    assert answer["ok"] is False
    with pytest.raises(Refused, match=why):
        raise Refused(answer["why"])


def test_several_clients_are_served_at_once(bench) -> None:
    holding = threading.Thread(
        target=bench.ask,
        args=("press",),
        kwargs={"device": "pedal", "control": "left", "hold": 0.5},
    )
    holding.start()
    with Client(Path(bench.ready["control"])) as other:
        while not other.ask("status")["devices"]["pedal"]["down"]:
            pass
        assert other.ask("draw", device="shoe", card="7S")["sent"]
        assert other.ask("status")["devices"]["pedal"]["down"] == ["left"]
    holding.join()


def test_a_client_of_a_program_that_is_gone_is_told(bench) -> None:
    bench.process.kill()
    bench.process.wait()

    with pytest.raises(ConnectionError):
        bench.ask("status")
    with pytest.raises(OSError, match="refused"):
        Client(Path(bench.ready["control"]))


def test_the_help_names_the_devices() -> None:
    command = [sys.executable, "-m", "drivers.simulated", "--help"]

    assert b"shoe,pedal,keys" in subprocess.run(command, capture_output=True, check=True).stdout
