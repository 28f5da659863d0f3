"""Who a device is: greeted, wrong, silent, replaced, started anew."""

import pytest

from drivers.errors import RemoteProtocolError
from drivers.events import (
    CardOut,
    DeviceState,
    Fault,
    Gap,
    Restarted,
)
from drivers.reference import GREETED_WITHIN
from drivers.reference_cards import SHUFFLER
from drivers.reference_wire import Kind, Type, frame
from drivers.simulated.pack import Pack
from drivers.simulated.shuffler import SimulatedShuffler

CARDS = ["7S", "TD", "AH", "KC"]


def cards(events) -> list:
    return [event.card for event in events if isinstance(event, CardOut)]


def states(events) -> list[str]:
    return [event.state for event in events if isinstance(event, DeviceState)]


def test_the_greeting_is_two_questions_and_the_state_is_told(shuffling) -> None:
    both = shuffling()

    assert both.sent == [frame(0, Type.ASK_HELLO), frame(1, Type.ASK_STATE)]
    assert both.codec.introduction() == "shuffler S-1 sim-1.0"
    assert both.greeting == [
        DeviceState("ready", "Shuffled and ready.", 4, 0, colour="blue", locked=False)
    ]


def test_a_device_is_nobody_until_it_has_said_who_it_is(talk) -> None:
    device = SimulatedShuffler(Kind.SHUFFLER, "S-1", Pack())
    device.set("no-hello", value=True)
    both = talk(SHUFFLER.codec({}), device).run(2.0)
    both.hear(device.card_out("7S"))

    assert both.codec.introduction() is None
    assert both.news() == []
    device.set("no-hello", value=False)
    both.run(2.0)
    assert both.codec.introduction() == "shuffler S-1 sim-1.0"
    # What it said before is told now, in its order.
    assert [type(event).__name__ for event in both.news()] == ["CardOut", "DeviceState"]


def test_who_never_says_who_it_is_is_given_up(talk) -> None:
    device = SimulatedShuffler(Kind.SHUFFLER, "S-1", Pack())
    device.set("no-hello", value=True)
    both = talk(SHUFFLER.codec({}), device)

    with pytest.raises(RemoteProtocolError, match="does not say who it is"):
        both.run(GREETED_WITHIN + 1)
    assert both.news() == []


def test_silence_is_a_lost_link(shuffling) -> None:
    both = shuffling()
    both.device.set("no-heartbeat", value=True)
    both.run(2.5)
    with pytest.raises(RemoteProtocolError, match=r"nothing was heard for 3\.5 s"):
        both.run(2)


@pytest.mark.parametrize(
    ("switch", "value", "why"),
    [
        ("serial", "S-2", "shuffler S-1 is wanted here, but this is S-2"),
        ("kind", 2, "a shuffler is wanted here, but this is multishuffler S-1 sim-1.0"),
        ("kind", 3, "a shuffler is wanted here, but this is buttons S-1 sim-1.0"),
        ("protocol", 2, "shuffler S-1 sim-1.0 speaks protocol 2, this driver speaks 1"),
    ],
)
def test_a_wrong_device_is_told_once_and_never_listened_to(talk, switch, value, why) -> None:
    device = SimulatedShuffler(Kind.SHUFFLER, "S-1", Pack())
    device.set(switch, value)
    both = talk(SHUFFLER.codec({"serial": "S-1"}), device).run(1.0)
    both.hear(device.card_out("7S"))
    both.run(10.0)

    assert both.codec.introduction() is None
    (told,) = both.news()
    assert isinstance(told, Fault)
    assert told.code == "wrong-device"
    assert why in told.text

    device.set(switch, None)
    both.run(1.5)
    assert both.codec.introduction() == "shuffler S-1 sim-1.0"
    both.hear(device.card_out("8S"))
    assert cards(both.news()) == ["8S"]


def test_another_unit_in_the_middle_of_it_ends_the_link(shuffling) -> None:
    both = shuffling()
    both.device.set("serial", "S-9")
    both.hear(both.device.restart())
    with pytest.raises(RemoteProtocolError, match="another device is there now: shuffler S-9"):
        both.run(0.1)
    assert both.news() == []


def test_a_restart_is_told_and_counting_begins_anew(shuffling) -> None:
    both = shuffling()
    both.hear(both.device.draw()[1])
    for _ in range(2):
        both.hear(both.device.restart())
        both.run(1.0)
    both.hear(both.device.draw()[1])

    told = both.news()
    assert [type(event) for event in told].count(Restarted) == 2
    assert cards(told) == ["7S", "TD"]
    assert not any(isinstance(event, Gap) for event in told)
