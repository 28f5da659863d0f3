"""``tablekeeper recover``: the way out when a round is decided otherwise now than it was.

``run`` stops with status 70 then, and with 78 when the key that signs the log is lost. A casino
supervisor says how it goes on; that is recorded with the words that they give.
"""

import argparse
import contextlib
import sys
from pathlib import Path
from typing import Final, Literal, NamedTuple

import msgspec

from controller.characters import taken
from controller.clock import mono_ms, utc_now
from controller.custody import Custodian, check
from controller.errors import NotAllowed, OutcomesDiffer, UsageError
from controller.eventlog.errors import SigningKeyLost
from controller.eventlog.store import EventLog
from controller.events import Recovered
from controller.game.settlement import Pending, Settlement
from controller.money import show
from controller.operators.roll import Roll
from controller.operators.store import Store, Verdict
from controller.operators.typed import pin_of
from controller.service.days import Days
from controller.service.people import objected, refusal
from controller.settings import TableSettings, read_settings
from controller.table.lenient import Known, known
from controller.table.owner import Table
from controller.table.recovery import unsettled
from controller.table.resume import resume
from controller.table.roles import ROLES, need_supervisor

How = Literal["as-recorded", "void"]

CHOICES: Final[dict[str, How]] = {"1": "as-recorded", "2": "void"}


def add_recover(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the program's."""
    command = commands.add_parser(
        "recover", help="go on where the log is decided otherwise now, or its key is lost"
    )
    command.add_argument("--config", type=Path, required=True, metavar="FILE")
    how = command.add_mutually_exclusive_group()
    how.add_argument(
        "--as-recorded",
        dest="how",
        action="store_const",
        const="as-recorded",
        help="what is recorded is final, and the round is over",
    )
    how.add_argument(
        "--void",
        dest="how",
        action="store_const",
        const="void",
        help="the round is void (16.6); what was paid before stays",
    )
    how.add_argument(
        "--new-key", action="store_true", help="begin a day with a new key: the old one is lost"
    )
    who = command.add_mutually_exclusive_group(required=True)
    who.add_argument(
        "--as",
        dest="who",
        metavar="NAME",
        help="the casino supervisor who says so: the PIN is asked for, or is a line of standard"
        " input",
    )
    who.add_argument(
        "--by", metavar="ROLE", help=f"at a rehearsal, a role will do: {', '.join(ROLES)}"
    )
    command.add_argument("--rehearsal", action="store_true", help="the table is no real one")
    command.add_argument("--words", default="", metavar="TEXT", help="why, for the log")
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    settings = _settings(options)
    options.words = _words(options.words)
    said = _said_by(options, settings)
    if options.new_key:
        return _new_key(settings, said, options.words)
    with contextlib.closing(EventLog.open(settings.state / "log")) as log:
        found = known(log)
        if found is None or not found.differs:
            sys.stdout.write("Nothing to recover: the log is decided as it was recorded.\n")
            return 0
        _tell(found)
        how = options.how or _asked()
        event = _event(found, how, said, options.words)
        table = Table(log, utc_now, found.state)
        table.take(event)
    sys.stdout.write(_done(how))
    return 0


def _settings(options: argparse.Namespace) -> TableSettings:
    custodian = Custodian()
    settings = read_settings(options.config, None if options.rehearsal else custodian)
    check(settings.state, custodian, config=None if options.rehearsal else settings.path)
    return settings


def _words(text: str) -> str:
    try:
        return taken(text)
    except ValueError as fault:
        raise UsageError(f"--words: {fault}") from None


class SaidBy(NamedTuple):
    """Who says how it goes on; at a rehearsal a role without a name."""

    role: str
    name: str = ""


def _said_by(options: argparse.Namespace, settings: TableSettings) -> SaidBy:
    """Return who says so, once it is sure that they may.

    Raises:
        UsageError: they may not, or it is not they.
    """
    if options.who is not None:
        said = _operator(settings, options.who)
    elif options.rehearsal:
        said = SaidBy(options.by)
    else:
        raise UsageError("--by counts at a rehearsal only; an operator signs: --as NAME")
    if said.role not in ROLES:
        raise UsageError(f"--by {said.role} is no role: {', '.join(ROLES)}")
    try:
        need_supervisor(said.role, "16.6", "says how a round goes on")
    except NotAllowed as refusal:
        raise UsageError(str(refusal)) from None
    return said


def _operator(settings: TableSettings, name: str) -> SaidBy:
    roll = Roll.at(settings.state / "log")
    store, counted = Store(settings.state), roll.failures(name)
    # The log gets no row of it that somebody signed in: what it counts is not forgiven here.
    tried = store.try_pin(name, pin_of(name), counted=counted, forgive=False)
    if tried.verdict is not Verdict.RIGHT or tried.operator is None:
        raise UsageError(f"{name}: {refusal(tried)}")
    # One who was added while no table ran is not in the log yet.
    is_new = name in tried.standing.pending and not roll.is_disabled(name)
    if not is_new and (objection := roll.objection(tried.standing, name)):
        raise UsageError(f"{name}: {objected(objection)}")
    return SaidBy(tried.operator.role, tried.operator.name)


def _asked() -> How:
    if not sys.stdin.isatty():
        raise UsageError("say --as-recorded or --void")
    while True:
        sys.stdout.write("\n1  what is recorded is final, and the round is over\n")
        sys.stdout.write("2  the round is void (16.6); what was paid before stays\n")
        if how := CHOICES.get(input("1 or 2? ").strip()):
            return how


def _tell(found: Known) -> None:
    """Say what is decided otherwise, what was paid, and what is open."""
    say = sys.stdout.write
    say(f"Round {found.state.round} is decided otherwise now than it was recorded:\n")
    for what in found.differs:
        say(f"  {what}\n")
    say("Recorded as paid or lost:\n" if found.settled else "Nothing is recorded as settled.\n")
    for row in found.settled:
        say(f"  {_place(row)}: {row.result}, {_paid(row)} ({row.rule})\n")
    still = list(unsettled(found.state, found.settled))
    say("Not settled by what is recorded:\n" if still else "No wager is open.\n")
    for one in still:
        say(f"  {_place(one)}\n")


def _event(found: Known, how: How, said: SaidBy, words: str) -> Recovered:
    still = tuple(_place(one) for one in unsettled(found.state, found.settled))
    return Recovered(
        mono=mono_ms(),
        how=how,
        by=said.role,
        who=said.name,
        words=words,
        differs=found.differs,
        settled=found.settled,
        open=still if how == "as-recorded" else (),
        state=msgspec.to_builtins(found.state, str_keys=True),
    )


def _done(how: How) -> str:
    what = (
        "What is recorded is final. Settle by hand what is listed above as not settled, and clear"
        " the table."
        if how == "as-recorded"
        else "The round is void (16.6): give back the wagers that were not settled, and clear the"
        " table."
    )
    return f"{what}\nIt is in the log. The table can be started again.\n"


def _place(one: Settlement | Pending) -> str:
    hand = f" hand {one.hand}" if one.hand else ""
    stake = f", {show(one.stake)}" if one.stake else ""
    where = f"box {one.box}" if one.box else "the table"
    return f"{where} {one.player}{hand} {one.wager}{stake}"


def _paid(row: Settlement) -> str:
    if row.pays is None or row.returns is None:
        return f"pays {row.odds or 'nothing'}"
    return f"pays {show(row.pays)}, returns {show(row.returns)}"


def _new_key(settings: TableSettings, said: SaidBy, words: str) -> int:
    """Begin a day with a new key, and say in its first row that the old one was lost."""
    try:
        EventLog.open(settings.state / "log").close()
    except SigningKeyLost:
        pass
    else:
        sys.stdout.write("Nothing to recover: the key of the day is in its place.\n")
        return 0
    with contextlib.closing(EventLog.open(settings.state / "log", new_key=True)) as log:
        try:
            state = resume(log)
        except OutcomesDiffer:
            found = known(log)
            state = found.state if found else None
        header = Days(settings, log).header()
        Table(log, utc_now, state).begin_day(
            {**header, "key_lost": {"by": said.role, "who": said.name, "words": words}}
        )
    sys.stdout.write(
        "A new day has begun with a new key; the log says that the old one was lost.\n"
    )
    return 0
