"""What the log is made of: entries go in, rows come out.

An `Entry` is what somebody wants recorded. The log gives it a place and a seal, which makes it a
`Row`. Entries check themselves when they are made: a row can never be taken back, so nothing
unreadable may become one.
"""

import math
import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec

ROUND_LIMIT = 2**63
"""Rounds are counted below this, since the store keeps signed 64-bit integers."""

DEEPEST = 100
"""So deep an array or object may stand in others; what is written here has less than ten."""

TOO_DEEP = "its body is nested deeper than any that was ever written"

UNREADABLE = (msgspec.DecodeError, RecursionError)
"""What decoding JSON may raise that this program did not write."""

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
_BRACKET = re.compile(rb"[][{}]")

_KIND = re.compile(r"[A-Za-z][A-Za-z0-9_.:/-]*")
_HASH = re.compile(r"[0-9a-f]{64}")


class Entry(msgspec.Struct, frozen=True):
    """One thing to record: its round (0 outside any), its kind, its canonical JSON body.

    Raises:
        ValueError: the round is negative or too large, the kind is not one word, or the body is
            not what `canonical` makes. Nothing may be written then; mend the caller.

    >>> Entry(round=7, kind="card-drawn", body=canonical({"card": "AS", "box": 3})).body
    b'{"box":3,"card":"AS"}'
    """

    round: int
    kind: str
    body: bytes

    def __post_init__(self) -> None:
        if not 0 <= self.round < ROUND_LIMIT:
            raise ValueError(f"round {self.round} is outside 0 to 2^63 - 1")
        if not is_kind(self.kind):
            raise ValueError(f"kind {self.kind!r} is not a word of letters, digits and _ . : / -")
        if not is_canonical(self.body):
            raise ValueError(f"the body of {self.kind!r} is not a canonical JSON object")


class Content(msgspec.Struct, frozen=True):
    """What a row says, without its seal. Field order is the order of the keys in an export."""

    seq: int
    at: str
    round: int
    kind: str
    cause: int | None
    body: msgspec.Raw


class Row(Content, frozen=True):
    """One event as recorded.

    Attributes:
        seq: its place, counted from 1 without gaps.
        at: UTC to the microsecond, ``2026-05-09T07:35:25.123456Z``.
        round: the round it belongs to, 0 outside any.
        kind: what happened, one word.
        cause: the seq of the event this one follows from.
        body: a canonical JSON object.
        hash: the seal over this row and all before it; see ``chain.row_hash``.

    """

    hash: str

    def content(self) -> Content:
        """Return the part that the seal covers."""
        return Content(self.seq, self.at, self.round, self.kind, self.cause, self.body)


def as_json_line(row: Row) -> bytes:
    """Return the row as one JSON object without a newline: seq, at, round, kind, cause, body, hash.

    The body's bytes stand in it unchanged, so the line can be checked against its hash.
    """
    return msgspec.json.encode(row)


def canonical(obj: object) -> bytes:
    """Encode a mapping or struct as the one JSON text for it: keys sorted, no spaces, UTF-8.

    Raises:
        ValueError: a number in it is not finite, or a text is not Unicode.
        TypeError: it is no JSON object, or something in it has no JSON form.

    """
    plain = msgspec.to_builtins(obj, str_keys=True, order="sorted")
    if not isinstance(plain, dict):
        raise TypeError(f"a body is a JSON object, not {type(obj).__name__}")
    _refuse_non_finite(plain.values())
    return msgspec.json.encode(plain, order="sorted")


def is_canonical(body: bytes) -> bool:
    """Tell whether the bytes are a JSON object exactly as `canonical` writes it."""
    if is_too_deep(body):
        return False
    try:
        plain = msgspec.json.decode(body)
        return isinstance(plain, dict) and msgspec.json.encode(plain, order="sorted") == body
    except (msgspec.DecodeError, ValueError):  # a number of thousands of digits is a ValueError
        return False


def is_too_deep(body: bytes) -> bool:
    """Tell whether a JSON text is nested so deep that who reads it might not get out again."""
    if body.count(b"[") + body.count(b"{") <= DEEPEST:
        return False
    depth = 0
    for bracket in _BRACKET.finditer(_STRING.sub(b"", body)):
        depth += 1 if bracket[0] in b"[{" else -1
        if depth > DEEPEST:
            return True
    return False


def is_kind(text: str) -> bool:
    """Tell whether the text can be the kind of a row."""
    return _KIND.fullmatch(text) is not None


def is_hash(text: str) -> bool:
    """Tell whether the text has the form of a row's hash."""
    return _HASH.fullmatch(text) is not None


def is_moment(text: str) -> bool:
    """Tell whether the text is a time as rows carry it: UTC, microseconds, ``Z``."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return False
    return when.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z" == text


def _refuse_non_finite(values: Iterable[Any]) -> None:
    # The encoder would quietly write null in their place.
    for value in values:
        if isinstance(value, float):
            if not math.isfinite(value):
                raise ValueError(f"{value} has no JSON form; say null if there is no number")
        elif isinstance(value, dict):
            _refuse_non_finite(value.values())
        elif isinstance(value, list | tuple):
            _refuse_non_finite(value)
