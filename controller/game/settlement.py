"""What every wager is paid, and by which clause: worked out of the play, wager by wager.

A wager is settled when the rules have decided it, whenever the dealer pays (9.1.1, 18.7.3).
Results follow the cards: take a card back and the settlement is another one.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Final, Literal

import msgspec

from controller.game import blackjack, pontoon, side_wagers
from controller.game.exposure import is_face_down
from controller.game.play import Bet, Box, Hand, Play, RoundState
from controller.game.verdict import Verdict
from controller.money import half, pay, up_to_chip

SUPER_BONUS_SHARE: Final = 5000  # 18.12.1.3, 18.13.1: cents to everybody else

WagerName = Literal[
    "main",
    "split",
    "double",
    "insurance",
    "super-sevens",
    "perfect-pairs",
    "pandemonium",
    "super-bonus-share",
]


class Settlement(msgspec.Struct, frozen=True, kw_only=True):
    """One settled wager.  ``pays`` is what the house adds, ``returns`` what goes back, in cents.

    Amounts are None for a box that is followed without amounts: the odds tell what to pay.
    """

    box: int | None
    player: str
    hand: int | None
    wager: WagerName
    stake: int | None
    result: Literal["win", "lose", "stand-off", "surrendered", "forfeited", "void"]
    odds: str | None
    pays: int | None
    returns: int | None
    rule: str


class Pending(msgspec.Struct, frozen=True, kw_only=True):
    """One wager that is not decided yet."""

    box: int
    player: str
    hand: int | None
    wager: WagerName
    stake: int | None


class _Wager(msgspec.Struct, frozen=True, kw_only=True):
    """One wager on the layout with the question how it ends."""

    box: int
    player: str
    hand: int | None
    name: WagerName
    stake: int | None
    voucher: bool
    decide: Callable[[], Verdict | None]

    @property
    def key(self) -> tuple[int, str, str, int | None]:
        """What tells it from every other wager of the round."""
        return self.box, self.player, self.name, self.hand


def settlements(play: Play) -> tuple[Settlement, ...]:
    """Return every wager that is settled by now, in the order in which results are told.

    By box, player as listed, hand (side wagers after them); the Super Bonus shares last.
    """
    rows = [
        _settle(play, wager, verdict)
        for wager in _wagers(play)
        if (verdict := _decided(play, wager)) is not None
    ]
    return (*rows, *_super_bonus_shares(play))


def pending(play: Play) -> tuple[Pending, ...]:
    """Return every wager that is not settled yet, in the same order."""
    return tuple(
        Pending(
            box=wager.box,
            player=wager.player,
            hand=wager.hand,
            wager=wager.name,
            stake=wager.stake,
        )
        for wager in _wagers(play)
        if _decided(play, wager) is None
    )


def _decided(play: Play, wager: _Wager) -> Verdict | None:
    if (rule := play.gone_by(*wager.key)) is not None:
        return Verdict("void", rule)
    if play.state is RoundState.WAGERS:
        return None
    return wager.decide()


def _wagers(play: Play) -> Iterator[_Wager]:
    for box in play.boxes:
        for bet in box.bets:
            yield from _hand_wagers(play, box, bet)
            yield from _side_wagers(play, box, bet)


def _hand_wagers(play: Play, box: Box, bet: Bet) -> Iterator[_Wager]:
    on_the_box = box.hands or (Hand(number=1, players=box.players),)
    for hand in sorted(on_the_box, key=lambda one: one.number):
        if bet.player not in hand.players:
            continue
        first = hand.number == 1
        yield _hand_wager(play, box, bet, hand, "main" if first else "split")
        if bet.player in hand.doubled:
            yield _hand_wager(play, box, bet, hand, "double")


def _hand_wager(play: Play, box: Box, bet: Bet, hand: Hand, name: WagerName) -> _Wager:
    verdict_on = pontoon.verdict if play.game.is_pontoon else blackjack.verdict
    return _Wager(
        box=box.number,
        player=bet.player,
        hand=hand.number,
        name=name,
        stake=bet.main,
        voucher=bet.voucher and name == "main",
        decide=lambda: (
            None
            if is_face_down(play, box, hand)
            else verdict_on(play, box, hand, bet.player, double=name == "double")
        ),
    )


def _side_wagers(play: Play, box: Box, bet: Bet) -> Iterator[_Wager]:
    hidden = bool(box.hands) and is_face_down(play, box, box.hands[0])

    def wager(
        name: WagerName, stake: int, decide: Callable[[Play, Box, str], Verdict | None]
    ) -> _Wager:
        return _Wager(
            box=box.number,
            player=bet.player,
            hand=None,
            name=name,
            stake=stake,
            voucher=False,
            decide=lambda: (
                None if hidden and name != "insurance" else decide(play, box, bet.player)
            ),
        )

    insured = dict(box.insured).get(bet.player, 0)
    if insured:
        yield wager("insurance", insured, side_wagers.insurance)
    if bet.super_sevens:
        yield wager("super-sevens", bet.super_sevens, side_wagers.super_sevens)
    if bet.perfect_pairs:
        yield wager("perfect-pairs", bet.perfect_pairs, side_wagers.perfect_pairs)
    if bet.pandemonium:
        yield wager("pandemonium", bet.pandemonium, side_wagers.pandemonium)


def _settle(play: Play, wager: _Wager, verdict: Verdict) -> Settlement:
    pays, returns = _amounts(play, wager, verdict)
    return Settlement(
        box=wager.box,
        player=wager.player,
        hand=wager.hand,
        wager=wager.name,
        stake=wager.stake,
        result=verdict.result,
        odds=verdict.odds,
        pays=pays,
        returns=returns,
        rule=verdict.rule,
    )


def _amounts(play: Play, wager: _Wager, verdict: Verdict) -> tuple[int | None, int | None]:
    """Return what is paid on top and what goes back (5.9).

    A voucher is forfeited whatever its wager comes to (1.1); only a void one goes back.
    """
    if verdict.result == "lose":
        return 0, 0
    stake = wager.stake
    if stake is None:
        return (None if verdict.result == "win" else 0), None
    if verdict.result == "void":
        return 0, stake
    back = 0 if wager.voucher else stake
    if verdict.result == "surrendered":
        return 0, (0 if wager.voucher else half(stake, play.game.smallest_chip))
    if verdict.result != "win":
        return 0, back
    chip = play.game.smallest_chip
    if verdict.fixed is not None:
        return up_to_chip(Fraction(verdict.fixed), chip), back
    if verdict.prize is not None:
        return up_to_chip(Fraction(verdict.prize * stake), chip), back
    assert verdict.odds is not None
    return pay(stake, verdict.odds, chip), back


def _wagered(play: Play, player: str) -> bool:
    """Tell whether the player has a wager in the round that did not leave it (17.5.1)."""
    return any(box.bet(player) and player not in box.left for box in play.boxes)


def _super_bonus_shares(play: Play) -> Iterator[Settlement]:
    """Yield $50 for everybody who wagered and won no Super Bonus themselves (18.12.1.3)."""
    if play.state not in {RoundState.FINAL_SETTLEMENT, RoundState.CLEARED, RoundState.VOID}:
        return
    winners = pontoon.super_bonus_winners(play)
    if not winners:
        return
    for player in play.listed:
        if player not in winners and _wagered(play, player):
            yield Settlement(
                box=None,
                player=player,
                hand=None,
                wager="super-bonus-share",
                stake=0,
                result="win",
                odds=None,
                pays=up_to_chip(Fraction(SUPER_BONUS_SHARE), play.game.smallest_chip),
                returns=0,
                rule="18.12.1.3",
            )
