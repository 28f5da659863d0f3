"""What every codec promises: bytes to events, commands to bytes, and nothing else.

A codec has no port, thread or clock.  Time is told to it in seconds of any one clock that does not
go backwards, and it says when it wants to be told again.  Whoever drives a codec takes care that
only one thread is in it at a time.
"""

from typing import Protocol

import msgspec

from drivers.commands import DeviceCommand
from drivers.events import DeviceEvent


class Counters(msgspec.Struct):
    """How the wire has been since the programme started; shown to the technician, never reset."""

    frames: int = 0
    """Good frames or reports, repetitions included."""
    duplicates: int = 0
    """Repetitions of the message before."""
    retransmissions: int = 0
    """Cards told again on purpose, and the same as before."""
    bad_check: int = 0
    """Frames whose check characters did not fit."""
    bad_frame: int = 0
    """Frames of a wrong shape or length, or with a value that cannot be."""
    overflow: int = 0
    """Frames given up because they did not end."""
    gap_resets: int = 0
    """Frames given up because the rest did not come."""
    bytes_skipped: int = 0
    """Bytes that belonged to no good frame."""
    missed: int = 0
    """Times that the sequence showed messages to be lost."""
    acks: int = 0
    """Commands the device accepted."""
    naks: int = 0
    """Commands the device refused."""
    rollovers: int = 0
    """Reports that only said "too many keys at once"."""
    ignored: int = 0
    """Good messages that mean nothing here."""


class Codec(Protocol):
    """One device's end of the conversation.

    A driver's codec inherits from this: a device that only talks needs no more than `greet`,
    `feed`, `tick`, `wake_at` and `encode`; what else there is does nothing.
    """

    counters: Counters
    """How the wire has been."""

    def greet(self, now: float, identity: str = "") -> None:
        """Forget everything but the counters: the link has just come up.

        *identity* is what the port knows of the device (`drivers.events.Online.identity`).
        """

    def feed(self, data: bytes, now: float) -> list[DeviceEvent]:
        """Take what arrived, for USB one report a call.  Nothing that arrives makes it raise."""

    def tick(self, now: float) -> list[DeviceEvent]:
        """Learn that it is *now*.

        Raises:
            RemoteProtocolError: the device has been silent for longer than its protocol allows, or
                does not answer; the link is of no use then.

        """

    def wake_at(self) -> float | None:
        """Tell when `tick` and `pending` are wanted next, None if only bytes can change anything.

        A time gone by means at once.
        """

    def encode(self, command: DeviceCommand, command_id: int | None = None) -> bytes:
        """Take *command*; return what is to be sent for it now.

        A codec with words of its own to send may return b"" and let `pending` send the command in
        its turn.  With a *command_id*, a device that acknowledges answers by exactly one
        `drivers.events.Acknowledged` or `drivers.events.NotAcknowledged`, unless the link is lost
        first.

        Raises:
            LocalProtocolError: the device has no such command, or commands are switched off.

        """

    def pending(self, now: float) -> bytes:
        """Return what is to be sent *now*: greetings, questions, commands, repetitions.

        Called after `greet`, `feed`, `tick` and `encode`; what it returns has left.
        """
        return b""

    def introduction(self) -> str | None:
        """Tell what the device has said of itself: "" for one that is never asked.

        None while it has yet to answer the greeting; it is not online until it has.
        """
        return ""

    def farewell(self, now: float) -> tuple[float, bytes]:
        """Return the last bytes before the link is closed on purpose, and when they may leave."""
        return now, b""
