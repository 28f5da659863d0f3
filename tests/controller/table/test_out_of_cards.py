"""Rule 16.7: no card is left in mid-round, so the discard rack is shuffled and cut by rule 4."""

from collections import Counter

import pytest

from controller.cards import Card, pack
from controller.events import CardOut, CuttingCardOut, Deal, NewShoe, TakeBack, Use
from controller.game.moves import Burn, Cleared, NoMoreBets, Stand
from controller.game.options import Game, build
from controller.game.play import RoundState
from controller.game.shuffle import Cut, Load, RefuseCut, Shuffled, ShuffleState
from controller.outcomes import Prompted
from controller.table.decision import Decision
from controller.table.shuffling import BY_HAND, OUT_BY_HAND, OUT_INTO_DEVICE
from controller.table.state import cards_in_pack
from controller.table.view import view
from tests.controller.table.fitted import SHUFFLER, fitted
from tests.controller.table.tale import SUPERVISOR, Tale, cards, refused

SMALL: Game = build("blackjack-nsw", {"decks": 3})
PONTOON: Game = build("pontoon-nsw", {"decks": 6})
SEATS = ((1, "ann"), (3, "bob"), (7, "cam"))


def nearly_empty(tale: Tale, words: str) -> Tale:
    """Burn, before the round, all cards but these, which come next."""
    game = tale.state.play.game
    left = Counter(pack(game.decks, tens=game.tens))
    left.subtract(cards(words))
    left.subtract(tale.state.ledger.out)
    for card in left.elements():
        tale.ask(Burn(card))
    assert tale.state.ledger.count == cards_in_pack(game) - len(cards(words))
    return tale


def played_out(words: str, after: str = "", game: Game = SMALL) -> Tale:
    """Return a round of ann, bob and cam with the last card out; ``after``: the cutting card."""
    tale = nearly_empty(Tale(game), words)
    for box, player in SEATS:
        tale.wager(box, player)
    tale.ask(NoMoreBets())
    for card in words.split():
        tale.deal(card)
        if card == after:
            tale.take(CuttingCardOut(device="shoe"))
    return tale


def prompts(decision: Decision) -> list[tuple[str, str]]:
    """Return what the dealer is told to do, each with its clause."""
    return [(one.rule, one.what) for one in decision.outcomes if isinstance(one, Prompted)]


def next_words(tale: Tale) -> str:
    return str(view(tale.state)["next"])


DEALT = "TS TH TC 9D 6S 9H 9C"
"""Boxes 1, 3 and 7, the dealer, boxes 1, 3 and 7: box 1 has 16."""


def test_16_7_with_the_last_card_the_discards_are_shuffled_and_the_round_goes_on() -> None:
    tale = nearly_empty(Tale(SMALL), DEALT)
    for box, player in SEATS:
        tale.wager(box, player)
    tale.deal(DEALT[:-3])
    assert tale.state.shuffle is None
    assert prompts(tale.deal("9C")) == [("16.7", OUT_BY_HAND)]
    assert next_words(tale) == f"{OUT_BY_HAND}. Box 1 has 16: card, stand?"
    told = prompts(tale.ask(Shuffled()))
    assert [rule for rule, _ in told] == ["4.2.2", "4.4"]
    assert next_words(tale) == told[0][1]
    assert told[0][1].startswith("Offer the cut to ann at box 1, backs to the players")
    assert prompts(tale.ask(RefuseCut()))[0][0] == "4.3"
    assert prompts(tale.ask(Cut()))[0][0] == "4.5"
    assert next_words(tale).startswith("Front of the cut to the back")
    assert prompts(tale.ask(Load())) == [("4.7", "Burn the first card, face down")]
    assert tale.state.shuffle is None
    assert Counter(tale.state.ledger.out) == Counter(cards(DEALT))
    play = tale.state.play
    tale.deal("2C")
    assert tale.state.play == play, "the burn card is in nobody's hand"
    tale.deal("3C")
    assert tale.state.play.boxes[0].hands[0].cards == ("TS", "6S", "3C")
    tale.ask(Stand())
    tale.ask(Stand())
    tale.ask(Stand())
    tale.deal("TD")
    assert tale.state.play.state is RoundState.FINAL_SETTLEMENT
    assert tale.state.shuffle is None, "the cards were shuffled: none is due after the round"


@pytest.mark.parametrize(
    ("words", "place"), [("TS", "box 3"), ("TS TH TC", "the dealer"), ("TS TH TC 9D 6S", "box 3")]
)
def test_16_7_in_the_initial_deal_too(words: str, place: str) -> None:
    tale = played_out(words)
    assert next_words(tale) == f"{OUT_BY_HAND}. Deal to {place}"
    for step in (Shuffled(), Cut(), Load()):
        assert not refused(tale.ask(step))
    tale.deal("2C")
    tale.deal("9H")
    assert tale.state.play.undue == ()
    assert Counter(tale.state.ledger.out) == Counter(cards(f"{words} 2C 9H"))


def test_16_7_on_the_dealers_hand_the_dealer_shuffles_and_draws_on() -> None:
    tale = played_out("TS TH TC 2D 9S 9H 9C")
    told = [tale.ask(Stand()) for _ in SEATS]
    assert [prompts(one) for one in told] == [[], [], []], "it was asked with the last card"
    assert next_words(tale) == f"{OUT_BY_HAND}. The dealer draws"
    for step in (Shuffled(), Cut(), Load()):
        assert not refused(tale.ask(step))
    tale.deal("2C 8D")
    assert tale.state.play.dealer == ("2D", "8D")


def test_16_7_where_the_cutting_card_came_is_offered_the_cut_first() -> None:
    tale = played_out(DEALT, after="TS")  # the next card went to box 3
    assert tale.state.shuffle is not None
    assert (tale.state.shuffle.rule, tale.state.shuffle.in_round) == ("4.2.2", True)
    asked = []
    tale.ask(Shuffled())
    while (who := view(tale.state)["shuffle"]["offered_to"]) is not None:
        asked.append(who["player"])
        tale.ask(RefuseCut())
    assert asked == ["bob", "cam", "ann"]
    assert refused(tale.ask(Cut())) == "4.3"
    assert not refused(tale.ask(Cut(), SUPERVISOR))


def test_16_7_a_shuffling_device_takes_the_discards_and_nobody_cuts() -> None:
    tale = fitted(SHUFFLER, SMALL)
    tale.ask(Use("shuffler-1"))
    tale.take(CardOut(device="shuffler-1", card=Card("2C")))
    nearly_empty(tale, "TS 9D 6S")
    tale.wager()
    for card in cards("TS 9D 6S"):
        last = tale.take(CardOut(device="shuffler-1", card=card))
    assert prompts(last) == [("16.7", OUT_INTO_DEVICE)]
    assert refused(tale.ask(Cut())) == "4.6.3"
    assert prompts(tale.ask(Shuffled())) == [("4.7", "Burn the first card, face down")]
    assert tale.state.ledger.burn_is_due


def test_16_7_with_a_card_left_the_round_is_finished_first() -> None:
    tale = nearly_empty(Tale(SMALL), f"{DEALT} 2C")
    for box, player in SEATS:
        tale.wager(box, player)
    tale.deal(DEALT)
    assert tale.state.shuffle is None
    assert refused(tale.ask(Shuffled())) == "4.1"
    tale.take(CuttingCardOut(device="shoe"))
    assert refused(tale.ask(Shuffled())) == "4.1.3"
    tale.deal("2C")
    assert not refused(tale.ask(Shuffled()))


def test_16_7_a_round_that_needs_no_card_more_is_finished_and_then_shuffled() -> None:
    tale = played_out("TS TH TC 9D AS AH AC")  # three blackjacks, paid at once
    assert tale.state.play.state is RoundState.FINAL_SETTLEMENT
    assert next_words(tale) == "Pay and clear"
    assert refused(tale.ask(Shuffled())) == "4.1.3"
    tale.ask(Cleared())
    assert next_words(tale) == BY_HAND
    for step in (Shuffled(), Cut(), Load()):
        assert not refused(tale.ask(step))


def test_16_7_the_last_card_taken_back_is_dealt_before_anything_is_shuffled() -> None:
    tale = played_out(DEALT)
    tale.ask(TakeBack(), SUPERVISOR)
    assert next_words(tale) == "9C is in your hand: deal it or burn it"
    assert refused(tale.ask(Shuffled())) == "4.1.3"
    assert prompts(tale.ask(Deal(Card("9C")))) == [("16.7", OUT_BY_HAND)]
    assert not refused(tale.ask(Shuffled()))


def test_16_7_the_dealers_word_that_it_was_done_is_enough() -> None:
    tale = played_out(DEALT)
    assert not refused(tale.ask(NewShoe()))
    assert tale.state.shuffle is None
    assert next_words(tale) == "Burn the first card, face down"


def test_16_7_begun_in_the_round_and_not_needed_it_is_finished_after_it() -> None:
    tale = played_out("TS TH TC 9D 9S 9H 9C")
    tale.ask(Shuffled())
    assert tale.state.shuffle is not None
    assert tale.state.shuffle.state is ShuffleState.OFFERED
    tale.deal("8D")  # a card was left after all: box 1 has 27
    assert tale.state.play.boxes[0].hands[0].cards == ("TS", "9S", "8D")
    assert not refused(tale.ask(Cut()))


def test_16_7_pontoon_too() -> None:
    tale = played_out("9S KH KC 9D 6S 9H 9C", game=PONTOON)
    assert next_words(tale) == f"{OUT_BY_HAND}. Box 1 has 15: card, stand, double?"
