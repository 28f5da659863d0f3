"""The devices' own end of the reference protocol: what all of them do.  Pure.

Frames out come once; a bad cable is `drivers.simulated.cable`'s business.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping

from drivers.codec import Counters
from drivers.reference_wire import PROTOCOL, Frame, Kind, Reason, Scanner, Type, frame
from drivers.reference_words import Hello
from drivers.simulated.refused import Refused

FIRMWARE = "sim-1.0"

SWITCHES: Mapping[str, str] = {
    "nak": "the next command is refused for the reason with this number, once",
    "busy": "so many commands are refused as busy",
    "deaf": "no command is answered or obeyed",
    "no-hello": "the device does not say who it is",
    "no-heartbeat": "no heartbeat is sent",
    "seq-skip": "so many sequence numbers are left out, once",
    "seq-repeat": "the next message has the number of the one before, once",
    "length": "the length in the next frame is wrong, once",
    "reboot": "the next frame breaks off and the device starts anew, once",
    "serial": "another serial number: another unit of the same kind",
    "kind": "another kind of unit, by its number",
    "protocol": "another version of the protocol",
}
"""Name to meaning; None, false and 0 switch off."""


class SimulatedReference(ABC):
    """A device, without its line."""

    def __init__(self, kind: Kind, serial: str) -> None:
        """Take what the device is."""
        self._hello = Hello(kind, PROTOCOL, started=False, firmware=FIRMWARE, serial=serial)
        self._scanner = Scanner(Counters())
        self._sent = 0
        self._last_command: bytes | None = None
        self._last_answer: list[tuple[int, bytes]] = []
        self.switches: dict[str, int | str] = {}

    @property
    def hello(self) -> Hello:
        """Who the device says it is."""
        other: dict[str, object] = {}
        if "serial" in self.switches:
            other["serial"] = str(self.switches["serial"])
        if "kind" in self.switches:
            other["kind"] = Kind(int(self.switches["kind"]))
        if "protocol" in self.switches:
            other["protocol"] = int(self.switches["protocol"])
        return self._hello._replace(**other)  # type: ignore[arg-type]  # each as its field

    def set(self, name: str, value: float | str | bool | None) -> None:  # noqa: FBT001
        """Set a switch.

        Raises:
            Refused: the switch does not take this value.

        """
        if value in (None, False, 0, ""):
            self.switches.pop(name, None)
        elif name == "serial":
            self.switches[name] = str(value)
        elif not isinstance(value, int) or value < 0:
            raise Refused(f"{name} must be true, false or a whole number, not {value!r}")
        elif name == "kind" and int(value) not in list(Kind):
            known = ", ".join(f"{each.value} {each.name.lower()}" for each in Kind)
            raise Refused(f"there is no kind {value}; there are {known}")
        elif name == "seq-skip":
            self._sent += value
        else:
            self.switches[name] = int(value)

    def restart(self) -> list[bytes]:
        """Switch the device off and on; it says who it is by itself then."""
        self._sent = 0
        self._last_command = None
        self._scanner.forget()
        self._started()
        return self._frames((Type.HELLO, self.hello._replace(started=True).payload()))

    def heartbeat(self) -> list[bytes]:
        """Return what is sent each second."""
        if self.switches.get("no-heartbeat"):
            return []
        return self._frames((Type.HEARTBEAT, self._beat()))

    def receive(self, data: bytes) -> list[bytes]:
        """Take bytes from the host; return what the device sends."""
        frames: list[bytes] = []
        for command in self._scanner.feed(data):
            if not command.type & 0x80 and not self.switches.get("deaf"):
                frames += self._frames(*self._answer(command))
        return frames

    def _answer(self, command: Frame) -> list[tuple[int, bytes]]:
        """Return what is sent for *command*; one that is repeated is answered, not obeyed again."""
        if command.type != Type.ASK_HELLO and command.raw == self._last_command:
            return self._last_answer
        reason = self._refusal()
        told: list[tuple[int, bytes]] = []
        if reason is None:
            reason, told = self._carry_out(command)
        if reason is not None:
            told = [(Type.NAK, bytes([command.sequence, reason]))]
        else:
            told = [(Type.ACK, bytes([command.sequence])), *told]
        if reason != Reason.BUSY:
            self._last_command, self._last_answer = command.raw, told
        return told

    def _refusal(self) -> int | None:
        if reason := self.switches.pop("nak", None):
            return int(reason)
        if busy := int(self.switches.get("busy", 0)):
            self.set("busy", busy - 1)
            return Reason.BUSY
        return None

    def _carry_out(self, command: Frame) -> tuple[int | None, list[tuple[int, bytes]]]:
        match command.type:
            case Type.ASK_HELLO:
                if self.switches.get("no-hello"):
                    return None, []
                return None, [(Type.HELLO, self.hello.payload())]
            case Type.ASK_STATE:
                return None, [(Type.STATE, self._state())]
            case _:
                return self._obey(command)

    def _frames(self, *messages: tuple[int, bytes]) -> list[bytes]:
        frames: list[bytes] = []
        for kind, payload in messages:
            repeat = self.switches.pop("seq-repeat", 0)
            self._sent -= 1 if repeat and self._sent else 0
            whole = frame(self._sent, kind, payload)
            self._sent += 1
            if self.switches.pop("length", 0):
                whole = whole[:3] + bytes([whole[3] ^ 0x01]) + whole[4:]
            if self.switches.pop("reboot", 0):
                return [*frames, whole[: len(whole) // 2], *self.restart()]
            frames.append(whole)
        return frames

    @abstractmethod
    def _started(self) -> None:
        """Be as after switching on."""

    @abstractmethod
    def _beat(self) -> bytes:
        """Return the payload of a heartbeat."""

    @abstractmethod
    def _state(self) -> bytes:
        """Return the payload of a STATE."""

    @abstractmethod
    def _obey(self, command: Frame) -> tuple[int | None, list[tuple[int, bytes]]]:
        """Carry out *command*; return why it is refused (None: it is not), and what is told."""
