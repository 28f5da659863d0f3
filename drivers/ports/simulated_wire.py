"""What is said over the unix socket of a simulated USB unit: one JSON object a line.

The host asks and the unit answers each question once, in order; reports come unasked in between,
and the host says when a report was taken by whoever reads.  The socket's node stands for the plug:
no node, no unit; a closed connection is an unplugged one.
"""

import msgspec


class Describe(msgspec.Struct, frozen=True, tag_field="ask", tag="describe"):
    """Ask for the unit's descriptors; answered by a `Description`."""


class KernelDriver(msgspec.Struct, frozen=True, tag_field="ask", tag="kernel-driver"):
    """Ask whether the kernel holds the interface (value 1), make it let go, or give it back."""

    then: str
    """``look``, ``detach`` or ``attach``."""


class Claim(msgspec.Struct, frozen=True, tag_field="ask", tag="claim"):
    """Take the interface; reports are sent from here on."""


class Release(msgspec.Struct, frozen=True, tag_field="ask", tag="release"):
    """Give the interface up."""


class Control(msgspec.Struct, frozen=True, tag_field="ask", tag="control"):
    """Make a control transfer; the answer's data is what the unit sends back."""

    kind: int
    request: int
    value: int
    index: int
    length: int


class ClearHalt(msgspec.Struct, frozen=True, tag_field="ask", tag="clear-halt"):
    """Clear the endpoint's halt."""


class Took(msgspec.Struct, frozen=True, tag_field="ask", tag="took"):
    """Say that report *number* was read; not answered."""

    number: int


Question = Describe | KernelDriver | Claim | Release | Control | ClearHalt | Took


class Description(msgspec.Struct, frozen=True):
    """What enumeration shows of a unit with one configuration and one interface."""

    vendor: int
    product: int
    bus: int
    address: int
    ports: tuple[int, ...]
    interface: int = 0
    subclass: int = 1
    protocol: int = 1
    endpoint: int = 0x81
    packet: int = 8


class Answer(msgspec.Struct, frozen=True, tag_field="tell", tag="answer"):
    """Answer to the oldest question that has none yet; ``errno`` if it failed."""

    value: int = 0
    data: bytes = b""
    description: Description | None = None
    errno: int = 0
    why: str = ""


class Report(msgspec.Struct, frozen=True, tag_field="tell", tag="report"):
    """One interrupt transfer: a report, or the ``errno`` that reading it gives."""

    number: int
    data: bytes = b""
    errno: int = 0


Telling = Answer | Report

GET_REPORT = (0xA1, 0x01)
SET_PROTOCOL = (0x21, 0x0B)
"""The two control requests (`Control.kind` and `Control.request`) that a unit may know."""

LONGEST_LINE = 64 * 1024
