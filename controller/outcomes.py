"""What the rules made of an event: the rows of the event log that follow from it.

An outcome's cause is its event (`controller.events`).
"""

from typing import Any, Literal

import msgspec

from controller.cards import Card
from controller.game.settlement import Settlement


class Outcome(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", omit_defaults=True):
    """The root of all outcomes."""


class Refused(Outcome, frozen=True, kw_only=True, tag="refused"):
    """A request was refused by the clause; nothing has changed."""

    rule: str
    why: str


class Accepted(Outcome, frozen=True, kw_only=True, tag="accepted"):
    """A request was accepted; for a press, this is what it meant."""

    what: Any
    rule: str = ""
    """The clause that gives it, where a rule does."""
    box: int | None = None
    hand: int | None = None


class Dealt(Outcome, frozen=True, kw_only=True, tag="dealt"):
    """A card was laid down: on a hand, at the dealer's place, on offer (16.2), or nowhere yet."""

    card: Card
    to: Literal["box", "dealer", "offered", "undue"]
    rule: str
    box: int | None = None
    hand: int | None = None
    total: str = ""


class Burned(Outcome, frozen=True, kw_only=True, tag="burned"):
    """A card went into the discard rack."""

    card: Card
    rule: str
    face_down: bool = False
    """It is the burn card and is not exposed (4.7)."""


class Commanded(Outcome, frozen=True, kw_only=True, tag="command"):
    """A device is to do something; sent only after this is on disk."""

    id: int
    device: str
    what: dict[str, Any]


class Prompted(Outcome, frozen=True, kw_only=True, tag="prompted"):
    """The dealer is told to do something with the hands."""

    rule: str
    what: str


class DrawDue(Outcome, frozen=True, kw_only=True, tag="draw-due"):
    """Chance is asked for the prize of a box."""

    box: int


class Drawn(Outcome, frozen=True, kw_only=True, tag="drawn"):
    """The prize of a box, in dollars for each dollar wagered."""

    box: int
    prize: int
    rule: str


class Reached(Outcome, frozen=True, kw_only=True, tag="reached"):
    """The round came to another state."""

    state: str


class Settled(Outcome, frozen=True, kw_only=True, tag="settled"):
    """A wager was decided."""

    row: Settlement


class Corrected(Outcome, frozen=True, kw_only=True, tag="corrected"):
    """A wager that was decided is decided otherwise, or open again (``now`` None)."""

    was: Settlement
    now: Settlement | None


class Flagged(Outcome, frozen=True, kw_only=True, tag="flagged"):
    """Something the rules do not forbid, but somebody should see."""

    rule: str
    """Empty where no clause gives it."""
    what: str


class Alarm(Outcome, frozen=True, kw_only=True, tag="alarm"):
    """Somebody must look into it and answer: cards that do not add up, a clock that jumped.

    Who may is said in `controller.table.roles.WHO_ANSWERS`.
    """

    rule: str
    """Empty where no clause gives it."""
    what: str
    cause: str = ""
    """What it is about, in a word or two that are the same for all of one cause."""
    times: int = 1
    """How often it came, this time included, since an alarm of this cause was answered last.  Of
    many that come one after the other not each has a row: see `controller.table.alarms`."""


class AlarmAnswered(Outcome, frozen=True, kw_only=True, tag="alarm-answered"):
    """An alarm does not stand any more: as it was last, and how often it had come."""

    what: str
    cause: str = ""
    times: int = 1


def told_so_often(what: str, times: int) -> str:
    """Return an alarm in words, with how often it came if that was more than once.

    >>> told_so_often("the pack holds 6", 3)
    'the pack holds 6 (3 times)'
    """
    return what if times == 1 else f"{what} ({times} times)"


class LayoutInDoubt(Outcome, frozen=True, kw_only=True, tag="layout-in-doubt"):
    """The dealer is asked whether the layout is as shown."""

    why: str


class Dropped(Outcome, frozen=True, kw_only=True, tag="dropped"):
    """A decision that does not fit the mended round any more."""

    what: Any


class ProcedureReached(Outcome, frozen=True, kw_only=True, tag="procedure"):
    """The procedure of rule 17 began, or came to another state."""

    rule: str
    state: str
    device: str
    text: str


class Undecided(Outcome, frozen=True, kw_only=True, tag="undecided"):
    """The event met a fault of this program; the round waits for the supervisor."""

    error: str


class StateKept(Outcome, frozen=True, kw_only=True, tag="state-kept"):
    """Everything that is known of the table, kept so that a start need not go far back."""

    state: Any


class RoundOpened(Outcome, frozen=True, kw_only=True, tag="round-opened"):
    """A round begins; ``state`` is everything that is known of the table at this moment."""

    state: Any
