"""What a person types at a simulated device."""

import pytest

from drivers.simulated import requests as ask
from drivers.simulated.prompt import GARBAGE, HELP, in_words, request_of, shuffled
from drivers.simulated.refused import Refused


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        ("press surrender-3", ask.Press("x", "surrender-3", 0.1)),
        ("press middle 0.8", ask.Press("x", "middle", 0.8)),
        ("down left", ask.Down("x", "left")),
        ("up left", ask.Up("x", "left")),
        ("draw", ask.Draw("x")),
        ("draw ??", ask.Draw("x", "??")),
        ("take-out", ask.TakeOut("x")),
        ("take-out 3", ask.TakeOut("x", 3)),
        ("again", ask.TellAgain("x")),
        ("again 7S", ask.TellAgain("x", "7S")),
        ("cutting-card", ask.CuttingCard("x")),
        ("jam", ask.Fault("x", "jam")),
        ("jam 2", ask.Fault("x", "jam", retry=2)),
        ("fault duplicate-card", ask.Fault("x", "duplicate-card")),
        ("clear jam", ask.Clear("x", "jam")),
        ("state service", ask.Enter("x", "service")),
        ("restart", ask.Restart("x")),
        ("unplug", ask.Unplug("x")),
        ("  plug  ", ask.Plug("x")),
        ("garbage", ask.Raw("x", GARBAGE)),
        ("garbage a5 01", ask.Raw("x", "a5 01")),
        ("switch fragment 1", ask.Switch("x", "fragment", 1)),
        ("switch silent true", ask.Switch("x", "silent", True)),
        ("switch silent", ask.Switch("x", "silent", None)),
        ("switch serial S-2", ask.Switch("x", "serial", "S-2")),
        ("status", ask.Status()),
    ],
)
def test_a_line_is_a_request(line, request_) -> None:
    assert request_of(line, "x") == request_


def test_every_line_of_the_help_is_understood() -> None:
    for line in HELP.splitlines():
        for verb in line.split("  ")[0].split(", "):
            word, *rest = verb.split()
            if word not in {"help", "quit"}:
                needs = ["x" for each in rest if not each.startswith("[")]
                assert request_of(" ".join([word, *needs]), "d"), verb
    assert bytes.fromhex(GARBAGE)


@pytest.mark.parametrize(
    "line", ["dance", "press", "press a x", "draw 7S 8S", "jam x", "restart now", "load 99", "up"]
)
def test_what_is_not_understood_is_told(line) -> None:
    with pytest.raises(Refused, match="is not understood; help shows what is"):
        request_of(line, "x")


def test_a_load_is_whole_decks_shuffled() -> None:
    request = request_of("load 2", "x")
    assert isinstance(request, ask.Load)
    assert sorted(request.cards) == sorted(shuffled(1) * 2)
    assert request.cards != shuffled(2)


def test_answers_are_words() -> None:
    assert in_words({}) == "done"
    assert in_words({"sent": False, "card": None, "left": 3}) == "sent: no, card: none, left: 3"
