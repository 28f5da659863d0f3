"""The device in use says how many cards it holds: off by the host's count is an alarm (3.1)."""

import pytest

from controller.cards import Card
from controller.events import (
    AnswerAlarm,
    CardOut,
    CardsInDoubt,
    ConfirmLayout,
    DeviceFault,
    DeviceLost,
    DeviceOnline,
    DeviceReports,
    EndRound,
    EnterCard,
    NewShoe,
    NotBurned,
    Use,
)
from controller.game.malfunction import (
    AnswerDamaged,
    AnswerDisadvantage,
    AnswerPracticable,
    AnswerSpare,
    Confirm,
    WorksAgain,
)
from controller.game.moves import Burn, Cleared
from controller.game.options import build
from controller.outcomes import Alarm
from controller.table.decision import Decision
from controller.table.state import StandingAlarm, cards_in_pack
from controller.table.view import view
from tests.controller.table.fitted import fitted, restarted
from tests.controller.table.tale import SUPERVISOR, Tale, cards

GAME = build("pontoon-nsw", {})
WHOLE = cards_in_pack(GAME)
DEVICES = {"shoe": "shoe", "shuffler-1": "shuffler", "shuffler-2": "shuffler", "pedal": "pedal"}
IN_USE, SPARE = "shuffler-1", "shuffler-2"


def table(game: str = "pontoon-nsw") -> Tale:
    """Return a table whose cards were loaded into shuffler-1; the burn card is due."""
    tale = fitted(DEVICES, build(game, {}))
    tale.ask(Use(IN_USE))
    assert tale.state.alarms == ()
    return tale


def reports(
    tale: Tale, inside: int | None, state: str = "ready", device: str = IN_USE, colour: str = ""
) -> tuple[str, ...]:
    tale.take(DeviceReports(device=device, state=state, cards_inside=inside, colour=colour))
    return tale.state.alarms


def out(tale: Tale, words: str, device: str = "") -> Decision:
    for card in cards(words):
        last = tale.take(CardOut(device=device or tale.state.source, card=card))
    return last


def clear(tale: Tale) -> None:
    """End the round; the next one opens."""
    tale.ask(EndRound(), SUPERVISOR)
    tale.ask(Cleared())


def told(tale: Tale) -> list[tuple[str, int]]:
    """Return the alarms that were told, with the count of each."""
    return [(one.what, one.times) for one in tale.outcomes if isinstance(one, Alarm)]


def answer(tale: Tale) -> None:
    tale.ask(AnswerAlarm("looked into it"), SUPERVISOR)


# --- at its own report, before the round is dealt -------------------------------------------------


@pytest.mark.parametrize(
    ("state", "inside", "words"),
    [
        ("ready", WHOLE - 16, "shuffler-1 holds 272 cards, 288 should be inside: 16 are missing"),
        ("ready", WHOLE + 1, "shuffler-1 holds 289 cards, 288 should be inside: 1 too many"),
        ("idle", 1, "shuffler-1 holds 1 card, 288 should be inside: 287 are missing"),
        ("delivering", WHOLE - 1, "shuffler-1 holds 287 cards, 288 should be inside: 1 is missing"),
    ],
)
@pytest.mark.parametrize("has_wager", [False, True])
def test_3_1_a_count_that_is_off_is_told_at_once(
    state: str, inside: int, words: str, has_wager: bool
) -> None:
    tale = table()
    if has_wager:
        tale.wager()
        tale.pedal()
    (alarm,) = reports(tale, inside, state)
    assert alarm.startswith(words)
    (one,) = [one for one in tale.outcomes if isinstance(one, Alarm)]
    assert (one.rule, one.what) == ("18.4.1", alarm)
    assert view(tale.state)["alarms"] == [alarm]


@pytest.mark.parametrize(
    ("game", "rule"),
    [("blackjack-nsw", "3.1"), ("pontoon-nsw", "18.4.1"), ("pontoon-nz", "nz:3.3(a)")],
)
def test_3_1_the_clause_is_of_the_game_that_is_played(game: str, rule: str) -> None:
    tale = table(game)
    reports(tale, 7)
    (one,) = [one for one in tale.outcomes if isinstance(one, Alarm)]
    assert one.rule == rule


@pytest.mark.parametrize(
    ("state", "inside"),
    [
        ("ready", WHOLE),
        ("ready", None),
        ("idle", 0),  # the cards are being put in
        ("loading", 16),
        ("shuffling", 272),
        ("door-open", 272),
        ("offline", 272),
        ("service", 272),
        ("jam", 272),
    ],
)
def test_a_count_that_is_right_unknown_or_not_made_is_none(state: str, inside: int | None) -> None:
    assert reports(table(), inside, state) == ()


def test_3_1_what_was_in_trouble_is_counted_when_it_is_well() -> None:
    tale = table()
    reports(tale, WHOLE - 16, "jam")
    assert len(reports(tale, WHOLE - 16)) == 1


# --- one alarm for one cause ----------------------------------------------------------------------


def test_3_1_the_same_count_is_told_once_and_not_again_when_it_was_answered() -> None:
    tale = table()
    for _ in range(3):
        assert len(reports(tale, WHOLE - 16)) == 1
    answer(tale)
    assert reports(tale, WHOLE - 16) == ()
    out(tale, "2C")  # the burn card
    assert reports(tale, WHOLE - 17) == ()
    tale.take(DeviceLost(device=IN_USE, why="unplugged"))
    answer(tale)  # that it went away with cards
    tale.take(DeviceOnline(device=IN_USE, port="p"))
    tale.ask(ConfirmLayout())
    assert reports(tale, WHOLE - 17) == ()
    tale.take(restarted(GAME, DEVICES))
    tale.take(DeviceOnline(device=IN_USE, port="p"))
    tale.ask(ConfirmLayout())
    assert reports(tale, WHOLE - 17) == ()
    assert [what for what, _ in told(tale) if "should be inside" in what] == [told(tale)[0][0]]


def test_3_1_another_count_is_the_same_alarm_with_the_latest_words() -> None:
    tale = table()
    reports(tale, WHOLE - 16)
    (alarm,) = reports(tale, WHOLE - 17)
    assert alarm.startswith("shuffler-1 holds 271 cards")
    assert alarm.endswith("(2 times)")
    assert [times for _, times in told(tale)] == [1, 2]
    answer(tale)
    assert tale.state.alarms == ()
    assert len(reports(tale, WHOLE - 16)) == 1, "it is another number again"


def test_3_1_a_count_that_was_right_meanwhile_is_told_again() -> None:
    tale = table()
    for inside in (WHOLE - 16, WHOLE, WHOLE - 16):
        reports(tale, inside)
    assert [times for _, times in told(tale)] == [1, 2]


def test_3_1_what_the_device_says_of_itself_is_the_same_alarm() -> None:
    tale = table()
    reports(tale, WHOLE - 16, "count-mismatch")
    answer(tale)
    assert reports(tale, WHOLE - 16) == (), "it was told already"
    (alarm,) = reports(tale, WHOLE - 15)
    assert "273" in alarm
    (standing,) = tale.state.standing
    assert isinstance(standing, StandingAlarm)
    assert standing.cause == f"count {IN_USE}"


# --- cards come out -------------------------------------------------------------------------------


def test_3_1_the_burn_card_is_counted() -> None:
    tale = table()
    reports(tale, WHOLE)
    out(tale, "2C")
    assert reports(tale, WHOLE - 1) == ()
    (alarm,) = reports(tale, WHOLE - 2)
    assert "286 cards, 287 should be inside: 1 is missing" in alarm


def test_3_1_a_burn_card_that_the_device_did_not_miss_is_told_at_the_next_card() -> None:
    tale = table()
    reports(tale, WHOLE)
    out(tale, "2C")
    assert reports(tale, WHOLE) == (), "it may have been put back, before a new shuffle"
    tale.wager()
    out(tale, "3C")
    assert "287 cards, 286 should be inside: 1 too many" in tale.state.alarms[0]


def test_16_9_a_forgotten_burn_card_is_counted_as_well() -> None:
    tale = table()
    reports(tale, WHOLE)
    tale.ask(NotBurned())
    tale.wager()
    out(tale, "2C 3C 4C")
    clear(tale)
    assert reports(tale, WHOLE - 3) == ()


def test_3_1_an_unread_card_and_one_found_face_up_are_counted() -> None:
    tale = table()
    reports(tale, WHOLE)
    out(tale, "2C")
    tale.wager()
    out(tale, "??")
    tale.ask(Burn(Card("3C")))
    clear(tale)
    assert reports(tale, WHOLE - 3) == ()


def test_17_1_in_the_round_nothing_is_told_and_before_the_next_it_is() -> None:
    tale = table()
    reports(tale, WHOLE)
    out(tale, "2C")
    tale.wager()
    out(tale, "3C 4C")
    assert reports(tale, WHOLE - 7) == ()
    out(tale, "5C")
    tale.ask(EndRound(), SUPERVISOR)
    assert tale.state.alarms == ()
    opened = tale.ask(Cleared())
    (alarm,) = tale.state.alarms
    assert "280 cards, 284 should be inside: 4 are missing" in alarm
    last = opened.outcomes[-1]
    assert type(last).__name__ == "RoundOpened"
    assert last.state == tale.state, "the row of the round carries the alarm"


def test_3_1_discards_put_back_are_borne_until_cards_are_loaded() -> None:
    tale = table()
    reports(tale, WHOLE)
    out(tale, "2C")
    tale.wager()
    out(tale, "3C 4C 5C")
    clear(tale)
    reports(tale, 0, "loading")
    reports(tale, WHOLE, "shuffling")
    assert reports(tale, WHOLE) == ()
    tale.ask(NewShoe())
    assert tale.state.alarms == ()
    out(tale, "2C")
    assert reports(tale, WHOLE - 1) == ()


def test_3_1_discards_put_back_without_a_word_are_told_at_the_next_card() -> None:
    tale = table()
    reports(tale, WHOLE)
    out(tale, "2C")
    tale.wager()
    out(tale, "3C 4C 5C")
    clear(tale)
    reports(tale, WHOLE)
    tale.wager()
    out(tale, "6C")
    (alarm,) = tale.state.alarms
    assert "287 cards, 283 should be inside: 4 too many" in alarm


def test_3_1_a_device_that_says_it_is_empty_and_deals_is_off() -> None:
    tale = table()
    reports(tale, 0, "idle")
    assert tale.state.alarms == ()
    out(tale, "2C")
    assert len(tale.state.alarms) == 1


# --- cards are said to be loaded ------------------------------------------------------------------


def test_3_1_cards_that_are_not_in_the_device_when_they_are_said_to_be() -> None:
    tale = table()
    reports(tale, WHOLE)
    out(tale, "2C")
    tale.wager()
    out(tale, "3C 4C 5C")
    clear(tale)
    assert reports(tale, WHOLE - 4) == ()
    tale.ask(NewShoe())
    (alarm,) = tale.state.alarms
    assert "284 cards, 288 should be inside: 4 are missing" in alarm
    answer(tale)
    reports(tale, WHOLE)
    tale.ask(NewShoe())
    assert tale.state.alarms == ()


def test_3_1_a_new_load_that_is_off_by_as_much_is_told_again() -> None:
    tale = table()
    reports(tale, WHOLE - 16)
    answer(tale)
    tale.ask(NewShoe())
    assert len(tale.state.alarms) == 1


@pytest.mark.parametrize("state", ["loading", "shuffling"])
def test_3_1_a_device_that_still_shuffles_is_counted_when_it_is_ready(state: str) -> None:
    tale = table()
    reports(tale, 100, state)
    tale.ask(NewShoe())
    assert tale.state.alarms == ()
    assert len(reports(tale, WHOLE - 16)) == 1


def test_16_7_only_the_discards_are_loaded_in_mid_round() -> None:
    for missing in (0, 2):
        tale = table()
        reports(tale, WHOLE)
        out(tale, "2C")
        tale.wager()
        out(tale, "3C 4C 5C")
        reports(tale, WHOLE - 3 - missing)
        tale.ask(NewShoe())
        assert len(tale.state.alarms) == bool(missing)


@pytest.mark.parametrize("ask", [NewShoe(), Use(IN_USE)])
def test_a_device_that_is_empty_when_its_cards_are_said_to_be_loaded(ask: NewShoe | Use) -> None:
    tale = table()
    reports(tale, 0, "idle")
    tale.ask(ask)
    assert tale.state.alarms == (), "they are about to be put in"
    assert reports(tale, WHOLE) == ()


# --- the layout is in doubt -----------------------------------------------------------------------


def test_cards_pulled_while_the_device_was_away_are_entered_first() -> None:
    tale = table()
    reports(tale, WHOLE)
    out(tale, "2C")
    tale.wager()
    tale.take(DeviceLost(device=IN_USE, why="unplugged"))
    answer(tale)
    tale.take(DeviceOnline(device=IN_USE, port="p"))
    assert tale.state.in_doubt
    assert reports(tale, WHOLE - 3) == ()
    tale.ask(EnterCard(Card("3C")))
    tale.ask(EnterCard(Card("4C")))
    assert tale.state.alarms == ()
    tale.ask(ConfirmLayout())
    clear(tale)
    assert tale.state.alarms == ()


def test_3_1_a_card_that_was_not_entered_is_told_when_the_layout_is_confirmed() -> None:
    tale = table()
    reports(tale, WHOLE)
    out(tale, "2C")
    tale.take(CardsInDoubt(device=IN_USE, why="messages were lost"))
    assert reports(tale, WHOLE - 2) == ()
    tale.ask(ConfirmLayout())
    (alarm,) = tale.state.alarms
    assert "1 is missing" in alarm


@pytest.mark.parametrize("back", [False, True])
def test_what_a_device_said_before_it_was_away_counts_no_more(back: bool) -> None:
    tale = table()
    reports(tale, WHOLE)
    out(tale, "2C")
    tale.wager()
    out(tale, "3C 4C")
    clear(tale)
    tale.take(restarted(GAME, DEVICES))
    if back:
        tale.take(DeviceOnline(device=IN_USE, port="p"))
    tale.ask(EnterCard(Card("5C")))
    tale.ask(ConfirmLayout())
    assert tale.state.alarms == ()
    tale.take(DeviceOnline(device=IN_USE, port="p"))
    assert reports(tale, WHOLE - 4) == ()


def test_what_a_device_with_a_fault_said_counts_no_more() -> None:
    tale = table()
    reports(tale, WHOLE)
    tale.take(DeviceFault(device=IN_USE, code="wrong-unit", text="another unit is there"))
    tale.ask(EnterCard(Card("2C")))
    assert tale.state.ledger.count == 1
    assert tale.state.alarms == ()


# --- rule 17 --------------------------------------------------------------------------------------


def jammed(damaged: str = "") -> Tale:
    """Return a table in a round, whose device in use is jammed and whose spare may take over."""
    tale = table("blackjack-nsw")
    reports(tale, 312)
    reports(tale, 0, "idle", SPARE)
    out(tale, "2C")
    tale.wager()
    out(tale, "TS 9D")
    reports(tale, 309, "jam")
    for ask in (
        AnswerDamaged(tuple(cards(damaged))),
        AnswerDisadvantage("none"),
        AnswerSpare(yes=True),
        AnswerPracticable(yes=True),
    ):
        tale.ask(ask, SUPERVISOR)
    assert tale.state.alarms == ()
    return tale


@pytest.mark.parametrize("missing", [0, 3])
def test_17_2_cards_that_were_left_behind_are_told_when_the_game_goes_on(missing: int) -> None:
    tale = jammed()
    assert reports(tale, 309 - missing, device=SPARE) == ()
    tale.ask(Confirm("transferred"), SUPERVISOR)
    assert tale.state.malfunction is None
    assert tale.state.source == SPARE
    assert len(tale.state.alarms) == bool(missing)
    if missing:
        assert "shuffler-2 holds 306 cards, 309 should be inside" in tale.state.alarms[0]
        answer(tale)
        assert len(reports(tale, missing)) == 1, "the first one is mended and says what it holds"
        assert "3 cards left in shuffler-1, which is not in use" in tale.state.alarms[0]


def test_17_2_what_a_jammed_device_said_is_not_believed_once_it_was_emptied() -> None:
    tale = jammed()
    reports(tale, 309, device=SPARE)
    tale.ask(Confirm("transferred"), SUPERVISOR)
    tale.take(DeviceLost(device=IN_USE, why="carried away"))
    assert tale.state.alarms == ()


@pytest.mark.parametrize("later", [False, True])
def test_17_3_3_replacement_cards_are_counted_when_they_are_in(later: bool) -> None:
    tale = jammed("KH QH")
    tale.ask(Confirm("damaged-removed"), SUPERVISOR)
    reports(tale, 307, device=SPARE)
    tale.ask(Confirm("transferred"), SUPERVISOR)
    if not later:
        reports(tale, 309, device=SPARE)
    tale.ask(Confirm("replaced", (Card("KH"), Card("QH"))), SUPERVISOR)
    assert tale.state.malfunction is None
    assert reports(tale, 309, device=SPARE) == ()
    clear(tale)
    assert tale.state.alarms == ()


def test_17_3_3_replacement_cards_that_never_come_are_told_before_the_next_round() -> None:
    tale = jammed("KH QH")
    tale.ask(Confirm("damaged-removed"), SUPERVISOR)
    reports(tale, 307, device=SPARE)
    tale.ask(Confirm("transferred"), SUPERVISOR)
    tale.ask(Confirm("replaced", (Card("KH"), Card("QH"))), SUPERVISOR)
    assert tale.state.alarms == ()
    clear(tale)
    assert "2 are missing" in tale.state.alarms[0]


@pytest.mark.parametrize("missing", [0, 3])
def test_17_1_a_device_that_works_again_is_counted(missing: int) -> None:
    tale = jammed()
    tale.ask(AnswerSpare(yes=False), SUPERVISOR)
    reports(tale, 309 - missing)
    assert tale.state.alarms == ()
    tale.ask(WorksAgain(), SUPERVISOR)
    assert tale.state.malfunction is None
    assert len(tale.state.alarms) == bool(missing)


def test_17_1_a_device_unplugged_in_the_round_is_a_matter_of_rule_17() -> None:
    tale = table()
    reports(tale, WHOLE)
    tale.wager()
    out(tale, "2C 3C")
    tale.take(DeviceLost(device=IN_USE, why="unplugged"))
    assert tale.state.malfunction is not None
    assert tale.state.alarms == ()


def test_17_4_a_round_that_is_terminated_leaves_nothing_uncounted() -> None:
    tale = jammed()
    tale.ask(AnswerDisadvantage("house"), SUPERVISOR)
    assert reports(tale, 300) == ()
    tale.ask(Cleared())
    assert "9 are missing" in tale.state.alarms[0]
