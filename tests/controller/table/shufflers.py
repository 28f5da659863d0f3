"""A table with two shuffling devices and a shoe, told event by event into a log."""

from collections.abc import Iterable
from typing import Final

from controller.eventlog.memory import MemoryLog
from controller.events import AnyEvent, Ask, Asked, CardOut, DeviceOnline, DeviceReports, Started
from controller.game.malfunction import (
    AnswerDamaged,
    AnswerDisadvantage,
    AnswerPracticable,
    AnswerSpare,
    Malfunction,
)
from controller.game.moves import Wager
from controller.game.options import Game
from controller.outcomes import Refused
from controller.table.controls import DEFAULT_CONTROLS
from controller.table.decide import DECIDER
from controller.table.owner import Table, Taken
from controller.table.procedure import READY
from controller.table.state import TableState
from tests.controller.table.tale import BLACKJACK, SUPERVISOR, cards

IN_USE: Final = "shuffler-1"
SPARE: Final = "shuffler-2"
ROLES: Final = {"shoe": "shoe", IN_USE: "shuffler", SPARE: "shuffler", "pedal": "pedal"}
AT: Final = "2026-05-09T07:35:25.123456Z"


class Shufflers:
    """The table, its log, and words for what happens to it."""

    def __init__(self, game: Game = BLACKJACK, roles: dict[str, str] = ROLES) -> None:
        self.log = MemoryLog()
        self._table = Table(self.log, lambda: AT)
        self._game, self._roles = game, roles
        self.start()
        for name, role in roles.items():
            self.take(DeviceOnline(device=name, port="test"))
            if role == "shuffler":
                self.reports(name, READY)

    def start(self) -> None:
        """Let the controller take the table, for the first time or after a cut."""
        self.take(
            Started(
                version="test",
                decider=DECIDER,
                config="",
                boot="",
                cards_ready=True,
                game=self._game,
                controls=dict(DEFAULT_CONTROLS),
                devices=dict(self._roles),
                source=IN_USE,
            )
        )

    @property
    def state(self) -> TableState:
        assert self._table.state is not None
        return self._table.state

    @property
    def procedure(self) -> Malfunction | None:
        return self.state.malfunction

    @property
    def open(self) -> Malfunction:
        """The procedure, where one is open."""
        assert self.procedure is not None
        return self.procedure

    def rewind(self, state: TableState) -> None:
        """Go on from another moment."""
        self._table.state = state

    def take(self, event: AnyEvent) -> Taken:
        """Let an event be decided and recorded."""
        return self._table.take(event)

    def ask(self, ask: Ask, by: str = SUPERVISOR) -> Refused | None:
        """Ask for something; return why it was refused, if it was."""
        return self.take(Asked(ask=ask, by=by)).refused

    def must(self, *asks: Ask) -> None:
        """Ask for things that must be accepted."""
        for ask in asks:
            refused = self.ask(ask)
            assert refused is None, (ask, refused)

    def deal(self, words: str) -> None:
        """Let cards leave the device in use."""
        for card in cards(words):
            self.take(CardOut(device=self.state.source, card=card))

    def reports(self, device: str, state: str, inside: int | None = None) -> Taken:
        """Let a shuffling device tell its state."""
        return self.take(DeviceReports(device=device, state=state, cards_inside=inside))


def dealt(words: str, game: Game = BLACKJACK, wagers: Iterable[Wager] = ()) -> Shufflers:
    """Return a table with cards dealt; without wagers there is one of ann on box 1."""
    table = Shufflers(game)
    table.must(*(wagers or [Wager(box=1, player="ann", main=1000)]))
    table.deal(words)
    return table


def jammed(words: str = "TS 9D", game: Game = BLACKJACK, wagers: Iterable[Wager] = ()) -> Shufflers:
    """Return a table with cards dealt whose device in use is jammed."""
    table = dealt(words, game, wagers)
    table.reports(IN_USE, "jam")
    return table


def answers(damaged: str = "", spare: bool = True, practicable: bool = True) -> list[Ask]:
    """Return all four answers with nobody disadvantaged."""
    return [
        AnswerDamaged(tuple(cards(damaged))),
        AnswerDisadvantage("none"),
        AnswerSpare(spare),
        AnswerPracticable(practicable),
    ]
