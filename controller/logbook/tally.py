"""A round added up row by row: what an auditor wants of it on one line.

Only the rows that are added up are decoded, and of those only the fields, so that a million
events take seconds.  A row that can't be read is counted and left out.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from controller.eventlog import Row
from controller.events import Asked, DeviceLost, RefusalsCounted
from controller.game.malfunction import ProcedureState
from controller.game.play import RoundState
from controller.game.settlement import Pending, Settlement
from controller.logbook.kinds import kind_of
from controller.outcomes import (
    Accepted,
    Alarm,
    Corrected,
    Dealt,
    Drawn,
    Dropped,
    Flagged,
    LayoutInDoubt,
    ProcedureReached,
    Reached,
    Refused,
    RoundOpened,
    Settled,
    Undecided,
)
from controller.table.decision import by_wager
from controller.table.roles import DEALER

Wager = tuple[int | None, str, int | None, str]
"""Box, player, hand and name: what tells one wager of a round from all others."""

_OVER: Final = {ProcedureState.RESUMED.value, ProcedureState.ENDED.value}


class Money(msgspec.Struct, frozen=True, kw_only=True):
    """What was wagered and what came of it, in cents."""

    staked: int
    """All wagers at face value, vouchers too; settled or not."""
    vouchers: int
    """How much of it was promotional vouchers, which are no money (1.1 voucher)."""
    paid: int
    """What the house added."""
    returned: int
    """What went back to the players of their stakes; the voucher of a void wager at face value."""
    house: int
    """What the house won, or lost if below 0: settled stakes less the two, no voucher in any."""


class Tally:
    """One round as far as it was read."""

    def __init__(self, number: int, at: str) -> None:
        self.number = number
        self.opening = 0
        """The event that opens it; 0 if it was not read."""
        self.opened_at = at
        self.began_at = ""
        """When the first wager was accepted or the first card came."""
        self.last_at = at
        self.cleared_at = ""
        self.game = ""
        self.kinds: set[str] = set()
        self.settled: dict[Wager, Settlement] = {}
        self.pending: tuple[Pending, ...] = ()
        """Known of the round that still goes on."""
        self.wagered: dict[tuple[int, str], bool] = {}
        """Who has wagered where, and whether with a voucher."""
        self.decider = 0
        """The number of the decider that opened it."""
        self.procedure = ""
        self.suspended = False
        self.ended_void = False
        self.counts: dict[str, int] = {}
        """How often what an auditor looks for, by its mark."""
        self.unreadable = 0
        self.incomplete = False
        """Rows that were, or may have been, its own are missing."""
        self.asked_by_others: set[int] = set()
        self.alarms: set[str] = set()
        """The causes of the alarms that came: however often, each is one."""

    def take(self, row: Row) -> None:
        """Add a row of the round."""
        self.kinds.add(row.kind)
        self.last_at = row.at
        if row.kind in _COUNTED:
            self.count(_COUNTED[row.kind])
        if (known := _READ.get(row.kind)) is None:
            return
        decoder, add = known
        try:
            add(self, row, decoder.decode(row.body))
        except msgspec.DecodeError:
            self.unreadable += 1

    @property
    def boxes(self) -> list[int]:
        """The boxes with a wager."""
        return sorted({box for box, _ in self._places()})

    @property
    def players(self) -> list[str]:
        """Everybody with a wager, by name."""
        return sorted({player for _, player in self._places()})

    @property
    def in_odds(self) -> bool:
        """Tell whether a wager has no amount: its box is followed in odds."""
        stakes = [row.stake for row in self.settled.values()]
        return None in [*stakes, *(row.stake for row in self.pending)]

    @property
    def money(self) -> Money:
        """Add up what has an amount."""
        rows = self.settled.values()
        decided = sum(row.stake or 0 for row in rows)
        paid = sum(row.pays or 0 for row in rows)
        returned = sum(row.returns or 0 for row in rows)
        vouchers = [row for row in rows if self._is_voucher(row)]
        face = sum(row.stake or 0 for row in vouchers)
        spent = face - sum(row.returns or 0 for row in vouchers)
        waiting = self.pending
        return Money(
            staked=decided + sum(row.stake or 0 for row in waiting),
            vouchers=face + sum(row.stake or 0 for row in waiting if self._is_voucher(row)),
            paid=paid,
            returned=returned,
            house=decided - spent - paid - returned,
        )

    @property
    def status(self) -> str:
        """Say how the round ended, as far as the rows alone tell it."""
        if self.ended_void:
            return "void"
        if self.cleared_at:
            return "complete"
        return "suspended" if self.suspended or self.procedure else "open"

    def _places(self) -> set[tuple[int, str]]:
        decided = {(box, player) for box, player, *_ in self.settled if box is not None}
        waiting = {(row.box, row.player) for row in self.pending}
        return decided | waiting | set(self.wagered)

    def _is_voucher(self, row: Settlement | Pending) -> bool:
        return row.wager == "main" and self.wagered.get((row.box or 0, row.player), False)

    def count(self, mark: str, more: int = 1) -> None:
        """Count something an auditor looks for."""
        self.counts[mark] = self.counts.get(mark, 0) + more


SUPERVISED: Final = "by a supervisor"
REFUSED: Final = "refused"
RULE_17: Final = "rule 17"

_COUNTED: Final = {
    kind_of(Corrected): "corrected",
    kind_of(Drawn): "prize",
    kind_of(Undecided): "undecided",
    kind_of(LayoutInDoubt): "layout in doubt",
    kind_of(Dropped): "dropped",
    kind_of(Flagged): "noted",
    kind_of(DeviceLost): "device lost",
}
"""What kinds of row are counted, and under which mark."""


# --- the fields that are read ---------------------------------------------------------------------


class _Named(msgspec.Struct):
    name: str


class _Played(msgspec.Struct):
    game: _Named


class _State(msgspec.Struct):
    play: _Played
    decider: int = 0


class _Opening(msgspec.Struct):
    state: _State


class _What(msgspec.Struct):
    do: str = ""
    box: int | str | None = None
    player: str | None = None
    voucher: bool | None = None


class _Accepted(msgspec.Struct):
    what: _What


class _Asked(msgspec.Struct):
    by: str = DEALER


class _Refusals(msgspec.Struct):
    refused: int


class _Alarm(msgspec.Struct):
    what: str
    cause: str = ""


class _Settled(msgspec.Struct):
    row: Settlement


class _Corrected(msgspec.Struct):
    was: Settlement
    now: Settlement | None


class _Reached(msgspec.Struct):
    state: str


class _Anything(msgspec.Struct):
    pass


# --- what each kind of row adds -------------------------------------------------------------------


def _opened(tally: Tally, row: Row, body: _Opening) -> None:
    tally.opening = row.seq
    tally.opened_at = row.at
    tally.game = body.state.play.game.name
    tally.decider = body.state.decider


_KEEPS_VOUCHERS: Final = 3
"""Since this decider a wager that is said again without a word to it stays voucher or chips."""


def _accepted(tally: Tally, row: Row, body: _Accepted) -> None:
    what = body.what
    if what.do in {"wager", "same-again"}:
        tally.began_at = tally.began_at or row.at
    if what.do == "wager" and isinstance(what.box, int) and what.player:
        lies = tally.decider >= _KEEPS_VOUCHERS and tally.wagered.get((what.box, what.player))
        tally.wagered[what.box, what.player] = bool(lies if what.voucher is None else what.voucher)
    elif what.do == "spoken-wager" and isinstance(what.box, int) and what.player:
        tally.wagered[what.box, what.player] = False
    elif what.do in {"withdraw", "reject"}:
        for place in tuple(tally.wagered):
            if place[0] == what.box and what.player in {None, place[1]}:
                del tally.wagered[place]
    elif what.do == "resume":
        tally.suspended = False


def _dealt(tally: Tally, row: Row, _body: object) -> None:
    tally.began_at = tally.began_at or row.at


def _asked(tally: Tally, row: Row, body: _Asked) -> None:
    if body.by != DEALER:
        tally.asked_by_others.add(row.seq)
        tally.count(SUPERVISED)


def _refused(tally: Tally, row: Row, _body: object) -> None:
    tally.count(REFUSED)
    if row.cause in tally.asked_by_others:
        tally.count(SUPERVISED, -1)


def _refusals(tally: Tally, _row: Row, body: _Refusals) -> None:
    tally.count(REFUSED, body.refused)


def _alarm(tally: Tally, _row: Row, body: _Alarm) -> None:
    tally.alarms.add(body.cause or body.what)
    tally.counts["alarm"] = len(tally.alarms)


def _settled(tally: Tally, _row: Row, body: _Settled) -> None:
    tally.settled[by_wager(body.row)] = body.row


def _corrected(tally: Tally, _row: Row, body: _Corrected) -> None:
    if body.now is None:
        tally.settled.pop(by_wager(body.was), None)
    else:
        tally.settled[by_wager(body.now)] = body.now


def _reached(tally: Tally, row: Row, body: _Reached) -> None:
    if body.state == RoundState.CLEARED.value:
        tally.cleared_at = row.at
    else:
        tally.ended_void = body.state == RoundState.VOID.value


def _procedure(tally: Tally, _row: Row, body: _Reached) -> None:
    tally.counts[RULE_17] = 1
    tally.procedure = "" if body.state in _OVER else body.state


def _undecided(tally: Tally, _row: Row, _body: object) -> None:
    tally.suspended = True


_Add = Callable[[Tally, Row, Any], None]


def _reads(body: type[msgspec.Struct], add: _Add) -> tuple[msgspec.json.Decoder[Any], _Add]:
    return msgspec.json.Decoder(body), add


_READ: Final[Mapping[str, tuple[msgspec.json.Decoder[Any], _Add]]] = {
    kind_of(RoundOpened): _reads(_Opening, _opened),
    kind_of(Accepted): _reads(_Accepted, _accepted),
    kind_of(Dealt): _reads(_Anything, _dealt),
    kind_of(Asked): _reads(_Asked, _asked),
    kind_of(Refused): _reads(_Anything, _refused),
    kind_of(RefusalsCounted): _reads(_Refusals, _refusals),
    kind_of(Alarm): _reads(_Alarm, _alarm),
    kind_of(Settled): _reads(_Settled, _settled),
    kind_of(Corrected): _reads(_Corrected, _corrected),
    kind_of(Reached): _reads(_Reached, _reached),
    kind_of(ProcedureReached): _reads(_Reached, _procedure),
    kind_of(Undecided): _reads(_Anything, _undecided),
}
"""How each kind of row that is added up is decoded, and what it adds."""
