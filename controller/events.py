"""What reaches a table: it happened or was asked, and becomes a row of the event log.

Each event has the time at which it was taken (``mono``: milliseconds since the machine started).
What the rules make of it are its outcomes (`controller.outcomes`), rows as well.

Events are facts, but for ``Asked`` and ``Pressed``, which ask for something and may be refused.
"""

from typing import Any, Literal

import msgspec

from controller.cards import Card, Face
from controller.game.house import AroundTheRound, AtBox
from controller.game.malfunction import ProcedureMove
from controller.game.moves import Burn, Request
from controller.game.options import Game
from controller.game.settlement import Settlement
from controller.game.shuffle import ShuffleMove


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """The root of all events."""

    mono: int = 0


# --- the controller itself ------------------------------------------------------------------------


class Started(Event, frozen=True, kw_only=True, tag="started"):
    """The controller took the table.  What it works by travels with it: deciding stays pure."""

    version: str
    decider: int
    config: str
    """Digest of the configuration in force."""
    boot: str
    game: Game
    controls: dict[str, str]
    """What each press means: ``device.control`` or ``device.control hold`` to an action."""
    devices: dict[str, str]
    """The table's devices with their roles."""
    source: str = "shoe"
    """The device that cards come from, at a table that was never open before."""
    rehearsal: bool = False
    """No real table: roles that are merely claimed count."""
    cards_ready: bool = False
    """The cards lie in the device, shuffled and cut and the first one burned, as a rehearsal
    begins; otherwise the shuffle is due at a table that was never open before (4.1.1)."""


class Stopped(Event, frozen=True, kw_only=True, tag="stopped"):
    """The controller left the table in an orderly way."""


class ClockStepped(Event, frozen=True, kw_only=True, tag="clock-stepped"):
    """The wall clock was set, or ran too fast or slow.  Durations are milliseconds."""

    by: int
    """By how much it went forward; back if negative."""
    within: int
    """In how much time; 0 where that is not known, after another start of the machine."""
    before: str
    """What it would show at this moment, had it gone on as it was."""
    after: str
    """What it shows."""
    at: int
    """When it showed that, by the clock of ``mono``, which tells when the event was taken."""
    behind: int
    """How far it is behind the latest time in the log; 0 if it is not."""


class Check(msgspec.Struct, frozen=True):
    """One thing that was looked at before the table opened."""

    name: str
    ok: bool
    words: str
    """What was found; where it is not as it should be, where, and what to do about it."""


class SelfTested(Event, frozen=True, kw_only=True, tag="self-tested"):
    """The controller looked at itself, before it opened the table or when its devices were due."""

    checks: tuple[Check, ...]
    after: str
    """What the wall clock showed ``at`` this time: by both, a step of it can be seen later."""
    at: int
    """By the clock of ``mono``, which tells when the event was taken."""


class DiskLow(Event, frozen=True, kw_only=True, tag="disk-low"):
    """The disk of the log has less room than a day or a round may be begun with."""

    why: str
    """How much there is and how much is asked for, and what to do."""


class DiskEnough(Event, frozen=True, kw_only=True, tag="disk-enough"):
    """The disk of the log has room again for a day and a round to begin."""


class CopyLost(Event, frozen=True, kw_only=True, tag="copy-lost"):
    """The second copy of the log is not kept any more."""

    folder: str
    why: str


class CopyKept(Event, frozen=True, kw_only=True, tag="copy-kept"):
    """The second copy of the log is in step again."""

    folder: str


class CopyFollows(Event, frozen=True, kw_only=True, tag="copy-follows"):
    """The second copy of the log has come this far: by that a copy that was put back is told."""

    folder: str
    seq: int
    """The last event that the copy has."""


class CopySetBack(Event, frozen=True, kw_only=True, tag="copy-set-back"):
    """The second copy of the log lacks what it has had, and is filled again from the log."""

    folder: str
    had: int
    """It had all events up to this one."""
    has: int
    """It ends here now."""
    days: tuple[int, ...] = ()
    """Earlier days whose files it lacks."""


class Recovered(Event, frozen=True, kw_only=True, tag="recovered"):
    """A casino supervisor said how a round goes on that is decided otherwise now than it was.

    ``as-recorded``: what was paid stays, and the round is over.  ``void``: the round is void
    (16.6); what was paid before stays.
    """

    how: Literal["as-recorded", "void"]
    by: str
    who: str = ""
    words: str = ""
    differs: tuple[str, ...] = ()
    """What is decided otherwise."""
    settled: tuple[Settlement, ...] = ()
    """How wagers were settled by what is recorded; that is final."""
    open: tuple[str, ...] = ()
    """Wagers that are not settled by what is recorded, in words."""
    state: Any
    """The table as it is known without what is decided otherwise."""


class RefusalsCounted(Event, frozen=True, kw_only=True, tag="refusals-counted"):
    """Refusals of one user that have no rows of their own: they came too fast for that.

    The first thousand and ten a second more are recorded each (`controller.service.refusals`).
    Times are by the clock of ``mono``.
    """

    uid: int
    """The user, on whatever connections."""
    since: int
    """When the first of them came."""
    until: int
    """When the last one came."""
    refused: int = 0
    """Requests and presses that a clause refused."""
    meaningless: int = 0
    """Presses of controls that mean nothing at this table."""
    sign_ins: int = 0
    rule: str = ""
    """The clause that refused the last request, and why; the others may have been otherwise."""
    why: str = ""


class StateDue(Event, frozen=True, kw_only=True, tag="state-due"):
    """Much was recorded since the table's state was; it is recorded again."""


# --- devices --------------------------------------------------------------------------------------


class CardOut(Event, frozen=True, kw_only=True, tag="card-out"):
    """A card left the device, or the dealer entered one that it did not tell."""

    device: str
    card: Card
    raw: str = ""
    by: Literal["device", "dealer"] = "device"


class CuttingCardOut(Event, frozen=True, kw_only=True, tag="cutting-card"):
    """The cutting card came out."""

    device: str


class Pressed(Event, frozen=True, kw_only=True, tag="pressed"):
    """A pedal, key or button was pressed; ``held`` when it was held down."""

    device: str
    control: str
    held: bool = False
    by: str = "dealer"
    """The role by which it was pressed on a screen; the controls of the table are the dealer's."""
    who: str = ""
    """The operator who was signed in there; empty at the controls of the table."""


class DeviceOnline(Event, frozen=True, kw_only=True, tag="device-online"):
    """A device is there and speaks."""

    device: str
    port: str
    identity: str = ""


class DeviceLost(Event, frozen=True, kw_only=True, tag="device-lost"):
    """A device is gone: unplugged, switched off, or its port failed."""

    device: str
    why: str


class DeviceFault(Event, frozen=True, kw_only=True, tag="device-fault"):
    """A device reports that something is wrong with it."""

    device: str
    code: str
    text: str


class DeviceCleared(Event, frozen=True, kw_only=True, tag="device-cleared"):
    """A device's fault is over."""

    device: str
    code: str


class DeviceReports(Event, frozen=True, kw_only=True, tag="device-reports"):
    """A shuffling device tells its state, how many cards are inside, and the set's colour."""

    device: str
    state: str
    detail: str = ""
    cards_inside: int | None = None
    colour: str = ""


class DeviceRestarted(Event, frozen=True, kw_only=True, tag="device-restarted"):
    """A device started anew; what happened just before it may be lost."""

    device: str


class CardsInDoubt(Event, frozen=True, kw_only=True, tag="cards-in-doubt"):
    """Messages of a card source were lost or contradict each other: a card may be missing."""

    device: str
    why: str


class CommandDone(Event, frozen=True, kw_only=True, tag="command-done"):
    """A device has carried out a command."""

    device: str
    id: int


class CommandFailed(Event, frozen=True, kw_only=True, tag="command-failed"):
    """A device has not carried out a command; it is sent again when the device is back."""

    device: str
    id: int
    why: str


class ChanceGiven(Event, frozen=True, kw_only=True, tag="chance"):
    """The operating system's generator gave random bytes for the prize of a box (18.14.6)."""

    box: int
    bytes: str
    """In hexadecimal: the draw can be derived from them again."""


# --- people ---------------------------------------------------------------------------------------


class TableAsk(msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True):
    """The root of what is asked of the table, beside the requests of a round."""


class ConfirmLayout(TableAsk, frozen=True, tag="confirm-layout"):
    """The dealer says that the layout is as it is shown."""


class EnterCard(TableAsk, frozen=True, tag="enter-card"):
    """The dealer enters a card that the device did not tell."""

    card: Face


class Read(TableAsk, frozen=True, tag="read"):
    """The dealer says what the oldest card is that could not be read."""

    card: Face


class Amend(TableAsk, frozen=True, tag="amend"):
    """The n-th card of this round, counted from 1, was misread: it is another."""

    number: int
    card: Face


class TakeBack(TableAsk, frozen=True, tag="take-back"):
    """The last decision or card is taken back; the card is in the dealer's hand then."""


class ForNext(TableAsk, frozen=True, tag="for-next"):
    """The last card was for the next hand: the hand that got it had stood."""


class Deal(TableAsk, frozen=True, tag="deal"):
    """A card that waits in the dealer's hand is the next card after all (16.2)."""

    card: Face


class NewCards(TableAsk, frozen=True, tag="new-cards"):
    """A casino supervisor has the cards replaced by new, checked ones (3.3, 3.4)."""


class AnswerAlarm(TableAsk, frozen=True, tag="answer-alarm"):
    """Somebody who may has looked into the oldest alarm, and says what it was.

    Who may is said in `controller.table.roles.WHO_ANSWERS`.
    """

    words: str


class ErrorNext(TableAsk, frozen=True, tag="error-card"):
    """The next card that comes out is dealt or exposed in error (16.2)."""


class EndRound(TableAsk, frozen=True, tag="end-round"):
    """A casino supervisor declares the round void (16.6)."""


class NewShoe(TableAsk, frozen=True, tag="new-shoe"):
    """The cards were shuffled, cut and loaded; the next one is the burn card (4.7)."""

    set: str = ""
    """Which set of cards, where a table has two (nz:3.4)."""


class Use(TableAsk, frozen=True, tag="use"):
    """The cards were loaded into another device and come from it; the next is the burn card."""

    device: str


class DeclareFault(TableAsk, frozen=True, tag="declare-fault"):
    """The dealer sees that the shuffling device in use does not work as it should (17.1.2)."""

    text: str = "the dealer says that it does not work"


class NotBurned(TableAsk, frozen=True, tag="not-burned"):
    """The dealer forgot to burn: the first card stays in play (16.9)."""


class CuttingCardSeen(TableAsk, frozen=True, tag="cutting-card"):
    """The dealer says that the cutting card is out, where the device did not tell it."""


class SameAgain(TableAsk, frozen=True, tag="same-again"):
    """The boxes and wagers of the last round, again."""


class Resume(TableAsk, frozen=True, tag="resume"):
    """The supervisor has looked: the round goes on without the event that could not be decided."""


Ask = (
    Request
    | Burn
    | Read
    | Amend
    | TakeBack
    | ForNext
    | Deal
    | ErrorNext
    | EndRound
    | NewCards
    | AnswerAlarm
    | Use
    | DeclareFault
    | ProcedureMove
    | ShuffleMove
    | AroundTheRound
    | AtBox
    | ConfirmLayout
    | EnterCard
    | NewShoe
    | NotBurned
    | CuttingCardSeen
    | SameAgain
    | Resume
)
"""Everything that can be asked of a table, by key or over the control socket."""


class Asked(Event, frozen=True, kw_only=True, tag="asked"):
    """Somebody asked for something."""

    ask: Ask
    by: str = "dealer"
    """The role by which it was asked."""
    who: str = ""
    """The operator who was signed in; empty if nobody was."""


# --- who works at the table -----------------------------------------------------------------------


class OfOperator(Event, frozen=True, kw_only=True):
    """Something about an operator, by a process of this machine.  None of them holds a PIN."""

    who: str
    """The operator's name; empty if no operator has the name that was given."""
    role: str
    pid: int
    uid: int
    """Process and user that did it, as the kernel or, for a change, the command told them."""


class SignedIn(OfOperator, frozen=True, kw_only=True, tag="signed-in"):
    """An operator signed in at the control socket."""


SignedOutBecause = Literal["asked", "left", "idle", "disabled", "new-pin", "another"]
"""They asked, the connection ended, nothing was asked for long, the operator was disabled or got
another PIN, or somebody else signed in on the connection."""


class SignedOut(OfOperator, frozen=True, kw_only=True, tag="signed-out"):
    """A sign-in ended.  Those that a start of the controller finds open ended with the last run."""

    why: SignedOutBecause


SignInRefusedBecause = Literal["wrong-pin", "unknown", "locked", "disabled", "unlike-log"]
"""``unlike-log``: the PIN was that of the operators' file, which is not what the log says."""


class SignInRefused(OfOperator, frozen=True, kw_only=True, tag="sign-in-refused"):
    """Somebody could not sign in.  An unknown name is not kept: it may be a PIN, mistyped."""

    why: SignInRefusedBecause
    locked_ms: int = 0
    """For so long from now the operator is locked out."""


class OperatorChanged(OfOperator, frozen=True, kw_only=True):
    """An operator was changed by a command, perhaps while no controller ran."""

    change: int
    """The number of the change, counted by the operators' database."""
    mark: str = ""
    """Tells the PIN's hash from any other and says nothing of it; older versions wrote none."""


class OperatorAdded(OperatorChanged, frozen=True, kw_only=True, tag="operator-added"):
    """An operator was added."""


class OperatorGotPin(OperatorChanged, frozen=True, kw_only=True, tag="operator-new-pin"):
    """An operator got another PIN."""


class OperatorDisabled(OperatorChanged, frozen=True, kw_only=True, tag="operator-disabled"):
    """An operator was disabled, for good."""


class OperatorsDiffer(Event, frozen=True, kw_only=True, tag="operators-differ"):
    """The operators' file is not what the log says of them, or, with no words, is so again."""

    differs: tuple[str, ...]
    """What is different, and what to do about it."""


AboutOperator = (
    SignedIn | SignedOut | SignInRefused | OperatorAdded | OperatorGotPin | OperatorDisabled
)


DeviceEvent = (
    CardOut
    | CuttingCardOut
    | Pressed
    | DeviceOnline
    | DeviceLost
    | DeviceFault
    | DeviceCleared
    | DeviceReports
    | DeviceRestarted
    | CardsInDoubt
    | CommandDone
    | CommandFailed
)
AnyEvent = (
    Started
    | Stopped
    | Recovered
    | StateDue
    | SelfTested
    | ClockStepped
    | DiskLow
    | DiskEnough
    | CopyLost
    | CopyKept
    | CopyFollows
    | CopySetBack
    | RefusalsCounted
    | Asked
    | ChanceGiven
    | AboutOperator
    | OperatorsDiffer
    | DeviceEvent
)
