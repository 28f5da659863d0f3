"""A fault of the shuffling device at every point of random rounds (17)."""

from collections import Counter
from random import Random

import pytest

from controller.cards import UNREAD
from controller.events import AnyEvent, CardOut, Read
from controller.game import moves as m
from controller.game.malfunction import AnswerDisadvantage, ProcedureState
from controller.game.moves import GivenBack
from controller.game.options import NAMES
from controller.game.play import RoundState
from controller.game.settlement import Settlement, pending, settlements
from controller.table.owner import Taken
from controller.table.resume import resume
from controller.table.state import TableState
from tests.controller.table.faults import (
    Chips,
    Procedure,
    Round,
    Wager,
    by_wager,
    check_ledger,
    check_money,
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


@pytest.mark.parametrize("game", NAMES)
def test_17_4_what_is_unsettled_is_void_and_nothing_else_has_changed(game: str) -> None:
    for seed in range(ROUNDS):
        luck = Random(seed)
        table, round_ = undisturbed(game, seed)
        for at in fault_points(round_):
            before = round_.states[at]
            table.rewind(before)
            suspend(table)
            table.must(luck.choice((AnswerDisadvantage("house"), AnswerDisadvantage("player"))))
            after = table.state
            assert table.procedure is None
            assert after.play.state is RoundState.VOID
            assert pending(after.play) == ()
            check_void(before, after, chips := chips_of(round_, at), "17.4")
            check_money(chips, after)
            assert after.ledger == before.ledger


def check_void(before: TableState, after: TableState, chips: Chips, rule: str) -> None:
    """What was settled stands; what was not is returned in full, a voucher excepted (ruling)."""
    settled = by_wager(settlements(before.play))
    now = by_wager(settlements(after.play))
    assert {wager: row for wager, row in now.items() if wager in settled} == settled
    waiting = {(row.box, row.player, row.hand, row.wager): row for row in pending(before.play)}
    shares = {wager for wager in now.keys() - settled if wager[3] == "super-bonus-share"}
    assert now.keys() - settled.keys() - shares == waiting.keys()
    for wager, was in waiting.items():
        row = now[wager]
        voucher = was.wager == "main" and chips.bets[was.box, was.player].voucher
        assert (row.result, row.rule, row.pays, row.odds) == ("void", rule, 0, None)
        assert (row.stake, row.returns) == (was.stake, 0 if voucher else was.stake)


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
        self.settled_before: dict[Wager, Settlement] = {}
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
        waiting = {(row.box, row.player) for row in pending(before.play)}
        assert set(electors) == waiting
        procedure, self.leavers = from_the_shoe(self.luck, damaged, electors)
        say(self.table, procedure)
        self.settled_before = by_wager(settlements(before.play))
        assert self.table.procedure is None
        if electors and self.leavers == set(electors):
            assert self.table.state.play.state is RoundState.VOID
            check_void(before, self.table.state, self.chips, "17.5.1")
            return
        assert self.table.state.source == "shoe"
        assert self.table.state.ledger.damaged == damaged
        strike(self.referee, self.leavers)
        self.burn()

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
        now = by_wager(settlements(play))
        for wager, row in self.settled_before.items():
            assert now[wager] == row, "what was settled stands"
        if play.state is RoundState.VOID:
            return
        mine = [row[:-1] for row in rows(self.referee)[0] if self.stays(row)]
        theirs = [_row(row) for row in settlements(play) if self.stays(row)]
        assert theirs == mine

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
