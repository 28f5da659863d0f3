"""A Bee-Tek shoe's own end: what happens to it, in its words.  Pure."""

from drivers.simulated.refused import Refused

FAULTS = {
    "alarm-e3": b"[Game]<Alarm:E3 Card Not Read> ",
    "alarm-e7": b"[GameAlarm]<Alarm:E7 Card Jammed> ",
    "warning-0x01": b"<W0x01> ",
}


class SimulatedBeeTek:
    """The shoe, without its cards."""

    def __init__(self) -> None:
        """Start in the mode for games."""
        self.burning = False
        """Whether the key switch is at "Manual Burn Cards"."""

    def card_out(self, card: str | None) -> list[bytes]:
        """Let a card out; None is one that cannot be read."""
        if card is None:
            return [b"[Game]<Game> "]
        mode = b"Manual Burn Cards" if self.burning else b"Game"
        rank = "10" if card[0] == "T" else card[0]
        return [b"[" + mode + b"]<Card:" + f"{rank}{card[1]}".encode("ascii") + b"> "]

    def fault(self, code: str) -> list[bytes]:
        """Raise an alarm or a warning.

        Raises:
            Refused: this shoe has no such word.

        """
        if code not in FAULTS:
            raise Refused(f"this shoe has no fault {code!r}; it has {', '.join(FAULTS)}")
        return [FAULTS[code]]
