"""``log rounds``: one line a round, and what an auditor looks for in it."""

import shutil
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from controller.game.moves import NoMoreBets, Wager, Withdraw
from controller.logbook.kinds import EVENTS, OUTCOMES
from controller.logbook.rounds import HEAD
from controller.table.record import EVENT_KINDS
from tests.controller.logbook.logs import Ask, altered, part, play_asks, play_file

BAD_USAGE = 2

SUMS = {
    1: {"boxes": [1, 3], "players": ["ann", "bob"], "status": "complete", "staked": 3250,
        "vouchers": 0, "paid": 1900, "returned": 3250, "house": -1900, "marks": {}},
    2: {"boxes": [2], "players": ["cam"], "status": "complete", "staked": 1000,
        "vouchers": 0, "paid": 1000, "returned": 1000, "house": -1000,
        "marks": {"by a supervisor": 1, "corrected": 1, "refused": 1}},
    3: {"boxes": [2], "players": ["dee"], "status": "void", "staked": 3000,
        "vouchers": 3000, "paid": 0, "returned": 3000, "house": 0,
        "marks": {"by a supervisor": 1}},
    4: {"boxes": [5], "players": ["eve"], "status": "open", "staked": 4000,
        "vouchers": 0, "paid": 0, "returned": 0, "house": 0, "marks": {}},
}  # fmt: skip
"""What the four rounds come to, in cents."""


def numbers(ask: Ask, *words: object) -> list[int]:
    """Return the numbers of the rounds that are listed."""
    said = ask("rounds", "--json", *words)
    assert (said.status, said.err) == (0, "")
    return [line["round"] for line in said.json()]


@pytest.mark.parametrize("number", SUMS)
def test_a_round_is_added_up(ask: Ask, four_rounds: Path, number: int) -> None:
    line = ask("rounds", "--json", four_rounds).json()[number - 1]

    assert line | SUMS[number] == line
    assert line["round"] == number
    assert line["game"] == "blackjack-nsw"
    assert (line["ended"] is None) == (number == 4)
    assert not line["in_odds"]


def test_the_list_is_one_line_a_round_for_people(ask: Ask, four_rounds: Path) -> None:
    said = ask("rounds", four_rounds)
    head, *lines = said.out.splitlines()

    assert (said.status, said.err, head) == (0, "", HEAD)
    assert [line.split()[0] for line in lines] == ["1", "2", "3", "4"]
    assert [line for line in lines if not line.isprintable()] == []
    won, corrected, void, still_open = (line.split() for line in lines)
    assert won[4:] == ["blackjack-nsw", "1,3", "$32.50", "$19.00", "-$19.00", "complete"]
    assert corrected[8:] == [
        "-$10.00",
        "complete",
        "1",
        "by",
        "a",
        "supervisor,",
        "1",
        "corrected,",
        "1",
        "refused",
    ]
    assert void[9:] == ["void", "vouchers", "$30.00,", "1", "by", "a", "supervisor"]
    assert still_open[3:] == ["-", "blackjack-nsw", "5", "$40.00", "$0.00", "$0.00", "open"]


def test_times_are_those_of_the_machine(ask: Ask, four_rounds: Path) -> None:
    began = ask("rounds", "--json", four_rounds).json()[0]["started"]
    here = datetime.fromisoformat(began).astimezone().strftime("%Y-%m-%d %H:%M:%S")

    assert here in ask("rounds", four_rounds).out.splitlines()[1]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--box", 2], [2, 3]),
        (["--box", 9], []),
        (["--player", "bob"], [1]),
        (["--player", "nobody"], []),
        (["--kind", "corrected"], [2]),
        (["--kind", "refused"], [2]),
        (["--kind", "alarm"], []),
        (["--kind", "started"], [1]),
        (["--kind", "settled", "--box", 2], [2, 3]),
        (["--since", "yesterday"], [1, 2, 3, 4]),
        (["--until", "1999-12-31"], []),
    ],
    ids=str,
)
def test_rounds_are_picked(ask: Ask, four_rounds: Path, words: list[object], found) -> None:
    assert numbers(ask, *words, four_rounds) == found


def test_rounds_are_picked_by_when_they_went_on(ask: Ask, four_rounds: Path) -> None:
    second, third = ask("rounds", "--json", four_rounds).json()[1:3]
    just_after = datetime.fromisoformat(third["ended"]) + timedelta(microseconds=1)

    assert numbers(ask, "--since", third["started"], four_rounds) == [3, 4]
    assert numbers(ask, "--until", second["ended"], four_rounds) == [1, 2]
    both = ("--since", second["started"], "--until", third["started"])
    assert numbers(ask, *both, four_rounds) == [2, 3]
    assert numbers(ask, "--since", just_after.isoformat(), four_rounds) == [4]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--kind", "corected"], ["corected", "corrected", "alarm", "card-out"]),
        (["--box", "0"], ["0", "1 to 9"]),
        (["--box", "left"], ["left"]),
        (["--since", "noon"], ["noon", "2026-11-30", "yesterday"]),
        (["--until", "2026-02-30"], ["2026-02-30", "a day"]),
        (["--since", "today", "--until", "yesterday"], ["today", "after", "yesterday"]),
    ],
    ids=str,
)
def test_what_is_asked_wrongly_is_answered_with_what_is_allowed(
    ask: Ask, four_rounds: Path, words: list[str], said: list[str]
) -> None:
    answer = ask("rounds", *words, four_rounds)

    assert (answer.status, answer.out) == (BAD_USAGE, "")
    assert [word for word in said if word not in answer.err] == []


def test_every_kind_of_row_can_be_asked_for(ask: Ask, four_rounds: Path) -> None:
    assert set(EVENTS) == EVENT_KINDS
    for kind in (*EVENTS, *OUTCOMES):
        assert ask("rounds", "--kind", kind, four_rounds).status == 0


MARKED = {
    "malfunction/17.5-dealing-shoe/one-has-not-chosen": ("suspended", "rule 17"),
    "malfunction/17.4-terminated/pontoon-jackpot-drawn": ("void", "prize"),
    "blackjack-nsw/3-cards/more-copies-than-decks": ("open", "alarm"),
    "blackjack-nsw/devices/shoe-unplugged": ("complete", "layout in doubt"),
    "pontoon-nsw/18.14-pandemonium/waits-for-the-jackpot-button": ("open", ""),
}


@pytest.mark.parametrize("name", MARKED)
def test_a_round_has_its_status_and_its_marks(ask: Ask, tmp_path: Path, name: str) -> None:
    status, mark = MARKED[name]
    play_file(name, tmp_path / "state")
    line = ask("rounds", "--json", tmp_path / "state").json()[0]

    assert line["status"] == status
    assert mark in line["marks"] or not mark


def test_boxes_without_amounts_are_said_to_have_none(ask: Ask, tmp_path: Path) -> None:
    play_asks(tmp_path / "state", [Wager(box=1, player="ann"), NoMoreBets()], "AS 9D KS")

    line = ask("rounds", "--json", tmp_path / "state").json()[0]
    assert (line["in_odds"], line["staked"], line["boxes"]) == (True, 0, [1])
    assert "wagers without amounts" in ask("rounds", tmp_path / "state").out
    told = ask("show", 1, tmp_path / "state").out
    assert "some boxes are followed without amounts" in told
    assert part(told, "PAYMENTS")[1].split()[4:8] == ["no", "amount", "win", "3:2"]


VOUCHER = Wager(box=1, player="ann", main=1000, voucher=True)
SAID_AGAIN = (
    ((VOUCHER, Wager(box=1, player="ann", main=1000)), 1000),
    ((VOUCHER, Wager(box=1, player="ann", main=2000, voucher=False)), 0),
    ((VOUCHER, Wager(box=1, player="ann", main=2500, voucher=True)), 2500),
    ((VOUCHER, Withdraw(1, "ann"), Wager(box=1, player="ann", main=1000)), 0),
    ((Wager(box=1, player="ann", main=1000), Wager(box=1, player="ann", voucher=True)), 1000),
)


@pytest.mark.parametrize(("asks", "vouchers"), SAID_AGAIN)
def test_1_1_voucher_is_counted_as_it_lay_however_often_the_wager_was_said(
    ask: Ask, tmp_path: Path, asks: tuple[Wager | Withdraw, ...], vouchers: int
) -> None:
    play_asks(tmp_path / "state", [*asks, NoMoreBets()], "AS 9D KS")
    line = ask("rounds", "--json", tmp_path / "state").json()[0]
    assert line["vouchers"] == vouchers


def test_1_1_voucher_of_an_older_log_was_chips_when_it_was_said_again_without_a_word(
    ask: Ask, tmp_path: Path
) -> None:
    play_asks(tmp_path / "state", [VOUCHER, Wager(box=1, player="ann", main=1000)], "")
    with altered(tmp_path / "state") as db:
        db.execute("UPDATE event SET body = replace(body, '\"decider\":4', '\"decider\":2')")
    line = ask("rounds", "--json", tmp_path / "state").json()[0]
    assert (line["staked"], line["vouchers"]) == (1000, 0)


def test_rows_that_are_missing_are_told_where_they_were(ask: Ask, own: Path) -> None:
    whole = ask("rounds", own).out.splitlines()
    corrected = next(row["seq"] for row in ask("export", own).json() if row["kind"] == "corrected")
    with altered(own) as db:
        db.execute("DELETE FROM event WHERE seq BETWEEN ? AND ?", (corrected, corrected + 1))
    said = ask("rounds", own)
    lines = said.out.splitlines()

    assert said.status == 1
    assert lines[0:2] == whole[0:2]
    assert lines[2].startswith("!!! THE LOG WAS ALTERED OR DAMAGED: events ")
    assert f"{corrected} to {corrected + 1}" in lines[2]
    assert "!!! ROWS ARE MISSING !!!" in lines[3]
    assert lines[4:] == whole[3:]


def test_rows_that_cannot_be_read_are_counted_at_their_round(ask: Ask, own: Path) -> None:
    with altered(own) as db:
        db.execute("UPDATE event SET body = 'scratched' WHERE kind = 'settled' AND round = 1")
    said = ask("rounds", own)

    assert said.status == 1
    assert "!!! 2 rows ALTERED" in said.out.splitlines()[1]
    assert said.out.count("!!!") == 2


def test_a_listing_does_not_read_what_it_does_not_need_twice(ask: Ask, tmp_path: Path) -> None:
    """The last round is decided again to know what is open; that a log is at rest stays so."""
    play_file("pontoon-nz/seven-boxes-five-decks", tmp_path / "state")
    before = shutil.copytree(tmp_path / "state", tmp_path / "before")
    assert ask("rounds", tmp_path / "state").status == 0
    now = {file.name: file.read_bytes() for file in (tmp_path / "state" / "log").iterdir()}

    assert now == {file.name: file.read_bytes() for file in (before / "log").iterdir()}
