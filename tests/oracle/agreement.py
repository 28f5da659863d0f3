"""One random round, played by the product and by the referee side by side."""

import random
from collections import Counter
from collections.abc import Iterable

import msgspec

from controller.cards import UNREAD, Card
from controller.errors import NotAllowed
from controller.events import Read
from controller.game import moves as m
from controller.game.machine import machine_for
from controller.game.options import Game
from controller.game.play import Play
from controller.game.redo import named, replay
from controller.game.settlement import Pending, Settlement, pending, settlements
from tests.oracle.layout import Hand
from tests.oracle.legality import legal
from tests.oracle.referee import Referee
from tests.oracle.rounds import Maker, random_game
from tests.oracle.script import script
from tests.oracle.settling import Row, Waiting, rows

QUESTIONS = 2
"""How many requests are tried before each move, legal or not, beside the move itself."""


VOID = 0.004
"""How likely the round is declared void after a move."""


class Disagreement(AssertionError):
    """The product and the referee differ; the message ends with the round as a script."""


class Match:
    """A round under way at two tables."""

    def __init__(self, game: Game, title: str) -> None:
        self.game, self.title = game, title
        self.referee = Referee(game)
        self.play = Play(game=game)
        self.moves: list[m.Made | Read] = []
        self._history: tuple[m.Made, ...] = ()
        self.clauses: Counter[tuple[str, str]] = Counter()
        """How often they cite different clauses: the referee's and the product's."""
        self.answers: Counter[str] = Counter()
        """How often a request was refused, or would have been accepted."""
        self._out: Counter[Card] = Counter()

    def fail(self, what: str) -> Disagreement:
        """Return the complaint, with all that is needed to play the round again."""
        text = script(self.title, self.game, self.moves, rows(self.referee)[0])
        return Disagreement(f"{what}\n\n{text}")

    def ask(self, move: m.Request) -> None:
        """Ask both whether ``move`` may be made now; where the texts are silent, either will do."""
        expected = legal(self.referee, move)
        try:
            machine_for(self.game).apply(self.play, move)
        except NotAllowed as refusal:
            self.answers["refused"] += 1
            if expected:
                raise self.fail(f"refused though legal: {move}: {refusal}") from refusal
            if not refusal.rule.strip() or not refusal.why.strip():
                raise self.fail(f"refused without a clause or reason: {move}") from refusal
        else:
            self.answers["allowed"] += 1
            if expected is False:
                raise self.fail(f"accepted though forbidden: {move}")

    def make(self, move: m.Made | Read) -> None:
        """Make the move at both tables and compare all wagers."""
        try:
            self.play = self._made(move)
        except NotAllowed as refusal:
            raise self.fail(f"refused though legal: {move}: {refusal}") from refusal
        self.moves.append(move)
        self._count(move)
        self.referee.apply(move)
        if not self.referee.unread:
            self.compare()

    def _made(self, move: m.Made | Read) -> Play:
        """Make the move in the product; a card that is read late is a round played again."""
        if isinstance(move, Read):
            self._history = named(self.game, self._history, move.card)
            return replay(self.game, self._history).play
        self._history = (*self._history, move)
        return machine_for(self.game).apply(self.play, move)

    def _count(self, move: m.Made | Read) -> None:
        """Keep count of the cards that have left the device."""
        match move:
            case m.CardDealt():
                self._out[move.card] += 1
            case Read():
                self._out[UNREAD] -= 1
                self._out[move.card] += 1
            case m.Burn() if move.card not in self.referee.undue:
                self._out[move.card] += 1
            case _:
                pass

    def compare(self) -> None:
        """Compare what is settled, what is not, and whether the round is over."""
        settled, waiting = rows(self.referee)
        theirs = [_row(one) for one in settlements(self.play)]
        self._same("settled", [row[:-1] for row in settled], [row[:-1] for row in theirs])
        waits = [_waiting(one) for one in pending(self.play)]
        self._same("pending", waiting, waits)
        for mine, their in zip(settled, theirs, strict=True):
            if mine.rule != their.rule:
                self.clauses[mine.rule, their.rule] += 1
        over = self.play.state.name in ("FINAL_SETTLEMENT", "CLEARED")
        if over != (self.referee.over and not self.referee.void_by):
            raise self.fail(f"over: referee {self.referee.over}, product {self.play.state.name}")

    def _same(self, what: str, mine: Iterable[object], theirs: Iterable[object]) -> None:
        mine, theirs = list(mine), list(theirs)
        if mine == theirs:
            return
        missing = [row for row in mine if row not in theirs]
        extra = [row for row in theirs if row not in mine]
        if missing or extra:
            raise self.fail(f"{what} differ: referee only {missing}, product only {extra}")
        raise self.fail(f"{what} stand in another order: referee {mine}, product {theirs}")

    def check_cards(self) -> None:
        """Check that every card that came out lies in exactly one place."""
        play = self.play
        on_hands = [card for box in play.boxes for hand in box.hands for card in hand.cards]
        lies = Counter([*on_hands, *play.dealer, *play.undue, *play.burned])
        if lies != self._out:
            raise self.fail(f"cards: missing {self._out - lies}, too many {lies - self._out}")

    def check_money(self) -> None:
        """Check that the players have back what they put down, give or take the house's part."""
        players, house, on_table = -self._put_down(), 0, 0
        for row in map(_row, settlements(self.play)):
            stake = 0 if self._is_voucher(row.box, row.player, row.wager) else row.stake
            won = {"lose": stake, "win": -row.pays, "surrendered": stake - row.returns}
            players += row.pays + (row.returns if stake or row.box is None else 0)
            house += won.get(row.result, 0)
            if row.pays < 0 or row.returns < 0 or (row.pays and row.result != "win"):
                raise self.fail(f"no such payment: {row}")
            if row.pays % self.game.smallest_chip:
                raise self.fail(f"not payable in chips: {row}")
        for one in map(_waiting, pending(self.play)):
            on_table += 0 if self._is_voucher(one.box, one.player, one.wager) else one.stake
        if players + house + on_table:
            raise self.fail(f"money: players {players}, house {house}, on the table {on_table}")

    def _is_voucher(self, box: int | None, player: str, wager: str) -> bool:
        found = self.referee.box(box) if box is not None and wager == "main" else None
        stakes = found.stakes_of(player) if found else None
        return stakes is not None and stakes.voucher

    def _put_down(self) -> int:
        """Return the cents in chips that the players put down, from wagers and decisions alone."""
        chips = sum(move.amount for move in self.moves if isinstance(move, m.Insure))
        for box in self.referee.boxes:
            for stakes in box.stakes:
                portions = sum(
                    (stakes.player in hand.players) + (stakes.player in hand.doubled)
                    for hand in box.hands or [Hand(1, box.players)]
                )
                chips += (portions - (1 if stakes.voucher else 0)) * stakes.main
                chips += stakes.super_sevens + stakes.perfect_pairs + stakes.pandemonium
        return chips


def _row(row: Settlement) -> Row:
    """Return the product's row as the referee writes it; here every wager has an amount."""
    assert row.stake is not None
    assert row.pays is not None
    assert row.returns is not None
    return Row(
        box=row.box,
        player=row.player,
        hand=row.hand,
        wager=row.wager,
        stake=row.stake,
        result=row.result,
        odds=row.odds,
        pays=row.pays,
        returns=row.returns,
        rule=row.rule,
    )


def _waiting(one: Pending) -> Waiting:
    assert one.stake is not None
    return Waiting(one.box, one.player, one.hand, one.wager, one.stake)


def play_round(name: str, seed: int) -> Match:
    """Play the round of that seed at both tables.

    Raises:
        Disagreement: they differ in any settlement, pending wager or refusal, or in the end.
    """
    luck = random.Random(f"{name} {seed}")
    game = random_game(name, luck)
    match = Match(game, f"{name}, round {seed}")
    maker = Maker(match.referee, luck)
    for move in maker.moves(void=VOID):
        before = msgspec.json.encode(match.play)
        for _ in range(QUESTIONS):
            match.ask(maker.proposal())
        if msgspec.json.encode(match.play) != before:
            raise match.fail("a question changed the play")
        match.make(move)
    if not match.referee.over and not match.referee.void_by:
        raise match.fail("the round did not end")
    match.check_cards()
    match.check_money()
    return match
