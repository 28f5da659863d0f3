"""``tablekeeper setup`` in a terminal: by plugging in, by pressing, and with every slip."""

import signal
from pathlib import Path

import pytest

from controller.settings import read_settings
from controller.setup.pressing import ON_KEYS, WORDS, usual
from controller.table.controls import DEFAULT_CONTROLS
from tests.controller.setup.bench import Bench, bench
from tests.system.processes import PROGRAM, eventually, started, tablekeeper
from tests.system.table import config
from tests.system.talk import Talk

OLD = '[table]\nname = "Old"\ngame = "blackjack-nsw"\nstate = "/tmp/old"\n'
SHOE = '[devices.shoe]\ndriver = "bee-tek"\nport = "/dev/serial/by-path/old"\n'


def beside(file: Path) -> list[str]:
    """Return what lies beside the file, without what the tests put there."""
    ours = {file.name, "dev", "devices.err"}
    return sorted(each.name for each in file.parent.iterdir() if each.name not in ours)


def online(folder: Path, file: Path, socket: Path) -> set[str]:
    """Run the table that was set up; return its devices when all are there."""
    command = [*PROGRAM, "run", "--rehearsal", "--until-stdin-closes", "--config", file]
    with started(command, errors=folder / "devices.err") as process:
        eventually(lambda: socket.exists() or process.poll() is not None, "the table opens")
        with Talk(socket).watch() as watch:
            view = watch.until(
                lambda view: all(one["online"] for one in view["devices"].values()), "all online"
            )
    return set(view["devices"])


def shoe_only(at: Bench, state: Path) -> None:
    """Answer everything for a table that has a shoe and nothing else."""
    at.begin(state)
    at.take("shoe")
    at.answer("Which [1]:", "angel-eye")
    at.sees("Draw a card")
    at.draw()
    for words in ("dealer's pedal", "dealer's keypad", "button box", "bonus meter"):
        at.none(words)


def test_a_table_is_set_up_by_plugging_in_and_pressing_and_runs(folder: Path) -> None:
    file = folder / "table.toml"
    with bench(folder, file, "shoe,pedal,keys,buttons,meter") as at:
        at.begin(folder / "state")
        at.sees("plug it in")
        at.hands.ask("unplug", device="shoe")
        at.sees(f"{at.ports['shoe']} is out; put it back")
        at.hands.ask("plug", device="shoe")
        at.sees(f"{at.ports['shoe']} was plugged in")
        at.answer("Which [1]:", "1")
        at.sees("Draw a card")
        at.draw()
        at.take("pedal")
        at.sees("Press any of it")
        at.press("pedal", "right")
        at.sees("what means: go on")
        at.press("pedal", "right")
        at.sees("what means: take back")
        at.press("pedal", "middle", hold=1.0)
        at.sees("what means: that card was for the next hand")
        at.terminal.type("-\n")
        at.take("keys")
        at.sees("Press any key")
        at.press("keys", "5")
        at.answer("Do its keys mean the usual")
        at.take("buttons")
        at.answer("How many boxes have buttons [7]", "6")
        at.sees("Press any of its buttons")
        at.until(
            "button box is there",
            lambda: at.hands.ask("press", device="buttons", control="surrender-1"),
        )
        at.take("meter")
        at.sees("bonus meter is there (alpha: it answers)")
        at.answer("Write ")

        assert at.terminal.ended() == 0
        assert at.terminal.is_restored()
        table = read_settings(file)
        ports = at.ports
        assert beside(file) == []
        assert online(folder, file, table.socket) == set(ports)
    assert table.name == "Pontoon 7"
    assert table.source == "shoe"
    assert {name: (one.driver, one.port) for name, one in table.devices.items()} == {
        "shoe": ("angel-eye", ports["shoe"]),
        "pedal": ("pcsensor", ports["pedal"]),
        "keys": ("boot-keyboard", ports["keys"]),
        "buttons": ("reference-buttons", ports["buttons"]),
        "meter": ("alpha", ports["meter"]),
    }
    assert table.devices["meter"].options == {"framing": "8N1"}
    assert table.devices["buttons"].options == {"boxes": 6}
    pedal = {c: a for c, a in table.controls.items() if c.startswith("pedal.")}
    assert pedal == {"pedal.right": "go-on", "pedal.middle hold": "take-back"}
    keys = {c: a for c, a in DEFAULT_CONTROLS.items() if c.startswith("keys.")}
    assert keys.items() <= table.controls.items()
    buttons = sorted(a for c, a in table.controls.items() if c.startswith("buttons."))
    assert buttons == sorted(
        f"{what}-{n}" for what in ("surrender", "jackpot") for n in range(1, 7)
    )


def test_every_wrong_answer_gets_a_kind_word_and_another_try(folder: Path) -> None:
    with bench(folder, folder / "table.toml") as at:
        at.answer("Name of the table", "\x01")
        at.sees("its character 1 is U+0001 (a control character)")
        at.answer("Name of the table", "Pontoon\u202e7")
        at.sees("its character 8 is U+202E (RIGHT-TO-LEFT OVERRIDE)")
        at.answer("Name of the table", "Pontoon 7")
        at.answer("Which [2]:", "poker")
        at.sees("'poker' is none of them: type a number from 1 to 3")
        at.answer("Which [2]:", "pontoon-nz")
        at.answer("Folder for the record", "here")
        at.sees("'here' is no folder")
        at.answer("Folder for the record", "/" + 100 * "x")
        at.sees("too long for the table's socket")
        at.answer("Folder for the record", str(folder / "state"))
        at.answer("Which [1]:", "0")
        at.sees("type a number from 1 to 4")
        at.answer("Which [1]:")
        at.answer("plug it in", "99")
        at.sees("there is no 99 in the list")
        at.answer(">", "")
        at.sees("a table needs this one")
        at.answer(">", "COM1")
        at.sees("'COM1' is no port")
        at.answer(">", "/dev/tty\u3164")
        at.sees("its character 9 is U+3164 (HANGUL FILLER)")
        at.answer(">", "usb")
        at.sees("it does not hang on a usb port")
        at.answer(">", str(folder / "dev" / "shoe"))
        at.answer("Which [1]:", "3")
        at.sees("type a number from 1 to 2")
        at.answer("Which [1]:", "1")
        at.answer("Draw a card", "what?")
        at.sees("'what?' is no device; Enter goes on without trying it")
        at.answer("go on without trying it")
        at.take("pedal")
        at.sees("Press any of it")
        at.press("pedal", "left")
        at.sees("what means: go on")
        at.press("pedal", "left")
        at.sees("what means: take back")
        at.press("pedal", "left")
        at.sees("pedal.left means go on", "already: press another")
        at.answer("already", "left")
        at.sees("'left' is no press: press it, or type Enter")
        at.answer("is no press")
        at.answer("what means: that card")
        for words in ("dealer's keypad", "button box", "bonus meter"):
            at.none(words)
        at.answer("Write ", "perhaps")
        at.sees("'perhaps' is neither yes nor no")
        at.answer("Write ", "yes")

        assert at.terminal.ended() == 0
    controls = read_settings(folder / "table.toml").controls
    assert controls == {
        "pedal.left": "go-on",
        "pedal.left hold": "take-back",
        "pedal.right": "for-next",
    }


def test_the_old_file_is_kept_under_its_date_and_what_it_says_stands_in_the_brackets(
    folder: Path,
) -> None:
    file = folder / "table.toml"
    old = config(folder, {"shoe": "/dev/serial/by-path/old"}, more="[game]\nminimum = 25\n")
    old += '[devices.camera]\ndriver = "bee-tek"\nport = "/dev/serial/by-path/else"\n'
    file.write_text(old)
    file.chmod(0o640)
    with bench(folder, file) as at:
        at.answer("Name of the table [Test 1]")
        at.answer("Which [2]:")
        at.answer(f"[{folder / 'state'}]")
        at.answer("Which [1]:")
        at.sees("camera stays as it is")
        at.answer("Enter: as it was, /dev/serial/by-path/old")
        for words in ("dealer's pedal", "dealer's keypad", "button box", "bonus meter"):
            at.none(words)
        at.answer("Write ")
        assert at.terminal.ended() == 0
        (kept,) = beside(file)
        assert f"The old one is {folder / kept}" in at.terminal.text.replace("\n", "")
    before, after = read_settings(folder / kept), read_settings(file)
    assert (folder / kept).read_text() == old
    assert kept.startswith("table.toml.20")
    assert after.devices == before.devices
    assert after.game == before.game
    assert after.game.minimum == 2500
    assert (after.name, after.state, after.socket) == (before.name, before.state, before.socket)
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_file_with_a_fault_is_kept_and_begun_afresh(folder: Path) -> None:
    file = folder / "table.toml"
    file.write_text("[table\n")
    with bench(folder, file) as at:
        at.sees("is not TOML", "you begin afresh, and it is kept under its date")
        shoe_only(at, folder / "state")
        at.answer("Write ")
        assert at.terminal.ended() == 0
    (kept,) = beside(file)
    assert (folder / kept).read_text() == "[table\n"
    assert read_settings(file).name == "Pontoon 7"


@pytest.mark.parametrize("how", ["Ctrl-C", "Ctrl-D", "no"])
def test_who_gives_up_at_the_last_question_changes_nothing(folder: Path, how: str) -> None:
    file = folder / "table.toml"
    file.write_text(OLD + SHOE)
    with bench(folder, file) as at:
        at.answer("Name of the table", "Pontoon 7")
        at.answer("Which [1]:", "2")
        at.answer("Folder for the record", str(folder / "state"))
        at.answer("Which [1]:")
        at.answer("plug it in")
        for words in ("dealer's pedal", "dealer's keypad", "button box", "bonus meter"):
            at.none(words)
        at.sees("Write ")
        at.terminal.type({"Ctrl-C": "\x03", "Ctrl-D": "\x04", "no": "no\n"}[how])

        assert at.terminal.ended() == 1
        assert f"Nothing was changed: {file} is as it was." in at.terminal.text.replace("\n", "")
        assert "Traceback" not in at.terminal.text
    assert file.read_text() == OLD + SHOE
    assert beside(file) == []


@pytest.mark.parametrize("at_question", ["Name of the table", "plug it in", "Draw a card"])
def test_ctrl_c_on_the_way_changes_nothing(folder: Path, at_question: str) -> None:
    file = folder / "table.toml"
    with bench(folder, file) as at:
        if at_question != "Name of the table":
            at.begin(folder / "state")
        if at_question == "Draw a card":
            at.take("shoe")
            at.answer("Which [1]:")
        at.sees(at_question)
        at.terminal.type("\x03")

        assert at.terminal.ended() == 1
        assert "was not written" in at.terminal.text
        assert "Traceback" not in at.terminal.text
    assert not file.exists()
    assert beside(file) == []


def test_a_device_that_says_nothing_can_be_looked_for_elsewhere(folder: Path) -> None:
    with bench(folder, folder / "table.toml") as at:
        at.begin(folder / "state")
        at.answer("plug it in", str(folder / "not-there"))
        at.answer("Which [1]:", "1")
        at.sees("Nothing came", "not-there is not there; is the device plugged in?")
        at.answer("another port", "3")
        at.take("shoe")
        at.answer("Which [1]:", "1")
        at.sees("Draw a card")
        at.draw()


def test_a_port_that_another_program_has_is_named(folder: Path) -> None:
    with bench(folder, folder / "table.toml") as at:
        at.begin(folder / "state")
        at.hands.ask("switch", device="pedal", name="busy", value=True)
        at.take("shoe")
        at.answer("Which [1]:", "1")
        at.answer("go on without trying it")
        at.take("pedal")
        at.sees("Nothing came", "in use by")
        at.answer("another port", "take it all the same")
        at.sees("keypad")


def test_without_a_terminal_it_is_the_same_and_the_end_of_the_input_changes_nothing(
    folder: Path,
) -> None:
    done = tablekeeper("setup", "--config", folder / "table.toml")

    assert done.returncode == 1
    assert "Nothing was changed" in done.stdout
    assert done.stderr == ""
    assert beside(folder / "table.toml") == []


@pytest.mark.parametrize(
    ("place", "why"), [("", "is not a file"), ("file/table.toml", "cannot be written")]
)
def test_a_place_that_takes_no_file_is_told_before_any_question(
    folder: Path, place: str, why: str
) -> None:
    (folder / "file").write_text("")
    done = tablekeeper("setup", "--config", folder / place)

    assert done.returncode == 78
    assert why in done.stderr
    assert done.stdout == ""


def test_a_kill_leaves_the_old_file(folder: Path) -> None:
    file = folder / "table.toml"
    file.write_text(OLD + SHOE)
    with bench(folder, file) as at:
        at.sees("Name of the table")
        at.terminal.process.send_signal(signal.SIGTERM)
        eventually(lambda: at.terminal.process.poll() is not None, "it is gone")
    assert file.read_text() == OLD + SHOE
    assert beside(file) == []


def test_two_shuffling_devices_are_asked_who_they_are(folder: Path) -> None:
    file = folder / "table.toml"
    with bench(folder, file, "shuffler-1,shuffler-2") as at:
        at.answer("Name of the table", "Pontoon 7")
        at.answer("Which [2]:", "2")
        at.answer("Folder for the record", str(folder / "state"))
        at.answer("Which [1]:", "two shuffling devices, by turns")
        at.take("shuffler-1")
        at.sees("first shuffling device is there (reference-shuffler: online)")
        at.sees("The second shuffling device", "\n> ")
        assert at.ports["shuffler-1"] not in at.terminal.text.partition("The second")[2]
        at.take("shuffler-2")
        at.sees("second shuffling device is there")
        for words in ("dealer's pedal", "dealer's keypad", "button box", "bonus meter"):
            at.none(words)
        at.answer("Write ")
        assert at.terminal.ended() == 0
        ports = at.ports
    table = read_settings(file)
    assert table.source == "shuffler-1"
    assert {name: one.port for name, one in table.devices.items()} == ports


def test_line_settings_that_were_tried_are_written(folder: Path) -> None:
    file = folder / "table.toml"
    with bench(folder, file) as at:
        at.begin(folder / "state")
        at.answer("plug it in", str(folder / "not-there"))
        at.answer("Which [1]:", "1")
        at.answer("another port", "other line settings")
        at.answer("Speed and framing [4800 8N1]", "fast")
        at.sees("'fast' is not understood: write it as 9600 8N1")
        at.answer("Speed and framing", "4800 7e2")
        at.answer("another port", "take it all the same")
        for words in ("dealer's pedal", "dealer's keypad", "button box", "bonus meter"):
            at.none(words)
        at.answer("Write ")
        assert at.terminal.ended() == 0
    assert read_settings(file).devices["shoe"].options == {"baud": 4800, "framing": "7E2"}


def test_keys_can_mean_something_else_each_by_pressing_it(folder: Path) -> None:
    file = folder / "table.toml"
    with bench(folder, file, "shoe,keys") as at:
        at.begin(folder / "state")
        at.take("shoe")
        at.answer("Which [1]:", "1")
        at.answer("go on without trying it")
        at.none("dealer's pedal")
        at.take("keys")
        at.sees("Press any key")
        at.press("keys", "5")
        at.answer("Do its keys mean the usual", "no")
        for action in ON_KEYS:
            at.sees(f"what means: {WORDS.get(action, action)}", "-: nothing")
            at.terminal.forget()
            if action == "double":
                at.press("keys", "F5")
                at.sees("keys.F5 means double")
            else:
                at.terminal.type("-\n" if action == "split" else "\n")
        for words in ("button box", "bonus meter"):
            at.none(words)
        at.answer("Write ")
        assert at.terminal.ended() == 0
    keys = {c: a for c, a in read_settings(file).controls.items() if c.startswith("keys.")}
    wanted = {c: a for c, a in usual("keys").items() if a not in {"double", "split"}}
    once = {action: control for control, action in reversed(wanted.items())}
    assert keys == {control: action for action, control in once.items()} | {"keys.F5": "double"}


def test_of_two_ports_that_come_at_once_one_is_chosen(folder: Path) -> None:
    with bench(folder, folder / "table.toml", "shoe,buttons") as at:
        at.begin(folder / "state")
        at.sees("plug it in")
        for device in ("shoe", "buttons"):
            at.hands.ask("unplug", device=device)
            at.sees(f"{at.ports[device]} is out; put it back")
        at.terminal.forget()
        for device in ("shoe", "buttons"):
            at.hands.ask("plug", device=device)
        at.sees("2 ports came at once: type which it is")
        at.take("shoe")
        at.answer("Which [1]:", "1")
        at.sees("Draw a card")
        at.draw()


def test_a_port_that_a_device_has_is_offered_under_no_other_name(folder: Path) -> None:
    file = folder / "table.toml"
    alias = folder / "alias"
    alias.symlink_to(folder / "dev" / "shoe")
    file.write_text(config(folder, {"shoe": str(alias)}))
    with bench(folder, file, "shoe,buttons") as at:
        at.answer("Name of the table")
        at.answer("Which [2]:")
        at.answer("Folder for the record")
        at.answer("Which [1]:")
        at.answer(f"Enter: as it was, {alias}")
        for words in ("dealer's pedal", "dealer's keypad"):
            at.none(words)
        offered = at.sees("button box", at.ports["buttons"], "\n> ").partition("button box")[2]

        assert at.ports["shoe"] not in offered
