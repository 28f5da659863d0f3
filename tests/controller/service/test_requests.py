"""What can be asked over the control socket, and what is answered."""

from importlib.metadata import version
from typing import Any

from tests.system.table import Running, rows_of
from tests.system.talk import Talk

WAGER = {"box": 2, "player": "ann", "main": 1000}


def seen(table: Running) -> dict[str, Any]:
    return table.watch.look()


def test_the_table_speaks_first_and_says_what_it_is(shared_table: Running) -> None:
    with Talk(shared_table.socket) as talk:
        assert talk.hello == {
            "tablekeeper": 1,
            "table": "Test 1",
            "version": version("tablekeeper"),
            "rehearsal": True,
        }


def test_an_answer_carries_the_number_of_its_request(shared_table: Running) -> None:
    with Talk(shared_table.socket) as talk:
        talk.send(b'{"id": 77, "view": true}\n{"id": -3, "view": true}\n')

        assert [talk.line()["id"], talk.line()["id"]] == [77, -3]


def test_an_accepted_request_is_in_the_log_when_it_is_answered(table: Running) -> None:
    with Talk(table.socket) as talk:
        answer = talk.ask("wager", **WAGER)

    assert answer == {"id": 1, "ok": True, "seq": answer["seq"], "accepted": True}
    (asked,) = table.rows("asked")
    assert asked["seq"] == answer["seq"]
    assert asked["body"]["ask"] == {"do": "wager", **WAGER}


def test_a_refusal_names_the_clause_changes_nothing_and_is_recorded(table: Running) -> None:
    before = table.layout()
    with Talk(table.socket) as talk:
        answer = talk.ask("wager", box=9, player="ann", main=1000)

    assert (answer["ok"], answer["accepted"], answer["rule"]) == (True, False, "18.1.1")
    assert "9" in answer["why"]
    assert table.layout() == before
    (refused,) = table.rows("refused")
    assert refused["cause"] == answer["seq"]
    assert refused["body"] == {"rule": answer["rule"], "why": answer["why"]}


def test_who_asks_is_recorded(table: Running) -> None:
    """Who names nobody is the dealer (1.1 dealer)."""
    with Talk(table.socket) as talk:
        talk.request(ask={"do": "wager", **WAGER})
        talk.request(ask={"do": "wager", **WAGER}, by="supervisor ines")

    assert [row["body"]["by"] for row in table.rows("asked")] == ["dealer", "supervisor ines"]


def test_a_press_on_a_screen_is_a_press(table: Running) -> None:
    with Talk(table.socket) as talk:
        answer = talk.request(press={"device": "keys", "control": "3"})

    assert answer["accepted"]
    assert [box["box"] for box in seen(table)["boxes"]] == [3]


def test_a_press_that_means_nothing_now_is_refused(table: Running) -> None:
    with Talk(table.socket) as talk:
        answer = talk.request(press={"device": "keys", "control": "D"})

    assert not answer["accepted"]
    assert answer["rule"] == "10.1.1"


def test_a_press_of_no_control_changes_nothing(table: Running) -> None:
    before = table.layout()
    with Talk(table.socket) as talk:
        assert talk.request(press={"device": "keys", "control": "c"})["ok"]

    assert table.layout() == before


def test_a_press_of_no_device_is_an_error_that_names_those_there_are(table: Running) -> None:
    before = len(table.rows())
    with Talk(table.socket) as talk:
        answer = talk.request(press={"device": "piano", "control": "c"})

    assert answer == {"id": 1, "ok": False, "error": answer["error"]}
    assert "keys, pedal, shoe" in answer["error"]
    assert len(table.rows()) == before


def test_every_request_of_a_round_is_taken(table: Running) -> None:
    talk = table.watch
    talk.must("wager", **WAGER)
    talk.must("wager", box=3, player="bob", main=2000)
    talk.must("wager", box=3, player="cam", main=500)
    talk.must("withdraw", box=3, player="bob")
    talk.must("wager", box=5, player="dee", main=500)
    talk.must("no-more-bets")
    table.draw("9S", "8S", "5H", "KD", "9H", "3C", "6D")
    talk.must("surrender", box=5)
    talk.must("split")
    table.draw("2C")
    talk.must("double")
    table.draw("5S")
    talk.must("forfeit")
    table.draw("KC")
    talk.must("stand")
    talk.must("absent", box=3)
    table.draw("8H", "8D")
    view = talk.until(lambda view: view["state"] == "final settlement", "the round is over")
    assert {row["player"] for row in view["settlements"]} == {"ann", "cam", "dee"}
    talk.must("cleared")
    talk.must("same-again")

    assert {(box["box"], box["controls"]) for box in talk.look()["boxes"]} == {
        (2, "ann"),
        (3, "cam"),
        (5, "dee"),
    }


def test_a_shoe_is_told_of_over_the_socket(table: Running) -> None:
    talk = table.watch
    talk.must("cutting-card")
    assert talk.look()["shoe"]["cutting_card"]
    talk.must("new-shoe")
    assert talk.look()["shoe"] == {
        "number": 2,
        "out": 0,
        "left": 288,
        "rounds_since_count": 0,
        "cutting_card": False,
        "burn_is_due": True,
    }
    talk.must("not-burned")
    assert not talk.look()["shoe"]["burn_is_due"]


def test_a_card_that_was_not_due_or_not_read_is_told_of_over_the_socket(table: Running) -> None:
    table.draw("7S")
    table.watch.must("burn", card="7S")
    table.watch.must("wager", **WAGER)
    table.draw("??", "9H")
    table.watch.must("read", card="8D")

    (box,) = seen(table)["boxes"]
    assert box["hands"][0]["cards"] == ["8D"]


def test_there_is_nothing_to_resume_at_a_table_that_runs(shared_table: Running) -> None:
    with Talk(shared_table.socket) as talk:
        answer = talk.ask("resume")

    assert (answer["accepted"], answer["rule"]) == (False, "16.6")


def test_the_view_is_whole(shared_table: Running) -> None:
    view = seen(shared_table)

    assert view.keys() >= {
        *("version", "table", "game", "round", "state", "boxes", "dealer", "turn"),
        *("next", "next_card", "allowed", "offers", "may_forfeit", "labels", "go_on"),
        *("settlements", "pending", "jackpots", "undue", "unread", "in_doubt", "suspended"),
        *("alarms", "source", "shoe", "devices", "health", "limits", "boxes_at_table"),
        *("can_repeat", "trouble"),
    }
    assert view["devices"].keys() == view["health"].keys() == {"shoe", "pedal", "keys"}
    for health in view["health"].values():
        assert health.keys() == {"state", "since", "detail", "counters", "reconnects"}


def test_the_view_of_a_hand_in_turn_says_all_a_dealer_needs(table: Running) -> None:
    view = table.deal()

    (box,) = view["boxes"]
    (hand,) = box["hands"]
    assert (hand["cards"], hand["total"], hand["in_turn"]) == (["KS", "5D"], "15", True)
    assert view["dealer"] == {"cards": ["9H"], "total": "9"}
    assert set(view["allowed"]) == {"stand", "double"}
    assert view["next_card"] == "box 2"
    assert view["labels"]["pedal.middle"] == "Box 2 stands"
    assert "15" in view["next"]


def test_asking_for_a_view_records_nothing(shared_table: Running) -> None:
    before = rows_of(shared_table.state)
    seen(shared_table)

    assert rows_of(shared_table.state) == before
