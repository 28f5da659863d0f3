"""FORMAT.md says how to check a log without this program; here it is done as it says."""

import os
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from controller import eventlog
from controller.eventlog import Entry, Head, LogReader, MemoryLog, as_json_line, canonical
from controller.eventlog import witness as witness_file
from controller.eventlog.checkpoints import read_kept, size_of
from controller.eventlog.signing import read_public
from controller.eventlog.writtendown import WrittenDown, line_to_write_down
from tests.logs import database

DOCUMENT = (Path(eventlog.__file__).parent / "FORMAT.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", DOCUMENT, re.DOTALL)


@pytest.fixture
def checker(tmp_path: Path) -> Path:
    (program,) = blocks("python")
    file = tmp_path / "checker.py"
    file.write_text(program)
    return file


@pytest.fixture
def exported(folder: Path, tmp_path: Path) -> Path:
    file = tmp_path / "log.jsonl"
    reader = LogReader.open(folder)
    file.write_bytes(b"".join(as_json_line(row) + b"\n" for row in reader.rows()))
    reader.close()
    return file


def check(checker: Path, lines: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", checker, lines], capture_output=True, text=True, check=False
    )


def test_the_example_is_what_a_log_writes() -> None:
    log = MemoryLog()
    started = Entry(0, "started", canonical({"table": "BJ 3"}))
    drawn = Entry(1, "card-drawn", canonical({"card": "AS", "box": 3}))
    log.append("2026-05-09T07:35:25.123456Z", started)
    log.append("2026-05-09T07:35:31.000200Z", drawn, cause=1)

    (example,) = blocks("jsonl")
    assert [as_json_line(row).decode() for row in log.rows()] == example.splitlines()


def test_the_bytes_shown_have_the_hashes_shown() -> None:
    (example,) = blocks("jsonl")
    sealed = [text.removesuffix("\n").encode() for text in blocks("text")]

    assert f"these {len(sealed[0])} bytes" in DOCUMENT
    assert [sha256(text).hexdigest() for text in sealed] == re.findall(r'"hash":"(\w+)"', example)


def test_the_shell_line_gives_the_first_hash() -> None:
    (command,) = re.findall(r"^On a shell: `(.*)`\.$", DOCUMENT, re.MULTILINE)
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=True)

    assert f'"hash":"{done.stdout.split()[0]}"' in blocks("jsonl")[0].splitlines()[0]


def test_the_checker_accepts_an_export(checker: Path, exported: Path, folder: Path) -> None:
    reader = LogReader.open(folder)
    head = reader.head
    reader.close()

    done = check(checker, exported)

    assert (done.returncode, done.stdout.strip()) == (0, head.hash)


@pytest.mark.parametrize("line", range(13))
def test_the_checker_finds_a_changed_and_a_missing_line(
    checker: Path, exported: Path, line: int
) -> None:
    lines = exported.read_bytes().splitlines(keepends=True)
    assert len(lines) == 13

    exported.write_bytes(b"".join([*lines[:line], lines[line].replace(b"05-09", b"05-08")]))
    assert check(checker, exported).stderr.strip() == f"line {line + 1} does not hold"

    if line < len(lines) - 1:
        exported.write_bytes(b"".join([*lines[:line], *lines[line + 1 :]]))
        assert check(checker, exported).stderr.strip() == f"line {line + 1} does not hold"


def test_the_witness_is_laid_out_as_described(folder: Path) -> None:
    data = (folder / "witness").read_bytes()
    slots = witness_file.read(folder / "witness")

    assert len(data) == 8192
    assert slots is not None
    for slot, line in zip(slots, (data[:95], data[4096:4191]), strict=True):
        assert slot is not None
        assert line[:20] == b"%020d" % slot.seq
        assert line[21:85] == slot.hash.encode()
        assert witness_file.decode(line) == slot
        assert line[94:] == b"\n"


def test_a_checkpoint_is_checked_with_openssl_as_described(folder: Path, tmp_path: Path) -> None:
    file = database(folder).with_suffix(".checkpoints")
    *_, kept = read_kept(file, size_of(file))
    assert kept.before
    (key,) = read_public(folder / "public-keys")
    values = {"key": key.key, **msgspec.structs.asdict(kept), "seq": str(kept.seq)}
    (commands,) = blocks("sh")

    def checked(values: dict[str, str]) -> str:
        return subprocess.run(
            ["/bin/sh", "-c", commands],
            cwd=tmp_path,
            env={**os.environ, **values},
            capture_output=True,
            text=True,
            check=False,
        ).stdout.strip()

    assert checked(values) == "Signature Verified Successfully"
    assert checked({**values, "seq": str(kept.seq + 1)}) == "Signature Verification Failure"


def test_the_line_to_write_down_is_as_it_is_shown() -> None:
    (line,) = (text.strip() for text in blocks("console"))
    found = WrittenDown.find(line)

    assert found is not None
    assert found.is_checked
    head = Head(found.seq, found.digits.ljust(64, "0"))
    assert line == line_to_write_down(head, "BJ 3", 2, "2026-05-10")
