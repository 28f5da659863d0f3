"""Whatever is written in a script, the reader reads it or tells what is wrong with it."""

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.characters import taken
from controller.scripts.read import BadScript, parse_script
from controller.scripts.script import Fault, Script
from tests.controller.scripts.playing import GOOD, TITLE, changed

WORDS = st.sampled_from([
    "title", "game", "options", "bets", "play", "expect", "box", "player", "main", "decks",
    "blackjack-nsw", "pontoon-nsw", "cards", "7S", "??", "stand", "split", "insure", "ann",
    "1", "10", "-5", "1e3", "0.5", "true", "null", "~", "&a", "*a", "!!int", "!x", "<<", "|",
    ">", "%YAML 1.1", "---", "...", "'", '"', "{", "}", "[", "]", ",", ":", ": ", "- ", "? ",
    "#", "\n", "\n  ", "\n  - ", "\t", "\u00e9", "\u2028", "\x85", "\ufeff",
])  # fmt: skip
YAMLISH = st.lists(WORDS, max_size=40).map("".join)
LINES = st.lists(
    st.tuples(st.integers(1, 11), st.lists(WORDS, max_size=8).map(" ".join)), min_size=1, max_size=4
)


def told_of(data: bytes) -> list[Fault]:
    """Return what is told of the bytes: nothing if they are a script."""
    try:
        assert isinstance(parse_script(data), Script)
    except BadScript as bad:
        return bad.faults or [Fault(-1, "")]
    return []


def reads_or_tells(data: bytes) -> None:
    """Anything is a script, or bad with faults at lines of the file, each told in one line."""
    breaks = (b"\n", b"\r", "\u2028".encode(), "\u2029".encode(), "\x85".encode())
    last = sum(map(data.count, breaks)) + 2
    for fault in told_of(data):
        assert 0 <= fault.line <= last
        assert fault.what
        assert "\n" not in fault.what


@given(YAMLISH)
@settings(max_examples=300, deadline=None)
def test_text_like_yaml_never_breaks_the_reader(text: str) -> None:
    reads_or_tells(text.encode())


@given(LINES)
@settings(max_examples=300, deadline=None)
def test_a_script_with_spoilt_lines_never_breaks_the_reader(spoilt: list[tuple[int, str]]) -> None:
    lines = GOOD.splitlines()
    for at, text in spoilt:
        lines[at - 1] = text
    reads_or_tells("\n".join(lines).encode())


@given(st.binary(max_size=200))
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_bytes_never_break_the_reader(data: bytes) -> None:
    reads_or_tells(data)


def can_be_seen(text: str) -> bool:
    try:
        return taken(text) == text
    except ValueError:
        return False


LETTERS = st.characters(exclude_categories=("C", "Z", "M"), include_characters=" ")


@given(st.text(LETTERS, max_size=12).filter(can_be_seen))
@settings(deadline=None)
def test_any_title_can_be_written(title: str) -> None:
    text = changed(TITLE, f"title: {msgspec.json.encode(title).decode()}")
    if title.strip():
        assert parse_script(text.encode()).title == title
    else:
        assert told_of(text.encode()) == [Fault(TITLE, "title is one line of text")]
