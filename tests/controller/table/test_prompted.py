"""What the rule index says is *prompted* is told to the dealer, at the moment when it is due.

Each clause has its moment: what was done at a table, and where it shows then, in the sentence that
says what comes next, or in a row of the log that cites the clause, or in both.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final, NamedTuple

import msgspec
import pytest

from controller.events import Ask, CardOut, CuttingCardSeen, NewCards, Use
from controller.game.house import SeatWanted
from controller.game.malfunction import (
    AnswerDamaged,
    AnswerDisadvantage,
    AnswerPracticable,
    AnswerSpare,
    Confirm,
    Stay,
)
from controller.game.moves import Double, Forfeit, NoMoreBets, Split, Stand, Surrender, Wager
from controller.game.options import Game, build
from controller.game.shuffle import Cut, RefuseCut, Shuffled
from controller.outcomes import Flagged, Outcome, Prompted
from controller.rulebook.index import rule_index
from controller.table.procedure import READY
from controller.table.state import cards_in_pack
from controller.table.view import view
from tests.controller.table.fitted import SHUFFLER, fitted
from tests.controller.table.shufflers import IN_USE, SPARE, Shufflers, jammed
from tests.controller.table.tale import BLACKJACK, PONTOON, SUPERVISOR, Tale, cards, started


class Moment(NamedTuple):
    """What the dealer sees, and the clauses of what was prompted or flagged since."""

    next: str
    rules: frozenset[str]


def _moment(tale: Tale, outcomes: Iterable[Outcome]) -> Moment:
    told = [one.rule for one in outcomes if isinstance(one, Prompted | Flagged)]
    return Moment(view(tale.state)["next"], frozenset(told))


Step = Ask | str | Any
"""A request; a line of cards."""


def _done(tale: Tale, steps: Iterable[Step], by: str = "dealer") -> Moment:
    """Return what the last step gives."""
    outcomes: tuple[Outcome, ...] = ()
    for step in steps:
        done = tale.deal(step) if isinstance(step, str) else tale.ask(step, by=by)
        outcomes = done.outcomes
    return _moment(tale, outcomes)


def _asked(words: str) -> Ask:
    """Return what a line of the control socket asks for."""
    ask: Ask = msgspec.json.decode(words, type=Ask)
    return ask


# --- moments --------------------------------------------------------------------------------------


def before_play(**options: Any) -> Moment:
    """A table opens for the first time."""
    tale = Tale(build("blackjack-nsw", options), cards_ready=False)
    return _moment(tale, tale.outcomes)


def shuffle(*steps: Step, cards: str = "") -> Moment:
    """The cutting card comes: before the round's first card, or after some."""
    tale = Tale()
    tale.wager()
    tale.wager(box=3, player="bob")
    return _done(tale, [*([cards] if cards else []), CuttingCardSeen(), *steps])


def into_a_device(*steps: Step, by: str = "dealer") -> Moment:
    """The same where the cards come from a shuffling device."""
    tale = fitted(SHUFFLER)
    tale.ask(Use("shuffler-1"))
    tale.take(CardOut(device="shuffler-1", card=cards("2C")[0]))  # the burn card
    return _done(tale, steps, by=by)


def new_cards() -> Moment:
    """The cards are replaced."""
    return _done(Tale(), [NewCards()], by=SUPERVISOR)


def out_of_cards() -> Moment:
    """The pack is out in mid-round, and box 1 draws."""
    tale = Tale()
    tale.wager()
    pack = [f"{rank}{suit}" for rank in "23456789TJQKA" for suit in "SHDC"] * 6
    assert len(pack) == cards_in_pack(BLACKJACK)
    for card in pack[3:]:  # they came out in rounds before this one
        last = tale.take(CardOut(device="another", card=cards(card)[0]))
    for card in tale.state.in_hand:
        last = tale.ask(_asked(f'{{"do": "burn", "card": "{card}"}}'))
    last = tale.deal(" ".join(pack[:3]))
    return _moment(tale, last.outcomes)


def two_on_a_box(*steps: Step) -> Moment:
    """Two players share a box."""
    tale = Tale()
    tale.wager()
    begun = tale.wager(player="bob")
    told = _done(tale, steps)
    return Moment(told.next, told.rules | _moment(tale, begun.outcomes).rules)


def two_boxes(*steps: Step) -> Moment:
    """A player wagers on two boxes."""
    tale = Tale()
    tale.wager()
    tale.wager(box=2)
    return _done(tale, steps)


def dealt(words: str, *steps: Step, game: Game = BLACKJACK, others: tuple[str, ...] = ()) -> Moment:
    """Cards are dealt to ann on box 1, and to others on boxes of theirs."""
    tale = Tale(game)
    wagers = [Wager(box=box, player=one, main=1000) for box, one in enumerate(("ann", *others), 1)]
    return _done(tale, [*wagers, NoMoreBets(), words, *steps])


def malfunction(damaged: str = "", *, spare: bool = True) -> Moment:
    """The device is jammed, and whatever the screen asks for is done: all that it says on the way."""
    table = jammed()
    said = []
    for _ in range(20):
        said.append(view(table.state)["next"])
        if table.procedure is None:
            break
        table.must(_what_the_screen_asks(table, damaged, spare=spare))
    assert table.procedure is None
    return Moment("\n".join(said), frozenset())


def _what_the_screen_asks(table: Shufflers, damaged: str, *, spare: bool) -> Ask:
    shown, says = view(table.state)["procedure"], view(table.state)["next"]
    answers: dict[str, Ask] = {
        "damaged-cards": AnswerDamaged(tuple(cards(damaged))),
        "disadvantage": AnswerDisadvantage("none"),
        "spare-available": AnswerSpare(spare),
        "transfer-practicable": AnswerPracticable(True),
    }
    for one in shown["questions"]:
        if one["words"] in says:
            return answers[one["question"]]
    for one in shown["electors"]:
        if f"Box {one['box']} {one['player']}: stay" in says:
            return Stay(one["box"], one["player"])
    step = next(one["step"] for one in shown["steps"] if one["words"] in says)
    if step == "transferred":
        table.reports(IN_USE, "jam", inside=0)
        table.reports(SPARE, READY, inside=300)
    return Confirm(step, tuple(cards(damaged)) if step == "replaced" else ())


# --- where each clause shows ----------------------------------------------------------------------


class Case(NamedTuple):
    """A clause at its moment: words of what comes next, or a row that cites it, or both."""

    clause: str
    moment: Callable[[], Moment]
    words: str = ""
    row: bool = True


RESPLIT: Final = build("blackjack-nsw", {"resplit": True})
CALLED: Final = _asked('{"do": "controls", "box": 1, "player": "bob", "because": "seated"}')
BOB: Final = Wager(box=1, player="bob", main=1000)
NZ: Final = build("pontoon-nz", {})

CASES: Final = (
    Case("3.3", before_play, "Check the cards before they are used"),
    Case("3.3", new_cards, "Check the cards before they are used"),
    Case("4.1", shuffle, "Shuffle the cards"),
    Case("4.1.1", before_play, "Shuffle the cards"),
    Case("4.1.2", shuffle, "Shuffle the cards"),
    Case("4.1.3", partial(shuffle, cards="9S")),
    Case("4.2", partial(shuffle, Shuffled()), "Offer the cut to bob at box 3", row=False),
    Case("4.3", partial(shuffle, Shuffled(), RefuseCut()), "Offer the cut to ann at box 1"),
    Case("4.4", partial(shuffle, Shuffled()), "a deck or more from either end"),
    Case("4.5", partial(shuffle, Shuffled(), Cut()), "Front of the cut to the back"),
    Case("4.6.1", partial(into_a_device, NewCards(), by=SUPERVISOR), "new cards by hand and put them into"),
    Case("4.6.2", partial(into_a_device, CuttingCardSeen()), "Put the cards into the shuffling device"),
    Case("5.6", partial(two_on_a_box, NoMoreBets(), "9S")),
    Case("5.7.1", partial(two_on_a_box, CALLED)),
    Case("5.7.2", partial(two_on_a_box, CALLED)),
    Case("5.8", partial(two_boxes, SeatWanted("bob")), "gives one up"),
    Case("10.1", partial(dealt, "9S 8D 3H"), "Box 1 has 12: card, stand?", row=False),
    Case("10.4", partial(dealt, "9S 8D 3H", "3C"), "Box 1 has 15: card, stand?", row=False),
    Case("10.5", partial(dealt, "TS 9S 8D 3H 8C", "KC", others=("bob",)), "Box 1 is over 21: collect"),
    Case("11.2.1", partial(before_play, double_with_ace=True), "Tell the players: 9, 10 or 11 with an ace"),
    Case("11.3", partial(dealt, "5S 8D 6H", Double()), "Box 1 doubled: one card, sideways and face up"),
    Case("12.3", partial(dealt, "8S 8D 8H", Split(), "2C"), "Box 1 hand 1 has 10: card, double?", row=False),
    Case("12.3.1", partial(dealt, "AS 8D AH", Split()), "deal its one card, sideways and face up"),
    Case("12.5.1", partial(before_play, resplit=True), "Tell the players: a pair may be split once more"),
    Case("12.5.4", partial(dealt, "AS 8D AH", Split(), "AC", Split(), game=RESPLIT), "sideways and face up"),
    Case("15.2", partial(dealt, "9S 8D 9H", Stand(), "9C"), "Pay and clear", row=False),
    Case("16.7", out_of_cards, "shuffle the discard rack"),
    Case("17.1.3", malfunction, "Is the casino or a player disadvantaged", row=False),
    Case("17.1.4", malfunction, "Is another shuffling device ready", row=False),
    Case("17.1.5", malfunction, "Can the cards be moved to it", row=False),
    Case("17.2", malfunction, "Move the cards from shuffler-1 to shuffler-2", row=False),
    Case("17.3.1", partial(malfunction, "5S"), "take the damaged cards out: 5S", row=False),
    Case("17.3.2", partial(malfunction, "5S"), "Move the cards from shuffler-1 to shuffler-2", row=False),
    Case("17.3.3", partial(malfunction, "5S"), "Take 5S from a new deck of the same colour", row=False),
    Case("17.5.1", partial(malfunction, "5S", spare=False), "Box 1 ann: stay, or wagers back", row=False),
    Case("17.5.2", partial(malfunction, "5S", spare=False), "Take 5S from a new deck of the same colour", row=False),
    Case("17.5.3", partial(malfunction, "5S", spare=False), "huffle", row=False),
    Case("18.3.1.5", partial(dealt, "9S KD 6H", Surrender(1), game=PONTOON), "Lay the surrender marker on box 1", row=False),
    Case("18.6.2", partial(dealt, "9S KD 6H", Surrender(1), game=PONTOON), "Lay the surrender marker on box 1"),
    Case("18.7.2.3", partial(dealt, "7S 9S 7D 7S 8C", "7S", Stand(), "KC", game=PONTOON, others=("bob",)), "Pay the others their Super Bonus share", row=False),
    Case("18.9.6", partial(dealt, "5S 8D 6H", Double(), "2C", Forfeit(("ann",)), game=PONTOON), "give ann the double back and take the original wager, then collect the cards"),
    Case("18.10.4", partial(dealt, "AS 8D AH", Split(), game=PONTOON), "sideways and face up"),
    Case("nz:5.7", partial(dealt, "9S 8D 9H", Stand(), "9C", game=NZ)),
)  # fmt: skip
"""What is prompted, and what is decided and has a prompt of its own beside it."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.clause)
def test_it_is_told_at_its_moment(case: Case) -> None:
    moment = case.moment()
    assert case.words or case.row
    assert case.words in moment.next
    assert not case.row or case.clause in moment.rules


def test_every_prompted_clause_has_its_moment() -> None:
    index = rule_index()
    prompted = [one.number for one in index.values() if one.how == "prompted" and not one.heading]
    shown = {case.clause for case in CASES}
    assert [number for number in prompted if number not in shown] == []


# --- not before, not twice, and only what is to be done -------------------------------------------


def test_10_5_the_cards_of_a_hand_over_21_are_collected_once() -> None:
    tale = Tale()
    for box, player in ((1, "ann"), (2, "bob")):
        tale.wager(box=box, player=player)
    tale.pedal()
    told = [tale.deal(card) for card in ["TS", "9S", "8D", "3H", "8C", "KC"]]
    rules = [[one.rule for one in each.outcomes if isinstance(one, Prompted)] for each in told]
    assert rules == [[], [], [], [], [], ["10.5"]]
    assert "Box 1 is over 21" in view(tale.state)["next"]
    again = tale.pedal()  # box 2 stands
    assert not any(isinstance(one, Prompted) and one.rule == "10.5" for one in again.outcomes)
    assert "over 21" not in view(tale.state)["next"]


def test_18_9_6_the_cards_stay_while_one_of_two_doublers_plays_on() -> None:
    tale = Tale(PONTOON)
    tale.wager()
    tale.ask(BOB)
    told = _done(tale, [NoMoreBets(), "5S 8D 6H", Double(("bob",)), "2C", Forfeit(("bob",))])
    assert "give bob the double back and take the original wager" in told.next
    assert "collect the cards" not in told.next
    told = _done(tale, [Forfeit(("ann",))])
    assert (
        "give ann the double back and take the original wager, then collect the cards" in told.next
    )


def test_11_2_1_12_5_1_the_players_are_told_again_only_of_what_is_new() -> None:
    tale = Tale()
    offered = build("blackjack-nsw", {"resplit": True})
    told = [tale.take(started(offered)).outcomes for _ in range(2)]
    rules = [{one.rule for one in each if isinstance(one, Prompted)} for each in told]
    assert rules == [{"12.5.1"}, set()]


def test_3_3_the_cards_are_checked_before_they_are_shuffled_and_then_nobody_asks_again() -> None:
    tale = Tale(cards_ready=False)
    assert view(tale.state)["next"].startswith("Check the cards")
    tale.ask(Shuffled())
    assert "Check" not in view(tale.state)["next"]
    assert "Check" not in view(Tale(cards_ready=True).state)["next"]


def test_11_3_a_double_taken_back_is_told_again_when_it_is_made_again() -> None:
    tale = Tale()
    tale.wager()
    tale.pedal()
    tale.deal("5S 8D 6H")
    assert "11.3" in _done(tale, [Double()]).rules
    tale.pedal("left", held=True)
    assert "11.3" in _done(tale, [Double()]).rules
