"""A log as JSON lines."""

import io
import json
from contextlib import closing
from pathlib import Path

from controller.eventlog import LogReader, as_json_line, export_jsonl


def test_an_export_has_every_row_on_a_line_of_its_own(folder: Path) -> None:
    out = io.BytesIO()
    with closing(LogReader.open(folder)) as reader:
        assert export_jsonl(reader, out) == 13
        rows = list(reader.rows())

    lines = out.getvalue().splitlines(keepends=True)
    assert lines == [as_json_line(row) + b"\n" for row in rows]
    assert [json.loads(line)["seq"] for line in lines] == list(range(1, 14))
