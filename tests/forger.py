"""Somebody who owns the files and knows the format: rows rewritten with all that can be computed.

What can't be computed is a signature: the key of the day is needed for that.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from controller.eventlog import Content, Head, Row, row_hash, schema, witness
from controller.eventlog.checkpoints import NONE_BEFORE, Checkpoint, is_due
from controller.eventlog.files import days_in, sha256_of
from controller.eventlog.row import canonical
from controller.eventlog.signing import PublicKey, SigningKey

Change = Callable[[Content], Content]
Sign = Callable[[Head, str], Checkpoint]


def rewrite(
    file: Path, change: Change, *, sign: Sign | None = None, more: Sequence[Content] = ()
) -> list[Row]:
    """Write a day's rows as ``change`` returns them, with all hashes anew and all guards back.

    Checkpoints are left as they are, or made by ``sign`` inside the file and beside it; ``more``
    rows come behind the last one.
    """
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        records = db.execute(f"{schema.SELECT} ORDER BY seq").fetchall()
        contents = [change(schema.to_row(record, file).content()) for record in records]
        rows = _chained(_hash_before(file, contents[0].seq), [*contents, *more])
        db.execute("PRAGMA ignore_check_constraints = ON")
        db.execute("BEGIN")
        unguard(db)
        db.execute("DELETE FROM event")
        db.executemany(_INSERT, map(_record, rows))
        if sign is not None:
            _sign_all(db, file, rows, sign)
        guard(db)
        db.execute("COMMIT")
    return rows


_INSERT = "INSERT INTO event VALUES (?, ?, ?, ?, ?, CAST(? AS TEXT), ?)"


def _record(row: Row) -> tuple[object, ...]:
    """Return the values of a row whose body may be no text."""
    return row.seq, row.at, row.round, row.kind, row.cause, bytes(row.body), row.hash


def note(folder: Path, rows: list[Row]) -> None:
    """Make the witness say what the rows say."""
    noted = witness.Witness.open(folder / "witness", witness.read(folder / "witness"))
    for row in rows[-2:]:
        noted.note(Head(row.seq, row.hash))
    noted.close()


def with_previous(file: Path) -> Change:
    """Make a day's first row name the file before as that is now."""

    def change(content: Content) -> Content:
        body = msgspec.json.decode(content.body)
        if content.kind != "day-opened" or not body["previous"]:
            return content
        days = [day.path for day in days_in(file.parent)]
        before = days[days.index(file) - 1]
        body["previous"] |= {"sha256": sha256_of(before), "hash": _hash_before(file, content.seq)}
        return msgspec.structs.replace(content, body=msgspec.Raw(canonical(body)))

    return change


def body_replaced(before: str, after: str) -> Change:
    """Change what some bodies say."""
    return lambda content: msgspec.structs.replace(
        content, body=msgspec.Raw(bytes(content.body).decode().replace(before, after).encode())
    )


def resign(folder: Path, keys: Mapping[int, SigningKey], change: Change) -> None:
    """Change the rows of the days that there are keys for, sign them, and make all else agree.

    A day's key hands over the next one's, if that is among the keys; ``public-keys`` is left.
    """
    for day in days_in(folder):
        if day.number not in keys:
            continue
        key, after = keys[day.number], keys.get(day.number + 1)
        steps = [with_previous(day.path), with_key(key), change]
        if after is not None:
            steps.append(with_next(key.hand_over(day.number + 1, after.public)))
        day.path.chmod(0o600)
        rows = rewrite(day.path, _one_after_another(steps), sign=key.sign)
        note(folder, rows)


def with_next(told: PublicKey) -> Change:
    """Make a day's last row hand over another key."""

    def change(content: Content) -> Content:
        if content.kind != "day-closed":
            return content
        body = msgspec.json.decode(content.body)
        body["next"] = {"key": told.key, "by": told.by}
        return msgspec.structs.replace(content, body=msgspec.Raw(canonical(body)))

    return change


def list_keys(folder: Path, keys: Sequence[PublicKey]) -> None:
    """Write the file ``public-keys``."""
    lines = [msgspec.json.encode(one) + b"\n" for one in keys]
    (folder / "public-keys").write_bytes(b"".join(lines))


def with_key(key: SigningKey) -> Change:
    """Make a day's first row name another key."""

    def change(content: Content) -> Content:
        if content.kind != "day-opened":
            return content
        body = msgspec.json.decode(content.body) | {"key": key.public}
        return msgspec.structs.replace(content, body=msgspec.Raw(canonical(body)))

    return change


def _one_after_another(steps: Sequence[Change]) -> Change:
    def change(content: Content) -> Content:
        for step in steps:
            content = step(content)
        return content

    return change


def _hash_before(file: Path, first: int) -> str:
    if first == 1:
        return "0" * 64
    days = [day.path for day in days_in(file.parent)]
    with closing(sqlite3.connect(days[days.index(file) - 1])) as db:
        return str(db.execute("SELECT hash FROM event ORDER BY seq DESC LIMIT 1").fetchone()[0])


def _chained(previous: str, contents: list[Content]) -> list[Row]:
    rows = []
    for content in contents:
        previous = row_hash(previous, content)
        rows.append(Row(**msgspec.structs.asdict(content), hash=previous))
    return rows


def unguard(db: sqlite3.Connection) -> None:
    for kind, name in schema.OBJECTS:
        if kind == "trigger":
            db.execute(f"DROP TRIGGER {name}")


def guard(db: sqlite3.Connection) -> None:
    for (kind, _), sql in schema.OBJECTS.items():
        if kind == "trigger":
            db.execute(sql)


def _sign_all(db: sqlite3.Connection, file: Path, rows: list[Row], sign: Sign) -> None:
    seqs = [seq for (seq,) in db.execute("SELECT seq FROM checkpoint ORDER BY seq")]
    by_seq = {row.seq: row for row in rows}
    assert any(is_due([row]) for row in rows)
    db.execute("DELETE FROM checkpoint")
    lines, before = [], NONE_BEFORE
    for seq in seqs:
        checkpoint = sign(Head(seq, by_seq[seq].hash), before)
        before = checkpoint.after
        values = (seq, checkpoint.before, checkpoint.signature)
        db.execute(schema.INSERT_CHECKPOINT, values)
        lines.append(msgspec.json.encode(checkpoint) + b"\n")
    file.with_suffix(".checkpoints").write_bytes(b"".join(lines))
