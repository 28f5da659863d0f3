"""JSON nested without end is said to be altered, wherever a log has it; nothing falls over."""

from pathlib import Path

import msgspec
import pytest

from controller.eventlog import EventLog, LogAltered, canonical
from controller.eventlog.files import days_in, key_folder
from controller.eventlog.row import DEEPEST, is_canonical, is_too_deep
from controller.eventlog.signing import SigningKey
from tests import forger
from tests.controller.logbook.logs import Ask

DEEP = b"[" * 5000 + b"]" * 5000
READ = (["rounds"], ["show"], ["show", "1"], ["show", "2"], ["export"], ["export", "--format=csv"])


def deepened(state: Path, kind: str) -> None:
    """Rewrite the rows of a kind with the key of the day, so that all else agrees."""

    def change(content):
        if content.kind != kind:
            return content
        body = b'{"x":' + DEEP + b"," + bytes(content.body)[1:]
        return msgspec.structs.replace(content, body=msgspec.Raw(body))

    (day,) = days_in(state / "log")
    key = SigningKey.load(key_folder(state / "log"), 1)
    forger.note(state / "log", forger.rewrite(day.path, change, sign=key.sign))


@pytest.mark.parametrize("kind", ["day-opened", "started", "round-opened", "settled", "corrected"])
def test_a_deep_body_is_told_at_its_row(ask: Ask, own: Path, kind: str) -> None:
    deepened(own, kind)

    for words in (["verify", own], ["verify", "--decide", own]):
        said = ask(*words)
        assert said.status == 1
        assert "its body is nested deeper than any that was ever written" in said.out
    for words in READ:
        said = ask(*words, own)
        assert said.status in {0, 1}
    said = ask("export", own)
    assert (said.status, "its body is nested deeper" in said.err) == (1, True)


def test_a_deep_line_in_the_list_of_keys_is_told(ask: Ask, own: Path) -> None:
    file = own / "log" / "public-keys"
    file.write_bytes(file.read_bytes().replace(b"}\n", b',"x":' + DEEP + b"}\n"))

    words = "public-keys: line 1 was changed: it is not the key of a day"
    assert words in ask("verify", own).out
    for asked in READ:
        said = ask(*asked, own)
        assert (said.status, words in said.err) == (1, True)
    with pytest.raises(LogAltered, match=words):
        EventLog.open(own / "log")


def test_a_deep_line_of_checkpoints_is_told(ask: Ask, own: Path) -> None:
    (day,) = days_in(own / "log")
    day.checkpoints.write_bytes(b'{"x":' + DEEP + b"}\n" + day.checkpoints.read_bytes())

    said = ask("verify", own)
    assert (said.status, "checkpoints: line 1 is longer than any" in said.out) == (1, True)


def test_a_deep_line_in_a_file_of_kept_keys_is_no_key(ask: Ask, own: Path, tmp_path: Path) -> None:
    (tmp_path / "kept").write_bytes(b'{"day":1,"x":' + DEEP + b"}\n")
    assert ask("verify", "--key", tmp_path / "kept", own).status == 2


def test_depth_is_counted_without_brackets_in_words() -> None:
    def nested(depth: int) -> bytes:
        return b'{"x":' * depth + b"1" + b"}" * depth

    assert not is_too_deep(nested(DEEPEST))
    assert is_too_deep(nested(DEEPEST + 1))
    assert not is_canonical(nested(DEEPEST + 1))
    assert not is_too_deep(canonical({"text": 'a "' + "[" * 5000, "\\": [[] for _ in range(500)]}))
