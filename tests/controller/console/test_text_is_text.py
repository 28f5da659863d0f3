"""No screen interprets what it shows, and nothing reaches one that cannot be seen."""

import io
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from rich.console import Console

import controller
from controller.characters import printable, printable_as
from controller.console.lines import lines
from controller.console.screen import screen
from controller.devices.gather import Configured, Gathered, Present
from controller.devices.show import show
from controller.doctor import command as doctor
from controller.doctor.finding import Finding, trouble
from controller.terminal import PlainText, Terminal
from tests.hidden import MARKED_UP, SEEN, hidden_in, texts
from tests.system.processes import PROGRAM, tablekeeper
from tests.system.table import Running
from tests.system.terminal import Terminal as Pty

NOT_WORDS = {"cards", "undue", "do", "kind"}
"""Keys of a view whose values are the product's own, as the faces of cards."""


def with_words(value: Any, words: str) -> Any:
    """Return a view with words added to every text in it that may come from outside."""
    match value:
        case str():
            return value + words
        case dict():
            return {
                key: one if key in NOT_WORDS else with_words(one, words)
                for key, one in value.items()
            }
        case list():
            return [with_words(one, words) for one in value]
    return value


def drawn(view: dict[str, Any], note: str, *, interprets: bool) -> str:
    """Return what is drawn, by the product's console or by one that interprets all it can."""
    out = io.StringIO()
    how: dict[str, Any] = {"file": out, "width": 250, "color_system": None}
    console = Console(**how) if interprets else Terminal(**how)
    console.print(screen(view, note))
    return out.getvalue()


@pytest.fixture
def view(table: Running) -> dict[str, Any]:
    """A view in which everything that can be shown is shown."""
    table.deal()
    table.go_on()
    table.draw("8C")
    view = table.watch.look() | {
        "trouble": "trouble",
        "warning": "warning",
        "alarms": ["an alarm"],
        "self_test": [{"name": "disk", "ok": False, "words": "full"}],
        "corrections": [
            {
                "box": 1, "player": "ann", "wager": "main", "hand": 1,
                "was": 5, "now": 10, "was_returned": 0, "now_returned": 0,
            }
        ],
        "procedure": {
            "device": "shoe", "text": "jam", "branch": "",
            "answers": {"damaged": ["7S"], "spare": "yes"},
            "questions": [{"words": "which?"}],
            "steps": [{"words": "do it", "done": False}],
            "electors": [{"box": 1, "player": "ann", "choice": ""}],
        },
    }  # fmt: skip
    assert view["boxes"]
    assert view["settlements"]
    return view


@pytest.mark.parametrize("interprets", [True, False])
def test_whatever_words_a_view_holds_they_are_drawn_and_can_be_seen(
    view: dict[str, Any], interprets: bool
) -> None:
    @settings(max_examples=60, deadline=None, suppress_health_check=[*HealthCheck])
    @given(words=texts)
    def every(words: str) -> None:
        text = drawn(with_words(view, words), words, interprets=interprets)
        assert hidden_in(text) == []

    every()


@pytest.mark.parametrize("words", MARKED_UP)
@pytest.mark.parametrize("interprets", [True, False])
def test_markup_is_shown_as_it_is_wherever_it_stands(
    view: dict[str, Any], words: str, interprets: bool
) -> None:
    text = drawn(with_words(view, words), f"a note {words}", interprets=interprets)

    assert f"a note {words}" in text
    plain = drawn(view, "a note", interprets=interprets)
    assert text.count(words) >= 30 > plain.count(words)


@pytest.mark.parametrize("name", MARKED_UP)
def test_a_round_of_a_player_with_such_a_name_is_shown_to_its_end(
    table: Running, name: str
) -> None:
    with Pty([*PROGRAM, "watch", "--socket", table.socket]) as terminal:
        terminal.until("Test 1", "round 1")
        table.watch.must("wager", box=2, player=name, main=1000)
        table.go_on()
        table.draw("KS", "9H", "5D")
        terminal.until("Box 2 has 15", name)
        table.go_on()
        terminal.forget()
        table.draw("8C")

        terminal.until("final settlement", f"box 2 {name}", "paid and cleared")
        terminal.forget()
        terminal.type(":")
        terminal.type(f"lift {name}\r")
        terminal.until("refused by", name)
        terminal.type("q")
        assert terminal.ended() == 0
        assert "Traceback" not in terminal.text


def test_names_of_every_script_are_shown_in_their_columns(table: Running) -> None:
    for box, name in enumerate(("李小龙", "Zoë", "محمد", "🎲"), 1):
        table.watch.must("wager", box=box, player=name, main=1000)
    out = io.StringIO()
    Terminal(file=out, width=100, color_system=None).print(screen(table.watch.look()))
    rows = [line for line in out.getvalue().splitlines() if "$10" in line]

    assert len(rows) == 4
    assert {cells(row[: row.index("$10")]) for row in rows} == {cells(rows[0].partition("$10")[0])}


def cells(text: str) -> int:
    """Return the columns of a terminal that a text takes: Han and dice take two."""
    return len(text) + len(re.findall("[\u4e00-\u9fff\U0001f3b2]", text))


@pytest.mark.parametrize("name", SEEN)
def test_what_people_are_called_is_told_as_it_is(name: str) -> None:
    what = {"do": "wager", "box": 2, "player": name, "main": 1000}
    out = io.StringIO()
    (line,) = lines([{"round": 1, "kind": "accepted", "body": {"what": what}}])
    PlainText(out).write(line)

    assert f"box 2 {name} wagers $10" in out.getvalue()


@pytest.mark.parametrize("words", [*MARKED_UP, "\x1b[2J", "\u202e", "\U000e0041", "\udcff"])
def test_what_a_machine_calls_things_is_told_as_text(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the names of programs, which any user may choose, and those of what is plugged in."""
    found = [trouble(f"port {words}", f"{words} has it open", words, words)]
    doctor.show(f"Table {words}", printable_as(found, list[Finding]))
    device = Configured(
        name=words, driver=words, role=words, port=words, there=True, unit=words, fault="",
        state="lost", detail=words, reconnects=1, counters={words: 1},
    )  # fmt: skip
    present = Present(
        kind="usb", port=words, node=words, unit=words, socket=words, what=words, device="",
        drivers=[words], known=True,
    )  # fmt: skip
    gathered = Gathered(words, True, [device], [present], [words])
    show(printable_as(gathered, Gathered), Terminal(width=300))
    told = capsys.readouterr().out

    assert hidden_in(told) == []
    assert told.count(printable(words)) >= 15


def test_only_one_place_makes_a_console_or_reads_markup() -> None:
    """A title or a cell that is no `Text` is markup to Rich; a console of its own reads it, too."""
    folder = Path(controller.__file__).parent
    makes = re.compile(r"\bConsole\(|from_markup|from_ansi|subtitle=[\"f]|title=f?\"")
    found = {
        file.relative_to(folder).as_posix(): makes.findall(file.read_text())
        for file in folder.rglob("*.py")
        if "from rich" in file.read_text()
    }

    assert {name: what for name, what in found.items() if what} == {
        "console/watch.py": ['subtitle="'],  # "waiting for it; q leaves"
    }


@pytest.mark.parametrize("words", [["\x1b[2J"], ["--\u202e"], ["log", "show", "\x9b2J\u3164"],
    ["play", "\x1b[2J.yaml"], ["say", "reserve", "1", "a\u200bn"], ["say", "\x1b]0;x\x07"],
    ["say", "reserve", "1", "\udcff"], ["run", "--config", "/\u2066\U000e0041"],
    ["watch", "--socket", "/\x1b[2J"], ["operators", "add", "\u202e", "x", "--state", "/\x07"],
    ["log", "verify", "/\udcfe\x1b"], ["log", "verify", "--json", "/\udcfe\x1b"],
    ["recover", "--config", "/\u2028", "--as", "\x1b"], ["doctor", "--config", "/\x1b[2J"],
    ["watch"], ["log", "rounds"], ["say", "limits", "10", "500"],
    ["demo", "--state", "/dev/null/\x1b"],
    ["devices", "--simulated", "/\u202e[/b]"], ["rules", "\x1b\u115f"],
])  # fmt: skip
def test_what_is_typed_at_a_command_comes_back_as_text(words: list[str], tmp_path: Path) -> None:
    where = {"XDG_STATE_HOME": f"{tmp_path}/\x1b[2J\u202e[/b]", "PYTHONIOENCODING": "utf-8"}
    done = tablekeeper(*words, environment=where)

    assert hidden_in(done.stdout + done.stderr) == []
    assert "Traceback" not in done.stderr
    assert done.stdout + done.stderr
