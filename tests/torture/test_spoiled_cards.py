"""A card that the wire spoiled is told at once: the right card, or a question.

At every pause up to ten minutes, at every position, for bursts of 1 to 30 bytes.  What a frame's
own check lets by is counted and printed; no more may come by than such a check lets by.
"""

import random
import re
from collections.abc import Iterator
from itertools import product
from typing import Any, Final, NamedTuple

import pytest

from drivers import angel_eye, bee_tek
from drivers.angel_eye_wire import SEQUENCE, byte_of, report
from drivers.reference_wire import Kind, Type, frame
from drivers.reference_words import CardBeat, CardOutput, CardState, Hello
from drivers.registry import find_driver
from tests.torture.extent import FULL, SEED, extent
from tests.torture.report import Figure, Stopwatch
from tests.torture.spoiling import (
    BURSTS,
    PAUSES,
    SPOILT,
    Case,
    Lying,
    Told,
    Wire,
    asked,
    chunks,
    hear,
    moment_after,
    seeded,
    wrong_at,
)

pytestmark = pytest.mark.timeout(7200)

SHARE: Final = 150
"""Of the cases of one kind, how many are tried in every test run; in the full one, all."""

ROUNDS: Final = extent(1, 5)
"""How often each is tried, with other luck."""

MARGIN: Final = 0.1
"""Seconds more than a driver may take to ask."""

LET_BY: Final = 1 / 256
"""Of the spoiled frames, how many a check of eight bits lets by, at most."""

AFTER: Final = 6
"""Cards from the spoiled one on; the longest burst leaves one of them whole."""

MINUTES: Final = 700.0
"""Seconds after the last card, in which everything must have been told."""

RANKS: Final = "A23456789TJQK"
SUITS: Final = "SHDC"


def share(cases: list[Case], kind: str) -> Iterator[Case]:
    """Yield the cases to be tried, with their luck."""
    luck = random.Random(f"{SEED} {kind}")
    for round_ in range(ROUNDS):
        for case in cases if FULL else luck.sample(cases, min(SHARE, len(cases))):
            yield seeded(case, f"{SEED} {round_}")


class Played(NamedTuple):
    """What came of one case."""

    told: list[Told]
    wrong: str
    """What is shown that does not lie there while nothing is asked, "" if nothing is."""
    let_by: bool
    """Whether a frame arrived that was never sent, with a check that fits."""
    arrived: int = 0
    """How many bytes arrived of all that was sent of the spoiled card."""


class AngelEye:
    """The shoe that sends each message so many times, of eight bytes each."""

    FRAME: Final = 8
    FRAMES: Final = re.compile(rb"\x05([!-~]{2}[\x80-\xff]{0,16}\x03)([0-9A-F]{2})", re.DOTALL)

    def __init__(self, sends: int, warm: int) -> None:
        self.sends = sends
        self.warm = warm
        """Cards before the one that is spoiled."""
        self.driver = find_driver("angel-eye")
        self.character_s = self.driver.line({}).character_s

    def play(self, case: Case) -> Played:
        """Spoil a card."""
        luck = random.Random(f"cards {case.seed}")
        codec = self.driver.codec({})
        wire, lying, frames = Wire(self.character_s), [], []
        codec.greet(wire.now)
        first = last = end = 0.0
        for number in range(self.warm + AFTER):
            card = luck.choice(RANKS) + luck.choice(SUITS)
            frames.append(report(SEQUENCE[number], "D", bytes([0x81, byte_of(card)])))
            if number == self.warm:
                first = wire.now
            lying.append(Lying(wire.send(frames[-1] * self.sends), card))
            if number == self.warm:
                last = wire.now
                end = max(last, first + (case.begin + case.length) * wire.character_s)
            wire.now += case.pause
        arrived = case.spoils(wire.sent, first, wire.character_s)
        told = hear(codec, chunks(arrived, luck), wire.now + MINUTES)
        left = heard = bytes(byte.value for byte in arrived)
        for each in frames:
            left = left.replace(each, b"")
        wrong = ""
        if len(left) >= angel_eye.FEWEST or b"\x05" in left:
            within = angel_eye.COPIES_WITHIN + MARGIN
            wrong = wrong_at(told, lying, moment_after(wire, end, within))
        # What leaves no trace shows by the next number.
        wrong = wrong or wrong_at(told, lying, wire.now + MINUTES)
        of_card = sum(first < byte.at <= last for byte in arrived)
        return Played(told, wrong, self._let_by(heard, frames), of_card)

    def _let_by(self, heard: bytes, frames: list[bytes]) -> bool:
        found = (self.FRAMES.match(heard, at) for at in range(len(heard)))
        return any(
            b"%02X" % _xor(each[1]) == each[2] for each in found if each and each[0] not in frames
        )

    def all_cases(self, how: str) -> list[Case]:
        """Return every pause, position and length."""
        positions = range(self.sends * self.FRAME)
        return [Case(*one, how=how) for one in product(PAUSES, positions, BURSTS)]


def _xor(data: bytes) -> int:
    check = 0
    for byte in data:
        check ^= byte
    return check


TIMES: Final = {1: "once", 2: "twice", 3: "three times"}


@pytest.mark.parametrize("warm", [0, 2], ids=["the first card", "a later card"])
@pytest.mark.parametrize("how", SPOILT)
@pytest.mark.parametrize("sends", TIMES)
def test_a_card_of_the_angel_eye_is_right_or_asked_for(
    figure: Any, sends: int, how: str, warm: int
) -> None:
    counted: Figure = figure(f"a card sent {TIMES[sends]} is spoiled")
    shoe = AngelEye(sends, warm)
    with Stopwatch(counted):
        for case in share(shoe.all_cases(how), f"{sends} {how} {warm}"):
            played = shoe.play(case)
            counted.done += 1
            counted.count("asked for", asked(played.told))
            if not played.wrong:
                continue
            if played.let_by and sends == 1:
                counted.count("let by by its check")
            elif warm == 0 and played.arrived < angel_eye.SHORTEST:
                counted.count("first cards of which next to nothing arrived")
            else:
                counted.fail(played.wrong, f"{case}, {sends} copies, {warm} cards before")
    counted.must_be_right()
    assert counted.counts.get("let by by its check", 0) <= max(3, LET_BY * counted.done)


@pytest.mark.parametrize("how", ["other bytes", "a bit flipped in each", "nothing but zeros"])
@pytest.mark.parametrize("sends", [2, 3])
def test_a_copy_that_another_makes_up_for_is_not_asked_for(
    figure: Any, sends: int, how: str
) -> None:
    counted: Figure = figure(f"one of {sends} copies is spoiled")
    shoe = AngelEye(sends, warm=2)
    cases = [
        case
        for case in shoe.all_cases(how)
        if case.begin // shoe.FRAME == (case.begin + case.length - 1) // shoe.FRAME
    ]
    with Stopwatch(counted):
        for case in share(cases, f"one of {sends} {how}"):
            played = shoe.play(case)
            counted.done += 1
            counted.count("that its check lets by", played.let_by)
            if asked(played.told) and not played.let_by:
                counted.fail("asked for nothing", f"{case}, {sends} copies")
            elif played.wrong:
                counted.fail(played.wrong, f"{case}, {sends} copies")
    counted.must_be_right()


class BeeTek:
    """The shoe that says each card once, in a word without check or number."""

    def __init__(self) -> None:
        self.driver = find_driver("bee-tek")
        self.character_s = self.driver.line({}).character_s

    def play(self, case: Case) -> Played:
        """Spoil a card."""
        luck = random.Random(f"cards {case.seed}")
        codec = self.driver.codec({})
        wire, lying, words = Wire(self.character_s), [], []
        codec.greet(wire.now)
        first = end = 0.0
        for number in range(AFTER):
            card = luck.choice(RANKS) + luck.choice(SUITS)
            words.append(b"[Game]<Card:%s> " % card.encode())
            if number == 1:
                first = wire.now
            lying.append(Lying(wire.send(words[-1]) - wire.character_s, card))
            if number == 1:
                end = max(wire.now, first + (case.begin + case.length) * wire.character_s)
            wire.now += case.pause
        arrived = case.spoils(wire.sent, first, wire.character_s)
        told = hear(codec, chunks(arrived, luck), wire.now + MINUTES)
        heard = bytes(byte.value for byte in arrived)
        wrong, left = "", heard
        for each in words:
            left = left.replace(each.strip(), b"")
        left = left.translate(None, b" \r\n")
        if len(left) >= bee_tek.FEWEST or set(left) & set(b"[]<>"):
            within = bee_tek.TOLD_WITHIN + bee_tek.WORD_WITHIN + MARGIN
            wrong = wrong_at(told, lying, moment_after(wire, end, within))
            wrong = wrong or wrong_at(told, lying, wire.now + MINUTES)
        good = re.findall(rb"\[Game\]<(?:Card:(?:10|[2-9TJQKA])[CDHS]|Game)>|<W0x..>", heard)
        return Played(told, wrong, any(word + b" " not in words for word in good))


@pytest.mark.parametrize("how", SPOILT)
def test_a_card_of_the_bee_tek_is_right_or_asked_for(figure: Any, how: str) -> None:
    counted: Figure = figure("a card of a shoe without a check is spoiled")
    shoe = BeeTek()
    length = len("[Game]<Card:4S> ")
    cases = [Case(*one, how=how) for one in product(PAUSES, range(length), BURSTS)]
    with Stopwatch(counted):
        for case in share(cases, f"bee-tek {how}"):
            played = shoe.play(case)
            counted.done += 1
            counted.count("asked for", asked(played.told))
            if played.wrong and played.let_by:
                counted.count("another card, as good a word")
            elif played.wrong:
                counted.fail(played.wrong, str(case))
    counted.must_be_right()
    # Only a burst within rank or suit, or one that leaves another word, can be such.
    assert counted.counts.get("another card, as good a word", 0) <= max(3, counted.done // 50)


class Shuffler:
    """A device of the reference protocol, with its heartbeat each second."""

    CARD: Final = 12
    """Bytes of a frame that tells a card."""

    def __init__(self) -> None:
        self.driver = find_driver("reference-shuffler")
        self.character_s = self.driver.line({}).character_s

    def play(self, case: Case) -> Played:
        """Spoil a card."""
        luck = random.Random(f"cards {case.seed}")
        codec = self.driver.codec({})
        wire, lying, frames = Wire(self.character_s), [], list[bytes]()
        codec.greet(wire.now)
        codec.pending(wire.now)
        hello = Hello(Kind.SHUFFLER, 1, started=False, firmware="1", serial="X-1").payload()
        for kind, payload in [(Type.HELLO, hello), (Type.STATE, CardState("ready").payload())]:
            frames.append(frame(len(frames), kind, payload))
            wire.send(frames[-1])
        beat_at, first, end = wire.now + 1.0, 0.0, 0.0
        for number in range(AFTER):
            card = luck.choice(RANKS) + luck.choice(SUITS)
            output = CardOutput(number + 1, card).payload()
            frames.append(frame(len(frames), Type.CARD_OUT, output))
            if number == 1:
                first = wire.now
            lying.append(Lying(wire.send(frames[-1]), card))
            if number == 1:
                end = max(wire.now, first + (case.begin + case.length) * wire.character_s)
            until = wire.now + (case.pause if number < AFTER - 1 else 3.0)
            while beat_at < until:
                wire.now = max(wire.now, beat_at)
                beat = CardBeat("ready", number + 1).payload()
                frames.append(frame(len(frames), Type.HEARTBEAT, beat))
                wire.send(frames[-1])
                beat_at += 1.0
            wire.now = max(wire.now, until)
        arrived = case.spoils(wire.sent, first, wire.character_s)
        told = hear(codec, chunks(arrived, luck), wire.now + 0.1)
        # A heartbeat tells, and if the burst lasts until it, the next.
        wrong = wrong_at(told, lying, moment_after(wire, end, 2.0 + MARGIN))
        wrong = wrong or wrong_at(told, lying, wire.now)
        return Played(told, wrong, let_by=False)


@pytest.mark.parametrize("how", SPOILT)
def test_a_card_of_a_shuffler_is_right_or_asked_for(figure: Any, how: str) -> None:
    counted: Figure = figure("a card of the reference protocol is spoiled")
    device = Shuffler()
    pauses = [pause for pause in PAUSES if pause <= 10.0]  # the heartbeats make a pause
    cases = [Case(*one, how=how) for one in product(pauses, range(device.CARD), BURSTS)]
    with Stopwatch(counted):
        for case in share(cases, f"shuffler {how}"):
            played = device.play(case)
            counted.done += 1
            counted.count("asked for", asked(played.told))
            if played.wrong:
                counted.fail(played.wrong, str(case))
    counted.must_be_right()
