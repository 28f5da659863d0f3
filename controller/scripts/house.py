"""The words said around the round, alike in scripts and by ``tablekeeper say``."""

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, get_args

import msgspec

from controller.characters import printable, taken
from controller.events import AnswerAlarm, Ask
from controller.game.callers import Reason
from controller.game.house import (
    AroundTheRound,
    AtBox,
    EndOwnLimits,
    Handle,
    InspectorNotified,
    Lift,
    Limit,
    Reject,
    Release,
    RemoveNotice,
    Reserve,
    Restrict,
    SeatFound,
    SeatWanted,
    SetLimits,
    SetMostPlayers,
    SetOwnLimits,
    ShowNotice,
    SpokenWager,
)
from controller.game.moves import Absent, CallDecisions, Present, Wager, Withdraw
from controller.game.wagers import SIDE_WAGERS
from controller.money import dollars

OFF: Final = "off"
WITHOUT_CHIPS: Final = "without-chips"
_LIMITS: Final = get_args(Limit)
_REASONS: Final = get_args(Reason)
_HANDLED: Final = ("main", "insurance", "double", "split")

_SIDES: Final = tuple(side.field for side in SIDE_WAGERS)
_KINDS: Final[Mapping[str, bool]] = MappingProxyType({"voucher": True, "chips": False})
"""Whether the main wager is a voucher, by the word that may end what is said of it."""

HouseAsk = AroundTheRound | AtBox | Wager | Withdraw | Absent | Present | AnswerAlarm


class HouseWord(msgspec.Struct, frozen=True):
    """One word: what is asked by it, and how what follows is written."""

    read: Callable[[Sequence[str]], HouseAsk]
    usage: str

    def said(self, words: Sequence[str]) -> Ask:
        """Return what is asked with these words after it.

        Raises:
            ValueError: they do not belong there, or the table takes no such name or amount.
        """
        try:
            ask: Ask = msgspec.convert(msgspec.to_builtins(self.read(words)), HouseAsk)
        except msgspec.ValidationError as fault:
            raise ValueError(str(fault)) from None
        return ask


def said(words: Sequence[str]) -> Ask:
    """Return what the words ask for.

    Raises:
        ValueError: they ask for nothing; says how they are written.
    """
    word, *after = map(_seen, words)
    known = HOUSE_WORDS.get(word)
    if known is None:
        raise ValueError(f"{word!r} is no word: {', '.join(HOUSE_WORDS)}")
    try:
        return known.said(after)
    except ValueError as fault:
        raise ValueError(f"{fault}; write it: {word} {known.usage}") from None


def _seen(word: str) -> str:
    try:
        return taken(word)
    except ValueError as fault:
        raise ValueError(f"{printable(word)}: {fault}") from None


def _count(words: Sequence[str], *counts: int) -> None:
    if len(words) not in counts:
        raise ValueError(f"{' or '.join(map(str, counts))} words follow, not {len(words)}")


def _box(word: str) -> int:
    if not re.fullmatch("[1-9]", word):
        raise ValueError(f"{word!r} is no box: 1 to 9")
    return int(word)


def _one_of(word: str, allowed: Sequence[str]) -> Any:
    if word not in allowed:
        raise ValueError(f"{word!r} is none of {', '.join(allowed)}")
    return word


def _wager(words: Sequence[str]) -> HouseAsk:
    if len(words) < 3:
        raise ValueError("a box, a player and an amount follow")
    box, player, amount, *after = words
    voucher = _KINDS[after.pop()] if after and after[-1] in _KINDS else None
    if len(after) % 2:
        raise ValueError(f"an amount follows each of {', '.join(_SIDES)}")
    aside: dict[str, int] = {}
    for word, cents in zip(after[::2], after[1::2], strict=True):
        name = _one_of(word.replace("-", "_"), _SIDES)
        if name in aside:
            raise ValueError(f"{word} stands twice")
        aside[name] = dollars(cents)
    return Wager(
        box=_box(box),
        player=player,
        main=dollars(amount),
        super_sevens=aside.get("super_sevens"),
        perfect_pairs=aside.get("perfect_pairs"),
        pandemonium=aside.get("pandemonium"),
        voucher=voucher,
    )


def _players_at(
    ask: Callable[[int, tuple[str, ...]], HouseAsk],
) -> Callable[[Sequence[str]], HouseAsk]:
    def read(words: Sequence[str]) -> HouseAsk:
        if not words:
            raise ValueError("a box follows")
        return ask(_box(words[0]), tuple(words[1:]))

    return read


def _withdraw(words: Sequence[str]) -> HouseAsk:
    _count(words, 2)
    return Withdraw(_box(words[0]), words[1])


def _limits(words: Sequence[str]) -> HouseAsk:
    _count(words, 2, 3)
    return SetLimits(*map(dollars, words))


def _notice(words: Sequence[str]) -> HouseAsk:
    _count(words, 1)
    return RemoveNotice() if words[0] == OFF else ShowNotice(dollars(words[0]))


def _own_limits(words: Sequence[str]) -> HouseAsk:
    _count(words, 2, 3)
    if list(words[1:]) == [OFF]:
        return EndOwnLimits(words[0])
    _count(words, 3)
    return SetOwnLimits(words[0], dollars(words[1]), dollars(words[2]))


def _restrict(words: Sequence[str]) -> HouseAsk:
    _count(words, 2)
    return Restrict(words[0], _one_of(words[1], _LIMITS))


def _player(ask: Callable[[str], HouseAsk]) -> Callable[[Sequence[str]], HouseAsk]:
    def read(words: Sequence[str]) -> HouseAsk:
        _count(words, 1)
        return ask(words[0])

    return read


def _reserve(words: Sequence[str]) -> HouseAsk:
    if len(words) < 2:
        raise ValueError("boxes and a player follow")
    return Reserve(words[-1], tuple(map(_box, words[:-1])))


def _release(words: Sequence[str]) -> HouseAsk:
    if not words:
        raise ValueError("boxes follow")
    return Release(tuple(map(_box, words)))


def _most_players(words: Sequence[str]) -> HouseAsk:
    _count(words, 1, 2)
    return SetMostPlayers(int(_one_of(words[0], ("1", "2", "3"))), *map(_box, words[1:]))


def _reject(words: Sequence[str]) -> HouseAsk:
    _count(words, 2)
    return Reject(_box(words[0]), words[1])


def _controls(words: Sequence[str]) -> HouseAsk:
    _count(words, 4)
    _one_of(words[2], ("because",))
    return CallDecisions(_box(words[0]), words[1], _one_of(words[3], _REASONS))


def _spoken(words: Sequence[str]) -> HouseAsk:
    _count(words, 3, 4)
    without = [_one_of(word, (WITHOUT_CHIPS,)) for word in words[3:]]
    return SpokenWager(_box(words[0]), words[1], dollars(words[2]), chips=not without)


def _answer_alarm(words: Sequence[str]) -> HouseAsk:
    if not words:
        raise ValueError("what the alarm was follows")
    return AnswerAlarm(" ".join(words))


def _handle(words: Sequence[str]) -> HouseAsk:
    _count(words, 2, 3)
    return Handle(_box(words[0]), words[1], *(_one_of(word, _HANDLED) for word in words[2:]))


HOUSE_WORDS: Final[Mapping[str, HouseWord]] = {
    "wager": HouseWord(_wager, "BOX PLAYER AMOUNT [SIDE AMOUNT ...] [voucher|chips]"),
    "withdraw": HouseWord(_withdraw, "BOX PLAYER"),
    "limits": HouseWord(_limits, "MIN MAX [UNIT]"),
    "notice": HouseWord(_notice, "MIN|off"),
    "own-limits": HouseWord(_own_limits, "PLAYER MIN MAX, or PLAYER off"),
    "restrict": HouseWord(_restrict, "PLAYER minimum|further-shoes|one-box"),
    "notified": HouseWord(_player(InspectorNotified), "PLAYER"),
    "lift": HouseWord(_player(Lift), "PLAYER"),
    "reserve": HouseWord(_reserve, "BOX [BOX ...] PLAYER"),
    "release": HouseWord(_release, "BOX [BOX ...]"),
    "most-players": HouseWord(_most_players, "N [BOX]"),
    "seat-wanted": HouseWord(_player(SeatWanted), "PLAYER"),
    "seat-found": HouseWord(_player(SeatFound), "PLAYER"),
    "reject": HouseWord(_reject, "BOX PLAYER"),
    "absent": HouseWord(_players_at(Absent), "BOX [PLAYER ...]"),
    "present": HouseWord(_players_at(Present), "BOX [PLAYER ...]"),
    "controls": HouseWord(_controls, "BOX PLAYER because seated|highest|nearest"),
    "spoken": HouseWord(_spoken, f"BOX PLAYER AMOUNT [{WITHOUT_CHIPS}]"),
    "answer-alarm": HouseWord(_answer_alarm, "WHAT IT WAS"),
    "handle": HouseWord(_handle, "BOX PLAYER [main|insurance|double|split]"),
}
