"""Rule 3.5.2: the first two cards of each player lie face down until they are exposed."""

import json

from controller.cards import Card
from controller.clock import utc_now
from controller.eventlog.memory import MemoryLog
from controller.events import CardOut
from controller.game.moves import Stand
from controller.game.options import build
from controller.service.control import exposed
from controller.table.owner import Table
from controller.table.view import view
from tests.controller.table.tale import Tale

GAME = build("blackjack-nsw", {"face_down": True})


def cards_of(tale: Tale, box: int) -> list[str]:
    seen = next(one for one in view(tale.state)["boxes"] if one["box"] == box)
    return [card for hand in seen["hands"] for card in hand["cards"]]


def dealt() -> Tale:
    tale = Tale(GAME)
    tale.wager(1)
    tale.wager(2)
    tale.deal("8S 7C 9D 8D 6C")
    return tale


def test_3_5_2_the_first_two_cards_are_not_in_the_view() -> None:
    tale = dealt()
    assert cards_of(tale, 1) == cards_of(tale, 2) == ["##", "##"]
    shown = json.dumps(view(tale.state))
    assert not [card for card in ("8S", "8D", "7C", "6C") if card in shown]
    assert view(tale.state)["dealer"]["cards"] == ["9D"]
    assert view(tale.state)["allowed"] == ["stand", "expose"], (
        "a pair or an eleven would be told by the rest"
    )


def test_3_5_2_they_are_exposed_before_a_third_card() -> None:
    tale = dealt()
    tale.deal("2H")
    assert cards_of(tale, 1) == ["8S", "8D", "2H"]
    assert cards_of(tale, 2) == ["##", "##"]


def test_3_5_2_who_stands_exposes_for_the_settlement() -> None:
    tale = dealt()
    tale.ask(Stand())
    assert cards_of(tale, 1) == ["##", "##"]
    tale.ask(Stand())
    tale.deal("TH")
    assert "##" not in cards_of(tale, 1)


def test_3_5_2_no_watcher_is_told_a_card_that_lies_face_down() -> None:
    table = Table(MemoryLog(), utc_now)
    for event in dealt().events:
        seen = json.dumps(list(exposed(table.take(event))))
        assert not [card for card in ("8S", "8D", "7C", "6C") if card in seen]
    third = table.take(CardOut(device="shoe", card=Card("2H")))
    assert "2H" in json.dumps(list(exposed(third))), "a third card is exposed"


def test_3_5_1_without_the_option_they_are_face_up() -> None:
    tale = Tale(build("blackjack-nsw", {}))
    tale.wager(1)
    tale.deal("8S 9D 8D")
    assert cards_of(tale, 1) == ["8S", "8D"]
