"""``log verify`` as an auditor uses it: keys kept elsewhere, an archive, deciding again."""

import json
import shutil
import subprocess
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from controller.eventlog import EventLog, LogReader, canonical
from controller.eventlog.files import days_in, key_folder
from controller.eventlog.signing import SigningKey, read_public
from controller.table.decide import DECIDER
from tests import forger
from tests.logs import database
from tests.system.processes import tablekeeper

AT = "2026-05-09T07:35:25.123456Z"

INTACT, ALTERED, BAD_USAGE, NOT_CLOSED = 0, 1, 2, 3


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the state folder of a table that has played a script; copy it."""
    state = tmp_path_factory.mktemp("scripted") / "state"
    script = min(Path("tests/rounds/pontoon-nsw").rglob("*.yaml"))
    done = tablekeeper("play", "--over", "direct", "--state", state, script)
    assert done.returncode == 0, done.stdout + done.stderr
    return state


@pytest.fixture
def state(scripted: Path, tmp_path: Path) -> Path:
    return shutil.copytree(scripted, tmp_path / "state")


@pytest.fixture
def days(state: Path) -> Path:
    """Return a state folder whose log has three days."""
    for date in ("2026-05-10", "2026-05-11"):
        with closing(EventLog.open(state / "log")) as log:
            carried = log.last_of("round-opened") or log.last_of("day-opened")
            assert carried is not None
            body = {"date": date, "state": table_state(state)}
            log.begin_day(AT, body)
    return state


def table_state(state: Path) -> object:
    """Return the table's state as its log gives it."""
    from controller.table.resume import resume

    with closing(LogReader.open(state)) as reader:
        rows = list(reader.rows())

    class Rows:
        def rows(self, since: int = 0):
            return iter([row for row in rows if row.seq > since])

        def last_of(self, kind: str):
            return next((row for row in reversed(rows) if row.kind == kind), None)

    return msgspec.to_builtins(resume(Rows()), str_keys=True)


def verify(*arguments: object) -> subprocess.CompletedProcess[str]:
    done = tablekeeper("log", "verify", *arguments)
    assert "Traceback" not in done.stderr
    return done


def as_json(*arguments: object) -> dict:
    return json.loads(verify("--json", *arguments).stdout)


def test_every_outcome_is_decided_again(state: Path) -> None:
    done = verify("--decide", state)

    assert done.returncode == INTACT, done.stdout
    *_, events, same = done.stdout.splitlines()
    assert events.startswith("decided again: ")
    assert same == "every outcome is as it was recorded"
    assert as_json("--decide", state)["decided"]["differ"] == 0


def test_outcomes_changed_by_somebody_with_the_key_are_decided_otherwise(state: Path) -> None:
    key = SigningKey.load(key_folder(state / "log"), 1)
    with closing(LogReader.open(state)) as reader:
        settled = next(row for row in reader.rows() if row.kind == "settled")
    body = msgspec.json.decode(settled.body)
    body["row"] |= {"pays": 77700}

    def change(content):
        if content.seq != settled.seq:
            return content
        return msgspec.structs.replace(content, body=msgspec.Raw(canonical(body)))

    rows = forger.rewrite(database(state / "log"), change, sign=key.sign)
    forger.note(state / "log", rows)
    assert verify(state).returncode == INTACT

    done = verify("--decide", state)
    assert done.returncode == ALTERED
    assert f"DECIDED OTHERWISE at event {settled.cause}: " in done.stdout
    assert '"pays":77700' in done.stdout
    found = as_json("--decide", state)
    assert (found["ok"], found["first_bad"]["seq"]) == (False, settled.cause)


def test_of_rows_rewritten_without_the_key_it_is_told_which_decide_otherwise(state: Path) -> None:
    with closing(LogReader.open(state)) as reader:
        settled = next(row for row in reader.rows() if row.kind == "settled")
    body = msgspec.json.decode(settled.body)
    body["row"] |= {"pays": 77700}

    def change(content):
        if content.seq != settled.seq:
            return content
        return msgspec.structs.replace(content, body=msgspec.Raw(canonical(body)))

    forger.note(state / "log", forger.rewrite(database(state / "log"), change))

    done = verify("--decide", state)
    assert done.returncode == ALTERED
    assert "rewritten, all or some, and the hashes computed anew" in done.stdout
    assert f"DECIDED OTHERWISE at event {settled.cause}: " in done.stdout


def test_rounds_of_an_older_decider_are_told_as_such(state: Path) -> None:
    key = SigningKey.load(key_folder(state / "log"), 1)

    def older(content):
        body = msgspec.json.decode(content.body)
        if content.kind == "started":
            body["decider"] = DECIDER - 1
        elif content.kind == "round-opened":
            body["state"]["decider"] = DECIDER - 1
        return msgspec.structs.replace(content, body=msgspec.Raw(canonical(body)))

    forger.note(state / "log", forger.rewrite(database(state / "log"), older, sign=key.sign))

    done = verify("--decide", state)
    assert done.returncode == INTACT, done.stdout
    assert f"rounds of decider {DECIDER - 1}, settled again" in done.stdout


def test_several_days_are_one_log(days: Path) -> None:
    done = verify("--decide", days)

    assert done.returncode == INTACT, done.stdout
    assert ", in 3 days" in done.stdout


# Keys


def test_the_keys_are_printed_and_taken_as_a_file_or_one_by_one(days: Path, tmp_path: Path) -> None:
    printed = tablekeeper("log", "keys", days).stdout
    (tmp_path / "kept").write_text(printed)
    first = json.loads(printed.splitlines()[0])["key"]

    assert verify("--key", tmp_path / "kept", days).returncode == INTACT
    assert verify("--key", first, days).returncode == INTACT


def test_a_key_that_is_not_the_logs_is_told(days: Path) -> None:
    done = verify("--key", "ab" * 32, days)

    assert done.returncode == ALTERED
    assert "is none of this log's days" in done.stdout


def test_true_keys_appended_to_a_forged_list_prove_nothing(days: Path, tmp_path: Path) -> None:
    """Every wager is changed and signed by new keys; the true ones stand behind the forger's."""
    true = read_public(days / "log" / "public-keys")
    (tmp_path / "kept").write_text(tablekeeper("log", "keys", days).stdout)
    own = {one.day: SigningKey.create(tmp_path / "own", one.day) for one in true}
    forger.resign(days / "log", own, forger.body_replaced('"main":', '"main":1'))
    more = [msgspec.structs.replace(one, day=one.day + len(true)) for one in true]
    lines = [msgspec.structs.replace(one, key=own[one.day].public, by="") for one in true]
    forger.list_keys(days / "log", [*lines, *more])

    for kept in (tmp_path / "kept", true[0].key, f"1:{true[0].key}", true[2].key):
        done = verify("--key", kept, days)
        assert (done.returncode, "public-keys: " in done.stdout) == (ALTERED, True)


def test_a_key_is_kept_with_its_day_or_without(days: Path, tmp_path: Path) -> None:
    first, second, _ = (one.key for one in read_public(days / "log" / "public-keys"))
    note = "is taken for that of day 1, as this log says"

    assert note in verify("--key", first, days).stdout
    assert note not in verify("--key", f"1:{first}", days).stdout
    (tmp_path / "noted").write_text(f"taken down at 07:35: 2:{second}, and day one {first}\n")
    assert note in verify("--key", tmp_path / "noted", days).stdout
    (tmp_path / "noted").write_text(f"1:{second}\n")
    assert verify("--key", tmp_path / "noted", days).returncode == ALTERED


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("ab", "neither 64 hex digits nor a file of keys"),
        ("/dev/null", "there is no key in this file"),
        ("tests", "neither 64 hex digits nor a file of keys"),
        ("/dev/zero", "too large"),
    ],
)
def test_what_is_no_key_is_called_so(days: Path, key: str, words: str) -> None:
    done = verify("--key", key, days)

    assert (done.returncode, done.stdout) == (BAD_USAGE, "")
    assert words in done.stderr


# Several paths


def test_days_that_were_moved_to_an_archive_are_looked_for_there(
    days: Path, tmp_path: Path
) -> None:
    archive = tmp_path / "archive"
    archive.mkdir()
    first = days_in(days / "log")[0]
    for path in (first.path, first.checkpoints):
        path.rename(archive / path.name)

    alone = verify(days)
    assert (alone.returncode, "the file of day 1 is missing" in alone.stdout) == (ALTERED, True)
    assert verify(days, archive).returncode == INTACT


def test_each_of_several_logs_has_a_line(days: Path, scripted: Path) -> None:
    done = verify(days, scripted)

    assert done.returncode == INTACT
    leads = [line for line in done.stdout.splitlines() if "intact" in line]
    assert [line.partition(": ")[0] for line in leads] == [str(days), str(scripted)]
    lines = [json.loads(line) for line in verify("--json", days, scripted).stdout.splitlines()]
    assert [line["path"] for line in lines] == [str(days), str(scripted)]


def test_the_worst_of_several_logs_is_the_exit_status(days: Path, scripted: Path) -> None:
    file = days_in(days / "log")[0].path
    file.chmod(0o600)
    file.write_bytes(file.read_bytes()[:-1] + b"x")

    assert verify(scripted, days).returncode == ALTERED


def test_one_day_is_verified_and_says_what_it_does_not_show(days: Path) -> None:
    done = verify(days_in(days / "log")[1].path)

    assert done.returncode == INTACT
    assert "note: only day 2 was looked at: what was before is not shown" in done.stdout


def test_the_list_of_keys_is_what_the_folder_has(days: Path) -> None:
    printed = [json.loads(line) for line in tablekeeper("log", "keys", days).stdout.splitlines()]

    kept = read_public(days / "log" / "public-keys")
    assert [(one["day"], one["key"]) for one in printed] == [(one.day, one.key) for one in kept]
