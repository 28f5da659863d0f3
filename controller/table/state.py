"""The table's whole state: the round, the cards accounted for, the devices, what is asked.

Immutable, and plain data throughout: a round's opening row in the log carries it.
"""

from collections import Counter
from typing import Any

import msgspec

from controller.cards import UNREAD, Card
from controller.game.dealing import errors_on_offer
from controller.game.house import House
from controller.game.malfunction import Malfunction
from controller.game.moves import Made
from controller.game.options import Game
from controller.game.play import Box, Play, RoundState
from controller.game.settlement import Settlement
from controller.game.shuffle import Shuffle
from controller.outcomes import told_so_often


class Ledger(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The cards that came out since the last shuffle and cut (3, 4)."""

    shoe: int = 1
    """Which filling of the shoe it is, counted from the first."""
    out: dict[Card, int] = {}
    """How many of each card came out; unread ones under ``??``."""
    burn_is_due: bool = False
    """The next card is the burn card (4.7)."""
    burn_is_forgotten: bool = False
    """The dealer forgot to burn: no burn card this time (16.9)."""
    set: str = ""
    """Which set of cards is in play, where a table has two (nz:3.4)."""
    damaged: tuple[Card, ...] = ()
    """Cards that were damaged and replaced by the same from new decks (17.3.3, 17.5.2)."""
    rounds_since_count: int = 0
    """How many rounds were begun since the cards were last counted and were all there."""
    cutting_card: bool = False
    """The cutting card came out: a shuffle is due after this round (4.1)."""

    @property
    def count(self) -> int:
        """How many cards came out."""
        return sum(self.out.values())

    def with_card(self, card: Card, times: int = 1) -> "Ledger":
        """Return the ledger with one card more (or fewer) of the face."""
        left = {**self.out, card: self.out.get(card, 0) + times}
        return msgspec.structs.replace(self, out={face: n for face, n in left.items() if n})


class Device(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One device of the table as it is known."""

    role: str
    online: bool = False
    port: str = ""
    identity: str = ""
    reports: str = ""
    """The state that a shuffling device tells of itself."""
    detail: str = ""
    """What it says of that state."""
    cards_inside: int | None = None
    """How many it told of, less those that came out since; None if that is not known."""
    off: int = 0
    """By how many cards its count was off when that was told; 0 if it has been right since."""
    emptied: bool = False
    """Its cards were taken out of it by rule 17, and it has not been well since."""
    colour: str = ""
    fault: str = ""
    """The fault that it reported last, until it reports that it is well."""
    trouble: str = ""
    """Why it is not there, or what it reports to be wrong with it; empty if nothing."""


class Sent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The latest command of its kind to a device."""

    id: int
    what: dict[str, Any]
    done: bool = False


class StandingAlarm(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An alarm that nobody has answered yet.  Alarms of one cause are one, with a count."""

    cause: str
    """What it is about, in a word or two that stay the same: ``count shuffler-1``, ``card AS``."""
    what: str
    """As it was told last."""
    times: int = 1


class TableState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything that deciding looks at."""

    version: str
    decider: int
    config: str
    game: Game
    """The game of the next round; the present round's is in ``play``."""
    controls: dict[str, str]
    play: Play
    source: str
    """The device that the cards come from now."""
    round: int = 0
    history: tuple[Made, ...] = ()
    """What was made in this round, in order: the round can be played again from it."""
    in_hand: tuple[Card, ...] = ()
    """Cards that came out and lie nowhere: taken back, or undue while others wait."""
    error_is_next: bool = False
    """The dealer said that the next card comes out in error (16.2)."""
    taken_back: int = 0
    """How many steps were taken back one after the other."""
    settled_something: bool = False
    """The last step decided a wager: to take it back is past a payment."""
    settled_before: tuple[Settlement, ...] = ()
    """How wagers were settled before a slip was mended: the latest such row of each."""
    ledger: Ledger = Ledger()
    devices: dict[str, Device] = {}
    in_doubt: str = ""
    """Why the dealer must say whether the layout is as shown; empty if it is not asked."""
    standing: tuple[StandingAlarm | str, ...] = msgspec.field(default=(), name="alarms")
    """The alarms that stand, the oldest first.  In logs of older versions they are mere words."""
    house: House = House()
    """What holds around the rounds: limits, restrictions, reserved boxes (5, 6)."""
    shuffle: Shuffle | None = None
    """The shuffle and cut that is due or under way (4)."""
    malfunction: Malfunction | None = None
    """The procedure of rule 17 while it is open."""
    no_room: str = ""
    """Why no round and no day may begin: what the disk of the log lacks; empty if nothing."""
    suspended: str = ""
    """The error that an event met, until the supervisor lets the round go on."""
    note: str = ""
    """What the dealer was told to do with the hands just now."""
    commands: dict[str, Sent] = {}
    """What each device was last told to do, by ``device.word``."""
    next_command: int = 1
    last_boxes: tuple[Box, ...] = ()
    """The wagers of the last round, for the same again."""
    keyed: tuple[int, ...] = ()
    """Box, and position on it, that were keyed for the next letter."""

    @property
    def alarms(self) -> tuple[str, ...]:
        """The alarms that stand, in words with how often each came; the oldest first."""
        return tuple(
            one if isinstance(one, str) else told_so_often(one.what, one.times)
            for one in self.standing
        )


def is_between_rounds(state: TableState) -> bool:
    """Tell whether nothing lies on the table and nothing is asked of the dealer."""
    play = state.play
    at_rest = play.state is RoundState.WAGERS and not play.boxes and not state.in_hand
    return at_rest and state.malfunction is None and not state.suspended


def cards_on_table(state: TableState) -> Counter[Card]:
    """Count the cards outside shoe and discard rack: boxes, dealer, undue, in the hand."""
    play = state.play
    on_boxes = (card for box in play.boxes for hand in box.hands for card in hand.cards)
    offered = errors_on_offer(play)
    return Counter([*on_boxes, *play.dealer, *play.undue, *offered, *state.in_hand])


def cards_in_pack(game: Game) -> int:
    """Return how many cards the whole pack has: 52 a deck, 48 at Pontoon (3.1, 18.4.1)."""
    return game.decks * (52 if game.tens else 48)


def pack_rule(game: Game) -> str:
    """Return the clause that says which cards the game is played with."""
    if game.is_nz:
        return "nz:3.3(a)"
    return "18.4.1" if game.is_pontoon else "3.1"


def copies_in_pack(game: Game, card: Card) -> int:
    """Return how many of a card the pack holds: none of the tens at Pontoon (18.4.1)."""
    if card == UNREAD:
        return cards_in_pack(game)
    return 0 if card[0] == "T" and not game.tens else game.decks


def with_device(state: TableState, name: str, device: Device) -> TableState:
    """Return the state with the device as it is known now."""
    return msgspec.structs.replace(state, devices={**state.devices, name: device})
