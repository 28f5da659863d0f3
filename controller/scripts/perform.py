"""Carrying a script out on a table: wagers, steps, and the dealer's last word."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Protocol

from controller.cards import Card
from controller.events import (
    Amend,
    Ask,
    ConfirmLayout,
    Deal,
    EnterCard,
    ErrorNext,
    ForNext,
    NewShoe,
    NotBurned,
    Read,
    TakeBack,
    Use,
)
from controller.game.malfunction import Stay, TakeRefund
from controller.game.moves import (
    AcceptCard,
    Burn,
    Cleared,
    Double,
    EvenMoney,
    Expose,
    Forfeit,
    Insure,
    NoMoreBets,
    PressJackpot,
    RefuseCard,
    Split,
    Stand,
    Surrender,
)
from controller.game.play import RoundState
from controller.scripts.holdings import holdings, is_by_hand
from controller.scripts.house import HOUSE_WORDS
from controller.scripts.result import RefusedStep, Result, result_of
from controller.scripts.script import Script, Step
from controller.table.view import is_complete

DEALER: Final = "dealer"
SUPERVISOR: Final = "game-supervisor"
"""Who mends slips in a script: it carries the authority that it needs."""


class Told(NamedTuple):
    """What a table says to one thing that was done: rows of its log, as JSON objects."""

    rows: Sequence[dict[str, Any]]

    @property
    def refused(self) -> dict[str, Any] | None:
        """Return the refusal among the rows, if there is one."""
        return next((row["body"] for row in self.rows if row["kind"] == "refused"), None)


class Rehearsal(Protocol):
    """A fresh table on which a script is played."""

    async def ask(self, ask: Ask, by: str = DEALER) -> Told:
        """Ask for something, by pedal or key where that says it, else over the socket."""

    async def card(self, card: Card) -> Told:
        """A card leaves the shoe."""

    async def cutting_card(self) -> Told:
        """The cutting card leaves the shoe."""

    async def press(self, device: str, control: str) -> Told:
        """Press a raw control."""

    async def unplug(self, device: str) -> Told:
        """Pull the cable."""

    async def plug(self, device: str) -> Told:
        """Put the cable back."""

    async def fault(self, device: str, code: str) -> Told:
        """Bring a device into trouble."""

    async def clear(self, device: str) -> Told:
        """Bring it out of trouble."""

    async def hold(self, device: str, cards: int) -> None:
        """From now on so many cards lie in a shuffling device: one that is well tells it."""

    async def taken_out(self, device: str) -> None:
        """A card was taken out of a device by hand: the device tells nothing of it."""

    async def meter(self, *, shown: bool) -> Told:
        """From now on the meter acknowledges what it is told to show, or it does not."""

    async def switch(self, device: str, name: str, *, value: object) -> None:
        """Set a fault switch of a simulated device."""

    async def power_cut(self) -> None:
        """Kill the controller at once and start it again."""

    async def waiting(self) -> list[Card]:
        """Return the cards that wait for the dealer's word, the first one first."""

    async def reads_cards(self) -> bool:
        """Tell whether the device that cards come from is there."""

    async def view(self) -> dict[str, Any]:
        """Return the table's view."""

    async def log_head(self) -> tuple[int, str]:
        """Return the number of events in the log and the hash of the last."""


class Traced(NamedTuple):
    """One step with what the table said to it, for ``--trace``."""

    step: Step | None
    told: Sequence[Told]


async def perform(script: Script, table: Rehearsal, trace: list[Traced] | None = None) -> Result:
    """Play the script on the table and return what comes of it."""
    refused: list[RefusedStep] = []
    for wager in script.wagers:
        told = await table.ask(wager)
        if trace is not None:
            trace.append(Traced(None, [told]))
    for step in script.steps:
        heard = await _perform_step(step, table)
        if trace is not None:
            trace.append(Traced(step, heard))
        if (reason := next((one.refused for one in heard if one.refused), None)) is not None:
            refused.append(RefusedStep(step.text, reason["rule"], reason["why"]))
    view = await table.view()
    if is_complete(view) or view["state"] == RoundState.VOID.value:
        await table.ask(Cleared())
    events, head = await table.log_head()
    return result_of(script, view, refused, events, head)


async def _perform_step(step: Step, table: Rehearsal) -> list[Told]:
    match step.word:
        case "cards":
            return [await _card(table, card) for card in step.args]
        case "cutting-card":
            return [await table.cutting_card()]
        case "pedal":
            return [await table.press("pedal", step.args[0])]
        case "key":
            return [await table.press("keys", step.args[0])]
        case "unplug":
            return [await table.unplug(step.args[0])]
        case "plug":
            return [await table.plug(step.args[0]), *await _confirm(table)]
        case "power-cut":
            await table.power_cut()
            return await _confirm(table)
        case "read":
            return [await _read(table, step.args[0])]
        case "fault":
            return [await table.fault(*step.args)]
        case "clear":
            return [await table.clear(*step.args)]
        case "answer" | "confirm":
            return [await _ask(table, step.args[0], SUPERVISOR)]
        case "meter":
            return [await table.meter(shown=step.args[0])]
        case "switch":
            device, name, value = step.args
            await table.switch(device, name, value=value)
            return []
        case "error-card":
            return [await table.ask(ErrorNext()), await _in_error(table, step.args[0])]
        case "supervisor":
            role, ask = step.args
            return [await table.ask(ask, role)]
        case "undo":
            return [await table.ask(TakeBack(), SUPERVISOR)]
        case "for-next":
            return [await table.ask(ForNext(), SUPERVISOR)]
        case "amend":
            return [await table.ask(Amend(*step.args), SUPERVISOR)]
        case word if word in HOUSE_WORDS:
            return [await table.ask(step.args[0])]
        case _:
            return [await _ask(table, _decision(step))]


async def _ask(table: Rehearsal, ask: Ask, by: str = DEALER) -> Told:
    """Ask for something; cards that it says were moved have been moved before."""
    view = await table.view()
    for holding in holdings(view, ask):
        await table.hold(*holding)
    if is_by_hand(view, ask):
        await table.taken_out(view["source"])
    return await table.ask(ask, by)


async def _card(table: Rehearsal, card: Card) -> Told:
    """Deal the card that waits, or draw one; with the shoe unplugged it is entered by hand."""
    if card in (await table.waiting())[:1]:
        return await table.ask(Deal(card))
    if await table.reads_cards():
        return await table.card(card)
    return await _ask(table, EnterCard(card))


async def _in_error(table: Rehearsal, card: Card) -> Told:
    """Deal the card in error: the one that waits, wherever it does, or one that comes out."""
    if card in await table.waiting():
        return await table.ask(Deal(card))
    return await _card(table, card)


async def _read(table: Rehearsal, card: Card) -> Told:
    if await table.reads_cards() or (await table.view())["unread"]:
        return await table.ask(Read(card))
    return await _ask(table, EnterCard(card))


async def _confirm(table: Rehearsal) -> list[Told]:
    """Confirm the layout as shown if it is asked: a script's cards are all the cards there were."""
    seen = await table.view()
    return [await table.ask(ConfirmLayout())] if seen["in_doubt"] else []


def _decision(step: Step) -> Ask:
    args = step.args
    match step.word:
        case "double":
            return Double(args)
        case "split":
            return Split(args)
        case "forfeit":
            return Forfeit(args)
        case "insure":
            return Insure(*args)
        case "even-money":
            return EvenMoney(*args)
        case "surrender":
            return Surrender(*args)
        case "press":
            return PressJackpot(*args)
        case "expose":
            return Expose(*args)
        case "burned":
            return Burn(*args)
        case "no-more-bets":
            return NoMoreBets()
        case "accept":
            return AcceptCard()
        case "refuse":
            return RefuseCard()
        case "refund":
            return TakeRefund(*args)
        case "continue":
            return Stay(*args)
        case "use":
            return Use(*args)
        case "new-shoe":
            return NewShoe(*args)
        case "not-burned":
            return NotBurned()
        case _:
            assert step.word == "stand", step.word
            return Stand()
