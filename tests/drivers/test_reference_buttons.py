"""Button boxes: presses, lamps, and one jackpot button for all boxes."""

import pytest

from drivers.commands import Arm, AskState, Eject, Lamps
from drivers.errors import LocalProtocolError
from drivers.events import Acknowledged, NotAcknowledged, Press, Stuck
from drivers.reference_buttons import DRIVER
from drivers.reference_wire import Type, frame
from drivers.reference_words import ButtonMove, ButtonState, masks_of
from drivers.simulated.buttons import CONTROLS, SimulatedButtons


@pytest.fixture
def pressing(talk):
    """A greeted button box."""

    def make(*held_at_start, **options):
        device = SimulatedButtons("B-1")
        for button in held_at_start:
            device.press(button)
        both = talk(DRIVER.codec(options), device).run(0.5)
        assert both.news() == []
        return both

    return make


def press(both, button: str, seconds: float = 0.1) -> None:
    both.hear(both.device.press(button))
    both.run(seconds)
    both.hear(both.device.let_go(button))
    both.run(0.1)


@pytest.mark.parametrize("button", CONTROLS)
def test_a_press_is_short_or_held(pressing, button) -> None:
    both = pressing()
    press(both, button)
    press(both, button, 0.7)

    assert both.news() == [Press(button, held=False), Press(button, held=True)]


def test_a_bounce_is_one_press(pressing) -> None:
    both = pressing()
    both.device.bounce = 5
    press(both, "surrender-3")

    assert both.news() == [Press("surrender-3", held=False)]


def test_what_is_down_from_the_start_was_not_pressed(pressing) -> None:
    both = pressing("surrender-3", "jackpot-1", hold_ms=200)
    both.run(1.5)
    both.hear(both.device.let_go("surrender-3"))
    both.run(0.5)
    assert both.news() == []
    press(both, "surrender-3")
    assert both.news() == [Press("surrender-3", held=False)]


def test_what_goes_down_before_the_state_is_known_was_not_pressed(talk) -> None:
    device = SimulatedButtons("B-1")
    both = talk(DRIVER.codec({}), device)
    both.to_device = lambda data: data if data[4] == Type.ASK_HELLO else b""
    both.run(0.2)
    for _ in range(2):
        press(both, "surrender-1")
    both.to_device = lambda data: data
    both.run(1.5)

    assert both.codec.introduction() == "buttons B-1 sim-1.0"
    assert both.news() == []


def test_a_button_nobody_lets_go_is_told_as_stuck(pressing) -> None:
    both = pressing()
    both.hear(both.device.press("jackpot-2"))
    both.run(12.0)

    assert both.news() == [Press("jackpot-2", held=True), Stuck("jackpot-2")]


def test_a_lost_link_lets_go_of_everything(pressing) -> None:
    both = pressing()
    both.hear(both.device.press("surrender-3"))
    both.codec.greet(both.now)
    both.run(2.0)
    both.hear(both.device.let_go("surrender-3"))
    both.run(0.5)

    assert both.news() == []


def test_a_restart_lets_go_of_everything(pressing) -> None:
    both = pressing()
    both.hear(both.device.press("surrender-3"))
    both.hear(both.device.restart())
    both.run(2.0)
    both.hear(both.device.let_go("surrender-3"))
    both.run(0.5)

    assert [type(event).__name__ for event in both.news()] == ["Restarted"]


def test_a_release_that_was_lost_is_known_within_a_second(pressing) -> None:
    both = pressing(hold_ms=2000)
    both.hear(both.device.press("surrender-3"))
    both.run(0.1)
    both.device.let_go("surrender-3")
    both.run(1.2)

    assert both.news() == [Press("surrender-3", held=False)]


def test_after_a_loss_nothing_becomes_held_until_the_state_is_known(pressing) -> None:
    both = pressing(hold_ms=500)
    both.hear(both.device.press("surrender-3"))
    both.device.let_go("surrender-3")
    both.to_device = lambda data: data[:0]
    both.device.set("no-heartbeat", value=True)
    both.hear(both.device.press("jackpot-1"))
    both.run(1.0)
    assert both.news() == []
    both.to_device = lambda data: data
    both.run(0.6)
    assert both.news() == [Press("jackpot-1", held=True), Press("surrender-3", held=False)]


# --- lamps and arming -----------------------------------------------------------------------------


def test_lamps_are_lit_and_all_others_dark(pressing) -> None:
    both = pressing()
    both.command(Lamps(frozenset({"surrender-1", "jackpot-9", "jackpot"})), 1)
    both.run(0.2)
    assert both.device.lit == ["jackpot", "jackpot-9", "surrender-1"]
    both.command(Lamps(frozenset({"surrender-2"})), 2)
    both.run(0.2)
    assert both.device.lit == ["surrender-2"]
    assert both.news() == [Acknowledged(1), Acknowledged(2)]


def test_newer_lamps_overtake_older_ones(pressing) -> None:
    both = pressing()
    both.device.set("deaf", value=True)
    for box in range(1, 5):
        both.command(Lamps(frozenset({f"surrender-{box}"})), box)
        both.run(0.05)
    both.device.set("deaf", value=False)
    both.run(2.0)

    assert both.device.lit == ["surrender-4"]
    told = both.news()
    assert told[-1] == Acknowledged(4)
    assert [type(event) for event in told[:-1]] == [NotAcknowledged] * 3
    assert {event.command_id for event in told[:-1]} == {1, 2, 3}
    assert all("overtaken" in event.why for event in told[:-1])


def test_the_same_lamps_asked_twice_are_both_acknowledged(pressing) -> None:
    both = pressing()
    both.device.set("deaf", value=True)
    both.command(AskState())
    for number in (1, 2):
        both.command(Lamps(frozenset({"surrender-1"})), number)
    both.device.set("deaf", value=False)
    both.run(1.0)

    assert both.news() == [Acknowledged(1), Acknowledged(2)]
    assert [data[4] for data in both.sent].count(Type.LAMPS) == 1


def test_a_lost_answer_makes_no_second_deed(pressing) -> None:
    both = pressing()
    deeds = []
    obey = both.device._obey
    both.device._obey = lambda command: (deeds.append(command), obey(command))[1]
    answers = []

    def lose_first(data: bytes) -> bytes:
        answers.append(data)
        return b"" if len(answers) == 1 else data

    both.to_host = lose_first
    both.command(Arm(3), 7)
    both.run(1.5)

    assert Acknowledged(7) in both.news()
    assert len(deeds) == 1
    assert [data[4] for data in both.sent].count(Type.ARM) == 2


def test_the_shared_jackpot_button_counts_for_the_armed_box(pressing) -> None:
    both = pressing()
    press(both, "jackpot")
    both.command(Arm(3), 1)
    both.run(0.2)
    assert both.device.armed == 3
    press(both, "jackpot")
    both.command(Arm(None), 2)
    both.run(0.2)
    press(both, "jackpot")

    assert both.news() == [
        Press("jackpot", held=False),
        Acknowledged(1),
        Press("jackpot-3", held=False),
        Acknowledged(2),
        Press("jackpot", held=False),
    ]


def test_the_box_that_counts_is_the_one_armed_when_the_finger_came_down(pressing) -> None:
    both = pressing()
    both.command(Arm(3))
    both.run(0.2)
    both.hear(both.device.press("jackpot"))
    both.command(Arm(5))
    both.run(0.2)
    both.hear(both.device.let_go("jackpot"))
    both.run(0.2)

    assert both.news() == [Press("jackpot-3", held=False)]


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (Lamps(frozenset({"surrender-4"})), "no lamp surrender-4; there are surrender-1 to 3"),
        (Lamps(frozenset({"surrender"})), "no lamp surrender;"),
        (Arm(4), "box 4 cannot be armed; there are 3"),
        (Arm(0), "box 0 cannot be armed"),
        (Eject(), "no command Eject"),
    ],
)
def test_a_command_that_cannot_be_is_a_mistake_of_ours(pressing, command, why) -> None:
    both = pressing(boxes=3)
    with pytest.raises(LocalProtocolError, match=why):
        both.command(command)


def test_buttons_beyond_the_last_box_are_no_buttons(pressing) -> None:
    both = pressing(boxes=3)
    bad = both.codec.counters.bad_frame
    both.hear(both.device.press("surrender-4"))
    both.hear(
        [frame(9, Type.STATE, ButtonState(frozenset({"jackpot-9"}), frozenset(), 0).payload())]
    )
    both.hear([frame(9, Type.HEARTBEAT, masks_of(frozenset({"jackpot-9"})))])

    assert both.news() == []
    assert both.codec.counters.bad_frame == bad + 3


def test_the_device_refuses_what_it_has_not() -> None:
    device = SimulatedButtons("B-1")
    beyond = masks_of(frozenset({"surrender-12"}))
    assert device.receive(frame(1, Type.LAMPS, beyond)) == [frame(0, Type.NAK, b"\1\2")]
    assert device.receive(frame(2, Type.ARM, b"\x0a")) == [frame(1, Type.NAK, b"\2\2")]
    assert device.receive(frame(3, Type.EJECT)) == [frame(2, Type.NAK, b"\3\1")]
    assert device.press("jackpot-2") == [
        frame(3, Type.BUTTON, ButtonMove("jackpot-2", down=True).payload())
    ]


def test_a_press_repeats_nothing_when_its_frame_comes_thrice(pressing) -> None:
    both = pressing()
    both.to_host = lambda data: data * 3
    press(both, "surrender-3")
    press(both, "surrender-3")

    assert both.news() == [Press("surrender-3", held=False)] * 2
