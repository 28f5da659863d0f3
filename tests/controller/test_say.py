"""``tablekeeper say``: the words around the round, to a running table and in scripts."""

from collections.abc import Iterator

import msgspec
import pytest

from controller.events import AnswerAlarm, Ask
from controller.game import house
from controller.game.moves import Absent, CallDecisions, Present, Wager, Withdraw
from controller.scripts.house import HOUSE_WORDS, said
from controller.scripts.read import BadScript, parse_script
from controller.table.roles import ROLES
from tests.controller.scripts.playing import play_text
from tests.system.folder import short_folder
from tests.system.processes import tablekeeper
from tests.system.table import Running, running

MEANT = {
    "wager 1 ann 7.50": Wager(box=1, player="ann", main=750),
    "wager 1 ann 10 perfect-pairs 5 super_sevens 0": Wager(
        box=1, player="ann", main=1000, perfect_pairs=500, super_sevens=0
    ),
    "wager 1 ann 10 pandemonium 2.50 voucher": Wager(
        box=1, player="ann", main=1000, pandemonium=250, voucher=True
    ),
    "wager 1 ann 10 chips": Wager(box=1, player="ann", main=1000, voucher=False),
    "withdraw 1 ann": Withdraw(1, "ann"),
    "limits 10 500": house.SetLimits(1000, 50_000),
    "limits 10 500 5": house.SetLimits(1000, 50_000, 500),
    "notice 25": house.ShowNotice(2500),
    "notice off": house.RemoveNotice(),
    "own-limits ann 100 5000": house.SetOwnLimits("ann", 10_000, 500_000),
    "own-limits ann off": house.EndOwnLimits("ann"),
    "restrict ann minimum": house.Restrict("ann", "minimum"),
    "restrict ann further-shoes": house.Restrict("ann", "further-shoes"),
    "restrict ann one-box": house.Restrict("ann", "one-box"),
    "notified ann": house.InspectorNotified("ann"),
    "lift ann": house.Lift("ann"),
    "reserve 3 ann": house.Reserve("ann", (3,)),
    "reserve 3 4 5 ann": house.Reserve("ann", (3, 4, 5)),
    "release 3 4": house.Release((3, 4)),
    "most-players 2": house.SetMostPlayers(2),
    "most-players 2 5": house.SetMostPlayers(2, 5),
    "seat-wanted ann": house.SeatWanted("ann"),
    "seat-found ann": house.SeatFound("ann"),
    "reject 2 bob": house.Reject(2, "bob"),
    "absent 2": Absent(2),
    "absent 2 bob cam": Absent(2, ("bob", "cam")),
    "present 2 bob": Present(2, ("bob",)),
    "controls 2 bob because nearest": CallDecisions(2, "bob", "nearest"),
    "spoken 2 bob 20": house.SpokenWager(2, "bob", 2000, chips=True),
    "spoken 2 bob 20 without-chips": house.SpokenWager(2, "bob", 2000, chips=False),
    "handle 2 bob": house.Handle(2, "bob"),
    "handle 2 bob insurance": house.Handle(2, "bob", "insurance"),
    "answer-alarm it lay in the well": AnswerAlarm("it lay in the well"),
}
"""What is said, and what it asks for."""


@pytest.mark.parametrize(("words", "ask"), MEANT.items(), ids=MEANT)
def test_every_word_asks_for_what_it_says(words: str, ask: Ask) -> None:
    assert said(words.split()) == ask


def test_every_word_is_among_them_and_every_ask_has_one() -> None:
    assert {words.split()[0] for words in MEANT} == set(HOUSE_WORDS)
    kinds = {type(ask) for ask in MEANT.values()} - {Wager, Withdraw, Absent, Present, AnswerAlarm}
    assert kinds == {*house.AroundTheRound.__args__, *house.AtBox.__args__}


BAD = {
    "fly": "'fly' is no word: wager,",
    "wager 1 ann": "a box, a player and an amount follow; write it: wager BOX PLAYER AMOUNT [",
    "wager 1 ann 10 perfect-pairs": "an amount follows each of super_sevens, perfect_pairs, pan",
    "wager 1 ann 10 hunch 5": "'hunch' is none of super_sevens, perfect_pairs, pandemonium",
    "wager 1 ann 10 pandemonium 5 pandemonium 5": "pandemonium stands twice",
    "wager 1 ann 10 pandemonium five": "'five' is no amount",
    "wager 1 ann 10 voucher chips": "an amount follows each of",
    "wager 1 ann -10": "'-10' is no amount",
    "absent": "a box follows; write it: absent BOX [PLAYER ...]",
    "present 0": "'0' is no box: 1 to 9",
    "limits 10": "2 or 3 words follow, not 1; write it: limits MIN MAX [UNIT]",
    "limits 10 five": "'five' is no amount",
    "limits 0 500": "minimum",
    "notice": "1 words follow, not 0",
    "own-limits ann 5": "3 words follow",
    "restrict ann gently": "'gently' is none of minimum, further-shoes, one-box",
    "reserve ann": "boxes and a player follow",
    "reserve 0 ann": "'0' is no box: 1 to 9",
    "release": "boxes follow",
    "most-players 4": "'4' is none of 1, 2, 3",
    "controls 2 bob as nearest": "'as' is none of because",
    "controls 2 bob because older": "'older' is none of seated, highest, nearest",
    "spoken 2 bob 20 softly": "'softly' is none of without-chips",
    "handle 2 bob pandemonium": "'pandemonium' is none of main, insurance, double, split",
    f"lift {'x' * 41}": "player",
    "answer-alarm": "what the alarm was follows; write it: answer-alarm WHAT IT WAS",
}
"""What is said wrongly, and what is answered."""


@pytest.mark.parametrize(("words", "answer"), BAD.items(), ids=range(len(BAD)))
def test_a_word_that_is_wrong_is_explained(words: str, answer: str) -> None:
    with pytest.raises(ValueError, match=r"write it|is no word") as told:
        said(words.split())
    assert answer in str(told.value)


# --- in scripts -----------------------------------------------------------------------------------

SCRIPT = """\
title: a round
game: blackjack-nsw
bets:
  - {{box: 1, player: ann, main: 10}}
play:
  - {}
"""


@pytest.mark.parametrize("words", MEANT)
def test_every_word_is_a_step_and_one_of_a_supervisor(words: str) -> None:
    (plain,) = parse_script(SCRIPT.format(words).encode()).steps
    (above,) = parse_script(SCRIPT.format(f"supervisor inspector {words}").encode()).steps
    assert plain.args == (MEANT[words],)
    assert above.args == ("inspector", MEANT[words])


@pytest.mark.parametrize(
    "step", ["limits 10", "supervisor inspector limits 10", "supervisor nobody limits 10 500"]
)
def test_a_step_that_is_wrong_makes_a_bad_script(step: str) -> None:
    with pytest.raises(BadScript) as bad:
        parse_script(SCRIPT.format(step).encode())
    (fault,) = bad.value.faults
    assert fault.line == 6
    assert "Write it: " in fault.what


REFUSED = {
    "limits 2 500": "6.3",
    "notice 25": "6.3",
    "own-limits ann 5 5000": "6.4",
    "restrict bob minimum": "5.10",
    "restrict bob further-shoes": "5.11",
    "restrict bob one-box": "5.12",
    "reserve 3 ann": "5.13",
    "most-players 2": "5.4",
    "reject 1 ann": "6.2",
    "controls 1 bob because seated": "5.5",
    "spoken 2 bob 20": "5.1",
}
"""What the dealer says in vain, and by which clause."""


@pytest.mark.parametrize(("words", "rule"), REFUSED.items(), ids=REFUSED)
def test_a_script_lists_what_is_refused_with_its_clause(words: str, rule: str) -> None:
    """Rules 5.1, 5.4, 5.5, 5.10 to 5.13 and 6.2 to 6.4, as a script meets them."""
    result = play_text(SCRIPT.format(words))
    assert [(one.step, one.rule) for one in result.refused] == [(words, rule)]


# --- to a running table ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table() -> Iterator[Running]:
    """A running table; its tests each say words that no other looks at."""
    with short_folder() as folder, running(folder) as it:
        yield it


def test_5_13_what_is_said_is_accepted_and_the_dealer_is_told(table: Running) -> None:
    words = ["say", "reserve", "5", "ann", "--as", "pit-manager", "--socket", table.socket]
    done = tablekeeper(*words)
    assert (done.returncode, done.stderr) == (0, "")
    accepted, told = done.stdout.splitlines()
    assert accepted == "accepted"
    assert told.startswith("the dealer is told: Box 5: for ann alone")
    asked = table.rows("asked")[-1]["body"]
    assert asked["by"] == "pit-manager"
    assert msgspec.convert(asked["ask"], house.Reserve) == house.Reserve("ann", (5,))


def test_6_4_a_refusal_names_the_clause(table: Running) -> None:
    done = tablekeeper("say", "own-limits", "ann", 5, 5000, "--socket", table.socket)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("refused by 6.4: a casino supervisor gives")


def test_6_1_what_was_said_survives_a_power_cut() -> None:
    """Altered limits (6.1, 6.3) are in the log before they are answered."""
    with short_folder() as folder, running(folder) as table:
        words = ("say", "limits", "2", "50", "--as", "casino-supervisor", "--socket", table.socket)
        assert tablekeeper(*words).returncode == 0
        table.kill()
        table.start()
        limits = table.watch.look()["limits"]
    assert (limits["minimum"], limits["maximum"]) == (200, 5000)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["fly"], "is no word"),
        (["limits", "3"], "write it: limits MIN MAX"),
        (["limits", "3", "4", "--as", "King!"], "casino-duty-manager"),
        (["limits", "3", "4", "--as", "ines"], "no PIN was given"),
        (["lift", "ann", "--socket", "/nowhere/sock"], "no table answers at /nowhere/sock"),
    ],
)
def test_bad_usage_is_explained(words: list[str], told: str) -> None:
    done = tablekeeper("say", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_the_help_lists_every_word_and_every_role() -> None:
    told = tablekeeper("say", "--help").stdout
    assert [word for word in HOUSE_WORDS if f"  {word} " not in told] == []
    assert [role for role in ROLES if role not in told] == []
