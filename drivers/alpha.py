"""Alpha LED signs as the bonus meter: the amount in a STRING file that a TEXT file calls.

Signs of the first protocol version never acknowledge, lose what comes too fast, and are deaf for
seconds after their memory was laid out.  So everything is paced, only the newest amount is sent,
and what the sign shows is read back: that and nothing else is told as `Shown`.  A STRING is used
because writing one does not blank the display.

A prize stays up until it is cleared, also when this programme ends; anything else gives way to the
idle page then.
"""

import enum
from typing import Annotated, NamedTuple

from msgspec import Meta

from drivers import alpha_wire as wire
from drivers.alpha_wire import File
from drivers.codec import Codec, Counters
from drivers.commands import ClearPrize, DeviceCommand, ShowAmount, ShowPrize
from drivers.driver import Driver
from drivers.errors import LocalProtocolError
from drivers.events import DeviceEvent, Fault, FaultCleared, MeterSilent
from drivers.meter_wishes import Wishes
from drivers.options import PlainText, SerialOptions
from drivers.profiles import Framing

PAGE = File("A", wire.TEXT, 0x40)
AMOUNT = File("1", wire.STRING, 0x20)

SILENT_AFTER = 3
"""Questions without an answer that make a sign silent."""

MOST_WRITES = 3
"""Times that a text is written before it is told that the sign does not take it."""

_IN_ONE_PLACE = b" b"
"""Position and mode of a TEXT: all lines, held still."""


class AlphaOptions(SerialOptions, frozen=True):
    """Options of driver ``alpha``; signs differ in their line settings."""

    framing: Framing = "7E1"
    pace_ms: Annotated[int, Meta(ge=250, le=5000)] = 250
    """Milliseconds of rest between packets; a sign loses what comes sooner."""
    settle_ms: Annotated[int, Meta(ge=100, le=30_000)] = 5000
    """Milliseconds that the sign is deaf after its memory was cleared or laid out."""
    poll_ms: Annotated[int, Meta(ge=500, le=600_000)] = 10_000
    """Milliseconds after which a sign that shows what it should is asked again."""
    answer_ms: Annotated[int, Meta(ge=100, le=10_000)] = 800
    """Milliseconds, after the pace, in which the sign answers a question."""
    retry_ms: Annotated[int, Meta(ge=250, le=60_000)] = 2000
    """Milliseconds between attempts at a sign that is silent or does not take what it is sent."""
    label: PlainText = ""
    """What stands before the amount."""
    idle: PlainText = ""
    """What the idle page says; "" is a dark sign."""


class _Phase(enum.Enum):
    """How far the sign's memory is known to be laid out."""

    ASK = enum.auto()
    CLEAR = enum.auto()
    LAY_OUT = enum.auto()
    ASK_AGAIN = enum.auto()
    DONE = enum.auto()


class _Question(NamedTuple):
    body: bytes
    answer: bytes
    """How the body of the answer begins."""


_MEMORY = _Question(b"F$", b"E$")
_AMOUNT = _Question(b"H" + AMOUNT.label.encode(), b"G" + AMOUNT.label.encode())
_PAGE = _Question(b"B" + PAGE.label.encode(), b"A" + PAGE.label.encode())


class AlphaCodec(Codec):
    """The host's end of the line."""

    def __init__(self, options: AlphaOptions) -> None:
        """Start as if the link had never been up."""
        self.counters = Counters()
        self._pace = options.pace_ms / 1000
        self._settle = options.settle_ms / 1000
        self._poll = options.poll_ms / 1000
        self._answer_within = options.answer_ms / 1000
        self._retry_after = options.retry_ms / 1000
        self._character_s = options.line().character_s
        self._pages = {
            True: options.label.encode("ascii") + bytes([wire.CALL_STRING]) + b"1",
            False: options.idle.encode("ascii") or b" ",
        }
        self._scanner = wire.Scanner(self.counters)
        self.greet(0.0)

    def greet(self, now: float, identity: str = "") -> None:
        """Forget everything but the counters; nothing is shown until something is asked for."""
        self._scanner.forget()
        self._wishes = Wishes(AMOUNT.size)
        self._untold: list[DeviceEvent] = []
        self._silent = False
        self._unanswered = 0
        self._ready_at = now
        self._question: _Question | None = None
        self._answer_by = now
        self._laid_out = False
        self._troubles: set[str] = set()
        self._begin(now)

    def _begin(self, now: float) -> None:
        """Know nothing of the sign."""
        self._phase = _Phase.ASK
        self._amount: bytes | None = None
        self._page: bytes | None = None
        self._written: bytes | None = None
        self._writes = 0
        self._poll_at = now

    # --- commands ---------------------------------------------------------------------------------

    def encode(self, command: DeviceCommand, command_id: int | None = None) -> bytes:
        """Take *command*; it is sent when the sign is ready for it, if none overtakes it.

        Raises:
            LocalProtocolError: the sign has no such command.

        """
        match command:
            case ShowAmount(text=text):
                self._untold += self._wishes.amount(text, command_id)
            case ShowPrize(text=text):
                self._untold += self._wishes.prize(text, command_id)
            case ClearPrize():
                self._untold += self._wishes.prize(None, command_id)
            case _:
                raise LocalProtocolError(f"a meter has no command {type(command).__name__}")
        self._writes = 0
        self._poll_at = self._ready_at  # what is shown already is read back again
        return b""

    def pending(self, now: float) -> bytes:
        """Return the next packet, if the sign is ready for one."""
        if self._question is not None or now < self._ready_at:
            return b""
        match self._phase:
            case _Phase.ASK | _Phase.ASK_AGAIN:
                return self._ask(_MEMORY, now)
            case _Phase.CLEAR:
                self._phase = _Phase.LAY_OUT
                return self._packet(b"E$", now, rest=self._settle)
            case _Phase.LAY_OUT:
                self._phase = _Phase.ASK_AGAIN
                entries = PAGE.entry() + AMOUNT.entry()
                return self._packet(b"E$" + entries, now, rest=self._settle)
            case _Phase.DONE:
                return self._converge(now)

    def _converge(self, now: float) -> bytes:
        """Write what the sign does not show yet, or read it back."""
        step = self._next_step()
        if step is None:
            return self._ask(self._sign_of_life(), now) if now >= self._poll_at else b""
        write, question = step
        if self._written == write:
            return self._ask(question, now)
        self._written = write
        self._writes += 1
        rest = self._pace if self._writes <= MOST_WRITES else self._retry_after
        return self._packet(write, now, rest=rest)

    def _next_step(self) -> tuple[bytes, _Question] | None:
        """Return what is to be written and how it is read back; None if all is as wanted."""
        wanted = self._wishes.wanted()
        if wanted is None:
            return None
        text, page = wanted.text.encode("ascii"), self._pages[wanted.has_amount]
        if wanted.has_amount and self._amount != text:
            return _AMOUNT.answer + text, _AMOUNT
        if self._page != page:
            return _PAGE.answer + bytes([wire.ESC]) + _IN_ONE_PLACE + page, _PAGE
        return None

    def _sign_of_life(self) -> _Question:
        wanted = self._wishes.wanted()
        if wanted is None:
            return _MEMORY
        return _AMOUNT if wanted.has_amount else _PAGE

    def _ask(self, question: _Question, now: float) -> bytes:
        self._question = question
        packet = self._packet(question.body, now, rest=self._pace)
        self._answer_by = self._ready_at + self._answer_within
        return packet

    def _packet(self, body: bytes, now: float, rest: float) -> bytes:
        packet = wire.packet(body)
        self._ready_at = now + len(packet) * self._character_s + rest
        return packet

    # --- answers ----------------------------------------------------------------------------------

    def feed(self, data: bytes, now: float) -> list[DeviceEvent]:
        """Take what arrived and tell what it means."""
        for body in self._scanner.feed(data):
            self._hear(body, now)
        return self._tell()

    def _hear(self, body: bytes, now: float) -> None:
        self.counters.frames += 1
        question = self._question
        if question is None or not body.startswith(question.answer):
            self.counters.ignored += 1
            return
        answer = body[len(question.answer) :]
        self._question = None
        self._unanswered = 0
        self._poll_at = now + self._poll
        if question is _MEMORY:
            self._hear_memory(answer)
            return
        if question is _AMOUNT:
            self._amount = answer
        else:
            self._page = _without_header(answer)
        self._judge(body)

    def _hear_memory(self, entries: bytes) -> None:
        files = wire.files_in(entries)
        if files is not None and {PAGE, AMOUNT} <= files:
            self._phase = _Phase.DONE
            self._laid_out = False
            self._over("meter-memory")
            self._confirm()
        elif not self._laid_out:
            self._laid_out = True
            self._phase = _Phase.CLEAR
            self._amount = self._page = self._written = None
            self._writes = 0
        else:
            # Go on: if the amount can be read back all is well, else that is told.
            self._phase = _Phase.DONE
            text = "The meter did not take the layout of its memory."
            self._trouble("meter-memory", text, entries)

    def _judge(self, body: bytes) -> None:
        """Compare what was read back with what is wanted."""
        step = self._next_step()
        if step is None:
            self._confirm()
            return
        if self._written != step[0]:
            self._writes = 0  # what was written is there, or something else is wanted by now
        else:
            self._phase = _Phase.ASK  # has it still room for it?
            if self._writes >= MOST_WRITES:
                text = "The meter answers, but does not take what it is to show."
                self._trouble("not-shown", text, body)
        self._written = None

    def _confirm(self) -> None:
        if self._next_step() is not None:
            return
        self._written, self._writes = None, 0
        self._over("not-shown")
        self._untold += self._wishes.confirmed(anew=self._silent)
        self._silent = False

    def _trouble(self, code: str, text: str, raw: bytes) -> None:
        if code not in self._troubles:
            self._troubles.add(code)
            self._untold.append(Fault(code, text, raw.hex()))

    def _over(self, code: str) -> None:
        if code in self._troubles:
            self._troubles.discard(code)
            self._untold.append(FaultCleared(code, ""))

    # --- time -------------------------------------------------------------------------------------

    def tick(self, now: float) -> list[DeviceEvent]:
        """Learn that an answer has not come."""
        if self._question is not None and now >= self._answer_by:
            if self._scanner.holds_part:
                self.counters.gap_resets += 1
                self.counters.bytes_skipped += self._scanner.forget()
            self._question = self._written = None
            self._unanswered += 1
            if self._unanswered >= SILENT_AFTER:
                self._fall_silent(now)
        return self._tell()

    def _fall_silent(self, now: float) -> None:
        # It may have been off: its memory is asked for again first.
        self._begin(now)
        self._ready_at = now + self._retry_after
        if not self._silent:
            self._silent = True
            why = f"the meter has not answered {SILENT_AFTER} times; is it switched on?"
            self._untold.append(MeterSilent(why))

    def wake_at(self) -> float | None:
        """Tell when a packet may be sent, or an answer is overdue."""
        if self._untold:
            return 0.0
        if self._question is not None:
            return self._answer_by
        if self._phase is _Phase.DONE and self._next_step() is None:
            return max(self._ready_at, self._poll_at)
        return self._ready_at

    def farewell(self, now: float) -> tuple[float, bytes]:
        """Return the idle page, unless a prize is up or this host never showed an amount."""
        wanted = self._wishes.wanted()
        if wanted is None or wanted.is_prize or not wanted.has_amount:
            return now, b""
        body = _PAGE.answer + bytes([wire.ESC]) + _IN_ONE_PLACE + self._pages[False]
        return max(now, self._ready_at), wire.packet(body)

    def _tell(self) -> list[DeviceEvent]:
        untold, self._untold = self._untold, []
        return untold


def _without_header(text: bytes) -> bytes:
    """Return what a TEXT says, without its position and mode."""
    return text[1 + len(_IN_ONE_PLACE) :] if text[:1] == bytes([wire.ESC]) else text


DRIVER = Driver(
    name="alpha",
    role="meter",
    options=AlphaOptions,
    make=AlphaCodec,
    ports=frozenset({"serial"}),
)
