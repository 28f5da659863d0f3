"""``log rounds``, ``show`` and ``export`` say what is altered around the rows that they read."""

from pathlib import Path

import pytest

from controller.eventlog.files import days_in
from controller.eventlog.signing import read_public
from tests import forger
from tests.controller.logbook.logs import Ask, altered
from tests.planted import PLANTS

ASKED = (["rounds"], ["rounds", "--json"], ["show"], ["show", "2"], ["export"])
ALTERED = "!!! THE LOG WAS ALTERED OR DAMAGED: "


@pytest.mark.parametrize("words", ASKED, ids=" ".join)
def test_an_intact_log_is_shown_without_a_word(ask: Ask, own: Path, words: list[str]) -> None:
    said = ask(*words, own)
    assert (said.status, said.err) == (0, "")


@pytest.mark.parametrize("plant", PLANTS)
def test_what_is_no_file_of_the_log_is_said(ask: Ask, own: Path, plant: str) -> None:
    do, expected = PLANTS[plant]
    shown = [ask(*words, own).out for words in ASKED]
    do(own / "log")

    for words, before in zip(ASKED, shown, strict=True):
        said = ask(*words, own)
        assert expected in said.err
        assert "Traceback" not in said.err
        if plant == "a link to the file":  # there is nothing else to be shown
            assert said.status != 0
        else:
            assert said.err.startswith(ALTERED)
            assert (said.status, said.out) == (1, before)
    assert ask("verify", own).status == 1


@pytest.mark.parametrize("words", ASKED, ids=" ".join)
def test_a_tail_cut_off_is_said(ask: Ask, own: Path, words: list[str]) -> None:
    with altered(own) as db:
        db.execute("DELETE FROM event WHERE seq > (SELECT max(seq) - 1 FROM event)")

    said = ask(*words, own)
    assert said.status == 1
    assert "cut off: the witness saw" in said.err


def test_a_first_row_that_does_not_fit_is_said(ask: Ask, own: Path) -> None:
    (day,) = days_in(own / "log")
    forger.rewrite(day.path, forger.body_replaced('"day":1', '"day":2'))
    assert "its first row is that of day 2" in ask("rounds", own).err


def test_a_list_of_keys_that_does_not_fit_is_said(ask: Ask, own: Path) -> None:
    (key,) = read_public(own / "log" / "public-keys")
    forger.list_keys(own / "log", [key, key])
    said = ask("rounds", own)
    assert (said.status, "one key is listed for day 1 and for day 1" in said.err) == (1, True)


def test_a_round_that_is_not_there_may_have_been_in_what_is_altered(ask: Ask, own: Path) -> None:
    assert ask("show", 99, own).status == 2
    PLANTS["a later date"][0](own / "log")
    said = ask("show", 99, own)
    assert said.status == 1
    assert "there are two files for day 1" in said.err
    assert "round 99 is not in this log" in said.err
