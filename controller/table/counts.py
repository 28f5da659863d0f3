"""Whether the cards in the devices add up (3.1, nz:3.3(a)): a count that is off is an alarm.

The host's own count is the truth: the pack less the cards that came out since the shuffle.  A
device that tells another number is told of before a round is dealt, not when it is unplugged.  In
the round the device in use is a matter of rule 17, and nothing is told as long as its procedure is
open: cards are being moved.  Nor while it is asked whether the layout is as shown: cards may come
to be entered.  A device that is away, in trouble or busy says nothing of worth, and one that does
not know how many it holds is no alarm.

What may be in a device:

- **The device in use**: the cards that are still to come.  When the discards were put back and
  nobody has said so yet, it holds all that do not lie on the table; that is borne until the cards
  are said to be loaded, or one comes out.
- **Another shuffling device, NSW**: nothing, for the game has one pack (3.1).  Before it is said
  that the cards come from it (``use``) the pack lies in it; that is borne as long as the device in
  use does not say that it holds cards, and until one comes out of that.
- **Another shuffling device, NZ**: nothing, or a whole set, and not of the colour in play: nz:3.4
  wants two sets where an automatic shuffler is used (nz:3.3(e)), one of them waiting.
- **A multishuffler**: nothing, or a whole pack.  It deals no cards (1.1 multishuffler), and while
  the shoe deals it may hold a second pack and shuffle it (4.1), so a whole pack there is no alarm
  whatever else is at the table, in no game.  What it holds in a round is not looked at: discards
  that are shuffled for the rest of the round (16.7) are no whole pack.

``Device.off`` keeps by how much a count was off when that was told: the same number again is not
told again, whether or not somebody has answered, until the count was right, or cards were loaded.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec

from controller.game.play import RoundState
from controller.game.wagers import cards_are_out
from controller.outcomes import Alarm
from controller.table.alarms import raised
from controller.table.decision import Decision
from controller.table.procedure import IDLE, READY, SHUFFLER
from controller.table.state import (
    Device,
    TableState,
    cards_in_pack,
    cards_on_table,
    pack_rule,
    with_device,
)

COUNTS: Final = frozenset({READY, IDLE, "delivering"})
"""The states in which a device's count is its last word: nothing is put in or mixed."""

BEFORE: Final = frozenset({RoundState.WAGERS, RoundState.INITIAL_DEAL})
"""The states of a round of which no card may have come out yet."""


def added_up(before: TableState, decided: Decision) -> Decision:
    """Add to a decision the alarms for what does not add up since."""
    change = _Change(before, decided.state)
    state = _loaded_anew(change) if change.is_loaded else decided.state
    if state.source != before.source:
        state = _left_behind(state, before.source)
    told: list[Alarm] = []
    if not (state.in_doubt or state.suspended or state.malfunction):
        for name in state.devices:
            state, alarms = _count_told(state, name, _Change(before, state))
            told += alarms
    for name in _other_sets(_Change(before, state)):
        state, alarms = _set_told(state, name)
        told += alarms
    return Decision(state, (*decided.outcomes, *told))


class _Change(NamedTuple):
    """A table before an event and after it."""

    before: TableState
    after: TableState

    @property
    def is_loaded(self) -> bool:
        """Tell whether it was said that cards were loaded, here or into another device."""
        return self.after.ledger.shoe != self.before.ledger.shoe

    @property
    def is_out(self) -> bool:
        """Tell whether a card came out."""
        return self.after.ledger.count > self.before.ledger.count

    @property
    def is_over(self) -> bool:
        """Tell whether a procedure of rule 17 is over, which may have moved the cards."""
        return self.before.malfunction is not None and self.after.malfunction is None

    @property
    def is_final(self) -> bool:
        """Tell whether cards that are on their way are where they belong now."""
        return self.is_loaded or self.is_out or self.is_over

    @property
    def is_early(self) -> bool:
        """Tell whether the round is not dealt yet, or this is its first card."""
        return is_undealt(self.before) or is_undealt(self.after)


def is_undealt(state: TableState) -> bool:
    """Tell whether no card of the round was dealt."""
    return state.play.state in BEFORE and not cards_are_out(state.play)


def count_of(name: str) -> str:
    """Return the cause of alarms for a device whose count is off."""
    return f"count {name}"


def off(state: TableState, name: str) -> int | None:
    """Return by how many cards a device's count is off by the host's own; None if it tells none."""
    inside = state.devices[name].cards_inside
    if inside is None:
        return None
    whole = cards_in_pack(state.play.game)
    if name == state.source:
        return inside - (whole - state.ledger.count)
    if _is_spare(state, name):
        return inside
    return inside - whole if inside else 0


def _is_spare(state: TableState, name: str) -> bool:
    """Tell whether it is a device that deals cards, is not in use, and has no set of its own."""
    return state.devices[name].role == SHUFFLER and not state.play.game.is_nz


def with_known_count(state: TableState, name: str) -> TableState:
    """Keep that a device's count was told as it is now."""
    known = msgspec.structs.replace(state.devices[name], off=off(state, name) or 0)
    return with_device(state, name, known)


def _loaded_anew(change: _Change) -> TableState:
    """A new load is a new count of the device in use."""
    state = change.after
    device = state.devices.get(state.source)
    if device is None:
        return state
    return with_device(state, state.source, msgspec.structs.replace(device, off=0))


def _left_behind(state: TableState, name: str) -> TableState:
    """Forget the count of a device that went out of use, where it is not to be believed.

    In trouble it counts no card that a hand takes out.  Where two sets are used (nz:3.4) the
    discards are put into it now: it tells when it has them.
    """
    device = state.devices.get(name)
    if device is None or not device.cards_inside:
        return state
    if _is_word(device) and not state.play.game.is_nz:
        return state
    return with_device(state, name, msgspec.structs.replace(device, cards_inside=None))


def _is_word(device: Device) -> bool:
    """Tell whether what a device told of its cards is its word now."""
    return device.online and not device.trouble and device.reports in COUNTS


# --- how many -------------------------------------------------------------------------------------


def _count_told(
    state: TableState, name: str, change: _Change
) -> tuple[TableState, tuple[Alarm, ...]]:
    device, by = state.devices[name], off(state, name)
    if by is None or device.emptied or not _is_word(device) or _is_borne(change, name, by):
        return state, ()
    if change.is_over and -by == _damaged(change.before):
        by = 0  # their replacements are put in just now (17.3.3)
    if by == device.off:
        return state, ()
    state = with_device(state, name, msgspec.structs.replace(device, off=by))
    if not by:
        return state, ()
    return raised(state, count_of(name), pack_rule(state.play.game), _words(state, name, by))


def _is_borne(change: _Change, name: str, by: int) -> bool:
    """Tell whether a count is not to be looked at just now: see the head of this module."""
    state = change.after
    inside = state.devices[name].cards_inside
    outside = cards_on_table(state).total()
    if name == state.source:
        if not (change.is_early or change.is_loaded or change.is_over):
            return True
        if change.is_final:
            return not inside and not change.is_out  # it is being loaded
        return not inside or 0 != by == state.ledger.count - outside  # the discards are back
    if _is_spare(state, name):
        is_pack = inside == cards_in_pack(state.play.game) - outside
        return is_pack and not change.is_final and not _says_it_holds_cards(state, state.source)
    return not change.is_early


def _says_it_holds_cards(state: TableState, name: str) -> bool:
    device = state.devices.get(name)
    return device is not None and _is_word(device) and bool(device.cards_inside)


def _damaged(state: TableState) -> int:
    return len(state.malfunction.damaged or ()) if state.malfunction else 0


def _words(state: TableState, name: str, by: int) -> str:
    device = state.devices[name]
    inside = device.cards_inside
    assert inside is not None
    missing = "is missing" if by == -1 else "are missing"
    which = f"{abs(by)} {missing if by < 0 else 'too many'}"
    if name != state.source and inside == by:
        return f"{_cards(inside)} left in {name}, which is not in use: take them out and count"
    what = "should be inside" if name == state.source else "make a whole pack"
    return f"{name} holds {_cards(inside)}, {inside - by} {what}: {which}. Count the cards"


def _cards(number: int) -> str:
    return f"{number} card{'' if number == 1 else 's'}"


# --- which set ------------------------------------------------------------------------------------


def _other_sets(change: _Change) -> Iterator[str]:
    """Yield the devices that by their colour do not hold the set that they should, as of now.

    The one in use holds the set in play.  Another may hold the other set (nz:3.4), and not the set
    in play when that was said to be loaded.
    """
    for name, device in change.after.devices.items():
        known = change.before.devices.get(name, Device(role=device.role))
        if not _is_other(change.after, name, device):
            continue
        if name == change.after.source:
            if not _is_other(change.before, name, known):
                yield name
        elif change.is_loaded:
            yield name


def _is_other(state: TableState, name: str, device: Device) -> bool:
    named = state.ledger.set
    if not named or not device.colour:
        return False
    if name == state.source:
        return device.colour != named
    return device.colour == named and bool(device.cards_inside) and _is_word(device)


def _set_told(state: TableState, name: str) -> tuple[TableState, tuple[Alarm, ...]]:
    colour, named = state.devices[name].colour, state.ledger.set
    if colour == named:
        what = f"{name} holds a {colour} set as well, and the {named} set is in play"
    else:
        what = f"{name} holds the {colour} set, and the {named} set is in play"
    return raised(state, f"set {name}", "nz:3.4", what)
