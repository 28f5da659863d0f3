"""Somebody who can compute everything but a signature is found, up to the last checkpoint."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.eventlog import Entry, EventLog, LogAltered, canonical, schema, verify
from controller.eventlog.files import days_in, key_folder
from controller.eventlog.signing import PublicKey, SigningKey, read_public
from tests import forger
from tests.logs import copy_log

AT = "2026-05-09T07:35:25.123456Z"


def entry(kind: str = "note", **body: object) -> Entry:
    return Entry(1, kind, canonical(body))


@pytest.fixture(scope="session")
def two_days(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a log of two days, nine rows each, the last two not signed."""
    folder = tmp_path_factory.mktemp("two-days") / "log"
    with closing(EventLog.open(folder)) as log:
        for day in (1, 2):
            log.begin_day(AT, {"date": f"2026-05-0{day}"})
            for pays in (500, 600):
                log.append(AT, entry("card-out", card="AS"))
                log.append(AT, entry("asked"), [entry("settled", pays=pays)])
            log.append(AT, entry("note"), [entry("note", text="not signed")])
    return folder


@pytest.fixture
def folder(two_days: Path, tmp_path: Path) -> Path:
    return copy_log(two_days, tmp_path / "log")


def last_file(folder: Path) -> Path:
    return days_in(folder)[-1].path


def test_a_payment_rewritten_with_all_hashes_and_the_witness_is_found(folder: Path) -> None:
    file = last_file(folder)
    rows = forger.rewrite(file, forger.body_replaced('"pays":600', '"pays":900'))
    forger.note(folder, rows)

    verdict = verify(folder)
    assert verdict.first_bad is not None
    # The first payment of the day, event 13, is signed and holds.
    assert (verdict.first_bad.seq, verdict.events, verdict.signed) == (15, 14, 14)
    assert "another hash" in verdict.first_bad.what
    with pytest.raises(LogAltered, match="not signed by the day's key"):
        EventLog.open(folder)


def test_it_is_found_without_the_copy_beside_the_file_too(folder: Path) -> None:
    file = last_file(folder)
    rows = forger.rewrite(file, forger.body_replaced('"pays":600', '"pays":900'))
    forger.note(folder, rows)
    file.with_suffix(".checkpoints").write_bytes(b"")

    verdict = verify(folder)
    assert verdict.first_bad is not None
    assert (verdict.first_bad.seq, verdict.events) == (15, 14)
    assert verdict.first_bad.what.startswith("events 15 to 17 rewritten, all or some")


@settings(max_examples=40, deadline=None)
@given(seq=st.integers(11, 17), value=st.sampled_from(["note", "started", "settled"]))
def test_any_signed_row_rewritten_is_found(two_days, tmp_path_factory, seq, value) -> None:
    folder = copy_log(two_days, tmp_path_factory.mktemp("rewritten") / "log")

    def change(content):
        if content.seq != seq or (content.kind, value) == ("day-opened", "note"):
            return content
        return msgspec.structs.replace(content, kind=value, body=msgspec.Raw(b'{"x":1}'))

    rows = forger.rewrite(last_file(folder), change)
    forger.note(folder, rows)

    changed = any(row.seq == seq and bytes(row.body) == b'{"x":1}' for row in rows)
    assert verify(folder).ok is not changed
    shutil.rmtree(folder.parent)


def test_rows_after_the_last_checkpoint_are_not_covered_and_it_says_how_far_it_goes(
    folder: Path,
) -> None:
    rows = forger.rewrite(last_file(folder), forger.body_replaced("not signed", "other words"))
    forger.note(folder, rows)

    verdict = verify(folder)
    assert (verdict.ok, verdict.events, verdict.signed) == (True, 19, 17)


def change_checkpoints(folder: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(last_file(folder), isolation_level=None)) as db:
        triggers = {name: sql for (kind, name), sql in schema.OBJECTS.items() if kind == "trigger"}
        db.execute("BEGIN")
        for name in triggers:
            db.execute(f"DROP TRIGGER {name}")
        db.execute(statement, values)
        for sql in triggers.values():
            db.execute(sql)
        db.execute("COMMIT")


@pytest.mark.parametrize(
    ("statement", "seq", "what"),
    [
        ("DELETE FROM checkpoint WHERE seq = 14", 14, "its checkpoint was removed from the file"),
        ("DELETE FROM checkpoint", 11, "its checkpoint was removed from the file"),
        ("UPDATE checkpoint SET signature = 'ab' WHERE seq = 14", 14, "was changed in the file"),
        ("UPDATE checkpoint SET before = 'ab' WHERE seq = 14", 14, "was changed in the file"),
        ("UPDATE checkpoint SET signature = 'ab' WHERE seq = 17", 17, "was changed in the file"),
        ("INSERT INTO checkpoint VALUES (12, 'ab', 'ab')", 12, "forged"),
        ("INSERT INTO checkpoint VALUES (99, 'ab', 'ab')", 20, "event 99 was signed"),
        ("INSERT INTO checkpoint VALUES (3, 'ab', 'ab')", 3, "added where there is no event"),
    ],
)
@pytest.mark.parametrize("beside", [True, False])
def test_a_forged_or_missing_checkpoint_is_found(
    folder: Path, statement: str, seq: int, what: str, beside: bool
) -> None:
    change_checkpoints(folder, statement)
    if not beside:
        last_file(folder).with_suffix(".checkpoints").write_bytes(b"")

    bad = verify(folder).first_bad
    assert bad is not None
    if beside:
        assert bad.seq == seq
        assert what in bad.what
    else:  # without the copy it may be any of the rows that the checkpoint signs
        assert bad.seq <= seq


def test_a_checkpoint_beside_the_file_that_is_forged_is_found(folder: Path) -> None:
    file = last_file(folder).with_suffix(".checkpoints")
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([lines[0], lines[1].replace(b'"signature":"', b'"signature":"00')]))

    assert verify(folder).first_bad == verify(folder).first_bad
    assert "kept beside the file was forged" in str(verify(folder).first_bad)


def test_a_tail_cut_off_with_its_checkpoints_and_the_witness_is_found(folder: Path) -> None:
    with closing(sqlite3.connect(last_file(folder), isolation_level=None)) as db:
        triggers = {name: sql for (kind, name), sql in schema.OBJECTS.items() if kind == "trigger"}
        for name in triggers:
            db.execute(f"DROP TRIGGER {name}")
        db.execute("DELETE FROM event WHERE seq > 14")
        db.execute("DELETE FROM checkpoint WHERE seq > 14")
        for sql in triggers.values():
            db.execute(sql)
    forger.note(folder, forger.rewrite(last_file(folder), lambda content: content))

    bad = verify(folder).first_bad
    assert bad is not None
    assert (bad.seq, bad.what) == (15, "rows after 14 cut off: event 17 was signed")


# Keys


def test_a_key_stolen_today_signs_nothing_of_yesterday(folder: Path) -> None:
    """The forger has today's key, rewrites yesterday, and makes today name the new file."""
    first, second = (day.path for day in days_in(folder))
    key = SigningKey.load(key_folder(folder), 2)
    first.chmod(0o600)
    forger.rewrite(first, forger.body_replaced('"pays":500', '"pays":900'), sign=key.sign)
    rows = forger.rewrite(second, forger.with_previous(second), sign=key.sign)
    forger.note(folder, rows)

    verdict = verify(folder)
    assert verdict.first_bad is not None
    assert verdict.first_bad.seq <= 4
    assert "not signed by the day's key" in verdict.first_bad.what


def test_all_signed_anew_by_other_keys_is_found_by_who_kept_a_key(folder: Path) -> None:
    kept = read_public(folder / "public-keys")
    first, second = (day.path for day in days_in(folder))
    keys = [SigningKey.create(folder.parent / "forged", number) for number in (1, 2)]
    first.chmod(0o600)
    handed = keys[0].hand_over(2, keys[1].public)
    renamed = forger.body_replaced(kept[1].key, handed.key)
    resigned = forger.body_replaced(kept[1].by, handed.by)
    to_first, to_second = forger.with_key(keys[0]), forger.with_key(keys[1])
    forger.rewrite(first, lambda row: resigned(renamed(to_first(row))), sign=keys[0].sign)
    before = forger.with_previous(second)
    forger.note(folder, forger.rewrite(second, lambda r: before(to_second(r)), sign=keys[1].sign))
    lines = [PublicKey(1, keys[0].public), handed]
    (folder / "public-keys").write_bytes(b"\n".join(map(msgspec.json.encode, lines)))

    assert verify(folder).ok  # all that the folder says agrees
    for one in kept:
        bad = verify(folder, keys=[one.key]).first_bad
        assert bad is not None
        assert "is none of this log's days" in bad.what


def test_whoever_knows_the_first_key_can_tell_all_later_ones(folder: Path) -> None:
    keys = read_public(folder / "public-keys")
    assert verify(folder, keys=[keys[0].key]).ok
    assert verify(folder, keys=[keys[1].key]).ok

    lines = [keys[0], msgspec.structs.replace(keys[1], by="ab" * 64)]
    (folder / "public-keys").write_bytes(b"\n".join(map(msgspec.json.encode, lines)))
    bad = verify(folder, keys=[keys[0].key]).first_bad
    assert bad is not None
    assert bad.what == "day 2: its key was not handed over by the day before"
