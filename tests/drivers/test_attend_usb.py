"""A USB unit's life, the unit simulated in another process."""

import pytest

from drivers.events import CardOut, Lost, Online, Press
from drivers.ports.simulated_wire import Describe
from drivers.simulated.bench import PEDAL
from drivers.simulated.usb_end import UsbEnd

MIDDLE = {"device": "pedal", "control": "middle"}


def test_a_press_is_short_or_held(bench, watching) -> None:
    async def story(watch) -> None:
        watch.attend("pedal", "pcsensor", bench.port("pedal"))
        watch.attend("keys", "boot-keyboard", bench.port("keys"))
        await watch.count("pedal", Online)
        await watch.count("keys", Online)
        bench.ask("press", **MIDDLE)
        bench.ask("press", device="pedal", control="left", hold=0.8)
        bench.ask("press", device="keys", control="=")
        await watch.count("pedal", Press, 2)
        await watch.count("keys", Press)

        assert watch.of("pedal") == [
            Online(bench.port("pedal"), "pcsensor", "0c45:7404 at 1-1"),
            Press("middle", held=False),
            Press("left", held=True),
        ]
        assert watch.of("keys")[1:] == [Press("=", held=False)]

    watching(story)


def test_a_bouncing_pedal_is_pressed_once(bench, watching) -> None:
    async def story(watch) -> None:
        watch.attend("pedal", "pcsensor", bench.port("pedal"), debounce_ms=100)
        await watch.count("pedal", Online)
        bench.ask("switch", device="pedal", name="bounce", value=5)
        bench.ask("press", **MIDDLE)
        await watch.count("pedal", Press)
        await watch.a_moment()

        assert watch.of("pedal")[1:] == [Press("middle", held=False)]

    watching(story)


@pytest.mark.parametrize("tells_its_state", [True, False])
def test_a_pedal_held_at_the_start_never_fires(bench, watching, tells_its_state) -> None:
    async def story(watch) -> None:
        bench.ask("switch", device="pedal", name="no-state", value=not tells_its_state)
        bench.ask("down", **MIDDLE)
        watch.attend("pedal", "pcsensor", bench.port("pedal"), hold_ms=200)
        await watch.count("pedal", Online)
        await watch.a_moment(0.4)
        bench.ask("up", **MIDDLE)
        await watch.a_moment()
        assert watch.kinds("pedal") == ["Online"]

        bench.ask("press", **MIDDLE)
        await watch.count("pedal", Press)
        assert watch.of("pedal")[1:] == [Press("middle", held=False)]

    watching(story)


def test_a_press_in_progress_at_an_unplug_is_not_counted(bench, watching) -> None:
    async def story(watch) -> None:
        watch.attend("pedal", "pcsensor", bench.port("pedal"))
        await watch.count("pedal", Online)
        bench.ask("down", **MIDDLE)
        bench.ask("unplug", device="pedal")
        await watch.count("pedal", Lost)
        bench.ask("up", **MIDDLE)
        bench.ask("plug", device="pedal")
        await watch.count("pedal", Online, 2)
        await watch.a_moment()

        assert watch.kinds("pedal") == ["Online", "Lost", "Online"]

    watching(story)


def test_another_unit_in_its_place_is_not_taken_for_it(bench, watching) -> None:
    async def story(watch) -> None:
        pedal = watch.attend("pedal", "pcsensor", bench.port("keys"))
        await watch.until(lambda: "1209:0001 at 1-2" in pedal.health().detail, "the wrong unit")
        await watch.a_moment(0.5)

        assert pedal.health().state == "waiting"
        assert watch.told == []
        assert not bench.ask("status")["devices"]["keys"]["host"]

    watching(story)


def test_wrong_reports_are_counted(bench, watching) -> None:
    async def story(watch) -> None:
        pedal = watch.attend("pedal", "pcsensor", bench.port("pedal"))
        await watch.count("pedal", Online)
        for _ in range(20):
            bench.ask("raw", device="pedal", hex="00 00 51")
        await watch.until(lambda: pedal.health().counters["bad_frame"] == 20, "20 bad reports")

        assert watch.kinds("pedal") == ["Online"]

    watching(story)


@pytest.mark.parametrize("step", range(1, 6))
def test_an_unplug_at_any_step_of_the_start_is_told_at_most_once(tmp_path, watching, step) -> None:
    class Cut(UsbEnd):
        """Is unplugged instead of giving its answer number *step*."""

        answers_left = step

        def _answer(self, question, host):
            self.answers_left -= 1
            if self.answers_left == 0:
                self.unplug()
            return super()._answer(question, host)

    async def story(watch) -> None:
        end = Cut(tmp_path / "p.usb", PEDAL, lambda: bytes(8), {})
        await end.plug()
        pedal = watch.attend("pedal", "pcsensor", f"simulated:{tmp_path}/p.usb")
        await watch.until(lambda: pedal.health().detail != "", "an unplug")
        assert watch.told == []

        await end.plug()
        await watch.count("pedal", Online)
        assert isinstance(end._answer(Describe(), None).description, type(PEDAL))
        end.unplug()
        await watch.count("pedal", Lost)
        assert watch.kinds("pedal") == ["Online", "Lost"]

    watching(story)


def test_one_device_that_is_lost_leaves_the_others_alone(bench, watching) -> None:
    async def story(watch) -> None:
        names = {"shoe": "angel-eye", "pedal": "pcsensor", "keys": "boot-keyboard"}
        for name, driver in names.items():
            watch.attend(name, driver, bench.port(name))
        for name in names:
            await watch.count(name, Online)
        bench.ask("unplug", device="keys")
        await watch.count("keys", Lost)
        bench.ask("draw", device="shoe", card="7S")
        bench.ask("press", **MIDDLE)
        await watch.count("shoe", CardOut)
        await watch.count("pedal", Press)

        assert watch.kinds("shoe") == ["Online", "CardOut"]
        assert watch.kinds("pedal") == ["Online", "Press"]

    watching(story)
