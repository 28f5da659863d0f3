"""The Bee-Tek shoe: its words, and what is not wholly one of them."""

import pytest

from drivers.bee_tek import DRIVER, LONGEST_WORD, WORD_WITHIN, _meaning
from drivers.commands import LockShoe
from drivers.errors import LocalProtocolError
from drivers.events import CardOut, Fault, FaultCleared, Gap
from drivers.simulated.bee_tek import FAULTS, SimulatedBeeTek
from drivers.simulated.refused import Refused
from drivers.spoiled import NOT_UNDERSTOOD

ALL = [rank + suit for suit in "SHDC" for rank in "A23456789TJQK"]


def hear(*pieces: bytes, codec=None) -> list:
    codec = codec or DRIVER.codec({})
    return [event for piece in pieces for event in codec.feed(piece, 1.0)]


@pytest.mark.parametrize(
    ("wire", "means"),
    [
        (b"[Game]<Card:4S>", CardOut("4S", b"[Game]<Card:4S>".hex())),
        (b"[Manual Burn Cards]<Card:10H>", CardOut("TH", b"[Manual Burn Cards]<Card:10H>".hex())),
        (b"[Game]<Card:TH>", CardOut("TH", b"[Game]<Card:TH>".hex())),
        (b"[Game]<Game>", CardOut(None, b"[Game]<Game>".hex())),
        (
            b"[Game]<Alarm:E3 Card Not Read>",
            Fault("alarm-e3", "Card Not Read", b"[Game]<Alarm:E3 Card Not Read>".hex()),
        ),
        (
            b"[GameAlarm]<Alarm:E12 Door>",
            Fault("alarm-e12", "Door", b"[GameAlarm]<Alarm:E12 Door>".hex()),
        ),
        (b"<W0x01>", Fault("warning-0x01", "The shoe gives warning 0x01.", b"<W0x01>".hex())),
    ],
)
def test_a_word_is_understood_as_soon_as_it_ends(wire, means) -> None:
    codec = DRIVER.codec({})
    assert hear(wire[:-1], codec=codec) == []
    assert hear(wire[-1:], codec=codec) == [means]
    assert codec.wake_at() is None
    assert codec.counters.frames == 1


@pytest.mark.parametrize("card", ALL)
def test_every_card_is_read_as_the_shoe_tells_it(card) -> None:
    shoe = SimulatedBeeTek()
    assert [event.card for event in hear(*shoe.card_out(card))] == [card]
    shoe.burning = True
    (word,) = shoe.card_out(card)
    assert word.startswith(b"[Manual Burn Cards]")
    assert [event.card for event in hear(word)] == [card]


def test_the_shoe_says_what_the_driver_knows() -> None:
    shoe = SimulatedBeeTek()
    assert [event.card for event in hear(*shoe.card_out(None))] == [None]
    for code in FAULTS:
        assert [event.code for event in hear(*shoe.fault(code))] == [code]
    with pytest.raises(Refused, match="no fault 'hiccup'; it has alarm-e3"):
        shoe.fault("hiccup")


@pytest.mark.parametrize(
    "wire",
    [
        b"[Game]<Card:1H>",
        b"[Game]<Card:0H>",
        b"[Game]<Card:11H>",
        b"[Game]<Card:4X>",
        b"[Game]<Card:4s>",
        b"[Game]<Card:S4>",
        b"[Game]<Card:4>",
        b"[Game]<Card: 4S>",
        b"[Gane]<Card:4S>",
        b"[GameAlarm]<Card:4S>",
        b"[Manual Burn Cards]<Game>",
        b"[Game] <Card:4S>",
        b"<Card:4S>",
        b"Game]<Card:4S>",
        b"[Game]Card:4S>",
        b"[Game]<Card:4S\x00>",
        b"[Game]<Card:\xb4S>",
        b"[Game]<W0x01>",
        b"<W0xZZ>",
        b"[Game]<Alarm:Card Not Read>",
        b"[Game]>",
        b">",
        b"[[Game]]<Card:4S>",
        b"[Game]<<Card:4S>>",
    ],
)
def test_what_is_not_wholly_a_word_is_no_card_but_may_have_been_one(wire) -> None:
    codec = DRIVER.codec({})
    told = hear(wire, b" ", codec=codec) + codec.tick(9.0)

    assert {type(event) for event in told} == {Gap}
    assert codec.counters.missed == len(told)


@pytest.mark.parametrize(
    "junk", [b"\0" * 15, b"hello  world ", b"\xff\xfe\xff\xfe", b"4S>", b"<", b"\xff" * 200]
)
def test_junk_may_have_been_a_card_and_is_told_once(junk) -> None:
    codec = DRIVER.codec({})
    told = hear(junk, b"[Game]<Card:4S>", codec=codec)

    assert [type(event) for event in told] == [Gap, CardOut]
    assert codec.tick(9.0) == []

    assert hear(junk, codec=codec) == []
    assert [type(event) for event in codec.tick(1.0 + WORD_WITHIN)] == [Gap]
    assert codec.wake_at() is None


@pytest.mark.parametrize("stray", [b"AT\r\n", b"\xff\xfe", b"\0", b"  \r\n \n"])
def test_a_stray_byte_or_two_and_what_stands_between_words_are_no_card(stray) -> None:
    codec = DRIVER.codec({})

    assert [event.card for event in hear(stray, b"[Game]<Card:4S>", codec=codec)] == ["4S"]
    assert hear(stray, codec=codec) + codec.tick(9.0) == []
    assert codec.wake_at() is None
    assert codec.counters.bytes_skipped == 2 * len(stray.translate(None, b" \r\n"))


def test_a_line_of_noise_alone_is_a_fault_and_fills_no_log() -> None:
    codec = DRIVER.codec({})
    told = [event for n in range(1000) for event in codec.feed(b"noise ", 1.0 + n * 0.1)]
    told += codec.tick(200.0)

    assert [type(event) for event in told] == [Gap, Gap, Fault, Gap]  # nothing was understood yet
    assert told[2].code == NOT_UNDERSTOOD
    well = codec.feed(b"[Game]<Card:4S>", 300.0)
    assert [type(event) for event in well] == [Gap, FaultCleared, CardOut]
    assert codec.feed(b"[Game]<Card:4S>", 301.0) == [CardOut("4S", b"[Game]<Card:4S>".hex())]


def test_a_word_whose_end_does_not_come_is_a_gap() -> None:
    codec = DRIVER.codec({})
    assert codec.feed(b"[Game]<Card:4", 1.0) == []
    assert codec.wake_at() == 1.0 + WORD_WITHIN
    assert codec.tick(1.0 + WORD_WITHIN) == [Gap(None, b"[Game]<Card:4".hex())]
    assert codec.wake_at() is None
    assert [event.card for event in codec.feed(b"[Game]<Card:5S>", 2.0)] == ["5S"]


def test_a_word_that_never_ends_is_a_gap_and_costs_no_other() -> None:
    codec = DRIVER.codec({})
    told = hear(b"[" + b"x" * 3 * LONGEST_WORD, b" [Game]<Card:4S>", codec=codec)

    assert [type(event) for event in told] == [Gap, CardOut]
    assert len(bytes.fromhex(told[0].raw)) <= LONGEST_WORD
    assert codec.counters.overflow == 1


def changed(word: bytes):
    for at in range(len(word)):
        for other in range(256):
            if other != word[at]:
                yield word[:at] + bytes([other]) + word[at + 1 :]
        yield word[:at] + word[at + 1 :]
        yield word[: at + 1] + word[at:]


@pytest.mark.parametrize("word", [b"[Game]<Card:4S>", b"[Manual Burn Cards]<Card:10H>"])
def test_any_wrong_byte_is_told_and_never_costs_the_next_card(word) -> None:
    for wrong in changed(word):
        codec = DRIVER.codec({})
        told = hear(wrong, b" ", b"[Game]<Card:KC>", codec=codec)
        assert told[-1] == CardOut("KC", b"[Game]<Card:KC>".hex()), wrong
        # Another rank or suit is a word like any other: this shoe has no check.  All else is told.
        others = told[:-1]
        assert others, wrong
        for event in others:
            if isinstance(event, CardOut):
                assert bytes.fromhex(event.raw) in wrong
                assert _meaning(bytes.fromhex(event.raw)) == event


def test_it_has_no_commands() -> None:
    with pytest.raises(LocalProtocolError, match="no command LockShoe"):
        DRIVER.codec({}).encode(LockShoe())


def test_a_greeting_forgets_half_a_word() -> None:
    codec = DRIVER.codec({})
    codec.feed(b"[Game]<Card:4", 1.0)
    codec.greet(2.0)

    assert codec.wake_at() is None
    assert codec.feed(b"S>", 2.0) == []
