"""What a device can be asked to do; which of these a driver has, its codec decides."""

import msgspec


class Command(msgspec.Struct, frozen=True, tag_field="kind"):
    """Root of all commands."""


class UnlockShoe(Command, frozen=True, tag="unlock-shoe"):
    """Let cards be drawn again."""


class LockShoe(Command, frozen=True, tag="lock-shoe"):
    """Let no card be drawn."""


class CancelError(Command, frozen=True, tag="cancel-error"):
    """Clear the fault named by ``code`` (as in `drivers.events.Fault`), or every fault if None."""

    code: str | None = None


class ConfirmProcess(Command, frozen=True, tag="confirm-process"):
    """Tell the device that the step it waits for was seen."""


class AskState(Command, frozen=True, tag="ask-state"):
    """Let the device tell its state; may be repeated."""


class Eject(Command, frozen=True, tag="eject"):
    """Let the device push its cards out; never repeated by a driver."""


class LockDoor(Command, frozen=True, tag="lock-door"):
    """Lock the door over the cards; never repeated by a driver."""


class UnlockDoor(Command, frozen=True, tag="unlock-door"):
    """Unlock the door over the cards; never repeated by a driver."""


class Lamps(Command, frozen=True, tag="lamps"):
    """Let these lamps be lit, by the names of their buttons, and all others dark.

    A lamp says "may be pressed now".  May be repeated.
    """

    lit: frozenset[str]


class Arm(Command, frozen=True, tag="arm"):
    """Let the one shared jackpot button count for *box*, or for none; may be repeated."""

    box: int | None


class ShowAmount(Command, frozen=True, tag="show-amount"):
    """Show *text* on the meter unless a prize is up; a newer amount overtakes an older one."""

    text: str


class ShowPrize(Command, frozen=True, tag="show-prize"):
    """Show *text* on the meter until the prize is cleared."""

    text: str


class ClearPrize(Command, frozen=True, tag="clear-prize"):
    """Show the newest amount again, or the idle page if there is none."""


DeviceCommand = (
    UnlockShoe
    | LockShoe
    | CancelError
    | ConfirmProcess
    | AskState
    | Eject
    | LockDoor
    | UnlockDoor
    | Lamps
    | Arm
    | ShowAmount
    | ShowPrize
    | ClearPrize
)
