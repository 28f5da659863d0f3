"""The cards in the simulated shoe: none is ever dealt twice."""

import json
from pathlib import Path

import pytest

from drivers.simulated.pack import Pack
from drivers.simulated.refused import Refused


def test_cards_leave_in_order_and_the_cutting_card_where_it_lies() -> None:
    pack = Pack()
    pack.load(["7S", "TD", "AH"], cutting_card=2)

    assert [pack.take() for _ in range(4)] == ["7S", "TD", None, "AH"]
    assert (pack.left, pack.drawn) == (0, 3)
    with pytest.raises(Refused, match="used up"):
        pack.take()


@pytest.mark.parametrize(("behind", "order"), [(0, [None, "7S"]), (1, ["7S", None])])
def test_the_cutting_card_may_be_first_or_last(behind, order) -> None:
    pack = Pack()
    pack.load(["7S"], behind)

    assert [pack.take() for _ in order] == order


@pytest.mark.parametrize("card", ["", "7", "7s", "10S", "1S", "SS", "7SX", "??"])
def test_what_is_no_card_is_not_loaded(card) -> None:
    pack = Pack()
    with pytest.raises(Refused, match="is no card"):
        pack.load(["7S", card], None)

    assert pack.left == 0


@pytest.mark.parametrize("behind", [-1, 2])
def test_the_cutting_card_lies_in_the_pack(behind) -> None:
    with pytest.raises(Refused, match="cutting card cannot lie"):
        Pack().load(["7S"], behind)


def test_a_given_card_leaves_the_pack_wherever_it_lies() -> None:
    pack = Pack()
    pack.load(["7S", "TD", "AH", "7S"], None)
    pack.take_out("AH")
    assert [pack.take() for _ in range(pack.left)] == ["TD", "7S", "7S"]
    assert pack.drawn == 4


def test_a_card_that_the_pack_does_not_hold_lay_in_the_place_of_the_next() -> None:
    pack = Pack()
    pack.load(["7S", "TD"], None)
    pack.take_out("2C")
    assert (pack.left, pack.take()) == (1, "TD")
    pack.take_out("2C")
    assert (pack.left, pack.drawn) == (0, 3), "one more than there was"


def test_what_a_hand_takes_out_did_not_leave_by_the_device() -> None:
    pack = Pack()
    pack.load(["7S", "TD", "AH"], None)
    pack.drop(2)
    assert (pack.left, pack.drawn, pack.take()) == (1, 0, "AH")
    for number in (-1, 1):
        with pytest.raises(Refused, match="cannot be taken out of 0"):
            pack.drop(number)
    pack.drop()
    assert pack.left == 0


def test_a_pack_is_taken_up_where_it_was_left(tmp_path: Path) -> None:
    file = tmp_path / "pack.json"
    pack = Pack(file)
    pack.load(["7S", "TD", "AH"], cutting_card=1)
    pack.take()
    pack.count_extra()

    again = Pack(file)
    assert (again.left, again.drawn) == (2, 2)
    assert [again.take() for _ in range(2)] == [None, "TD"]
    assert Pack(file).take() == "AH"


def test_it_is_written_before_the_card_leaves(tmp_path: Path) -> None:
    file = tmp_path / "pack.json"
    pack = Pack(file)
    pack.load(["7S", "TD"], None)
    file.unlink()
    tmp_path.joinpath("pack.json.new").mkdir()  # writing fails from here on

    with pytest.raises(IsADirectoryError):
        pack.take()
    assert (pack.left, pack.drawn) == (2, 0)


@pytest.mark.parametrize("text", ["", "[]", '{"cards": [1]}', '{"cards": [], "more": 1}'])
def test_a_damaged_file_is_not_guessed_at(tmp_path: Path, text) -> None:
    file = tmp_path / "pack.json"
    file.write_text(text)

    with pytest.raises(Refused, match=r"holds no pack.*remove it"):
        Pack(file)


def test_the_file_is_plain_json(tmp_path: Path) -> None:
    file = tmp_path / "pack.json"
    Pack(file).load(["7S"], 1)

    assert json.loads(file.read_text())["cards"] == ["7S"]
