"""The forms in which a log is taken away.  Each writes rows to a file and keeps none of them."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, BinaryIO, Final

from controller.characters import printable
from controller.errors import UsageError
from controller.eventlog import Row, as_json_line

COLUMNS: Final = ("seq", "at", "round", "kind", "cause", "body", "hash")
"""As in the database and in FORMAT.md; times are UTC, the body is JSON text."""

BATCH: Final = 10_000
"""Rows that a Parquet file takes at a time."""

_FORMULA: Final = re.compile(r"(?P<begin>^|;)(?=\s*[=+@\-\uff1d\uff0b\uff0d\uff20])")
"""Where a spreadsheet may read a formula: at the beginning of a cell, which is also behind a
semicolon wherever that is the separator."""

NO_PYARROW: Final = (
    "--format parquet needs pyarrow, which is not installed: pip install 'tablekeeper[parquet]'"
)


def write_jsonl(rows: Iterable[Row], out: BinaryIO) -> None:
    """Write one JSON object a line, as FORMAT.md describes."""
    out.writelines(as_json_line(row) + b"\n" for row in rows)


def write_csv(rows: Iterable[Row], out: BinaryIO) -> None:
    """Write comma-separated values with a header line (RFC 4180), in UTF-8.

    A spreadsheet runs nothing of it, and a terminal obeys nothing.  What cannot be seen is written
    out as in JSON, so that a body is the same JSON value; a cell that would be a formula, as none
    of an unaltered log is, begins with an apostrophe.  The rows byte for byte are in JSON lines.
    """
    writer = csv.writer(_Encoded(out), lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow(map(_cell, _values(row)))


class _Encoded:
    """A file for text that leaves the one below it open, also when that could not be written."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out

    def write(self, text: str) -> None:
        self._out.write(text.encode("utf-8", "surrogateescape"))


def write_parquet(rows: Iterable[Row], out: BinaryIO) -> None:
    """Write a Parquet file with the log's columns; times and bodies as text.

    Raises:
        UsageError: pyarrow is not installed; names the extra that has it.
    """
    pyarrow, parquet = _pyarrow()
    schema = pyarrow.schema(
        [
            pyarrow.field("seq", pyarrow.int64(), nullable=False),
            pyarrow.field("at", pyarrow.string(), nullable=False),
            pyarrow.field("round", pyarrow.int64(), nullable=False),
            pyarrow.field("kind", pyarrow.string(), nullable=False),
            pyarrow.field("cause", pyarrow.int64()),
            pyarrow.field("body", pyarrow.string(), nullable=False),
            pyarrow.field("hash", pyarrow.string(), nullable=False),
        ]
    )
    with parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        for batch in _batches(rows):
            columns = list(zip(*batch, strict=True))
            arrays = [
                pyarrow.array(column, field.type)
                for column, field in zip(columns, schema, strict=True)
            ]
            writer.write_batch(pyarrow.record_batch(arrays, schema=schema))


def check_parquet() -> None:
    """Make sure that a Parquet file can be written.

    Raises:
        UsageError: pyarrow is not installed; names the extra that has it.
    """
    _pyarrow()


FORMATS: Final[Mapping[str, Callable[[Iterable[Row], BinaryIO], None]]] = {
    "jsonl": write_jsonl,
    "csv": write_csv,
    "parquet": write_parquet,
}


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UsageError(NO_PYARROW) from None
    return pyarrow, parquet


def _batches(rows: Iterable[Row]) -> Iterator[list[tuple[Any, ...]]]:
    values = map(_values_of_unicode, rows)
    while batch := list(islice(values, BATCH)):
        yield batch


def _values(row: Row) -> tuple[Any, ...]:
    body = bytes(row.body).decode("utf-8", "surrogateescape")
    return row.seq, row.at, row.round, row.kind, row.cause, body, row.hash


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    return _FORMULA.sub(lambda at: r"\u003b" if at["begin"] else "'", printable(value))


def _values_of_unicode(row: Row) -> tuple[Any, ...]:
    """Return a row's values for a format that knows no other text than Unicode."""
    body = bytes(row.body).decode("utf-8", "replace")
    return row.seq, row.at, row.round, row.kind, row.cause, body, row.hash
