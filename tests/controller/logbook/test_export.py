"""``log export``: the events for other programs, whole or picked, to a file or a pipe."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from pyarrow import parquet

from controller.eventlog import LogReader, Row, as_json_line
from controller.logbook.formats import write_csv
from tests.controller.logbook.logs import Ask, Said, altered
from tests.hidden import hidden_in, texts
from tests.system.processes import tablekeeper

BAD_USAGE = 2
COLUMNS = ["seq", "at", "round", "kind", "cause", "body", "hash"]


def lines_of(state: Path) -> list[str]:
    """Return every row as the log itself says it is exported."""
    reader = LogReader.open(state)
    try:
        return [as_json_line(row).decode() for row in reader.rows()]
    finally:
        reader.close()


def test_json_lines_are_the_rows_byte_for_byte(ask: Ask, four_rounds: Path, tmp_path: Path) -> None:
    whole = "".join(f"{line}\n" for line in lines_of(four_rounds))
    file = tmp_path / "log.jsonl"

    assert ask("export", four_rounds) == Said(0, whole, "")
    assert ask("export", "--format", "jsonl", "--output", file, four_rounds).status == 0
    assert file.read_text(encoding="utf-8") == whole


def test_values_are_separated_as_rfc_4180_says(four_rounds: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "controller", "log", "export", "--format", "csv", four_rounds],
        capture_output=True,
        check=True,
    )
    text = done.stdout.decode()
    head, *rows = csv.reader(io.StringIO(text, newline=""))
    expected = [json.loads(line) for line in lines_of(four_rounds)]

    assert text.endswith("\r\n")
    assert text.count("\n") == text.count("\r\n") == len(expected) + 1
    assert head == COLUMNS
    for row, one in zip(rows, expected, strict=True):
        assert row[:4] == [str(one[key]) for key in COLUMNS[:4]]
        assert row[4] == ("" if one["cause"] is None else str(one["cause"]))
        assert json.loads(row[5]) == one["body"]
        assert row[6] == one["hash"]


def is_formula(cell: str) -> bool:
    """Tell whether a spreadsheet may run it: also where what is behind a semicolon is a cell."""
    return any(part.lstrip()[:1] in set("=+-@\uff1d\uff0b\uff0d\uff20") for part in cell.split(";"))


@pytest.mark.parametrize(
    ("column", "value", "cell"),
    [
        ("kind", "=1+1", "'=1+1"),
        ("kind", " @SUM(A1)", "' @SUM(A1)"),
        ("at", "-2+3", "'-2+3"),
        ("kind", "\uff1d1+1", "'\uff1d1+1"),
        ("kind", "a;=1+1", "a\\u003b=1+1"),
        ("kind", "a\t=1", "a\\t=1"),
        ("kind", "\x1b[2J\u202e", "\\u001b[2J\\u202e"),
        ("body", '"a"\n,', '"a"\\n,'),
        ("body", "=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("kind", "a-b; c", "a-b; c"),
    ],
)
def test_a_spreadsheet_runs_nothing_and_a_terminal_obeys_nothing(
    ask: Ask, own: Path, column: str, value: str, cell: str
) -> None:
    with altered(own) as db:
        db.execute(f"UPDATE event SET {column} = ? WHERE seq = 2", (value,))  # noqa: S608
    said = ask("export", "--format", "csv", own)
    rows = list(csv.reader(io.StringIO(said.out, newline="")))

    assert rows[2][COLUMNS.index(column)] == cell
    assert not any(map(is_formula, rows[2]))


@given(texts)
def test_whatever_a_body_says_its_cell_is_the_same_json_and_harmless(text: str) -> None:
    body = json.dumps({"text": text, "=": ";=1"}, ensure_ascii=False, sort_keys=True)
    raw = msgspec.Raw(body.encode("utf-8", "surrogatepass"))
    row = Row(seq=1, at="-1", round=0, kind=text, cause=None, body=raw, hash="")
    out = io.BytesIO()
    write_csv([row], out)
    whole = out.getvalue().decode()
    _, cells = csv.reader(io.StringIO(whole, newline=""))

    assert hidden_in(whole, but="\r\n") == []
    assert not any(map(is_formula, cells))
    if text.isascii() or max(text) < "\ud800" or min(text) > "\udfff":
        assert json.loads(cells[5]) == json.loads(body)


def test_a_parquet_file_has_the_rows(ask: Ask, four_rounds: Path, tmp_path: Path) -> None:
    file = tmp_path / "log.parquet"
    said = ask("export", "--format", "parquet", "--output", file, four_rounds)
    rows = parquet.read_table(file).to_pylist()
    expected = [json.loads(line) for line in lines_of(four_rounds)]

    assert said == Said(0, f"{file}: {len(expected)} events\n", "")
    assert list(rows[0]) == COLUMNS
    assert [row | {"body": json.loads(row["body"])} for row in rows] == expected


def test_a_parquet_file_is_no_text_for_a_terminal(ask: Ask, four_rounds: Path) -> None:
    said = ask("export", "--format", "parquet", four_rounds)

    assert (said.status, said.out) == (BAD_USAGE, "")
    assert "--output FILE" in said.err


def test_without_pyarrow_the_extra_is_named(four_rounds: Path, tmp_path: Path) -> None:
    (tmp_path / "pyarrow.py").write_text("raise ImportError('no pyarrow on this machine')\n")
    file = tmp_path / "log.parquet"
    done = tablekeeper(
        "log", "export", "--format", "parquet", "--output", file, four_rounds,
        environment={"PYTHONPATH": str(tmp_path)},
    )  # fmt: skip

    assert (done.returncode, done.stdout) == (BAD_USAGE, "")
    assert "pip install 'tablekeeper[parquet]'" in done.stderr
    assert not file.exists()


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_events_of_a_round_are_picked(
    ask: Ask, four_rounds: Path, tmp_path: Path, form: str
) -> None:
    of_two = [line for line in map(json.loads, lines_of(four_rounds)) if line["round"] == 2]
    file = tmp_path / "out"
    words = ("--format", form, "--round", 2, "--output", file)

    assert ask("export", *words, four_rounds).out == f"{file}: {len(of_two)} events\n"


def test_events_are_picked_by_their_time(ask: Ask, four_rounds: Path) -> None:
    every = [json.loads(line) for line in lines_of(four_rounds)]
    begin, end = every[20]["at"], every[60]["at"]
    said = ask("export", "--since", begin, "--until", end, four_rounds)

    assert said.json() == [row for row in every if begin <= row["at"] <= end]
    assert ask("export", "--until", "1999-12-31", four_rounds) == Said(0, "", "")


def test_a_file_that_is_there_is_not_touched(ask: Ask, four_rounds: Path, tmp_path: Path) -> None:
    file = tmp_path / "evidence"
    file.write_text("dear diary")
    said = ask("export", "--output", file, four_rounds)

    assert (said.status, said.out) == (BAD_USAGE, "")
    assert "--force replaces it" in said.err
    assert file.read_text() == "dear diary"
    assert [one.name for one in tmp_path.iterdir()] == ["evidence"]

    assert ask("export", "--force", "--output", file, four_rounds).status == 0
    assert file.read_text().splitlines() == lines_of(four_rounds)


def test_a_link_that_leads_nowhere_is_not_written_through(
    ask: Ask, four_rounds: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")

    assert ask("export", "--output", tmp_path / "link", four_rounds).status == BAD_USAGE
    assert not (tmp_path / "elsewhere").exists()


def test_what_is_written_is_for_its_owner_alone(
    ask: Ask, four_rounds: Path, tmp_path: Path
) -> None:
    ask("export", "--output", tmp_path / "out", four_rounds)

    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("where", ["nowhere/out", "file/out", "."])
def test_where_nothing_can_be_written_is_said(
    ask: Ask, four_rounds: Path, tmp_path: Path, where: str
) -> None:
    (tmp_path / "file").touch()
    said = ask("export", "--force", "--output", tmp_path / where, four_rounds)

    assert said.status == BAD_USAGE
    assert said.err.startswith(f"tablekeeper: --output {tmp_path / where}: ")
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_a_full_disk_leaves_no_half_a_file(four_rounds: Path, tmp_path: Path) -> None:
    program = (
        "import resource, sys\n"
        "from controller.cli import main\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    file = tmp_path / "out"
    words = ["log", "export", "--output", file, four_rounds]
    done = subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (BAD_USAGE, "")
    assert done.stderr == f"tablekeeper: --output {file}: File too large\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_rows_that_are_missing_are_told_beside_the_export(ask: Ask, own: Path, form: str) -> None:
    with altered(own) as db:
        db.execute("DELETE FROM event WHERE seq BETWEEN 5 AND 9")
    said = ask("export", "--format", form, own)

    assert said.status == 1
    first, _ = said.err.splitlines()
    assert first == "!!! THE LOG WAS ALTERED OR DAMAGED: events 5 to 9: they are missing !!!"
    assert len(said.out.splitlines()) == len(lines_of(own)) + (form == "csv")
