"""What the rules forbid is refused with its clause, changes nothing, and the round goes on."""

from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from controller.cli import main
from tests.controller.scripts.playing import play_text

BLACKJACK = "blackjack-nsw"
PONTOON = "pontoon-nsw"
ANN = "{box: 1, player: ann, main: 10}"
BOB = "{box: 1, player: bob, main: 20}"
BOB_ON_2 = "{box: 2, player: bob, main: 10}"


class Case(NamedTuple):
    """A round in which one step, marked with ``!``, is refused by the clause."""

    says: str
    game: str
    play: tuple[str, ...]
    rule: str
    why: str
    bets: tuple[str, ...] = (ANN,)
    options: str = "{}"

    @property
    def refused(self) -> str:
        return next(step.removeprefix("!") for step in self.play if step.startswith("!"))

    def script(self, *, with_refused: bool = True) -> str:
        steps = [step.removeprefix("!") for step in self.play if with_refused or step[0] != "!"]
        lines = ["title: a refusal", f"game: {self.game}", f"options: {self.options}", "bets:"]
        lines += [f"  - {bet}" for bet in self.bets]
        return "\n".join([*lines, "play:", *(f"  - {step}" for step in steps)])


CASES = (
    # 7, 10: whose turn it is
    Case("no more bets is called once", BLACKJACK,
         ("no-more-bets", "cards 9S", "!no-more-bets"), "7", "before the deal"),
    Case("no hand stands before the deal", BLACKJACK, ("!stand",), "10.1.3", "no hand is in turn"),
    Case("no hand doubles before the deal", BLACKJACK, ("!double",), "10.1.1", "no hand"),
    Case("no hand splits before the deal", BLACKJACK, ("!split",), "10.1.2", "no hand"),
    Case("no hand stands during the initial deal", BLACKJACK,
         ("no-more-bets", "cards 9S 9D", "!stand"), "10.1.3", "no hand is in turn"),
    Case("no hand stands when all have acted", BLACKJACK,
         ("no-more-bets", "cards TS 9D 9S", "stand", "!stand"), "10.1.3", "no hand is in turn"),
    Case("11 points take a card at Blackjack", BLACKJACK,
         ("no-more-bets", "cards 5S 9D 6S", "!stand"), "10.2", "box 1 has 11"),
    Case("11 points of three cards take a card at Pontoon", PONTOON,
         ("no-more-bets", "cards 2S 9D 3S", "cards 6S", "!stand"), "10.2", "box 1 has 11"),
    Case("a hand with an unread card does not stand", BLACKJACK,
         ("no-more-bets", "cards TS 9D ??", "!stand"), "10.1", "could not be read"),
    # 11, 18.9: doubling
    Case("12 points do not double", BLACKJACK,
         ("no-more-bets", "cards TS 9D 2S", "!double"), "11.1.1", "box 1 has 12"),
    Case("8 points do not double", BLACKJACK,
         ("no-more-bets", "cards 5S 9D 3S", "!double"), "11.1.1", "box 1 has 8"),
    Case("an ace does not double", BLACKJACK,
         ("no-more-bets", "cards AS 9D 8S", "!double"), "11.1.2", "ace"),
    Case("an ace and a jack doubled as 11 would be a blackjack", BLACKJACK,
         ("no-more-bets", "cards AS 9D JS", "!double"), "10.1.1", "no hand",
         options="{double_with_ace: true}"),
    Case("an ace and a two are 3 where aces may double", BLACKJACK,
         ("no-more-bets", "cards AS 9D 2S", "!double"), "11.1.1", "box 1 has 3",
         options="{double_with_ace: true}"),
    Case("three cards do not double at Blackjack", BLACKJACK,
         ("no-more-bets", "cards 2S 9D 3S", "cards 4S", "!double"), "11.1", "first two cards"),
    Case("a hand doubles once", BLACKJACK,
         ("no-more-bets", "cards 5S 9D 6S", "double", "!double"), "11.1.3", "doubled already"),
    Case("a doubled hand does not stand before its card", BLACKJACK,
         ("no-more-bets", "cards 5S 9D 6S", "double", "!stand"), "11.1.3", "takes one card"),
    Case("a doubled hand does not split", PONTOON,
         ("no-more-bets", "cards 8S 9D 8H", "double", "!split"), "11.1.3", "takes one card"),
    Case("who has no wager on the hand does not double", BLACKJACK,
         ("no-more-bets", "cards 5S TH 9D 6S 9H", "!double bob"), "11.4", "bob has no wager",
         bets=(ANN, BOB_ON_2)),
    Case("who has no wager on the hand does not double at Pontoon", PONTOON,
         ("no-more-bets", "cards 5S 9D 6S", "!double eve"), "18.9.4", "eve has no wager"),
    Case("who did not match the split does not double on its hand", PONTOON,
         ("no-more-bets", "cards 8S 9D 8H", "split", "cards KS", "stand", "cards 3H",
          "!double bob"), "18.9.4", "bob has no wager", bets=(ANN, BOB)),
    Case("a pontoon does not double", PONTOON,
         ("no-more-bets", "cards AS KH 9D KS 9H", "stand", "!double"), "10.1.1", "no hand",
         bets=(ANN, BOB_ON_2)),
    Case("a hand with an unread card does not double", PONTOON,
         ("no-more-bets", "cards 5S 9D ??", "!double"), "10.1", "could not be read"),
    Case("split aces that wait do not double at Pontoon", PONTOON,
         ("no-more-bets", "cards AS 9D AH", "split", "cards AC", "!double"), "18.9.1.2",
         "split aces", options="{resplit: true}"),
    Case("split aces that wait do not double at Blackjack", BLACKJACK,
         ("no-more-bets", "cards AS 9D AH", "split", "cards AC", "!double"), "12.3.1",
         "split aces", options="{resplit: true, double_with_ace: true}"),
    # 12, 18.10: splitting
    Case("a queen and a nine do not split", BLACKJACK,
         ("no-more-bets", "cards QS 9D 9S", "!split"), "12.1", "differ in value"),
    Case("three cards do not split", BLACKJACK,
         ("no-more-bets", "cards 4S 9D 4H", "cards 4C", "!split"), "12.1", "first two cards"),
    Case("a hand with an unread card does not split", BLACKJACK,
         ("no-more-bets", "cards 4S 9D ??", "!split"), "10.1", "enter it first"),
    Case("a split hand is not split again", BLACKJACK,
         ("no-more-bets", "cards 8S 9D 8H", "split", "cards 8C", "!split"), "12.4",
         "not a second time"),
    Case("there is no fourth hand", BLACKJACK,
         ("no-more-bets", "cards 8S 9D 8H", "split", "cards 8C", "split", "cards 8D", "!split"),
         "12.5.3", "3 hands", options="{resplit: true}"),
    Case("a split hand takes its second card before it stands", BLACKJACK,
         ("no-more-bets", "cards 8S 9D 8H", "split", "!stand"), "12.2", "second card first"),
    Case("a split hand takes its second card before it doubles", BLACKJACK,
         ("no-more-bets", "cards 8S 9D 8H", "split", "!double"), "12.2", "second card first"),
    Case("a split hand takes its second card before it splits", BLACKJACK,
         ("no-more-bets", "cards 8S 9D 8H", "split", "!split"), "12.1", "first two cards",
         options="{resplit: true}"),
    Case("who has no wager on the box does not match a split", BLACKJACK,
         ("no-more-bets", "cards 8S 9D 8H", "!split eve"), "12.6.1", "eve has no wager"),
    Case("who did not match the first split does not match one of the second hand", BLACKJACK,
         ("no-more-bets", "cards 8S 9D 8H", "split", "cards TS", "stand", "cards 8C",
          "!split bob"), "12.6.1", "bob has no wager", bets=(ANN, BOB),
         options="{resplit: true}"),
    # 8, 18.5: insurance
    Case("no insurance against a king", BLACKJACK,
         ("no-more-bets", "cards TS KD 9S", "!insure 1 ann 5"), "8", "no ace"),
    Case("no insurance before the initial deal is complete", BLACKJACK,
         ("no-more-bets", "cards TS AD", "!insure 1 ann 5"), "8", "initial deal"),
    Case("no insurance after a further card", BLACKJACK,
         ("no-more-bets", "cards 2S AD 3S", "cards 4S", "!insure 1 ann 5"), "8", "further card"),
    Case("no insurance after a stand", BLACKJACK,
         ("no-more-bets", "cards TS TH AD 9S 9H", "stand", "!insure 2 bob 5"), "8",
         "further card", bets=(ANN, BOB_ON_2)),
    Case("no insurance after a double", BLACKJACK,
         ("no-more-bets", "cards 5S AD 6S", "double", "!insure 1 ann 5"), "8", "further card"),
    Case("no insurance after a split", BLACKJACK,
         ("no-more-bets", "cards 8S AD 8H", "split", "!insure 1 ann 5"), "8", "further card"),
    Case("no insurance above half of the wager", BLACKJACK,
         ("no-more-bets", "cards TS AD 9S", "!insure 1 ann 5.50"), "8", "more than half"),
    Case("no insurance in parts of a chip", BLACKJACK,
         ("no-more-bets", "cards TS AD 9S", "!insure 1 ann 2.25"), "8", "whole chips"),
    Case("no insurance of nothing", BLACKJACK,
         ("no-more-bets", "cards TS AD 9S", "!insure 1 ann 0"), "8", "no amount"),
    Case("no second insurance", BLACKJACK,
         ("no-more-bets", "cards TS AD 9S", "insure 1 ann 2", "!insure 1 ann 2"), "8", "already"),
    Case("no insurance without a wager", BLACKJACK,
         ("no-more-bets", "cards TS AD 9S", "!insure 1 eve 5"), "8", "eve has no wager"),
    Case("no insurance on a box that is not in play", BLACKJACK,
         ("no-more-bets", "cards TS AD 9S", "!insure 2 ann 5"), "8", "no wager on box 2"),
    Case("no insurance of a pontoon", PONTOON,
         ("no-more-bets", "cards AS KH AD KS 9H", "!insure 1 ann 5"), "18.5.1", "pontoon",
         bets=(ANN, BOB_ON_2)),
    Case("no insurance after even money", BLACKJACK,
         ("no-more-bets", "cards AS TH AD KS 9H", "even-money 1 ann", "!insure 1 ann 5"),
         "9.1.2", "even money", bets=(ANN, BOB_ON_2)),
    # 9.1.2: even money
    Case("no even money against a king", BLACKJACK,
         ("no-more-bets", "cards AS KD KS", "!even-money 1 ann"), "9.1.2", "no ace"),
    Case("no even money without a blackjack", BLACKJACK,
         ("no-more-bets", "cards TS AD 9S", "!even-money 1 ann"), "9.1.2", "no blackjack"),
    Case("no even money without a wager", BLACKJACK,
         ("no-more-bets", "cards AS AD KS", "!even-money 1 eve"), "9.1.2", "eve has no wager"),
    Case("even money is taken once", BLACKJACK,
         ("no-more-bets", "cards AS TH AD KS 9H", "even-money 1 ann", "!even-money 1 ann"),
         "9.1.2", "already", bets=(ANN, BOB_ON_2)),
    Case("no even money after a stand", BLACKJACK,
         ("no-more-bets", "cards AS TH AD KS 9H", "stand", "!even-money 1 ann"), "9.1.2",
         "further card", bets=(ANN, BOB_ON_2)),
    # 18.6: surrender
    Case("no surrender against a nine", PONTOON,
         ("no-more-bets", "cards KS 9D 6S", "!surrender 1"), "18.6.1", "no J, Q, K or A"),
    Case("no surrender of a pontoon", PONTOON,
         ("no-more-bets", "cards AS KH KD KS 9H", "!surrender 1"), "18.6.1", "pontoon",
         bets=(ANN, BOB_ON_2)),
    Case("no surrender before the initial deal is complete", PONTOON,
         ("no-more-bets", "cards KS KD", "!surrender 1"), "18.6.1", "initial deal"),
    Case("no surrender after a further card", PONTOON,
         ("no-more-bets", "cards 2S KD 3S", "cards 4S", "!surrender 1"), "18.6.1", "further card"),
    Case("no surrender after another box has stood", PONTOON,
         ("no-more-bets", "cards KS KH KD 6S 6H", "stand", "!surrender 2"), "18.6.1",
         "further card", bets=(ANN, BOB_ON_2)),
    Case("no surrender after a split", PONTOON,
         ("no-more-bets", "cards 8S KD 8H", "split", "!surrender 1"), "18.6.1", "further card"),
    Case("a box surrenders once", PONTOON,
         ("no-more-bets", "cards KS KH KD 6S 9H", "surrender 1", "!surrender 1"), "18.6.3",
         "surrendered already", bets=(ANN, BOB_ON_2)),
    Case("who has no wager on the box does not surrender", PONTOON,
         ("no-more-bets", "cards KS KD 6S", "!surrender 1 eve"), "18.6.3", "eve has no wager"),
    Case("a box that is not in play does not surrender", PONTOON,
         ("no-more-bets", "cards KS KD 6S", "!surrender 2"), "18.6.1", "box 2 is not in play"),
    Case("a surrendered hand is not in turn", PONTOON,
         ("no-more-bets", "cards KS KD 6S", "surrender 1", "!stand"), "10.1.3", "no hand"),
    # 18.9.5: forfeit
    Case("no forfeit without a double", PONTOON,
         ("no-more-bets", "cards 5S KD 6S", "!forfeit ann"), "18.9.5", "double card"),
    Case("no forfeit before the double card", PONTOON,
         ("no-more-bets", "cards 5S KD 6S", "double", "!forfeit ann"), "18.9.5", "double card"),
    Case("no forfeit of a hand over 21", PONTOON,
         ("no-more-bets", "cards KS KH KD 6S 9H", "double", "cards 9S", "!forfeit ann"),
         "18.9.5", "double card", bets=(ANN, BOB_ON_2)),
    Case("no forfeit of a 21", PONTOON,
         ("no-more-bets", "cards 5S KH KD 6S 9H", "double", "cards KS", "!forfeit ann"),
         "18.9.5", "double card", bets=(ANN, BOB_ON_2)),
    Case("no forfeit after the next hand has acted", PONTOON,
         ("no-more-bets", "cards 5S KH KD 6S 9H", "double", "cards 2S", "stand", "!forfeit ann"),
         "18.9.5", "double card", bets=(ANN, BOB_ON_2)),
    Case("no forfeit after the dealer's card", PONTOON,
         ("no-more-bets", "cards 5S KD 6S", "double", "cards 2S", "cards 2D", "!forfeit ann"),
         "18.9.5", "double card"),
    Case("who did not double does not forfeit", PONTOON,
         ("no-more-bets", "cards 5S KD 6S", "double", "cards 2S", "!forfeit bob"), "18.9.7",
         "bob has no doubled wager", bets=(ANN, BOB)),
    Case("a player forfeits once", PONTOON,
         ("no-more-bets", "cards 5S KD 6S", "double bob", "cards 2S", "forfeit ann",
          "!forfeit ann"), "18.9.7", "ann has no doubled wager", bets=(ANN, BOB)),
    # 16.8: an absent player
    Case("nobody is absent before the deal", BLACKJACK, ("!absent 1",), "16.8", "no cards yet"),
    Case("a box that is not in play has no absent player", BLACKJACK,
         ("no-more-bets", "cards TS 9D 9S", "!absent 2"), "16.8", "box 2 is not in play"),
    # the dealer's keys
    Case("there is nothing to go on with while the dealer draws", BLACKJACK,
         ("no-more-bets", "cards TS 9D 9S", "stand", "!pedal middle"), "7", "deal a card"),
    Case("a letter for a box comes after the box", PONTOON,
         ("no-more-bets", "cards KS KD 6S", "!key S"), "18.6.1", "key the box first"),
    Case("a box that is not in play is not insured by key", BLACKJACK,
         ("no-more-bets", "cards TS AD 9S", "key 2", "!key I"), "8", "key the box first"),
    Case("the same again is for the time before the first card", BLACKJACK,
         ("no-more-bets", "cards TS AD 9S", "!key ="), "5.2", "last round"),
    Case("nothing doubles once the round is decided", BLACKJACK,
         ("no-more-bets", "cards TS AD 9S", "stand", "cards TD", "!key D"), "10.1.1", "no hand"),
)  # fmt: skip


def _ends(case: Case, *, with_refused: bool) -> tuple[object, ...]:
    result = play_text(case.script(with_refused=with_refused))
    return result.settlements, result.pending, result.status, result.source


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.says)
def test_is_refused_by_the_clause(case: Case) -> None:
    result = play_text(case.script())
    assert [(one.step, one.rule) for one in result.refused] == [(case.refused, case.rule)]
    assert case.why in result.refused[0].why


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.says)
def test_a_refused_step_changes_nothing(case: Case) -> None:
    assert _ends(case, with_refused=True) == _ends(case, with_refused=False)


def test_a_refusal_fails_no_expectation() -> None:
    result = play_text(CASES[0].script())
    assert (result.ok, result.failed) == (True, [])


MANY = {
    BLACKJACK: """\
title: much that the rules forbid at Blackjack
game: blackjack-nsw
bets:
  - {box: 1, player: ann, main: 10}
  - {box: 1, player: bob, main: 20}
  - {box: 2, player: cam, main: 10}
play:
  - stand
  - no-more-bets
  - cards 5S AH AD 6S KH
  - insure 1 ann 5.50
  - even-money 1 ann
  - stand
  - split
  - double eve
  - insure 1 bob 10
  - even-money 2 cam
  - double bob
  - double
  - stand
  - cards 9S
  - stand
  - insure 1 ann 5
  - cards KD
  - stand
""",
    PONTOON: """\
title: much that the rules forbid at Pontoon
game: pontoon-nsw
bets:
  - {box: 1, player: ann, main: 10}
  - {box: 1, player: bob, main: 20}
  - {box: 2, player: cam, main: 10}
  - {box: 3, player: dee, main: 10}
play:
  - surrender 1
  - no-more-bets
  - cards 8S AH 6C KD 8H KH KC
  - insure 1 ann 5
  - surrender 2
  - surrender 3
  - surrender 3
  - forfeit ann
  - split bob
  - stand
  - cards 8C
  - split
  - double bob
  - cards 4S
  - forfeit cam
  - forfeit bob
  - surrender 1
  - cards 3H
  - double
  - cards KS
  - forfeit ann
  - cards 9D
""",
}


def _script_file(folder: Path, game: str) -> Path:
    path = folder / f"{game}.yaml"
    path.write_text(MANY[game])
    return path


@pytest.mark.parametrize("game", MANY)
def test_over_the_wire_the_same_steps_are_refused(
    game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A decision that would mean something else by pedal or key is asked, and so refused."""
    assert main(["play", "--json", str(_script_file(tmp_path, game))]) == 0
    wire = msgspec.json.decode(capsys.readouterr().out)
    direct = msgspec.to_builtins(play_text(MANY[game]))
    assert wire["refused"] == direct["refused"]
    assert len(wire["refused"]) > 7
    assert wire["settlements"] == direct["settlements"]
    assert (wire["status"], wire["pending"]) == ("complete", [])
