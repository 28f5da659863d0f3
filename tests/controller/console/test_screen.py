"""The table's view, drawn and told: whatever a view holds, it can be shown."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from controller.console.lines import lines, news, opening
from controller.console.screen import cards, screen
from controller.table.roles import WHO_ANSWERS
from tests.system.demo import played
from tests.system.folder import short_folder
from tests.system.table import Running


def drawn(view: dict[str, Any], width: int = 120) -> str:
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(screen(view, "a note"))
    return out.getvalue()


def test_a_table_without_a_round(shared_table: Running) -> None:
    text = drawn(shared_table.watch.look())

    for words in (
        "Test 1",
        "round 1",
        "no box is in play",
        "Check the cards before they are used. Shuffle the cards",
        "288 left",
        "a note",
    ):
        assert words in text


def test_a_round_from_the_wagers_to_what_is_paid(table: Running) -> None:
    table.watch.must("wager", box=2, player="ann", main=1000, pandemonium=500)
    table.watch.must("wager", box=2, player="bob", main=750)
    text = drawn(table.watch.look())
    assert "$10 + Pandemonium $5" in text
    assert "$7.50" in text
    assert "ann ●" in text
    assert "pedal: no more bets" in text
    table.go_on()
    table.draw("8S", "9H", "8D")
    table.watch.must("split")
    table.draw("3C")
    text = drawn(table.watch.look())
    assert text.count("▶") == 1
    assert "8♠ 3♣" in text
    table.draw("KS")
    assert "bust" not in drawn(table.watch.look())
    table.draw("2C", "9D", "8C")
    text = drawn(table.watch.look())
    assert "Pay and clear" in text
    for row in table.watch.view["settlements"]:
        assert row["rule"] in text


def test_what_is_wrong_is_shown_at_once(table: Running) -> None:
    view = table.watch.look()
    view |= {"trouble": "Stop: nothing can be recorded", "alarms": ["TS is not in this pack"]}
    view["devices"]["shoe"] |= {"online": False, "trouble": "the cable is out"}
    view["health"]["shoe"]["state"] = "lost"
    text = drawn(view)

    for words in ("nothing can be recorded", "ALARM TS is not in this pack", "the cable is out"):
        assert words in text
    assert f"Call {WHO_ANSWERS}, who says: answer-alarm WHAT IT WAS" in text
    assert WHO_ANSWERS not in drawn({**view, "alarms": []})


def test_a_disk_that_fills_up_is_shown_and_is_no_alarm(shared_table: Running) -> None:
    warning = "The disk of the table is nearly full: about 12 days left"
    view = {**shared_table.watch.look(), "warning": warning}

    assert f"! {warning}" in drawn(view)
    assert "ALARM" not in drawn(view)
    assert list(news({}, view)) == [warning]
    assert list(news(view, view)) == []
    assert list(news(view, {**view, "warning": ""})) == [f"over: {warning}"]


def test_what_the_self_test_found_is_shown(shared_table: Running) -> None:
    checks = [
        {"name": "disk", "ok": True, "words": "500 MB are free"},
        {"name": "clock", "ok": False, "words": "it shows 1970: set it"},
    ]
    view = {**shared_table.watch.look(), "self_test": checks}

    assert "✓ disk: 500 MB are free" in drawn(view)
    assert "! clock: it shows 1970: set it" in drawn(view)
    assert list(opening(view)) == ["self-test: clock: it shows 1970: set it"]
    (line,) = lines([{"round": 1, "kind": "self-tested", "body": {"checks": checks}}])
    assert line.endswith("self-test: clock: it shows 1970: set it")


def test_what_no_clause_gives_is_told_without_one() -> None:
    bodies = [{"what": "the clock went back", "rule": ""}, {"what": "TS is new", "rule": "3.1"}]
    told = [next(lines([{"round": 1, "kind": "alarm", "body": body}])) for body in bodies]

    assert told[0].endswith("ALARM: the clock went back")
    assert told[1].endswith("ALARM: TS is new (3.1)")


def test_an_alarm_that_came_often_is_told_with_its_count() -> None:
    body = {"what": "AS came out 9 times", "rule": "3.1", "times": 3}
    (told,) = lines([{"round": 1, "kind": "alarm", "body": body}])
    assert told.endswith("ALARM: AS came out 9 times (3.1) (3 times)")
    answered = {"what": "AS came out 9 times", "times": 3}
    (told,) = lines([{"round": 1, "kind": "alarm-answered", "body": answered}])
    assert told.endswith("alarm answered: AS came out 9 times (3 times)")


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_any_width_can_be_drawn(table: Running, width: int) -> None:
    table.deal()
    text = drawn(table.watch.look(), width)

    assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("name", ["[bold]x[/bold]", "[/]", "[red", ":smile:", "ann\\", "李"])
def test_a_players_name_is_shown_as_it_is(table: Running, name: str) -> None:
    table.watch.must("wager", box=2, player=name, main=1000)

    assert name in drawn(table.watch.look(), 200)


@pytest.mark.parametrize("name", ["Pontoon [1]", "[bold]x[/bold]", "[/]"])
def test_a_tables_name_is_shown_as_it_is(shared_table: Running, name: str) -> None:
    assert name in drawn({**shared_table.watch.look(), "table": name})


@pytest.mark.parametrize("name", ["\x1b[31mred", "a\nb", "a\x07b", "a\x9b2Jb"])
def test_a_players_name_cannot_disturb_the_terminal(table: Running, name: str) -> None:
    """Refused, or shown without what a terminal would obey."""
    table.watch.ask("wager", box=2, player=name, main=1000)
    shown = drawn(table.watch.look(), 200)
    told = "\n".join(lines([row for row in table.rows() if row["kind"] == "accepted"]))

    for sign in "\x1b\x07\x9b":
        assert sign not in shown + told
    assert len(told.splitlines()) <= 1


def test_cards_are_written_as_they_are_printed() -> None:
    assert cards(["7S", "TH", "AD", "KC", "??"]).plain == "7♠ 10♥ A♦ K♣ ?? "


@pytest.fixture(scope="module")
def rows() -> Iterator[list[dict[str, Any]]]:
    """The log of a demo."""
    with short_folder() as folder:
        yield played(Path(folder) / "state", "--rounds", 2, "--seed", 5)


def test_every_row_of_a_demo_is_a_line_or_silent(rows: list[dict[str, Any]]) -> None:
    told = list(lines(rows))

    assert all(line.startswith("round ") and "\n" not in line for line in told)
    assert sum(" wagers $" in line for line in told) == len(
        [row for row in rows if "wager" in json.dumps(row["body"]) and row["kind"] == "accepted"]
    )
    assert sum(": win" in line or ": lose" in line for line in told) == len(
        [
            row
            for row in rows
            if row["kind"] == "settled" and row["body"]["row"]["result"] in {"win", "lose"}
        ]
    )
