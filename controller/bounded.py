"""What may hang for ever, for so long as the table can wait for it."""

import threading
from collections.abc import Callable
from typing import Final, TypeVar

HANGS_AFTER: Final = 10.0
"""Seconds that a disk beside the log's may take before it counts as not answering."""

_Result = TypeVar("_Result")


def within(seconds: float, work: Callable[[], _Result], otherwise: _Result) -> _Result:
    """Return what ``work`` returns, or ``otherwise`` if it is not done by then.

    It is left to itself then: nobody can call back a program that waits for a disk. What it finds
    later, whoever comes after it must find again.

    Raises:
        BaseException: what ``work`` raises in that time.

    """
    done: list[_Result] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as fault:  # noqa: BLE001 - raised where it is waited for
            failed.append(fault)

    # A daemon: a disk that never answers does not keep the program from ending.
    working = threading.Thread(target=run, name="beside the log", daemon=True)
    working.start()
    working.join(seconds)
    if failed:
        raise failed[0]
    return done[0] if done else otherwise
