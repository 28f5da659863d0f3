"""A PIN is in nothing that is written: log, journal, captures, state, what others are told."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.system.folder import short_folder
from tests.system.processes import PATIENCE, PROGRAM, command_lines, tablekeeper
from tests.system.real import PIN, SUPERVISOR, RealTable, sign_in, signed_in
from tests.system.table import Running
from tests.system.talk import Talk

WRONG, NEW = "74026195823", "19375028461"
SECRETS = (PIN, WRONG, NEW)


def found_in(folder: Path) -> list[str]:
    """Return the files in which a PIN stands."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert files
    return [str(file) for file in files if _holds_a_pin(file)]


def _holds_a_pin(file: Path) -> bool:
    try:
        written = file.read_bytes()
    except FileNotFoundError:  # the database's own, which comes and goes
        return False
    return any(secret.encode() in written for secret in SECRETS)


class Captured(Running):
    """A table at a rehearsal that keeps every byte of its devices."""

    @property
    def program(self) -> Sequence[str]:  # type: ignore[override]
        return (*PROGRAM, "run", "--rehearsal", "--capture", str(self.folder / "bytes"))


@pytest.fixture
def captured() -> Iterator[Captured]:
    """A table whose devices' bytes are kept."""
    with short_folder() as folder, Captured(folder) as table:
        yield table


def add(table: Running, name: str, pin: str) -> None:
    done = subprocess.run(
        [*PROGRAM, "operators", "add", name, "pit-manager", "--state", table.state],
        input=f"{pin}\n",
        text=True,
        timeout=PATIENCE,
        check=True,
        capture_output=True,
    )
    assert pin not in done.stdout + done.stderr


MALFORMED = [
    '{"id": 1, "sign_in": {"name": "ines", "pin": "%s"',
    '{"id": 1, "sign_in": {"name": "ines", "pin": %s}}',
    '{"id": 1, "sign_in": {"name": "ines", "pin": ["%s"]}}',
    '{"id": 1, "sign_in": {"name": "ines", "%s": ""}}',
    '{"id": 1, "sign_in": {"pin": "%s"}}',
    '{"id": 1, "sign_in": "%s"}',
    '{"id": 1, "sign-in": {"name": "ines", "pin": "%s"}}',
    '{"id": 1, "%s": true}',
    '{"id": "%s", "sign_in": true}',
    '{"id": 1, "ask": {"do": "%s"}}',
    '{"id": 1, "ask": {"do": "enter-card", "card": "%s"}}',
    '{"id": 1, "ask": {"do": "restrict", "player": "ann", "to": "%s"}}',
    '{"id": 1, "ask": {"do": "withdraw", "box": "%s"}}',
    '{"id": 1, "press": "%s"}',
    '{"sign_in": {"name": "ines", "pin": "%s"}}',
    "%s",
    "sign in ines %s",
    '{"id": 1, "view": true, "sign_in": {"name": "ines", "pin": "%s"}}',
    '{"id": 1, "sign_in": {"name": "%s", "pin": "ines"}}',
    '{"id": 1, "ask": {"do": "limits", "minimum": 200, "maximum": 5000}, "by": "%s"}',
]


def test_after_all_that_can_be_done_with_a_pin_none_is_written_anywhere(
    captured: Captured,
) -> None:
    add(captured, SUPERVISOR, PIN)
    captured.deal()
    with Talk(captured.socket) as watcher, Talk(captured.socket) as talk:
        watcher.watch()
        signed_in(talk)
        for _ in range(6):
            sign_in(talk, pin=WRONG)
        sign_in(talk, name=PIN, pin=SUPERVISOR)
        for line in MALFORMED[:-1]:  # what is claimed at a rehearsal is recorded as it is
            talk.send((line % WRONG).encode() + b"\n")
        add(captured, "mo", NEW)
        captured.watch.event("operator-added")
        said = tablekeeper("say", "limits", 2, 50, "--as", "mo", "--socket", captured.socket)
        assert said.returncode == 2  # no PIN
        talk.request(view=True)
        told = b"".join([*watcher.raw, *talk.raw, *captured.watch.raw])
    seen = command_lines()
    captured.stop()
    exported = tablekeeper("log", "export", captured.state).stdout

    assert found_in(captured.folder) == []
    assert {file.name for file in captured.folder.glob("bytes.*")} >= {"bytes.shoe", "bytes.pedal"}
    assert [line for line in seen.values() if any(secret in line for secret in SECRETS)] == []
    assert not any(secret.encode() in told for secret in SECRETS)
    assert '"sign-in-refused"' in exported
    assert not any(secret in exported for secret in SECRETS)


@pytest.mark.parametrize("line", MALFORMED, ids=range(len(MALFORMED)))
def test_no_answer_repeats_a_pin(shared_real: RealTable, line: str) -> None:
    with Talk(shared_real.socket) as talk:
        talk.send((line % WRONG).encode() + b"\n")
        answer = talk.line()
    assert answer["ok"] is False
    assert answer["error"]
    assert WRONG not in json.dumps(answer)
    assert found_in(shared_real.folder) == []


def test_an_error_that_names_a_bound_still_does(shared_real: RealTable) -> None:
    with Talk(shared_real.socket) as talk:
        answer = talk.ask("limits", minimum=10**13, maximum=10**13)
    assert "<= 1000000000000" in answer["error"]


WHERE = st.recursive(
    st.just(WRONG) | st.just(int(WRONG)),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=2)
        | st.dictionaries(st.sampled_from(["name", "pin", "do", "id", WRONG]), inner, min_size=1)
    ),
    max_leaves=4,
)
KEYS = st.sampled_from(["sign_in", "sign_out", "ask", "press", "view", "watch", "by", "id", WRONG])


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(line=st.dictionaries(KEYS, WHERE, min_size=1, max_size=3), cut=st.integers(0, 20))
def test_wherever_a_pin_stands_in_a_line_no_answer_repeats_it(
    shared_real: RealTable, line: dict[str, object], cut: int
) -> None:
    line.pop("id", None)  # a client's own number comes back to it
    text = json.dumps({"id": 7, **line}).encode()
    with Talk(shared_real.socket) as talk:
        talk.send(text[: len(text) - cut] + b"\n")
        assert WRONG not in json.dumps(talk.line())


def test_an_exception_that_shows_a_request_shows_no_pin() -> None:
    code = (
        "from controller.service.requests import Line, SignIn\n"
        "import sys; raise ValueError(Line(id=1, sign_in=SignIn('ines', sys.stdin.readline())))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=PIN, capture_output=True, text=True, check=False
    )
    assert "SignIn(...)" in done.stderr
    assert PIN not in done.stderr


# --- off the loop ---------------------------------------------------------------------------------


def test_the_table_goes_on_while_pins_are_tried(shared_real: RealTable) -> None:
    talks = [Talk(shared_real.socket) for _ in range(12)]
    try:
        for number, talk in enumerate(talks):
            line = {"id": 1, "sign_in": {"name": f"nobody-{number}", "pin": WRONG}}
            talk.send(json.dumps(line).encode() + b"\n")
        with Talk(shared_real.socket) as dealer:
            dealer.look()
        talks[-1].socket.setblocking(False)
        with pytest.raises(BlockingIOError):
            talks[-1].socket.recv(1)
        talks[-1].socket.settimeout(PATIENCE)
        assert talks[-1].line()["error"] == "name or PIN is wrong"
    finally:
        for talk in talks:
            talk.close()
