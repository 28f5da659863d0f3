"""Scripts, configurations, USB strings and logs of before: refused by name, or written out."""

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given
from serial.tools import list_ports
from serial.tools.list_ports_common import ListPortInfo

from controller.devices.gather import look
from controller.errors import SettingsError
from controller.events import AnswerAlarm, NewShoe
from controller.game.house import Reserve
from controller.game.moves import Wager
from controller.scripts.direct import DirectTable
from controller.scripts.house import said
from controller.scripts.read import BadScript, parse_script
from controller.settings import read_settings
from drivers.errors import LinkLost
from drivers.ports import plugged
from tests.hidden import HIDDEN, MARKED_UP, SEEN, hidden_characters, hidden_in, texts
from tests.system.fixtures import folder, shared_table, table
from tests.system.processes import PROGRAM, started, tablekeeper
from tests.system.table import Running
from tests.system.terminal import Terminal

__all__ = ["folder", "shared_table", "table"]

SCRIPT = """\
title: TITLE
game: pontoon-nsw
bets:
  - {box: 1, player: PLAYER, main: 10}
play:
  - reserve 2 GUEST
  - no-more-bets
  - forfeit OTHER
expect:
  - {player: WINNER}
"""
CONFIG = """\
[table]
name = "NAME"
game = "pontoon-nsw"
state = "/STATE"
mirror = "/MIRROR"
[devices."DEVICE"]
driver = "angel-eye"
port = "/dev/PORT"
serial = "SERIAL"
[devices.pedal]
driver = "pcsensor"
port = "usb"
options = { label = "LABEL" }
[controls]
"pedal.CONTROL" = "go-on"
"""


@pytest.mark.parametrize("place", ["TITLE", "PLAYER", "GUEST", "OTHER", "WINNER"])
@given(char=hidden_characters)
def test_a_script_is_refused_wherever_it_holds_such_a_character(place: str, char: str) -> None:
    quoted = json.dumps(f"a{char}b")
    text = SCRIPT.replace(place, quoted if place in {"TITLE", "PLAYER", "WINNER"} else f"a{char}b")
    with pytest.raises(BadScript) as bad:
        parse_script(text.encode("utf-8", "surrogatepass"))

    assert hidden_in(str(bad.value), but="") == []


@pytest.mark.parametrize("place", ["TITLE", "PLAYER", "GUEST", "OTHER", "WINNER"])
def test_a_script_is_told_the_line_and_the_character(place: str) -> None:
    with pytest.raises(BadScript) as bad:
        parse_script(SCRIPT.replace(place, "a\u3164").encode())

    (fault,) = bad.value.faults
    line = next(at for at, line in enumerate(SCRIPT.splitlines(), 1) if place in line)
    assert fault.line == line
    assert "is U+3164 (HANGUL FILLER): it cannot be seen" in fault.what


@pytest.mark.parametrize("name", [name for name in SEEN if name.isalpha()])
def test_a_script_may_have_names_of_every_script(name: str) -> None:
    text = SCRIPT
    for place in ("TITLE", "PLAYER", "GUEST", "OTHER", "WINNER"):
        text = text.replace(place, name)

    assert parse_script(text.encode()).wagers[0].player == name


@pytest.mark.parametrize("name", HIDDEN)
def test_a_word_to_the_table_is_refused_before_it_is_asked(name: str) -> None:
    with pytest.raises(ValueError, match=r"is U\+[0-9A-F]{4,6} \(") as fault:
        said(["reserve", "1", HIDDEN[name]])
    assert hidden_in(str(fault.value), but="") == []


CONFIG_PLACES = ("NAME", "STATE", "MIRROR", "DEVICE", "PORT", "SERIAL", "LABEL", "CONTROL")


@pytest.mark.parametrize("place", CONFIG_PLACES)
@pytest.mark.parametrize("name", [name for name in HIDDEN if name != "mark on nothing"])
def test_a_configuration_is_refused_wherever_it_holds_such_a_name(
    tmp_path: Path, place: str, name: str
) -> None:
    file = tmp_path / "table.toml"
    escaped = "".join(f"\\U{ord(char):08x}" for char in HIDDEN[name])
    file.write_text(CONFIG.replace(place, escaped))
    with pytest.raises(SettingsError, match=r"its character \d+ is U\+[0-9A-F]{4,6} \(") as fault:
        read_settings(file)

    assert str(fault.value).startswith(f"{file}: ")
    assert hidden_in(str(fault.value), but="") == []


def test_what_a_table_says_when_it_does_not_start_can_be_seen(tmp_path: Path) -> None:
    """Also once its journal has standard error: the name of the file comes back."""
    file = tmp_path / "an\u202enom\x1b[2J.toml"
    text = CONFIG.replace("CONTROL", "middle").replace('"DEVICE"', "shoe")
    file.write_text(text.replace("angel-eye", "angel").replace("/STATE", f"{tmp_path}/state"))
    done = tablekeeper("run", "--rehearsal", "--config", file)

    assert done.returncode == 78
    assert r"/an\u202enom\u001b[2J.toml: devices.shoe: " in done.stderr
    assert hidden_in(done.stdout + done.stderr) == []


@pytest.mark.parametrize("name", SEEN[:12])
def test_a_table_may_be_called_as_people_are(tmp_path: Path, name: str) -> None:
    file = tmp_path / "table.toml"
    text = CONFIG.replace("CONTROL", "middle").replace('"DEVICE"', "shoe")
    file.write_text(text.replace("NAME", name), encoding="utf-8")

    assert read_settings(file).name == name


def test_what_a_unit_calls_itself_is_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_usb() -> list[plugged.Plugged]:
        raise LinkLost("no \x1b[2J USB")

    monkeypatch.setattr(plugged, "usb_units", no_usb)

    @given(texts, texts)
    def every(maker: str, product: str) -> None:
        port = ListPortInfo("/dev/ttyUSB0")
        port.vid, port.pid, port.manufacturer, port.product = 1, 2, maker, product
        monkeypatch.setattr(list_ports, "comports", lambda: [port])
        (one,), unseen = look(None)
        assert hidden_in(one.what, but="") == []
        assert unseen == [r"no \u001b[2J USB"]

    every()


# --- a log that an earlier version wrote ----------------------------------------------------------

OLD_NAMES = [HIDDEN["direction"], HIDDEN["tags"], HIDDEN["filler of Hangul"], *MARKED_UP[:1]]
"""Of players, as versions before took them."""


@pytest.fixture
def old_log(folder: Path) -> Path:
    """The state of a table whose log holds names and words that are refused now."""
    state = folder / "state"
    script = parse_script(SCRIPT.replace("TITLE", "old").encode())
    direct = DirectTable(script, state, "0.0.9")

    async def play() -> None:
        for box, name in enumerate(OLD_NAMES, 1):
            await direct.ask(Wager(box=box, player=name, main=1000))
        await direct.ask(Reserve(OLD_NAMES[0], (9,)))
        await direct.ask(NewShoe("red\x1b[2J"))
        await direct.ask(AnswerAlarm("\x1b]0;owned\x07\u2066\n=1+1"))

    try:
        asyncio.run(play())
    finally:
        direct.close()
    return state


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["show"], 0), (["show", 1], 0), (["rounds"], 0), (["rounds", "--json"], 0),
        (["export", "--format", "csv"], 0), (["verify"], 0), (["verify", "--decide"], 0),
    ],
)  # fmt: skip
def test_a_log_of_before_is_read_and_shown_written_out(
    old_log: Path, words: list[object], status: int
) -> None:
    done = tablekeeper("log", *words, old_log)

    assert (done.returncode, done.stderr) == (status, "")
    assert hidden_in(done.stdout) == []
    if "csv" in words or 1 in words:
        assert r"\u202e" in done.stdout


def test_a_round_of_before_is_found_by_the_name_as_it_is_shown(old_log: Path) -> None:
    for name in (OLD_NAMES[0], r"an\u202enom", "[/b]"):
        done = tablekeeper("log", "rounds", "--player", name, old_log)
        assert len(done.stdout.splitlines()) == 2, done
    assert len(tablekeeper("log", "rounds", "--player", "annom", old_log).stdout.splitlines()) == 1


def test_json_lines_of_a_log_of_before_stay_byte_for_byte(old_log: Path) -> None:
    done = tablekeeper("log", "export", old_log)
    rows = [json.loads(line) for line in done.stdout.splitlines()]

    assert OLD_NAMES[1] in done.stdout
    players = [row["body"]["ask"].get("player") for row in rows if row["kind"] == "asked"]
    assert players[:4] == OLD_NAMES


def test_json_lines_on_a_terminal_are_the_same_values_and_nothing_it_obeys(old_log: Path) -> None:
    with Terminal([*PROGRAM, "log", "export", old_log]) as terminal:
        assert terminal.ended() == 0
        shown = terminal.text
    assert hidden_in(shown) == []
    assert b"\x1b" not in terminal.said
    rows = [json.loads(line) for line in shown.splitlines() if line.startswith("{")]
    players = [row["body"]["ask"].get("player") for row in rows if row["kind"] == "asked"]
    assert players[:4] == OLD_NAMES


def test_a_table_goes_on_with_a_log_of_before_and_every_screen_shows_it_written_out(
    old_log: Path, folder: Path
) -> None:
    with Running(folder) as table:
        assert table.watch.look()["boxes"][0]["players"][0]["player"] == OLD_NAMES[0]
        command = [*PROGRAM, "watch", "--socket", table.socket]
        with Terminal(command) as terminal:
            text = terminal.until(r"an\u202enom", r"\udb40\udc41", r"\u3164", "[/b]")
            terminal.type("q")
            assert terminal.ended() == 0
        assert hidden_in(text) == []
        with started(command, errors=folder / "watch.err") as pipe:
            assert pipe.stdout is not None
            table.watch.must("confirm-layout")
            table.watch.must("withdraw", box=4, player="[/b]")
            table.watch.ask("lift", player="[/b]")
            table.stop()
            told = pipe.stdout.read().decode()
        assert hidden_in(told) == []
        devices = tablekeeper("devices", "--config", table.config)
        assert hidden_in(devices.stdout + devices.stderr) == []
    verified = tablekeeper("log", "verify", "--decide", old_log)
    assert verified.returncode == 0, verified
