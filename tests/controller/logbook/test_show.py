"""``log show ROUND``: the round as a story."""

import contextlib
import itertools
import re
import subprocess
from pathlib import Path

import pytest

from controller.eventlog import EventLog
from controller.events import Ask as AskUnion
from controller.logbook.asks import ask_words
from controller.logbook.show import Meant, meant
from controller.money import to_the_cent
from tests.controller.logbook.logs import TEXTS, Ask, altered, part, play_file, play_texts
from tests.system.processes import PATIENCE, PROGRAM

BAD_USAGE = 2


STORY = Path(__file__).parent / "round-2.txt"
"""The second round as it is told, with ``#`` for numbers and times that are others each time."""


def masked(out: str) -> str:
    """Return what was shown without times, numbers of events and decider."""
    day = re.sub(r"\w+ \d+ \w+ \d{4}", "DAY", out, count=1)
    zone = re.sub(r", [^;,\n]+; events \d+ to \d+", ", ZONE; events # to #", day, count=1)
    times = re.sub(r"\d\d:\d\d:\d\d", "##:##:##", zone)
    return re.sub(r"(decider) \d+", r"\1 #", re.sub(r"#\d+ +", "#   ", times))


def test_a_round_with_a_slip_and_a_refusal_is_told_as_a_story(ask: Ask, four_rounds: Path) -> None:
    said = ask("show", 2, four_rounds)

    assert (said.status, said.err) == (0, "")
    assert masked(said.out) == STORY.read_text(encoding="utf-8")


def test_3_1_an_alarm_that_came_often_is_told_each_time_with_its_count(
    ask: Ask, tmp_path: Path
) -> None:
    play_file("blackjack-nsw/3-cards/one-answer-for-one-card-too-often", tmp_path)
    happened = "\n".join(part(ask("show", 1, tmp_path).out, "WHAT HAPPENED"))

    often = "2S came out {} times since the shuffle: the pack holds 3"
    assert f"ALARM: {often.format(4)} (3.1)" in happened
    assert f"ALARM: {often.format(6)} (3 times) (3.1)" in happened
    assert f"answered: {often.format(6)} (3 times)" in happened
    assert "1 alarm" in ask("rounds", tmp_path).out.splitlines()[1]


def test_the_payments_stand_in_a_table_with_clause_and_reason(ask: Ask, four_rounds: Path) -> None:
    out = ask("show", 1, four_rounds).out
    rows = [re.split(r" {2,}", line.strip()) for line in part(out, "PAYMENTS")]
    head = "box player hand wager stake result odds pays returns clause why"

    assert "staked $32.50; paid $19.00; returned $32.50; the house lost $19.00" in out
    assert " ".join(rows[0]) == head
    assert " ".join(rows[1][:9]) == "1 ann 1 main $12.50 win 3:2 $19.00 $12.50"
    assert " ".join(rows[2][:9]) == "3 bob 1 main $20.00 stand-off - $0.00 $20.00"
    assert rows[2][10] == "Equal totals stand off."
    assert " ".join(rows[3]) == "all $32.50 $19.00 $32.50"


def test_a_round_that_goes_on_shows_what_is_open(ask: Ask, four_rounds: Path) -> None:
    out = ask("show", 4, four_rounds).out

    assert ", not cleared yet, " in out.splitlines()[1]
    payment = part(out, "PAYMENTS")[1].split()
    assert " ".join(payment) == "5 eve 1 main $40.00 open - - -"


def test_who_signed_in_is_named_where_the_log_knows(ask: Ask, own: Path) -> None:
    with altered(own) as db:
        db.execute(
            "UPDATE event SET body = json_set(body, '$.who', 'J. Smith') WHERE kind = 'asked'"
            " AND body LIKE '%game-supervisor%'"
        )
    asked = part(ask("show", 2, own).out, "BY A SUPERVISOR")

    assert [line for line in asked if "game supervisor J. Smith: card 3 of the round" in line]


def test_rule_17_is_told_step_by_step(ask: Ask, tmp_path: Path) -> None:
    play_file("malfunction/17.3-replace/one-damaged-card", tmp_path / "state")
    out = ask("show", 1, tmp_path / "state").out
    happened = "\n".join(part(out, "WHAT HAPPENED"))

    steps = [
        "shuffler-1 reports damaged-card",
        "RULE 17, shuffler-1 (a card is damaged): the round is suspended, four questions are put",
        "game supervisor: Are cards in the device damaged? Name each of them, or none: KH",
        "damaged cards are replaced, the others go to another device",
        "game supervisor: done: the cards were moved to the other device -> accepted",
        "the round goes on",
        "shuffler-2: 9S -> to box 1, total 19",
    ]
    places = [happened.find(step) for step in steps]
    assert -1 not in places
    assert places == sorted(places)
    assert len(part(out, "BY A SUPERVISOR")) == 7


PRIZE = "malfunction/17.4-terminated/pontoon-jackpot-drawn"


def test_a_prize_can_be_derived_again_from_what_is_shown(ask: Ask, tmp_path: Path) -> None:
    play_file(PRIZE, tmp_path / "state")
    out = ask("show", 1, tmp_path / "state").out
    lines = part(out, "PRIZE DRAW")
    rows = ask("export", tmp_path / "state").json()
    (chance,) = (row["body"]["bytes"] for row in rows if row["kind"] == "chance")
    (drawn,) = (row["body"]["prize"] for row in rows if row["kind"] == "drawn")

    assert f"random bytes (hexadecimal): {chance}" in lines[1]
    number, total, point = (
        int(word)
        for word in lines[2].replace(";", "").split()
        if word.isdigit() and int(word) > len(chance)
    )
    assert number == int(chance[:16], 16)  # 8 bytes; a draw passes over them once in 10^13
    assert point == number % total
    (here,) = (line for line in lines if line.endswith("<-- here"))
    first, _, last, prize, *_ = here.split()
    assert int(first) <= point <= int(last)
    assert prize == to_the_cent(drawn * 100)
    assert lines[-1].endswith("; the same")


def test_a_prize_that_the_bytes_do_not_draw_is_told(ask: Ask, tmp_path: Path) -> None:
    play_file(PRIZE, tmp_path / "state")
    with altered(tmp_path / "state") as db:
        db.execute("UPDATE event SET body = json_set(body, '$.prize', 250000) WHERE kind = 'drawn'")
    out = ask("show", 1, tmp_path / "state").out

    assert "recorded: $250,000.00 for each dollar wagered; NOT THE SAME" in out
    assert "!!! The round was decided again, and WHAT IS RECORDED DID NOT COME OUT: !!!" in out


def test_the_burn_card_is_not_told(ask: Ask, tmp_path: Path) -> None:
    state = tmp_path / "state"
    play_texts([TEXTS[0].replace("play:\n", "play:\n  - new-shoe\n  - cards 4H\n")], state)
    out = ask("show", 1, state).out

    assert "shoe: a card face down -> burned, face down" in out
    assert "4H" not in out


FACE_DOWN = """\
title: face down
game: blackjack-nsw
options: {face_down: true}
bets:
  - {box: 1, player: ann, main: 10}
  - {box: 2, player: bob, main: 10}
play:
  - no-more-bets
  - cards 5S 6H 9D 7S 8H
"""


def test_cards_that_lie_face_down_are_not_told_while_the_round_goes_on(
    ask: Ask, tmp_path: Path
) -> None:
    play_texts([FACE_DOWN], tmp_path / "going-on")
    out = ask("show", 1, tmp_path / "going-on").out
    assert "shoe: a card face down -> to box 1, face down" in out
    assert "box 2 (bob): 2 x a card face down" in out
    assert [card for card in ("5S", "6H", "7S", "8H") if card in out] == []

    play_texts([FACE_DOWN + "  - stand\n  - stand\n  - cards TD\n"], tmp_path / "over")
    assert "box 2 (bob): 6H 8H = 14" in ask("show", 1, tmp_path / "over").out


@pytest.mark.parametrize(
    ("words", "lines_of", "what"),
    [
        (["12", "here"], None, Meant(12, None, Path("here"))),
        (["here", "12"], None, Meant(12, None, Path("here"))),
        (["12"], None, Meant(12, None, None)),
        (["here"], None, Meant(None, None, Path("here"))),
        (["here"], 12, Meant(None, 12, Path("here"))),
        (["./12"], None, Meant(None, None, Path("12"))),
        ([], None, Meant(None, None, None)),
    ],
)
def test_round_and_path_come_in_any_order(words, lines_of, what: Meant) -> None:
    assert meant(words, lines_of) == what


@pytest.mark.parametrize("words", [["1", "2"], ["a", "b"], ["1", "a", "b"], ["--round", 1, 2]])
def test_too_much_is_refused_with_how_it_is_written(ask: Ask, words: list[object]) -> None:
    said = ask("show", *words)

    assert (said.status, said.out) == (BAD_USAGE, "")
    assert "log show ROUND [PATH]" in said.err


def test_a_round_that_is_not_there_is_answered_with_those_that_are(
    ask: Ask, four_rounds: Path
) -> None:
    for number in (0, 5, 4711):
        said = ask("show", number, four_rounds)
        assert (said.status, said.out) == (BAD_USAGE, "")
        assert said.err == (
            f"tablekeeper: round {number} is not in this log: it has rounds 1 to 4\n"
        )


def test_a_log_without_rounds_says_so(ask: Ask, tmp_path: Path) -> None:
    EventLog.open(tmp_path / "log").close()

    assert "no round was opened in it" in ask("show", 1, tmp_path).err
    assert ask("rounds", tmp_path).status == 0


def test_the_lines_of_a_round_are_those_of_the_whole_list(ask: Ask, four_rounds: Path) -> None:
    every = ask("show", four_rounds).out.splitlines()
    of_two = ask("show", "--round", 2, four_rounds).out.splitlines()

    assert of_two
    assert of_two == [line for line in every if line.split()[2] == "2"]


def test_rows_that_are_missing_are_told_where_they_were(ask: Ask, own: Path) -> None:
    (seq,) = (row["seq"] for row in ask("export", own).json() if row["kind"] == "corrected")
    with altered(own) as db:
        db.execute("DELETE FROM event WHERE seq = ?", (seq,))
    said = ask("show", 2, own)

    loud = f"!!! THE LOG WAS ALTERED OR DAMAGED: event {seq}: they are missing !!!"
    assert said.status == 1
    assert f"  {loud}" in part(said.out, "WHAT HAPPENED")
    assert "!!! ROWS OF THIS ROUND WERE ALTERED OR DAMAGED" in said.out
    assert "can't be decided again" in part(said.out, "CHECKED")[0]
    listed = ask("show", own)
    assert (listed.status, loud in listed.out.splitlines()) == (1, True)


SCRATCHED = ("", "scratched", "[]", "{}", '{"row":7}', '{"rule":1,"what":{"do":[]}}', "\x1b[2J")


def test_any_row_may_be_scratched(ask: Ask, own: Path) -> None:
    rows = [row["seq"] for row in ask("export", own).json() if row["round"] == 2]
    for seq, body in zip(rows, itertools.cycle(SCRATCHED)):
        with altered(own) as db:
            (was,) = db.execute("SELECT body FROM event WHERE seq = ?", (seq,)).fetchone()
            db.execute("UPDATE event SET body = ? WHERE seq = ?", (body, seq))
        said = ask("show", 2, own)
        listed = ask("rounds", own)
        with altered(own) as db:
            db.execute("UPDATE event SET body = ? WHERE seq = ?", (was, seq))

        assert said.out.startswith("Round 2, ")
        assert "\x1b" not in said.out
        assert len(listed.out.splitlines()) == 5
    assert ask("show", 2, own).status == 0


def test_a_time_that_is_none_is_shown_as_none(ask: Ask, own: Path) -> None:
    with altered(own) as db:
        db.execute("UPDATE event SET at = 'yesterday' WHERE round = 2")

    assert "??:??:??" in ask("show", 2, own).out
    assert "????-??-?? ??:??:??" in ask("rounds", own).out


def test_everything_that_can_be_asked_has_words() -> None:
    for kind in AskUnion.__args__:
        word = str(kind.__struct_config__.tag)
        assert ask_words({"do": word})
    absent = {"do": "absent", "box": 3}
    assert ask_words(absent) == "box 3: nobody is there to decide"
    assert ask_words({**absent, "players": ["ann", "bob"]}) == "box 3: ann and bob are away"
    assert ask_words({"do": "present", "box": 3, "players": ["ann"]}) == "box 3: ann is back"
    aside = {"do": "wager", "box": 3, "player": "ann", "main": 1000, "perfect_pairs": 0}
    assert ask_words(aside) == "box 3 ann: wager $10.00, perfect pairs taken back"
    assert ask_words({**aside, "voucher": False}).startswith("box 3 ann: chips of $10.00, ")
    assert ask_words({"do": "fly", "to": "the moon"}) == "fly, to the moon"
    assert ask_words({"do": "box-3"}) == "box-3"


@pytest.mark.parametrize("words", [["rounds"], ["show", "1"]], ids=str)
def test_a_pipe_that_is_closed_ends_it_quietly(four_rounds: Path, words: list[str]) -> None:
    with subprocess.Popen(
        [*PROGRAM, "log", *words, four_rounds], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
        assert (process.wait(PATIENCE), said) == (0, b"")


def test_a_round_is_shown_while_the_log_is_written(ask: Ask, own: Path) -> None:
    before = ask("show", 2, own).out
    with contextlib.closing(EventLog.open(own / "log")):
        assert ask("show", 2, own).out == before
