"""A game as it is offered at one table: which rule text, and the options that text leaves open.

``build`` is the only way in.  It takes values as they are written (in a game's TOML, in a
script), and refuses with the clause what the rules forbid.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import msgspec

from controller.errors import SettingsError
from controller.game.prizes import PRIZES, fault_in
from controller.money import dollars

BLACKJACK_NSW: Final = "blackjack-nsw"
PONTOON_NSW: Final = "pontoon-nsw"
PONTOON_NZ: Final = "pontoon-nz"
NAMES: Final = (BLACKJACK_NSW, PONTOON_NSW, PONTOON_NZ)


class Game(msgspec.Struct, frozen=True, kw_only=True):
    """One game with its options settled.  Amounts are cents."""

    name: str
    decks: int
    boxes: int
    minimum: int
    maximum: int
    smallest_chip: int
    resplit: bool
    double_with_ace: bool
    pay_at_end: bool
    super_sevens: bool
    perfect_pairs: bool
    pandemonium: bool
    super_bonus: bool
    face_down: bool = False
    """The players' first two cards are dealt face down, with an inspector's approval (3.5.2)."""
    void_returns: str = "unsettled"
    """What a void round gives back: what is not settled, or ``all`` (16.6, 17.4)."""
    side_wager: int = 100
    """What it takes at least to make a side wager, as shown on the sign (14.3, 18.14.3)."""
    prizes: tuple[tuple[int, int], ...] = ()
    """Pandemonium's prizes, dollars for each dollar, with their weights; largest first."""

    @property
    def is_pontoon(self) -> bool:
        """Tell whether rule 18 (or the NZ division over it) is played (1.1 Pontoon, 18.1, nz:2)."""
        return self.name != BLACKJACK_NSW

    @property
    def is_nz(self) -> bool:
        """Tell whether the NZ division is played."""
        return self.name == PONTOON_NZ

    @property
    def tens(self) -> bool:
        """Tell whether the tens are in the pack: not at Pontoon (18.4.1, nz:3.3(a))."""
        return not self.is_pontoon


class Option(msgspec.Struct, frozen=True):
    """One key of a game's options: how it is read, and the clause that leaves it open."""

    read: Callable[[str], Any]
    allowed: str
    rule: str


def _flag(text: str) -> bool:
    if text not in {"true", "false"}:
        raise ValueError(text)
    return text == "true"


def _amount(text: str) -> int:
    cents = dollars(text)
    if cents == 0:
        raise ValueError(text)
    return cents


def _void_returns(text: str) -> str:
    if text not in {"unsettled", "all"}:
        raise ValueError(text)
    return text


_FLAG: Final = "true or false"
_MONEY: Final = "dollars above 0, at most two decimals"

OPTIONS: Final[Mapping[str, Option]] = MappingProxyType({
    "decks": Option(int, "a whole number", "3.1, 18.4.1, nz:3.3(a)"),
    "boxes": Option(int, "a whole number", "18.1.1, nz:3.1"),
    "minimum": Option(_amount, _MONEY, "6.1"),
    "maximum": Option(_amount, _MONEY, "6.1"),
    "smallest_chip": Option(_amount, _MONEY, "5.9"),
    "side_wager": Option(_amount, _MONEY, "14.3, 18.14.3"),
    "resplit": Option(_flag, _FLAG, "12.5"),
    "double_with_ace": Option(_flag, _FLAG, "11.2"),
    "pay_at_end": Option(_flag, _FLAG, "9.1.1, 18.7.3"),
    "super_sevens": Option(_flag, _FLAG, "14.1"),
    "perfect_pairs": Option(_flag, _FLAG, "14.1"),
    "pandemonium": Option(_flag, _FLAG, "18.14.1"),
    "super_bonus": Option(_flag, _FLAG, "18.13.1"),
    "face_down": Option(_flag, _FLAG, "3.5.2"),
    "void_returns": Option(_void_returns, "unsettled or all", "16.6, 17.4, 17.5.1"),
})  # fmt: skip

_DECKS: Final = MappingProxyType({
    BLACKJACK_NSW: ((3, 4, 6, 8), "3.1"),
    PONTOON_NSW: ((6, 8), "18.4.1"),
    PONTOON_NZ: ((4, 5, 6, 7, 8), "nz:3.3(a)"),
})  # fmt: skip
_BOXES: Final = MappingProxyType({
    BLACKJACK_NSW: (1, 9, "2"),
    PONTOON_NSW: (5, 9, "18.1.1"),
    PONTOON_NZ: (1, 7, "nz:3.1"),
})  # fmt: skip
# What only some of the games have; elsewhere it may be written as false, and is.
_ONLY_AT: Final = MappingProxyType({
    "super_sevens": (BLACKJACK_NSW,),
    "perfect_pairs": (BLACKJACK_NSW,),
    "double_with_ace": (BLACKJACK_NSW,),
    "face_down": (BLACKJACK_NSW, PONTOON_NSW),
    "pandemonium": (PONTOON_NSW,),
    "super_bonus": (PONTOON_NSW,),
})  # fmt: skip
_SIDE_WAGER_DECKS: Final = (6, 8)  # 3.1: Super Sevens and Perfect Pairs


def build(name: str, given: Mapping[str, object]) -> Game:
    """Return the game ``name`` with the options ``given``; keys left out take what is usual.

    Raises:
        SettingsError: an unknown game or key, an impossible value, or something that the rules
            forbid; the message names the key, what is allowed and the clause.
    """
    if name not in NAMES:
        raise SettingsError(f"game {name!r} is not known: one of {', '.join(NAMES)}")
    given = dict(given)
    weights = given.pop("prizes", None)
    if strangers := given.keys() - OPTIONS.keys():
        raise SettingsError(
            f"unknown option {', '.join(sorted(strangers))} of {name}: "
            f"known are {', '.join(OPTIONS)}"
        )
    values = _usual(name) | {key: _read(key, written) for key, written in given.items()}
    _check(name, values)
    if weights is not None:
        values["prizes"] = _prizes(name, weights, values["decks"])
    # 3.1: without a word about it, Super Sevens and Perfect Pairs are offered where they may be.
    for side in ("super_sevens", "perfect_pairs"):
        values.setdefault(side, name == BLACKJACK_NSW and values["decks"] in _SIDE_WAGER_DECKS)
    return Game(name=name, **values)


def _usual(name: str) -> dict[str, Any]:
    return {
        "decks": 6,
        "boxes": 7,
        "minimum": 500,
        "maximum": 100_000,
        "smallest_chip": 50,
        "resplit": False,
        "double_with_ace": False,
        "pay_at_end": False,
        "pandemonium": name == PONTOON_NSW,
        "super_bonus": name == PONTOON_NSW,
    }


def _read(key: str, written: object) -> Any:
    option = OPTIONS[key]
    text = str(written).lower() if isinstance(written, bool) else str(written)
    try:
        return option.read(text)
    except ValueError:
        raise SettingsError(f"{key} = {text} cannot be: {option.allowed} ({option.rule})") from None


def _prizes(name: str, weights: object, decks: int) -> tuple[tuple[int, int], ...]:
    """Return Pandemonium's prizes with their weights, as the game's file has them (18.14.6)."""
    if name != PONTOON_NSW:
        raise SettingsError(f"prizes: Pontoon Pandemonium is not played at {name} (18.14)")
    try:
        read = {int(prize): weight for prize, weight in dict(weights).items()}  # type: ignore[call-overload]
    except (TypeError, ValueError):
        raise SettingsError("prizes: one prize = weight a line (18.14.6)") from None
    if not all(type(weight) is int for weight in read.values()):
        raise SettingsError("prizes: weights are whole numbers (18.14.6)")
    if fault := fault_in(read, decks):
        raise SettingsError(f"prizes: {fault}")
    return tuple((prize, read[prize]) for prize in PRIZES)


def _check(name: str, values: Mapping[str, Any]) -> None:
    decks, rule = _DECKS[name]
    if values["decks"] not in decks:
        allowed = ", ".join(map(str, decks))
        raise SettingsError(f"decks = {values['decks']} cannot be at {name}: {allowed} ({rule})")
    least, most, rule = _BOXES[name]
    if not least <= values["boxes"] <= most:
        raise SettingsError(
            f"boxes = {values['boxes']} cannot be at {name}: {least} to {most} ({rule})"
        )
    if values["minimum"] > values["maximum"]:
        raise SettingsError("minimum is above maximum (6.1)")
    for key, games in _ONLY_AT.items():
        if values.get(key) and name not in games:
            raise SettingsError(f"{key} is not offered at {name} ({OPTIONS[key].rule})")
    for side in ("super_sevens", "perfect_pairs"):
        if values.get(side) and values["decks"] not in _SIDE_WAGER_DECKS:
            raise SettingsError(f"{side} needs six or eight decks, not {values['decks']} (3.1)")
