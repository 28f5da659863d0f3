"""A card that the wire spoiled is told at once: the right card, or a question.

At every pause up to ten minutes, at every position, for bursts of 1 to 30 bytes.  What a frame's
own check lets by is counted and printed; no more may come by than such a check lets by.
"""

import random
from collections.abc import Iterator
from itertools import product
from typing import Any, Final

import pytest

from drivers.angel_eye import COPIES_WITHIN
from drivers.angel_eye_wire import SEQUENCE, Scanner, byte_of, report
from drivers.codec import Counters
from drivers.registry import find_driver
from tests.torture.extent import FULL, SEED, extent
from tests.torture.report import Figure, Stopwatch
from tests.torture.spoiling import (
    BURSTS,
    PAUSES,
    SPOILT,
    Case,
    Lying,
    Wire,
    asked,
    chunks,
    hear,
    moment_after,
    seeded,
    wrong_at,
)

pytestmark = pytest.mark.timeout(3600)

CASES: Final = extent(1500, 0)
"""Of the cases of one kind, how many are tried in every test run; in the full one, all."""

ROUNDS: Final = extent(1, 5)
"""How often each is tried, with other luck."""

WITHIN: Final = COPIES_WITHIN + 0.1
"""Seconds after which a spoiled card must have been asked for."""

LET_BY: Final = 1 / 256
"""Of the spoiled frames, how many a check of eight bits lets by, at most."""

AFTER: Final = 6
"""Cards from the spoiled one on; the longest burst leaves one of them whole."""

FRAME: Final = 8
"""Bytes of a card's frame."""


def share(cases: list[Case], kind: str) -> Iterator[Case]:
    """Yield the cases to be tried, with their luck."""
    luck = random.Random(f"{SEED} {kind}")
    for round_ in range(ROUNDS):
        chosen = cases if FULL else luck.sample(cases, min(CASES, len(cases)))
        for case in chosen:
            yield seeded(case, f"{SEED} {round_}")


class Shoe:
    """An Angel Eye that sends each message so many times."""

    def __init__(self, sends: int, warm: int) -> None:
        self.sends = sends
        self.warm = warm
        """Cards before the one that is spoiled."""

    def play(self, case: Case) -> tuple[str, bool, bool]:
        """Spoil a card; return what is wrong, whether it was asked, whether the check let it by."""
        luck = random.Random(f"cards {case.seed}")
        codec = find_driver("angel-eye").codec({})
        wire, lying, frames = Wire(codec._options.line().character_s), [], set()
        codec.greet(wire.now)
        first = end = 0.0
        for number in range(self.warm + AFTER):
            card = luck.choice("A23456789TJQK") + luck.choice("SHDC")
            frame = report(SEQUENCE[number], "D", bytes([0x81, byte_of(card)]))
            frames.add(frame)
            if number == self.warm:
                first = wire.now
            lying.append(Lying(wire.send(frame * self.sends), card))
            if number == self.warm:
                end = max(wire.now, first + (case.begin + case.length) * wire.character_s)
            wire.now += case.pause
        arrived = case.spoils(wire.sent, first, wire.character_s)
        told = hear(codec, chunks(arrived, luck), wire.now + 700)
        wrong = ""
        if any(first < byte.at <= end for byte in arrived):  # of nothing at all nothing is known
            wrong = wrong_at(told, lying, moment_after(wire, end, WITHIN))
        wrong = wrong or wrong_at(told, lying, wire.now + 700)
        return wrong, asked(told), let_by(bytes(byte.value for byte in arrived), frames)


def let_by(arrived: bytes, frames: set[bytes]) -> bool:
    """Tell whether a frame arrived that was never sent, with a check that fits."""
    return any(message.raw not in frames for message in Scanner(Counters()).feed(arrived))


def all_cases(sends: int, how: str) -> list[Case]:
    positions = range(sends * FRAME)
    return [Case(*one, how=how) for one in product(PAUSES, positions, BURSTS)]


@pytest.mark.parametrize("warm", [0, 2], ids=["the first card", "a later card"])
@pytest.mark.parametrize("how", SPOILT)
@pytest.mark.parametrize("sends", [1, 2, 3])
def test_a_card_of_the_angel_eye_is_right_or_asked_for(
    figure: Any, sends: int, how: str, warm: int
) -> None:
    times = {1: "once", 2: "twice", 3: "three times"}[sends]
    counted: Figure = figure(f"a card sent {times} is spoiled")
    shoe = Shoe(sends, warm)
    with Stopwatch(counted):
        for case in share(all_cases(sends, how), f"{sends} {how} {warm}"):
            wrong, was_asked, passed = shoe.play(case)
            counted.done += 1
            counted.count("asked for", was_asked)
            if wrong and passed and sends == 1:
                counted.count("let by by the check")
            elif wrong:
                counted.fail(wrong, f"{case}, {sends} copies, {warm} cards before")
    counted.must_be_right()
    assert counted.counts.get("let by by the check", 0) <= max(3, LET_BY * counted.done)
