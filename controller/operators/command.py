"""``tablekeeper operators``: who may sign in at a table."""

import argparse
import os
import pwd
import sys
from pathlib import Path

from controller.custody import Custodian, check
from controller.errors import UsageError
from controller.eventlog.errors import EventLogError
from controller.eventlog.files import LOG_FOLDER
from controller.operators.pins import PIN_RULE, check_name, check_role
from controller.operators.roll import Roll
from controller.operators.store import Listed, Store
from controller.operators.typed import new_pin_of
from controller.settings import read_settings
from controller.table.roles import ROLES

RECORDED = "a running table records it at once, another when it starts"


def add_operators(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command ``operators``."""
    command = commands.add_parser("operators", help="who may sign in at a table, and as what")
    actions = command.add_subparsers(title="actions", required=True, metavar="ACTION")
    add = actions.add_parser(
        "add",
        help="add somebody; asks for their PIN",
        description=f"Add an operator.  The PIN is typed or a line of standard input: {PIN_RULE}.",
    )
    add.add_argument("name", metavar="NAME")
    add.add_argument("role", metavar="ROLE", help=", ".join(ROLES))
    add.set_defaults(run=_add)
    everybody = actions.add_parser("list", help="everybody, also who is disabled or locked out")
    everybody.set_defaults(run=_list)
    pin = actions.add_parser("pin", help="give somebody another PIN; asks for it")
    pin.add_argument("name", metavar="NAME")
    pin.set_defaults(run=_pin)
    disable = actions.add_parser("disable", help="let somebody sign in no more, for good")
    disable.add_argument("name", metavar="NAME")
    disable.set_defaults(run=_disable)
    for action in (add, everybody, pin, disable):
        where = action.add_mutually_exclusive_group(required=True)
        where.add_argument("--config", type=Path, metavar="FILE", help="the table's configuration")
        where.add_argument("--state", type=Path, metavar="DIR", help="the table's state folder")


def _add(options: argparse.Namespace) -> int:
    store = _store(options)
    check_name(options.name)
    check_role(options.role)
    if _roll(options).is_disabled(options.name):
        raise UsageError(f"{options.name} was disabled, as the log says: choose another name")
    if store.find(options.name):
        raise UsageError(f"{options.name} is there or was disabled: choose another name")
    store.add(options.name, options.role, new_pin_of(options.name))
    sys.stdout.write(f"{options.name} is added as {options.role}; {RECORDED}\n")
    return 0


def _pin(options: argparse.Namespace) -> int:
    store = _store(options)
    store.enabled(options.name)
    store.change_pin(options.name, new_pin_of(options.name))
    sys.stdout.write(f"{options.name} has another PIN; {RECORDED}\n")
    return 0


def _disable(options: argparse.Namespace) -> int:
    _store(options).disable(options.name)
    sys.stdout.write(f"{options.name} is disabled; {RECORDED}\n")
    return 0


def _list(options: argparse.Namespace) -> int:
    store, roll = _store(options), _roll(options)
    everybody, standing = store.all(), store.standing()
    roll.adopt(standing)
    differs = {one.name: one for one in roll.differences(standing)}
    if not everybody and not differs:
        sys.stdout.write("nobody yet: tablekeeper operators add NAME ROLE\n")
    for listed in everybody:
        operator = listed.operator
        differs.pop(operator.name, None)
        stands = roll.objection(standing, operator.name)
        is_new = operator.name in standing.pending
        words = f"refused: {stands}" if stands and not is_new else _stands(listed)
        sys.stdout.write(f"{operator.name:<32}  {operator.role:<20}  {words}\n")
    for missing in differs.values():
        sys.stdout.write(f"{missing.name:<32}  {'':<20}  {missing}\n")
    return 0


def _stands(listed: Listed) -> str:
    if listed.operator.disabled:
        return "disabled"
    return f"locked for {listed.locked_ms / 1000:.0f} s" if listed.locked_ms else "may sign in"


def _roll(options: argparse.Namespace) -> Roll:
    """Return what the log says, which outranks the file; a log that cannot be asked is told."""
    try:
        return Roll.at(_folder(options) / LOG_FOLDER)
    except EventLogError as fault:
        sys.stderr.write(f"the log is not compared: {fault}\n")
        return Roll(whole=False)


def _folder(options: argparse.Namespace) -> Path:
    folder: Path = options.state or read_settings(options.config, Custodian()).state
    return folder


def _store(options: argparse.Namespace) -> Store:
    """Return the store that is meant, in a folder that is the caller's own.

    Files that root made would be closed to the table's own user.
    """
    folder = _folder(options)
    try:
        owner = folder.stat().st_uid
    except OSError as fault:
        what = f"{folder}: {fault.strerror}: the table's state folder is meant"
        raise UsageError(what) from None
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder: the table's state folder is meant")
    if owner != os.geteuid():
        name = _name_of(owner)
        raise UsageError(f"{folder} is {name}'s: sudo -u {name} tablekeeper operators ...")
    check(folder, Custodian(), config=None)  # whether it is a real table's, is not known here
    return Store(folder)


def _name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"#{uid}"
