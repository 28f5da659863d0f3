"""What the dealer says of the wagers on a box: rejected, called, spoken, handled (5, 6.2)."""

from types import MappingProxyType

import msgspec

from controller.errors import NotAllowed
from controller.game.house import AtBox, CallDecisions, Handle, Reject, SpokenWager
from controller.game.moves import Wager, Withdraw
from controller.game.play import Bet, Box, RoundState
from controller.game.settlement import pending, settlements
from controller.game.wagers import cards_are_out
from controller.money import show
from controller.outcomes import Accepted, Outcome, Prompted
from controller.table.decision import Decision, make
from controller.table.state import TableState
from controller.table.wagering import check_wager, limits_of, remarks, with_call


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


def _bet(state: TableState, box: int, player: str, rule: str) -> tuple[Box, Bet]:
    found = state.play.box(box)
    bet = found.bet(player) if found else None
    if found is None or bet is None:
        raise NotAllowed(rule, f"{player} has no wager on box {box}")
    return found, bet


def _accept(ask: AtBox, rule: str) -> Accepted:
    return Accepted(what=msgspec.to_builtins(ask), rule=rule, box=ask.box)


def _reject(state: TableState, ask: Reject) -> Decision:
    """6.2: a wager outside the limits that is not rejected before the first card is valid."""
    _, bet = _bet(state, ask.box, ask.player, "6.2")
    if cards_are_out(state.play):
        raise NotAllowed("6.2", "the first card is out: the wager was not rejected and is valid")
    limits = limits_of(state, ask.player)
    if bet.main is None or limits.allow(bet.main):
        within = f"{show(limits.minimum)} to {show(limits.maximum)}"
        why = f"{ask.player}'s wager on box {ask.box} is not known to be outside {within}"
        raise NotAllowed("6.2", why)
    state, _, follows = make(state, Withdraw(ask.box, ask.player))
    note = f"Give {ask.player} back {show(bet.main)} from box {ask.box}"
    state = msgspec.structs.replace(state, note=note)
    return Decision(state, (_accept(ask, "6.2"), Prompted(rule="6.2", what=note), *follows))


_REASONS = MappingProxyType({"seated": "5.5.1", "highest": "5.5.2", "nearest": "5.5.3"})


def _call(state: TableState, ask: CallDecisions) -> Decision:
    """5.5, 5.6: who calls the decisions is made sure of before the round begins."""
    box, bet = _bet(state, ask.box, ask.player, "5.5")
    if cards_are_out(state.play) or state.play.state is not RoundState.WAGERS:
        raise NotAllowed("5.6", "who calls the decisions was made sure of before the round")
    rule = _REASONS[ask.because]
    stakes = [one.main for one in box.bets]
    if None not in stakes:
        highest = max(stake for stake in stakes if stake is not None)
        if ask.because == "nearest" and len(set(stakes)) > 1:
            raise NotAllowed("5.5.3", "the wagers are not equal: the highest decides (5.5.2)")
        if ask.because == "highest" and stakes.count(highest) > 1:
            raise NotAllowed("5.5.2", "the highest wagers are equal: the nearest decides (5.5.3)")
        if ask.because == "highest" and bet.main != highest:
            raise NotAllowed("5.5.2", f"{ask.player}'s wager on box {ask.box} is not the highest")
    again = Wager(
        box=ask.box,
        player=ask.player,
        main=bet.main,
        super_sevens=bet.super_sevens,
        perfect_pairs=bet.perfect_pairs,
        pandemonium=bet.pandemonium,
        voucher=bet.voucher,
        controls=True,
    )
    state, _, follows = make(state, again)
    state = with_call(state, again)
    told: list[Outcome] = [_accept(ask, rule)]
    if len(box.bets) > 1:
        nearest = f"{ask.player}'s wager on box {ask.box} lies nearest the dealer"
        told.append(Prompted(rule="5.7.1", what=nearest))
        told.append(Prompted(rule="5.7.2", what="The others' wagers lie in a line behind it"))
        state = msgspec.structs.replace(state, note=f"{nearest}, the others' in a line behind it")
    return Decision(state, (*told, *follows))


def _spoken(state: TableState, ask: SpokenWager) -> Decision:
    """nz:5.3: a spoken wager counts with chips, and in time before "no more bets"."""
    if not state.play.game.is_nz:
        raise NotAllowed("5.1", "a wager is made by placing chips, not by word of mouth")
    if not ask.chips:
        raise NotAllowed("nz:5.3", f"{ask.player}'s spoken wager came without chips")
    if state.play.no_more_bets or cards_are_out(state.play):
        raise NotAllowed("nz:5.3", 'no time is left: "no more bets" was called')
    wager = Wager(box=ask.box, player=ask.player, main=ask.main)
    check_wager(state, wager)
    placed, _, follows = make(state, wager)
    placed = with_call(placed, wager)
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
