"""Random rounds from a shuffling device, and the procedure of rule 17 in the midst of them."""

from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random
from typing import NamedTuple

import msgspec

from controller.cards import Card
from controller.events import Asked, CardOut, Read
from controller.game import moves as m
from controller.game.malfunction import (
    AnswerDamaged,
    AnswerDisadvantage,
    AnswerPracticable,
    AnswerSpare,
    Confirm,
    Stay,
    Step,
    TakeRefund,
)
from controller.game.options import Game
from controller.game.play import Bet
from controller.game.settlement import Pending, Settlement, pending, settlements
from controller.game.turns import hand_in_turn
from controller.table.state import TableState, cards_on_table, copies_in_pack
from tests.controller.table.shufflers import Shufflers
from tests.controller.table.tale import SUPERVISOR
from tests.oracle.referee import Referee
from tests.oracle.rounds import Maker, random_game

Wager = tuple[int | None, str, int | None, str]
Procedure = tuple[object, ...]


class Round(NamedTuple):
    """A round that was played without a fault."""

    game: Game
    made: list[m.Made | Read]
    states: list[TableState]
    """The table before each move, and after the last."""


def tell(table: Shufflers, move: m.Made | Read) -> None:
    """Let a move happen at the table; it must be accepted."""
    if isinstance(move, m.CardDealt):
        table.take(CardOut(device=table.state.source, card=move.card))
        return
    taken = table.take(Asked(ask=move, by=SUPERVISOR))  # type: ignore[arg-type]
    assert taken.refused is None, (move, taken.refused)


def undisturbed(name: str, seed: int) -> tuple[Shufflers, Round]:
    """Play the round of a seed to its end, the round not cleared."""
    luck = Random(f"fault {name} {seed}")
    game = random_game(name, luck)
    referee, table = Referee(game), Shufflers(game)
    made: list[m.Made | Read] = []
    states = [table.state]
    for move in Maker(referee, luck).moves():
        if isinstance(move, m.Cleared):
            break
        tell(table, move)
        referee.apply(move)
        made.append(move)
        states.append(table.state)
    return table, Round(game, made, states)


def by_wager(rows: tuple[Settlement, ...]) -> dict[Wager, Settlement]:
    """Return settlements by what tells one wager from another."""
    return {(row.box, row.player, row.hand, row.wager): row for row in rows}


def damaged_cards(state: TableState, luck: Random) -> tuple[Card, ...]:
    """Return one to three cards that may be in the device."""
    out, faces = state.ledger.out, [rank + suit for rank in "A23456789JQK" for suit in "SHDC"]
    inside = [
        Card(face)
        for face in faces
        for _ in range(copies_in_pack(state.play.game, Card(face)) - out.get(Card(face), 0))
    ]
    return tuple(luck.sample(inside, luck.randint(1, 3)))


def answered(
    luck: Random,
    damaged: tuple[Card, ...] = (),
    *,
    spare: bool = True,
    practicable: bool = True,
) -> Procedure:
    """Return the four answers in any order, nobody disadvantaged."""
    answers = (
        AnswerDamaged(damaged),
        AnswerDisadvantage("none"),
        AnswerSpare(spare),
        AnswerPracticable(practicable),
    )
    return tuple(luck.sample(answers, 4))


def transferred(luck: Random) -> Procedure:
    """Return all that is said in a branch of 17.2."""
    return (*answered(luck), Confirm("transferred"))


def replaced(luck: Random, damaged: tuple[Card, ...]) -> Procedure:
    """Return all that is said in a branch of 17.3, the cards named in any order."""
    steps = (
        Confirm("damaged-removed"),
        Confirm("transferred"),
        Confirm("replaced", tuple(luck.sample(damaged, len(damaged)))),
    )
    return (*answered(luck, damaged), *steps)


def from_the_shoe(
    luck: Random, damaged: tuple[Card, ...], electors: tuple[tuple[int, str], ...]
) -> tuple[Procedure, set[tuple[int, str]]]:
    """Return all that is said in a branch of 17.5, choices between its steps, and who leaves."""
    likely = luck.choice((0.2, 0.5, 1.0))
    leavers = {who for who in electors if luck.random() < likely}
    choices = [TakeRefund(*who) if who in leavers else Stay(*who) for who in electors]
    words: list[Step] = ["shuffled-and-cut", "shoe-loaded"]
    steps = [Confirm("replaced", damaged)] * bool(damaged) + list(map(Confirm, words))
    practicable = luck.random() < 0.5
    answers = answered(luck, damaged, spare=practicable, practicable=not practicable)
    # Everybody leaving ends the round at once: what else is to be said then comes before.
    if leavers == set(electors):
        return (*answers, *steps, *choices), leavers
    return (*answers, *_mixed(luck, steps, choices)), leavers


def _mixed(luck: Random, steps: list[Confirm], choices: list[TakeRefund | Stay]) -> Procedure:
    """Return the steps in their order with the choices anywhere between them."""
    said: list[object] = luck.sample(choices, len(choices))
    places = sorted(luck.randint(0, len(said)) for _ in steps)
    for before, (place, step) in enumerate(zip(places, steps, strict=True)):
        said.insert(place + before, step)
    return tuple(said)


def strike(referee: Referee, leavers: set[tuple[int, str]]) -> None:
    """Take the leavers' wagers off the referee's layout, and boxes that are empty then."""
    for box in list(referee.boxes):
        gone = {player for number, player in leavers if number == box.number}
        box.stakes = [stakes for stakes in box.stakes if stakes.player not in gone]
        for hand in box.hands:
            # Who doubled and left has still doubled: the hand gets one card and no odds (18.9.4).
            hand.players = [player for player in hand.players if player not in gone]
            if not hand.players:  # no card is dealt to it: here it counts as over
                hand.cards, hand.stood = [*hand.cards, "2S", "2S"], True
        box.insured = {who: amount for who, amount in box.insured.items() if who not in gone}
        box.even_money = [player for player in box.even_money if player not in gone]
        if not box.stakes:
            referee.boxes.remove(box)


class Chips:
    """What the players put down, counted from what they do alone."""

    def __init__(self) -> None:
        self.bets: dict[tuple[int, str], Bet] = {}
        self.portions: Counter[tuple[int, str]] = Counter()
        self.insured = 0

    def before(self, state: TableState, move: m.Made | Read) -> None:
        """Count a move that is made at this moment."""
        match move:
            case m.Wager():
                where = move.box, move.player
                lies = self.bets.get(where, Bet(player=move.player, main=move.main))
                said = {
                    name: amount
                    for name in Bet.__struct_fields__
                    if (amount := getattr(move, name)) is not None
                }
                self.bets[where] = msgspec.structs.replace(lies, **said)
            case m.Withdraw():
                mine = (move.box, move.player)
                self.bets = {
                    who: bet
                    for who, bet in self.bets.items()
                    if who != mine and not (move.player is None and who[0] == move.box)
                }
            case m.Split() | m.Double():
                turn = hand_in_turn(state.play)
                assert turn is not None
                box, hand = turn
                takers = (box.caller(hand), *move.players)
                self.portions.update((box.number, who) for who in takers)
            case m.Insure():
                self.insured += move.amount
            case _:
                pass

    @property
    def put_down(self) -> int:
        """Cents in chips; a voucher is none."""
        total = self.insured
        for who, bet in self.bets.items():
            assert bet.main is not None
            total += bet.main * (self.portions[who] + (0 if bet.voucher else 1))
            total += bet.super_sevens + bet.perfect_pairs + bet.pandemonium
        return total

    def kept_by_house(self, rows: tuple[Settlement, ...]) -> int:
        """Return what was lost less what was won, in cents, as the results say."""
        house = 0
        for row in rows:
            assert row.pays is not None
            assert row.returns is not None
            stake = self.stake_of(row)
            won = {"lose": stake, "win": -row.pays, "surrendered": stake - row.returns}
            house += won.get(row.result, 0)
        return house

    def given_back(self, row: Settlement) -> int:
        """Return what went back in chips: a voucher goes back as it is, with a void wager."""
        assert row.returns is not None
        assert self.stake_of(row) or row.result == "void" or row.returns == 0, row
        return row.returns if self.stake_of(row) else 0

    def stake_of(self, row: Settlement | Pending) -> int:
        """Return what lies there in chips: nothing for a voucher."""
        assert row.stake is not None
        if row.box is None or row.wager != "main":
            return row.stake
        return 0 if self.bets[row.box, row.player].voucher else row.stake


def check_given_back(
    before: TableState, now: Iterable[Settlement], rule: str, who: set[tuple[int, str]]
) -> None:
    """What goes back at this moment to these does so in full, a voucher too, by the clause.

    It is the unsettled wagers, or with ``void_returns`` all every wager of theirs in the round;
    what went back before has gone back, and nothing else of theirs has changed.
    """
    everything = before.play.game.void_returns == "all"
    settled = {wager: row for wager, row in by_wager(settlements(before.play)).items() if row.box}
    waiting = {(row.box, row.player, row.hand, row.wager): row for row in pending(before.play)}
    theirs = {wager: row for wager, row in by_wager(tuple(now)).items() if wager[:2] in who}
    assert theirs.keys() == {wager for wager in {**settled, **waiting} if wager[:2] in who}
    for wager, row in theirs.items():
        was = settled.get(wager)
        if was is not None and (was.result == "void" or not everything):
            assert row == was
            continue
        stake = (was or waiting[wager]).stake
        assert (row.result, row.rule, row.pays, row.odds) == ("void", rule, 0, None)
        assert (row.stake, row.returns) == (stake, stake)


def check_shares(game: Game, players: Iterable[str], rows: Iterable[Settlement]) -> None:
    """$50 for everybody who plays on beside a Super Bonus that stands, and for nobody else."""
    rows = tuple(rows)
    bonus = {100_000, 500_000}
    winners = {row.player for row in rows if row.rule == "18.12.1.3" and row.pays in bonus}
    owed = set(players) - winners if winners and game.super_bonus else set()
    shared = [row.player for row in rows if row.wager == "super-bonus-share"]
    assert (len(shared), set(shared)) == (len(owed), owed)


def check_money(chips: Chips, state: TableState) -> None:
    """Money in is money out, give or take the house, to the cent; every wager settled once."""
    rows = settlements(state.play)
    assert len(by_wager(rows)) == len(rows)
    back = sum((row.pays or 0) + chips.given_back(row) for row in rows)
    on_table = sum(chips.stake_of(row) for row in pending(state.play))
    assert chips.put_down == back + chips.kept_by_house(rows) + on_table


def check_ledger(state: TableState, out: Counter[str], burned: int) -> None:
    """Every card that came out is in the ledger, and on the layout or burned."""
    assert Counter(state.ledger.out) == out
    lies = sum(cards_on_table(state).values())
    assert lies + len(state.play.burned) + burned == sum(out.values())


def fault_points(round_: Round) -> Iterator[int]:
    """Yield every place in the round at which a card is out and the device can fail."""
    return (at for at, state in enumerate(round_.states) if state.ledger.count)
