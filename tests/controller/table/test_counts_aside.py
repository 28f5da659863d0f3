"""Cards in devices that are not in use, and sets of the wrong colour (3.1, nz:3.3(a), nz:3.4)."""

import pytest

from controller.events import AnswerAlarm, DeviceLost, NewShoe, NotBurned, Use
from controller.game.malfunction import (
    AnswerDamaged,
    AnswerDisadvantage,
    AnswerSpare,
    Confirm,
    Stay,
)
from controller.game.options import build
from controller.outcomes import Alarm
from controller.table.state import cards_in_pack
from tests.controller.table.fitted import fitted
from tests.controller.table.tale import SUPERVISOR, Tale
from tests.controller.table.test_counts_in_use import clear, out, reports

ROLES = {
    "shoe": "shoe",
    "shuffler-1": "shuffler",
    "shuffler-2": "shuffler",
    "multishuffler": "multishuffler",
    "pedal": "pedal",
}
NSW, NZ = "pontoon-nsw", "pontoon-nz"
FIRST, SECOND, MULTI = "shuffler-1", "shuffler-2", "multishuffler"
WHOLE = cards_in_pack(build(NSW, {}))


def table(source: str = FIRST, game: str = NSW) -> Tale:
    """Return a table that deals from a device, loaded; with a shuffler its whole pack is told."""
    tale = fitted(ROLES, build(game, {}))
    if source != "shoe":
        reports(tale, WHOLE, device=source)
    tale.ask(Use(source))
    assert tale.state.alarms == ()
    return tale


# --- NSW: one pack --------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["ready", "idle", "delivering"])
@pytest.mark.parametrize("inside", [1, 16, WHOLE])
def test_3_1_cards_in_the_other_device_are_too_many(inside: int, state: str) -> None:
    tale = table()
    (alarm,) = reports(tale, inside, state, SECOND)
    cards = "1 card" if inside == 1 else f"{inside} cards"
    assert alarm == (f"{cards} left in shuffler-2, which is not in use: take them out and count")
    assert len(reports(tale, inside, state, SECOND)) == 1
    tale.ask(AnswerAlarm("the other table's"), SUPERVISOR)
    out(tale, "2C")
    tale.wager()
    out(tale, "3C 4C")
    clear(tale)
    assert reports(tale, inside, state, SECOND) == (), "answered, and still the same"


@pytest.mark.parametrize("inside", [0, None])
def test_an_empty_device_waits_for_nothing(inside: int | None) -> None:
    tale = table()
    assert reports(tale, inside, device=SECOND) == ()
    out(tale, "2C")
    assert tale.state.alarms == ()


def test_3_1_cards_left_in_the_device_that_goes_out_of_use_are_told_then_and_there() -> None:
    tale = table()
    tale.ask(Use(SECOND))
    assert tale.state.alarms == (
        "288 cards left in shuffler-1, which is not in use: take them out and count",
    )


def test_3_1_what_was_moved_and_what_was_left_are_both_told() -> None:
    tale = table()
    reports(tale, 16)
    tale.ask(AnswerAlarm("they are being moved"), SUPERVISOR)
    reports(tale, 272, device=SECOND)
    tale.ask(AnswerAlarm("they are being moved"), SUPERVISOR)
    tale.ask(Use(SECOND))
    assert [alarm.split(",")[0] for alarm in tale.state.alarms] == [
        "16 cards left in shuffler-1",
        "shuffler-2 holds 272 cards",
    ]


def test_a_pack_moved_in_the_round_is_borne_without_the_cards_on_the_table() -> None:
    tale = table("shoe")
    tale.ask(NotBurned())
    tale.wager()
    out(tale, "3C 4C")
    assert reports(tale, WHOLE - 2, device=FIRST) == ()
    tale.ask(Use(FIRST))
    assert tale.state.alarms == ()


@pytest.mark.parametrize("from_", ["shoe", FIRST])
def test_a_whole_pack_on_its_way_to_the_next_device_is_borne(from_: str) -> None:
    tale = table(from_)
    if from_ != "shoe":
        reports(tale, 0, "idle", from_)
    assert reports(tale, WHOLE, device=SECOND) == ()
    tale.ask(Use(SECOND))
    out(tale, "2C")
    assert tale.state.alarms == ()


def test_3_1_cards_from_the_shoe_while_the_pack_is_said_to_lie_elsewhere() -> None:
    tale = table("shoe")
    assert reports(tale, WHOLE, device=FIRST) == ()
    out(tale, "2C")
    assert "288 cards left in shuffler-1" in tale.state.alarms[0]


@pytest.mark.parametrize("ask", [NewShoe(), Use("shoe")])
def test_3_1_the_shoe_is_loaded_and_cards_are_left_in_the_shuffler(ask: NewShoe | Use) -> None:
    tale = table("shoe")
    reports(tale, WHOLE, device=FIRST)
    tale.ask(ask)
    assert len(tale.state.alarms) == 1


def test_a_jammed_device_is_emptied_by_hand_and_does_not_know() -> None:
    tale = table()
    reports(tale, WHOLE, "jam")
    reports(tale, WHOLE, device=SECOND)
    tale.ask(Use(SECOND))
    assert tale.state.alarms == ()
    tale.take(DeviceLost(device=FIRST, why="carried away"))
    assert tale.state.alarms == ()


def test_3_1_what_a_mended_device_still_holds_is_told() -> None:
    tale = table()
    reports(tale, WHOLE, "jam")
    reports(tale, WHOLE - 4, device=SECOND)
    tale.ask(Use(SECOND))
    assert "4 are missing" in tale.state.alarms[0]
    tale.ask(AnswerAlarm("four are in the jammed one"), SUPERVISOR)
    assert len(reports(tale, 4)) == 1


def test_17_5_4_what_is_left_in_the_device_when_the_shoe_finishes_the_round() -> None:
    tale = table()
    out(tale, "2C")
    tale.wager()
    out(tale, "3C 4C")
    reports(tale, 285, "jam")
    for ask in (
        AnswerDamaged(),
        AnswerDisadvantage("none"),
        AnswerSpare(yes=False),
        Stay(1, "ann"),
        Confirm("shuffled-and-cut"),
        Confirm("shoe-loaded"),
    ):
        tale.ask(ask, SUPERVISOR)
    assert (tale.state.source, tale.state.alarms) == ("shoe", ())
    assert "2 cards left in shuffler-1" in reports(tale, 2)[0]


def test_17_5_4_a_whole_rest_in_the_mended_device_is_told_when_the_shoe_is_loaded() -> None:
    tale = table()
    tale.ask(NotBurned())
    tale.wager()
    out(tale, "3C 4C")
    reports(tale, 286, "jam")
    for ask in (
        AnswerDamaged(),
        AnswerDisadvantage("none"),
        AnswerSpare(yes=False),
        Stay(1, "ann"),
        Confirm("shuffled-and-cut"),
    ):
        tale.ask(ask, SUPERVISOR)
    assert reports(tale, 286) == ()
    tale.ask(Confirm("shoe-loaded"), SUPERVISOR)
    assert "286 cards left in shuffler-1" in tale.state.alarms[0]


# --- NZ: two sets ---------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["shoe", FIRST])
def test_nz_3_4_the_other_set_waits_in_the_other_shuffler(source: str) -> None:
    tale = table(source, NZ)
    tale.ask(NewShoe("blue"))
    assert reports(tale, WHOLE, device=SECOND, colour="red") == ()
    out(tale, "2C")
    tale.wager()
    out(tale, "3C 4C")
    assert reports(tale, 100, device=SECOND, colour="red") == (), "in the round it is not looked at"
    assert reports(tale, WHOLE, device=SECOND, colour="red") == ()
    clear(tale)
    assert tale.state.alarms == ()


@pytest.mark.parametrize("inside", [WHOLE - 16, WHOLE + 1, 3])
def test_nz_3_3_a_a_set_that_waits_and_is_not_whole(inside: int) -> None:
    tale = table("shoe", NZ)
    (alarm,) = reports(tale, inside, device=SECOND, colour="red")
    assert f"shuffler-2 holds {inside} cards, 288 make a whole pack" in alarm
    (told,) = [one for one in tale.outcomes if isinstance(one, Alarm)]
    assert told.rule == "nz:3.3(a)"


def test_nz_3_4_the_sets_change_places() -> None:
    tale = table(FIRST, NZ)
    reports(tale, WHOLE, device=FIRST, colour="blue")
    tale.ask(NewShoe("blue"))
    out(tale, "2C")
    tale.wager()
    out(tale, "3C 4C")
    clear(tale)
    reports(tale, WHOLE, device=SECOND, colour="red")
    tale.ask(Use(SECOND))
    assert tale.state.alarms == (), "the discards are not in shuffler-1 yet"
    assert reports(tale, WHOLE, device=FIRST, colour="blue") == ()
    out(tale, "2C")
    assert tale.state.alarms == ()


def test_nz_3_4_a_device_in_use_that_holds_the_other_set() -> None:
    tale = table(FIRST, NZ)
    reports(tale, WHOLE, device=FIRST, colour="red")
    tale.ask(NewShoe("blue"))
    what = "shuffler-1 holds the red set, and the blue set is in play"
    assert tale.state.alarms == (what,)
    tale.ask(AnswerAlarm("blue was meant"), SUPERVISOR)
    reports(tale, WHOLE, device=FIRST, colour="red")
    assert tale.state.alarms == (), "it was answered"
    tale.ask(NewShoe("red"))
    assert reports(tale, WHOLE, device=FIRST, colour="blue") == (
        "shuffler-1 holds the blue set, and the red set is in play",
    )


def test_nz_3_4_two_sets_of_one_colour() -> None:
    tale = table("shoe", NZ)
    reports(tale, WHOLE, device=FIRST, colour="red")
    tale.ask(NewShoe("red"))
    assert tale.state.alarms == ("shuffler-1 holds a red set as well, and the red set is in play",)


def test_nz_3_4_an_empty_shuffler_holds_no_set() -> None:
    tale = table("shoe", NZ)
    reports(tale, 0, "idle", FIRST, colour="red")
    tale.ask(NewShoe("red"))
    assert tale.state.alarms == ()


def test_nz_3_4_the_set_that_comes_back_for_its_shuffle_is_none() -> None:
    tale = table("shoe", NZ)
    reports(tale, WHOLE, device=FIRST, colour="red")
    tale.ask(NewShoe("blue"))
    out(tale, "2C")
    reports(tale, 0, "idle", FIRST)
    assert reports(tale, WHOLE, device=FIRST, colour="blue") == ()
    tale.ask(NewShoe("red"))
    assert tale.state.alarms == ()


# --- the multishuffler ----------------------------------------------------------------------------


@pytest.mark.parametrize("game", [NSW, NZ, "blackjack-nsw"])
@pytest.mark.parametrize("source", ["shoe", FIRST])
def test_4_1_a_second_pack_in_the_multishuffler_is_none(game: str, source: str) -> None:
    whole = cards_in_pack(build(game, {}))
    tale = fitted(ROLES, build(game, {}))
    reports(tale, whole, device=source) if source != "shoe" else None
    tale.ask(Use(source))
    for inside in (0, whole, 0, whole):
        assert reports(tale, inside, device=MULTI) == ()
    out(tale, "2C")
    tale.wager()
    out(tale, "3C 4C")
    assert reports(tale, 100, device=MULTI) == (), "discards, for the rest of the round (16.7)"
    assert reports(tale, whole, device=MULTI) == ()
    clear(tale)
    assert tale.state.alarms == ()


@pytest.mark.parametrize("inside", [1, WHOLE - 16, WHOLE + 1])
def test_3_1_a_pack_in_the_multishuffler_that_is_not_whole(inside: int) -> None:
    tale = table("shoe")
    assert reports(tale, inside, "shuffling", MULTI) == ()
    (alarm,) = reports(tale, inside, device=MULTI)
    assert "288 make a whole pack" in alarm
    tale.ask(AnswerAlarm("counted"), SUPERVISOR)
    assert reports(tale, inside, device=MULTI) == ()


def test_3_1_discards_left_in_the_multishuffler_are_told_before_the_next_round() -> None:
    tale = table("shoe")
    out(tale, "2C")
    tale.wager()
    out(tale, "3C 4C")
    reports(tale, 100, device=MULTI)
    assert tale.state.alarms == ()
    clear(tale)
    assert len(tale.state.alarms) == 1
