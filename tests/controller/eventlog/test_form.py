"""Rows that no writer writes are told, though every hash, signature and note agrees with them."""

import json
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.eventlog import Content, Entry, EventLog, canonical, verify
from controller.eventlog.files import days_in, key_folder
from controller.eventlog.form import Form, misshapen
from controller.eventlog.row import is_canonical
from controller.eventlog.signing import SigningKey
from tests import forger
from tests.logs import copy_log

AT = "2026-05-09T07:35:25.123456Z"
SETTLED = 4
STOPPED = 5


@pytest.fixture(scope="module")
def one_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("one-run") / "log"
    with closing(EventLog.open(folder)) as log:
        log.begin_day(AT, {"date": "2026-05-09"})
        log.append(AT, Entry(0, "started", canonical({"table": "BJ 3"})))
        settled = Entry(1, "settled", canonical({"pays": 500, "who": "é", "odds": 1.5}))
        log.append(AT, Entry(1, "card-out", canonical({"card": "AS"})), [settled])
        log.append(AT, Entry(1, "stopped", canonical({})))
    return folder


@pytest.fixture
def folder(one_run: Path, tmp_path: Path) -> Path:
    return copy_log(one_run, tmp_path / "log")


def told(folder: Path, **changed: object) -> str:
    """Change the row that pays, with the key of the day; return what is said of that."""

    def change(content: Content) -> Content:
        return msgspec.structs.replace(content, **changed) if content.seq == SETTLED else content

    forge(folder, change)
    verdict = verify(folder)
    assert verdict.first_bad is not None
    assert verdict.events == SETTLED - 1
    return f"{verdict.first_bad.seq}: {verdict.first_bad.what}"


def forge(folder: Path, change: forger.Change, *more: Content) -> None:
    (day,) = days_in(folder)
    key = SigningKey.load(key_folder(folder), 1)
    rows = forger.rewrite(day.path, change, sign=key.sign, more=more)
    forger.note(folder, rows)


def test_a_forger_with_the_key_of_the_day_who_keeps_the_form_is_not_told(folder: Path) -> None:
    """So that what the others are told by is the form, and nothing else."""
    forge(folder, forger.body_replaced('"pays":500', '"pays":900'))
    assert verify(folder).ok


@pytest.mark.parametrize(
    "body",
    [
        b'{"pays": 500}',
        b'{"pays":500} ',
        b'{"pays":500}\n',
        b'{"who":"ann","pays":500}',
        b'{"pays":500,"pays":900}',
        b'{"a":{"pays":500,"pays":900}}',
        b'{"a":[{"b":1,"a":2}]}',
        b'{"pays":5E2}',
        b'{"odds":1.0E5}',
        b'{"odds":1.50}',
        b'{"odds":NaN}',
        b'{"odds":Infinity}',
        b'{"odds":1e999}',
        b'{"pays":0500}',
        b'{"pays":-0}',
        b'{"pays":' + b"9" * 5000 + b"}",
        b'{"who":"\\u00e9"}',
        b'{"who":"\\/"}',
        b'{"who":"\xff"}',
        b'{"who":"\xed\xa0\x80"}',
        b'{"who":"\\ud800"}',
        b'{"who":"a\x00"}',
        b'["pays",500]',
        b'"pays"',
        b"500",
        b"null",
        b"",
        b"pays",
        b'{"pays":500}{"pays":900}',
        b'{"pays":500}//',
    ],
    ids=lambda body: repr(body[:24]),
)
def test_a_body_that_is_no_canonical_object_is_told(folder: Path, body: bytes) -> None:
    assert told(folder, body=msgspec.Raw(body)) == "4: body changed: no canonical JSON object"


@pytest.mark.parametrize(
    "at",
    [
        "",
        "2026-05-09T07:35:25Z",
        "2026-05-09T07:35:25.123Z",
        "2026-05-09T07:35:25.1234567Z",
        "2026-05-09T07:35:25.123456",
        "2026-05-09T07:35:25.123456+00:00",
        "2026-05-09 07:35:25.123456Z",
        "2026-05-09T07:35:60.123456Z",
        "2026-05-09T07:35:2५.123456Z",
        "2026-05-09T24:00:00.000000Z",
        "2026-13-09T07:35:25.123456Z",
        "2026-02-30T07:35:25.123456Z",
        "0000-01-01T00:00:00.000000Z",
        "2026-05-09T07:35:25.123456Z ",
        "2026-05-09T07:35:25.123456Z\0",
        '2026-05-09T07:35:25.123456Z","round":1,"x":"',
        "yesterday",
    ],
)
def test_what_is_no_time_is_told(folder: Path, at: str) -> None:
    assert told(folder, at=at) == "4: time changed: no time as a writer puts it"


@pytest.mark.parametrize("kind", ["", "set tled", "9settled", "settled\n", "sëttled", 'a","b":"c'])
def test_what_is_no_kind_is_told(folder: Path, kind: str) -> None:
    assert told(folder, kind=kind).startswith("4: kind changed: no word")


def test_a_round_before_the_first_is_told(folder: Path) -> None:
    assert told(folder, round=-1) == "4: round changed: no number as a writer puts it"


@pytest.mark.parametrize("change", [{"at": "2026-05-09T07:35:26.123456Z"}, {"cause": None}])
def test_a_row_after_the_end_of_a_run_is_told(folder: Path, change: dict[str, object]) -> None:
    """Also one that says that it followed from the end itself, a little later."""
    body = msgspec.Raw(b'{"pays":900}')
    more = Content(STOPPED + 1, AT, 1, "placed", STOPPED, body)
    forge(folder, lambda content: content, msgspec.structs.replace(more, **change))

    bad = verify(folder).first_bad
    assert bad is not None
    assert bad.seq == STOPPED + 1
    assert bad.what == "row inserted: the run had ended at event 5, and none had begun since"


def test_a_row_after_the_end_of_a_run_is_told_in_the_next_day_too(folder: Path) -> None:
    with closing(EventLog.open(folder)) as log:
        log.begin_day(AT, {"date": "2026-05-10"})
        log.append(AT, Entry(1, "card-out", canonical({"card": "AS"})))

    bad = verify(folder).first_bad
    assert bad is not None
    assert (bad.seq, bad.what[:32]) == (STOPPED + 3, "row inserted: the run had ended ")


@pytest.mark.parametrize(
    "kinds",
    [
        "started",
        "recovered started card-out",
        "state-due>state-kept",
        "command-failed>warned started",
        "state-due>state-kept command-failed>warned recovered started card-out",
    ],
)
def test_what_may_follow_on_the_end_of_a_run_is_in_order(folder: Path, kinds: str) -> None:
    """Of a run of any version: what it had in hand, and what comes before the next one."""
    with closing(EventLog.open(folder)) as log:
        for step in kinds.split():
            event, *outcomes = (Entry(1, kind, canonical({})) for kind in step.split(">"))
            log.append(AT, event, outcomes)
        log.begin_day(AT, {"date": "2026-05-10"})
    assert verify(folder).ok


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_any_change_of_the_bytes_of_a_body_is_told_or_is_another_true_body(data: st.DataObject):
    """By the quick look as by the careful one, whatever was looked at before."""
    values = st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**63), 2**64 - 1)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    )
    true = canonical(data.draw(st.dictionaries(st.text(), values, min_size=1, max_size=4)))
    body = bytearray(true)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(body) - 1)) if body else 0
        put = data.draw(st.sampled_from([b" ", b"\n", b"0", b",", b'"', b"{}", b"\xff", b"", b"a"]))
        body[place : place + data.draw(st.integers(0, 2))] = put
    changed = bytes(body)

    form = Form()
    assert form.fault(record(true)) is None
    for _ in range(2):
        quick = form.fault(record(changed))
        assert (quick is None) == is_canonical(changed) == by_the_standard_library(changed)
        assert quick == misshapen(content(changed))


def record(body: bytes) -> tuple[object, ...]:
    return 1, AT.encode(), 1, b"note", None, body, b""


def content(body: bytes) -> Content:
    return Content(1, AT, 1, "note", None, msgspec.Raw(body))


def by_the_standard_library(body: bytes) -> bool:
    """Tell whether a body has the form, without the library that writes it."""
    try:
        found = json.loads(
            body.decode(), parse_constant=lambda _: 1 / 0, object_pairs_hook=no_twice
        )
        plain = json.loads(body.decode())
    except (ValueError, ZeroDivisionError, RecursionError):
        return False
    if not isinstance(found, dict):
        return False
    return canonical_or_none(plain) == body


def no_twice(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands there twice")
    return found


def canonical_or_none(plain: object) -> bytes | None:
    try:
        return canonical(plain)
    except (ValueError, TypeError, UnicodeEncodeError):
        return None
