"""``tablekeeper signs``: what must stand at a table, from the configuration in force."""

from html.parser import HTMLParser
from pathlib import Path

import pytest

from controller.cards import Card
from controller.cli import main
from controller.game.hands import odds_of_21
from controller.game.options import NAMES, Game, build
from controller.game.prizes import PRIZES
from controller.settings import read_game
from controller.signs import as_page, as_text, signs
from tests.system.table import config

BLACKJACK, PONTOON, NZ = NAMES


def lines(game: Game) -> dict[str, str]:
    """Return all lines of all signs of a game."""
    return {left: right for sign in signs(game) for left, right in sign.lines}


def rules(game: Game) -> list[str]:
    """Return the clauses behind the signs of a game."""
    return [sign.rule for sign in signs(game)]


@pytest.mark.parametrize("name", NAMES)
def test_6_1_the_limits_are_on_a_sign_at_every_game(name: str) -> None:
    shown = lines(build(name, {"minimum": "7.50", "maximum": "2500"}))
    assert (shown["Minimum wager"], shown["Maximum wager"]) == ("$7.50", "$2,500")


def test_14_3_the_amount_of_side_wagers_that_are_offered() -> None:
    game = build(BLACKJACK, {"side_wager": "2.50", "perfect_pairs": "false"})
    shown = lines(game)
    assert shown["Super Sevens wager from"] == "$2.50"
    assert "Perfect Pairs wager from" not in shown
    assert rules(game) == ["6.1", "14.3"]
    assert rules(build(BLACKJACK, {"decks": "4"})) == ["6.1"], "none are offered"


def test_11_2_1_12_5_1_the_players_are_told_of_what_else_is_offered() -> None:
    both = build(BLACKJACK, {"decks": "4", "double_with_ace": "true", "resplit": "true"})
    assert rules(both) == ["6.1", "11.2.1, 12.5.1"]
    one = build(BLACKJACK, {"decks": "4", "resplit": "true"})
    assert rules(one) == ["6.1", "12.5.1"]
    assert "Splitting once more, to a third hand" in lines(one)


def test_18_14_3_18_14_6_pandemoniums_amount_and_its_prizes() -> None:
    game = read_game(PONTOON, {"side_wager": "5"})
    assert lines(game)["Pontoon Pandemonium wager from"] == "$5"
    (prizes,) = [sign for sign in signs(game) if sign.rule == "18.14.6"]
    assert [left for left, _ in prizes.lines] == [f"${prize:,}" for prize in PRIZES]
    assert rules(read_game(PONTOON, {"pandemonium": "false"})) == ["6.1", "18.13.2"]


@pytest.mark.parametrize(
    ("hand", "line"),
    [
        ("2S 3S 4S 5S 7S", "21 in five cards *"),
        ("2S 2S 3S 4S 5S 5S", "21 in six cards *"),
        ("2S 2S 2S 3S 3S 4S 5S", "21 in seven or more cards *"),
        ("6S 7H 8S", "6-7-8 or 7-7-7 of mixed suits *"),
        ("7S 7H 7S", "6-7-8 or 7-7-7 of mixed suits *"),
        ("6H 7H 8H", "6-7-8 or 7-7-7 of one suit, not spades *"),
        ("7D 7D 7D", "6-7-8 or 7-7-7 of one suit, not spades *"),
        ("6S 7S 8S", "6-7-8 or 7-7-7 of spades *"),
        ("9S 9H 3S", "Every other winning wager"),
    ],
)
def test_18_13_2_the_sign_shows_what_is_paid(hand: str, line: str) -> None:
    """Table 1 on the sign is the one by which hands are paid (18.13.1)."""
    odds = odds_of_21([Card(card) for card in hand.split()])
    assert lines(read_game(PONTOON, {}))[line] == odds.replace(":", " to ")


def test_18_13_2_the_super_bonus_is_on_the_sign_where_it_is_paid() -> None:
    shown = lines(read_game(PONTOON, {}))
    assert shown["Super Bonus **, wager from $5 to below $25"] == "$1,000"
    assert shown["Super Bonus **, wager of $25 or more"] == "$5,000"
    without = as_text("x", list(signs(read_game(PONTOON, {"super_bonus": "false"}))))
    assert "Super Bonus" not in without
    assert "Super Bonus" not in as_text("x", list(signs(read_game(NZ, {}))))


def test_nz_5_4_table_1_fills_in_at_new_zealand_tables() -> None:
    game = read_game(NZ, {})
    assert rules(game) == ["6.1", "18.13.2"]
    assert lines(game)["21 in six cards *"] == "2 to 1"


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.attributes: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes += [name for name, _ in attrs]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.mark.parametrize("name", NAMES)
def test_the_page_is_one_whole_file_without_scripts_that_says_the_same(name: str) -> None:
    shown = list(signs(read_game(name, {})))
    page = _Page()
    page.feed(as_page("<Table> & 1", shown))
    page.close()
    assert page.open == []
    assert not {"script", "link", "img", "iframe"} & set(page.seen)
    assert not {"src", "href", "onload"} & set(page.attributes)
    assert "<Table> & 1" in page.text
    for sign in shown:
        assert {sign.heading, *sign.notes} <= set(page.text)
        for left, right in sign.lines:
            assert {left, *([right] if right else [])} <= set(page.text)


def test_the_configuration_in_force_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "table.toml"
    ports = {"shoe": "/dev/none"}
    file.write_text(config(tmp_path, ports, more="[game]\nminimum = 25\nside_wager = 5\n"))
    assert main(["signs", "--config", str(file)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "Test 1"
    assert any(line.split() == ["Minimum", "wager", "$25"] for line in said)
    assert any(line.split()[-1:] == ["$5"] and "Pandemonium" in line for line in said)


def test_a_game_as_it_ships_as_text_and_as_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["signs", "--game", BLACKJACK]) == 0
    assert "Perfect Pairs" in capsys.readouterr().out
    assert main(["signs", "--page"]) == 0
    assert capsys.readouterr().out.startswith("<!doctype html>\n")


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--config", "x.toml", "--game", NZ], 2, "leave --game out"),
        (["--config", "/nowhere/x.toml"], 78, "/nowhere/x.toml: there is no such file"),
    ],
)
def test_what_cannot_be_is_told(
    arguments: list[str], status: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["signs", *arguments]) == status
    told = capsys.readouterr()
    assert told.out == ""
    assert words in told.err
