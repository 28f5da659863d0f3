"""Several processes, one log: locked out, killed at any moment, out of room."""

import json
import random
import signal
from contextlib import closing
from pathlib import Path

import pytest

from controller.eventlog import Entry, EventLog, LogHeld, LogReader, canonical, verify

AT = "2026-05-09T07:35:25.123456Z"


def test_a_second_process_is_told_who_holds_the_log(tmp_path: Path, start_child) -> None:
    holder = start_child("hold", tmp_path)
    assert holder.stdout.readline() == "held\n"

    with pytest.raises(LogHeld) as caught:
        EventLog.open(tmp_path)

    assert caught.value.pid == holder.pid
    assert str(holder.pid) in str(caught.value)


@pytest.mark.parametrize("end", ["close", "kill"])
def test_a_log_is_free_when_its_holder_has_closed_it_or_is_gone(
    tmp_path: Path, start_child, end: str
) -> None:
    holder = start_child("hold", tmp_path)
    assert holder.stdout.readline() == "held\n"
    if end == "close":
        print(file=holder.stdin, flush=True)
        assert holder.stdout.readline() == "closed\n"
    else:
        holder.kill()
        holder.wait()

    EventLog.open(tmp_path).close()


def test_nothing_acknowledged_is_lost_when_the_writer_is_killed(
    tmp_path: Path, start_child
) -> None:
    acknowledged: dict[int, str] = {}
    for _ in range(8):
        writer = start_child("append_for_ever", tmp_path)
        for _ in range(random.randint(1, 80)):
            take(acknowledged, writer.stdout.readline())
        writer.kill()
        for line in writer.stdout:  # what it still said before it died
            if line.endswith("\n"):
                take(acknowledged, line)
        assert writer.wait() == -signal.SIGKILL

        verdict = verify(tmp_path)
        assert verdict.ok, verdict
        with closing(EventLog.open(tmp_path)) as log:
            kept = {row.seq: row.hash for row in log.rows()}
            assert acknowledged.items() <= kept.items()
            # At most the one step that was under way has been recorded without being told.
            assert len(kept) - max(acknowledged) <= 4
            acknowledged = kept
            (row,) = log.append(AT, Entry(1, "reopened", canonical({})))
            acknowledged[row.seq] = row.hash
        assert verify(tmp_path).ok


def take(acknowledged: dict[int, str], line: str) -> None:
    seq, hash_ = line.split()
    acknowledged[int(seq)] = hash_


def test_a_full_disk_forks_and_doubles_nothing(tmp_path: Path, start_child) -> None:
    child = start_child("outgrow", tmp_path)
    said = json.loads(child.stdout.read())
    assert child.wait() == 0

    assert len(said["reasons"]) == 2
    assert all("did not take the data" in reason for reason in said["reasons"])
    assert said["full"][0] == 2 * (said["steps"] - 1) > 0
    verdict = verify(tmp_path)
    assert verdict.ok, verdict
    assert [verdict.events, verdict.head] == said["head"]
    assert numbers(tmp_path) == sorted([*range(said["steps"])] * 2)


def test_a_kill_after_a_full_disk_loses_nothing_acknowledged(tmp_path: Path, start_child) -> None:
    child = start_child("outgrow", tmp_path, "then die")
    said = json.loads(child.stdout.read())
    assert child.wait() == -signal.SIGKILL

    with closing(EventLog.open(tmp_path)) as log:
        assert list(log.head) == said["full"]
        log.append(AT, Entry(1, "reopened", canonical({"number": said["steps"]})))
    assert verify(tmp_path).ok
    assert numbers(tmp_path) == [*sorted([*range(said["steps"])] * 2), said["steps"]]


def numbers(folder: Path) -> list[int]:
    with closing(LogReader.open(folder)) as reader:
        return [json.loads(bytes(row.body))["number"] for row in reader.rows()]


def test_a_reader_in_another_process_sees_what_is_committed(tmp_path: Path, start_child) -> None:
    writer = start_child("append_for_ever", tmp_path)
    last = 0
    for _ in range(20):
        seq, hash_ = writer.stdout.readline().split()
        with closing(LogReader.open(tmp_path)) as reader:
            assert reader.head.seq >= int(seq)
            (row,) = reader.rows(int(seq) - 1, until=int(seq))
        assert row.hash == hash_
        verdict = verify(tmp_path)
        assert verdict.ok, verdict
        assert verdict.events >= int(seq) > last
        last = int(seq)
