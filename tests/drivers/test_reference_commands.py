"""Commands to a shuffling device: acknowledged, refused, lost, repeated or not."""

import pytest

from drivers.commands import AskState, CancelError, Eject, Lamps, LockDoor, UnlockDoor
from drivers.errors import LocalProtocolError
from drivers.events import (
    Acknowledged,
    CardOut,
    DeviceState,
    NotAcknowledged,
)
from drivers.reference_errands import MOST_WAITING
from drivers.reference_wire import FAULTS, Scanner, Type, frame

CARDS = ["7S", "TD", "AH", "KC"]


def cards(events) -> list:
    return [event.card for event in events if isinstance(event, CardOut)]


def states(events) -> list[str]:
    return [event.state for event in events if isinstance(event, DeviceState)]


def test_commands_are_acknowledged_and_their_effect_is_told(shuffling) -> None:
    both = shuffling()
    both.command(LockDoor(), 1)
    both.command(UnlockDoor(), 2)
    both.command(AskState(), 3)
    both.run(0.5)

    told = both.news()
    assert [each.command_id for each in told if isinstance(each, Acknowledged)] == [1, 2, 3]
    assert [each.locked for each in told if isinstance(each, DeviceState)] == [True, False, False]


def test_the_state_is_told_whenever_it_was_asked_for(shuffling) -> None:
    both = shuffling()
    for number in range(3):
        both.command(AskState(), number)
        both.run(0.3)

    assert [type(event) for event in both.news()] == [Acknowledged, DeviceState] * 3


@pytest.mark.parametrize("fault", sorted(FAULTS))
@pytest.mark.parametrize("named", [True, False])
def test_a_fault_is_cleared(shuffling, fault, named) -> None:
    both = shuffling()
    both.hear(both.device.enter(fault))
    both.command(CancelError(fault if named else None), 9)
    both.run(0.3)

    told = both.news()
    assert states(told) == [fault, "ready"]
    assert Acknowledged(9) in told
    assert both.codec.counters.missed == 0


def test_a_fault_that_is_not_there_is_not_cleared(shuffling) -> None:
    both = shuffling()
    both.hear(both.device.enter("jam"))
    both.command(CancelError("duplicate-card"), 9)
    both.run(0.3)

    assert both.news()[-1] == NotAcknowledged(9, "refused: not in its present state")
    assert both.device.state.state == "jam"


def test_an_ejected_pack_is_out(shuffling) -> None:
    both = shuffling()
    both.command(Eject(), 5)
    both.run(0.3)

    assert both.news() == [
        Acknowledged(5),
        DeviceState("idle", "No cards are inside.", 0, 0, colour="blue"),
    ]


def test_commands_are_off_unless_switched_on_but_the_state_may_be_asked(shuffling) -> None:
    both = shuffling(commands=False)
    for command in (Eject(), LockDoor(), UnlockDoor(), CancelError()):
        with pytest.raises(LocalProtocolError, match="commands is off"):
            both.command(command)
    both.command(AskState(), 1)
    both.run(0.3)
    assert Acknowledged(1) in both.news()


def test_a_command_of_another_device_is_a_mistake_of_ours(shuffling) -> None:
    both = shuffling()
    with pytest.raises(LocalProtocolError, match="no command Lamps"):
        both.command(Lamps(frozenset()))
    with pytest.raises(LocalProtocolError, match="no fault 'hiccup' to clear; known: count-mism"):
        both.command(CancelError("hiccup"))


@pytest.mark.parametrize("command", [Eject(), LockDoor(), UnlockDoor(), CancelError()])
def test_what_must_not_be_repeated_is_sent_once_and_told_as_unanswered(shuffling, command) -> None:
    both = shuffling()
    both.device.set("deaf", value=True)
    sent = len(both.sent)
    both.command(command, 4)
    both.run(2.0)

    assert len(both.sent) == sent + 1
    (told,) = both.news()
    assert isinstance(told, NotAcknowledged)
    assert told.command_id == 4
    assert "no answer" in told.why


def test_what_may_be_repeated_is_three_times_with_the_same_number(shuffling) -> None:
    both = shuffling()
    both.device.set("deaf", value=True)
    sent = len(both.sent)
    both.command(AskState(), 4)
    both.run(2.0)

    assert both.sent[sent:] == [frame(2, Type.ASK_STATE)] * 3
    assert both.news() == [NotAcknowledged(4, "ASK-STATE: no answer, sent 3 times")]


def test_a_lost_answer_is_asked_for_with_the_same_number(shuffling) -> None:
    both = shuffling()
    asked, lost = len(both.sent), []

    def lose_first(data: bytes) -> bytes:
        lost.append(data)
        return b"" if len(lost) == 1 else data

    both.to_host = lose_first
    both.command(AskState(), 4)
    both.run(1.0)

    assert Acknowledged(4) in both.news()
    # The third is for what else may have been lost.
    assert both.sent[asked:] == [frame(n, Type.ASK_STATE) for n in (2, 2, 3)]


def test_busy_is_asked_again_and_other_refusals_are_not(shuffling) -> None:
    both = shuffling()
    both.device.set("busy", 2)
    both.command(AskState(), 1)
    both.run(2.0)
    assert Acknowledged(1) in both.news()
    both.device.set("busy", 1)
    both.command(LockDoor(), 2)
    both.run(1.0)
    assert both.news() == [NotAcknowledged(2, "refused: it is busy")]
    both.device.set("nak", 99)
    both.command(AskState(), 3)
    both.run(1.0)
    assert both.news() == [NotAcknowledged(3, "refused: reason 99")]


def test_one_command_at_a_time_is_on_its_way(shuffling) -> None:
    both = shuffling()
    both.device.set("deaf", value=True)
    for number in range(3):
        both.command(LockDoor(), number)
    assert len(Scanner(both.codec.counters).feed(both.codec.pending(both.now))) == 1
    assert both.codec.pending(both.now) == b""
    both.run(2.0)

    assert [event.command_id for event in both.news()] == [0, 1, 2]


def test_too_many_commands_are_told_not_kept(shuffling) -> None:
    both = shuffling()
    both.device.set("deaf", value=True)
    for number in range(MOST_WAITING + 3):
        both.command(LockDoor(), number)
    told = both.codec.tick(both.now)

    assert [event.command_id for event in told] == [0, 1, 2]
    assert "too many" in told[0].why


def test_an_answer_to_nothing_is_ignored(shuffling) -> None:
    both = shuffling()
    ignored = both.codec.counters.ignored
    assert both.codec.feed(frame(5, Type.ACK, b"\x63"), both.now) == []
    assert both.codec.feed(frame(6, Type.NAK, b"\x63\x01"), both.now) == []
    assert both.codec.counters.ignored == ignored + 2
