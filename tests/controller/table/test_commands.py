"""What lamps, armed button and meter are told: always what can be done now (18.6, 18.14)."""

from collections.abc import Iterator
from random import Random
from typing import Any, Final

import msgspec
import pytest

from controller.cards import Card
from controller.events import (
    Amend,
    ChanceGiven,
    CommandDone,
    CommandFailed,
    ConfirmLayout,
    DeviceLost,
    DeviceOnline,
    Pressed,
    Started,
    TakeBack,
)
from controller.game.machine import machine_for
from controller.game.moves import Cleared, NoMoreBets, PressJackpot, Stand, Surrender, Wager
from controller.game.options import Game
from controller.game.prizes import BYTES
from controller.game.side_wagers import jackpot_due
from controller.money import show
from controller.outcomes import Commanded
from controller.table.decide import decide
from controller.table.decision import Decision
from controller.table.state import TableState
from tests.controller.table.fitted import BUTTONS, coming_up, fitted, restarted
from tests.controller.table.tale import BLACKJACK, SUPERVISOR, Tale, refused
from tests.controller.table.wandering import GAMES, next_event

PONTOON: Final = GAMES[1]
NEW_ZEALAND: Final = GAMES[2]
LOW: Final = bytes(BYTES).hex()
SEEDS: Final = range(24)
STEPS: Final = 70
BUTTON_NAMES: Final = [
    f"{word}-{number}" for word in ("surrender", "jackpot") for number in range(1, 10)
]


def table(game: Game = PONTOON) -> Tale:
    """Return a table with buttons and meter where ann and bob have wagered."""
    tale = fitted(BUTTONS, game)
    side = 500 if game is PONTOON else 0
    for box, player in ((1, "ann"), (3, "bob")):
        tale.ask(Wager(box=box, player=player, main=1000, pandemonium=side))
    tale.ask(NoMoreBets())
    return tale


def told(decision: Decision, device: str) -> list[dict[str, Any]]:
    """Return what a device is told to do by a decision."""
    commands = (one for one in decision.outcomes if isinstance(one, Commanded))
    return [one.what for one in commands if one.device == device]


def showing(tale: Tale, key: str) -> Any:
    """Return what a device was last told to do."""
    return tale.state.commands[key].what


def lit(tale: Tale) -> list[str]:
    """Return the lamps that were last told to be lit."""
    return list(showing(tale, "buttons.lamps")["lit"])


# --- lamps ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dealt", "lamps"),
    [
        ("8S 8H KD 6S", []),  # the initial deal is not over
        ("8S 8H KD 6S 6H", ["surrender-1", "surrender-3"]),
        ("8S 8H 9D 6S 6H", []),  # 18.6.1: the dealer shows no court card
        ("AS 8H KD KS 6H", ["jackpot-1", "surrender-3"]),  # pontoon does not surrender
        ("AS AH 9D KS KH", ["jackpot-1", "jackpot-3"]),
    ],
)
def test_18_6_1_a_lamp_is_lit_for_each_button_that_may_be_pressed(
    dealt: str, lamps: list[str]
) -> None:
    """The surrender buttons (18.2.1), and the jackpot button (18.2.2)."""
    tale = table()
    tale.deal(dealt)
    assert sorted(lit(tale)) == sorted(lamps)


def test_18_6_1_the_lamp_goes_out_with_the_surrender_and_all_with_the_next_card() -> None:
    tale = table(NEW_ZEALAND)
    tale.deal("8S 8H KD 6S 6H")
    tale.take(Pressed(device="buttons", control="surrender-1"))
    assert lit(tale) == ["surrender-3"]
    tale.ask(TakeBack(), SUPERVISOR)
    assert lit(tale) == ["surrender-1", "surrender-3"]
    tale.ask(Stand())
    assert lit(tale) == []


def test_at_blackjack_no_lamp_is_ever_lit() -> None:
    tale = table(BLACKJACK)
    for card in ["AS", "AH", "AD", "KS", "KH"]:
        tale.deal(card)
        assert lit(tale) == []


def walk(seed: int, game: Game) -> Iterator[TableState]:
    """Yield the states of a table with buttons and meter that anything happens to."""
    luck = Random(seed)
    state: TableState | None = None
    for event in coming_up(game, BUTTONS):
        state = decide(state, event).state
    assert state is not None
    for _ in range(STEPS):
        event = next_event(state, luck)
        if isinstance(event, Started):
            event = restarted(game, BUTTONS)
        state = decide(state, event).state
        yield state


def by_the_rows(state: TableState) -> set[str]:
    """Return the buttons that the rows of the game allow."""
    machine, found = machine_for(state.play.game), set[str]()
    for number in range(1, 10):
        if machine.allows(state.play, Surrender(number)):
            found.add(f"surrender-{number}")
        if machine.allows(state.play, PressJackpot(number)):
            found.add(f"jackpot-{number}")
    return found


def by_pressing(state: TableState) -> set[str]:
    """Return the buttons that are not refused when they are pressed."""
    return {
        name
        for name in BUTTON_NAMES
        if not refused(decide(state, Pressed(device="buttons", control=name)))
    }


def watched(seed: int, game: Game) -> Iterator[tuple[TableState, set[str]]]:
    """Yield the states of a walk in which the buttons are there, with the lamps that are lit."""
    for state in walk(seed, game):
        if state.devices["buttons"].online:
            yield state, set(state.commands["buttons.lamps"].what["lit"])


@pytest.mark.parametrize("game", [PONTOON, NEW_ZEALAND], ids=lambda game: game.name)
@pytest.mark.parametrize("seed", SEEDS)
def test_18_3_1_lamps_are_lit_exactly_where_the_rows_allow_the_button(
    seed: int, game: Game
) -> None:
    for state, lamps in watched(seed, game):
        if not (state.in_doubt or state.suspended or state.malfunction):
            assert lamps == by_the_rows(state)


@pytest.mark.parametrize("seed", SEEDS[1::2])
def test_18_3_1_lamps_are_lit_exactly_where_a_press_is_accepted(seed: int) -> None:
    """Also while the layout is in doubt: what would be refused is dark."""
    for state, lamps in watched(seed, PONTOON):
        assert lamps == by_pressing(state), state.in_doubt


def test_18_3_1_the_walks_light_every_kind_of_lamp() -> None:
    """Otherwise the test above would hold because all is dark."""
    kinds = {
        lamp.partition("-")[0]
        for seed in SEEDS
        for state in walk(seed, PONTOON)
        if "buttons.lamps" in state.commands
        for lamp in state.commands["buttons.lamps"].what["lit"]
    }
    assert kinds == {"surrender", "jackpot"}


# --- the armed button -----------------------------------------------------------------------------


def test_18_3_1_2_the_shared_button_is_armed_from_the_left_and_once_for_each_box() -> None:
    tale = table()
    assert showing(tale, "buttons.arm") == {"do": "arm", "box": None}
    tale.deal("AS AH 9D KS KH")
    armed = [showing(tale, "buttons.arm")["box"]]
    for box in (1, 3):
        tale.ask(PressJackpot(box))
        armed.append(showing(tale, "buttons.arm")["box"])
    assert armed == [1, 3, None]


@pytest.mark.parametrize("seed", SEEDS[::3])
def test_18_3_1_2_it_is_armed_for_the_first_box_whose_jackpot_is_due(seed: int) -> None:
    for state in walk(seed, PONTOON):
        boxes = [box.number for box in state.play.boxes if jackpot_due(state.play, box)]
        if state.devices["buttons"].online:
            assert state.commands["buttons.arm"].what["box"] == min(boxes, default=None)


# --- the meter ------------------------------------------------------------------------------------


def test_18_14_6_the_meter_shows_the_prize_until_the_round_is_cleared() -> None:
    """It is the meter of 18.2.2."""
    tale = table()
    assert showing(tale, "meter.show") == {"do": "clear-prize"}
    tale.deal("AS AH 9D KS KH")
    tale.ask(PressJackpot(3))
    assert showing(tale, "meter.show") == {"do": "clear-prize"}, "the draw comes first"
    drawn = tale.take(ChanceGiven(box=3, bytes=LOW))
    prize = tale.state.play.boxes[1].prize
    assert prize is not None
    assert told(drawn, "meter") == [{"do": "show-prize", "text": f"BOX 3  {show(prize * 100)}"}]
    tale.ask(PressJackpot(1))
    tale.take(ChanceGiven(box=1, bytes=LOW))
    assert showing(tale, "meter.show")["text"].startswith("BOX 1 "), "the one drawn last"
    assert told(tale.ask(Cleared()), "meter") == [{"do": "clear-prize"}]


def test_18_14_6_a_prize_amended_away_goes_from_the_meter_and_comes_back() -> None:
    tale = table()
    tale.deal("AS AH 9D KS KH")
    tale.ask(PressJackpot(1))
    tale.take(ChanceGiven(box=1, bytes=LOW))
    shown = showing(tale, "meter.show")
    tale.ask(Amend(1, Card("9S")), SUPERVISOR)
    assert showing(tale, "meter.show") == {"do": "clear-prize"}
    tale.ask(Amend(1, Card("AS")), SUPERVISOR)
    assert showing(tale, "meter.show") == shown


# --- sent, sent again, done -----------------------------------------------------------------------


def test_nothing_is_sent_twice_and_every_command_has_a_number_of_its_own() -> None:
    tale = table()
    tale.deal("AS AH 9D KS KH")
    sent = [one for one in tale.outcomes if isinstance(one, Commanded)]
    assert [one.id for one in sent] == list(range(1, len(sent) + 1))
    latest: dict[str, dict[str, Any]] = {}
    for one in sent:
        kind = f"{one.device}.{one.what['do']}"
        assert latest.get(kind) != one.what
        latest[kind] = one.what


@pytest.mark.parametrize("device", ["buttons", "meter"])
def test_what_is_away_is_told_nothing_until_it_is_back_and_then_all(device: str) -> None:
    tale = table()
    tale.take(DeviceLost(device=device, why="unplugged"))
    away = len(tale.outcomes)
    tale.deal("AS AH KD KS 6H")
    tale.ask(PressJackpot(1))
    tale.take(ChanceGiven(box=1, bytes=LOW))
    missed = [one for one in tale.outcomes[away:] if isinstance(one, Commanded)]
    assert device not in {one.device for one in missed}
    back = told(tale.take(DeviceOnline(device=device, port="test")), device)
    if device == "meter":
        assert [one["do"] for one in back] == ["show-prize"]
    else:
        assert back == [
            {"do": "lamps", "lit": ["surrender-3"]},
            {"do": "arm", "box": None},
        ]


def test_a_device_that_comes_back_is_told_again_what_it_was_told_before() -> None:
    tale = table()
    tale.deal("8S 8H KD 6S 6H")
    before = {key: sent.what for key, sent in tale.state.commands.items()}
    tale.take(DeviceLost(device="buttons", why="unplugged"))
    again = told(tale.take(DeviceOnline(device="buttons", port="test")), "buttons")
    assert again == [before["buttons.lamps"], before["buttons.arm"]]


def test_a_command_is_done_when_its_own_device_says_so() -> None:
    tale = table()
    sent = tale.state.commands["buttons.lamps"]
    assert not sent.done
    tale.take(CommandDone(device="meter", id=sent.id))
    tale.take(CommandDone(device="buttons", id=sent.id + 1000))
    assert not tale.state.commands["buttons.lamps"].done
    tale.take(CommandDone(device="buttons", id=sent.id))
    assert tale.state.commands["buttons.lamps"] == msgspec.structs.replace(sent, done=True)


def test_a_late_word_about_an_older_command_ends_no_newer_one() -> None:
    tale = table()
    old = tale.state.commands["buttons.lamps"].id
    tale.deal("8S 8H KD 6S 6H")
    tale.take(CommandDone(device="buttons", id=old))
    assert not tale.state.commands["buttons.lamps"].done


def test_a_command_that_failed_is_trouble_and_is_sent_again_when_the_device_is_back() -> None:
    tale = table()
    sent = tale.state.commands["meter.show"]
    tale.take(CommandFailed(device="meter", id=sent.id, why="no answer"))
    assert tale.state.devices["meter"].trouble == "no answer"
    again = tale.take(DeviceOnline(device="meter", port="test"))
    assert told(again, "meter") == [sent.what]


def test_a_controller_that_starts_again_tells_everything_again() -> None:
    tale = table()
    tale.deal("8S 8H KD 6S 6H")
    for event in coming_up(PONTOON, BUTTONS):
        tale.take(event)
    tale.ask(ConfirmLayout())
    sent = [one for one in tale.outcomes if isinstance(one, Commanded)]
    assert [one.what for one in sent if one.what["do"] == "lamps"][-1]["lit"] == [
        "surrender-1",
        "surrender-3",
    ]
