"""6.3: the minutes of a notice, whatever becomes of clock, controller and machine meanwhile."""

from typing import NamedTuple

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from controller.clock import utc_of
from controller.eventlog.memory import MemoryLog
from controller.events import AnyEvent, Asked, ClockStepped, Stopped
from controller.game.house import SetLimits, ShowNotice
from controller.table.attendance import NOTICE_MS
from controller.table.owner import Table
from controller.table.resume import resume
from tests.controller.table.tale import BLACKJACK, started

MINIMUM = 2500
SUPERVISOR = "casino-supervisor"
NOON = 1_780_000_000_000


class Machine:
    """A machine with a table: its wall clock, the time since its start, and what really passed.

    ``certain`` is a second count of 6.3's time: what the machine saw pass from event to event, and
    after a start of its own what it has run since.
    """

    def __init__(self) -> None:
        self.log = MemoryLog()
        self.boot = 1
        self.mono = 60_000
        self.wall = NOON
        self.passed = 0
        self.certain = 0
        self._seen: int | None = None
        self._seen_boot = 1
        self.table = Table(self.log, lambda: utc_of(self.wall))
        self._start()
        self.ask(ShowNotice(MINIMUM))
        self.passed, self.certain = 0, 0
        self._seen = self.mono

    def take(self, event: AnyEvent) -> None:
        if self._seen is not None:
            since = self._seen if self._seen_boot == self.boot else 0
            self.certain += self.mono - since
            self._seen, self._seen_boot = self.mono, self.boot
        self.table.take(msgspec.structs.replace(event, mono=self.mono))

    def ask(self, ask: ShowNotice | SetLimits) -> None:
        self.take(Asked(ask=ask, by=SUPERVISOR))

    def _start(self) -> None:
        self.take(msgspec.structs.replace(started(BLACKJACK), boot=f"start {self.boot}"))

    def wait(self, time: int) -> None:
        self.mono += time
        self.wall += time
        self.passed += time

    def set_clock(self, wall: int) -> None:
        before, self.wall = self.wall, wall
        by = wall - before
        self.take(
            ClockStepped(
                by=by,
                within=2000,
                before=utc_of(before),
                after=utc_of(wall),
                at=self.mono,
                behind=0,
            )
        )

    def set_clock_unseen(self, wall: int) -> None:
        """Set it so that the controller has not noticed yet."""
        self.wall = wall

    def restart(self, off: int, *, orderly: bool) -> None:
        if orderly:
            self.take(Stopped())
        self.wait(off)
        self.table = Table(self.log, lambda: utc_of(self.wall), resume(self.log))
        self._start()

    def reboot(self, off: int, booting: int) -> None:
        self.boot += 1
        self.wait(off)
        self.mono = booting
        self.wall += booting
        self.passed += booting
        self.table = Table(self.log, lambda: utc_of(self.wall), resume(self.log))
        self._start()

    @property
    def shown(self) -> int:
        assert self.table.state is not None
        assert self.table.state.house.notice is not None
        return self.table.state.house.notice.shown


class Step(NamedTuple):
    """Something that happens to the machine, and how long it takes."""

    what: str
    time: int
    wall: int


STEPS = st.builds(
    Step,
    st.sampled_from(["event", "set", "set unseen", "stop", "kill", "reboot"]),
    st.integers(0, NOTICE_MS),
    st.integers(0, 4_000_000_000_000),
)
"""A suspended machine is an ``event`` after a long time: its clock counts that too."""


def happens(machine: Machine, step: Step) -> None:
    match step.what:
        case "event":
            machine.wait(step.time)
            machine.ask(ShowNotice(MINIMUM))  # refused, since it is displayed
        case "set":
            machine.set_clock(step.wall)
        case "set unseen":
            machine.set_clock_unseen(step.wall)
        case "stop" | "kill":
            machine.restart(step.time, orderly=step.what == "stop")
        case "reboot":
            machine.reboot(step.time, booting=step.time // 7)


@given(st.lists(STEPS, max_size=12))
def test_6_3_the_minutes_are_those_that_passed_for_certain(steps: list[Step]) -> None:
    machine = Machine()
    for step in steps:
        happens(machine, step)

        assert machine.shown == machine.certain
        assert machine.shown <= machine.passed, "never sooner than 20 minutes"


@given(st.lists(STEPS, max_size=12))
def test_6_3_the_higher_minimum_comes_into_force_just_when_20_minutes_have_passed(
    steps: list[Step],
) -> None:
    machine = Machine()
    for step in steps:
        happens(machine, step)
    left = NOTICE_MS - machine.shown
    if left > 0:
        machine.wait(left - 1)
        machine.ask(SetLimits(MINIMUM, 50_000))
        assert minimum(machine) < MINIMUM
        machine.wait(1)
    machine.ask(SetLimits(MINIMUM, 50_000))

    assert minimum(machine) == MINIMUM


def minimum(machine: Machine) -> int:
    state = machine.table.state
    assert state is not None
    return state.house.limits.minimum if state.house.limits else state.game.minimum


def test_6_3_without_a_restart_of_the_machine_all_of_it_counts() -> None:
    machine = Machine()
    for step in (
        Step("set", 0, 0),
        Step("kill", 60_000, 0),
        Step("set", 0, 3_000_000_000_000),
        Step("stop", 120_000, 0),
        Step("event", NOTICE_MS, 0),
    ):
        happens(machine, step)

    assert machine.shown == machine.passed == NOTICE_MS + 180_000


def test_6_3_a_machine_that_was_off_does_not_count_as_long() -> None:
    machine = Machine()
    machine.wait(60_000)
    machine.ask(ShowNotice(MINIMUM))
    machine.reboot(off=NOTICE_MS, booting=40_000)

    assert machine.shown == 100_000
