"""What a device can tell: frozen values with a ``kind``, the same for every maker.

Cards are two characters: rank (``A23456789TJQK``) and suit (``SHDC``).  ``raw`` is the frame as
hex, so that a misread can be looked at months later.
"""

import msgspec


class Event(msgspec.Struct, frozen=True, tag_field="kind"):
    """Root of all device events."""


class CardOut(Event, frozen=True, tag="card-out"):
    """A card left the device; ``card`` is None if it could not be read."""

    card: str | None
    raw: str


class CardMismatch(Event, frozen=True, tag="card-mismatch"):
    """The device repeated its last card and it is not the card it told before.

    ``last`` is None when the last card was unread or nothing was told since the link came up.
    """

    read: str | None
    last: str | None
    raw: str


class CuttingCard(Event, frozen=True, tag="cutting-card"):
    """The cutting card left the device."""

    raw: str


class Restarted(Event, frozen=True, tag="restarted"):
    """The device says that it has just started: what it knew before is gone."""


class StandBy(Event, frozen=True, tag="stand-by"):
    """The device says that it is ready and idle."""


class Fault(Event, frozen=True, tag="fault"):
    """The device reports trouble: a kebab-case ``code`` and a sentence for people."""

    code: str
    text: str
    raw: str


class FaultCleared(Event, frozen=True, tag="fault-cleared"):
    """The trouble named by ``code`` is over."""

    code: str
    raw: str


class LockState(Event, frozen=True, tag="lock"):
    """The device locked itself, or opened again."""

    locked: bool
    raw: str


class Gap(Event, frozen=True, tag="gap"):
    """Messages were lost, a card perhaps among them; ``missed`` is the least number, if known."""

    missed: int | None
    raw: str


class Press(Event, frozen=True, tag="press"):
    """A button was pressed: short (told when let go) or held (told while still down)."""

    control: str
    held: bool


class Stuck(Event, frozen=True, tag="stuck"):
    """A button has been down for so long that no hand is on it; told once."""

    control: str


class Online(Event, frozen=True, tag="online"):
    """The link is up.  ``identity`` is what the device tells of itself, "" if nothing."""

    port: str
    driver: str
    identity: str


class Lost(Event, frozen=True, tag="lost"):
    """The link is down; exactly one for each `Online`."""

    why: str


class DeviceState(Event, frozen=True, tag="device-state"):
    """How a card-handling device is; told when it changes, and whenever it was asked.

    ``state`` is one of `drivers.reference_wire.STATES`, ``detail`` a sentence for people.
    """

    state: str
    detail: str
    cards_inside: int | None
    """Number of cards in the device, None if it does not know; never which."""
    cards_out: int
    """Running number of the last card that left, since the device was switched on."""
    colour: str = ""
    """Back colour of the deck set inside, "" if the device does not know."""
    locked: bool = False
    """Whether the door is locked."""
    retry: int | None = None
    """Of a jam: which attempt to clear it by itself the device is at."""
    expected: int | None = None
    """Of a count mismatch: the number of cards there should be."""
    got: int | None = None
    """Of a count mismatch: the number counted."""
    card: str | None = None
    """Of a duplicate or damaged card: the card, if known."""


class Acknowledged(Event, frozen=True, tag="acknowledged"):
    """The device took the command; for a meter: it was read back."""

    command_id: int


class NotAcknowledged(Event, frozen=True, tag="not-acknowledged"):
    """The command was refused, overtaken by a newer one, or never answered; ``why`` says which."""

    command_id: int
    why: str


class Shown(Event, frozen=True, tag="shown"):
    """The meter shows ``text``, "" for its idle page: read back from it, and as was wanted.

    After a `MeterSilent` it also says that the meter answers again.
    """

    text: str


class MeterSilent(Event, frozen=True, tag="meter-silent"):
    """The meter does not answer; told once, until it does.  What it shows is not known."""

    why: str


DeviceEvent = (
    CardOut
    | CardMismatch
    | CuttingCard
    | Restarted
    | StandBy
    | Fault
    | FaultCleared
    | LockState
    | Gap
    | Press
    | Stuck
    | Online
    | Lost
    | DeviceState
    | Acknowledged
    | NotAcknowledged
    | Shown
    | MeterSilent
)
