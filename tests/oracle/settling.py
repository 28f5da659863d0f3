"""What every wager is paid, from the referee's table: rule 15, rule 18.12 and nz:5.1, in a row."""

from collections.abc import Iterator
from typing import NamedTuple

from tests.oracle import side_wagers
from tests.oracle.layout import Box, Hand, Stakes, points, total
from tests.oracle.referee import Referee
from tests.oracle.side_wagers import Word

NO_ODDS = None


class Row(NamedTuple):
    """One settled wager; amounts in cents."""

    box: int | None
    player: str
    hand: int | None
    wager: str
    stake: int
    result: str
    odds: str | None
    pays: int
    returns: int
    rule: str


class Waiting(NamedTuple):
    """One wager that is not decided yet."""

    box: int
    player: str
    hand: int | None
    wager: str
    stake: int


def rows(referee: Referee) -> tuple[list[Row], list[Waiting]]:
    """Return what is settled and what is not, in the order in which results are listed."""
    settled: list[Row] = []
    waiting: list[Waiting] = []
    for box in referee.boxes:
        for stakes in box.stakes:
            for hand_number, wager, stake, decided in _wagers(referee, box, stakes):
                word = _given_back(referee, decided)
                if word is None:
                    waiting.append(Waiting(box.number, stakes.player, hand_number, wager, stake))
                else:
                    voucher = stakes.voucher and wager == "main"
                    pays, returns = _money(stake, word, referee.game.smallest_chip, voucher)
                    settled.append(
                        Row(
                            box.number,
                            stakes.player,
                            hand_number,
                            wager,
                            stake,
                            word.result,
                            word.odds,
                            pays,
                            returns,
                            word.rule,
                        )
                    )
    settled += _shares(referee)
    return settled, waiting


def _given_back(referee: Referee, word: Word | None) -> Word | None:
    """Return what becomes of a wager once the round is void (16.6): what waits goes back.

    What was decided stands, or goes back too where a void round returns everything.
    """
    if not referee.void_by or (word is not None and word.result == "void"):
        return word
    if word is not None and referee.game.void_returns == "unsettled":
        return word
    return Word("void", referee.void_by)


def _wagers(
    referee: Referee, box: Box, stakes: Stakes
) -> Iterator[tuple[int | None, str, int, Word | None]]:
    """Yield hand, wager, stake and word for all that one player has on one box."""
    player = stakes.player
    hands = sorted(box.hands, key=lambda hand: hand.number) or [Hand(1, box.players)]
    for hand in hands:
        if player in hand.players:
            name = "main" if hand.number == 1 else "split"
            yield hand.number, name, stakes.main, _main(referee, box, hand, stakes)
        if player in hand.doubled:
            yield hand.number, "double", stakes.main, _double(referee, box, hand, player)
    if player in box.insured:
        yield None, "insurance", box.insured[player], side_wagers.insurance(referee, box, player)
    if stakes.super_sevens:
        yield None, "super-sevens", stakes.super_sevens, side_wagers.super_sevens(referee, box)
    if stakes.perfect_pairs:
        yield None, "perfect-pairs", stakes.perfect_pairs, side_wagers.perfect_pairs(referee, box)
    if stakes.pandemonium:
        yield None, "pandemonium", stakes.pandemonium, side_wagers.pandemonium(referee, box)


# --- the wager on a hand, and its doubled portion -----------------------------------------------


def _main(referee: Referee, box: Box, hand: Hand, stakes: Stakes) -> Word | None:
    if not referee.initial_deal_done:
        return None
    if hand.total > 21:
        return Word("lose", "nz:5.1(f)" if referee.game.is_nz else "10.5")
    if stakes.player in hand.forfeited:
        return Word("lose", "18.9.6")
    if stakes.player in box.even_money:
        return Word("win", "9.1.2", "1:1")
    if referee.game.is_pontoon:
        if hand.natural:
            return Word("win", "nz:5.1(c)" if referee.game.is_nz else "18.12.1.1", "3:2")
        if hand.total == 21:
            return _twenty_one(referee, hand, stakes)
        if referee.over and stakes.player in box.surrendered:
            if referee.dealer_natural:
                return Word("lose", "18.6.5")
            return Word("surrendered", "18.12.1.11")
    elif hand.natural and points(referee.dealer[0]) not in (1, 10):
        return Word("win", "15.1.1", "3:2")
    elif hand.natural and len(referee.dealer) > 1 and not referee.dealer_natural:
        return Word("win", "15.1.1", "3:2")  # decided, though others still wait for the total
    if not referee.over:
        return None
    return _against_the_dealer(referee, hand, original=hand.number == 1)


def _double(referee: Referee, box: Box, hand: Hand, player: str) -> Word | None:
    if hand.total > 21:
        return Word("lose", "nz:5.1(f)" if referee.game.is_nz else "10.5")
    if player in hand.forfeited:
        return Word("forfeited", "18.9.6")
    if referee.game.is_pontoon and hand.total == 21:
        return Word("win", "nz:5.1(d)" if referee.game.is_nz else "18.12.1.2", "1:1")
    if not referee.over:
        return None
    return _against_the_dealer(referee, hand, original=False)


def _against_the_dealer(referee: Referee, hand: Hand, *, original: bool) -> Word:
    dealer = total(referee.dealer)[0]
    player = hand.total
    clause = _CLAUSES[referee.game.name]
    if referee.dealer_natural:
        if hand.natural:
            return Word("stand-off", "15.1.7")
        if original:
            return Word("lose", clause["dealer natural"])
        return Word("stand-off", clause["not the original"])
    if hand.natural:
        return Word("win", "15.1.1", "3:2")
    if dealer > 21:
        return Word("win", clause["dealer over 21"], "1:1")
    if player > dealer:
        return Word("win", clause["more"], "1:1")
    if player < dealer:
        return Word("lose", clause["less"])
    return Word("stand-off", clause["same"])


_CLAUSES = {
    "blackjack-nsw": {
        "dealer natural": "15.1.5",
        "not the original": "15.1.9",
        "dealer over 21": "15.1.2",
        "more": "15.1.3",
        "less": "15.1.6",
        "same": "15.1.8",
    },
    "pontoon-nsw": {
        "dealer natural": "18.12.1.7",
        "not the original": "18.12.1.8",
        "dealer over 21": "18.12.1.4",
        "more": "18.12.1.5",
        "less": "18.12.1.9",
        "same": "18.12.1.10",
    },
    "pontoon-nz": {
        "dealer natural": "nz:5.1(g)",
        "not the original": "18.12.1.8",
        "dealer over 21": "nz:5.1(a)",
        "more": "nz:5.1(b)",
        "less": "nz:5.1(g)",
        "same": "nz:5.1(e)",
    },
}


def _twenty_one(referee: Referee, hand: Hand, stakes: Stakes) -> Word:
    rule = "nz:5.1(d)" if referee.game.is_nz else "18.12.1.2"
    if hand.doubled:
        return Word("win", rule, "1:1")
    if wins_super_bonus(referee, hand, stakes):
        return Word("win", "18.12.1.3", NO_ODDS, 500_000 if stakes.main >= 2500 else 100_000)
    return Word("win", rule, table_1(hand.cards))


def table_1(cards: list[str]) -> str:
    """Return the odds of a 21 that is neither pontoon nor doubled (18.13)."""
    if len(cards) >= 7:
        return "3:1"
    if len(cards) == 6:
        return "2:1"
    if len(cards) == 5:
        return "3:2"
    if "".join(sorted(card[0] for card in cards)) in ("678", "777"):
        suits = {card[1] for card in cards}
        if suits == {"S"}:
            return "3:1"
        return "2:1" if len(suits) == 1 else "3:2"
    return "1:1"


def is_suited_sevens(hand: Hand) -> bool:
    """Tell whether the hand is three sevens of one suit, neither split nor doubled."""
    sevens = [card[0] for card in hand.cards] == ["7", "7", "7"]
    same_suit = len({card[1] for card in hand.cards}) == 1
    return sevens and same_suit and not hand.split and not hand.doubled


def wins_super_bonus(referee: Referee, hand: Hand, stakes: Stakes) -> bool:
    """Tell whether this wager takes the Super Bonus (18.13, Table 1)."""
    if not referee.game.super_bonus or not is_suited_sevens(hand):
        return False
    return referee.dealer[0][0] == "7" and stakes.main >= 500


def super_bonus_winners(referee: Referee) -> set[str]:
    """Return everybody who took a Super Bonus in this round."""
    return {
        stakes.player
        for box in referee.boxes
        for hand in box.hands
        for stakes in box.stakes
        if wins_super_bonus(referee, hand, stakes)
    }


def _shares(referee: Referee) -> list[Row]:
    """Return the $50 of the others, once each, at the end of the round (18.12.1.3)."""
    winners = super_bonus_winners(referee)
    if not winners or not (referee.over or referee.void_by):
        return []
    if referee.void_by and referee.game.void_returns == "all":
        return []  # the bonus was taken back: nobody has won one
    pays = _up(5000, 1, referee.game.smallest_chip)
    return [
        Row(None, player, None, "super-bonus-share", 0, "win", None, pays, 0, "18.12.1.3")
        for player in referee.listed
        if player not in winners
    ]


# --- money --------------------------------------------------------------------------------------


def _money(stake: int, word: Word, chip: int, voucher: bool) -> tuple[int, int]:
    """Return what the house pays on top and what it hands back."""
    back = 0 if voucher else stake  # 1.1: a voucher is forfeited, win or lose
    match word.result:
        case "win":
            if word.odds is None:
                return _up(word.bonus, 1, chip), back
            to, of = map(int, word.odds.split(":"))
            return _up(stake * to, of, chip), back
        case "void":
            return 0, stake  # 16.6: the wager is returned, and so is a voucher
        case "stand-off" | "forfeited":
            return 0, back
        case "surrendered":
            return 0, _up(back, 2, chip)
        case _:
            return 0, 0


def _up(amount: int, over: int, chip: int) -> int:
    """Return ``amount / over``, rounded up to whole chips (5.9)."""
    chips, rest = divmod(amount, over * chip)
    return (chips + (1 if rest else 0)) * chip
