"""What the tests of the table around the round have in common."""

from controller.events import (
    Ask,
    Asked,
)
from controller.game.moves import Cleared, NoMoreBets, Stand
from controller.game.options import build
from controller.outcomes import Flagged, Prompted
from controller.table.decision import Decision
from tests.controller.table.tale import Tale, refused

NZ = build("pontoon-nz", {})
SUPERVISOR = "casino-supervisor"
DUTY_MANAGER = "casino-duty-manager"
INSPECTOR = "inspector"
MINUTE = 60_000


def prompts(decision: Decision) -> dict[str, str]:
    """Return what a decision prompts, by clause."""
    return {one.rule: one.what for one in decision.outcomes if isinstance(one, Prompted)}


def flags(decision: Decision) -> dict[str, str]:
    """Return what a decision flags, by clause."""
    return {one.rule: one.what for one in decision.outcomes if isinstance(one, Flagged)}


def why(decision: Decision) -> str:
    """Return the words of a refusal."""
    (refusal,) = decision.outcomes
    return str(getattr(refusal, "why", ""))


def at(tale: Tale, minute: float, ask: Ask, by: str = SUPERVISOR) -> Decision:
    """Ask for something so many minutes after the machine's start."""
    return tale.take(Asked(ask=ask, by=by, mono=int(minute * MINUTE)))


def play_round(tale: Tale, *players: str) -> None:
    """Play a round of $10 wagers to its end: everybody has 20, the dealer 19."""
    for box, player in enumerate(players, start=1):
        assert not refused(tale.wager(box, player))
    tale.ask(NoMoreBets())
    tale.deal(" ".join(["KS", "KH", "KD"][: len(players)]))
    tale.deal("9D")
    tale.deal(" ".join(["QS", "QH", "QD"][: len(players)]))
    for _ in players:
        tale.ask(Stand())
    tale.deal("JD")
    assert not refused(tale.ask(Cleared()))
