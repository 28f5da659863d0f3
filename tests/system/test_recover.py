"""The way out of a log that is decided otherwise now: what a casino supervisor does and sees."""

import shutil
import subprocess
from collections.abc import Callable

import msgspec
import pytest

from controller.eventlog import Content, canonical
from controller.eventlog.files import key_folder
from tests.system import forged
from tests.system.processes import PATIENCE, PROGRAM, tablekeeper
from tests.system.table import Running

DIFFERS, DO_NOT_START, NOT_CLOSED = 70, 78, 3


@pytest.fixture
def otherwise(table: Running) -> Callable[[], None]:
    """Return a way to make the round in play one that is decided otherwise now."""

    def change() -> None:
        table.deal()
        table.stop()
        (dealt,) = [row for row in table.rows("dealt") if row["body"]["card"] == "5D"]

        def to_25(content: Content) -> Content:
            if content.seq != dealt["seq"]:
                return content
            body = msgspec.Raw(canonical({**dealt["body"], "total": "25"}))
            return msgspec.structs.replace(content, body=body)

        forged.rewrite(table.state, to_25)
        assert start_again(table).returncode == DIFFERS

    return change


def start_again(table: Running) -> subprocess.CompletedProcess[str]:
    return tablekeeper("run", "--rehearsal", "--config", table.config)


def recover(table: Running, *options: str) -> tuple[int, str]:
    done = tablekeeper("recover", "--rehearsal", "--config", table.config, *options)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("how", ["--as-recorded", "--void"])
def test_a_supervisor_says_how_it_goes_on_and_the_table_starts(
    table: Running, otherwise, how: str
) -> None:
    otherwise()

    status, said = recover(table, how, "--by", "casino-supervisor", "--words", "a new version")

    assert status == 0, said
    assert "is decided otherwise now than it was recorded" in said
    assert '"total":"25"' in said
    assert "box 2 ann hand 1 main, $10" in said
    (row,) = table.rows("recovered")
    assert (row["body"]["by"], row["body"]["words"]) == ("casino-supervisor", "a new version")
    assert row["body"]["how"] == how.removeprefix("--")
    by_hand = [r["body"]["what"] for r in table.rows("prompted") if r["cause"] == row["seq"]]
    voided = [r["body"]["row"] for r in table.rows("settled") if r["cause"] == row["seq"]]
    if how == "--void":
        assert {(one["box"], one["result"], one["returns"]) for one in voided} >= {
            (2, "void", 1000)
        }
        assert by_hand == []
    else:
        assert voided == []
        assert any(what.startswith("Settle by hand: box 2 ann") for what in by_hand)

    assert tablekeeper("log", "verify", table.state).returncode == 0
    table.start()
    round_ = table.watch.view["round"]
    table.watch.must("confirm-layout")
    table.deal()  # nothing of the round before is in the way
    table.finish()
    assert table.watch.view["round"] == round_ + 1


def test_it_is_recovered_once(table: Running, otherwise) -> None:
    otherwise()
    recover(table, "--void", "--by", "pit-manager")

    assert recover(table, "--void", "--by", "pit-manager") == (
        0,
        "Nothing to recover: the log is decided as it was recorded.\n",
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--void", "--by", "dealer"], "a casino supervisor says how a round goes on"),
        (["--void", "--by", "inspector"], "a casino supervisor says how a round goes on"),
        (["--void", "--by", "boss"], "--by boss is no role: dealer, game-supervisor"),
        (["--void"], "one of the arguments --as --by is required"),
        (["--void", "--as", "eve"], "no PIN was given"),
        (["--by", "pit-manager"], "say --as-recorded or --void"),
    ],
)
def test_who_may_not_or_says_too_little_is_told_so(
    table: Running, otherwise, options: list[str], words: str
) -> None:
    otherwise()
    before = len(table.rows())

    status, said = recover(table, *options)

    assert status == 2
    assert words in said
    assert "Traceback" not in said
    assert len(table.rows()) == before


def test_a_table_that_runs_is_not_recovered(table: Running) -> None:
    status, said = recover(table, "--void", "--by", "pit-manager")

    assert (status, "held by process" in said) == (69, True)


def test_a_lost_key_is_replaced_by_a_supervisor_and_the_round_goes_on(table: Running) -> None:
    table.deal()
    table.kill()
    shutil.rmtree(key_folder(table.state / "log"))
    done = start_again(table)
    assert done.returncode == DO_NOT_START
    assert "recover --new-key" in done.stderr

    status, said = recover(table, "--new-key", "--by", "casino-supervisor", "--words", "new disk")

    assert status == 0, said
    (_, second) = table.rows("day-opened")
    assert second["body"]["key_lost"] == {
        "by": "casino-supervisor",
        "who": "",
        "words": "new disk",
    }
    table.start()
    table.go_on()
    table.finish()
    checked = tablekeeper("log", "verify", table.state)
    assert checked.returncode == NOT_CLOSED
    assert recover(table, "--new-key", "--by", "casino-supervisor")[0] == 69


def test_at_a_real_table_a_supervisor_signs_with_their_pin(table: Running, otherwise) -> None:
    otherwise()
    for name, role, pin in (("sue", "casino-supervisor", "4711"), ("dan", "dealer", "8253")):
        add = ["operators", "add", "--state", str(table.state), name, role]
        assert piped(add, pin).returncode == 0
    command = ["recover", "--void", "--config", str(table.config)]

    claimed = piped([*command, "--by", "casino-supervisor"], "")
    assert (claimed.returncode, "counts at a rehearsal only" in claimed.stderr) == (2, True)
    wrong = piped([*command, "--as", "sue"], "0815")
    assert (wrong.returncode, "name or PIN is wrong" in wrong.stderr) == (2, True)
    dealer = piped([*command, "--as", "dan"], "8253")
    assert (dealer.returncode, "not the dealer" in dealer.stderr) == (2, True)

    assert piped([*command, "--as", "sue"], "4711").returncode == 0
    (row,) = table.rows("recovered")
    assert (row["body"]["by"], row["body"]["who"]) == ("casino-supervisor", "sue")


def piped(arguments: list[str], line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, *arguments],
        input=f"{line}\n",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
