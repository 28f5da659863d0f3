"""Rule 17 at the table: what begins it, who may say what, and what it does to the round."""

from types import MappingProxyType
from typing import Final

import msgspec

from controller.cards import UNREAD, Card
from controller.errors import NotAllowed
from controller.events import DeclareFault
from controller.game.ending import electors
from controller.game.malfunction import (
    MACHINE,
    AnswerDamaged,
    AnswerDisadvantage,
    AnswerSpare,
    Confirm,
    FaultAgain,
    Malfunction,
    ProcedureMove,
    ProcedureState,
    Stay,
    TakeRefund,
    WorksAgain,
    holder,
    steps_of,
)
from controller.game.moves import Advance, GivenBack, Leave, VoidRound
from controller.game.play import RoundState
from controller.game.wagers import cards_are_out
from controller.outcomes import Accepted, Outcome, ProcedureReached
from controller.table.decision import Decision, make
from controller.table.roles import SUPERVISORS
from controller.table.state import Device, TableState, copies_in_pack, with_device

SHUFFLER: Final = "shuffler"
READY: Final = "ready"
IDLE: Final = "idle"
TAKES_CARDS: Final = frozenset({READY, IDLE})
"""The states in which a shuffling device takes cards at once: loaded and well, or empty."""
LINK_LOST: Final = "link-lost"

TROUBLE: Final = MappingProxyType({
    "offline": "it is switched off",
    "door-open": "a door is open",
    "jam": "a card is jammed",
    "count-mismatch": "the number of cards is not what it should be",
    "duplicate-card": "a card is inside too often",
    "unreadable-card": "cards cannot be read",
    "damaged-card": "a card is damaged",
    "service": "it asks for service",
})  # fmt: skip
"""The states in which a card device does not work as it is meant to, in plain words."""

WRONG_UNIT: Final = "wrong-unit"
"""The fault of a place where another unit than the configured one is plugged in."""

NO_MALFUNCTION: Final = frozenset({"door-open", "locked", "stuck", WRONG_UNIT})
"""Troubles that end by a hand's movement: the device still works as it is meant to."""

BY_HAND: Final = frozenset({LINK_LOST, "offline", "service"})
"""What a device that failed tells while hands take the cards out of it: it is switched off,
unplugged, opened, carried away."""


def begin(state: TableState, device: str, code: str, text: str) -> Decision:
    """Begin the procedure if the fault is one of rule 17, or ask again if it is open (17.1.2).

    A fault before the first card, or of a device that is no shuffling device in use (17.1.1), is
    recorded and changes nothing here.  A multishuffler deals no cards, so its faults are no matter
    of rule 17 (1.1 shuffling device, 1.1 multishuffler).
    """
    known = state.devices.get(device)
    if code in NO_MALFUNCTION or known is None or known.role != SHUFFLER:
        return Decision(state, ())
    if state.malfunction is not None:
        if not _asks_again(state, device, code):
            return Decision(state, ())
        return _moved(state, FaultAgain(device, code, text))
    if device != state.source or not _in_round(state):
        return Decision(state, ())
    procedure = Malfunction(device=device, code=code, text=text, electors=electors(state.play))
    begun = msgspec.structs.replace(state, malfunction=procedure)
    return Decision(begun, (_told(procedure),))


def _asks_again(state: TableState, device: str, code: str) -> bool:
    """Tell whether a fault asks all four questions again: of the device with the cards, the spare.

    A device that holds no cards of the game any more asks nothing, nor does the one that failed
    for what hands do to it once the answers have decided a branch (17.2 to 17.5).
    """
    procedure = state.malfunction
    assert procedure is not None
    with_cards = holder(procedure)
    if device == with_cards:
        return not is_by_hand(state, device, code)
    if with_cards != procedure.device or (device in procedure.emptied and not procedure.takes):
        return False
    spare = spare_of(state)
    return spare is not None and device == spare[0]


def is_by_hand(state: TableState, device: str, code: str) -> bool:
    """Tell whether hands do to the device that failed what the decided branch has them do."""
    procedure = state.malfunction
    if procedure is None or procedure.state is ProcedureState.ASKED:
        return False
    return procedure.device == device and code in BY_HAND


def declare(state: TableState, ask: DeclareFault) -> Decision:
    """Begin the procedure on the dealer's word.

    Raises:
        NotAllowed: no shuffling device is in use, or no card of the round was dealt.
    """
    accepted = Accepted(what=msgspec.to_builtins(ask), rule="17.1.2")
    begun = begin(state, state.source, "declared", ask.text)
    if not begun.outcomes:
        why = "it is for a shuffling device in use, in a round with a card dealt"
        raise NotAllowed("17.1", why)
    return Decision(begun.state, (accepted, *begun.outcomes))


def proceed(state: TableState, ask: ProcedureMove, by: str) -> Decision:
    """Take an answer, a step or an election.

    Raises:
        NotAllowed: no procedure is open, it is not asked now, or something speaks against it.
    """
    if state.malfunction is None:
        raise NotAllowed("17.1", "no malfunction is open")
    if isinstance(ask, AnswerSpare):  # which one is ready is seen anew
        unnamed = msgspec.structs.replace(state.malfunction, takes="")
        state = msgspec.structs.replace(state, malfunction=unnamed)
    _check(state, ask, by)
    moved = _moved(state, ask)
    return Decision(
        moved.state, (Accepted(what=msgspec.to_builtins(ask), rule="17.1"), *moved.outcomes)
    )


def kept_open(before: TableState, decided: Decision) -> Decision:
    """See who is asked at 17.5.1 anew when a card was read or a prize drawn in the procedure."""
    state = decided.state
    if state.malfunction is None or state.play is before.play:
        return decided
    try:
        moved = _moved(state, Advance())
    except NotAllowed:  # nothing follows of itself
        return Decision(_with_electors(state), decided.outcomes)
    return Decision(moved.state, (*decided.outcomes, *moved.outcomes))


def spare_of(state: TableState) -> tuple[str, Device] | None:
    """Return the shuffling device that may take the cards over, if the table has one.

    It is the one that was found available; else the first that is ready, or the first there is.
    """
    procedure = state.malfunction
    known = {state.source, procedure.device} if procedure else {state.source}
    others = {
        name: device
        for name, device in state.devices.items()
        if device.role == SHUFFLER and name not in known
    }
    if procedure and procedure.takes in others:
        return procedure.takes, others[procedure.takes]
    ready = [name for name, device in others.items() if is_ready(device)]
    name = next(iter([*ready, *others]), None)
    return None if name is None else (name, others[name])


def nobody_chooses_yet(state: TableState, number: int) -> bool:
    """Tell whether a card that nobody has read may have settled wagers of the box (17.5.1)."""
    box = state.play.box(number)
    hands = box.hands if box else ()
    return UNREAD in state.play.dealer or any(UNREAD in hand.cards for hand in hands)


def is_ready(device: Device) -> bool:
    """Tell whether a shuffling device could take cards at once."""
    return device.online and not device.trouble and device.reports in TAKES_CARDS


def _in_round(state: TableState) -> bool:
    over = {RoundState.WAGERS, RoundState.VOID, RoundState.CLEARED}
    return state.play.state not in over and cards_are_out(state.play)


def _check(state: TableState, ask: ProcedureMove, by: str) -> None:
    """Check what can be checked: who says it, the order, the spare, the cards."""
    procedure = state.malfunction
    assert procedure is not None
    match ask:
        case AnswerDisadvantage() if by not in SUPERVISORS:
            raise NotAllowed("17.4", "a casino supervisor judges whether anybody is disadvantaged")
        case AnswerSpare(yes=True):
            _need_ready_spare(state, "17.1.4")
        case Confirm(step="transferred"):
            MACHINE.cited(procedure, ask)
            if "transferred" in steps_of(procedure):
                _need_loaded_spare(state)
        case AnswerDamaged(cards=cards):
            _need_inside(state, cards)
        case Stay(box=box) | TakeRefund(box=box) if nobody_chooses_yet(state, box):
            why = "a card could not be read: enter it before anybody chooses"
            raise NotAllowed("17.5.1", why)
        case WorksAgain():
            _need_working(state, by)


def _need_ready_spare(state: TableState, rule: str) -> None:
    spare = spare_of(state)
    if spare is None:
        raise NotAllowed(rule, "this table has no other shuffling device")
    name, device = spare
    if not is_ready(device):
        says = device.trouble or device.reports or ("nothing" if device.online else "it is away")
        raise NotAllowed(rule, f"{name} is not ready: {says}")


def _need_loaded_spare(state: TableState) -> None:
    _need_ready_spare(state, "17.2")
    spare = spare_of(state)
    assert spare is not None
    name, device = spare
    if device.reports != READY or device.cards_inside == 0:
        raise NotAllowed("17.2", f"{name} reports no cards inside: move them first")


def _need_inside(state: TableState, cards: tuple[Card, ...]) -> None:
    for card in set(cards):
        inside = copies_in_pack(state.play.game, card) - state.ledger.out.get(card, 0)
        if card == UNREAD or cards.count(card) > inside:
            why = f"{cards.count(card)} of {card} cannot be in the device: {inside} are left"
            raise NotAllowed("17.3.1", why)


def _need_working(state: TableState, by: str) -> None:
    procedure = state.malfunction
    assert procedure is not None
    if by not in SUPERVISORS:
        raise NotAllowed("17.1", "a casino supervisor says that the device works again")
    device = state.devices[procedure.device]
    if not is_ready(device) and procedure.code != "declared":
        raise NotAllowed("17.1", f"{procedure.device} does not report that it is ready")


def _moved(state: TableState, move: ProcedureMove | FaultAgain | Advance) -> Decision:
    state = _with_electors(state)
    before = state.malfunction
    assert before is not None
    after, _ = MACHINE.cited(before, move)
    if isinstance(move, AnswerSpare) and move.yes and (spare := spare_of(state)):
        after = msgspec.structs.replace(after, takes=spare[0])
    told: list[Outcome] = []
    if isinstance(move, Confirm) and move.step in steps_of(before):
        state = _done(state, before, move)
    state = msgspec.structs.replace(state, malfunction=after)
    if isinstance(move, TakeRefund):
        state, _, follows = make(state, Leave(move.box, move.player))
        told += follows
    if after.state is not before.state or isinstance(move, FaultAgain):
        told.append(_told(after))
    if after.state is ProcedureState.ENDED:
        rule = "17.4" if after.disadvantage in {"house", "player"} else "17.5.1"
        state, _, follows = make(state, VoidRound(rule))
        told += follows
        state = msgspec.structs.replace(state, malfunction=None)
    if after.state is ProcedureState.RESUMED:
        state = msgspec.structs.replace(state, malfunction=None)
        if not isinstance(move, WorksAgain):
            state, _, _ = make(state, GivenBack())
    return Decision(state, tuple(told))


def _with_electors(state: TableState) -> TableState:
    """Return the state with who may have wagers back by now, and who has had them (17.5.1)."""
    procedure = state.malfunction
    assert procedure is not None
    asked = {*electors(state.play), *procedure.left}
    everybody = ((box.number, player) for box in state.play.boxes for player in box.players)
    procedure = msgspec.structs.replace(
        procedure, electors=tuple(who for who in everybody if who in asked)
    )
    return msgspec.structs.replace(state, malfunction=procedure)


def _done(state: TableState, procedure: Malfunction, move: Confirm) -> TableState:
    """Keep what a step has done to the cards: where they are now, which were replaced."""
    match move.step:
        case "transferred":
            spare = spare_of(state)
            assert spare is not None  # it was asked whether it is ready
            emptied = _emptied(state, procedure.device)
            return msgspec.structs.replace(emptied, source=spare[0])
        case "replaced":
            damaged = (*state.ledger.damaged, *move.cards)
            ledger = msgspec.structs.replace(state.ledger, damaged=damaged)
            return msgspec.structs.replace(state, ledger=ledger)
        case "shuffled-and-cut":
            return _emptied(state, procedure.device)
        case "shoe-loaded":
            # Shuffled and cut by rule 4, so the first card is burned (4.7).
            shoes = [name for name, device in state.devices.items() if device.role == "shoe"]
            ledger = msgspec.structs.replace(state.ledger, burn_is_due=True)
            source = shoes[0] if shoes else state.source
            return msgspec.structs.replace(state, source=source, ledger=ledger)
        case _:
            return state


def _emptied(state: TableState, name: str) -> TableState:
    """Note that the cards were taken out of the device."""
    device = msgspec.structs.replace(state.devices[name], cards_inside=0, emptied=True)
    return with_device(state, name, device)


def _told(procedure: Malfunction) -> ProcedureReached:
    rule = procedure.state.value if procedure.state.value.startswith("17") else "17.1"
    return ProcedureReached(
        rule=rule,
        state=procedure.state.value,
        device=procedure.device,
        text=procedure.again or procedure.text,
    )
