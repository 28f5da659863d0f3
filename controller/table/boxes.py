"""What the dealer says of the wagers on a box: rejected, called, spoken, handled (5, 6.2)."""

from types import MappingProxyType

import msgspec

from controller.errors import NotAllowed
from controller.game.house import AtBox, Handle, Reject, SpokenWager
from controller.game.moves import CallDecisions, Wager, Withdraw
from controller.game.play import Bet
from controller.game.settlement import pending, settlements
from controller.game.wagers import SIDE_WAGERS, cards_are_out
from controller.money import show
from controller.outcomes import Accepted, Prompted
from controller.table.decision import Decision, make
from controller.table.misfits import misfits
from controller.table.state import TableState
from controller.table.wagering import check_wager, in_line, limits_of, remarks, with_seat


def at_box(state: TableState, ask: AtBox) -> Decision:
    """Take the dealer's word on the wagers of a box.

    Raises:
        NotAllowed: not now, or not this wager; says why.
    """
    match ask:
        case Reject():
            return _reject(state, ask)
        case CallDecisions():
            return _call(state, ask)
        case SpokenWager():
            return _spoken(state, ask)
        case Handle():
            return _handle(state, ask)


def _bet(state: TableState, box: int, player: str, rule: str) -> Bet:
    found = state.play.box(box)
    bet = found.bet(player) if found else None
    if bet is None:
        raise NotAllowed(rule, f"{player} has no wager on box {box}")
    return bet


def _accept(ask: AtBox, rule: str) -> Accepted:
    return Accepted(what=msgspec.to_builtins(ask), rule=rule, box=ask.box)


def _reject(state: TableState, ask: Reject) -> Decision:
    """6.2: a wager that does not fit and is not rejected before the first card is valid."""
    bet = _bet(state, ask.box, ask.player, "6.2")
    if cards_are_out(state.play):
        raise NotAllowed("6.2", "the first card is out: the wager was not rejected and is valid")
    found = [one for one in misfits(state) if (one.box, one.player) == (ask.box, ask.player)]
    if not found:
        limits = limits_of(state, ask.player)
        within = f"{show(limits.minimum)} to {show(limits.maximum)}"
        why = f"{ask.player}'s wager on box {ask.box} is not known to be outside {within}"
        raise NotAllowed("6.2", why)
    # A unit above the minimum is a limit as well: what is rejected is rejected by 6.2.
    rule = "6.2" if found[0].rule == "6.1" else found[0].rule
    state, _, follows = make(state, Withdraw(ask.box, ask.player))
    note = f"Give {ask.player} back {_all_of(bet)} from box {ask.box}"
    state = msgspec.structs.replace(state, note=note)
    return Decision(state, (_accept(ask, rule), Prompted(rule=rule, what=note), *follows))


def _all_of(bet: Bet) -> str:
    """Return what lies there of a player: a side wager goes with the main one (14.3, 18.14.3)."""
    main = "the wager" if bet.main is None else show(bet.main)
    aside = [
        f"{show(amount)} on {side.name}"
        for side in SIDE_WAGERS
        if (amount := getattr(bet, side.field))
    ]
    return " and ".join([main, *aside])


_REASONS = MappingProxyType({"seated": "5.5.1", "highest": "5.5.2", "nearest": "5.5.3"})


def _call(state: TableState, ask: CallDecisions) -> Decision:
    """5.5, 5.6: who calls the decisions is made sure of before the round, and may change in it."""
    dealt = cards_are_out(state.play)
    state, _, follows = make(state, ask)
    box = state.play.box(ask.box)
    assert box is not None
    # After the first card nobody handles a wager: they stay where they lie (5.3).
    told = () if dealt else tuple(in_line(box))
    if told:
        note = f"{told[0].what}, the others' in a line behind it"
        state = msgspec.structs.replace(state, note=note)
    return Decision(state, (_accept(ask, _REASONS[ask.because]), *told, *follows))


def _spoken(state: TableState, ask: SpokenWager) -> Decision:
    """nz:5.3: a spoken wager counts with chips, and in time before "no more bets"."""
    if not state.play.game.is_nz:
        raise NotAllowed("5.1", "a wager is made by placing chips, not by word of mouth")
    if not ask.chips:
        raise NotAllowed("nz:5.3", f"{ask.player}'s spoken wager came without chips")
    if state.play.no_more_bets or cards_are_out(state.play):
        raise NotAllowed("nz:5.3", 'no time is left: "no more bets" was called')
    wager = Wager(box=ask.box, player=ask.player, main=ask.main, voucher=False)
    check_wager(state, wager)
    placed, _, follows = make(state, wager)
    placed = with_seat(placed, ask.player)
    note = f"Place {ask.player}'s {show(ask.main)} on box {ask.box}"
    told = (
        _accept(ask, "nz:5.3"),
        Prompted(rule="nz:5.3", what=note),
        *remarks(state, placed, wager),
        *follows,
    )
    return Decision(msgspec.structs.replace(placed, note=note), told)


def _handle(state: TableState, ask: Handle) -> Decision:
    """5.3, nz:5.5 to nz:5.7: nothing is handled from the first card until it is settled."""
    nz = state.play.game.is_nz
    _bet(state, ask.box, ask.player, "nz:5.5(b)" if nz else "5.3")
    if not cards_are_out(state.play):
        return Decision(state, (_accept(ask, "5.2"),))
    # At NZ the whole box is paid first; elsewhere the wager alone must be settled.
    open_ = [
        one
        for one in pending(state.play)
        if one.box == ask.box and one.player == ask.player and one.wager == ask.wager
    ]
    if open_:
        rule = "5.3" if not nz else "nz:5.5(b)" if ask.wager == "main" else "nz:5.6"
        why = f"{ask.player}'s {ask.wager} wager on box {ask.box} is not decided yet"
        raise NotAllowed(rule, f"{why}: nobody handles it")
    rows = [one for one in settlements(state.play) if one.box == ask.box and one.wager == ask.wager]
    if nz and any(one.player == ask.player and one.result == "lose" for one in rows):
        raise NotAllowed("nz:5.7", f"{ask.player}'s {ask.wager} wager on box {ask.box} has lost")
    if nz and any(one.box == ask.box for one in pending(state.play)):
        raise NotAllowed("nz:5.7", f"wagers on box {ask.box} are still to be paid")
    return Decision(state, (_accept(ask, "nz:5.7" if nz else "5.3"),))
