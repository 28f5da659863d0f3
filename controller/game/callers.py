"""Who calls the decisions for a box (5.5), worked out among those who are there."""

from collections.abc import Collection

from controller.game.play import Box


def caller_after(box: Box, staying: Collection[str]) -> str:
    """Return who calls once only ``staying`` play on: who has called, if they are among them.

    Else it is the highest wager (5.5.2), and of several the first listed, until the dealer says
    whose is nearest (5.5.3).  A box that nobody plays any more keeps its caller.
    """
    if box.controls in staying or not staying:
        return box.controls
    there = [bet for bet in box.bets if bet.player in staying]
    return max(there, key=lambda bet: bet.main or 0).player
