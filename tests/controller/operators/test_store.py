"""Operators on the disk: what is kept, what a wrong PIN costs, what breaks and is told."""

import itertools
import os
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.errors import OperatorsError, UsageError
from controller.operators import hashing, schema
from controller.operators.lockout import FIRST_MS, FREE, LONGEST_MS
from controller.operators.store import NAME, Operator, Store, Tried, Verdict
from tests.controller.operators.conftest import Clock
from tests.system.processes import PATIENCE

PIN, WRONG = "83920174651", "4826"
INES = Operator("ines", "game-supervisor")


@pytest.fixture
def ines(store: Store) -> Store:
    """A store with ines in it."""
    store.add("ines", "game-supervisor", PIN)
    return store


def guess(store: Store, times: int) -> Tried:
    """Try a wrong PIN so often; return what came of the last."""
    *_, last = (store.try_pin("ines", WRONG) for _ in range(times))
    return last


def open_file(folder: Path) -> "closing[sqlite3.Connection]":
    return closing(sqlite3.connect(folder / NAME, isolation_level=None))


# --- who there is ---------------------------------------------------------------------------------


def test_the_right_pin_is_right_and_any_other_wrong(ines: Store) -> None:
    assert ines.try_pin("ines", PIN)[:2] == (Verdict.RIGHT, INES)
    assert ines.try_pin("ines", f"{PIN}1") == Tried(Verdict.WRONG, INES)
    assert ines.try_pin("ines", "") == Tried(Verdict.WRONG, INES)
    assert ines.try_pin("nobody", PIN) == Tried(Verdict.UNKNOWN, None)


def test_a_name_is_there_once_and_stays_its_owners(ines: Store) -> None:
    with pytest.raises(UsageError, match="ines is there: choose another name"):
        ines.add("ines", "pit-manager", "5927")
    ines.disable("ines")
    with pytest.raises(UsageError, match="ines was disabled, and a name stays its owner's"):
        ines.add("ines", "pit-manager", "5927")
    assert [listed.operator.role for listed in ines.all()] == ["game-supervisor"]


def test_a_disabled_operator_is_told_so_for_the_right_pin_only(ines: Store) -> None:
    ines.disable("ines")

    assert ines.try_pin("ines", PIN).verdict is Verdict.DISABLED
    assert ines.try_pin("ines", WRONG).verdict is Verdict.WRONG
    assert ines.find("ines") == Operator("ines", "game-supervisor", disabled=True)


@pytest.mark.parametrize("name", ["ines", "nobody"])
def test_who_cannot_be_changed_is_told(ines: Store, name: str) -> None:
    ines.disable("ines")
    with pytest.raises(UsageError, match=r"is disabled|nobody has this name"):
        ines.disable(name)
    with pytest.raises(UsageError, match=r"is disabled|nobody has this name"):
        ines.change_pin(name, "5927")


def test_another_pin_takes_the_place_of_the_first_and_ends_a_lock(ines: Store) -> None:
    guess(ines, FREE + 1)
    ines.change_pin("ines", "592741")

    assert ines.try_pin("ines", PIN).verdict is Verdict.WRONG
    assert ines.try_pin("ines", "592741").verdict is Verdict.RIGHT
    with pytest.raises(UsageError, match="4 to 12 digits"):
        ines.change_pin("ines", "1234")


def test_changes_wait_for_the_event_log_in_their_order(ines: Store) -> None:
    ines.disable("ines")
    added, disabled = ines.changes()
    assert (added.kind, disabled.kind) == ("added", "disabled")
    assert (added.name, added.role) == ("ines", "game-supervisor")
    assert (added.pid, added.uid) == (os.getpid(), os.getuid())

    ines.recorded(added.number)
    ines.add("mo", "dealer", "5927")
    assert [(one.number, one.name) for one in ines.changes()] == [(2, "ines"), (3, "mo")]


# --- what is kept of a PIN ------------------------------------------------------------------------


def test_equal_pins_are_kept_differently(ines: Store, tmp_path: Path) -> None:
    ines.add("mo", "game-supervisor", PIN)
    with open_file(tmp_path) as db:
        rows = db.execute("SELECT salt, hash, cost, block, lanes FROM operator").fetchall()
    assert len({salt for salt, *_ in rows}) == len({hash_ for _, hash_, *_ in rows}) == 2
    assert {tuple(cost) for _, _, *cost in rows} == {(hashing.COST, hashing.BLOCK, hashing.LANES)}


def test_a_hash_is_of_its_name_and_role_alone(ines: Store, tmp_path: Path) -> None:
    ines.add("mo", "dealer", "5927")
    with open_file(tmp_path) as db:
        db.execute("UPDATE operator SET role = 'casino-duty-manager' WHERE name = 'ines'")
        db.execute(
            "UPDATE operator SET (salt, hash) ="
            " (SELECT salt, hash FROM operator WHERE name = 'ines') WHERE name = 'mo'"
        )
    assert ines.try_pin("ines", PIN).verdict is Verdict.WRONG
    assert ines.try_pin("mo", PIN).verdict is Verdict.WRONG


def test_only_the_owner_may_read_the_files(ines: Store, tmp_path: Path) -> None:
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert modes == {NAME: 0o600, "pepper": 0o600}


def test_a_name_that_nobody_has_costs_as_much_also_when_it_is_locked(ines: Store) -> None:
    """In time of the processor: what else runs on the machine is no matter."""

    def cost(name: str) -> float:
        before = time.thread_time()
        ines.try_pin(name, WRONG)
        return time.thread_time() - before

    costs = [(cost("ines"), cost("nobody")) for _ in range(2 * FREE)]
    for part in (costs[:FREE], costs[FREE:]):
        known, unknown = (min(times) for times in zip(*part, strict=True))
        assert 0.7 < unknown / known < 1.4
    open_, locked = (min(known for known, _ in part) for part in (costs[:FREE], costs[FREE + 1 :]))
    assert 0.7 < locked / open_ < 1.4


def test_a_name_that_nobody_has_is_locked_out_alike(ines: Store, clock: Clock) -> None:
    for wait in [*[0] * FREE, 10_000, 10_000, 10_000, 60_000, 1000, 10**7, 0]:
        clock.mono += wait
        known, unknown = (ines.try_pin(name, WRONG) for name in ("ines", "nobody"))
        assert known.locked_ms == unknown.locked_ms
        assert (known.verdict is Verdict.LOCKED) == (unknown.verdict is Verdict.LOCKED)
        assert unknown.operator is None
        assert ines.try_pin("nobody else", WRONG) is not None  # counted apart


def test_a_name_that_nobody_has_is_kept_nowhere_and_many_take_no_room(
    ines: Store, tmp_path: Path
) -> None:
    for name in (PIN, "4826", "no-operator"):
        ines.try_pin(name, WRONG)
    with open_file(tmp_path) as db:
        names = {name for (name,) in db.execute("SELECT name FROM lock WHERE name <> 'ines'")}
    assert len(names) == 3
    assert {len(name) for name in names} == {len("?0000")}
    written = b"".join(file.read_bytes() for file in tmp_path.glob(f"{NAME}*"))
    assert [name for name in (PIN, "no-operator") if name.encode() in written] == []


# --- lock-out -------------------------------------------------------------------------------------


def test_wrong_pins_lock_even_the_right_one_out_until_the_time_is_over(
    ines: Store, clock: Clock
) -> None:
    assert guess(ines, FREE) == Tried(Verdict.WRONG, INES)
    assert guess(ines, 1) == Tried(Verdict.WRONG, INES, FIRST_MS)

    clock.mono += FIRST_MS - 1
    assert ines.try_pin("ines", PIN) == Tried(Verdict.LOCKED, INES, 1)
    clock.mono += 1
    assert ines.try_pin("ines", PIN)[:2] == (Verdict.RIGHT, INES)


def test_each_further_wrong_pin_locks_for_twice_as_long_up_to_a_bound(
    ines: Store, clock: Clock
) -> None:
    guess(ines, FREE)
    locks = []
    for _ in range(7):
        locks.append(guess(ines, 1).locked_ms)
        clock.mono += locks[-1]
    assert locks == [min(FIRST_MS * 2**number, LONGEST_MS) for number in range(7)]


def test_the_right_pin_ends_the_count(ines: Store) -> None:
    guess(ines, FREE)
    assert ines.try_pin("ines", PIN).verdict is Verdict.RIGHT
    assert guess(ines, FREE) == Tried(Verdict.WRONG, INES)


def test_tries_while_locked_out_neither_count_nor_prolong(ines: Store, clock: Clock) -> None:
    guess(ines, FREE + 1)
    clock.mono += 10_000
    assert {guess(ines, 1) for _ in range(3)} == {Tried(Verdict.LOCKED, INES, FIRST_MS - 10_000)}
    assert [listed.locked_ms for listed in ines.all()] == [FIRST_MS - 10_000]


def test_each_operator_is_counted_alone_and_strangers_lock_nobody_out(ines: Store) -> None:
    ines.add("mo", "pit-manager", "5927")
    guess(ines, FREE + 1)
    for _ in range(FREE):
        assert ines.try_pin("nobody", WRONG) == Tried(Verdict.UNKNOWN, None)
    assert ines.try_pin("nobody", WRONG) == Tried(Verdict.UNKNOWN, None, FIRST_MS)
    assert ines.try_pin("nobody", PIN) == Tried(Verdict.LOCKED, None, FIRST_MS)
    assert ines.try_pin("mo", "5927").verdict is Verdict.RIGHT


def test_a_lock_outlives_the_program_and_a_restart_of_the_machine(
    ines: Store, tmp_path: Path, clock: Clock
) -> None:
    guess(ines, FREE + 1)
    clock.mono += 20_000
    assert Store(tmp_path, clock).try_pin("ines", PIN).locked_ms == FIRST_MS - 20_000

    clock.restart()
    clock.mono += 3_600_000  # nobody knows how long it was off
    assert Store(tmp_path, clock).try_pin("ines", PIN).locked_ms == FIRST_MS - 20_000
    clock.mono += FIRST_MS - 20_000
    assert Store(tmp_path, clock).try_pin("ines", PIN).verdict is Verdict.RIGHT


GUESSING = """\
import os, sys
from pathlib import Path
from controller.operators import hashing, store
store.Secret.is_of = lambda *_: os.kill(os.getpid(), 9)
store.Store(Path(sys.argv[1])).try_pin("ines", sys.argv[2])
"""


def test_a_cut_before_the_answer_gives_no_guess_for_nothing(tmp_path: Path) -> None:
    """Each of these processes is killed at the moment at which it would look at the PIN."""
    store = Store(tmp_path)
    store.add("ines", "game-supervisor", PIN)
    for _ in range(FREE + 1):
        command = [sys.executable, "-c", GUESSING, str(tmp_path), WRONG]
        assert subprocess.run(command, timeout=PATIENCE, check=False).returncode == -9

    assert store.try_pin("ines", PIN).verdict is Verdict.LOCKED


# --- what breaks ----------------------------------------------------------------------------------


def test_without_operators_nobody_can_sign_in_and_nothing_is_made(
    store: Store, tmp_path: Path
) -> None:
    with pytest.raises(
        OperatorsError, match="no operator was added yet: tablekeeper operators add"
    ):
        store.try_pin("ines", PIN)
    assert (store.all(), store.changes(), store.find("ines")) == ([], [], None)
    assert list(tmp_path.iterdir()) == []


def lose_pepper(folder: Path) -> None:
    (folder / "pepper").unlink()


def change_pepper(folder: Path) -> None:
    (folder / "pepper").write_text("ab" * 32)


def shorten_pepper(folder: Path) -> None:
    (folder / "pepper").write_text("abcd")


def show_pepper(folder: Path) -> None:
    (folder / "pepper").chmod(0o640)


def link_pepper(folder: Path) -> None:
    (folder / "pepper").rename(folder / "elsewhere")
    (folder / "pepper").symlink_to(folder / "elsewhere")


def overwrite(folder: Path) -> None:
    (folder / NAME).write_bytes(b"what is this" * 1000)


def tear(folder: Path) -> None:
    whole = (folder / NAME).read_bytes()
    (folder / NAME).write_bytes(whole[:4096] + bytes(4096) + whole[8192:])


def replace_by_another(folder: Path) -> None:
    (folder / NAME).unlink()
    with open_file(folder) as db:
        db.execute("CREATE TABLE recipe (name TEXT)")


def make_newer(folder: Path) -> None:
    with open_file(folder) as db:
        db.execute(f"PRAGMA user_version = {len(schema.STEPS) + 1}")


DAMAGE: dict[Callable[[Path], None], str] = {
    lose_pepper: "pepper: it is gone, and without it no PIN can be checked",
    change_pepper: "pepper: it is not the pepper that .* was made with",
    shorten_pepper: "pepper: it is not as it was written",
    show_pepper: r"pepper: others may read or write it \(0640\): chmod 600",
    link_pepper: "pepper: a link stands where the file should be",
    overwrite: "operators.db: it is no database",
    tear: "operators.db: it is damaged|operators.db: the database says",
    replace_by_another: "operators.db: a database of another program",
    make_newer: "operators.db: a later version wrote it",
}


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_files_that_are_not_as_they_were_are_told_and_let_nobody_in(
    ines: Store, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    damage(tmp_path)
    for act in (
        ines.check,
        lambda: ines.try_pin("ines", PIN),
        lambda: ines.add("m-o", "dealer", PIN),
    ):
        with pytest.raises(OperatorsError, match=DAMAGE[damage]) as told:
            act()
        assert PIN not in str(told.value)


def test_a_database_of_another_program_is_left_as_it_is(store: Store, tmp_path: Path) -> None:
    with open_file(tmp_path) as db:
        db.execute("CREATE TABLE recipe (name TEXT)")
    before = (tmp_path / NAME).read_bytes()
    with pytest.raises(OperatorsError, match="another program"):
        store.add("ines", "dealer", PIN)
    assert (tmp_path / NAME).read_bytes() == before


FULL = """\
import resource, sys
from pathlib import Path
from controller.errors import OperatorsError
from controller.operators.store import Store
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    Store(Path(sys.argv[1])).try_pin("ines", sys.argv[3])
except OperatorsError as fault:
    print(fault)
"""


def test_a_disk_that_takes_nothing_lets_nobody_guess(ines: Store, tmp_path: Path) -> None:
    command = [sys.executable, "-c", FULL, str(tmp_path), "100", PIN]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)

    assert "operators.db: the disk" in done.stdout
    assert "free space" in done.stdout
    assert done.stderr == ""
    assert ines.try_pin("ines", PIN).verdict is Verdict.RIGHT


def test_two_who_add_at_once_use_one_pepper(tmp_path: Path) -> None:
    adding = "import sys; from pathlib import Path; from controller.operators.store import Store\n"
    adding += "Store(Path(sys.argv[1])).add(sys.argv[2], 'dealer', '5927')"
    children = [
        subprocess.Popen([sys.executable, "-c", adding, str(tmp_path), name])
        for name in ("ann", "bob", "cam")
    ]
    assert [child.wait(PATIENCE) for child in children] == [0, 0, 0]
    store = Store(tmp_path)
    verdicts = {store.try_pin(name, "5927").verdict for name in ("ann", "bob", "cam")}
    assert verdicts == {Verdict.RIGHT}


# --- formats --------------------------------------------------------------------------------------


def test_a_file_of_an_earlier_format_takes_the_steps_it_lacks(ines: Store, tmp_path: Path) -> None:
    steps = (*schema.STEPS, ("ALTER TABLE operator ADD COLUMN badge TEXT NOT NULL DEFAULT ''",))
    with open_file(tmp_path) as db:
        schema.prepare(db, tmp_path / NAME, steps)
        schema.prepare(db, tmp_path / NAME, steps)
        assert db.execute("SELECT name, badge FROM operator").fetchall() == [("ines", "")]
        assert db.execute("PRAGMA user_version").fetchone() == (len(steps),)


def test_a_step_that_fails_leaves_the_file_as_it_was(ines: Store, tmp_path: Path) -> None:
    steps = (*schema.STEPS, ("DROP TABLE lock", "ALTER TABLE nothing ADD COLUMN badge TEXT"))
    with open_file(tmp_path) as db, pytest.raises(sqlite3.Error, match="nothing"):
        schema.prepare(db, tmp_path / NAME, steps)
    assert ines.try_pin("ines", PIN).verdict is Verdict.RIGHT


def test_a_file_put_back_from_a_backup_is_the_one_that_counts(ines: Store, tmp_path: Path) -> None:
    signatures = [ines.signature()]
    backup = (tmp_path / NAME).read_bytes()
    ines.disable("ines")
    signatures.append(ines.signature())
    (tmp_path / "new").write_bytes(backup)
    (tmp_path / "new").rename(tmp_path / NAME)
    signatures.append(ines.signature())

    assert ines.try_pin("ines", PIN).verdict is Verdict.RIGHT
    assert all(one != other for one, other in itertools.pairwise(signatures))
