"""A fault of the shuffling device at every point of random rounds (17)."""

from collections import Counter
from random import Random

import pytest

from controller.cards import UNREAD
from controller.events import AnyEvent, CardOut, EndRound, Read
from controller.game import moves as m
from controller.game.malfunction import AnswerDisadvantage, ProcedureState
from controller.game.moves import GivenBack
from controller.game.options import NAMES
from controller.game.play import Box, RoundState
from controller.game.settlement import Settlement, pending, settlements
from controller.table.owner import Taken
from controller.table.resume import resume
from controller.table.state import TableState
from tests.controller.table.faults import (
    Chips,
    Procedure,
    Round,
    by_wager,
    check_given_back,
    check_ledger,
    check_money,
    check_shares,
    damaged_cards,
    fault_points,
    from_the_shoe,
    replaced,
    strike,
    tell,
    transferred,
    undisturbed,
)
from tests.controller.table.shufflers import IN_USE, SPARE, Shufflers
from tests.oracle.referee import Referee
from tests.oracle.rounds import Maker, random_game
from tests.oracle.settling import Row, rows

ROUNDS = 6
"""Rounds of each game with a fault at every point."""
LONG = 100
"""Rounds of each game that are finished from the shoe, each with a fault at one point."""


def suspend(table: Shufflers) -> None:
    """Let the device in use fail."""
    table.reports(IN_USE, "jam")
    assert table.open.state is ProcedureState.ASKED


def say(table: Shufflers, procedure: Procedure) -> None:
    """Answer and confirm; each word must be accepted."""
    for ask in procedure:
        table.must(ask)  # type: ignore[arg-type]


def chips_of(round_: Round, upto: int) -> Chips:
    """Return what was put down by then."""
    chips = Chips()
    for move, state in zip(round_.made[:upto], round_.states, strict=False):
        chips.before(state, move)
    return chips


@pytest.mark.parametrize("game", NAMES)
def test_17_2_and_17_3_the_round_ends_as_the_undisturbed_one(game: str) -> None:
    for seed in range(ROUNDS):
        luck = Random(seed)
        table, round_ = undisturbed(game, seed)
        end = round_.states[-1]
        for at in fault_points(round_):
            table.rewind(round_.states[at])
            suspend(table)
            damaged = damaged_cards(table.state, luck) if luck.random() < 0.5 else ()
            say(table, replaced(luck, damaged) if damaged else transferred(luck))
            assert (table.procedure, table.state.source) == (None, SPARE)
            for move in round_.made[at:]:
                tell(table, move)
            assert settlements(table.state.play) == settlements(end.play)
            assert table.state.play == end.play
            made = [move for move in table.state.history if not isinstance(move, GivenBack)]
            assert made == list(end.history)
            assert table.state.ledger.out == end.ledger.out
            assert sorted(table.state.ledger.damaged) == sorted(damaged)
        check_money(chips_of(round_, len(round_.made)), table.state)


@pytest.mark.parametrize("rule", ["16.6", "17.4"])
@pytest.mark.parametrize("game", NAMES)
def test_at_every_point_the_wagers_go_back_and_nothing_else_has_changed(
    game: str, rule: str
) -> None:
    for seed in range(ROUNDS):
        luck = Random(seed)
        table, round_ = undisturbed(game, seed)
        for at in fault_points(round_):
            before = round_.states[at]
            table.rewind(before)
            if rule == "16.6":
                table.must(EndRound())
            else:
                suspend(table)
                table.must(luck.choice((AnswerDisadvantage("house"), AnswerDisadvantage("player"))))
            check_void(before, table.state, rule)
            check_money(chips_of(round_, at), table.state)
            assert table.state.ledger == before.ledger


def check_void(before: TableState, after: TableState, rule: str) -> None:
    """The round is over; everybody has the wagers back."""
    assert after.malfunction is None
    assert after.play.state is RoundState.VOID
    assert pending(after.play) == ()
    everybody = {(box.number, player) for box in before.play.boxes for player in box.players}
    now = settlements(after.play)
    check_given_back(before, now, rule, everybody)
    stayed = {player for box in after.play.boxes for player in box.staying}
    check_shares(after.play.game, stayed, now)


# --- 17.5 -----------------------------------------------------------------------------------------


class FromTheShoe:
    """One round with a fault at one point, finished from the shoe beside the referee."""

    def __init__(self, game: str, seed: int, kind: type[Shufflers] = Shufflers) -> None:
        self.luck = Random(f"shoe {game} {seed}")
        self.game = random_game(game, self.luck)
        self.referee, self.table, self.chips = Referee(self.game), kind(self.game), Chips()
        self.maker = Maker(self.referee, self.luck)
        self.out: Counter[str] = Counter()
        self.burned = 0
        self.leavers: set[tuple[int, str]] = set()
        self.before: TableState | None = None
        """The table when the device failed."""
        self.point = self.luck.randint(1, 25)
        """The fault comes after so many moves with a card out, or when all is settled."""

    def play(self) -> None:
        """Play to the end."""
        waited = 0
        for move in self.maker.moves():
            if isinstance(move, m.Cleared):
                break
            if self.names_a_leaver(move):
                continue
            self.chips.before(self.table.state, move)
            self.count(move)
            tell(self.table, move)
            self.referee.apply(move)
            if sum(self.out.values()) and not self.referee.unread:
                waited += 1
                if waited == self.point:
                    self.fail()
                    if self.table.state.play.state is RoundState.VOID:
                        return

    def names_a_leaver(self, move: m.Made | Read) -> bool:
        """Tell whether a leaver would take back a doubled portion that went back already."""
        hand = self.referee.may_forfeit
        if not isinstance(move, m.Forfeit) or hand is None:
            return False
        return any(player not in hand.players for player in move.players or hand.doubled)

    def count(self, move: m.Made | Read) -> None:
        match move:
            case m.CardDealt():
                self.out[move.card] += 1
            case Read():
                self.out[UNREAD] -= 1
                self.out[move.card] += 1
            case m.Burn() if move.card not in self.referee.undue:
                self.out[move.card] += 1
            case _:
                pass

    def fail(self) -> None:
        """Let the device fail and finish the procedure."""
        before = self.table.state
        suspend(self.table)
        damaged = damaged_cards(before, self.luck) if self.luck.random() < 0.5 else ()
        electors = self.table.open.electors
        assert set(electors) == self.asked(before)
        procedure, self.leavers = from_the_shoe(self.luck, damaged, electors)
        say(self.table, procedure)
        self.before = before
        assert self.table.procedure is None
        if electors and self.leavers == set(electors):
            check_void(before, self.table.state, "17.5.1")
            return
        assert self.table.state.source == "shoe"
        assert self.table.state.ledger.damaged == damaged
        strike(self.referee, self.leavers)
        self.burn()

    def asked(self, state: TableState) -> set[tuple[int, str]]:
        """Return who may have wagers back: of the unsettled ones, or of all that are not void."""
        rows = [row for row in settlements(state.play) if row.box and row.result != "void"]
        everything = self.game.void_returns == "all"
        return {
            (row.box or 0, row.player)
            for row in (*pending(state.play), *(rows if everything else ()))
        }

    def burn(self) -> None:
        """The first card out of the shoe is burned."""
        card = self.maker._pack.take("23456789")
        play = self.table.state.play
        self.table.take(CardOut(device="shoe", card=card))
        assert self.table.state.play == play
        self.out[card] += 1
        self.burned += 1

    def check(self) -> None:
        """Compare those who stayed with the referee, and the leavers with what they had."""
        play = self.table.state.play
        check_money(self.chips, self.table.state)
        check_ledger(self.table.state, self.out, self.burned)
        waits = {row.wager for row in pending(play)}
        assert waits <= {"pandemonium"}, "nobody presses the jackpot button here"
        if self.before is None or play.state is RoundState.VOID:
            return
        now = settlements(play)
        check_given_back(self.before, now, "17.5.1", self.leavers)
        stayed = {who for box in play.boxes for who in box.players if self.plays(box, who)}
        check_shares(play.game, stayed, now)
        stands = by_wager(tuple(row for row in now if self.stays(row)))
        for wager, row in by_wager(settlements(self.before.play)).items():
            assert not self.stays(row) or stands[wager] == row, "what was settled stands"
        mine = [row[:-1] for row in rows(self.referee)[0] if self.stays(row)]
        theirs = [_row(row) for row in settlements(play) if self.stays(row)]
        assert theirs == mine

    def plays(self, box: Box, player: str) -> bool:
        return (box.number, player) not in self.leavers

    def stays(self, row: Settlement | Row) -> bool:
        """Tell whether a row is of a wager that stayed; a share of a bonus hangs on others too."""
        return row.box is not None and (row.box, row.player) not in self.leavers


def _row(row: Settlement) -> tuple[object, ...]:
    return (
        row.box, row.player, row.hand, row.wager, row.stake, row.result, row.odds, row.pays,
        row.returns,
    )  # fmt: skip


@pytest.mark.parametrize("game", NAMES)
def test_17_5_those_who_stay_settle_as_the_cards_say(game: str) -> None:
    seen: Counter[str] = Counter()
    for seed in range(LONG):
        one = FromTheShoe(game, seed)
        one.play()
        one.check()
        seen["left"] += bool(one.leavers)
        seen["stayed"] += bool(one.burned)
        seen["void"] += one.table.state.play.state is RoundState.VOID
    assert min(seen["left"], seen["stayed"], seen["void"]) > LONG // 20, seen


# --- a power cut ----------------------------------------------------------------------------------


class Cut(Shufflers):
    """A table that, while a procedure is open, is the same again from its log after each event."""

    words = 0

    def take(self, event: AnyEvent) -> Taken:
        taken = super().take(event)
        if self.procedure is not None:
            self.words += 1
            assert resume(self.log) == taken.state
        return taken


@pytest.mark.parametrize("game", NAMES)
def test_after_a_cut_at_any_word_of_a_procedure_the_table_is_the_same(game: str) -> None:
    words = 0
    for seed in range(LONG, LONG + 8):
        one = FromTheShoe(game, seed, Cut)
        one.play()
        one.check()
        assert resume(one.table.log) == one.table.state
        assert isinstance(one.table, Cut)
        words += one.table.words
    assert words > 20
