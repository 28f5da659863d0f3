"""Starting, idling, ending and our own mistakes: the same for all devices."""

import asyncio
import os
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from drivers import angel_eye, boot_keyboard, pcsensor
from drivers.angel_eye import AngelEyeCodec
from drivers.angel_eye_wire import report
from drivers.attend import Attended
from drivers.errors import LocalProtocolError, OptionError
from drivers.events import Online
from drivers.ports import port_for
from drivers.session import MOST_UNTOLD, Session


@pytest.mark.parametrize("plugged", [True, False])
def test_idling_takes_no_time_of_the_processor(bench, watching, plugged) -> None:
    async def story(watch) -> None:
        if not plugged:
            for device in ("shoe", "pedal"):
                bench.ask("unplug", device=device)
        watch.attend("shoe", "angel-eye", bench.port("shoe"))
        watch.attend("pedal", "pcsensor", bench.port("pedal"))
        watch.attend("usb", "pcsensor", "usb:1209:ffff")
        if plugged:
            await watch.count("shoe", Online)
            await watch.count("pedal", Online)
        await asyncio.sleep(0.1)
        began, used = time.monotonic(), time.process_time()
        await asyncio.sleep(1.0)

        share = (time.process_time() - used) / (time.monotonic() - began)
        assert share < 0.05
        assert len(watch.told) == (2 if plugged else 0)

    watching(story)


def test_ending_closes_the_port_and_the_thread(bench, watching, open_files) -> None:
    async def story(watch) -> None:
        bench.ask("status")
        before = open_files()
        for _ in range(3):
            watch.told.clear()
            watch.attend("shoe", "angel-eye", bench.port("shoe"))
            watch.attend("pedal", "pcsensor", bench.port("pedal"))
            await watch.count("shoe", Online)
            await watch.count("pedal", Online)
            await watch.end()
        assert open_files() == before
        assert not bench.ask("status")["devices"]["pedal"]["host"]

    watching(story)


def test_ending_does_not_wait_for_a_device_that_does_not_answer(bench, watching) -> None:
    async def story(watch) -> None:
        pedal = watch.attend("pedal", "pcsensor", bench.port("pedal"))
        await watch.count("pedal", Online)
        bench.process.send_signal(signal.SIGSTOP)
        try:
            began = time.monotonic()
            await watch.end()
            assert time.monotonic() - began < 3.0
        finally:
            bench.process.send_signal(signal.SIGCONT)
        assert pedal.health().state == "online"

    watching(story)


def test_a_mistake_in_a_codec_is_not_taken_for_a_lost_cable(bench, watching) -> None:
    class Mistaken(AngelEyeCodec):
        def feed(self, data, now):
            raise LocalProtocolError("asked for the impossible")

    async def story(watch) -> None:
        driver = replace(angel_eye.DRIVER, make=Mistaken)
        shoe = Attended("shoe", driver, bench.port("shoe"), {})
        running = asyncio.create_task(shoe.run(watch.tell))
        await watch.count("shoe", Online)
        bench.ask("draw", device="shoe", card="7S")
        with pytest.raises(LocalProtocolError, match="asked for the impossible"):
            await asyncio.wait_for(running, 10)
        assert watch.kinds("shoe") == ["Online", "Lost"]

    watching(story)


def test_a_mistake_of_the_listener_ends_the_device_and_its_thread(bench, watching) -> None:
    def tell(name, event) -> None:
        raise KeyError(name)

    async def story(watch) -> None:
        shoe = Attended("shoe", angel_eye.DRIVER, bench.port("shoe"), {})
        with pytest.raises(KeyError):
            await asyncio.wait_for(shoe.run(tell), 10)

    watching(story)


def test_a_wrong_setting_is_told_before_anything_is_opened() -> None:
    with pytest.raises(OptionError, match="shoe: angel-eye uses a serial port, not 'usb'"):
        Attended("shoe", angel_eye.DRIVER, "usb", {})
    with pytest.raises(OptionError, match="pedal: pcsensor uses a usb port, not '/dev/x'"):
        Attended("pedal", pcsensor.DRIVER, "/dev/x", {})
    with pytest.raises(OptionError, match="port 'x' is not understood"):
        Attended("shoe", angel_eye.DRIVER, "x", {})
    with pytest.raises(OptionError, match="boot-keyboard: unknown option left"):
        Attended("keys", boot_keyboard.DRIVER, "usb", {"left": "A"})


def test_reading_pauses_while_nobody_listens(tmp_path, watching) -> None:
    frames = [report(sequence, "C") for sequence in "01"] * 100

    async def story(_watch) -> None:
        master, slave = os.openpty()
        path = Path(os.ttyname(slave))
        device = Attended("shoe", angel_eye.DRIVER, str(path), {"sequence_gaps": False})
        os.set_blocking(master, False)
        codec = angel_eye.DRIVER.codec({"sequence_gaps": False})
        session = Session(port_for(str(path)), codec, device._online, time.monotonic)
        living = threading.Thread(target=session.live, name="device flooded")
        living.start()
        try:
            assert isinstance(await session.next_event(), Online)
            # The loop is busy with this; the thread goes on until it has told enough.
            full = 0
            while full < 50:
                try:
                    os.write(master, b"".join(frames))
                    full = 0
                except BlockingIOError:
                    full += 1
                    threading.Event().wait(0.01)
            assert MOST_UNTOLD < len(session._untold) < 2 * MOST_UNTOLD
            for _ in range(MOST_UNTOLD):
                assert await session.next_event() is not None
        finally:
            session.stop("enough")
            living.join(10)
            os.close(master)
            os.close(slave)

    watching(story)
