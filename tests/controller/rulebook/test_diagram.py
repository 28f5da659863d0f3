"""The picture of the rows has every row on it, and nothing that is no row."""

import enum
import re

import pytest

from controller.errors import SettingsError
from controller.game import malfunction, shuffle
from controller.game.moves import Advance, CardDealt, NoMoreBets, Stand
from controller.game.options import NAMES
from controller.game.play import RoundState
from controller.game.row import Row
from controller.game.rows import ROWS
from controller.rulebook.diagram import DIAGRAMS, diagram, mermaid
from tests.controller.rulebook.pictures import pictures, shows

ARROW = re.compile(r"    (\w+) --> (\w+): (.+)")


class Light(enum.Enum):
    """States of a made-up table."""

    OFF = "light is off"
    ON = "on"


def test_an_arrow_has_a_line_for_each_clause_and_move() -> None:
    rows = [
        Row("7", (Light.OFF,), NoMoreBets, Light.ON),
        Row("5.2", (Light.OFF,), CardDealt, Light.ON),
        Row("5.2", (Light.OFF,), CardDealt, Light.ON, lambda *_: None),
        Row("13.4", (Light.OFF,), Advance, Light.ON),
        Row("10.1.3", (Light.OFF,), Stand, None),
    ]

    assert list(mermaid(rows, Light)) == [
        "stateDiagram-v2",
        '    state "light is off" as OFF',
        '    state "on" as ON',
        "    [*] --> OFF",
        "    OFF --> OFF: 10.1.3 stand",
        "    OFF --> ON: 7 no more bets<br/>5.2 card dealt<br/>13.4",
        "    ON --> [*]",
    ]


TABLES = {
    ("round", "blackjack-nsw"): (ROWS["blackjack"], RoundState),
    ("round", "pontoon-nsw"): (ROWS["pontoon"], RoundState),
    ("round", "pontoon-nz"): (ROWS["pontoon"], RoundState),
    ("malfunction", "pontoon-nsw"): (malfunction.ROWS, malfunction.ProcedureState),
    ("shuffle", "pontoon-nsw"): (shuffle.ROWS, shuffle.ShuffleState),
}


@pytest.mark.parametrize(("name", "game"), TABLES)
def test_every_row_is_on_it_and_nothing_else(name: str, game: str) -> None:
    rows, states = TABLES[name, game]
    drawn = {
        (source, target, line.split(" ")[0])
        for source, target, lines in ARROW.findall(diagram(name, game))
        for line in lines.split("<br/>")
    }

    assert drawn == {
        (state.name, (row.to or state).name, row.rule) for row in rows for state in row.states
    }
    assert {name for source, target, _ in drawn for name in (source, target)} <= {
        state.name for state in states
    }


def test_every_diagram_and_every_game_is_drawn() -> None:
    assert {name for name, _ in TABLES} == set(DIAGRAMS)
    assert {game for name, game in TABLES if name == "round"} == set(NAMES)


def test_games_differ_where_their_rules_do() -> None:
    assert "18.9.5 forfeit" in diagram("round", "pontoon-nsw")
    assert "forfeit" not in diagram("round", "blackjack-nsw")
    assert "9.1.2 even money" in diagram("round", "blackjack-nsw")


def test_there_is_no_round_of_an_unknown_game() -> None:
    with pytest.raises(SettingsError, match="poker"):
        diagram("round", "poker")


def test_a_page_is_known_to_be_fresh_or_stale() -> None:
    round_, faults = diagram("round", "pontoon-nsw"), diagram("malfunction", "pontoon-nsw")
    page = f"# Title\n\n```mermaid\n{round_}```\n\nText.\n\n```mermaid\n{faults}```\n"

    assert pictures(page) == [round_, faults]
    assert shows(page, "round")
    assert shows(page, "malfunction")
    assert not shows(page, "round", "blackjack-nsw")
    assert not shows(page.replace("18.9.5 forfeit", "18.9.6 forfeit", 1), "round")
    assert not shows(page.replace("```mermaid", "```"), "round")
