"""The bonus meter over a real pty, with a sign that behaves like a real one."""

import json
from itertools import pairwise

import pytest

from drivers.commands import ClearPrize, ShowAmount, ShowPrize
from drivers.events import Acknowledged, Lost, MeterSilent, Online, Shown

OPTIONS = {
    "framing": "8N1",
    "settle_ms": 300,
    "poll_ms": 500,
    "answer_ms": 200,
    "retry_ms": 250,
}


@pytest.fixture
def bench(start_program):
    bench = start_program("--devices", "meter").wait_until_ready()
    bench.ask("switch", device="meter", name="deaf-for", value=200)
    return bench


def displayed(bench) -> str:
    return bench.ask("status")["devices"]["meter"]["displayed"]


def test_a_burst_of_amounts_ends_with_the_newest_and_is_paced(bench, watching, tmp_path) -> None:
    file = tmp_path / "meter.jsonl"

    async def story(watch) -> None:
        meter = watch.attend("meter", "alpha", bench.port("meter"), capture=file, **OPTIONS)
        await watch.count("meter", Online)
        await meter.send(ShowAmount("start"), 0)
        await watch.count("meter", Shown)
        for amount in range(1, 101):
            await meter.send(ShowAmount(f"{amount}"), amount)
        await watch.until(
            lambda: watch.of("meter")[-2:] == [Shown("100"), Acknowledged(100)], "100"
        )
        assert displayed(bench) == "100"
        assert bench.ask("status")["devices"]["meter"]["lost"] == 0

    watching(story)
    sent = [
        line["t"] for line in map(json.loads, file.read_text().splitlines()) if line["dir"] == "out"
    ]
    # The very last may be the farewell, which waits its turn too.
    assert all(later - earlier >= 0.24 for earlier, later in pairwise(sent))
    assert len(sent) < 20


def test_an_orderly_end_leaves_no_stale_amount(bench, watching) -> None:
    async def story(watch) -> None:
        meter = watch.attend("meter", "alpha", bench.port("meter"), idle="CLOSED", **OPTIONS)
        await watch.count("meter", Online)
        await meter.send(ShowAmount("5000"))
        await watch.count("meter", Shown)
        assert displayed(bench) == "5000"
        await watch.end()
        await watch.until(lambda: displayed(bench) == "CLOSED", "the idle page")

    watching(story)


def test_a_prize_outlives_the_host_and_an_unplug_until_it_is_cleared(bench, watching) -> None:
    async def story(watch) -> None:
        meter = watch.attend("meter", "alpha", bench.port("meter"), **OPTIONS)
        await watch.count("meter", Online)
        await meter.send(ShowPrize("WON 750"))
        await watch.count("meter", Shown)
        await watch.end()
        assert displayed(bench) == "WON 750"

        meter = watch.attend("meter", "alpha", bench.port("meter"), **OPTIONS)
        await watch.count("meter", Online, 2)
        bench.ask("unplug", device="meter")
        await watch.count("meter", Lost)
        bench.ask("plug", device="meter")
        await watch.count("meter", Online, 3)
        assert displayed(bench) == "WON 750"
        await meter.send(ClearPrize())
        await watch.count("meter", Shown, 2)
        assert displayed(bench) == ""
        assert bench.ask("status")["devices"]["meter"]["layouts"] == 1

    watching(story)


def test_silence_is_an_alarm_and_ends_with_the_next_answer(bench, watching) -> None:
    async def story(watch) -> None:
        meter = watch.attend("meter", "alpha", bench.port("meter"), **OPTIONS)
        await watch.count("meter", Online)
        await meter.send(ShowPrize("WON 750"))
        await watch.count("meter", Shown)
        bench.ask("switch", device="meter", name="silent", value=True)
        await watch.count("meter", MeterSilent)
        bench.ask("switch", device="meter", name="silent", value=False)
        await watch.count("meter", Shown, 2)

        assert watch.kinds("meter") == ["Online", "Shown", "MeterSilent", "Shown"]
        assert displayed(bench) == "WON 750"

    watching(story)


@pytest.mark.parametrize(
    ("switch", "value"),
    [("fragment", 1), ("echo", True), ("junk", "01 30 02 41 04")],
)
def test_a_cable_that_only_annoys_changes_nothing(bench, watching, switch, value) -> None:
    async def story(watch) -> None:
        bench.ask("switch", device="meter", name=switch, value=value)
        meter = watch.attend("meter", "alpha", bench.port("meter"), **OPTIONS)
        await watch.count("meter", Online)
        await meter.send(ShowAmount("5000"), 1)
        await watch.count("meter", Acknowledged)
        assert displayed(bench) == "5000"
        assert watch.kinds("meter") == ["Online", "Shown", "Acknowledged"]

    watching(story)


def test_a_damaged_answer_is_asked_for_again(bench, watching) -> None:
    async def story(watch) -> None:
        meter = watch.attend("meter", "alpha", bench.port("meter"), **OPTIONS)
        await watch.count("meter", Online)
        await meter.send(ShowAmount("5000"))
        await watch.count("meter", Shown)
        bench.ask("switch", device="meter", name="wrong-check", value=True)
        await meter.send(ShowAmount("5001"), 2)
        await watch.until(lambda: meter.health().counters["bad_check"] > 0, "a wrong sum")
        bench.ask("switch", device="meter", name="wrong-check", value=False)
        await watch.count("meter", Acknowledged)
        assert displayed(bench) == "5001"
        assert "MeterSilent" not in watch.kinds("meter")

    watching(story)


def test_a_restart_of_the_sign_is_got_over(bench, watching) -> None:
    async def story(watch) -> None:
        meter = watch.attend("meter", "alpha", bench.port("meter"), **OPTIONS)
        await watch.count("meter", Online)
        await meter.send(ShowAmount("5000"))
        await watch.count("meter", Shown)
        bench.ask("restart", device="meter")
        await meter.send(ShowAmount("5001"), 1)
        await watch.count("meter", Acknowledged)
        bench.ask("switch", device="meter", name="wipe", value=True)
        await meter.send(ShowAmount("5002"), 2)
        await watch.count("meter", Acknowledged, 2)
        assert displayed(bench) == "5002"

    watching(story)
