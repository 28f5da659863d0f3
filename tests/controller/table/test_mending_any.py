"""Any round with slips and their mending settles as the round without them (16.6)."""

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Final, cast

import pytest

from controller.cards import UNREAD, Card
from controller.events import Amend, AnyEvent, Ask, CardOut, Deal, ForNext, Read, TakeBack
from controller.game.machine import machine_for
from controller.game.moves import (
    Absent,
    Burn,
    CallDecisions,
    CardDealt,
    Cleared,
    Double,
    EvenMoney,
    Forfeit,
    Insure,
    Made,
    NoMoreBets,
    Present,
    Split,
    Stand,
    Surrender,
)
from controller.game.options import NAMES, Game
from controller.game.redo import faces_of
from controller.game.settlement import pending, settlements
from controller.outcomes import Undecided
from controller.table.state import TableState, cards_in_pack, cards_on_table
from tests.controller.table.tale import SUPERVISOR, Tale, dealt, refused
from tests.oracle.agreement import play_round

ROUNDS: Final = range(30)
SLIPS: Final = 0.35
"""How often a step of the round is done wrong first."""

Step = Made | Read


class Clumsy:
    """A dealer who deals a given round with slips, and mends each of them."""

    def __init__(self, game: Game, luck: Random) -> None:
        self.tale = Tale(game)
        self._luck = luck
        self.slips: Counter[str] = Counter()
        self.out = 0
        """How many cards have left the shoe."""

    @property
    def _state(self) -> TableState:
        return self.tale.state

    def deal_round(self, steps: Sequence[Step]) -> None:
        """Deal the whole round."""
        left = list(steps)
        while left:
            step = left.pop(0)
            if self._luck.random() < SLIPS:
                slip = self._luck.choice(self._possible(step, left))
                self.slips[slip.__name__.strip("_")] += 1
                slip(step, left)
            else:
                self.do(step)

    def do(self, step: Step) -> None:
        """Do a step as it should be done."""
        match step:
            case CardDealt(card=card):
                self._draw(card)
            case _:
                self._ask(cast("Ask", step))

    def _draw(self, card: Card) -> None:
        self.out += 1
        self._told(CardOut(device="shoe", card=card))

    def _ask(self, ask: Ask) -> None:
        if isinstance(ask, Burn) and ask.card not in self._state.play.undue:
            self.out += 1
        decision = self.tale.ask(ask, SUPERVISOR)
        assert not refused(decision), (ask, decision.outcomes)
        self._check()

    def _told(self, event: AnyEvent) -> None:
        self.tale.take(event)
        self._check()

    def _check(self) -> None:
        """The ledger sums to the pack: every card is in the shoe, on the table or burned."""
        state = self._state
        ledger, play = state.ledger, state.play
        assert ledger.count == self.out
        assert Counter(ledger.out) == cards_on_table(state) + Counter(play.burned)
        assert ledger.count <= cards_in_pack(play.game)

    # --- the slips --------------------------------------------------------------------------------

    def _possible(self, step: Step, left: Sequence[Step]) -> list[Callable[..., None]]:
        slips: list[Callable[..., None]] = []
        if self._wrong_decisions():
            slips.append(self._decided_wrongly)
        if isinstance(step, CardDealt):
            slips += [self._taken_back_and_dealt_again, self._taken_back_with_the_step_before]
            if step.card != UNREAD:
                slips.append(self._misread)
                if UNREAD not in faces_of(self._state.history):
                    slips.append(self._unread)
        if isinstance(step, Stand) and left and isinstance(left[0], CardDealt):
            slips += [self._dealt_to_the_wrong_hand] * 3
        return slips or [self._no_slip]

    def _wrong_decisions(self) -> list[Ask]:
        """Return what could be decided now instead, and what it would come to."""
        play, machine = self._state.play, machine_for(self._state.play.game)
        asks: list[Ask] = [Stand(), Double(), Split(), Forfeit(), NoMoreBets()]
        for box in play.boxes:
            asks += [Surrender(box.number), Absent(box.number), Present(box.number)]
            for player in box.players:
                asks += [
                    Absent(box.number, (player,)),
                    Present(box.number, (player,)),
                    CallDecisions(box.number, player, "seated"),
                ]
            for bet in box.bets:
                asks += [
                    EvenMoney(box.number, bet.player),
                    Insure(box.number, bet.player, play.game.smallest_chip),
                ]
        return [ask for ask in asks if machine.allows(play, ask)]

    def _no_slip(self, step: Step, left: list[Step]) -> None:
        self.do(step)

    def _decided_wrongly(self, step: Step, left: list[Step]) -> None:
        self._ask(self._luck.choice(self._wrong_decisions()))
        self._ask(TakeBack())
        self.do(step)

    def _dealt_to_the_wrong_hand(self, step: Step, left: list[Step]) -> None:
        """The stand is forgotten: the card for the next hand seems to go to this one."""
        card = left.pop(0)
        self.do(card)
        self._ask(ForNext())

    def _misread(self, step: CardDealt, left: list[Step]) -> None:
        self._draw(self._other_face(step.card))
        self._ask(Amend(len(faces_of(self._state.history)), step.card))

    def _unread(self, step: CardDealt, left: list[Step]) -> None:
        self._draw(UNREAD)
        self._ask(Read(step.card))

    def _taken_back_and_dealt_again(self, step: CardDealt, left: list[Step]) -> None:
        self._draw(step.card)
        if self._state.play.undue:
            return  # the round is over: this card waits to be burned
        self._ask(TakeBack())
        self._ask(Deal(step.card))

    def _taken_back_with_the_step_before(self, step: CardDealt, left: list[Step]) -> None:
        """Two steps back, and both of them again as they were."""
        before = self._state.history[-1] if self._state.history else None
        self._draw(step.card)
        again = isinstance(before, CardDealt | Stand | NoMoreBets | Insure)
        if self._state.play.undue or before is None or not again:
            return
        self._ask(TakeBack())
        self._ask(TakeBack())
        if isinstance(before, CardDealt):
            self._ask(Deal(before.card))
        else:
            self._ask(cast("Ask", before))
        self._ask(Deal(step.card))

    def _other_face(self, card: Card) -> Card:
        faces = [f"{rank}{suit}" for rank in "A23456789JQK" for suit in "SHDC"]
        return Card(self._luck.choice([face for face in faces if face != card]))


@pytest.mark.parametrize("game", NAMES)
def test_16_6_a_round_with_slips_settles_as_the_round_without_them(game: str) -> None:
    slips: Counter[str] = Counter()
    for seed in ROUNDS:
        match = play_round(game, seed)
        plain = match.play
        dealer = Clumsy(match.game, Random(seed))
        dealer.deal_round([step for step in match.moves if not isinstance(step, Cleared)])
        mended = dealer.tale.state
        where = f"{game}, round {seed}: {dealer.tale.events[8:]}"
        assert settlements(mended.play) == settlements(plain), where
        assert pending(mended.play) == pending(plain), where
        assert (mended.play.boxes, mended.play.dealer) == (plain.boxes, plain.dealer), where
        assert mended.in_hand == ()
        assert not [one for one in dealer.tale.outcomes if isinstance(one, Undecided)]
        slips += dealer.slips
    assert set(slips) >= {
        "decided_wrongly",
        "dealt_to_the_wrong_hand",
        "misread",
        "unread",
        "taken_back_and_dealt_again",
        "taken_back_with_the_step_before",
    }


# --- a card in the discard rack stays there -------------------------------------------------------


def burned_after_the_round() -> Tale:
    """Return a round that the dealer ended on 19, with one card too many, which was burned."""
    tale = dealt("TS 9D 3S")
    tale.ask(Stand())
    tale.deal("TD 2C")
    tale.ask(Burn(Card("2C")))
    return tale


def accounted(state: TableState) -> Counter[Card]:
    """Return the cards on the table and in the discard rack."""
    return cards_on_table(state) + Counter(state.play.burned)


def test_16_5_a_burned_card_stays_burned_when_the_card_before_it_is_taken_back() -> None:
    tale = burned_after_the_round()
    tale.ask(TakeBack(), SUPERVISOR)
    assert tale.state.play.dealer == (Card("9D"),)
    assert accounted(tale.state) == Counter(tale.state.ledger.out)


def test_16_5_a_burned_card_stays_burned_when_the_stand_before_it_is_taken_back() -> None:
    tale = burned_after_the_round()
    tale.ask(TakeBack(), SUPERVISOR)
    tale.ask(TakeBack(), SUPERVISOR)
    assert tale.state.in_hand == (Card("TD"),)
    assert tale.state.play.boxes[0].hands[0].cards == (Card("TS"), Card("3S"))
    assert accounted(tale.state) == Counter(tale.state.ledger.out)


def test_16_5_a_burned_card_lies_in_one_place_when_the_dealer_was_not_complete_after_all() -> None:
    tale = burned_after_the_round()
    tale.ask(Amend(4, Card("6D")), SUPERVISOR)  # 15: the next card was due
    assert accounted(tale.state) == Counter(tale.state.ledger.out)
