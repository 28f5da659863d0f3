"""Shuffling devices: what they say, and what is lost on the way."""

import pytest

from drivers.events import (
    CardMismatch,
    CardOut,
    DeviceState,
    Gap,
)
from drivers.reference_cards import MULTISHUFFLER, SHUFFLER
from drivers.reference_wire import STATES, Kind, Type, frame
from drivers.reference_words import CardBeat, CardOutput, CardState, Hello
from drivers.simulated.pack import Pack
from drivers.simulated.shuffler import SimulatedShuffler

CARDS = ["7S", "TD", "AH", "KC"]


def cards(events) -> list:
    return [event.card for event in events if isinstance(event, CardOut)]


def states(events) -> list[str]:
    return [event.state for event in events if isinstance(event, DeviceState)]


# --- cards ----------------------------------------------------------------------------------------


def test_every_card_is_told_in_order_read_or_not(shuffling) -> None:
    both = shuffling()
    for _ in range(2):
        both.hear(both.device.draw()[1])
    both.hear(both.device.card_out(None))

    told = both.news()
    assert cards(told) == ["7S", "TD", None]
    assert (
        told[1].raw == frame(4, Type.CARD_OUT, CardOutput(1, "7S").payload()).hex() or told[1].raw
    )
    assert states(told) == ["delivering"]


def test_a_lost_card_is_a_gap_at_the_next_card(shuffling) -> None:
    both = shuffling()
    both.device.draw()
    both.device.draw()
    both.hear(both.device.draw()[1])

    told = both.news()
    assert cards(told) == ["AH"]
    assert [event.missed for event in told if isinstance(event, Gap)] == [2]


def test_a_lost_card_is_a_gap_within_a_second_even_if_no_other_comes(shuffling) -> None:
    both = shuffling()
    both.hear(both.device.draw()[1])
    both.device.draw()
    both.news()
    both.run(1.05)

    assert [event.missed for event in both.news() if isinstance(event, Gap)] == [1]


def test_a_lost_state_is_asked_for(shuffling) -> None:
    both = shuffling()
    both.device.enter("door-open")
    both.run(1.5)

    assert states(both.news()) == ["door-open"]


def test_a_state_that_was_never_told_is_asked_for(shuffling) -> None:
    both = shuffling()
    both.device.state = both.device.state._replace(state="service")
    both.run(1.5)

    assert states(both.news()) == ["service"]
    assert both.codec.counters.missed == 0


def test_the_very_same_frame_much_later_is_another_message(shuffling) -> None:
    both = shuffling()
    again = both.device.heartbeat()
    both.hear(again)
    both.hear(again)
    assert (both.codec.counters.duplicates, both.codec.counters.missed) == (1, 0)
    both.now += 0.6
    both.hear(again)
    assert (both.codec.counters.duplicates, both.codec.counters.missed) == (1, 1)


def test_the_same_card_told_again_counts_once_and_another_is_told(shuffling) -> None:
    both = shuffling()
    both.hear(both.device.draw()[1])
    both.news()
    both.hear(both.device.tell_again("7S"))
    assert both.news() == []
    assert both.codec.counters.retransmissions == 1
    both.hear(both.device.tell_again("8S"))
    (told,) = both.news()
    assert isinstance(told, CardMismatch)
    assert (told.read, told.last) == ("8S", "7S")


def test_every_frame_thrice_counts_once(shuffling) -> None:
    both = shuffling()
    both.to_host = lambda data: data * 3
    for _ in range(3):
        both.hear(both.device.draw()[1])
    both.run(3.0)

    told = both.news()
    assert cards(told) == ["7S", "TD", "AH"]
    assert len(told) == 4
    assert both.codec.counters.duplicates > 6


def test_numbers_go_round_without_a_gap(shuffling) -> None:
    both = shuffling()
    for _ in range(600):
        both.hear(both.device.card_out("7S"))

    told = both.news()
    assert len(cards(told)) == 600
    assert not any(isinstance(event, Gap) for event in told)
    assert both.codec.counters.missed == 0


def test_a_number_that_comes_twice_with_other_contents_is_a_loss_and_the_state_is_asked(
    shuffling,
) -> None:
    both = shuffling()
    both.device.set("seq-repeat", value=True)
    both.hear(both.device.enter("door-open"))
    asked = len(both.sent)
    both.run(0.2)

    assert both.codec.counters.missed == 1
    assert both.sent[asked:] == [frame(2, Type.ASK_STATE)]


def test_a_card_number_that_goes_back_is_a_gap_of_unknown_size(shuffling) -> None:
    both = shuffling()
    for number in (7, 3):
        both.told += both.codec.feed(
            frame(number, Type.CARD_OUT, CardOutput(number, "7S").payload()), both.now
        )

    gaps = [event.missed for event in both.news() if isinstance(event, Gap)]
    assert gaps == [6, None]


# --- states ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", STATES)
def test_every_state_is_told_in_plain_words(shuffling, state) -> None:
    both = shuffling()
    if state == "ready":
        both.hear(both.device.enter("idle"))
    both.news()
    both.hear(both.device.enter(state, retry=2, expected=416, got=415, card="TD"))
    (told,) = both.news()

    assert told.state == state
    assert told.retry == (2 if state == "jam" else None)
    assert (told.expected, told.got) == ((416, 415) if state == "count-mismatch" else (None, None))
    assert told.card == ("TD" if state in {"duplicate-card", "damaged-card"} else None)
    phrases = {"jam": "attempt 2", "count-mismatch": "415, not 416"}
    phrases |= {"duplicate-card": "TD", "damaged-card": "TD"}
    assert phrases.get(state, "") in told.detail
    assert told.detail.endswith(".")


def test_a_state_is_told_when_something_in_it_changed(shuffling) -> None:
    both = shuffling()
    both.hear(both.device.enter("jam", retry=1))
    both.hear(both.device.enter("jam", retry=1))
    both.hear(both.device.enter("jam", retry=2))

    assert [event.retry for event in both.news()] == [1, 2]


def test_our_own_bytes_come_back_and_mean_nothing(talk) -> None:
    device = SimulatedShuffler(Kind.SHUFFLER, "S-1", Pack())
    both = talk(SHUFFLER.codec({}), device)
    plain = device.receive
    device.receive = lambda data: [data, *plain(data)]
    both.run(1.0)

    assert both.codec.introduction() == "shuffler S-1 sim-1.0"
    assert states(both.news()) == ["idle"]
    assert both.codec.counters.ignored == 2


def test_messages_of_other_kinds_are_ignored(shuffling) -> None:
    both = shuffling()
    counters = both.codec.counters
    ignored = counters.ignored
    assert both.codec.feed(frame(4, Type.BUTTON, b"\1\1\1"), both.now) == []
    assert both.codec.feed(frame(5, 0xEE, b"\1\1\1"), both.now) == []
    assert counters.ignored == ignored + 2
    assert both.codec.feed(frame(6, Type.STATE, bytes(9)), both.now) == []
    assert both.codec.feed(frame(7, Type.HEARTBEAT, bytes(4)), both.now) == []
    assert counters.bad_frame == 2


def test_what_came_early_and_cannot_be_is_counted_not_told(talk) -> None:
    device = SimulatedShuffler(Kind.SHUFFLER, "S-1", Pack())
    device.set("no-hello", value=True)
    both = talk(SHUFFLER.codec({}), device).run(0.5)
    both.codec.feed(frame(9, Type.STATE, bytes(9)), both.now)
    device.set("no-hello", value=False)
    both.run(1.5)

    assert both.codec.counters.bad_frame == 1
    assert states(both.news()) == ["idle"]


def test_a_multishuffler_is_the_same_under_another_name(talk) -> None:
    device = SimulatedShuffler(Kind.MULTISHUFFLER, "M-1", Pack())
    both = talk(MULTISHUFFLER.codec({}), device).run(0.5)
    both.hear(device.load(CARDS, "red"))
    both.hear(device.draw()[1])

    assert both.codec.introduction() == "multishuffler M-1 sim-1.0"
    told = both.news()
    assert states(told) == ["idle", "loading", "shuffling", "ready", "delivering"]
    assert cards(told) == ["7S"]
    assert {driver.role for driver in (SHUFFLER, MULTISHUFFLER)} == {"shuffler", "multishuffler"}


def test_the_heartbeat_is_what_the_document_says() -> None:
    device = SimulatedShuffler(Kind.SHUFFLER, "S-1", Pack())
    assert device.heartbeat() == [frame(0, Type.HEARTBEAT, CardBeat("idle", 0).payload())]
    assert device.receive(frame(9, Type.ASK_STATE)) == [
        frame(1, Type.ACK, b"\x09"),
        frame(2, Type.STATE, CardState("idle", cards_inside=0).payload()),
    ]
    hello = Hello(Kind.SHUFFLER, 1, started=False, firmware="sim-1.0", serial="S-1")
    assert device.receive(frame(0, Type.ASK_HELLO))[1] == frame(4, Type.HELLO, hello.payload())


@pytest.mark.parametrize("answers", ["the state", "an ack and the state", "a heartbeat"])
def test_a_card_lost_before_the_first_number_is_a_gap(answers) -> None:
    codec = SHUFFLER.codec({})
    codec.greet(0.0)
    hello = Hello(Kind.SHUFFLER, 1, started=False, firmware="1", serial="X-1")
    assert codec.feed(frame(0, Type.HELLO, hello.payload()), 0.0) == []
    state = CardState("ready", cards_out=1).payload()
    # Number 1 told a card, and did not arrive.
    heard = {
        "the state": [frame(2, Type.STATE, state)],
        "an ack and the state": [frame(2, Type.ACK, b"\1"), frame(3, Type.STATE, state)],
        "a heartbeat": [frame(2, Type.HEARTBEAT, CardBeat("ready", 1).payload())],
    }[answers]

    told = [event for each in heard for event in codec.feed(each, 0.1)]
    assert [type(event) for event in told].count(Gap) == 1
    number = 2 + len(heard)
    out = frame(number, Type.CARD_OUT, CardOutput(2, "8S").payload())
    assert codec.feed(out, 0.2) == [CardOut("8S", out.hex())]
