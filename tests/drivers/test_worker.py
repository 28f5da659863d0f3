"""Blocking calls in threads: results, errors, and a loop that has gone."""

import asyncio
import threading

import pytest

from drivers.worker import in_thread, on_loop


def test_the_result_comes_back_from_another_thread() -> None:
    async def story() -> str:
        return await in_thread("device test", lambda: threading.current_thread().name)

    assert asyncio.run(story()) == "device test"


def test_an_error_comes_back_as_it_was() -> None:
    async def story() -> None:
        with pytest.raises(ZeroDivisionError):
            await in_thread("device test", lambda: 1 // 0)

    asyncio.run(story())


def test_a_call_nobody_waits_for_any_more_ends_without_a_word() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def call() -> None:
        begun.set()
        go_on.wait(10)

    async def story() -> threading.Thread:
        future = in_thread("device abandoned", call)
        (thread,) = [each for each in threading.enumerate() if each.name == "device abandoned"]
        begun.wait(10)
        future.cancel()
        go_on.set()
        thread.join(10)
        await asyncio.sleep(0)
        assert future.cancelled()
        return thread

    assert not asyncio.run(story()).is_alive()


def test_a_loop_that_is_closed_is_told_nothing() -> None:
    loop = asyncio.new_event_loop()
    loop.close()
    called: list[int] = []

    on_loop(loop, called.append, 1)

    assert called == []
