"""The witness remembers how far a log went, and survives a torn write."""

import resource
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.eventlog import START, Head
from controller.eventlog.errors import LogWriteFailed
from controller.eventlog.lock import WriterLock
from controller.eventlog.witness import SLOT_BYTES, Witness, contradiction, decode, encode, read

heads = st.builds(
    Head,
    st.integers(0, 10**18),
    st.text("0123456789abcdef", min_size=64, max_size=64),
)
A, B, C = (Head(seq, f"{seq:064x}") for seq in (1, 2, 3))


@settings(deadline=None)
@given(heads)
def test_a_slot_reads_back(head: Head) -> None:
    assert decode(encode(head).ljust(SLOT_BYTES, b"\0")) == head


@settings(deadline=None)
@given(heads, st.integers(0, 94), st.integers(1, 255))
def test_a_slot_with_any_byte_changed_says_nothing(head: Head, place: int, flip: int) -> None:
    slot = bytearray(encode(head))
    slot[place] ^= flip

    assert decode(bytes(slot)) is None


@settings(deadline=None)
@given(heads, heads, st.integers(1, 94))
def test_a_slot_torn_anywhere_says_the_old_the_new_or_nothing(
    old: Head, new: Head, torn_at: int
) -> None:
    slot = encode(new)[:torn_at] + encode(old)[torn_at:]

    assert decode(slot) in {old, new, None}


def test_slots_are_written_in_turn(tmp_path: Path) -> None:
    with closing(Witness.open(tmp_path / "w", None)) as witness:
        assert read(tmp_path / "w") == (START, START)
        for head, slots in [(A, (START, A)), (B, (B, A)), (C, (B, C))]:
            witness.note(head)
            assert witness.seen == head
            assert read(tmp_path / "w") == slots


@pytest.mark.parametrize(
    ("found", "after"),
    [((A, B), (C, B)), ((B, A), (B, C)), ((None, A), (C, A)), ((A, None), (A, C))],
)
def test_an_opened_witness_overwrites_the_older_or_damaged_slot(
    tmp_path: Path, found, after
) -> None:
    path = tmp_path / "w"
    path.write_bytes(
        b"".join((encode(slot) if slot else b"").ljust(SLOT_BYTES, b"\0") for slot in found)
    )

    assert read(path) == found
    with closing(Witness.open(path, found)) as witness:
        witness.note(C)

    assert read(path) == after


@pytest.mark.parametrize("content", [b"", b"\0" * 2 * SLOT_BYTES])
def test_a_witness_that_says_nothing_is_begun_anew(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "w"
    path.write_bytes(content)

    Witness.open(path, read(path)).close()

    assert read(path) == (START, START)


def test_a_witness_that_cannot_be_begun_is_not_left_open() -> None:
    before = sorted(fd.name for fd in Path("/proc/self/fd").iterdir())
    with pytest.raises(OSError, match="No space left"):
        Witness.open(Path("/dev/full"), None)
    with pytest.raises(LogWriteFailed, match="it is no file"):
        WriterLock.take(Path("/dev/full"))

    assert sorted(fd.name for fd in Path("/proc/self/fd").iterdir()) == before


def test_a_note_written_in_part_is_a_note_not_written(tmp_path: Path) -> None:
    with closing(Witness.open(tmp_path / "w", None)) as witness:
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (SLOT_BYTES + 50, hard))
        try:
            with pytest.raises(OSError, match="only in part"):
                witness.note(A)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert witness.seen == START
        assert read(tmp_path / "w") == (START, None)

        witness.note(A)
        assert read(tmp_path / "w") == (START, A)


def test_there_may_be_no_witness(tmp_path: Path) -> None:
    assert read(tmp_path / "w") is None


HASHES = {head.seq: head.hash for head in (A, B, C)}


@pytest.mark.parametrize(
    "slots", [(B, C), (C, B), (A, B), (START, A), (None, C), (A, None), (START, START), (C, C)]
)
def test_a_log_may_be_where_its_witness_is_or_further(slots) -> None:
    assert contradiction(slots, C, HASHES.get) is None


@pytest.mark.parametrize("slots", [None, (None, None), (START, START)])
def test_a_log_without_rows_needs_no_witness(slots) -> None:
    assert contradiction(slots, START, HASHES.get) is None


@pytest.mark.parametrize(
    ("slots", "seq", "what"),
    [
        (None, 2, "removed"),
        ((None, None), 2, "damaged"),
        ((B, C), 3, "rows after 2 cut off: the witness saw 3"),
        ((None, C), 3, "cut off"),
        ((START, Head(2, A.hash)), 2, "another hash"),
        ((Head(1, B.hash), B), 1, "another hash"),
        ((Head(2, A.hash), B), 2, "another hash"),
        ((Head(0, A.hash), B), 0, "another hash"),
    ],
)
def test_a_log_that_contradicts_its_witness_is_found(slots, seq: int, what: str) -> None:
    found = contradiction(slots, B, HASHES.get)

    assert found is not None
    assert found[0] == seq
    assert what in found[1]
