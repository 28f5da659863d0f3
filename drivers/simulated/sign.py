"""An Alpha sign's own end: its memory, what it displays, and when it is deaf.  Pure.

It knows nothing of parity: like a sign set to seven bits, it drops the eighth.
"""

from collections.abc import Mapping

from drivers.alpha_wire import (
    CALL_STRING,
    ESC,
    FROM_SIGN,
    STRING,
    TEXT,
    TO_ALL,
    File,
    Scanner,
    files_in,
    packet,
)
from drivers.codec import Counters
from drivers.simulated.refused import Refused

SWITCHES: Mapping[str, str] = {
    "deaf-for": "milliseconds of deafness after memory was cleared, laid out, or a start",
    "too-fast": "packets that come within so many milliseconds of the one before are lost",
    "off": "the sign is switched off: dark and deaf",
    "stubborn": "the sign acknowledges nothing and takes nothing, but answers questions",
}
"""Name to meaning."""

_DEFAULTS = {"deaf-for": 3000, "too-fast": 100}


class SimulatedSign:
    """The sign, without its line."""

    def __init__(self) -> None:
        """Start with an empty memory, as it leaves the factory."""
        self.switches: dict[str, int] = {}
        self.lost = 0
        """Packets that were not taken: too fast, or while deaf."""
        self.layouts = 0
        """How often the memory was laid out."""
        self._counters = Counters()
        self._scanner = Scanner(self._counters, TO_ALL)
        self._deaf_until = 0.0
        self._packet_at = float("-inf")
        self.wipe()

    def wipe(self) -> None:
        """Forget everything, as after days without power."""
        self._files: dict[str, File] = {}
        self._contents: dict[str, bytes] = {}
        self._cleared = False
        self._displays = True

    def restart(self, now: float) -> None:
        """Switch off and on; what is in memory stays."""
        self._scanner.forget()
        self._fall_deaf(now)

    def set(self, name: str, value: float | str | bool | None, now: float) -> None:  # noqa: FBT001
        """Set a switch.

        Raises:
            Refused: there is no such switch, or it does not take this value.

        """
        if value is not None and (not isinstance(value, int) or value < 0):
            raise Refused(f"{name} must be true, false or a whole number, not {value!r}")
        if value is None:
            self.switches.pop(name, None)
        else:
            self.switches[name] = int(value)
        if name == "off" and not value:
            self.restart(now)

    def displayed(self) -> str:
        """Return what is to be read on the sign."""
        page = self._contents.get("A", b"")
        if not self._displays or self.switches.get("off"):
            return ""
        if page[:1] == bytes([ESC]):
            page = page[3:]
        shown = b""
        while (at := page.find(CALL_STRING)) >= 0:
            label = page[at + 1 : at + 2].decode("ascii")
            shown += page[:at] + self._contents.get(label, b"")
            page = page[at + 2 :]
        return (shown + page).decode("ascii").strip()

    def receive(self, data: bytes, now: float) -> list[bytes]:
        """Take bytes from the host; return the packets that the sign sends."""
        answers: list[bytes] = []
        for body in self._scanner.feed(data):
            too_soon = now < self._packet_at + self._number("too-fast") / 1000
            self._packet_at = now
            if self.switches.get("off") or too_soon or now < self._deaf_until:
                self.lost += 1
                continue
            answers += [packet(each, FROM_SIGN) for each in self._obey(body, now)]
        return answers

    def _obey(self, body: bytes, now: float) -> list[bytes]:
        command, rest = body[:1], body[1:]
        label = rest[:1].decode("ascii")
        match command:
            case b"F" if rest == b"$":
                return [b"E$" + b"".join(file.entry() for file in self._files.values())]
            case b"B":
                return [b"A" + rest[:1] + self._contents.get(label, b"")]
            case b"H":
                return [b"G" + rest[:1] + self._contents.get(label, b"")]
            case b"E" if label == "$" and not self.switches.get("stubborn"):
                self._lay_out(rest[1:], now)
            case b"A" | b"G" if not self.switches.get("stubborn"):
                self._write(TEXT if command == b"A" else STRING, label, rest[1:])
            case _:
                pass
        return []

    def _lay_out(self, entries: bytes, now: float) -> None:
        files = files_in(entries)
        if files is None:
            return
        self._displays = self._cleared or not files
        self._cleared = not files
        self._files = {file.label: file for file in sorted(files, key=lambda each: each.label)}
        self._contents.clear()
        self.layouts += bool(files)
        self._fall_deaf(now)

    def _write(self, kind: str, label: str, content: bytes) -> None:
        file = self._files.get(label)
        if file is None and (kind, label) == (TEXT, "A"):
            file = File("A", TEXT, 0x80)  # is there before any layout
        if file is not None and file.kind == kind:
            self._contents[label] = content if len(content) <= file.size else b""

    def _fall_deaf(self, now: float) -> None:
        self._deaf_until = now + self._number("deaf-for") / 1000

    def _number(self, name: str) -> int:
        return self.switches.get(name, _DEFAULTS[name])
