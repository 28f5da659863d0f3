"""The steps that a script may hold: their words, what follows each, and where they belong."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from controller.cards import UNREAD, Card, parse_card
from controller.errors import ScriptError
from controller.events import EndRound
from controller.game.malfunction import (
    DISADVANTAGED,
    QUESTIONS,
    STEPS,
    AnswerDamaged,
    AnswerDisadvantage,
    AnswerPracticable,
    AnswerSpare,
    Confirm,
)
from controller.game.options import BLACKJACK_NSW, NAMES, PONTOON_NSW, PONTOON_NZ
from controller.money import dollars
from controller.scripts.house import HOUSE_WORDS, HouseWord, said
from controller.scripts.script import Step

PONTOONS: Final = (PONTOON_NSW, PONTOON_NZ)
DEVICES: Final = {
    "shoe": "shoe",
    "shuffler-1": "shuffler",
    "shuffler-2": "shuffler",
    "multishuffler": "multishuffler",
    "buttons": "buttons",
    "pedal": "pedal",
    "keys": "keys",
    "meter": "meter",
}
"""The devices of the table that a script plays on, with their roles."""

CARD_DEVICES: Final = tuple(
    name for name, role in DEVICES.items() if role in {"shoe", "shuffler", "multishuffler"}
)
SOURCES: Final = ("shoe", "shuffler-1", "shuffler-2")

FAULTS: Final = (
    "jam",
    "door-open",
    "count-mismatch",
    "duplicate-card",
    "unreadable-card",
    "damaged-card",
    "service",
)
"""The faults that a card device may have."""

Reader = Callable[[Sequence[str]], tuple[Any, ...]]


class Word(msgspec.Struct, frozen=True):
    """One step: how the words after it are read, how it is written, and at which games."""

    read: Reader
    usage: str
    games: tuple[str, ...] = NAMES


def _nothing(words: Sequence[str]) -> tuple[Any, ...]:
    if words:
        raise ValueError("nothing follows it")
    return ()


def _cards(words: Sequence[str]) -> tuple[Any, ...]:
    if not words:
        raise ValueError("at least one card follows it")
    return tuple(UNREAD if word == UNREAD else parse_card(word) for word in words)


def _card(words: Sequence[str]) -> tuple[Card]:
    if len(words) != 1:
        raise ValueError("exactly one card follows it")
    return (parse_card(words[0]),)


def _names(words: Sequence[str]) -> tuple[Any, ...]:
    return tuple(words)


def _some_names(words: Sequence[str]) -> tuple[Any, ...]:
    if not words:
        raise ValueError("at least one player follows it")
    return tuple(words)


def _box(word: str) -> int:
    if not re.fullmatch(r"[1-9]", word):
        raise ValueError(f"{word!r} is no box: 1 to 9")
    return int(word)


def _box_and_names(words: Sequence[str]) -> tuple[Any, ...]:
    if not words:
        raise ValueError("a box follows it")
    return (_box(words[0]), tuple(words[1:]))


def _box_and_player(words: Sequence[str]) -> tuple[Any, ...]:
    if len(words) != 2:
        raise ValueError("a box and a player follow it")
    return (_box(words[0]), words[1])


def _one_box(words: Sequence[str]) -> tuple[Any, ...]:
    if len(words) != 1:
        raise ValueError("exactly one box follows it")
    return (_box(words[0]),)


def _insurance(words: Sequence[str]) -> tuple[Any, ...]:
    if len(words) != 3:
        raise ValueError("a box, a player and an amount follow it")
    return (_box(words[0]), words[1], dollars(words[2]))


def _jackpot(words: Sequence[str]) -> tuple[Any, ...]:
    if len(words) != 2 or words[0] != "jackpot":
        raise ValueError("jackpot and a box follow it")
    return (_box(words[1]),)


def _meter(words: Sequence[str]) -> tuple[Any, ...]:
    if list(words) not in (["shown"], ["silent"]):
        raise ValueError("shown or silent follows it")
    return (words[0] == "shown",)


def _amend(words: Sequence[str]) -> tuple[Any, ...]:
    if len(words) != 2:
        raise ValueError("a number and a card follow it")
    if not re.fullmatch(r"[1-9][0-9]{0,3}", words[0]):
        raise ValueError(f"{words[0]!r} is no number of a card: the first of the round is 1")
    return (int(words[0]), parse_card(words[1]))


ROLES: Final = (
    "game-supervisor",
    "casino-supervisor",
    "casino-duty-manager",
    "pit-manager",
    "inspector",
)


def _supervisor(words: Sequence[str]) -> tuple[Any, ...]:
    if len(words) < 2:
        raise ValueError("a role and void-round, or another word of theirs, follow it")
    role, word, *after = words
    if role not in ROLES:
        raise ValueError(f"{role!r} is no role: {', '.join(ROLES)}")
    if word != "void-round":
        return (role, said([word, *after]))
    _nothing(after)
    return (role, EndRound())


def _house(word: HouseWord) -> Reader:
    return lambda words: (word.said(words),)


def _device(words: Sequence[str]) -> tuple[Any, ...]:
    if len(words) != 1:
        raise ValueError("exactly one device follows it")
    if words[0] not in DEVICES:
        raise ValueError(f"{words[0]!r} is no device: {', '.join(DEVICES)}")
    return (words[0],)


def _maybe_set(words: Sequence[str]) -> tuple[Any, ...]:
    if len(words) > 1:
        raise ValueError("at most the name of a set follows it")
    return tuple(words)


def _source(words: Sequence[str]) -> tuple[Any, ...]:
    if len(words) != 1 or words[0] not in SOURCES:
        raise ValueError(f"a device that cards come from follows it: {', '.join(SOURCES)}")
    return (words[0],)


def _card_device(words: Sequence[str]) -> tuple[Any, ...]:
    if len(words) != 1 or words[0] not in CARD_DEVICES:
        raise ValueError(f"one device of these follows it: {', '.join(CARD_DEVICES)}")
    return (words[0],)


def _fault(words: Sequence[str]) -> tuple[Any, ...]:
    if len(words) != 2:
        raise ValueError("a device and a code follow it")
    if words[1] not in FAULTS:
        raise ValueError(f"{words[1]!r} is no fault: {', '.join(FAULTS)}")
    return (*_card_device(words[:1]), words[1])


def _answer(words: Sequence[str]) -> tuple[Any, ...]:
    if len(words) < 2:
        raise ValueError(f"a question and its answer follow it: {', '.join(QUESTIONS)}")
    question, *values = words
    if question == "damaged-cards":
        return (AnswerDamaged(() if values == ["none"] else tuple(map(parse_card, values))),)
    if question not in QUESTIONS:
        raise ValueError(f"{question!r} is no question: {', '.join(QUESTIONS)}")
    if len(values) != 1:
        raise ValueError("one answer follows the question")
    if question == "disadvantage":
        if values[0] not in DISADVANTAGED:
            raise ValueError(f"{values[0]!r} is no answer: {', '.join(DISADVANTAGED)}")
        return (
            msgspec.convert({"do": "answer-disadvantage", "who": values[0]}, AnswerDisadvantage),
        )
    if values[0] not in {"yes", "no"}:
        raise ValueError(f"{values[0]!r} is no answer: yes, no")
    kind = AnswerSpare if question == "spare-available" else AnswerPracticable
    return (kind(values[0] == "yes"),)


def _confirm(words: Sequence[str]) -> tuple[Any, ...]:
    if not words or words[0] not in STEPS:
        raise ValueError(f"a step follows it: {', '.join(STEPS)}")
    if words[0] != "replaced" and len(words) > 1:
        raise ValueError("cards follow only replaced")
    if words[0] == "replaced" and len(words) < 2:
        raise ValueError("the replacement cards follow replaced")
    plain = {"do": "confirm-step", "step": words[0], "cards": list(map(parse_card, words[1:]))}
    return (msgspec.convert(plain, Confirm),)


def _switch(words: Sequence[str]) -> tuple[Any, ...]:
    if not 2 <= len(words) <= 3:
        raise ValueError("a device, a fault switch and perhaps its value follow it")
    value: bool | int | str = True
    if len(words) == 3:
        value = int(words[2]) if re.fullmatch("[0-9]{1,9}", words[2]) else words[2]
        value = {"on": True, "off": False}.get(words[2], value)
    return (*_device(words[:1]), words[1], value)


WIRE_ONLY: Final = frozenset({"power-cut", "switch"})
"""Steps that need processes and ports."""


def _control(words: Sequence[str]) -> tuple[Any, ...]:
    if len(words) != 1:
        raise ValueError("exactly one control follows it")
    return (words[0],)


WORDS: Final[Mapping[str, Word]] = {
    "no-more-bets": Word(_nothing, "no-more-bets"),
    "cards": Word(_cards, "cards C [C ...]"),
    "cutting-card": Word(_nothing, "cutting-card"),
    "stand": Word(_nothing, "stand"),
    "double": Word(_names, "double [PLAYER ...]"),
    "split": Word(_names, "split [PLAYER ...]"),
    "insure": Word(_insurance, "insure BOX PLAYER AMOUNT"),
    "even-money": Word(_box_and_player, "even-money BOX PLAYER", (BLACKJACK_NSW,)),
    "surrender": Word(_box_and_names, "surrender BOX [PLAYER ...]", PONTOONS),
    "forfeit": Word(_some_names, "forfeit PLAYER [PLAYER ...]", PONTOONS),
    "press": Word(_jackpot, "press jackpot BOX", (PONTOON_NSW,)),
    "meter": Word(_meter, "meter shown|silent", (PONTOON_NSW,)),
    "expose": Word(_one_box, "expose BOX"),
    "burned": Word(_card, "burned C"),
    "read": Word(_card, "read C"),
    "amend": Word(_amend, "amend N C"),
    "undo": Word(_nothing, "undo"),
    "for-next": Word(_nothing, "for-next"),
    "error-card": Word(_card, "error-card C"),
    "accept": Word(_nothing, "accept"),
    "refuse": Word(_nothing, "refuse"),
    "supervisor": Word(_supervisor, "supervisor ROLE void-round, or supervisor ROLE limits 10 500"),
    **{word: Word(_house(told), f"{word} {told.usage}") for word, told in HOUSE_WORDS.items()},
    "new-shoe": Word(_maybe_set, "new-shoe [SET]"),
    "use": Word(_source, "use DEVICE"),
    "fault": Word(_fault, "fault DEVICE CODE"),
    "clear": Word(_card_device, "clear DEVICE"),
    "answer": Word(_answer, "answer QUESTION VALUE"),
    "confirm": Word(_confirm, "confirm STEP [C ...]"),
    "refund": Word(_box_and_player, "refund BOX PLAYER"),
    "continue": Word(_box_and_player, "continue BOX PLAYER"),
    "not-burned": Word(_nothing, "not-burned"),
    "pedal": Word(_control, "pedal NAME"),
    "key": Word(_control, "key NAME"),
    "unplug": Word(_device, "unplug DEVICE"),
    "plug": Word(_device, "plug DEVICE"),
    "switch": Word(_switch, "switch DEVICE NAME [VALUE]"),
    "power-cut": Word(_nothing, "power-cut"),
}


def read_step(line: int, text: str, game: str) -> Step:
    """Return the step that a line of ``play`` says.

    Raises:
        ScriptError: it says none; tells what is wrong and what is allowed.
    """
    word, *words = text.split()
    known = WORDS.get(word)
    if known is None:
        raise ScriptError(line, f"{word!r} is no step: {', '.join(WORDS)}")
    if game not in known.games:
        raise ScriptError(line, f"{word} is no step at {game}: only at {', '.join(known.games)}")
    try:
        return Step(line, text, word, known.read(words))
    except ValueError as fault:
        raise ScriptError(line, f"{text!r}: {fault}. Write it: {known.usage}") from None
