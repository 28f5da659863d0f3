"""Packets of the Alpha sign protocol, both ways; what they are for is decided elsewhere.

::

    00 x 5   SOH  type  address  STX  body...  ETX  sum           EOT
    wake up  01   'Z'   '00'     02            03   4 hex digits  04

The sum is over STX to ETX, as 16 bits.  A sign answers a question in the same form, with type
``0``.  Layout from the maker's manual, form 9708-8061; the form of an answer as measured on a sign
(github.com/mjaksn/readerboard).
"""

from dataclasses import dataclass

from drivers.codec import Counters

WAKE = bytes(5)
SOH, STX, ETX, EOT, ESC = 0x01, 0x02, 0x03, 0x04, 0x1B
CALL_STRING = 0x10
TO_ALL = b"Z00"
FROM_SIGN = b"000"
LONGEST_PACKET = 1024

_SUM_LENGTH = 4
_SHORTEST = 1 + len(FROM_SIGN) + 1 + 1 + 1 + _SUM_LENGTH + 1

TEXT, STRING = "A", "B"


def check(covered: bytes) -> bytes:
    """Return the sum over *covered*, STX to ETX, as four hex digits.

    >>> check(bytes.fromhex("02 41 41 48 45 4C 4C 4F 03"))
    b'01FB'
    """
    return b"%04X" % (sum(covered) & 0xFFFF)


def packet(body: bytes, head: bytes = TO_ALL) -> bytes:
    """Return *body* as a packet, to any sign unless *head* (type and address) says otherwise."""
    covered = bytes([STX]) + body + bytes([ETX])
    return WAKE + bytes([SOH]) + head + covered + check(covered) + bytes([EOT])


@dataclass(frozen=True, slots=True)
class File:
    """One entry of a sign's memory configuration."""

    label: str
    kind: str
    """``A`` is a TEXT, ``B`` a STRING, ``D`` dots."""
    size: int

    def entry(self) -> bytes:
        """Return the entry: locked against the remote control, shown at all times.

        >>> File("1", STRING, 32).entry()
        b'1BL00200000'
        """
        times = "FFFF" if self.kind == TEXT else "0000"
        return f"{self.label}{self.kind}L{self.size:04X}{times}".encode("ascii")


def files_in(entries: bytes) -> frozenset[File] | None:
    """Return the files of a memory configuration, None if it is not one.

    Whether they are locked, and when they are shown, makes no difference here.
    """
    width = len(File("1", STRING, 0).entry())
    if len(entries) % width:
        return None
    files = set[File]()
    for at in range(0, len(entries), width):
        entry = entries[at : at + width].decode("ascii")
        try:
            files.add(File(entry[0], entry[1], int(entry[3:7], 16)))
        except ValueError:
            return None
    return frozenset(files)


class Scanner:
    """Finds the packets in whatever comes over the line; the eighth bit is none of ours.

    A line set to eight bits shows a sign's parity there.  Holds at most one unfinished packet.
    """

    def __init__(self, counters: Counters, head: bytes = FROM_SIGN) -> None:
        """Count what is dropped in *counters*; take only packets of this type and address."""
        self._counters = counters
        self._head = head
        self._held = b""

    @property
    def holds_part(self) -> bool:
        """Whether a packet has begun and not ended."""
        return bool(self._held)

    def forget(self) -> int:
        """Drop an unfinished packet; return how many bytes that were."""
        dropped, self._held = len(self._held), b""
        return dropped

    def feed(self, data: bytes) -> list[bytes]:
        """Take *data* and return the bodies of the packets that are whole by now."""
        found: list[bytes] = []
        for byte in data:
            found += self._take(byte & 0x7F)
        return found

    def _take(self, byte: int) -> list[bytes]:
        if byte == SOH:
            if self._held:
                self._counters.bad_frame += 1
            self._counters.bytes_skipped += self.forget()
            self._held = bytes([SOH])
            return []
        if not self._held:
            self._counters.bytes_skipped += byte != 0  # zeros only wake the other end
            return []
        self._held += bytes([byte])
        if byte == EOT:
            return self._judge()
        if len(self._held) == LONGEST_PACKET:
            self._counters.overflow += 1
            self._counters.bytes_skipped += self.forget()
        return []

    def _judge(self) -> list[bytes]:
        whole, self._held = self._held, b""
        covered, told = whole[4 : -_SUM_LENGTH - 1], whole[-_SUM_LENGTH - 1 : -1]
        if whole[1:4] != self._head and len(whole) >= _SHORTEST:
            self._counters.ignored += 1  # for another sign, or our own bytes come back
            return []
        if len(whole) < _SHORTEST or covered[0] != STX or covered[-1] != ETX:
            self._counters.bad_frame += 1
        elif check(covered) != told:
            self._counters.bad_check += 1
        else:
            return [covered[1:-1]]
        self._counters.bytes_skipped += len(whole)
        return []
