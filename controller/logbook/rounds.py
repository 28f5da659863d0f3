"""``tablekeeper log rounds``: one line a round."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from controller.characters import printable
from controller.errors import UsageError
from controller.eventlog import Readable
from controller.game.settlement import pending, settlements
from controller.logbook.again import decide_again
from controller.logbook.kinds import known_kind
from controller.logbook.reading import Gap, rows_and_gaps
from controller.logbook.tally import Money, Tally
from controller.logbook.when import ALLOWED, Span, clock, date_and_clock, span
from controller.logbook.which import CHECKS, PATH_HELP, judged, opened, tell_faults
from controller.money import to_the_cent
from controller.table.decision import by_wager
from controller.table.record import EVENT_KINDS, OPENING
from controller.table.state import TableState
from controller.table.view import is_complete, view

HEAD: Final = (
    f"{'round':>6}  {'started':<19}  {'ended':<8}  {'game':<13}  {'boxes':<9}"
    f"  {'staked':>12}  {'paid':>12}  {'house':>12}  {'status':<9}  marks"
)


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One round, as ``--json`` gives it.  Times are UTC, amounts cents."""

    round: int
    started: str
    ended: str | None
    game: str
    boxes: list[int]
    players: list[str]
    staked: int
    vouchers: int
    paid: int
    returned: int
    house: int
    in_odds: bool
    """A wager has no amount, so that the sums are without it."""
    status: str
    marks: dict[str, int]
    unreadable: int
    """Rows of it whose body can't be read."""
    incomplete: bool
    """Rows that were, or may have been, its own are missing or can't be read."""


class Wanted(NamedTuple):
    """Which rounds are listed."""

    when: Span = Span()
    box: int | None = None
    player: str | None = None
    kind: str | None = None

    def holds(self, tally: Tally) -> bool:
        """Tell whether the round is one of them."""
        return (
            self.when.meets(tally.began_at or tally.opened_at, tally.last_at)
            and (self.box is None or self.box in tally.boxes)
            and (self.player is None or any(map(self._is_of, tally.players)))
            and (self.kind is None or self.kind in tally.kinds)
        )

    def _is_of(self, player: str) -> bool:
        """Tell whether a name is the one that was typed, as it is or as it is shown."""
        return self.player in {player, printable(player)}


def add_rounds(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the action ``rounds``."""
    command = actions.add_parser(
        "rounds",
        help="one line a round, and what to look at in it",
        description="One line a round: when, which game, which boxes, the money, how it ended, "
        "and what an auditor may want to look at. 'house' is what the house won, or lost if it "
        "has a minus; vouchers are no money and not in it.",
        epilog=f"WHEN is {ALLOWED}, in this machine's time zone. {CHECKS}",
    )
    command.add_argument("--since", metavar="WHEN", help="rounds that went on then or later")
    command.add_argument("--until", metavar="WHEN", help="rounds that went on then or earlier")
    command.add_argument("--box", type=int, metavar="N", help="rounds with a wager on this box")
    command.add_argument("--player", metavar="NAME", help="rounds with a wager of this player")
    command.add_argument("--kind", metavar="KIND", help="rounds with such a row: corrected, alarm")
    command.add_argument("--json", action="store_true", help="one JSON object a round")
    command.add_argument("path", nargs="?", type=Path, metavar="PATH", help=PATH_HELP)
    command.set_defaults(run=_rounds)


def _rounds(options: argparse.Namespace) -> int:
    if options.box is not None and not 1 <= options.box <= 9:
        raise UsageError(f"--box {options.box} is no box: 1 to 9")
    wanted = Wanted(
        span(options.since, options.until),
        options.box,
        options.player,
        None if options.kind is None else known_kind(options.kind),
    )
    with opened(options.path) as reader:
        altered = tell_faults(reader)
        if not options.json:
            sys.stdout.write(HEAD + "\n")
        for one in tallies(reader):
            if isinstance(one, Gap):
                altered = True
                _tell_gap(one, as_json=options.json)
            elif wanted.holds(one.tally):
                altered = altered or bool(one.tally.unreadable)
                told = line_of(one)
                text = msgspec.json.encode(told).decode() if options.json else in_words(told)
                sys.stdout.write(text + "\n")
    return judged(reader, altered=altered)


def _tell_gap(gap: Gap, *, as_json: bool) -> None:
    out = sys.stderr if as_json else sys.stdout
    out.write(printable(gap.words()) + "\n")
    out.flush()


class Counted(NamedTuple):
    """A round with its sums; ``state`` is the table where the round still goes on."""

    tally: Tally
    state: TableState | None = None


def tallies(reader: Readable) -> Iterator[Counted | Gap]:
    """Yield every round when it is over, the last one as it stands, and gaps where they are."""
    going: dict[int, Tally] = {}
    last = 0
    damaged = False
    for item in rows_and_gaps(reader):
        if isinstance(item, Gap):
            yield item
            damaged = True
            for tally in going.values():
                tally.incomplete = tally.incomplete or not tally.cleared_at
            continue
        last = item.seq
        if item.kind in EVENT_KINDS:
            for number in [number for number in going if number != item.round]:
                yield Counted(going.pop(number))
        if item.round == 0:
            continue
        if item.round not in going:
            going[item.round] = Tally(item.round, item.at)
            going[item.round].incomplete = damaged and item.kind != OPENING
        damaged = damaged and item.kind not in EVENT_KINDS
        going[item.round].take(item)
    for tally in going.values():
        yield _as_it_stands(reader, tally, last)


def _as_it_stands(reader: Readable, tally: Tally, last: int) -> Counted:
    """Decide the last round again: only so it is known which wagers are still open."""
    if not tally.opening or tally.cleared_at:
        return Counted(tally)
    rows = rows_and_gaps(reader, tally.opening - 1, last)
    state = decide_again(rows, tally.number).state
    if state is not None:
        tally.settled = {by_wager(row): row for row in settlements(state.play)}
        tally.pending = pending(state.play)
    return Counted(tally, state)


def status_of(one: Counted) -> str:
    """Say how the round ended or how it stands: complete, void, suspended or open."""
    status = one.tally.status
    if status == "open" and one.state is not None:
        if one.state.suspended or one.state.malfunction is not None:
            return "suspended"
        return "complete" if is_complete(view(one.state)) else "open"
    return status


def line_of(one: Counted) -> Line:
    """Return what is told of the round."""
    tally = one.tally
    money: Money = tally.money
    status = status_of(one)
    marks = {mark: times for mark, times in tally.counts.items() if times}
    if status in {"complete", "void"} and not tally.cleared_at:
        marks["not cleared"] = 1
    return Line(
        round=tally.number,
        started=tally.began_at or tally.opened_at,
        ended=tally.cleared_at or None,
        game=tally.game,
        boxes=tally.boxes,
        players=tally.players,
        staked=money.staked,
        vouchers=money.vouchers,
        paid=money.paid,
        returned=money.returned,
        house=money.house,
        in_odds=tally.in_odds,
        status=status,
        marks=marks,
        unreadable=tally.unreadable,
        incomplete=tally.incomplete,
    )


def in_words(line: Line) -> str:
    """Return the round as one line of the list."""
    ended = clock(line.ended) if line.ended else "-"
    boxes = ",".join(map(str, line.boxes)) or "-"
    text = (
        f"{line.round:>6}  {date_and_clock(line.started)}  {ended:<8}  {line.game or '?':<13}"
        f"  {boxes:<9}  {to_the_cent(line.staked):>12}  {to_the_cent(line.paid):>12}"
        f"  {to_the_cent(line.house):>12}  {line.status:<9}  {', '.join(_marks(line))}"
    )
    return printable(text.rstrip())


def _marks(line: Line) -> Iterator[str]:
    if line.unreadable:
        yield f"!!! {line.unreadable} rows ALTERED, or of a version that is not known !!!"
    if line.incomplete:
        yield "!!! ROWS ARE MISSING !!!"
    if line.in_odds:
        yield "wagers without amounts"
    if line.vouchers:
        yield f"vouchers {to_the_cent(line.vouchers)}"
    for mark, times in sorted(line.marks.items()):
        yield mark if mark in {"rule 17", "not cleared"} else f"{times} {mark}"
