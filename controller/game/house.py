"""The table around the round: its sign, restricted players, reserved boxes (5, 6; nz:5.8).

What may be asked, and what is kept of it from one round to the next.  Amounts are cents.
"""

from typing import Annotated, Literal

import msgspec

from controller.game.moves import BoxNumber, CallDecisions, Cents, PlayerName

Stake = Annotated[int, msgspec.Meta(ge=1, le=10**12)]

Limit = Literal["minimum", "further-shoes", "one-box"]
"""To the minimum until the reshuffle (5.10, nz:5.8), in further shoes too (5.11), or to one box
at the minimum (5.12)."""


class HouseAsk(msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True):
    """The root of what is asked of the table around the round."""


# --- at any time, by those who run the table ------------------------------------------------------


class SetLimits(HouseAsk, frozen=True, omit_defaults=True, tag="limits"):
    """The limits on the sign become these (6.1, 6.3)."""

    minimum: Stake
    maximum: Stake
    unit: Cents = 0
    """Above the minimum wagers are made in steps of it; 0 where the sign states none (6.1)."""


class ShowNotice(HouseAsk, frozen=True, tag="notice"):
    """The sign that tells of a higher minimum is displayed from now on (6.3)."""

    minimum: Stake


class RemoveNotice(HouseAsk, frozen=True, tag="remove-notice"):
    """That sign is taken away: the minimum stays (6.3)."""


class SetOwnLimits(HouseAsk, frozen=True, tag="own-limits"):
    """A player gets limits of their own, with the maximum above the table's (6.4)."""

    player: PlayerName
    minimum: Stake
    maximum: Stake


class EndOwnLimits(HouseAsk, frozen=True, tag="end-own-limits"):
    """The player wagers within the table's limits again (6.4)."""

    player: PlayerName


class Restrict(HouseAsk, frozen=True, tag="restrict"):
    """A player is held to the minimum, or to one box at the minimum (5.10 to 5.12, nz:5.8)."""

    player: PlayerName
    to: Limit


class InspectorNotified(HouseAsk, frozen=True, tag="inspector-notified"):
    """An inspector has been notified that the player is to be restricted (5.11, 5.12)."""

    player: PlayerName


class Lift(HouseAsk, frozen=True, tag="lift"):
    """The player's restriction is over (5.10 to 5.12, nz:5.8)."""

    player: PlayerName


class Reserve(HouseAsk, frozen=True, tag="reserve"):
    """Boxes are for one player alone (5.13)."""

    player: PlayerName
    boxes: Annotated[tuple[BoxNumber, ...], msgspec.Meta(min_length=1)]


class Release(HouseAsk, frozen=True, tag="release"):
    """Boxes are for everybody again (5.13)."""

    boxes: Annotated[tuple[BoxNumber, ...], msgspec.Meta(min_length=1)]


class SetMostPlayers(HouseAsk, frozen=True, tag="most-players"):
    """So many players may wager on the box, or on every box (5.4)."""

    most: Annotated[int, msgspec.Meta(ge=1, le=3)]
    box: BoxNumber | None = None


class SeatWanted(HouseAsk, frozen=True, tag="seat-wanted"):
    """A player finds no seat at the table (5.8)."""

    player: PlayerName


class SeatFound(HouseAsk, frozen=True, tag="seat-found"):
    """The player has a seat, or wants none any more (5.8)."""

    player: PlayerName


# --- at a box -------------------------------------------------------------------------------------


class Reject(HouseAsk, frozen=True, tag="reject"):
    """The dealer rejects a wager outside the limits before the first card (6.2)."""

    box: BoxNumber
    player: PlayerName


class SpokenWager(HouseAsk, frozen=True, tag="spoken-wager"):
    """A wager is declared by word of mouth; ``chips`` tells whether they came with it (nz:5.3)."""

    box: BoxNumber
    player: PlayerName
    main: Stake
    chips: bool


class Handle(HouseAsk, frozen=True, tag="handle"):
    """A player wants to handle a wager, or to take what it won (5.3, nz:5.5 to nz:5.7)."""

    box: BoxNumber
    player: PlayerName
    wager: Literal["main", "insurance", "double", "split"] = "main"


AroundTheRound = (
    SetLimits
    | ShowNotice
    | RemoveNotice
    | SetOwnLimits
    | EndOwnLimits
    | Restrict
    | InspectorNotified
    | Lift
    | Reserve
    | Release
    | SetMostPlayers
    | SeatWanted
    | SeatFound
)
"""What may be asked whatever the round does."""

AtBox = Reject | CallDecisions | SpokenWager | Handle
"""What is asked of the wagers on a box."""


# --- what is kept ---------------------------------------------------------------------------------


class Limits(msgspec.Struct, frozen=True, omit_defaults=True):
    """The lowest and highest wager on a box, and the unit above the lowest (6.1)."""

    minimum: int
    maximum: int
    unit: int = 0

    def allow(self, amount: int) -> bool:
        """Tell whether a wager is within the limits and in their unit."""
        within = self.minimum <= amount <= self.maximum
        return within and (not self.unit or (amount - self.minimum) % self.unit == 0)


class Notice(msgspec.Struct, frozen=True):
    """The sign of a higher minimum, and for how long it has been up for certain (6.3).

    Milliseconds of the clock that counts from the machine's start.  Across a start of the machine
    only what ran before and what has run since is certain.
    """

    minimum: int
    shown: int
    counted_at: int
    """Until when ``shown`` is counted."""


class Restriction(msgspec.Struct, frozen=True, omit_defaults=True):
    """One player's restriction."""

    to: Limit
    rule: str
    """The clause that gives it."""
    shoe: int | None = None
    """The shoe in which it holds; None for further ones as well."""
    waits: bool = False
    """An inspector must be notified before it holds (5.11, 5.12)."""


class Attendance(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who has wagered in which rounds of a shoe (5.10, nz:5.8)."""

    shoe: int = 0
    rounds: int = 0
    """Rounds of the shoe before the latest one."""
    counts: dict[str, int] = {}
    """In how many of those each player wagered."""
    first: tuple[str, ...] = ()
    """Who wagered in the first round of the shoe."""
    latest: int = 0
    """The latest round of the table with a card dealt; 0 before any."""
    players: tuple[str, ...] = ()
    """Who wagered in it."""


class House(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything that holds around the rounds of a table."""

    limits: Limits | None = None
    """As they were changed; None where those of the configuration are in force."""
    boot: str = ""
    """The start of the machine that the clock counts from."""
    notice: Notice | None = None
    own_limits: dict[str, Limits] = {}
    restricted: dict[str, Restriction] = {}
    reserved: tuple[tuple[int, str], ...] = ()
    """Boxes with the player that each is kept for."""
    most_players: tuple[tuple[int, int], ...] = ()
    """By box; 0 stands for every box that is not named."""
    seats_wanted: tuple[str, ...] = ()
    named: tuple[tuple[int, str, str], ...] = ()
    """Wagers of this round, by box, player and clause, that fitted when they were placed.

    They do not any more since limits or restrictions were altered (6.2); the dealer was told.
    """
    attendance: Attendance = Attendance()
