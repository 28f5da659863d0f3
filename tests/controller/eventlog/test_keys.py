"""A key that was kept elsewhere proves its own day and what follows from it, and nothing else."""

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from controller.eventlog import (
    Entry,
    EventLog,
    LogAltered,
    LogReader,
    Row,
    Verdict,
    canonical,
    verify,
)
from controller.eventlog.files import days_in, key_folder
from controller.eventlog.signing import PublicKey, SigningKey, read_public
from tests import forger
from tests.logs import copy_log

AT = "2026-05-09T07:35:25.123456Z"
CHEAT = forger.body_replaced('"pays":500', '"pays":900')

Lines = list[PublicKey]


class Stolen(NamedTuple):
    """A log of three days, and the private keys of all of them, each taken on its day."""

    folder: Path
    keys: dict[int, SigningKey]

    @property
    def lines(self) -> Lines:
        """What the log listed before anybody changed it."""
        return list(read_public(self.folder.with_name("true-keys")))

    def of(self, day: int) -> str:
        """Return the true public key of a day."""
        return self.keys[day].public


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("three-days")
    (top / "stolen").mkdir()
    with closing(EventLog.open(top / "log")) as log:
        for day in (1, 2, 3):
            log.begin_day(AT, {"date": f"2026-05-0{day}"})
            log.append(AT, Entry(1, "asked", canonical({})), [paid()])
            shutil.copy(key_folder(top / "log") / f"day-{day:04}.key", top / "stolen")
    return top


def paid() -> Entry:
    return Entry(1, "settled", canonical({"pays": 500}))


@pytest.fixture
def stolen(made: Path, tmp_path: Path) -> Stolen:
    folder = copy_log(made / "log", tmp_path / "log")
    shutil.copy(folder / "public-keys", tmp_path / "true-keys")
    return Stolen(folder, {day: SigningKey.load(made / "stolen", day) for day in (1, 2, 3)})


def what(verdict: Verdict) -> str:
    assert verdict.first_bad is not None
    return verdict.first_bad.what


def forged(stolen: Stolen, days: tuple[int, ...] = (1, 2, 3)) -> Lines:
    """Sign days anew by keys of the forger's own, every payment changed; return their lines."""
    own = {day: SigningKey.create(stolen.folder.parent / "own", day) for day in days}
    forger.resign(stolen.folder, own, CHEAT)
    return handed(own)


def handed(keys: dict[int, SigningKey]) -> Lines:
    return [
        keys[day - 1].hand_over(day, key.public) if day - 1 in keys else PublicKey(day, key.public)
        for day, key in keys.items()
    ]


def every_kept_key(stolen: Stolen) -> list[list[str]]:
    """All that an auditor may have kept: one key or all, with the day's number and without."""
    keys = [stolen.of(day) for day in (1, 2, 3)]
    bound = [f"{day}:{stolen.of(day)}" for day in (1, 2, 3)]
    return [*([one] for one in keys), *([one] for one in bound), keys, bound]


def test_each_kept_key_and_all_of_them_hold_for_the_true_log(stolen: Stolen) -> None:
    for kept in every_kept_key(stolen):
        assert verify(stolen.folder, keys=kept).ok


def test_true_keys_appended_under_days_that_do_not_exist_prove_nothing(stolen: Stolen) -> None:
    lines = forged(stolen)
    forger.list_keys(stolen.folder, lines)
    assert verify(stolen.folder).ok  # all that the folder says agrees

    after = [replace(one, day=one.day + 3) for one in stolen.lines]
    for kept in every_kept_key(stolen):
        for more in (after, after[:1], after[1:2], [replace(after[2], day=4)]):
            forger.list_keys(stolen.folder, [*lines, *more])
            assert not verify(stolen.folder, keys=kept).ok, (kept, more)


def test_a_true_key_listed_as_the_next_days_proves_nothing(stolen: Stolen) -> None:
    """The one line that may be there before its day: any key can be handed over, by anybody."""
    lines = forged(stolen)
    for day in (1, 2, 3):
        hand_over = SigningKey.load(stolen.folder.parent / "own", 3).hand_over
        forger.list_keys(stolen.folder, [*lines, hand_over(4, stolen.of(day))])
        assert "nothing is signed by the key" in what(verify(stolen.folder, keys=[stolen.of(day)]))
        assert not verify(stolen.folder, keys=[f"{day}:{stolen.of(day)}"]).ok
        assert not verify(stolen.folder, keys=[f"4:{stolen.of(day)}"]).ok


def test_all_days_signed_by_one_stolen_key_are_found_without_knowing_any(stolen: Stolen) -> None:
    one = stolen.keys[3]
    forger.resign(stolen.folder, dict.fromkeys((1, 2, 3), one), CHEAT)
    forger.list_keys(stolen.folder, handed(dict.fromkeys((1, 2, 3), one)))

    assert what(verify(stolen.folder)) == ("public-keys: one key is listed for day 1 and for day 2")


@pytest.mark.parametrize("day", [1, 2])
def test_todays_key_signs_no_earlier_day(stolen: Stolen, day: int) -> None:
    """The thief of day 3 signs a day by its key, as if it were that day's, and goes on from it."""
    own = {one: SigningKey.create(stolen.folder.parent / "own", one) for one in range(day + 1, 4)}
    keys = {day: stolen.keys[3], **own}
    forger.resign(stolen.folder, keys, CHEAT)
    lines = [*stolen.lines[: day - 1], *handed(keys)]
    forger.list_keys(stolen.folder, lines)

    assert not verify(stolen.folder, keys=[f"3:{stolen.of(3)}"]).ok
    for earlier in range(1, day):
        assert not verify(stolen.folder, keys=[stolen.of(earlier), stolen.of(3)]).ok
    note = f"is taken for that of day {day}, as this log says"
    assert any(note in one for one in verify(stolen.folder, keys=[stolen.of(3)]).notes)


def test_an_earlier_day_signed_by_its_own_stolen_key_is_not_what_the_next_one_names(
    stolen: Stolen,
) -> None:
    for kept in ([], *every_kept_key(stolen)):
        forger.resign(stolen.folder, {2: stolen.keys[2]}, CHEAT)
        assert not verify(stolen.folder, keys=kept).ok


def test_keys_swapped_in_the_list_or_in_the_files_are_found(stolen: Stolen) -> None:
    one, two, three = stolen.lines
    swapped = [replace(one, key=two.key), replace(two, key=one.key), three]
    forger.list_keys(stolen.folder, swapped)
    assert "another one than the log lists" in what(verify(stolen.folder))

    keys = {1: stolen.keys[2], 2: stolen.keys[1], 3: stolen.keys[3]}
    forger.resign(stolen.folder, keys, CHEAT)
    forger.list_keys(stolen.folder, handed(keys))
    assert verify(stolen.folder).ok  # who has all keys can make all agree, but for their days
    for day in (1, 2):
        assert not verify(stolen.folder, keys=[f"{day}:{stolen.of(day)}"]).ok


LISTS: dict[str, Callable[[Lines], Lines]] = {
    "the key of day 1 was removed": lambda k: k[1:],
    "the key of day 2 was removed": lambda k: [k[0], k[2]],
    "the key of day 3 was removed": lambda k: k[:2],
    "day 2 is listed twice": lambda k: [*k[:2], replace(k[1], key="ab" * 32), k[2]],
    "one key is listed for day 2 and for day 2": lambda k: [*k[:2], *k[1:]],
    "one key is listed for day 2 and for day 4": lambda k: [*k, replace(k[1], day=4)],
    "the lines were put in another order": lambda k: k[::-1],
    "day 0 is listed as line 1": lambda k: [replace(k[0], day=0, key="ab" * 32), *k],
    "day -1 is listed as line 4": lambda k: [*k, replace(k[0], day=-1, key="ab" * 32)],
    "for day 5, which does not exist": lambda k: [
        *k,
        PublicKey(4, "ab" * 32),
        PublicKey(5, "cd" * 32),
    ],
    "the key of day 4 was removed": lambda k: [*k, PublicKey(300_000_000, "ab" * 32)],
    "line 2 was changed: it has no key": lambda k: [k[0], replace(k[1], key=k[0].key.upper())],
}


@pytest.mark.parametrize("said", LISTS)
def test_a_list_with_lines_added_doubled_missing_or_moved_is_altered(
    stolen: Stolen, said: str
) -> None:
    forger.list_keys(stolen.folder, LISTS[said](stolen.lines))

    assert said in what(verify(stolen.folder))
    with pytest.raises(LogAltered, match="public-keys"):
        EventLog.open(stolen.folder)


def test_a_line_that_is_none_is_altered_unless_a_power_cut_tore_it(stolen: Stolen) -> None:
    file = stolen.folder / "public-keys"
    whole = file.read_bytes()
    file.write_bytes(whole + b'{"day":4,"key":"ab')
    assert verify(stolen.folder).ok
    file.write_bytes(whole + b"{}\n")
    assert what(verify(stolen.folder)).startswith("public-keys: line 4 was changed")


def test_a_key_known_for_another_day_is_told(stolen: Stolen) -> None:
    said = what(verify(stolen.folder, keys=[f"2:{stolen.of(1)}"]))
    assert "is not listed for day 2, whose it is" in said


def test_a_lost_key_is_followed_by_one_that_is_known_with_its_day(
    made: Path, tmp_path: Path
) -> None:
    """Without the day's number it might be any day's, so that a hand-over must lead to it."""
    folder = copy_log(made / "log", tmp_path / "log")
    (key_folder(folder) / "day-0003.key").unlink()
    with closing(EventLog.open(folder, new_key=True)) as log:
        log.begin_day(AT, {"date": "2026-05-04"})
    keys = [one.key for one in read_public(folder / "public-keys")]

    assert verify(folder).ok
    assert "not handed over" in what(verify(folder, keys=[keys[0]]))
    assert "not handed over" in what(verify(folder, keys=[keys[0], keys[3]]))
    assert verify(folder, keys=[keys[0], f"4:{keys[3]}"]).ok


# One day's file


def test_one_day_is_proved_by_its_own_key_or_an_earlier_one(stolen: Stolen) -> None:
    file = days_in(stolen.folder)[1].path

    for day, ok in ((1, True), (2, True), (3, False)):
        assert verify(file, keys=[stolen.of(day)]).ok is ok
    (stolen.folder / "public-keys").unlink()
    for day, ok in ((1, False), (2, True), (3, False)):
        assert verify(file, keys=[stolen.of(day)]).ok is ok


def test_one_day_is_not_proved_by_a_hand_over_that_is_missing_before_it(stolen: Stolen) -> None:
    lines = forged(stolen, (2, 3))
    last = days_in(stolen.folder)[2].path
    for listed in ([stolen.lines[0], *lines], stolen.lines[:1], stolen.lines[:2]):
        forger.list_keys(stolen.folder, listed)
        assert not verify(last, keys=[stolen.of(1)]).ok


# Days that were moved away


def test_days_in_an_archive_are_days_that_exist(stolen: Stolen, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    archive.mkdir()
    for day in days_in(stolen.folder)[:2]:
        for path in (day.path, day.checkpoints):
            path.rename(archive / path.name)

    for kept in every_kept_key(stolen):
        assert verify(stolen.folder, keys=kept, elsewhere=[archive]).ok
    with closing(EventLog.open(stolen.folder)) as log:
        log.append(AT, paid())
    forger.list_keys(stolen.folder, stolen.lines[1:])
    assert "day 1 was removed" in what(verify(stolen.folder, elsewhere=[archive]))


def test_a_key_of_a_day_that_is_over_is_told_if_it_lies_there_again(stolen: Stolen) -> None:
    keys = key_folder(stolen.folder)
    for day in (1, 2):
        shutil.copy(
            stolen.folder.parents[0] / "log-key" / "day-0003.key", keys / f"day-000{day}.key"
        )

    with closing(EventLog.open(stolen.folder)) as log:
        assert log.keys_put_back == (1, 2)
    assert [path.name for path in keys.iterdir()] == ["day-0003.key"]
    with closing(EventLog.open(stolen.folder)) as log:
        assert log.keys_put_back == ()


def test_a_key_that_a_power_cut_left_of_the_day_that_just_ended_is_no_such(tmp_path: Path) -> None:
    folder = tmp_path / "log"
    with closing(EventLog.open(folder)) as log:
        log.begin_day(AT, {"date": "2026-05-01"})
        kept = shutil.copy(key_folder(folder) / "day-0001.key", tmp_path)
        log.begin_day(AT, {"date": "2026-05-02"})
    last = days_in(folder)[-1]  # the cut came before the next day's file
    for path in (last.path, last.checkpoints):
        path.unlink()
    for name in ("-wal", "-shm"):
        last.path.with_name(last.path.name + name).unlink(missing_ok=True)
    (folder / "witness").unlink()
    shutil.copy(kept, key_folder(folder))
    forger.note(folder, _rows_of(folder))

    with closing(EventLog.open(folder)) as log:
        assert log.keys_put_back == ()
    assert [path.name for path in key_folder(folder).iterdir()] == ["day-0002.key"]


def _rows_of(folder: Path) -> list[Row]:
    with closing(LogReader.open(folder)) as reader:
        return list(reader.rows())
