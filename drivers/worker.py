"""One blocking call in a thread of its own, awaited from the event loop.

The threads are daemons: a call that the kernel does not return from (closing a dead serial adapter
can take half a minute) may be given up without keeping the programme from ending.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


def in_thread(name: str, call: Callable[[], T]) -> "asyncio.Future[T]":
    """Run *call* in a new thread called *name*; the future ends as the call does.

    To be called on the event loop.  Cancelling the future does not stop the thread.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def run() -> None:
        try:
            result = call()
        except BaseException as error:  # noqa: BLE001 - handed to whoever awaits, not swallowed
            on_loop(loop, _settle, future, None, error)
        else:
            on_loop(loop, _settle, future, result, None)

    threading.Thread(target=run, name=name, daemon=True).start()
    return future


def on_loop(loop: asyncio.AbstractEventLoop, call: Callable[..., None], *args: object) -> None:
    """Run *call* on *loop* soon, from another thread; nothing if the loop is closed by now."""
    with suppress(RuntimeError):  # closed: nobody is left to tell
        loop.call_soon_threadsafe(call, *args)


def _settle(future: "asyncio.Future[T]", result: T | None, error: BaseException | None) -> None:
    if future.cancelled():
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(result)  # type: ignore[arg-type]  # None only where T allows it
