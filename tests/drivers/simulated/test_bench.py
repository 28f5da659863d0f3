"""The bench: which devices there are, and what each can be asked."""

import pytest

from drivers.simulated.bench import KINDS, USUAL, Bench, kind_of
from drivers.simulated.line import SWITCHES as LINE_SWITCHES
from drivers.simulated.reference import SWITCHES as REFERENCE_SWITCHES
from drivers.simulated.refused import Refused

ALL = ["shoe", "bee-tek-shoe", "shuffler-1", "shuffler-2", "multishuffler", "buttons", "meter"]


def test_every_device_has_a_node_of_its_name(full_bench) -> None:
    ports = full_bench.ready["ports"]
    assert list(ports) == [*ALL, "pedal", "keys"]
    for name in ALL:
        assert ports[name] == f"{full_bench.folder}/{name}"
        assert (full_bench.folder / name).is_symlink()


def test_a_device_is_called_by_its_kind_and_a_number() -> None:
    assert {kind_of(name) for name in [*ALL, "pedal-2", "keys"]} == set(KINDS)
    assert set(USUAL) < set(KINDS)
    for wrong in ("toaster", "shoe-", "shoe-x", "shuffler-100", "", "Shoe"):
        with pytest.raises(Refused, match="each also with a number as shuffler-2"):
            kind_of(wrong)


def test_no_two_devices_of_one_name(tmp_path) -> None:
    capture = tmp_path / "c"
    capture.write_text("")
    with pytest.raises(Refused, match="two devices of one name: shoe, shoe"):
        Bench(tmp_path, ["shoe"], playback={"shoe": capture})


@pytest.mark.parametrize(
    ("device", "do", "fields", "why"),
    [
        ("shuffler-1", "press", {"control": "x"}, "a shuffling device cannot do that"),
        ("shuffler-1", "cutting-card", {}, "a shuffling device cannot do that"),
        ("shuffler-1", "load", {"cards": ["7S"], "cutting_card": 1}, "no cutting card in a shuff"),
        ("shuffler-1", "load", {"cards": ["7S"], "colour": "pink"}, "no colour 'pink'; there are"),
        ("shuffler-1", "fault", {"code": "hiccup"}, "no fault 'hiccup'; there are count-mism"),
        ("shuffler-1", "clear", {"code": "jam"}, "the device is idle, not jam"),
        ("shuffler-1", "state", {"state": "asleep"}, "no state 'asleep'; there are offline"),
        ("shuffler-1", "draw", {}, "no card leaves while the device is idle"),
        ("shuffler-1", "switch", {"name": "kind", "value": 9}, "no kind 9; there are 1 shuffler"),
        ("shuffler-1", "switch", {"name": "nak", "value": "x"}, "whole number"),
        ("shuffler-1", "switch", {"name": "spin", "value": 1}, "no switch 'spin'; there are dupl"),
        ("shuffler-1", "switch", {"name": "delay", "value": -1}, "whole number"),
        ("buttons", "draw", {}, "a button box cannot do that"),
        ("buttons", "press", {"control": "x"}, "no control 'x'; there are surrender-1"),
        ("buttons", "press", {"control": "jackpot", "hold": 99}, "hold is from 0 to 60"),
        ("buttons", "up", {"control": "jackpot"}, "jackpot is not down"),
        ("meter", "draw", {}, "a meter cannot do that"),
        ("meter", "switch", {"name": "off", "value": "x"}, "whole number"),
        ("bee-tek-shoe", "restart", {}, "a bee-tek shoe cannot do that"),
        ("bee-tek-shoe", "fault", {"code": "jam"}, "no fault 'jam'; it has alarm-e3"),
        ("bee-tek-shoe", "raw", {"hex": "5"}, "hexadecimal"),
    ],
)
def test_what_cannot_be_done_is_told(full_bench, device, do, fields, why) -> None:
    with pytest.raises(Refused, match=why):
        full_bench.ask(do, device=device, **fields)


def test_every_switch_is_taken_and_can_be_switched_off(full_bench) -> None:
    values = {"kind": 2, "junk": "00", "serial": "S-9", "silent": True, "wrong-check": True}
    values["reorder"] = True
    device = "shuffler-2"
    # Those that work once are gone with the next heartbeat, the others stay.
    for name in {**LINE_SWITCHES, **REFERENCE_SWITCHES}:
        full_bench.ask("switch", device=device, name=name, value=values.get(name, 100))
        if name not in {"half", "seq-skip", "seq-repeat", "length", "reboot"}:
            assert name in full_bench.ask("status")["devices"][device]["switches"], name
        full_bench.ask("switch", device=device, name=name, value=None)
    assert full_bench.ask("status")["devices"][device]["switches"] == {}
    assert full_bench.ask("status")["devices"][device]["plugged"]


def test_cards_of_each_device_outlive_the_program(start_program, tmp_path) -> None:
    arguments = ["--devices", "shoe,shuffler-1,shuffler-2", "--state", str(tmp_path / "cards")]
    first = start_program(*arguments).wait_until_ready()
    for device, card in (("shoe", "7S"), ("shuffler-1", "8S"), ("shuffler-2", "9S")):
        first.ask("load", device=device, cards=["AS", card])
        assert first.ask("draw", device=device)["card"] == "AS"
    first.process.kill()
    first.process.wait()

    again = start_program(*arguments, folder=tmp_path / "again").wait_until_ready()
    drawn = [
        again.ask("draw", device=name)["card"] for name in ("shoe", "shuffler-1", "shuffler-2")
    ]
    assert drawn == ["7S", "8S", "9S"]


def test_a_meter_tells_what_it_displays(full_bench) -> None:
    assert full_bench.ask("status")["devices"]["meter"] == {
        "plugged": True,
        "displayed": "",
        "lost": 0,
        "layouts": 0,
        "switches": {},
    }
