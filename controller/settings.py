"""A table's configuration: read, checked and made one value.

A key that nobody knows is a mistake, and every mistake names its file, its key and what is
allowed there.
"""

import hashlib
import os
import re
import tomllib
from collections.abc import Mapping
from datetime import datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import structs

from controller.bounded import HANGS_AFTER, within
from controller.characters import taken_in
from controller.custody import Custodian, OutOfCustody, read_file
from controller.errors import SettingsError
from controller.eventlog.apart import misplaced
from controller.eventlog.files import LOG_FOLDER
from controller.game.options import NAMES, Game, build
from controller.shipped import shipped
from controller.table.controls import ACTIONS, DEFAULT_CONTROLS

USUAL_CONFIG: Final = Path("/etc/tablekeeper/table.toml")
USUAL_STATE: Final = Path("/var/lib/tablekeeper")
USUAL_SOCKET: Final = Path("/run/tablekeeper/control.sock")
"""Where the service has its configuration, its record and its control socket."""

LONGEST_SOCKET: Final = 107
"""Bytes that the path of a socket may have."""

MOST_BYTES: Final = 1_000_000
"""A configuration has no more."""

ROOM: Final = 100
"""MB that a table needs to open: three times what it records in 24 busy hours (a round of the demo
with five wagers is 20 kB in the log; taken are 70 rounds an hour)."""

ROOM_FILES: Final = 100
"""Files (inodes) that it must be possible to make: a gaming day takes four, and some in passing."""


STILL_THE_EXAMPLE: Final = "the settings are still the example's"
"""``systemd/gave-up`` knows these words: nothing is wrong with a table that was never set up."""

NAME_THE_DEVICES: Final = (
    "sudo tablekeeper setup, or give the table its name and its devices by hand"
)


class DeviceSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One device: its driver, where it is plugged in, and the driver's own options."""

    driver: str
    port: str
    serial: str = ""
    """The serial that the device must tell of itself; empty where any will do."""
    options: dict[str, Any] = {}


class _TableSection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    game: str
    state: str
    socket: str = ""
    source: str = ""
    room: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] | None = None
    room_files: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] | None = None
    day_starts: str = "06:00"
    mirror: str = ""
    cards_ready: bool = False


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    table: _TableSection
    devices: dict[str, DeviceSettings]
    game: dict[str, Any] = {}
    controls: dict[str, Any] | None = None


class TableSettings(msgspec.Struct, frozen=True):
    """Everything that a table is run by.  ``digest`` tells one configuration from another."""

    path: Path
    """The file that says so."""
    name: str
    game: Game
    state: Path
    socket: Path
    devices: dict[str, DeviceSettings]
    controls: dict[str, str]
    source: str
    """The device that cards come from when the table is opened for the first time."""
    room: int
    """MB that must be free for ``state``, or the table does not open."""
    room_files: int
    """Files that it must be possible to make there, or the table does not open."""
    room_is_said: bool
    """The configuration says so of either: both count at a rehearsal, too."""
    digest: str
    day_starts: time
    """Local time at which a gaming day begins."""
    mirror: Path | None
    """Folder on another disk for a second copy of the log."""
    cards_ready: bool
    """A rehearsal's cards lie in the device, shuffled, cut and the first one burned."""


def read_game(name: str, overrides: Mapping[str, object]) -> Game:
    """Return the game with its shipped options, and ``overrides`` over them.

    Raises:
        SettingsError: the game, a key or a value cannot be.
    """
    if name not in NAMES:
        raise SettingsError(f"game {name!r} is not known: one of {', '.join(NAMES)}")
    path = shipped(f"games/{name}.toml")
    return build(name, _toml(_read(path), path) | dict(overrides))


def read_settings(path: Path, custodian: Custodian | None = None) -> TableSettings:
    """Return the table that the file describes.

    With a ``custodian`` the file must be root's or theirs, and nobody else's to write; a link to
    it will not do then.

    Raises:
        SettingsError: the file is missing or has a fault; says where and what is allowed.
    """
    data = _read(path, custodian)
    plain = _toml(data, path)
    try:
        file = msgspec.convert(taken_in(plain), _File, dec_hook=_no_hook)
        return _table(file, path, hashlib.sha256(data).hexdigest())
    except (ValueError, SettingsError) as fault:  # ValidationError is one, too
        raise SettingsError(f"{path}: {_in_words(str(fault))}") from None


def is_the_example(settings: TableSettings) -> bool:
    """Tell whether nobody has yet said which table this is and what is plugged in.

    So it is where table and devices are those of the shipped example, whatever its comments say
    and whichever options of the game were tried.
    """
    example = read_settings(shipped("table.toml"))
    of_no_table = {"path": example.path, "digest": "", "game": example.game, "controls": {}}
    return settings.game.name == example.game.name and (
        structs.replace(settings, **of_no_table) == structs.replace(example, **of_no_table)
    )


def require_own(settings: TableSettings) -> None:
    """Refuse the settings of the example: nobody is to deal at a table that nobody has set up.

    Raises:
        SettingsError: they are the example's; says what to do.
    """
    if is_the_example(settings):
        raise SettingsError(f"{settings.path}: {STILL_THE_EXAMPLE}: {NAME_THE_DEVICES}")


def _read(path: Path, custodian: Custodian | None = None) -> bytes:
    if path.is_dir():
        raise SettingsError(f"{path}: cannot be read: it is a directory, and a file is meant")
    try:
        return read_file(path if custodian else path.resolve(), MOST_BYTES, settings_of=custodian)
    except FileNotFoundError:
        raise SettingsError(f"{path}: there is no such file") from None
    except OutOfCustody as odd:
        raise SettingsError(f"{odd.fault}") from None
    except (OSError, RuntimeError) as fault:  # RuntimeError: links that lead round and round
        raise SettingsError(f"{path}: cannot be read: {fault}") from None


def _toml(data: bytes, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(data.decode(), parse_float=Decimal)
    except UnicodeDecodeError as fault:
        raise SettingsError(f"{path}: cannot be read: {fault}") from None
    except tomllib.TOMLDecodeError as fault:
        raise SettingsError(f"{path}: is not TOML: {fault}") from None
    except RecursionError:
        raise SettingsError(f"{path}: is nested too deeply") from None
    except ValueError:
        raise SettingsError(f"{path}: holds a number that is too long") from None


def _misplaced(log: Path, mirror: Path) -> str | None:
    if "\0" in str(mirror):
        return "no folder has such a name"
    # A disk that hangs keeps no table from its settings: the copy is looked at again later.
    return within(HANGS_AFTER, lambda: misplaced(log, mirror), None)


def _table(file: _File, path: Path, digest: str) -> TableSettings:
    _check_words(file)
    state = Path(file.table.state)
    mirror = Path(file.table.mirror) if file.table.mirror else None
    if mirror is not None and (fault := _misplaced(state / LOG_FOLDER, mirror)):
        raise SettingsError(f"table.mirror = {mirror}: {fault}")
    controls = dict(DEFAULT_CONTROLS) if file.controls is None else file.controls
    _check_controls(controls, file.devices if file.controls is not None else None)
    return TableSettings(
        path=path,
        name=file.table.name,
        game=read_game(file.table.game, file.game),
        state=state,
        socket=Path(file.table.socket) if file.table.socket else state / "control.sock",
        devices=file.devices,
        controls=controls,
        source=_source(file),
        room=file.table.room or ROOM,
        room_files=file.table.room_files or ROOM_FILES,
        room_is_said=(file.table.room, file.table.room_files) != (None, None),
        digest=digest,
        day_starts=_time_of_day(file.table.day_starts),
        mirror=mirror,
        cards_ready=file.table.cards_ready,
    )


def _check_words(file: _File) -> None:
    """Refuse what is empty, before it becomes a path or a heading."""
    words = {"table.name": file.table.name, "table.state": file.table.state}
    if file.table.socket:
        words["table.socket"] = file.table.socket
    for name, device in file.devices.items():
        words[f"devices.{name}.port"] = device.port
        if device.serial:
            words[f"devices.{name}.serial"] = device.serial
    for key, text in words.items():
        if not text.strip():
            raise SettingsError(f"{key} = {text!r} is empty")
    socket = file.table.socket or f"{file.table.state}/control.sock"
    if len(os.fsencode(socket)) > LONGEST_SOCKET:
        raise SettingsError(f"table.socket = {socket} has more than {LONGEST_SOCKET} bytes")
    if not file.devices:
        raise SettingsError("devices: a table needs a device that cards come from")


def _time_of_day(text: str) -> time:
    try:
        return datetime.strptime(text, "%H:%M").time()  # noqa: DTZ007 - a time of any day
    except ValueError:
        raise SettingsError(f'table.day_starts = "{text}" is no time: write it as 06:00') from None


def _source(file: _File) -> str:
    source = file.table.source or next(iter(file.devices), "")
    if source not in file.devices:
        known = ", ".join(file.devices) or "none"
        raise SettingsError(f"table.source = {source} is no device of this table: {known}")
    return source


def _check_controls(
    controls: Mapping[str, Any], devices: Mapping[str, DeviceSettings] | None
) -> None:
    for control, action in controls.items():
        if action not in ACTIONS:  # a list or a number is in no tuple of words either
            allowed = ", ".join(ACTIONS)
            raise SettingsError(f'controls."{control}" = "{action}" is no action: {allowed}')
        device, _, rest = control.partition(".")
        if not rest:
            raise SettingsError(f'controls."{control}": write device.control, as pedal.middle')
        if devices is not None and device not in devices:
            known = ", ".join(devices) or "none"
            raise SettingsError(f'controls."{control}": there is no device {device}: {known}')


def _no_hook(kind: type, value: object) -> object:
    raise msgspec.ValidationError(f"{value!r} is no {kind.__name__}")


def _in_words(fault: str) -> str:
    """Say a checker's message as ``key: what``: it puts the key last, as ``- at `$.table```."""
    what, at, where = fault.partition(" - at `$")
    key = where.strip(".`").replace("[...]", "")
    unknown = _UNKNOWN.fullmatch(what)
    if unknown is None:
        return f"{key}: {what}" if at else fault
    kind = {"": _File, "table": _TableSection}.get(key, DeviceSettings)
    place = f"{key}.{unknown[1]}" if key else unknown[1]
    return f"{place} is not known: {', '.join(kind.__struct_fields__)}"


_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`")
