"""An Angel Eye shoe's own end: what happens to it, as frames; commands in, answers out.

Pure, and each frame once; that a real shoe says everything three times is the cable's business here
(see `drivers.simulated.cable`).
"""

from drivers.angel_eye_wire import ACK, ETX, FAULTS, NAK, SEQUENCE, STX, byte_of, check, report
from drivers.simulated.refused import Refused

NAK_CHECK, NAK_FORMAT, NAK_COMMAND, NAK_TYPE = 0x02, 0x11, 0x13, 0x14

_COMMAND_LENGTH = 10
_DRAWN_IN_GAME = 0x81
_IN_ERROR_MODE = 0xC0


class SimulatedShoe:
    """The shoe, without its cards."""

    def __init__(self) -> None:
        """Start unlocked and without a fault."""
        self._messages_sent = 0
        self._held = b""
        self.locked = False
        self.faults: set[str] = set()
        self.last_card: str | None = None

    def restart(self) -> list[bytes]:
        """Boot: faults and half a command are forgotten, the numbering goes on."""
        self._held = b""
        self.locked = False
        self.faults.clear()
        return [self._frame("S"), self._frame("P")]

    def card_out(self, card: str | None) -> list[bytes]:
        """Let a card out; None is one that cannot be read.

        Raises:
            Refused: the shoe is locked.

        """
        if self.locked:
            raise Refused("the shoe is locked")
        self.last_card = card
        return [self._frame("D", bytes([_DRAWN_IN_GAME, byte_of(card)]))]

    def tell_again(self, card: str | None) -> list[bytes]:
        """Tell a card as a retransmission, the last one or another."""
        return [self._frame("R", bytes([_DRAWN_IN_GAME, byte_of(card)]))]

    def cutting_card(self) -> list[bytes]:
        """Let the cutting card out."""
        return [self._frame("C")]

    def fault(self, code: str) -> list[bytes]:
        """Get into trouble.

        Raises:
            Refused: this shoe has no such fault.

        """
        number = _number(code)
        self.faults.add(code)
        return [self._frame("E", bytes([_IN_ERROR_MODE | number]))]

    def clear(self, code: str) -> list[bytes]:
        """Get out of trouble.

        Raises:
            Refused: this shoe has no such fault.

        """
        number = _number(code)
        self.faults.discard(code)
        return [self._frame("e", bytes([0x80 | number]))]

    def skip(self, messages: int) -> None:
        """Use up sequence characters without sending anything."""
        self._messages_sent += messages

    def receive(self, data: bytes) -> tuple[bytes, list[bytes]]:
        """Take bytes from the host; return the answers to it, and what the shoe tells besides."""
        self._held += data
        answers, frames = b"", list[bytes]()
        while (start := self._held.find(STX)) >= 0:
            command = self._held[start : start + _COMMAND_LENGTH]
            if len(command) < _COMMAND_LENGTH:
                self._held = command
                return answers, frames
            self._held = self._held[start + _COMMAND_LENGTH :]
            refusal, told = self._obey(command)
            answers += bytes([NAK, refusal]) if refusal else bytes([ACK])
            frames += told
        self._held = b""
        return answers, frames

    def _obey(self, command: bytes) -> tuple[int, list[bytes]]:
        """Carry out one command; return why it is refused (0: it is not), and what is told."""
        body, told_check = command[:8], command[8:]
        if body[-1] != ETX or not body[5:7].isdigit():
            return NAK_FORMAT, []
        if check(body) != told_check:
            return NAK_CHECK, []
        if body[1:3] != b"OP":
            return NAK_COMMAND, []
        match body[3:5], int(body[5:7]):
            case b"LK", 1:
                self.locked = False
                return 0, [self._frame("L", b"\x80")]
            case b"LK", 2:
                self.locked = True
                return 0, [self._frame("L", b"\x81")]
            case b"EC", number:
                over = [code for code in sorted(self.faults) if number in {0, _number(code)}]
                return 0, [frame for code in over for frame in self.clear(code)]
            case b"GP", 0:
                return 0, []
            case _:
                return NAK_TYPE, []

    def _frame(self, code: str, data: bytes = b"") -> bytes:
        sequence = SEQUENCE[self._messages_sent % len(SEQUENCE)]
        self._messages_sent += 1
        return report(sequence, code, data)


def _number(code: str) -> int:
    for number, (name, _) in FAULTS.items():
        if name == code:
            return number
    known = ", ".join(name for name, _ in FAULTS.values())
    raise Refused(f"this shoe has no fault {code!r}; it has {known}")
