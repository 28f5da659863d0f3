"""A table's configuration: what is read, and that a fault names file, key and what is allowed."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.errors import SettingsError
from controller.game.options import NAMES, OPTIONS
from controller.settings import ROOM, TableSettings, is_the_example, read_game, read_settings
from controller.shipped import shipped
from controller.table.controls import DEFAULT_CONTROLS

WHOLE = """\
[table]
name = "Pontoon 1"
game = "pontoon-nsw"
state = "/var/lib/tablekeeper"
socket = "/run/tablekeeper/control.sock"

[game]
decks = 8
minimum = 25
smallest_chip = 2.50

[devices.shoe]
driver = "angel-eye"
port = "/dev/ttyS0"
options = { baud = 9600 }

[devices.pedal]
driver = "pcsensor"
port = "usb"

[controls]
"pedal.middle" = "go-on"
"pedal.left hold" = "same-again"
"""


def read(folder: Path, text: str | bytes) -> TableSettings:
    file = folder / "table.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_settings(file)


def test_a_whole_table_is_read(tmp_path: Path) -> None:
    table = read(tmp_path, WHOLE)

    assert (table.name, table.game.name) == ("Pontoon 1", "pontoon-nsw")
    assert table.state == Path("/var/lib/tablekeeper")
    assert table.socket == Path("/run/tablekeeper/control.sock")
    assert (table.game.decks, table.game.minimum, table.game.smallest_chip) == (8, 2500, 250)
    assert table.devices["shoe"].options == {"baud": 9600}
    assert table.controls == {"pedal.middle": "go-on", "pedal.left hold": "same-again"}


def test_what_is_left_out_takes_what_is_usual(tmp_path: Path) -> None:
    text = '[table]\nname = "1"\ngame = "blackjack-nsw"\nstate = "/s"\n'
    text += '[devices.shoe]\ndriver = "angel-eye"\nport = "/dev/ttyS0"\n'
    table = read(tmp_path, text)

    assert table.socket == Path("/s/control.sock")
    assert table.controls == DEFAULT_CONTROLS
    assert table.game == read_game("blackjack-nsw", {})


def test_the_digest_tells_one_configuration_from_another(tmp_path: Path) -> None:
    one, same = read(tmp_path, WHOLE), read(tmp_path, WHOLE)
    other = read(tmp_path, WHOLE.replace("25", "26"))

    assert one.digest == same.digest != other.digest


@pytest.mark.parametrize("name", NAMES)
def test_each_game_is_shipped(name: str) -> None:
    assert shipped(f"games/{name}.toml").is_file()
    assert read_game(name, {}).name == name


def test_the_shipped_table_can_be_read() -> None:
    table = read_settings(shipped("table.toml"))

    assert set(table.devices) == {"shoe", "pedal", "keys"}


def test_room_and_serials_are_read(tmp_path: Path) -> None:
    text = WHOLE.replace("[game]", "room = 250\n[game]", 1)
    table = read(tmp_path, text.replace("options = {", 'serial = "SN-1"\noptions = {'))

    assert (table.room, table.devices["shoe"].serial) == (250, "SN-1")
    usual = read(tmp_path, WHOLE)
    assert (usual.room, usual.devices["shoe"].serial) == (ROOM, "")


def without(words: str) -> str:
    assert words in WHOLE
    return WHOLE.replace(words, "")


def changed(before: str, after: str) -> str:
    assert before in WHOLE
    return WHOLE.replace(before, after, 1)


FAULTS: dict[str, tuple[str | bytes, list[str]]] = {
    "no TOML": (changed("decks = 8", "decks = = 8"), ["line 8"]),
    "a key twice": (changed("decks = 8", "decks = 8\ndecks = 6"), ["line 9"]),
    "not UTF-8": (b"\xff\xfe[table]", ["utf-8"]),
    "a byte of nothing": (WHOLE.encode() + b"\0", ["line"]),
    "a number without end": (changed("minimum = 25", f"minimum = {'9' * 5000}"), []),
    "nested without end": (f"x = {'[' * 5000}{']' * 5000}", []),
    "no table": ("[devices]\n", ["table"]),
    "no devices": (WHOLE.split("[devices")[0], ["devices"]),
    "no name": (without('name = "Pontoon 1"\n'), ["table", "name"]),
    "no state": (without('state = "/var/lib/tablekeeper"\n'), ["table", "state"]),
    "no driver": (without('driver = "angel-eye"\n'), ["devices", "driver"]),
    "no port": (without('port = "usb"\n'), ["devices", "port"]),
    "an empty name": (changed("Pontoon 1", "  "), ["table.name"]),
    "an empty state": (changed("/var/lib/tablekeeper", ""), ["table.state"]),
    "a state that is no path": (changed("/var/lib/tablekeeper", "/a\\u0000b"), ["table.state"]),
    "a socket that is no path": (changed("/run/tablekeeper", "/a\\u0000b"), ["table.socket"]),
    "a socket with too long a path": (
        changed("/run/tablekeeper", "/" + "x" * 120),
        ["table.socket"],
    ),
    "a name that is a number": (changed('"Pontoon 1"', "1"), ["table.name", "str"]),
    "a table that is a list": ("table = [1]\n[devices]\n", ["table", "array"]),
    "an unknown section": (f"{WHOLE}[colours]\n", ["colours", "controls"]),
    "an unknown key of the table": (
        changed("[table]", '[table]\ncolour = "green"'),
        ["table", "colour", "socket"],
    ),
    "an unknown key of a device": (
        changed('port = "usb"', 'port = "usb"\nplug = 1'),
        ["devices", "plug", "driver"],
    ),
    "no room": (changed("[game]", "room = 0\n[game]"), ["table.room", ">= 1"]),
    "room that is no number": (changed("[game]", "room = 'all'\n[game]"), ["table.room", "int"]),
    "a serial that cannot be shown": (
        changed('port = "usb"', 'port = "usb"\nserial = "a\\u0007b"'),
        ["devices.pedal.serial"],
    ),
    "an unknown game": (changed("pontoon-nsw", "poker"), ["poker", *NAMES]),
    "an unknown option": (changed("decks", "packs"), ["packs", "decks"]),
    "decks that no game has": (changed("decks = 8", "decks = 7"), ["decks", "6, 8", "18.4.1"]),
    "decks in words": (changed("decks = 8", 'decks = "many"'), ["decks", "many", "whole number"]),
    "half a cent": (changed("2.50", "2.505"), ["smallest_chip", "2.505", "two decimals"]),
    "no amount at all": (changed("2.50", "nan"), ["smallest_chip", "dollars"]),
    "a list of amounts": (changed("2.50", "[1]"), ["smallest_chip", "dollars"]),
    "a minimum above the maximum": (changed("25", "5000"), ["minimum", "maximum", "6.1"]),
    "a side wager of another game": (
        changed("decks = 8", "decks = 8\nsuper_sevens = true"),
        ["super_sevens", "14.1"],
    ),
    "an unknown action": (changed('"go-on"', '"fly"'), ["pedal.middle", "fly", "go-on"]),
    "an action that is a number": (
        changed('"go-on"', "7"),
        ["pedal.middle", "no action", "same-again"],
    ),
    "a control without a device": (changed("pedal.middle", "middle"), ["middle", "pedal.middle"]),
    "a control of no device": (changed("pedal.middle", "piano.c"), ["piano", "shoe, pedal"]),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_names_the_file_the_key_and_what_is_allowed(tmp_path: Path, name: str) -> None:
    text, words = FAULTS[name]
    with pytest.raises(SettingsError) as caught:
        read(tmp_path, text)

    said = str(caught.value)
    assert str(tmp_path / "table.toml") in said
    assert [word for word in words if word not in said] == []


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.toml: there is no such file"):
        read_settings(tmp_path / "none.toml")


def test_a_folder_is_no_configuration(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="directory"):
        read_settings(tmp_path)


KEYS = st.sampled_from(
    [
        *("table", "name", "game", "state", "socket", "devices", "driver", "port", "options"),
        *("controls", "shoe", "pedal", *OPTIONS),
    ]
)
VALUES = st.sampled_from(
    [
        *('"pontoon-nsw"', '"/s"', '"usb"', '""', "true", "0", "-1", "6", "1e400", "inf", "nan"),
        *("[]", "{}", "1979-05-27", "07:32:00", '"\\u0000"', "9" * 23, '["a", 1]', "0x10"),
    ]
)
LINES = st.one_of(
    st.builds("[{}]".format, KEYS),
    st.builds("[{}.{}]".format, KEYS, KEYS),
    st.builds("[[{}]]".format, KEYS),
    st.builds("{} = {}".format, KEYS, VALUES),
    st.builds("{}.{} = {}".format, KEYS, KEYS, VALUES),
    st.text(max_size=12),
)
MIXED = st.lists(LINES | st.sampled_from(WHOLE.splitlines()), max_size=30).map("\n".join)


def fault_in(folder: Path, text: str) -> str:
    """Return what is said of the file; empty if it is a table."""
    try:
        read(folder, text.encode("utf-8", "surrogatepass"))
    except SettingsError as fault:
        return str(fault)
    return ""


@settings(max_examples=300, deadline=None)
@given(text=MIXED)
def test_whatever_a_file_holds_it_is_a_table_or_a_fault_in_words(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    folder = tmp_path_factory.getbasetemp()
    said = fault_in(folder, text)

    assert not said or str(folder) in said


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_one_changed_value_is_a_table_or_a_fault_that_names_its_key(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    lines = WHOLE.splitlines()
    at = data.draw(st.sampled_from([n for n, line in enumerate(lines) if " = " in line]))
    key = lines[at].split(" = ")[0]
    lines[at] = f"{key} = {data.draw(VALUES)}"
    said = fault_in(tmp_path_factory.getbasetemp(), "\n".join(lines))

    assert not said or key.strip('"') in said or "minimum is above maximum" in said


@pytest.mark.parametrize(
    ("old", "new", "still"),
    [
        ("# One table.", "# My table.", True),
        ("# minimum = 25", "minimum = 25", True),
        ("# [controls]", "[controls]", True),
        ("Pontoon 1", "Pontoon 7", False),
        ("usb:04d9", "usb:04d8", False),
        ("# mirror", "mirror", False),
        ('game = "pontoon-nsw"', 'game = "blackjack-nsw"', False),
    ],
)
def test_the_example_is_known_by_its_table_and_devices(
    tmp_path: Path, old: str, new: str, *, still: bool
) -> None:
    text = shipped("table.toml").read_text()
    assert old in text
    file = tmp_path / "table.toml"
    file.write_text(text.replace(old, new, 1))

    assert is_the_example(read_settings(file)) == still
