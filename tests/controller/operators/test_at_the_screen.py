"""``tablekeeper watch`` at a real table: signing in, a word said, keys that are no presses."""

from collections.abc import Iterator

import pytest

from controller.console.prompt import Credentials, SayPrompt, SignInPrompt, Words
from tests.system.processes import PROGRAM, eventually
from tests.system.real import PIN, RealTable
from tests.system.terminal import Terminal


@pytest.fixture
def terminal(real: RealTable) -> Iterator[Terminal]:
    """A screen at a real table with ines, a game supervisor."""
    real.add()
    with Terminal([*PROGRAM, "watch", "--socket", real.socket]) as it:
        it.until("Test 1", "o operator")
        yield it


def sign_in(terminal: Terminal, pin: str = PIN) -> None:
    terminal.type("o")
    terminal.until("operator's name")
    terminal.type("ines\r")
    terminal.until("PIN of ines")
    terminal.type(f"{pin}\r")


def test_who_signs_in_is_shown_and_what_they_say_is_accepted(
    real: RealTable, terminal: Terminal
) -> None:
    sign_in(terminal)
    terminal.until("ines (game-supervisor) signed in 0 min")
    terminal.type(":")
    terminal.until("say, as limits 10 500")
    terminal.type("limits 3\x7f2 50\r")
    terminal.until("accepted")

    asked = real.rows("asked")[-1]["body"]
    assert (asked["ask"]["do"], asked["by"], asked["who"]) == ("limits", "game-supervisor", "ines")
    assert PIN not in terminal.text
    assert real.rows("pressed") == []


def test_keys_of_who_is_signed_in_are_theirs(real: RealTable, terminal: Terminal) -> None:
    sign_in(terminal)
    terminal.until("signed in 0 min")
    terminal.type("3")
    (pressed, *_) = real.watch.event("pressed")
    assert (pressed["body"]["by"], pressed["body"]["who"]) == ("game-supervisor", "ines")


def test_enter_alone_signs_out(real: RealTable, terminal: Terminal) -> None:
    sign_in(terminal)
    terminal.until("signed in 0 min")
    terminal.type("o")
    terminal.until("Enter alone signs ines out")
    terminal.type("\r")
    (out,) = real.watch.event("signed-out")
    assert out["body"]["why"] == "asked"
    terminal.type(":limits 2 50\r")
    terminal.until("refused by 6.3")


def test_a_wrong_pin_is_told_and_nobody_is_signed_in(real: RealTable, terminal: Terminal) -> None:
    sign_in(terminal, "4826")
    terminal.until("not signed in: name or PIN is wrong")
    terminal.type(":limits 2 50\r")
    terminal.until("refused by 6.3")
    assert "game-supervisor" not in terminal.text


def test_a_word_that_is_none_is_explained(terminal: Terminal) -> None:
    terminal.type(":fly away\r")
    terminal.until("'fly' is no word")


def test_leaving_the_screen_ends_the_sign_in(real: RealTable, terminal: Terminal) -> None:
    sign_in(terminal)
    terminal.until("signed in 0 min")
    terminal.type("q")
    assert terminal.ended() == 0
    (out,) = real.watch.event("signed-out")
    assert out["body"]["why"] == "left"


def test_a_pin_is_no_presses_when_the_table_goes_away_while_it_is_typed(
    real: RealTable, terminal: Terminal
) -> None:
    terminal.type("o")
    terminal.until("operator's name")
    terminal.type("ines\r")
    terminal.until("PIN of ines")
    terminal.type(PIN[:4])
    real.kill()
    terminal.until("The table is gone")
    terminal.type(PIN[4:] + "\r")
    real.start()
    terminal.until("layout as shown", "type it again")
    terminal.type("3")
    real.watch.event("pressed")

    assert [row["body"]["control"] for row in real.rows("pressed")] == ["3"]
    assert PIN not in terminal.text


def test_who_was_signed_in_is_not_after_the_table_was_away(
    real: RealTable, terminal: Terminal
) -> None:
    sign_in(terminal)
    terminal.until("signed in 0 min")
    real.kill()
    terminal.until("The table is gone")
    real.start()
    terminal.until("layout as shown")
    terminal.type(":limits 2 50\r")
    terminal.until("refused by 6.3")


def test_who_is_disabled_is_shown_no_more(real: RealTable, terminal: Terminal) -> None:
    sign_in(terminal)
    terminal.until("signed in 0 min")
    assert real.operators("disable", "ines").returncode == 0
    real.watch.event("signed-out")

    def is_gone() -> bool:
        terminal.forget()
        terminal.type("z")  # means nothing, and draws again
        return "ines" not in terminal.until("o operator")

    eventually(is_gone, "nobody is shown as signed in")


@pytest.mark.parametrize("keys", ["\x1b[3~", "\x1b[5~", "\x1b[1;2A", "\x1bOP"])
def test_what_arrows_and_the_like_send_are_no_presses(
    real: RealTable, terminal: Terminal, keys: str
) -> None:
    terminal.type(keys)
    terminal.type("7")
    (pressed, *_) = real.watch.event("pressed")
    assert pressed["body"]["control"] == "7"


# --- key by key -----------------------------------------------------------------------------------


def test_name_and_pin_are_typed_and_mended_and_the_pin_is_never_shown() -> None:
    prompt = SignInPrompt()
    shown, typed = [], None
    for key in "inss\x7f\x7fes\t\r48\x7f826\r":
        typed = prompt.feed(key)
        shown.append(prompt.words)
    assert typed == Credentials("ines", "4826")
    assert not any(digit in words for words in shown for digit in "4826")


def test_words_are_typed_and_mended() -> None:
    prompt = SayPrompt()
    *_, typed = [prompt.feed(key) for key in "limits  2 500\x7f\r"]
    assert typed == Words(("limits", "2", "50"))
