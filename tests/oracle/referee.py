"""A referee who plays along: told every move, it knows by itself where the round is.

``apply`` takes moves that were legal (see ``legality``), and cards, which always happen.
"""

from controller.events import Read
from controller.game import moves as m
from controller.game.options import Game
from tests.oracle.layout import Box, Hand, Stakes, ace_and_ten, points, total

UNREAD = "??"


class Referee:
    """One round of one game."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.boxes: list[Box] = []
        self.listed: list[str] = []
        self.dealer: list[str] = []
        self.called = False
        self.first_card_out = False
        self.offers_closed = False
        self.may_forfeit: Hand | None = None
        self.unread: list[tuple[list[str], int, Box | None]] = []
        self.undue: list[str] = []
        self.burned: list[str] = []
        self.cleared = False
        self.void_by = ""
        """The clause by which the round was declared void; empty if it was not."""

    # --- where the round is ---------------------------------------------------------------------

    def box(self, number: int) -> Box | None:
        """Return the box of that number if it is in play."""
        return next((box for box in self.boxes if box.number == number), None)

    @property
    def all_dealt(self) -> bool:
        """Tell whether two cards lie on every box and one with the dealer (7)."""
        return bool(self.boxes and self.dealer) and all(len(b.dealt) >= 2 for b in self.boxes)

    @property
    def initial_deal_done(self) -> bool:
        """Tell whether the initial deal is complete and no card waits to be read."""
        return self.all_dealt and not self.unread

    @property
    def dealer_natural(self) -> bool:
        """Tell whether the dealer has blackjack or pontoon."""
        return ace_and_ten(self.dealer)

    @property
    def in_turn(self) -> tuple[Box, Hand] | None:
        """Return the hand that acts now, the leftmost one that has not finished (10.1)."""
        if self.initial_deal_done:
            for box in self.boxes:
                for hand in box.hands:
                    if not self.finished(box, hand):
                        return box, hand
        return None

    @property
    def over(self) -> bool:
        """Tell whether the cards have decided all that they will decide (13.4, 15)."""
        return self.initial_deal_done and self.in_turn is None and not self.dealer_draws

    def finished(self, box: Box, hand: Hand) -> bool:
        """Tell whether the hand takes no more cards."""
        if hand.waits_for_its_card:
            return False
        if (
            self._dealt_out(box, hand)
            or hand.stood
            or hand.total >= 21
            or box.surrendered
            or hand.doubled
        ):
            return True
        # 12.3.1, 12.5.4: one card on each split ace; a second ace may still be split.
        if hand.split and hand.cards[0][0] == "A":
            return not self.may_split(box, hand)
        return False

    def _dealt_out(self, box: Box, hand: Hand) -> bool:
        """Tell whether a hand for which nobody is there has its cards (16.8)."""
        return not box.present and not hand.waits_for_its_card and hand.total > 11

    def may_come_back_to(self, box: Box, hand: Hand) -> bool:
        """Tell whether somebody who is away may still be back in time to decide for the hand."""
        return self._dealt_out(box, hand) and not hand.stood

    @property
    def dealer_draws(self) -> bool:
        """Tell whether a card is due to the dealer, all hands having finished (13.1, 13.4)."""
        to_the_end = False  # a wager waits for the dealer's total
        to_the_second = False  # a wager waits only for whether the dealer has a natural
        for box in self.boxes:
            if any(player not in box.even_money for player in box.insured):
                to_the_second = True
            for hand in box.hands:
                for player in hand.players:
                    if hand.total > 21 or player in hand.forfeited:
                        continue
                    if self.game.is_pontoon:
                        if hand.total == 21:  # pontoon too: paid already
                            continue
                        if player in box.surrendered:
                            to_the_second = True
                        else:
                            to_the_end = True
                    elif hand.natural:
                        may_tie = points(self.dealer[0]) in (1, 10)
                        if may_tie and player not in box.even_money:
                            to_the_second = True
                    else:
                        to_the_end = True
        if len(self.dealer) == 1:
            return to_the_end or to_the_second
        return to_the_end and not self._dealer_stands()

    def _dealer_stands(self) -> bool:
        count, soft = total(self.dealer)
        if self.game.is_pontoon and soft:
            return count >= 18  # 18.11.1; nz:3.2(b)(ii) draws to a soft 17 as well
        return count >= 17

    @property
    def offers_stand(self) -> bool:
        """From the end of the initial deal until the first further card or decision."""
        return self.initial_deal_done and not self.offers_closed

    # --- what may be asked ----------------------------------------------------------------------

    def may_split(self, box: Box, hand: Hand) -> bool:
        """Tell whether the hand is a pair that may be split, or split again (12.1, 12.5)."""
        if len(hand.cards) != 2 or hand.doubled or hand.stood:
            return False
        if points(hand.cards[0]) != points(hand.cards[1]):
            return False
        if len(box.hands) == 1:
            return True
        return self.game.resplit and len(box.hands) < 3

    def may_double(self, hand: Hand) -> bool:
        """Tell whether the hand may be doubled (11.1, 11.2, 18.9.1)."""
        if hand.doubled or hand.natural or hand.total >= 21 or len(hand.cards) < 2:
            return False
        if hand.split and hand.cards[0][0] == "A":
            return False
        if self.game.is_pontoon:
            return True
        if len(hand.cards) != 2 or sum(map(points, hand.cards)) not in (9, 10, 11):
            return False
        has_ace = any(card[0] == "A" for card in hand.cards)
        return self.game.double_with_ace or not has_ace

    def may_stand(self, hand: Hand) -> bool:
        """Tell whether the hand may stop (10.2, 18.8.1)."""
        return hand.total >= 12 or (self.game.is_pontoon and len(hand.cards) == 2)

    def may_take_back(self, hand: Hand, player: str) -> bool:
        """Tell whether the player may forfeit on this hand just now (18.9.5, 18.9.7)."""
        return player in hand.doubled and player not in hand.forfeited

    # --- what was done --------------------------------------------------------------------------

    def apply(self, move: m.Made | Read) -> None:
        """Take a move that was legal, or something that happened."""
        match move:
            case m.CardDealt():
                self._card(move.card)
                return
            case Read():
                self._read(move.card)
                return
            case m.Burn():
                if move.card in self.undue:
                    self.undue.remove(move.card)
                self.burned.append(move.card)
                return
            case m.Forfeit():
                hand = self.may_forfeit
                assert hand is not None
                names = move.players or hand.doubled
                hand.forfeited += [name for name in names if self.may_take_back(hand, name)]
                return
            case m.Absent() | m.Present() | m.CallDecisions():
                self._people(move)
                return
            case m.Stand() | m.Double() | m.Split():
                self._decide(move)
                self.offers_closed = True
            case m.Wager():
                self._wager(move)
            case m.Withdraw():
                self._withdraw(move)
            case _:
                self._elect(move)
        self.may_forfeit = None

    def _elect(self, move: m.Made | Read) -> None:
        match move:
            case m.NoMoreBets():
                self.called = True
            case m.Cleared():
                self.cleared = True
            case m.VoidRound():
                self.void_by = move.rule
            case m.Surrender():
                box = self._known(move.box)
                box.surrendered = [box.decides(), *move.players]
            case m.Insure():
                self._known(move.box).insured[move.player] = move.amount
            case m.EvenMoney():
                self._known(move.box).even_money.append(move.player)

    def _people(self, move: m.Absent | m.Present | m.CallDecisions) -> None:
        """Somebody walks away, comes back, or decides from now on: no right of others ends."""
        box = self._known(move.box)
        match move:
            case m.Absent():
                box.away += [who for who in move.players or box.players if who not in box.away]
            case m.Present():
                box.away = [who for who in box.away if move.players and who not in move.players]
            case m.CallDecisions():
                box.seated = move.player if move.because == "seated" else ""
                box.nearest = move.player if move.because == "nearest" else ""

    def _known(self, number: int) -> Box:
        box = self.box(number)
        assert box is not None
        return box

    def _wager(self, move: m.Wager) -> None:
        box = self.box(move.box)
        if box is None:
            box = Box(move.box, [])
            self.boxes = sorted([*self.boxes, box], key=lambda one: one.number)
        stakes = box.stakes_of(move.player)
        if stakes is None:
            stakes = Stakes(move.player, 0)
            box.stakes.append(stakes)
        for what in ("main", "super_sevens", "perfect_pairs", "pandemonium", "voucher"):
            said = getattr(move, what)
            if said is not None:  # what nobody speaks of lies where it lay
                setattr(stakes, what, said)
        if move.controls:
            box.seated, box.nearest = move.player, ""
        if move.player not in self.listed:
            self.listed.append(move.player)

    def _withdraw(self, move: m.Withdraw) -> None:
        box = self._known(move.box)
        if move.player is None or box.players == [move.player]:
            self.boxes.remove(box)
        else:
            box.stakes = [stakes for stakes in box.stakes if stakes.player != move.player]
            box.seated = "" if box.seated == move.player else box.seated
            box.nearest = "" if box.nearest == move.player else box.nearest
            box.away = [who for who in box.away if who != move.player]
        self.listed = [who for who in self.listed if any(who in b.players for b in self.boxes)]

    def _decide(self, move: m.Stand | m.Double | m.Split) -> None:
        assert self.in_turn is not None
        box, hand = self.in_turn
        self._turns_end(hand)
        match move:
            case m.Stand():
                hand.stood = True
            case m.Double():
                hand.doubled = [box.decides(hand), *move.players]
                hand.doubled_with = len(hand.cards)
                hand.aces_at_one = sum(card[0] == "A" for card in self._cards_of_ones(hand))
            case m.Split():
                stays, goes = hand.cards
                hand.cards, hand.split = [stays], True
                caller = box.decides(hand)
                takers = [p for p in box.players if p == caller or p in move.players]
                new = Hand(len(box.hands) + 1, takers, [goes], split=True)
                box.hands.insert(box.hands.index(hand) + 1, new)

    def _turns_end(self, before: Hand | None) -> None:
        """End the turn of every hand of nobody's before this one: who is back now is too late."""
        for box in self.boxes:
            for hand in box.hands:
                if hand is before:
                    return
                if self._dealt_out(box, hand):
                    hand.stood = True

    def _cards_of_ones(self, hand: Hand) -> list[str]:
        """Return the cards whose aces count 1 once the hand is doubled."""
        if self.game.is_nz:  # nz:4.1(c)(ii): of the initial deal; an ace that split never doubles
            return [] if hand.split else hand.cards[:2]
        return list(hand.cards)  # 18.9.2; 11.2.2, where there are two

    # --- cards ----------------------------------------------------------------------------------

    def place_of_next_card(self) -> tuple[Box, Hand] | str:
        """Return the hand that the next card goes to, or ``dealer``, or ``nowhere``."""
        if not self.boxes:
            return "nowhere"
        for count in (1, 2):
            for box in self.boxes:
                if len(box.dealt) < count:
                    return box, box.hands[0] if box.hands else Hand(1, box.players)
            if not self.dealer:
                return "dealer"
        turn = self.in_turn
        if turn is not None:
            box, hand = turn
            # A split ace has its one card: the next card says that the pair stands.
            if hand.split and len(hand.cards) == 2 and hand.cards[0][0] == "A":
                hands = [(b, h) for b in self.boxes for h in b.hands if not self.finished(b, h)]
                return hands[1] if len(hands) > 1 else "dealer"
            return box, hand
        return "dealer" if self.dealer_draws else "nowhere"

    def _card(self, card: str) -> None:
        started = self.initial_deal_done
        place = self.place_of_next_card()
        self.may_forfeit = None
        if place == "nowhere":
            self.undue.append(card)
            return
        self.first_card_out = True
        self.offers_closed = self.offers_closed or started
        passed_over = self.in_turn
        if isinstance(place, str):
            target, box = self.dealer, None
        else:
            box, hand = place
            if not box.hands:
                box.hands.append(hand)
            target = hand.cards
            box.dealt.append(card)
        if passed_over is not None and passed_over[1].cards is not target:
            passed_over[1].stood = True
        if started:
            self._turns_end(None if isinstance(place, str) else place[1])
        target.append(card)
        if card == UNREAD:
            self.unread.append((target, len(target) - 1, box))
        else:
            self._open_forfeit(place)

    def _read(self, card: str) -> None:
        target, index, box = self.unread.pop(0)
        target[index] = card
        if box is not None:
            box.dealt[box.dealt.index(UNREAD)] = card
            for hand in box.hands:
                if hand.cards is target:
                    self._open_forfeit((box, hand))

    def _open_forfeit(self, place: tuple[Box, Hand] | str) -> None:
        """Let the doublers choose when their card has come (18.9.5, subject to 10.5)."""
        if self.game.is_pontoon and not isinstance(place, str):
            hand = place[1]
            if hand.doubled and hand.total < 21:
                self.may_forfeit = hand
