"""Reading a script: every fault is told with its line, what is wrong and what is allowed.

Plain scalars stay the text that was written until they are used, so that ``3:2``, ``no`` and
``1e3`` mean what they look like.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, TypeVar, get_args

import msgspec
import yaml

from controller.characters import taken
from controller.errors import ScriptError, SettingsError
from controller.game.house import SpokenWager
from controller.game.moves import Wager
from controller.game.options import NAMES, OPTIONS, Game
from controller.game.settlement import WagerName
from controller.game.verdict import Result
from controller.game.wagers import MOST_PLAYERS, SIDE_WAGERS
from controller.money import dollars
from controller.scripts.script import Expected, Fault, Script, Step
from controller.scripts.steps import SOURCES, read_step
from controller.settings import read_game

LARGEST: Final = 1024 * 1024
"""Bytes a script may have; a round is a page."""

_KEYS: Final = ("title", "game", "options", "bets", "play", "expect")
_SIDE_WAGERS: Final = tuple(side.field for side in SIDE_WAGERS)
_BET_KEYS: Final = ("box", "player", "main", *_SIDE_WAGERS, "voucher", "controls")
_WAGER_NAMES: Final = get_args(WagerName)
_RESULTS: Final = get_args(Result)

Value = TypeVar("Value")


class BadScript(Exception):
    """A script that cannot be played; ``faults`` are all that were found, by line."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(fault.what for fault in faults))
        self.faults = sorted(faults)


def read_script(path: Path) -> Script:
    """Return the script in a file.

    Raises:
        BadScript: it cannot be read or played.
    """
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise BadScript([Fault(0, f"cannot be read: {fault.strerror}")]) from None
    if len(data) > LARGEST:
        raise BadScript([Fault(0, f"is larger than {LARGEST // 1024} KiB: a script is one round")])
    return parse_script(data)


def parse_script(data: bytes) -> Script:
    """Return the script that the bytes are.

    Raises:
        BadScript: they are none.
    """
    try:
        root = yaml.compose(data.decode("utf-8"), Loader=yaml.CSafeLoader)
    except UnicodeDecodeError:
        raise BadScript([Fault(0, "is not UTF-8 text")]) from None
    except yaml.MarkedYAMLError as fault:
        line = fault.problem_mark.line + 1 if fault.problem_mark else 0
        raise BadScript([Fault(line, f"is not YAML: {fault.problem or fault.context}")]) from None
    except (yaml.YAMLError, RecursionError) as fault:
        raise BadScript([Fault(0, f"is not YAML: {' '.join(str(fault).split())}")]) from None
    if root is None:
        raise BadScript([Fault(0, "is empty: title, game, bets and play are needed")])
    return _Reading().script(root)


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


class _Reading:
    """One pass over a script; goes on after a fault, so that all are told at once."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []

    def script(self, root: yaml.Node) -> Script:
        parts = self._try(lambda: _mapping(root, "a script", _KEYS)) or {}
        for key in ("title", "game", "bets", "play"):
            if key not in parts and not self._faults:
                self._faults.append(Fault(_line(root), f"{key} is missing"))
        self._stop_if_bad()
        title = self._try(lambda: _text(parts["title"], "title")) or ""
        game, source = self._game(parts["game"], parts.get("options"))
        self._stop_if_bad()
        assert game is not None  # it is there, or there is a fault
        wagers = tuple(self._each(parts["bets"], "bets", lambda node: _wager(node, game)))
        self._check_wagers(parts["bets"], wagers)
        steps = tuple(self._each(parts["play"], "play", lambda node: _step(node, game)))
        wagers = _with_callers(wagers, steps)
        expected: tuple[Expected, ...] = ()
        if "expect" in parts:
            expected = tuple(self._each(parts["expect"], "expect", _expected))
        self._stop_if_bad()
        return Script(title, game, source, wagers, steps, expected)

    def _stop_if_bad(self) -> None:
        if self._faults:
            raise BadScript(self._faults)

    def _try(self, read: Callable[[], Value]) -> Value | None:
        try:
            return read()
        except ScriptError as fault:
            self._faults.append(Fault(fault.line, fault.what))
            return None

    def _each(
        self, node: yaml.Node, name: str, read: Callable[[yaml.Node], Value]
    ) -> Iterator[Value]:
        for item in self._try(lambda: _sequence(node, name)) or ():
            value = self._try(lambda item=item: read(item))  # type: ignore[misc]
            if value is not None:
                yield value

    def _game(self, node: yaml.Node, options: yaml.Node | None) -> tuple[Game | None, str]:
        def read() -> tuple[Game, str]:
            name = _text(node, "game")
            if name not in NAMES:
                raise ScriptError(_line(node), f"game {name!r} is not known: {', '.join(NAMES)}")
            given = _options(options)
            source = given.pop("source", SOURCES[0])
            if source not in SOURCES:
                what = f"source: {source!r} is no device that cards come from: "
                raise ScriptError(_line(options or node), what + ", ".join(SOURCES))
            try:
                return read_game(name, given), source
            except SettingsError as fault:
                raise ScriptError(_line(options or node), str(fault)) from None

        return self._try(read) or (None, SOURCES[0])

    def _check_wagers(self, node: yaml.Node, wagers: tuple[Wager, ...]) -> None:
        if not wagers and not self._faults:
            self._faults.append(Fault(_line(node), "bets is empty: a round needs a wager"))
        seen: set[tuple[int, str]] = set()
        led: set[int] = set()
        on_box: dict[int, int] = {}
        for wager, item in zip(wagers, getattr(node, "value", ()), strict=False):
            if (wager.box, wager.player) in seen:
                what = f"{wager.player} has a bet on box {wager.box} already"
                self._faults.append(Fault(_line(item), what))
            seen.add((wager.box, wager.player))
            if wager.controls and wager.box in led:
                what = f"box {wager.box} is controlled by one player (5.5)"
                self._faults.append(Fault(_line(item), what))
            led |= {wager.box} if wager.controls else set()
            on_box[wager.box] = on_box.get(wager.box, 0) + 1
            if on_box[wager.box] == MOST_PLAYERS + 1:
                what = f"more than {MOST_PLAYERS} players on box {wager.box} (5.4)"
                self._faults.append(Fault(_line(item), what))


def _with_callers(wagers: tuple[Wager, ...], steps: tuple[Step, ...]) -> tuple[Wager, ...]:
    """Let one player sit at each box that several come to share: as said, else the first listed."""
    later = [ask for step in steps for ask in step.args if isinstance(ask, Wager | SpokenWager)]
    shared = {one.box for one in wagers for two in (*wagers, *later) if _beside(one, two)}
    to_say = shared - {wager.box for wager in wagers if wager.controls}
    called = []
    for wager in wagers:
        first = wager.box in to_say
        to_say.discard(wager.box)
        called.append(msgspec.structs.replace(wager, controls=wager.controls or first))
    return tuple(called)


def _beside(one: Wager, two: Wager | SpokenWager) -> bool:
    return one.box == two.box and one.player != two.player


# --- the YAML ------------------------------------------------------------------------------------


def _mapping(node: yaml.Node, name: str, allowed: tuple[str, ...]) -> dict[str, yaml.Node]:
    if not isinstance(node, yaml.MappingNode):
        raise ScriptError(_line(node), f"{name} is key: value pairs: {', '.join(allowed)}")
    found: dict[str, yaml.Node] = {}
    for key_node, value in node.value:
        key = _text(key_node, "a key")
        if key not in allowed:
            raise ScriptError(_line(key_node), f"unknown key {key!r}: {', '.join(allowed)}")
        if key in found:
            raise ScriptError(_line(key_node), f"{key} stands twice")
        found[key] = value
    return found


def _sequence(node: yaml.Node, name: str) -> list[yaml.Node]:
    if isinstance(node, yaml.ScalarNode) and not node.value:
        return []
    if not isinstance(node, yaml.SequenceNode):
        raise ScriptError(_line(node), f"{name} is a list, one line each, begun with -")
    return list(node.value)


def _text(node: yaml.Node, name: str) -> str:
    text = str(node.value) if isinstance(node, yaml.ScalarNode) else ""
    if not text.strip() or "\n" in text:
        raise ScriptError(_line(node), f"{name} is one line of text")
    try:
        return taken(text)
    except ValueError as fault:
        raise ScriptError(_line(node), f"{name}: {fault}") from None


def _options(node: yaml.Node | None) -> dict[str, str]:
    if node is None or (isinstance(node, yaml.ScalarNode) and not node.value):
        return {}
    allowed = ("source", *OPTIONS)
    return {key: _text(value, key) for key, value in _mapping(node, "options", allowed).items()}


# --- bets, steps, expected rows ------------------------------------------------------------------


def _wager(node: yaml.Node, game: Game) -> Wager:
    keys = _mapping(node, "a bet", _BET_KEYS)
    for needed in ("box", "player", "main"):
        if needed not in keys:
            raise ScriptError(_line(node), f"{needed} is missing in the bet")
    for side in _SIDE_WAGERS:
        if side in keys and not getattr(game, side):
            raise ScriptError(_line(keys[side]), f"{side} is not offered at this {game.name} table")
    return Wager(
        box=_number(keys["box"], "box", game.boxes),
        player=_player(keys["player"]),
        main=_stake(keys["main"], "main"),
        super_sevens=_optional(keys, "super_sevens"),
        perfect_pairs=_optional(keys, "perfect_pairs"),
        pandemonium=_optional(keys, "pandemonium"),
        voucher=_flag(keys, "voucher") or None,
        controls=_flag(keys, "controls"),
    )


def _step(node: yaml.Node, game: Game) -> Step:
    if not isinstance(node, yaml.ScalarNode) or not str(node.value).strip():
        raise ScriptError(_line(node), "a step is one line of words, as: cards 7S KD")
    return read_step(_line(node), _text(node, "a step"), game.name)


def _number(node: yaml.Node, name: str, most: int) -> int:
    text = _text(node, name)
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= most:
        raise ScriptError(_line(node), f"{name}: {text!r} is not 1 to {most}")
    return int(text)


def _player(node: yaml.Node) -> str:
    name = _text(node, "player")
    if len(name.split()) != 1:
        raise ScriptError(_line(node), f"player: {name!r} is not one word")
    return name


def _money(node: yaml.Node, name: str) -> int:
    try:
        return dollars(_text(node, name))
    except ValueError as fault:
        raise ScriptError(_line(node), f"{name}: {fault}") from None


def _stake(node: yaml.Node, name: str) -> int:
    cents = _money(node, name)
    if cents == 0:
        raise ScriptError(_line(node), f"{name}: a wager is more than nothing")
    return cents


def _optional(keys: dict[str, yaml.Node], name: str) -> int | None:
    return _stake(keys[name], name) if name in keys else None


def _flag(keys: dict[str, yaml.Node], name: str) -> bool:
    if name not in keys:
        return False
    text = _text(keys[name], name)
    if text not in {"true", "false"}:
        raise ScriptError(_line(keys[name]), f"{name}: {text!r} is not true or false")
    return text == "true"


def _expected(node: yaml.Node) -> Expected:
    read: dict[str, Callable[[yaml.Node, str], Any]] = {
        "box": _maybe_number,
        "player": lambda value, _name: _player(value),
        "hand": _maybe_number,
        "wager": lambda value, name: _one_of(value, name, _WAGER_NAMES),
        "stake": _money,
        "result": lambda value, name: _one_of(value, name, _RESULTS),
        "odds": lambda value, name: None if _is_null(value) else _text(value, name),
        "pays": _money,
        "returns": _money,
        "rule": _text,
    }
    keys = _mapping(node, "an expected row", tuple(read))
    if not keys:
        raise ScriptError(_line(node), f"an expected row says something: {', '.join(read)}")
    return Expected(_line(node), {key: read[key](value, key) for key, value in keys.items()})


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.value in {"null", "~", ""}


def _maybe_number(node: yaml.Node, name: str) -> int | None:
    return None if _is_null(node) else _number(node, name, 9)


def _one_of(node: yaml.Node, name: str, allowed: tuple[str, ...]) -> str:
    text = _text(node, name)
    if text not in allowed:
        raise ScriptError(_line(node), f"{name}: {text!r} is none of {', '.join(allowed)}")
    return text
