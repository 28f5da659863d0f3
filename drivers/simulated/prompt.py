"""What a person can type at one simulated device, as requests.

For those who build the other end: press, draw, jam, unplug, send garbage, and see what happens.
"""

import random

from drivers.simulated import requests as ask
from drivers.simulated.refused import Refused

HELP = """\
press CONTROL [SECONDS]   press and let go; 1 second counts as held
down CONTROL, up CONTROL  only the one or the other
load [DECKS]              put shuffled decks in (8 unless told)
draw [CARD]               the next card, or this one; ?? cannot be read
take-out [NUMBER]         by hand, so many or all: nothing is told of it
again [CARD]              the last card once more, or another one as if it were it
cutting-card              the cutting card comes out
jam [RETRY]               cards are jammed
fault CODE                any trouble the device knows; a wrong code lists them
clear CODE                out of that trouble
state NAME                a state of a shuffling device
restart                   off and on
unplug, plug              the cable
garbage [HEX]             these bytes, or some that look like the start of a message
switch NAME [VALUE]       a fault switch; no value switches it off; a wrong name lists them
status                    how it is
help, quit
"""

GARBAGE = "41 54 0d 00 00 a5 01 00 40 84 05 31 44 5b 47 61 01 30"
"""A modem's AT, a broken line's zeros, and beginnings of messages of several devices."""

_FULL_DECK = [rank + suit for suit in "SHDC" for rank in "A23456789TJQK"]


def request_of(line: str, device: str) -> ask.Asked:
    """Return what *line* asks of *device*.

    Raises:
        Refused: the line is not understood.

    """
    words = line.split()
    try:
        return _request(words[0], words[1:], device)
    except (IndexError, ValueError):
        raise Refused(f"{line.strip()!r} is not understood; help shows what is") from None


def _request(verb: str, words: list[str], device: str) -> ask.Asked:
    """Return the request; IndexError or ValueError if words are missing, too many or wrong."""
    most = 2 if verb in {"press", "switch"} else len(words) if verb == "garbage" else 1
    if len(words) > most:
        raise ValueError(words)
    first = words[0] if words else None
    match verb:
        case "press":
            return ask.Press(device, words[0], float(words[1]) if len(words) > 1 else 0.1)
        case "down":
            return ask.Down(device, words[0])
        case "up":
            return ask.Up(device, words[0])
        case "load":
            return ask.Load(device, shuffled(int(first or 8)))
        case "draw":
            return ask.Draw(device, first)
        case "take-out":
            return ask.TakeOut(device, int(first) if first else None)
        case "again":
            return ask.TellAgain(device, first)
        case "jam":
            return ask.Fault(device, "jam", retry=int(first or 0))
        case "fault":
            return ask.Fault(device, words[0])
        case "clear":
            return ask.Clear(device, words[0])
        case "state":
            return ask.Enter(device, words[0])
        case "garbage":
            return ask.Raw(device, " ".join(words) or GARBAGE)
        case "switch":
            return ask.Switch(device, words[0], value_of(words[1]) if len(words) > 1 else None)
        case _ if words:
            raise ValueError(verb)
        case _:
            return _bare(verb, device)


def _bare(verb: str, device: str) -> ask.Asked:
    match verb:
        case "cutting-card":
            return ask.CuttingCard(device)
        case "restart":
            return ask.Restart(device)
        case "unplug":
            return ask.Unplug(device)
        case "plug":
            return ask.Plug(device)
        case "status":
            return ask.Status()
        case _:
            raise ValueError(verb)


def value_of(word: str) -> bool | int | float | str:
    """Return the value that *word* means.

    >>> value_of("true"), value_of("3"), value_of("0.5"), value_of("a5 01")
    (True, 3, 0.5, 'a5 01')
    """
    if word in {"true", "false"}:
        return word == "true"
    for number in (int, float):
        try:
            return number(word)
        except ValueError:
            continue
    return word


def shuffled(decks: int) -> list[str]:
    """Return so many decks, shuffled.

    Raises:
        ValueError: not from 1 to 16.

    """
    if not 1 <= decks <= 16:
        raise ValueError(decks)
    cards = _FULL_DECK * decks
    random.SystemRandom().shuffle(cards)
    return cards


def in_words(answer: dict[str, object]) -> str:
    """Return an answer for people.

    >>> in_words({"card": "7S", "sent": True})
    'card: 7S, sent: yes'
    """
    if not answer:
        return "done"
    plain = {True: "yes", False: "no", None: "none"}
    return ", ".join(
        f"{name}: {plain[value] if value is None or isinstance(value, bool) else value}"
        for name, value in answer.items()
    )
