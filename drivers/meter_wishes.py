"""What a meter is wanted to show: the newest amount, or the prize in front of it.

Pure bookkeeping: which commands are carried out by what is seen on the meter, and which were
overtaken before it came to that.
"""

from dataclasses import dataclass, field

from drivers.events import Acknowledged, DeviceEvent, NotAcknowledged, Shown

OVERFLOW = "-"
"""What fills the display when a text cannot be shown: no amount is better than a wrong one."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be seen."""

    text: str
    """"" for the idle page."""
    has_amount: bool
    is_prize: bool


@dataclass(slots=True)
class _Slot:
    text: str | None = None
    asked_by: list[int] = field(default_factory=list)


class Wishes:
    """The commands of one meter."""

    def __init__(self, longest: int) -> None:
        """Take the number of characters the meter has room for."""
        self._longest = longest
        self._amount = _Slot()
        self._prize = _Slot()
        self._any = False
        self._shown: Wanted | None = None

    def amount(self, text: str, command_id: int | None) -> list[DeviceEvent]:
        """Want *text* whenever no prize is up."""
        return self._replace(self._amount, text, command_id, "overtaken by a newer amount")

    def prize(self, text: str | None, command_id: int | None) -> list[DeviceEvent]:
        """Want *text* until another prize, or None, takes its place."""
        return self._replace(self._prize, text, command_id, "overtaken by a newer command")

    def _replace(
        self, slot: _Slot, text: str | None, command_id: int | None, why: str
    ) -> list[DeviceEvent]:
        told: list[DeviceEvent] = [NotAcknowledged(each, why) for each in slot.asked_by]
        slot.text = text
        slot.asked_by = [] if command_id is None else [command_id]
        self._any = True
        if text is not None and (flaw := self._flaw_of(text)):
            slot.text = OVERFLOW * self._longest
            told += [NotAcknowledged(each, flaw) for each in slot.asked_by]
            slot.asked_by = []
        return told

    def _flaw_of(self, text: str) -> str:
        if not text or not all(" " <= letter <= "~" for letter in text):
            return f"{text!r} cannot be shown: only plain printable letters can"
        if len(text) > self._longest:
            return f"{text!r} cannot be shown: the meter has room for {self._longest} letters"
        return ""

    def wanted(self) -> Wanted | None:
        """Return what is to be seen; None while nothing was asked for."""
        if not self._any:
            return None
        if self._prize.text is not None:
            return Wanted(self._prize.text, has_amount=True, is_prize=True)
        if self._amount.text is not None:
            return Wanted(self._amount.text, has_amount=True, is_prize=False)
        return Wanted("", has_amount=False, is_prize=False)

    def confirmed(self, *, anew: bool) -> list[DeviceEvent]:
        """Learn that the meter shows what is wanted; told once, or again if *anew*."""
        wanted = self.wanted()
        if wanted is None:
            return []
        told: list[DeviceEvent] = []
        if anew or wanted != self._shown:
            told.append(Shown(wanted.text))
        self._shown = wanted
        carried_out = [self._prize] if wanted.is_prize else [self._prize, self._amount]
        for slot in carried_out:
            told += [Acknowledged(each) for each in slot.asked_by]
            slot.asked_by = []
        return told
