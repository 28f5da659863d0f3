"""A dealer at a table without devices: they enter the cards, and go on wherever a round stands."""

from typing import Any

from tests.system.talk import Talk, View

RANKS = ("K", "9", "5", "8")
"""The cards of every round: ann's, the dealer's, ann's, the dealer's.  She has 15 and stands."""
SUITS = "SHDC"
STEPS = 60
"""More than any round takes."""


def play(talk: Talk) -> int:
    """Play the round that lies on the table, or another, to its end; return its number."""
    number: int = talk.look()["round"]
    for _ in range(STEPS):
        view = talk.look()
        if view["round"] != number:
            return number
        step(talk, view)
    raise AssertionError(f"round {number} comes to no end: {view}")


def step(talk: Talk, view: View) -> None:
    """Do what comes next.

    Raises:
        AssertionError: the table does not take it, or asks for something else.
    """
    if view["in_doubt"]:
        talk.must("confirm-layout")
    elif view["state"] == "wagers":
        if view["boxes"]:
            talk.must("no-more-bets")
        else:
            talk.must("wager", box=2, player="ann", main=1000)
    elif view["state"] == "final settlement":
        talk.must("cleared")
    elif view["turn"]:
        talk.must("stand")
    else:
        talk.must("enter-card", card=_next_card(view))


def _next_card(view: View) -> str:
    lies = len(view["dealer"]["cards"])
    lies += sum(len(hand["cards"]) for box in view["boxes"] for hand in box["hands"])
    return RANKS[lies] + SUITS[view["round"] % len(SUITS)]


def asks(view: View) -> list[str]:
    """Return what a table wants of people besides "as shown?"."""
    wants: list[Any] = [*view["alarms"], view["suspended"], view["procedure"], *view["undue"]]
    wants += [view["offered"], *view["offered_behind"], view["unread"], *view["corrections"]]
    return [str(one) for one in wants if one]
