"""The bonus meter: pacing, memory, reading back, silence; in no time at all."""

from itertools import pairwise

import pytest

from drivers import alpha_wire as wire
from drivers.alpha import AMOUNT, DRIVER, MOST_WRITES, PAGE, AlphaCodec
from drivers.alpha_wire import Scanner, packet
from drivers.codec import Counters
from drivers.commands import ClearPrize, Lamps, ShowAmount, ShowPrize
from drivers.errors import LocalProtocolError, OptionError
from drivers.events import (
    Acknowledged,
    Fault,
    FaultCleared,
    MeterSilent,
    NotAcknowledged,
    Shown,
)
from drivers.options import SerialOptions
from drivers.simulated.sign import SimulatedSign


class Show:
    """A codec and a sign, and a clock that is moved by hand."""

    STEP = 0.01

    def __init__(self, **options) -> None:
        self.codec = DRIVER.codec({"settle_ms": 1000, "poll_ms": 1000, **options})
        self.sign = SimulatedSign()
        self.sign.set("deaf-for", 800, 0.0)
        self.now = 100.0
        self.told = []
        self.sent = []
        self.arrives = lambda body: bool(body)
        self.codec.greet(self.now)

    def run(self, seconds: float) -> "Show":
        end = self.now + seconds
        while self.now < end:
            self.told += self.codec.tick(self.now)
            if data := self.codec.pending(self.now):
                self.sent.append((self.now, data))
                (body,) = Scanner(Counters(), wire.TO_ALL).feed(data)
                arrives = self.arrives(body)
                answers = self.sign.receive(data, self.now) if arrives else []
                for answer in answers:
                    self.told += self.codec.feed(answer, self.now + 0.03)
            self.now += self.STEP
        return self

    def command(self, command, command_id=None) -> None:
        self.codec.encode(command, command_id)

    def bodies(self) -> list[bytes]:
        scanner = Scanner(Counters(), wire.TO_ALL)
        return [body for _, data in self.sent for body in scanner.feed(data)]

    def news(self) -> list:
        told, self.told = self.told, []
        return told


@pytest.fixture
def laid_out() -> Show:
    """A sign whose memory is laid out, with nothing shown yet."""
    show = Show().run(6.0)
    assert show.sign.layouts == 1
    assert show.news() == []
    show.sent.clear()
    return show


def test_memory_is_asked_for_cleared_and_laid_out_once() -> None:
    show = Show().run(3.5)
    entries = PAGE.entry() + AMOUNT.entry()
    assert show.bodies()[:4] == [b"F$", b"E$", b"E$" + entries, b"F$"]
    asked, cleared, laid, again = (at for at, _ in show.sent[:4])
    assert cleared - asked >= 0.25
    assert laid - cleared >= 1.0
    assert again - laid >= 1.0

    show.codec.greet(show.now)
    show.sent.clear()
    show.run(3.0)
    assert set(show.bodies()) == {b"F$"}
    assert show.sign.layouts == 1


def test_memory_that_was_laid_out_with_other_times_is_left_alone() -> None:
    show = Show()
    show.sign.receive(packet(b"E$"), 10.0)
    show.sign.receive(packet(b"E$1BL00200000AAU0040FF00ZAU0100FFFF"), 20.0)
    show.run(3.0)
    assert set(show.bodies()) == {b"F$"}


def test_an_amount_is_shown_and_read_back(laid_out) -> None:
    laid_out.command(ShowAmount("5000"), 1)
    laid_out.run(2.0)

    assert laid_out.sign.displayed() == "5000"
    assert laid_out.news() == [Shown("5000"), Acknowledged(1)]
    page = b"AA\x1b b\x101"
    assert laid_out.bodies()[:4] == [b"G15000", b"H1", page, b"BA"]
    laid_out.sent.clear()
    laid_out.command(ShowAmount("5001"), 2)
    laid_out.run(0.9)
    # Only the string: the page is up, and writing it would blank the display.
    assert laid_out.bodies() == [b"G15001", b"H1"]
    assert laid_out.news() == [Shown("5001"), Acknowledged(2)]


def test_the_label_stands_before_the_amount() -> None:
    show = Show(label="BONUS ").run(5.0)
    show.command(ShowAmount("5000"))
    show.run(2.0)
    assert show.sign.displayed() == "BONUS 5000"


def test_a_burst_ends_with_the_newest_shown_paced_and_within_a_second(laid_out) -> None:
    laid_out.command(ShowAmount("start"), 0)
    laid_out.run(3.0)
    laid_out.news()
    laid_out.sent.clear()
    for amount in range(1, 101):
        laid_out.command(ShowAmount(str(amount)), amount)
        laid_out.run(0.01)
    laid_out.run(1.0)

    assert laid_out.sign.displayed() == "100"
    told = laid_out.news()
    assert told[-2:] == [Shown("100"), Acknowledged(100)]
    answered = [event.command_id for event in told if not isinstance(event, Shown)]
    assert sorted(answered) == list(range(1, 101))
    times = [at for at, _ in laid_out.sent]
    assert min(b - a for a, b in pairwise(times)) >= 0.25
    assert len(times) < 12
    assert laid_out.sign.lost == 0


def test_a_prize_stays_until_it_is_cleared(laid_out) -> None:
    laid_out.command(ShowAmount("5000"), 1)
    laid_out.run(2.0)
    laid_out.command(ShowPrize("WON 750"), 2)
    laid_out.run(1.0)
    laid_out.command(ShowAmount("5100"), 3)
    laid_out.run(5.0)
    assert laid_out.sign.displayed() == "WON 750"
    laid_out.command(ClearPrize(), 4)
    laid_out.run(1.0)

    assert laid_out.sign.displayed() == "5100"
    assert laid_out.news() == [
        Shown("5000"),
        Acknowledged(1),
        Shown("WON 750"),
        Acknowledged(2),
        Shown("5100"),
        Acknowledged(4),
        Acknowledged(3),
    ]


def test_without_an_amount_a_cleared_prize_gives_way_to_the_idle_page() -> None:
    show = Show(idle="GOOD LUCK").run(5.0)
    show.command(ShowPrize("WON 750"))
    show.run(2.0)
    show.command(ClearPrize(), 2)
    show.run(2.0)

    assert show.sign.displayed() == "GOOD LUCK"
    assert show.news()[-2:] == [Shown(""), Acknowledged(2)]
    show.sign.wipe()
    show.run(10.0)
    assert show.sign.displayed() == "GOOD LUCK"


def test_what_is_shown_already_is_acknowledged_after_reading_it_again(laid_out) -> None:
    laid_out.command(ShowAmount("5000"), 1)
    laid_out.run(2.0)
    laid_out.news()
    laid_out.sent.clear()
    laid_out.command(ShowAmount("5000"), 2)
    laid_out.run(0.5)

    assert laid_out.bodies() == [b"H1"]
    assert laid_out.news() == [Acknowledged(2)]


@pytest.mark.parametrize("text", ["x" * 33, "5\x1b00", "€ 5", ""])
def test_what_cannot_be_shown_shows_as_no_amount_at_all(laid_out, text) -> None:
    laid_out.command(ShowPrize(text), 1)
    laid_out.run(2.0)

    assert laid_out.sign.displayed() == "-" * AMOUNT.size
    refused, shown = laid_out.news()
    assert isinstance(refused, NotAcknowledged)
    assert "cannot be shown" in refused.why
    assert shown == Shown("-" * AMOUNT.size)


def test_the_longest_text_is_shown_whole(laid_out) -> None:
    laid_out.command(ShowPrize("x" * AMOUNT.size))
    laid_out.run(2.0)
    assert laid_out.sign.displayed() == "x" * AMOUNT.size


@pytest.mark.parametrize("command", [b"G", b"A", b"H", b"B"])
def test_any_one_lost_packet_is_made_up_for(laid_out, command) -> None:
    lost = []

    def all_but_first(body: bytes) -> bool:
        if body[:1] == command and not lost:
            lost.append(body)
            return False
        return True

    laid_out.arrives = all_but_first
    laid_out.command(ShowAmount("5000"), 1)
    laid_out.run(4.0)

    assert lost
    assert laid_out.sign.displayed() == "5000"
    assert laid_out.news() == [Shown("5000"), Acknowledged(1)]


def test_nothing_is_told_as_shown_that_is_not() -> None:
    show = Show().run(5.0)
    show.sign.set("stubborn", 1, show.now)
    show.command(ShowPrize("WON 750"), 1)
    show.run(10.0)

    (told,) = show.news()
    assert isinstance(told, Fault)
    assert told.code == "not-shown"
    writes = [body for body in show.bodies() if body.startswith(b"G1")]
    assert MOST_WRITES < len(writes) < 9
    show.sign.set("stubborn", 0, show.now)
    show.run(5.0)
    assert show.news() == [FaultCleared("not-shown", ""), Shown("WON 750"), Acknowledged(1)]


def test_a_memory_that_does_not_take_its_layout_is_told_and_not_erased_again() -> None:
    show = Show()
    show.sign.set("stubborn", 1, show.now)
    show.run(8.0)

    (told,) = show.news()
    assert told.code == "meter-memory"
    assert show.bodies().count(b"E$") == 1


def test_silence_is_told_once_and_over_with_the_next_answer(laid_out) -> None:
    laid_out.command(ShowPrize("WON 750"), 1)
    laid_out.run(2.0)
    laid_out.news()
    laid_out.sign.set("off", 1, laid_out.now)
    laid_out.run(20.0)
    (told,) = laid_out.news()
    assert isinstance(told, MeterSilent)
    assert laid_out.sign.displayed() == ""

    laid_out.sign.set("off", 0, laid_out.now)
    laid_out.run(6.0)
    assert laid_out.news() == [Shown("WON 750")]
    assert laid_out.sign.displayed() == "WON 750"


def test_a_sign_that_was_never_there_is_silent_too() -> None:
    show = Show()
    show.sign.set("off", 1, show.now)
    show.command(ShowPrize("WON 750"), 1)
    show.run(10.0)
    assert [type(event) for event in show.news()] == [MeterSilent]


def test_a_sign_that_lost_its_memory_is_laid_out_again(laid_out) -> None:
    laid_out.command(ShowPrize("WON 750"), 1)
    laid_out.run(2.0)
    laid_out.news()
    laid_out.sign.wipe()
    assert laid_out.sign.displayed() == ""
    laid_out.run(8.0)

    assert laid_out.sign.layouts == 2
    assert laid_out.sign.displayed() == "WON 750"
    assert [event for event in laid_out.news() if isinstance(event, Fault)] == []


def test_an_answer_that_comes_late_or_broken_is_none(laid_out) -> None:
    answer = packet(b"G15000", wire.FROM_SIGN)
    assert laid_out.codec.feed(answer, laid_out.now) == []
    laid_out.command(ShowAmount("5000"))
    laid_out.arrives = lambda body: not body
    laid_out.run(0.6)
    assert laid_out.bodies()[-1] == b"H1"
    laid_out.codec.feed(answer[:-3], laid_out.now)
    laid_out.run(1.0)
    assert laid_out.codec.counters.gap_resets == 1
    assert laid_out.news() == []


def test_the_last_word_is_the_idle_page_but_a_prize_stays_up(laid_out) -> None:
    codec = laid_out.codec
    assert codec.farewell(laid_out.now) == (laid_out.now, b"")
    laid_out.command(ShowAmount("5000"))
    laid_out.run(3.0)
    laid_out.command(ShowAmount("5001"))
    laid_out.run(0.02)
    at, last = codec.farewell(laid_out.now)
    assert 0 < at - laid_out.now < 0.5
    laid_out.sign.receive(last, at)
    assert laid_out.sign.displayed() == ""

    laid_out.command(ShowPrize("WON 750"))
    assert codec.farewell(laid_out.now)[1] == b""


def test_nothing_is_written_before_anything_is_asked_for(laid_out) -> None:
    laid_out.sign.receive(packet(b"G1WON 750"), laid_out.now)
    laid_out.sign.receive(packet(b"AA\x1b b\x101"), laid_out.now + 1)
    laid_out.now += 2
    laid_out.codec.greet(laid_out.now)
    laid_out.run(10.0)

    assert laid_out.sign.displayed() == "WON 750"
    assert laid_out.sign.layouts == 1


def test_other_commands_are_a_mistake_of_ours() -> None:
    with pytest.raises(LocalProtocolError, match="no command Lamps"):
        DRIVER.codec({}).encode(Lamps(frozenset()))


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("pace_ms", 100, "whole number from 250"),
        ("label", "x" * 41, "text of up to 40 plain letters"),
        ("idle", "\x1b", "text of up to 40 plain letters"),
    ],
)
def test_a_wrong_option_is_told(option, value, why) -> None:
    with pytest.raises(OptionError, match=why):
        DRIVER.codec({option: value})


def test_the_line_is_the_makers_unless_told() -> None:
    assert (DRIVER.line({}).baud, DRIVER.line({}).framing) == (9600, "7E1")
    assert DRIVER.line({"framing": "8N1"}).framing == "8N1"
    assert SerialOptions().framing == "8N1"
    assert isinstance(DRIVER.codec({}), AlphaCodec)
