"""A log as text for people, one line an event."""

from collections.abc import Iterable, Iterator
from datetime import datetime

import msgspec

from controller.characters import printable
from controller.eventlog.row import Row

VALUE_WIDTH = 40
"""Longest value shown, in characters; the export has them whole."""


def lines(rows: Iterable[Row]) -> Iterator[str]:
    """Yield one line a row: local time, seq, round, kind, cause, and the body in short.

    ::

        09:35:25     41  4711 card-drawn           <-40    box=3 card=AS
    """
    for row in rows:
        cause = "" if row.cause is None else f"<-{row.cause}"
        kind = printable(row.kind)
        line = f"{_clock(row.at)} {row.seq:6} {row.round:5} {kind:<20} {cause:<8}{_words(row)}"
        yield line.rstrip()


def _clock(at: str) -> str:
    try:
        return datetime.fromisoformat(at).astimezone().strftime("%H:%M:%S")
    except (ValueError, OverflowError):  # only in an altered log, which must still be shown
        return "??:??:??"


def _words(row: Row) -> str:
    try:
        body = msgspec.json.decode(row.body)
    except msgspec.DecodeError:
        body = None
    if not isinstance(body, dict):
        return "(unreadable body)"
    return " ".join(f"{_plain(key)}={_plain(value)}" for key, value in body.items())


def _plain(value: object) -> str:
    """Return a value as one short word that can't disturb a terminal."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    if len(text) > VALUE_WIDTH:
        text = text[: VALUE_WIDTH - 1] + "…"
    if text and printable(text) == text and (not isinstance(value, str) or " " not in text):
        return text
    return printable(repr(text))
