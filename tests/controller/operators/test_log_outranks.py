"""The event log outranks the operators' file: one that was put back or changed lets nobody in."""

import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.eventlog import EventLog
from controller.events import OperatorAdded, OperatorDisabled, OperatorGotPin
from controller.operators.hashing import Secret
from controller.operators.store import Store
from controller.table.record import entry
from tests.system.processes import PATIENCE, PROGRAM, eventually
from tests.system.real import PIN, SUPERVISOR, RealTable, give_back, sign_in, signed_in
from tests.system.table import config
from tests.system.talk import Talk

OTHER_PIN = "592741"
WRONG = "4826"


def keep(table: RealTable, to: Path) -> None:
    """Copy the operators' file as it is at one moment, and the pepper."""
    to.mkdir()
    with (
        closing(sqlite3.connect(table.state / "operators.db")) as source,
        closing(sqlite3.connect(to / "operators.db")) as copy,
    ):
        source.backup(copy)
    shutil.copy(table.state / "pepper", to)
    own(table)


def put_back(table: RealTable, kept: Path) -> None:
    for file in table.state.glob("operators.db*"):
        file.unlink()
    for file in kept.glob("*"):
        shutil.copy(file, table.state / file.name)
        (table.state / file.name).chmod(0o600)
    own(table)


def own(table: RealTable) -> None:
    """Give what was written to the table's user."""
    give_back(table)
    user = table.state.stat()
    shutil.chown(table.state / "pepper", user.st_uid, user.st_gid)


def change(table: RealTable, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(table.state / "operators.db")) as db, db:
        db.execute(statement, values)
    own(table)


def alarm(table: RealTable) -> str:
    """Return what the alarm says that stands because the file is not what the log says."""
    view = table.watch.until(
        lambda view: any("operators' file" in one for one in view["alarms"]), "an alarm"
    )
    return next(one for one in view["alarms"] if "operators' file" in one)


def is_let_in(table: RealTable, name: str = SUPERVISOR, pin: str = PIN) -> bool:
    with Talk(table.socket) as talk:
        return bool(sign_in(talk, name, pin)["ok"])


def why_refused(table: RealTable) -> list[str]:
    return [row["body"]["why"] for row in table.rows("sign-in-refused")]


@pytest.fixture(params=["while it runs", "while it is stopped"])
def meddle(request: pytest.FixtureRequest, real: RealTable) -> Callable[[Callable[[], None]], None]:
    """Let something be done to the files, and the table find them so."""

    def do(what: Callable[[], None]) -> None:
        stopped = request.param == "while it is stopped"
        if stopped:
            real.stop()
        what()
        if stopped:
            real.start()

    return do


Meddle = Callable[[Callable[[], None]], None]


def test_who_is_disabled_in_the_log_stays_so(real: RealTable, meddle: Meddle) -> None:
    real.add()
    keep(real, real.folder / "kept")
    assert real.operators("disable", SUPERVISOR).returncode == 0
    real.watch.event("operator-disabled")

    meddle(lambda: put_back(real, real.folder / "kept"))

    assert "ines is disabled in the log and not in the file" in alarm(real)
    assert not is_let_in(real)
    assert why_refused(real) == ["disabled"]
    assert "refused: ines is disabled in the log" in real.operators("list").stdout
    real.watch.ask("confirm-layout")  # as after a start; else it is refused
    real.watch.must("wager", box=2, player="ann", main=1000)  # the table goes on
    assert real.operators("disable", SUPERVISOR).returncode == 0
    eventually(
        lambda: real.rows("operators-differ")[-1]["body"]["differs"] == [], "they agree again"
    )


def test_an_old_pin_is_none_any_more(real: RealTable, meddle: Meddle) -> None:
    real.add()
    keep(real, real.folder / "kept")
    assert real.operators("pin", SUPERVISOR, pin=OTHER_PIN).returncode == 0
    real.watch.event("operator-new-pin")

    meddle(lambda: put_back(real, real.folder / "kept"))

    assert "the PIN of ines in the file is not the one" in alarm(real)
    assert not is_let_in(real)
    assert why_refused(real) == ["unlike-log"]
    assert real.operators("pin", SUPERVISOR, pin="70418").returncode == 0
    real.watch.event("operator-new-pin")
    assert is_let_in(real, pin="70418")


def test_a_file_kept_before_its_change_was_recorded_is_recorded_once(real: RealTable) -> None:
    """A copy in which a change still waits: it is not told to the log as a new one."""
    real.stop()
    assert real.operators("add", SUPERVISOR, "game-supervisor", pin=PIN).returncode == 0
    keep(real, real.folder / "kept")
    real.start()
    eventually(lambda: bool(real.rows("operator-added")), "the change is recorded")
    assert real.operators("pin", SUPERVISOR, pin=OTHER_PIN).returncode == 0
    real.watch.event("operator-new-pin")
    real.stop()
    put_back(real, real.folder / "kept")
    real.start()

    alarm(real)
    assert not is_let_in(real)
    assert len(real.rows("operator-added")) == 1


def test_a_pin_written_into_the_file_by_hand_is_none(real: RealTable, meddle: Meddle) -> None:
    """Somebody has the pepper, and writes a hash of a PIN that they know."""
    real.add()
    pepper = bytes.fromhex((real.state / "pepper").read_text())
    secret = Secret.of(pepper, SUPERVISOR, "game-supervisor", OTHER_PIN)

    meddle(lambda: change(real, "UPDATE operator SET salt = ?, hash = ?", secret.salt, secret.hash))

    alarm(real)
    assert not is_let_in(real, pin=OTHER_PIN)


def test_a_role_written_into_the_file_by_hand_is_none(real: RealTable) -> None:
    real.add("mo", "dealer", OTHER_PIN)
    pepper = bytes.fromhex((real.state / "pepper").read_text())
    secret = Secret.of(pepper, "mo", "pit-manager", OTHER_PIN)

    change(
        real,
        "UPDATE operator SET role = 'pit-manager', salt = ?, hash = ?",
        secret.salt,
        secret.hash,
    )

    assert "mo is pit-manager in the file and dealer in the log" in alarm(real)
    assert not is_let_in(real, "mo", OTHER_PIN)


def test_somebody_whom_the_log_never_saw_is_not_let_in(real: RealTable, meddle: Meddle) -> None:
    real.add()

    def add_in_silence() -> None:
        pepper = bytes.fromhex((real.state / "pepper").read_text())
        secret = Secret.of(pepper, "mal", "pit-manager", OTHER_PIN)
        change(
            real,
            "INSERT INTO operator (name, role, salt, hash, cost, block, lanes)"
            " VALUES ('mal', 'pit-manager', ?, ?, ?, ?, ?)",
            secret.salt,
            secret.hash,
            secret.cost,
            secret.block,
            secret.lanes,
        )

    meddle(add_in_silence)

    assert "mal (pit-manager) is in the file, and the log knows nobody" in alarm(real)
    assert not is_let_in(real, "mal", OTHER_PIN)
    assert is_let_in(real)  # all others are
    assert why_refused(real) == ["unlike-log"]


@pytest.mark.parametrize("how", ["deleted", "emptied", "without one"])
def test_a_file_that_lacks_people_is_told(real: RealTable, how: str) -> None:
    real.add()
    real.add("mo", "dealer", OTHER_PIN)
    if how == "without one":
        change(real, "DELETE FROM operator WHERE name = 'ines'")
    elif how == "emptied":
        change(real, "DELETE FROM operator")
    else:
        for file in real.state.glob("operators.db*"):
            file.unlink()

    said = alarm(real)
    assert "ines (game-supervisor) is missing from the file" in said
    assert ("mo (dealer) is missing" in said) == (how != "without one")
    assert not is_let_in(real)


def test_people_added_anew_to_a_new_file_are_let_in_and_the_disabled_are_not(
    real: RealTable,
) -> None:
    """The way on after a pepper was lost: everybody is added again, by the command."""
    real.add()
    real.add("mo", "dealer", OTHER_PIN)
    assert real.operators("disable", "mo").returncode == 0
    real.watch.event("operator-disabled")
    for file in (*real.state.glob("operators.db*"), real.state / "pepper"):
        file.unlink()
    alarm(real)

    assert "ines (game-supervisor) is missing from the file" in real.operators("list").stdout
    real.add(pin=OTHER_PIN)
    again = real.operators("add", "mo", "dealer", pin=OTHER_PIN)

    assert (again.returncode, "mo was disabled, as the log says" in again.stderr) == (2, True)
    assert is_let_in(real, pin=OTHER_PIN)
    eventually(
        lambda: real.rows("operators-differ")[-1]["body"]["differs"] == [], "they agree again"
    )


def test_wrong_pins_count_on_from_the_log(real: RealTable, meddle: Meddle) -> None:
    real.add()
    keep(real, real.folder / "kept")
    with Talk(real.socket) as talk:
        for _ in range(3):
            sign_in(talk, pin=WRONG)

    meddle(lambda: put_back(real, real.folder / "kept"))

    assert "wrong PINs of ines: 0 by the file, 3 by the log" in alarm(real)
    with Talk(real.socket) as talk:
        sign_in(talk, pin=WRONG)
        assert "locked out now" in sign_in(talk, pin=WRONG)["error"]


def test_a_lock_that_was_wiped_is_back(real: RealTable) -> None:
    real.add()
    with Talk(real.socket) as talk:
        for _ in range(5):
            sign_in(talk, pin=WRONG)
        change(real, "DELETE FROM lock")

        assert "locked out" in sign_in(talk)["error"]


def test_who_signed_in_is_forgiven_and_nothing_is_told(real: RealTable) -> None:
    real.add()
    with Talk(real.socket) as talk:
        for _ in range(3):
            sign_in(talk, pin=WRONG)
        signed_in(talk)
        for _ in range(3):
            sign_in(talk, pin=WRONG)
        signed_in(talk)
    real.kill()
    real.start()
    with Talk(real.socket) as talk:
        signed_in(talk)

    assert real.rows("operators-differ") == []


@pytest.mark.parametrize("in_the_log", ["disabled", "another PIN", "as in the file"])
def test_who_says_how_it_goes_on_after_a_cut_is_who_the_log_knows(
    tmp_path: Path, in_the_log: str
) -> None:
    """``recover --as``: the table is away, and its log and operators' file lie there."""
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    Store(state).add(SUPERVISOR, "game-supervisor", PIN)
    (added,) = Store(state).changes()
    Store(state).recorded(added.number)
    who = {"who": SUPERVISOR, "role": "game-supervisor", "pid": 1, "uid": 1}
    later = {
        "disabled": [OperatorDisabled(**who, change=2)],
        "another PIN": [OperatorGotPin(**who, change=2, mark="another")],
        "as in the file": [],
    }
    with closing(EventLog.open(state / "log")) as event_log:
        for event in (OperatorAdded(**who, change=1, mark=added.mark), *later[in_the_log]):
            event_log.append("2026-05-09T07:35:25.123456Z", entry(0, event))
    file = tmp_path / "table.toml"
    file.write_text(config(tmp_path, {"shoe": str(tmp_path / "nothing")}, state=state))

    done = subprocess.run(
        [*PROGRAM, "recover", "--config", str(file), "--as", SUPERVISOR, "--new-key"],
        input=f"{PIN}\n",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )

    if in_the_log == "as in the file":
        assert (done.returncode, done.stderr) == (0, "")
    else:
        assert (done.returncode, "the log counts" in done.stderr) == (2, True)
