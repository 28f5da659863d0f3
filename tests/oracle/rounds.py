"""Random rounds: wagers, cards and decisions that the referee allows, and what it forbids."""

import random
from collections.abc import Iterator
from typing import Final

from controller.cards import UNREAD, Card
from controller.events import Read
from controller.game import moves as m
from controller.game.callers import Reason
from controller.game.options import BLACKJACK_NSW, PONTOON_NSW, PONTOON_NZ, Game, build
from tests.oracle import steering
from tests.oracle.layout import Box, Hand
from tests.oracle.legality import legal
from tests.oracle.referee import Referee

PEOPLE: Final = ("ann", "bob", "cam", "dee", "eve", "fay", "gus", "hal")
MAINS: Final = (499, 500, 1000, 1001, 2400, 2499, 2500, 733, 250, 5000, 2525, 100, 30)
SIDES: Final = (100, 250, 333, 500)
CHIPS: Final = ("0.05", "0.50", "0.50", "1", "2.50", "5", "20")


def random_game(name: str, luck: random.Random) -> Game:
    """Return the game of that name with its options drawn."""
    decks = {BLACKJACK_NSW: (3, 4, 6, 8), PONTOON_NSW: (6, 8), PONTOON_NZ: (4, 5, 6, 7, 8)}
    options: dict[str, object] = {
        "decks": luck.choice(decks[name]),
        "smallest_chip": luck.choice(CHIPS),
        "resplit": luck.random() < 0.7,
        "pay_at_end": luck.random() < 0.2,
        "void_returns": luck.choice(("unsettled", "all")),
    }
    if name == BLACKJACK_NSW:
        options["double_with_ace"] = luck.random() < 0.5
        if options["decks"] in (6, 8):
            options["super_sevens"] = luck.random() < 0.8
            options["perfect_pairs"] = luck.random() < 0.8
    if name == PONTOON_NSW:
        options["pandemonium"] = luck.random() < 0.5
        options["super_bonus"] = luck.random() < 0.85
    return build(name, options)


class Maker:
    """Thinks up one round, move by move; it asks the referee what may be done."""

    def __init__(self, referee: Referee, luck: random.Random) -> None:
        self.referee = referee
        self.game = referee.game
        self._luck = luck
        self._pack = steering.Pack(self.game, luck)
        dealer_plans, self._box_plans = steering.theme(self.game, luck)
        self._dealer_plan = luck.choice(dealer_plans)
        self._plans: dict[int, str] = {}

    def _chance(self, share: float) -> bool:
        return self._luck.random() < share

    # --- the round itself -----------------------------------------------------------------------

    def moves(self, void: float = 0.0) -> Iterator[m.Made | Read]:
        """Yield legal moves until the round is over; each must be applied before the next.

        With a chance of ``void`` after each the round is declared void (16.6).
        """
        referee = self.referee
        for move in self._moves():
            yield move
            known = referee.first_card_out and not referee.unread
            if known and not referee.cleared and self._chance(void):
                yield m.VoidRound("16.6")
                return

    def _moves(self) -> Iterator[m.Made | Read]:
        yield from self._wagers()
        if self._chance(0.8):
            yield m.NoMoreBets()
        yield from self._initial_deal()
        yield from self._elections()
        while not self.referee.over:
            yield from self._step()
        yield from self._afterwards()

    def _initial_deal(self) -> Iterator[m.Made | Read]:
        """Two cards a box and one for the dealer; some cannot be read until later."""
        unknown: list[Card] = []
        slow_reader = self._chance(0.05)
        while not self.referee.initial_deal_done:
            if unknown and (self.referee.all_dealt or self._chance(0.3)):
                yield Read(unknown.pop(0))
            elif slow_reader and self._chance(0.3):
                unknown.append(self._wished_card())
                yield m.CardDealt(UNREAD)
            else:
                yield m.CardDealt(self._wished_card())

    def _wagers(self) -> Iterator[m.Made | Read]:
        if self._chance(0.05):
            yield self._wager(1, "hal")
            yield m.Withdraw(box=1)
        count = self._luck.choice((1, 1, 2, 2, 2, 3, 3, 4, 7))
        seats = [
            (number, player)
            for number in self._luck.sample(range(1, self.game.boxes + 1), count)
            for player in self._luck.sample(PEOPLE, self._luck.choice((1, 1, 2, 3)))
        ]
        self._luck.shuffle(seats)
        leaders: dict[int, str] = {}
        for number, player in seats:
            self._plans.setdefault(number, self._luck.choice(self._box_plans))
            leads = number not in leaders and self._chance(0.3)
            if leads:
                leaders[number] = player
            yield self._wager(number, player, controls=leads)
            if self._chance(0.05):
                yield self._wager(number, player, controls=leads)
        yield from self._second_thoughts()

    def _second_thoughts(self) -> Iterator[m.Made | Read]:
        for box in list(self.referee.boxes):
            for player in box.players[1:]:
                if self._chance(0.05):
                    yield m.Withdraw(box=box.number, player=player)
                elif self._chance(0.1):
                    again = self._any_change(box.number, player)
                    if legal(self.referee, again):
                        yield again
            if len(box.players) > 1 and self._chance(0.3):
                said = self._any_call(box)
                if legal(self.referee, said):
                    yield said

    def _any_change(self, box: int, player: str) -> m.Wager:
        """Return another word on a wager that lies: some of it is left out."""
        luck = self._luck
        sides = (None, None, 0, luck.choice(SIDES))
        return m.Wager(
            box=box,
            player=player,
            main=luck.choice((None, luck.choice(MAINS))),
            super_sevens=luck.choice(sides) if self.game.super_sevens else None,
            perfect_pairs=luck.choice(sides) if self.game.perfect_pairs else None,
            pandemonium=luck.choice(sides) if self.game.pandemonium else None,
            voucher=luck.choice((None, None, True, False)),
        )

    def _any_call(self, box: Box) -> m.CallDecisions:
        reasons: tuple[Reason, ...] = ("seated", "highest", "nearest")
        player, because = self._luck.choice(box.players), self._luck.choice(reasons)
        return m.CallDecisions(box.number, player, because)

    def _walks(self) -> Iterator[m.Made | Read]:
        """Somebody walks away, comes back, or decides for a box from now on."""
        box = self._luck.choice(self.referee.boxes)
        some = tuple(name for name in box.players if self._chance(0.5))
        for move in (m.Absent(box.number, some), m.Present(box.number, some), self._any_call(box)):
            if self._chance(0.5) and legal(self.referee, move):
                yield move
                return

    def _wager(self, box: int, player: str, *, controls: bool = False) -> m.Wager:
        return m.Wager(
            box=box,
            player=player,
            main=self._luck.choice(MAINS),
            super_sevens=self._side(0.7, offered=self.game.super_sevens),
            perfect_pairs=self._side(0.7, offered=self.game.perfect_pairs),
            pandemonium=self._side(0.3, offered=self.game.pandemonium),
            voucher=self._chance(0.25),
            controls=controls,
        )

    def _side(self, share: float, *, offered: bool) -> int:
        return self._luck.choice(SIDES) if offered and self._chance(share) else 0

    def _wished_card(self) -> Card:
        place = self.referee.place_of_next_card()
        if isinstance(place, str):
            wish = steering.for_dealer(self._dealer_plan, self.referee.dealer, self._luck)
        else:
            box, hand = place
            wish = steering.for_hand(self._plans.get(box.number, "any"), hand, self._luck)
        return self._pack.take(*wish)

    def _next_card(self) -> Iterator[m.Made | Read]:
        card = self._wished_card()
        if self._chance(0.05):
            yield m.CardDealt(UNREAD)
            yield Read(card)
        else:
            yield m.CardDealt(card)
        if self._chance(0.005) and self.referee.may_forfeit is None:
            yield m.Burn(self._pack.take("A23456789JQK"))

    def _elections(self) -> Iterator[m.Made | Read]:
        """Insurance, even money, surrender: some of what is offered."""
        sure: list[m.Request] = []
        even: list[m.Request] = []
        for box in self.referee.boxes:
            sure.append(m.Surrender(box.number, self._some(box.present, but=box.decides())))
            for player in box.players:
                even.append(m.EvenMoney(box.number, player))
                sure += [
                    m.Insure(box.number, player, amount) for amount in self._insurances(box, player)
                ]
        self._luck.shuffle(sure)
        for move in [*sure, *even] if self._chance(0.7) else [*even, *sure]:
            if self._chance(0.03):
                yield from self._walks()
            if self._chance(0.6) and legal(self.referee, move):
                yield move

    def _insurances(self, box: Box, player: str) -> list[int]:
        stakes = box.stakes_of(player)
        most = stakes.main // 2 // self.game.smallest_chip if stakes else 0
        return [self._luck.randint(1, most) * self.game.smallest_chip] if most else []

    def _some(self, players: list[str], *, but: str) -> tuple[str, ...]:
        return tuple(name for name in players if name != but and self._chance(0.6))

    def _step(self) -> Iterator[m.Made | Read]:
        if self._chance(0.08):
            yield from self._walks()
        forfeiting = self.referee.may_forfeit
        if forfeiting is not None and self._chance(0.5):
            yield from self._forfeits(forfeiting)
        turn = self.referee.in_turn
        if turn is None:
            if not self.referee.over:
                yield from self._next_card()
            return
        box, hand = turn
        if hand.waits_for_its_card or not box.present:
            yield from self._next_card()
            return
        decision = self._decision(box, hand)
        if decision is None:
            yield from self._next_card()
        else:
            yield decision

    def _forfeits(self, hand: Hand) -> Iterator[m.Made | Read]:
        if legal(self.referee, m.Forfeit()) and self._chance(0.2):
            yield m.Forfeit()
            return
        for player in self._luck.sample(hand.doubled, len(hand.doubled)):
            if self._chance(0.6):
                yield m.Forfeit((player,))

    def _decision(self, box: Box, hand: Hand) -> m.Made | Read | None:
        """Return the hand's decision by its plan; None is to draw."""
        plan = self._plans.get(box.number, "any")
        habits = steering.habits(plan, hand)
        referee, caller = self.referee, box.decides(hand)
        beside = [name for name in hand.players if name not in box.away]
        stakes = caller in hand.players
        if stakes and referee.may_split(box, hand) and self._chance(habits.split):
            return m.Split(self._some(beside, but=caller))
        if stakes and referee.may_double(hand) and self._chance(habits.double):
            return m.Double(self._some(beside, but=caller))
        if referee.may_stand(hand) and self._chance(habits.stand):
            return m.Stand()
        return None

    def _afterwards(self) -> Iterator[m.Made | Read]:
        if self._chance(0.05):
            card = self._pack.take("23456789")  # nowhere to go: the round is over
            yield m.CardDealt(card)
            yield m.Burn(card)
        if self._chance(0.3) and legal(self.referee, m.Cleared()):
            yield m.Cleared()

    # --- what somebody might ask ----------------------------------------------------------------

    def proposal(self) -> m.Request:
        """Return any request, legal now or not."""
        luck, referee = self._luck, self.referee
        box = luck.randint(0, self.game.boxes + 1)
        if referee.boxes and self._chance(0.7):
            box = luck.choice(referee.boxes).number
        here = referee.box(box)
        players = here.players if here else ["ann"]
        player = luck.choice([*players, *players, "zoe"])
        turn = referee.in_turn
        others = self._others(turn[0] if turn else here)
        forfeiting = referee.may_forfeit
        doublers = list(forfeiting.doubled) if forfeiting else players
        proposals: list[m.Request] = [
            m.Stand(),
            m.Double(others),
            m.Split(others),
            m.Forfeit(tuple(luck.sample(doublers, luck.randint(0, len(doublers))))),
            m.Surrender(box, self._others(here)),
            m.Insure(box, player, self._amount(here, player)),
            m.EvenMoney(box, player),
            m.Absent(box, self._others(here)),
            m.Present(box, self._others(here)),
            m.CallDecisions(box, player, luck.choice(("seated", "highest", "nearest"))),
        ]
        if self._chance(0.2) or not referee.first_card_out:
            proposals = [
                m.NoMoreBets(),
                m.Withdraw(box, luck.choice((None, player))),
                m.Cleared(),
                m.Absent(box, self._others(here)),
                m.CallDecisions(box, player, luck.choice(("seated", "highest", "nearest"))),
                self._any_wager(box, luck.choice((player, luck.choice(PEOPLE)))),
            ]
        return luck.choice(proposals)

    def _others(self, box: Box | None) -> tuple[str, ...]:
        if box is None or self._chance(0.5):
            return ()
        some = self._some(box.players, but=box.decides())
        return (*some, "zoe") if self._chance(0.1) else some

    def _amount(self, box: Box | None, player: str) -> int:
        stakes = box.stakes_of(player) if box else None
        main, chip = stakes.main if stakes else 1000, self.game.smallest_chip
        most = main // 2 // chip * chip
        return self._luck.choice((most, most, most + chip, chip, 0, chip + 1, -chip))

    def _any_wager(self, box: int, player: str) -> m.Wager:
        return m.Wager(
            box=box,
            player=player,
            main=self._luck.choice((1000, 1000, 1000, 0, -500, None)),
            super_sevens=self._luck.choice((None, None, 0, 100, -100)),
            perfect_pairs=self._luck.choice((None, None, 0, 100)),
            pandemonium=self._luck.choice((None, None, 0, 100)),
            voucher=self._luck.choice((None, None, None, False, True)),
        )
