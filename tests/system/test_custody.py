"""A table whose files are not in its own hands does not start, and says what mends it."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.custody import Custodian, faults
from controller.doctor.finding import Finding
from tests.system import spoiling
from tests.system.folder import short_folder
from tests.system.processes import PROGRAM
from tests.system.real import PIN, SUPERVISOR, RealTable, real_table
from tests.system.spoiling import Spoil
from tests.system.user import NOBODY, as_ordinary_user

REFUSED_WITHIN = 30.0
"""Seconds until a start that is refused has ended, on a busy machine; a pipe would hang it."""
DO_NOT_START = 78
UID = NOBODY if os.geteuid() == 0 else os.geteuid()

FILES = ("log/db", "log/checkpoints", "log/public-keys", "log/lock", "log/witness", "operators.db")
SECRETS = ("log-key/day-0001.key", "pepper")


@pytest.fixture(scope="module")
def kept() -> Iterator[Path]:
    """The folder of a real table that was opened and closed, with an operator."""
    with short_folder() as folder, real_table(folder) as table:
        table.add()
        table.stop()
        yield folder


@pytest.fixture
def own(folder: Path, kept: Path) -> Path:
    """A copy of that table in a folder of its own."""
    os.chown(folder, UID, -1)
    do(f"cp -a {kept}/state {folder}/state")
    text = (kept / "table.toml").read_text()
    (folder / "table.toml").write_text(text.replace(str(kept), str(folder)))
    return folder


def named(folder: Path, name: str) -> Path:
    """Return a file or folder of the table by the name that the tests have for it."""
    if name in {"table.toml", "."}:
        return folder / name if name != "." else folder
    state = folder / "state"
    if name in {"log/db", "log/checkpoints"}:
        (path,) = state.glob(f"log/day-*.{Path(name).name}")
        return path
    return state / name if name != "state" else state


def run(*words: object, pin: str = "") -> "subprocess.CompletedProcess[str]":
    """Run the program as the table's user; it must come to its end."""
    return subprocess.run(
        [*as_ordinary_user(), *PROGRAM, *map(str, words)],
        input=f"{pin}\n" if pin else "",
        capture_output=True,
        text=True,
        timeout=REFUSED_WITHIN,
        check=False,
    )


def told(done: "subprocess.CompletedProcess[str]") -> str:
    """Return the one line by which a program has said why it does not go on."""
    assert (done.returncode, done.stdout) == (DO_NOT_START, ""), done.stderr
    (line,) = [line for line in done.stderr.splitlines() if not line.startswith("{")]
    return line.removeprefix("tablekeeper: ")


def examined(folder: Path) -> list[Finding]:
    """Return what the doctor finds, called by the table's user."""
    done = run("doctor", "--json", "--config", folder / "table.toml")
    assert done.returncode == 1, done.stderr
    return [Finding(**each) for each in json.loads(done.stdout)["findings"]]


def still_wrong(folder: Path) -> list[str]:
    """Return what would still keep the table from starting."""
    return [str(fault) for fault in faults(folder / "state", Custodian(UID), real=True)]


def contents(folder: Path) -> dict[Path, bytes]:
    """Return every file below a folder, byte for byte."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def do(command: str) -> None:
    """Do what was said, as root does."""
    subprocess.run(["/bin/sh", "-c", command], check=True, timeout=REFUSED_WITHIN)


KINDS: dict[str, tuple[Spoil, str]] = {
    "link": (spoiling.link, "a link stands where the {} should be"),
    "link to nowhere": (spoiling.dangling, "a link stands where the {} should be"),
    "pipe": (spoiling.pipe, "a pipe stands where the {} should be"),
    "socket": (spoiling.a_socket, "a socket stands where the {} should be"),
    "folder": (spoiling.folder, "a folder stands where the {} should be"),
}
ODD = [
    *((name, kind, "file") for name in (*FILES, *SECRETS) for kind in ("link", "pipe")),
    *(("log-key/day-0001.key", kind, "file") for kind in ("link to nowhere", "socket", "folder")),
    *((name, "link", "folder") for name in ("state", "log", "log-key")),
    ("log-key", "pipe", "folder"),
]


@pytest.mark.parametrize(("name", "kind", "belongs"), ODD)
def test_something_odd_in_its_place_is_said_with_what_moves_it_away(
    own: Path, name: str, kind: str, belongs: str
) -> None:
    spoil, words = KINDS[kind]
    path = named(own, name)
    spoil(path)
    said = told(run("run", "--config", own / "table.toml"))

    assert said.startswith(f"{path}: {words.format(belongs)}")
    mend = said[said.index(f"mv {path} {path}.aside") :].partition(";")[0]
    do(mend)
    assert [line for line in still_wrong(own) if str(path) in line] == []


SECOND_NAMES = ("log/db", "log/checkpoints", "log/witness", "operators.db", "log-key/day-0001.key")


@pytest.mark.parametrize("name", SECOND_NAMES)
def test_a_second_name_of_a_file_that_is_written_is_said(own: Path, name: str) -> None:
    path = named(own, name)
    spoiling.hard_link(path)
    said = told(run("run", "--config", own / "table.toml"))

    mend = f"cp -p {path} {path}.own && mv {path}.own {path}"
    assert said == (
        f"{path}: it has another name (a hard link): what is done to one is done to both: {mend}"
    )
    do(mend)
    assert still_wrong(own) == []


LOOSE = [
    ("state", 0o770, "others than the table may write there", "chmod 700"),
    ("state", 0o702, "others than the table may write there", "chmod 700"),
    ("log", 0o770, "others than the table may write there", "chmod go-w"),
    ("log", 0o703, "others than the table may write there", "chmod go-w"),
    ("log-key", 0o777, "others than the table may write there", "chmod 700"),
    ("log/db", 0o660, "others than the table may write it", "chmod go-w"),
    ("log/witness", 0o606, "others than the table may write it", "chmod go-w"),
    ("log/public-keys", 0o622, "others than the table may write it", "chmod go-w"),
    ("log-key/day-0001.key", 0o640, "others may read or write it (0640)", "chmod 600"),
    ("log-key/day-0001.key", 0o604, "others may read or write it (0604)", "chmod 600"),
    ("pepper", 0o644, "others may read or write it (0644)", "chmod 600"),
    ("operators.db", 0o604, "others may read or write it (0604)", "chmod 600"),
    (".", 0o777, "others can put something else in the table's place there", "chmod go-w"),
    ("table.toml", 0o646, "others than root and the table may write it", "chmod go-w"),
]

EXAMINED = (".", "state", "log/db", "log-key/day-0001.key")
"""Of these the doctor is asked, too: it says what the start says."""


@pytest.mark.parametrize(("name", "mode", "words", "mend"), LOOSE)
def test_loose_rights_are_said_with_what_mends_them(
    own: Path, name: str, mode: int, words: str, mend: str
) -> None:
    path = named(own, name)
    before = contents(own / "state")
    path.chmod(mode)
    said = told(run("run", "--config", own / "table.toml"))

    assert said.startswith(f"{path}: {words}")
    assert said.endswith(f": {mend} {path}")
    if name in EXAMINED:
        assert said.removeprefix(f"{path}: ") in [
            f"{each.what}: {each.mend.removeprefix('sudo ')}" for each in examined(own)
        ]
    do(f"{mend} {path}")
    assert still_wrong(own) == []
    assert contents(own / "state") == before  # nothing was touched


@pytest.mark.parametrize("name", ["state", "log", "log-key/day-0001.key", "pepper", "log/lock"])
def test_what_belongs_to_somebody_else_is_said_with_what_gives_it_back(
    own: Path, name: str
) -> None:
    _only_for_root()
    path = named(own, name)
    spoiling.given_away(path)
    said = told(run("run", "--config", own / "table.toml"))

    assert f"{path}: not permitted: it is {spoiling.ANOTHER}'s" in said
    do(said[said.index("chown ") :].partition(";")[0])
    assert still_wrong(own) == []


def test_a_folder_around_it_that_is_another_users_is_said(own: Path) -> None:
    _only_for_root()
    spoiling.given_away(own)
    said = told(run("run", "--config", own / "table.toml"))

    assert said.startswith(f"{own}: it is {spoiling.ANOTHER}'s, who can put something else")
    do(said[said.index("chown ") :].partition(";")[0])
    assert still_wrong(own) == []


def test_a_folder_around_the_configuration_that_others_may_change_is_said(own: Path) -> None:
    etc = own / "etc"
    etc.mkdir()
    shutil.move(own / "table.toml", etc / "table.toml")
    etc.chmod(0o777)

    for command in ("run", "recover --as ines"):
        said = told(run(*command.split(), "--config", etc / "table.toml"))
        assert said.startswith(f"{etc}: others can put something else in the table's place there")
        assert said.endswith(f": chmod go-w {etc}")


def test_root_is_told_as_whom_to_recover(own: Path) -> None:
    _only_for_root()
    command = [*PROGRAM, "recover", "--as", "ines", "--config", str(own / "table.toml")]
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=REFUSED_WITHIN,
        check=False,
    )

    assert "sudo -u nobody tablekeeper" in told(done)


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_configuration_that_is_no_file_is_said(own: Path, kind: str) -> None:
    spoil, words = KINDS[kind]
    config = named(own, "table.toml")
    spoil(config)

    for command in ("run", "recover --as ines", "operators list"):
        first, *rest = command.split()
        said = told(run(first, *rest, "--config", config))
        assert said.startswith(f"{config}: {words.format('file')}"), command


@pytest.mark.parametrize("command", ["recover --as ines --config", "operators list --config"])
def test_other_commands_that_open_the_files_say_the_same(own: Path, command: str) -> None:
    key = named(own, "log-key/day-0001.key")
    key.chmod(0o644)
    said = told(run(*command.split(), own / "table.toml", pin=PIN))

    assert said == told(run("run", "--config", own / "table.toml"))
    assert said.endswith(f"chmod 600 {key}")


SPOILT_KEYS: dict[str, Spoil] = {
    "empty": lambda path: path.write_bytes(b"") and None,
    "half-written": lambda path: path.write_bytes(path.read_bytes()[:16]) and None,
    "huge": lambda path: os.truncate(path, 1 << 40),
}


@pytest.mark.parametrize("how", SPOILT_KEYS)
def test_a_key_that_is_no_key_is_said(own: Path, how: str) -> None:
    key = named(own, "log-key/day-0001.key")
    SPOILT_KEYS[how](key)
    said = told(run("run", "--config", own / "table.toml"))

    assert said.startswith(f"{key}: the key that signs day 1 of the log is gone or spoiled")
    assert "tablekeeper recover --new-key" in said


def test_names_that_no_key_has_are_left_alone(own: Path) -> None:
    for name in ("day-x.key", "day-²²²².key", "day-99999999999999999999.key", "notes"):
        odd = own / "state" / "log-key" / name
        odd.write_bytes(b"\1" * 32)
        odd.chmod(0o600)
        os.chown(odd, UID, -1)
    with _table(own) as table:
        assert table.stop() == 0
    assert len(list((own / "state" / "log-key").iterdir())) == 5


def test_a_group_of_its_own_may_read_the_log(own: Path) -> None:
    log = own / "state" / "log"
    log.chmod(0o2750)
    for file in log.iterdir():
        file.chmod(0o640)
    if os.geteuid() == 0:
        do(f"chgrp -R 12345 {log}")
    with _table(own) as table:
        table.watch.look()
        assert table.stop() == 0


def test_a_sealed_day_may_have_a_second_name_in_an_archive(own: Path) -> None:
    sealed = named(own, "log/db")
    sealed.chmod(0o400)
    spoiling.hard_link(sealed)

    assert still_wrong(own) == []


def test_a_pepper_that_a_cut_has_left_with_two_names_is_used(own: Path) -> None:
    """It is never written again, and has two names for a moment while it is made."""
    spoiling.hard_link(named(own, "pepper"))

    assert still_wrong(own) == []
    assert run("operators", "disable", "ines", "--state", own / "state").returncode == 0


def test_a_link_far_above_the_state_is_followed(own: Path) -> None:
    (own / "real").mkdir()
    shutil.move(own / "state", own / "real" / "state")
    (own / "above").symlink_to(own / "real")
    text = (own / "table.toml").read_text()
    (own / "table.toml").write_text(text.replace(f"{own}/state", f"{own}/above/state"))
    os.chown(own / "real", UID, -1)
    (own / "real").chmod(0o777)
    said = told(run("run", "--config", own / "table.toml"))

    assert f"chmod go-w {own / 'real'}" in said
    (own / "real").chmod(0o755)
    assert list(faults(own / "above" / "state", Custodian(UID), real=True)) == []


# --- while a table runs ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["operators.db", "pepper"])
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_sign_in_meets_no_link_and_hangs_on_no_pipe(own: Path, name: str, kind: str) -> None:
    with _table(own) as table:
        spoil, words = KINDS[kind]
        spoil(named(own, name))
        answer = table.watch.request(sign_in={"name": SUPERVISOR, "pin": PIN})

        assert not answer["ok"]
        assert words.format("file") in table.errors.read_text() + answer["error"]
        table.watch.look()


def test_a_link_for_the_next_key_takes_nothing_from_where_it_leads(own: Path) -> None:
    victim = own / "victim"
    victim.write_bytes(b"seven years of work")
    os.chown(victim, UID, -1)
    (own / "state" / "log-key" / "day-0001.key.new").symlink_to(victim)
    (own / "state" / "log" / "public-keys.new").symlink_to(victim)
    said = told(run("run", "--config", own / "table.toml"))

    assert "a link stands where the file should be" in said
    assert victim.read_bytes() == b"seven years of work"


def _table(folder: Path) -> RealTable:
    class Copy(RealTable):
        def _start_devices(self) -> None:
            """Take what is there."""

    return Copy(folder)


def _only_for_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
