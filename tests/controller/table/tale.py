"""A table told event by event, with nothing under it but the deciding."""

from typing import Final

from controller.cards import UNREAD, Card, parse_card
from controller.events import AnyEvent, Ask, Asked, CardOut, DeviceOnline, Pressed, Started
from controller.game.moves import Wager
from controller.game.options import Game, build
from controller.outcomes import Outcome, Refused
from controller.table.controls import DEFAULT_CONTROLS
from controller.table.decide import DECIDER, decide
from controller.table.decision import Decision
from controller.table.state import TableState

DEVICES: Final = ("shoe", "pedal", "keys")
SUPERVISOR: Final = "game-supervisor"
BLACKJACK: Final = build("blackjack-nsw", {})
PONTOON: Final = build("pontoon-nsw", {})


def started(game: Game, *, cards_ready: bool = True) -> Started:
    """Return the first event of a table, whose cards are shuffled and cut unless it is told."""
    return Started(
        version="test",
        decider=DECIDER,
        config="",
        boot="",
        cards_ready=cards_ready,
        game=game,
        controls=dict(DEFAULT_CONTROLS),
        devices={name: name for name in DEVICES},
    )


def opening(game: Game, *, cards_ready: bool = True) -> list[AnyEvent]:
    """Return the events by which a table comes to wait for wagers."""
    begun = started(game, cards_ready=cards_ready)
    return [begun, *(DeviceOnline(device=name, port="test") for name in DEVICES)]


def cards(words: str) -> list[Card]:
    """Return the cards of a line: ``7S KD ??``."""
    return [UNREAD if word == UNREAD else parse_card(word) for word in words.split()]


class Tale:
    """A table with all that was told to it and all that it made of it."""

    def __init__(self, game: Game = BLACKJACK, *, cards_ready: bool = True) -> None:
        self.events: list[AnyEvent] = []
        self.outcomes: list[Outcome] = []
        self._state: TableState | None = None
        for event in opening(game, cards_ready=cards_ready):
            self.take(event)

    @property
    def state(self) -> TableState:
        assert self._state is not None
        return self._state

    def take(self, event: AnyEvent) -> Decision:
        """Decide an event."""
        decision = decide(self._state, event)
        self._state = decision.state
        self.events.append(event)
        self.outcomes.extend(decision.outcomes)
        return decision

    def ask(self, ask: Ask, by: str = "dealer") -> Decision:
        """Ask for something."""
        return self.take(Asked(ask=ask, by=by))

    def deal(self, words: str) -> Decision:
        """Let cards leave the shoe; return what the last one came to."""
        for card in cards(words):
            last = self.take(CardOut(device="shoe", card=card))
        return last

    def key(self, name: str) -> Decision:
        """Press one of the dealer's keys."""
        return self.take(Pressed(device="keys", control=name))

    def pedal(self, name: str = "middle", *, held: bool = False) -> Decision:
        """Press the dealer's pedal."""
        return self.take(Pressed(device="pedal", control=name, held=held))

    def wager(self, box: int = 1, player: str = "ann", main: int = 1000) -> Decision:
        """Place a wager of $10, unless another amount in cents is given."""
        return self.ask(Wager(box=box, player=player, main=main))


def dealt(words: str, game: Game = BLACKJACK) -> Tale:
    """Return a table with ann's wager on box 1 and cards dealt."""
    tale = Tale(game)
    tale.wager()
    tale.pedal()
    tale.deal(words)
    return tale


def refused(decision: Decision) -> str:
    """Return the clause by which a decision refuses, empty if it does not."""
    return next((one.rule for one in decision.outcomes if isinstance(one, Refused)), "")


def kinds(decision: Decision) -> list[str]:
    """Return the names of a decision's outcomes."""
    return [type(one).__name__ for one in decision.outcomes]
