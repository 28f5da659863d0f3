"""The signals by which a program is told to end, and what they mean here.

Whoever stops a service, presses Ctrl-C, closes the terminal or the connection to it means the same:
come to an end in order.
"""

import signal
from types import FrameType
from typing import Final

TOLD_TO_END: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)


def told_to_end() -> tuple[signal.Signals, ...]:
    """Return the signals that count: a terminal that closes does not where ``nohup`` says so."""
    started_by_nohup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return tuple(
        number for number in TOLD_TO_END if number is not signal.SIGHUP or not started_by_nohup
    )


def end_as_by_ctrl_c() -> None:
    """Let each of the signals interrupt this program as Ctrl-C does; for its main thread."""
    for number in told_to_end():
        if number is not signal.SIGINT:
            signal.signal(number, _interrupt_once)


def _interrupt_once(_number: int, _frame: FrameType | None) -> None:
    """Interrupt; a terminal that closes says so twice, and the second must not break the end off.

    Raises:
        KeyboardInterrupt: always.
    """
    for number in told_to_end():
        if number is not signal.SIGINT:
            signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt
