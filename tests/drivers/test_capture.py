"""What goes over a line is kept in a file, and comes back from it as a device."""

import json
from pathlib import Path

import pytest

from drivers.capture import Capture, Captured, read_capture
from drivers.commands import AskState, LockShoe
from drivers.events import Acknowledged, CardOut, DeviceState, Gap, LockState, Lost, Online, Press


def lines(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_each_line_has_the_time_the_direction_and_the_bytes(tmp_path) -> None:
    times = iter([100.0, 100.25, 101.0, 103.5])
    capture = Capture(tmp_path / "c.jsonl", lambda: next(times))
    capture.note("open")
    capture.note("out", b"\x05\x00")
    capture.note("in", b"\xff")
    capture.note("lost")

    assert (tmp_path / "c.jsonl").read_text().splitlines() == [
        '{"t":0.0,"dir":"open","hex":""}',
        '{"t":0.25,"dir":"out","hex":"0500"}',
        '{"t":1.0,"dir":"in","hex":"ff"}',
        '{"t":3.5,"dir":"lost","hex":""}',
    ]
    read = read_capture(tmp_path / "c.jsonl")
    assert read[1] == Captured(0.25, "out", "0500")
    assert read[1].data == b"\x05\x00"


@pytest.mark.parametrize(
    "line", ["{}", '{"t": 0, "dir": "up", "hex": ""}', '{"t": 0, "dir": "in", "hex": "f"}', "x"]
)
def test_what_is_no_capture_is_told_with_its_line(tmp_path, line) -> None:
    file = tmp_path / "c.jsonl"
    file.write_text('{"t": 0, "dir": "in", "hex": "ff"}\n' + line + "\n")
    with pytest.raises(ValueError, match="line 2 is no line of a capture"):
        read_capture(file)


def test_a_capture_that_cannot_be_written_disturbs_nobody_and_is_told(tmp_path) -> None:
    capture = Capture(tmp_path / "nowhere" / "c.jsonl", lambda: 0.0)
    capture.note("in", b"\x05")
    capture.note("in", b"\x05")
    assert "has stopped" in capture.trouble

    assert not (tmp_path / "nowhere").exists()


@pytest.fixture
def bench(start_program):
    return start_program("--devices", "shoe,shuffler,pedal").wait_until_ready()


def test_a_device_that_cannot_be_captured_goes_on_and_says_so(bench, watching, tmp_path) -> None:
    async def story(watch) -> None:
        file = tmp_path / "nowhere" / "c.jsonl"
        shoe = watch.attend("shoe", "angel-eye", bench.port("shoe"), capture=file)
        await watch.count("shoe", Online)
        bench.ask("draw", device="shoe", card="7S")
        await watch.count("shoe", CardOut)
        assert shoe.health().state == "online"
        assert "capture into" in shoe.health().detail

    watching(story)


def test_a_shoe_and_its_playback_tell_the_same(bench, start_program, watching, tmp_path) -> None:
    file = tmp_path / "shoe.jsonl"

    async def original(watch) -> None:
        shoe = watch.attend("shoe", "angel-eye", bench.port("shoe"), capture=file, commands=True)
        await watch.count("shoe", Online)
        await shoe.send(LockShoe())
        await watch.count("shoe", LockState)
        bench.ask("raw", device="shoe", hex="41 54 0d 05 31")
        bench.ask("switch", device="shoe", name="seq-skip", value=2)
        bench.ask("restart", device="shoe")
        bench.ask("draw", device="shoe", card="7S")
        await watch.count("shoe", CardOut)
        bench.ask("unplug", device="shoe")
        await watch.count("shoe", Lost)
        bench.ask("plug", device="shoe")
        await watch.count("shoe", Online, 2)
        bench.ask("draw", device="shoe", card="8S")
        await watch.count("shoe", CardOut, 2)
        watch_told[:] = watch.kinds("shoe")

    watch_told: list[str] = []
    watching(original)
    directions = [line["dir"] for line in lines(file)]
    assert [each for each in directions if each not in {"in", "out"}] == ["open", "lost"] * 2
    assert "out" in directions

    playback = start_program(
        "--playback", f"again={file}", folder=tmp_path / "playback"
    ).wait_until_ready()

    async def again(watch) -> None:
        shoe = watch.attend("shoe", "angel-eye", playback.port("again"), commands=True)
        await watch.count("shoe", Online)
        await shoe.send(LockShoe())
        await watch.count("shoe", CardOut, 2)
        assert watch.kinds("shoe") == watch_told
        assert [event.card for event in watch.of("shoe") if isinstance(event, CardOut)] == [
            "7S",
            "8S",
        ]

    watching(again)


def test_a_pedal_and_its_playback_press_the_same(bench, start_program, watching, tmp_path) -> None:
    file = tmp_path / "pedal.jsonl"
    told: list[str] = []
    kinds: list[str] = []

    def pressed(watch) -> list[str]:
        return [one.control for one in watch.of("pedal") if isinstance(one, Press)]

    async def original(watch) -> None:
        watch.attend("pedal", "pcsensor", bench.port("pedal"), capture=file)
        await watch.count("pedal", Online)
        bench.ask("press", device="pedal", control="left", hold=0.1)
        bench.ask("press", device="pedal", control="middle", hold=0.1)
        await watch.count("pedal", Press, 2)
        bench.ask("unplug", device="pedal")
        await watch.count("pedal", Lost)
        bench.ask("plug", device="pedal")
        await watch.count("pedal", Online, 2)
        bench.ask("press", device="pedal", control="right", hold=0.1)
        await watch.count("pedal", Press, 3)
        told[:] = pressed(watch)
        kinds[:] = watch.kinds("pedal")

    watching(original)
    playback = start_program(
        "--playback", f"pedal={file}", folder=tmp_path / "playback"
    ).wait_until_ready()

    async def again(watch) -> None:
        watch.attend("pedal", "pcsensor", playback.port("pedal"))
        await watch.count("pedal", Press, 3)
        assert pressed(watch) == told == ["left", "middle", "right"]
        # The capture ends with the line closed, which the playback does too.
        assert watch.kinds("pedal")[: len(kinds)] == kinds

    watching(again)


def test_a_fault_in_the_field_becomes_a_test(bench, start_program, watching, tmp_path) -> None:
    file = tmp_path / "shuffler.jsonl"

    async def field(watch) -> None:
        bench.ask("load", device="shuffler", cards=["7S", "8S", "9S"])
        port = bench.port("shuffler")
        device = watch.attend("shuffler", "reference-shuffler", port, capture=file)
        await watch.count("shuffler", DeviceState)
        bench.ask("draw", device="shuffler")
        bench.ask("switch", device="shuffler", name="flip", value=75)
        bench.ask("draw", device="shuffler")
        await watch.count("shuffler", Gap)
        await device.send(AskState(), 1)
        await watch.count("shuffler", Acknowledged)

    watching(field)
    playback = start_program(
        "--playback", f"shuffler={file}", "--devices", "pedal", folder=tmp_path / "playback"
    ).wait_until_ready()
    assert set(playback.ready["ports"]) == {"shuffler", "pedal"}

    async def lab(watch) -> None:
        watch.attend("shuffler", "reference-shuffler", playback.port("shuffler"))
        (gap,) = await watch.count("shuffler", Gap)
        assert watch.kinds("shuffler")[:2] == ["Online", "DeviceState"]
        assert gap.missed == 1

    watching(lab)
    status = playback.ask("status")["devices"]["shuffler"]
    assert 0 < status["at"] <= status["of"]


def test_reports_of_a_pedal_are_captured_too(bench, watching, tmp_path) -> None:
    file = tmp_path / "pedal.jsonl"

    async def story(watch) -> None:
        watch.attend("pedal", "pcsensor", bench.port("pedal"), capture=file)
        await watch.count("pedal", Online)
        bench.ask("press", device="pedal", control="middle")

    watching(story)
    reports = [line["hex"] for line in lines(file) if line["dir"] == "in"]
    assert reports[0] == "00" * 8
    assert "0000510000000000" in reports
