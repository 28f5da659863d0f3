"""Events at a table as luck has them: mostly what a dealer would do next, now and then anything."""

from collections.abc import Iterator
from random import Random
from typing import Final

from controller.cards import UNREAD, Card
from controller.events import (
    Amend,
    AnyEvent,
    Ask,
    Asked,
    CardOut,
    CardsInDoubt,
    ChanceGiven,
    ConfirmLayout,
    CuttingCardOut,
    CuttingCardSeen,
    Deal,
    DeviceCleared,
    DeviceFault,
    DeviceLost,
    DeviceOnline,
    DeviceRestarted,
    EndRound,
    EnterCard,
    ErrorNext,
    ForNext,
    NewShoe,
    NotBurned,
    Pressed,
    Read,
    Resume,
    SameAgain,
    TakeBack,
)
from controller.game.machine import machine_for
from controller.game.moves import (
    Absent,
    AcceptCard,
    Burn,
    CallDecisions,
    Cleared,
    Double,
    EvenMoney,
    Forfeit,
    Insure,
    NoMoreBets,
    Present,
    PressJackpot,
    RefuseCard,
    Request,
    Split,
    Stand,
    Surrender,
    Wager,
    Withdraw,
)
from controller.game.options import build
from controller.game.play import Play, RoundState
from controller.game.prizes import BYTES, PRIZES
from controller.table.prizes import draws_due
from controller.table.state import TableState
from controller.table.view import view
from tests.controller.table.tale import DEVICES, SUPERVISOR, started

GAMES: Final = (
    build("blackjack-nsw", {"resplit": True, "double_with_ace": True}),
    build(
        "pontoon-nsw",
        {"resplit": True, "prizes": {str(prize): int(prize == PRIZES[-1]) for prize in PRIZES}},
    ),
    build("pontoon-nz", {"smallest_chip": 5, "decks": 5}),
)
FACES: Final = (
    "AS", "AH", "AS", "7S", "7H", "7S", "8S", "8H", "6S",
    "5C", "4D", "3C", "2H", "9D", "KS", "QH", "JC", "KD",
)  # fmt: skip
BOXES: Final = (1, 2, 3, 9)
PLAYERS: Final = ("ann", "bob", "cam", "dee")
AMOUNTS: Final = (None, 0, 50, 125, 250, 499, 500, 1000, 1000, 2500, 733)
ROLES: Final = ("dealer", SUPERVISOR, "inspector")
KEYS: Final = ("middle", "left", "right", *"1239DPFSIE=", "enter", "Q")


def next_event(state: TableState, luck: Random) -> AnyEvent:
    """Return what happens next at the table."""
    if luck.random() < 0.15:
        return anything(state.play, luck)
    for due in draws_due(state):
        return ChanceGiven(box=due.box, bytes=luck.randbytes(BYTES).hex())
    return luck.choice([*_likely(state, luck)])


def face(luck: Random) -> Card:
    """Return a card that can be read; aces, sevens and ten-valued cards come often."""
    return Card(luck.choice(FACES))


def _likely(state: TableState, luck: Random) -> Iterator[AnyEvent]:
    """Yield what a dealer might do or meet just now; what is likelier, more often."""
    waiting = [*_mending(state, luck)]
    if waiting and luck.random() < 0.6:
        yield from (Asked(ask=ask, by=SUPERVISOR) for ask in waiting)
        return
    card = UNREAD if luck.random() < 0.06 else face(luck)
    if state.play.state is RoundState.WAGERS:
        yield from (Asked(ask=_wager(luck)) for _ in range(2))
        yield Asked(ask=luck.choice((NoMoreBets(), SameAgain(), NewShoe())))
        yield from [CardOut(device="shoe", card=card)] * (2 if state.play.boxes else 0)
        return
    over = state.play.state in {RoundState.FINAL_SETTLEMENT, RoundState.VOID}
    yield from [Asked(ask=Cleared())] * 5 if over else [CardOut(device="shoe", card=card)] * 2
    machine = machine_for(state.play.game)
    yield from (
        Asked(ask=ask) for ask in _choices(state.play, luck) if machine.allows(state.play, ask)
    )
    slips: tuple[Ask, ...] = (TakeBack(), ForNext(), Amend(luck.randint(1, 9), face(luck)))
    if luck.random() < 0.2:
        yield Asked(ask=luck.choice((*slips, *[ErrorNext()] * 4, EndRound())), by=SUPERVISOR)
        yield CardOut(device="shoe", card=card)


def _mending(state: TableState, luck: Random) -> Iterator[Ask]:
    """Yield the words that somebody waits for."""
    if state.suspended:
        yield Resume()
    if state.in_doubt:
        yield ConfirmLayout()
    if state.in_hand:
        yield Deal(_seen(state.in_hand[0], luck))
        yield Burn(_seen(state.in_hand[0], luck))
    if state.play.error_card:
        yield from luck.sample((AcceptCard(), RefuseCard()), 2)
    if state.play.undue:
        undue = state.play.undue[0]
        yield luck.choice((Burn, Deal))(_seen(undue, luck))
    if view(state)["unread"]:
        yield Read(face(luck))


def _seen(card: Card, luck: Random) -> Card:
    """Return what the dealer sees of a card: its face, also where the device could not read it."""
    return face(luck) if card == UNREAD else card


def _choices(play: Play, luck: Random) -> Iterator[Request]:
    """Yield decisions, for a box in play if there is one."""
    box = luck.choice([box.number for box in play.boxes] or BOXES)
    there = play.box(box)
    player = luck.choice(there.players if there else PLAYERS)
    others = tuple(luck.sample(PLAYERS, luck.randint(0, 2)))
    yield from (Stand(), Double(), Split(), Double(others), Split(others))
    yield from (Surrender(box), Surrender(box, others), Forfeit((player,)), Forfeit(others))
    yield from (Insure(box, player, luck.choice((50, 250, 500))), EvenMoney(box, player))
    yield PressJackpot(box)
    if luck.random() < 0.2:
        yield Absent(box, luck.choice(((), (player,), others)))
    yield Present(box, luck.choice(((), (player,))))
    if luck.random() < 0.2:
        yield CallDecisions(box, player, luck.choice(("seated", "highest", "nearest")))


def _wager(luck: Random) -> Wager:
    def aside() -> int | None:
        return luck.choice((None, 0, 500, 500))

    return Wager(
        box=luck.choice(BOXES),
        player=luck.choice(PLAYERS),
        main=luck.choice(AMOUNTS),
        super_sevens=aside(),
        perfect_pairs=aside(),
        pandemonium=aside(),
        voucher=luck.choice((None, None, None, False, True)),
        controls=luck.random() < 0.3,
    )


def anything(play: Play, luck: Random) -> AnyEvent:
    """Return anything that a table may be told, whether it makes sense or not."""
    device = luck.choice((*DEVICES, "unknown"))
    return luck.choice((
        CardOut(device=device, card=luck.choice((face(luck), UNREAD, Card("TS")))),
        Asked(ask=luck.choice((*_words(luck), *_choices(play, luck))), by=luck.choice(ROLES)),
        Asked(ask=luck.choice((*_words(luck), _wager(luck))), by=luck.choice(ROLES)),
        Pressed(device=device, control=luck.choice(KEYS), held=luck.random() < 0.3),
        DeviceLost(device=device, why="unplugged"),
        DeviceOnline(device=device, port="test"),
        DeviceFault(device=device, code="jam", text="a card is stuck"),
        DeviceCleared(device=device, code="jam"),
        DeviceRestarted(device=device),
        CardsInDoubt(device=device, why="messages were lost"),
        CuttingCardOut(device=device),
        ChanceGiven(box=luck.choice(BOXES), bytes=luck.randbytes(BYTES).hex()),
        started(play.game),
    ))  # fmt: skip


def _words(luck: Random) -> tuple[Ask, ...]:
    card, box = face(luck), luck.choice(BOXES)
    return (
        Burn(card), Read(card), EnterCard(card), Deal(card), Amend(luck.randint(-1, 9), card),
        TakeBack(), ForNext(), ConfirmLayout(), NewShoe(), NotBurned(), CuttingCardSeen(),
        SameAgain(), Resume(), ErrorNext(), EndRound(), AcceptCard(), RefuseCard(), Cleared(),
        NoMoreBets(), Withdraw(box), Withdraw(box, luck.choice(PLAYERS)),
    )  # fmt: skip
