"""What can be asked at the control socket; the field ``do`` says which.

Every device has ``unplug``, ``plug``, ``switch`` and ``raw``; the others belong to what holds cards
or to what is pressed.
"""

import msgspec


class Status(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="status"):
    """Tell how everything is."""


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do"):
    """Root of what is asked of one device."""

    device: str


class Load(Request, frozen=True, tag="load"):
    """Put a pack in, with the cutting card behind so many cards if it is a shoe."""

    cards: list[str]
    cutting_card: int | None = None
    colour: str = ""
    """Back colour, for a shuffling device."""


class TakeOut(Request, frozen=True, tag="take-out"):
    """Take cards out of a shuffling device by hand: so many, or all.

    Nothing is told of them. A device that is well notices when it is empty, one in trouble nothing.
    """

    number: int | None = None


class Draw(Request, frozen=True, tag="draw"):
    """Take the next card out, or a given one whatever the pack holds; ``??`` cannot be read."""

    card: str | None = None


class CuttingCard(Request, frozen=True, tag="cutting-card"):
    """Take the cutting card out, wherever it lies."""


class Restart(Request, frozen=True, tag="restart"):
    """Switch the device off and on; a playback begins again."""


class TellAgain(Request, frozen=True, tag="tell-again"):
    """Let the device repeat its last card, or another one in its place."""

    card: str | None = None


class Fault(Request, frozen=True, tag="fault"):
    """Bring the device into trouble; the rest is for some faults of a shuffling device."""

    code: str
    retry: int = 0
    expected: int = 0
    got: int = 0
    card: str | None = None


class Clear(Request, frozen=True, tag="clear"):
    """Bring it out of trouble."""

    code: str


class Enter(Request, frozen=True, tag="state"):
    """Bring a shuffling device into a state that is no fault."""

    state: str


class Press(Request, frozen=True, tag="press"):
    """Press a control for so many seconds and let it go."""

    control: str
    hold: float = 0.05


class Down(Request, frozen=True, tag="down"):
    """Push a control down."""

    control: str


class Up(Request, frozen=True, tag="up"):
    """Let a control up."""

    control: str


class Raw(Request, frozen=True, tag="raw"):
    """Send any bytes, in hexadecimal."""

    hex: str


class Switch(Request, frozen=True, tag="switch"):
    """Set a fault switch; null, false or 0 switches it off."""

    name: str
    value: bool | int | float | str | None = None


class Unplug(Request, frozen=True, tag="unplug"):
    """Pull the cable."""


class Plug(Request, frozen=True, tag="plug"):
    """Put it back, under a new node of the same name."""


Asked = (
    Status
    | Load
    | TakeOut
    | Draw
    | CuttingCard
    | Restart
    | TellAgain
    | Fault
    | Clear
    | Enter
    | Press
    | Down
    | Up
    | Raw
    | Switch
    | Unplug
    | Plug
)
