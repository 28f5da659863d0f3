# ruff: noqa: S608 - the names put into statements come from this file
"""Whatever is done to rows behind a log's back is found, and named as far as it can be told."""

import random
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from controller.eventlog import GENESIS, Entry, EventLog, FirstBad, Head, canonical, schema, verify
from controller.eventlog.chain import seal
from controller.eventlog.scan import NEARBY
from controller.eventlog.witness import Witness, read
from tests.logs import copy_log

AT = "2026-05-09T07:35:25.123456Z"
ROWS = 13
Record = tuple[Any, ...]


def entry(kind: str = "note", **body: object) -> Entry:
    return Entry(1, kind, canonical(body))


def records(db: sqlite3.Connection) -> list[Record]:
    return db.execute(f"{schema.SELECT} ORDER BY seq").fetchall()


def rewrite(db: sqlite3.Connection, changed: list[Record]) -> None:
    db.execute("DELETE FROM event")
    db.executemany(schema.INSERT, changed)


def numbered(changed: list[Record]) -> list[Record]:
    """Return the records with numbers from 1 on, as a careful forger would leave them."""
    return [(seq, *record[1:]) for seq, record in enumerate(changed, start=1)]


def sealed(changed: list[Record]) -> list[Record]:
    """Return the records with numbers and hashes computed anew."""
    result, previous = [], GENESIS
    for record in numbered(changed):
        row = seal(previous, schema.to_row(record, Path()).content())
        previous = row.hash
        result.append(schema.to_record(row))
    return result


# Any change of any value


values = {
    "at": st.text() | st.sampled_from(["2026-05-09T07:00:00.000001Z"]),
    "round": st.integers(-(2**63), 2**63 - 1) | st.integers(0, 5),
    "kind": st.text() | st.sampled_from(["note", "due", "card-drawn"]),
    "cause": st.none() | st.integers(-(2**63), 2**63 - 1) | st.integers(1, ROWS),
    "body": st.text() | st.sampled_from(["{}", '{"paid":0}']),
    "hash": st.text() | st.text("0123456789abcdef", min_size=64, max_size=64),
}
changes = st.sampled_from(sorted(values)).flatmap(
    lambda column: st.tuples(st.just(column), values[column])
)


@settings(max_examples=150, deadline=None)
@given(seq=st.integers(1, ROWS), change=changes)
@example(seq=1, change=("cause", 0))
@example(seq=ROWS, change=("hash", GENESIS))
@example(seq=5, change=("body", ""))
def test_any_changed_value_is_found_at_its_row(two_rounds, tamper, seq, change) -> None:
    column, value = change
    with tempfile.TemporaryDirectory() as copy:
        folder = copy_log(two_rounds, Path(copy) / "log")
        with tamper(folder) as db:
            (old,) = db.execute(f"SELECT {column} FROM event WHERE seq = ?", (seq,)).fetchone()
            db.execute(f"UPDATE event SET {column} = ? WHERE seq = ?", (value, seq))
        verdict = verify(folder)

    if old == value:
        assert verdict.ok
    else:
        assert not verdict.ok
        assert verdict.first_bad is not None
        assert (verdict.first_bad.seq, verdict.events) == (seq, seq - 1)


@settings(max_examples=80, deadline=None)
@given(change=changes, seq=st.integers(1, ROWS))
def test_a_change_with_all_hashes_computed_anew_is_found_by_the_witness(
    two_rounds, tamper, change, seq
) -> None:
    column, value = change
    with tempfile.TemporaryDirectory() as copy:
        folder = copy_log(two_rounds, Path(copy) / "log")
        with tamper(folder) as db:
            (old,) = db.execute(f"SELECT {column} FROM event WHERE seq = ?", (seq,)).fetchone()
            db.execute(f"UPDATE event SET {column} = ? WHERE seq = ?", (value, seq))
            rewrite(db, sealed(records(db)))
        verdict = verify(folder)

    assert verdict.ok is (column == "hash" or old == value)


@pytest.mark.parametrize("column", ["at", "kind", "body", "hash"])
@pytest.mark.parametrize("seq", [1, 6, ROWS])
def test_text_that_is_not_utf8_is_found(folder: Path, tamper, column: str, seq: int) -> None:
    with tamper(folder) as db:
        db.execute(
            f"UPDATE event SET {column} = CAST(CAST({column} AS BLOB) || x'ff' AS TEXT)"
            " WHERE seq = ?",
            (seq,),
        )

    verdict = verify(folder)
    assert verdict.first_bad is not None
    assert verdict.first_bad.seq == seq
    assert verdict.first_bad.what.startswith(
        {"at": "time changed", "kind": "kind", "body": "body", "hash": "hash"}[column]
    )


def test_a_substitute_for_text_that_is_not_utf8_does_not_pass_for_it(
    tmp_path: Path, tamper
) -> None:
    with closing(EventLog.open(tmp_path)) as log:
        log.append(AT, entry(text="\N{REPLACEMENT CHARACTER}"))
    with tamper(tmp_path) as db:
        db.execute("UPDATE event SET body = CAST(x'7b2274657874223a22ff227d' AS TEXT)")

    assert verify(tmp_path).first_bad == FirstBad(1, "body changed: no canonical JSON object")


# Rows moved, added, taken away


orders: dict[str, Callable[[list[Record], random.Random], list[Record]]] = {
    "one removed": lambda rows, luck: without(rows, luck.randrange(ROWS)),
    "one doubled": lambda rows, luck: doubled(rows, *luck.choices(range(ROWS), k=2)),
    "two swapped": lambda rows, luck: swapped(rows, *luck.sample(range(ROWS), 2)),
    "end cut off": lambda rows, luck: rows[: luck.randrange(ROWS)],
    "begin cut off": lambda rows, luck: rows[luck.randrange(1, ROWS) :],
    "shuffled": lambda rows, luck: luck.sample(rows, ROWS),
}


def without(rows: list[Record], place: int) -> list[Record]:
    return [*rows[:place], *rows[place + 1 :]]


def doubled(rows: list[Record], place: int, to: int) -> list[Record]:
    return [*rows[:to], rows[place], *rows[to:]]


def swapped(rows: list[Record], one: int, other: int) -> list[Record]:
    rows = list(rows)
    rows[one], rows[other] = rows[other], rows[one]
    return rows


@settings(max_examples=150, deadline=None)
@given(
    how=st.sampled_from(sorted(orders)),
    finish=st.sampled_from([numbered, sealed]),
    luck=st.randoms(use_true_random=False),
)
def test_rows_removed_doubled_or_reordered_are_found(two_rounds, tamper, how, finish, luck) -> None:
    with tempfile.TemporaryDirectory() as copy:
        folder = copy_log(two_rounds, Path(copy) / "log")
        with tamper(folder) as db:
            before = records(db)
            rewrite(db, finish(orders[how](before, luck)))
            after = records(db)
        verdict = verify(folder)

    # A row put after the last one with the right hash is as good as written there.
    untouched = after == before or (finish is sealed and after[:ROWS] == before)
    assert verdict.ok is untouched


# What was done, in words


def set_value(column: str, value: object, seq: int = 8) -> Callable[[sqlite3.Connection], None]:
    def change(db: sqlite3.Connection) -> None:
        db.execute(f"UPDATE event SET {column} = ? WHERE seq = ?", (value, seq))

    return change


def reorder(change: Callable[[list[Record]], list[Record]]) -> Callable[[sqlite3.Connection], None]:
    return lambda db: rewrite(db, numbered(change(records(db))))


def run(statement: str) -> Callable[[sqlite3.Connection], None]:
    return lambda db: db.execute(statement)


INSERTED = (99, AT, 1, "card-drawn", None, '{"card":"KS"}', "ab" * 32)


@pytest.mark.parametrize(
    ("change", "seq", "what"),
    [
        (set_value("round", 2, seq=4), 4, "round changed: it was 1, it is 2"),
        (set_value("kind", "round-opened", seq=3), 3, "kind changed: it was card-drawn"),
        (set_value("cause", None, seq=4), 4, "cause changed: it was 3, it is None"),
        (set_value("cause", None, seq=3), 3, "cause changed: it was 2, it is None"),
        (set_value("at", "2026-05-09T07:01:41.000000Z", seq=2), 2, "body changed (or the time)"),
        (set_value("at", "2026-05-09T07:01:42.000000Z", seq=4), 4, "time changed: it was 2026-"),
        (set_value("at", "2026", seq=4), 4, "time changed: no time"),
        (set_value("body", '{"paid":9}', seq=6), 6, "body changed (or the time)"),
        (set_value("body", '{"paid": 9}', seq=6), 6, "body changed: no canonical"),
        (set_value("hash", "ab" * 32, seq=6), 6, "hash changed"),
        (set_value("hash", "ab", seq=6), 6, "hash changed: no SHA-256"),
        (set_value("body", "{}", seq=ROWS), ROWS, "time, body or hash changed"),
        (run("DELETE FROM event WHERE seq = 5"), 5, "row missing"),
        (run("DELETE FROM event WHERE seq IN (1, 2, 3)"), 1, "rows 1 to 3 missing"),
        (run("UPDATE event SET seq = 0 WHERE seq = 1"), 1, "row inserted with the number 0"),
        (reorder(lambda r: without(r, 4)), 5, "row missing: 1 removed here and"),
        (reorder(lambda r: [*r[:4], *r[7:]]), 5, "row missing: 3 removed here and"),
        (reorder(lambda r: swapped(r, 4, 5)), 5, "order changed: rows 5 and 6 were swapped"),
        (reorder(lambda r: swapped(r, 4, 9)), 5, "order changed: rows 5 and 10 were swapped"),
        (
            reorder(lambda r: doubled(r, 2, 6)),
            7,
            "row inserted: a copy of another; the row that belongs here is 8",
        ),
        (
            reorder(lambda r: [*r[:6], INSERTED, *r[6:]]),
            7,
            "row inserted: the row that belongs here is 8",
        ),
        (
            reorder(lambda r: [*r[:6], INSERTED, *r[7:]]),
            7,
            "row changed together with its hash, or put in place of another",
        ),
        (run("DELETE FROM event WHERE seq > 10"), 11, "rows after 10 cut off: the witness saw 13"),
        (run("DELETE FROM event"), 1, "rows after 0 cut off: event 2 was signed"),
    ],
)
def test_what_was_done_is_told_as_far_as_it_can_be(folder: Path, tamper, change, seq, what) -> None:
    with tamper(folder) as db:
        change(db)

    verdict = verify(folder)
    assert not verdict.ok
    assert verdict.first_bad is not None
    assert verdict.first_bad.seq == seq
    assert verdict.first_bad.what.startswith(what)
    assert verdict.events == seq - 1


def test_a_row_far_from_both_ends_is_explained_as_well(tmp_path: Path, tamper) -> None:
    with closing(EventLog.open(tmp_path)) as log:
        log.append(AT, entry(), [entry(n=n) for n in range(5 * NEARBY)])
    seq = 3 * NEARBY
    with tamper(tmp_path) as db:
        db.execute("UPDATE event SET round = 2 WHERE seq = ?", (seq,))

    assert verify(tmp_path).first_bad == FirstBad(seq, "round changed: it was 1, it is 2")


def test_a_quotation_mark_in_a_kind_is_found_though_the_hash_is_made_to_fit(
    folder: Path, tamper
) -> None:
    """The text that is hashed has the mark escaped; this forger left it as it is."""
    with tamper(folder) as db:
        seq, at, round_, _, cause, body, _ = records(db)[-1]
        (previous,) = db.execute("SELECT hash FROM event WHERE seq = ?", (seq - 1,)).fetchone()
        assert cause is None
        start = f'{{"seq":{seq},"at":"{at}","round":{round_},"kind":"no"te",'
        text = f'{start}"cause":null,"body":{body}}}'
        hash_ = sha256(f"{previous}\n{text}".encode()).hexdigest()
        db.execute("UPDATE event SET kind = 'no\"te', hash = ? WHERE seq = ?", (hash_, seq))
    noted = Witness.open(folder / "witness", read(folder / "witness"))
    for _ in range(2):
        noted.note(Head(seq, hash_))
    noted.close()

    assert verify(folder).first_bad == FirstBad(ROWS, "kind changed: no word as a writer puts it")
